// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/options.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/simulation/catalogue.hpp>

#include "base/numerics.hpp"
#include "base/problems.hpp"
#include "formulation/formulation.hpp"
#include "formulation/options.hpp"
#include "simulation/automatic.hpp"

namespace sunlagrange::internal {
namespace {

/// Looks a name up, keeping the complaint instead of throwing it.
template <class Entry>
const Entry* lookup(const Registry<Entry>& registry, const std::string& name, Problems& problems) {
  const Entry* found = nullptr;
  problems.require_no_error([&] { found = &registry.find(name); });
  return found;
}

/// Each value of Record reads its own field, and no other.
void check_record(const SimulationOptions& o, double t_start, Problems& problems) {
  const bool read = o.record == Record::every_kth_step;
  problems.require(read ? o.record_stride >= 1 : o.record_stride == 1, [&] {
    return "record_stride = " + std::to_string(o.record_stride) +
           (read ? ": must be at least 1"
                 : ": only Record::every_kth_step reads it; set record, or leave the stride at 1");
  });
  const std::vector<double>& times = o.record_times;
  if (o.record != Record::at_times) {
    problems.require(times.empty(), "record_times: only Record::at_times reads them; set record, or leave them empty");
    return;
  }
  problems.require(!times.empty(), "record_times: Record::at_times needs times; for none use Record::ends_only");
  for (std::size_t k = 0; k < times.size(); ++k) {
    const bool inside = times[k] >= t_start && times[k] <= o.t_end;
    if (inside && (k == 0 || times[k] > times[k - 1])) continue;
    return problems.require(false,
                            "record_times[" + std::to_string(k) + "] = " + text(times[k]) +
                                (inside ? ": must be later than the time before, " + text(times[k - 1])
                                        : ": must be within the run, t = " + text(t_start) + " ... " + text(o.t_end)));
  }
}

/// Returns the problem if the digits of t resolve too few steps of the run: t advances in ticks of its last digit.
std::string clock_problem(double t_start, double t_end) {
  constexpr double fewest_ticks = 1e6;
  constexpr double shortest = 1e-100;  // rates of gains are inverse to it, and are squared
  const double latest = std::max(std::abs(t_start), std::abs(t_end));
  const double tick = last_digit(latest);
  const double span = t_end - t_start;
  if (!(span > 0.0)) return "";
  if (span < shortest)
    return "t_end - t = " + text(span) + " s: a run needs at least " + text(shortest) +
           " s; choose a smaller unit of time";
  if (span >= fewest_ticks * tick) return "";
  return "t_end - t = " + text(span) + " s at t = " + text(t_start) + ": the digits of t end at " + text(tick) +
         " s, and a run needs at least " + text(fewest_ticks * tick) +
         " s there; shift the time axis, so that the run starts near t = 0";
}

/// Returns the problem if steps are shorter than the last digit of t, so that they do not change t.
std::string short_step_problem(const char* name, double step, double t_end) {
  const double tick = last_digit(t_end);
  if (!(step > 0.0 && step < tick)) return "";
  return "t_end = " + text(t_end) + ": the digits of t end at " + text(tick) + " s there, and steps of at most " +
         name + " = " + text(step) + " do not move it; choose an earlier t_end, or a longer " + name;
}

/// A table must be given exactly if the integrator is "table", and be a method.
void check_table(const SimulationOptions& o, Problems& problems) {
  const bool used = o.integrator == "table";
  problems.require(!used || o.table.has_value(), "integrator = table: give the Butcher table in the option table");
  if (!o.table.has_value()) return;
  problems.require(used, [&] {
    return "table: the integrator " + o.integrator + " does not use it; choose the integrator table, or automatic";
  });
  for (const std::string& problem : o.table->problems())
    problems.require(false, "table \"" + o.table->name + "\": " + problem);
}

}  // namespace

AtSingularity resolved_treatment(AtSingularity requested, const MechanicalSystem& system, const SimulationOptions& o) {
  if (requested != AtSingularity::automatic) return requested;
  const bool crosses = system.motion_law().has_forces && o.linear_solver.name == "dense";
  return crosses && o.formulation == "projected" ? AtSingularity::project : AtSingularity::filter;
}

SimulationOptions validated(const MechanicalSystem& system, const InitialState& given, SimulationOptions o) {
  Problems problems;
  if (o.formulation == "automatic") o.formulation = provisional_formulation(system, o);
  const FormulationEntry* formulation = lookup(formulation_registry(), o.formulation, problems);
  if (o.integrator == "automatic" && formulation != nullptr) {
    o.integrator = o.table.has_value() ? "table" : std::string(automatic_integrator(o.formulation));
  }
  const IntegratorEntry* integrator =
      o.integrator == "automatic" ? nullptr : lookup(integrator_registry(), o.integrator, problems);
  if (formulation != nullptr && integrator != nullptr) {
    const std::string complaint = objection(o.formulation, system, o.integrator);
    problems.require(complaint.empty(), complaint);
    problems.require(o.events.empty() || integrator->equations != Equations::one_step, [&] {
      return "events: integrator " + o.integrator + " finds no roots; use a formulation with an integrator of SUNDIALS";
    });
    const ButcherTable* table = fixed_step_table(o);
    problems.require(o.events.empty() || table == nullptr || table->order > 1, [&] {
      return "events: " + o.integrator + " has no dense output to find roots on; use rk2 or higher";
    });
    problems.require(!integrator->fixed_step || (o.step > 0.0 && std::isfinite(o.step)), [&] {
      return "step = " + text(o.step) + ": the fixed-step integrator " + o.integrator + " needs step > 0";
    });
  }
  problems.require(system.motion_law().has_forces || o.at_singularity != AtSingularity::project,
                   "at_singularity = project: crosses with the accelerations of a mechanical system; kinematic "
                   "programs have filter and stop");
  problems.require(*to_string(o.at_singularity) != '\0', [&] {
    return "at_singularity = " + std::to_string(static_cast<int>(o.at_singularity)) +
           ": is no AtSingularity; use automatic, filter, stop or project";
  });
  problems.require(o.start == Start::consistent || o.start == Start::as_given, [&] {
    return "start = " + std::to_string(static_cast<int>(o.start)) + ": is no Start; use consistent or as_given";
  });
  problems.add(objections(o, system) + objections(o.ida));
  check_table(o, problems);
  const bool t_known = std::isfinite(given.t);
  problems.require(t_known, [&] { return "t = " + text(given.t) + ": the start needs a finite time"; });
  problems.require(!t_known || (o.t_end > given.t && o.t_end <= largest_number), [&] {
    return "t_end = " + text(o.t_end) + ": must be later than the start, t = " + text(given.t) + ", and at most " +
           text(largest_number);
  });
  const std::string clock = t_known && std::isfinite(o.t_end) ? clock_problem(given.t, o.t_end) : "";
  problems.require(clock.empty(), clock);
  const bool fixed_step = integrator != nullptr && integrator->fixed_step;
  const std::string too_short =
      fixed_step ? short_step_problem("step", o.step, o.t_end) : short_step_problem("max_step", o.max_step, o.t_end);
  problems.require(too_short.empty(), too_short);
  if (t_known) check_record(o, given.t, problems);
  problems.require(o.estimated_functions.empty() || o.estimate_error,
                   "estimated_functions: only estimate_error reads them; set it, or leave them empty");
  problems.require(intervals::not_negative.contains(o.max_step),
                   [&] { return intervals::not_negative.objection("max_step", o.max_step); });
  problems.require(o.max_steps > 0,
                   [&] { return intervals::count.objection("max_steps", static_cast<double>(o.max_steps)); });
  problems.throw_if_any("invalid simulation options");
  o.linear_solver = resolve_linear_solver(o.linear_solver, system);
  o.at_singularity = resolved_treatment(o.at_singularity, system, o);
  return o;
}

namespace {

/// Returns the settings that this integrator does not read.
std::vector<std::pair<std::string, std::string>> unread_settings(const SimulationOptions& o,
                                                                 const IntegratorEntry& integrator) {
  std::vector<std::pair<std::string, std::string>> unread;
  if (!integrator.fixed_step && o.step != 0.0) unread.emplace_back("step", text(o.step));
  if (integrator.fixed_step && o.max_step != 0.0) unread.emplace_back("max_step", text(o.max_step));
  if (find_formulation(o.formulation).equations == Equations::dae) return unread;
  const IdaOverrides& ida = o.ida;
  if (ida.suppress_algebraic) unread.emplace_back("ida.suppress_algebraic", *ida.suppress_algebraic ? "yes" : "no");
  if (ida.nonlinear_coefficient) unread.emplace_back("ida.nonlinear_coefficient", text(*ida.nonlinear_coefficient));
  if (ida.max_nonlinear_iterations)
    unread.emplace_back("ida.max_nonlinear_iterations", std::to_string(*ida.max_nonlinear_iterations));
  if (ida.initial_step) unread.emplace_back("ida.initial_step", text(*ida.initial_step));
  return unread;
}

/// Returns the natural scales other than 1, in the order of their first coordinates.
std::vector<NaturalScale> natural_scales(const MechanicalSystem& system) {
  std::vector<NaturalScale> list;
  for (int i = 0; i < system.num_positions(); ++i) {
    const double scale = system.natural_scales()[i];
    if (scale == 1.0) continue;
    auto known = std::find_if(list.begin(), list.end(), [&](const NaturalScale& s) { return s.scale == scale; });
    if (known == list.end()) known = list.insert(list.end(), {scale, {}});
    known->coordinates.push_back(system.position_name(i));
  }
  return list;
}

}  // namespace

double longest_step(const SimulationOptions& o, double t_start) {
  const IntegratorEntry& integrator = find_integrator(o.integrator);
  if (integrator.fixed_step) return 0.0;
  if (o.max_step > 0.0) return o.max_step;
  return (o.t_end - t_start) / (integrator.order > 0 ? fewest_steps / step_with_stages : fewest_steps);
}

EventOptions event_options(const SimulationOptions& o, const InputBinder* inputs) {
  EventOptions options;
  options.inputs = inputs;
  static_cast<GainOptions&>(options) = o;
  options.events = o.events;
  options.inactive_constraints = o.inactive_constraints;
  if (find_integrator(o.integrator).fixed_step) options.step = o.step;
  options.t_end = o.t_end;
  options.start = o.start;
  return options;
}

const ButcherTable* fixed_step_table(const SimulationOptions& o) {
  return o.table.has_value() ? &*o.table : find_integrator(o.integrator).fixed_step_table;
}

int one_step_order(const SimulationOptions& o) {
  const ButcherTable* table = fixed_step_table(o);
  return table != nullptr ? table->order : find_integrator(o.integrator).order;
}

RunFacts facts_of(const MechanicalSystem& system, const SimulationOptions& requested, const SimulationOptions& used,
                  IntegratorStepper& stepper) {
  RunFacts facts;
  static_cast<FormulationFacts&>(facts) = stepper.attachment().facts();
  facts.formulation = {requested.formulation, used.formulation};
  facts.integrator = {requested.integrator, used.integrator};
  facts.table = used.table;
  if (find_integrator(used.integrator).fixed_step) facts.step = used.step;
  facts.tolerances = used;
  facts.natural_scales = natural_scales(system);
  facts.linear_solver = {requested.linear_solver.name, used.linear_solver.name};
  if (requested.linear_solver.name == "automatic") facts.own.push_back(linear_solver_choice(system).reason);
  facts.linear_solver_description = stepper.attachment().linear_solver_description();
  facts.rank_policy = used.linear_solver.rank_policy;
  facts.at_singularity = used.at_singularity;
  facts.asked_gains = used.gains;
  facts.switched_off = used.inactive_constraints;
  for (const Event& event : used.events) facts.events.push_back({event.name, crossing_direction(event)});
  facts.sources = system.sources();
  facts.missing_members = system.missing_members();
  facts.unread = unread_settings(used, find_integrator(used.integrator));
  return facts;
}

Gains gains_in_use(const FormulationFacts& facts) {
  const auto of = [](const std::optional<UsedGain>& gain) {
    if (!gain || gain->varying || gain->used.size() == 0) return Gain();
    if (!gain->asked.automatic()) return gain->asked;
    const Eigen::VectorXd& values = gain->used.diagonal;  // automatic gains are diagonal
    return Gain(std::vector<double>(values.begin(), values.end()));
  };
  Gains gains;
  gains.K_D = of(facts.K_D);
  gains.K_P = of(facts.K_P);
  gains.K_N = of(facts.K_N);
  gains.Lambda = of(facts.Lambda);
  return gains;
}

}  // namespace sunlagrange::internal
