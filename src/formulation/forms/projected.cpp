// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "consistency/manifold.hpp"
#include "formulation/parts/acceleration_form.hpp"
#include "model/motion_scales.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// A correction costs a solve, a new matrix a factorisation. The first matrix is kept while each correction reduces the
/// violation to a quarter, as it does near the constraints and for rounding errors of large v.
NewtonRule near_the_constraints() {
  NewtonRule rule;
  rule.slow = 0.25;
  rule.keep_matrix = true;
  return rule;
}

class Projected final : public AccelerationForm, public Projection {
 public:
  explicit Projected(const FormulationInput& input)
      : AccelerationForm(input, Stabilization::none(*input.system)),
        n_(input.system->num_positions()),
        m_(input.system->num_constraints()),
        m_g_(input.system->num_position_constraints()),
        evaluator_(evaluator_for(input.system, input.linear_solver)),
        saddle_(evaluator_, input.linear_solver),
        scales_(characteristic_scales(*input.system, input.start)),
        sizes_(*input.system),
        newton_(n_),
        q_(n_),
        v_(n_),
        top_(n_),
        bottom_(m_) {
    facts_.own = {{"projection", "q and v, mass metric, after every step", {}}};
    provides_.projection = this;  // Newton systems do not contain it, because it has no stiffness
    provides_.feedback = nullptr;
  }

  EvaluationResult project(double t, const double* y, double* correction, double* error) override {
    ++projections_;
    q_ = q(y);
    v_ = v(y);
    EvaluationResult result = project_positions(t);
    if (result == EvaluationResult::ok) result = evaluate(t, true);
    if (result == EvaluationResult::ok) result = project_velocities(t);
    if (result == EvaluationResult::ok && error != nullptr) result = project_error(error);
    if (result != EvaluationResult::ok) return result;
    q(correction) = q_ - q(y);
    v(correction) = v_ - v(y);
    last_velocity_correction_ = natural_size(saddle_.system(), v(correction));
    return result;
  }

  /// The projection belongs to the method, and its derivative to the sensitivities. The part of s that it removes must
  /// not act on the rest meanwhile: s' is that of the projected s.
  EvaluationResult sensitivity_equations(const double* s, const double* sp, const ParameterTerms& p,
                                         double* sdot) override {
    tangent_ = as_vector(s, 2 * n_);
    const EvaluationResult result = project_sensitivity(tangent_.data(), p);
    return result == EvaluationResult::ok ? AccelerationForm::sensitivity_equations(tangent_.data(), sp, p, sdot)
                                          : result;
  }
  EvaluationResult project_sensitivity(double* s, const ParameterTerms& p) override { return project_tangent(s, p); }

  /// The transpose of both steps, in the opposite order.
  EvaluationResult adjoint_rhs(const double* rate, const double* lambda, double* s, ParameterTerms& p) override {
    const EvaluationResult result = AccelerationForm::adjoint_rhs(rate, lambda, s, p);
    return result == EvaluationResult::ok ? project_adjoint(s, p) : result;
  }
  EvaluationResult project_adjoint(double* s, ParameterTerms& p) override { return project_covector(s, p); }

  std::vector<Fact> statistics() const override {
    const double mean = projections_ > 0 ? static_cast<double>(iterations_) / static_cast<double>(projections_) : 0.0;
    return {{"projections", "{}", {projections_}}, {"position corrections per projection", "{}", {mean}}};
  }
  FormulationCounts counts() const override {
    FormulationCounts sum = AccelerationForm::counts();
    sum += saddle_.solver().counts();
    return sum;
  }

 private:
  /// q <- q - M^-1 G^T (G M^-1 G^T)^+ g until g is at rounding level.
  EvaluationResult project_positions(double t) {
    const Eigen::VectorXd& g = evaluator_.quantities().g;
    const EvaluationResult result = evaluate(t, true);
    if (result != EvaluationResult::ok) return result;
    const auto evaluated = [&](bool new_matrix) { return evaluate(t, new_matrix); };
    const auto violated = [&] { return violation(g, q_, scales_.position); };
    const auto solve = [&](Eigen::VectorXd& step, double&) {
      step.setZero();
      bottom_.setZero();
      bottom_.head(m_g_) = -g;
      return saddle_.solve(step.data(), bottom_.data());
    };
    const NewtonEnd end = newton_.run(q_, near_the_constraints(), evaluated, violated, solve);
    iterations_ += end.iterations;
    if (end.kind == NewtonEnd::Kind::exhausted) return EvaluationResult::not_converged;
    if (end.kind == NewtonEnd::Kind::stalled && end.violation >= near_rounding_of_rows)
      return EvaluationResult::declined;  // a shorter step starts nearer
    return end.result;
  }

  /// v <- v - M^-1 G^T (G M^-1 G^T)^+ (g', psi) at the new q until (g', psi) is at rounding level. Once is enough
  /// unless v is large (rounding) or psi is nonlinear in v. With lost rank, a violation that no velocity can remove
  /// remains.
  EvaluationResult project_velocities(double t) {
    const Eigen::VectorXd& g_rate = evaluator_.quantities().g_rate;
    const auto evaluated = [&](bool new_matrix) { return evaluate(t, new_matrix); };
    const auto violated = [&] { return violation(g_rate, v_, scales_.position / scales_.time); };
    const auto solve = [&](Eigen::VectorXd& step, double&) {
      step.setZero();
      bottom_ = -g_rate;
      return saddle_.solve(step.data(), bottom_.data());
    };
    const NewtonEnd end = newton_.run(v_, near_the_constraints(), evaluated, violated, solve);
    const bool may_converge = m_ > m_g_;  // g' is linear in v: no velocity removes what so many passes leave
    return end.kind == NewtonEnd::Kind::exhausted && may_converge ? EvaluationResult::not_converged : end.result;
  }

  EvaluationResult evaluate(double t, bool new_matrix) {
    if (new_matrix) return saddle_.factorize(evaluator_.at(t, q_.data(), v_.data()));
    const Workspace* at = evaluator_.at(t, q_.data(), v_.data(), request::jacobian);
    return at != nullptr ? EvaluationResult::ok : EvaluationResult::declined;
  }

  /// Projects both halves of the error estimate: [M G^T; G 0] (e, .) = (M e, 0). Positions are not projected onto psi,
  /// so that their half keeps its part across the psi rows: (M e, (0, psi_v e)).
  EvaluationResult project_error(double* error) {
    const Workspace& w = evaluator_.quantities();
    for (VectorMap half : {q(error), v(error)}) {
      top_.setZero();
      top_ += w.M * half;
      bottom_.setZero();
      if (half.data() == error && m_g_ < m_) {
        bottom_ += w.G * half;
        bottom_.head(m_g_).setZero();
      }
      const EvaluationResult result = saddle_.solve(top_.data(), bottom_.data());
      if (result != EvaluationResult::ok) return result;
      half = top_;
    }
    return EvaluationResult::ok;
  }

  /// Returns the violation relative to sum_j |G_ij| x the size of coordinate j, now or at the start.
  double violation(const Eigen::VectorXd& values, const Eigen::VectorXd& x, double typical) {
    sizes_.measure(x, std::max(typical, natural_size(saddle_.system(), x)));
    bottom_.setZero();
    add_largest_terms(evaluator_.quantities().G, sizes_, bottom_);
    return largest_violation(values, bottom_).relative;
  }

  int n_, m_, m_g_;
  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  Scales scales_;
  CoordinateSizes sizes_;
  ManifoldNewton newton_;
  Eigen::VectorXd q_, v_, top_, bottom_, tangent_;
  long projections_ = 0;
  long iterations_ = 0;
};

}  // namespace

/// Index 0 with coordinate projection [Eich1993; AscherPetzold1998]: v' from the saddle-point system without
/// stabilisation, and after every step, in the mass metric,
///
///     q <- q - M^-1 G^T (G M^-1 G^T)^+ g,     v <- v - M^-1 G^T (G M^-1 G^T)^+ (g', psi)
///
/// q and v are always projected together: projecting q alone is unstable. CVODE projects with BDF only, by its
/// projection function; ARKODE projects after each step. Their error estimates are those before the projection
/// (decision 3); radau projects its estimate, e <- P e with P = I - M^-1 G^T (G M^-1 G^T)^+ G. Between steps the
/// interpolant violates the constraints by its error; consistent_state_at() is the dense output on the manifold. When
/// to use: constraints to rounding without gains to choose. When not: with cvode_adams; through singular poses with
/// rank policy strict. At tolerances below 1e-9 steps near a singular pose are too short for the small corrections
/// along the weak direction: it is passed only with dense and at_singularity = project.
FormulationEntry make_projected() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "no gains to choose, no drift";
  entry.when_not = "rank policy strict near singular poses";
  entry.references = "[Eich1993] [AscherPetzold1998]";
  entry.limits.adams = "CVODE projects with BDF only; use integrator cvode_bdf, dopri5 or a fixed-step method";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_rounding;
  entry.make = [](const FormulationInput& in) { return Projected(in); };
  return entry;
}

}  // namespace sunlagrange::internal
