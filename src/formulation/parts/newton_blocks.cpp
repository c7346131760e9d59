// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/newton_blocks.hpp"

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

NewtonBlocks::NewtonBlocks(const Workspace& w, const LinearSolverOptions& options, const Stabilization* stabilization,
                           const GainMatrix& compliance)
    : patterns_(w.patterns), options_(options) {
  store(w);
  pattern_ = {patterns_->tangent,       patterns_->jacobian, bottom_pattern(stabilization), {}, true,
              patterns_->natural_scales};
  if (compliance.size() > 0) {
    pattern_.compliance = matrix_pattern(compliance, w.storage == Storage::sparse);
    compliance_ = matrix_values(compliance, pattern_.compliance);
  }
  matrix<double>();
}

LinearCounts NewtonBlocks::counts() const {
  LinearCounts sum = matrices_.of<double>()->solver().counts();
  if (const auto& complex = matrices_.of<Complex>(); complex != nullptr) sum += complex->solver().counts();
  if (transposed_ != nullptr) sum += transposed_->matrix.solver().counts();
  return sum;
}

SparsePattern NewtonBlocks::bottom_pattern(const Stabilization* s) {
  const SparsePattern& G = G_.pattern();
  if (s == nullptr || s->is_diagonal()) return G;
  const int m = G.rows;
  const auto mixes = [&](int i, int k) {
    return s->varying || i == k || s->rate(i, k) != 0.0 || s->position_gain(i, k) != 0.0;
  };
  std::vector<std::pair<int, int>> entries;
  const auto for_each = [&](auto&& use) {
    G.for_each_entry([&](int k, int j, int e) {
      for (int i = 0; i < m; ++i) {
        if (mixes(i, k)) use(i, k, j, e);
      }
    });
  };
  for_each([&](int i, int, int j, int) { entries.emplace_back(i, j); });
  SparsePattern B = SparsePattern::from_entries(m, G.columns, std::move(entries));
  for_each([&](int i, int k, int j, int e) { full_terms_.push_back({B.slot(i, j), i, k, e}); });
  return B;
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

template <class Scalar>
void NewtonBlocks::acceleration_rows(Scalar h, const Stabilization& s) {
  const Scalar h2 = h * h;
  const auto &G = G_.values, &V_q = V_q_.values, &A_q = A_q_.values, &A_v = A_v_.values;
  VectorOf<Scalar>& B = matrix<Scalar>().bottom_left;
  if (full_terms_.empty()) {
    G_.pattern().for_each_entry([&](int i, int, int e) {
      const double K_D = s.rate.diagonal[i];
      const double K_P = i < s.position.size() ? s.position.diagonal[i] : 0.0;
      B[e] = G[e] * (1.0 + h * K_D + h2 * K_P) + h * A_v[e] + h2 * (A_q[e] + K_D * V_q[e]);
    });
    return;
  }
  B.setZero();
  for (const Term& term : full_terms_) {
    const int e = term.source;
    const double K_D = s.rate(term.row, term.column);
    const double K_P = s.position_gain(term.row, term.column);
    Scalar value = K_D * (h * G[e] + h2 * V_q[e]) + h2 * K_P * G[e];
    if (term.row == term.column) value += G[e] + h * A_v[e] + h2 * A_q[e];
    B[term.target] += value;
  }
}

template <class Scalar>
void NewtonBlocks::constraint_rows(Scalar h, int first_velocity_row) {
  VectorOf<Scalar>& B = matrix<Scalar>().bottom_left;
  G_.pattern().for_each_entry(
      [&](int i, int, int e) { B[e] = G_.values[e] + (i < first_velocity_row ? 0.0 : h * V_q_.values[e]); });
}

template <class Scalar>
void NewtonBlocks::fill_top_left(Scalar h) {
  const double *r_v = r_v_.data(), *r_q = r_q_.data();
  VectorOf<Scalar>& H = matrix<Scalar>().top_left;
  for (Eigen::Index e = 0; e < H.size(); ++e) H[e] = h * (r_v[e] + h * r_q[e]);
}

template <class Scalar>
EvaluationResult NewtonBlocks::factorize(Scalar h) {
  fill_top_left(h);
  return factorize_with_mass<Scalar>();
}

EvaluationResult NewtonBlocks::factorize_transposed(double h) {
  if (transposed_ == nullptr) {
    const SparsePattern& H = pattern_.top_left;
    std::vector<std::pair<int, int>> entries;
    H.for_each_entry([&](int i, int j, int) { entries.emplace_back(j, i); });
    BlockPattern pattern = pattern_;
    pattern.top_left = SparsePattern::from_entries(H.columns, H.rows, std::move(entries));
    pattern.jacobian = pattern_.bottom_left;
    pattern.bottom_left = pattern_.jacobian;
    transposed_ = std::unique_ptr<Transposed>(new Transposed{{pattern, options_}, {}});
    H.for_each_entry([&](int i, int j, int) { transposed_->top_left.push_back(pattern.top_left.slot(j, i)); });
  }
  fill_top_left(h);
  add_mass<double>();
  NewtonMatrix<double>& matrix = transposed_->matrix;
  const int* place = transposed_->top_left.data();
  const NewtonMatrix<double>& real = *matrices_.of<double>();
  for (Eigen::Index e = 0; e < real.top_left.size(); ++e) matrix.top_left[place[e]] = real.top_left[e];
  matrix.bottom_left = G_.values;
  return matrix.factorize(real.bottom_left.data(), compliance_.empty() ? nullptr : compliance_.data());
}

template <class Scalar>
EvaluationResult NewtonBlocks::factorize_program(Scalar h, const GainMatrix& K) {
  const auto &G = G_.values, &V_q = V_q_.values;
  VectorOf<Scalar>& B = matrix<Scalar>().bottom_left;
  VectorOf<Scalar>& H = matrix<Scalar>().top_left;
  for (Eigen::Index e = 0; e < H.size(); ++e) H[e] = h * r_q_.values[e];
  if (full_terms_.empty()) {
    G_.pattern().for_each_entry([&](int i, int, int e) { B[e] = G[e] * (1.0 + h * K.diagonal[i]) + h * V_q[e]; });
  } else {
    B.setZero();
  }
  for (const Term& term : full_terms_) {
    const int e = term.source;
    Scalar value = K(term.row, term.column) * (h * G[e]);
    if (term.row == term.column) value += G[e] + h * V_q[e];
    B[term.target] += value;
  }
  return factorize_with_mass<Scalar>();
}

template <class Scalar>
void NewtonBlocks::add_mass() {
  VectorOf<Scalar>& H = matrix<Scalar>().top_left;
  const int* place = patterns_->mass_in_tangent.data();
  for (Eigen::Index e = 0; e < M_.values.size(); ++e) H[place[e]] += M_.values[e];
}

template <class Scalar>
EvaluationResult NewtonBlocks::factorize_with_mass() {
  add_mass<Scalar>();
  return matrix<Scalar>().factorize(G_.data(), compliance_.empty() ? nullptr : compliance_.data());
}

template <class Scalar>
void NewtonBlocks::subtract_stabilized_q_times(Scalar h, const Eigen::Map<VectorOf<Scalar>>& b_q,
                                               const Stabilization& s, VectorOf<Scalar>& y) {
  VectorOf<Scalar>& rows = matrix<Scalar>().rows;
  y -= h * (A_q_ * b_q);
  rows.setZero();
  rows += V_q_ * b_q;
  y -= h * (s.rate * rows);
  rows.setZero();
  rows += G_ * b_q;
  y -= h * (s.position * rows);
}

void NewtonBlocks::add_stabilized_rows_transposed(double h, const Eigen::VectorXd& z, const Stabilization& s,
                                                  Eigen::Map<Eigen::VectorXd>& b_v, Eigen::Map<Eigen::VectorXd>& b_q) {
  Eigen::VectorXd& rows = matrix<double>().rows;
  const auto times_transposed = [&](const GainMatrix& K) -> const Eigen::VectorXd& {
    rows.setZero();
    K.for_each_entry([&](int i, int j, double entry) { rows[j] += entry * z[i]; });
    return rows;
  };
  b_v += G_.transposed() * z;
  b_q -= h * (A_q_.transposed() * z);
  b_q -= h * (V_q_.transposed() * times_transposed(s.rate));
  b_q -= h * (G_.transposed() * times_transposed(s.position));
}

template <class Scalar>
void NewtonBlocks::subtract_constraint_q_times(Scalar h, int first_velocity_row, const Eigen::Map<VectorOf<Scalar>>& x,
                                               VectorOf<Scalar>& y) const {
  G_.pattern().for_each_entry([&](int i, int j, int e) {
    y[i] -= (i < first_velocity_row ? Scalar(G_.values[e]) : h * V_q_.values[e]) * x[j];
  });
}

#define SUNLAGRANGE_FOR(Scalar)                                                                             \
  template void NewtonBlocks::acceleration_rows(Scalar, const Stabilization&);                              \
  template void NewtonBlocks::constraint_rows(Scalar, int);                                                 \
  template EvaluationResult NewtonBlocks::factorize(Scalar);                                                \
  template EvaluationResult NewtonBlocks::factorize_program(Scalar, const GainMatrix&);                     \
  template void NewtonBlocks::subtract_stabilized_q_times(Scalar, const Eigen::Map<VectorOf<Scalar>>&,      \
                                                          const Stabilization&, VectorOf<Scalar>&);         \
  template void NewtonBlocks::subtract_constraint_q_times(Scalar, int, const Eigen::Map<VectorOf<Scalar>>&, \
                                                          VectorOf<Scalar>&) const;
SUNLAGRANGE_FOR(double)
SUNLAGRANGE_FOR(Complex)
#undef SUNLAGRANGE_FOR

}  // namespace sunlagrange::internal
