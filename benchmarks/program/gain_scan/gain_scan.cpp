// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/figure_visitors.hpp>

#include "commands.hpp"
#include "gain_scan/case.hpp"
#include "mechanisms/random_chain.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/parallel.hpp"
#include "shared/progress.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {
namespace {

struct ScanArguments {
  std::vector<std::string> mechanisms;
  std::string formulation;  ///< empty if not given
  std::string integrator = "cvode_bdf";
  std::string rtols;  ///< empty if not given
  std::string units;
  unsigned long seed = 86100443;
  int random = 3;
  double times = 10.0;
  double per_octave = 1.0;
  bool quick = false;
  int jobs = 0;  ///< 0: one for each core
  std::string csv;
  bool json = false;
  bool wide = false;
};

struct Exclusion {
  std::string mechanism;
  std::string reason;
};

struct ScanResult {
  std::vector<GainCase> cases;
  std::vector<Exclusion> excluded;

  long held() const {
    return std::count_if(cases.begin(), cases.end(), [](const GainCase& c) { return c.held(); });
  }
  bool all_held() const { return held() == static_cast<long>(cases.size()); }
};

/// Returns the default formulation for the equations of the integrator.
std::string formulation_of(const ScanArguments& a) {
  if (!a.formulation.empty()) return a.formulation;
  return !integrator(a.integrator).integrates(Equations::ode) ? "index1" : "baumgarte";
}

GainScanOptions options_of(const ScanArguments& a) {
  const IntegratorInfo info = integrator(a.integrator);  // throws if unknown
  if (info.fixed_step) throw Error("--integrator " + a.integrator + ": the scan takes adaptive integrators");
  GainScanOptions options;
  options.formulation = formulation_of(a);
  options.integrator = a.integrator;
  if (!info.integrates(formulation(options.formulation).equations))
    throw Error("--formulation " + options.formulation + ": integrator " + a.integrator + " does not integrate it");
  const std::string all_rtols = a.quick ? "1e-4,1e-7,1e-10" : "1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10";
  const std::string all_units = a.quick ? "m_kg" : "m_kg,mm_g,km_t";
  options.rtols = number_list(a.rtols.empty() ? all_rtols : a.rtols, "--rtols");
  options.times = a.times;
  options.per_octave = a.per_octave;
  for (const std::string& name : split_list(a.units.empty() ? all_units : a.units, "--units")) {
    const auto& known = mechanisms::three_unit_systems();
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& u) { return u.name == name; });
    if (found == known.end()) throw Error("--units: \"" + name + "\" is not known; choose of m_kg, mm_g, km_t");
    options.units.push_back(*found);
  }
  return options;
}

std::string mark(const GainCase& c) {
  if (c.held()) return "";
  if (!c.automatic.finished) return "did not finish";
  if (c.automatic.violation > 1.0) return "violates";
  return c.best.finished ? "too expensive" : "no scanned gain is within the bound";
}

void print_header(Table& table, std::size_t width) {
  print_wrapped(
      "violation: max |g| / (30 ||G|| (rtol max|q| + atol)), psi rows alike with v; cost: right-hand sides + Newton "
      "factorisations + 2 Jacobians of each gain, automatic and scanned alike: five runs at tolerances x 0.8, 0.9, 1, "
      "1.1, 1.25, the largest violation, the median cost; spread: largest less smallest cost of the five automatic "
      "runs, "
      "over their median",
      width);
  std::cout << table.heading() << std::flush;
}

Table scan_table(std::size_t width) {
  const Align left = Align::left, right = Align::right;
  return Table({{"mechanism", left, 0, 21},
                {"units", left, 0, 6},
                {"rtol", right, 0, 6},
                {"omega", right, 3, 9, "automatic"},
                {"violation", right, 0, 9, "automatic"},
                {"cost", right, 2, 7, "automatic"},
                {"spread", right, 4, 6, "automatic"},
                {"violation", right, 6, 9, "without gains"},
                {"cost", right, 5, 7, "without gains"},
                {"omega", right, 3, 9, "best"},
                {"cost", right, 2, 7, "best"},
                {"ratio", right, 0, 6},
                {"", left, 0, 10}},
               width);
}

void print(const GainCase& c, const Table& table) {
  std::cout << table.row({c.mechanism, c.units, number(c.rtol, ".3g"), number(c.automatic.omega, ".3g"),
                          number(c.automatic.violation, ".3g"), number(c.automatic.cost, ".6g"),
                          number(c.automatic.spread, ".2g"), number(c.zero.violation, ".3g"),
                          number(c.zero.cost, ".6g"), number(c.best.omega, ".3g"), number(c.best.cost, ".6g"),
                          number(c.cost_ratio(), ".3g"), mark(c)})
            << std::flush;
}

void print_summary(const ScanResult& result, std::size_t width) {
  for (const Exclusion& e : result.excluded) print_wrapped(e.mechanism + " left out: " + e.reason, width);
  double violation = 0.0;
  double cost = 0.0;
  for (const GainCase& c : result.cases) {
    violation = std::max(violation, c.automatic.violation);
    cost = std::max(cost, c.cost_ratio());
  }
  print_wrapped(fmt::format("{} of {} cases hold (violation <= 1, ratio <= 1.25); largest violation {:.3g}, largest "
                            "ratio {:.3g}",
                            result.held(), result.cases.size(), violation, cost),
                width);
}

std::string document(const ScanResult& result, const ScanArguments& arguments) {
  Json json;
  json["schema"] = 1;
  json["formulation"] = formulation_of(arguments);
  json["integrator"] = arguments.integrator;
  json["seed"] = arguments.seed;
  json["cases"] = Json::array();
  for (const GainCase& c : result.cases) json["cases"].push_back(parsed(figures_json(c)));
  json["excluded"] = Json::array();
  for (const Exclusion& e : result.excluded)
    json["excluded"].push_back({{"mechanism", e.mechanism}, {"reason", e.reason}});
  json["held"] = result.held();
  return json_text(json);
}

std::string csv(const ScanResult& result) {
  std::string out =
      "mechanism,units,rtol,atol,characteristic_time,omega,violation,cost,spread,zero_violation,zero_cost,best_omega,"
      "best_violation,best_cost,cost_ratio,held\n";
  for (const GainCase& c : result.cases) {
    out += c.mechanism + "," + c.units;
    for (const double x :
         {c.rtol, c.atol, c.time, c.automatic.omega, c.automatic.violation, c.automatic.cost, c.automatic.spread,
          c.zero.violation, c.zero.cost, c.best.omega, c.best.violation, c.best.cost, c.cost_ratio()}) {
      out += fmt::format(",{:.9g}", x);
    }
    out += c.held() ? ",1\n" : ",0\n";
  }
  return out;
}

std::vector<std::pair<std::string, mechanisms::Mechanism>> chosen_mechanisms(const ScanArguments& arguments) {
  std::vector<std::pair<std::string, mechanisms::Mechanism>> chosen;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    if (arguments.mechanisms.empty()) chosen.emplace_back(entry.name, entry.make(entry.default_size));
  }
  for (const std::string& name : arguments.mechanisms) {
    const mechanisms::MechanismEntry& entry = mechanisms::find_mechanism(name);
    chosen.emplace_back(name, entry.make(entry.default_size));
  }
  for (int k = 0; k < arguments.random; ++k) {
    const unsigned long seed = arguments.seed + static_cast<unsigned long>(k);
    chosen.emplace_back("random " + std::to_string(seed), mechanisms::random_chain(seed));
  }
  return chosen;
}

ScanResult run_scan(const ScanArguments& arguments, const GainScanOptions& options, const Table& table) {
  const unsigned threads = threads_of(arguments.jobs);
  const auto chosen = chosen_mechanisms(arguments);
  std::vector<GainScanSubject> subjects(chosen.size());
  ScanResult result;
  in_parallel(
      chosen.size(), threads,
      [&](std::size_t k) { subjects[k] = prepare_subject(chosen[k].first, chosen[k].second, options); },
      [&](std::size_t k) {
        if (!subjects[k].excluded.empty()) result.excluded.push_back({subjects[k].name, subjects[k].excluded});
      });
  struct Job {
    const GainScanSubject* subject;
    const mechanisms::Units* units;
    double rtol;
  };
  std::vector<Job> jobs;
  for (const GainScanSubject& subject : subjects) {
    for (const mechanisms::Units& units : options.units) {
      for (const double rtol : options.rtols) {
        if (subject.excluded.empty()) jobs.push_back({&subject, &units, rtol});
      }
    }
  }
  result.cases.resize(jobs.size());
  Tally tally(jobs.size());
  const std::size_t done = in_parallel(
      jobs.size(), threads,
      [&](std::size_t k) { result.cases[k] = scan_case(*jobs[k].subject, options, *jobs[k].units, jobs[k].rtol); },
      [&](std::size_t k) {
        if (!arguments.json) print(result.cases[k], table);
        tally.next(result.cases[k].mechanism + " done");
      });
  result.cases.resize(done);
  return result;
}

int gain_scan(const ScanArguments& arguments) {
  const GainScanOptions options = options_of(arguments);
  std::optional<OutputFile> file;
  if (!arguments.csv.empty()) file.emplace(arguments.csv, "--csv");  // refused before anything runs
  const std::size_t width = output_width(arguments.wide);
  Table table = scan_table(width);
  if (!arguments.json) print_header(table, width);
  const ScanResult result = run_scan(arguments, options, table);
  if (arguments.json)
    std::cout << document(result, arguments);
  else
    print_summary(result, width);
  if (file) {
    file->stream() << csv(result);
    file->commit();
  }
  return result.all_held() ? exit_finished : exit_numerical_failure;
}

}  // namespace

Command gain_scan_command() {
  const auto a = std::make_shared<ScanArguments>();
  const unsigned shown = rule::show_default;
  return {
      "gain-scan",
      "compares automatic gains with a scan of gains: violation and cost over mechanisms, tolerances and units",
      {{"mechanisms", &a->mechanisms, "registered names; default: all of full rank"},
       {"--formulation", &a->formulation, "a formulation with gains; default: baumgarte, or index1 with ida"},
       {"--integrator", &a->integrator, "adaptive", shown},
       {"--rtols", &a->rtols,
        "relative tolerances; default: 1e-4 ... 1e-10 each decade; atol: the same number in the units of the "
        "mechanism"},
       {"--units", &a->units, "unit systems; default: m_kg,mm_g,km_t"},
       {"--random", &a->random, "number of chains with random sizes, masses and lengths", shown | rule::not_negative},
       {"--seed", &a->seed, "seed of the first random chain; the others follow", shown | rule::not_negative},
       {"--times", &a->times, "length of the runs in characteristic times", shown | rule::positive | rule::finite},
       {"--per-octave", &a->per_octave,
        "number of scanned gains for each factor 2, from 1/64 to 64 over the characteristic time",
        shown | rule::positive | rule::finite},
       {"--quick", &a->quick,
        "change the defaults to the tolerances 1e-4, 1e-7, 1e-10 in SI units: a seventh of the time"},
       {"--jobs", &a->jobs, "cases at the same time; 0: one for each core", shown | rule::not_negative},
       {"--csv", &a->csv, "write one line for each case to this file", rule::writes},
       {"--json", &a->json, "print one JSON document instead of text"},
       wide_option(a->wide)},
      [a] { return gain_scan(*a); },
      "\nExamples:\n"
      "  gain-scan --quick\n"
      "  gain-scan pendulum slider_crank --rtols 1e-6 --units m_kg"};
}

}  // namespace sunlagrange::program
