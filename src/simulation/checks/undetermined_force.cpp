// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <sunlagrange/results/reactions.hpp>

#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Finds joints whose force the motion does not determine, at the start, and judges events that have read such a force:
/// an event may act at a force that no joint of the real mechanism bears.
class UndeterminedForce final : public Check {
 public:
  explicit UndeterminedForce(ObservedRun& run) : run_(run) {}

  void observe(const AcceptedStep& /*step*/) override {
    if (observed_) return;
    observed_ = true;
    const PathSample& now = run_.path.newest();
    const std::shared_ptr<const MechanicalSystem>& system = run_.path.system();
    const bool redundant = run_.report.start.rank < system->num_constraints();
    if (!redundant || !system->motion_law().has_forces || now.t != run_.report.t_start) return;
    unknown_ = !now.regular;
    if (unknown_) return;
    std::vector<std::string>& joints = run_.report.undetermined_joints;
    for (const JointForce& f : joint_forces(system, now.t, now.q, now.v, now.lambda)) {
      if (!f.unique && (joints.empty() || joints.back() != f.joint)) joints.push_back(f.joint);
    }
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    if (unknown_) doubts.not_checked("joint forces could not be checked: the start has no accelerations");
    const std::vector<std::string>& read = expected.report.undetermined_event_forces;
    if (read.empty()) return;
    doubts.add_if_above(DoubtKind::undetermined_force, static_cast<double>(read.size()), 0.0,
                        "an event reads the force of \"" + read.front() +
                            "\", which the motion does not determine, because redundant joints share the load: remove "
                            "redundant rows, or give the joints a stiffness; rows that are read so");
  }

  void describe(Figures& state) override {
    state("observed", observed_, "true if the start of the run has been observed");
    state("unknown", unknown_, "true if the start has no accelerations");
  }

 private:
  ObservedRun& run_;
  bool observed_ = false, unknown_ = false;
};

}  // namespace

std::unique_ptr<Check> make_undetermined_force(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<UndeterminedForce>(run);
}

}  // namespace sunlagrange::internal
