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

/// What is known when gains are chosen; everything has a default, and more knowledge gives better advice. Gains already
/// chosen are judged, not changed; automatic ones are proposed.
struct GainQuestion : GainOptions, RunHints {
  /// Penalty forms: Lambda_i to propose, over the inertia behind row i; 0 without a given Lambda: no penalty.
  double relative_penalty = 0.0;

  /// extended_lagrangian: the law is that of error_matrix() at the start, its eigenvalues are judged.
  ExcessEnergy excess;
};

/// What a warning about gains is about.
enum class GainWarningKind {
  unstable,    ///< step x rate of the gains beyond what the method allows
  near_limit,  ///< below it, but not along a motion
  expensive,   ///< right-hand sides, times those of a run without gains
  idle,        ///< slowest decay of a violation [1/s], below what acts while the motion lasts
  growing,     ///< rate at which excess variables grow [1/s], whatever the step
  soft,        ///< penalty: violation at which a row settles [its unit], above what the tolerances allow
};

constexpr auto names_of(GainWarningKind) {
  return enum_names("unstable", "near_limit", "expensive", "idle", "growing", "soft");
}

/// One figure of the gains that is not what it should be, against the limit it has passed.
struct GainWarning {
  GainWarningKind kind = GainWarningKind::unstable;
  double value = 0.0;
  double allowed = 0.0;
  std::string text;  ///< what was found and what to change, in one sentence

  void describe(Figures& f);
};

/// Gains, and what they will do.
struct GainAdvice {
  double motion_rate = 0.0;  ///< fastest angular rate of the motion that could be seen [1/s]
  double omega = 0.0;        ///< proposed K_D = 2 omega, K_P = omega^2, K_N = omega [1/s], the same for every row

  GainMatrix K_D, K_P, K_N;  ///< used: given or proposed
  GainMatrix Lambda;         ///< penalty forms; else of size 0

  double fastest = 0.0;    ///< largest |mu| of the constraint law, mu^2 + K_D mu + K_P = 0 and mu + K_N = 0 [1/s]
  double slowest = 0.0;    ///< smallest -Re mu: how fast every violation decays [1/s]; 0: some do not
  double growth = 0.0;     ///< largest Re mu, if positive: the law itself feeds the error, whatever the step [1/s]
  double step_rate = 0.0;  ///< h fastest; fixed steps only

  /// Fixed steps: by which factor the step may grow until h mu leaves the method's stability region, for the frozen
  /// constraint law. Below 1: unstable. NaN if the steps are not fixed: their control stays inside.
  double stability_margin = 0.0;

  /// Penalty: |g_i| and |psi_i| at which the error settles, K_P g = Lambda^-1 lambda, [000, (30)]; length m, units of
  /// the rows. With |lambda| of the start, or what the applied forces would need if that is larger. Else empty.
  Eigen::VectorXd expected_violation;

  /// Penalty with automatic Lambda: by how much accelerations differ, relative to those of the constraint forces. Above
  /// 1 / relative_penalty where masses lie so far apart that a stiffer Lambda would be lost in rounding. Else 0.
  double alteration = 0.0;

  double added_cost = 0.0;  ///< expected (right-hand sides) / (those at gain zero) - 1, within a factor 2

  std::vector<GainWarning> warnings;

  /// Rate, margin, violation, cost, warnings.
  Settings lines() const;

  void describe(Figures& f);
};

/// Proposes and judges the gains of g'' + K_D g' + K_P g = 0, psi' + K_N psi = 0 [000, (15)-(20)].
///
/// Critical damping with one omega for all rows, which is the only choice that does not change when constraints are
/// combined or scaled. omega = c x motion_rate: a gain belongs to the motion, not to the step size. With step control
/// the stages violate g by O(h^2), K_P multiplies that, and the steps shrink with 1/omega beyond about twice the rate
/// of the motion (explicit methods c = 0.3, Adams 0.4) whatever the tolerance. BDF with Newton is slowed down only when
/// omega x step is near one: c = 0.25 tolerance^-0.15, the power of the step size. Fixed steps: c = 1, and omega at
/// most half of what the method's stability region allows for a double real pole, because the map along a moving
/// constraint loses stability up to a quarter earlier than the frozen law says.
///
/// When not: the motion becomes much faster than its start shows, e.g. by a contact or a drive that speeds up, or is
/// carried by a part far heavier than those in the constraints (a light one on a free rotor): then give time_scale.
/// @throws Error if the system is null, the start incomplete, or given gains do not fit
GainAdvice advise_gains(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const GainQuestion& question = {});

}  // namespace sunlagrange
