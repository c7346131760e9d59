// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/rank/geometric_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "linear_algebra/dense_kernels.hpp"

namespace sunlagrange::internal {

GeometricRank::GeometricRank(const SparsePattern& jacobian, int most, Renewal renewal)
    : pattern_(jacobian), renewal_(renewal), scales_(jacobian), ritz_(jacobian.rows, most), lanczos_(jacobian.rows) {
  const std::ptrdiff_t m = jacobian.rows, n = jacobian.columns;
  const std::ptrdiff_t k = most;
  for (auto* v : {&largest_, &balanced_at_}) v->assign(jacobian.nonzeros(), 0.0);
  weight_.resize(m);
  u_.resize(m);
  image_.resize(n * k);
  form_.resize(k * k);
}

void GeometricRank::update_largest_entries(const double* G) {
  double* largest = largest_.data();
  for (int k = 0; k < pattern_.nonzeros(); ++k) {
    const double size = std::abs(G[k]);
    largest[k] = size > largest[k] && std::isfinite(size) ? size : largest[k];
  }
}

/// Returns true if an entry has doubled since the scales were computed (Renewal).
bool GeometricRank::scales_outdated() const {
  constexpr double noticeable = 0.1;  // of the length of its row
  if (!balanced_) return true;
  bool grown = false;
  pattern_.for_each_entry([&](int i, int j, int k) {
    if (!(largest_[k] > 2.0 * balanced_at_[k])) return;
    const bool known = renewal_ == Renewal::steady && has_scale_[j] != 0;
    grown = grown || !known || !(scales_.rows()[i] * largest_[k] * scales_.columns()[j] < noticeable);
  });
  return grown;
}

/// u <- N u
void GeometricRank::apply_form(const double* G, double* u) {
  const double *row = scales_.rows().data(), *column = scales_.columns().data();
  double* w = image_.data();
  std::fill(w, w + pattern_.columns, 0.0);
  pattern_.for_each_entry([&](int i, int j, int e) { w[j] += row[i] * G[e] * column[j] * u[i]; });
  std::fill(u, u + pattern_.rows, 0.0);
  pattern_.for_each_entry([&](int i, int j, int e) { u[i] += row[i] * G[e] * column[j] * w[j]; });
}

void GeometricRank::balance(const double* G, const Eigen::VectorXd& metric) {
  if (!scales_outdated()) return;
  scales_.balance(largest_.data(), metric);
  balanced_at_ = largest_;
  has_scale_.assign(pattern_.columns, 0);
  pattern_.for_each_entry([&](int, int j, int k) { has_scale_[j] |= largest_[k] > 0.0 ? 1 : 0; });
  balanced_ = true;
  fill_start_vector(u_);
  const double value = power_iteration(u_, 30, 1e-3, [&](double* u) { apply_form(G, u); });
  largest_when_balanced_ = value > 0.0 ? value : 1.0;
}

double GeometricRank::quotient(const double* G, const Eigen::VectorXd& metric, const double* direction) {
  balance(G, metric);
  double* image = image_.data();
  std::fill(image, image + pattern_.columns, 0.0);
  pattern_.for_each_entry([&](int i, int j, int e) { image[j] += scales_.columns()[j] * G[e] * direction[i]; });
  double length = 0.0;
  for (int i = 0; i < pattern_.rows; ++i) length += std::pow(direction[i] / scales_.rows()[i], 2);
  return kernels::dot(image, image, pattern_.columns) / (length * largest_when_balanced_);
}

double GeometricRank::shortest_row(const double* G) {
  std::fill(weight_.begin(), weight_.end(), 0.0);
  std::fill(u_.begin(), u_.end(), 0.0);
  pattern_.for_each_entry([&](int i, int j, int e) {
    const double scale = scales_.rows()[i] * scales_.columns()[j];
    u_[i] += std::pow(scale * G[e], 2);
    weight_[i] += std::pow(scale * largest_[e], 2);
  });
  double shortest = 1.0;
  for (int i = 0; i < pattern_.rows; ++i) {
    if (weight_[i] > 0.0) shortest = std::min(shortest, u_[i] / weight_[i]);
  }
  return shortest;
}

void GeometricRank::measure(const double* G, const Eigen::VectorXd& metric, int k, const double* directions) {
  balance(G, metric);
  measured_ = G;
  double trace = 0.0;
  pattern_.for_each_entry(
      [&](int i, int j, int e) { trace += std::pow(scales_.rows()[i] * G[e] * scales_.columns()[j], 2); });
  mean_eigenvalue_ = trace / pattern_.rows;
  for (int i = 0; i < pattern_.rows; ++i) weight_[i] = std::pow(scales_.rows()[i], -2);
  ritz_.span(k, directions, weight_.data());
  const int n = pattern_.columns;
  std::fill(image_.begin(), image_.end(), 0.0);
  for (int l = 0; l < k; ++l) {
    double* image = image_.data() + l * n;
    const double* u = ritz_.basis(l);
    pattern_.for_each_entry([&](int i, int j, int e) { image[j] += scales_.columns()[j] * G[e] * u[i]; });
    for (int j = 0; j <= l; ++j) form_[l + j * k] = kernels::dot(image, image_.data() + j * n, n);
  }
  ritz_.find(form_.data());
}

double GeometricRank::largest() {
  const double value = lanczos_.largest_eigenvalue([&](double* u) { apply_form(measured_, u); });
  return value > 0.0 ? value : 1.0;
}

}  // namespace sunlagrange::internal
