// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cases.hpp"
#include "shared/quantile.hpp"

namespace sunlagrange::peers {

/// A method at the tolerance that it needs.
struct Measured {
  std::string program, method;
  double tolerance = 0.0;
  double error = 0.0;
  Ending ending;
  std::vector<double> seconds;  ///< one for each run

  double median() const { return program::median(seconds); }
};

struct Comparison {
  Case problem;
  std::vector<Measured> methods;
  std::vector<std::string>
      not_reached;  ///< those whose tolerances did not suffice, with their best error and last failure
};

Comparison compare(const Case& problem, int rounds);

/// The fastest method of a program; none: null.
const Measured* fastest(const Comparison& comparison, const std::string& program);

void print(const Comparison& comparison);

/// One JSON document of all.
std::string json_text(const std::vector<Comparison>& comparisons);

}  // namespace sunlagrange::peers
