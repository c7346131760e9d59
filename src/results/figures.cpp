// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/results/power_balance.hpp>
#include <sunlagrange/results/reactions.hpp>
#include <sunlagrange/results/report_json.hpp>

/// The descriptions of the results of a run.
namespace sunlagrange {
namespace {

/// One line of the gain advice in the report: a figure, or a warning about one.
struct AdviceLine {
  std::string kind;
  std::variant<double, Eigen::VectorXd> value;
  std::optional<double> allowed;
  std::string unit, warning;

  void describe(Figures& f) {
    f("kind", kind, "name of the figure, or kind of the warning");
    f("value", value, "the figure");
    f("allowed", allowed, "limit of a warning");
    f("unit", unit, "unit of the figure");
    f("warning", warning, "finding and what to change; empty for a figure");
  }
};

const char* unit_of(GainWarningKind kind) {
  if (kind == GainWarningKind::idle || kind == GainWarningKind::growing) return "1/s";
  return kind == GainWarningKind::soft ? "of the row" : "";
}

/// Figures and warnings of the gain advisor; empty where there was nothing to advise.
std::vector<AdviceLine> advice_lines(const std::optional<GainAdvice>& advice) {
  if (!advice.has_value()) return {};
  std::vector<AdviceLine> lines = {{"motion_rate", advice->motion_rate, {}, "1/s", ""},
                                   {"fastest", advice->fastest, {}, "1/s", ""},
                                   {"slowest", advice->slowest, {}, "1/s", ""},
                                   {"stability_margin", advice->stability_margin, {}, "", ""},
                                   {"expected_violation", advice->expected_violation, {}, "of the rows", ""},
                                   {"added_cost", advice->added_cost, {}, "", ""}};
  for (const GainWarning& w : advice->warnings)
    lines.push_back({to_string(w.kind), w.value, w.allowed, unit_of(w.kind), w.text});
  return lines;
}

/// Who supplies a derivative.
struct DerivativeSource {
  std::string quantity, source;

  void describe(Figures& f) {
    f("quantity", quantity, "derivative");
    f("source", source, "who supplies it");
  }
};

/// A setting that the integrator does not read.
struct UnreadSetting {
  std::string name, asked;

  void describe(Figures& f) {
    f("name", name, "name of the setting");
    f("asked", asked, "value that was asked for");
  }
};

template <class Entry>
std::vector<Entry> entries_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<Entry> entries;
  for (const auto& [first, second] : pairs) entries.push_back({first, second});
  return entries;
}

}  // namespace

void RankEvent::describe(Figures& f) {
  f("t", t, "s", "time of the smallest singular value");
  f.not_negative("smallest", smallest, "1",
                 "smallest singular value of the scaled G M^-1/2 there, relative to the largest");
  f("constraint", constraint, "row with the largest share in the lost direction");
  f("stepped_over", stepped_over, "true if it lies inside an accepted step");
  f("passage", passage, "how the motion left the singular pose");
  f("kink", unexplained_velocity_change, "1",
    "unexplained velocity change: the part that accelerations do not explain, relative; the key is kept for "
    "compatibility");
  f("energy_error", energy_error, "1",
    "change of energy across the singular pose that work does not explain, relative");
  f.added_later([&] {
    f("way", way, "way of the motion through the critical pose, where two branches cross or nearly cross");
    f.not_negative("misfit", misfit, "unit of g", "by which the rows miss a crossing of the branches; 0: they cross");
    f.not_negative("gap", gap, "unit of q", "distance of the branches, its largest coordinate; 0: they cross");
    f.not_negative("violation_over_misfit", violation_over_misfit, "1",
                   "largest violation on the way through the pose, relative to the misfit");
  });
}

void EventRecord::describe(Figures& f) {
  f("t", t, "s", "time of the event");
  f("name", name, "name of the event");
  f("done", done, "what its handler did, in words; empty: it was recorded only");
  f.not_negative("velocity_violation_before", velocity_violation_before, "unit of g / s",
                 "largest |(g', psi)| before, of rows that are active before or afterwards");
  f.not_negative("velocity_violation_after", velocity_violation_after, "unit of g / s",
                 "largest |(g', psi)| with which the run goes on");
  f.not_negative("kinetic_energy_before", kinetic_energy_before, "J", "kinetic energy before");
  f.not_negative("kinetic_energy_after", kinetic_energy_after, "J", "kinetic energy afterwards");
  f.not_negative("moved_positions", moved_positions, "unit of q", "largest change of a position by the projection");
  f("active_constraints", active_constraints, "rows that are active afterwards");
}

void NameChoice::describe(Figures& f) {
  f("asked", asked, "name that was asked for, or automatic");
  f("used", used, "name that was used");
}

void WatchedEvent::describe(Figures& f) {
  f("name", name, "name of the event");
  f("direction", direction, "crossings that count: 1 rising, -1 falling, 0 both");
}

void NaturalScale::describe(Figures& f) {
  f("scale", scale, "unit of q", "natural scale");
  f("coordinates", coordinates, "coordinates that have it");
}

void SegmentGains::describe(Figures& f) {
  f("t", t, "s", "begin of the segment");
  f("K_D", K_D, "1/s", "gain of the constraint rate");
  f("K_P", K_P, "1/s^2", "gain of the constraint violation");
  f("K_N", K_N, "1/s", "gain of the velocity constraints");
  f("Lambda", Lambda, "", "penalty");
}

void RunFacts::describe(Figures& f) {
  const auto unless_fixed = [this](double value) {
    return step.has_value() ? std::optional<double>() : std::optional<double>(value);
  };
  f("formulation", formulation.used, "formulation that was used; empty: no step was tried");
  f.derived("integrator", integrator.used, "integrator that was used");
  f.derived("linear_solver", linear_solver.used, "linear solver that was used");
  f.group("asked", "names that were asked for", [this, &f] {
    f("formulation", formulation.asked, "formulation that was asked for, or automatic");
    f("integrator", integrator.asked, "integrator that was asked for, or automatic");
    f("linear_solver", linear_solver.asked, "linear solver that was asked for, or automatic");
  });
  f("table", table, "Butcher table of the user; none: the integrator has its own");
  f("rank_policy", rank_policy, "what is done where constraints lose rank");
  f("at_singularity", at_singularity, "treatment of singular poses");
  f.derived("rtol", unless_fixed(tolerances.rtol), "1", "relative tolerance; none with fixed steps");
  f.derived("atol", unless_fixed(tolerances.atol), "natural scale", "absolute tolerance; none with fixed steps");
  struct Scale {
    NaturalScale scale;
    std::optional<double> atol;
    void describe(Figures& g) {
      scale.describe(g);
      g("atol", atol, "unit of q", "absolute tolerance of these coordinates; none with fixed steps");
    }
  };
  std::vector<Scale> scales;
  for (const NaturalScale& s : natural_scales) scales.push_back({s, unless_fixed(tolerances.atol * s.scale)});
  f.derived("natural_scales", std::move(scales), "natural scales other than 1");
  f("step", step, "s", "fixed step; none: the integrator controls its steps");
  f("max_step", max_step, "s", "longest step; 0: no limit");
  FormulationFacts::describe(f);
  f.derived("advice", advice_lines(advice), "figures and warnings of the gain advisor");
  struct Asked {
    Gains gains;
    void describe(Figures& g) {
      const auto add = [&g](const char* name, const Gain& gain, const char* unit) {
        constexpr const char* meaning = "none: automatic; a number, or the list of values, a matrix row by row";
        if (gain.automatic())
          g.derived(name, std::optional<double>(), unit, meaning);
        else if (gain.values().size() == 1)
          g.derived(name, gain.values().front(), unit, meaning);
        else
          g.derived(name, gain.values(), unit, meaning);
      };
      add("K_D", gains.K_D, "1/s");
      add("K_P", gains.K_P, "1/s^2");
      add("K_N", gains.K_N, "1/s");
      add("Lambda", gains.Lambda, "");
    }
  };
  f.derived("asked_gains", Asked{asked_gains}, "gains that were asked for");
  f("linear_solver_description", linear_solver_description, "what the linear solver made of the problem, in words");
  f.derived("sources", entries_of<DerivativeSource>(sources), "who supplies the derivatives");
  f("missing_members", missing_members, "members that a model may have and no element has");
  f("switched_off", switched_off, "constraints that start switched off");
  f("watched_events", events, "events that the run looked for");
  f.derived("unread_settings", entries_of<UnreadSetting>(unread), "settings that the integrator does not read");
  f("later_gains", later_gains, "gains of segments that have others than the segment before");
  f("statistics", statistics, "what the formulation counted");
  f.derived("several_segments", has_segments, "true if events divided the run into several segments");
  f.derived("settings", lines(), "everything that was asked and used, in words");
}

void Report::describe_figures(Figures& f) {
  f("t_start", t_start, "s", "start of the run");
  f("t_reached", t_reached, "s", "time of the last accepted step");
  f.count("steps", steps, "accepted steps");
  f.count("rhs_evaluations", rhs_evaluations, "evaluations of the right-hand side or residual");
  f.count("jacobian_evaluations", jacobian_evaluations, "evaluations of the Jacobian");
  f.count("factorizations", factorizations, "factorisations of Newton matrices and saddle-point matrices");
  f.added_later(
      [&] { f.count("linear_solutions", linear_solutions, "solutions of linear systems with these factors"); });
  f.count("nonlinear_iterations", nonlinear_iterations, "nonlinear iterations of all stages; 0 for explicit methods");
  f.count("nonlinear_failures", nonlinear_failures, "steps repeated or given up because an iteration failed");
  f.count("error_test_failures", error_test_failures, "steps repeated because the error test failed");
  f.count("pivot_refreshes", pivot_refreshes, "factorisations with new pivots");
  f.count("rank_actions", rank_actions, "factorisations in which the rank policy acted");
  f.added_later([&] {
    f.count("tapered_factorizations", tapered_factorizations,
            "factorisations with a direction of the constraints that was neither lost nor kept");
  });
  f.formerly("unconverged")
      .count("unconverged_iterations", unconverged_iterations, "evaluations whose inner iteration ended at its limit");
  f.formerly("clock_rounding")
      .not_negative("time_rounding", time_rounding, "s", "sum of the rounding of t over all accepted steps");
  f.not_negative("max_position_violation", max_position_violation, "unit of g", "largest |g| over accepted steps");
  f.not_negative("max_velocity_violation", max_velocity_violation, "unit of g / s",
                 "largest |(g', psi)| over accepted steps; none for kinematic programs");
  f.not_negative("relative_violation", relative_violation, "1",
                 "largest |g| over the largest entry of G, relative to max_position");
  f.not_negative("violation_at_start", violation_at_start, "1", "relative_violation of the first state");
  f.not_negative("violation_at_end", violation_at_end, "1", "relative_violation of the last state");
  f.formerly("violation_between")
      .not_negative("violation_between_steps", violation_between_steps, "1",
                    "relative_violation in the middle of some steps, of the interpolated positions");
  f.not_negative("relative_velocity_violation", relative_velocity_violation, "1",
                 "largest |(g', psi)| over the largest entry of G, relative to max_velocity");
  f.not_negative("velocity_violation_at_start", velocity_violation_at_start, "1",
                 "relative_velocity_violation of the first state");
  f.not_negative("velocity_violation_at_end", velocity_violation_at_end, "1",
                 "relative_velocity_violation of the last state");
  f.formerly("velocity_contradiction")
      .not_negative("velocity_infeasibility", velocity_infeasibility, "1",
                    "relative_velocity_violation where no velocity satisfies all rows");
  f("error_growth", error_growth, "1", "largest growth that the law of the constraint error allows, as a logarithm");
  f("t_error_growth", t_error_growth, "s", "end of the time in which that growth happens");
  f.formerly("speed").not_negative("max_velocity", max_velocity, "unit of v",
                                   "largest |v| of the coordinates of max_position");
  f.formerly("size").not_negative("max_position", max_position, "unit of q",
                                  "largest |q| of coordinates with natural scale 1; without such, in natural scales");
  f.formerly("way").not_negative("max_displacement", max_displacement, "1",
                                 "largest |q - q at the start| in natural scales");
  f.added_later([&] {
    f.formerly("path").not_negative("path_length", path_length, "unit of q",
                                    "length of the path of the coordinates of max_position");
    f.formerly("way_in_tolerances")
        .not_negative("max_displacement_in_tolerances", max_displacement_in_tolerances, "1",
                      "largest displacement of a coordinate over its tolerance");
  });
  f.not_negative("energy_held", energy_scale, "J",
                 "largest kinetic energy, change of potential energy or work along the path");
  f.not_negative("work_uncertainty", work_uncertainty, "J", "bound of the quadrature error of the work");
  f.not_negative("energy_drift", energy_drift, "J", "largest |energy - energy at the start - work|; none: not known");
  f.added_later([&] {
    f.not_negative("energy_displacement", energy_displacement, "1",
                   "displacement error that the energy drift causes, relative to the coordinate");
  });
  f.not_negative("smallest_singular_value", smallest_singular_value, "1",
                 "smallest singular value of the scaled G M^-1/2, relative to the largest");
  f("event_work", event_work, "J", "energy that velocity jumps at events brought in; negative: lost");
  f.not_negative("wall_seconds", wall_seconds, "s", "wall time of the run");
  f.not_negative("monitoring_seconds", monitoring_seconds, "s", "estimated share of the checks in it");
  f.added_later([&] {
    f("undetermined_joints", undetermined_joints,
      "joints whose force the motion does not determine at the start: redundant joints share the load");
    f("undetermined_event_forces", undetermined_event_forces,
      "rows whose multiplier an event has read where the motion does not determine it");
    f("unchecked", unchecked, "what could not be checked, and why");
  });
}

void Report::describe(Figures& f) {
  used.describe(f);
  f("t_end", t_end, "s", "end that was asked for");
  describe_figures(f);
  f("start", start, "how the start was made consistent");
  f("rank_events", rank_events, "singular poses on the path: the constraints nearly lost rank");
  f("events", events, "events in order of time");
  f("error_estimate", error_estimate, "estimated global error; none: not asked for");
  f("references", references, "keys of the literature of formulation and integrator");
}

void FunctionError::describe(Figures& f) {
  f("name", name, "name of the function");
  f("value", value, "", "value at the last state that was compared");
  f("error", error, "", "estimated error there");
  f("largest", largest, "", "largest estimated error");
}

void StateError::describe(Figures& f) {
  f("state", state, "number of the state in the trajectory");
  f("q", q, "unit of q", "estimated error of each position");
  f("v", v, "unit of v", "estimated error of each velocity");
  f("lambda", lambda, "unit of lambda", "estimated error of each multiplier");
}

void ErrorEstimate::describe(Figures& f) {
  f("q", q, "unit of q", "estimated error of each position at the last state");
  f("v", v, "unit of v", "estimated error of each velocity at the last state");
  f("lambda", lambda, "unit of lambda", "estimated error of each multiplier at the last state");
  f("largest_q", largest_q, "1", "largest error of a position, in natural scales");
  f("largest_v", largest_v, "1/s", "largest error of a velocity, in natural scales");
  f("largest_lambda", largest_lambda, "unit of lambda", "largest error of a multiplier");
  f("functions", functions, "errors of the functions of the state");
  f.table("along", along, "errors of the states that were compared");
  f("t_compared", t_compared, "s", "time up to which both runs got");
  f("certain", certain, "false if the error may be much larger, see doubt");
  f("doubt", doubt, "why the error may be much larger");
  f("companion", companion, "run that was compared with");
  f("wall_seconds", wall_seconds, "s", "wall time of the companion");
}

void Simulation::describe(Figures& f) {
  status.describe(f);
  report.describe(f);
  const auto last = [this, &f](const char* name, auto part, const char* unit, const char* meaning) {
    f.derived(name, trajectory.empty() ? std::optional<Eigen::VectorXd>() : part(trajectory.size() - 1), unit, meaning);
  };
  using Vector = std::optional<Eigen::VectorXd>;
  last(
      "q_end", [this](std::size_t k) -> Vector { return trajectory.q(k); }, "unit of q", "positions at the end");
  last(
      "v_end", [this](std::size_t k) -> Vector { return trajectory.v(k); }, "unit of v", "velocities at the end");
  last(
      "lambda_end", [this](std::size_t k) -> Vector { return trajectory.lambda(k); }, "unit of lambda",
      "multipliers at the end");
}

std::string report_json(const Simulation& run) {
  JsonFigures json("error_estimate");
  describe_const(run, json);
  return json.str();
}

}  // namespace sunlagrange
