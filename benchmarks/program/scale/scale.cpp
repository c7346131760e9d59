// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/stability/first_order_form.hpp>

#include "commands.hpp"
#include "parts/run_choice.hpp"
#include "scale/isolated.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/progress.hpp"
#include "shared/table.hpp"

/// `scale`: time and memory for each additional body.
namespace sunlagrange::program {
namespace {

struct ScaleArguments {
  ProblemArguments problem;
  RunChoice choice;
  std::string sizes = "10,100,1000,10000,100000";
  bool wide = false;
  std::string csv;
};

/// One formulation with one integrator at one size; times in CPU seconds, NaN if not applicable.
struct Cost {
  RunRecord record;
  double setup_seconds = Report::none;  ///< consistent start and all other work before the first step
  double rhs_seconds = Report::none;    ///< right-hand side of an ODE form at the start
};

/// Runs simulate() up to its first step.
double setup_seconds(const Problem& problem, SimulationOptions options) {
  options.keep_going = [](double) { return false; };
  const auto once = [&] {
    const double begin = thread_cpu_seconds();
    simulate(problem.mechanism.system, problem.mechanism.start, options);
    return thread_cpu_seconds() - begin;
  };
  return median_cpu_seconds(once(), once);
}

double rhs_seconds(const Problem& problem, const SimulationOptions& options) {
  const std::string& name = options.formulation;
  if (name == "automatic" || formulation(name).equations != Equations::ode) return Report::none;
  ConsistencyOptions consistency;
  consistency.start = options.start;
  consistency.linear_solver = options.linear_solver;
  const MotionState start = consistent_state(problem.mechanism.system, problem.mechanism.start, consistency).state;
  FormulationOptions form;
  static_cast<FormulationChoice&>(form) = options;
  FirstOrderForm equations(problem.mechanism.system, start, form);
  const Eigen::VectorXd y = equations.pack(start);
  Eigen::VectorXd ydot(y.size());
  if (!equations.rhs(start.t, y, ydot)) return Report::none;
  constexpr double enough = 0.02;  // [s] for one batch, well above the resolution of the clock
  long calls = 1;
  const auto batch = [&] {
    const double begin = thread_cpu_seconds();
    for (long k = 0; k < calls; ++k) equations.rhs(start.t, y, ydot);
    return thread_cpu_seconds() - begin;
  };
  double first = batch();
  while (first < enough && !interrupted()) {
    calls *= 2;
    first = batch();
  }
  return median_cpu_seconds(first, batch, {5, 1.0}) / static_cast<double>(calls);
}

Json cost_json(const Cost& cost) {
  const Report& report = cost.record.simulation.report;
  const Status& status = cost.record.simulation.status;
  std::vector<std::string> doubts;
  for (const Doubt& doubt : status.doubts) doubts.push_back(doubt.text);
  Json json;
  set(json, "formulation", cost.record.options.formulation);
  set(json, "integrator", cost.record.options.integrator);
  set(json, "rtol", cost.record.fixed_step ? Json(nullptr) : Json(cost.record.options.rtol));
  set(json, "step", cost.record.fixed_step ? Json(cost.record.options.step) : Json(nullptr));
  set(json, "status", to_string(status.outcome));
  set(json, "message", status.message);
  set(json, "doubts", doubts);
  set(json, "setup_seconds", number_or_null(cost.setup_seconds));
  set(json, "rhs_seconds", number_or_null(cost.rhs_seconds));
  set(json, "cpu_seconds", number_or_null(cost.record.cpu_seconds));
  set(json, "t_reached", number_or_null(report.t_reached));
  set(json, "steps", report.steps);
  set(json, "rhs_evaluations", report.rhs_evaluations);
  set(json, "factorizations", report.factorizations);
  set(json, "error_vs_reference", number_or_null(cost.record.error_vs_reference));
  set(json, "linear_solver_description", report.used.linear_solver_description);
  return json;
}

ProblemArguments of_size(const ScaleArguments& arguments, int size) {
  ProblemArguments one = arguments.problem;
  one.size = size;
  return one;
}

Problem second_of(const ProblemArguments& arguments) {
  Problem problem(arguments);
  if (std::isnan(arguments.t_end)) problem.options.t_end = problem.mechanism.start.t + 1.0;
  return problem;
}

/// Measurements of one size.
Json size_json(const ScaleArguments& arguments, int size) {
  const ProblemArguments one = of_size(arguments, size);
  const double begin = thread_cpu_seconds();
  const Problem problem = second_of(one);
  Json json, runs = Json::array();
  set(json, "size", size);
  set(json, "status", "measured");
  set(json, "num_positions", problem.mechanism.system->num_positions());
  set(json, "num_constraints", problem.mechanism.system->num_constraints());
  set(json, "build_seconds", thread_cpu_seconds() - begin);
  set(json, "t_end", problem.options.t_end);
  set(json, "linear_solver", problem.linear_solver());
  for (const SimulationOptions& options : chosen_runs(arguments.choice, one, problem)) {
    if (interrupted()) break;
    Cost cost;
    cost.setup_seconds = setup_seconds(problem, options);
    cost.rhs_seconds = rhs_seconds(problem, options);
    cost.record = run_problem(problem, options);
    cost.record.cpu_seconds =
        median_cpu_seconds(cost.record.cpu_seconds, [&] { return run_problem(problem, options).cpu_seconds; });
    runs.push_back(cost_json(cost));
  }
  set(json, "runs", std::move(runs));
  return json;
}

Json measured_size(const ScaleArguments& arguments, int size) {
  const Isolated result = isolated([&] { return size_json(arguments, size).dump(); });
  Json json;
  if (result.complete) {
    json = Json::parse(result.text);
  } else {
    set(json, "size", size);
    set(json, "status", interrupted() ? "interrupted" : "killed, most likely for lack of memory");
    set(json, "runs", Json::array());
  }
  set(json, "peak_bytes", result.peak_bytes);
  return json;
}

double value(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : Report::none;
}

std::string word(const Json& json, const char* key) {
  return json.value(key, std::string());
}

/// Returns "100, 1000: 91, 93 ns" and the factor by which the cost of a body grew from the first to the last size.
std::string verdict(const Json& sizes) {
  std::string words;
  const Json* first = nullptr;
  const Json* last = nullptr;
  for (const Json& size : sizes) {
    if (size["runs"].empty()) continue;
    if (first == nullptr) first = &size;
    last = &size;
  }
  if (first == nullptr) return interrupted() ? "Interrupted." : "Nothing was measured.";
  const auto per_body = [](const Json& size, std::size_t run, const char* key) {
    return run < size["runs"].size() ? value(size["runs"][run], key) / value(size, "size") : Report::none;
  };
  for (std::size_t k = 0; k < (*first)["runs"].size(); ++k) {
    const Json& run = (*first)["runs"][k];
    words += fmt::format(
        "{} with {}: from {:g} to {:g} bodies the time per body grows by {} (set-up), {} (right-hand "
        "side), {} (run). ",
        word(run, "formulation"), word(run, "integrator"), value(*first, "size"), value(*last, "size"),
        number(per_body(*last, k, "setup_seconds") / per_body(*first, k, "setup_seconds"), ".2g"),
        number(per_body(*last, k, "rhs_seconds") / per_body(*first, k, "rhs_seconds"), ".2g"),
        number(per_body(*last, k, "cpu_seconds") / per_body(*first, k, "cpu_seconds"), ".2g"));
  }
  return words;
}

void print(const ScaleArguments& arguments, const Json& sizes, std::size_t width) {
  const Align left = Align::left, right = Align::right;
  Table table({{"formulation", left, 3},
               {"integrator", left, 2},
               {"N"},
               {"solver", left},
               {"status", left, 4, 0, {}, 14},
               {"build us", right, 1},
               {"set-up us"},
               {"rhs ns"},
               {"run us"},
               {"steps"},
               {"peak MB"}},
              width);
  std::vector<Table::Row> rows;
  constexpr double micro = 1e6, nano = 1e9, mega = 1e-6;
  for (const Json& size : sizes) {
    const double n = value(size, "size"), peak = mega * value(size, "peak_bytes");
    for (const Json& run : size["runs"]) {
      const bool finished = word(run, "status") == "finished";
      rows.push_back({word(run, "formulation"),
                      word(run, "integrator"),
                      number(n, ".0f"),
                      word(size, "linear_solver"),
                      {word(run, "status"), finished ? Style::plain : Style::bad},
                      number(micro * value(size, "build_seconds") / n, ".3g"),
                      number(micro * value(run, "setup_seconds") / n, ".3g"),
                      number(nano * value(run, "rhs_seconds") / n, ".3g"),
                      number(micro * value(run, "cpu_seconds") / n, ".3g"),
                      number(value(run, "steps"), ".0f"),
                      number(peak, ".0f")});
    }
    if (size["runs"].empty())
      rows.push_back({"-",
                      "-",
                      number(n, ".0f"),
                      "-",
                      {word(size, "status"), Style::bad},
                      "-",
                      "-",
                      "-",
                      "-",
                      "-",
                      number(peak, ".0f")});
  }
  print_wrapped(verdict(sizes) + "\n", width);
  print_wrapped(arguments.problem.mechanism +
                    " of N bodies. Times per body, CPU: build: the system; set-up: consistent start and all up to the "
                    "first step; rhs: one right-hand side (ODE forms); run: set-up and " +
                    (std::isnan(arguments.problem.t_end) ? "one second of motion" : "the motion to --t-end") +
                    ". Peak memory of the process that measured the size.\n",
                width);
  std::cout << table.text(rows);
}

void write_csv(std::ostream& out, const Json& sizes) {
  const std::vector<const char*> of_size = {"size",          "num_positions", "num_constraints",
                                            "build_seconds", "linear_solver", "peak_bytes"};
  const std::vector<const char*> of_run = {"formulation", "integrator",  "rtol",  "status",          "setup_seconds",
                                           "rhs_seconds", "cpu_seconds", "steps", "rhs_evaluations", "factorizations"};
  std::string line;
  for (const auto* list : {&of_size, &of_run}) {
    for (const char* key : *list) line += (line.empty() ? "" : ",") + std::string(key);
  }
  out << line << "\n";
  const auto cell = [](const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return std::string();
    return found->is_string() ? found->get<std::string>() : found->dump();
  };
  for (const Json& size : sizes) {
    for (const Json& run : size["runs"]) {
      line.clear();
      for (const char* key : of_size) line += cell(size, key) + ",";
      for (const char* key : of_run) line += cell(run, key) + ",";
      line.pop_back();
      out << line << "\n";
    }
  }
}

int exit_code(const Json& sizes) {
  int code = exit_finished;
  for (const Json& size : sizes) {
    if (size["runs"].empty()) return exit_numerical_failure;
    for (const Json& run : size["runs"]) {
      if (word(run, "status") != "finished") return exit_numerical_failure;
      if (!run["doubts"].empty()) code = exit_doubts;
    }
  }
  return code;
}

int scale(const ScaleArguments& arguments) {
  std::vector<int> sizes;
  for (const double size : positive_list(arguments.sizes, "--sizes")) {
    if (size != std::floor(size) || size > 1e9) throw Error("--sizes: " + text(size) + " is no number of bodies");
    sizes.push_back(static_cast<int>(size));
  }
  const ProblemArguments smallest = of_size(arguments, *std::min_element(sizes.begin(), sizes.end()));
  chosen_runs(arguments.choice, smallest, Problem(smallest));  // reports mistakes before anything runs
  std::optional<OutputFile> csv;
  if (!arguments.csv.empty()) csv.emplace(arguments.csv, "--csv");
  Json list = Json::array();
  {
    Tally tally(sizes.size());
    for (const int size : sizes) {
      if (interrupted()) break;
      tally.next(arguments.problem.mechanism + " of " + std::to_string(size));
      list.push_back(measured_size(arguments, size));
    }
  }
  if (arguments.problem.json) {
    Json document;
    set(document, "schema", 1);
    set(document, "mechanism", arguments.problem.mechanism);
    set(document, "sizes", list);
    std::cout << json_text(document);
  } else {
    print(arguments, list, output_width(arguments.wide));
  }
  if (csv) {
    write_csv(csv->stream(), list);
    csv->commit();
  }
  return exit_code(list);
}

}  // namespace

Command scale_command() {
  const auto a = std::make_shared<ScaleArguments>();
  a->choice.formulations = "baumgarte";
  a->choice.rtols = "1e-6";
  a->choice.usual_integrators = {"dopri5"};
  std::vector<Option> options;
  for (Option& option : problem_options(a->problem)) {
    if (std::string_view(option.name) == "--size") continue;  // --sizes replaces it
    if (std::string_view(option.name) == "--t-end")
      option.help = "end of the run [s]; default: one second after the start";
    options.push_back(std::move(option));
  }
  for (Option& option : choice_options(a->choice)) {
    if (std::string_view(option.name) == "--formulations")
      option = {"--formulations", &a->choice.formulations, "names a,b,c", rule::show_default};
    options.push_back(std::move(option));
  }
  const std::vector<Option> own = {
      {"--sizes", &a->sizes, "numbers of bodies, each measured in a process of its own", rule::show_default},
      {"--csv", &a->csv, "write the measurements to this file", rule::writes},
      wide_option(a->wide)};
  return {"scale", "measures time and memory per body over the number of bodies", options + own,
          [a] { return scale(*a); },
          "\nExamples:\n"
          "  scale chain                                       10 to 100 000 bodies, some minutes\n"
          "  scale n_four_bar --sizes 40,400,4000 --t-end 0.5 --formulations baumgarte,projected,ggl --integrators "
          "dopri5,ida\n"
          "  scale chain --sizes 100,1000 --linear-solver klu --json"};
}

}  // namespace sunlagrange::program
