// SPDX-License-Identifier: BSD-3-Clause
#include "ranking/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ranking/cost_at_error.hpp"
#include "shared/quantile.hpp"

namespace sunlagrange::program {
namespace {

/// Cost of one formulation on one mechanism at one error, each figure with the best integrator for it.
struct LeastCost {
  double work = Standing::missed, cpu = Standing::missed, violation = Report::none;
  std::string integrator;
};

/// Least costs of the formulations that have the error.
using LeastCosts = std::map<std::string, LeastCost>;

LeastCosts least_costs(const std::vector<RunRecord>& records, double error) {
  LeastCosts least;
  for (const CostAtError& c : costs_at(records, error, Among::certain)) {
    LeastCost& own = least[c.formulation];
    own.cpu = std::min(own.cpu, c.cpu_seconds);
    if (!(c.work < own.work)) continue;
    own.work = c.work;
    own.integrator = c.integrator;
    own.violation = c.violation;
  }
  return least;
}

/// Returns the name that occurs most often; among several the first.
std::string most_frequent(const std::vector<std::string>& names) {
  std::string found;
  std::ptrdiff_t most = 0;
  for (const std::string& name : names) {
    const std::ptrdiff_t times = std::count(names.begin(), names.end(), name);
    if (times > most) found = name;
    most = std::max(most, times);
  }
  return found;
}

/// @param costs  for each mechanism
Standing standing(const std::string& formulation, const std::vector<LeastCosts>& costs) {
  Standing result;
  std::vector<double> work, cpu;
  std::vector<std::string> integrators;
  for (const LeastCosts& of_mechanism : costs) {
    LeastCost least;
    for (const auto& entry : of_mechanism) {
      least.work = std::min(least.work, entry.second.work);
      least.cpu = std::min(least.cpu, entry.second.cpu);
    }
    const auto own = of_mechanism.find(formulation);
    const bool has = own != of_mechanism.end();
    work.push_back(has ? own->second.work / least.work : Standing::missed);
    cpu.push_back(has ? own->second.cpu / least.cpu : Standing::missed);
    if (!has) continue;
    ++result.reached;
    integrators.push_back(own->second.integrator);
    if (!(own->second.violation <= result.violation)) result.violation = own->second.violation;
  }
  result.work = median(std::move(work));
  result.cpu = median(std::move(cpu));
  result.integrator = most_frequent(integrators);
  return result;
}

double product_of_work(const RankedFormulation& f) {
  double product = 1.0;
  for (const Standing& s : f.at) product *= s.work;
  return product;
}

double sum_of_reached(const RankedFormulation& f) {
  double sum = 0.0;
  for (const Standing& s : f.at) sum += s.reached;
  return sum;
}

/// Sorts by the product of work; formulations that miss an error follow, those first that have the errors more often.
void sort_by_work(std::vector<RankedFormulation>& list) {
  std::stable_sort(list.begin(), list.end(), [](const RankedFormulation& a, const RankedFormulation& b) {
    const double x = product_of_work(a), y = product_of_work(b);
    return x != y ? x < y : sum_of_reached(a) > sum_of_reached(b);
  });
}

/// Returns the standings of all formulations, sorted.
std::vector<RankedFormulation> standings(const std::vector<const RankedMechanism*>& mechanisms,
                                         const std::vector<std::string>& formulations,
                                         const std::vector<double>& errors, double noise) {
  std::vector<RankedFormulation> list;
  for (const std::string& name : formulations) list.push_back({name, {}});
  for (const double error : errors) {
    std::vector<LeastCosts> costs;
    for (const RankedMechanism* m : mechanisms) {
      costs.push_back(least_costs(m->records, error));
      for (auto entry = costs.back().begin(); entry != costs.back().end();) {
        const bool ranked = std::count(formulations.begin(), formulations.end(), entry->first) > 0;
        entry = ranked ? std::next(entry) : costs.back().erase(entry);
      }
    }
    double least = Standing::missed;
    for (RankedFormulation& f : list) {
      f.at.push_back(standing(f.formulation, costs));
      least = std::min(least, f.at.back().work);
    }
    for (RankedFormulation& f : list)
      f.at.back().best = std::isfinite(least) && f.at.back().work <= (1.0 + noise) * least;
  }
  sort_by_work(list);
  return list;
}

bool misses_all(const RankedFormulation& f) {
  return std::none_of(f.at.begin(), f.at.end(), [](const Standing& s) { return std::isfinite(s.work); });
}

/// Returns true if both runs took the same steps to the same end.
bool same_run(const RunRecord& a, const RunRecord& b) {
  constexpr double close = 1e-6;  // of errors: rounding, where a formulation writes its sums in another order
  const Report &x = a.simulation.report, &y = b.simulation.report;
  const double scale = std::max(a.error_vs_reference, b.error_vs_reference);
  return a.options.integrator == b.options.integrator && a.options.rtol == b.options.rtol && x.steps == y.steps &&
         x.rhs_evaluations == y.rhs_evaluations && a.simulation.status.outcome == b.simulation.status.outcome &&
         !(std::abs(a.error_vs_reference - b.error_vs_reference) > close * scale + 1e-12);
}

std::vector<const RunRecord*> runs_of(const RankedMechanism& mechanism, const std::string& formulation) {
  std::vector<const RunRecord*> runs;
  for (const RunRecord& r : mechanism.records) {
    if (!r.baseline && r.options.formulation == formulation) runs.push_back(&r);
  }
  return runs;
}

bool same_runs(const std::vector<RankedMechanism>& mechanisms, const std::string& a, const std::string& b) {
  return std::all_of(mechanisms.begin(), mechanisms.end(), [&](const RankedMechanism& m) {
    const std::vector<const RunRecord*> x = runs_of(m, a), y = runs_of(m, b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const RunRecord* p, const RunRecord* q) { return same_run(*p, *q); });
  });
}

/// Returns the median of |log(work / interpolated work)| of runs between two neighbours of the same pair, as a factor
/// less 1.
double interpolation_noise(const std::vector<RankedMechanism>& mechanisms) {
  std::vector<double> deviations;
  for (const RankedMechanism& m : mechanisms) {
    for (std::size_t k = 2; k < m.records.size(); ++k) {
      const RunRecord &before = m.records[k - 2], &run = m.records[k - 1], &after = m.records[k];
      if (!same_pair(before, run) || !same_pair(run, after)) continue;
      if (!counts(before, Among::certain) || !counts(run, Among::certain) || !counts(after, Among::certain)) continue;
      const double expected = interpolated(before, after, run.error_vs_reference, counted_work);
      if (!std::isnan(expected)) deviations.push_back(std::abs(std::log(counted_work(run) / expected)));
    }
  }
  return deviations.empty() ? 0.0 : std::exp(median(std::move(deviations))) - 1.0;
}

std::vector<std::string> names_in(const std::vector<RankedMechanism>& mechanisms) {
  std::vector<std::string> names;
  for (const RankedMechanism& m : mechanisms) {
    for (const RunRecord& r : m.records) {
      if (!r.baseline && std::count(names.begin(), names.end(), r.options.formulation) == 0)
        names.push_back(r.options.formulation);
    }
  }
  return names;
}

}  // namespace

bool longest_step_binds(const RunRecord& record) {
  constexpr double mostly = 1.5;
  const Report& report = record.simulation.report;
  if (record.fixed_step || !(report.used.max_step > 0.0)) return false;
  const double fewest = (report.t_reached - report.t_start) / report.used.max_step;
  return fewest > 0.0 && static_cast<double>(report.steps) < mostly * fewest;
}

std::vector<SameRuns> same_formulations(const std::vector<RankedMechanism>& mechanisms) {
  std::vector<SameRuns> same;
  std::vector<std::string> others;
  for (const std::string& name : names_in(mechanisms)) {
    const auto first = std::find_if(others.begin(), others.end(),
                                    [&](const std::string& other) { return same_runs(mechanisms, other, name); });
    if (first != others.end())
      same.push_back({name, *first});
    else
      others.push_back(name);
  }
  return same;
}

Ranking ranking(const std::vector<RankedMechanism>& mechanisms, const std::vector<double>& errors) {
  Ranking result;
  result.errors = errors;
  result.noise = interpolation_noise(mechanisms);
  result.same = same_formulations(mechanisms);
  std::vector<std::string> formulations = names_in(mechanisms);
  for (const SameRuns& s : result.same)
    formulations.erase(std::find(formulations.begin(), formulations.end(), s.formulation));
  std::vector<const RankedMechanism*> all;
  for (const RankedMechanism& m : mechanisms) {
    all.push_back(&m);
    result.all.mechanisms.push_back(m.name);
    auto kind = std::find_if(result.kinds.begin(), result.kinds.end(),
                             [&](const RankedKind& other) { return other.kind == m.kind; });
    if (kind == result.kinds.end()) kind = result.kinds.insert(kind, {m.kind, {}, {}});
    kind->mechanisms.push_back(m.name);
    for (const RunRecord& r : m.records) {
      if (r.baseline) continue;
      ++result.runs;
      if (r.simulation.status.finished() && r.simulation.status.has_no_doubts()) ++result.certain;
      if (longest_step_binds(r)) ++result.bound;
    }
  }
  for (RankedFormulation& f : standings(all, formulations, errors, result.noise))
    (misses_all(f) ? result.not_ranked : result.all.order).push_back(std::move(f));
  for (RankedKind& kind : result.kinds) {
    std::vector<const RankedMechanism*> own;
    for (const RankedMechanism& m : mechanisms) {
      if (m.kind == kind.kind) own.push_back(&m);
    }
    for (RankedFormulation& f : standings(own, formulations, errors, result.noise)) {
      if (!misses_all(f)) kind.order.push_back(std::move(f));
    }
  }
  return result;
}

}  // namespace sunlagrange::program
