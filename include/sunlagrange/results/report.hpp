// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/base/enum_names.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/base/tolerances.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/formulation/facts.hpp>
#include <sunlagrange/results/at_singularity.hpp>
#include <sunlagrange/results/error_estimate.hpp>

namespace sunlagrange {

class Figures;

/// Result of a passage through a nearly singular pose.
enum class Passage {
  smooth,      ///< accelerations explain the change of velocity, work that of the energy: no change of branch
  jumped,      ///< the velocity jumped: the motion continues on another branch
  unverified,  ///< not decided: the run ended there, the steps are too long, or the energy is not balanced
};

constexpr auto names_of(Passage) {
  return enum_names("smooth", "jumped", "unverified");
}

/// Way of a motion through a critical pose, where two branches of the constraint set cross or nearly cross.
enum class PassageWay {
  unknown,   ///< no critical pose was found there
  straight,  ///< it went on along the line on which it came
  turned,    ///< it turned onto the line of the other branch
  back,      ///< it went back along the line on which it came
  unclear,   ///< it came or went beside both lines
};

constexpr auto names_of(PassageWay) {
  return enum_names("unknown", "straight", "turned", "back", "unclear");
}

/// A singular pose on the path: the constraints nearly lost rank there.
struct RankEvent {
  double t = 0.0;  ///< time of the smallest singular value [s]
  /// Smallest singular value there, relative to the largest: of the scaled G M^-1/2, or of the scaled G in the same
  /// direction if that is larger, so that masses far apart do not count.
  double smallest = 0.0;
  std::string constraint;     ///< row with the largest share in the lost direction
  bool stepped_over = false;  ///< true if it lies inside an accepted step, where the integrator did not see it
  Passage passage = Passage::unverified;
  /// Change of the velocity across the pose that the accelerations do not explain, relative to the velocity.
  double unexplained_velocity_change = std::numeric_limits<double>::quiet_NaN();
  /// Change of the energy across the pose that the work does not explain, relative to the energy scale.
  double energy_error = std::numeric_limits<double>::quiet_NaN();

  // Figures of the critical pose, where one was found and the way of the motion through it was judged; else
  // not-a-number.
  PassageWay way = PassageWay::unknown;
  double misfit = std::numeric_limits<double>::quiet_NaN();  ///< misfit of the rows [unit of g]; 0: the branches cross
  double gap = std::numeric_limits<double>::quiet_NaN();     ///< distance of the branches [unit of q]; 0: they cross
  /// Largest violation on the way through the pose, relative to the misfit; not-a-number where the branches cross.
  double violation_over_misfit = std::numeric_limits<double>::quiet_NaN();

  void describe(Figures& f);
};

/// One event of a run and the action of its handler.
struct EventRecord {
  double t = 0.0;    ///< [s]
  std::string name;  ///< Event::name
  std::string done;  ///< action of its handler in words; empty: it was only recorded

  double velocity_violation_before = 0.0;  ///< max |(g', psi)| before, of rows that are active before or afterwards
  double velocity_violation_after = 0.0;   ///< max |(g', psi)| afterwards, the same for all events of one time
  double kinetic_energy_before = 0.0;      ///< [J]
  double kinetic_energy_after = 0.0;       ///< [J]
  double moved_positions = 0.0;            ///< max |q after - q before|, by the projection onto the active constraints
  std::vector<std::string> active_constraints;  ///< names of the rows that are active afterwards

  void describe(Figures& f);
};

/// A name as it was asked for and as it was used.
struct NameChoice {
  std::string asked;  ///< "automatic": the library has chosen
  std::string used;

  /// Returns the name that was used, and "(automatic)" where the library has chosen it.
  std::string text() const { return used + (asked == "automatic" ? " (automatic)" : ""); }

  void describe(Figures& f);
};

/// An event whose root the run searched for.
struct WatchedEvent {
  std::string name;
  int direction = 0;  ///< crossings that count: 1 rising, -1 falling, 0 both

  void describe(Figures& f);
};

/// A natural scale other than 1 and its coordinates. Their absolute tolerance is atol x scale.
struct NaturalScale {
  double scale = 1.0;                    ///< scale in the unit of the coordinates
  std::vector<std::string> coordinates;  ///< names of the coordinates

  void describe(Figures& f);
};

/// The gains of one segment of a run. No value: the formulation does not read the gain.
struct SegmentGains {
  double t = 0.0;  ///< begin of the segment [s]
  std::optional<UsedGain> K_D, K_P, K_N, Lambda;

  void describe(Figures& f);
};

/// The settings that a run used, automatic choices included. Those of the formulation are the settings of the first
/// segment, up to the first event that changed something; `later_gains` has the gains of the others.
struct RunFacts : FormulationFacts {
  NameChoice formulation;             ///< `used` is empty: no step was tried, and the other facts do not count
  NameChoice integrator;              ///< names of the catalogue
  std::optional<ButcherTable> table;  ///< Butcher table of the user
  std::optional<double> step;         ///< fixed step [s]; empty: the integrator controls its steps by `tolerances`
  Tolerances tolerances;              ///< those of the options
  double max_step = 0.0;              ///< longest step of an adaptive integrator [s]; 0: no limit
  std::vector<NaturalScale> natural_scales;                    ///< natural scales other than 1
  NameChoice linear_solver;                                    ///< names of the catalogue
  std::string linear_solver_description;                       ///< structure that the linear solver found, in words
  RankPolicy rank_policy = LinearSolverOptions{}.rank_policy;  ///< treatment of lost rank
  AtSingularity at_singularity = AtSingularity::filter;
  Gains asked_gains;                      ///< gains of all rows, also those that the formulation does not read
  std::vector<std::string> switched_off;  ///< constraints that start switched off
  std::vector<WatchedEvent> events;
  std::vector<std::pair<std::string, std::string>> sources;  ///< derivatives and who supplies them
  std::vector<std::string> missing_members;                  ///< members of requirements.hpp that no element has
  std::vector<std::pair<std::string, std::string>> unread;  ///< settings that the integrator does not read, with values

  /// Gains of segments whose gains differ from those of the segment before, the first hundred of them. Automatic gains
  /// are chosen anew where an event changes the motion, and kept where a singular pose is crossed.
  std::vector<SegmentGains> later_gains;

  std::vector<Fact> statistics;  ///< counts that only this formulation has, of the last segment
  bool has_segments = false;     ///< true if the run has several segments

  /// Returns the settings in words, for people. Gains that the formulation does not read are named as such.
  Settings lines() const;

  void describe(Figures& f);
};

/// Report of a run: the settings that were used, how the start was made consistent, counts, violations, energies, ranks
/// and events. simulate() and Stepper::finish() return it in Simulation, for every outcome. The checks of a run compare
/// its figures with the accuracy that the formulation promises, which gives the doubts of the status.
///
/// @code
/// const Report& report = run.report;
/// std::cout << report.steps << " steps, |g| up to " << report.max_position_violation << " m, energy drift "
///           << report.energy_drift << " J\n";
/// if (!run.status.finished()) std::cout << report.text(run.status);
/// @endcode
///
/// Not-a-number means that a figure does not apply or is not known. g, psi and G are the constraint rows and their
/// Jacobian in M v' + G^T lambda = f, g(t, q) = 0, psi(t, q, v) = 0 (notation.hpp); a constraint violation is g or
/// (g', psi) at an accepted step. describe() states every figure once, docs/figures.md lists them.
struct Report {
  /// not-a-number: the figure does not apply or is not known
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  RunFacts used;  ///< settings of the run
  ConsistencyReport start;

  double t_start = 0.0;    ///< [s]
  double t_end = 0.0;      ///< end that was asked for [s]
  double t_reached = 0.0;  ///< time of the last accepted step [s]

  long steps = 0;                 ///< accepted steps
  long rhs_evaluations = 0;       ///< right-hand sides or residuals
  long jacobian_evaluations = 0;  ///< Jacobians of the Newton iteration
  long factorizations = 0;        ///< factorisations of Newton systems
  long linear_solutions = 0;      ///< solutions of linear systems with these factors
  long nonlinear_iterations = 0;  ///< Newton or fixed-point iterations of all stages; 0 for explicit methods
  long nonlinear_failures = 0;    ///< steps repeated or given up: an iteration failed, or the model declined a point
  long error_test_failures = 0;
  long pivot_refreshes = 0;         ///< factorisations that chose their pivots anew
  long rank_actions = 0;            ///< factorisations in which the rank policy acted
  long tapered_factorizations = 0;  ///< factorisations with a direction that was neither lost nor kept
  long unconverged_iterations = 0;  ///< evaluations whose inner iteration ended at its limit
  double time_rounding = 0.0;       ///< sum over accepted steps of what the last digit of t leaves open [s]

  double max_position_violation = 0.0;  ///< max |g| over accepted steps
  double max_velocity_violation = 0.0;  ///< max |(g', psi)| over accepted steps; not-a-number for kinematic programs

  // Relative violations of positions: max |g| over the largest entry of G, over `max_position`.
  double relative_violation = 0.0;       ///< largest one over accepted steps
  double violation_at_start = 0.0;       ///< that of the first state
  double violation_at_end = 0.0;         ///< that of the last state
  double violation_between_steps = 0.0;  ///< largest one of Trajectory::position_at() in the middle of some steps

  // Relative violations of velocities: max |(g', psi)| over the largest entry of G, over `max_velocity`.
  double relative_velocity_violation = 0.0;  ///< largest one over accepted steps
  double velocity_violation_at_start = 0.0;  ///< that of the first state
  double velocity_violation_at_end = 0.0;    ///< that of the last state
  double velocity_infeasibility = 0.0;       ///< largest one where no velocity satisfies all rows

  /// Largest growth of the constraint error that its law allows between two times of the motion, as a natural
  /// logarithm: 1 is a factor e. With fixed steps it is the growth of the discrete law. Not-a-number: the gains are
  /// constant (`used.advice` has judged them), or there is no law. See extended_lagrangian and feedbacks of programs.
  double error_growth = none;
  double t_error_growth = none;  ///< the later of the two times [s]

  double max_velocity = 0.0;      ///< largest |v| of the path, of the coordinates of max_position
  double max_position = 0.0;      ///< largest |q| of the path with natural scale 1; without such, largest |q / s|
  double max_displacement = 0.0;  ///< largest |q - q0| / s, q0: at the start or last restart
  double path_length = 0.0;       ///< length of the path from step to step, of the coordinates of max_position
  double max_displacement_in_tolerances = 0.0;  ///< largest |q_i - q0_i| over the tolerance of q_i
  double energy_scale = 0.0;      ///< largest kinetic energy, change of potential energy or work of the path [J]
  double work_uncertainty = 0.0;  ///< bound of the quadrature error of the work [J]
  /// max |E - E0 - work| [J]. The work is that of moving constraints, of other forces and of events. E is the kinetic
  /// energy if the model does not state its energy.
  double energy_drift = none;

  /// Relative displacement error that the energy drift causes: since the motion last turned back, the sum of
  /// |change of q_i| (1 - sqrt(1 - drift / kinetic energy)) over the largest |q_i| + (atol / rtol) s_i; the largest of
  /// all coordinates and times. 0 if inputs or moving constraints drive the motion.
  double energy_displacement = 0.0;

  /// Smallest singular value of the scaled G M^-1/2 over accepted steps, relative to the largest.
  double smallest_singular_value = 1.0;
  std::vector<RankEvent> rank_events;

  std::vector<EventRecord> events;  ///< events of SimulationOptions::events in order of time
  double event_work = none;         ///< energy that velocity jumps at events brought in [J]; negative: lost

  /// Joints whose force the motion does not determine at the start, because redundant joints share the load: then
  /// lambda and joint_forces() have those of least norm.
  std::vector<std::string> undetermined_joints;
  /// Constraints whose multipliers an event has read where the motion does not determine them.
  std::vector<std::string> undetermined_event_forces;
  std::vector<std::string> unchecked;  ///< what could not be checked, and why; empty: everything was

  std::optional<ErrorEstimate> error_estimate;  ///< result of SimulationOptions::estimate_error

  double wall_seconds = 0.0;        ///< wall time of the run [s]
  double monitoring_seconds = 0.0;  ///< estimated share of the checks [s], from a sample of the steps
  std::string references;           ///< keys of literature.hpp for formulation and integrator

  /// Returns the report for people: verdict(), then summary() in two columns. used.lines() has all settings.
  std::string text(const Status& status) const;

  /// Returns the outcome, the time reached and the wall time; on further lines the message of the status and its
  /// doubts.
  std::string verdict(const Status& status) const;

  /// Returns the figures in groups, as pairs of a name and words, which may have several lines. Numbers have three
  /// digits and units. If a value is missing, the reason stands there; usual values are left out.
  std::vector<std::pair<std::string, std::string>> summary() const;

  /// Describes every figure once, those of its parts among them: name, unit, meaning and value (base/figures.hpp).
  /// JSON, Python, C and the table in docs/figures.md follow from it.
  void describe(Figures& f);
  /// Describes the figures of the report itself: no facts, start, lists or estimate. Checkpoints keep these.
  void describe_figures(Figures& f);
};

}  // namespace sunlagrange
