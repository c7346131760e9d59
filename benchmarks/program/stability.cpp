#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include <sunlagrange/stability/runge_kutta_conditions.hpp>

#include "commands.hpp"
#include "gain_search.hpp"
#include "gnuplot.hpp"
#include "observed_stability.hpp"
#include "predicted_stability.hpp"
#include "problem.hpp"
#include "record.hpp"

/// The map of the (step, gain) plane: up to which gain does a fixed-step run keep its constraints, as predicted and as
/// observed.
namespace sunlagrange::bench {
namespace {

using Json = nlohmann::ordered_json;

struct StabilityArguments {
  ProblemArguments problem;
  std::string integrators;
  std::string formulation;
  std::string steps;
  double zeta = 1.0;
  int run_steps = 200;
  bool no_prediction = false;
  std::string csv;
  std::string out;
};

/// One point of the map. Boundaries as gain x step; NaN: none was found, or not asked for.
struct MapPoint {
  std::string integrator;
  double step = 0.0;  ///< [s]
  int run_steps = 0;
  double rule = Report::none;       ///< constant constraint dynamics: the method's stability function alone
  double motion = Report::none;     ///< step map along the exact motion
  double predicted = Report::none;  ///< program: the rule; mechanism: step map along the run
  double observed = Report::none;

  double difference() const { return predicted / observed - 1.0; }
  double rule_difference() const { return rule / observed - 1.0; }
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

/// The largest step by default: a third of the time in which the motion changes, max|v| / max|a|, and a twentieth of
/// the run; then five halvings.
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

/// What is common to all points of the map.
struct Map {
  const Problem& problem;
  std::string formulation;
  bool first_order = false;
  double zeta = 1.0;
  int run_steps = 0;
  bool predict = true;
  double seed = 0.0;
  std::vector<MapPoint> points;

  Gains gains(double gain) const {
    Gains result;
    if (first_order) {
      result.K_N = gain;
      return result;
    }
    result = Gains::natural_frequency(gain, zeta);
    if (problem.mechanism.system->num_velocity_constraints() > 0) result.K_N = gain;
    return result;
  }
};

MapPoint map_point(const Map& map, const StabilityObserver& observer, const ButcherTable& table,
                   const SimulationOptions& options, double step) {
  MapPoint point;
  point.integrator = options.integrator;
  point.step = step;
  point.run_steps = observer.steps(step);
  if (point.run_steps < 4) {
    throw Error("--steps: only " + std::to_string(point.run_steps) + " steps of " + text(step) +
                " s fit into the run; at least 4 are needed to see growth. Shorten them, or lengthen --t-end");
  }
  point.observed = stability_boundary([&](double z) { return observer.stable(map.gains(z / step), step, z / step); });
  if (!map.predict) return point;
  const std::vector<Interval> rule =
      map.first_order ? admissible_first_order_gains(table, step) : admissible_frequencies(table, step, map.zeta);
  if (!rule.empty()) point.rule = rule.front().high * step;
  if (map.first_order) {
    point.predicted = point.rule;
    return point;
  }
  StabilityPredictor predictor(map.problem.mechanism.system, map.problem.mechanism.start, options, table);
  point.predicted = stability_boundary([&](double z) {
    return dies_out(predictor.along_the_run(map.gains(z / step), step, point.run_steps, z / step));
  });
  point.motion = stability_boundary([&](double z) {
    return dies_out(predictor.along_the_motion(map.gains(z / step), step, point.run_steps, z / step));
  });
  return point;
}

std::string cell(const char* format, double x) {
  char buffer[32];
  if (!std::isfinite(x)) return "-";
  std::snprintf(buffer, sizeof buffer, format, x);
  return buffer;
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string introduction(const Map& map) {
  std::ostringstream out;
  out << map.problem.description() << "\n";
  if (map.first_order) {
    out << map.formulation << ", gain k of f' = -k f (K_N = k)\n";
  } else {
    out << map.formulation << ", gain omega of K_D = 2 zeta omega, K_P = omega^2, zeta = " << text(map.zeta) << "\n";
  }
  out << "observed:  two runs of " << map.run_steps
      << " steps (fewer where that would be longer than the run), the second seeded with a constraint violation of\n"
      << "           " << text(map.seed)
      << " max(1, max|q|); stable: their largest difference in the second half of the steps is below that in the first "
         "half,\n"
         "           and never above "
      << text(largest_transient) << " times the first\n";
  if (!map.predict) return out.str();
  out << "rule:      the law alone contracts: |R(step K)| < 1 in a Lyapunov norm, R the method's stability function\n";
  if (map.first_order) {
    out << "predicted: the rule\n";
  } else {
    out << "motion:    step map linearised along the exact motion, growth as above\n"
           "predicted: step map linearised along the run, whose truncation error has left the constraints\n";
  }
  return out.str();
}

void print_table(const Map& map) {
  std::cout << introduction(map) << "\n"
            << "              step [s]  steps |      gain x step at the boundary        |   gain [1/s]          | "
               "against observed\n"
            << "integrator                    |    rule  motion  predicted  observed    |  predicted  observed  | "
               "predicted   rule\n";
  for (const MapPoint& p : map.points) {
    std::cout << p.integrator << std::string(p.integrator.size() < 11 ? 11 - p.integrator.size() : 1, ' ')
              << padded(text(p.step), 11) << padded(std::to_string(p.run_steps), 7) << " | "
              << padded(cell("%.4f", p.rule), 7) << " " << padded(cell("%.4f", p.motion), 7) << " "
              << padded(cell("%.4f", p.predicted), 10) << " " << padded(cell("%.4f", p.observed), 9) << "    | "
              << padded(cell("%.4g", p.predicted / p.step), 10) << " " << padded(cell("%.4g", p.observed / p.step), 9)
              << "  | " << padded(cell("%+.2f %%", 100.0 * p.difference()), 9) << " "
              << padded(cell("%+.1f %%", 100.0 * p.rule_difference()), 8) << "\n";
  }
  const bool missing =
      std::any_of(map.points.begin(), map.points.end(), [](const MapPoint& p) { return std::isnan(p.observed); });
  if (missing) {
    std::cout << "observed - : unstable at every gain tried, from 0.1 / step; the method does not follow the motion at "
                 "this step\n";
  }
}

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json document(const Map& map) {
  Json json;
  json["schema"] = 1;
  json["mechanism"] = map.problem.name;
  json["formulation"] = map.formulation;
  json["law"] = map.first_order ? "first_order" : "second_order";
  json["zeta"] = map.first_order ? Json(nullptr) : Json(map.zeta);
  json["seed"] = map.seed;
  json["criterion"] =
      "largest seeded difference in the second half of the steps below that in the first half, and never "
      "above largest_transient times the first";
  json["largest_transient"] = largest_transient;
  json["points"] = Json::array();
  for (const MapPoint& p : map.points) {
    json["points"].push_back({{"integrator", p.integrator},
                              {"step", p.step},
                              {"run_steps", p.run_steps},
                              {"rule_gain_x_step", number(p.rule)},
                              {"motion_gain_x_step", number(p.motion)},
                              {"predicted_gain_x_step", number(p.predicted)},
                              {"observed_gain_x_step", number(p.observed)},
                              {"predicted_gain", number(p.predicted / p.step)},
                              {"observed_gain", number(p.observed / p.step)},
                              {"relative_difference", number(p.difference())},
                              {"rule_relative_difference", number(p.rule_difference())}});
  }
  return json;
}

std::string csv(const Map& map, char separator) {
  std::ostringstream out;
  out.precision(10);
  const char* names[] = {"integrator",
                         "step",
                         "run_steps",
                         "rule_gain",
                         "motion_gain",
                         "predicted_gain",
                         "observed_gain",
                         "relative_difference",
                         "rule_relative_difference"};
  for (const char* name : names) out << (name == names[0] ? std::string() : std::string(1, separator)) << name;
  out << "\n";
  for (const MapPoint& p : map.points) {
    out << p.integrator << separator << p.step << separator << p.run_steps;
    for (const double x : {p.rule / p.step, p.motion / p.step, p.predicted / p.step, p.observed / p.step,
                           p.difference(), p.rule_difference()}) {
      out << separator;
      if (std::isfinite(x))
        out << x;
      else if (separator == ' ')
        out << "NaN";
    }
    out << "\n";
  }
  return out.str();
}

/// Above the plane itself, below gain x step, which shows the differences.
std::string script(const Map& map, const std::vector<std::string>& integrators) {
  std::ostringstream out;
  const char* colours[] = {"#0060ad", "#dd181f", "#008a4b", "#b05ac0", "#d08000"};
  const std::string symbol = map.first_order ? "k" : "{/Symbol w}";
  out << "# run: gnuplot stability.gp\nset terminal pngcairo size 1000,1000 enhanced font 'sans,11'\n"
      << "set output 'stability.png'\nset grid\nset datafile missing 'NaN'\nset logscale x\nset lmargin 12\nset "
         "rmargin 4\n"
      << "set format x '%g'\nset multiplot layout 2,1 title \"Largest stable gain " << symbol << ": "
      << map.problem.name << ", " << map.formulation << (map.first_order ? "" : ", {/Symbol z} = " + text(map.zeta))
      << "\"\n"
      << "set xlabel 'step {/Symbol t} [s]'\n";
  for (const bool product : {false, true}) {
    const std::string scale = product ? "*$2" : "";
    out << (product ? "unset key\nunset logscale y\nset format y '%g'\nset ylabel 'gain {/Symbol \\327} step  " +
                          symbol + "{/Symbol t}'\nset yrange [0:*]\n"
                    : "set logscale y\nset format y '10^{%L}'\nset ylabel 'gain " + symbol +
                          " [1/s]'\nset key bottom left maxrows 6\n")
        << "plot ";
    for (std::size_t i = 0; i < integrators.size(); ++i) {
      const std::string& name = integrators[i];
      const std::string colour = std::string(" linecolor rgb '") + colours[i % 5] + "'";
      const auto column = [&](int c) {
        return "'stability_" + name + ".dat' using 2:($" + std::to_string(c) + scale + ")";
      };
      out << (i == 0 ? "" : ", \\\n     ");
      if (map.predict) {
        out << column(4) << " with lines dashtype 3 linewidth 2" << colour << " title '" << name
            << (map.first_order ? ", |R| = 1" : ", scalar rule") << "'";
        if (!map.first_order)
          out << ", " << column(6) << " with lines linewidth 2" << colour << " title '" << name << ", step map'";
        out << ", ";
      }
      out << column(7) << " with points pointtype " << 5 + 2 * i << " pointsize 1.4" << colour << " title '" << name
          << ", observed'";
    }
    out << "\n";
  }
  out << "unset multiplot\nunset output\n";
  return out.str();
}

void draw(const Map& map, const std::vector<std::string>& integrators, const std::string& folder) {
  for (const std::string& name : integrators) {
    Map part = {map.problem, map.formulation, map.first_order, map.zeta, map.run_steps, map.predict, map.seed, {}};
    for (const MapPoint& p : map.points) {
      if (p.integrator != name) continue;
      part.points.push_back(p);
      if (std::isnan(p.observed)) part.points.back().predicted = Report::none;  // no boundary to compare with
    }
    write_file(folder + "/stability_" + name + ".dat", "# " + csv(part, ' '), "--out");
  }
  write_file(folder + "/stability.gp", script(map, integrators), "--out");
  run_gnuplot(folder, "stability.gp");
}

int stability(const StabilityArguments& arguments) {
  if (!arguments.problem.gains.empty()) throw Error("--gains: the gain is what the map is about; use --zeta");
  const Problem problem(arguments.problem);
  const MechanicalSystem& system = *problem.mechanism.system;
  if (system.num_constraints() == 0) throw Error(problem.name + " has no constraints: nothing to be stable about");
  const std::vector<std::string> integrators = chosen_integrators(arguments);
  if (arguments.run_steps < 4) throw Error("--run-steps: at least 4");
  const StabilityObserver::Settings settings = {1e-7, arguments.run_steps};
  Map map = {problem,
             arguments.formulation,
             first_order(system),
             arguments.zeta,
             arguments.run_steps,
             !arguments.no_prediction,
             settings.seed,
             {}};
  if (map.formulation.empty()) map.formulation = map.first_order ? "integral_manifold" : "baumgarte";
  SimulationOptions options = problem.options;
  options.formulation = map.formulation;
  for (const std::string& name : integrators) {
    const std::string reason = objection(map.formulation, system, problem.linear_solver(), name);
    if (!reason.empty()) throw Error(reason);
  }
  const std::vector<double> steps =
      arguments.steps.empty() ? default_steps(problem, map.formulation) : number_list(arguments.steps, "--steps");
  for (const double step : steps) {
    if (!(step > 0.0)) throw Error("--steps: " + text(step) + " is not positive");
  }
  if (!arguments.out.empty()) make_folder(arguments.out);
  if (!arguments.csv.empty()) write_file(arguments.csv, "", "--csv");
  for (const std::string& name : integrators) {
    options.integrator = name;
    options.table = name == "table" ? problem.options.table : std::nullopt;
    const ButcherTable table = name == "table" ? *options.table : *integrator(name).fixed_step_table;
    const StabilityObserver observer(problem.mechanism.system, problem.mechanism.start, options, settings);
    for (const double step : steps) map.points.push_back(map_point(map, observer, table, options, step));
  }
  if (!arguments.csv.empty()) write_file(arguments.csv, csv(map, ','), "--csv");
  if (arguments.problem.json)
    std::cout << document(map).dump(2) << "\n";
  else
    print_table(map);
  if (!arguments.out.empty()) draw(map, integrators, arguments.out);
  return exit_finished;
}

}  // namespace

void add_stability(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("stability", "largest stable gain of fixed steps, predicted and observed");
  const auto arguments = std::make_shared<StabilityArguments>();
  arguments->problem.add_to(*command);
  command
      ->add_option("--integrator", arguments->integrators, "rk1, rk2, rk3, rk4, table (with --table), or a list a,b,c")
      ->required();
  command->add_option("--formulation", arguments->formulation,
                      "an ODE form with gains; default: baumgarte, for kinematic programs integral_manifold");
  command->add_option("--steps", arguments->steps,
                      "steps [s]; default: six, the largest from the time scale of the motion, halved each time");
  command->add_option("--zeta", arguments->zeta, "damping ratio of second-order laws")
      ->capture_default_str()
      ->check(CLI::PositiveNumber & finite());
  command->add_option("--run-steps", arguments->run_steps, "steps of an observed run, if they fit before --t-end")
      ->capture_default_str();
  command->add_flag("--no-prediction", arguments->no_prediction, "observe only");
  command->add_option("--csv", arguments->csv, "write the map to this file");
  command->add_option("--out", arguments->out, "folder for data, script and picture; made if absent");
  command->callback([arguments, &exit_code] { exit_code = stability(*arguments); });
}

}  // namespace sunlagrange::bench
