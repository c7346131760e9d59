// SPDX-License-Identifier: BSD-3-Clause
#include "identify/measurements.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <sunlagrange/base/registry.hpp>

#include "cases/typed_number.hpp"
#include "shared/number.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// Splits a record of RFC 4180; blanks around a cell are dropped, but those in quotes are not.
/// @return false if a quote is open at its end: the record goes on in the next line
bool split(const std::string& record, std::vector<std::string>& cells) {
  cells.clear();
  for (std::size_t at = 0; at <= record.size(); ++at) {
    std::string quoted;
    const std::size_t first = record.find_first_not_of(" \t", at);
    if (first != std::string::npos && record[first] == '"') {
      bool open = true;
      for (at = first + 1; open && at < record.size(); ++at) {
        if (record[at] != '"')
          quoted += record[at];
        else if (at + 1 < record.size() && record[at + 1] == '"')
          quoted += record[at++];
        else
          open = false;
      }
      if (open) return false;
    }
    const std::size_t end = std::min(record.find(',', at), record.size());
    cells.push_back(quoted + trimmed(record.substr(at, end - at)));
    at = end;
  }
  return true;
}

/// @throws Error if it is no standard deviation
double deviation_in(double value, const std::string& typed) {
  if (value > 0.0 && std::isfinite(value)) return value;
  throw Error("--deviation " + typed +
              ": a standard deviation is positive and finite; if none is known, leave --deviation out");
}

/// @throws Error also if only some outputs have a deviation: the deviation of the others would be 1 in their unit
void set_deviations(std::vector<Measurement>& measurements, const std::vector<std::string>& deviations,
                    const std::function<std::string(const std::string&)>& unit_of) {
  std::vector<bool> said(measurements.size(), deviations.empty());
  for (const std::string& typed : deviations) {
    double all = 0.0;
    if (!read_number(typed, all)) continue;
    for (Measurement& m : measurements) m.deviation = deviation_in(all, typed);
    said.assign(measurements.size(), true);
  }
  for (const std::string& typed : deviations) {
    double all = 0.0;
    if (read_number(typed, all)) continue;
    const auto [name, number] = named_text(typed, "--deviation", "NAME=NUMBER");
    const auto found = std::find_if(measurements.begin(), measurements.end(),
                                    [&name = name](const Measurement& m) { return m.output == name; });
    if (found == measurements.end()) throw Error("--deviation " + typed + ": there is no such output in the data");
    found->deviation = deviation_in(typed_number(number, "--deviation " + typed, unit_of(name)), typed);
    said[static_cast<std::size_t>(found - measurements.begin())] = true;
  }
  std::vector<std::string> without;
  for (std::size_t k = 0; k < measurements.size(); ++k) {
    if (!said[k]) without.push_back(measurements[k].output);
  }
  if (!without.empty())
    throw Error("--deviation: none is given for " + joined(without) +
                "; name them as well, give NUMBER for all others, or use only some columns (--output)");
}

}  // namespace

std::vector<Measurement> read_measurements(const std::string& file, const std::vector<std::string>& outputs,
                                           const std::vector<std::string>& deviations,
                                           const std::function<std::string(const std::string&)>& unit_of,
                                           const std::string& option) {
  std::ifstream in(file);
  std::string line;
  if (!in || !std::getline(in, line)) throw Error(option + ": cannot read \"" + file + "\", or it is empty");
  if (line.compare(0, 3, "\xEF\xBB\xBF") == 0) line.erase(0, 3);  // byte order mark
  std::vector<std::string> names;
  int number = 1;
  const auto record = [&](std::vector<std::string>& cells) {
    const int first = number;
    for (std::string next;; line += "\n" + next, ++number) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (split(line, cells)) return first;
      if (!std::getline(in, next))
        throw Error(option + ": \"" + file + "\", line " + std::to_string(first) + ": a quote is not closed");
    }
  };
  record(names);
  for (std::size_t k = 1; k < names.size(); ++k) {
    if (names[k].empty())
      throw Error(option + ": \"" + file + "\": column " + std::to_string(k + 1) + " of the first line has no name");
  }
  if (names.size() < 2U || names.front() != "t")
    throw Error(option + ": \"" + file +
                "\" must begin with a line of names, the first of them t, as in t,arm.phi,arm.phi'; it "
                "begins with " +
                line.substr(0, 40));
  std::vector<std::size_t> columns;
  for (const std::string& output : outputs) {
    const auto found = std::find(names.begin() + 1, names.end(), output);
    if (found == names.end())
      throw Error("--output \"" + output + "\": \"" + file + "\" has no such column" +
                  did_you_mean(output, {names.begin() + 1, names.end()}));
    columns.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  for (std::size_t k = 1; outputs.empty() && k < names.size(); ++k) columns.push_back(k);
  std::vector<Measurement> measurements;
  for (const std::size_t column : columns) measurements.push_back({names[column], {}, {}, 1.0});
  for (std::vector<std::string> cells; std::getline(in, line);) {
    ++number;
    const int first = record(cells);
    if (cells.size() == 1U && cells.front().empty()) continue;
    const std::string where = option + ": \"" + file + "\", line " + std::to_string(first) + ": ";
    if (cells.size() != names.size())
      throw Error(where + std::to_string(cells.size()) + " cells, " + std::to_string(names.size()) + " names");
    double t = 0.0;
    if (!read_number(cells.front(), t) || !std::isfinite(t))
      throw Error(where + "t = \"" + cells.front() + "\" is no finite number");
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::string& cell = cells[columns[k]];
      double value = 0.0;
      if (cell.empty()) continue;
      if (!read_number(cell, value) || !std::isfinite(value))
        throw Error(where + names[columns[k]] + " = \"" + cell + "\" is no finite number");
      measurements[k].t.push_back(t);
      measurements[k].values.push_back(value);
    }
  }
  set_deviations(measurements, deviations, unit_of);
  return measurements;
}

}  // namespace sunlagrange::program
