// SPDX-License-Identifier: BSD-3-Clause
#include "adaptive_vs_fixed/conclusion.hpp"

#include <cmath>

#include <fmt/core.h>

#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

/// Returns the cheapest runs of the contestants that `belongs` admits.
template <class Belongs>
Cheapest cheapest(const Heat& heat, const Belongs& belongs) {
  Cheapest found;
  for (const Contestant& c : heat.contestants) {
    if (!belongs(c)) continue;
    found.compared = true;
    if (!c.reached || !c.record.holds_constraints) continue;
    if (found.by_evaluations == nullptr || c.evaluations() < found.by_evaluations->evaluations()) {
      found.by_evaluations = &c;
    }
    if (found.by_time == nullptr || c.cpu_seconds < found.by_time->cpu_seconds) found.by_time = &c;
  }
  return found;
}

std::string pair_name(const Contestant& c) {
  return c.formulation + " with " + c.integrator;
}

/// Returns "0.41 times the evaluations (penalty with cvode_adams: 600, 12 Jacobians, 40 factorisations, 90 solutions)
/// and ...".
std::string against(const Cheapest& one, const Cheapest& fixed) {
  if (one.by_evaluations == nullptr) return one.compared ? "do not reach it" : "were not compared";
  const Contestant &few = *one.by_evaluations, &quick = *one.by_time;
  const Report& r = few.record.simulation.report;
  const std::string evaluations =
      fmt::format("{}: {} evaluations, {} Jacobians, {} factorisations, {} solutions", pair_name(few),
                  r.rhs_evaluations, r.jacobian_evaluations, r.factorizations, r.linear_solutions);
  if (fixed.by_evaluations == nullptr) return fmt::format("reach it ({})", evaluations);
  return fmt::format("take {} times the evaluations ({}) and {} times the CPU time ({}{})",
                     number(few.evaluations() / fixed.by_evaluations->evaluations(), ".2g"), evaluations,
                     number(quick.cpu_seconds / fixed.by_time->cpu_seconds, ".2g"), pair_name(quick),
                     one.without_gains ? "; no gains act in them" : "");
}

}  // namespace

std::string step_words(double step, const StepLimit& limit) {
  if (std::isnan(step)) return fmt::format("all tried ({} s)", number(limit.largest_tried, ".3g"));
  if (!(step > 0.0)) return "no step tried";
  const bool longest = step > 0.999 * limit.largest_tried && step < 1.001 * limit.largest_tried;
  return number(step, ".3g") + " s" + (longest ? " (the longest tried)" : "");
}

std::string certified_words(const StepLimit& limit) {
  return limit.certified > 0.0 ? step_words(limit.certified, limit) : "no step tried";
}

std::string Conclusion::text() const {
  std::string out = fmt::format("At error {:g} the cheapest runs of CVODE {}, those of IDA {}, ", target,
                                against(cvode, fixed), against(ida, fixed));
  if (fixed.by_evaluations == nullptr) {
    out += "and no fixed steps reach it. ";
  } else {
    out +=
        fmt::format("against the cheapest fixed steps ({}: {:g} evaluations; by time {}). ",
                    pair_name(*fixed.by_evaluations), fixed.by_evaluations->evaluations(), pair_name(*fixed.by_time));
  }
  out += fmt::format(
      "With baumgarte, {}, and rk4 this accuracy needs {}; {} is certified to bound the violation, and the "
      "law |R(h K)| < 1 of these gains alone allows {}. ",
      gains, needed_step > 0.0 ? "steps of " + number(needed_step, ".3g") + " s" : "shorter steps than those tried",
      certified_words(limit), std::isnan(limit.law) ? "no step" : number(limit.law, ".3g") + " s");
  if (limited_by == "accuracy" && std::isnan(limit.observed))
    return out + fmt::format(
                     "Accuracy limits the fixed step, not stability: all steps tried, up to {} s, keep the "
                     "constraints.",
                     number(limit.largest_tried, ".3g"));
  const std::string stable = fmt::format("{:g} times the longest step that keeps the constraints ({})", share_of_stable,
                                         step_words(limit.observed, limit));
  if (limited_by == "accuracy")
    return out + "Accuracy limits the fixed step, not stability: it needs less than " + stable + ".";
  if (limited_by == "stability")
    return out + "Stability limits the fixed step: accuracy allows more than " + stable + ".";
  if (limited_by == "nothing")
    return out + "Nothing limits the fixed step: one step over the whole run is accurate enough.";
  return out + "No step tried reaches this accuracy.";
}

Conclusion conclude(const Comparison& comparison, const Section& section) {
  const Heat& heat = section.heats[section.middle_heat];
  const Section& first = comparison.sections.front();
  const auto of = [&](const auto& belongs) {
    Cheapest found = cheapest(heat, belongs);
    if (found.compared || section.middle_heat >= first.heats.size()) return found;
    found = cheapest(first.heats[section.middle_heat], belongs);
    found.without_gains = true;
    return found;
  };
  Conclusion found;
  found.target = heat.target;
  found.gains = section.gains;
  found.cvode = of([](const Contestant& c) { return c.integrator.rfind("cvode", 0) == 0; });
  found.ida = of([](const Contestant& c) { return c.integrator == "ida"; });
  found.fixed = of([](const Contestant& c) { return c.fixed_step; });
  found.limit = section.limit("baumgarte", "rk4");
  long steps = 0;
  for (const Contestant& c : heat.contestants) {
    if (c.reached && c.formulation == "baumgarte" && c.integrator == "rk4") {
      found.needed_step = c.record.options.step;
      steps = c.record.simulation.report.steps;
    }
  }
  const bool at_the_limit = found.needed_step > Conclusion::share_of_stable * found.limit.observed;
  found.limited_by = !(found.needed_step > 0.0) ? "nothing tried"
                     : at_the_limit             ? "stability"
                     : steps == 1               ? "nothing"
                                                : "accuracy";
  return found;
}

}  // namespace sunlagrange::program
