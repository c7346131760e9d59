// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "formulation/formulation.hpp"
#include "formulation/parts/dense_newton.hpp"
#include "formulation/parts/independent_coordinates.hpp"
#include "formulation/parts/positions_fact.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {
namespace {

class CoordinatePartitioning final : public OdeFormulation, public JacobianProduct {
 public:
  explicit CoordinatePartitioning(const FormulationInput& input)
      : OdeFormulation({input.system->num_positions(), input.system->num_positions()}),
        n_(input.system->num_positions()),
        options_(resolve_linear_solver(input.linear_solver, *input.system)),
        evaluator_(evaluator_for(input.system, options_)),
        saddle_(evaluator_, options_),
        coordinates_(input.system, options_, input.start, input),
        u_(static_cast<int>(coordinates_.positions().size())),
        w_(static_cast<int>(coordinates_.velocities().size())),
        tracked_(u_ + w_ == 0 ? n_ : 0),
        newton_(*this, u_ + w_) {
    for (auto* x : {&a_, &delta_q_, &delta_v_, &top_}) x->resize(n_);
    for (auto* x : {&lambda_, &bottom_}) x->resize(input.system->num_constraints());
    unknowns_ = {};
    unknowns_.size = u_ + w_ + tracked_;
    unknowns_.own_variables = true;
    set_coordinates_of_unknowns();
    acceleration_ = Acceleration::ideal;  // that of the integrated equations, which simulate() has computed anyway
    facts_.own = describe(*input.system);
    provides_.newton = &newton_;
    provides_.product = this;
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

  EvaluationResult rhs(double t, const double* y, double* ydot) override {
    EvaluationResult result = coordinates_.recover(t, y, y + u_);
    if (result == EvaluationResult::ok) result = accelerations(t);
    if (result == EvaluationResult::ok) track(coordinates_.v(), gather(coordinates_.v(), a_, ydot));
    return result;
  }

  EvaluationResult linearize_product(double t, const double* y, const double*) override {
    EvaluationResult result = coordinates_.recover(t, y, y + u_);
    if (result == EvaluationResult::ok) result = accelerations(t);
    if (result != EvaluationResult::ok) return result;
    const Point point{t, coordinates_.q().data(), coordinates_.v().data(), a_.data(), lambda_.data()};
    const Workspace* w = evaluator_.add(request::tangent, point);
    return w != nullptr ? coordinates_.linearize(*w) : EvaluationResult::declined;
  }

  /// J x with J = d(u', w')/d(u, w): the change of (q, v) by the tangent of the constraints, then that of v' from the
  /// linearised saddle-point system
  ///
  ///     [ M  G^T ] [ dv'     ]     [ r_q dq + r_v dv                 ]
  ///     [ G   0  ] [ dlambda ] = - [ d(g'', psi')/dq dq + .../dv dv  ]
  ///
  /// The tracked positions act on nothing: their columns, and their rows of I - gamma J, are those of I.
  EvaluationResult jacobian_times(double, const double* x, double* Jx) override {
    const Workspace& w = evaluator_.quantities();
    coordinates_.tangent(w, x, x + u_, delta_q_, delta_v_);
    top_.setZero();
    top_ -= w.r_q * delta_q_;
    top_ -= w.r_v * delta_v_;
    bottom_.setZero();
    bottom_ -= w.A_q * delta_q_;
    bottom_ -= w.A_v * delta_v_;
    const EvaluationResult result = saddle_.solve(top_.data(), bottom_.data());
    as_vector(gather(delta_v_, top_, Jx), tracked_).setZero();
    return result;
  }

  bool change_variables(double t, double* y) override {
    if (coordinates_.recover(t, y, y + u_) != EvaluationResult::ok || !coordinates_.improve()) return false;
    gather(coordinates_.q(), coordinates_.v(), y);
    newton_.invalidate();
    set_coordinates_of_unknowns();
    return true;
  }

  std::vector<Fact> statistics() const override {
    const double recoveries = static_cast<double>(std::max(1L, coordinates_.recoveries()));
    return {{"changes of coordinates", "{}", {coordinates_.changes()}},
            {"position corrections, mean", "{}", {static_cast<double>(coordinates_.corrections()) / recoveries}}};
  }

  FormulationCounts counts() const override {
    FormulationCounts sum = saddle_.solver().counts();
    sum.factorizations += coordinates_.factorizations() + newton_.factorizations();
    sum.solves += coordinates_.solutions() + newton_.solutions();
    return sum;
  }

  std::string linear_solver_description() const override {
    return saddle_.solver().description() + "; dense QR of the dependent block";
  }

 private:
  /// Copies the entries that belong to u and w, one after the other; returns the end.
  double* gather(const Eigen::VectorXd& positions, const Eigen::VectorXd& velocities, double* y) const {
    for (const int j : coordinates_.positions()) *y++ = positions[j];
    for (const int j : coordinates_.velocities()) *y++ = velocities[j];
    return y;
  }
  void track(const Eigen::VectorXd& x, double* y) const { as_vector(y, tracked_) = x.head(tracked_); }

  /// v' and lambda at the recovered point.
  EvaluationResult accelerations(double t) {
    const Workspace* at = evaluator_.at(t, coordinates_.q().data(), coordinates_.v().data());
    const EvaluationResult result = saddle_.factorize(at);
    return result == EvaluationResult::ok ? saddle_.accelerations(*at, a_.data(), lambda_.data()) : result;
  }

  void set_coordinates_of_unknowns() {
    coordinate_of_ = coordinates_.positions();
    coordinate_of_.insert(coordinate_of_.end(), coordinates_.velocities().begin(), coordinates_.velocities().end());
    for (int j = 0; j < tracked_; ++j) coordinate_of_.push_back(j);
  }

  std::vector<Fact> describe(const MechanicalSystem& system) const {
    std::vector<Fact> facts{positions_fact("independent positions", system, coordinates_.positions())};
    if (system.num_velocity_constraints() > 0)
      facts.push_back(positions_fact("independent velocities", system, coordinates_.velocities()));
    return facts;
  }

  int n_;
  LinearSolverOptions options_;
  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  IndependentCoordinates coordinates_;
  int u_, w_;    // numbers of independent positions and velocities
  int tracked_;  // n if there are none of either, else 0
  Eigen::VectorXd a_, lambda_, delta_q_, delta_v_, top_, bottom_;
  DenseNewton newton_;  // of (u, w)
};

}  // namespace

/// Generalised coordinate partitioning [WehageHaug1982]: only independent coordinates are integrated,
///
///     y = (u, w),    u' = velocities of the coordinates u,    w' = accelerations of the coordinates w
///
/// with u, w some of the positions and velocities. At each evaluation the dependent positions follow from g(t, q) = 0
/// by Newton's method, the dependent velocities from (g', psi) = 0, and v' from the saddle-point system without
/// stabilisation. Hence g, g' and psi vanish to rounding at every point and between the steps, at any tolerance. y has
/// n - rank(dg/dq) + n - rank(G) entries; redundant rows do not count.
///
/// A QR decomposition of G with column pivoting, in units of the mass matrix, chooses the independent coordinates.
/// After each accepted step their influence on the dependent ones is measured. If it is large, another partition is
/// chosen, y gets its variables, and the integrator restarts (an application that owns its integrator calls
/// Attachment::change_variables). The number of entries never changes.
///
/// A mechanism without freedom (n = rank) has no such y. Its positions follow from t alone; y then contains the n
/// positions as integrals of v, only to let the integrator choose its steps.
///
/// Newton systems of implicit integrators are exact: J is the tangent of the full system restricted to the constraint
/// manifold, one saddle-point solve for each entry of y, then a dense LU.
///
/// When to use: few degrees of freedom, long runs whose constraints must hold to rounding. The error test contains the
/// independent coordinates only: at the same tolerance there are fewer steps than with baumgarte, which tests all
/// coordinates, and errors two to twenty times as large (tighten the tolerance).
/// When not: large systems (dense algebra, O(m^3) after each accepted step and O((n - m)^3) in Newton systems, also
/// with klu; use baumgarte or projected from about 100 rows on). Mechanisms that turn fast: multistep integrators
/// restart at each change of partition, several times in a turn (use a Runge-Kutta method, or projected). Singular
/// poses: the velocities carry the motion over an isolated one, but steps that end near it are declined, and a run
/// cannot continue with another rank than at the start (use penalty, or baumgarte with rank policy minimum_norm). A
/// start as given (Start::as_given) that violates the constraints is moved onto them, with its independent coordinates
/// kept.
FormulationEntry make_coordinate_partitioning() {
  FormulationEntry entry;
  entry.unknowns = "2n - rank_g - rank";
  entry.when = "few freedoms, through singular poses";
  entry.when_not = "more than about 100 rows";
  entry.references = "[WehageHaug1982]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_rounding;
  entry.make = [](const FormulationInput& in) { return CoordinatePartitioning(in); };
  return entry;
}

}  // namespace sunlagrange::internal
