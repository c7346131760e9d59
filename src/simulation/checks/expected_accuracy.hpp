// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/base/doubt.hpp>
#include <sunlagrange/formulation/info.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/results/report.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

/// Bounds that several checks share, calibrated on the registered mechanisms and on random ones (decision 16). Cases of
/// doubts_test hold `tolerances` (small_vibrations_are_at_rest_for_their_energy), `drift`
/// (velocities_off_the_rows_are_doubted), `rest_of_size` and `rest_noise`
/// (what_moves_at_rough_tolerances_is_doubted_too); campaign_test counts the false doubts of all.
struct AccuracyThresholds {
  double tolerances = 1e3;     ///< error that a run may have, in tolerances; what moves less is at rest
  double rounding = 1e-8;      ///< violation of forms that hold the constraints to rounding, relative
  double drift = 1e-2;         ///< violation of forms that drift, and of fixed steps, which have no tolerance, relative
  double alterations = 100.0;  ///< violation of altered equations at any tolerance, in altered_motion
  double given_start = 10.0;   ///< violation on the way, in violations of a start that was taken as given
  double rest_of_size = 0.3;   ///< of the size, at least one natural scale: what moves less is at rest, too
  double rest_noise = 5.0;     ///< at least so many tolerances: what rests may tremble by less
};
constexpr AccuracyThresholds accuracy_threshold;

/// Returns the violation of the constraints of one level that a run may have, relative to the size of what violates
/// them.
/// @param tolerance  of the run, relative; fixed steps have none: infinite
double allowed_violation(const Accuracy& promised, ConstraintAccuracy held, double tolerance);

/// The accuracy that a finished run can be expected to have: what its formulation promises at its tolerances.
struct ExpectedAccuracy {
  ExpectedAccuracy(const MechanicalSystem& of_system, const Report& of_run, const SimulationOptions& resolved);

  const MechanicalSystem& system;  ///< system with all constraints, active or not
  const Report& report;            ///< report with all figures
  const SimulationOptions& used;   ///< nothing automatic is left but gains
  Accuracy promised;
  bool fixed_step;
  double rest_displacement;  ///< displacement below which the motion counts as rest, natural scales
  bool moves;                ///< there was motion: velocities and energies can be compared with something

  /// Returns the violation of the constraints of one level that may be expected, relative to `size`.
  double violation(ConstraintAccuracy held, double size) const;

  /// The same for velocities, relative to Report::max_velocity: small velocities have atol.
  double velocity_violation(ConstraintAccuracy held) const;

  /// True if the gains vary along the motion, so that the law of the constraint error was observed.
  bool law_varies() const;

  /// Names the gains of the formulation, for messages.
  std::string gains() const;
  bool has_gains() const { return report.used.advice.has_value() || report.used.Lambda.has_value(); }

  /// Returns what may help against a violation of constraints that the formulation holds so well.
  std::string remedy(ConstraintAccuracy held) const;
};

/// Collects the doubts about one run.
class Doubts {
 public:
  /// Adds a doubt unless value <= bound; a value that is not a number gives a doubt.
  /// @param found  what was found and what to do, in one sentence; value and bound are appended
  void add_if_above(DoubtKind kind, double value, double bound, std::string found);

  /// States that something could not be checked, and why, in one sentence.
  void not_checked(std::string what) { unchecked.push_back(std::move(what)); }

  std::vector<Doubt> list;
  std::vector<std::string> unchecked;  ///< Report::unchecked
};

}  // namespace sunlagrange::internal
