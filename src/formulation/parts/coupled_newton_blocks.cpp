// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/coupled_newton_blocks.hpp"

namespace sunlagrange::internal {
namespace {

/// Returns the slots in `target` of the entries of `source` moved by (rows, columns), and -1 for entries from
/// `row_limit` on.
std::vector<int> shifted_slots(const SparsePattern& source, const SparsePattern& target, int rows, int columns,
                               int row_limit) {
  std::vector<int> slots(static_cast<std::size_t>(source.nonzeros()), -1);
  source.for_each_entry([&](int i, int j, int k) {
    if (i < row_limit) slots.data()[k] = target.slot(i + rows, j + columns);
  });
  return slots;
}

}  // namespace

CoupledNewtonBlocks::CoupledNewtonBlocks(const SystemPatterns& p, int m_g, const LinearSolverOptions& options)
    : n_(p.mass.rows), m_g_(m_g), options_(options) {
  const int m = p.jacobian.rows;
  std::vector<std::pair<int, int>> H;
  p.tangent.for_each_entry([&](int i, int j, int) {  // includes the pattern of M
    H.emplace_back(i, j);
    H.emplace_back(i, n_ + j);
    H.emplace_back(n_ + i, j);
    H.emplace_back(n_ + i, n_ + j);
  });
  std::vector<std::pair<int, int>> G;
  std::vector<std::pair<int, int>> B;
  p.jacobian.for_each_entry([&](int i, int j, int) {
    G.emplace_back(m_g_ + i, n_ + j);
    B.emplace_back(m_g_ + i, j);
    B.emplace_back(m_g_ + i, n_ + j);
    if (i >= m_g_) return;
    G.emplace_back(i, j);
    B.emplace_back(i, j);
    B.emplace_back(i, n_ + j);
  });
  const bool sparse = find_linear_solver(options.name).sparse;  // dense solvers need full columns
  const auto block = [&](int rows, std::vector<std::pair<int, int>>& entries) {
    return sparse ? SparsePattern::from_entries(rows, 2 * n_, std::move(entries)) : SparsePattern::dense(rows, 2 * n_);
  };
  pattern_ = {block(2 * n_, H), block(m_g_ + m, G), block(m_g_ + m, B), {}, true, p.natural_scales.replicate(2, 1)};
  const BlockPattern& pattern = pattern_;
  for (int j = 0; j < n_; ++j) upper_diagonal_.push_back(pattern.top_left.slot(j, j));
  upper_mass_ = shifted_slots(p.mass, pattern.top_left, 0, 0, n_);
  upper_left_ = shifted_slots(p.tangent, pattern.top_left, 0, 0, n_);
  upper_right_ = shifted_slots(p.tangent, pattern.top_left, 0, n_, n_);
  lower_mass_ = shifted_slots(p.mass, pattern.top_left, n_, n_, n_);
  lower_left_ = shifted_slots(p.tangent, pattern.top_left, n_, 0, n_);
  lower_right_ = shifted_slots(p.tangent, pattern.top_left, n_, n_, n_);
  mu_jacobian_ = shifted_slots(p.jacobian, pattern.jacobian, 0, 0, m_g_);
  lambda_jacobian_ = shifted_slots(p.jacobian, pattern.jacobian, m_g_, n_, m);
  mu_left_ = shifted_slots(p.jacobian, pattern.bottom_left, 0, 0, m_g_);
  mu_right_ = shifted_slots(p.jacobian, pattern.bottom_left, 0, n_, m_g_);
  lambda_left_ = shifted_slots(p.jacobian, pattern.bottom_left, m_g_, 0, m);
  lambda_right_ = shifted_slots(p.jacobian, pattern.bottom_left, m_g_, n_, m);
  jacobian_.resize(pattern.jacobian.nonzeros());
  matrix<double>();
}

LinearCounts CoupledNewtonBlocks::counts() const {
  LinearCounts sum = matrices_.of<double>()->solver().counts();
  if (const auto& complex = matrices_.of<Complex>(); complex != nullptr) sum += complex->solver().counts();
  return sum;
}

void CoupledNewtonBlocks::store(const Workspace& w, const Eigen::VectorXd& correction_q,
                                const Eigen::VectorXd& added_masses) {
  mass_ = w.M.values;
  r_q_ = w.r_q.values;
  r_v_ = w.r_v.values;
  V_q_ = w.V_q.values;
  G_ = w.G.values;
  correction_q_ = correction_q;
  added_masses_ = added_masses;
}

template <class Scalar>
EvaluationResult CoupledNewtonBlocks::factorize(Scalar h) {
  NewtonMatrix<Scalar>& matrix = this->matrix<Scalar>();
  matrix.top_left.setZero();
  matrix.bottom_left.setZero();
  jacobian_.setZero();
  Scalar *H = matrix.top_left.data(), *B = matrix.bottom_left.data();
  double* G = jacobian_.data();
  const auto at = [](const std::vector<int>& slots, Eigen::Index e) { return slots.data()[e]; };
  for (Eigen::Index e = 0; e < r_q_.size(); ++e) {
    const Scalar stiffness = h * h * r_q_[e];
    H[at(lower_left_, e)] = stiffness;
    H[at(lower_right_, e)] = h * r_v_[e] + stiffness;
    H[at(upper_left_, e)] = H[at(upper_right_, e)] = h * correction_q_[e];
  }
  for (Eigen::Index e = 0; e < mass_.size(); ++e) {
    H[at(upper_mass_, e)] += mass_[e];
    H[at(lower_mass_, e)] += mass_[e];
  }
  for (Eigen::Index j = 0; j < added_masses_.size(); ++j) {
    if (added_masses_[j] > 0.0) H[at(upper_diagonal_, j)] += added_masses_[j];
  }
  for (Eigen::Index e = 0; e < G_.size(); ++e) {
    const double entry = G_[e];
    const Scalar change = h * V_q_[e];
    G[at(lambda_jacobian_, e)] = entry;
    B[at(lambda_left_, e)] = change;
    B[at(lambda_right_, e)] = entry + change;
    if (at(mu_jacobian_, e) < 0) continue;
    G[at(mu_jacobian_, e)] = entry;
    B[at(mu_left_, e)] = entry - change;
    B[at(mu_right_, e)] = -change;
  }
  return matrix.factorize(jacobian_.data(), nullptr);
}

template EvaluationResult CoupledNewtonBlocks::factorize(double);
template EvaluationResult CoupledNewtonBlocks::factorize(Complex);

}  // namespace sunlagrange::internal
