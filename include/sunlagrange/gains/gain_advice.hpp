// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/enum_names.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/gains/excess_energy.hpp>
#include <sunlagrange/gains/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

/// Input of advise_gains(). All of it has defaults; more knowledge gives better advice. Given gains are examined and
/// not changed; automatic ones are proposed.
struct GainQuestion : GainOptions, RunHints {
  /// Penalty forms: the proposed Lambda_i divided by the inertia of row i. 0 without a given Lambda: no penalty.
  double relative_penalty = 0.0;

  /// extended_lagrangian: the eigenvalues of error_matrix() at the start are examined.
  ExcessEnergy excess;
};

/// The subject of a warning about gains, and the unit of its value.
enum class GainWarningKind {
  unstable,    ///< step x rate of the gains, above the limit of the method
  near_limit,  ///< step x rate below this limit, but above the one along a motion
  expensive,   ///< right-hand sides relative to those of a run without gains
  idle,        ///< slowest decay of a violation [1/s], too slow to act during the motion
  growing,     ///< rate at which excess variables grow [1/s] at any step size
  soft,        ///< penalty: violation at which a row settles [its unit], above the tolerances
};

constexpr auto names_of(GainWarningKind) {
  return enum_names("unstable", "near_limit", "expensive", "idle", "growing", "soft");
}

/// A figure of the gains that has passed its limit.
struct GainWarning {
  GainWarningKind kind = GainWarningKind::unstable;
  double value = 0.0;
  double allowed = 0.0;
  std::string text;  ///< one sentence that says what was found and what to change

  void describe(Figures& f);
};

/// Gains with their predicted effects.
struct GainAdvice {
  double motion_rate = 0.0;  ///< fastest angular rate of the motion, as far as its start shows it [1/s]
  double omega = 0.0;        ///< proposed K_D = 2 omega, K_P = omega^2, K_N = omega [1/s], the same for every row

  GainMatrix K_D, K_P, K_N;  ///< gains to use: given or proposed
  GainMatrix Lambda;         ///< penalty forms; else of size 0

  double fastest = 0.0;    ///< largest |mu| of the constraint law, mu^2 + K_D mu + K_P = 0 and mu + K_N = 0 [1/s]
  double slowest = 0.0;    ///< smallest -Re mu: every violation decays at least as fast [1/s]; 0: some do not decay
  double growth = 0.0;     ///< largest Re mu if positive, else 0: the error grows by the law itself [1/s]
  double step_rate = 0.0;  ///< h fastest; fixed steps only

  /// Fixed steps: factor by which the step may grow until h mu leaves the stability region of the method, for the
  /// frozen constraint law. Below 1: unstable. NaN if the steps are not fixed, because step control avoids instability.
  double stability_margin = 0.0;

  /// Penalty: |g_i| and |psi_i| at which the error settles, K_P g = Lambda^-1 lambda [000, (30)], length m, units of
  /// the rows; computed with |lambda| of the start, or with the multipliers that carry the applied forces if these are
  /// larger. Other forms: empty.
  Eigen::VectorXd expected_violation;

  /// Penalty with automatic Lambda: change of the accelerations relative to those of the constraint forces. Above
  /// 1 / relative_penalty if masses lie so far apart that a stiffer Lambda would have too large rounding errors. Else
  /// 0.
  double alteration = 0.0;

  double added_cost = 0.0;  ///< expected (right-hand sides) / (those at gain zero) - 1, within a factor 2

  std::vector<GainWarning> warnings;

  /// Returns rate, margin, violation, cost and warnings for the report.
  Settings lines() const;

  void describe(Figures& f);
};

/// Proposes and examines the gains of g'' + K_D g' + K_P g = 0, psi' + K_N psi = 0 [000, (15)-(20)].
///
/// It proposes critical damping with one omega for all rows, the only choice that does not change when constraints are
/// combined or scaled. omega = c x motion_rate: gains depend on the motion, not on the step size. With step control the
/// stages violate g by O(h^2), K_P multiplies that, and the steps shrink with 1/omega beyond about twice the rate of
/// the motion (explicit methods c = 0.3, Adams 0.4) whatever the tolerance. BDF with Newton is slowed down only when
/// omega x step is near one: c = 0.25 tolerance^-0.15, the power of the step size. Fixed steps: c = 1, and omega at
/// most half of what the method's stability region allows for a double real pole, because the map along a moving
/// constraint loses stability up to a quarter earlier than the frozen law says.
///
/// When not: the motion becomes much faster than its start shows (a contact, a drive that speeds up), or it is carried
/// by a part that is far heavier than those in the constraints (a light part on a free rotor). Then give time_scale.
/// @throws Error if the system is null, the start incomplete, or given gains do not fit
GainAdvice advise_gains(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const GainQuestion& question = {});

}  // namespace sunlagrange
