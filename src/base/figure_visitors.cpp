// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/figure_visitors.hpp>

#include "base/json.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

template <class Vector>
std::string vector_json(const Vector& values) {
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ",") + json::exact(value);
  return "[" + list + "]";
}

std::string complex_json(const std::complex<double>& value) {
  return "[" + json::exact(value.real()) + "," + json::exact(value.imag()) + "]";
}

}  // namespace

void JsonFigures::add(const Figure& figure, const std::string& json) {
  if (!first_) text_ += ",";
  if (*figure.name != '\0') text_ += "\n" + json::text(figure.name) + ":";
  text_ += json;
  first_ = false;
}

void JsonFigures::number(const Figure& figure, double& value) {
  add(figure, json::exact(value));
}

void JsonFigures::integer(const Figure& figure, long& value) {
  add(figure, std::to_string(value));
}

void JsonFigures::flag(const Figure& figure, bool& value) {
  add(figure, value ? "true" : "false");
}

void JsonFigures::text(const Figure& figure, std::string& value) {
  add(figure, json::text(value));
}

void JsonFigures::word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) {
  add(figure, json::text(value < size ? names[value] : ""));
}

void JsonFigures::complex_number(const Figure& figure, std::complex<double>& value) {
  add(figure, complex_json(value));
}

void JsonFigures::numbers(const Figure& figure, Eigen::VectorXd& values) {
  add(figure, vector_json(values));
}

void JsonFigures::complex_numbers(const Figure& figure, Eigen::VectorXcd& values) {
  std::string list;
  for (const std::complex<double>& value : values) list += (list.empty() ? "" : ",") + complex_json(value);
  add(figure, "[" + list + "]");
}

void JsonFigures::matrix(const Figure& figure, Eigen::MatrixXd& values) {
  std::string rows;
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    rows +=
        (rows.empty() ? "" : ",") + vector_json(values.cols() > 0 ? Eigen::VectorXd(values.row(i)) : Eigen::VectorXd());
  add(figure, "[" + rows + "]");
}

bool JsonFigures::begin(const Figure& figure) {
  add(figure, "{");
  first_ = true;
  return true;
}

void JsonFigures::end(const Figure&) {
  text_ += "}";
  first_ = false;
}

std::size_t JsonFigures::begin_list(const Figure& figure, std::size_t size) {
  add(figure, "[");
  first_ = true;
  return size;
}

void JsonFigures::end_list(const Figure&) {
  text_ += "]";
  first_ = false;
}

bool JsonFigures::optional(const Figure& figure, bool given) {
  if (!given && (absent_.empty() || figure.name != absent_)) add(figure, "null");
  return given;
}

std::string NumberByName::path_to(const Figure& figure) {
  if (*figure.name == '\0') return path_.back() + "[" + std::to_string(next_.back()++) + "]";
  return path_.back() + (path_.back().empty() ? "" : ".") + figure.name;
}

void NumberByName::compare(const std::string& name, double value) {
  if (name == wanted_) found_ = value;
}

void NumberByName::check(const Figure& figure, double value) {
  compare(path_to(figure), value);
}

void NumberByName::complex_number(const Figure& figure, std::complex<double>& value) {
  const std::string path = path_to(figure);
  compare(path + "[0]", value.real());
  compare(path + "[1]", value.imag());
}

void NumberByName::numbers(const Figure& figure, Eigen::VectorXd& values) {
  const std::string path = path_to(figure);
  if (wanted_.compare(0, path.size(), path) != 0) return;
  for (Eigen::Index i = 0; i < values.size(); ++i) compare(path + "[" + std::to_string(i) + "]", values[i]);
}

void NumberByName::complex_numbers(const Figure& figure, Eigen::VectorXcd& values) {
  const std::string path = path_to(figure);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    compare(path + "[" + std::to_string(i) + "][0]", values[i].real());
    compare(path + "[" + std::to_string(i) + "][1]", values[i].imag());
  }
}

void NumberByName::matrix(const Figure& figure, Eigen::MatrixXd& values) {
  const std::string path = path_to(figure);
  if (wanted_.compare(0, path.size(), path) != 0) return;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    for (Eigen::Index j = 0; j < values.cols(); ++j)
      compare(path + "[" + std::to_string(i) + "][" + std::to_string(j) + "]", values(i, j));
  }
}

bool NumberByName::begin(const Figure& figure) {
  path_.push_back(path_to(figure));
  next_.push_back(0);
  return true;
}

void NumberByName::end(const Figure&) {
  path_.pop_back();
  next_.pop_back();
}

std::size_t NumberByName::begin_list(const Figure& figure, std::size_t size) {
  begin(figure);
  return size;
}

void NumberByName::end_list(const Figure& figure) {
  end(figure);
}

void FigureList::add(const Figure& figure, const std::string& kind, const std::string& choices) {
  const std::string& path = path_.back();
  const bool entry = *figure.name == '\0';
  if (entry && *figure.meaning == '\0') return;  // the list around it is listed
  const std::string name = entry ? path : path + (path.empty() ? "" : ".") + figure.name;
  figures_.push_back({name, kind, figure.unit, figure.meaning + choices});
}

void FigureList::word(const Figure& figure, const char* const* names, std::size_t size, std::size_t&) {
  std::string choices;
  for (std::size_t k = 0; k < size; ++k) choices += (k == 0 ? ": " : ", ") + std::string(names[k]);
  add(figure, "text", choices);
}

bool FigureList::begin(const Figure& figure) {
  const bool entry = *figure.name == '\0';
  if (!entry) add(figure, "object");
  path_.push_back(entry ? path_.back() : path_.back() + (path_.back().empty() ? "" : ".") + figure.name);
  return true;
}

void FigureList::end(const Figure&) {
  path_.pop_back();
}

std::size_t FigureList::begin_list(const Figure& figure, std::size_t) {
  add(figure, figure.shape == ListShape::table ? "table" : "list");
  path_.push_back(path_.back() + (path_.back().empty() ? "" : ".") + figure.name + "[]");
  return 1;
}

void FigureList::end_list(const Figure&) {
  path_.pop_back();
}

}  // namespace sunlagrange
