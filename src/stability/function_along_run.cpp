// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/function_along_run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "linear_algebra/small_matrices.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::VectorXd;

struct Difference {
  double derivative = 0.0;
  double error = 0.0;
};

/// Returns the fourth-order central difference of V(s) at s = 0 with its error. The same formula with twice the step
/// differs by fifteen times the truncation error; rounding of V is added.
template <class Along>
Difference difference(const Along& V, double s) {
  double largest = 0.0;
  const auto slope = [&](double h) {
    const double ahead = V(h), behind = V(-h);
    largest = std::max({largest, std::abs(ahead), std::abs(behind)});
    return (ahead - behind) / (2.0 * h);
  };
  const double one = slope(s), two = slope(2.0 * s), four = slope(4.0 * s);
  const double fine = (4.0 * one - two) / 3.0, coarse = (4.0 * two - four) / 3.0;
  return {fine, std::abs(fine - coarse) + 4.0 * std::numeric_limits<double>::epsilon() * largest / s};
}

double finite_value(const StateFunction& V, double t, const VectorXd& q, const VectorXd& v) {
  const double value = V(t, q, v);
  if (std::isfinite(value)) return value;
  throw Error("stability: V is " + text(value) + " at t = " + text(t) + "; it must be finite on and near the motion");
}

double shortest_time_scale(const Trajectory& run) {
  double q = 0.0, v = 0.0, a = 0.0;
  for (std::size_t k = 0; k < run.size(); ++k) {
    q = std::max(q, run.q(k).lpNorm<Eigen::Infinity>());
    v = std::max(v, run.v(k).lpNorm<Eigen::Infinity>());
    a = std::max(a, run.a(k).lpNorm<Eigen::Infinity>());
  }
  const double length = run.t(run.size() - 1) - run.t(0);
  double scale = length > 0.0 ? length : 1.0;
  if (q > 0.0 && v > 0.0) scale = std::min(scale, q / v);
  if (v > 0.0 && a > 0.0) scale = std::min(scale, v / a);
  return scale;
}

class Evaluation {
 public:
  Evaluation(const Trajectory& run, const StateFunction& V, const FunctionAlongRunOptions& options)
      : run_(run),
        V_(V),
        step_(options.difference_step > 0.0 ? options.difference_step : 1e-3 * shortest_time_scale(run)) {}

  void at_record(std::size_t k, FunctionAlongRun& result) const {
    const VectorXd q = run_.q(k), v = run_.v(k), a = run_.a(k);
    const double t = run_.t(k);
    add(t, finite_value(V_, t, q, v),
        difference([&](double s) { return finite_value(V_, t + s, q + s * (v + 0.5 * s * a), v + s * a); }, step_),
        result);
  }

  /// Evaluates at a point of the dense output of the step from k, within the step.
  void inside(std::size_t k, double fraction, FunctionAlongRun& result) const {
    const double h = run_.t(k + 1) - run_.t(k), t = run_.t(k) + fraction * h;
    const auto along = [&](double s) {
      return finite_value(V_, t + s, run_.position_at(t + s), run_.velocity_at(t + s));
    };
    const double room = 0.24 * h * std::min(fraction, 1.0 - fraction);
    add(t, along(0.0), difference(along, std::min(step_, room)), result);
  }

 private:
  static void add(double t, double value, Difference d, FunctionAlongRun& result) {
    result.t.push_back(t);
    result.value.push_back(value);
    result.derivative.push_back(d.derivative);
    result.error.push_back(d.error);
  }

  const Trajectory& run_;
  const StateFunction& V_;
  double step_;
};

void summarize(FunctionAlongRun& result, double rate) {
  result.max_value = result.max_derivative = -std::numeric_limits<double>::infinity();
  result.min_value = std::numeric_limits<double>::infinity();
  result.first_increase = NAN;
  for (std::size_t k = 0; k < result.t.size(); ++k) {
    const double value = result.value[k], derivative = result.derivative[k];
    if (value > result.max_value) {
      result.max_value = value;
      result.t_max_value = result.t[k];
    }
    if (derivative > result.max_derivative) {
      result.max_derivative = derivative;
      result.t_max_derivative = result.t[k];
    }
    result.min_value = std::min(result.min_value, value);
    result.max_error = std::max(result.max_error, result.error[k]);
    if (std::isnan(result.first_increase) && derivative + rate * value > result.error[k]) {
      result.first_increase = result.t[k];
    }
  }
  const std::string condition = rate > 0.0 ? "dV/dt <= -" + text(rate) + " V" : "dV/dt <= 0";
  result.verdict = std::isnan(result.first_increase)
                       ? condition + " at all " + std::to_string(result.t.size()) + " points"
                       : condition + " fails first at t = " + text(result.first_increase);
  if (result.min_value < 0.0) result.verdict += "; V becomes negative, " + text(result.min_value);
}

}  // namespace

FunctionAlongRun function_along_run(const Trajectory& trajectory, const StateFunction& V,
                                    const FunctionAlongRunOptions& options) {
  if (trajectory.empty()) throw Error("stability: the trajectory is empty; record the run with Record::every_step");
  if (!V) throw Error("stability: V is not set");
  if (options.points_per_step < 1) {
    throw Error("stability: points_per_step = " + std::to_string(options.points_per_step) + " must be at least 1");
  }
  if (!(options.difference_step >= 0.0) || !std::isfinite(options.rate)) {
    throw Error("stability: difference_step must not be negative and rate must be finite");
  }
  const Evaluation evaluation(trajectory, V, options);
  FunctionAlongRun result;
  for (std::size_t k = 0; k < trajectory.size(); ++k) {
    evaluation.at_record(k, result);
    if (k + 1 == trajectory.size() || !(trajectory.t(k + 1) > trajectory.t(k))) continue;
    for (int i = 1; i < options.points_per_step; ++i) {
      evaluation.inside(k, static_cast<double>(i) / options.points_per_step, result);
    }
  }
  summarize(result, options.rate);
  return result;
}

StateFunction constraint_error_form(const std::shared_ptr<const MechanicalSystem>& system, const Eigen::MatrixXd& P) {
  const int m_g = system->num_position_constraints(), m = system->num_constraints();
  require_size(P, m_g + m, m_g + m, "P");
  const std::shared_ptr<Workspace> w = make_workspace(*system, Storage::sparse);
  return [system, w, m_g, m, P](double t, const VectorXd& q, const VectorXd& v) -> double {
    if (!evaluate_system(*system, request::constraint, {t, q.data(), v.data(), nullptr, nullptr}, *w)) return NAN;
    VectorXd y(m_g + m);
    y << w->g, w->g_rate;
    return y.dot(P * y);
  };
}

}  // namespace sunlagrange
