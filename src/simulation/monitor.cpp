#include "simulation/monitor.hpp"

#include <sunlagrange/consistency/redundancy.hpp>

#include "simulation/crossing.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange {
namespace {

/// Violations above this, relative to sum|G| max|q|, start a feasibility check, again after growth by half and after
/// each hundredth of the interval.
constexpr double suspicious_violation = 2e-5;

/// The neighbourhood that AtSingularity::project leaves out, in rank thresholds; the rank filter acts below ten, and
/// accelerations from there would be useless.
constexpr double edge_of_singularity = 30.0;

/// Largest number of constraint rows for which redundancy is analysed.
constexpr int most_rows_analysed = 300;

double max_abs(const Eigen::VectorXd& x) {
  double largest = 0.0;
  for (const double value : x) largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : value;
  return largest;
}

LinearSolverOptions tolerant(LinearSolverOptions options) {
  options.rank_policy = RankPolicy::minimum_norm;
  return options;
}

}  // namespace

RunMonitor::RunMonitor(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
                       const SimulationOptions& options)
    : system_(system),
      options_(options),
      full_rows_(rows),
      saddle_(system, tolerant(options.linear_solver)),
      rows_(system->make_workspace(Storage::sparse)),
      zero_(Eigen::VectorXd::Zero(system->num_positions())),
      energy_valid_(system->energy_known()),
      singularity_(*system, options.linear_solver.rank_threshold),
      mass_diagonal_(static_cast<std::size_t>(system->num_positions())),
      permanently_lost_(-1) {}

void RunMonitor::restart(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
                         double work) {
  system_ = system;
  full_rows_ = rows;
  saddle_ = SaddlePointSystem(system, tolerant(options_.linear_solver));
  rows_ = system->make_workspace(Storage::sparse);
  mass_slots_.clear();
  last_.clear();
  start_q_.resize(0);
  singularity_.restart(*system);
  permanently_lost_ = -1;
  work_ += work;
}

/// Asked once, at the start or after an event. A deficient rank there is permanent or an unlucky pose; which, the
/// redundancy analysis tells (dense: for systems beyond it the solver's rank is taken).
int RunMonitor::count_permanently_lost(double t, const double* q, const double* v) {
  const int n = system_->num_positions();
  const int m = system_->num_constraints();
  const int lost = m - saddle_.solver().rank();
  if (m == 0 || (lost == 0 && saddle_.solver().weakest_mode().value > options_.linear_solver.rank_threshold)) return 0;
  if (m > most_rows_analysed) return lost;
  const RedundancyReport report =
      analyse_redundancy(system_, t, Eigen::Map<const Eigen::VectorXd>(q, n), Eigen::Map<const Eigen::VectorXd>(v, n));
  return report.status.finished() ? report.permanent : lost;
}

void RunMonitor::evaluate(double t, const double* q, const double* v, PathSample& s) {
  const int n = system_->num_positions();
  s.t = t;
  s.q = Eigen::Map<const Eigen::VectorXd>(q, n);
  s.v = Eigen::Map<const Eigen::VectorXd>(v, n);
  s.a = Eigen::VectorXd::Zero(n);
  s.lambda = Eigen::VectorXd::Constant(system_->num_constraints(), Report::none);
  s.smallest = 1.0;
  s.weakest_row = -1;
  s.power = 0.0;
  s.regular = false;
  const EvaluationResult factorized = saddle_.factorize(t, q, v);
  s.evaluated = factorized != EvaluationResult::declined;
  if (!s.evaluated) return;
  const auto solved = [&] {
    return system_->first_order() ? saddle_.multipliers_of(v, s.lambda.data())
                                  : saddle_.accelerations(s.a.data(), s.lambda.data());
  };
  if (factorized == EvaluationResult::ok && solved() == EvaluationResult::ok) {
    s.regular = true;
    if (permanently_lost_ < 0) permanently_lost_ = count_permanently_lost(t, q, v);
    const WeakestMode mode = saddle_.solver().weakest_mode(permanently_lost_);
    s.smallest = mode.value;
    s.weakest_row = mode.row;
  } else {
    s.a.setZero();
    s.lambda.setConstant(Report::none);
    s.smallest = 0.0;
  }
}

/// Power of everything the energy does not contain: other applied forces (from the model) and moving constraints,
/// lambda^T g_t; for psi rows -lambda^T (psi_v v - psi), zero for constraints homogeneous in v.
double RunMonitor::power(double t, const double* q, const double* v, const double* lambda) {
  if (!system_->evaluate(request::energy, {t, q, v, nullptr, nullptr}, *rows_)) return Report::none;
  double sum = rows_->power;
  if (!system_->evaluate(request::constraint, {t, q, zero_.data(), nullptr, nullptr}, *rows_)) return Report::none;
  for (Eigen::Index i = 0; i < rows_->g_rate.size(); ++i) {
    if (rows_->g_rate[i] != 0.0) sum += lambda[i] * rows_->g_rate[i];
  }
  return sum;
}

/// Gauss-Legendre with three points on the dense output of the step.
void RunMonitor::add_work(const PathSample& from, const PathSample& to) {
  if (from.power == 0.0 && to.power == 0.0) return;
  const double h = to.t - from.t;
  const double offset = std::sqrt(0.6);
  const double nodes[] = {0.5 - 0.5 * offset, 0.5, 0.5 + 0.5 * offset};
  const double weights[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  for (int k = 0; k < 3; ++k) {
    const PathSample s = between(from.t + nodes[k] * h);
    work_ += h * weights[k] * power(s.t, s.q.data(), s.v.data(), s.lambda.data());
  }
}

PathSample RunMonitor::between(double t) {
  Trajectory piece(system_->num_positions(), 0);
  for (const PathSample& s : last_) piece.append(s.t, s.q.data(), s.v.data(), s.a.data(), nullptr);
  const Eigen::VectorXd q = piece.position_at(t);
  const Eigen::VectorXd v = piece.velocity_at(t);
  PathSample s;
  evaluate(t, q.data(), v.data(), s);
  return s;
}

void RunMonitor::set_start_acceleration(const double* a, Simulation& run) {
  if (last_.size() == 1) last_.front().a = Eigen::Map<const Eigen::VectorXd>(a, system_->num_positions());
  if (first_ < run.trajectory.size()) run.trajectory.set_acceleration(first_, a);
}

void RunMonitor::set_start_velocity(const double* v, Simulation& run) {
  if (last_.size() == 1) last_.front().v = Eigen::Map<const Eigen::VectorXd>(v, system_->num_positions());
  if (first_ < run.trajectory.size()) run.trajectory.set_velocity(first_, v);
}

void RunMonitor::record(const PathSample& s, Trajectory& trajectory) {
  full_lambda_.setZero(trajectory.num_constraints());
  for (std::size_t i = 0; i < full_rows_.size(); ++i)
    full_lambda_[full_rows_[i]] = s.lambda[static_cast<Eigen::Index>(i)];
  trajectory.append(s.t, s.q.data(), s.v.data(), s.a.data(), full_lambda_.data());
}

std::string RunMonitor::weakest_constraint() const {
  return last_.empty() || last_.back().weakest_row < 0 ? "" : system_->constraint_name(last_.back().weakest_row);
}

void RunMonitor::accept(double t, const double* q, const double* v, const double* a, Simulation& run) {
  const int n = system_->num_positions();
  Report& report = run.report;
  PathSample now;
  if (last_.size() == 3) {  // its memory is used again
    now = std::move(last_.front());
    last_.pop_front();
  }
  evaluate(t, q, v, now);
  if (a != nullptr) now.a = Eigen::Map<const Eigen::VectorXd>(a, n);
  if (now.evaluated) {
    const Workspace& w = saddle_.workspace();
    const double violation = max_abs(w.g);
    report.max_position_violation = std::max(report.max_position_violation, violation);
    report.max_velocity_violation =
        system_->first_order() ? Report::none : std::max(report.max_velocity_violation, max_abs(w.g_rate));
    const double magnitude = now.q.lpNorm<Eigen::Infinity>();
    double entry = 0.0;
    for (const double x : w.G.values) entry = std::max(entry, std::abs(x));
    const double scale = entry > 0.0 ? entry * (magnitude > 0.0 ? magnitude : 1.0) : 1.0;
    if (start_q_.size() == 0) {
      start_q_ = now.q;
      // a start that happens to be near q = 0 is measured by the way that lies ahead
      const double ahead = report.t_end - t;
      const double way = std::max(now.v.lpNorm<Eigen::Infinity>() * ahead,
                                  now.regular ? 0.5 * now.a.lpNorm<Eigen::Infinity>() * ahead * ahead : 0.0);
      start_scale_ = std::max({start_scale_, scale, magnitude > 1e-3 * way ? 0.0 : entry * way});
    }
    relative_violation_ = violation / std::max(scale, 1e-3 * start_scale_);  // q may pass zero
    divergence_ = violation / start_scale_;
  }
  now.power = energy_valid_ ? power(t, q, v, now.lambda.data()) : 0.0;
  const double energy = rows_->energy;
  last_.push_back(std::move(now));
  if (energy_valid_) {
    if (std::isnan(energy_start_)) {
      energy_start_ = energy;
      report.energy_drift = 0.0;
    } else {
      if (last_.size() > 1) add_work(last_[last_.size() - 2], last_.back());
      report.energy_drift = std::max(report.energy_drift, std::abs(energy - energy_start_ - work_));
      if (!std::isfinite(work_) || !std::isfinite(energy)) {
        energy_valid_ = false;
        report.energy_drift = Report::none;
      }
    }
  }
  if (system_->num_constraints() > 0) {
    const Workspace& w = saddle_.workspace();
    if (mass_slots_.empty()) {
      for (int i = 0; i < n; ++i) mass_slots_.push_back(w.patterns->mass.slot(i, i));
    }
    for (std::size_t i = 0; i < mass_slots_.size(); ++i)
      mass_diagonal_[i] = w.M.values[mass_slots_[i]];
    singularity_.accept(
        last_, [this](double s) { return between(s); }, mass_diagonal_, report);
  }
  const PathSample& s = last_.back();
  if (last_.size() == 1) first_ = run.trajectory.size();
  if (options_.record == Record::every_step || run.trajectory.empty()) record(s, run.trajectory);
  report.t_reached = t;
}

bool RunMonitor::infeasible_at(double t, const Eigen::VectorXd& q, Status& status) const {
  ConsistencyOptions options;
  options.linear_solver = tolerant(options_.linear_solver);
  options.tolerance = suspicious_violation;
  const ConsistentState projected = consistent_state(system_, {t, q, {}}, options);
  if (projected.report.feasible) return false;
  // The solution itself may have gone astray: then the start still leads to a feasible configuration.
  if (start_q_.size() > 0 && consistent_state(system_, {t, start_q_, {}}, options).report.feasible) return false;
  // Gauss-Newton also stalls at a singular configuration from which a feasible one can be reached: look around.
  const double magnitude = q.lpNorm<Eigen::Infinity>();
  for (int k = 1; k <= 4; ++k) {
    Eigen::VectorXd nearby = q;
    for (Eigen::Index i = 0; i < q.size(); ++i)
      nearby[i] += 0.02 * k * (magnitude > 0.0 ? magnitude : 1.0) * std::sin(2.4 * static_cast<double>((i + 1) * k));
    if (consistent_state(system_, {t, nearby, {}}, options).report.feasible) return false;
  }
  status = projected.report.status;
  return true;
}

bool RunMonitor::became_infeasible(const Simulation& run, Status& status) {
  if (run.report.t_reached == run.report.t_start) return false;
  if (relative_violation_ < suspicious_violation) return false;
  const double since_check = run.report.t_reached - checked_time_;
  if (relative_violation_ < 1.5 * checked_violation_ && since_check < 0.01 * (run.report.t_end - run.report.t_start)) {
    return false;
  }
  checked_violation_ = relative_violation_;
  checked_time_ = run.report.t_reached;
  return infeasible_at(last_.back().t, last_.back().q, status);
}

std::optional<MotionState> RunMonitor::beyond_singularity() const {
  if (options_.at_singularity != AtSingularity::project || last_.size() < 2) return std::nullopt;
  const PathSample& now = last_.back();
  const double level = edge_of_singularity * options_.linear_solver.rank_threshold;
  if (!(now.smallest < level) || !(now.smallest < last_[last_.size() - 2].smallest)) return std::nullopt;
  return cross_singularity(system_, tolerant(options_.linear_solver), singularity_.regular_before(), now, level,
                           options_.t_end);
}

bool RunMonitor::motion_ends_here(double last_step, double ahead, Status& status) {
  const PathSample& s = last_.back();
  for (double later = std::max(last_step, 1e-3 * ahead);; later *= 4.0) {
    const double probe = std::min(later, ahead);
    if (infeasible_at(s.t + probe, s.q + probe * s.v, status)) return true;
    if (probe >= ahead) return false;
  }
}

void RunMonitor::finish(Simulation& run) {
  if (system_->num_constraints() > 0) {
    singularity_.finish(
        last_, [this](double s) { return between(s); }, mass_diagonal_, run.report);
  }
  if (options_.record == Record::ends_only && run.report.steps > 0 && !last_.empty()) {
    record(last_.back(), run.trajectory);
  }
}

}  // namespace sunlagrange
