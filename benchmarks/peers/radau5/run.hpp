// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/parts/processor_time.hpp"

namespace sunlagrange::peers {

using program::cpu_seconds;

/// Result of one run.
struct Run {
  bool finished = false;
  double error = 0.0;  ///< largest of q at the end
  long steps = 0, rejected = 0;
  long iterations = 0, jacobians = 0, factorizations = 0, evaluations = 0;
  double seconds = 0.0;  ///< processor time
};

/// One method in one form at one tolerance.
struct Case {
  std::string family, form;
  double tolerance = 0.0;
  std::function<Run(double tolerance)> run;
};

/// RADAU5 on the hand-written equations of a problem, in every form.
void add_expert_cases(const std::string& problem, const std::vector<double>& end, std::vector<Case>& cases);

/// `radau` of the library in its bare loop and through simulate(); set-up counts in the latter alone.
void add_library_cases(const std::string& problem, std::vector<Case>& cases);

/// q at the end of the problem's run.
std::vector<double> exact_end(const std::string& problem);

}  // namespace sunlagrange::peers
