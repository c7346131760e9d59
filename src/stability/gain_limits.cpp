#include <sunlagrange/stability/gain_limits.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/gains/stability_boundary.hpp>
#include <sunlagrange/simulation/catalogue.hpp>
#include <sunlagrange/simulation/simulate.hpp>
#include <sunlagrange/stability/first_order_form.hpp>
#include <sunlagrange/stability/runge_kutta_conditions.hpp>

#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr ErrorGrowth diverged = {infinite, infinite};

ConsistencyOptions consistency(const FormulationOptions& options) {
  ConsistencyOptions result;
  result.linear_solver = options.linear_solver;
  return result;
}

ConstrainedFlow flow_of(FirstOrderForm& form) {
  return {[&form](double t, const VectorXd& y, VectorXd& ydot) { return form.rhs(t, y, ydot); },
          [&form](double t, const VectorXd& y, VectorXd& e) { return form.constraint_error(t, y, e); }};
}

}  // namespace

bool dies_out(const ErrorGrowth& growth) {
  return growth.halves < 1.0 && growth.peak <= largest_transient;
}

FixedStepGrowth::FixedStepGrowth(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                                 const FormulationOptions& options, const ButcherTable& table, double t_end)
    : system_(std::move(system)),
      options_(options),
      table_(table),
      t_end_(t_end),
      start_(consistent_state(system_, start, consistency(options)).state) {}

VectorXd FixedStepGrowth::weights(int size, double rate) const {
  VectorXd result = VectorXd::Ones(size);
  result.head(system_->motion_law().second_order_rows).setConstant(rate);
  return result;
}

ErrorGrowth FixedStepGrowth::along_the_run(const Gains& gains, double step, int steps, double rate) const {
  FormulationOptions options = options_;
  options.gains = gains;
  FirstOrderForm equations(system_, start_, options);
  const ConstrainedFlow flow = flow_of(equations);
  std::vector<StepMap> maps(static_cast<std::size_t>(steps));
  VectorXd y = equations.pack(start_);
  for (int k = 0; k < steps; ++k) {
    StepMap& map = maps[static_cast<std::size_t>(k)];
    if (!step_map(table_, flow, start_.t + k * step, step, y, map) || !map.change.allFinite()) return diverged;
    y = map.next;
  }
  return error_growth(maps, weights(equations.error_size(), rate),
                      equations.leaving_directions(start_.t, equations.pack(start_)));
}

ErrorGrowth FixedStepGrowth::along_the_motion(const Gains& gains, double step, int steps, double rate) {
  const Trajectory& exact = exact_motion();
  FormulationOptions options = options_;
  options.gains = gains;
  FirstOrderForm equations(system_, start_, options);
  const ConstrainedFlow flow = flow_of(equations);
  std::vector<StepMap> maps(static_cast<std::size_t>(steps));
  for (int k = 0; k < steps; ++k) {
    const double t = std::min(start_.t + k * step, exact.t(exact.size() - 1));
    const MotionState state = consistent_state_at(exact, system_, t, consistency(options_)).state;
    if (!step_map(table_, flow, t, step, equations.pack(state), maps[static_cast<std::size_t>(k)])) return diverged;
  }
  return error_growth(maps, weights(equations.error_size(), rate),
                      equations.leaving_directions(start_.t, equations.pack(start_)));
}

const Trajectory& FixedStepGrowth::exact_motion() {
  if (!exact_.empty()) return exact_;
  SimulationOptions options;
  // The motion of a kinematic program depends on the formulation.
  options.formulation =
      system_->motion_law().has_forces ? std::string(default_formulation(*system_)) : options_.formulation;
  options.integrator = "dopri5";
  options.linear_solver = options_.linear_solver;
  options.time_scale = options_.time_scale;
  options.t_end = t_end_;
  options.rtol = options.atol = 1e-11;
  const Simulation run = simulate(system_, {start_.t, start_.q, start_.v}, options);
  if (!run.status.finished()) {
    throw Error("the accurate motion along which to linearise cannot be computed: " + run.status.message);
  }
  exact_ = run.trajectory;
  return exact_;
}

GainLimits gain_limits(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                       const FormulationOptions& options, const ButcherTable& table, double step, double t_end,
                       double zeta, int steps) {
  require_system(system, "gain_limits");
  const int fit = static_cast<int>(std::min<double>(steps, std::floor((t_end - start.t) / step * (1.0 + 1e-9))));
  if (!(step > 0.0) || fit < 4)
    throw Error("gain_limits: step = " + text(step) + ", t_end = " + text(t_end) +
                ": at least 4 steps are needed to see growth");
  const bool program = !system->motion_law().has_forces;
  const auto gains_of = [&](double gain) {
    Gains gains = program ? Gains{} : Gains::natural_frequency(gain, zeta);
    if (program || system->num_velocity_constraints() > 0) gains.K_N = gain;
    return gains;
  };
  FormulationOptions chosen = options;
  if (chosen.formulation == FormulationChoice{}.formulation) chosen.formulation = default_formulation(*system);
  GainLimits limits{NAN, NAN, NAN};
  const std::vector<Interval> rule =
      program ? admissible_first_order_gains(table, step) : admissible_frequencies(table, step, zeta);
  if (!rule.empty()) limits.rule = rule.front().high;
  FixedStepGrowth growth(system, start, chosen, table, t_end);
  limits.along_the_run = stability_boundary([&](double z) {
                           return dies_out(growth.along_the_run(gains_of(z / step), step, fit, z / step));
                         }) /
                         step;
  limits.along_the_motion = stability_boundary([&](double z) {
                              return dies_out(growth.along_the_motion(gains_of(z / step), step, fit, z / step));
                            }) /
                            step;
  return limits;
}

}  // namespace sunlagrange
