#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "formulation/parts/acceleration_form.hpp"
#include "formulation/parts/compliance.hpp"
#include "formulation/parts/dae_weights.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

/// Relative accuracy of the multipliers of dependent rows, whose least norm has fewer correct digits than forces and
/// accelerations. No other equation contains the unknown lambda, so that the motion does not depend on it.
constexpr double of_dependent_rows = 1e-4;

class Index1 final : public DaeFormulation, public NewtonSystemOf<Index1>, public JacobianProduct {
 public:
  explicit Index1(const FormulationInput& input)
      : DaeFormulation({input.system->num_positions(), input.system->num_positions(), input.system->num_constraints()}),
        n_(input.system->num_positions()),
        rtol_(input.rtol),
        lambda_scale_(typical_multiplier(input)),
        dynamics_(input, automatic_gains(input, input.gains.Lambda.automatic() ? 0.0 : 1.0),
                  input.gains.Lambda.automatic() ? Compliance{} : compliance(input, 0.0)),
        weights_(input) {
    num_integrated_ = n_;
    num_tested_ = 2 * n_;
    facts_ = dynamics_.facts();
    facts_.dae = DaeFacts{{"lambda"},
                          "q: rtol, atol; v: rtol, atol / T; lambda: rtol of its norm",
                          weights_.scales().time,
                          lambda_scale_,
                          {true, 1e-3, 8, weights_.initial_step()},
                          {}};
    provides_.newton = this;
    provides_.product = this;
    provides_.feedback = dynamics_.provides().feedback;
  }

  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override {
    const EvaluationResult result = dynamics_.rhs(t, y, r);
    if (result != EvaluationResult::ok) return result;
    q(r) = q(yp) - q(r);
    v(r) = v(yp) - v(r);
    lambda(r) = lambda(y) - dynamics_.multipliers();
    return are_finite(r, size()) ? result : EvaluationResult::not_finite;
  }

  EvaluationResult linearize_newton(double t, const double* y, const double* yp) override {
    return dynamics_.linearize_newton(t, y, yp);
  }
  template <class Scalar>
  EvaluationResult factorize(Scalar c) {
    const Scalar h = 1.0 / c;
    return dynamics_.factorize(h);
  }

  /// (c - J)(x_q, x_v) = (b_q, b_v) is CVODE's system times c; its multipliers are h x_lambda.
  template <class Scalar>
  EvaluationResult solve(Scalar c, Scalar* b) {
    const Scalar h = 1.0 / c;
    as_vector(b, 2 * n_) *= h;
    EvaluationResult result = dynamics_.solve(h, b);
    if (result == EvaluationResult::ok) result = dynamics_.make_newton_multipliers<Scalar>();
    if (result == EvaluationResult::ok) lambda(b) += c * dynamics_.newton_multipliers<Scalar>();
    return result;
  }

  EvaluationResult linearize_product(double t, const double* y, const double* yp) override {
    return dynamics_.linearize_product(t, y, yp);
  }
  EvaluationResult jacobian_times(double c, const double* x, double* Jx) override {
    const EvaluationResult result = dynamics_.tangent(x, Jx, lambda(Jx).data());
    as_vector(Jx, size()) *= -1.0;
    as_vector(Jx, 2 * n_) += c * as_vector(x, 2 * n_);
    lambda(Jx) += lambda(x);
    return result;
  }

  EvaluationResult weights(double, const double* y, double* weight) override {
    weights_.positions(y, weight);
    weights_.velocities(y + n_, weight + n_);
    double largest = lambda_scale_;
    for (const double x : lambda(y)) largest = std::max(largest, std::abs(x));
    const double accuracy = dynamics_.lost_rank() ? std::max(rtol_, of_dependent_rows) : rtol_;
    lambda(weight).setConstant(1.0 / (accuracy * largest));
    return EvaluationResult::ok;
  }

  std::vector<Fact> statistics() const override { return dynamics_.statistics(); }
  FormulationCounts counts() const override { return dynamics_.counts(); }
  std::string linear_solver_description() const override { return dynamics_.linear_solver_description(); }

 private:
  /// Returns max(|lambda|, |f| / |G|) of the start, or one if both vanish.
  static double typical_multiplier(const FormulationInput& input) {
    const MotionState& start = input.start;
    double largest = start.lambda.size() > 0 ? start.lambda.lpNorm<Eigen::Infinity>() : 0.0;
    const auto w = make_workspace(*input.system, Storage::sparse);
    if (evaluate_system(*input.system, request::force | request::jacobian,
                        {start.t, start.q.data(), start.v.data(), nullptr, nullptr}, *w)) {
      double force = 0.0;
      double jacobian = 0.0;
      for (const double f : w->f) force = std::max(force, std::abs(f));
      for (const double G : w->G.values) jacobian = std::max(jacobian, std::abs(G));
      if (jacobian > 0.0) largest = std::max(largest, force / jacobian);
    }
    return largest > 0.0 && std::isfinite(largest) ? largest : 1.0;
  }

  int n_;
  double rtol_;
  double lambda_scale_;
  AccelerationForm dynamics_;
  DaeWeights weights_;
};

}  // namespace

/// Index-1 form: lambda is an unknown beside q and v, y = (q, v, lambda),
///
///     q' - v = 0,     v' - a = 0,     lambda - l = 0,
///     M a + G^T l = f,     G a - C l = gamma - K_D g' - K_P g     (velocity rows: gamma - K_N psi),
///
/// with (a, l) from the saddle-point system at (q, v). With v' itself in the constraint rows the Newton errors of v,
/// divided by the step size, would enter lambda: steps collapse below tolerances of about 1e-8.
/// Baumgarte (C = 0, automatic gains as in `baumgarte`) or, if Lambda is given, penalty (C = Lambda^-1). K_D = K_P = 0
/// gives the plain index-1 form, which drifts. lambda is masked in the error test: dependent rows make it noisy.
/// When to use: stiff stabilised or penalty systems with IDA, multipliers at every step. When not: through singular
/// poses (nothing selects the branch: use `ggl`).
FormulationEntry make_index1() {
  FormulationEntry entry;
  entry.unknowns = "2n + m";
  entry.when = "stiff gains or penalties, sparse";
  entry.when_not = "through singular poses";
  entry.references = "[Baumgarte1972] [BrenanCampbellPetzold1996] [000]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_tolerance;
  entry.make = [](const FormulationInput& in) { return Index1(in); };
  return entry;
}

}  // namespace sunlagrange::internal
