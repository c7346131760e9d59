// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/base/enum_names.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/stability/constraint_dynamics.hpp>
#include <sunlagrange/stability/runge_kutta_conditions.hpp>
#include <sunlagrange/stability/step_norm.hpp>

namespace sunlagrange {

class Figures;

/// A program y' = F(t, y) with a constraint error e(t, y) that obeys e' = K e along exact solutions: a kinematic
/// program with e = f [002, (7)], or a Baumgarte form with e = (g, g', psi).
struct ErrorProgram {
  /// Sets and sizes `result`. Returns false if the point is declined.
  using Evaluation = std::function<bool(double t, const Eigen::VectorXd& y, Eigen::VectorXd& result)>;

  Evaluation rhs;          ///< F
  Evaluation error;        ///< e
  ConstraintDynamics law;  ///< K
  double t0 = 0.0;         ///< start [s]
  Eigen::VectorXd y0;      ///< state at the start
};

/// The source of the bound of condition 4 on the remainder r of a step, e_(n+1) = R e_n + r.
enum class RemainderKind {
  measured,  ///< r of the step itself; the certificate then holds for this run
  given,     ///< remainder_constant tau^remainder_power, the user's own estimate, as in [002]
  sampled,   ///< sampled steps from the ball |e| <= eps normal to the run, with a safety factor
};

/// Conditions of [002, Theorems 2 to 5], numbered as in Theorem 2, and further reasons why a run is not certified.
enum class CertificateCondition {
  start,            ///< 1: |e_0| <= eps
  step_limit,       ///< 2: tau <= tau_1, the step up to which the remainder bound holds
  contraction,      ///< 3: |R| <= q < 1
  remainder,        ///< 4: remainder <= (1 - q) eps
  remainder_bound,  ///< the remainder of a step exceeds its bound: the given constant or the sampling is wrong
  evaluation,       ///< the program declined a point, returned values that are not finite, or the ball has no points
};

constexpr auto names_of(CertificateCondition) {
  return enum_names("start", "step_limit", "contraction", "remainder", "remainder_bound", "evaluation");
}

/// Bound, norm and samples of a certificate.
struct CertificateOptions {
  double eps = 1e-4;                      ///< bound on |e|, in the norm that is used
  std::optional<NormKind> norm;           ///< Default: euclidean for first-order laws, lyapunov for second-order ones
  std::optional<StepNorm> given_norm;     ///< replaces `norm`, e.g. by a scaled norm
  double q = 1.0;                         ///< alpha or q of the paper; 1: |R| of each step itself
  Growth growth = Growth::of_the_method;  ///< R; as_printed only for laws without y

  RemainderKind remainder = RemainderKind::measured;  ///< source of the bound of condition 4
  double remainder_constant = 0.0;                    ///< for `given`: C. [002, Example 2]: C = F / 2 with power 2
  /// for `given`. The power p + 1 holds for fixed K only; at fixed tau K every order leaves tau^2
  int remainder_power = 2;
  /// tau_1, required for `given`; for `sampled` the smaller one of this and the one found counts
  double step_limit = 0.0;
  double safety = 2.0;  ///< for `sampled`: factor on every sampled bound, at least 1

  bool stop_at_failure = false;  ///< Default: the run goes on, so largest_error is that of the whole run
  bool keep_history = false;     ///< true: Certificate::history has every step
};

/// The first step at which a condition does not hold.
struct CertificateFailure {
  CertificateCondition condition = CertificateCondition::start;
  int step = 0;  ///< from y_step to y_(step+1)
  double t = 0.0;
  double value = 0.0;  ///< the quantity that must not exceed the bound
  double bound = 0.0;
  std::string words;

  void describe(Figures& f);
};

/// One step of a certificate's run.
struct CertificateStep {
  double t = 0.0;
  double error = 0.0;        ///< |e_n|
  double contraction = 0.0;  ///< |R|; for `sampled` the largest one over the ball
  double remainder = 0.0;    ///< |r| of this step
  double bound = 0.0;        ///< bound of condition 4, compared with the budget; for `measured` the remainder itself
  double budget = 0.0;       ///< (1 - q) eps

  void describe(Figures& f);
};

/// Result of certify(). `certified` states that the conditions prove |e_n| <= eps at every step of this run, and for
/// `sampled` also for a step from any point of the sampled ball. It is a statement about the times t_n, not between
/// them.
struct Certificate {
  bool certified = false;
  std::vector<CertificateFailure> failures;  ///< the first failure of each condition, in the order of the steps

  std::string table;
  double tau = 0.0;
  double eps = 0.0;
  int steps = 0;  ///< number of steps taken
  double t_reached = 0.0;
  bool completed = false;        ///< all steps were taken
  std::optional<StepNorm> norm;  ///< norm of all figures; the scaled Euclidean one where no Lyapunov norm exists
  std::string how;               ///< norm and kind of remainder, in words

  double start_error = 0.0;
  double largest_error = 0.0;  ///< observed max |e_n|, by integration alone
  double t_of_largest = 0.0;
  double largest_contraction = 0.0;
  double largest_remainder = 0.0;
  double largest_bound = 0.0;
  double smallest_slack = 0.0;  ///< min (budget - bound) / eps
  std::vector<CertificateStep> history;

  /// Returns true if the run was completed with observed |e_n| <= eps.
  bool stayed_below() const { return completed && largest_error <= eps; }
  /// Returns the first failure; null if there is none.
  const CertificateFailure* failure() const { return failures.empty() ? nullptr : &failures.front(); }
  std::string text() const;  ///< the result, every failure and the observed figures, for people

  void describe(Figures& f);
};

/// Runs the fixed-step method and checks conditions 1 to 4 of [002, Theorem 2], and their counterparts in Theorems 3 to
/// 5, at every step. With e_(n+1) = R_n e_n + r_n, the conditions |e_0| <= eps, |R_n| <= q and |r_n| <= (1 - q) eps
/// imply |e_n| <= eps.
///
/// r contains everything beyond the linear law. For p stages it is not only the remainder tau^(p+1) of the Taylor
/// series: with gains that grow as 1 / tau it is of size tau^2 for every order.
///
/// The Lyapunov norm is made for R of the first step and for law.scale() and serves all steps; |D e|_2 <= |e|.
/// For `sampled`, the remainders are those of steps from points with e = 0 and +-eps along every direction that e can
/// take (found from y_n with the pseudo-inverse of de/dy); the first-order part is exact, the curvature is added, and
/// the sum is multiplied by `safety`. Condition 2 then requires that the remainder along the curve s -> y_n(s), 0 < s
/// <= tau, of this step follows C s^(p+1), with C from the first half of the step, up to the safety factor or to a
/// tenth of the budget.
///
/// The number of steps is the least one that reaches t_end.
/// @throws Error on misuse; exceptions of the program pass through
Certificate certify(const ErrorProgram& program, const ButcherTable& table, double tau, double t_end,
                    const CertificateOptions& options = {});

/// Certifies a mechanism in an ODE formulation, with e = (g, g', psi) of FirstOrderForm.
/// @param law  Default: the law of the formulation. It follows from the feedback of a kinematic program (da/df at every
///             stage), from the excess energy, or from options.gains, which must be given (K_N for a program). Penalty
///             forms obey no law; their remainder then contains the effect of lambda.
Certificate certify_run(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const FormulationOptions& options, const ButcherTable& table, double tau, double t_end,
                        const CertificateOptions& certificate = {},
                        const std::optional<ConstraintDynamics>& law = std::nullopt);

/// One gain of a scan: certified, and observed in a run.
struct GainScanPoint {
  double gain = 0.0;           ///< argument of the family
  bool certified = false;      ///< Certificate::certified
  bool stayed_below = false;   ///< Certificate::stayed_below(), observed
  double largest_error = 0.0;  ///< observed max |e_n|
  std::string words;           ///< the first failure, if not certified
};

/// Gains that are certified, and gains for which the bound is observed.
struct GainScan {
  std::vector<GainScanPoint> points;  ///< ascending in gain: the given ones and those of the bisection
  std::vector<Interval> certified;    ///< between neighbouring certified points
  std::vector<Interval> observed;     ///< the same for stayed_below
};

/// Calls certify() for a family of programs at the given gains and bisects between neighbours whose results differ.
/// @param resolution  relative, of the edges
GainScan scan_gains(const std::function<ErrorProgram(double gain)>& family, const ButcherTable& table, double tau,
                    double t_end, std::vector<double> gains, const CertificateOptions& options = {},
                    double resolution = 1e-3);

/// Largest fixed steps of a method for one program.
struct StepSearch {
  double certified = 0.0;   ///< 0 if no step that was tried is certified
  double observed = 0.0;    ///< largest step with stayed_below(); 0 if there is none
  Certificate certificate;  ///< certificate at `certified`, or of the smallest step that was tried
};

/// Decreases the step from `largest` by a tenth each time until it is certified (observed), then bisects. Both results
/// are upper edges of the topmost range found; larger steps are not proved to fail.
/// @param largest   Default: twice the stability limit of the law at the start
/// @param smallest  step at which the search ends. Default: 1e-4 largest
StepSearch largest_certified_step(const ErrorProgram& program, const ButcherTable& table, double t_end,
                                  const CertificateOptions& options = {}, double largest = 0.0, double smallest = 0.0,
                                  double resolution = 1e-3);

}  // namespace sunlagrange
