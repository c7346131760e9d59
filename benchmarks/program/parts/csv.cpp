// SPDX-License-Identifier: BSD-3-Clause
#include "parts/csv.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <nlohmann/json.hpp>

namespace sunlagrange::program {
namespace {

/// Returns the path of the rows: a list in the document, lists in its entries, ...
std::vector<std::string> path_of_rows(const std::string& part) {
  if (part == "validate") return {"comparisons"};
  if (part.rfind("work", 0) == 0) return {"mechanisms", "runs"};
  if (part == "stability") return {"points"};
  if (part == "ranking") return {"formulations", "at"};
  if (part == "adaptive_vs_fixed") return {"sections", "heats", "contestants"};
  if (part == "scaling") return {"sizes", "runs"};
  return {"runs"};  // curves
}

bool is_list_of_points(const Json& row) {
  const auto t = row.find("t");
  return t != row.end() && t->is_array();
}

/// Scalars of an entry; a value of the row replaces the value of the same name above it.
void copy_scalars(const Json& from, Json& row) {
  for (const auto& [key, value] : from.items()) {
    if (value.is_primitive()) row[key] = value;
  }
}

void collect(const Json& node, const std::vector<std::string>& path, std::size_t depth, Json above,
             std::vector<Json>& rows) {
  copy_scalars(node, above);
  if (depth < path.size()) {
    const auto list = node.find(path[depth]);
    if (list == node.end()) throw std::runtime_error("report: a document has no \"" + path[depth] + "\"");
    for (const Json& entry : *list) collect(entry, path, depth + 1, above, rows);
    return;
  }
  if (!is_list_of_points(node)) {
    rows.push_back(std::move(above));
    return;
  }
  const std::size_t points = node["t"].size();
  for (std::size_t k = 0; k < points; ++k) {
    Json row = above;
    for (const auto& [key, value] : node.items()) {
      if (value.is_array() && value.size() == points && value[k].is_primitive()) row[key] = value[k];
    }
    rows.push_back(std::move(row));
  }
}

/// Returns a field as RFC 4180 quotes it.
std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_of(const std::string& part, const Json& document) {
  std::vector<Json> rows;
  collect(document, path_of_rows(part), 0, Json::object(), rows);
  std::vector<std::string> columns;
  for (const Json& row : rows) {
    for (const auto& entry : row.items()) {
      if (std::find(columns.begin(), columns.end(), entry.key()) == columns.end()) columns.push_back(entry.key());
    }
  }
  std::string text;
  const auto end_cell = [&](std::size_t k) { text += k + 1 < columns.size() ? "," : "\n"; };
  for (std::size_t k = 0; k < columns.size(); ++k) {
    text += cell(columns[k]);
    end_cell(k);
  }
  for (const Json& row : rows) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto value = row.find(columns[k]);
      if (value != row.end()) text += cell(*value);
      end_cell(k);
    }
  }
  return text;
}

}  // namespace sunlagrange::program
