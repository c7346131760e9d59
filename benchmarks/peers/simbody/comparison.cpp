// SPDX-License-Identifier: BSD-3-Clause
#include "comparison.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace sunlagrange::peers {
namespace {

constexpr double enough_seconds = 10.0;  // of a method, in all rounds
constexpr int most_failures = 4;         // of a method, one after the other, in its search
constexpr double much_slower = 3.0;

double error_of(const Ending& ending, const std::vector<double>& reference) {
  if (!ending.failure.empty() || ending.values.size() != reference.size())
    return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double error = std::abs(ending.values[i] - reference[i]);
    if (!(error <= largest)) largest = error;  // not-a-number stays
  }
  return std::isnan(largest) ? std::numeric_limits<double>::infinity() : largest;
}

Measured measure(const Method& method, double tolerance, const std::vector<double>& reference) {
  Measured run{method.program, method.name, tolerance, 0.0, {}, {}};
  const double begin = cpu_seconds();
  run.ending = method.run(tolerance);
  run.seconds.push_back(cpu_seconds() - begin);
  run.error = error_of(run.ending, reference);
  return run;
}

/// The loosest tolerance that suffices together with the next.
std::optional<Measured> search(const Method& method, double error, const std::vector<double>& reference,
                               std::string& why_not) {
  std::optional<Measured> candidate;
  double least = std::numeric_limits<double>::infinity();
  std::string failure;
  int failures = 0;
  for (const double tolerance : method.tolerances) {
    Measured run = measure(method, tolerance, reference);
    least = std::min(least, run.error);
    const bool failed = !run.ending.failure.empty();
    if (failed) failure = run.ending.failure;
    failures = failed && !run.ending.doubted ? failures + 1 : 0;
    if (failures == most_failures) break;
    if (run.error > error)
      candidate.reset();
    else if (candidate)
      return candidate;
    else
      candidate = std::move(run);
  }
  char words[40];
  std::snprintf(words, sizeof words, "%.1e", least);
  why_not = method.program + ", " + method.name + ": least error " + words;
  if (!failure.empty()) why_not += "; " + failure.substr(0, failure.find('\n'));
  return std::nullopt;
}

double ratio(const Comparison& c, const std::string& slower, const std::string& faster) {
  const Measured *a = fastest(c, slower), *b = fastest(c, faster);
  return a == nullptr || b == nullptr ? std::numeric_limits<double>::quiet_NaN() : a->median() / b->median();
}

nlohmann::json to_json(const Comparison& c) {
  nlohmann::json methods = nlohmann::json::array();
  for (const Measured& m : c.methods) {
    methods.push_back({{"program", m.program},
                       {"method", m.method},
                       {"tolerance", m.tolerance},
                       {"error", m.error},
                       {"cpu_seconds", m.median()},
                       {"runs", m.seconds.size()},
                       {"steps", m.ending.steps},
                       {"evaluations", m.ending.evaluations}});
  }
  nlohmann::json ratios;
  for (const std::string own : {"sunlagrange", "sunlagrange, automatic"}) {
    for (const std::string other : {"Simbody", "by hand, klu", "by hand, blocks"}) {
      if (const double r = ratio(c, other, own); r > 0.0) ratios[other + " / " + own] = r;
    }
  }
  return {{"case", c.problem.name}, {"error", c.problem.error},     {"reference", c.problem.reference_source},
          {"methods", methods},     {"not_reached", c.not_reached}, {"ratios", ratios}};
}

const char* verdict(double goal, bool reached) {
  return goal == 0.0 ? "" : reached ? ", met" : ", MISSED";
}

}  // namespace

const Measured* fastest(const Comparison& comparison, const std::string& program) {
  const Measured* best = nullptr;
  for (const Measured& m : comparison.methods) {
    if (m.program == program && (best == nullptr || m.median() < best->median())) best = &m;
  }
  return best;
}

Comparison compare(const Case& problem, int rounds) {
  Comparison result{problem, {}, {}};
  const std::vector<double> reference = problem.reference();
  std::vector<const Method*> method_of;
  for (const Method& method : problem.methods) {
    std::string why_not;
    if (auto found = search(method, problem.error, reference, why_not)) {
      result.methods.push_back(*found);
      method_of.push_back(&method);
    } else {
      result.not_reached.push_back(why_not);
    }
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < result.methods.size(); ++k) {
      Measured& m = result.methods[k];
      double spent = 0.0;
      for (const double s : m.seconds) spent += s;
      const bool slow = m.median() > much_slower * fastest(result, m.program)->median();
      if (slow || (round > 0 && spent > enough_seconds)) continue;
      m.seconds.push_back(measure(*method_of[k], m.tolerance, reference).seconds.front());
    }
  }
  return result;
}

void print(const Comparison& c) {
  const Goals& goals = c.problem.goals;
  std::printf("%s, error at most %.0e; reference: %s\n", c.problem.name.c_str(), c.problem.error,
              c.problem.reference_source.c_str());
  std::printf("  %-24s %-34s %9s %9s %11s %5s %7s %7s\n", "program", "method", "tolerance", "error", "ms", "runs",
              "steps", "f");
  for (const Measured& m : c.methods) {
    std::printf("  %-24s %-34s %9.1e %9.1e %11.3f %5zu %7ld %7ld\n", m.program.c_str(), m.method.c_str(), m.tolerance,
                m.error, 1e3 * m.median(), m.seconds.size(), m.ending.steps, m.ending.evaluations);
  }
  for (const std::string& line : c.not_reached) std::printf("  not reached: %s\n", line.c_str());
  for (const std::string own : {"sunlagrange", "sunlagrange, automatic"}) {
    const Measured* best = fastest(c, own);
    if (best == nullptr) continue;
    const double ms = 1e3 * best->median();
    std::printf("  %s: %s, %.3f ms%s", own.c_str(), best->method.c_str(), ms,
                verdict(goals.milliseconds, ms <= goals.milliseconds));
    const double simbody = ratio(c, "Simbody", own), klu = ratio(c, "by hand, klu", own);
    if (simbody > 0.0)
      std::printf("; Simbody / this %.1f%s", simbody, verdict(goals.times_simbody, simbody >= goals.times_simbody));
    if (klu > 0.0)
      std::printf("; by hand / this: klu %.2f%s, blocks %.2f", klu, verdict(goals.times_klu, klu >= goals.times_klu),
                  ratio(c, "by hand, blocks", own));
    std::printf("\n");
  }
  std::printf("\n");
  std::fflush(stdout);
}

std::string json_text(const std::vector<Comparison>& comparisons) {
  nlohmann::json document = nlohmann::json::array();
  for (const Comparison& c : comparisons) document.push_back(to_json(c));
  return document.dump(2) + "\n";
}

}  // namespace sunlagrange::peers
