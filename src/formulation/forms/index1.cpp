// SPDX-License-Identifier: BSD-3-Clause
#include "base/numerics.hpp"
#include "formulation/parts/acceleration_form.hpp"
#include "formulation/parts/compliance.hpp"
#include "formulation/parts/dae_weights.hpp"

namespace sunlagrange::internal {
namespace {

class Index1 final : public DaeFormulation, public NewtonSystemOf<Index1>, public JacobianProduct {
 public:
  explicit Index1(const FormulationInput& input)
      : DaeFormulation({input.system->num_positions(), input.system->num_positions(), input.system->num_constraints()}),
        n_(input.system->num_positions()),
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
    weights_.separate_multipliers(lambda(y).data(), dynamics_.lost_rank(), lambda_scale_, lambda(weight).data());
    return EvaluationResult::ok;
  }

  std::vector<Fact> statistics() const override { return dynamics_.statistics(); }
  FormulationCounts counts() const override { return dynamics_.counts(); }
  std::string linear_solver_description() const override { return dynamics_.linear_solver_description(); }

 private:
  int n_;
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
/// gives the plain index-1 form, which drifts. lambda is masked in the error test, because dependent rows make it
/// noisy: its weight counts in Newton's convergence test only.
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
