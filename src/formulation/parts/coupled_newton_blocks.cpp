#include "formulation/parts/coupled_newton_blocks.hpp"

#include <algorithm>

namespace sunlagrange::internal {
namespace {

/// Slots in `target` of the entries of `source`, moved by (rows, columns); -1 for entries below `row_limit`.
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
    : n_(p.mass.rows), m_g_(m_g) {
  const int m = p.jacobian.rows;
  std::vector<std::pair<int, int>> H;
  p.tangent.for_each_entry([&](int i, int j, int) {  // contains the pattern of M
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
  const bool sparse = find_linear_solver(options.name).sparse;  // dense solvers take full columns
  const auto block = [&](int rows, std::vector<std::pair<int, int>>& entries) {
    return sparse ? SparsePattern::from_entries(rows, 2 * n_, std::move(entries)) : SparsePattern::dense(rows, 2 * n_);
  };
  const BlockPattern pattern{
      block(2 * n_, H), block(m_g_ + m, G), block(m_g_ + m, B), {}, true, p.natural_scales.replicate(2, 1)};
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
  top_left_.resize(pattern.top_left.nonzeros());
  jacobian_.resize(pattern.jacobian.nonzeros());
  bottom_left_.resize(pattern.bottom_left.nonzeros());
  solver_ = make_linear_solver(pattern, options);
}

LinearOutcome CoupledNewtonBlocks::factorize(double h, const Workspace& w, const Eigen::VectorXd& correction_q,
                                             const Eigen::VectorXd& borrowed) {
  for (auto* block : {&top_left_, &jacobian_, &bottom_left_}) block->setZero();
  double *H = top_left_.data(), *G = jacobian_.data(), *B = bottom_left_.data();
  const auto at = [](const std::vector<int>& slots, Eigen::Index e) { return slots.data()[e]; };
  for (Eigen::Index e = 0; e < w.r_q.values.size(); ++e) {
    const double stiffness = h * h * w.r_q.values[e];
    H[at(lower_left_, e)] = stiffness;
    H[at(lower_right_, e)] = h * w.r_v.values[e] + stiffness;
    H[at(upper_left_, e)] = H[at(upper_right_, e)] = h * correction_q[e];
  }
  for (Eigen::Index e = 0; e < w.M.values.size(); ++e) {
    H[at(upper_mass_, e)] += w.M.values[e];
    H[at(lower_mass_, e)] += w.M.values[e];
  }
  for (Eigen::Index j = 0; j < borrowed.size(); ++j) {
    if (borrowed[j] > 0.0) H[at(upper_diagonal_, j)] += borrowed[j];
  }
  for (Eigen::Index e = 0; e < w.G.values.size(); ++e) {
    const double entry = w.G.values[e];
    const double change = h * w.V_q.values[e];
    G[at(lambda_jacobian_, e)] = entry;
    B[at(lambda_left_, e)] = change;
    B[at(lambda_right_, e)] = entry + change;
    if (at(mu_jacobian_, e) < 0) continue;
    G[at(mu_jacobian_, e)] = entry;
    B[at(mu_left_, e)] = entry - change;
    B[at(mu_right_, e)] = -change;
  }
  BlockValues values;
  values.top_left = top_left_.data();
  values.jacobian = jacobian_.data();
  values.bottom_left = bottom_left_.data();
  return solver_->factorize(values);
}

}  // namespace sunlagrange::internal
