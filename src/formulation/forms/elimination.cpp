#include <algorithm>
#include <cmath>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/difference_step.hpp>
#include <sunlagrange/model/kinematic_program.hpp>

#include "formulation/formulation.hpp"
#include "linear_algebra/dense_kernels.hpp"
#include "linear_algebra/pattern_products.hpp"
#include "linear_solver/coordinate_partition.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {
namespace {

/// Another partition is looked for when a dependent variable moves more than this times as far as an independent one,
/// and taken if it halves that.
constexpr double largest_influence = 10.0;

class Elimination final : public OdeFormulation {
 public:
  explicit Elimination(const FormulationInput& input)
      : OdeFormulation(input.system->num_positions()),
        system_(input.system),
        n_(system_->num_positions()),
        m_(system_->num_constraints()),
        workspace_(system_->make_workspace(storage_of(resolve_linear_solver(input.linear_solver, n_, m_)))),
        partition_(workspace_->patterns->jacobian, m_, std::sqrt(input.linear_solver.rank_threshold)),
        fixed_(!system_->program()->dependent.empty()) {
    for (auto* x : {&v_, &zero_, &column_, &row_scale_, &column_scale_})
      x->resize(static_cast<std::size_t>(std::max(n_, m_)));
    rows_.resize(static_cast<std::size_t>(std::max(n_, m_)));
    std::fill(row_scale_.begin(), row_scale_.end(), 1.0);
    std::fill(column_scale_.begin(), column_scale_.end(), 1.0);
    if (!evaluate(input.start.t, input.start.q.data()))
      throw Error("elimination: the model declines the start; check the given variables and its domain");
    if (fixed_)
      partition_.take(system_->program()->dependent);
    else if (!partition_.choose(workspace_->jacobian.data(), row_scale_.data(), column_scale_.data()))
      throw Error("elimination: the derivatives of the rows at the start have entries that are not finite");
    facts_.own = {{"dependent variables", names(), {}, fixed_}};
  }

  int size() const override { return n_; }

  void pack(const MotionState& state, double* y, double* yp) const override {
    std::copy(state.q.data(), state.q.data() + n_, y);
    if (yp != nullptr) std::copy(state.v.data(), state.v.data() + n_, yp);
  }

  EvaluationResult unpack(double t, const double* y, const double*, double* q, double* v, double* a) override {
    const EvaluationResult result = velocity(t, y);
    if (result != EvaluationResult::ok) return result;
    std::copy(y, y + n_, q);
    std::copy(v_.begin(), v_.begin() + n_, v);
    return a == nullptr ? result : along_motion(t, y, v, a);
  }

  Acceleration acceleration() const override { return Acceleration::at_point; }

  EvaluationResult rhs(double t, const double* y, double* ydot) override {
    const EvaluationResult result = velocity(t, y);
    if (result == EvaluationResult::ok) std::copy(v_.begin(), v_.begin() + n_, ydot);
    return failures.count(result);
  }

  EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) override {
    if (!reuse || jacobian_.empty()) {
      const EvaluationResult result = evaluate_jacobian(t, y);
      if (result != EvaluationResult::ok) return failures.count(result);
    }
    for (std::size_t k = 0; k < newton_.size(); ++k) newton_[k] = -gamma * jacobian_[k];
    for (std::size_t k = 0; k < newton_.size(); k += static_cast<std::size_t>(n_) + 1) newton_[k] += 1.0;
    ++newton_factorizations_;
    if (!kernels::all_finite(newton_.data(), n_ * n_)) return failures.count(EvaluationResult::not_finite);
    const bool factorized = kernels::factorize_lu(n_, newton_.data(), pivots_.data(), 0.0);
    return failures.count(factorized ? EvaluationResult::ok : EvaluationResult::singular);
  }

  EvaluationResult solve_newton(double* b) override {
    kernels::solve_lu(n_, newton_.data(), pivots_.data(), b);
    return EvaluationResult::ok;
  }

  /// y keeps its meaning, but off the manifold another partition is another field.
  bool change_variables(double t, double* y) override {
    if (fixed_ || !evaluate(t, y)) return false;
    const double* A = workspace_->jacobian.data();
    const bool regular = partition_.factorize(A) == LinearOutcome::ok;
    const double now = regular ? partition_.largest_influence(A) : INFINITY;
    if (now <= largest_influence) return false;
    CoordinatePartition other = partition_;
    if (!other.choose(A, row_scale_.data(), column_scale_.data(), partition_.rank()) ||
        other.factorize(A) != LinearOutcome::ok || !(other.largest_influence(A) <= 0.5 * now))
      return false;
    partition_ = std::move(other);
    jacobian_.clear();
    ++changes_;
    return true;
  }

  FormulationFacts facts() const override { return facts_; }
  std::vector<Fact> statistics() const override { return {{"changes of dependent variables", "{}", {changes_}}}; }

  LinearCounts counts() const override {
    LinearCounts c;
    c.factorizations = partition_.factorizations() + newton_factorizations_;
    return c;
  }

  std::string linear_solver_description() const override { return "dense QR of the dependent block"; }

 private:
  bool evaluate(double t, const double* y) {
    return system_->evaluate(request::force | request::jacobian, {t, y, zero_.data(), nullptr, nullptr}, *workspace_);
  }

  /// x_1 = -A_1^+ (A_2 x_2 + b) for x with x_2 given; in: b in rows_.
  void complete(double* x) {
    const Workspace& w = *workspace_;
    for (const int j : partition_.dependent()) x[j] = 0.0;
    add_product(w.patterns->jacobian, w.jacobian, x, rows_.data());
    partition_.solve(rows_.data());
    std::size_t row = 0;
    for (const int j : partition_.dependent()) x[j] = -rows_[row++];
  }

  /// v_ at the point.
  EvaluationResult velocity(double t, const double* y) {
    if (!evaluate(t, y)) return EvaluationResult::declined;
    const Workspace& w = *workspace_;
    const LinearOutcome factorized = partition_.factorize(w.jacobian.data());
    if (factorized != LinearOutcome::ok) return from_linear(factorized);
    std::copy(w.force.begin(), w.force.end(), v_.begin());
    std::copy(w.velocity.begin(), w.velocity.end(), rows_.begin());  // f_t: the velocities are zero
    complete(v_.data());
    return kernels::all_finite(v_.data(), n_) ? EvaluationResult::ok : EvaluationResult::not_finite;
  }

  /// J column by column: x_2 of w_y, x_1 from A x = -d(A v + f_t)/dy.
  EvaluationResult evaluate_jacobian(double t, const double* y) {
    const EvaluationResult result = velocity(t, y);
    if (result != EvaluationResult::ok) return result;
    Workspace& w = *workspace_;
    const Point point{t, y, v_.data(), v_.data(), zero_.data()};
    if (!system_->evaluate(request::tangent, point, w)) return EvaluationResult::declined;
    jacobian_.assign(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_), 0.0);
    newton_.resize(jacobian_.size());
    pivots_.resize(static_cast<std::size_t>(n_));
    for (int j = 0; j < n_; ++j) {
      double* x = jacobian_.data() + static_cast<std::ptrdiff_t>(j) * n_;
      std::fill(rows_.begin(), rows_.end(), 0.0);
      std::fill(column_.begin(), column_.end(), 0.0);
      column_[static_cast<std::size_t>(j)] = 1.0;
      add_product(w.patterns->tangent, w.residual_q, column_.data(), x, -1.0);
      add_product(w.patterns->jacobian, w.velocity_q, column_.data(), rows_.data());
      complete(x);
    }
    return result;
  }

  /// v' at the point of the last velocity(): x_2 of w', x_1 from A x = gamma. Explicit time in w by central
  /// differences.
  EvaluationResult along_motion(double t, const double* y, const double* v, double* a) {
    Workspace& w = *workspace_;
    if (!system_->evaluate(request::tangent, {t, y, v, v, zero_.data()}, w)) return EvaluationResult::declined;
    std::fill(a, a + n_, 0.0);
    add_product(w.patterns->tangent, w.residual_q, v, a, -1.0);
    if (!system_->evaluate(request::constraint, {t, y, v, nullptr, nullptr}, w)) return EvaluationResult::declined;
    for (int i = 0; i < m_; ++i) rows_[static_cast<std::size_t>(i)] = -w.bias[static_cast<std::size_t>(i)];
    double size = 0.0, speed = 0.0;
    for (int i = 0; i < n_; ++i) {
      size = std::max(size, std::abs(y[i]));
      speed = std::max(speed, std::abs(v[i]));
    }
    const double h = internal::difference_step * std::max(size > 0.0 && speed > 0.0 ? size / speed : 1.0, std::abs(t));
    for (const double side : {h, -h}) {
      if (!system_->evaluate(request::force, {t + side, y, zero_.data(), nullptr, nullptr}, w))
        return EvaluationResult::declined;
      for (int i = 0; i < n_; ++i) a[i] += w.force[static_cast<std::size_t>(i)] / (2.0 * side);
    }
    complete(a);
    return EvaluationResult::ok;
  }

  std::string names() const {
    std::string list;
    for (const int j : partition_.dependent()) list += (list.empty() ? "" : ", ") + system_->position_name(j);
    return list.empty() ? "none" : list;
  }

  std::shared_ptr<const MechanicalSystem> system_;
  int n_;
  int m_;
  std::unique_ptr<Workspace> workspace_;
  CoordinatePartition partition_;
  bool fixed_;
  FormulationFacts facts_;
  std::vector<double> v_, zero_, column_, rows_, row_scale_, column_scale_;
  std::vector<double> jacobian_, newton_;  // J and I - gamma J, column-major; made at the first use
  std::vector<int> pivots_;
  long newton_factorizations_ = 0;
  long changes_ = 0;
};

}  // namespace

/// Kinematic programs by elimination, [002, (4)]: the velocities of n - m variables are taken from the tangential
/// field, the others follow from f' = 0,
///
///     y2' = w2(y, t),     y1' = -A1^-1 (A2 w2 + f_t),     A = [A1 A2]
///
/// The differential equations contain f' only: the errors of all steps add up in f, nothing takes them back. Gains and
/// a model's feedback are not read. y1 is what the program names (ProgramOptions::dependent), else the pivot columns of
/// A, chosen anew where A1 becomes ill-conditioned; the integrator then starts anew. Redundant rows are satisfied in
/// the sense of least squares. Dense algebra whatever the linear solver, O(m^3) an evaluation. When to use: as the
/// baseline that shows what stabilisation is worth. When not: anything else; integral_manifold has the same motion on f
/// = 0 and no drift, and needs no det A1 (where it vanishes steps are declined here). The motion is the same if w is
/// tangential and the rows do not move (f_t = 0); else the dependent variables alone make up for both, and the motion
/// is another one on the same manifold.
FormulationEntry make_elimination() {
  FormulationEntry entry;
  entry.unknowns = "n";
  entry.when = "baseline for kinematic programs";
  entry.when_not = "anything long";
  entry.references = "[002]";
  entry.for_programs = true;
  entry.promises.same_motion_with_moving_rows = false;
  entry.make = [](const FormulationInput& in) { return Elimination(in); };
  return entry;
}

}  // namespace sunlagrange
