#include <sunlagrange/model/parameters.hpp>

#include <cmath>

#include <sunlagrange/base/setting.hpp>

namespace sunlagrange {

void Parameters::require(bool good, const std::string& complaint) {
  if (good) return;
  if (!complaints_.empty()) complaints_ += "\n";
  complaints_ += prefix_ + complaint;
}

namespace {

std::string complaint(const char* name, double value, const char* relation, const char* otherwise) {
  return std::string(name) + " = " + text(value) + ": must be " + relation +
         (otherwise != nullptr ? std::string("; ") + otherwise : "");
}

}  // namespace

void Parameters::finite(const char* name, double value) {
  require(std::isfinite(value), complaint(name, value, "finite", nullptr));
}

void Parameters::finite(std::initializer_list<std::pair<const char*, double>> fields) {
  for (const auto& [name, value] : fields) finite(name, value);
}

void Parameters::positive(const char* name, double value, const char* otherwise) {
  require(value > 0.0 && std::isfinite(value), complaint(name, value, "positive and finite", otherwise));
}

void Parameters::not_negative(const char* name, double value, const char* otherwise) {
  require(value >= 0.0 && std::isfinite(value), complaint(name, value, "finite and not negative", otherwise));
}

}  // namespace sunlagrange
