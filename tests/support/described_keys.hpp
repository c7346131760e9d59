// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>

#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/results/simulation.hpp>

#include "programs.hpp"

/// Keys of JSON documents that follow from the descriptions of results (base/figures.hpp).
namespace sunlagrange::test {

/// Returns the names of the figures that a type of results describes, without those inside its parts and lists.
/// @param part  returns those inside this part or list instead: "start", "rank_events[]"
template <class Result>
std::set<std::string> described_keys(const std::string& part = "") {
  const std::string before = part.empty() ? "" : part + ".";
  std::set<std::string> keys;
  for (const FigureInfo& figure : figures_of<Result>()) {
    if (figure.name.compare(0, before.size(), before) != 0) continue;
    const std::string key = figure.name.substr(before.size());
    if (key.find_first_of(".[") == std::string::npos) keys.insert(key);
  }
  return keys;
}

/// Returns the names of the figures of some results, and the keys that a program adds.
template <class... Results>
std::set<std::string> keys_with_figures(const std::string& of_the_program) {
  std::set<std::string> keys = names(of_the_program);
  (keys.merge(described_keys<Results>()), ...);
  return keys;
}

/// Returns the keys of the record of a run for which no error estimate is asked.
inline const std::set<std::string>& record_keys() {
  static const std::set<std::string> keys = [] {
    std::set<std::string> all = keys_with_figures<Simulation>(
        "mechanism notes used_formulation used_integrator baseline error_vs_reference velocity_error_vs_reference "
        "multiplier_error_vs_reference holds_constraints observed cpu_seconds cpu_seconds_with_estimate "
        "consistent_start");
    all.erase("error_estimate");
    return all;
  }();
  return keys;
}

}  // namespace sunlagrange::test
