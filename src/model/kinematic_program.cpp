// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/kinematic_program.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <sunlagrange/base/status.hpp>

#include "model/checks/required_system.hpp"
#include "model/system_analysis.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

double dot(int from, int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int i = from; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/// y -= 2 w (w^T y) / (w^T w), entries from `from` on.
void reflect(int from, int n, const double* w, double* y) {
  const double scale = 2.0 * dot(from, n, w, y) / dot(from, n, w, w);
  for (int i = from; i < n; ++i) y[i] -= scale * w[i];
}

}  // namespace

/// B^T = Q R by reflections H_0 H_1 ...; the direction is z = Q e_n, and det [z^T; B] = (-1)^(n-1) det Q prod R_kk.
void generalized_vector_product(int n, double* columns, double* product) {
  const auto column = [&](int k) { return columns + static_cast<std::ptrdiff_t>(k) * n; };
  double volume = n % 2 == 1 ? 1.0 : -1.0;
  for (int k = 0; k + 1 < n; ++k) {
    double* x = column(k);
    const double below = dot(k + 1, n, x, x);
    if (below == 0.0) {
      volume *= x[k];
      x[k] = 0.0;  // no reflection
      continue;
    }
    const double length = std::sqrt(x[k] * x[k] + below);
    const double diagonal = x[k] > 0.0 ? -length : length;
    volume *= -diagonal;
    x[k] -= diagonal;
    for (int j = k + 1; j + 1 < n; ++j) reflect(k, n, x, column(j));
  }
  std::fill(product, product + n, 0.0);
  product[n - 1] = volume;
  for (int k = n - 2; k >= 0; --k) {
    if (column(k)[k] != 0.0) reflect(k, n, column(k), product);
  }
}

Eigen::VectorXd generalized_vector_product(const Eigen::MatrixXd& rows) {
  if (rows.cols() != rows.rows() + 1) {
    throw Error("generalized_vector_product: " + std::to_string(rows.rows()) + " x " + std::to_string(rows.cols()) +
                " rows; there must be one row less than columns");
  }
  Eigen::MatrixXd columns = rows.transpose();
  Eigen::VectorXd product(rows.cols());
  generalized_vector_product(static_cast<int>(rows.cols()), columns.data(), product.data());
  return product;
}

std::shared_ptr<const MechanicalSystem> as_program(const std::shared_ptr<const MechanicalSystem>& system,
                                                   KinematicProgram program) {
  require_system(system, "as_program");
  if (system->num_velocity_constraints() > 0 || system->base_ != nullptr) {
    throw Error("as_program: a kinematic program has rows f(y, t) = 0 only, all of them switched on");
  }
  const int n = system->num_positions();
  const int m = system->num_position_constraints();
  std::vector<int>& dependent = program.dependent;
  std::sort(dependent.begin(), dependent.end());
  const bool repeated = std::adjacent_find(dependent.begin(), dependent.end()) != dependent.end();
  const bool inside = dependent.empty() || (dependent.front() >= 0 && dependent.back() < n);
  if (!dependent.empty() && (repeated || !inside || static_cast<int>(dependent.size()) != m)) {
    throw Error("program: dependent names " + std::to_string(dependent.size()) +
                " variables; there must be m = " + std::to_string(m) + " different ones, or none");
  }
  auto result = std::shared_ptr<MechanicalSystem>(new MechanicalSystem(*system));
  result->analysis_ = std::make_shared<SystemAnalysis>();
  result->energy_known_ = false;
  result->program_ = std::make_shared<const KinematicProgram>(std::move(program));
  return result;
}

}  // namespace sunlagrange
