// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "compare/comparison_table.hpp"
#include "parts/csv.hpp"
#include "parts/hand_set_ida.hpp"
#include "parts/run_choice.hpp"
#include "ranking/comparison_set.hpp"
#include "ranking/ranking_text.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/parallel.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {
namespace {

struct CompareArguments {
  ProblemArguments problem;
  RunChoice choice;
  std::string out = "comparison";
  int jobs = not_given;
  bool preliminary = false;
  bool no_baselines = false;
  bool wide = false;
};

constexpr const char* usual_rtols = "1e-4,1e-6,1e-8,1e-10";
constexpr const char* rtols_of_set = "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9";

constexpr double ranked_errors[] = {1e-3, 1e-6};

/// Writes the text and the data of a ranking and returns a line that names the files.
std::string write_ranking(const std::string& folder, const std::string& text, const Json& ranking,
                          const std::vector<RunRecord>& records) {
  const auto file = [&](const char* name) { return folder + "/" + name; };
  Json runs;
  set(runs, "runs", runs_json(records));
  make_folder(folder);
  write_file(file("ranking.txt"), text, "--out");
  write_file(file("ranking.json"), json_text(ranking), "--out");
  write_file(file("runs.csv"), csv_of("runs", runs), "--out");
  return "Tables: " + file("runs.csv") + " (every run), " + file("ranking.json") + "\n";
}

/// `compare` without a mechanism: the ranking over the set.
int compare_set(const CompareArguments& arguments) {
  constexpr std::size_t readable = 100;
  const std::vector<double> errors(std::begin(ranked_errors), std::end(ranked_errors));
  const std::size_t width = std::min(readable, output_width(false));
  RunChoice choice = arguments.choice;
  if (choice.rtols.empty()) choice.rtols = rtols_of_set;
  choice.usual_integrators = {"cvode_bdf", "cvode_adams", "dopri5", "verner8", "ida", "radau"};
  std::vector<SetEntry> entries = available_entries();
  const auto later = std::find_if_not(entries.begin(), entries.end(), [](const SetEntry& e) { return e.first; });
  const auto firsts = static_cast<std::size_t>(std::distance(entries.begin(), later));
  if (arguments.preliminary) entries.erase(later, entries.end());
  const unsigned threads = threads_of(arguments.jobs == not_given ? 0 : arguments.jobs);
  std::vector<RankedMechanism> mechanisms;
  for (const SetEntry& entry : entries) {
    if (!completed([&] { mechanisms.push_back(measured_entry(entry, choice, arguments.problem, threads)); })) break;
    if (mechanisms.size() != firsts || arguments.problem.json) continue;
    std::cout << preliminary_text(ranking(mechanisms, errors), comparison_set().size(), width);
    if (entries.size() > firsts) std::cout << "The complete ranking follows.\n";
    std::cout << std::endl;
  }
  std::vector<RunRecord> records;
  for (const RankedMechanism& m : mechanisms) records.insert(records.end(), m.records.begin(), m.records.end());
  const Ranking result = ranking(mechanisms, errors);
  const Json json = ranking_json(result);
  std::string text = ranking_text(result, width);
  if (interrupted()) text += "Interrupted: mechanisms or runs are missing.\n";
  const bool complete = entries.size() == comparison_set().size();
  if (complete) text += write_ranking(arguments.out, text, json, records);
  if (arguments.problem.json) {
    Json document;
    set(document, "schema", 1);
    set(document, "runs", runs_json(records));
    set(document, "ranking", json);
    std::cout << json_text(document);
  } else if (complete) {
    std::cout << text;
  }
  return exit_code(records);
}

int compare(const CompareArguments& arguments) {
  if (arguments.problem.mechanism.empty()) return compare_set(arguments);
  const Problem problem(arguments.problem);
  Measurement how;
  how.baselines = !arguments.no_baselines && baselines_make_sense(problem);
  if (arguments.jobs != not_given) how.threads = threads_of(arguments.jobs);
  RunChoice choice = arguments.choice;
  if (choice.rtols.empty()) choice.rtols = usual_rtols;
  const std::vector<RunRecord> records = measured(problem, chosen_runs(choice, arguments.problem, problem), how);
  if (arguments.problem.json)
    std::cout << document(records);
  else
    print_comparison(problem, records, output_width(arguments.wide));
  return exit_code(records);
}

}  // namespace

Command compare_command() {
  const auto a = std::make_shared<CompareArguments>();
  a->choice.usual_integrators = {"cvode_bdf", "cvode_adams", "dopri5", "ida"};
  std::vector<Option> options = problem_options(a->problem) + choice_options(a->choice);
  for (Option& option : options) {
    if (option.name == std::string("mechanism")) {
      option = {"mechanism", &a->problem.mechanism,
                "a registered name, see `list mechanisms`, or a model file NAME.json; without it: a ranking of the "
                "formulations at equal error over a set of mechanisms",
                rule::reads};
    } else if (option.name == std::string("--rtols")) {
      option.help += std::string("; default: ") + usual_rtols + ", for the ranking " + rtols_of_set;
      option.rules = 0;
    }
  }
  const std::vector<Option> own = {
      {"--no-baselines", &a->no_baselines,
       "leave out the rows \"ida stock\" (IDA with its default settings on the same residual) and \"ida masks\" (masks "
       "and iteration limits set by hand); they stop at 20 times the steps of the library's run, and are always left "
       "out beyond 100 unknowns"},
      {"--preliminary", &a->preliminary,
       "of the ranking only the one from the first mechanisms of the set, which takes seconds; no files are written"},
      {"--out", &a->out, "folder for the files of the ranking, ranking.txt, ranking.json and runs.csv; made if absent",
       rule::show_default},
      {"--jobs", &a->jobs,
       "runs at the same time; 0: one for each core. Default: 0 for the ranking, which is by work, and 1 for one "
       "mechanism, so that no run disturbs the CPU time of another",
       rule::not_negative},
      wide_option(a->wide)};
  return {"compare", "compares formulations on one mechanism, or ranks them over a set", options + own,
          [a] { return compare(*a); },
          "\nExamples:\n"
          "  compare                             the ranking of the formulations over a set of mechanisms\n"
          "  compare andrews                     every formulation, four tolerances\n"
          "  compare pendulum --formulations baumgarte,ggl --rtols 1e-6\n"
          "  compare pendulum --formulations baumgarte,penalty --steps 1e-2,1e-3\n"
          "  compare pendulum --json > pendulum.json"};
}

}  // namespace sunlagrange::program
