#include <algorithm>
#include <cmath>

#include "consistency/manifold.hpp"
#include "formulation/parts/acceleration_form.hpp"
#include "gains/motion_scales.hpp"
#include "linear_algebra/pattern_products.hpp"

namespace sunlagrange {
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
      : OdeFormulation(input.system->num_positions()),
        n_(input.system->num_positions()),
        m_(input.system->num_constraints()),
        m_g_(input.system->num_position_constraints()),
        dynamics_(input, Stabilization::none(*input.system)),
        saddle_(input.system, resolve_linear_solver(input.linear_solver, n_, m_)),
        scales_(characteristic_scales(input.start, input.t_span)),
        newton_(n_),
        q_(static_cast<std::size_t>(n_)),
        v_(static_cast<std::size_t>(n_)),
        top_(static_cast<std::size_t>(n_)),
        bottom_(static_cast<std::size_t>(m_)) {}

  int size() const override { return 2 * n_; }
  void pack(const MotionState& state, double* y, double* yp) const override { dynamics_.pack(state, y, yp); }
  EvaluationResult rhs(double t, const double* y, double* ydot) override { return counted(dynamics_.rhs(t, y, ydot)); }
  EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) override {
    return counted(dynamics_.factorize_newton(t, y, gamma, reuse));
  }
  EvaluationResult solve_newton(double* b) override { return counted(dynamics_.solve_newton(b)); }

  bool has_projection() const override { return true; }
  EvaluationResult project(double t, const double* y, double* correction, double* error) override {
    return failures.count(projected(t, y, correction, error));
  }

  Settings settings() const override {
    return {{"projection", "", "q and v and the error estimate, mass metric, after every step"}};
  }
  Settings statistics() const override {
    const double mean = projections_ > 0 ? static_cast<double>(iterations_) / static_cast<double>(projections_) : 0.0;
    return {{"projections", "", std::to_string(projections_)}, {"position corrections per projection", "", text(mean)}};
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
    std::copy(y, y + n_, q_.begin());
    std::copy(y + n_, y + 2 * n_, v_.begin());
    EvaluationResult result = project_positions(t);
    if (result == EvaluationResult::ok) result = saddle_.factorize(t, q_.data(), v_.data());
    if (result == EvaluationResult::ok) result = project_velocities(t);
    if (result == EvaluationResult::ok && error != nullptr) result = project_error(error);
    if (result != EvaluationResult::ok) return result;
    for (int i = 0; i < n_; ++i) {
      correction[i] = q_[static_cast<std::size_t>(i)] - y[i];
      correction[n_ + i] = v_[static_cast<std::size_t>(i)] - y[n_ + i];
    }
    return result;
  }

  /// q <- q - M^-1 G^T (G M^-1 G^T)^+ g until it is at rounding level.
  EvaluationResult project_positions(double t) {
    EvaluationResult result = evaluate(t, true);
    if (result != EvaluationResult::ok) return result;
    const NewtonEnd end = newton_.run(
        q_.data(), near_the_constraints(), [&](bool new_matrix) { return evaluate(t, new_matrix); },
        [&] { return violation(saddle_.workspace().position, q_, scales_.position); },
        [&](double* step, double&) {
          const std::vector<double>& g = saddle_.workspace().position;
          std::fill(step, step + n_, 0.0);
          std::fill(bottom_.begin(), bottom_.end(), 0.0);
          for (std::size_t i = 0; i < g.size(); ++i) bottom_[i] = -g[i];
          return saddle_.solve(step, bottom_.data());
        });
    iterations_ += end.iterations;
    switch (end.kind) {
      case NewtonEnd::Kind::stalled:  // a shorter step starts nearer
        return end.violation < near_rounding_of_rows ? EvaluationResult::ok : EvaluationResult::declined;
      case NewtonEnd::Kind::exhausted:
        return EvaluationResult::not_converged;
      default:
        return end.result;
    }
  }

  /// v <- v - M^-1 G^T (G M^-1 G^T)^+ (g', psi) at the new q until it is at rounding level; once, but for the rounding
  /// of large v and for psi nonlinear in v. What no velocity removes, where rank is lost, stays.
  EvaluationResult project_velocities(double t) {
    const NewtonEnd end = newton_.run(
        v_.data(), near_the_constraints(), [&](bool new_matrix) { return evaluate(t, new_matrix); },
        [&] { return violation(saddle_.workspace().velocity, v_, scales_.position / scales_.time); },
        [&](double* step, double&) {
          std::fill(step, step + n_, 0.0);
          for (std::size_t i = 0; i < bottom_.size(); ++i) bottom_[i] = -saddle_.workspace().velocity[i];
          return saddle_.solve(step, bottom_.data());
        });
    return end.kind == NewtonEnd::Kind::exhausted ? EvaluationResult::not_converged : end.result;
  }

  EvaluationResult evaluate(double t, bool new_matrix) {
    if (new_matrix) return saddle_.factorize(t, q_.data(), v_.data());
    return saddle_.system().evaluate(request::jacobian, {t, q_.data(), v_.data(), nullptr, nullptr},
                                     saddle_.workspace())
               ? EvaluationResult::ok
               : EvaluationResult::declined;
  }

  /// Both halves of the error estimate lose what the projection takes out: [M G^T; G 0] (e, .) = (M e, 0). Positions
  /// are not projected onto psi, so their half keeps what it has across the psi rows: (M e, (0, psi_v e)).
  EvaluationResult project_error(double* error) {
    const Workspace& w = saddle_.workspace();
    for (double* half : {error, error + n_}) {
      std::fill(top_.begin(), top_.end(), 0.0);
      std::fill(bottom_.begin(), bottom_.end(), 0.0);
      if (half == error && m_g_ < m_) {
        add_product(w.patterns->jacobian, w.jacobian, half, bottom_.data());
        std::fill(bottom_.begin(), bottom_.begin() + m_g_, 0.0);
      }
      add_product(w.patterns->mass, w.mass, half, top_.data());
      const EvaluationResult result = saddle_.solve(top_.data(), bottom_.data());
      if (result != EvaluationResult::ok) return result;
      std::copy(top_.begin(), top_.end(), half);
    }
    return EvaluationResult::ok;
  }

  /// Relative to sum_j |G_ij| x the largest coordinate of x, now or at the start.
  double violation(const std::vector<double>& values, const std::vector<double>& x, double typical) {
    double size = typical;
    for (const double value : x) size = std::max(size, std::abs(value));
    largest_terms(
        saddle_.workspace(), [size](int) { return size; }, bottom_);
    return largest_violation(values, bottom_).relative;
  }

  int n_, m_, m_g_;
  AccelerationForm dynamics_;
  SaddlePointSystem saddle_;
  Scales scales_;
  ManifoldNewton newton_;
  std::vector<double> q_, v_, top_, bottom_;
  long projections_ = 0;
  long iterations_ = 0;
};

}  // namespace

/// Index 0 with coordinate projection [Eich1993; AscherPetzold1998]: v' from the saddle-point system without
/// stabilisation, and after every step, in the mass metric,
///
///     q <- q - M^-1 G^T (G M^-1 G^T)^+ g,     v <- v - M^-1 G^T (G M^-1 G^T)^+ (g', psi),     e <- P e
///
/// for the error estimate e, with P = I - M^-1 G^T (G M^-1 G^T)^+ G. Position and velocity always together: projecting
/// q alone is unstable. CVODE: BDF only, through its projection function; ARKODE: after each step (its error estimate
/// is formed before). Between steps the interpolant leaves the manifold by its error; consistent_state_at() is the
/// dense output on it. When to use: constraints to rounding without gains to choose. When not: with cvode_adams;
/// through singular configurations with rank policy strict.
FormulationEntry make_projected() {
  FormulationEntry entry;
  entry.references = "[Eich1993] [AscherPetzold1998]";
  entry.limit = [](const MechanicalSystem&, std::string_view, std::string_view integrator) -> std::string {
    if (integrator != "cvode_adams") return "";
    return "integrator cvode_adams: CVODE projects with BDF only; use integrator cvode_bdf, dopri5 or a fixed-step "
           "method";
  };
  entry.promises.positions = entry.promises.velocities = Holds::to_rounding;
  entry.make = [](const FormulationInput& in) { return Projected(in); };
  return entry;
}

}  // namespace sunlagrange
