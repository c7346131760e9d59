// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/results/reactions.hpp>

#include <cmath>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>

#include "base/words.hpp"
#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

FormulationInput input_of(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                          const FormulationOptions& options) {
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  as_given.linear_solver = options.linear_solver;
  return {options, system, consistent_state(system, start, as_given).state};
}

Eigen::SparseMatrix<double> sparse(const PatternMatrix& A) {
  std::vector<Eigen::Triplet<double>> entries;
  A.for_each_entry([&](int i, int j, double entry) { entries.emplace_back(i, j, entry); });
  Eigen::SparseMatrix<double> matrix(A.pattern().rows, A.pattern().columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Status unknown(const char* what, EvaluationResult result, double t) {
  const FailureReason& reason = failure_reason(result);
  const InUse used{"", result == EvaluationResult::rank_loss};  // which only policy strict answers; no programs
  return {reason.outcome, what + (" at t = " + text(t)) + ": " + reason.what + "; " + reason.advice_for(used)};
}

}  // namespace

struct ReactionEvaluator::Parts {
  explicit Parts(const FormulationInput& input)
      : system(input.system),
        options(input.linear_solver),
        evaluator(evaluator_for(input.system, options)),
        ideal(evaluator, options),
        formulation(make_formulation(input)) {}

  /// True if a lost rank ends the evaluation: under the policy strict, but not for a form with a compliance, which
  /// keeps the rank and whose ideal part is then that of least norm.
  bool follow_formulation(const double* q, const double* v, Reactions& r) {
    ConstraintFeedback* feedback = formulation->provides().feedback;
    if (feedback == nullptr) return false;
    Eigen::VectorXd a(system->num_positions()), lambda(system->num_constraints());
    if (feedback->with_feedback(r.t, q, v, a.data(), lambda.data()) != EvaluationResult::ok) return false;
    options.rank_policy = RankPolicy::minimum_norm;
    ideal = SaddlePointSystem(evaluator, options);
    return fill_ideal(q, v, r) == EvaluationResult::ok;
  }

  /// Returns the part of the reactions that follows from the saddle-point system; the stabilising part is still zero.
  EvaluationResult fill_ideal(const double* q, const double* v, Reactions& r) {
    r.ideal.setZero(system->num_constraints());
    r.ideal_acceleration.setZero(system->num_positions());
    EvaluationResult result = ideal.factorize(evaluator.at(r.t, q, v));
    const Workspace& w = evaluator.quantities();
    if (result == EvaluationResult::ok) result = ideal.accelerations(w, r.ideal_acceleration.data(), r.ideal.data());
    r.position_violation = w.g;
    r.velocity_violation = w.g_rate;
    r.jacobian = sparse(w.G);
    r.rank = ideal.solver().rank();
    r.unique.assign(static_cast<std::size_t>(system->num_constraints()), true);
    if (result != EvaluationResult::ok) return result;
    const Eigen::VectorXd undetermined = ideal.undetermined_multipliers(w);
    for (Eigen::Index i = 0; i < undetermined.size(); ++i) {
      const double size = r.jacobian.row(static_cast<int>(i)).norm();
      r.unique[static_cast<std::size_t>(i)] = std::abs(undetermined[i]) * size <= SaddlePointSystem::undetermined_above;
    }
    return result;
  }

  std::shared_ptr<const MechanicalSystem> system;
  LinearSolverOptions options;
  PointEvaluator evaluator;
  SaddlePointSystem ideal;
  std::unique_ptr<Formulation> formulation;
};

ReactionEvaluator::ReactionEvaluator(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                                     const FormulationOptions& options) {
  require_forces(system, "reactions", "has no forces; mu is lambda of the trajectory");
  parts_ = std::make_unique<Parts>(input_of(system, start, options));
}

ReactionEvaluator::ReactionEvaluator(ReactionEvaluator&&) noexcept = default;
ReactionEvaluator& ReactionEvaluator::operator=(ReactionEvaluator&&) noexcept = default;
ReactionEvaluator::~ReactionEvaluator() = default;

Reactions ReactionEvaluator::at(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const MechanicalSystem& system = *parts_->system;
  const int n = system.num_positions();
  const int m = system.num_constraints();
  if (q.size() != n || v.size() != n) {
    throw Error("reactions: q has " + std::to_string(q.size()) + " and v " + std::to_string(v.size()) +
                " entries, the system has n = " + std::to_string(n));
  }
  Reactions named;
  named.t = t;
  for (int i = 0; i < m; ++i) named.names.push_back(system.constraint_name(i));
  Reactions r = named;
  EvaluationResult result = parts_->fill_ideal(q.data(), v.data(), r);
  if (result == EvaluationResult::rank_loss && parts_->follow_formulation(q.data(), v.data(), r))
    result = EvaluationResult::ok;
  if (result != EvaluationResult::ok) {
    named.status = unknown("ideal reactions", result, t);
    return named;
  }
  r.acceleration = r.ideal_acceleration;
  Eigen::VectorXd lambda = r.ideal;
  if (ConstraintFeedback* feedback = parts_->formulation->provides().feedback; feedback != nullptr) {
    result = feedback->with_feedback(t, q.data(), v.data(), r.acceleration.data(), lambda.data());
    if (result != EvaluationResult::ok) {
      named.status = unknown("reactions with stabilising terms", result, t);
      return named;
    }
  }
  r.tangential_force = Eigen::VectorXd::Zero(n);
  if (const ErrorLaw* law = parts_->formulation->provides().error_law;
      law != nullptr && law->tangential_force != nullptr)
    r.tangential_force = *law->tangential_force;
  r.stabilizing = lambda - r.ideal;
  r.generalized_force = -(r.jacobian.transpose() * r.ideal);
  r.stabilizing_force = -(r.jacobian.transpose() * r.stabilizing);
  r.acceleration_violation = r.jacobian * r.acceleration - parts_->evaluator.quantities().gamma;
  return r;
}

Reactions reactions(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                    const FormulationOptions& options) {
  ReactionEvaluator evaluator(system, state, options);
  const Eigen::VectorXd v = state.v.size() == 0 ? Eigen::VectorXd::Zero(state.q.size()) : state.v;
  return evaluator.at(state.t, state.q, v);
}

std::vector<int> Reactions::rows(const std::string& name) const {
  std::vector<int> found;
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& row = names[i];
    const bool part =
        row.size() > name.size() && row.rfind(name, 0) == 0 && (row[name.size()] == '[' || row[name.size()] == '.');
    if (row == name || part) found.push_back(static_cast<int>(i));
    if (i < 20) append_word(known, row);
  }
  if (found.empty()) {
    throw Error("reactions: no constraint is called \"" + name + "\"" + did_you_mean(name, names) + "; rows: " + known +
                (names.size() > 20 ? ", ... (" + std::to_string(names.size()) + " rows)" : ""));
  }
  return found;
}

namespace {

/// Returns the entries of the rows of `name`; empty if the reactions are not known.
Eigen::VectorXd selected(const Eigen::VectorXd& lambda, const std::vector<int>& rows) {
  if (lambda.size() == 0) return {};
  Eigen::VectorXd part(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) part[static_cast<Eigen::Index>(i)] = lambda[rows[i]];
  return part;
}

}  // namespace

Eigen::VectorXd Reactions::ideal_of(const std::string& name) const {
  return selected(ideal, rows(name));
}

Eigen::VectorXd Reactions::stabilizing_of(const std::string& name) const {
  return selected(stabilizing, rows(name));
}

Eigen::VectorXd Reactions::force_of(const std::string& name) const {
  Eigen::VectorXd part = Eigen::VectorXd::Zero(ideal.size());
  for (const int row : rows(name)) {
    if (ideal.size() > 0) part[row] = ideal[row];
  }
  return -(jacobian.transpose() * part);
}

void Reactions::describe(Figures& f) {
  f("t", t, "s", "time");
  status.describe(f);
  f("names", names, "names of the constraint rows");
  f("ideal", ideal, "unit of lambda", "physical multipliers; the force of the constraints is -G^T lambda");
  f("stabilizing", stabilizing, "unit of lambda", "part of the multipliers that reduces violations");
  f("generalized_force", generalized_force, "unit of force", "-G^T ideal, for each coordinate");
  f("stabilizing_force", stabilizing_force, "unit of force", "-G^T stabilizing, for each coordinate");
  f("tangential_force", tangential_force, "unit of force", "m2 of an excess energy, for each coordinate");
  f("acceleration", acceleration, "unit of v / s", "v' of the formulation");
  f("ideal_acceleration", ideal_acceleration, "unit of v / s", "v' without stabilising terms");
  f("position_violation", position_violation, "unit of g", "g");
  f("velocity_violation", velocity_violation, "unit of g / s", "(g', psi)");
  f("acceleration_violation", acceleration_violation, "unit of g / s^2", "(g'', psi')");
  f("jacobian", jacobian, "unit of g over unit of q", "G, a row for each constraint row");
  f.count("rank", rank, "constraint directions that the rank policy kept");
  f("unique", unique, "of each row, true if the motion determines its multiplier");
}

}  // namespace sunlagrange
