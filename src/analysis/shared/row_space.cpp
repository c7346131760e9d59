// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/shared/row_space.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/parts.hpp"
#include "linear_solver/rank/rank_threshold.hpp"

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A connected component of G: rows and columns that no entry connects to others.
struct Part {
  std::vector<int> rows, columns;
  SingularValues svd;
};

std::vector<Part> parts_of(const MatrixXd& G) {
  Parts joined(G.cols() + G.rows());
  joined.unite(G, G.cols(), 0);
  std::vector<Part> parts;
  for (const std::vector<int>& members : joined.members()) {
    Part part;
    for (const int i : members) {
      if (i < G.cols())
        part.columns.push_back(i);
      else
        part.rows.push_back(i - static_cast<int>(G.cols()));
    }
    part.svd.V = MatrixXd::Identity(1, 1);
    if (!part.rows.empty() && !part.columns.empty())
      part.svd = singular_values(G(part.rows, part.columns), SingularVectors::right);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

RowSpace::RowSpace(const MatrixXd& G, double threshold, double least) {
  const Index n = G.cols();
  // Each component is decomposed on its own, so rounding of a stiff one does not enter the others.
  const std::vector<Part> parts = parts_of(G);
  double largest = least;
  for (const Part& part : parts) {
    if (part.svd.values.size() > 0) largest = std::max(largest, part.svd.values[0]);
  }
  right_ = null_ = MatrixXd::Zero(n, n);
  values_.resize(n);
  Index rank = 0, free = 0;
  for (const Part& part : parts) {
    const int kept = rank_of(part.svd.values, threshold, largest);
    for (Index k = 0; k < static_cast<Index>(part.columns.size()); ++k) {
      if (k < kept) {
        values_[rank] = part.svd.values[k];
        right_(part.columns, rank++) = part.svd.V.col(k);
      } else {
        null_(part.columns, free++) = part.svd.V.col(k);
      }
    }
  }
  values_.conservativeResize(rank);
  right_.conservativeResize(n, rank);
  null_.conservativeResize(n, free);
  left_ = G * right_ * values_.cwiseInverse().asDiagonal();
}

MatrixXd RowSpace::shortest(const MatrixXd& B, double rounding) const {
  MatrixXd shares = left_.transpose() * B;
  shares = (shares.array().abs() > rounding).select(shares, 0.0);
  return right_ * (values_.cwiseInverse().asDiagonal() * shares);
}

MatrixXd RowSpace::shortest_transposed(const MatrixXd& B) const {
  return left_ * (values_.cwiseInverse().asDiagonal() * (right_.transpose() * B));
}

}  // namespace sunlagrange::internal
