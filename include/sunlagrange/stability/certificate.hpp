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

/// y' = F(t, y) with a constraint error e(t, y) that obeys e' = K e along exact solutions: a kinematic program with
/// e = f [002, (7)], or a Baumgarte form with e = (g, g', psi).
struct ErrorProgram {
  /// Writes its result, whose size it may set; false: the point is declined.
  using Evaluation = std::function<bool(double t, const Eigen::VectorXd& y, Eigen::VectorXd& result)>;

  Evaluation rhs;          ///< F
  Evaluation error;        ///< e
  ConstraintDynamics law;  ///< K
  double t0 = 0.0;
  Eigen::VectorXd y0;
};

/// How condition 4 knows the remainder r of a step, e_(n+1) = R e_n + r.
enum class RemainderKind {
  measured,  ///< r of the step itself: the certificate speaks about this run
  given,     ///< |r| <= remainder_constant tau^remainder_power, from the user's own estimate, as in [002]
  sampled,   ///< bound over the ball |e| <= eps normal to the run, from sampled steps, with a safety factor
};

/// Conditions of [002, Theorems 2 to 5], numbered as in Theorem 2, and what else can keep a run from its certificate.
enum class CertificateCondition {
  start,            ///< 1: |e_0| <= eps
  step_limit,       ///< 2: tau <= tau_1, the step up to which the remainder bound holds
  contraction,      ///< 3: |R| <= q < 1
  remainder,        ///< 4: remainder <= (1 - q) eps
  remainder_bound,  ///< the remainder of a step exceeds the bound: the given constant, or the sampling, is wrong
  evaluation,       ///< the program declined a point, returned values that are not finite, or the ball has no points
};

constexpr auto names_of(CertificateCondition) {
  return enum_names("start", "step_limit", "contraction", "remainder", "remainder_bound", "evaluation");
}

struct CertificateOptions {
  double eps = 1e-4;                      ///< bound on |e|, in the norm used
  std::optional<NormKind> norm;           ///< absent: euclidean for first-order laws, lyapunov for second-order ones
  std::optional<StepNorm> given_norm;     ///< instead of `norm`: a norm of the user's own, e.g. scaled
  double q = 1.0;                         ///< alpha, q of the paper; 1: of each step what it has, |R| itself
  Growth growth = Growth::of_the_method;  ///< R; as_printed only for laws without y

  RemainderKind remainder = RemainderKind::measured;
  double remainder_constant = 0.0;  ///< given: C. [002, Example 2]: C = F / 2 with power 2
  int remainder_power = 2;          ///< given. p + 1 holds for fixed K only: at fixed tau K every order leaves tau^2
  double step_limit = 0.0;          ///< tau_1; needed with `given`. sampled: found as well, the smaller one counts
  double safety = 2.0;              ///< sampled: factor on every sampled bound, at least 1

  bool stop_at_failure = false;  ///< otherwise the run goes on, so that largest_error is the one of the whole run
  bool keep_history = false;
};

/// A condition that did not hold: where for the first time, and by how much.
struct CertificateFailure {
  CertificateCondition condition = CertificateCondition::start;
  int step = 0;  ///< from y_step to y_(step+1)
  double t = 0.0;
  double value = 0.0;  ///< what should not exceed
  double bound = 0.0;  ///< this
  std::string words;

  void describe(Figures& f);
};

/// One step of a certificate's run.
struct CertificateStep {
  double t = 0.0;
  double error = 0.0;        ///< |e_n|
  double contraction = 0.0;  ///< |R|; sampled: over the ball
  double remainder = 0.0;    ///< |r| of this step
  double bound = 0.0;        ///< what condition 4 compares with the budget; measured: the remainder itself
  double budget = 0.0;       ///< (1 - q) eps

  void describe(Figures& f);
};

/// What certify found. `certified` says: |e_n| <= eps at every step of this run, by the conditions; with `sampled`
/// also for a step from any point of the sampled ball. A certificate is a statement about steps t_n, not between them.
struct Certificate {
  bool certified = false;
  std::vector<CertificateFailure> failures;  ///< first of each condition, in the order of their steps

  std::string table;
  double tau = 0.0;
  double eps = 0.0;
  int steps = 0;  ///< taken
  double t_reached = 0.0;
  bool completed = false;  ///< all steps were taken
  std::optional<StepNorm> norm;
  std::string how;  ///< norm and kind of remainder in words

  double start_error = 0.0;
  double largest_error = 0.0;  ///< observed max |e_n|: integration only, no condition enters
  double t_of_largest = 0.0;
  double largest_contraction = 0.0;
  double largest_remainder = 0.0;
  double largest_bound = 0.0;
  double smallest_slack = 0.0;  ///< min (budget - bound) / eps
  std::vector<CertificateStep> history;

  /// Observed: the run was completed and |e_n| <= eps.
  bool stayed_below() const { return completed && largest_error <= eps; }
  const CertificateFailure* failure() const { return failures.empty() ? nullptr : &failures.front(); }
  std::string text() const;

  void describe(Figures& f);
};

/// Runs the fixed-step method and checks conditions 1 to 4 of [002, Theorem 2] and their counterparts in Theorems 3 to
/// 5 at every step, in e_(n+1) = R_n e_n + r_n: |e_0| <= eps, |R_n| <= q, |r_n| <= (1 - q) eps give |e_n| <= eps.
///
/// r contains everything that is not the linear law: for p stages it is not the remainder tau^(p+1) of the Taylor
/// series alone but, with gains that grow as 1 / tau, of size tau^2 for every order.
///
/// lyapunov: the norm is made for R of the first step and for law.scale() and serves all steps; |D e|_2 <= |e|.
/// sampled, at every step: remainders of steps from points with e = 0 and +-eps along every direction that e can take
/// (found from y_n with the pseudo-inverse of de/dy), first-order part exact, curvature added, times safety. Condition
/// 2 then asks that along this step's own curve s -> y_n(s), 0 < s <= tau, the remainder follows C s^(p+1), with C from
/// the first half of the step, up to the safety factor or to a tenth of the budget.
///
/// Steps: the least number of steps tau that reaches t_end.
/// @throws Error for misuse; what the program throws passes through
Certificate certify(const ErrorProgram& program, const ButcherTable& table, double tau, double t_end,
                    const CertificateOptions& options = {});

/// The same for a mechanism in an ODE formulation, e = (g, g', psi) of FirstOrderForm.
/// @param law  absent: that of the formulation, as far as it has one: a program's own feedback (da/df at every stage),
///             the excess energy, else options.gains, which must be given (K_N of a program). Penalty forms obey no
///             law: their remainder then holds what lambda does to the constraints.
Certificate certify_run(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const FormulationOptions& options, const ButcherTable& table, double tau, double t_end,
                        const CertificateOptions& certificate = {},
                        const std::optional<ConstraintDynamics>& law = std::nullopt);

struct GainScanPoint {
  double gain = 0.0;
  bool certified = false;
  bool stayed_below = false;
  double largest_error = 0.0;
  std::string words;  ///< first failure, if not certified
};

/// Certified beside observed.
struct GainScan {
  std::vector<GainScanPoint> points;  ///< ascending in gain; the given ones and those of the bisection
  std::vector<Interval> certified;    ///< between neighbouring points that are
  std::vector<Interval> observed;     ///< the same for stayed_below
};

/// certify for a family of programs at the given gains, and where the answers of two neighbours differ, bisection
/// between them. @param resolution  relative, of the edges
GainScan scan_gains(const std::function<ErrorProgram(double gain)>& family, const ButcherTable& table, double tau,
                    double t_end, std::vector<double> gains, const CertificateOptions& options = {},
                    double resolution = 1e-3);

/// The largest fixed steps of a method for one program.
struct StepSearch {
  double certified = 0.0;   ///< 0: none of the steps tried
  double observed = 0.0;    ///< largest with stayed_below; 0: none
  Certificate certificate;  ///< at `certified`, or of the smallest step tried
};

/// Going down from `largest` by a tenth each time to the first step that is certified (observed), then bisection up to
/// it: both are the upper edges of the topmost range that this finds, not a proof that larger steps fail.
/// @param largest   0: twice the stability limit of the law at the start
/// @param smallest  where the search gives up; 0: 1e-4 largest
StepSearch largest_certified_step(const ErrorProgram& program, const ButcherTable& table, double t_end,
                                  const CertificateOptions& options = {}, double largest = 0.0, double smallest = 0.0,
                                  double resolution = 1e-3);

}  // namespace sunlagrange
