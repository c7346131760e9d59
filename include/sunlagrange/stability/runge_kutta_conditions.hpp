// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/stability/constraint_dynamics.hpp>
#include <sunlagrange/stability/step_norm.hpp>

namespace sunlagrange {

/// Growth operator of one step on e' = K e that a condition uses.
enum class Growth {
  of_the_method,  ///< ButcherTable::growth(), exact for the linear law, also with K(t)
  as_printed,     ///< truncated series of [002, Theorems 2 to 5]; for variable K valid only if tau |K| << 1
};

/// Returns I + tau B_1 + ... + tau^p B_p / p! with the Bell polynomials B_1 = K, B_(j+1) = B_j' + B_j K of [002,
/// Theorems 2 to 5], with the factors in the order that matrices need:
///     B_2 = K' + K^2,   B_3 = K'' + 2 K'K + KK' + K^3,
///     B_4 = K''' + 3 K''K + KK'' + 3 K'^2 + 3 K'K^2 + 2 KK'K + K^2K' + K^4.
/// For constant K and a p-stage method of order p it equals R(tau K). Otherwise it omits terms such as tau^3 KK' that
/// are as large as those it keeps if tau |K| is of order one.
/// @param p  1 to 4
Eigen::MatrixXd printed_growth(int p, const ConstraintDynamics& dynamics, double t, double tau);

/// Returns the growth operator of one step from t to t + tau. as_printed uses p = min(order of the table, 4).
Eigen::MatrixXd growth_operator(const ButcherTable& table, const ConstraintDynamics& dynamics, double t, double tau,
                                Growth growth = Growth::of_the_method);

/// Condition 3 of [002, Theorem 2], third condition of Theorems 3 to 5: |growth| <= q < 1.
struct NormCondition {
  NormKind norm = NormKind::euclidean;  ///< norm of the condition
  double value = 0.0;                   ///< |growth|; for lyapunov in the norm made for it, infinite if there is none
  bool satisfied = false;               ///< value <= q, and < 1
  std::string words;                    ///< if not satisfied: the reason, and whether any step would satisfy it
};

/// Conditions on one step of one method for one law.
struct StepConditions {
  double tau = 0.0;              ///< step [s]
  double q = 1.0;                ///< bound on the contraction, as given
  Eigen::MatrixXd growth;        ///< growth matrix of the method
  Eigen::MatrixXd printed;       ///< growth matrix as printed; empty for orders above 4, for which none is printed
  double spectral_radius = 0.0;  ///< that of `growth`: contraction per step in the long run, for constant K
  double printed_spectral_radius = 0.0;           ///< the same of `printed`
  std::vector<NormCondition> method_conditions;   ///< euclidean, maximum, lyapunov
  std::vector<NormCondition> printed_conditions;  ///< the same for printed

  /// Returns true if the step is asymptotically stable for constant K; for K(t) this holds for this step only.
  bool stable() const { return spectral_radius < 1.0; }
  /// Returns the condition of the method in one norm.
  const NormCondition& in(NormKind norm) const { return method_conditions[static_cast<std::size_t>(norm)]; }
  /// Returns all conditions in words, a line each.
  std::string text() const;
};

/// Checks one step. The Euclidean and maximum norms are those of the papers, without scale. For a companion matrix they
/// have mu(K) >= 0, so small steps never satisfy them even if the motion is stable; the words say so.
/// @param q  bound on the contraction, alpha or q of the paper; 1: any value below 1
/// @throws Error if tau or q is out of range, the table has problems, or K depends on y
StepConditions check_step(const ButcherTable& table, const ConstraintDynamics& dynamics, double tau, double q = 1.0,
                          double t = 0.0);

/// Values from `low` to `high`.
struct Interval {
  double low = 0.0;   ///< smallest value
  double high = 0.0;  ///< largest value, not below `low`
};

/// Norm and growth for which a step is admissible.
struct ConditionOptions {
  NormKind norm = NormKind::lyapunov;     ///< lyapunov: spectral radius below q (up to q at the edges)
  double q = 1.0;                         ///< bound on the contraction, at most 1
  Growth growth = Growth::of_the_method;  ///< growth operator of the step
  double t = 0.0;                         ///< begin of the step [s]
  /// number of points at which the condition is tried; edges between them are bisected to rounding
  int samples = 2000;
};

/// Returns the steps for which the condition holds, as intervals in ascending order. An interval that starts at 0 is
/// open there. The search ends at the step beyond which |R| > 1 is certain. Intervals and gaps narrower than the
/// sampling are found if the condition has a local extremum there, else missed. Contractions below 1e-13 per step do
/// not count.
std::vector<Interval> admissible_steps(const ButcherTable& table, const ConstraintDynamics& dynamics,
                                       const ConditionOptions& options = {});

/// Returns the parameters x in [low, high], low >= 0, of a family of laws for which the condition holds at step tau.
std::vector<Interval> admissible_gains(const ButcherTable& table,
                                       const std::function<ConstraintDynamics(double x)>& family, double tau,
                                       double low, double high, const ConditionOptions& options = {});

/// Returns the k of f' = -k f. With Euler, tau = 1e-3 and q = 0.9: [100, 1900], [002, (14)].
std::vector<Interval> admissible_first_order_gains(const ButcherTable& table, double tau,
                                                   const ConditionOptions& options = {});

/// Returns the omega of g'' + 2 zeta omega g' + omega^2 g = 0 at fixed zeta.
std::vector<Interval> admissible_frequencies(const ButcherTable& table, double tau, double zeta,
                                             const ConditionOptions& options = {});

/// Result of norm_verdict().
struct NormVerdict {
  NormKind norm = NormKind::euclidean;  ///< norm of the verdict
  bool attainable = false;              ///< true if the condition holds for some step
  bool small_steps = false;             ///< true if it holds for all steps below some step; this requires mu(K) <= 0
  double logarithmic_norm = 0.0;        ///< mu(K); not set for lyapunov
  double smallest_value = 0.0;          ///< over the stable steps
  double step_of_smallest = 0.0;        ///< step at which it is reached [s]
  std::vector<Interval> steps;          ///< admissible steps [s]
  std::string words;                    ///< one sentence: which steps the norm admits, and why not others
};

/// Returns whether a norm admits steps of the method at all, in words.
NormVerdict norm_verdict(const ButcherTable& table, const ConstraintDynamics& dynamics, NormKind norm, double q = 1.0,
                         double t = 0.0);

/// Returns 1 - remainder / eps, the largest q that condition 4, remainder <= (1 - q) eps, admits. It is negative if eps
/// cannot be kept.
/// [002, Example 2]: remainder = tau^2 F / 2 with F = r W_1^2 + l W_2^2 = 17.
double allowed_contraction(double remainder, double eps);

}  // namespace sunlagrange
