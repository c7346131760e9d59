// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/step_limit.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by stepped_over_test.
struct StepLimitSettings {
  double thirds = fewest_steps;  ///< of a run; three points in each, at which functions of time are evaluated
  int fewest_thirds = 2;         ///< of one step
  double shares = 8.0;           ///< for which the limit holds after the first repetition,
  double growth = 4.0;           ///< and so many times longer after each further one
  double rounding = 1e-12;       ///< of a value: smaller differences do not count
};
constexpr StepLimitSettings setting;

/// Returns the weights of the cubic polynomial through its values at s = 0, 1/3, 2/3 and 1.
std::array<double, 4> weights_of_cubic(double s) {
  const double a = 3.0 * s, b = a - 1.0, c = a - 2.0, d = a - 3.0;
  return {-b * c * d / 6.0, 0.5 * a * c * d, -0.5 * a * b * d, a * b * c / 6.0};
}

}  // namespace

StepLimit::StepLimit(const SimulationOptions& options, double t_start)
    : rtol_(options.rtol),
      t_end_(options.t_end),
      span_(options.t_end - t_start),
      share_(longest_step(options, t_start)),
      always_(options.max_step > 0.0 || (options.integrator == "radau" && options.formulation == "projected")),
      tests_differences_(options.integrator == "ida"),
      wait_(setting.shares * share_) {}

double StepLimit::begin_segment(const EventRunner& events, const MotionState& state) {
  if (share_ == 0.0) return 0.0;
  examines_ = !always_ && !events.may_hide_roots() && !(tests_differences_ && events.has_corners());
  now_ = !examines_ || state.t < limited_until_ ? share_ : 0.0;
  used_ = std::max(used_, now_);
  if (!examines_) return now_;
  of_time_.emplace(events.system());
  of_time_->find(state.t, t_end_, state.q, state.v);
  return now_;
}

std::optional<double> StepLimit::change(double t, double pose) {
  if (!examines_) return std::nullopt;
  if (now_ > 0.0) return t < limited_until_ ? std::nullopt : std::optional<double>(now_ = 0.0);
  if (pose > t_end_) return std::nullopt;
  limited_until_ = INFINITY;
  return used_ = now_ = share_;
}

bool StepLimit::accepts(double begin, const StepEnd& end) {
  if (!examines(end.t - begin)) return true;
  const Eigen::VectorXd q = end.q, v = end.v;
  of_time_->find_readers(end.t, q, v);
  if (of_time_->none() || follow_polynomial(begin, end.t, q, v)) return true;
  hold_limit(begin);
  return false;
}

bool StepLimit::repeats_failed(double begin) {
  if (!examines_ || now_ > 0.0) return false;
  hold_limit(begin);
  return true;
}

void StepLimit::hold_limit(double from) {
  limited_until_ = from + wait_;
  wait_ *= setting.growth;
}

/// Returns true if what depends on the time follows cubic polynomials within a step, at the state at its end: each
/// value up to the relative tolerance of its own changes there.
bool StepLimit::follow_polynomial(double begin, double end, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const int thirds =
      std::max(setting.fewest_thirds, static_cast<int>(std::ceil((end - begin) / span_ * setting.thirds)));
  const auto time = [&](int i) { return i == 3 * thirds ? end : begin + (end - begin) * i / (3 * thirds); };
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (!of_time_->values(time(static_cast<int>(k) * thirds), q, v, nodes_[k])) return false;
  }
  const std::size_t size = nodes_[0].size();
  least_.assign(size, INFINITY);
  most_.assign(size, -INFINITY);
  farthest_.assign(size, 0.0);
  largest_.assign(size, 0.0);
  where_.assign(size, end);
  for (int i = 0; i <= 3 * thirds; ++i) {
    const bool node = i % thirds == 0;
    if (!node && !of_time_->values(time(i), q, v, values_)) return false;
    const std::vector<double>& values = node ? nodes_[static_cast<std::size_t>(i / thirds)] : values_;
    const std::array<double, 4> w = weights_of_cubic(static_cast<double>(i) / (3 * thirds));
    for (std::size_t j = 0; j < size; ++j) {
      const double polynomial = w[0] * nodes_[0][j] + w[1] * nodes_[1][j] + w[2] * nodes_[2][j] + w[3] * nodes_[3][j];
      least_[j] = std::min(least_[j], values[j]);
      most_[j] = std::max(most_[j], values[j]);
      farthest_[j] = std::max(farthest_[j], std::abs(values[j] - polynomial));
      const double change = std::abs(values[j] - nodes_[0][j]);
      if (change <= largest_[j]) continue;
      largest_[j] = change;
      where_[j] = time(i);
    }
  }
  for (std::size_t j = 0; j < size; ++j) {
    const double rounding = setting.rounding * std::max(std::abs(least_[j]), std::abs(most_[j]));
    if (farthest_[j] <= rtol_ * (most_[j] - least_[j]) + rounding) continue;
    suspected_ = where_[j];
    return false;
  }
  return true;
}

}  // namespace sunlagrange::internal
