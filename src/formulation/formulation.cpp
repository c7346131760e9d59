// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/formulation.hpp"

#include <numeric>

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// The last stage of a method whose first stage is that of the next step differs from its result by rounding.
bool LastEvaluation::rates(double time, const double* y, double* ydot) const {
  if (!(std::abs(time - t) <= 1e-13 * std::abs(time))) return false;  // stop times are met to rounding
  const Eigen::Index n = q.size();
  const Eigen::VectorXd& scales = quantities->patterns->natural_scales;
  if (!same_to_rounding(as_vector(y, n), q, scales) || !same_to_rounding(as_vector(y + n, n), v, scales)) return false;
  as_vector(ydot, n) = as_vector(y + n, n);
  as_vector(ydot + n, n) = a;
  return true;
}

EvaluationResult Formulation::unpack(double, const double* y, const double* yp, double* q, double* v, double* a) {
  const int n = num_positions();
  as_vector(q, n) = layout_.q(y);
  as_vector(v, n) = layout_.v(y);
  if (a != nullptr) as_vector(a, n) = layout_.v(yp);
  return EvaluationResult::ok;
}

OdeFormulation::OdeFormulation(const StateLayout& layout)
    : Formulation(layout), coordinate_of_(static_cast<std::size_t>(layout.size())) {
  const auto velocities = coordinate_of_.begin() + layout.n;
  std::iota(coordinate_of_.begin(), velocities, 0);
  std::iota(velocities, coordinate_of_.end(), 0);
}

void OdeFormulation::weights(const ErrorTolerances& tolerances, const double* y, double* weight) const {
  for (const int j : coordinate_of_) *weight++ = 1.0 / tolerances.of(j, *y++);
}

void DaeFormulation::ids(double* id) const {
  as_vector(id, size()).setZero();
  as_vector(id, num_tested_).setOnes();
}

}  // namespace sunlagrange::internal
