// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shared/json.hpp"

namespace sunlagrange::program {

/// Results of a study: counts, quantiles of the end values, failures with their causes. Runs that did not reach their
/// end have no end values.
class StudySummary {
 public:
  /// @param heading   first line of the file of the study
  /// @param cases     lines of its cases, by number
  /// @param requested number of requested cases
  /// @param observed  names of end values for the table, "bob.x" or "v(bob.x)", and of what the heading says is
  ///                  observed; empty: the first positions
  /// @throws Error on an unknown name
  StudySummary(const Json& heading, const std::map<std::uint64_t, Json>& cases, std::uint64_t requested,
               std::vector<std::string> observed);

  /// Returns the text for a terminal. @param width  see output_width()
  std::string text(std::size_t width) const;
  std::string document() const;  ///< document of --json

  /// Returns exit_finished, exit_doubts, exit_numerical_failure, or exit_interrupted if cases are missing.
  int exit_code() const;

 private:
  /// Statistics of one number of every case.
  struct Quantity {
    std::string name, title;
    const char* field = "";  ///< of the line of a case
    int entry = -1;          ///< of that field, a list; -1: it is a number, or has it by the name
    bool shown = true;
    std::vector<double> sorted;
    double mean = 0.0, deviation = 0.0;  ///< deviation: standard deviation of the sample
    std::uint64_t least_case = 0, largest_case = 0;
  };
  /// Cases that share a value of a varied quantity, or a cause of failure.
  struct Group {
    std::string name, value;  ///< value: JSON with all digits
    long cases = 0, finished = 0, doubted = 0;
    std::uint64_t first = 0;
    std::vector<double> steps, evaluations, violations;
  };

  void add_quantity(const std::string& name, const std::string& title, const char* field, int entry);
  static double value_of(const Json& line, const Quantity& quantity);
  void count(std::uint64_t k, const Json& line);
  std::string verdict() const;
  std::string quantities(std::size_t width) const;
  std::string each_case(std::size_t width) const;
  std::string by_value(std::size_t width) const;
  std::string failures(std::size_t width) const;

  std::shared_ptr<const Json> heading_;
  const std::map<std::uint64_t, Json>& cases_;
  std::uint64_t requested_;
  std::vector<Quantity> quantities_;
  std::vector<Group> values_;
  std::vector<Group> failures_;  ///< most frequent first
  std::map<std::string, long> outcomes_, doubts_;
  long doubted_ = 0;
};

}  // namespace sunlagrange::program
