#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sunlagrange/results/report.hpp>

/// One case of the campaign: a random mechanism, its motion over one second by two references, and the judged runs.
namespace sunlagrange::program {

/// Settings of all cases. Cases of one plan are comparable.
struct CampaignPlan {
  std::uint64_t seed = 1;                 ///< seed of the first case
  std::string set;                        ///< calibration: even seeds of mechanisms, validation: odd ones
  std::vector<std::string> formulations;  ///< "name" or "name/integrator"
  std::vector<double> rtols;              ///< rtol = atol
  long max_steps = 20000;                 ///< of a judged run

  /// Returns the seed of the mechanism of case k.
  std::uint64_t mechanism_seed(std::uint64_t k) const { return 2 * (seed + k) + (set == "validation" ? 1 : 0); }
};

/// A judged run. Distances of positions are max_i |q_i - r_i| / (1 + |r_i|), the weights of an integrator with rtol =
/// atol.
struct CampaignRun {
  std::string formulation, integrator;
  double rtol = 0.0;
  std::string outcome;  ///< name of the Outcome; "refused": the formulation cannot treat the mechanism
  std::string message;
  std::vector<std::string> doubts;  ///< kinds
  double error = Report::none;      ///< distance from the reference at the end; NaN if one of them did not reach it
  double amplification = 1.0;       ///< amplification of disturbances of the size of the tolerance, at least 1
  double smallest_singular_value = 1.0;  ///< relative, of the scaled G M^-1 G^T along the run
  double halving = 0.0;                  ///< fixed steps: distance from a run with twice the step
  long steps = 0;
};

struct CampaignCase {
  std::uint64_t seed = 0;
  std::string features;  ///< "planar, redundant", see RandomFeatures
  std::string kind;
  double mass_ratio = 1.0;
  std::string references;     ///< the two references that agree; if the case is set aside, the outcomes of all
  double gap = Report::none;  ///< distance of the two references
  bool set_aside = false;     ///< true if no two references agree; there are no runs then
  std::vector<CampaignRun> runs;
};

/// Computes a case. The amplification of a motion is measured only if a verdict depends on it, for runs whose error is
/// above 100 tolerances. Thread-safe. Runs end when the program is interrupted; the case is of no use then.
CampaignCase campaign_case(std::uint64_t mechanism_seed, const CampaignPlan& plan);

}  // namespace sunlagrange::program
