// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands.hpp"
#include "shared/output.hpp"
#include "shared/record.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

struct RunArguments {
  ProblemArguments problem;
  std::string formulation;
  std::string integrator = "automatic";
  double rtol = std::numeric_limits<double>::quiet_NaN();
  double step = std::numeric_limits<double>::quiet_NaN();
  std::string csv;
  std::string html;
  std::string document;  ///< file for what --json prints
  std::string output_times;
  double output_step = std::numeric_limits<double>::quiet_NaN();
  long every = not_given;
  std::string checkpoint;
  std::string resume;
  bool mobility = false;
  bool error_estimate = false;
  bool verbose = false;
};

/// Sets the step of a fixed-step integrator, or the tolerances of an adaptive one.
void set_accuracy(const RunArguments& arguments, bool from_file, SimulationOptions& options) {
  const std::string integrator = resolved_integrator(options);
  if (is_fixed_step(integrator)) {
    const double step = std::isnan(arguments.step) ? options.step : arguments.step;
    if (step == 0.0 && std::isnan(arguments.step))
      throw Error("--step: the integrator " + integrator + " has fixed steps; give one");
    if (!std::isnan(arguments.rtol) || !std::isnan(arguments.problem.atol)) {
      throw Error("--rtol, --atol: the fixed-step integrator " + integrator + " has no tolerances; use --step");
    }
    options.step = step;
    return;
  }
  if (!std::isnan(arguments.step)) {
    throw Error("--step: the integrator " + integrator + " chooses its steps; use --rtol, or rk1 ... rk4");
  }
  const bool typed = !std::isnan(arguments.rtol) || !std::isnan(arguments.problem.atol);
  if (typed || !from_file) set_tolerances(options, arguments.rtol, arguments.problem.atol);
}

/// Returns t, t + step, ... up to t_end, which is included if it is a multiple up to rounding.
std::vector<double> equidistant(double t, double t_end, double step) {
  constexpr double most = 1e8;
  const double steps = (t_end - t) / step;
  if (!(steps < most))
    throw Error("--output-step " + text(step) + ": that makes " + text(steps) + " rows; at most " + text(most));
  std::vector<double> times;
  for (long k = 0; static_cast<double>(k) <= steps * (1.0 + 1e-12); ++k)
    times.push_back(std::min(t + static_cast<double>(k) * step, t_end));
  return times;
}

/// Sets the rows of the file of --csv, which are kept in memory.
void set_record(const RunArguments& arguments, const Problem& problem, SimulationOptions& options, double t_start) {
  const bool times = !arguments.output_times.empty(), step = !std::isnan(arguments.output_step);
  const bool every = arguments.every != not_given;
  const int choices = static_cast<int>(times) + static_cast<int>(step) + static_cast<int>(every);
  if (choices > 1) throw Error("--output-times, --output-step, --every: choose one of them");
  if (choices == 1 && arguments.csv.empty())
    throw Error("--output-times, --output-step, --every: they choose the rows of --csv FILE; name a file");
  const bool history = !problem.mechanism.observables.empty() && !problem.mechanism.reference_times.empty();
  const bool ends = arguments.csv.empty() && arguments.html.empty() && !history;
  options.record = ends ? Record::ends_only : Record::every_step;
  if (every) {
    options.record = Record::every_kth_step;
    options.record_stride = arguments.every;
  } else if (choices == 1) {
    options.record = Record::at_times;
    options.record_times = times ? number_list(arguments.output_times, "--output-times")
                                 : equidistant(t_start, options.t_end, arguments.output_step);
  }
}

void print_errors(const RunRecord& r, const std::string& source) {
  if (std::isnan(r.error_vs_reference)) return;
  std::string line = "error at the end, of q " + two_digits(r.error_vs_reference);
  if (!std::isnan(r.velocity_error_vs_reference)) line += ", of v " + two_digits(r.velocity_error_vs_reference);
  if (!std::isnan(r.multiplier_error_vs_reference))
    line += ", of lambda " + two_digits(r.multiplier_error_vs_reference);
  print_wrapped(line + " (" + source + ")", output_width(false));
}

void print_observed(const std::vector<ObservedQuantity>& observed, const std::string& source) {
  for (const ObservedQuantity& o : observed) {
    if (std::isnan(o.value)) continue;
    std::string line = o.name + " " + text(o.value) + " " + o.unit;
    if (!std::isnan(o.error)) line += ", error " + two_digits(o.error);
    if (o.compared > 0) {
      line += fmt::format("; at {} times: largest error {}, root mean square {}", o.compared,
                          two_digits(o.largest_error), two_digits(o.rms_error));
    }
    print_wrapped(line + " (" + source + ")", output_width(false));
  }
}

/// Prints the first line in colour and, unless it is the last of a report, its details below.
void print_verdict(const RunRecord& record, std::size_t width, bool details = true) {
  const Status& status = record.simulation.status;
  const Style style = !status.finished() ? Style::bad : status.doubts.empty() ? Style::good : Style::doubtful;
  std::istringstream lines(record.simulation.report.verdict(status));
  bool first = true;
  for (std::string words; (first || details) && std::getline(lines, words); first = false) {
    for (const std::string& line : wrapped(first ? words : "  " + words, width, 2))
      std::cout << styled(line, first ? style : Style::plain) << "\n";
  }
}

/// Prints Report::text() and all settings in the width of the terminal.
void print_summary(const RunRecord& record, std::size_t width) {
  const Report& report = record.simulation.report;
  Table table({{"", Align::left}, {"", Align::left}}, width);
  std::vector<Table::Row> rows;
  for (const auto& [name, words] : report.summary()) {
    if (width != unlimited || words.find('\n') == std::string::npos) {
      rows.push_back({"  " + name, words});
      continue;
    }
    std::istringstream lines(words);
    std::string label = "  " + name;
    for (std::string line; std::getline(lines, line); label.clear()) rows.push_back({label, line});
  }
  rows.push_back({"  CPU time", text(record.cpu_seconds) + " s, median of repetitions"});
  std::cout << table.text(rows);
  Table settings({{"setting", Align::left}, {"used", Align::left}, {"asked for, where it differs", Align::left}},
                 width);
  rows.clear();
  for (const Setting& line : report.used.lines())
    rows.push_back({line.name, line.used, line.asked == line.used ? "" : line.asked});
  std::cout << "\n" << settings.text(rows);
}

/// Returns name and size.
std::string label_of(const Problem& problem) {
  return problem.name + (problem.size > 0 ? ", size " + std::to_string(problem.size) : "");
}

/// Returns what a run is and how well it went, in two lines.
std::string brief_summary(const Problem& problem, const RunRecord& record) {
  const Report& report = record.simulation.report;
  std::string words = label_of(problem) + ": " + problem.extent();
  if (!report.used.formulation.used.empty()) {
    words += "; " + report.used.formulation.text() + ", " + report.used.integrator.text();
    words +=
        report.used.step ? ", step " + text(*report.used.step) + " s" : ", rtol " + text(report.used.tolerances.rtol);
    words += fmt::format("; {} steps, CPU {} s", report.steps, number(record.cpu_seconds, ".3g"));
  }
  if (report.steps == 0) return words;
  words += "\nlargest violation |g| " + two_digits(report.max_position_violation);
  if (std::isfinite(report.max_velocity_violation)) words += ", |g'| " + two_digits(report.max_velocity_violation);
  if (std::isfinite(report.energy_drift))
    words += "; energy drift " + two_digits(report.energy_drift) + " J of " + two_digits(report.energy_scale) + " J";
  const auto add = [&words](std::size_t count, const std::string& what) {
    if (count > 0) words += "; " + std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  add(report.events.size(), "event");
  add(report.rank_events.size(), "singular pose");
  if (report.error_estimate)
    words += "; estimated error q " + two_digits(report.error_estimate->largest_q) + ", v " +
             two_digits(report.error_estimate->largest_v);
  return words;
}

/// Returns degrees of freedom and redundant constraint rows at the start of the run.
RedundancyReport mobility_at_start(const Problem& problem, const SimulationOptions& options) {
  ConsistencyOptions consistency;
  consistency.start = options.start;
  consistency.linear_solver = options.linear_solver;
  const auto& system = problem.mechanism.system;
  const MotionState start = consistent_state(system, problem.mechanism.start, consistency).state;
  RedundancyOptions redundancy;
  redundancy.rank_threshold = options.linear_solver.rank_threshold;
  return analyse_redundancy(system, start.t, start.q, start.v, redundancy);
}

/// Returns true if the checkpoint has the coordinates and constraint rows of the system. (The run names a difference.)
bool fits(const Checkpoint& from, const MechanicalSystem& system) {
  bool same = static_cast<int>(from.positions.size()) == system.num_positions() &&
              static_cast<int>(from.constraints.size()) == system.num_constraints();
  for (int i = 0; same && i < system.num_positions(); ++i)
    same = from.positions[static_cast<std::size_t>(i)] == system.position_name(i);
  for (int i = 0; same && i < system.num_constraints(); ++i)
    same = from.constraints[static_cast<std::size_t>(i)] == system.constraint_name(i);
  return same;
}

/// Returns the options of a resumed run, which are those of the checkpoint. @throws Error naming options that must not
/// be given
SimulationOptions resumed_options(const RunArguments& arguments, const Problem& problem, const Checkpoint& from) {
  const ProblemArguments& p = arguments.problem;
  std::string typed;
  const auto refuse = [&typed](bool given, const char* option) {
    if (given) typed += (typed.empty() ? "" : ", ") + std::string(option);
  };
  refuse(!arguments.formulation.empty(), "--formulation");
  refuse(arguments.integrator != "automatic", "--integrator");
  refuse(!std::isnan(arguments.rtol), "--rtol");
  refuse(!std::isnan(p.atol), "--atol");
  refuse(!std::isnan(arguments.step), "--step");
  refuse(p.linear_solver != "automatic", "--linear-solver");
  refuse(!p.rank_policy.empty(), "--rank-policy");
  refuse(!p.at_singularity.empty(), "--at-singularity");
  refuse(!p.start.empty(), "--start");
  refuse(!p.gains.empty(), "--gains");
  refuse(!p.table.empty(), "--table");
  refuse(p.continue_infeasible, "--continue-infeasible");
  if (!typed.empty())
    throw Error(typed + ": --resume takes them from the file " + arguments.resume + "; leave them out");
  SimulationOptions options = from.options;
  if (!std::isnan(p.t_end)) options.t_end = p.t_end;
  if (!std::isnan(p.max_step)) options.max_step = p.max_step;
  if (p.max_steps != not_given) options.max_steps = p.max_steps;
  options.keep_going = problem.options.keep_going;
  if (options.t_end > from.state.t || !fits(from, *problem.mechanism.system)) return options;
  const std::string reached = "the saved run has reached ", later = "t = " + text(from.state.t) + " s";
  if (from.state.t >= from.options.t_end)
    throw Error("--resume " + arguments.resume + ": " + reached + "its end, " + later + "; give a later --t-end");
  throw Error("--resume " + arguments.resume + ": " + reached + later + ", and t_end = " + text(options.t_end) +
              " s is not later; give a later --t-end");
}

/// Returns true if --continue-infeasible is given, but the start itself is infeasible.
bool failed_at_the_start(const RunArguments& arguments, const RunRecord& record) {
  const Simulation& run = record.simulation;
  return arguments.problem.continue_infeasible && record.options.start == Start::consistent &&
         run.status.outcome == Outcome::infeasible && run.report.steps == 0;
}

/// Writes the trajectory. A file for which nobody has chosen the rows has as many of them as fit.
void write_csv(const RunArguments& arguments, const Problem& problem, const Simulation& run, std::ostream& out) {
  const Trajectory& path = run.trajectory;
  const MechanicalSystem& system = *problem.mechanism.system;
  const std::optional<ErrorEstimate>& estimate = run.report.error_estimate;
  constexpr std::size_t most_numbers = 1000000;  // about 20 MB
  const auto columns = static_cast<std::size_t>(1 + 2 * system.num_positions() + system.num_constraints());
  const std::size_t rows = std::max<std::size_t>(2, most_numbers / (estimate ? 2 * columns : columns));
  const bool chosen =
      !arguments.output_times.empty() || !std::isnan(arguments.output_step) || arguments.every != not_given;
  if (chosen || path.size() <= rows) return path.write_csv(out, system, estimate);
  const std::size_t stride = (path.size() - 2) / (rows - 1) + 1;
  std::vector<MotionState> kept;
  std::optional<ErrorEstimate> of_kept = estimate;
  if (of_kept) of_kept->along.clear();
  std::size_t compared = 0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const bool keep = k % stride == 0 || k + 1 == path.size();
    while (estimate && compared < estimate->along.size() && estimate->along[compared].state < k) ++compared;
    if (!keep) continue;
    if (estimate && compared < estimate->along.size() && estimate->along[compared].state == k) {
      of_kept->along.push_back(estimate->along[compared]);
      of_kept->along.back().state = kept.size();
    }
    kept.push_back(path.state(k));
  }
  Trajectory(kept).write_csv(out, system, of_kept);
  std::cerr << program_name() << ": the trajectory has " << kept.size() << " of " << path.size() << " rows, one of "
            << stride << ", because all of them make a file of " << (columns * path.size()) / 50000
            << " MB; `run --every 1` writes them all\n";
}

/// Runs the problem again and sets the median of the CPU times, without and with the error estimate.
void measure_time(const Problem& problem, RunRecord& record) {
  SimulationOptions again = record.options;
  again.estimate_error = false;
  again.estimated_functions.clear();
  again.record = Record::ends_only;
  again.record_times.clear();
  again.record_stride = 1;
  const auto seconds = [&problem](const SimulationOptions& how) { return run_problem(problem, how).cpu_seconds; };
  const auto once_more = [&] { return seconds(again); };
  if (record.simulation.report.error_estimate) {
    record.cpu_seconds_with_estimate = median_cpu_seconds(record.cpu_seconds, [&] { return seconds(record.options); });
    record.cpu_seconds = once_more();
  }
  record.cpu_seconds = median_cpu_seconds(record.cpu_seconds, once_more);
}

/// Prints the run for people: the verdict first; with --verbose all settings, and the verdict again at the end.
void print(const RunArguments& arguments, const Problem& problem, const RunRecord& record) {
  const std::size_t width = output_width(false);
  print_verdict(record, width);
  if (arguments.verbose) {
    print_wrapped(problem.description(), width);
  } else {
    print_wrapped(brief_summary(problem, record), width);
    for (const std::string& note : problem.notes) {
      const auto says = [&note](const Doubt& doubt) { return doubt.text.find(note) != std::string::npos; };
      const std::vector<Doubt>& doubts = record.simulation.status.doubts;
      if (std::none_of(doubts.begin(), doubts.end(), says)) print_wrapped("note: " + note, width);
    }
  }
  if (record.mobility) print_wrapped(record.mobility->text(), width);
  if (arguments.verbose) print_summary(record, width);
  print_errors(record, problem.mechanism.reference_source);
  print_observed(record.observed, problem.mechanism.reference_source);
  if (!arguments.verbose && arguments.html.empty())
    print_wrapped("--verbose prints all settings and counts; --html FILE writes a page with motion and forces", width);
  if (arguments.verbose) print_verdict(record, width, false);
}

int run(const RunArguments& arguments) {
  const Problem problem(arguments.problem);
  if (checkpoint_reader == nullptr && !(arguments.resume.empty() && arguments.checkpoint.empty()))
    throw Error("--checkpoint, --resume: this program reads no files; build and use sunlagrange");
  if (arguments.error_estimate && !(arguments.resume.empty() && arguments.checkpoint.empty()))
    throw Error("--error-estimate compares whole runs from one start; leave out --checkpoint and --resume");
  Checkpoints checkpoints{std::nullopt, arguments.checkpoint};
  SimulationOptions options;
  if (!arguments.resume.empty()) {
    checkpoints.resumed = checkpoint_reader(arguments.resume);
    options = resumed_options(arguments, problem, *checkpoints.resumed);
    set_record(arguments, problem, options, checkpoints.resumed->state.t);
  } else {
    options = problem.options_with(arguments.formulation.empty() ? problem.options.formulation : arguments.formulation);
    if (arguments.integrator != "automatic" || !arguments.formulation.empty())
      options.integrator = arguments.integrator;
    set_record(arguments, problem, options, problem.mechanism.start.t);
    set_accuracy(arguments, problem.from_file, options);
  }
  options.estimate_error = options.estimate_error || arguments.error_estimate;
  for (const mechanisms::Observable& observable : problem.mechanism.observables) {
    if (options.estimate_error) options.estimated_functions.push_back({observable.name, observable.value});
  }
  std::optional<OutputFile> csv, html, json;  // opened first: a file that cannot be written is refused before the run
  if (!arguments.csv.empty()) csv.emplace(arguments.csv, "--csv");
  if (!arguments.html.empty()) html.emplace(arguments.html, "--html");
  if (!arguments.document.empty()) json.emplace(arguments.document, "--out");
  std::vector<RunRecord> records(1);
  RunRecord& record = records.front();
  try {
    record = run_problem(problem, options, checkpoints);
  } catch (const Error& error) {
    if (arguments.resume.empty()) throw;
    throw Error("--resume " + arguments.resume + ": " + error.what());
  }
  if (arguments.resume.empty() && arguments.checkpoint.empty()) measure_time(problem, record);
  if (arguments.mobility) record.mobility = mobility_at_start(problem, options);
  if (arguments.problem.json) {
    std::cout << document(records);
  } else {
    print(arguments, problem, record);
  }
  if (failed_at_the_start(arguments, record))
    std::cerr << "--continue-infeasible: it concerns the motion after the start; for an infeasible start, give --start "
                 "as_given as well\n";
  if (csv) {
    write_csv(arguments, problem, record.simulation, csv->stream());
    csv->commit();
  }
  if (html && !record.simulation.trajectory.empty()) {
    write_html(record.simulation, problem.mechanism.system, html->stream(), problem.title());
    html->commit();
  }
  if (json) {
    json->stream() << document(records);
    json->commit();
  }
  return exit_code(records);
}

/// `report`: a run, its page, and the data behind the page.
int report(RunArguments arguments, const std::string& folder) {
  const auto path = [&folder](const char* file) { return (std::filesystem::path(folder) / file).string(); };
  arguments.html = path("index.html");
  arguments.csv = path("run.csv");
  arguments.document = path("run.json");
  for (const std::string& file : {arguments.html, arguments.csv, arguments.document})
    refuse_input_as_output({"mechanism", arguments.problem.mechanism}, {"--out", file});
  Problem{arguments.problem};  // refuses wrong names before the folder is made
  make_folder(folder);
  const int code = run(arguments);
  if (!arguments.problem.json) std::cout << "The page: " << arguments.html << "\n";
  return code;
}

/// Returns the options that `run` and `report` share.
std::vector<Option> run_options(RunArguments& a) {
  const std::vector<Option> options = {
      {"--formulation", &a.formulation,
       "a registered name; default: that of the model file, else automatic: chosen by given options, a singular start, "
       "tolerance and stiffness"},
      {"--integrator", &a.integrator,
       "a registered name; automatic: chosen with an automatic formulation, else cvode_bdf, ida or trapezoidal, as the "
       "formulation needs; table with --table",
       rule::show_default},
      {"--rtol", &a.rtol, "relative tolerance of adaptive integrators; default: " + text(Tolerances{}.rtol),
       rule::finite},
      {"--step", &a.step, "step of fixed-step integrators [s]", rule::finite | rule::seconds},
      {"--error-estimate", &a.error_estimate,
       "estimate the error of the run by a companion run: about 2 to 2.5 times the cost, up to 10 on stiff or singular "
       "mechanisms; also in the files"},
      {"--mobility", &a.mobility,
       "also report freedoms, redundant rows and lost directions at the start (dense, for up to some hundred rows)"},
      {"--verbose", &a.verbose,
       "print the whole report and every setting that was used, with the verdict first and last"}};
  return problem_options(a.problem) + options;
}

}  // namespace

Command run_command() {
  const auto a = std::make_shared<RunArguments>();
  const std::vector<Option> options = {
      {"--csv", &a->csv,
       "write the trajectory to this file, also when the run failed or was interrupted; default: every step, or as "
       "many "
       "rows as make 20 MB",
       rule::writes},
      {"--html", &a->html, "write a page about the run to this file: animation, curves, forces, settings",
       rule::writes},
      {"--output-times", &a->output_times,
       "rows of --csv: the start, these times a,b,c [s], the end; on the constraints, unless the start is as_given"},
      {"--output-step", &a->output_step, "rows of --csv: interval in seconds",
       rule::positive | rule::finite | rule::seconds},
      {"--every", &a->every, "rows of --csv: every k-th accepted step; 1: all of them", rule::positive},
      {"--checkpoint", &a->checkpoint,
       "write a checkpoint to this file at the start, every half minute, at the end and on interruption",
       rule::writes | rule::goes_on},
      {"--resume", &a->resume, "resume a run of the same mechanism from this checkpoint, with its options",
       rule::reads | rule::goes_on}};
  return {"run", "runs one mechanism with one formulation and one integrator", run_options(*a) + options,
          [a] { return run(*a); },
          "\nExamples:\n"
          "  run andrews\n"
          "  run andrews --formulation index3 --rtol 1e-8 --atol 1e-8\n"
          "  run pendulum --integrator rk4 --step 1e-3\n"
          "  run pendulum --t-end 100 --csv run.csv --output-step 0.1\n"
          "  run bricard --mobility\n"
          "  run bricard --t-end 1e4 --checkpoint bricard.json, later run bricard --resume bricard.json\n"
          "  run two_link --gains \"K_D=20,10;K_P=100,25\" --json"};
}

Command run_report_command() {
  const auto a = std::make_shared<RunArguments>();
  const auto folder = std::make_shared<std::string>("report");
  const std::vector<Option> options = {
      {"--out", folder.get(),
       "folder for index.html, run.csv (the trajectory) and run.json (what run --json prints); made if absent",
       rule::show_default}};
  return {"report", "runs one mechanism and writes a page of the run and its data", run_options(*a) + options,
          [a, folder] { return report(*a, *folder); },
          "\nExamples:\n"
          "  report bricard\n"
          "  report mechanism.json --error-estimate --out pages\n"
          "  sunlagrange-bench report mechanism.json   compares formulations instead"};
}

}  // namespace sunlagrange::program
