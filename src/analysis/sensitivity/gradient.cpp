// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/gradient.hpp>

#include <chrono>

#include <sunlagrange/base/setting.hpp>

#include "analysis/sensitivity/start_derivative.hpp"
#include "analysis/shared/differentiated_run.hpp"
#include "analysis/sundials/adjoint.hpp"
#include "base/problems.hpp"
#include "model/checks/required_system.hpp"
#include "simulation/options.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

SimulationOptions checked_for_gradient(const MechanicalSystem& system, const InitialState& start,
                                       const SimulationOptions& options, const Functional& functional,
                                       const GradientOptions* wanted) {
  require_forces(system, "gradient", "is no system with forces; difference its runs");
  if (system.has_inactive_rows() || !options.inactive_constraints.empty())
    throw Error("gradient: rows are switched off; build the system without them");
  const FormulationEntry& form = find_formulation(options.formulation, system);
  if (form.equations != Equations::ode)
    throw Error("gradient: formulation " + std::string(form.name) +
                " is none of the ODE forms, whose adjoint this is; use baumgarte, projected, penalty or unstabilized");
  SimulationOptions o = validated(system, start, options);
  Problems problems;
  problems.require(o.integrator == "cvode_bdf" || o.integrator == "cvode_adams",
                   "integrator = " + o.integrator + ": adjoints are integrated by cvode_bdf or cvode_adams (CVODES)");
  problems.require(o.events.empty(),
                   "events: the jump of the adjoint at an event is not computed; end the run before the first one");
  if (wanted != nullptr) {
    problems.require(
        !wanted->parameters.empty() || !wanted->start_positions.empty() || !wanted->start_velocities.empty(),
        "parameters, start_positions, start_velocities: all are empty; name what to differentiate by");
    problems.require(
        wanted->checkpoint_interval >= 0,
        "checkpoint_interval = " + std::to_string(wanted->checkpoint_interval) + " must not be negative; 0: automatic");
  }
  problems.require(functional.terminal || functional.running,
                   "functional: neither terminal nor running; make_functional() or named_functional() make one");
  problems.throw_if_any("invalid options of gradient()");
  return o;
}

/// Integrates the motion and, unless only the value is wanted, the adjoint equations back to the start.
void find_gradient(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given, MotionState start,
                   const SimulationOptions& options, const Functional& functional, const GradientOptions& wanted,
                   bool value_alone, Gradient& result) {
  SensitivityOptions columns_of;
  columns_of.parameters = wanted.parameters;
  columns_of.start_positions = wanted.start_positions;
  columns_of.start_velocities = wanted.start_velocities;
  StartDerivative derivative(system, given, options, columns_of, "gradient", result.parameters);
  if (!derivative.enter(start)) {
    result.status = {Outcome::model_error, "the model declined the point at t = " + text(start.t) +
                                               ", or one with a parameter nearby; see check_derivatives"};
    return;
  }
  if (!derivative.differentiate(start, result.status)) return;
  SensitivityColumns& columns = derivative.columns();
  const std::unique_ptr<AdjointRun> run =
      make_adjoint_run(system, start, options, functional, columns, wanted.checkpoint_interval);
  while (run->reached() < options.t_end) {
    if (!may_go_on(options, run->reached(), run->steps(), result.status) || !run->advance(result.status)) return;
  }
  if (value_alone) {
    run->finish_forward(result);
    return;
  }
  AdjointStart back;
  if (!run->integrate_back(result, back)) return;
  const Eigen::Index n = system->num_positions();
  result.gradient = back.parameters;
  for (int i = 0; i < columns.size(); ++i) {
    const MotionState& s = columns.column(i).start;
    result.gradient[i] += back.covector.head(n).dot(s.q) + back.covector.tail(n).dot(s.v);
  }
}

/// @param wanted  null if only the value is wanted
Gradient found_for(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                   const SimulationOptions& options, const Functional& functional, const GradientOptions* wanted) {
  require_system(system, "gradient");
  const SimulationOptions o = checked_for_gradient(*system, start, options, functional, wanted);
  const auto begin = std::chrono::steady_clock::now();
  ConsistencyOptions consistency;
  consistency.start = o.start;
  consistency.linear_solver = o.linear_solver;
  const ConsistentState from = consistent_state(system, start, consistency);
  Gradient result;
  result.status = from.report.status;
  if (!result.status.finished()) return result;
  guarded(result.status, [&] {
    find_gradient(system, start, from.state, o, functional, wanted != nullptr ? *wanted : GradientOptions{},
                  wanted == nullptr, result);
  });
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace

Gradient gradient(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                  const SimulationOptions& options, const Functional& functional, const GradientOptions& wanted) {
  return found_for(system, start, options, functional, &wanted);
}

Gradient functional_value(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                          const SimulationOptions& options, const Functional& functional) {
  return found_for(system, start, options, functional, nullptr);
}

}  // namespace sunlagrange
