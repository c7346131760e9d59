// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/difference_step.hpp>
#include <sunlagrange/model/kinematic_program.hpp>

#include "base/numerics.hpp"
#include "formulation/formulation.hpp"
#include "formulation/parts/coordinate_partition.hpp"
#include "formulation/parts/dense_newton.hpp"
#include "formulation/parts/positions_fact.hpp"
#include "linear_algebra/dense_kernels.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

/// Largest ratio of the motions of a dependent and an independent variable. Beyond it another partition is sought, and
/// used if it halves the ratio.
constexpr double largest_influence = 10.0;

class Elimination final : public OdeFormulation, public JacobianProduct {
 public:
  explicit Elimination(const FormulationInput& input)
      : OdeFormulation({input.system->num_positions(), 0}),
        system_(input.system),
        n_(system_->num_positions()),
        m_(system_->num_constraints()),
        workspace_(make_workspace(*system_, storage_of(resolve_linear_solver(input.linear_solver, *system_)))),
        partition_(workspace_->patterns->jacobian, m_, input.linear_solver.rank_threshold),
        fixed_(!system_->program()->dependent.empty()),
        newton_(*this, n_) {
    zero_.setZero(std::max(n_, m_));
    v_.setZero(n_);
    for (auto* x : {&row_scale_, &column_scale_}) x->setOnes(std::max(n_, m_));
    rows_.setZero(std::max(n_, m_));
    if (!evaluate(input.start.t, input.start.q.data()))
      throw Error("elimination: the model declines the start; check the given variables and its domain");
    if (fixed_)
      partition_.set_dependent(system_->program()->dependent);
    else if (!partition_.choose(workspace_->G.data(), row_scale_.data(), column_scale_.data()))
      throw Error("elimination: the derivatives of the rows at the start have entries that are not finite");
    orientation_ = orientation();
    facts_.own = {positions_fact("dependent variables", *system_, partition_.dependent(), fixed_)};
    acceleration_ = Acceleration::at_point;
    provides_.newton = &newton_;
    provides_.product = this;
  }

  EvaluationResult unpack(double t, const double* y, const double*, double* q, double* v, double* a) override {
    const EvaluationResult result = velocity(t, y);
    if (result != EvaluationResult::ok) return result;
    as_vector(q, n_) = layout().q(y);
    as_vector(v, n_) = v_;
    return a == nullptr ? result : along_motion(t, y, as_vector(v, n_), as_vector(a, n_));
  }

  EvaluationResult rhs(double t, const double* y, double* ydot) override {
    const EvaluationResult result = velocity(t, y);
    if (result == EvaluationResult::ok) q(ydot) = v_;
    return result;
  }

  EvaluationResult linearize_product(double t, const double* y, const double*) override {
    const EvaluationResult result = velocity(t, y);
    if (result != EvaluationResult::ok) return result;
    const Point point{t, y, v_.data(), v_.data(), zero_.data()};
    return evaluate_system(*system_, request::tangent, point, *workspace_) ? result : EvaluationResult::declined;
  }

  /// J x: J_2 x of w_y, J_1 x from A J x = -d(A v + f_t)/dy x.
  EvaluationResult jacobian_times(double, const double* x, double* Jx) override {
    VectorMap z = q(Jx);
    z.setZero();
    z -= workspace_->r_q * q(x);
    rows_.setZero();
    rows_ += workspace_->V_q * q(x);
    complete(z);
    return EvaluationResult::ok;
  }

  /// y keeps its variables, but off the manifold another partition gives another field.
  bool change_variables(double t, double* y) override {
    if (fixed_ || !evaluate(t, y)) return false;
    const double* A = workspace_->G.data();
    const bool regular = partition_.factorize(A) == EvaluationResult::ok;
    const double now = regular ? partition_.largest_influence(A) : INFINITY;
    if (now <= largest_influence) return false;
    CoordinatePartition other = partition_;
    if (!other.choose(A, row_scale_.data(), column_scale_.data(), partition_.rank()) ||
        other.factorize(A) != EvaluationResult::ok || !(other.largest_influence(A) <= 0.5 * now))
      return false;
    partition_ = std::move(other);
    orientation_ = orientation();
    newton_.invalidate();
    ++changes_;
    return true;
  }

  std::vector<Fact> statistics() const override { return {{"changes of dependent variables", "{}", {changes_}}}; }

  FormulationCounts counts() const override {
    FormulationCounts c;
    c.factorizations = partition_.factorizations() + newton_.factorizations();
    c.solves = partition_.solutions() + newton_.solutions();
    return c;
  }

  std::string linear_solver_description() const override { return "dense QR of the dependent block"; }

 private:
  bool evaluate(double t, const double* y) {
    return evaluate_system(*system_, request::force | request::jacobian, {t, y, zero_.data(), nullptr, nullptr},
                           *workspace_);
  }

  /// Computes x_1 = -A_1^+ (A_2 x_2 + b) for x with x_2 given, and b in rows_.
  void complete(VectorMap x) {
    for (const int j : partition_.dependent()) x[j] = 0.0;
    rows_ += workspace_->G * x;
    partition_.solve(rows_.data());
    int row = 0;
    for (const int j : partition_.dependent()) x[j] = -rows_[row++];
  }

  /// Computes v_ at the point.
  EvaluationResult velocity(double t, const double* y) {
    if (!evaluate(t, y)) return EvaluationResult::declined;
    const Workspace& w = *workspace_;
    const EvaluationResult factorized = partition_.factorize(w.G.data());
    if (factorized != EvaluationResult::ok) return factorized;
    if (orientation() != orientation_) return EvaluationResult::singular;
    v_ = w.f;
    rows_.head(m_) = w.g_rate;  // f_t: the velocities are zero
    complete(as_vector(v_.data(), n_));
    return are_finite(v_.data(), n_) ? EvaluationResult::ok : EvaluationResult::not_finite;
  }

  /// Returns the sign of det A_1 at the evaluated point, or 0 with redundant rows: A_1 then has no determinant, and the
  /// independent rows may change along the motion (the rank policy detects a lower rank). No motion of these equations
  /// changes the sign: beyond det A_1 = 0 lies another branch, which only a step that is too long can reach.
  int orientation() {
    if (partition_.rank() != m_ || m_ == 0) return 0;
    block_.setZero(m_, m_);
    int column = 0;
    column_of_.setConstant(n_, -1);
    for (const int j : partition_.dependent()) column_of_[j] = column++;
    workspace_->G.for_each_entry([&](int i, int j, double entry) {
      if (column_of_[j] >= 0) block_(i, column_of_[j]) = entry;
    });
    block_pivots_.resize(m_);
    if (!kernels::factorize_lu(m_, block_.data(), block_pivots_.data(), 0.0)) return 0;
    int sign = 1;
    for (int k = 0; k < m_; ++k) {
      if (block_(k, k) < 0.0) sign = -sign;
      if (block_pivots_[k] != k) sign = -sign;
    }
    return sign;
  }

  /// Computes v' at the point of the last velocity(): x_2 of w', x_1 from A x = gamma. The explicit time dependence of
  /// w is differentiated by central differences.
  EvaluationResult along_motion(double t, const double* y, const VectorMap& v, VectorMap a) {
    Workspace& w = *workspace_;
    if (!evaluate_system(*system_, request::tangent, {t, y, v.data(), v.data(), zero_.data()}, w))
      return EvaluationResult::declined;
    a.setZero();
    a -= w.r_q * v;
    if (!evaluate_system(*system_, request::constraint, {t, y, v.data(), nullptr, nullptr}, w))
      return EvaluationResult::declined;
    rows_.head(m_) = -w.gamma;
    double size = 0.0, speed = 0.0;
    for (int i = 0; i < n_; ++i) {
      size = std::max(size, std::abs(y[i]));
      speed = std::max(speed, std::abs(v[i]));
    }
    const double h = difference_step * std::max(size > 0.0 && speed > 0.0 ? size / speed : 1.0, std::abs(t));
    for (const double side : {h, -h}) {
      if (!evaluate_system(*system_, request::force, {t + side, y, zero_.data(), nullptr, nullptr}, w))
        return EvaluationResult::declined;
      a += w.f / (2.0 * side);
    }
    complete(a);
    return EvaluationResult::ok;
  }

  std::shared_ptr<const MechanicalSystem> system_;
  int n_;
  int m_;
  std::unique_ptr<Workspace> workspace_;
  CoordinatePartition partition_;
  bool fixed_;
  Eigen::VectorXd v_, zero_, rows_, row_scale_, column_scale_;
  DenseNewton newton_;
  Eigen::MatrixXd block_;  // A_1
  Eigen::VectorXi block_pivots_, column_of_;
  int orientation_ = 0;
  long changes_ = 0;
};

}  // namespace

/// Kinematic programs by elimination, [002, (4)]: the velocities of n - m variables are taken from the tangential
/// field, the others follow from f' = 0,
///
///     y2' = w2(y, t),     y1' = -A1^-1 (A2 w2 + f_t),     A = [A1 A2]
///
/// The differential equations contain f' only: the errors of all steps accumulate in f. Gains and a model's feedback
/// are not read. y1 consists of the variables that the program names (ProgramOptions::dependent), else of the pivot
/// columns of A, which are chosen again if A1 becomes ill-conditioned; the integrator then restarts. Redundant rows are
/// satisfied in the sense of least squares. Dense algebra for every linear solver, O(m^3) per evaluation. When to use:
/// as the baseline for comparisons with stabilised forms. When not: anything else. integral_manifold has the same
/// motion on f = 0 without drift, and does not need det A1 (a step that reaches or changes its sign is declined here:
/// singular). The motion is the same if w is tangential and the rows do not move (f_t = 0). Otherwise only the
/// dependent variables are corrected, and the motion is another one on the same manifold.
FormulationEntry make_elimination() {
  FormulationEntry entry;
  entry.unknowns = "n";
  entry.when = "baseline for kinematic programs";
  entry.when_not = "anything long";
  entry.references = "[002]";
  entry.for_programs = true;
  entry.accuracy.same_motion_with_moving_rows = false;
  entry.make = [](const FormulationInput& in) { return Elimination(in); };
  return entry;
}

}  // namespace sunlagrange::internal
