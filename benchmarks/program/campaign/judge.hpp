#pragma once

#include "campaign/case.hpp"

namespace sunlagrange::program {

/// What a run of the campaign was worth. Right: it reached the end, as the reference did, and its error is at most
///
///     amplification (d rtol + law) + 1.5 halving
///
/// with d = 100; 1000 for formulations that do not hold g; the square of the steps where the error test does not see
/// the velocities, but not below 100. law = 10 c / sigma, at most 1e-2, for those that solve altered equations: c is
/// the alteration that they promise (FormulationInfo::promises), sigma the smallest relative singular value of the
/// constraints along the run. Fixed steps: for any order from one on the error is at most what halving the step
/// changed.
struct Judgement {
  bool finished = false;
  bool uncertain = false;  ///< uncertain_branch
  bool reached = false;    ///< the end, finished or uncertain_branch
  bool right = false;
  bool doubted = false;
  double allowed = 0.0;  ///< error
  bool blind = false;    ///< right, but 10 % of the size would have been right as well

  bool wrong_without_doubt() const { return finished && !right && !doubted; }
  bool false_doubt() const { return right && !blind && (uncertain || (finished && doubted)); }
};

Judgement judge(const CampaignRun& run);

}  // namespace sunlagrange::program
