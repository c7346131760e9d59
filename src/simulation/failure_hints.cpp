// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/failure_hints.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include <sunlagrange/base/setting.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/rank/lost_directions.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/checks/examination.hpp"
#include "simulation/alternatives.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// When a reason is likely. Held by ill_scaled_rank_test (inertias) and stepper_test (a distant end).
struct HintThresholds {
  double inertia_ratio = 1e8;  ///< of the largest and the smallest inertia
  double long_step = 1e10;     ///< [s], 300 years: the longest step that is allowed
  double held_short = 0.5;     ///< of max_step: the last step was held short by it
  double diverged = 0.5;       ///< of the energies of the path: so much came or went without work
};
constexpr HintThresholds hint_threshold;

}  // namespace

std::string near_singular_pose(const SimulationOptions& o, const Report& report) {
  if (report.rank_events.empty() ||
      report.rank_events.back().t < report.t_reached - near_in_run * (report.t_end - report.t_start))
    return "";
  const std::string where =
      "; the configuration is nearly singular there, constraint \"" + report.rank_events.back().constraint + "\"";
  if (find_formulation(o.formulation).for_programs) return where;
  return where + ": try " + (o.at_singularity == AtSingularity::project ? "" : "at_singularity = project, or ") +
         (o.linear_solver.rank_policy == RankPolicy::minimum_norm ? "" : "rank policy minimum_norm, or ") +
         "formulation " + alternatives({"projected", "ggl", "penalty"}, o.formulation);
}

/// The integrator has shortened its step to nothing: what it met lies closely behind the last state.
std::string entries_not_finite_ahead(IntegratorStepper& stepper, const SampledPath& path, double t_end) {
  const EvaluationResult failure = stepper.attachment().counts().failures.last_of_run();
  if (failure != EvaluationResult::not_finite || path.samples().empty()) return "";
  const PathSample& last = path.newest();
  PointEvaluator evaluator = evaluator_for(path.system(), path.linear_solver());
  constexpr int decades = 12;  // of the times ahead
  for (int k = decades; k >= 0; --k) {
    const double h = near_in_run * std::pow(10.0, -k) * (t_end - last.t);
    const Eigen::VectorXd q = last.q + h * last.v;
    evaluator.at(last.t + h, q.data(), last.v.data());
    const std::string found = entries_not_finite(*path.system(), evaluator.quantities());
    if (!found.empty()) return "; at t = " + text(last.t + h) + ": " + found;
  }
  return "";
}

/// The diagonal of M is compared in natural scales, without coordinates that have no inertia.
std::string inertias_far_apart(const SimulationOptions& o, const SampledPath& path) {
  if (path.samples().empty() || !path.newest().evaluated) return "";
  const MechanicalSystem& system = *path.system();
  const Eigen::VectorXd& scales = system.natural_scales();
  double largest = 0.0, smallest = INFINITY;
  int heavy = -1, light = -1;
  path.quantities().M.for_each_entry([&](int i, int j, double entry) {
    if (i != j || !(entry > 0.0)) return;
    const double inertia = entry * scales[j] * scales[j];
    if (inertia > largest) largest = inertia, heavy = j;
    if (inertia < smallest) smallest = inertia, light = j;
  });
  if (heavy < 0 || light < 0 || !(largest / smallest >= hint_threshold.inertia_ratio)) return "";
  return "; inertias lie " + text(largest / smallest) + " apart (\"" + system.position_name(heavy) + "\" and \"" +
         system.position_name(light) +
         "\"): beside such forces the light part may be lost in rounding: try formulation " +
         alternatives({"baumgarte", "projected", "coordinate_partitioning"}, o.formulation);
}

std::string many_redundant_directions(const SimulationOptions& o, const SampledPath& path) {
  const std::initializer_list<std::string_view> taking_them = {"projected", "baumgarte", "index1"};
  const bool takes_them = std::find(taking_them.begin(), taking_them.end(), o.formulation) != taking_them.end();
  if (path.permanently_lost() <= LostDirections::most || takes_them) return "";
  return "; " + std::to_string(path.permanently_lost()) + " directions of the constraints are redundant, and " +
         o.formulation + " may fail beyond " + std::to_string(LostDirections::most) +
         " of them: leave redundant constraints out, or try formulation " + alternatives(taking_them, o.formulation);
}

std::string violated_start(const SimulationOptions& o, const Report& report) {
  if (report.steps > 0 || o.start != Start::as_given || report.start.status.message.empty() ||
      find_formulation(o.formulation).equations != Equations::dae)
    return "";
  return report.start.status.message + "; formulation " + o.formulation +
         " cannot take that back: use start = consistent, or a formulation with feedback: " +
         alternatives({"baumgarte", "index1", "penalty"}, o.formulation) + "; so ";
}

std::string end_far_away(const SimulationOptions& o, const Report& report) {
  const double longest = longest_step(o, report.t_start);
  if (report.steps > 0 || !(longest > hint_threshold.long_step)) return "";
  return "t_end = " + text(o.t_end) + " allows steps of " + text(longest) +
         " s, and the first one tried may have been too long: choose an earlier t_end; no step was accepted: ";
}

std::string diverges(const Report& report) {
  if (!(report.energy_drift > hint_threshold.diverged * report.energy_scale)) return "";
  return ": the energy has drifted by " + text(report.energy_drift) + " J, of " + text(report.energy_scale) +
         " J in all, so the run diverges: tighten the tolerances, ";
}

Status too_many_steps(const SimulationOptions& o, IntegratorStepper& stepper, double last_step,
                      const MechanicalSystem& system, const Report& report) {
  const FormulationFacts& facts = stepper.attachment().facts();
  const bool has_gains = facts.advice.has_value() || facts.Lambda.has_value();
  const std::string gains(has_gains ? find_formulation(o.formulation).feedback_of(system) : "");
  const bool held_short = o.max_step > 0.0 && last_step > hint_threshold.held_short * o.max_step;
  const std::string diverging = diverges(report);
  const std::string remedy =
      find_integrator(o.integrator).fixed_step ? "; raise max_steps or lengthen the step"
      : held_short
          ? "; max_step = " + text(o.max_step) + " decided on the last one: raise it, or max_steps to at least " +
                text(static_cast<double>(report.steps) + (o.t_end - stepper.time()) / o.max_step)
          : "; " + (last_step > 0.0 ? "the last one took " + text(last_step) + " s" : "the last did not move t") +
                (diverging.empty() ? ": raise max_steps, loosen the tolerances, " : diverging) +
                (gains.empty() ? "" : "check " + gains + ", ") +
                "or smooth what changes abruptly (dry friction at rest, stops), or make it an event";
  return {Outcome::step_limit, "max_steps = " + std::to_string(o.max_steps) + " accepted steps reached at t = " +
                                   text(stepper.time()) + remedy + near_singular_pose(o, report)};
}

Status beyond_numbers(const MechanicalSystem& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  int i = 0;
  while (std::isfinite(q[i]) && std::isfinite(v[i])) ++i;
  return {Outcome::integrator_failure,
          "\"" + system.position_name(i) + "\" grows beyond all numbers at t = " + text(t) + ": " +
              (std::isfinite(q[i]) ? "its velocity is " + text(v[i]) : "it is " + text(q[i])) +
              "; check the start and the units, or what drives it without bound"};
}

}  // namespace sunlagrange::internal
