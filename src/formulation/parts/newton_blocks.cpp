#include "formulation/parts/newton_blocks.hpp"

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

NewtonBlocks::NewtonBlocks(const Workspace& w, const LinearSolverOptions& options, const Stabilization* stabilization,
                           const GainMatrix& compliance)
    : patterns_(w.patterns), rows_(w.gamma.size()) {
  store(w);
  H_ = r_q_;
  make_bottom_pattern(stabilization);
  BlockPattern pattern{patterns_->tangent, patterns_->jacobian, B_.pattern(), {}, true, patterns_->natural_scales};
  if (compliance.size() > 0) {
    pattern.compliance = matrix_pattern(compliance, w.storage == Storage::sparse);
    compliance_ = matrix_values(compliance, pattern.compliance);
  }
  solver_ = make_linear_solver(pattern, options);
}

void NewtonBlocks::make_bottom_pattern(const Stabilization* s) {
  B_ = G_;
  if (s == nullptr || s->is_diagonal()) return;
  const int m = G_.pattern().rows;
  const auto mixes = [&](int i, int k) {
    return s->varying || i == k || s->rate(i, k) != 0.0 || s->position_gain(i, k) != 0.0;
  };
  std::vector<std::pair<int, int>> entries;
  const auto for_each = [&](auto&& use) {
    G_.pattern().for_each_entry([&](int k, int j, int e) {
      for (int i = 0; i < m; ++i) {
        if (mixes(i, k)) use(i, k, j, e);
      }
    });
  };
  for_each([&](int i, int, int j, int) { entries.emplace_back(i, j); });
  B_ = PatternMatrix(
      std::make_shared<const SparsePattern>(SparsePattern::from_entries(m, G_.pattern().columns, std::move(entries))));
  for_each([&](int i, int k, int j, int e) { full_terms_.push_back({B_.pattern().slot(i, j), i, k, e}); });
}

void NewtonBlocks::store(const Workspace& w) {
  M_ = w.M;
  G_ = w.G;
  r_q_ = w.r_q;
  r_v_ = w.r_v;
  V_q_ = w.V_q;
  A_q_ = w.A_q;
  A_v_ = w.A_v;
}

void NewtonBlocks::acceleration_rows(double h, const Stabilization& s) {
  const double h2 = h * h;
  const auto &G = G_.values, &V_q = V_q_.values, &A_q = A_q_.values, &A_v = A_v_.values;
  if (full_terms_.empty()) {
    G_.pattern().for_each_entry([&](int i, int, int e) {
      const double K_D = s.rate.diagonal[i];
      const double K_P = i < s.position.size() ? s.position.diagonal[i] : 0.0;
      B_.values[e] = G[e] * (1.0 + h * K_D + h2 * K_P) + h * A_v[e] + h2 * (A_q[e] + K_D * V_q[e]);
    });
    return;
  }
  B_.set_zero();
  for (const Term& term : full_terms_) {
    const int e = term.source;
    const double K_D = s.rate(term.row, term.column);
    const double K_P = s.position_gain(term.row, term.column);
    double value = K_D * (h * G[e] + h2 * V_q[e]) + h2 * K_P * G[e];
    if (term.row == term.column) value += G[e] + h * A_v[e] + h2 * A_q[e];
    B_.values[term.target] += value;
  }
}

void NewtonBlocks::constraint_rows(double h, int first_velocity_row) {
  G_.pattern().for_each_entry(
      [&](int i, int, int e) { B_.values[e] = G_.values[e] + (i < first_velocity_row ? 0.0 : h * V_q_.values[e]); });
}

LinearOutcome NewtonBlocks::factorize(double h) {
  H_.values = h * (r_v_.values + h * r_q_.values);
  return factorize_top_left();
}

LinearOutcome NewtonBlocks::factorize_program(double h, const GainMatrix& K) {
  const auto &G = G_.values, &V_q = V_q_.values;
  H_.values = h * r_q_.values;
  if (full_terms_.empty()) {
    G_.pattern().for_each_entry(
        [&](int i, int, int e) { B_.values[e] = G[e] * (1.0 + h * K.diagonal[i]) + h * V_q[e]; });
  } else {
    B_.set_zero();
  }
  for (const Term& term : full_terms_) {
    const int e = term.source;
    double value = K(term.row, term.column) * (h * G[e]);
    if (term.row == term.column) value += G[e] + h * V_q[e];
    B_.values[term.target] += value;
  }
  return factorize_top_left();
}

LinearOutcome NewtonBlocks::factorize_top_left() {
  const int* place = patterns_->mass_in_tangent.data();
  for (Eigen::Index e = 0; e < M_.values.size(); ++e) H_.values[place[e]] += M_.values[e];
  BlockValues values;
  values.top_left = H_.data();
  values.jacobian = G_.data();
  values.bottom_left = B_.data();
  values.compliance = compliance_.empty() ? nullptr : compliance_.data();
  return solver_->factorize(values);
}

void NewtonBlocks::stabilized_rows_times(double h, const VectorMap& b_v, const VectorMap& b_q, const Stabilization& s,
                                         Eigen::VectorXd& y) {
  y.setZero();
  y += G_ * b_v;
  y -= h * (A_q_ * b_q);
  rows_.setZero();
  rows_ += V_q_ * b_q;
  y -= h * (s.rate * rows_);
  rows_.setZero();
  rows_ += G_ * b_q;
  y -= h * (s.position * rows_);
}

void NewtonBlocks::subtract_constraint_q_times(double h, int first_velocity_row, const VectorMap& x,
                                               Eigen::VectorXd& y) const {
  G_.pattern().for_each_entry(
      [&](int i, int j, int e) { y[i] -= (i < first_velocity_row ? G_.values[e] : h * V_q_.values[e]) * x[j]; });
}

}  // namespace sunlagrange::internal
