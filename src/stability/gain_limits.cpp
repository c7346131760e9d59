// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/gain_limits.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/gains/stability_boundary.hpp>
#include <sunlagrange/simulation/catalogue.hpp>
#include <sunlagrange/simulation/simulate.hpp>
#include <sunlagrange/simulation/violation_bound.hpp>
#include <sunlagrange/stability/first_order_form.hpp>
#include <sunlagrange/stability/runge_kutta_conditions.hpp>

#include "formulation/formulation.hpp"
#include "model/checks/required_system.hpp"
#include "stability/differences.hpp"
#include "stability/growth_record.hpp"
#include "stability/leaving_changes.hpp"
#include "stability/relative_violation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ConsistencyOptions consistency(const FormulationOptions& options) {
  ConsistencyOptions result;
  result.linear_solver = options.linear_solver;
  return result;
}

ConstrainedFlow flow_of(FirstOrderForm& form) {
  return {[&form](double t, const VectorXd& y, VectorXd& ydot) { return form.rhs(t, y, ydot); },
          [&form](double t, const VectorXd& y, VectorXd& e) { return form.constraint_error(t, y, e); }};
}

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr ErrorGrowth diverged = {infinite, infinite};

/// Part of the bound on the violation that is left to the terms of third order, which predictions neglect. They change
/// a violation by about the square of its relative size, times what the steps make of such a change.
constexpr double third_order_share = 0.02;

/// A function at x + u and x - u: half the difference, linear in u, and half the second difference, quadratic in u,
/// each up to a term two orders higher.
struct Parts {
  VectorXd linear, quadratic;

  /// @param at_x  value at x. Returns false where the function does.
  template <class Function>
  bool evaluate(const Function& function, const VectorXd& x, const VectorXd& u, const VectorXd& at_x) {
    if (!function(VectorXd(x + u), ahead_) || !function(VectorXd(x - u), behind_)) return false;
    linear = 0.5 * (ahead_ - behind_);
    quadratic = 0.5 * (ahead_ + behind_) - at_x;
    return true;
  }

 private:
  VectorXd ahead_, behind_;
};

/// Follows the constraint error of a fixed-step run by its map and its defects, see FixedStepPrediction::violation().
class PredictedError {
 public:
  /// @param weights  of the errors, which make g comparable with g'
  PredictedError(FirstOrderForm& form, const ButcherTable& table, VectorXd weights)
      : form_(form),
        table_(table),
        flow_(flow_of(form)),
        weights_(std::move(weights)),
        first_(VectorXd::Zero(form.error_size())),
        second_(VectorXd::Zero(form.error_size())) {}

  /// Takes the step from the point y of the run. Returns false if a point is declined, the error is not finite, or no
  /// point near y is on the constraints.
  bool step(double t, double h, const VectorXd& y) {
    const auto error = [&](const VectorXd& x, VectorXd& e) { return flow_.error(t, x, e); };
    const auto after = [&](const VectorXd& x, VectorXd& e) {
      return runge_kutta_step(table_, flow_.rhs, t, h, x, next_) && flow_.error(t + h, next_, e);
    };
    if (!(leaving_ && find_change(error, y)) && !(renew(error, t, y) && find_change(error, y))) return false;
    Parts end;
    VectorXd defect;
    const VectorXd bent = leaving_->with_error(second_ - start_.quadratic);
    if (!end.evaluate(after, point_ + bent, change_, VectorXd::Zero(first_.size())) || !after(point_, defect)) {
      return false;
    }
    first_ = defect + end.linear;
    second_ = end.quadratic - defect;  // of the change, and of first order in `bent`
    return first_.allFinite() && second_.allFinite();
  }

  VectorXd error() const { return first_ + second_; }  ///< error at the end of the step

 private:
  static constexpr int corrections = 6;
  static constexpr double converged = 1e-7;  // residual of the point and of the change, relative to their errors

  template <class Function>
  bool renew(const Function& error, double t, const VectorXd& y) {
    MatrixXd E;
    if (!differentiate(error, y, E)) return false;
    leaving_.emplace(E, form_.leaving_directions(t, y), weights_);
    return true;
  }

  /// Finds the point on the constraints near y, and the change from there whose error is first_, with the directions of
  /// leaving_, which may be those of an earlier step. Returns false if the iteration does not converge.
  template <class Function>
  bool find_change(const Function& error, const VectorXd& y) {
    const auto inside = [&](const VectorXd& e) { return leaving_->part_of(e).norm(); };
    const double rounding = 1e-13 * (1.0 + y.norm()) * weights_.maxCoeff();
    point_ = y;
    if (!error(point_, rest_)) return false;
    const double allowed = converged * inside(rest_) + rounding;
    for (int k = 0; !(inside(rest_) <= allowed); ++k) {
      point_ -= leaving_->with_error(rest_);
      if (k == corrections || !error(point_, rest_)) return false;
    }
    const VectorXd wanted = first_ - rest_;
    change_ = leaving_->with_error(wanted);
    for (int k = 0;; ++k) {
      if (!start_.evaluate(error, point_, change_, rest_)) return false;
      const VectorXd missing = wanted - start_.linear;
      if (inside(missing) <= converged * inside(wanted) + rounding) return true;
      if (k == corrections) return false;
      change_ += leaving_->with_error(missing);
    }
  }

  FirstOrderForm& form_;
  const ButcherTable& table_;
  ConstrainedFlow flow_;
  VectorXd weights_;
  std::optional<LeavingChanges> leaving_;
  VectorXd first_, second_;  // of the error: of odd order in the defects, and of even order
  VectorXd point_, change_, next_, rest_;
  Parts start_;  // of the error at point_, by change_
};

/// Largest number of changes that growth() follows one by one.
constexpr Eigen::Index most_directions = 4;

/// Returns the changes, or of many a combination with fixed coefficients of both signs, which shows any mode that
/// grows.
MatrixXd followed(const MatrixXd& changes) {
  if (changes.cols() <= most_directions) return changes;
  VectorXd mix(changes.cols());
  for (Eigen::Index i = 0; i < mix.size(); ++i) mix[i] = std::sin(1.0 + 12.9898 * double(i));
  return changes * mix / mix.norm();
}

/// Returns the growth of errors over steps from given points, with directions of change followed by differences.
/// @param point  sets t and y at the beginning of step k; y comes as the end of the step before. Returns false to end
///               with infinite growth
template <class Point>
ErrorGrowth growth(FirstOrderForm& form, const ButcherTable& table, const VectorXd& weights, double h, int steps,
                   const Point& point) {
  const ConstrainedFlow flow = flow_of(form);
  std::optional<GrowthRecord> record;
  VectorXd y, next, column, error;
  MatrixXd states, errors;
  for (int k = 0; k < steps; ++k) {
    double t = 0.0;
    if (!point(k, t, y)) return diverged;
    if (!record) {
      MatrixXd E;
      if (!differentiate([&](const VectorXd& x, VectorXd& e) { return flow.error(t, x, e); }, y, E)) return diverged;
      record.emplace(followed(LeavingChanges(E, form.leaving_directions(t, y), weights).changes), steps);
    }
    const auto after = [&](const VectorXd& x, VectorXd& result) {
      return runge_kutta_step(table, flow.rhs, t, h, x, result);
    };
    const auto error_after = [&](const VectorXd& x, VectorXd& e) { return flow.error(t + h, x, e); };
    if (!after(y, next)) return diverged;
    const MatrixXd& before = record->states();
    states.resize(before.rows(), before.cols());
    errors.resize(weights.size(), before.cols());
    for (Eigen::Index j = 0; j < before.cols(); ++j) {
      if (!differentiate_along(after, y, before.col(j), column) ||
          !differentiate_along(error_after, next, column, error)) {
        return diverged;
      }
      states.col(j) = column;
      errors.col(j) = weights.cwiseProduct(error);
    }
    if (!record->add(states, errors) || record->died_out()) break;
    y.swap(next);
  }
  return record->growth();
}

}  // namespace

bool dies_out(const ErrorGrowth& growth) {
  return growth.halves < 1.0 && growth.peak <= largest_transient;
}

FixedStepPrediction::FixedStepPrediction(std::shared_ptr<const MechanicalSystem> system, const InitialState& start,
                                         const FormulationOptions& options, const ButcherTable& table, double t_end)
    : system_(std::move(system)),
      options_(options),
      table_(table),
      t_end_(t_end),
      start_(consistent_state(system_, start, consistency(options)).state) {
  options_.formulation = find_formulation(options.formulation, *system_).name;
}

FormulationOptions FixedStepPrediction::with(const Gains& gains) const {
  FormulationOptions options = options_;
  options.gains = gains;
  return options;
}

VectorXd FixedStepPrediction::weights(int size, double rate) const {
  VectorXd result = VectorXd::Ones(size);
  result.head(system_->motion_law().second_order_rows).setConstant(rate);
  return result;
}

ErrorGrowth FixedStepPrediction::along_the_run(const Gains& gains, double step, int steps, double rate) const {
  FirstOrderForm equations(system_, start_, with(gains));
  return growth(equations, table_, weights(equations.error_size(), rate), step, steps,
                [&](int k, double& t, VectorXd& y) {
                  if (k == 0) y = equations.pack(start_);
                  t = t_of(k, step);
                  return y.allFinite();
                });
}

ErrorGrowth FixedStepPrediction::along_the_motion(const Gains& gains, double step, int steps, double rate) {
  const Trajectory& exact = exact_motion();
  FirstOrderForm equations(system_, start_, with(gains));
  return growth(equations, table_, weights(equations.error_size(), rate), step, steps,
                [&](int k, double& t, VectorXd& y) {
                  t = std::min(t_of(k, step), exact.t(exact.size() - 1));
                  auto known = exact_states_.find(t);
                  if (known == exact_states_.end()) {
                    const MotionState state = consistent_state_at(exact, system_, t, consistency(options_)).state;
                    known = exact_states_.emplace(t, state).first;
                  }
                  y = equations.pack(known->second);
                  return true;
                });
}

double FixedStepPrediction::violation(const Gains& gains, double step, double rate, double stop_above) const {
  FirstOrderForm equations(system_, start_, with(gains));
  const ConstrainedFlow flow = flow_of(equations);
  PredictedError predicted(equations, table_, weights(equations.error_size(), rate));
  RelativeViolation violation(*system_);
  VectorXd y = equations.pack(start_), next, q, v;
  if (!violation.add(start_.t, start_.q, start_.v, VectorXd::Zero(equations.error_size()))) return infinite;
  const bool positions = system_->num_position_constraints() > 0;
  const double count = std::ceil((t_end_ - start_.t) / step * (1.0 - 1e-9));
  for (double k = 0.0; k < count; ++k) {
    const double t = t_of(k, step);
    const double h = std::min(step, t_end_ - t);
    if (!predicted.step(t, h, y) || !runge_kutta_step(table_, flow.rhs, t, h, y, next) || !next.allFinite() ||
        !equations.motion(t + h, next, q, v) || !violation.add(t + h, q, v, predicted.error()) ||
        !((positions ? violation.of_positions() : violation.of_velocities()) < stop_above)) {
      return infinite;
    }
    y.swap(next);
  }
  return std::max(violation.of_positions(), violation.of_velocities());
}

bool FixedStepPrediction::keeps_constraints(const Gains& gains, double step, double rate) const {
  const double bound = fixed_step_violation_bound(options_.formulation);
  constexpr double margin = 4.0;  // the mechanism may grow by this factor, and the violation count as less
  return violation(gains, step, rate, margin * bound) <= (1.0 - third_order_share) * bound;
}

const Trajectory& FixedStepPrediction::exact_motion() {
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
  GainLimits limits{NAN, NAN, NAN, NAN};
  const std::vector<Interval> rule =
      program ? admissible_first_order_gains(table, step) : admissible_frequencies(table, step, zeta);
  if (!rule.empty()) limits.rule = rule.front().high;
  FixedStepPrediction prediction(system, start, options, table, t_end);
  const auto of_run = [&](double z) {
    return dies_out(prediction.along_the_run(gains_of(z / step), step, fit, z / step));
  };
  const auto of_motion = [&](double z) {
    return dies_out(prediction.along_the_motion(gains_of(z / step), step, fit, z / step));
  };
  const auto keeps = [&](double z) { return prediction.keeps_constraints(gains_of(z / step), step, z / step); };
  const double contraction = largest_stable_gain(of_run);
  limits.contraction = contraction / step;
  limits.along_the_run = largest_kept_gain([&](double z) { return keeps(z) && of_run(z); }, contraction) / step;
  try {
    limits.along_the_motion =
        largest_kept_gain([&](double z) { return keeps(z) && of_motion(z); }, largest_stable_gain(of_motion)) / step;
  } catch (const Error&) {  // rows that contradict each other have no exact motion
  }
  return limits;
}

}  // namespace sunlagrange
