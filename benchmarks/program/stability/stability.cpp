// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <sunlagrange/gains/stability_boundary.hpp>
#include <sunlagrange/stability/gain_limits.hpp>

#include "commands.hpp"
#include "parts/stability_observer.hpp"
#include "parts/used_gains.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/parallel.hpp"
#include "shared/progress.hpp"
#include "shared/text.hpp"
#include "stability/map.hpp"

/// `stability`: the largest gain with which a fixed-step run keeps its constraints, predicted and observed, over the
/// step.
namespace sunlagrange::program {
namespace {

struct StabilityArguments {
  ProblemArguments problem;
  std::string integrators;
  std::string formulation;
  std::string steps;
  double zeta = 1.0;
  int run_steps = 200;
  bool no_prediction = false;
  std::string csv;
  Pictures pictures;
  bool wide = false;
};

std::vector<std::string> chosen_integrators(const StabilityArguments& arguments) {
  const std::vector<std::string> names = split_list(arguments.integrators, "--integrator");
  const bool table = !arguments.problem.table.empty();
  bool table_chosen = false;
  for (const std::string& name : names) {
    const IntegratorInfo info = integrator(name);  // throws if unknown
    if (info.fixed_step_table == nullptr && name != "table") {
      throw Error("--integrator: " + name +
                  " has no fixed Runge-Kutta step; choose rk1 ... rk4, or table with --table");
    }
    table_chosen = table_chosen || name == "table";
  }
  if (table && !table_chosen) throw Error("--table: --integrator does not name table");
  if (!table && table_chosen) throw Error("--integrator: table needs --table FILE");
  return names;
}

/// Returns the default steps: the smaller of a third of max|v| / max|a|, the time scale of the motion, and a twentieth
/// of the run, and five halvings of it.
std::vector<double> default_steps(const Problem& problem, const std::string& formulation) {
  SimulationOptions options = problem.options;
  options.formulation = formulation;
  options.integrator = "dopri5";
  options.table.reset();
  options.rtol = options.atol = 1e-6;
  const Simulation run = simulate(problem.mechanism.system, problem.mechanism.start, options);
  if (!run.status.finished())
    throw Error("no default for --steps, the motion has no time scale: " + run.status.message);
  double speed = 0.0;
  double acceleration = 0.0;
  for (std::size_t k = 0; k < run.trajectory.size(); ++k) {
    speed = std::max(speed, run.trajectory.v(k).lpNorm<Eigen::Infinity>());
    acceleration = std::max(acceleration, run.trajectory.a(k).lpNorm<Eigen::Infinity>());
  }
  double largest = (problem.options.t_end - problem.mechanism.start.t) / 20.0;
  if (acceleration > 0.0) largest = std::min(largest, speed / acceleration / 3.0);
  const double decade = std::pow(10.0, std::floor(std::log10(largest)));
  largest = std::floor(largest / decade) * decade;
  std::vector<double> steps;
  for (int k = 5; k >= 0; --k) steps.push_back(std::ldexp(largest, -k));
  return steps;
}

MapPoint map_point(const StabilityMap& map, const SimulationOptions& options, double step) {
  const ButcherTable& table = options.table ? *options.table : *integrator(options.integrator).fixed_step_table;
  const StabilityObserver observer(map.problem.mechanism.system, map.problem.mechanism.start, options,
                                   {map.seed, map.run_steps});
  MapPoint point;
  point.integrator = options.integrator;
  point.step = step;
  point.run_steps = observer.steps(step);
  if (point.run_steps < 4) {
    throw Error("--steps: only " + std::to_string(point.run_steps) + " steps of " + text(step) +
                " s fit into the run; at least 4 are needed to see growth. Shorten them, or lengthen --t-end");
  }
  const auto contracts = [&](double z) { return observer.contracts(map.gains(z / step), step, z / step); };
  const auto stable = [&](double z) { return observer.keeps_constraints(map.gains(z / step), step) && contracts(z); };
  point.observed_contraction = largest_stable_gain(contracts);
  point.observed = largest_kept_gain(stable, point.observed_contraction);
  if (!map.predict) return point;
  const GainLimits limits = gain_limits(map.problem.mechanism.system, map.problem.mechanism.start, {options, {}}, table,
                                        step, options.t_end, map.zeta, map.run_steps);
  point.rule = limits.rule * step;
  point.predicted = limits.along_the_run * step;
  point.predicted_contraction = limits.contraction * step;
  point.motion = limits.along_the_motion * step;
  return point;
}

int stability(const StabilityArguments& arguments) {
  if (!arguments.problem.gains.empty()) throw Error("--gains: the map varies the gain; use --zeta");
  const Problem problem(arguments.problem);
  const MechanicalSystem& system = *problem.mechanism.system;
  if (system.num_constraints() == 0) throw Error(problem.name + " has no constraints whose stability could be mapped");
  const std::vector<std::string> integrators = chosen_integrators(arguments);
  if (arguments.run_steps < 4) throw Error("--run-steps: at least 4");
  constexpr double seed = 1e-7;
  StabilityMap map = {problem,
                      arguments.formulation,
                      system.first_order(),
                      arguments.zeta,
                      arguments.run_steps,
                      !arguments.no_prediction,
                      seed,
                      {}};
  if (map.formulation.empty()) map.formulation = problem.default_formulation();
  SimulationOptions options = problem.options;
  options.formulation = map.formulation;
  if (!used_gains(problem, map.formulation))
    throw Error("--formulation: " + map.formulation + " has no gains to map; use baumgarte or another form with gains" +
                (map.first_order ? ", for programs integral_manifold" : ""));
  for (const std::string& name : integrators) {
    const std::string reason = objection(map.formulation, system, name);
    if (!reason.empty()) throw Error(reason);
  }
  const std::vector<double> steps =
      arguments.steps.empty() ? default_steps(problem, map.formulation) : number_list(arguments.steps, "--steps");
  for (const double step : steps) {
    if (!(step > 0.0)) throw Error("--steps: " + text(step) + " is not positive");
  }
  if (!arguments.pictures.folder.empty()) make_folder(arguments.pictures.folder);
  std::optional<OutputFile> file;
  if (!arguments.csv.empty()) file.emplace(arguments.csv, "--csv");
  struct Row {
    SimulationOptions options;
    double step;
  };
  std::vector<Row> rows;
  for (const std::string& name : integrators) {
    options.integrator = name;
    options.table = name == "table" ? problem.options.table : std::nullopt;
    for (const double step : steps) rows.push_back({options, step});
  }
  std::vector<MapPoint> points(rows.size());
  std::optional<Tally> tally(std::in_place, rows.size());
  in_parallel(
      rows.size(), threads_of(0), [&](std::size_t k) { points[k] = map_point(map, rows[k].options, rows[k].step); },
      [&](std::size_t k) {
        map.points.push_back(points[k]);
        tally->next(problem.name + ", " + rows[k].options.integrator + ", step " + short_number(rows[k].step));
      });
  tally.reset();
  if (arguments.problem.json)
    std::cout << document(map);
  else
    print(map, output_width(arguments.wide));
  if (file) {
    file->stream() << csv(map, ',');
    file->commit();
  }
  if (!arguments.pictures.folder.empty() && !interrupted()) draw(map, integrators, arguments.pictures);
  return exit_finished;
}

}  // namespace

Command stability_command() {
  const auto a = std::make_shared<StabilityArguments>();
  const std::vector<Option> options = {
      {"--integrator", &a->integrators, "rk1, rk2, rk3, rk4, table (with --table), or a list a,b,c", rule::required},
      {"--formulation", &a->formulation,
       "an ODE form with gains; default: baumgarte, for kinematic programs integral_manifold"},
      {"--steps", &a->steps,
       "steps [s]; default: six, the largest from the time scale of the motion, halved each time"},
      {"--zeta", &a->zeta, "damping ratio of second-order laws", rule::show_default | rule::positive | rule::finite},
      {"--run-steps", &a->run_steps, "steps of an observed run, if they fit before --t-end", rule::show_default},
      {"--no-prediction", &a->no_prediction, "observe only"},
      {"--csv", &a->csv, "write the map to this file", rule::writes},
      wide_option(a->wide)};
  return {"stability", "computes the largest stable gain of fixed steps, predicted and observed",
          problem_options(a->problem) + options + picture_options(a->pictures), [a] { return stability(*a); },
          "\nExamples:\n"
          "  stability pendulum --integrator rk4\n"
          "  stability pendulum --integrator rk1,rk2,rk3,rk4 --out map      with a picture\n"
          "  stability slider_crank_program --integrator rk2 --steps 1e-2,1e-3"};
}

}  // namespace sunlagrange::program
