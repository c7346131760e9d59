// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/consistency/velocity_jump.hpp>

#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/model/active_constraints.hpp>

#include "base/problems.hpp"
#include "base/words.hpp"
#include "consistency/manifold.hpp"
#include "consistency/numerical_failure.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::VectorXd;

/// Relative residual of the momentum balance at rounding level: ten times that of the rows, because it sums n products
/// and is relative to the impulse alone.
constexpr double jump_rounding = 10.0 * rounding_of_rows;

constexpr double noticeable = 1e-9;

/// Returns the coefficient of restitution of every row; NaN for kept rows.
VectorXd row_coefficients(const MechanicalSystem& system, const std::vector<std::string>& impacts,
                          const std::vector<double>& restitution) {
  VectorXd e = VectorXd::Constant(system.num_constraints(), NAN);
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    for (const int row : find_constraint_rows(system, {impacts[k]}, "velocity_jump")) e[row] = restitution[k];
  }
  return e;
}

void check(const MechanicalSystem& system, const InitialState& before, const std::vector<std::string>& impacts,
           const std::vector<double>& restitution) {
  std::string problems;
  const auto complain = [&](const std::string& complaint) { problems += "velocity_jump: " + complaint + "\n"; };
  const auto vector = [&](const std::string& field, const VectorXd& x) {
    if (x.size() != system.num_positions()) {
      complain(field + " has " + std::to_string(x.size()) + " entries, the system has " +
               std::to_string(system.num_positions()) + " positions");
    } else if (!x.allFinite()) {
      complain(field + " contains a value that is not finite");
    }
  };
  vector("q", before.q);
  vector("v", before.v);
  if (!std::isfinite(before.t)) complain("t is not finite");
  if (restitution.size() != impacts.size()) {
    complain("restitution has " + std::to_string(restitution.size()) + " entries, impacts has " +
             std::to_string(impacts.size()) + "; give one for each, or a single number");
  }
  for (std::size_t k = 0; k < restitution.size(); ++k) {
    const double e = restitution[k];
    if (e >= 0.0 && e <= 1.0) continue;
    if (k == 0 || e != restitution[k - 1]) complain("restitution = " + text(e) + ": must be in [0, 1]");
  }
  for (const std::string& name : impacts) {
    for (const int row : system.constraint_rows(name)) {
      if (row >= system.num_position_constraints()) {
        complain("\"" + system.constraint_name(row) + "\" is a velocity constraint; an impact needs a gap g(t,q)");
      }
    }
  }
  try {
    find_constraint_rows(system, impacts, "velocity_jump");
  } catch (const Error& error) {
    problems += std::string(error.what()) + "\n";
  }
  throw_if_any(problems);
}

class Jump {
 public:
  Jump(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& before, VectorXd coefficients,
       const VelocityJumpOptions& options)
      : evaluator_(evaluator_for(system, options.linear_solver)),
        saddle_(evaluator_, options.linear_solver),
        options_(options),
        before_(before),
        coefficient_(std::move(coefficients)),
        top_(system->num_positions()),
        bottom_(system->num_constraints()) {
    result_.v = before.v;
    result_.impulses = VectorXd::Zero(bottom_.size());
  }

  VelocityJump run() {
    EvaluationResult e = factorize();
    if (e == EvaluationResult::ok) {
      rate_before_ = rates();
      wanted_ = (-coefficient_.array() * rate_before_.array()).matrix();
      for (Eigen::Index i = 0; i < wanted_.size(); ++i) {
        if (std::isnan(coefficient_[i])) wanted_[i] = 0.0;
      }
      result_.kinetic_energy_before = kinetic_energy();
      e = iterate();
    }
    result_.status = numerical_failure(e, evaluator_, saddle_, before_.t);
    if (e == EvaluationResult::ok) account();
    return std::move(result_);
  }

 private:
  EvaluationResult factorize() {
    return saddle_.factorize(evaluator_.at(before_.t, before_.q.data(), result_.v.data()));
  }

  const PatternMatrix& M() const { return evaluator_.quantities().M; }
  const PatternMatrix& G() const { return evaluator_.quantities().G; }
  const VectorXd& rates() const { return evaluator_.quantities().g_rate; }

  /// Returns M (v - v-) + G^T P.
  VectorXd balance() const { return M().times(result_.v - before_.v) + G().transposed().times(result_.impulses); }

  double kinetic_energy() const { return 0.5 * result_.v.dot(M().times(result_.v)); }

  /// Newton steps on M (v - v-) + G^T P = 0, rate(v) = required, without the derivative of G^T P, which vanishes unless
  /// psi is nonlinear in v. ManifoldNewton does not fit: impulses are unknowns, too, and the first step may raise the
  /// residual of their equation, which is zero at the start.
  EvaluationResult iterate() {
    double previous = INFINITY;
    for (int k = 0; k < options_.max_iterations; ++k) {
      top_ = -balance();
      bottom_ = wanted_ - rates();
      const double now = residual();
      if (now <= jump_rounding || (k > 1 && !(now < 0.5 * previous))) break;
      previous = now;
      const EvaluationResult solved = saddle_.solve(top_.data(), bottom_.data());
      if (solved != EvaluationResult::ok) return solved;
      result_.v += top_;
      result_.impulses += bottom_;
      ++result_.iterations;
      const EvaluationResult e = factorize();
      if (e != EvaluationResult::ok) return e;
    }
    return EvaluationResult::ok;
  }

  /// Returns the largest relative residual of both equations and stores the worst row.
  double residual() {
    scale_ = rate_before_.cwiseAbs();
    const VectorXd size = before_.v.cwiseAbs().cwiseMax(result_.v.cwiseAbs());
    add_largest_terms(
        G(), [&size](int j) { return size[j]; }, scale_);
    const Violation worst = largest_violation(bottom_, scale_);
    if (worst.row >= 0) result_.worst_constraint = saddle_.system().constraint_name(worst.row);
    row_residual_ = worst.relative;
    // If a jump only removes rounding errors, 1e-6 of the momentum replaces its impulse.
    const double impulse =
        M().times(result_.v - before_.v).cwiseAbs().sum() + 1e-6 * M().times(before_.v).cwiseAbs().sum();
    balance_residual_ = impulse > 0.0 ? top_.cwiseAbs().sum() / impulse : 0.0;
    return std::max(row_residual_, balance_residual_);
  }

  void account() {
    VelocityJump& r = result_;
    const VectorXd after = rates();
    bottom_ = wanted_ - after;
    top_ = -balance();
    residual();
    r.violation = bottom_.size() > 0 ? bottom_.lpNorm<Eigen::Infinity>() : 0.0;
    if (r.violation == 0.0) r.worst_constraint.clear();
    r.rank = saddle_.solver().rank();
    r.kinetic_energy_after = kinetic_energy();
    r.loss = r.kinetic_energy_before - r.kinetic_energy_after;
    r.law_work = -0.5 * r.impulses.dot(rate_before_ + after);
    const double work = -0.5 * G().transposed().times(r.impulses).dot(before_.v + r.v);
    r.support_work = work - r.law_work;
    const double turned_over = 0.5 * r.impulses.cwiseAbs().dot(rate_before_.cwiseAbs() + after.cwiseAbs());
    r.energy_grew = r.law_work > noticeable * turned_over;
    record_contacts();
    if (row_residual_ > options_.tolerance) {
      r.status = {Outcome::infeasible,
                  "no velocities have the wanted rates at t = " + text(before_.t) + ": \"" + r.worst_constraint +
                      "\" is left with an error, largest |rate - wanted| = " + text(r.violation) +
                      "; it depends on rows that want something else: switch off the rows that open or repeat others"};
    } else if (balance_residual_ > options_.tolerance) {
      r.status = {Outcome::infeasible,
                  "the impulse of the nonlinear velocity constraints did not converge at t = " + text(before_.t) +
                      " within max_iterations = " + std::to_string(options_.max_iterations) + ", relative error " +
                      text(balance_residual_) + "; raise max_iterations"};
    } else {
      r.status.message = remarks();
    }
  }

  void record_contacts() {
    const double largest_impulse = result_.impulses.size() > 0 ? result_.impulses.lpNorm<Eigen::Infinity>() : 0.0;
    for (Eigen::Index i = 0; i < coefficient_.size(); ++i) {
      if (std::isnan(coefficient_[i])) continue;
      const std::string& name = saddle_.system().constraint_name(static_cast<int>(i));
      if (rate_before_[i] > noticeable * scale_[i]) result_.opening.push_back(name);
      if (result_.impulses[i] > noticeable * largest_impulse) result_.pulling.push_back(name);
    }
  }

  std::string remarks() const {
    std::string remark;
    const auto add = [&](const std::string& sentence) { remark += (remark.empty() ? "" : "; ") + sentence; };
    if (result_.energy_grew) {
      add("the impact law added " + text(result_.law_work) +
          " J: Newton's restitution is wrong here, resolve the impacts one after the other or use restitution 0");
    }
    if (!result_.opening.empty())
      add("opening before the impact: " + quoted(result_.opening) + ", switch these rows off");
    if (!result_.pulling.empty())
      add("the impulse pulls in " + quoted(result_.pulling) + ", where a contact would open: switch these rows off");
    return remark;
  }

  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  VelocityJumpOptions options_;
  const InitialState& before_;
  VectorXd coefficient_, rate_before_, wanted_;
  VectorXd top_, bottom_;
  VectorXd scale_;  // scale of the rate of each row
  double row_residual_ = 0.0;
  double balance_residual_ = 0.0;
  VelocityJump result_;
};

}  // namespace

VelocityJump velocity_jump(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& before,
                           const std::vector<std::string>& impacts, const std::vector<double>& restitution,
                           const VelocityJumpOptions& options) {
  require_forces(system, "velocity_jump", "has velocities that do not jump; use make_system");
  InitialState state = before;
  if (state.v.size() == 0) state.v = VectorXd::Zero(system->num_positions());
  check(*system, state, impacts, restitution);
  return Jump(system, state, row_coefficients(*system, impacts, restitution), options).run();
}

VelocityJump velocity_jump(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& before,
                           const std::vector<std::string>& impacts, double restitution,
                           const VelocityJumpOptions& options) {
  if (impacts.empty() && !(restitution >= 0.0 && restitution <= 1.0)) {
    throw Error("velocity_jump: restitution = " + text(restitution) + ": must be in [0, 1]");
  }
  return velocity_jump(system, before, impacts, std::vector<double>(impacts.size(), restitution), options);
}

}  // namespace sunlagrange
