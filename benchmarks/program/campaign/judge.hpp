// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "campaign/case.hpp"

namespace sunlagrange::program {

/// Judgement of a run of the campaign. A run is right if it reached the end, as the reference did, and its error is at
/// most
///
///     amplification (d rtol + law) + 1.5 halving
///
/// Here d is 100; 1000 for formulations that do not hold g; the square of the number of steps, at least 100, if the
/// error test does not control the velocities. law is 10 c / sigma, at most 1e-2, for formulations that solve altered
/// equations: c is their stated alteration (FormulationInfo::accuracy), sigma the smallest relative singular value of
/// the constraints along the run. halving is the change of a fixed-step run by halving the step, which bounds its error
/// for any order from one on.
struct Judgement {
  bool finished = false;
  bool uncertain = false;  ///< outcome uncertain_branch
  bool reached = false;    ///< true if the run reached the end: finished or uncertain_branch
  bool right = false;
  bool doubted = false;
  double allowed = 0.0;  ///< allowed error
  bool blind = false;    ///< true if an error of 10 % of the size would have been right as well

  bool wrong_without_doubt() const { return finished && !right && !doubted; }
  bool false_doubt() const { return right && !blind && (uncertain || (finished && doubted)); }
};

Judgement judge(const CampaignRun& run);

}  // namespace sunlagrange::program
