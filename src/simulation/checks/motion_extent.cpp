// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "model/natural_scales.hpp"
#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Measures how large positions, velocities and displacements are. Other figures are relative to these; nothing is
/// judged here.
class MotionExtent final : public Check {
 public:
  explicit MotionExtent(ObservedRun& run) : run_(run), tolerances_(*run.path.system(), run.options) {}

  void restart(double /*event_work*/) override { start_.resize(0); }

  void observe(const AcceptedStep& /*step*/) override {
    const PathSample& now = run_.path.newest();
    if (!now.evaluated) return;
    const MechanicalSystem& system = *run_.path.system();
    Report& report = run_.report;
    if (start_.size() == 0) start_ = now.q;
    run_.position_size = natural_size(system, now.q);
    report.max_position = std::max(report.max_position, run_.position_size);
    measure_displacement(system, now.q);
    if (last_.size() > 0) {
      last_ -= now.q;
      report.path_length += natural_size(system, last_);
    }
    last_ = now.q;
    if (!system.motion_law().has_forces) return;
    run_.velocity_size = natural_size(system, now.v);
    report.max_velocity = std::max(report.max_velocity, run_.velocity_size);
  }

 private:
  void measure_displacement(const MechanicalSystem& system, const Eigen::VectorXd& q) const {
    const Eigen::VectorXd& scales = system.natural_scales();
    double displacement = run_.report.max_displacement;
    double in_tolerances = run_.report.max_displacement_in_tolerances;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double moved = std::abs(q[i] - start_[i]);
      displacement = std::max(displacement, moved / scales[i]);
      in_tolerances = std::max(in_tolerances, moved / tolerances_.of(i, q[i]));
    }
    run_.report.max_displacement = displacement;
    run_.report.max_displacement_in_tolerances = in_tolerances;
  }

  ObservedRun& run_;
  ErrorTolerances tolerances_;
  Eigen::VectorXd start_;  // of the motion since the last restart; empty: the next state
  Eigen::VectorXd last_;   // state of the path before the newest; empty: there is none
};

}  // namespace

std::unique_ptr<Check> make_motion_extent(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<MotionExtent>(run);
}

}  // namespace sunlagrange::internal
