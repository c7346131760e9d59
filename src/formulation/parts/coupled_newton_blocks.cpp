#include "formulation/parts/coupled_newton_blocks.hpp"

#include <algorithm>

namespace sunlagrange {
namespace {

/// Calls use(row, column, slot) for every entry.
template <class Use>
void for_each_entry(const SparsePattern& pattern, Use&& use) {
  for (int j = 0; j < pattern.columns; ++j) {
    for (int k = pattern.column_start[static_cast<std::size_t>(j)];
         k < pattern.column_start[static_cast<std::size_t>(j) + 1]; ++k) {
      use(pattern.row_index[static_cast<std::size_t>(k)], j, k);
    }
  }
}

/// Slots in `target` of the entries of `source`, moved by (rows, columns); -1 for entries below `row_limit`.
std::vector<int> shifted_slots(const SparsePattern& source, const SparsePattern& target, int rows, int columns,
                               int row_limit) {
  std::vector<int> slots(static_cast<std::size_t>(source.nonzeros()), -1);
  for_each_entry(source, [&](int i, int j, int k) {
    if (i < row_limit) slots[static_cast<std::size_t>(k)] = target.slot(i + rows, j + columns);
  });
  return slots;
}

}  // namespace

CoupledNewtonBlocks::CoupledNewtonBlocks(const SystemPatterns& p, int m_g, const LinearSolverOptions& options)
    : n_(p.mass.rows), m_g_(m_g) {
  const int m = p.jacobian.rows;
  std::vector<std::pair<int, int>> H;
  for_each_entry(p.tangent, [&](int i, int j, int) {  // contains the pattern of M
    H.emplace_back(i, j);
    H.emplace_back(i, n_ + j);
    H.emplace_back(n_ + i, j);
    H.emplace_back(n_ + i, n_ + j);
  });
  std::vector<std::pair<int, int>> G;
  std::vector<std::pair<int, int>> B;
  for_each_entry(p.jacobian, [&](int i, int j, int) {
    G.emplace_back(m_g_ + i, n_ + j);
    B.emplace_back(m_g_ + i, j);
    B.emplace_back(m_g_ + i, n_ + j);
    if (i >= m_g_) return;
    G.emplace_back(i, j);
    B.emplace_back(i, j);
    B.emplace_back(i, n_ + j);
  });
  BlockPattern pattern;
  pattern.top_left = SparsePattern::from_entries(2 * n_, 2 * n_, std::move(H));
  pattern.jacobian = SparsePattern::from_entries(m_g_ + m, 2 * n_, std::move(G));
  pattern.bottom_left = SparsePattern::from_entries(m_g_ + m, 2 * n_, std::move(B));
  if (!find_linear_solver(options.name).sparse) {  // dense solvers take full columns
    pattern.top_left = SparsePattern::dense(2 * n_, 2 * n_);
    pattern.jacobian = SparsePattern::dense(m_g_ + m, 2 * n_);
    pattern.bottom_left = SparsePattern::dense(m_g_ + m, 2 * n_);
  }
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
  top_left_.resize(static_cast<std::size_t>(pattern.top_left.nonzeros()));
  jacobian_.resize(static_cast<std::size_t>(pattern.jacobian.nonzeros()));
  bottom_left_.resize(static_cast<std::size_t>(pattern.bottom_left.nonzeros()));
  solver_ = make_linear_solver(pattern, options);
}

LinearOutcome CoupledNewtonBlocks::factorize(double h, const Workspace& w, const std::vector<double>& correction_q,
                                             const std::vector<double>& borrowed) {
  const auto at = [](std::vector<double>& values, int slot) -> double& {
    return values[static_cast<std::size_t>(slot)];
  };
  std::fill(top_left_.begin(), top_left_.end(), 0.0);
  std::fill(jacobian_.begin(), jacobian_.end(), 0.0);
  std::fill(bottom_left_.begin(), bottom_left_.end(), 0.0);
  for (std::size_t e = 0; e < w.residual_q.size(); ++e) {
    const double stiffness = h * h * w.residual_q[e];
    at(top_left_, lower_left_[e]) = stiffness;
    at(top_left_, lower_right_[e]) = h * w.residual_v[e] + stiffness;
    at(top_left_, upper_left_[e]) = at(top_left_, upper_right_[e]) = h * correction_q[e];
  }
  for (std::size_t e = 0; e < w.mass.size(); ++e) {
    at(top_left_, upper_mass_[e]) += w.mass[e];
    at(top_left_, lower_mass_[e]) += w.mass[e];
  }
  for (std::size_t j = 0; j < borrowed.size(); ++j) {
    if (borrowed[j] > 0.0) at(top_left_, upper_diagonal_[j]) += borrowed[j];
  }
  for (std::size_t e = 0; e < w.jacobian.size(); ++e) {
    const double G = w.jacobian[e];
    const double change = h * w.velocity_q[e];
    at(jacobian_, lambda_jacobian_[e]) = G;
    at(bottom_left_, lambda_left_[e]) = change;
    at(bottom_left_, lambda_right_[e]) = G + change;
    if (mu_jacobian_[e] < 0) continue;
    at(jacobian_, mu_jacobian_[e]) = G;
    at(bottom_left_, mu_left_[e]) = G - change;
    at(bottom_left_, mu_right_[e]) = -change;
  }
  BlockValues values;
  values.top_left = top_left_.data();
  values.jacobian = jacobian_.data();
  values.bottom_left = bottom_left_.data();
  return solver_->factorize(values);
}

}  // namespace sunlagrange
