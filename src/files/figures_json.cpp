// SPDX-License-Identifier: BSD-3-Clause
#include "files/figures_json.hpp"

#include <cmath>

#include "base/words.hpp"

namespace sunlagrange::internal {
namespace {

std::vector<double> parts_of(const std::complex<double>& value) {
  return {value.real(), value.imag()};
}

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

void WriteFigures::put(const Figure& figure, Json value) {
  Json& level = levels_.back();
  if (*figure.name == '\0')
    level.push_back(std::move(value));
  else
    level[figure.name] = std::move(value);
}

void WriteFigures::word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) {
  put(figure, value < size ? names[value] : "");
}

void WriteFigures::complex_number(const Figure& figure, std::complex<double>& value) {
  put(figure, parts_of(value));
}

void WriteFigures::numbers(const Figure& figure, Eigen::VectorXd& values) {
  put(figure, entries_of(values));
}

void WriteFigures::complex_numbers(const Figure& figure, Eigen::VectorXcd& values) {
  Json list = Json::array();
  for (const std::complex<double>& value : values) list.push_back(parts_of(value));
  put(figure, std::move(list));
}

void WriteFigures::matrix(const Figure& figure, Eigen::MatrixXd& values) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    rows.push_back(entries_of(values.cols() > 0 ? Eigen::VectorXd(values.row(i)) : Eigen::VectorXd()));
  }
  put(figure, std::move(rows));
}

bool WriteFigures::begin(const Figure&) {
  levels_.push_back(Json::object());
  return true;
}

void WriteFigures::end(const Figure& figure) {
  Json inside = std::move(levels_.back());
  levels_.pop_back();
  put(figure, std::move(inside));
}

std::size_t WriteFigures::begin_list(const Figure&, std::size_t size) {
  levels_.push_back(Json::array());
  return size;
}

bool WriteFigures::optional(const Figure& figure, bool given) {
  if (!given) put(figure, nullptr);
  return given;
}

std::pair<Place, std::string> ReadFigures::place_of(const Figure& figure) const {
  const Level& level = levels_.back();
  if (level.object) {
    const char* name = figure.name;
    if (figure.former_name != nullptr && !level.object->object().contains(name)) name = figure.former_name;
    return {level.object->place(name), level.object->what() + ", field \"" + name + "\""};
  }
  return {level.place, level.what};
}

/// Returns the value of the figure, or null if it is missing and may be.
const Json* ReadFigures::find(const Figure& figure, bool advance) {
  Level& level = levels_.back();
  if (level.list != nullptr) return &(*level.list)[advance ? level.next++ : level.next];
  const Json* found = level.object->find(figure.name);
  if (found == nullptr && figure.former_name != nullptr) found = level.object->find(figure.former_name);
  if (found == nullptr && !figure.added_later) level.object->get(figure.name);  // throws
  return found;
}

void ReadFigures::refuse(const Figure& figure, const std::string& wanted) const {
  const auto [place, what] = place_of(figure);
  levels_.front().object->document().fail(place, what,
                                          "must be " + wanted + "; the file was changed, or is of another program");
}

double ReadFigures::number_of(const Figure& figure, const Json& value) const {
  if (value.is_null()) return NAN;
  if (!value.is_number()) refuse(figure, "a number or null");
  return value.get<double>();
}

std::vector<double> ReadFigures::list_of(const Figure& figure, const Json& value) const {
  if (!value.is_array()) refuse(figure, "a list of numbers");
  std::vector<double> list;
  for (const Json& entry : value) {
    if (!entry.is_number() && !entry.is_null()) refuse(figure, "a list of numbers");
    list.push_back(number_of(figure, entry));
  }
  return list;
}

void ReadFigures::number(const Figure& figure, double& value) {
  if (const Json* found = find(figure)) value = number_of(figure, *found);
  if (figure.not_negative && value < 0.0) refuse(figure, "0 or more");
}

void ReadFigures::integer(const Figure& figure, long& value) {
  const Json* found = find(figure);
  if (found == nullptr) return;
  if (!found->is_number_integer()) refuse(figure, "an integer");
  value = found->get<long>();
  if (figure.not_negative && value < 0) refuse(figure, "a count, 0 or more");
}

void ReadFigures::flag(const Figure& figure, bool& value) {
  const Json* found = find(figure);
  if (found == nullptr) return;
  if (!found->is_boolean()) refuse(figure, "true or false");
  value = found->get<bool>();
}

void ReadFigures::text(const Figure& figure, std::string& value) {
  const Json* found = find(figure);
  if (found == nullptr) return;
  if (!found->is_string()) refuse(figure, "a text");
  value = found->get<std::string>();
}

void ReadFigures::word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) {
  std::string word = value < size ? names[value] : "";
  text(figure, word);
  const auto* found = std::find(names, names + size, word);
  if (found == names + size) refuse(figure, "one of " + joined(std::vector<std::string>(names, names + size)));
  value = static_cast<std::size_t>(found - names);
}

void ReadFigures::complex_number(const Figure& figure, std::complex<double>& value) {
  const Json* found = find(figure);
  if (found == nullptr) return;
  const std::vector<double> parts = list_of(figure, *found);
  if (parts.size() != 2) refuse(figure, "a pair of numbers");
  value = {parts[0], parts[1]};
}

void ReadFigures::numbers(const Figure& figure, Eigen::VectorXd& values) {
  if (const Json* found = find(figure)) values = vector_of(list_of(figure, *found));
}

void ReadFigures::complex_numbers(const Figure& figure, Eigen::VectorXcd& values) {
  Eigen::MatrixXd rows;
  matrix(figure, rows);
  if (rows.size() > 0 && rows.cols() != 2) refuse(figure, "a list of pairs");
  values.resize(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) values[i] = {rows(i, 0), rows(i, 1)};
}

void ReadFigures::matrix(const Figure& figure, Eigen::MatrixXd& values) {
  const Json* found = find(figure);
  if (found == nullptr) return;
  if (!found->is_array()) refuse(figure, "a list of rows");
  values.resize(static_cast<Eigen::Index>(found->size()), 0);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    const Eigen::VectorXd row = vector_of(list_of(figure, (*found)[static_cast<std::size_t>(i)]));
    if (i == 0) values.resize(values.rows(), row.size());
    if (row.size() != values.cols()) refuse(figure, "a list of rows of equal length");
    if (row.size() > 0) values.row(i) = row;
  }
}

bool ReadFigures::begin(const Figure& figure) {
  const auto [place, what] = place_of(figure);
  Place inside = place;
  std::string name = what;
  if (levels_.back().list != nullptr) {
    inside.emplace_back(levels_.back().next);
    name += "[" + std::to_string(levels_.back().next) + "]";
  }
  const Json* found = find(figure);
  if (found == nullptr) return false;
  levels_.push_back(
      {Fields(levels_.front().object->document(), *found, std::move(inside), std::move(name)), nullptr, {}, "", 0});
  return true;
}

void ReadFigures::end(const Figure&) {
  levels_.back().object->finish();
  levels_.pop_back();
}

std::size_t ReadFigures::begin_list(const Figure& figure, std::size_t) {
  auto [place, what] = place_of(figure);
  const Json* found = find(figure);
  if (found == nullptr) return leave_out;
  if (!found->is_array()) refuse(figure, "a list");
  levels_.push_back({std::nullopt, found, std::move(place), std::move(what), 0});
  return found->size();
}

void ReadFigures::end_list(const Figure&) {
  levels_.pop_back();
}

bool ReadFigures::optional(const Figure& figure, bool given) {
  if (levels_.back().list != nullptr) {
    const bool null = find(figure, false)->is_null();
    if (null) ++levels_.back().next;
    return !null;
  }
  const Json* found = find(figure);
  return found == nullptr ? given : !found->is_null();
}

}  // namespace sunlagrange::internal
