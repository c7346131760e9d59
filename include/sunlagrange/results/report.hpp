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

/// How the motion left a (nearly) singular configuration.
enum class Passage {
  smooth,      ///< the velocity changed as the accelerations say, the energy as the work: no change of branch
  jumped,      ///< the velocity jumped: the motion continues on another branch
  unverified,  ///< not decided: the run ended there, the steps are too long to tell, or energy came or went
};

constexpr auto names_of(Passage) {
  return enum_names("smooth", "jumped", "unverified");
}

/// Something about rank that happened along the path.
struct RankEvent {
  double t = 0.0;             ///< time of the smallest singular value [s]
  double smallest = 0.0;      ///< relative smallest singular value there, of the scaled G M^-1 G^T, or of the scaled
                              ///< G itself in that direction if that is larger: masses far apart are no reason
  std::string constraint;     ///< largest share in the lost direction
  bool stepped_over = false;  ///< lies inside an accepted step: the integrator did not notice it
  Passage passage = Passage::unverified;
  double unexplained_velocity_change =
      std::numeric_limits<double>::quiet_NaN();                    ///< unexplained change of velocity, relative
  double energy_error = std::numeric_limits<double>::quiet_NaN();  ///< energy that came or went across it, relative

  void describe(Figures& f);
};

/// An event of simulate() and what its handler did.
struct EventRecord {
  double t = 0.0;    ///< [s]
  std::string name;  ///< Event::name
  std::string done;  ///< in words; empty: recorded only

  double velocity_violation_before = 0.0;  ///< max |(g', psi)| before, of rows that are active before or afterwards
  double velocity_violation_after = 0.0;   ///< when the run goes on; the same for all events of one instant
  double kinetic_energy_before = 0.0;      ///< [J]
  double kinetic_energy_after = 0.0;       ///< [J]
  double moved_positions = 0.0;            ///< max |q after - q before|, by the projection onto the active constraints
  std::vector<std::string> active_constraints;  ///< rows, afterwards

  void describe(Figures& f);
};

/// A name that the library may have chosen.
struct NameChoice {
  std::string asked;  ///< "automatic": the library has chosen
  std::string used;

  void describe(Figures& f);
};

/// An event that the run looked for.
struct WatchedEvent {
  std::string name;
  int direction = 0;  ///< of the crossing: 1 rising, -1 falling, 0 both

  void describe(Figures& f);
};

/// Coordinates whose natural scale is not 1: their absolute tolerance is atol x scale.
struct NaturalScale {
  double scale = 1.0;                    ///< in the unit of the coordinates
  std::vector<std::string> coordinates;  ///< names

  void describe(Figures& f);
};

/// What a run used, every automatic choice included, as values; the formulation's part is that of the first stretch, up
/// to the first event that changed something.
struct RunFacts : FormulationFacts {
  std::string formulation;  ///< empty: no step was tried, and nothing here counts
  NameChoice integrator;
  std::optional<ButcherTable> table;  ///< the user's own
  std::optional<double> step;         ///< fixed-step integrators [s]; the others have
  Tolerances tolerances;
  double max_step = 0.0;                     ///< and no longer steps than this [s]
  std::vector<NaturalScale> natural_scales;  ///< one for each scale, none for 1
  NameChoice linear_solver;
  std::string linear_solver_description;  ///< what it made of the problem, in words
  RankPolicy rank_policy = LinearSolverOptions{}.rank_policy;
  AtSingularity at_singularity = AtSingularity::filter;
  Gains asked_gains;  ///< of all rows; those that the formulation does not read among them
  std::vector<std::string> switched_off;
  std::vector<WatchedEvent> events;
  std::vector<std::pair<std::string, std::string>> sources;  ///< of derivatives: quantity, who gives it
  std::vector<std::string> missing_members;                  ///< that a model may have, and no element has
  std::vector<std::pair<std::string, std::string>> unread;   ///< settings the integrator does not read: name, value

  std::vector<Fact> statistics;  ///< what the formulation counted on its way, of the last stretch
  bool has_stretches = false;    ///< there were several

  /// The table of the report. Gains that the formulation does not read are named as such.
  Settings lines() const;

  void describe(Figures& f);
};

/// What happened in a run. Not-a-number means "not applicable".
struct Report {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  RunFacts used;
  ConsistencyReport start;

  double t_start = 0.0;
  double t_end = 0.0;      ///< asked
  double t_reached = 0.0;  ///< last accepted step

  long steps = 0;  ///< accepted
  long rhs_evaluations = 0;
  long jacobian_evaluations = 0;
  long factorizations = 0;
  long nonlinear_iterations = 0;  ///< of Newton or the functional iteration, for all stages together; explicit: 0
  long nonlinear_failures = 0;    ///< steps tried again or given up: an iteration failed, or a point was declined
  long error_test_failures = 0;
  long pivot_refreshes = 0;
  long rank_actions = 0;            ///< factorisations in which the rank policy acted
  long unconverged_iterations = 0;  ///< evaluations whose inner iteration ended at its limit
  double time_rounding = 0.0;       ///< sum over accepted steps of what the last digit of t leaves open [s]

  double max_position_violation = 0.0;   ///< max over accepted steps of max |g|
  double max_velocity_violation = 0.0;   ///< max |(g', psi)|; kinematic programs have none
  double relative_violation = 0.0;       ///< largest max |g| over the largest entry of G there, over `size`
  double violation_at_start = 0.0;       ///< the same of the first state alone
  double violation_at_end = 0.0;         ///< and of the last
  double violation_between_steps = 0.0;  ///< the same in the middle of steps, of which some are looked at (position_at)

  double relative_velocity_violation = 0.0;  ///< largest max |(g', psi)| over the largest entry of G, over `speed`
  double velocity_violation_at_start = 0.0;  ///< the same of the first state alone
  double velocity_violation_at_end = 0.0;    ///< and of the last
  double velocity_infeasibility = 0.0;       ///< the same where no velocity satisfies the rows together

  /// How far the law of the constraint error itself lets it grow along the motion, as a natural logarithm, over the
  /// stretch where that is most: 1 is a factor e. Fixed steps: as they follow the law. Not-a-number: gains are constant
  /// (`used.advice` has judged them), or there is no law. See extended_lagrangian and feedbacks of programs.
  double error_growth = none;
  double t_error_growth = none;  ///< where that stretch ends [s]

  double max_velocity = 0.0;      ///< largest |v| of the path, measured as `size`
  double max_position = 0.0;      ///< largest |q| of natural scale 1 of the path; without such, largest |q / s|
  double max_displacement = 0.0;  ///< largest |q - q(start)| / s of the path
  double path_length = 0.0;       ///< its length, from step to step, measured as `size`
  double max_displacement_in_tolerances = 0.0;  ///< largest |q_i - q_i(start)| over what the error test allows of q_i
  double energy_scale = 0.0;      ///< largest kinetic energy, change of potential energy or work of the path [J]
  double work_uncertainty = 0.0;  ///< of the work, a bound for its quadrature [J]
  double energy_drift = none;  ///< max |E - E0 - work| [J]; work of moving constraints, other forces, events included;
                               ///< E is the kinetic energy where the model does not tell its own

  /// Way by which a coordinate is too far on or behind because energy went astray: over the path since the motion last
  /// turned back, the sum of |change of q_i| (1 - sqrt(1 - drift / kinetic energy)), over the largest
  /// |q_i| + (atol / rtol) s_i; the most of all coordinates and times. 0 where anything but its own energy drives the
  /// motion.
  double energy_displacement = 0.0;

  double smallest_singular_value = 1.0;  ///< relative, of the scaled G M^-1 G^T, over accepted steps
  std::vector<RankEvent> rank_events;

  std::vector<EventRecord> events;  ///< of SimulationOptions::events, in order of time
  double event_work = none;         ///< energy that velocity jumps at events brought in [J]; negative: lost

  std::optional<ErrorEstimate> error_estimate;  ///< SimulationOptions::estimate_error

  double wall_seconds = 0.0;
  double monitoring_seconds = 0.0;  ///< of them spent on watching the accepted steps, about: later ones are sampled
  std::string references;           ///< keys of literature.hpp for formulation and integrator

  /// For people: verdict(), then summary() in two columns. Everything that was asked and used: used.lines().
  std::string text(const Status& status) const;

  /// How it ended, how far it came and in which time; on further lines the message of the status and its doubts.
  std::string verdict(const Status& status) const;

  /// What happened, in groups: name and words, which may have several lines. Numbers have three digits and units;
  /// where a value is missing, the reason stands. What is as usual is left out.
  std::vector<std::pair<std::string, std::string>> summary() const;

  /// Describes every figure once, those of its parts among them: name, unit, meaning and value (base/figures.hpp).
  /// JSON, Python, C and the table in docs/figures.md follow from it.
  void describe(Figures& f);
  /// Describes the figures of the report itself: no facts, start, lists or estimate. Checkpoints keep these.
  void describe_figures(Figures& f);
};

}  // namespace sunlagrange
