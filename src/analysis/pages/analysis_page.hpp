#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "page/curves.hpp"

/// What analysis.js shows: a verdict, facts, and parts with moving pictures, curves and tables.
namespace sunlagrange::internal {

using Row = std::vector<std::string>;  ///< JSON values

/// @param what     name of many rows
/// @param columns  heading; does it hold text?
std::string table_json(const std::string& what, const std::vector<std::pair<std::string, bool>>& columns,
                       const std::vector<Row>& rows);

/// Curves over one axis.
std::string chart_json(const std::string& title, const std::string& xlabel, const std::vector<double>& x,
                       const std::vector<Series>& curves);

/// Points of a picture whose axes have one scale.
struct PlacesInPlane {
  std::string name, colour;
  std::vector<double> x, y;
  std::vector<double> shade;  ///< 0 ... 1: paler to darker; none: all alike
};

/// Later groups are drawn over earlier ones.
std::string plane_json(const std::string& title, const std::string& xlabel, const std::string& ylabel,
                       const std::vector<PlacesInPlane>& groups);

struct Part {
  std::string title, text;
  std::vector<std::string> scenes, planes, charts, tables;  ///< JSON

  /// Nothing if the scene is null.
  void add_scene(const std::string& heading, const std::string& words, const std::string& scene);
};

struct AnalysisPage {
  std::string title, verdict;
  std::string tone;  ///< class of the verdict: "", "open" (nothing was judged), "doubts", "failed"
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Part> parts;

  void add_note(const std::string& words);
  void write(std::ostream& out) const;
};

/// Of a verdict about stability.
std::string tone_of(Stability stability);

/// @throws Error on a null system, or one with another number of positions
void require_same(const std::shared_ptr<const MechanicalSystem>& system, Eigen::Index positions);

}  // namespace sunlagrange::internal
