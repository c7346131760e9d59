#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "adaptive_vs_fixed/adaptive_vs_fixed.hpp"

/// Tables, conclusions, JSON and CSV of adaptive-vs-fixed.
namespace sunlagrange::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string formatted(const char* format, double x) {
  char buffer[32];
  if (!std::isfinite(x)) return "-";
  std::snprintf(buffer, sizeof buffer, format, x);
  return buffer;
}

std::string right(const std::string& text, std::size_t width) {
  return (text.size() < width ? std::string(width - text.size(), ' ') : std::string()) + text;
}

std::string left(const std::string& text, std::size_t width) {
  return text + (text.size() < width ? std::string(width - text.size(), ' ') : std::string(1, ' '));
}

const char* to_string(Measure measure) {
  return measure == Measure::error ? "error" : "violation";
}

void print_limits(const Section& section) {
  std::cout
      << "Largest fixed steps that keep the constraints [s]\n"
         "  law:       the law of the gains contracts under the method, in a Lyapunov norm (it knows nothing of the "
         "motion)\n"
         "  certified: |(g, g'/omega)| <= "
      << text(section.certified_violation)
      << " along this motion, by conditions 1 to 4 of [002] at every step, remainder measured\n"
         "  step map:  contraction along this motion, by the step map linearised along the run; observed: a seeded "
         "violation dies out\n"
      << left("formulation", 25) << left("method", 7) << right("law", 10) << right("certified", 10)
      << right("step map", 10) << right("observed", 10) << "\n";
  for (const StepLimit& l : section.limits) {
    std::cout << left(l.formulation, 25) << left(l.integrator, 7) << right(formatted("%.3g", l.law), 10)
              << right(formatted("%.3g", l.certified), 10) << right(formatted("%.3g", l.step_map), 10)
              << right(formatted("%.3g", l.observed), 10) << "\n";
  }
  if (section.limits.empty()) std::cout << "none: no formulation chosen has gains and fixed steps\n";
}

void print_heat(const Heat& heat, double largest_error) {
  std::cout << "\n"
            << (heat.measure == Measure::error ? "Equal accuracy: error of q at the end at most "
                                               : "Equal violation: max|g| at most ")
            << text(heat.target)
            << (heat.measure == Measure::error ? "" : ", and error of q at most " + text(largest_error)) << "\n"
            << left("formulation", 25) << left("integrator", 12) << right("rtol|step", 10) << right("error q", 9)
            << right("max|g|", 9) << right("steps", 8) << right("rhs|res", 9) << right("jac", 7) << right("factor", 8)
            << right("time", 8) << "  " << right("min step", 9) << right("median", 9) << right("max", 9)
            << right("median/cert rk4", 17) << "\n";
  std::string missing;
  for (const Contestant& c : heat.contestants) {
    if (!c.reached) {
      missing += (missing.empty() ? "" : "; ") + c.formulation + " " + c.integrator;
      continue;
    }
    const Report& r = c.record.simulation.report;
    std::cout << left(c.formulation, 25) << left(c.integrator, 12)
              << right(formatted("%.2g", c.fixed_step ? c.record.options.step : c.record.options.rtol), 10)
              << right(formatted("%.1e", c.record.error_vs_reference), 9)
              << right(formatted("%.1e", r.max_position_violation), 9) << right(std::to_string(r.steps), 8)
              << right(std::to_string(r.rhs_evaluations), 9) << right(std::to_string(r.jacobian_evaluations), 7)
              << right(std::to_string(r.factorizations), 8) << right(formatted("%.2f", c.time_ratio), 8) << "  "
              << right(formatted("%.2g", c.smallest_step), 9) << right(formatted("%.2g", c.median_step), 9)
              << right(formatted("%.2g", c.largest_step), 9) << right(formatted("%.3g", c.median_over_certified), 17)
              << "\n";
  }
  if (!heat.time_unit.empty()) std::cout << "time 1.00: " << heat.time_unit << "\n";
  if (!missing.empty()) std::cout << "not reached within the limits: " << missing << "\n";
}

const Contestant* best(const Heat& heat, bool fixed_step) {
  const Contestant* found = nullptr;
  for (const Contestant& c : heat.contestants) {
    if (!c.reached || c.fixed_step != fixed_step) continue;
    if (found == nullptr ||
        c.record.simulation.report.rhs_evaluations < found->record.simulation.report.rhs_evaluations) {
      found = &c;
    }
  }
  return found;
}

const Contestant* find(const Heat& heat, const std::string& formulation, const std::string& integrator) {
  for (const Contestant& c : heat.contestants) {
    if (c.reached && c.formulation == formulation && c.integrator == integrator) return &c;
  }
  return nullptr;
}

double evaluations(const Contestant& c) {
  return static_cast<double>(c.record.simulation.report.rhs_evaluations);
}

std::string name(const Contestant& c) {
  return c.formulation + " with " + c.integrator;
}

std::string goal(const Heat& heat) {
  return (heat.measure == Measure::error ? "At error " : "At max|g| ") + text(heat.target);
}

/// Cheapest against cheapest.
std::string about_cost(const Heat& heat) {
  const Contestant* adaptive = best(heat, false);
  const Contestant* fixed = best(heat, true);
  const auto named = [](const Contestant* c) {
    return c == nullptr ? std::string("none") : name(*c) + " (" + text(evaluations(*c)) + " evaluations)";
  };
  std::string sentence =
      goal(heat) + " the cheapest adaptive run is " + named(adaptive) + ", the cheapest fixed-step run " + named(fixed);
  if (adaptive != nullptr && fixed != nullptr) {
    sentence += ": " + formatted("%.2g", evaluations(*adaptive) / evaluations(*fixed)) + " times the evaluations, " +
                formatted("%.2g", adaptive->seconds / fixed->seconds) + " times the time";
  }
  return sentence + ".";
}

/// Steps of the adaptive runs of baumgarte against its limits.
std::string about_steps(const Section& section, const Heat& heat) {
  const std::string formulation = "baumgarte";
  const StepLimit limit = section.limit(formulation, "rk4");
  std::string list;
  for (const Contestant& c : heat.contestants) {
    if (!c.reached || c.fixed_step || c.formulation != formulation) continue;
    list += (list.empty() ? "" : ", ") + c.integrator + " " + formatted("%.2g", c.median_step) + " s (" +
            formatted("%.2g", c.median_over_certified) + ")";
  }
  if (list.empty() || !(limit.certified > 0.0)) return {};
  std::string sentence = goal(heat) + " the median steps with baumgarte, in brackets over the largest certified step " +
                         formatted("%.3g", limit.certified) + " s of rk4, are " + list;
  if (const Contestant* rk4 = find(heat, formulation, "rk4")) {
    sentence += "; rk4 itself needs " + formatted("%.2g", rk4->median_step) + " s (" +
                formatted("%.2g", rk4->median_over_certified) + ")";
  } else {
    sentence += "; rk4 itself does not get there";
  }
  return sentence + ".";
}

/// What the law alone leaves out.
std::string about_limits(const Section& section) {
  const StepLimit limit = section.limit("baumgarte", "rk4");
  if (!(limit.law > 0.0)) return {};
  const auto seconds = [](double x) { return x > 0.0 ? formatted("%.3g", x) + " s" : std::string("no step tried"); };
  return "With rk4 the law of the gains contracts up to " + seconds(limit.law) + "; along this motion " +
         seconds(limit.certified) + " is certified, and a seeded violation was seen to die out up to " +
         seconds(limit.observed) + ".";
}

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json contestant_json(const Contestant& c) {
  Json json = {{"formulation", c.formulation}, {"integrator", c.integrator}, {"reached", c.reached}};
  const Report& r = c.record.simulation.report;
  const auto value = [&](double x) { return c.reached ? number(x) : Json(nullptr); };
  const auto count = [&](long x) { return c.reached ? Json(x) : Json(nullptr); };
  json["rtol"] = c.fixed_step ? Json(nullptr) : value(c.record.options.rtol);
  json["step"] = c.fixed_step ? value(c.record.options.step) : Json(nullptr);
  json["error"] = value(c.record.error_vs_reference);
  json["max_position_violation"] = value(r.max_position_violation);
  json["steps"] = count(r.steps);
  json["rhs_evaluations"] = count(r.rhs_evaluations);
  json["jacobian_evaluations"] = count(r.jacobian_evaluations);
  json["factorizations"] = count(r.factorizations);
  json["wall_seconds"] = value(c.seconds);
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

void print(const Comparison& comparison) {
  std::cout
      << comparison.description << "\n"
      << "Adaptive runs (their tolerance chosen) against fixed steps (their length chosen), each the cheapest that "
         "reaches the target. Error against "
      << comparison.reference_source
      << ".\nrhs|res: right-hand sides, with ida residuals; factor: factorisations; time: wall time, best of runs "
         "taken in turn; steps in s;\nmedian/cert rk4: median step over the largest certified step of rk4 with "
         "these gains (of baumgarte where the formulation has none).\n";
  for (const Section& section : comparison.sections) {
    std::cout << "\n==== gains x " << text(section.gain_factor)
              << (section.gains.empty() ? "" : ", with baumgarte " + section.gains) << "\n";
    print_limits(section);
    for (const Heat& heat : section.heats) print_heat(heat, comparison.largest_error);
    std::cout << "\n";
    for (const std::string& sentence : conclusions(section)) std::cout << sentence << "\n";
  }
}

namespace {

Json section_json(const Section& section) {
  Json json;
  json["gain_factor"] = section.gain_factor;
  json["limits"] = Json::array();
  for (const StepLimit& l : section.limits) {
    json["limits"].push_back({{"formulation", l.formulation},
                              {"integrator", l.integrator},
                              {"law_step", number(l.law)},
                              {"certified_step", number(l.certified)},
                              {"step_map_step", number(l.step_map)},
                              {"observed_step", number(l.observed)}});
  }
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
  return json;
}

}  // namespace

Json document(const Comparison& comparison) {
  Json json;
  json["schema"] = 1;
  json["mechanism"] = comparison.mechanism;
  json["reference"] = comparison.reference_source;
  json["largest_error_at_equal_violation"] = comparison.largest_error;
  json["sections"] = Json::array();
  for (const Section& section : comparison.sections) json["sections"].push_back(section_json(section));
  return json;
}

std::string csv(const Comparison& comparison) {
  std::ostringstream out;
  out.precision(10);
  out << "gain_factor,measure,target,formulation,integrator,reached,rtol_or_step,error,max_position_violation,steps,"
         "rhs_"
         "evaluations,"
         "jacobian_evaluations,factorizations,wall_seconds,time_ratio,smallest_step,median_step,largest_step,"
         "median_step_over_certified_rk4\n";
  for (const Section& section : comparison.sections) {
    for (const Heat& heat : section.heats) {
      for (const Contestant& c : heat.contestants) {
        out << section.gain_factor << ',' << to_string(heat.measure) << ',' << heat.target << ',' << c.formulation
            << ',' << c.integrator << ',' << (c.reached ? "yes" : "no");
        if (!c.reached) {
          out << std::string(13, ',') << "\n";
          continue;
        }
        const Report& r = c.record.simulation.report;
        out << ',' << (c.fixed_step ? c.record.options.step : c.record.options.rtol) << ','
            << c.record.error_vs_reference << ',' << r.max_position_violation << ',' << r.steps << ','
            << r.rhs_evaluations << ',' << r.jacobian_evaluations << ',' << r.factorizations;
        for (const double x :
             {c.seconds, c.time_ratio, c.smallest_step, c.median_step, c.largest_step, c.median_over_certified}) {
          out << ',';
          if (std::isfinite(x)) out << x;
        }
        out << "\n";
      }
    }
  }
  return out.str();
}

}  // namespace sunlagrange::bench
