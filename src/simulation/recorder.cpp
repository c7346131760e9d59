#include "simulation/recorder.hpp"

namespace sunlagrange::internal {

TrajectoryRecorder::TrajectoryRecorder(Trajectory& trajectory, Record what, const std::vector<int>& rows)
    : trajectory_(trajectory), what_(what), rows_(rows) {}

void TrajectoryRecorder::restart(const std::vector<int>& rows) {
  rows_ = rows;
  at_start_ = true;
}

void TrajectoryRecorder::accept(const PathSample& sample) {
  if (at_start_) start_ = trajectory_.size();
  at_start_ = false;
  if (what_ == Record::every_step || trajectory_.empty()) append(sample);
}

void TrajectoryRecorder::set_start_acceleration(const double* a) {
  if (start_ < trajectory_.size()) trajectory_.set_acceleration(start_, a);
}

void TrajectoryRecorder::set_start_velocity(const double* v) {
  if (start_ < trajectory_.size()) trajectory_.set_velocity(start_, v);
}

void TrajectoryRecorder::finish(const PathSample& last) {
  if (what_ == Record::ends_only) append(last);
}

void TrajectoryRecorder::append(const PathSample& s) {
  lambda_.setZero(trajectory_.num_constraints());
  for (std::size_t i = 0; i < rows_.size(); ++i) lambda_[rows_[i]] = s.lambda[static_cast<Eigen::Index>(i)];
  trajectory_.append(s.t, s.q.data(), s.v.data(), s.a.data(), lambda_.data());
}

}  // namespace sunlagrange::internal
