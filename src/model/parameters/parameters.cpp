// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/parameters.hpp>

#include <cmath>

#include <sunlagrange/base/setting.hpp>

namespace sunlagrange {

void Parameters::finite(const char* name, double& value, std::string unit, std::string meaning,
                        const SpecialValue& special) {
  if (special.stands_for != nullptr) meaning += "; " + text(special.value) + ": " + special.stands_for;
  number({name, std::move(unit), std::move(meaning), Range::finite, nullptr, special}, value);
}

void Parameters::numbers(const Parameter& about, double* values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = std::string(about.name) + "[" + std::to_string(k) + "]";
    Parameter one = about;
    one.name = name.c_str();
    number(one, values[k]);
  }
}

namespace internal {

void ParameterCheck::require(bool good, const std::string& complaint) {
  if (good) return;
  if (!complaints_.empty()) complaints_ += "\n";
  complaints_ += prefix_ + complaint;
}

void ParameterCheck::number(const Parameter& about, double& value) {
  const bool good = std::isfinite(value) && (about.range == Range::finite || value > 0.0 ||
                                             (about.range == Range::not_negative && value == 0.0));
  require(good, std::string(about.name) + " = " + text(value) + ": must be " + to_string(about.range) +
                    (about.otherwise != nullptr ? std::string("; ") + about.otherwise : ""));
}

void ParameterCheck::enter(const ParameterPart& about) {
  prefix_ += std::string(about.name) + ".";
}

void ParameterCheck::leave() {
  prefix_.pop_back();
  const std::size_t dot = prefix_.rfind('.');
  prefix_.resize(dot == std::string::npos ? 0 : dot + 1);
}

void ParameterCheck::input(double start, std::shared_ptr<const double>& now) {
  now = std::make_shared<const double>(start + 0.6180339887);
  inputs_.push_back(&now);
}

void ParameterCheck::release() {
  for (std::shared_ptr<const double>* now : inputs_) now->reset();
}

void InputBinder::input(double start, std::shared_ptr<const double>& now) {
  std::string name = path_.front();
  for (std::size_t k = 1; k < path_.size(); ++k) {
    if (path_[k] != "law") name += (name.empty() ? "" : ".") + path_[k];
  }
  names_.push_back(name.empty() ? "law" : name);
  values_->push_back(start);
  now = std::shared_ptr<const double>(values_, &values_->back());
}

}  // namespace internal
}  // namespace sunlagrange
