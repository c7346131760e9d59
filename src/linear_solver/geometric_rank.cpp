#include "linear_solver/geometric_rank.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/dense_kernels.hpp"

namespace sunlagrange::internal {

GeometricRank::GeometricRank(int m, int n) : m_(m), n_(n), scales_(SparsePattern::dense(m, n)), directions_(m) {
  const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n);
  for (auto* v : {&largest_, &balanced_at_, &z_}) v->assign(rows * columns, 0.0);
  matrix_.resize(rows * rows);
  ones_.assign(columns, 1.0);
}

void GeometricRank::see(const double* G) {
  double* largest = largest_.data();
  for (int k = 0; k < m_ * n_; ++k) {
    const double size = std::abs(G[k]);
    largest[k] = size > largest[k] && std::isfinite(size) ? size : largest[k];
  }
}

/// Has an entry doubled since the scales were computed?
bool GeometricRank::outgrown() const {
  bool grown = !balanced_;
  for (std::size_t k = 0; k < largest_.size(); ++k) grown = grown || largest_[k] > 2.0 * balanced_at_[k];
  return grown;
}

void GeometricRank::set(const double* G, const Eigen::VectorXd& metric) {
  if (outgrown()) {
    scales_.balance(largest_.data(), metric);
    balanced_at_ = largest_;
    balanced_ = true;
  }
  for (int j = 0; j < n_; ++j) {
    for (int i = 0; i < m_; ++i) z_.data()[i + j * m_] = scales_.rows()[i] * G[i + j * m_] * scales_.columns()[j];
  }
  kernels::weighted_outer_product(m_, n_, z_.data(), ones_.data(), matrix_.data());
  directions_.decompose(matrix_.data());
}

}  // namespace sunlagrange::internal
