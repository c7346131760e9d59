// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "model/natural_scales.hpp"
#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (start_moved) and checkpoint_test.
struct StartThresholds {
  double moves = 0.3;            ///< of the size of the mechanism; of the largest velocity given
  double guess_moves = 1.0;      ///< of the size, beside held positions: a guess in the mechanism is off by less
  double least_velocity = 1e-3;  ///< of the largest of the run: a start that loses less does not know its velocity
  double turns = 2.0;            ///< of a given angle [2 pi rad]: more is typical of degrees
  double angle_moves = 1.0;      ///< of a given angle [rad]: more is no correction of a guess
  double half_turn = 3.1416;  ///< the same beside held positions [rad]: no two angles differ by more than half a turn
};
constexpr StartThresholds start_threshold;

/// Compares the consistent start with the start that was given. Velocities that were given as zero were left open.
/// Beside positions that are held the others are guesses: a guess may be anywhere in the mechanism, because it only has
/// to lie nearer to the pose that is wanted than to others. Without held positions every given value is meant.
class StartMoved final : public Check {
 public:
  explicit StartMoved(ObservedRun& run) : run_(run) {}

  void observe(const AcceptedStep& /*step*/) override {
    if (observed_) return;
    observed_ = true;
    guessed_ = run_.start_is_guessed;
    const PathSample& now = run_.path.newest();
    const ConsistencyReport& start = run_.report.start;
    if (now.t != run_.report.t_start) return;
    if (start.velocity_moves.size() == now.v.size()) given_velocities_ = now.v - start.velocity_moves;
    if (start.position_moves.size() == now.q.size()) {
      given_positions_ = now.q - start.position_moves;
      position_moves_ = start.position_moves;
    }
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    if (r.max_position > 0.0) {
      doubts.add_if_above(DoubtKind::start_moved, r.start.moved_given / r.max_position,
                          guessed_ ? start_threshold.guess_moves : start_threshold.moves,
                          "the consistent start lies far from the positions given, most \"" + r.start.most_moved_given +
                              "\", relative to the largest position: check the start values");
    }
    judge_velocities(expected, doubts);
    judge_angles(expected.system, doubts);
  }

  void describe(Figures& state) override {
    state("given_velocities", given_velocities_, "unit of v", "velocities of the start as given");
    state.added_later([&] {
      state("given_positions", given_positions_, "unit of q", "positions of the start as given");
      state("position_moves", position_moves_, "unit of q", "their changes by the consistent start");
    });
    state.added_later([&] { state("guessed", guessed_, "true if the start has positions that are held"); });
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

  /// An angle in degrees is a large number of rad, or moves far. Angles given as zero were left open.
  void judge_angles(const MechanicalSystem& system, Doubts& doubts) const {
    const double turn = 2.0 * std::acos(-1.0), degree = turn / 360.0;
    int largest = -1, farthest = -1;
    for (int i = 0; i < static_cast<int>(given_positions_.size()); ++i) {
      if (system.position_domain(i) != Domain::rotation || given_positions_[i] == 0.0) continue;
      if (largest < 0 || std::abs(given_positions_[i]) > std::abs(given_positions_[largest])) largest = i;
      if (farthest < 0 || std::abs(position_moves_[i]) > std::abs(position_moves_[farthest])) farthest = i;
    }
    if (largest < 0) return;
    const double given = given_positions_[largest], moved = position_moves_[farthest];
    doubts.add_if_above(DoubtKind::start_moved, std::abs(given) / turn, start_threshold.turns,
                        "the angle \"" + system.position_name(largest) + "\" is given as " + text(given) +
                            " rad, so many turns: angles are in rad, and " + text(given) + " degrees are " +
                            text(given * degree) + " rad");
    doubts.add_if_above(
        DoubtKind::start_moved, std::abs(moved), guessed_ ? start_threshold.half_turn : start_threshold.angle_moves,
        "the angle \"" + system.position_name(farthest) + "\" is given as " + text(given_positions_[farthest]) +
            " rad and starts at " + text(given_positions_[farthest] + moved) +
            " rad, for constraints do not allow it: check its unit, rad, or hold it");
  }

  ObservedRun& run_;
  bool observed_ = false;
  bool guessed_ = false;
  // Before the start was made consistent; empty: not known.
  Eigen::VectorXd given_velocities_, given_positions_, position_moves_;
};

}  // namespace

std::unique_ptr<Check> make_start_moved(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<StartMoved>(run);
}

}  // namespace sunlagrange::internal
