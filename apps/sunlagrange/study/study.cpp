// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>

#include <nlohmann/json.hpp>

#include <sunlagrange/study/study.hpp>
#include <sunlagrange/study/write_html.hpp>

#include "cases/run_cases.hpp"
#include "commands.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/parallel.hpp"
#include "shared/problem.hpp"
#include "shared/text.hpp"
#include "study/summary.hpp"

/// `study`: many runs of one mechanism with different parameters, start values and options.
namespace sunlagrange::program {
namespace {

struct StudyArguments {
  ProblemArguments problem;
  std::vector<std::string> vary;
  std::string formulation;
  std::string integrator = "automatic";
  double rtol = std::numeric_limits<double>::quiet_NaN();
  double step = std::numeric_limits<double>::quiet_NaN();
  long samples = 0;
  unsigned long seed = 1;
  int jobs = not_given;
  std::string out;
  bool resume = false;
  std::string observe;
  std::string html;
  bool wide = false;
};

MechanismFile mechanism_of(const StudyArguments& a, const Problem& problem) {
  MechanismFile mechanism;
  mechanism.name = problem.name + (problem.size > 0 ? ", size " + std::to_string(problem.size) : "");
  mechanism.system = problem.mechanism.system;
  mechanism.start = problem.mechanism.start;
  const std::string formulation = a.formulation.empty() ? problem.options.formulation : a.formulation;
  mechanism.options = problem.options_with(formulation);
  if (a.integrator != "automatic" || !a.formulation.empty()) mechanism.options.integrator = a.integrator;
  if (!std::isnan(a.step)) mechanism.options.step = a.step;
  const bool typed = !std::isnan(a.rtol) || !std::isnan(a.problem.atol);
  if (typed || !problem.from_file) set_tolerances(mechanism.options, a.rtol, a.problem.atol);
  return mechanism;
}

/// Returns those of the names that ask for a number of the motion: "largest force:D".
std::vector<std::string> numbers_of_motion(const std::vector<std::string>& observed) {
  std::vector<std::string> numbers;
  for (const std::string& words : observed) {
    for (const char* kind : {"final ", "least ", "largest ", "integral ", "mean "}) {
      if (words.rfind(kind, 0) == 0) numbers.push_back(words);
    }
  }
  return numbers;
}

Study study_of(const StudyArguments& a, const std::vector<std::string>& observed) {
  std::vector<Variation> vary;
  for (const std::string& text : a.vary) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw Error("--vary " + text + ": write NAME=VALUES, e.g. rod.L=0.9,1,1.1");
    vary.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  if (a.samples < 0) throw Error("--samples " + std::to_string(a.samples) + ": must not be negative");
  return {mechanism_of(a, Problem(a.problem)), vary, static_cast<std::uint64_t>(a.samples), a.seed,
          numbers_of_motion(observed)};
}

unsigned threads_for(const StudyArguments& a, const Team& team) {
  if (a.jobs != not_given) return threads_of(a.jobs);
  return team.processes() > 1 ? 1 : threads_of(0);
}

int study_of_mechanism(Team& team, const StudyArguments& a) {
  if (a.resume && a.out.empty()) throw Error("--resume: it needs the file of --out");
  const std::vector<std::string> observed =
      a.observe.empty() ? std::vector<std::string>() : split_list(a.observe, "--observe");
  const Study study = study_of(a, observed);
  const Json heading = Json::parse(study.heading());
  StudySummary(heading, {}, 0, observed);  // reports mistakes before anything runs
  std::optional<OutputFile> html;
  if (!a.html.empty() && team.leads()) html.emplace(a.html, "--html");
  CaseList list;
  list.form = {"study", "case", a.problem.mechanism, [&study](const std::string& line) { study.check(line); }};
  list.keys.resize(study.size());
  std::iota(list.keys.begin(), list.keys.end(), std::uint64_t{0});
  list.threads = threads_for(a, team);
  if (!a.out.empty()) list.file = a.out;
  list.resume = a.resume;
  list.heading = heading.dump();
  list.run = [&study](std::uint64_t k) { return Json::parse(study.run(k, [](double) { return !interrupted(); })); };
  const std::map<std::uint64_t, Json> cases = run_cases(team, list);
  if (!team.leads()) return exit_finished;
  const StudySummary summary(heading, cases, study.size(), observed);
  std::cout << (a.problem.json ? summary.document() : summary.text(output_width(a.wide)));
  if (html && !cases.empty()) {
    std::vector<std::string> lines;
    for (const auto& [k, line] : cases) lines.push_back(line.dump());
    write_html(study, lines, html->stream(), {}, [](double) { return !interrupted(); });
    html->commit();
  }
  return summary.exit_code();
}

}  // namespace

Command study_command() {
  const auto a = std::make_shared<StudyArguments>();
  const unsigned shown = rule::show_default;
  std::vector<Option> options;
  for (Option& option : problem_options(a->problem)) {
    if (std::string_view(option.name) != "--table") options.push_back(std::move(option));
  }
  const std::vector<Option> own = {
      {"--vary", &a->vary,
       "NAME=VALUES; may be repeated. NAME: a parameter (see sensitivities --list), several linked by commas that get "
       "the same value, body.m,weight.m, a start value that is held, q(COORDINATE) or v(COORDINATE), tolerance, or an "
       "option of model files: formulation, t_end, gains.K_D, ... VALUES: a,b,c, linear:FROM:TO:COUNT, "
       "log:FROM:TO:COUNT, or drawn at random, uniform:FROM:TO, loguniform:FROM:TO, normal:MEAN:DEVIATION; numbers may "
       "have a unit, 30deg",
       rule::required},
      {"--samples", &a->samples, "number of random samples, each for the whole grid; default: 100"},
      {"--seed", &a->seed, "seed of the random values", shown},
      {"--formulation", &a->formulation, "a registered name, or automatic; default as in run"},
      {"--integrator", &a->integrator, "a registered name, or automatic", shown},
      {"--rtol", &a->rtol, "relative tolerance; default: " + text(Tolerances{}.rtol), rule::finite},
      {"--step", &a->step, "step of fixed-step integrators [s]", rule::positive | rule::finite | rule::seconds},
      {"--jobs", &a->jobs,
       "cases at the same time in each process; 0: one for each core; default: 0, with several processes 1",
       rule::not_negative},
      {"--out", &a->out, "file with one JSON object for each case, in the order of completion", rule::writes},
      {"--resume", &a->resume, "continue the file of --out, possibly with more --samples"},
      {"--observe", &a->observe,
       "what the table shows of each case: end values, a.x,v(a.x); default: positions, the first twelve; --json and "
       "--out have all. Or numbers of the motion, which they have, too: \"final, least, largest, integral or mean\" "
       "(\"mean square\") of a coordinate, its rate or a multiplier, x, x', lambda:rod, and \"largest force:JOINT\" "
       "[N], \"largest power:ELEMENT\" [W]"},
      {"--html", &a->html,
       "write a page about the study to this file: forces, maxima, what is observed and curves of each case; runs the "
       "first 24 again",
       rule::writes},
      wide_option(a->wide)};
  return {
      "study", "runs one mechanism many times: grids and random samples of parameters, on threads or with mpirun",
      options + own, [a] { return as_team([a](Team& team) { return study_of_mechanism(team, *a); }); },
      "\nExamples:\n"
      "  study pendulum --vary rod.L=linear:0.5:1.5:11 --vary formulation=baumgarte,ggl\n"
      "  study pendulum --vary rod.L=0.5,1,2 --observe \"largest lambda:rod,mean bob[1]\" --html study.html\n"
      "  study n_four_bar_bodies --vary \"q(vertical 0.phi)=70deg,80deg\"\n"
      "  study slider_crank --vary tolerance=log:1e-4:1e-8:5 --vary formulation=baumgarte,projected,index3\n"
      "  study mechanism.json --vary \"spring.k=normal:1000:50\" --vary \"v(crank.phi)=uniform:5:6\" --samples 1000 "
      "--out mc.jsonl\n"
      "  study pendulum --vary gains.K_D=log:1:100:9 --integrator rk4 --step 1e-2   a gain scan\n"
      "  mpirun -n 8 sunlagrange study ...     the same cases on eight processes, also of several machines; "
      "the same file\n"
      "Killed? The same command with --resume."};
}

}  // namespace sunlagrange::program
