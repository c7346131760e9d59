#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sunlagrange/results/report.hpp>

/// One case of the campaign: a random mechanism, its motion over a second by two references, and the runs to be judged.
namespace sunlagrange::program {

/// What is asked of every case. Cases of one plan are comparable, whoever computed them and when.
struct CampaignPlan {
  std::uint64_t seed = 1;                 ///< of the first case
  std::string set;                        ///< calibration: even seeds of mechanisms, validation: odd ones
  std::vector<std::string> formulations;  ///< "name" or "name/integrator"
  std::vector<double> rtols;              ///< rtol = atol
  long max_steps = 20000;                 ///< of a run that is judged

  /// Of the mechanism of case k.
  std::uint64_t mechanism_seed(std::uint64_t k) const { return 2 * (seed + k) + (set == "validation" ? 1 : 0); }
};

/// Distances of positions are max_i |q_i - r_i| / (1 + |r_i|), as an integrator with rtol = atol weighs them.
struct CampaignRun {
  std::string formulation, integrator;
  double rtol = 0.0;
  std::string outcome;  ///< name of the Outcome; "refused": the formulation cannot treat the mechanism
  std::string message;
  std::vector<std::string> doubts;       ///< kinds
  double error = Report::none;           ///< distance from the reference at the end; NaN: one of them did not get there
  double amplification = 1.0;            ///< of disturbances as large as the tolerance, at least 1
  double smallest_singular_value = 1.0;  ///< relative, of the scaled G M^-1 G^T along the run
  double halving = 0.0;                  ///< fixed steps: distance of a run with twice the step
  long steps = 0;
};

struct CampaignCase {
  std::uint64_t seed = 0;
  std::string features;  ///< "planar, redundant", see RandomFeatures
  std::string kind;
  double mass_ratio = 1.0;
  std::string references;     ///< the two that agree; of a case set aside, what became of all that were tried
  double gap = Report::none;  ///< distance of the two
  bool set_aside = false;     ///< no two references agree; there are no runs
  std::vector<CampaignRun> runs;
};

/// The amplification of a motion is measured only where a verdict depends on it: for runs whose error is above 100
/// tolerances. Thread-safe; runs end when the program is interrupted, and then the case is of no use.
CampaignCase campaign_case(std::uint64_t mechanism_seed, const CampaignPlan& plan);

}  // namespace sunlagrange::program
