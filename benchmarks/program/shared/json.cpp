#include "shared/json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace sunlagrange::bench {

Json number_or_null(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json array(const Eigen::VectorXd& x) {
  Json values = Json::array();
  for (const double value : x) values.push_back(number_or_null(value));
  return values;
}

std::string json_text(const Json& document) {
  return document.dump(2) + "\n";
}

}  // namespace sunlagrange::bench
