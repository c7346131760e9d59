// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace sunlagrange {

class Figures;

/// The reason for a doubt, i.e. for a warning about a run whose outcome is Outcome::finished. The constants are the
/// kinds of the checks of the library; a new check may name another one.
class DoubtKind {
 public:
  /// @param name  a literal, lower case with underscores
  constexpr explicit DoubtKind(const char* name) : name_(name) {}

  /// Returns the name, e.g. "position_violation": `kind` of the doubt in JSON.
  constexpr const char* name() const { return name_.data(); }
  friend constexpr bool operator==(DoubtKind a, DoubtKind b) { return a.name_ == b.name_; }
  friend constexpr bool operator!=(DoubtKind a, DoubtKind b) { return !(a == b); }

  /// |g| is larger than the formulation promises at this tolerance.
  static const DoubtKind position_violation;
  /// |(g', psi)| is larger than the formulation promises.
  static const DoubtKind velocity_violation;
  /// Energy is not balanced by work.
  static const DoubtKind energy_balance;
  /// The consistent start lies far from the given one.
  static const DoubtKind start_moved;
  /// No velocity satisfies the velocity constraints, at the start or along the run.
  static const DoubtKind velocities_infeasible;
  /// Directions were lost for most of a run that began with full rank.
  static const DoubtKind rank_policy;
  /// More steps failed than were accepted.
  static const DoubtKind failed_steps;
  /// Inner iterations of the formulation ended at their limit.
  static const DoubtKind unconverged_iterations;
  /// The steps are so short that rounding of t changes them.
  static const DoubtKind rounded_clock;
  /// Between the steps the trajectory leaves the constraints.
  static const DoubtKind dense_output;
  /// The constraint error grows, or step x rate of the gains leaves the stability region.
  static const DoubtKind unstable_gains;
  /// The equations solved differ from those of the motion by more than promised.
  static const DoubtKind altered_motion;
  /// Fixed steps are so long that velocities do not follow from accelerations.
  static const DoubtKind coarse_steps;
  /// Dry friction that is made smooth has yielded where it would hold.
  static const DoubtKind friction_creep;
  /// The estimated error is not certain, larger than the tolerances promise, or no small part of the motion.
  static const DoubtKind error_estimate;
  /// An event reads a force that the motion does not determine.
  static const DoubtKind undetermined_force;
  /// The weight of a block belongs to another mass than its inertia.
  static const DoubtKind weight_and_inertia;

 private:
  std::string_view name_;
};

inline constexpr DoubtKind DoubtKind::position_violation{"position_violation"};
inline constexpr DoubtKind DoubtKind::velocity_violation{"velocity_violation"};
inline constexpr DoubtKind DoubtKind::energy_balance{"energy_balance"};
inline constexpr DoubtKind DoubtKind::start_moved{"start_moved"};
inline constexpr DoubtKind DoubtKind::velocities_infeasible{"velocities_infeasible"};
inline constexpr DoubtKind DoubtKind::rank_policy{"rank_policy"};
inline constexpr DoubtKind DoubtKind::failed_steps{"failed_steps"};
inline constexpr DoubtKind DoubtKind::unconverged_iterations{"unconverged_iterations"};
inline constexpr DoubtKind DoubtKind::rounded_clock{"rounded_clock"};
inline constexpr DoubtKind DoubtKind::dense_output{"dense_output"};
inline constexpr DoubtKind DoubtKind::unstable_gains{"unstable_gains"};
inline constexpr DoubtKind DoubtKind::altered_motion{"altered_motion"};
inline constexpr DoubtKind DoubtKind::coarse_steps{"coarse_steps"};
inline constexpr DoubtKind DoubtKind::friction_creep{"friction_creep"};
inline constexpr DoubtKind DoubtKind::error_estimate{"error_estimate"};
inline constexpr DoubtKind DoubtKind::undetermined_force{"undetermined_force"};
inline constexpr DoubtKind DoubtKind::weight_and_inertia{"weight_and_inertia"};

/// "position_violation", ...
constexpr const char* to_string(DoubtKind kind) {
  return kind.name();
}

/// A warning about a run that finished: a figure of the run is larger than its threshold. Most figures are relative;
/// the text says the unit of the others.
struct Doubt {
  DoubtKind kind = DoubtKind::position_violation;  ///< the check that doubts
  double value = 0.0;
  double allowed = 0.0;  ///< the threshold
  std::string text;      ///< one sentence: the finding, and what to try next

  void describe(Figures& f);
};

}  // namespace sunlagrange
