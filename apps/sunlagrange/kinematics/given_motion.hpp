// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// Arguments of `kinematics` for given motions.
struct GivenMotionArguments {
  std::string table;              ///< CSV file with a line of names: t and the driven coordinates; empty: laws alone
  std::vector<std::string> laws;  ///< COORDINATE=LAW; the law has the form of a model file
  int points = 2;                 ///< number of times if there are laws alone, from the start to t_end
  int every = 1;                  ///< the text shows every k-th time
  std::string html;
  bool wide = false;
};

/// Computes the drive forces of given motions, for `kinematics --motion` and `--law`. @returns the exit code
int drives_of_given_motion(const GivenMotionArguments& arguments, const Problem& problem, bool json);

}  // namespace sunlagrange::program
