#include "linear_solver/condensed_system.hpp"

#include <algorithm>
#include <cmath>

#include "linear_solver/dense_kernels.hpp"
#include "linear_solver/weakest_direction.hpp"

namespace sunlagrange {

namespace {

constexpr double good_residual = 1e-14;  // relative to the largest term of each block row
constexpr int most_refinements = 4;

using Entries = std::vector<std::pair<int, int>>;

std::vector<Entries> rows_of(const SparsePattern& p) {  // per row: (column, slot)
  std::vector<Entries> rows(static_cast<std::size_t>(p.rows));
  for (int j = 0; j < p.columns; ++j) {
    for (int k = p.column_start.data()[j]; k < p.column_start.data()[j + 1]; ++k) {
      rows[static_cast<std::size_t>(p.row_index.data()[k])].emplace_back(j, k);
    }
  }
  return rows;
}

}  // namespace

std::unique_ptr<CondensedSystem> CondensedSystem::make_if_cheaper(const BlockPattern& pattern, int whole_nonzeros) {
  const SparsePattern& c = pattern.compliance;
  if (c.rows == 0 || c.nonzeros() != c.rows) return nullptr;
  for (int i = 0; i < c.rows; ++i) {
    if (c.slot(i, i) != i) return nullptr;
  }
  Entries entries;
  for (const Entries& row : rows_of(pattern.jacobian)) {
    if (row.size() * row.size() > static_cast<std::size_t>(whole_nonzeros)) return nullptr;
    for (const auto& a : row) {
      for (const auto& b : row) entries.emplace_back(a.first, b.first);
    }
    if (entries.size() > 8 * static_cast<std::size_t>(whole_nonzeros)) return nullptr;
  }
  const SparsePattern& h = pattern.top_left;
  for (int j = 0; j < h.columns; ++j) {
    entries.emplace_back(j, j);
    for (int k = h.column_start.data()[j]; k < h.column_start.data()[j + 1]; ++k) {
      entries.emplace_back(h.row_index.data()[k], j);
    }
  }
  SparsePattern condensed = SparsePattern::from_entries(h.rows, h.columns, std::move(entries));
  if (condensed.nonzeros() > whole_nonzeros) return nullptr;
  return std::make_unique<CondensedSystem>(pattern, std::move(condensed));
}

CondensedSystem::CondensedSystem(const BlockPattern& pattern, SparsePattern condensed)
    : n_(pattern.top_left.rows), m_(pattern.jacobian.rows), mass_pattern_(pattern.top_left) {
  for (int j = 0; j < n_; ++j) {
    for (int k = mass_pattern_.column_start.data()[j]; k < mass_pattern_.column_start.data()[j + 1]; ++k) {
      mass_slots_.push_back(condensed.slot(mass_pattern_.row_index.data()[k], j));
    }
  }
  row_start_.push_back(0);
  for (const Entries& row : rows_of(pattern.jacobian)) {
    for (const auto& [j, slot] : row) {
      column_.push_back(j);
      row_slot_.push_back(slot);
      for (const auto& other : row) product_slots_.push_back(condensed.slot(other.first, j));
    }
    row_start_.push_back(static_cast<int>(column_.size()));
  }
  mass_.resize(mass_slots_.size());
  jacobian_.resize(column_.size());
  for (auto* v : {&f_, &r_, &a_}) v->resize(static_cast<std::size_t>(n_));
  for (auto* v : {&compliance_, &stiffness_, &b_, &s_, &lambda_}) v->resize(static_cast<std::size_t>(m_));
  factors_.analyze(std::move(condensed.column_start), std::move(condensed.row_index), 0.0);
}

bool CondensedSystem::factorize(const BlockValues& v) {
  double* a = factors_.values();
  std::fill(a, a + factors_.row().size(), 0.0);
  std::copy(v.top_left, v.top_left + mass_.size(), mass_.data());
  for (int k = 0, end = static_cast<int>(mass_.size()); k < end; ++k) a[mass_slots_.data()[k]] = mass_.data()[k];
  const int* slot = product_slots_.data();
  double* g = jacobian_.data();
  for (int i = 0; i < m_; ++i) {
    const int first = row_start_.data()[i], last = row_start_.data()[i + 1];
    const double c = v.compliance[i], stiffness = 1.0 / c;
    compliance_.data()[i] = c;
    stiffness_.data()[i] = stiffness;
    for (int p = first; p < last; ++p) g[p] = v.jacobian[row_slot_.data()[p]];
    for (int p = first; p < last; ++p) {
      const double weighted = g[p] * stiffness;
      for (int q = first; q < last; ++q) a[*slot++] += weighted * g[q];
    }
  }
  if (factors_.factored()) return factors_.refactor();
  return kernels::all_finite(a, static_cast<int>(factors_.row().size())) && factors_.factor();
}

int CondensedSystem::solve(double* top, double* bottom) {
  std::copy(top, top + n_, f_.data());
  std::copy(bottom, bottom + m_, b_.data());
  std::fill(a_.begin(), a_.end(), 0.0);
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  std::copy(f_.begin(), f_.end(), r_.begin());
  correct(r_.data(), b_.data());
  int steps = 0;
  double before = HUGE_VAL;
  for (; steps < most_refinements; ++steps) {
    const double now = residual(f_.data(), b_.data());
    if (!(now > good_residual) || now > 0.5 * before) break;
    before = now;
    correct(r_.data(), s_.data());
  }
  std::copy(a_.begin(), a_.end(), top);
  std::copy(lambda_.begin(), lambda_.end(), bottom);
  return steps;
}

WeakestMode CondensedSystem::weakest_mode() {
  const int *start = row_start_.data(), *column = column_.data();
  const double* g = jacobian_.data();
  std::vector<double> mass(f_.size()), d(b_.size()), top(f_.size()), u(b_.size());
  for (int j = 0; j < n_; ++j) {
    const int slot = mass_pattern_.slot(j, j);
    mass.data()[j] = slot >= 0 ? std::abs(mass_.data()[slot]) : 0.0;
  }
  const double heaviest = kernels::largest(mass.data(), n_);
  for (double& x : mass) x = x > 0.0 ? x : heaviest;
  for (int i = 0; i < m_; ++i) {
    double sum = compliance_.data()[i];
    for (int p = start[i]; p < start[i + 1]; ++p) sum += g[p] * g[p] / mass.data()[column[p]];
    d.data()[i] = 1.0 / std::sqrt(sum);
  }
  fill_start_vector(u);
  const double high = power_iteration(u, 8, 0.05, [&](double* x) {
    std::fill(top.begin(), top.end(), 0.0);
    for (int i = 0; i < m_; ++i) {
      for (int p = start[i]; p < start[i + 1]; ++p) top.data()[column[p]] += g[p] * d.data()[i] * x[i];
    }
    for (int i = 0; i < m_; ++i) {
      double sum = compliance_.data()[i] * d.data()[i] * x[i];
      for (int p = start[i]; p < start[i + 1]; ++p) sum += g[p] * top.data()[column[p]] / mass.data()[column[p]];
      x[i] = d.data()[i] * sum;
    }
  });
  fill_start_vector(u);
  const double inverse = power_iteration(u, 60, 1e-4, [&](double* x) {
    std::fill(top.begin(), top.end(), 0.0);
    for (int i = 0; i < m_; ++i) x[i] /= -d.data()[i];
    solve(top.data(), x);
    for (int i = 0; i < m_; ++i) x[i] /= d.data()[i];
  });
  return {high > 0.0 ? std::min(1.0, 1.0 / (inverse * high)) : 0.0, largest_entry(u)};
}

/// (a, lambda) += solution for the right-hand side (r, s); r is overwritten.
void CondensedSystem::correct(double* r, const double* s) {
  const int *start = row_start_.data(), *column = column_.data();
  const double *g = jacobian_.data(), *stiffness = stiffness_.data();
  for (int i = 0; i < m_; ++i) {
    const double force = stiffness[i] * s[i];
    for (int p = start[i]; p < start[i + 1]; ++p) r[column[p]] += g[p] * force;
  }
  factors_.solve(r);
  for (int j = 0; j < n_; ++j) a_.data()[j] += r[j];
  for (int i = 0; i < m_; ++i) {
    double sum = -s[i];
    for (int p = start[i]; p < start[i + 1]; ++p) sum += g[p] * r[column[p]];
    lambda_.data()[i] += stiffness[i] * sum;
  }
}

/// r_, s_; returns the larger of |r| and |s|, each relative to the terms of its block row.
double CondensedSystem::residual(const double* f, const double* b) {
  const int *start = row_start_.data(), *column = column_.data();
  const int *mass_start = mass_pattern_.column_start.data(), *mass_row = mass_pattern_.row_index.data();
  const double *g = jacobian_.data(), *a = a_.data(), *lambda = lambda_.data();
  double *r = r_.data(), *s = s_.data();
  double top = 0.0, top_scale = 0.0, bottom = 0.0, bottom_scale = 0.0;
  for (int j = 0; j < n_; ++j) {  // M is symmetric: its columns serve as rows
    double sum = 0.0;
    for (int k = mass_start[j]; k < mass_start[j + 1]; ++k) sum += mass_.data()[k] * a[mass_row[k]];
    r[j] = f[j] - sum;
    top_scale = std::max(top_scale, std::max(std::abs(sum), std::abs(f[j])));
  }
  for (int i = 0; i < m_; ++i) {
    double sum = 0.0, size = 0.0;
    for (int p = start[i]; p < start[i + 1]; ++p) {
      const double term = g[p] * a[column[p]];
      sum += term;
      size += std::abs(term);
      r[column[p]] -= g[p] * lambda[i];
    }
    s[i] = b[i] - sum + compliance_.data()[i] * lambda[i];
    bottom = std::max(bottom, std::abs(s[i]));
    bottom_scale = std::max(bottom_scale, size + std::abs(b[i]));
  }
  for (int j = 0; j < n_; ++j) top = std::max(top, std::abs(r[j]));
  const double top_relative = top > 0.0 ? top / top_scale : 0.0;
  return std::max(top_relative, bottom > 0.0 ? bottom / bottom_scale : 0.0);
}

}  // namespace sunlagrange
