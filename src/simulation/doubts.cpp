#include "simulation/doubts.hpp"

#include <algorithm>
#include <cmath>

#include "formulation/formulation.hpp"
#include "model/natural_scales.hpp"
#include "sundials/stepper.hpp"

namespace sunlagrange::internal {
namespace {

constexpr double tolerances_allowed = 1e3;  // violation of forms that hold the constraints to tolerance
constexpr double rounding_allowed = 1e-8;   // of those that hold them to rounding
constexpr double drift_allowed = 1e-2;      // of those that drift, and of fixed steps, which have no tolerance
constexpr double energy_tolerances = 1e4;   // times rtol: energy that may go astray, of what the run held
constexpr double least_energy_allowed = 1e-3;
constexpr double most_energy_allowed = 0.1;
constexpr double least_way = 1e3;     // tolerances: what moves less is at rest, and its energy all error
constexpr double move_allowed = 0.3;  // of the size of the start
constexpr double share_of_policy_allowed = 0.5;
constexpr double alterations_allowed = 100.0;  // violation that altered equations have at any tolerance, times how much
constexpr long few_failures = 20;              // a short run may fail more often than it steps

double violation_allowed(const Report& report, const SimulationOptions& used, bool fixed_step) {
  const Promises& promises = find_formulation(used.formulation).promises;
  double allowed = drift_allowed;
  switch (promises.positions) {
    case Holds::loosely:
      break;
    case Holds::to_tolerance:
      if (!fixed_step) allowed = tolerances_allowed * std::max(used.rtol, used.atol / report.size);
      break;
    case Holds::to_rounding:
      allowed = rounding_allowed;
      break;
  }
  // a start taken as given is not the formulation's doing
  const double given = report.size > 0.0 ? 10.0 * report.start.position_violation_after / report.size : 0.0;
  const double law = alterations_allowed * promises.altered_motion;
  return std::min(drift_allowed, std::max(allowed, rounding_allowed)) + law + (std::isfinite(given) ? given : 0.0);
}

std::string remedy(const MechanicalSystem& system, const SimulationOptions& used, bool fixed_step) {
  if (fixed_step) {
    return system.first_order()
               ? "shorten the step, or change K_N: step x K_N must stay inside the stability region"
               : "shorten the step, or change the gains: step x rate of the gains must stay inside the "
                 "stability region";
  }
  if (find_formulation(used.formulation).promises.altered_motion > 0.0) {
    const char* of_start = used.gains.Lambda.automatic() ? ", which is chosen for the loads of the start," : "";
    return std::string("Lambda") + of_start + " may be too soft for those of the motion: raise it, or take baumgarte";
  }
  return system.first_order() ? "tighten the tolerances, or raise K_N"
                              : "tighten the tolerances, raise its gains, or take another formulation";
}

}  // namespace

std::vector<Doubt> doubts_about(const MechanicalSystem& system, const Report& report, const SimulationOptions& used) {
  const bool fixed_step = find_integrator(used.integrator).fixed_step;
  std::vector<Doubt> doubts;
  const auto doubt = [&doubts](DoubtKind kind, double value, double allowed, std::string found) {
    if (!(value <= allowed)) {
      found += " (" + text(value) + ", at most " + text(allowed) + " expected)";
      doubts.push_back({kind, value, allowed, std::move(found)});
    }
  };
  doubt(DoubtKind::position_violation, report.relative_violation, violation_allowed(report, used, fixed_step),
        "the constraints are violated by more than formulation " + used.formulation +
            " promises, relative to the size of the mechanism: " + remedy(system, used, fixed_step));
  const double tolerances = used.atol + used.rtol * report.size;
  const bool moves = report.way > least_way * tolerances;
  // off the constraints the stabilising forces do work
  const bool started_on_them = !(report.start.position_violation_after > least_way * tolerances);
  if (moves && started_on_them && report.energy_drift > 0.0 && report.energy_held > 0.0) {
    const double allowed =
        fixed_step ? most_energy_allowed
                   : std::min(most_energy_allowed, std::max(least_energy_allowed, energy_tolerances * used.rtol));
    doubt(DoubtKind::energy_balance, (report.energy_drift - report.work_uncertainty) / report.energy_held, allowed,
          "energy came or went without work, relative to the largest kinetic energy and work: tighten the tolerances, "
          "or check that forces and potential energy belong together");
  }
  if (report.size > 0.0) {
    doubt(DoubtKind::start_moved, natural_size(system, report.start.position_moves) / report.size, move_allowed,
          "the consistent start lies far from the positions given, most \"" + report.start.most_moved +
              "\", relative to the largest position: check the start values");
  }
  if (!report.start.velocities_feasible) {
    doubt(DoubtKind::velocities_infeasible, report.start.velocity_violation_after, 0.0,
          "no velocity satisfies the velocity constraints at the start: check them and the start");
  }
  if (report.start.rank == system.num_constraints() && report.factorizations > 0 &&
      report.relative_violation > used.rtol) {
    doubt(DoubtKind::rank_policy, static_cast<double>(report.rank_actions) / static_cast<double>(report.factorizations),
          share_of_policy_allowed,
          "directions of the constraints counted as lost in most factorisations of a mechanism that starts with none: "
          "lower rank_threshold, or scale masses and constraints");
  }
  const long failures = report.nonlinear_failures + report.error_test_failures;
  if (failures > few_failures) {
    doubt(DoubtKind::failed_steps, static_cast<double>(failures) / static_cast<double>(std::max(report.steps, 1L)), 1.0,
          "more steps failed than were accepted: the model may not be smooth, or the tolerances lie at rounding");
  }
  const auto& advice = report.used.advice;
  if (fixed_step && advice && advice->stability_margin > 0.0) {
    doubt(DoubtKind::unstable_gains, 1.0 / advice->stability_margin, 1.0,
          "step x rate of the gains is " + text(advice->step_rate) + ", outside the stability region of " +
              used.integrator + ", in units of its reach: " + remedy(system, used, fixed_step));
  }
  if (advice && advice->growth > 0.0) {
    doubt(DoubtKind::unstable_gains, advice->growth * (report.t_reached - report.t_start), 1.0,
          system.first_order()
              ? "the feedback of the model feeds the constraint error, growth x duration of the run: check its sign"
              : "the law of the constraint error feeds it, growth x duration of the run: raise the dissipation c");
  }
  return doubts;
}

}  // namespace sunlagrange::internal
