// SPDX-License-Identifier: BSD-3-Clause
#include "shared/json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace sunlagrange::program {

void set(Json& object, const char* name, Json value) {
  object[name] = std::move(value);
}

void set(Json& object, const char* name, double value) {
  object[name] = value;
}

void set(Json& object, const char* name, long value) {
  object[name] = value;
}

void set(Json& object, const char* name, int value) {
  object[name] = value;
}

void set(Json& object, const char* name, bool value) {
  object[name] = value;
}

void set(Json& object, const char* name, const char* value) {
  object[name] = value;
}

void set(Json& object, const char* name, const std::string& value) {
  object[name] = value;
}

void set(Json& object, const char* name, const std::vector<std::string>& value) {
  object[name] = value;
}

Json number_or_null(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json array(const Eigen::VectorXd& x) {
  Json values = Json::array();
  for (const double value : x) values.push_back(number_or_null(value));
  return values;
}

Json columns_json(const Eigen::MatrixXd& x) {
  Json columns = Json::array();
  for (Eigen::Index i = 0; i < x.cols(); ++i) columns.push_back(array(x.col(i)));
  return columns;
}

Json parsed(const std::string& text) {
  return Json::parse(text);
}

void add_figures(Json& object, const std::string& text) {
  object.update(parsed(text));
}

std::string json_text(const Json& document) {
  return document.dump(2) + "\n";
}

}  // namespace sunlagrange::program
