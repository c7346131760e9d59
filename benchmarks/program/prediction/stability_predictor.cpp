#include "prediction/stability_predictor.hpp"

#include <algorithm>
#include <limits>

#include "prediction/gain_search.hpp"

namespace sunlagrange::bench {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr ErrorGrowth diverged = {infinite, infinite};

ConsistencyOptions consistency(const SimulationOptions& options) {
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

StabilityPredictor::StabilityPredictor(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                                       const SimulationOptions& options, const ButcherTable& table)
    : system_(std::move(system)),
      options_(options),
      table_(table),
      start_(consistent_state(system_, start, consistency(options)).state) {}

FirstOrderForm StabilityPredictor::form(const Gains& gains) const {
  FormulationOptions options{options_, {}};
  options.gains = gains;
  return FirstOrderForm(system_, start_, options);
}

VectorXd StabilityPredictor::weights(int size, double rate) const {
  VectorXd result = VectorXd::Ones(size);
  if (!system_->first_order()) result.head(system_->num_position_constraints()).setConstant(rate);
  return result;
}

ErrorGrowth StabilityPredictor::along_the_run(const Gains& gains, double step, int steps, double rate) const {
  FirstOrderForm equations = form(gains);
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

ErrorGrowth StabilityPredictor::along_the_motion(const Gains& gains, double step, int steps, double rate) {
  const Trajectory& exact = exact_motion();
  FirstOrderForm equations = form(gains);
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

const Trajectory& StabilityPredictor::exact_motion() {
  if (!exact_.empty()) return exact_;
  SimulationOptions options = options_;
  if (!system_->first_order()) options.formulation = "baumgarte";
  options.integrator = "dopri5";
  options.table.reset();
  options.gains = {};
  options.step = 0.0;
  options.rtol = options.atol = 1e-11;
  options.start = Start::consistent;
  options.record = Record::every_step;
  const Simulation run = simulate(system_, {start_.t, start_.q, start_.v}, options);
  if (!run.status.finished()) {
    throw Error("the accurate motion along which to linearise cannot be computed: " + run.status.message);
  }
  exact_ = run.trajectory;
  return exact_;
}

}  // namespace sunlagrange::bench
