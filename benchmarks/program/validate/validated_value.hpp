#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sunlagrange/results/report.hpp>

namespace sunlagrange::program {

/// One line of the table of `validate`.
struct ValidatedValue {
  std::string mechanism, run, quantity;
  double t = Report::none;  ///< time of the largest error [s]
  double reference = Report::none;
  double ours = Report::none;
  double error = Report::none;
  double allowed = Report::none;
  std::string source;

  bool holds() const { return error <= allowed; }  // false for NaN
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
