// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/results/simulation.hpp>

namespace sunlagrange {

/// Returns every figure of a run as one JSON object (docs/figures.md): outcome with message and doubts, figures, last
/// state, gains, facts, events, passages through singular poses. These are the fields of a run in the document of
/// `sunlagrange run --json`, but for those that only the program knows. Numbers have the digits that give the same
/// double; null: does not apply, or is not finite. The key error_estimate is absent if no estimate was asked for.
std::string report_json(const Simulation& run);

}  // namespace sunlagrange
