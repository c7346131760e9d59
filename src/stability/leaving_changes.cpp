// SPDX-License-Identifier: BSD-3-Clause
#include "stability/leaving_changes.hpp"

#include <cmath>
#include <string>

#include <sunlagrange/base/status.hpp>

#include "linear_algebra/decompositions.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Pivots below this part of the first one count as zero. Rows and columns have length 1 before, and E made of
/// differences is exact to about 1e-9.
constexpr double dependent = 1e-7;

VectorXd reciprocals(const VectorXd& lengths) {
  return lengths.unaryExpr([](double x) { return x > 0.0 ? 1.0 / x : 0.0; });
}

}  // namespace

LeavingChanges::LeavingChanges(const MatrixXd& E, const MatrixXd& D, const VectorXd& W) : weights(W) {
  const MatrixXd directions = D.size() == 0 ? MatrixXd(E.transpose()) : D;
  if (directions.rows() != E.cols() || directions.cols() != E.rows()) {
    throw Error("step map: directions are " + std::to_string(directions.rows()) + " x " +
                std::to_string(directions.cols()) + ", must be " + std::to_string(E.cols()) + " x " +
                std::to_string(E.rows()) + " (size of y x size of e)");
  }
  const MatrixXd all = W.asDiagonal() * E * directions;
  MatrixXd scaled = reciprocals(all.rowwise().norm()).asDiagonal() * all;
  scaled *= reciprocals(scaled.colwise().norm()).asDiagonal();
  Index rank = 0;
  if (scaled.allFinite()) {
    const PivotedQr qr(scaled);
    const auto pivots = qr.factors().diagonal().cwiseAbs();
    while (rank < pivots.size() && pivots[rank] > dependent * pivots[0]) ++rank;
    changes.resize(E.cols(), rank);
    for (Index k = 0; k < rank; ++k) changes.col(k) = directions.col(qr.order()[k]);
  }
  if (rank == 0) throw Error("step map: no direction leaves the constraints; is the position singular?");
  const MatrixXd of_changes = W.asDiagonal() * E * changes;
  errors = orthonormal_columns(of_changes);
  changes *= solve_full_pivoting(errors.transpose() * of_changes, MatrixXd::Identity(rank, rank));
}

}  // namespace sunlagrange::internal
