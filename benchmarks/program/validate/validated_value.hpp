// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/results/report.hpp>

namespace sunlagrange::program {

/// One line of the table of `validate`.
struct ValidatedValue {
  std::string mechanism, run, quantity;
  double t = Report::none, reference = Report::none, ours = Report::none;
  double error = Report::none, allowed = Report::none;
  std::string source;

  bool holds() const { return error <= allowed; }  // false for NaN

  void describe(Figures& f) {
    f("mechanism", mechanism, "name, with its size");
    f("run", run, "formulation, integrator and tolerance, or name of the analysis");
    f("quantity", quantity, "compared quantity");
    f("t", t, "s", "time of the largest error");
    f("reference", reference, "published or exact value");
    f("ours", ours, "value of the library");
    f("error", error, "absolute difference of the two");
    f("allowed", allowed, "allowed error");
    f.derived("holds", holds(), "true if the error is allowed");
    f("source", source, "source of the reference");
  }
};

/// Adds the lines of the analyses for the requested mechanisms; null in a program that is built without analyses.
extern void (*analyses_validator)(const std::function<bool(const std::string& mechanism)>& asked,
                                  std::vector<ValidatedValue>& rows);
void validate_analyses(const std::function<bool(const std::string& mechanism)>& asked,
                       std::vector<ValidatedValue>& rows);

/// Returns the line of an analysis. It does not hold if `ours` is NaN.
ValidatedValue compared(const char* mechanism, const char* analysis, const char* quantity, double ours,
                        double reference, double allowed, const char* source);

/// Adds lines on the modes of further models: a rest of many freedoms, a rotating and a rolling motion.
void validate_modes(std::vector<ValidatedValue>& rows);

}  // namespace sunlagrange::program
