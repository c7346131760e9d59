// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/figure_visitors.hpp>

#include "commands.hpp"
#include "shared/interruption.hpp"
#include "shared/json.hpp"
#include "shared/parallel.hpp"
#include "shared/progress.hpp"
#include "shared/record.hpp"
#include "shared/table.hpp"
#include "validate/plan.hpp"
#include "validate/validated_value.hpp"

/// `validate`: compares every mechanism with published values or its exact solution and with its energy balance, and
/// every analysis with a closed form.
namespace sunlagrange::program {

void (*analyses_validator)(const std::function<bool(const std::string&)>&, std::vector<ValidatedValue>&) = nullptr;

namespace {

/// Keeps the component and the time of the largest error of a vector quantity.
class Largest {
 public:
  explicit Largest(std::string quantity) : quantity_(std::move(quantity)) {}

  void compare(double t, const Eigen::VectorXd& ours, const Eigen::VectorXd& exact,
               const std::function<std::string(int)>& name) {
    for (Eigen::Index i = 0; i < exact.size(); ++i) {
      const double error = std::abs(ours[i] - exact[i]);
      if (compared_ && !(error > worst_.error) && !std::isnan(error)) continue;
      worst_.quantity = quantity_ + " " + name(static_cast<int>(i));
      worst_.t = t;
      worst_.reference = exact[i];
      worst_.ours = ours[i];
      worst_.error = error;
      compared_ = true;
    }
  }

  void add_to(std::vector<ValidatedValue>& rows, const ValidatedValue& head, double allowed) {
    if (!compared_ || std::isinf(allowed)) return;
    worst_.mechanism = head.mechanism;
    worst_.run = head.run;
    worst_.source = head.source;
    worst_.allowed = allowed;
    rows.push_back(worst_);
  }

 private:
  std::string quantity_;
  ValidatedValue worst_;
  bool compared_ = false;
};

/// Returns the times of the reference table, or twenty times for a closed form, the end of the run included.
std::vector<double> times_to_compare(const mechanisms::Mechanism& mechanism, double t_end) {
  std::vector<double> times;
  for (const double t : mechanism.reference_times) {
    if (t > mechanism.start.t && t <= t_end) times.push_back(t);
  }
  if (!times.empty()) return times;
  for (int k = 1; k <= 20; ++k) times.push_back(mechanism.start.t + (t_end - mechanism.start.t) * k / 20.0);
  return times;
}

/// Compares q, v, lambda and observables at all times, on the dense output projected onto the constraints.
void compare_states(const Validation& line, const Problem& problem, const RunRecord& record, const ValidatedValue& head,
                    std::vector<ValidatedValue>& rows) {
  const mechanisms::Mechanism& mechanism = problem.mechanism;
  const MechanicalSystem& system = *mechanism.system;
  Largest q("q"), v("v"), lambda("lambda");
  std::vector<Largest> observed;
  for (const mechanisms::Observable& o : mechanism.observables) observed.emplace_back(o.name);
  const auto position = [&system](int i) { return system.position_name(i); };
  const auto row = [&system](int i) { return system.constraint_name(i); };
  for (const double t : times_to_compare(mechanism, record.options.t_end)) {
    const MotionState state = consistent_state_at(record.simulation.trajectory, mechanism.system, t).state;
    const auto exact = mechanism.reference ? mechanism.reference(t) : std::nullopt;
    if (exact) {
      q.compare(t, state.q, exact->q, position);
      v.compare(t, state.v, exact->v, position);
      lambda.compare(t, state.lambda, exact->lambda, row);
    }
    for (std::size_t k = 0; k < observed.size(); ++k) {
      const mechanisms::Observable& o = mechanism.observables[k];
      const auto value = o.reference ? o.reference(t) : std::nullopt;
      if (!value) continue;
      observed[k].compare(t, Eigen::VectorXd::Constant(1, o.value(state)), Eigen::VectorXd::Constant(1, *value),
                          [&o](int) { return "[" + o.unit + "]"; });
    }
  }
  q.add_to(rows, head, line.q);
  v.add_to(rows, head, line.v);
  lambda.add_to(rows, head, line.lambda);
  for (Largest& o : observed) o.add_to(rows, head, line.observed);
}

void compare_energy(const Validation& line, const Problem& problem, const RunRecord& record, ValidatedValue row,
                    std::vector<ValidatedValue>& rows) {
  row.quantity = "energy balance, relative";
  row.source = "stored + dissipated - supplied - prescribed = 0";
  row.reference = 0.0;
  row.allowed = line.closure;
  try {
    row.ours = row.error = energy_balance(record.simulation.trajectory, problem.mechanism.system).closure;
  } catch (const Error&) {
    return;  // an element whose energy is not known
  }
  rows.push_back(row);
}

void validate_line(const Validation& line, std::vector<ValidatedValue>& rows) {
  ProblemArguments arguments;
  arguments.mechanism = line.mechanism;
  arguments.size = line.size;
  arguments.t_end = line.t_end;
  arguments.linear_solver = line.linear_solver;
  const Problem problem(arguments);
  for (const std::string& formulation : line.formulations) {
    SimulationOptions options = problem.options;
    set_formulation(options, formulation);
    options.rtol = options.atol = line.tolerance;
    options.at_singularity = line.at_singularity;
    options.record = Record::every_step;
    const RunRecord record = run_problem(problem, options);
    if (interrupted()) return;
    ValidatedValue head;
    head.mechanism = line.mechanism;
    if (problem.size > 0) head.mechanism += " N=" + std::to_string(problem.size);
    head.run = record.options.formulation + ", " + record.options.integrator + " " + text(line.tolerance);
    head.source = problem.mechanism.reference_source;
    if (!record.simulation.status.finished()) {
      head.quantity = std::string("ended with ") + to_string(record.simulation.status.outcome);
      head.source = record.simulation.status.message;
      head.t = record.simulation.report.t_reached;
      rows.push_back(head);
      continue;
    }
    compare_states(line, problem, record, head, rows);
    compare_energy(line, problem, record, head, rows);
  }
}

/// Study of gains on the sliding pendulum, PROBLEMS of P. E. Nikravesh: five rows of (start, method), max |g| and |g|
/// at 5 s, Euclidean norm over samples every 0.05 s.
void validate_gain_study(std::vector<ValidatedValue>& rows) {
  struct Row {
    const char* mechanism;
    const char* formulation;
    const char* gains;
    double largest, last;  // published values; 0 means rounding
  };
  const Row table[] = {
      {"nikravesh", "unstabilized", "", 0.0, 0.0},
      {"nikravesh_rounded", "unstabilized", "", 1.326e-5, 1.326e-5},
      {"nikravesh_rounded", "baumgarte", "K_D=10;K_P=25", 1.326e-5, 0.0},
      {"nikravesh_rounded", "penalty", "K_D=125.66370614359172;K_P=3947.8417604357433;Lambda=1000", 1.326e-5, 5.69e-6},
      {"nikravesh", "penalty", "K_D=125.66370614359172;K_P=3947.8417604357433;Lambda=1000", 7.53e-6, 5.69e-6}};
  for (const Row& expected : table) {
    ProblemArguments arguments;
    arguments.mechanism = expected.mechanism;
    arguments.gains = expected.gains;
    const Problem problem(arguments);
    SimulationOptions options = problem.options;
    options.formulation = expected.formulation;
    options.integrator = "dopri5";
    options.rtol = options.atol = 1e-12;
    options.record = Record::every_step;
    const RunRecord record = run_problem(problem, options);
    if (interrupted()) return;
    const Trajectory& path = record.simulation.trajectory;
    SystemEvaluator evaluator(problem.mechanism.system);
    double largest = 0.0, last = 0.0;
    for (int k = 0; k <= 100; ++k) {
      const double t = std::min(0.05 * k, path.t(path.size() - 1));
      last = evaluator.at(t, path.position_at(t), path.velocity_at(t)).g.norm();
      largest = std::max(largest, last);
    }
    ValidatedValue row;
    row.mechanism = expected.mechanism;
    row.run = std::string(expected.formulation) + ", dopri5 1e-12";
    if (*expected.gains != '\0') row.run += ", K_D = " + problem.options.gains.K_D.text();
    row.source = "recomputed from the published model, four digits";
    const auto add = [&](const char* quantity, double t, double ours, double published) {
      row.quantity = quantity;
      row.t = t;
      row.ours = ours;
      row.reference = published;
      row.error = std::abs(ours - published);
      row.allowed = published > 0.0 ? 5e-3 * published : 1e-10;  // four printed digits; rounding and dense output
      rows.push_back(row);
    };
    add("largest |g|", Report::none, largest, expected.largest);
    add("|g| at the end", 5.0, last, expected.last);
  }
}

void print_table(const std::vector<ValidatedValue>& rows, std::size_t width) {
  const Align left = Align::left, right = Align::right;
  Table table({{"mechanism", left},
               {"run", left},
               {"quantity", left},
               {"at t [s]", right, 2},
               {"reference", right, 1},
               {"ours", right, 3},
               {"error"},
               {"allowed"},
               {"", left}},
              width);
  std::vector<Table::Row> cells;
  for (const ValidatedValue& r : rows) {
    cells.push_back({r.mechanism, r.run, r.quantity, number(r.t, ".5g"), number(r.reference, ".12g"),
                     number(r.ours, ".12g"), two_digits(r.error), two_digits(r.allowed),
                     r.holds() ? Cell("holds", Style::good) : Cell("FAILS", Style::bad)});
  }
  std::cout << table.grouped_text(cells);
}

void print_verdict(const std::vector<ValidatedValue>& rows, std::size_t width) {
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const ValidatedValue& r) { return !r.holds(); });
  std::cout << styled(fmt::format("{} comparisons, {} {}\n", rows.size(), failed, failed == 1 ? "fails" : "fail"),
                      failed == 0 ? Style::good : Style::bad);
  for (const ValidatedValue& r : rows) {
    if (std::isnan(r.error)) print_wrapped("  " + r.mechanism + ", " + r.run + ": " + r.source, width);
  }
}

void print_sources(const std::vector<Validation>& plan, std::size_t width) {
  print_wrapped("\nSources of the references, and reasons for the allowed errors:", width);
  for (const Validation& line : plan) {
    const mechanisms::MechanismEntry& entry = mechanisms::find_mechanism(line.mechanism);
    const std::string source = entry.make(line.size > 0 ? line.size : entry.default_size).reference_source;
    print_wrapped(fmt::format("  {}{}: {}{}{}", line.mechanism, line.size > 0 ? fmt::format(" N={}", line.size) : "",
                              source, source.empty() ? "" : "; ", line.why),
                  width);
  }
}

std::string document(const std::vector<ValidatedValue>& rows) {
  Json list = Json::array();
  bool all = !interrupted();
  for (const ValidatedValue& r : rows) {
    list.push_back(parsed(figures_json(r)));
    all = all && r.holds();
  }
  return json_text({{"schema", 1}, {"all_hold", all}, {"comparisons", std::move(list)}});
}

struct ValidateArguments {
  std::vector<std::string> names;
  bool json = false;
  bool wide = false;
};

int validate(const ValidateArguments& arguments) {
  const std::vector<std::string>& names = arguments.names;
  for (const std::string& name : names) mechanisms::find_mechanism(name);  // throws
  const auto asked = [&names](const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<Validation> plan = validation_plan();
  plan.erase(std::remove_if(plan.begin(), plan.end(), [&](const Validation& line) { return !asked(line.mechanism); }),
             plan.end());
  struct Task {
    std::string name;
    std::function<void(std::vector<ValidatedValue>&)> run;
  };
  std::vector<Task> tasks;
  for (const Validation& line : plan)
    tasks.push_back({line.mechanism, [&line](std::vector<ValidatedValue>& into) { validate_line(line, into); }});
  if (asked("nikravesh")) tasks.push_back({"nikravesh, study of gains", validate_gain_study});
  if (analyses_validator != nullptr)
    tasks.push_back({"analyses", [&](std::vector<ValidatedValue>& into) { analyses_validator(asked, into); }});
  std::vector<ValidatedValue> rows;
  std::vector<std::vector<ValidatedValue>> rows_of(tasks.size());
  std::optional<Tally> tally(std::in_place, tasks.size());
  in_parallel(
      tasks.size(), threads_of(0), [&](std::size_t k) { tasks[k].run(rows_of[k]); },
      [&](std::size_t k) {
        rows.insert(rows.end(), rows_of[k].begin(), rows_of[k].end());
        tally->next(tasks[k].name + " done");
      });
  tally.reset();
  if (arguments.json) {
    std::cout << document(rows);
  } else {
    const std::size_t width = output_width(arguments.wide);
    print_verdict(rows, width);
    print_table(rows, width);
    print_sources(plan, width);
  }
  const bool all = std::all_of(rows.begin(), rows.end(), [](const ValidatedValue& r) { return r.holds(); });
  return all ? exit_finished : exit_numerical_failure;
}

}  // namespace

Command validate_command() {
  const auto a = std::make_shared<ValidateArguments>();
  return {"validate",
          "compares every mechanism with published or exact values and with its energy balance",
          {{"mechanisms", &a->names, "only these; default: all"},
           {"--json", &a->json, "stdout is one JSON document"},
           wide_option(a->wide)},
          [a] { return validate(*a); },
          "\nExamples:\n"
          "  validate                    all, some ten seconds on two cores\n"
          "  validate andrews bricard\n"
          "  validate --wide             with the values themselves"};
}

}  // namespace sunlagrange::program
