#pragma once

#include <string>
#include <vector>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// What `kinematics` is told of given motions.
struct GivenMotionArguments {
  std::string table;              ///< CSV with a line of names: t and driven coordinates; empty: laws alone
  std::vector<std::string> laws;  ///< COORDINATE=LAW, the law as in a model file
  int points = 2;                 ///< times of laws alone, from the start of the mechanism to the end of its run
  int every = 1;                  ///< the text shows each so many of them
  std::string html;
  bool wide = false;
};

/// `kinematics --motion` and `--law`: what drives need for given motions. @returns the exit code
int drives_of_given_motion(const GivenMotionArguments& arguments, const Problem& problem, bool json);

}  // namespace sunlagrange::program
