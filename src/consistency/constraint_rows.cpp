// SPDX-License-Identifier: BSD-3-Clause
#include "consistency/constraint_rows.hpp"

#include "linear_algebra/decompositions.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RowEvaluator::RowEvaluator(const MechanicalSystem& system)
    : system_(system), w_(make_workspace(system, Storage::dense)), scales_(pattern()) {}

bool RowEvaluator::operator()(double t, const VectorXd& q, const VectorXd& v, ConstraintRows& rows) {
  if (!evaluate_system(system_, request::acceleration_level, {t, q.data(), v.data(), nullptr, nullptr}, *w_))
    return false;
  BlockValues values;
  values.top_left = w_->M.data();
  values.jacobian = w_->G.data();
  scales_.compute(pattern(), values);
  rows.speed = scales_.top();
  rows.G = Eigen::Map<const VectorXd>(w_->G.data(), jacobian().nonzeros());
  return rows.G.allFinite() && rows.speed.allFinite();
}

BlockPattern RowEvaluator::pattern() const {
  BlockPattern p;
  p.top_left = w_->patterns->mass;
  p.jacobian = w_->patterns->jacobian;
  p.natural_scales = w_->patterns->natural_scales;
  return p;
}

Decomposition::Decomposition(const MatrixXd& RGD, double threshold) {
  const Eigen::Index m = RGD.rows();
  const SingularValues svd = singular_values(RGD, SingularVectors::left);
  values = VectorXd::Zero(m);
  values.head(svd.values.size()) = svd.values;
  rank = rank_of(values, threshold);
  null = svd.U.rightCols(m - rank);
  if (rank > 0 && rank < m) lost = values[rank] / values[rank - 1];
}

std::vector<int> pivoted_rows(MatrixXd A, Eigen::Index k, bool prefer_last) {
  std::vector<int> chosen;
  std::vector<bool> taken(static_cast<std::size_t>(A.rows()), false);
  for (Eigen::Index step = 0; step < k; ++step) {
    Eigen::Index best = -1;
    double largest = -1.0;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      if (taken[static_cast<std::size_t>(i)]) continue;
      const double length = A.row(i).norm();
      const double advantage = prefer_last ? 1.0 - 1e-6 : 1.0 + 1e-6;
      if (best < 0 || length > largest * advantage) {
        best = i;
        largest = std::max(largest, length);
      }
    }
    chosen.push_back(static_cast<int>(best));
    taken[static_cast<std::size_t>(best)] = true;
    if (!(A.row(best).norm() > 0.0)) continue;
    const Eigen::RowVectorXd direction = A.row(best).normalized();
    for (int pass = 0; pass < 2; ++pass) A -= (A * direction.transpose()).eval() * direction;
  }
  return chosen;
}

MatrixXd rows_of(const MatrixXd& A, const std::vector<int>& rows) {
  MatrixXd part(static_cast<Eigen::Index>(rows.size()), A.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) part.row(static_cast<Eigen::Index>(i)) = A.row(rows[i]);
  return part;
}

}  // namespace sunlagrange::internal
