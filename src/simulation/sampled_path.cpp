#include "simulation/sampled_path.hpp"

#include <sunlagrange/consistency/redundancy.hpp>

#include "base/interpolation.hpp"
#include "linear_solver/motion_law.hpp"

namespace sunlagrange::internal {
namespace {

/// Largest number of constraint rows for which redundancy is analysed.
constexpr int most_rows_analysed = 300;

}  // namespace

LinearSolverOptions tolerant(LinearSolverOptions options) {
  options.rank_policy = RankPolicy::minimum_norm;
  return options;
}

SampledPath::SampledPath(std::shared_ptr<const MechanicalSystem> system, const LinearSolverOptions& options)
    : system_(std::move(system)), options_(tolerant(options)), saddle_(system_, options_) {}

void SampledPath::restart(std::shared_ptr<const MechanicalSystem> system) {
  system_ = std::move(system);
  saddle_ = SaddlePointSystem(system_, options_);
  samples_.clear();
  permanently_lost_ = -1;
}

void SampledPath::accept(double t, const double* q, const double* v, const double* a) {
  PathSample now;
  if (samples_.size() == 3) {  // its memory is used again
    now = std::move(samples_.front());
    samples_.pop_front();
  }
  evaluate(t, q, v, now);
  if (a != nullptr) now.a = Eigen::Map<const Eigen::VectorXd>(a, system_->num_positions());
  samples_.push_back(std::move(now));
}

void SampledPath::set_start_acceleration(const double* a) {
  if (samples_.size() == 1) samples_.front().a = Eigen::Map<const Eigen::VectorXd>(a, system_->num_positions());
}

void SampledPath::set_start_velocity(const double* v) {
  if (samples_.size() == 1) samples_.front().v = Eigen::Map<const Eigen::VectorXd>(v, system_->num_positions());
}

PathSample SampledPath::between(double t) {
  const std::size_t k = samples_.size() == 3 && samples_[1].t <= t ? 1 : 0;
  const auto end = [this](std::size_t i) {
    const PathSample& s = samples_[i];
    return StepEnd{s.t, s.q, s.v, s.a};
  };
  const QuinticHermite polynomial(end(k), end(k + 1));
  const Eigen::VectorXd q = polynomial.position(t);
  const Eigen::VectorXd v = polynomial.velocity(t);
  PathSample s;
  evaluate(t, q.data(), v.data(), s);
  return s;
}

std::string SampledPath::weakest_constraint(int weakest_row) const {
  return weakest_row >= 0 ? system_->constraint_name(weakest_row) : "";
}

/// Asked once, at the start or after an event. A deficient rank there is permanent or an unlucky pose; which, the
/// redundancy analysis tells (dense: for systems beyond it the solver's rank is taken).
int SampledPath::count_permanently_lost(double t, const double* q, const double* v) {
  const int n = system_->num_positions();
  const int m = system_->num_constraints();
  const int lost = m - saddle_.solver().rank();
  if (m == 0 || (lost == 0 && saddle_.solver().weakest_mode().value > options_.rank_threshold)) return 0;
  if (m > most_rows_analysed) return lost;
  const RedundancyReport report =
      analyse_redundancy(system_, t, Eigen::Map<const Eigen::VectorXd>(q, n), Eigen::Map<const Eigen::VectorXd>(v, n));
  return report.status.finished() ? report.permanent : lost;
}

void SampledPath::evaluate(double t, const double* q, const double* v, PathSample& s) {
  const int n = system_->num_positions();
  s.t = t;
  s.q = Eigen::Map<const Eigen::VectorXd>(q, n);
  s.v = Eigen::Map<const Eigen::VectorXd>(v, n);
  s.a = Eigen::VectorXd::Zero(n);
  s.lambda = Eigen::VectorXd::Constant(system_->num_constraints(), NAN);
  s.smallest = 1.0;
  s.weakest_row = -1;
  s.regular = false;
  const EvaluationResult factorized = saddle_.factorize(t, q, v);
  s.evaluated = factorized != EvaluationResult::declined;
  if (!s.evaluated) return;
  const auto solved = [&] { return motion_law(*system_).complete(saddle_, v, s.a.data(), s.lambda.data()); };
  if (factorized == EvaluationResult::ok && solved() == EvaluationResult::ok) {
    s.regular = true;
    if (permanently_lost_ < 0) permanently_lost_ = count_permanently_lost(t, q, v);
    const WeakestMode mode = saddle_.solver().weakest_mode(permanently_lost_);
    s.smallest = mode.value;
    s.weakest_row = mode.row;
  } else {
    s.a.setZero();
    s.lambda.setConstant(NAN);
    s.smallest = 0.0;
  }
}

}  // namespace sunlagrange::internal
