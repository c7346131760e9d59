#include <algorithm>

#include "consistency/independent_coordinates.hpp"
#include "formulation/formulation.hpp"
#include "formulation/parts/dense_newton.hpp"
#include "formulation/parts/positions_fact.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

class CoordinatePartitioning final : public OdeFormulation {
 public:
  explicit CoordinatePartitioning(const FormulationInput& input)
      : OdeFormulation({input.system->num_positions(), input.system->num_positions()}),
        n_(input.system->num_positions()),
        options_(resolve_linear_solver(input.linear_solver, *input.system)),
        saddle_(input.system, options_),
        coordinates_(input.system, options_, input.start, input),
        u_(static_cast<int>(coordinates_.positions().size())),
        w_(static_cast<int>(coordinates_.velocities().size())),
        tracked_(u_ + w_ == 0 ? n_ : 0),
        independent_(describe(*input.system)) {
    for (auto* x : {&a_, &delta_q_, &delta_v_, &top_}) x->resize(n_);
    for (auto* x : {&lambda_, &bottom_}) x->resize(input.system->num_constraints());
    unit_.setZero(u_ + w_);
  }

  int size() const override { return u_ + w_ + tracked_; }

  UnknownsLayout unknowns() const override {
    UnknownsLayout layout;
    layout.size = size();
    layout.own_variables = true;
    return layout;
  }

  void pack(const MotionState& state, double* y, double* yp) const override {
    track(state.q, gather(state.q, state.v, y));
    if (yp != nullptr) track(state.v, gather(state.v, state.a, yp));
  }

  EvaluationResult unpack(double t, const double* y, const double* /*yp*/, double* q, double* v, double* a) override {
    EvaluationResult result = coordinates_.recover(t, y, y + u_);
    if (result != EvaluationResult::ok) return result;
    as_vector(q, n_) = coordinates_.q();
    as_vector(v, n_) = coordinates_.v();
    if (a == nullptr) return result;
    result = accelerations(t);
    if (result == EvaluationResult::ok) as_vector(a, n_) = a_;
    return result;
  }

  /// Those of the integrated equations are the ideal ones, and simulate() has computed them anyway.
  Acceleration acceleration() const override { return Acceleration::ideal; }

  EvaluationResult rhs(double t, const double* y, double* ydot) override {
    EvaluationResult result = coordinates_.recover(t, y, y + u_);
    if (result == EvaluationResult::ok) result = accelerations(t);
    if (result == EvaluationResult::ok) track(coordinates_.v(), gather(coordinates_.v(), a_, ydot));
    return failures.count(result);
  }

  EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) override {
    if (!reuse || newton_.jacobian.size() == 0) {
      const EvaluationResult result = evaluate_jacobian(t, y);
      if (result != EvaluationResult::ok) return failures.count(result);
    }
    return failures.count(newton_.factorize(gamma));
  }
  EvaluationResult factorize_newton(Complex gamma) override { return failures.count(newton_.factorize(gamma)); }

  /// The tracked positions do not act on anything: their rows of I - gamma J are those of I.
  EvaluationResult solve_newton(double* b) override {
    newton_.solve(b);
    return EvaluationResult::ok;
  }
  EvaluationResult solve_newton(Complex* b) override {
    newton_.solve(b);
    return EvaluationResult::ok;
  }

  EvaluationResult linearize_product(double t, const double* y) override {
    return failures.count(evaluate_tangents(t, y));
  }
  EvaluationResult jacobian_times(const double* x, double* Jx) override {
    as_vector(Jx + u_ + w_, tracked_).setZero();
    return failures.count(directional(x, Jx));
  }

  bool change_variables(double t, double* y) override {
    if (coordinates_.recover(t, y, y + u_) != EvaluationResult::ok || !coordinates_.improve()) return false;
    gather(coordinates_.q(), coordinates_.v(), y);
    newton_.jacobian.resize(0, 0);
    return true;
  }

  void weights(const ErrorTolerances& tolerances, const double* y, double* weight) const override {
    for (const int j : coordinates_.positions()) *weight++ = 1.0 / tolerances.of(j, *y++);
    for (const int j : coordinates_.velocities()) *weight++ = 1.0 / tolerances.of(j, *y++);
    for (int j = 0; j < tracked_; ++j) *weight++ = 1.0 / tolerances.of(j, *y++);
  }

  FormulationFacts facts() const override {
    FormulationFacts facts;
    facts.own = independent_;
    return facts;
  }

  std::vector<Fact> statistics() const override {
    const double recoveries = static_cast<double>(std::max(1L, coordinates_.recoveries()));
    return {{"changes of coordinates", "{}", {coordinates_.changes()}},
            {"position corrections, mean", "{}", {static_cast<double>(coordinates_.corrections()) / recoveries}}};
  }

  LinearCounts counts() const override {
    LinearCounts sum = saddle_.solver().counts();
    sum.factorizations += coordinates_.factorizations() + newton_.factorizations();
    return sum;
  }

  std::string linear_solver_description() const override {
    return saddle_.solver().description() + "; dense QR of the dependent block";
  }

 private:
  /// The entries of vectors of length n that belong to u and w, one after the other; returns where it ended.
  double* gather(const Eigen::VectorXd& positions, const Eigen::VectorXd& velocities, double* y) const {
    for (const int j : coordinates_.positions()) *y++ = positions[j];
    for (const int j : coordinates_.velocities()) *y++ = velocities[j];
    return y;
  }
  void track(const Eigen::VectorXd& x, double* y) const { as_vector(y, tracked_) = x.head(tracked_); }

  /// v' and lambda at the recovered point.
  EvaluationResult accelerations(double t) {
    const EvaluationResult result = saddle_.factorize(t, coordinates_.q().data(), coordinates_.v().data());
    return result == EvaluationResult::ok ? saddle_.accelerations(a_.data(), lambda_.data()) : result;
  }

  EvaluationResult evaluate_tangents(double t, const double* y) {
    EvaluationResult result = coordinates_.recover(t, y, y + u_);
    if (result == EvaluationResult::ok) result = accelerations(t);
    if (result != EvaluationResult::ok) return result;
    Workspace& w = saddle_.workspace();
    const Point point{t, coordinates_.q().data(), coordinates_.v().data(), a_.data(), lambda_.data()};
    if (!evaluate_system(saddle_.system(), request::tangent, point, w)) return EvaluationResult::declined;
    return coordinates_.linearize(w);
  }

  /// J x with J = d(u', w')/d(u, w): the change of (q, v) by the tangent of the constraints, then that of v' from the
  /// linearised saddle-point system
  ///
  ///     [ M  G^T ] [ dv'     ]     [ r_q dq + r_v dv                 ]
  ///     [ G   0  ] [ dlambda ] = - [ d(g'', psi')/dq dq + .../dv dv  ]
  EvaluationResult directional(const double* x, double* Jx) {
    const Workspace& w = saddle_.workspace();
    coordinates_.tangent(w, x, x + u_, delta_q_, delta_v_);
    const EvaluationResult result = change_of_acceleration(w);
    gather(delta_v_, top_, Jx);
    return result;
  }

  EvaluationResult evaluate_jacobian(double t, const double* y) {
    const int s = u_ + w_;
    EvaluationResult result = evaluate_tangents(t, y);
    newton_.jacobian.resize(s, s);
    for (int k = 0; k < s && result == EvaluationResult::ok; ++k) {
      unit_[k] = 1.0;
      result = directional(unit_.data(), newton_.jacobian.col(k).data());
      unit_[k] = 0.0;
    }
    if (result != EvaluationResult::ok) newton_.jacobian.resize(0, 0);
    return result;
  }

  /// top_ = dv' for delta_q_, delta_v_
  EvaluationResult change_of_acceleration(const Workspace& w) {
    top_.setZero();
    top_ -= w.r_q * delta_q_;
    top_ -= w.r_v * delta_v_;
    bottom_.setZero();
    bottom_ -= w.A_q * delta_q_;
    bottom_ -= w.A_v * delta_v_;
    return saddle_.solve(top_.data(), bottom_.data());
  }

  std::vector<Fact> describe(const MechanicalSystem& system) const {
    std::vector<Fact> facts{positions_fact("independent positions", system, coordinates_.positions())};
    if (system.num_velocity_constraints() > 0)
      facts.push_back(positions_fact("independent velocities", system, coordinates_.velocities()));
    return facts;
  }

  int n_;
  LinearSolverOptions options_;
  SaddlePointSystem saddle_;
  IndependentCoordinates coordinates_;
  int u_, w_;    // numbers of independent positions and velocities
  int tracked_;  // n if there are none of either, else 0
  std::vector<Fact> independent_;
  Eigen::VectorXd a_, lambda_, delta_q_, delta_v_, top_, bottom_, unit_;
  DenseNewton newton_;  // of (u, w)
};

}  // namespace

/// Generalised coordinate partitioning [WehageHaug1982]: only independent coordinates are integrated,
///
///     y = (u, w),    u' = velocities of the coordinates u,    w' = accelerations of the coordinates w
///
/// with u, w some of the positions and velocities. At each evaluation the dependent positions come from g(t, q) = 0 by
/// Newton's method, the dependent velocities from (g', psi) = 0, and v' from the saddle-point system without
/// stabilisation, which is exact there: g, g' and psi vanish to rounding, at every point and between the steps,
/// whatever the tolerance. y has n - rank(dg/dq) + n - rank(G) entries; redundant rows do not count.
///
/// Which coordinates are independent is decided by QR with column pivoting of G in units of the mass matrix. After each
/// accepted step the influence of the independent on the dependent coordinates is looked at; when it is large another
/// partition is chosen, y takes its meaning, and the integrator starts anew from there (an application with an
/// integrator of its own calls Attachment::change_variables). The number of entries never changes.
///
/// A mechanism without freedom (n = rank) has no such y. Its positions follow from t alone; then y holds the n
/// positions as integrals of v, and serves only to let the integrator choose its steps.
///
/// Newton systems of implicit integrators are exact: J is the tangent of the full system restricted to the constraint
/// manifold, one saddle-point solve for each entry of y, then a dense LU.
///
/// When to use: few degrees of freedom, long runs whose constraints must hold to rounding. The error of a step is that
/// of the independent coordinates only: at the same tolerance it takes fewer steps than baumgarte, which tests all
/// coordinates, with errors two to twenty times as large (tighten the tolerance).
/// When not: large systems (dense algebra, O(m^3) after each accepted step and O((n - m)^3) in Newton systems, also
/// with klu; from about 100 rows on use baumgarte or projected). Mechanisms that turn fast: multistep integrators start
/// anew at each change of partition, several times in a turn; use a Runge-Kutta method, or projected. Singular
/// configurations: the velocities carry the motion over an isolated one, but steps that end near it are declined, and
/// where the rank is another than at the start there is no way on (formulation penalty, or baumgarte with rank policy
/// minimum_norm). A start given as it is (Start::as_given) off the constraints is moved onto them, its independent
/// coordinates kept.
FormulationEntry make_coordinate_partitioning() {
  FormulationEntry entry;
  entry.unknowns = "2n - rank_g - rank";
  entry.when = "few freedoms, through singular poses";
  entry.when_not = "more than about 100 rows";
  entry.references = "[WehageHaug1982]";
  entry.promises.positions = entry.promises.velocities = Holds::to_rounding;
  entry.make = [](const FormulationInput& in) { return CoordinatePartitioning(in); };
  return entry;
}

}  // namespace sunlagrange::internal
