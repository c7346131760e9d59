// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/sampled_path.hpp"

#include <cmath>

#include <sunlagrange/consistency/redundancy.hpp>

#include "base/interpolation.hpp"
#include "base/numerics.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by lean_runs_test (how rarely states are factorised and ranked) and branches_test (that no rank drop is
/// missed).
struct SamplingThresholds {
  int rows_analysed = 300;  ///< redundancy is analysed for at most so many constraint rows
  double turn = 0.1;  ///< change of an entry of G, relative to the largest of its row, after which rank is determined
                      ///< again: a row has turned by so many radians, and a rank drop is as
                      ///< wide as the turn through it
  double low_rank = 0.1;       ///< rank is determined at every state below this, relative to the best so far
  int most_unranked = 20;      ///< states after which rank is determined at the latest
  double rounding = 1e-13;     ///< residual that iterative refinement may leave, relative to the terms
  int refinements = 4;         ///< at most
  int useful_refinements = 1;  ///< more solutions take as long as a factorisation and one solution,
  int factorised = 16;         ///< and the next states are factorised then
};
constexpr SamplingThresholds sampling_threshold;

}  // namespace

LinearSolverOptions tolerant(LinearSolverOptions options) {
  options.rank_policy = RankPolicy::minimum_norm;
  return options;
}

SampledPath::SampledPath(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options,
                         bool sparing)
    : system_(std::move(system)),
      options_(tolerant(options)),
      sparing_(sparing),
      evaluator_(evaluator_for(system_, options_)),
      saddle_(evaluator_, options_) {}

void SampledPath::restart(std::shared_ptr<const MechanicalSystem> system) {
  system_ = std::move(system);
  evaluator_ = evaluator_for(system_, options_);
  saddle_ = SaddlePointSystem(evaluator_, options_);
  ranked_.clear();
  samples_.clear();
  permanently_lost_ = -1;
  largest_ = 0.0;
  turned_.forget();
}

void SampledPath::accept(double t, const double* q, const double* v, const double* a, const LastEvaluation* nearby) {
  PathSample now;
  if (!spare_.empty()) {
    now = std::move(spare_.back());
    spare_.pop_back();
  }
  place(t, q, v, now);
  const bool taken = take_quantities(nearby, now);
  now.evaluated = evaluate(now, taken ? request::energy : request::acceleration_level | request::energy);
  if (now.evaluated && (rank_is_due() || !(taken ? solve_there(nearby, now) : solve_with(nearby, now)))) factorise(now);
  if (!now.evaluated) evaluator_.forget_energy();
  if (a != nullptr) now.a = Eigen::Map<const Eigen::VectorXd>(a, system_->num_positions());
  keep(std::move(now));
}

void SampledPath::keep(PathSample sample) {
  unranked_ = sample.ranked ? 0 : unranked_ + 1;
  if (!sample.ranked) {
    sample.smallest = newest().smallest;
    sample.with_masses = newest().with_masses;
    sample.weakest_row = newest().weakest_row;
  }
  samples_.push_back(std::move(sample));
  if (!newest().ranked) return;
  if (newest().evaluated) turned_.note(evaluator_.quantities().G, sampling_threshold.turn);
  largest_ = std::max(largest_, newest().smallest);
  if (ranked_.size() == 3) {
    ranked_.erase(ranked_.begin());
    for (; &samples_.front() != ranked_.front(); samples_.pop_front()) spare_.push_back(std::move(samples_.front()));
  }
  ranked_.push_back(&newest());
}

double SampledPath::time_of_pose() const {
  if (ranked_.size() < 2) return INFINITY;
  const PathSample &a = *ranked_[ranked_.size() - 2], &b = *ranked_.back();
  const double now = std::sqrt(b.smallest), fall = std::sqrt(a.smallest) - now;
  return fall > 0.0 ? b.t + now * (b.t - a.t) / fall : INFINITY;
}

void SampledPath::rank_newest() {
  if (newest().ranked) return;
  PathSample now = newest();
  solve(now);
  if (now.regular) rank(now);
  now.a = newest().a;
  samples_.pop_back();
  keep(std::move(now));
}

void SampledPath::set_start_acceleration(const double* a) {
  if (samples_.size() == 1) samples_.front().a = Eigen::Map<const Eigen::VectorXd>(a, system_->num_positions());
}

void SampledPath::set_start_velocity(const double* v) {
  if (samples_.size() == 1) samples_.front().v = Eigen::Map<const Eigen::VectorXd>(v, system_->num_positions());
}

void SampledPath::interpolate(double t, Eigen::VectorXd& q, Eigen::VectorXd& v) const {
  std::size_t k = samples_.size() - 2;
  while (k > 0 && samples_[k].t > t) --k;
  const auto end = [this](std::size_t i) {
    const PathSample& s = samples_[i];
    return StepEnd{s.t, s.q, s.v, s.a};
  };
  const QuinticHermite polynomial(end(k), end(k + 1));
  polynomial.position(t, q);
  polynomial.velocity(t, v);
}

PathSample SampledPath::between(double t, bool ranked) {
  PathSample s;
  interpolate(t, s.q, s.v);
  clear(t, s);
  solve(s);
  if (s.regular && ranked) rank(s);
  return s;
}

bool SampledPath::evaluate_between(double t, PathSample& s) {
  interpolate(t, s.q, s.v);
  clear(t, s);
  s.evaluated = evaluate(s, request::jacobian);
  return s.evaluated;
}

std::string SampledPath::weakest_constraint(int weakest_row) const {
  return weakest_row >= 0 ? system_->constraint_name(weakest_row) : "";
}

/// Counts the directions of the constraints that are lost everywhere, at the start or after an event. The redundancy
/// analysis distinguishes them from those of a singular pose; it is dense, so larger systems take the rank of the
/// solver.
int SampledPath::count_permanently_lost(double t, const double* q, const double* v) {
  const int n = system_->num_positions();
  const int m = system_->num_constraints();
  const int lost = m - saddle_.solver().rank();
  if (m == 0 || (lost == 0 && saddle_.solver().weakest_mode().value > rank_threshold())) return 0;
  if (m > sampling_threshold.rows_analysed) return lost;
  const RedundancyReport report =
      analyse_redundancy(system_, t, Eigen::Map<const Eigen::VectorXd>(q, n), Eigen::Map<const Eigen::VectorXd>(v, n));
  return report.status.finished() ? report.permanent : lost;
}

void SampledPath::place(double t, const double* q, const double* v, PathSample& s) {
  s.q = Eigen::Map<const Eigen::VectorXd>(q, system_->num_positions());
  s.v = Eigen::Map<const Eigen::VectorXd>(v, system_->num_positions());
  clear(t, s);
}

void SampledPath::clear(double t, PathSample& s) const {
  s.t = t;
  s.a.setZero(system_->num_positions());
  s.lambda.setConstant(system_->num_constraints(), NAN);
  s.smallest = s.with_masses = 1.0;
  s.weakest_row = -1;
  s.regular = false;
  s.ranked = true;
}

bool SampledPath::evaluate(const PathSample& s, unsigned what) {
  if (!system_->energy_known()) what &= ~request::energy;
  if (what == request::energy) return evaluator_.add(what, {s.t, s.q.data(), s.v.data(), nullptr, nullptr}) != nullptr;
  return what == 0U || evaluator_.at(s.t, s.q.data(), s.v.data(), what) != nullptr;
}

/// Copies the quantities of the last evaluation if it was at this state, up to rounding. Returns false if it was not.
bool SampledPath::take_quantities(const LastEvaluation* nearby, const PathSample& s) {
  const auto same = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
    return same_to_rounding(x, y, system_->natural_scales());
  };
  if (nearby == nullptr || !same(s.q, nearby->q) || !same(s.v, nearby->v)) return false;
  evaluator_.copy(*nearby->quantities);
  return true;
}

void SampledPath::solve(PathSample& s) {
  solve(s, saddle_.factorize(evaluator_.at(s.t, s.q.data(), s.v.data())));
}

void SampledPath::solve(PathSample& s, EvaluationResult factorized) {
  s.evaluated = factorized != EvaluationResult::declined;
  if (!s.evaluated) return;
  const auto solved = [&] {
    return saddle_.complete(evaluator_.quantities(), s.v.data(), s.a.data(), s.lambda.data());
  };
  s.regular = factorized == EvaluationResult::ok && solved() == EvaluationResult::ok;
  s.ranked = true;
  if (s.regular) return;
  s.a.setZero();
  s.lambda.setConstant(NAN);
  s.smallest = s.with_masses = 0.0;
}

/// Determines rank; call it after solve().
void SampledPath::rank(PathSample& s) {
  if (permanently_lost_ < 0) permanently_lost_ = count_permanently_lost(s.t, s.q.data(), s.v.data());
  const WeakestMode mode = saddle_.solver().weakest_mode(permanently_lost_);
  s.smallest = mode.of_constraints();
  // the rows of programs are as long as f is, which their feedback may let grow
  if (system_->motion_law().has_forces) s.smallest = std::min(s.smallest, mode.shortest_row);
  s.with_masses = mode.value;
  s.weakest_row = mode.row;
}

/// Factorises the matrix of the state that was evaluated last.
void SampledPath::factorise(PathSample& s) {
  solve(s, saddle_.factorize(&evaluator_.quantities()));
  if (!s.regular) return;
  s.ranked = saddle_.solver().rank() < system_->num_constraints() || rank_is_due();
  if (s.ranked) rank(s);
}

/// Returns true if rank has to be determined at the state that was evaluated last.
bool SampledPath::rank_is_due() {
  if (!sparing_ || ranked_.empty() || permanently_lost_ != 0 || unranked_ >= sampling_threshold.most_unranked)
    return true;
  const PathSample& before = *ranked_.back();
  return !before.regular || before.smallest < sampling_threshold.low_rank * largest_ ||
         turned_.beyond(evaluator_.quantities().G);
}

/// Solves with the factor that the formulation has for this very state. Returns false if there is none.
bool SampledPath::solve_there(const LastEvaluation* nearby, PathSample& s) {
  if (nearby == nullptr || nearby->system == nullptr) return false;
  s.a = evaluator_.quantities().f;
  s.lambda = evaluator_.quantities().gamma;
  s.regular = nearby->system->solve(s.a.data(), s.lambda.data()) == EvaluationResult::ok;
  s.ranked = !s.regular;
  return s.regular;
}

/// Iterative refinement x <- x + K~^-1 (b - K x) with the factor of K~, which belongs to another point. Returns false
/// if there is none, or if it lies too far away. The residual shrinks by the same factor each time, so the last one is
/// not computed.
bool SampledPath::solve_with(const LastEvaluation* nearby, PathSample& s) {
  if (nearby == nullptr || nearby->system == nullptr || not_refined_-- > 0) return false;
  const Workspace& w = evaluator_.quantities();
  const double force = max_abs_or_not_finite(w.f), bias = max_abs_or_not_finite(w.gamma);
  const auto relative = [&](Eigen::VectorXd& product, const Eigen::VectorXd& side, double typical) {
    const double largest = std::max(max_abs_or_not_finite(product), typical);
    product = side - product;
    return largest == 0.0 ? 0.0 : max_abs_or_not_finite(product) / largest;
  };
  not_refined_ = 0;
  s.a = nearby->a;
  s.lambda = nearby->lambda;
  double left_before = NAN;
  for (int refinements = 0;; ++refinements) {
    top_.setZero(s.a.size());
    top_ += w.M * s.a;
    bottom_.setZero(s.lambda.size());
    w.G.add_both(s.a, bottom_, s.lambda, top_);
    const double motion = relative(top_, w.f, force), constraints = relative(bottom_, w.gamma, bias);
    const double left = std::isnan(constraints) ? NAN : std::max(motion, constraints);
    if (left <= sampling_threshold.rounding) break;
    if (refinements == sampling_threshold.useful_refinements) not_refined_ = sampling_threshold.factorised;
    if (refinements == sampling_threshold.refinements ||
        nearby->system->solve(top_.data(), bottom_.data()) != EvaluationResult::ok) {
      s.a.setZero();
      return false;
    }
    s.a += top_;
    s.lambda += bottom_;
    if (left * left <= sampling_threshold.rounding * left_before) break;
    left_before = left;
  }
  s.regular = true;
  s.ranked = false;
  return true;
}

}  // namespace sunlagrange::internal
