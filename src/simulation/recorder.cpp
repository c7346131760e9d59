// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/recorder.hpp"

#include <sunlagrange/consistency/consistent_state.hpp>

#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

TrajectoryRecorder::TrajectoryRecorder(SampledPath& path, Trajectory& trajectory, const SimulationOptions& options,
                                       const std::vector<int>& rows)
    : path_(path), trajectory_(trajectory), options_(options), rows_(rows) {}

void TrajectoryRecorder::restart(const std::vector<int>& rows) {
  rows_ = rows;
  at_start_ = true;
}

void TrajectoryRecorder::accept(int order) {
  has_newest_ = false;
  const PathSample& newest = path_.newest();
  if (at_start_) {
    start_ = trajectory_.size();
    const std::vector<double>& times = options_.record_times;
    while (next_time_ < times.size() && times[next_time_] < newest.t) ++next_time_;
  } else {
    ++steps_;
  }
  const bool kth = options_.record == Record::every_kth_step && !at_start_ && steps_ % options_.record_stride == 0;
  if (options_.record == Record::at_times && !at_start_) append_times_before(newest.t);
  at_start_ = false;
  if (options_.record != Record::every_step && !kth && !trajectory_.empty()) return;
  append(newest, order);
  has_newest_ = true;
}

/// Appends the times since the last but one sample. A time at the newest sample waits: an event may change the state.
void TrajectoryRecorder::append_times_before(double t) {
  const std::vector<double>& times = options_.record_times;
  const PathSample& before = path_.samples()[path_.samples().size() - 2];
  for (; next_time_ < times.size() && times[next_time_] < t; ++next_time_) {
    const double at = times[next_time_];
    if (at > before.t)
      append(polynomials_ ? path_.between(at, false) : on_the_constraints(at));
    else if (at > trajectory_.t(0))
      append(before);
  }
}

PathSample TrajectoryRecorder::on_the_constraints(double t) {
  PathSample sample = path_.between(t);
  ConsistencyOptions consistency;
  consistency.start = options_.start;
  consistency.linear_solver = path_.linear_solver();
  consistency.typical_position = natural_size(*path_.system(), path_.newest().q);
  const ConsistentState found = consistent_state(path_.system(), {t, sample.q, sample.v}, consistency);
  if (!found.report.feasible || !found.report.accelerations_known) return sample;
  sample.q = found.state.q;
  sample.v = found.state.v;
  sample.a = found.state.a;
  sample.lambda = found.state.lambda;
  return sample;
}

void TrajectoryRecorder::set_start_acceleration(const double* a) {
  if (start_ < trajectory_.size()) trajectory_.set_acceleration(start_, a);
}

void TrajectoryRecorder::set_start_velocity(const double* v) {
  if (start_ < trajectory_.size()) trajectory_.set_velocity(start_, v);
}

void TrajectoryRecorder::finish(const PathSample& last) {
  if (!has_newest_ && options_.record != Record::every_step) append(last);
  has_newest_ = true;
}

void TrajectoryRecorder::append(const PathSample& s, int order) {
  lambda_.setZero(trajectory_.num_constraints());
  for (std::size_t i = 0; i < rows_.size(); ++i) lambda_[rows_[i]] = s.lambda[static_cast<Eigen::Index>(i)];
  trajectory_.append(s.t, s.q.data(), s.v.data(), s.a.data(), lambda_.data(), order);
}

}  // namespace sunlagrange::internal
