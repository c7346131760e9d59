#include <algorithm>

#include "model/natural_scales.hpp"
#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (start_moved) and checkpoint_test.
struct StartThresholds {
  double moves = 0.3;            ///< of the size of the mechanism; of the largest velocity given
  double least_velocity = 1e-3;  ///< of the largest of the run: a start that loses less does not know its velocity
};
constexpr StartThresholds start_threshold;

/// Compares the consistent start with the start that was given. Velocities that were given as zero were left open.
class StartMoved final : public Check {
 public:
  explicit StartMoved(ObservedRun& run) : run_(run) {}

  void observe(const AcceptedStep& /*step*/) override {
    if (observed_) return;
    observed_ = true;
    const PathSample& now = run_.path.newest();
    const Eigen::VectorXd& moves = run_.report.start.velocity_moves;
    if (now.t == run_.report.t_start && moves.size() == now.v.size()) given_velocities_ = now.v - moves;
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    if (r.max_position > 0.0) {
      doubts.add_if_above(DoubtKind::start_moved, r.start.moved_given / r.max_position, start_threshold.moves,
                          "the consistent start lies far from the positions given, most \"" + r.start.most_moved_given +
                              "\", relative to the largest position: check the start values");
    }
    judge_velocities(expected, doubts);
  }

  void describe(Figures& state) override {
    state("given_velocities", given_velocities_, "unit of v", "velocities of the start as given");
  }

 private:
  void judge_velocities(const ExpectedAccuracy& expected, Doubts& doubts) const {
    const Report& r = expected.report;
    const MechanicalSystem& system = expected.system;
    const Eigen::VectorXd &moves = r.start.velocity_moves, &given = given_velocities_;
    if (!system.motion_law().has_forces || given.size() == 0 || moves.size() != given.size()) return;
    const Eigen::VectorXd changed = (given.array() != 0.0).select(moves, 0.0);
    const double size = natural_size(system, given);
    const double change = natural_size(system, changed);
    if (!(size > 0.0) || change <= std::max(expected.used.atol, start_threshold.least_velocity * r.max_velocity))
      return;
    Eigen::Index most = 0;
    changed.cwiseQuotient(system.natural_scales()).cwiseAbs().maxCoeff(&most);
    doubts.add_if_above(DoubtKind::start_moved, change / size, start_threshold.moves,
                        "the consistent start does not have the velocities given, most \"" +
                            system.position_name(static_cast<int>(most)) + "\", which is " +
                            text(given[most] + moves[most]) + " instead of " + text(given[most]) +
                            ", relative to the largest of them: give velocities that the constraints allow, or fix "
                            "those that are known");
  }

  ObservedRun& run_;
  bool observed_ = false;
  Eigen::VectorXd given_velocities_;  // before the start was made consistent; empty: not known
};

}  // namespace

std::unique_ptr<Check> make_start_moved(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<StartMoved>(run);
}

}  // namespace sunlagrange::internal
