#include "formulation/parts/newton_blocks.hpp"

#include <algorithm>

#include "linear_algebra/pattern_products.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {
NewtonBlocks::NewtonBlocks(const Workspace& w, const LinearSolverOptions& options, const Stabilization* stabilization,
                           const GainMatrix& compliance)
    : patterns_(w.patterns),
      mass_(w.mass),
      jacobian_(w.jacobian),
      residual_q_(w.residual_q),
      residual_v_(w.residual_v),
      velocity_q_(w.velocity_q),
      acceleration_q_(w.acceleration_q),
      acceleration_v_(w.acceleration_v) {
  make_bottom_pattern(stabilization);
  BlockPattern pattern;
  pattern.top_left = patterns_->tangent;
  pattern.jacobian = patterns_->jacobian;
  pattern.bottom_left = bottom_;
  if (compliance.size() > 0) {
    pattern.compliance = matrix_pattern(compliance, w.storage == Storage::sparse);
    compliance_ = matrix_values(compliance, pattern.compliance);
  }
  rows_.resize(static_cast<std::size_t>(patterns_->jacobian.rows));
  top_left_.resize(static_cast<std::size_t>(pattern.top_left.nonzeros()));
  bottom_left_.resize(static_cast<std::size_t>(bottom_.nonzeros()));
  solver_ = make_linear_solver(pattern, options);
}

void NewtonBlocks::make_bottom_pattern(const Stabilization* s) {
  const SparsePattern& G = patterns_->jacobian;
  bottom_ = G;
  if (s == nullptr || s->is_diagonal()) return;
  const int m = G.rows;
  const auto mixes = [&](int i, int k) {
    return s->varying || i == k || s->rate(i, k) != 0.0 || s->position_gain(i, k) != 0.0;
  };
  std::vector<std::pair<int, int>> entries;
  const auto for_each = [&](auto&& use) {
    for (int j = 0; j < G.columns; ++j) {
      for (int e = G.column_start[static_cast<std::size_t>(j)]; e < G.column_start[static_cast<std::size_t>(j) + 1];
           ++e) {
        const int k = G.row_index[static_cast<std::size_t>(e)];
        for (int i = 0; i < m; ++i) {
          if (mixes(i, k)) use(i, k, j, e);
        }
      }
    }
  };
  for_each([&](int i, int, int j, int) { entries.emplace_back(i, j); });
  bottom_ = SparsePattern::from_entries(m, G.columns, std::move(entries));
  for_each([&](int i, int k, int j, int e) { full_terms_.push_back({bottom_.slot(i, j), i, k, e}); });
}

void NewtonBlocks::store(const Workspace& w) {
  mass_ = w.mass;
  jacobian_ = w.jacobian;
  residual_q_ = w.residual_q;
  residual_v_ = w.residual_v;
  velocity_q_ = w.velocity_q;
  acceleration_q_ = w.acceleration_q;
  acceleration_v_ = w.acceleration_v;
}

void NewtonBlocks::acceleration_rows(double h, const Stabilization& s) {
  const double h2 = h * h;
  const SparsePattern& G = patterns_->jacobian;
  if (full_terms_.empty()) {
    for (std::size_t e = 0; e < jacobian_.size(); ++e) {
      const int i = G.row_index[e];
      const double rate = s.rate.diagonal[i];
      const double position = i < s.position.size() ? s.position.diagonal[i] : 0.0;
      bottom_left_[e] = jacobian_[e] * (1.0 + h * rate + h2 * position) + h * acceleration_v_[e] +
                        h2 * (acceleration_q_[e] + rate * velocity_q_[e]);
    }
    return;
  }
  std::fill(bottom_left_.begin(), bottom_left_.end(), 0.0);
  for (const Term& term : full_terms_) {
    const auto e = static_cast<std::size_t>(term.source);
    const double rate = s.rate(term.row, term.column);
    const double position = s.position_gain(term.row, term.column);
    double value = rate * (h * jacobian_[e] + h2 * velocity_q_[e]) + h2 * position * jacobian_[e];
    if (term.row == term.column) value += jacobian_[e] + h * acceleration_v_[e] + h2 * acceleration_q_[e];
    bottom_left_[static_cast<std::size_t>(term.target)] += value;
  }
}

void NewtonBlocks::constraint_rows(double h, int first_velocity_row) {
  const SparsePattern& G = patterns_->jacobian;
  for (std::size_t e = 0; e < jacobian_.size(); ++e) {
    bottom_left_[e] = jacobian_[e] + (G.row_index[e] < first_velocity_row ? 0.0 : h * velocity_q_[e]);
  }
}

LinearOutcome NewtonBlocks::factorize(double h) {
  for (std::size_t e = 0; e < top_left_.size(); ++e) top_left_[e] = h * (residual_v_[e] + h * residual_q_[e]);
  return factorize_top_left();
}

LinearOutcome NewtonBlocks::factorize_program(double h, const GainMatrix& K) {
  for (std::size_t e = 0; e < top_left_.size(); ++e) top_left_[e] = h * residual_q_[e];
  for (std::size_t e = 0; e < jacobian_.size() && full_terms_.empty(); ++e) {
    const double rate = K.diagonal[patterns_->jacobian.row_index[e]];
    bottom_left_[e] = jacobian_[e] * (1.0 + h * rate) + h * velocity_q_[e];
  }
  if (!full_terms_.empty()) std::fill(bottom_left_.begin(), bottom_left_.end(), 0.0);
  for (const Term& term : full_terms_) {
    const auto e = static_cast<std::size_t>(term.source);
    double value = K(term.row, term.column) * (h * jacobian_[e]);
    if (term.row == term.column) value += jacobian_[e] + h * velocity_q_[e];
    bottom_left_[static_cast<std::size_t>(term.target)] += value;
  }
  return factorize_top_left();
}

LinearOutcome NewtonBlocks::factorize_top_left() {
  for (std::size_t e = 0; e < mass_.size(); ++e) {
    top_left_[static_cast<std::size_t>(patterns_->mass_in_tangent[e])] += mass_[e];
  }
  BlockValues values;
  values.top_left = top_left_.data();
  values.jacobian = jacobian_.data();
  values.bottom_left = bottom_left_.data();
  values.compliance = compliance_.empty() ? nullptr : compliance_.data();
  return solver_->factorize(values);
}

void NewtonBlocks::add_mass_times(double scale, const double* x, double* y) const {
  add_product(patterns_->mass, mass_, x, y, scale);
}
void NewtonBlocks::add_residual_q_times(double scale, const double* x, double* y) const {
  add_product(patterns_->tangent, residual_q_, x, y, scale);
}
void NewtonBlocks::add_jacobian_times(const double* x, double* y) const {
  add_product(patterns_->jacobian, jacobian_, x, y, 1.0);
}

void NewtonBlocks::add_stabilized_rows_times(double h, const double* b_v, const double* b_q, const Stabilization& s,
                                             double* y) {
  const SparsePattern& G = patterns_->jacobian;
  add_product(G, jacobian_, b_v, y, 1.0);
  add_product(G, acceleration_q_, b_q, y, -h);
  const auto feed_back = [&](const GainMatrix& K, const std::vector<double>& block) {
    std::fill(rows_.begin(), rows_.end(), 0.0);
    add_product(G, block, b_q, rows_.data(), 1.0);
    const int m = K.size();
    for (int i = 0; i < m; ++i) {
      if (K.is_diagonal()) {
        y[i] -= h * K.diagonal[i] * rows_[static_cast<std::size_t>(i)];
      } else {
        for (int k = 0; k < K.full.cols(); ++k) y[i] -= h * K.full(i, k) * rows_[static_cast<std::size_t>(k)];
      }
    }
  };
  feed_back(s.rate, velocity_q_);
  feed_back(s.position, jacobian_);
}

void NewtonBlocks::add_constraint_q_times(double scale, double h, int first_velocity_row, const double* x,
                                          double* y) const {
  const SparsePattern& G = patterns_->jacobian;
  for (int j = 0; j < G.columns; ++j) {
    const double xj = scale * x[j];
    for (int k = G.column_start[static_cast<std::size_t>(j)]; k < G.column_start[static_cast<std::size_t>(j) + 1];
         ++k) {
      const auto e = static_cast<std::size_t>(k);
      y[G.row_index[e]] += (G.row_index[e] < first_velocity_row ? jacobian_[e] : h * velocity_q_[e]) * xj;
    }
  }
}

}  // namespace sunlagrange
