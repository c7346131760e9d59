#include <algorithm>

#include "consistency/manifold.hpp"
#include "formulation/parts/acceleration_form.hpp"
#include "gains/motion_scales.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// Every correction costs a solve, a new matrix a factorisation: the first one serves while the violation falls to a
/// quarter each time, as it does near the constraints and for the rounding of large v.
NewtonRule near_the_constraints() {
  NewtonRule rule;
  rule.slow = 0.25;
  rule.keep_matrix = true;
  return rule;
}

class Projected final : public OdeFormulation {
 public:
  explicit Projected(const FormulationInput& input)
      : OdeFormulation({input.system->num_positions(), input.system->num_positions()}),
        n_(input.system->num_positions()),
        m_(input.system->num_constraints()),
        m_g_(input.system->num_position_constraints()),
        dynamics_(input, Stabilization::none(*input.system)),
        saddle_(input.system, resolve_linear_solver(input.linear_solver, *input.system)),
        scales_(characteristic_scales(*input.system, input.start, input.t_span)),
        sizes_(*input.system),
        newton_(n_),
        q_(n_),
        v_(n_),
        top_(n_),
        bottom_(m_) {}

  int num_integrated() const override { return n_; }
  EvaluationResult rhs(double t, const double* y, double* ydot) override { return counted(dynamics_.rhs(t, y, ydot)); }
  EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) override {
    return counted(dynamics_.factorize_newton(t, y, gamma, reuse));
  }
  EvaluationResult solve_newton(double* b) override { return counted(dynamics_.solve_newton(b)); }
  EvaluationResult factorize_newton(Complex gamma) override { return counted(dynamics_.factorize_newton(gamma)); }
  EvaluationResult solve_newton(Complex* b) override { return counted(dynamics_.solve_newton(b)); }

  /// As Newton's matrix, without the projection.
  EvaluationResult linearize_product(double t, const double* y) override {
    return counted(dynamics_.linearize_product(t, y));
  }
  EvaluationResult jacobian_times(const double* x, double* Jx) override {
    return counted(dynamics_.jacobian_times(x, Jx));
  }

  NearbySolution nearby_solution() override { return dynamics_.nearby_solution(); }
  bool last_rates(double t, const double* y, double* ydot) const override { return dynamics_.last_rates(t, y, ydot); }

  bool has_projection() const override { return true; }
  double velocity_taken_out() const override { return velocity_taken_out_; }
  EvaluationResult project(double t, const double* y, double* correction, double* error) override {
    return failures.count(projected(t, y, correction, error));
  }

  bool has_sensitivities() const override { return true; }
  EvaluationResult linearize_sensitivities(double t, const double* y, const double* yp, const double*& a,
                                           const double*& lambda) override {
    return counted(dynamics_.linearize_sensitivities(t, y, yp, a, lambda));
  }

  /// The projection belongs to the method, so its derivative does to the sensitivities. What it takes out must not act
  /// on the rest meanwhile: s' is that of the projected s.
  EvaluationResult sensitivity_rhs(const double* s, const ParameterTerms& p, double* sdot) override {
    tangent_ = as_vector(s, 2 * n_);
    const EvaluationResult result = project_sensitivity(tangent_.data(), p);
    return result == EvaluationResult::ok ? counted(dynamics_.sensitivity_rhs(tangent_.data(), p, sdot)) : result;
  }
  EvaluationResult project_sensitivity(double* s, const ParameterTerms& p) override {
    return counted(dynamics_.project_tangent(s, p));
  }

  /// The transpose of both steps, in the opposite order.
  EvaluationResult adjoint_rhs(const double* rate, const double* lambda, double* s, ParameterTerms& p) override {
    const EvaluationResult result = counted(dynamics_.adjoint_rhs(rate, lambda, s, p));
    return result == EvaluationResult::ok ? project_adjoint(s, p) : result;
  }
  EvaluationResult project_adjoint(double* s, ParameterTerms& p) override {
    return counted(dynamics_.project_covector(s, p));
  }

  /// What the projection takes out has no stiffness: Newton's matrix leaves it in.
  EvaluationResult factorize_adjoint(double gamma) override { return counted(dynamics_.factorize_adjoint(gamma)); }
  EvaluationResult solve_adjoint(double* b) override { return counted(dynamics_.solve_adjoint(b)); }

  FormulationFacts facts() const override {
    FormulationFacts facts;
    facts.own = {{"projection", "q and v, mass metric, after every step", {}}};
    return facts;
  }
  std::vector<Fact> statistics() const override {
    const double mean = projections_ > 0 ? static_cast<double>(iterations_) / static_cast<double>(projections_) : 0.0;
    return {{"projections", "{}", {projections_}}, {"position corrections per projection", "{}", {mean}}};
  }
  LinearCounts counts() const override {
    LinearCounts sum = dynamics_.counts();
    sum += saddle_.solver().counts();
    return sum;
  }
  std::string linear_solver_description() const override { return dynamics_.linear_solver_description(); }

 private:
  /// The dynamics counts its own failures; here they belong to this formulation.
  EvaluationResult counted(EvaluationResult result) { return failures.count(result); }

  EvaluationResult projected(double t, const double* y, double* correction, double* error) {
    ++projections_;
    q_ = q(y);
    v_ = v(y);
    EvaluationResult result = project_positions(t);
    if (result == EvaluationResult::ok) result = saddle_.factorize(t, q_.data(), v_.data());
    if (result == EvaluationResult::ok) result = project_velocities(t);
    if (result == EvaluationResult::ok && error != nullptr) result = project_error(error);
    if (result != EvaluationResult::ok) return result;
    q(correction) = q_ - q(y);
    v(correction) = v_ - v(y);
    velocity_taken_out_ = natural_size(saddle_.system(), v(correction));
    return result;
  }

  /// q <- q - M^-1 G^T (G M^-1 G^T)^+ g until it is at rounding level.
  EvaluationResult project_positions(double t) {
    const Eigen::VectorXd& g = saddle_.workspace().g;
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

  /// v <- v - M^-1 G^T (G M^-1 G^T)^+ (g', psi) at the new q until it is at rounding level; once, but for the rounding
  /// of large v and for psi nonlinear in v. What no velocity removes, where rank is lost, stays.
  EvaluationResult project_velocities(double t) {
    const Eigen::VectorXd& g_rate = saddle_.workspace().g_rate;
    const auto evaluated = [&](bool new_matrix) { return evaluate(t, new_matrix); };
    const auto violated = [&] { return violation(g_rate, v_, scales_.position / scales_.time); };
    const auto solve = [&](Eigen::VectorXd& step, double&) {
      step.setZero();
      bottom_ = -g_rate;
      return saddle_.solve(step.data(), bottom_.data());
    };
    const NewtonEnd end = newton_.run(v_, near_the_constraints(), evaluated, violated, solve);
    const bool may_converge = m_ > m_g_;  // g' is linear in v: what so many passes leave, no velocity removes
    return end.kind == NewtonEnd::Kind::exhausted && may_converge ? EvaluationResult::not_converged : end.result;
  }

  EvaluationResult evaluate(double t, bool new_matrix) {
    if (new_matrix) return saddle_.factorize(t, q_.data(), v_.data());
    const Point here{t, q_.data(), v_.data(), nullptr, nullptr};
    const bool good = evaluate_system(saddle_.system(), request::jacobian, here, saddle_.workspace());
    return good ? EvaluationResult::ok : EvaluationResult::declined;
  }

  /// Both halves of the error estimate lose what the projection takes out: [M G^T; G 0] (e, .) = (M e, 0). Positions
  /// are not projected onto psi, so their half keeps what it has across the psi rows: (M e, (0, psi_v e)).
  EvaluationResult project_error(double* error) {
    const Workspace& w = saddle_.workspace();
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

  /// Relative to sum_j |G_ij| x the size of coordinate j, now or at the start.
  double violation(const Eigen::VectorXd& values, const Eigen::VectorXd& x, double typical) {
    sizes_.measure(x, std::max(typical, natural_size(saddle_.system(), x)));
    bottom_.setZero();
    add_largest_terms(saddle_.workspace().G, sizes_, bottom_);
    return largest_violation(values, bottom_).relative;
  }

  int n_, m_, m_g_;
  AccelerationForm dynamics_;
  SaddlePointSystem saddle_;
  Scales scales_;
  CoordinateSizes sizes_;
  ManifoldNewton newton_;
  Eigen::VectorXd q_, v_, top_, bottom_, tangent_;
  long projections_ = 0;
  long iterations_ = 0;
  double velocity_taken_out_ = 0.0;
};

}  // namespace

/// Index 0 with coordinate projection [Eich1993; AscherPetzold1998]: v' from the saddle-point system without
/// stabilisation, and after every step, in the mass metric,
///
///     q <- q - M^-1 G^T (G M^-1 G^T)^+ g,     v <- v - M^-1 G^T (G M^-1 G^T)^+ (g', psi)
///
/// Position and velocity always together: projecting q alone is unstable. CVODE: BDF only, through its projection
/// function; ARKODE: after each step. Their error estimates are those before the projection (decision 3); radau
/// projects its own, e <- P e with P = I - M^-1 G^T (G M^-1 G^T)^+ G. Between steps the interpolant leaves the manifold
/// by its error; consistent_state_at() is the dense output on it. When to use: constraints to rounding without gains to
/// choose. When not: with cvode_adams; through singular configurations with rank policy strict; through them at
/// tolerances below 1e-9, where steps in the neighbourhood are too short for the weak direction's small corrections,
/// only with dense and at_singularity = project.
FormulationEntry make_projected() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "no gains to choose, no drift";
  entry.when_not = "rank policy strict near singular poses";
  entry.references = "[Eich1993] [AscherPetzold1998]";
  entry.limits.adams = "CVODE projects with BDF only; use integrator cvode_bdf, dopri5 or a fixed-step method";
  entry.promises.positions = entry.promises.velocities = Holds::to_rounding;
  entry.make = [](const FormulationInput& in) { return Projected(in); };
  return entry;
}

}  // namespace sunlagrange::internal
