#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

/// What analysis.js shows: a verdict, facts, and parts with moving pictures, curves and tables.
namespace sunlagrange::internal {

using Row = std::vector<std::string>;  ///< JSON values

/// @param what     name of many rows
/// @param columns  heading; does it hold text?
std::string table_json(const std::string& what, const std::vector<std::pair<std::string, bool>>& columns,
                       const std::vector<Row>& rows);

struct Part {
  std::string title, text;
  std::vector<std::string> scenes, charts, tables;  ///< JSON

  /// Nothing if the scene is null.
  void add_scene(const std::string& heading, const std::string& words, const std::string& scene);
};

struct AnalysisPage {
  std::string title, verdict;
  std::string tone;  ///< class of the verdict: "", "doubts", "failed"
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
