// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sunlagrange/base/figures.hpp>
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
  std::string used_formulation;  ///< the same unless that is "automatic"; empty: no step was tried
  double rtol = 0.0;
  std::string outcome, message;
  std::vector<std::string> doubts;
  double error = Report::none, amplification = 1.0, smallest_singular_value = 1.0, halving = 0.0;
  long steps = 0;

  void describe(Figures& f) {
    f("formulation", formulation, "name");
    f("integrator", integrator, "name");
    f("used_formulation", used_formulation, "name; empty: no step was tried");
    f("rtol", rtol, "1", "rtol = atol");
    f("outcome", outcome, "name of the Outcome; \"refused\": the formulation cannot treat the mechanism");
    f("message", message, "message of the run");
    f("doubts", doubts, "kinds of doubts");
    f("error", error, "1", "distance from the reference at the end; NaN if one of them did not reach it");
    f("amplification", amplification, "1", "amplification of disturbances of the size of the tolerance, at least 1");
    f("smallest_singular_value", smallest_singular_value, "1", "relative, of the scaled G M^-1/2 along the run");
    f("halving", halving, "1", "fixed steps: distance from a run with twice the step");
    f("steps", steps, "accepted steps");
  }
};

struct CampaignCase {
  std::uint64_t seed = 0;
  std::string features, kind;
  double mass_ratio = 1.0;
  std::string references;
  double gap = Report::none;
  bool set_aside = false;
  std::vector<CampaignRun> runs;

  void describe(Figures& f) {
    f("seed", seed, "seed of the mechanism");
    f("features", features, "\"planar, redundant\", see RandomFeatures");
    f("kind", kind, "the mechanism in words");
    f("mass_ratio", mass_ratio, "1", "mass of the heaviest over that of the lightest body");
    f("references", references, "the two references that agree; if the case is set aside, the outcomes of all");
    f("gap", gap, "1", "distance of the two references");
    f("set_aside", set_aside, "true if no two references agree; there are no runs then");
    f("runs", runs, "judged runs");
  }
};

/// Computes a case. The amplification of a motion is measured only if a verdict depends on it, for runs whose error is
/// above 100 tolerances. Thread-safe. Runs end when the program is interrupted; the case is of no use then.
CampaignCase campaign_case(std::uint64_t mechanism_seed, const CampaignPlan& plan);

}  // namespace sunlagrange::program
