// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/figure_visitors.hpp>

#include "campaign/records.hpp"
#include "campaign/summary.hpp"
#include "cases/run_cases.hpp"
#include "commands.hpp"
#include "parts/processor_time.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/parallel.hpp"
#include "shared/problem.hpp"
#include "shared/text.hpp"

/// `campaign`: compares random mechanisms with tight references and searches for runs that are wrong, finished and
/// without doubt.
namespace sunlagrange::program {
namespace {

struct CampaignArguments {
  int cases = 100;
  unsigned long seed = 1;
  std::string set = "calibration";
  std::string formulations = "default";
  std::string rtols = "1e-6";
  long max_steps = 20000;
  double cpu_limit = 14400.0;
  int jobs = 1;
  std::string only;
  std::string out;
  bool resume = false;
  std::string report;
  bool json = false;
  bool wide = false;
};

std::vector<std::string> formulations_of(const std::string& text) {
  if (text == "default") return {SimulationOptions{}.formulation};
  if (text != "all") return split_list(text, "--formulations");
  std::vector<std::string> names;
  for (const FormulationInfo& entry : formulations()) {
    if (!entry.for_programs) names.emplace_back(entry.name);
  }
  return names;
}

CampaignPlan plan_of(const CampaignArguments& a) {
  CampaignPlan plan;
  plan.seed = a.seed;
  plan.set = a.set;
  plan.formulations = formulations_of(a.formulations);
  for (const std::string& method : plan.formulations) {
    SimulationOptions options;
    set_formulation(options, method);
    if (options.formulation != "automatic") formulation(options.formulation);  // throws if unknown
    if (options.integrator != "automatic") integrator(options.integrator);
  }
  plan.rtols = number_list(a.rtols, "--rtol");
  for (const double rtol : plan.rtols) {
    if (!(rtol >= 1e-9 && rtol <= 1e-2))
      throw Error("--rtol " + text(rtol) +
                  ": must lie between 1e-9 and 1e-2, where references are a hundred times better");
  }
  plan.max_steps = a.max_steps;
  return plan;
}

std::vector<std::uint64_t> seeds_of(const CampaignArguments& a, const CampaignPlan& plan) {
  std::vector<std::uint64_t> seeds;
  if (a.only.empty()) {
    for (int k = 0; k < a.cases; ++k) seeds.push_back(plan.mechanism_seed(static_cast<std::uint64_t>(k)));
    return seeds;
  }
  for (const double seed : number_list(a.only, "--only")) {
    if (!(seed >= 0.0 && seed < 1e15 && seed == std::floor(seed)))
      throw Error("--only " + text(seed) + ": seeds are whole numbers from 0 on");
    const auto whole = static_cast<std::uint64_t>(seed);
    if (std::find(seeds.begin(), seeds.end(), whole) == seeds.end()) seeds.push_back(whole);
  }
  return seeds;
}

std::string remark_of(std::size_t done, std::size_t requested) {
  if (done == requested) return "";
  return fmt::format("{} of {} cases, {}; continue with --out and --resume", done, requested,
                     interrupted() ? "interrupted" : "stopped by --cpu-limit");
}

/// Returns the finished cases of `seeds`, in their order, in the leading process.
std::vector<CampaignCase> cases_of(Team& team, const CampaignArguments& a, const CampaignPlan& plan,
                                   const std::vector<std::uint64_t>& seeds) {
  CaseList list;
  list.form = {"campaign", "seed"};
  list.keys = seeds;
  list.threads = threads_of(a.jobs);
  if (!a.out.empty()) list.file = a.out;
  list.resume = a.resume;
  list.heading = as_json(plan).dump();
  list.run = [&plan](std::uint64_t seed) { return parsed(figures_json(campaign_case(seed, plan))); };
  list.go_on = [&a] { return cpu_seconds() < a.cpu_limit; };
  const std::map<std::uint64_t, Json> lines = run_cases(team, list);
  std::vector<CampaignCase> cases;
  for (const std::uint64_t seed : seeds) {
    const auto found = lines.find(seed);
    if (found != lines.end()) cases.push_back(campaign_case_of(found->second));
  }
  return cases;
}

std::string command_line(const CampaignArguments& a) {
  std::string line = "sunlagrange-bench campaign --formulations " + a.formulations + " --rtol " + a.rtols;
  line += a.only.empty()
              ? " --cases " + std::to_string(a.cases) + " --seed " + std::to_string(a.seed) + " --set " + a.set
              : " --only " + a.only;
  return line + " --max-steps " + std::to_string(a.max_steps);
}

int campaign(Team& team, const CampaignArguments& a) {
  const CampaignPlan plan = plan_of(a);
  const std::vector<std::uint64_t> seeds = seeds_of(a, plan);
  if (a.resume && a.out.empty()) throw Error("--resume: it needs the file of --out");
  std::optional<OutputFile> report;
  if (!a.report.empty() && team.leads()) report.emplace(a.report, "--report");  // refused before anything runs
  const std::vector<CampaignCase> cases = cases_of(team, a, plan, seeds);
  if (!team.leads()) return exit_finished;
  const CampaignSummary summary(plan, cases, remark_of(cases.size(), seeds.size()));
  const std::size_t width = output_width(a.wide);
  if (a.json) {
    std::cout << summary.document();
  } else {
    for (std::size_t k = 0; k < cases.size() && !a.only.empty(); ++k) std::cout << case_text(cases[k], width);
    std::cout << summary.text(width);
  }
  if (report) {
    report->stream() << summary.markdown(command_line(a));
    report->commit();
  }
  return summary.holds() ? exit_finished : exit_numerical_failure;
}

}  // namespace

Command campaign_command() {
  const auto a = std::make_shared<CampaignArguments>();
  const unsigned shown = rule::show_default;
  return {"campaign",
          "compares random mechanisms with two references that agree; searches for wrong runs without doubts",
          {{"--cases", &a->cases, "number of mechanisms", shown | rule::positive},
           {"--seed", &a->seed, "seed of the first mechanism; the others follow", shown | rule::not_negative},
           {"--set", &a->set, "mechanisms of even or of odd seeds", shown, {"calibration", "validation"}},
           {"--formulations", &a->formulations,
            "default, all, or names; name/integrator for an integrator that is not automatic", shown},
           {"--rtol", &a->rtols, "tolerances, rtol = atol", shown},
           {"--max-steps", &a->max_steps, "most steps of a run", shown | rule::positive},
           {"--cpu-limit", &a->cpu_limit, "CPU time [s] after which no further case begins", shown | rule::positive},
           {"--jobs", &a->jobs, "cases at the same time; 0: one for each core", shown | rule::not_negative},
           {"--only", &a->only, "seeds of single mechanisms, as in the lists, instead of --cases"},
           {"--out", &a->out, "file with one JSON object for each case, in the order of completion", rule::writes},
           {"--resume", &a->resume, "continue the file of --out"},
           {"--report", &a->report, "write the summary as Markdown to this file", rule::writes},
           {"--json", &a->json, "print the summary as one JSON document instead of text"},
           wide_option(a->wide)},
          [a] { return as_team([a](Team& team) { return campaign(team, *a); }); },
          "\nExamples:\n"
          "  campaign --cases 500 --out default.jsonl --report default.md\n"
          "  campaign --cases 500 --out default.jsonl --resume     goes on after a kill; mpirun: see study\n"
          "  campaign --cases 60 --formulations all --rtol 1e-4,1e-6,1e-8 --set validation\n"
          "  campaign --only 4712 --formulations all               one mechanism, run by run"};
}

}  // namespace sunlagrange::program
