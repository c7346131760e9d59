// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "page/curves.hpp"

/// Data of the pages of analyses and studies, which analysis.js shows: a verdict, facts, and parts with moving
/// pictures, curves and tables.
namespace sunlagrange::internal {

using Row = std::vector<std::string>;  ///< JSON values

/// @param what     plural of the rows, for the summary of a long table
/// @param columns  heading, and true if the column holds text
std::string table_json(const std::string& what, const std::vector<std::pair<std::string, bool>>& columns,
                       const std::vector<Row>& rows);

/// Returns curves over a common axis. @param shown  number of curves that are drawn at first
std::string chart_json(const std::string& title, const std::string& xlabel, const std::vector<double>& x,
                       const std::vector<Series>& curves, std::size_t shown = 6);

/// Points of a picture with the same scale on both axes.
struct PlacesInPlane {
  std::string name, colour;
  std::vector<double> x, y;
  std::vector<double> shade;  ///< 0 (pale) ... 1 (dark) for each point; empty: all alike
};

/// Later groups are drawn over earlier ones.
std::string plane_json(const std::string& title, const std::string& xlabel, const std::string& ylabel,
                       const std::vector<PlacesInPlane>& groups);

struct Part {
  std::string title, text;
  std::vector<std::string> scenes, planes, charts, tables;  ///< JSON

  /// Adds a moving picture, unless the scene is null.
  void add_scene(const std::string& heading, const std::string& words, const std::string& scene);
};

struct AnalysisPage {
  std::string title, verdict;
  std::string tone;  ///< CSS class of the verdict: "", "open" (nothing was judged), "doubts", "failed"
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Part> parts;

  void add_note(const std::string& words);
  void write(std::ostream& out) const;
};

}  // namespace sunlagrange::internal
