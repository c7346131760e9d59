#include <algorithm>
#include <cmath>

#include "formulation/parts/acceleration_form.hpp"
#include "gains/motion_scales.hpp"

namespace sunlagrange {
namespace {

/// Rounding level of g relative to its largest terms sum_j |G_ij| |q_j|.
constexpr double rounding = 1e-15;

constexpr int most_iterations = 20;

class Projected final : public OdeFormulation {
 public:
  explicit Projected(const FormulationInput& input)
      : OdeFormulation({input.system->num_positions(), input.system->num_positions()}),
        n_(input.system->num_positions()),
        m_(input.system->num_constraints()),
        m_g_(input.system->num_position_constraints()),
        dynamics_(input, Stabilization::none(*input.system)),
        saddle_(input.system, resolve_linear_solver(input.linear_solver, n_, m_)),
        typical_position_(characteristic_scales(input.start, input.t_span).position),
        q_(n_),
        v_(n_),
        top_(n_),
        bottom_(m_) {}

  EvaluationResult rhs(double t, const double* y, double* ydot) override { return counted(dynamics_.rhs(t, y, ydot)); }
  EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) override {
    return counted(dynamics_.factorize_newton(t, y, gamma, reuse));
  }
  EvaluationResult solve_newton(double* b) override { return counted(dynamics_.solve_newton(b)); }

  bool has_projection() const override { return true; }
  EvaluationResult project(double t, const double* y, double* correction, double* error) override {
    return failures.count(projected(t, y, correction, error));
  }

  FormulationFacts facts() const override {
    FormulationFacts facts;
    facts.own = {{"projection", "q and v and the error estimate, mass metric, after every step", {}}};
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
    return result;
  }

  /// q <- q - M^-1 G^T (G M^-1 G^T)^+ g, with the matrices of the first iterate while g falls fast,
  /// until it is at rounding level.
  EvaluationResult project_positions(double t) {
    Workspace& w = saddle_.workspace();
    double before = 0.0;
    bool new_matrices = true;
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      EvaluationResult result = EvaluationResult::ok;
      if (new_matrices) {
        result = saddle_.factorize(t, q_.data(), v_.data());
      } else if (!saddle_.system().evaluate(request::jacobian, {t, q_.data(), v_.data(), nullptr, nullptr}, w)) {
        result = EvaluationResult::declined;
      }
      if (result != EvaluationResult::ok) return result;
      const double violation = relative_violation(w);
      if (!std::isfinite(violation)) return EvaluationResult::not_finite;
      if (violation <= rounding) return result;
      if (iteration > 0 && violation > 0.25 * before) {
        if (violation < 1e-12) return result;                       // as good as it gets
        if (violation > before) return EvaluationResult::declined;  // a shorter step starts nearer
        if (!new_matrices) {
          result = saddle_.factorize(t, q_.data(), v_.data());
          if (result != EvaluationResult::ok) return result;
        }
      }
      new_matrices = iteration > 0 && violation > 0.25 * before;
      before = violation;
      top_.setZero();
      bottom_.setZero();
      bottom_.head(m_g_) = -w.g;
      result = saddle_.solve(top_.data(), bottom_.data());
      if (result != EvaluationResult::ok) return result;
      q_ += top_;
      ++iterations_;
    }
    return EvaluationResult::not_converged;
  }

  /// v <- v - M^-1 G^T (G M^-1 G^T)^+ (g', psi) at the new q; once more, for the rounding of large v and for psi
  /// nonlinear in v.
  EvaluationResult project_velocities(double t) {
    Workspace& w = saddle_.workspace();
    for (int pass = 0; pass < 2; ++pass) {
      if (pass > 0 && !saddle_.system().evaluate(request::jacobian, {t, q_.data(), v_.data(), nullptr, nullptr}, w)) {
        return EvaluationResult::declined;
      }
      top_.setZero();
      bottom_ = -w.g_rate;
      const EvaluationResult result = saddle_.solve(top_.data(), bottom_.data());
      if (result != EvaluationResult::ok) return result;
      v_ += top_;
    }
    return EvaluationResult::ok;
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

  /// max_i |g_i| / (sum_j |G_ij| x the size of q, now or at the start)
  double relative_violation(const Workspace& w) {
    bottom_.setZero();
    double size = typical_position_;
    for (const double q : q_) size = std::max(size, std::abs(q));
    w.G.for_each_entry([&](int i, int, double entry) { bottom_[i] += std::abs(entry) * size; });
    double largest = 0.0;
    for (int i = 0; i < m_g_; ++i) {
      const double g = std::abs(w.g[i]);
      if (!(g == 0.0)) largest = std::max(largest, bottom_[i] > 0.0 ? g / bottom_[i] : g);
    }
    return largest;
  }

  int n_, m_, m_g_;
  AccelerationForm dynamics_;
  SaddlePointSystem saddle_;
  double typical_position_;
  Eigen::VectorXd q_, v_, top_, bottom_;
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
  entry.unknowns = "2n";
  entry.when = "no gains to choose, no drift";
  entry.when_not = "rank policy strict near singular poses";
  entry.references = "[Eich1993] [AscherPetzold1998]";
  entry.limits.adams = "CVODE projects with BDF only; use integrator cvode_bdf, dopri5 or a fixed-step method";
  entry.promises.positions = entry.promises.velocities = Holds::to_rounding;
  entry.make = [](const FormulationInput& in) { return Projected(in); };
  return entry;
}

}  // namespace sunlagrange
