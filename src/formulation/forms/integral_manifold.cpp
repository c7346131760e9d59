// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/kinematic_program.hpp>

#include "consistency/kinematic_field.hpp"
#include "formulation/formulation.hpp"
#include "formulation/parts/contradictions.hpp"
#include "formulation/parts/newton_blocks.hpp"
#include "formulation/parts/right_hand_sides.hpp"
#include "formulation/parts/stabilization.hpp"

namespace sunlagrange::internal {
namespace {

class IntegralManifold final : public OdeFormulation,
                               public NewtonSystemOf<IntegralManifold>,
                               public JacobianProduct,
                               public ErrorLaw {
 public:
  explicit IntegralManifold(const FormulationInput& input)
      : OdeFormulation({input.system->num_positions(), 0}),
        n_(input.system->num_positions()),
        m_(input.system->num_constraints()),
        own_feedback_(input.system->program()->feedback != nullptr),
        options_(resolve_linear_solver(input.linear_solver, *input.system)),
        rates_(own_feedback_ ? renewed(input) : automatic(input)),
        product_rate_(rates_.rate),
        field_(input.system, options_, own_feedback_ ? GainMatrix{} : rates_.rate),
        sides_(0, m_),
        rows_(m_),
        contradictions_(*input.system) {
    acceleration_ = Acceleration::at_point;
    facts_ = rates_.facts;
    provides_.newton = this;
    provides_.product = this;
    if (own_feedback_) provides_.error_law = this;
  }

  EvaluationResult unpack(double t, const double* y, const double*, double* q, double* v, double* a) override {
    const EvaluationResult result = field_.velocity(t, y);
    if (result != EvaluationResult::ok) return result;
    as_vector(q, n_) = layout().q(y);
    as_vector(v, n_) = field_.v();
    return a == nullptr ? result : field_.acceleration(a);
  }

  EvaluationResult rhs(double t, const double* y, double* ydot) override {
    const EvaluationResult result = field_.velocity(t, y);
    if (result != EvaluationResult::ok) return result;
    q(ydot) = field_.v();
    if (field_.saddle().solver().rank() < m_) {
      rows_ = field_.required_rate();
      contradictions_.record(field_.quantities(), field_.v(), rows_);
    }
    return result;
  }

  bool error_matrix(double t, const double* y, const double*, Eigen::MatrixXd& A) override {
    if (field_.velocity(t, y) != EvaluationResult::ok) return false;
    A.resize(m_, m_);
    return field_.feedback_derivative(A.data());
  }

  EvaluationResult linearize_newton(double t, const double* y, const double*) override {
    const EvaluationResult result = evaluate_tangents(t, y, rates_.rate);
    if (result != EvaluationResult::ok) return result;
    const Workspace& w = field_.quantities();
    if (newton_ == nullptr) newton_ = std::make_unique<NewtonBlocks>(w, options_, &rates_, GainMatrix{});
    newton_->store(w);
    linearized_ = true;
    return result;
  }
  template <class Scalar>
  EvaluationResult factorize(Scalar gamma) {
    return newton_->factorize_program(gamma, rates_.rate);
  }

  /// (I - h J) x = b is [I + h r_y, A^T; A + h s_y, 0] (x, h mu) = (b, A b).
  template <class Scalar>
  EvaluationResult solve(Scalar, Scalar* b) {
    VectorOf<Scalar>& bottom = sides_.of<Scalar>().bottom;
    bottom.setZero();
    bottom += newton_->G() * q(b);
    return newton_->solve(b, bottom.data());
  }

  EvaluationResult linearize_product(double t, const double* y, const double*) override {
    return evaluate_tangents(t, y, product_rate_);
  }

  /// z = J x from [I A^T; A 0] (z, dmu) = -(r_y x, s_y x + K A x).
  EvaluationResult jacobian_times(double, const double* x, double* Jx) override {
    Eigen::VectorXd& bottom = sides_.of<double>().bottom;
    const Workspace& w = field_.quantities();
    auto z = q(Jx);
    z.setZero();
    z -= w.r_q * q(x);
    rows_.setZero();
    rows_ += w.G * q(x);
    bottom.setZero();
    bottom -= w.V_q * q(x);
    bottom -= product_rate_ * rows_;
    return field_.saddle().solve(Jx, bottom.data());
  }

  std::vector<Fact> statistics() const override { return contradictions_.facts(field_.saddle().system()); }

  FormulationCounts counts() const override {
    FormulationCounts sum = field_.saddle().solver().counts();
    if (newton_ != nullptr) sum += newton_->counts();
    return sum;
  }

  std::string linear_solver_description() const override { return field_.saddle().solver().description(); }

 private:
  static Stabilization automatic(const FormulationInput& input) {
    const GainAdvice advice = gain_advice(input);
    Stabilization s = Stabilization::none(*input.system);
    s.rate = advice.K_N;
    s.facts.K_N = {input.gains.K_N, advice.K_N};
    s.facts.advice = advice;
    return s;
  }

  static Stabilization renewed(const FormulationInput& input) {
    const int m = input.system->num_constraints();
    Stabilization s = Stabilization::none(*input.system);
    s.rate = {{}, Eigen::MatrixXd::Zero(m, m)};
    s.facts.advice = gain_advice(input);
    s.varying = true;
    s.facts.own = {{"feedback", "a(f, y, t) of the model", {}}};
    return s;
  }

  /// Evaluates the blocks of the field in the workspace, and -da/df.
  EvaluationResult evaluate_tangents(double t, const double* y, GainMatrix& rate) {
    EvaluationResult result = field_.velocity(t, y);
    if (result == EvaluationResult::ok) result = field_.linearize();
    if (result != EvaluationResult::ok || !own_feedback_) return result;
    if (!field_.feedback_derivative(rate.full.data())) return EvaluationResult::declined;
    rate.full = -rate.full;
    return result;
  }

  int n_;
  int m_;
  bool own_feedback_;
  LinearSolverOptions options_;
  Stabilization rates_;      // K_N of the Newton systems, or -da/df of a program's own feedback
  GainMatrix product_rate_;  // the same at the point of linearize_product()
  KinematicField field_;
  std::unique_ptr<NewtonBlocks> newton_;
  RealAndComplex<RightHandSides> sides_;  // without the upper parts
  Eigen::VectorXd rows_;
  Contradictions contradictions_;
};

}  // namespace

/// Kinematic programs with f = 0 as a stable integral manifold, [002, (7)-(9)]:
///
///     y' = w + A^+ (a - A w - f_t),     a = -K_N f,     hence  f' + K_N f = 0
///
/// with the tangential field w = c [AC], or the field of the model, whose normal part drops out. y has the n variables
/// only. Automatic gain: by advise_gains() from the rate at which the normals of f turn at the start. With fixed steps
/// tau the eigenvalues k of K_N must lie in the stability interval of the method: tau k < 2 for rk1 and rk2, 2.51 for
/// rk3, 2.79 for rk4. At fixed tau k the violation falls as tau^2 only, for every order. A model with a member
/// `feedback` replaces -K_N f. Newton systems have the pattern of the saddle-point matrix. When to use: always, for
/// programs. When not: mechanical systems.
FormulationEntry make_integral_manifold() {
  FormulationEntry entry;
  entry.unknowns = "n";
  entry.when = "kinematic programs (`make_program`)";
  entry.when_not = "mechanical systems";
  entry.references = "[002]";
  entry.for_programs = true;
  entry.accuracy.positions = ConstraintAccuracy::to_tolerance;
  entry.make = [](const FormulationInput& in) { return IntegralManifold(in); };
  return entry;
}

}  // namespace sunlagrange::internal
