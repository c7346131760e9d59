// SPDX-License-Identifier: BSD-3-Clause
#include "files/laws.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/differences.hpp>

#include "files/json_parameters.hpp"

namespace sunlagrange::internal {

void NamedFunction::describe_parameters(Parameters& p) {
  if (auto* read = dynamic_cast<ReadParameters*>(&p)) function_ = read->function_of_the_application(name_);
  if (auto* write = dynamic_cast<WriteParameters*>(&p)) write->function_of_the_application(name_);
  if (auto* check = dynamic_cast<ParameterCheck*>(&p)) check->input(0.0, being_added_);
}

void NamedFunction::evaluate(View<const double> x, View<double> value) const {
  if (being_added_ != nullptr) throw Error("the function is not called before the run");
  function_->value(x, value);
}

void NamedFunction::differentiate(View<const double> x, MatrixView<double> derivative) const {
  if (function_->first_derivative) return function_->first_derivative(x, derivative);
  std::vector<double> at(x.begin(), x.end());
  const View<const double> point(at.data(), x.size());
  std::vector<double> above(static_cast<std::size_t>(derivative.rows())), below(above.size());
  const auto values_at = [&](double& entry, double there, std::vector<double>& values) {
    const double here = std::exchange(entry, there);
    function_->value(point, {values.data(), derivative.rows()});
    entry = here;
  };
  for (int i = x.size() > 1 ? 1 : 0; i < x.size(); ++i) {
    const double h = difference_step * (1.0 + std::abs(x[i]));
    double& entry = at[static_cast<std::size_t>(i)];
    values_at(entry, x[i] + h, above);
    values_at(entry, x[i] - h, below);
    for (int k = 0; k < derivative.rows(); ++k)
      derivative(k, i) = (above[static_cast<std::size_t>(k)] - below[static_cast<std::size_t>(k)]) * (0.5 / h);
  }
}

void NamedFunction::differentiate_twice(View<const double> x, View<double> derivative) const {
  if (function_->second_derivative) return function_->second_derivative(x, derivative);
  std::vector<double> value(static_cast<std::size_t>(derivative.size()));
  std::fill(derivative.begin(), derivative.end(), 0.0);
  const double h = step_second * (1.0 + std::abs(x[0]));
  for (const double k : {-1.0, 0.0, 1.0}) {
    const double t = x[0] + k * h;
    function_->value({&t, 1}, {value.data(), derivative.size()});
    for (int i = 0; i < derivative.size(); ++i)
      derivative[i] += (k == 0.0 ? -2.0 : 1.0) / (h * h) * value[static_cast<std::size_t>(i)];
  }
}

}  // namespace sunlagrange::internal
