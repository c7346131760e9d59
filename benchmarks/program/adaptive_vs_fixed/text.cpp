// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/figure_visitors.hpp>

#include "adaptive_vs_fixed/adaptive_vs_fixed.hpp"
#include "adaptive_vs_fixed/conclusion.hpp"
#include "shared/json.hpp"
#include "shared/table.hpp"

/// Tables, conclusions, JSON and CSV of adaptive-vs-fixed.
namespace sunlagrange::program {
namespace {

const char* to_string(Measure measure) {
  return measure == Measure::error ? "error" : "violation";
}

std::string grid() {
  return fmt::format(
      "Fixed steps are the run over 2^(k/{}), rounded to whole numbers of steps; tolerances are {:g} x 10^(-k/{}); k = "
      "0, 1, 2, ...",
      AccuracySearch::parts, SearchLimits{}.loosest_rtol, AccuracySearch::parts);
}

void print_limits(const Section& section, std::size_t width) {
  print_wrapped(
      fmt::format(
          "Largest fixed steps that keep the constraints [s]\n"
          "  law: the law of the gains contracts under the method, in a Lyapunov norm (it knows nothing of the "
          "motion)\n"
          "  certified: |(g, g'/omega)| <= {:g} along this motion, by conditions 1 to 4 of [002] at every "
          "step, remainder measured\n"
          "  step map, observed: the run gives no doubt that the constraints are violated, |g| stays below {:g} of "
          "the size of the mechanism and |(g', psi)| below the same part of its largest velocity, and small "
          "violations die out; predicted by the step map linearised along the run, and observed in runs\n"
          "  contraction: small violations die out, but the run itself may be off the constraints\n"
          "  0: no step tried does; -: all steps do, up to {:g} s, a quarter of the run (law and certified: none does)",
          section.certified_violation, section.violation_bound,
          section.limits.empty() ? Report::none : section.limits.front().largest_tried),
      width);
  Table table({{"formulation", Align::left, 0, 23},
               {"method", Align::left},
               {"law"},
               {"certified"},
               {"step map"},
               {"observed"},
               {"step map", Align::right, 1, 0, "contraction"},
               {"observed", Align::right, 1, 0, "contraction"}},
              width);
  std::vector<Table::Row> rows;
  for (const StepLimit& l : section.limits) {
    rows.push_back({l.formulation, l.integrator, number(l.law, ".3g"), number(l.certified, ".3g"),
                    number(l.step_map, ".3g"), number(l.observed, ".3g"), number(l.step_map_contraction, ".3g"),
                    number(l.observed_contraction, ".3g")});
  }
  std::cout << table.grouped_text(rows);
  if (section.limits.empty()) std::cout << "none: no formulation chosen has gains and fixed steps\n";
}

void print_heat(const Heat& heat, double largest_error, std::size_t width) {
  const bool error = heat.measure == Measure::error;
  print_wrapped(error ? fmt::format("\nEqual accuracy: error of q at the end at most {:g}", heat.target)
                      : fmt::format("\nEqual violation: max|g| at most {:g}, and error of q at most {:g}", heat.target,
                                    largest_error),
                width);
  const Align left = Align::left, right = Align::right;
  Table table({{"formulation", left, 0, 23},
               {"integrator", left},
               {"rtol|step"},
               {"error q", right, error ? 5 : 1},
               {"max|g|", right, error ? 1 : 5},
               {"steps", right, 4},
               {"rhs|res"},
               {"jac", right, 8},
               {"factor", right, 7},
               {"solve", right, 7},
               {"time", right, 0, 6},
               {"min step", right, 6},
               {"median", right, 3},
               {"max", right, 6},
               {"median/cert rk4", right, 2}},
              width);
  constexpr std::size_t rhs_column = 6, time_column = 10;
  std::vector<Table::Row> rows;
  std::vector<double> evaluations, times;
  std::string missing;
  for (const Contestant& c : heat.contestants) {
    if (!c.reached) {
      missing += (missing.empty() ? "" : "; ") + c.formulation + " " + c.integrator;
      continue;
    }
    const Report& r = c.record.simulation.report;
    evaluations.push_back(static_cast<double>(r.rhs_evaluations));
    times.push_back(c.time_ratio);
    rows.push_back(
        {c.formulation, c.integrator, number(c.fixed_step ? c.record.options.step : c.record.options.rtol, ".2g"),
         two_digits(c.record.error_vs_reference), two_digits(r.max_position_violation), std::to_string(r.steps),
         std::to_string(r.rhs_evaluations), std::to_string(r.jacobian_evaluations), std::to_string(r.factorizations),
         std::to_string(r.linear_solutions), number(c.time_ratio, ".2f"), number(c.smallest_step, ".2g"),
         number(c.median_step, ".2g"), number(c.largest_step, ".2g"), number(c.median_over_certified, ".3g")});
  }
  embolden_smallest(rows, rhs_column, evaluations);
  embolden_smallest(rows, time_column, times);
  std::cout << table.grouped_text(rows);
  if (!heat.time_unit.empty()) print_wrapped("time 1.00: " + heat.time_unit, width);
  if (!missing.empty()) print_wrapped("not reached within the limits: " + missing, width);
}

/// Returns the run with the least cost among those that hold the constraints; null if there is none.
template <class Cost>
const Contestant* best(const Heat& heat, bool fixed_step, const Cost& cost) {
  const Contestant* found = nullptr;
  for (const Contestant& c : heat.contestants) {
    if (!c.reached || c.fixed_step != fixed_step || !c.record.holds_constraints) continue;
    if (found == nullptr || cost(c) < cost(*found)) found = &c;
  }
  return found;
}

const Contestant* find(const Heat& heat, const std::string& formulation, const std::string& integrator) {
  for (const Contestant& c : heat.contestants) {
    if (c.reached && c.formulation == formulation && c.integrator == integrator) return &c;
  }
  return nullptr;
}

std::string name(const Contestant& c) {
  return c.formulation + " with " + c.integrator;
}

std::string goal(const Heat& heat) {
  return (heat.measure == Measure::error ? "At error " : "At max|g| ") + text(heat.target);
}

/// Returns a sentence that compares the cheapest adaptive run with the cheapest fixed-step run, by evaluations and by
/// time.
std::string about_cost(const Heat& heat) {
  const auto evaluations = [](const Contestant& c) { return c.evaluations(); };
  const auto seconds = [](const Contestant& c) { return c.cpu_seconds; };
  const Contestant *adaptive = best(heat, false, evaluations), *fixed = best(heat, true, evaluations);
  const auto named = [](const Contestant* c) {
    return c == nullptr ? "none" : fmt::format("{} ({:g} evaluations)", name(*c), c->evaluations());
  };
  std::string sentence =
      fmt::format("{} the cheapest adaptive run that holds the constraints is {}, the cheapest such fixed-step run {}",
                  goal(heat), named(adaptive), named(fixed));
  if (adaptive != nullptr && fixed != nullptr) {
    const Contestant *quick = best(heat, false, seconds), *quick_fixed = best(heat, true, seconds);
    sentence += fmt::format(": {} times the evaluations; by time {} takes {} times as long as {}",
                            number(adaptive->evaluations() / fixed->evaluations(), ".2g"), name(*quick),
                            number(quick->cpu_seconds / quick_fixed->cpu_seconds, ".2g"), name(*quick_fixed));
  }
  return sentence + ".";
}

/// Returns "0.012 s (1.3)": the median step, and its ratio to the largest certified step.
std::string step_text(const Contestant& c) {
  return number(c.median_step, ".2g") + " s (" + number(c.median_over_certified, ".2g") + ")";
}

/// Returns a sentence that compares the steps of the adaptive runs of baumgarte with its limits.
std::string about_steps(const Section& section, const Heat& heat) {
  const std::string formulation = "baumgarte";
  const StepLimit limit = section.limit(formulation, "rk4");
  std::vector<std::string> list;
  for (const Contestant& c : heat.contestants) {
    if (!c.reached || c.fixed_step || c.formulation != formulation) continue;
    list.push_back(c.integrator + " " + step_text(c));
  }
  if (list.empty() || !(limit.certified > 0.0)) return {};
  const Contestant* rk4 = find(heat, formulation, "rk4");
  return fmt::format(
      "{} the median steps with baumgarte, in brackets over the largest certified step {} s of rk4, are {}; rk4 itself "
      "{}.",
      goal(heat), number(limit.certified, ".3g"), joined(list),
      rk4 != nullptr ? "needs " + step_text(*rk4) : "does not reach the target");
}

/// Returns a sentence that compares the limit of the law alone with those along the motion.
std::string about_limits(const Section& section) {
  const StepLimit limit = section.limit("baumgarte", "rk4");
  if (!(limit.law > 0.0)) return {};
  return fmt::format(
      "With rk4 the law of the gains ({}) contracts up to {}; along this motion {} is certified to bound the "
      "violation, "
      "a seeded violation was seen to die out up to {}, and runs to keep the constraints up to {}.",
      section.gains, step_words(limit.law, limit), certified_words(limit),
      step_words(limit.observed_contraction, limit), step_words(limit.observed, limit));
}

Json contestant_json(const Contestant& c) {
  Json json = {{"formulation", c.formulation}, {"integrator", c.integrator}, {"reached", c.reached}};
  const Report& r = c.record.simulation.report;
  const auto value = [&](double x) { return c.reached ? number_or_null(x) : Json(nullptr); };
  const auto count = [&](long x) { return c.reached ? Json(x) : Json(nullptr); };
  json["rtol"] = c.fixed_step ? Json(nullptr) : value(c.record.options.rtol);
  json["step"] = c.fixed_step ? value(c.record.options.step) : Json(nullptr);
  json["error"] = value(c.record.error_vs_reference);
  json["max_position_violation"] = value(r.max_position_violation);
  json["steps"] = count(r.steps);
  json["rhs_evaluations"] = count(r.rhs_evaluations);
  json["jacobian_evaluations"] = count(r.jacobian_evaluations);
  json["factorizations"] = count(r.factorizations);
  json["linear_solutions"] = count(r.linear_solutions);
  json["cpu_seconds"] = value(c.cpu_seconds);
  json["wall_seconds"] = value(c.wall_seconds);
  json["time_ratio"] = value(c.time_ratio);
  json["smallest_step"] = value(c.smallest_step);
  json["median_step"] = value(c.median_step);
  json["largest_step"] = value(c.largest_step);
  json["median_step_over_certified_rk4"] = value(c.median_over_certified);
  return json;
}

}  // namespace

std::vector<std::string> conclusions(const Section& section) {
  std::vector<std::string> sentences;
  const Heat& middle = section.heats[section.middle_heat];
  sentences.push_back(about_cost(middle));
  const auto violation = std::find_if(section.heats.begin(), section.heats.end(),
                                      [](const Heat& h) { return h.measure == Measure::violation; });
  if (violation != section.heats.end()) sentences.push_back(about_cost(*violation));
  for (const std::string& sentence : {about_steps(section, middle), about_limits(section)}) {
    if (!sentence.empty()) sentences.push_back(sentence);
  }
  return sentences;
}

void print(const Comparison& comparison, std::size_t width) {
  for (const Section& section : comparison.sections) {
    if (comparison.sections.size() > 1)
      std::cout << styled("gains x " + text(section.gain_factor), Style::bold) << "\n";
    for (const std::string& sentence : conclusions(section)) print_wrapped(sentence, width);
    std::cout << "\n";
  }
  print_wrapped(
      comparison.description +
          "\nAdaptive runs (their tolerance chosen) against fixed steps (their length chosen), each the cheapest that "
          "reaches the target. " +
          grid() + " Error against " + comparison.reference_source +
          ".\nrhs|res: right-hand sides, with ida residuals; factor: factorisations; solve: solutions of linear "
          "systems; time: CPU time, median of runs "
          "taken in turn; steps in s; median/cert rk4: median step over the largest certified step of rk4 with these "
          "gains (of baumgarte where the formulation has none).",
      width);
  for (const Section& section : comparison.sections) {
    print_wrapped("\n==== gains x " + text(section.gain_factor) +
                      (section.gains.empty() ? "" : ", with baumgarte " + section.gains),
                  width);
    print_limits(section, width);
    for (const Heat& heat : section.heats) print_heat(heat, comparison.largest_error, width);
  }
  for (const Section& section : comparison.sections) {
    std::cout << "\n";
    print_wrapped(
        styled("gains x " + text(section.gain_factor), Style::bold) + ": " + conclude(comparison, section).text(),
        width);
  }
}

namespace {

Json cheapest_json(const Cheapest& one, const Cheapest& fixed) {
  if (one.by_evaluations == nullptr) return nullptr;
  const auto cost = [](const Contestant& c) {
    const Report& r = c.record.simulation.report;
    return Json{{"formulation", c.formulation},
                {"integrator", c.integrator},
                {"rhs_evaluations", r.rhs_evaluations},
                {"jacobian_evaluations", r.jacobian_evaluations},
                {"factorizations", r.factorizations},
                {"linear_solutions", r.linear_solutions},
                {"cpu_seconds", number_or_null(c.cpu_seconds)}};
  };
  Json json = {{"by_evaluations", cost(*one.by_evaluations)}, {"by_time", cost(*one.by_time)}};
  const bool compared = fixed.by_evaluations != nullptr;
  json["evaluations_over_fixed"] =
      compared ? number_or_null(one.by_evaluations->evaluations() / fixed.by_evaluations->evaluations())
               : Json(nullptr);
  json["time_over_fixed"] =
      compared ? number_or_null(one.by_time->cpu_seconds / fixed.by_time->cpu_seconds) : Json(nullptr);
  return json;
}

Json conclusion_json(const Conclusion& found) {
  return {{"text", found.text()},
          {"target", found.target},
          {"gains", found.gains},
          {"cvode", cheapest_json(found.cvode, found.fixed)},
          {"ida", cheapest_json(found.ida, found.fixed)},
          {"fixed", cheapest_json(found.fixed, found.fixed)},
          {"needed_step", number_or_null(found.needed_step)},
          {"certified_step", number_or_null(found.limit.certified)},
          {"law_step", number_or_null(found.limit.law)},
          {"observed_step", number_or_null(found.limit.observed)},
          {"limited_by", found.limited_by}};
}

Json section_json(const Comparison& comparison, const Section& section) {
  Json json;
  json["gain_factor"] = section.gain_factor;
  json["gains"] = section.gains;
  json["limits"] = Json::array();
  for (const StepLimit& l : section.limits) json["limits"].push_back(parsed(figures_json(l)));
  json["heats"] = Json::array();
  for (const Heat& heat : section.heats) {
    Json contestants = Json::array();
    for (const Contestant& c : heat.contestants) contestants.push_back(contestant_json(c));
    json["heats"].push_back({{"measure", to_string(heat.measure)},
                             {"target", heat.target},
                             {"time_unit", heat.time_unit},
                             {"contestants", std::move(contestants)}});
  }
  json["conclusions"] = conclusions(section);
  json["conclusion"] = conclusion_json(conclude(comparison, section));
  return json;
}

}  // namespace

std::string document(const Comparison& comparison) {
  Json json;
  json["schema"] = 1;
  json["mechanism"] = comparison.mechanism;
  json["reference"] = comparison.reference_source;
  json["largest_error_at_equal_violation"] = comparison.largest_error;
  json["grid"] = grid();
  json["sections"] = Json::array();
  for (const Section& section : comparison.sections) json["sections"].push_back(section_json(comparison, section));
  return json_text(json);
}

std::string csv(const Comparison& comparison) {
  std::ostringstream out;
  out.precision(10);
  out << "gain_factor,measure,target,formulation,integrator,reached,rtol_or_step,error,max_position_violation,steps,"
         "rhs_evaluations,jacobian_evaluations,factorizations,wall_seconds,time_ratio,smallest_step,median_step,"
         "largest_step,"
         "median_step_over_certified_rk4,cpu_seconds,linear_solutions\n";
  for (const Section& section : comparison.sections) {
    for (const Heat& heat : section.heats) {
      for (const Contestant& c : heat.contestants) {
        out << section.gain_factor << ',' << to_string(heat.measure) << ',' << heat.target << ',' << c.formulation
            << ',' << c.integrator << ',' << (c.reached ? "yes" : "no");
        if (!c.reached) {
          out << std::string(15, ',') << "\n";
          continue;
        }
        const Report& r = c.record.simulation.report;
        out << ',' << (c.fixed_step ? c.record.options.step : c.record.options.rtol) << ','
            << c.record.error_vs_reference << ',' << r.max_position_violation << ',' << r.steps << ','
            << r.rhs_evaluations << ',' << r.jacobian_evaluations << ',' << r.factorizations;
        for (const double x : {c.wall_seconds, c.time_ratio, c.smallest_step, c.median_step, c.largest_step,
                               c.median_over_certified, c.cpu_seconds}) {
          out << ',';
          if (std::isfinite(x)) out << x;
        }
        out << ',' << r.linear_solutions << "\n";
      }
    }
  }
  return out.str();
}

}  // namespace sunlagrange::program
