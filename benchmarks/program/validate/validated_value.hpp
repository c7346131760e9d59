#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sunlagrange/results/report.hpp>

namespace sunlagrange::program {

/// One line of the table of `validate`.
struct ValidatedValue {
  std::string mechanism, run, quantity;
  double t = Report::none;  ///< where the error is largest
  double reference = Report::none;
  double ours = Report::none;
  double error = Report::none;
  double allowed = Report::none;
  std::string source;

  bool holds() const { return error <= allowed; }  // false for NaN
};

/// Adds the lines of the analyses, of the mechanisms that are asked for; null in the program that is built without.
extern void (*analyses_validator)(const std::function<bool(const std::string& mechanism)>& asked,
                                  std::vector<ValidatedValue>& rows);
void validate_analyses(const std::function<bool(const std::string& mechanism)>& asked,
                       std::vector<ValidatedValue>& rows);

/// A line of an analysis; `ours` may be not-a-number: then it does not hold.
ValidatedValue compared(const char* mechanism, const char* analysis, const char* quantity, double ours,
                        double reference, double allowed, const char* source);

/// Modes of models of their own: about a rest of many freedoms, a rotating and a rolling motion.
void validate_modes(std::vector<ValidatedValue>& rows);

}  // namespace sunlagrange::program
