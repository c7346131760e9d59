// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/companion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/simulation/catalogue.hpp>

#include "base/numerics.hpp"
#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "model/evaluation.hpp"
#include "simulation/options.hpp"
#include "simulation/run.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by error_companion_test and error_estimate_test.
struct CompanionSettings {
  double step = 0.75;           ///< of a one-step method, relative to the steps of the run
  double tolerance = 10.0;      ///< the tolerances of other companions are smaller by this factor
  double tolerance_ode = 2.0;   ///< the same for radau in ODE forms, which errs less than BDF at equal tolerances
  double more_steps = 1.4;      ///< steps relative to the run, if all steps are as long as allowed
  double mostly_longest = 1.5;  ///< times the fewest steps possible: most steps of the run were as long as allowed
};
constexpr CompanionSettings companion_setting;

constexpr const char* radau = "radau";

/// Returns the options that all companions have in common.
SimulationOptions beside(SimulationOptions o, const Simulation& run) {
  o.formulation = run.report.used.formulation.used;
  o.integrator = run.report.used.integrator.used;
  o.estimate_error = false;
  o.estimated_functions.clear();
  o.t_end = run.report.t_reached;
  o.max_steps = std::min(o.max_steps, std::numeric_limits<long>::max() / 10) * 10;
  return o;
}

void tighten(SimulationOptions& o, double by) {
  o.rtol = std::max(o.rtol / by, tightest_tolerance);
  o.atol /= by;
}

std::string with_tolerances(const SimulationOptions& o) {
  return o.formulation + "/" + o.integrator + ", rtol " + text(o.rtol) + ", atol " + text(o.atol);
}

/// Returns the time after x steps, linear within each step: x = 0 is the start.
double time_at(double x, double t_start, const std::vector<double>& ends) {
  const auto k = std::min(static_cast<std::size_t>(x), ends.size() - 1);
  const double begin = k == 0 ? t_start : ends[k - 1];
  return begin + (x - static_cast<double>(k)) * (ends[k] - begin);
}

/// Returns the ends of steps of three quarters the length: the fourth ends with the third step of the run.
std::vector<double> shortened(double t_start, const std::vector<double>& ends) {
  std::vector<double> shorter;
  double before = t_start;
  const auto steps = static_cast<double>(ends.size());
  for (long k = 1; companion_setting.step * static_cast<double>(k) < steps; ++k) {
    const double t = time_at(companion_setting.step * static_cast<double>(k), t_start, ends);
    if (std::min(t - before, ends.back() - t) < shortest_interval(t)) continue;
    shorter.push_back(before = t);
  }
  shorter.push_back(ends.back());
  return shorter;
}

/// The same method with steps of three quarters the length. The order of the method gives the error that is left.
Companion with_shorter_steps(SimulationOptions o, int order, const Simulation& run, const std::vector<double>& ends) {
  Companion c;
  c.one_step = true;
  c.meets_every = 3;
  c.share = std::pow(companion_setting.step, order);
  if (o.step > 0.0) {
    o.step *= companion_setting.step;
    c.name = o.formulation + "/" + o.integrator + ", step " + text(o.step);
  } else {
    o.max_step = run.report.used.max_step;
    c.ends = shortened(run.report.t_start, ends);
    c.name = o.formulation + "/" + o.integrator + ", three quarters of every step";
  }
  c.options = std::move(o);
  return c;
}

/// Returns the formulation of a companion in radau: the same, except for index3, which does not control velocities, and
/// coordinate_partitioning, which solves for its dependent coordinates in every stage.
std::string formulation_of_radau(const MechanicalSystem& system, const std::string& of_run) {
  const char* other = of_run == "index3" ? "index2" : of_run == "coordinate_partitioning" ? "projected" : "";
  return *other != '\0' && objection(other, system, radau).empty() ? other : of_run;
}

/// Returns true for ODE forms and for index1, which is baumgarte with lambda as an unknown.
bool is_ode(const FormulationEntry& form) {
  return form.equations == Equations::ode || form.name == "index1";
}

/// Returns the factor by which the tolerances of radau are smaller. In ODE forms radau errs ten times less than BDF at
/// equal tolerances; penalties depend on the tolerance, and so does the motion that they alter.
double tolerance_factor_of_radau(const FormulationEntry& form) {
  return is_ode(form) && form.accuracy.altered_motion == 0.0 ? companion_setting.tolerance_ode
                                                             : companion_setting.tolerance;
}

/// A companion in radau for a run with BDF, which would take twice the time. Returns nothing if the longest step made
/// the error of a DAE form smaller than the tolerance asks for: a smaller error takes longer than the run there.
std::optional<Companion> by_radau(const MechanicalSystem& system, SimulationOptions o, const Simulation& run) {
  if (find_integrator(o.integrator).kind != IntegratorKind::bdf || o.integrator == radau) return std::nullopt;
  const FormulationEntry& of_run = find_formulation(o.formulation);
  o.formulation = formulation_of_radau(system, o.formulation);
  const bool same = o.formulation == of_run.name;
  if (same && !is_ode(of_run) && longest_step_decides(run.report)) return std::nullopt;
  if (!objection(o.formulation, system, radau).empty()) return std::nullopt;
  Companion c;
  c.other_family = true;
  o.integrator = radau;
  o.ida = {};
  tighten(o, tolerance_factor_of_radau(of_run));
  o.max_step = step_with_stages * run.report.used.max_step;
  c.share = 1.0 / companion_setting.tolerance;
  c.name = with_tolerances(o);
  c.options = std::move(o);
  return c;
}

/// The same method with smaller tolerances.
Companion with_tolerances_below(SimulationOptions o, const Simulation& run) {
  Companion c;
  tighten(o, companion_setting.tolerance);
  o.max_step = run.report.used.max_step / companion_setting.more_steps;
  c.share = 1.0 / companion_setting.tolerance;
  c.name = with_tolerances(o);
  c.options = std::move(o);
  return c;
}

}  // namespace

bool longest_step_decides(const Report& run) {
  return run.used.max_step > 0.0 && static_cast<double>(run.steps) * run.used.max_step <
                                        companion_setting.mostly_longest * (run.t_reached - run.t_start);
}

std::vector<Companion> companions_of(const MechanicalSystem& system, const SimulationOptions& o, const Simulation& run,
                                     const std::vector<double>& ends) {
  const SimulationOptions same = beside(o, run);
  const int order = one_step_order(same);
  if (order > 0 || same.step > 0.0) return {with_shorter_steps(same, order, run, ends)};
  std::vector<Companion> list;
  if (auto other = by_radau(system, same, run)) list.push_back(*std::move(other));
  list.push_back(with_tolerances_below(same, run));
  return list;
}

Simulation run_companion(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                         const Companion& companion, const std::vector<double>& times) {
  SimulationOptions o = companion.options;
  o.record = Record::at_times;
  o.record_times = times;
  o.record_stride = 1;
  InputBinder inputs;  // events of the run may have set those of the run
  const std::shared_ptr<const MechanicalSystem> own = with_inputs(system, inputs);
  Run run(own, inputs, given, o, AsCompanion{companion.ends});
  while (run.step(o.t_end)) {
  }
  return run.finish();
}

}  // namespace sunlagrange::internal
