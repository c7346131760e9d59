#include <sunlagrange/consistency/consistent_state.hpp>

#include <algorithm>
#include <cmath>

#include <sunlagrange/setting.hpp>

#include "consistency/numerical_failure.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {
namespace {

double max_abs(const std::vector<double>& x) {
  double largest = 0.0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

/// The projection of one state; its steps in the order in which they run.
class Projection {
 public:
  Projection(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
             const ConsistencyOptions& options)
      : saddle_(system, options.linear_solver),
        options_(options),
        n_(system->num_positions()),
        m_(system->num_constraints()),
        m_g_(system->num_position_constraints()),
        top_(Eigen::VectorXd::Zero(n_)),
        bottom_(Eigen::VectorXd::Zero(m_)) {
    MotionState& s = result_.state;
    s.t = given.t;
    s.q = given.q;
    s.v = given.v.size() == 0 ? Eigen::VectorXd::Zero(n_) : given.v;
    s.a = Eigen::VectorXd::Zero(n_);
    s.lambda = Eigen::VectorXd::Zero(m_);
  }

  ConsistentState run(const InitialState& given) {
    MotionState& s = result_.state;
    ConsistencyReport& r = result_.report;
    EvaluationResult e = factorize();
    if (saddle_point_available(e)) {
      r.position_violation_before = max_abs(saddle_.workspace().position);
      r.velocity_violation_before = max_abs(saddle_.workspace().velocity);
    }
    if (options_.start == Start::consistent) {
      if (e == EvaluationResult::ok) e = project_positions();
      if (e == EvaluationResult::ok && r.feasible) e = project_velocities();
      describe_motion(given);
    }
    if (e == EvaluationResult::ok && r.feasible) e = saddle_.accelerations(s.a.data(), s.lambda.data());
    finish(e);
    return std::move(result_);
  }

 private:
  static bool saddle_point_available(EvaluationResult e) { return e != EvaluationResult::declined; }

  EvaluationResult factorize() {
    const MotionState& s = result_.state;
    return saddle_.factorize(s.t, s.q.data(), s.v.data());
  }

  /// max_i |g_i| / (sum_j |G_ij| max|q|); remembers the worst row. A row whose gradient (nearly) vanishes at this point
  /// is measured with three hundredths of the largest one.
  double relative_residual(const std::vector<double>& values, double magnitude) {
    const Workspace& w = saddle_.workspace();
    const SparsePattern& G = w.patterns->jacobian;
    scale_.assign(static_cast<std::size_t>(m_), 0.0);
    for (std::size_t k = 0; k < w.jacobian.size(); ++k) {
      scale_[static_cast<std::size_t>(G.row_index[k])] += std::abs(w.jacobian[k]);
    }
    const double floor = 3e-2 * max_abs(scale_);
    double worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double scale = std::max(scale_[i], floor) * magnitude;
      const double relative = std::abs(values[i]) / (scale > 0.0 ? scale : 1.0);
      if (relative > worst || !std::isfinite(relative)) {
        worst = relative;
        result_.report.worst_constraint = saddle_.system().constraint_name(static_cast<int>(i));
      }
    }
    return worst;
  }

  EvaluationResult project_positions() {
    if (saddle_.system().num_position_constraints() == 0) return EvaluationResult::ok;
    Eigen::VectorXd& q = result_.state.q;
    const auto residual = [&] {
      const double magnitude = q.lpNorm<Eigen::Infinity>();
      return relative_residual(saddle_.workspace().position, magnitude > 0.0 ? magnitude : 1.0);
    };
    double now = residual();
    Eigen::VectorXd before = q;
    for (int k = 0; k < options_.max_iterations && now > 1e-16; ++k) {
      top_.setZero();
      bottom_.setZero();
      const std::vector<double>& g = saddle_.workspace().position;
      for (std::size_t i = 0; i < g.size(); ++i) bottom_[static_cast<Eigen::Index>(i)] = -g[i];
      const EvaluationResult solved = solve_for_positions();
      if (solved != EvaluationResult::ok) return solved;
      before = q;
      const double previous = now;
      double shortening = 1.0;
      for (int cut = 0; cut < 12; ++cut, shortening *= 0.5) {
        q = before + shortening * top_;
        const EvaluationResult e = factorize();
        if (e == EvaluationResult::ok) {
          now = residual();
          if (now < previous) break;
        } else if (cut == 11) {
          return e;
        }
      }
      ++result_.report.iterations;
      if (!(now < previous)) {  // stalled: keep the better of the two
        q = before;
        const EvaluationResult e = factorize();
        if (e != EvaluationResult::ok) return e;
        now = residual();
        break;
      }
      if (now > 0.99 * previous && now < options_.tolerance) break;
    }
    result_.report.feasible = now <= options_.tolerance;
    return EvaluationResult::ok;
  }

  /// [M G^T; G 0] with the g rows only: velocity constraints do not restrict where positions may be moved to.
  EvaluationResult solve_for_positions() {
    if (m_g_ == m_) return saddle_.solve(top_.data(), bottom_.data());
    const Workspace& w = saddle_.workspace();
    const SparsePattern& G = w.patterns->jacobian;
    if (rows_ == nullptr) {
      BlockPattern pattern;
      pattern.top_left = w.patterns->mass;
      std::vector<std::pair<int, int>> entries;
      for (int j = 0; j < n_; ++j) {
        for (int k = G.column_start[static_cast<std::size_t>(j)]; k < G.column_start[static_cast<std::size_t>(j) + 1];
             ++k) {
          if (G.row_index[static_cast<std::size_t>(k)] < m_g_)
            entries.emplace_back(G.row_index[static_cast<std::size_t>(k)], j);
        }
      }
      pattern.jacobian = pattern.bottom_left = SparsePattern::from_entries(m_g_, n_, std::move(entries));
      const LinearSolverOptions solver = resolve_linear_solver(options_.linear_solver, n_, m_);
      rows_ = find_linear_solver(solver.name).make(pattern, solver);
    }
    jacobian_.clear();
    for (std::size_t k = 0; k < w.jacobian.size(); ++k) {
      if (G.row_index[k] < m_g_) jacobian_.push_back(w.jacobian[k]);
    }
    BlockValues values;
    values.top_left = w.mass.data();
    values.jacobian = jacobian_.data();
    const LinearOutcome factorized = rows_->factorize(values);
    if (factorized == LinearOutcome::singular) return saddle_.solve(top_.data(), bottom_.data());  // massless rest
    if (factorized != LinearOutcome::ok) return from_linear(factorized);
    return from_linear(rows_->solve(top_.data(), bottom_.data()));
  }

  EvaluationResult project_velocities() {
    if (m_ == 0) return EvaluationResult::ok;
    Eigen::VectorXd& v = result_.state.v;
    double previous = 1e300;
    for (int k = 0; k < 10; ++k) {
      const double violation = max_abs(saddle_.workspace().velocity);
      if (violation == 0.0 || violation >= 0.5 * previous) break;
      previous = violation;
      top_.setZero();
      for (int i = 0; i < m_; ++i) bottom_[i] = -saddle_.workspace().velocity[static_cast<std::size_t>(i)];
      const EvaluationResult solved = saddle_.solve(top_.data(), bottom_.data());
      if (solved != EvaluationResult::ok) return solved;
      v += top_;
      const EvaluationResult e = factorize();
      if (e != EvaluationResult::ok) return e;
    }
    return EvaluationResult::ok;
  }

  void describe_motion(const InitialState& given) {
    ConsistencyReport& r = result_.report;
    Eigen::Index where = 0;
    r.moved_positions = (result_.state.q - given.q).cwiseAbs().maxCoeff(&where);
    if (r.moved_positions > 0.0) r.most_moved = saddle_.system().position_name(static_cast<int>(where));
    r.moved_velocities = given.v.size() == 0 ? result_.state.v.lpNorm<Eigen::Infinity>()
                                             : (result_.state.v - given.v).lpNorm<Eigen::Infinity>();
  }

  void finish(EvaluationResult e) {
    ConsistencyReport& r = result_.report;
    if (e != EvaluationResult::declined) {
      r.position_violation_after = max_abs(saddle_.workspace().position);
      r.velocity_violation_after = max_abs(saddle_.workspace().velocity);
      r.rank = saddle_.solver().rank();
    }
    r.accelerations_known = e == EvaluationResult::ok && r.feasible;
    const std::string at = " at t = " + text(result_.state.t);
    if (!r.feasible) {
      r.status = {Outcome::infeasible, "no configuration satisfies the constraints" + at +
                                           ": Gauss-Newton stalled with max |g| = " + text(r.position_violation_after) +
                                           ", worst in \"" + r.worst_constraint +
                                           "\"; check lengths and the given positions, or start closer"};
    } else {
      r.status = numerical_failure(e, saddle_, result_.state.t);
    }
  }

  SaddlePointSystem saddle_;
  ConsistencyOptions options_;
  int n_;
  int m_;
  int m_g_;
  std::unique_ptr<LinearSolver> rows_;  // of the g rows, if there are velocity constraints as well
  std::vector<double> jacobian_;
  Eigen::VectorXd top_;
  Eigen::VectorXd bottom_;
  std::vector<double> scale_;
  ConsistentState result_;
};

void check(const MechanicalSystem& system, const InitialState& given) {
  std::string problems;
  const auto vector = [&](const char* field, const Eigen::VectorXd& x, bool may_be_empty) {
    if (x.size() == 0 && may_be_empty) return;
    if (x.size() != system.num_positions()) {
      problems += std::string("initial state: ") + field + " has " + std::to_string(x.size()) +
                  " entries, the system has " + std::to_string(system.num_positions()) + " positions\n";
    } else if (!x.allFinite()) {
      problems += std::string("initial state: ") + field + " contains a value that is not finite\n";
    }
  };
  vector("q", given.q, false);
  vector("v", given.v, true);
  if (!std::isfinite(given.t)) problems += "initial state: t is not finite\n";
  if (!problems.empty()) throw Error(problems.substr(0, problems.size() - 1));
}

}  // namespace

ConsistentState consistent_state(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                                 const ConsistencyOptions& options) {
  check(*system, given);
  return Projection(system, given, options).run(given);
}

}  // namespace sunlagrange
