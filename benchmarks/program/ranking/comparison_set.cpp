// SPDX-License-Identifier: BSD-3-Clause
#include "ranking/comparison_set.hpp"

#include <algorithm>
#include <cmath>

#include "parts/end_reference.hpp"

namespace sunlagrange::program {

const std::vector<SetEntry>& comparison_set() {
  constexpr const char *smooth = "smooth, few freedoms", *stiff = "stiff", *lost = "redundant or singular",
                       *ten = "10 bodies", *hundred = "100 bodies", *longer = "100 s";
  static const std::vector<SetEntry> entries = {
      {smooth, "two_link", "two_link", 0, 0.0, 2000, true},
      {smooth, "slider_crank", "slider_crank", 0, 0.0, 2000, true},
      {smooth, "andrews", "andrews", 0, 0.0, 2000, true},
      {smooth, "car_axis", "car_axis", 0, 0.0, 5000, true},
      {smooth, "knife_edge", "knife_edge", 0, 0.0, 2000, true},
      {smooth, "pendulum", "pendulum", 0, 0.0, 5000},
      {smooth, "nikravesh", "nikravesh", 0, 0.0, 5000},
      {stiff, "flyball_governor", "flyball_governor", 0, 0.3, 5000},
      {lost, "bricard", "bricard", 0, 0.3, 1000},
      {lost, "folding_slider_crank", "folding_slider_crank"},
      {ten, "chain", "chain of 10", 10},
      {ten, "closed_chain", "closed chain of 10", 10},
      {hundred, "chain", "chain of 100", 100, 0.2, 1000},
      {longer, "pendulum", "pendulum for 100 s", 0, 100.0, 50000},
  };
  return entries;
}

std::vector<SetEntry> available_entries() {
  const auto& known = mechanisms::mechanism_registry();
  std::vector<SetEntry> list;
  for (const SetEntry& entry : comparison_set()) {
    if (std::any_of(known.begin(), known.end(),
                    [&](const mechanisms::MechanismEntry& m) { return m.name == entry.mechanism; }))
      list.push_back(entry);
  }
  return list;
}

RankedMechanism measured_entry(const SetEntry& entry, RunChoice choice, ProblemArguments arguments, unsigned threads) {
  arguments.mechanism = entry.mechanism;
  if (arguments.size == not_given && entry.size > 0) arguments.size = entry.size;
  if (std::isnan(arguments.t_end) && entry.t_end > 0.0) arguments.t_end = entry.t_end;
  if (arguments.max_steps == not_given) arguments.max_steps = entry.max_steps;
  Problem problem(arguments);
  if (std::isnan(arguments.max_step)) problem.options.max_step = problem.options.t_end - problem.mechanism.start.t;
  Measurement how;
  how.repetitions = {3, 0.01};
  how.threads = threads;
  how.reference_position = end_reference(problem).q;
  return {entry.title, entry.kind, measured(problem, chosen_runs(choice, arguments, problem), how)};
}

}  // namespace sunlagrange::program
