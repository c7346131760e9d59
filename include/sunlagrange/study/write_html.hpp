// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <sunlagrange/study/study.hpp>

namespace sunlagrange {

/// Writes a page about a study: a line for each case with its outcome, its largest joint force and power of a drive,
/// what is observed, and the ranges of the coordinates; curves of the joint forces and of the coordinates with one line
/// for each case; and these figures over a number that alone is varied. It runs the first 24 cases again with all
/// steps. When not: the statistics of many random cases are those of the program `study`.
/// @param lines  what Study::run() returned, in any order
/// @param title  empty: the name of the mechanism and of what is varied
/// @param keep_going  as in SimulationOptions; false leaves out the curves of the case that runs, and of those behind
/// it
/// @throws Error if a line is none of this study
void write_html(const Study& study, const std::vector<std::string>& lines, std::ostream& out,
                const std::string& title = {}, const std::function<bool(double t)>& keep_going = {});

}  // namespace sunlagrange
