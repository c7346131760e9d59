// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/radau.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sunlagrange::internal {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

// settings of [HairerWanner1996, IV.8]
constexpr double safety = 0.9;
constexpr double largest_decrease = 1.0 / 5.0;  // of h / h_new
constexpr double largest_increase = 8.0;
constexpr double keep_jacobian = 1e-3;  // rate of convergence up to which the next step takes the same matrices
constexpr double keep_factors = 1.2;    // ratio of step sizes up to which the next step is not made longer
constexpr double too_slow = 0.99;       // rate of convergence
constexpr double loosest_newton = 0.03;
constexpr int max_attempts = 200;
constexpr double end_reached = 1.0001;  // a step that would end this near to t_end ends there

using Numbers = RadauTableau::Numbers<double>;

Numbers scaled(const Numbers& a, double factor) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

/// Returns sum_i a_i x_i as an expression that is not evaluated yet.
auto combination(const Numbers& a, const RadauTableau::Numbers<Eigen::VectorXd>& x) {
  return a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
}

double tolerance_of_estimate(double tolerance) {
  return 0.1 * std::pow(tolerance, 2.0 / 3.0);
}

}  // namespace

double radau_newton_tolerance(double tolerance) {
  const double estimate = tolerance_of_estimate(tolerance);
  return std::max(10.0 * rounding / estimate, std::min(loosest_newton, std::sqrt(estimate)));
}

Radau::Radau(StageEquations& equations, double t, std::vector<double> y, std::vector<double> yp,
             const RadauOptions& options)
    : equations_(equations),
      options_(options),
      size_(static_cast<Eigen::Index>(y.size())),
      integrated_(equations.num_integrated()),
      t_(t),
      y_(as_vector(y.data(), size_)),
      yp_(as_vector(yp.data(), size_)),
      h_next_(options.initial_step),
      shift_(Vector::Zero(size_)),
      complex_(VectorOf<Complex>::Zero(size_)) {
  for (auto* stages : {&z_, &last_.z, &stage_, &delta_}) stages->fill(Vector::Zero(size_));
  norm_.scale = options.tolerance / tolerance_of_estimate(options.tolerance);
  for (Vector* x : {&last_.y, &last_.yp, &norm_.weight, &norm_.tested, &norm_.counted, &norm_.exponent, &norm_.scaled,
                    &rate_of_stage_, &real_, &error_, &residual_})
    *x = Vector::Zero(size_);
  equations_.tested(norm_.tested.data());
  began_ = equations_.begin_step(t_, y_.data()) == EvaluationResult::ok;
  // the weights of unknowns of index k + 1 are proportional to h^k
  if (equations_.weights(2.0, y_.data(), norm_.scaled.data()) == EvaluationResult::ok &&
      equations_.weights(1.0, y_.data(), norm_.weight.data()) == EvaluationResult::ok) {
    for (Eigen::Index k = 0; k < size_; ++k)
      norm_.exponent[k] = std::round(std::log2(norm_.scaled[k] / norm_.weight[k]));
  }
  constexpr double of_index_2 = 1.0;
  if (norm_.exponent.maxCoeff() > of_index_2)
    norm_.counted.setOnes();
  else
    norm_.counted = norm_.tested;
}

void Radau::begin_step() {
  began_ = equations_.begin_step(t_, y_.data()) == EvaluationResult::ok;
  renew_weights();
}

void Radau::renew_weights() {
  if (equations_.weights(1.0, y_.data(), norm_.weight.data()) != EvaluationResult::ok)
    return;  // the weights stay as they are
  norm_.set_step(h_tried_);
}

void Radau::Norm::set_step(double h) {
  for (Eigen::Index k = 0; k < scaled.size(); ++k) {
    double power = counted[k];
    for (double e = exponent[k]; e > 0.0; e -= 1.0) power *= h;
    scaled[k] = scale * weight[k] * power;
  }
}

double Radau::Norm::operator()(const Vector& x) const {
  return std::sqrt(x.cwiseProduct(scaled).squaredNorm() / static_cast<double>(scaled.size()));
}

void Radau::restart() {
  last_.extrapolates = false;
  matrices_.linearize = matrices_.factorize = true;
  begin_step();
}

bool Radau::step(double t_end) {
  const bool fixed = options_.fixed_step > 0.0;
  const double shortest = 16.0 * rounding * std::max(std::abs(t_), std::abs(t_end));
  if (counts_.steps == 0) renew_weights();
  for (int attempts = 0; attempts < max_attempts; ++attempts) {
    double h = fixed ? options_.fixed_step : options_.max_step > 0.0 ? std::min(h_next_, options_.max_step) : h_next_;
    const bool last = t_ + end_reached * h >= t_end;
    if (last) h = t_end - t_;
    if (!(h > shortest) && !last) return false;
    t_end_ = last ? t_end : t_ + h;
    h_tried_ = h;
    norm_.set_step(h);
    double error = 0.0;
    failure_ = attempt(error);
    if (failure_ == Failure::none && (fixed || error < 1.0)) {
      accept(error);
      return true;
    }
    if (failure_ == Failure::none) {
      failure_ = Failure::error_test;
      ++counts_.error_test_failures;
      h_next_ = control_.first ? 0.1 * h : next_step(error);
    } else {
      ++counts_.newton_failures;
      h_next_ = newton_.step_factor * h;
    }
    if (fixed) return false;
    control_.rejected = true;
    if (!matrices_.current) matrices_.linearize = true;
  }
  return false;
}

Radau::Failure Radau::attempt(double& error) {
  newton_.step_factor = 0.5;
  if (!began_) began_ = equations_.begin_step(t_, y_.data()) == EvaluationResult::ok;
  if (!began_ || !prepare_matrices()) return Failure::evaluation;
  start_values();
  const Newton end = iterate();
  if (end != Newton::converged) return end == Newton::declined ? Failure::evaluation : Failure::newton;
  return estimate(error) == EvaluationResult::ok ? Failure::none : Failure::evaluation;
}

/// False: the point was declined, or a matrix is singular.
bool Radau::prepare_matrices() {
  if (matrices_.linearize) {
    if (equations_.linearize(t_, y_.data(), yp_.data()) != EvaluationResult::ok) return false;
    matrices_.linearize = false;
    matrices_.current = matrices_.factorize = true;
  }
  const double c = tableau_.gamma / h_tried_;
  if (!matrices_.factorize && c == matrices_.c) return true;
  matrices_.factorize = true;
  matrices_.c = c;
  matrices_.c_mu = tableau_.mu / h_tried_;
  if (equations_.factorize(matrices_.c) != EvaluationResult::ok ||
      equations_.factorize(matrices_.c_mu) != EvaluationResult::ok)
    return false;
  matrices_.factorize = false;
  return true;
}

/// Extrapolates the polynomial of the last step; without one, y' is taken as constant.
void Radau::start_values() {
  const double h = h_tried_;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!last_.extrapolates) {
      z_[i] = h * tableau_.c[i] * yp_;
      continue;
    }
    Numbers L = tableau_.interpolation(1.0 + tableau_.c[i] * h / last_.h);
    L[2] -= 1.0;
    z_[i] = combination(L, last_.z);
  }
}

/// Computes the residuals of the rows from `first` on into delta_.
EvaluationResult Radau::evaluate_stages(Eigen::Index first) {
  const Eigen::Index rows = size_ - first;
  for (std::size_t i = 0; i < 3; ++i) {
    stage_[i] = y_ + z_[i];
    const Numbers a = scaled(tableau_.A_inv[i], 1.0 / h_tried_);
    rate_of_stage_.tail(rows) = a[0] * z_[0].tail(rows) + a[1] * z_[1].tail(rows) + a[2] * z_[2].tail(rows);
    const EvaluationResult result =
        equations_.residual(t_ + tableau_.c[i] * h_tried_, stage_[i].data(), rate_of_stage_.data(), delta_[i].data());
    if (result != EvaluationResult::ok) return result;
  }
  return EvaluationResult::ok;
}

/// Replaces the residuals in delta_ by Newton's corrections. Residuals before row `first` count as zero.
EvaluationResult Radau::correct(Eigen::Index first) {
  const auto &l = tableau_.left, &u = tableau_.right;
  const auto &lm = tableau_.left_mu, &um = tableau_.right_mu;
  double *f0 = delta_[0].data(), *f1 = delta_[1].data(), *f2 = delta_[2].data(), *real = real_.data();
  Complex* complex = complex_.data();
  std::fill(real, real + first, 0.0);
  std::fill(complex, complex + first, Complex(0.0));
  for (Eigen::Index k = first; k < size_; ++k) {
    const double a = f0[k], b = f1[k], c = f2[k];
    real[k] = -(l[0] * a + l[1] * b + l[2] * c);
    complex[k] = {-(lm[0].real() * a + lm[1].real() * b + lm[2].real() * c),
                  -(lm[0].imag() * a + lm[1].imag() * b + lm[2].imag() * c)};
  }
  EvaluationResult result = equations_.solve(matrices_.c, real);
  if (result == EvaluationResult::ok) result = equations_.solve(matrices_.c_mu, complex);
  if (result != EvaluationResult::ok) return result;
  for (Eigen::Index k = 0; k < size_; ++k) {
    const double a = real[k], b = 2.0 * complex[k].real(), c = 2.0 * complex[k].imag();
    f0[k] = u[0] * a + um[0].real() * b - um[0].imag() * c;
    f1[k] = u[1] * a + um[1].real() * b - um[1].imag() * c;
    f2[k] = u[2] * a + um[2].real() * b - um[2].imag() * c;
  }
  return result;
}

/// Gives multipliers that the equations do not determine their least norm, in all stages.
EvaluationResult Radau::keep_least_norm() {
  const Eigen::Index rates = equations_.num_multiplier_rates();
  if (rates == 0) {
    for (std::size_t i = 0; i < 3; ++i) {
      const EvaluationResult result = equations_.keep_least_norm(stage_[i].data(), delta_[i].data());
      if (result != EvaluationResult::ok) return result;
    }
    return EvaluationResult::ok;
  }
  Stages multipliers;
  residual_.setZero();
  for (std::size_t i = 0; i < 3; ++i) {
    const Numbers a = scaled(tableau_.A_inv[i], 1.0 / h_tried_);
    multipliers[i] = Vector::Zero(size_);
    for (std::size_t j = 0; j < 3; ++j) multipliers[i].tail(rates) += a[j] * (z_[j] + delta_[j]).tail(rates);
    const EvaluationResult result = equations_.keep_least_norm(residual_.data(), multipliers[i].data());
    if (result != EvaluationResult::ok) return result;
  }
  for (std::size_t i = 0; i < 3; ++i)
    delta_[i].tail(rates) = combination(scaled(tableau_.A[i], h_tried_), multipliers).tail(rates) - z_[i].tail(rates);
  return EvaluationResult::ok;
}

/// Computes the size of the corrections in tolerances. Multipliers that the equations do not determine keep their least
/// norm.
EvaluationResult Radau::size_of_corrections(double& size) {
  double sum = 0.0;
  if (const EvaluationResult result = keep_least_norm(); result != EvaluationResult::ok) return result;
  for (std::size_t i = 0; i < 3; ++i) sum += delta_[i].cwiseProduct(norm_.scaled).squaredNorm();
  size = std::sqrt(sum / static_cast<double>(3 * size_));
  return std::isfinite(size) ? EvaluationResult::ok : EvaluationResult::not_finite;
}

Radau::Newton Radau::iterate() {
  const int most = options_.max_iterations;
  const double floor = 16.0 * rounding * norm_(y_);
  double eta = std::pow(std::max(newton_.eta, rounding), 0.8), before = 0.0, ratio_before = 0.0, size = 0.0;
  newton_.rate = keep_jacobian;
  for (newton_.iterations = 1; newton_.iterations <= most; ++newton_.iterations) {
    ++counts_.newton_iterations;
    const Eigen::Index first = newton_.iterations == 1 ? 0 : integrated_;  // linear rows hold after one iteration
    if (evaluate_stages(first) != EvaluationResult::ok || correct(first) != EvaluationResult::ok ||
        size_of_corrections(size) != EvaluationResult::ok)
      return Newton::declined;
    const bool at_rounding = size <= floor;
    if (newton_.iterations > 1 && !at_rounding) {
      const double ratio = size / before;
      newton_.rate = newton_.iterations == 2 ? ratio : std::sqrt(ratio * ratio_before);
      ratio_before = ratio;
      if (!(newton_.rate < too_slow)) return Newton::diverged;
      eta = newton_.rate / (1.0 - newton_.rate);
    }
    const bool converged = at_rounding || eta * size <= options_.newton_tolerance;
    const int left = most - newton_.iterations;
    if (!converged && newton_.iterations > 1 && left > 0) {
      const double end = eta * size * std::pow(newton_.rate, left) / options_.newton_tolerance;
      if (end >= 1.0) {
        newton_.step_factor = 0.8 * std::pow(std::min(std::max(1e-4, end), 20.0), -1.0 / (4.0 + left));
        return Newton::slow;
      }
    }
    before = std::max(size, rounding);
    for (std::size_t i = 0; i < 3; ++i) z_[i] += delta_[i];
    if (converged) {
      newton_.eta = eta;
      return Newton::converged;
    }
  }
  return Newton::slow;
}

/// Computes the error of the step in tolerances; projects the end of the step if the formulation projects.
EvaluationResult Radau::estimate(double& error) {
  rate_of_stage_ = combination(scaled(tableau_.error, -1.0 / h_tried_), z_);
  EvaluationResult result = equations_.start_residual(t_, y_.data(), rate_of_stage_.data(), residual_.data());
  const auto filtered = [&] {
    error_ = -residual_;
    if (result == EvaluationResult::ok) result = equations_.solve(matrices_.c, error_.data());
    error_ = error_.cwiseProduct(norm_.tested);
    error = std::max(1e-10, norm_(error_));
  };
  filtered();
  if (result == EvaluationResult::ok && error >= 1.0 && (control_.first || control_.rejected)) {
    stage_[0] = y_ + error_;
    result = equations_.residual(t_, stage_[0].data(), rate_of_stage_.data(), residual_.data());
    filtered();
  }
  if (result == EvaluationResult::ok && equations_.projects()) {
    stage_[2] = y_ + z_[2];
    result = equations_.project(t_end_, stage_[2].data(), shift_.data(), error_.data());
    error = std::max(1e-10, norm_(error_));
  }
  return std::isfinite(error) ? result : EvaluationResult::not_finite;
}

double Radau::next_step(double error) const {
  const double most = options_.max_iterations;
  const double factor = std::min(safety, safety * (1.0 + 2.0 * most) / (newton_.iterations + 2.0 * most));
  double quotient = std::sqrt(std::sqrt(error)) / factor;
  quotient = std::max(1.0 / largest_increase, std::min(1.0 / largest_decrease, quotient));
  return h_tried_ / quotient;
}

void Radau::accept(double error) {
  const double h = h_tried_;
  double next = next_step(error);
  if (last_.h > 0.0) {  // Gustafsson
    double quotient = std::sqrt(error / std::sqrt(control_.error)) * (last_.h / h) / safety;
    quotient = std::max(1.0 / largest_increase, std::min(1.0 / largest_decrease, quotient));
    next = std::min(next, h / quotient);
  }
  last_.h = h;
  control_.error = std::max(1e-2, error);
  if (control_.rejected) next = std::min(next, h);
  control_.first = control_.rejected = false;
  ++counts_.steps;
  failure_ = Failure::none;
  last_.t = t_;
  t_ = t_end_;
  last_.y.swap(y_);
  last_.yp.swap(yp_);
  y_ = last_.y + z_[2];
  if (equations_.projects()) y_ += shift_;
  yp_ = combination(scaled(tableau_.A_inv[2], 1.0 / h), z_);
  for (std::size_t i = 0; i < 3; ++i) last_.z[i].swap(z_[i]);
  last_.extrapolates = true;
  matrices_.current = false;
  matrices_.linearize = newton_.rate > keep_jacobian;
  h_next_ = !matrices_.linearize && next >= h && next <= keep_factors * h ? h : next;
  begin_step();
}

bool Radau::repeat_until(double t) {
  const double end = t_, next = h_next_, whole = last_.h;
  const Vector y = y_, yp = yp_;
  const auto last = last_.z;
  t_ = last_.t;
  y_ = last_.y;
  yp_ = last_.yp;
  h_tried_ = t - last_.t;
  t_end_ = t;
  norm_.set_step(h_tried_);
  matrices_.linearize = true;
  began_ = equations_.begin_step(t_, y_.data()) == EvaluationResult::ok;
  bool good = began_ && prepare_matrices();
  for (std::size_t i = 0; good && i < 3; ++i) {
    z_[i] = combination(tableau_.interpolation(tableau_.c[i] * h_tried_ / whole), last);
  }
  good = good && iterate() == Newton::converged;
  double error = 0.0;
  good = good && estimate(error) == EvaluationResult::ok;
  if (good) {
    --counts_.steps;
    accept(error);
    h_next_ = next;
    return true;
  }
  t_ = end;
  y_ = y;
  yp_ = yp;
  last_.z = last;
  h_tried_ = whole;
  restart();
  last_.extrapolates = true;
  return false;
}

void Radau::end_at(double t) {
  interpolate(t, y_.data());
  interpolate_slope(t, yp_.data());
  t_ = t;
  restart();
}

void Radau::interpolate(double t, double* y) const {
  as_vector(y, size_) = last_.y + combination(tableau_.interpolation((t - last_.t) / last_.h), last_.z);
}

void Radau::interpolate_slope(double t, double* yp) const {
  const Numbers L = tableau_.interpolation_slope((t - last_.t) / last_.h);
  as_vector(yp, size_) = combination(scaled(L, 1.0 / last_.h), last_.z);
}

}  // namespace sunlagrange::internal
