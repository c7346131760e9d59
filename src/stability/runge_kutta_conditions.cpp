// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/runge_kutta_conditions.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "base/words.hpp"
#include "linear_algebra/decompositions.hpp"
#include "stability/true_intervals.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;

void require_table(const ButcherTable& table) {
  const std::vector<std::string> problems = table.problems();
  if (!problems.empty()) throw Error("Runge-Kutta conditions: table " + table.name + ": " + problems.front());
}

void require_q(double q) {
  if (!(q > 0.0 && q <= 1.0)) throw Error("Runge-Kutta conditions: q = " + text(q) + " must lie in (0, 1]");
}

void require_positive(double value, const char* name) {
  if (!(std::isfinite(value) && value > 0.0))
    throw Error(std::string("Runge-Kutta conditions: ") + name + " = " + text(value) + " must be positive");
}

/// Returns the x beyond which |R(z)| > 1 for every |z| >= x: the root of |r_d| x^d = 1 + sum |r_j| x^j, which is unique
/// by Descartes' rule.
double stability_horizon(const ButcherTable& table) {
  std::vector<double> r = table.stability_coefficients();
  while (r.size() > 1 && std::abs(r.back()) < 1e-14) r.pop_back();
  if (r.size() == 1) return 0.0;
  const auto outside = [&r](double x) {
    double sum = 1.0;
    double power = 1.0;
    for (std::size_t j = 0; j + 1 < r.size(); ++j, power *= x) sum += std::abs(r[j]) * power;
    return std::abs(r.back()) * power > sum;
  };
  double high = 1.0;
  while (!outside(high) && high < 1e12) high *= 2.0;
  return high;
}

/// Scales a matrix to comparable units; entries such as 1 and omega^2 would spoil the eigenvalues of stiff laws.
MatrixXd in_units(const MatrixXd& matrix, const ConstraintDynamics& dynamics) {
  return dynamics.scale().asDiagonal() * matrix * dynamics.scale().cwiseInverse().asDiagonal();
}

/// Contractions weaker than this per step are below rounding and do not count.
constexpr double rounding = 1e-13;

double spectral_radius_of_step(const std::vector<double>& r, const Eigen::VectorXcd& eigenvalues, double tau) {
  double largest = 0.0;
  for (const std::complex<double>& mu : eigenvalues) {
    std::complex<double> sum = 0.0;
    for (std::size_t j = r.size(); j-- > 0;) sum = sum * (tau * mu) + r[j];
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

std::vector<double> coefficients(const ButcherTable& table, Growth growth) {
  if (growth == Growth::of_the_method) return table.stability_coefficients();
  std::vector<double> r{1.0};
  for (int j = 1; j <= std::min(table.order, 4); ++j) r.push_back(r.back() / j);
  return r;
}

/// The value of a condition as a function of step and law.
class Shortfall {
 public:
  Shortfall(const ButcherTable& table, const ConditionOptions& options)
      : table_(table), options_(options), r_(coefficients(table, options.growth)) {}

  /// Returns a number that is negative if the condition holds. For constant laws the spectral radius follows from the
  /// eigenvalues of K, because those of a growth operator near the identity are known to the square root of rounding
  /// only.
  double operator()(const ConstraintDynamics& dynamics, double tau) const {
    double value = 0.0;
    if (options_.norm == NormKind::lyapunov && dynamics.is_constant()) {
      value = spectral_radius_of_step(r_, eigenvalues(in_units(dynamics.K(0.0), dynamics)), tau);
    } else {
      const MatrixXd growth = growth_operator(table_, dynamics, options_.t, tau, options_.growth);
      const int size = dynamics.size();
      if (options_.norm == NormKind::lyapunov)
        value = spectral_radius(in_units(growth, dynamics));
      else
        value =
            (options_.norm == NormKind::maximum ? StepNorm::maximum(size) : StepNorm::euclidean(size)).induced(growth);
    }
    return value - options_.q + rounding;
  }

 private:
  const ButcherTable& table_;
  const ConditionOptions& options_;
  std::vector<double> r_;
};

std::vector<Interval> intervals_of(const std::function<double(double)>& f, double low, double high, int samples) {
  std::vector<Interval> list;
  for (const auto& [from, to] : negative_intervals(f, low, high, samples)) list.push_back({from, to});
  return list;
}

double largest_step(const ButcherTable& table, const ConstraintDynamics& dynamics, double t) {
  const double size = spectral_radius(in_units(dynamics.K(t), dynamics));
  if (size == 0.0) return 0.0;
  return stability_horizon(table) / size * (dynamics.is_constant() ? 1.0 : 2.0);
}

NormCondition judge(NormKind kind, const MatrixXd& growth, const ConstraintDynamics& dynamics, double q) {
  const int r = static_cast<int>(growth.rows());
  NormCondition result;
  result.norm = kind;
  result.value = INFINITY;
  if (kind == NormKind::euclidean) result.value = StepNorm::euclidean(r).induced(growth);
  if (kind == NormKind::maximum) result.value = StepNorm::maximum(r).induced(growth);
  if (kind == NormKind::lyapunov && spectral_radius(in_units(growth, dynamics)) < q) {
    try {
      result.value = lyapunov_norm(growth, q, dynamics.scale()).induced(growth);
    } catch (const Error& error) {  // marginally stable
      result.words = error.what();
    }
  }
  result.satisfied = result.value <= q && result.value < 1.0;
  return result;
}

std::string bound_text(double q) {
  return q < 1.0 ? "at most " + text(q) : "below 1";
}

std::string list_of(const std::vector<Interval>& intervals) {
  return joined(intervals, [](const Interval& interval) {
    return (interval.low == 0.0 ? "(" : "[") + text(interval.low) + ", " + text(interval.high) + "]";
  });
}

void append_conditions(std::string& out, const char* title, const std::vector<NormCondition>& list, double rho) {
  out += std::string(title) + ": spectral radius " + text(rho) + "\n";
  for (const NormCondition& item : list) {
    out += "  " + std::string(to_string(item.norm)) + ": " + (std::isinf(item.value) ? "none" : text(item.value)) +
           (item.satisfied ? ", satisfied" : ", not satisfied");
    out += item.words.empty() ? "\n" : "; " + item.words + "\n";
  }
}

}  // namespace

MatrixXd printed_growth(int p, const ConstraintDynamics& dynamics, double t, double tau) {
  if (p < 1 || p > 4)
    throw Error("Runge-Kutta conditions: [002, Theorems 2 to 5] treat orders 1 to 4, not " + std::to_string(p) +
                "; use the growth operator of the method");
  const MatrixXd K = dynamics.K(t);
  const MatrixXd one = MatrixXd::Identity(K.rows(), K.cols());
  const bool varies = !dynamics.is_constant();
  const auto d = [&](int order) -> MatrixXd {
    if (!varies || order >= p) return MatrixXd::Zero(K.rows(), K.cols());
    return dynamics.derivative(order, t, tau);
  };
  const MatrixXd K1 = d(1), K2 = d(2), K3 = d(3);
  MatrixXd sum = one + tau * K;
  if (p >= 2) sum += tau * tau / 2.0 * (K1 + K * K);
  if (p >= 3) sum += std::pow(tau, 3) / 6.0 * (K2 + 2.0 * K1 * K + K * K1 + K * K * K);
  if (p >= 4) {
    sum +=
        std::pow(tau, 4) / 24.0 *
        (K3 + 3.0 * K2 * K + K * K2 + 3.0 * K1 * K1 + 3.0 * K1 * K * K + 2.0 * K * K1 * K + K * K * K1 + K * K * K * K);
  }
  return sum;
}

MatrixXd growth_operator(const ButcherTable& table, const ConstraintDynamics& dynamics, double t, double tau,
                         Growth growth) {
  if (growth == Growth::as_printed) return printed_growth(std::min(table.order, 4), dynamics, t, tau);
  if (dynamics.is_constant()) return table.stability_function(tau * dynamics.K(t));
  return table.growth([&dynamics](double s) { return dynamics.K(s); }, t, tau);
}

StepConditions check_step(const ButcherTable& table, const ConstraintDynamics& dynamics, double tau, double q,
                          double t) {
  require_table(table);
  require_q(q);
  require_positive(tau, "tau");
  StepConditions result;
  result.tau = tau;
  result.q = q;
  result.growth = growth_operator(table, dynamics, t, tau);
  result.spectral_radius = spectral_radius(in_units(result.growth, dynamics));
  for (const NormKind kind : {NormKind::euclidean, NormKind::maximum, NormKind::lyapunov}) {
    NormCondition item = judge(kind, result.growth, dynamics, q);
    if (!item.satisfied && item.words.empty()) item.words = norm_verdict(table, dynamics, kind, q, t).words;
    result.method_conditions.push_back(item);
  }
  if (table.order > 4) {
    result.printed_spectral_radius = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  result.printed = growth_operator(table, dynamics, t, tau, Growth::as_printed);
  result.printed_spectral_radius = spectral_radius(in_units(result.printed, dynamics));
  for (const NormKind kind : {NormKind::euclidean, NormKind::maximum, NormKind::lyapunov})
    result.printed_conditions.push_back(judge(kind, result.printed, dynamics, q));
  return result;
}

std::string StepConditions::text() const {
  std::string out = "one step of " + sunlagrange::text(tau) + ", contraction " + bound_text(q) + "\n";
  append_conditions(out, "the method itself", method_conditions, spectral_radius);
  if (printed.size() > 0)
    append_conditions(out, "as printed [002]", printed_conditions, printed_spectral_radius);
  else
    out += "as printed [002]: nothing beyond order 4\n";
  return out;
}

std::vector<Interval> admissible_steps(const ButcherTable& table, const ConstraintDynamics& dynamics,
                                       const ConditionOptions& options) {
  require_table(table);
  require_q(options.q);
  const Shortfall shortfall(table, options);
  const auto f = [&](double tau) { return shortfall(dynamics, tau); };
  return intervals_of(f, 0.0, largest_step(table, dynamics, options.t), options.samples);
}

std::vector<Interval> admissible_gains(const ButcherTable& table,
                                       const std::function<ConstraintDynamics(double x)>& family, double tau,
                                       double low, double high, const ConditionOptions& options) {
  require_table(table);
  require_q(options.q);
  require_positive(tau, "tau");
  if (!family) throw Error("Runge-Kutta conditions: the family of laws is empty");
  if (!(low >= 0.0 && high > low && std::isfinite(high)))
    throw Error("Runge-Kutta conditions: gains from " + text(low) + " to " + text(high) + ": need 0 <= low < high");
  const Shortfall shortfall(table, options);
  const auto f = [&](double x) { return shortfall(family(x), tau); };
  return intervals_of(f, low, high, options.samples);
}

std::vector<Interval> admissible_first_order_gains(const ButcherTable& table, double tau,
                                                   const ConditionOptions& options) {
  require_positive(tau, "tau");
  return admissible_gains(
      table, [](double k) { return ConstraintDynamics::first_order(k); }, tau, 0.0, stability_horizon(table) / tau,
      options);
}

std::vector<Interval> admissible_frequencies(const ButcherTable& table, double tau, double zeta,
                                             const ConditionOptions& options) {
  require_positive(tau, "tau");
  require_positive(zeta, "zeta");
  // The larger eigenvalue has at least the modulus omega.
  return admissible_gains(
      table, [zeta](double omega) { return ConstraintDynamics::second_order(omega, zeta); }, tau, 0.0,
      stability_horizon(table) / tau, options);
}

NormVerdict norm_verdict(const ButcherTable& table, const ConstraintDynamics& dynamics, NormKind norm, double q,
                         double t) {
  NormVerdict verdict;
  verdict.norm = norm;
  ConditionOptions options;
  options.norm = norm;
  options.q = q;
  options.t = t;
  verdict.steps = admissible_steps(table, dynamics, options);
  verdict.attainable = !verdict.steps.empty();
  verdict.small_steps = verdict.attainable && q == 1.0 && verdict.steps.front().low == 0.0;
  verdict.smallest_value = INFINITY;
  options.q = 1.0;
  const double end = largest_step(table, dynamics, t);
  const Shortfall shortfall(table, options);
  for (int j = 1; j <= 500; ++j) {
    const double tau = end * j / 500.0;
    const double value = 1.0 + shortfall(dynamics, tau) - rounding;
    if (value >= verdict.smallest_value) continue;
    verdict.smallest_value = value;
    verdict.step_of_smallest = tau;
  }
  const std::string name = norm == NormKind::lyapunov ? "spectral radius" : std::string(to_string(norm)) + " norm";
  std::string why;
  if (norm != NormKind::lyapunov) {
    const int r = dynamics.size();
    verdict.logarithmic_norm =
        (norm == NormKind::maximum ? StepNorm::maximum(r) : StepNorm::euclidean(r)).logarithmic(dynamics.K(t));
    if (verdict.logarithmic_norm > 0.0 && !verdict.small_steps) {
      why = "its logarithmic norm of K is " + text(verdict.logarithmic_norm) +
            " > 0, so small steps of no method contract in it";
      if (dynamics.is_second_order()) why += ", whatever the gains (the row g' of K has no damping of its own)";
      why += "; ";
    }
  }
  if (verdict.attainable) {
    verdict.words = why + "the " + name + " is " + bound_text(q) + " for steps in " + list_of(verdict.steps);
  } else if (end == 0.0) {
    verdict.words = "the law has no eigenvalue but zero: nothing contracts";
  } else {
    verdict.words = why + "no step has the " + name + " " + bound_text(q) + "; its smallest value is " +
                    text(verdict.smallest_value) + " at tau = " + text(verdict.step_of_smallest);
  }
  if (norm != NormKind::lyapunov && verdict.logarithmic_norm > 0.0 && !verdict.small_steps)
    verdict.words += "; use the Lyapunov norm";
  return verdict;
}

double allowed_contraction(double remainder, double eps) {
  require_positive(eps, "eps");
  if (!(remainder >= 0.0))
    throw Error("Runge-Kutta conditions: remainder = " + text(remainder) + " must not be negative");
  return 1.0 - remainder / eps;
}

}  // namespace sunlagrange
