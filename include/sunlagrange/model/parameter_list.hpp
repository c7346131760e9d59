// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// A parameter with its default, or a part (an end, a law) with its own parameters.
struct ParameterInfo {
  std::string name;     ///< key in model files
  std::string unit;     ///< "1": a pure number; empty: the unit of the value of the law. Of a part: of its value
  std::string meaning;  ///< half a line
  Range range = Range::finite;         ///< range of every number of `value`
  std::vector<double> value;           ///< one number, or those of a list; empty for parts
  bool list = false;                   ///< true for a list of numbers
  bool part = false;                   ///< true for an end, a law or a curve, which has `parts`
  std::string type;                    ///< default type of a part
  std::vector<std::string> choices{};  ///< types that a file can choose from; else empty
  std::vector<ParameterInfo> parts{};  ///< parameters of a part
};

/// Returns e.g. "k = 1 N/m (finite): stiffness"; the parameters of a part stand in braces.
std::string text(const ParameterInfo& parameter);

namespace internal {

/// Visitor that collects the parameters of an element.
class ParameterList final : public Parameters {
 public:
  std::size_t choose(const std::vector<const char*>& types, std::size_t current) override;
  std::vector<ParameterInfo> take() { return std::move(levels_.front()); }

 protected:
  void number(const Parameter& about, double& value) override;
  void numbers(const Parameter& about, double* values, std::size_t count) override;
  void enter(const ParameterPart& about) override;
  void leave() override;
  void function(const ParameterPart& about) override;

 private:
  std::vector<std::vector<ParameterInfo>> levels_{1};  // of the parts that have been entered
  std::vector<ParameterInfo> open_;
};

template <class E>
std::vector<ParameterInfo> parameters_of(E element) {
  ParameterList list;
  if constexpr (Parameters::describes<E>) element.describe_parameters(list);
  return list.take();
}

}  // namespace internal

}  // namespace sunlagrange
