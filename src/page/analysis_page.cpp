// SPDX-License-Identifier: BSD-3-Clause
#include "page/analysis_page.hpp"

#include <algorithm>
#include <ostream>

#include "base/json.hpp"
#include "base/words.hpp"
#include "page/page.hpp"

namespace sunlagrange::internal {
namespace embedded {  // cmake/EmbedFiles.cmake
std::string_view analysis_js();
}  // namespace embedded
namespace {

std::string json_of(const Part& part) {
  return json::Object()
      .add("title", json::text(part.title))
      .add("text", json::text(part.text))
      .add("scenes", json::list(part.scenes))
      .add("planes", json::list(part.planes))
      .add("charts", json::list(part.charts))
      .add("tables", json::list(part.tables))
      .str();
}

}  // namespace

std::string table_json(const std::string& what, const std::vector<std::pair<std::string, bool>>& columns,
                       const std::vector<Row>& rows) {
  std::vector<std::string> heads, lines;
  for (const auto& [name, is_text] : columns) {
    json::Object head;
    head.add("name", json::text(name)).add("left", is_text ? "true" : "false").add("wrap", is_text ? "true" : "false");
    heads.push_back(head.add("digits", "6").str());
  }
  for (const Row& row : rows) lines.push_back(json::list(row));
  return json::Object()
      .add("what", json::text(what))
      .add("columns", json::list(heads))
      .add("rows", json::list(lines))
      .str();
}

std::string chart_json(const std::string& title, const std::string& xlabel, const std::vector<double>& x,
                       const std::vector<Series>& curves, std::size_t shown) {
  return json::Object()
      .add("title", json::text(title))
      .add("xlabel", json::text(xlabel))
      .add("x", json::numbers(x))
      .add("series", curve_list(curves))
      .add("shown", std::to_string(shown))
      .str();
}

std::string plane_json(const std::string& title, const std::string& xlabel, const std::string& ylabel,
                       const std::vector<PlacesInPlane>& groups) {
  std::vector<std::string> list;
  for (const PlacesInPlane& group : groups) {
    if (group.x.empty()) continue;
    list.push_back(json::Object()
                       .add("name", json::text(group.name))
                       .add("colour", json::text(group.colour))
                       .add("x", json::numbers(group.x))
                       .add("y", json::numbers(group.y))
                       .add("shade", json::numbers(group.shade))
                       .str());
  }
  return json::Object()
      .add("title", json::text(title))
      .add("xlabel", json::text(xlabel))
      .add("ylabel", json::text(ylabel))
      .add("groups", json::list(list))
      .str();
}

void Part::add_scene(const std::string& heading, const std::string& words, const std::string& scene) {
  if (scene == "null") return;
  scenes.push_back(
      json::Object().add("title", json::text(heading)).add("text", json::text(words)).add("scene", scene).str());
}

void AnalysisPage::add_note(const std::string& words) {
  if (!words.empty()) notes.push_back(words);
}

void AnalysisPage::write(std::ostream& out) const {
  std::vector<std::string> list, pairs;
  for (const Part& part : parts) list.push_back(json_of(part));
  for (const auto& [name, value] : facts) pairs.push_back(json::texts({name, value}));
  const std::string data = json::Object()
                               .add("schema", "1")
                               .add("title", json::text(title))
                               .add("version", json::text(library_version()))
                               .add("verdict", json::text(verdict))
                               .add("tone", json::text(tone))
                               .add("notes", json::texts(notes))
                               .add("facts", json::list(pairs))
                               .add("parts", json::list(list))
                               .str();
  const bool curves = std::any_of(parts.begin(), parts.end(), [](const Part& part) { return !part.charts.empty(); });
  write_page(out, title, data, embedded::analysis_js(), curves);
}

}  // namespace sunlagrange::internal
