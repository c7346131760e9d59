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
#include "simulation/options.hpp"
#include "simulation/run.hpp"

namespace sunlagrange::internal {
namespace {

constexpr double shorter_step = 0.75;   // of the companion of a one-step method, for each step of the run
constexpr double sharper = 10.0;        // tolerances of other companions are this much smaller
constexpr double sharper_ode = 2.0;     // those of radau in ODE forms
constexpr double more_steps = 1.4;      // than the run has, where all are as long as allowed
constexpr double stages_between = 2.0;  // steps of radau, which has three stages, for one of a multistep method
constexpr double mostly_longest = 1.5;  // times the steps of a run in which all are as long as allowed

constexpr const char* radau = "radau";

/// What all have in common. The integrator may be given back its own settings.
SimulationOptions beside(SimulationOptions o, const Simulation& run) {
  o.formulation = run.report.used.formulation;
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

/// x = 0 at the start, 1 at the end of the first step, ...; straight in between.
double time_at(double x, double t_start, const std::vector<double>& ends) {
  const auto k = std::min(static_cast<std::size_t>(x), ends.size() - 1);
  const double begin = k == 0 ? t_start : ends[k - 1];
  return begin + (x - static_cast<double>(k)) * (ends[k] - begin);
}

/// Three quarters of every step: the fourth ends with the third of the run.
std::vector<double> shortened(double t_start, const std::vector<double>& ends) {
  std::vector<double> shorter;
  double before = t_start;
  const auto steps = static_cast<double>(ends.size());
  for (long k = 1; shorter_step * static_cast<double>(k) < steps; ++k) {
    const double t = time_at(shorter_step * static_cast<double>(k), t_start, ends);
    if (std::min(t - before, ends.back() - t) < shortest_interval(t)) continue;
    shorter.push_back(before = t);
  }
  shorter.push_back(ends.back());
  return shorter;
}

/// The same method with steps of three quarters the length: how much is left of the error, the order tells.
Companion with_shorter_steps(SimulationOptions o, int order, const Simulation& run, const std::vector<double>& ends) {
  Companion c;
  c.one_step = true;
  c.meets_every = 3;
  c.share = std::pow(shorter_step, order);
  if (o.step > 0.0) {
    o.step *= shorter_step;
    c.name = o.formulation + "/" + o.integrator + ", step " + text(o.step);
  } else {
    o.max_step = run.report.used.max_step;
    c.ends = shortened(run.report.t_start, ends);
    c.name = o.formulation + "/" + o.integrator + ", three quarters of every step";
  }
  c.options = std::move(o);
  return c;
}

/// What the companion in radau is formulated in: the same, but for index3, which does not control velocities, and
/// coordinate_partitioning, which solves for its dependent coordinates in every stage.
std::string formulation_of_radau(const MechanicalSystem& system, const std::string& of_run) {
  const char* other = of_run == "index3" ? "index2" : of_run == "coordinate_partitioning" ? "projected" : "";
  return *other != '\0' && objection(other, system, radau).empty() ? other : of_run;
}

/// Also index1, which is baumgarte with lambda as an unknown.
bool is_ode(const FormulationEntry& form) {
  return form.equations == Equations::ode || form.name == "index1";
}

/// How much smaller the tolerances of radau are. In ODE forms it errs less than BDF by ten and more at equal ones;
/// penalties follow the tolerance, and so does the motion that they alter.
double sharper_in_radau(const FormulationEntry& form) {
  return is_ode(form) && form.accuracy.altered_motion == 0.0 ? sharper_ode : sharper;
}

/// Beside BDF, which would take twice the time. Not where the longest step has left less of the error of a DAE
/// form than the tolerance asks for: to err less takes more time there than the run took.
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
  tighten(o, sharper_in_radau(of_run));
  o.max_step = stages_between * run.report.used.max_step;
  c.share = 1.0 / sharper;
  c.name = with_tolerances(o);
  c.options = std::move(o);
  return c;
}

/// The same method with smaller tolerances.
Companion with_tolerances_below(SimulationOptions o, const Simulation& run) {
  Companion c;
  tighten(o, sharper);
  o.max_step = run.report.used.max_step / more_steps;
  c.share = 1.0 / sharper;
  c.name = with_tolerances(o);
  c.options = std::move(o);
  return c;
}

}  // namespace

bool longest_step_decides(const Report& run) {
  return run.used.max_step > 0.0 &&
         static_cast<double>(run.steps) * run.used.max_step < mostly_longest * (run.t_reached - run.t_start);
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
  Run run(system, given, o, AsCompanion{companion.ends});
  while (run.step(o.t_end)) {
  }
  return run.finish();
}

}  // namespace sunlagrange::internal
