// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "radau5.hpp"
#include "run.hpp"

namespace sunlagrange::peers {

/// The index of the equations, and the settings of RADAU5 that use their structure.
struct Form {
  const char* name;
  int index;          ///< index of the constraints, 1 to 3; 0: g and g' together, with a second multiplier (GGL)
  bool second_order;  ///< m1, m2: q' = v (v' = a) are eliminated
  bool approximate_jacobian;  ///< M, G, G^T and identities alone
};

/// A problem P, M v' + G^T lambda = f, g = 0, for RADAU5 with a constant matrix before y':
///
///     M constant:  y = (q, v, lambda, mu),     q' = v [- G^T mu],  M v' = f - G^T lambda,           0 = rows
///     otherwise:   y = (q, v, a, lambda, mu),  q' = v [- G^T mu],  v' = a,  0 = f - G^T lambda - M a,  0 = rows
///
/// with rows g, g', g'' or, for GGL, (g', g). P has, at the point of at(t, q, v):
///     force: f           force_tangents: df/dq, df/dv           curvature(x): W(x) = d(G x)/dq
///     constraint: g      gradient: G                            curvature_transposed(l): d(G^T l)/dq
///     explicit_rate: g' - G v                                   explicit_rate_q: its derivative, added
///     bias: g'' - G a    bias_tangents: by q without W(a), by v
/// Tangents find zeros in what they fill.
template <class P>
class Expert {
 public:
  static Run run(const Form& form, double tolerance, const std::vector<double>& end) {
    form_ = &form;
    const bool ggl = form.index == 0;
    const int size = unknowns() + (ggl ? P::m : 0);
    std::vector<double> y(static_cast<std::size_t>(size), 0.0);
    const double* const parts[] = {P::q0, P::v0, P::a0, P::lambda0};
    double* to = y.data();
    for (int k = 0; k < 4; ++k) {
      if (k == 2 && !P::accelerations) continue;
      to = std::copy(parts[k], parts[k] + (k == 3 ? P::m : P::n), to);
    }
    const int m1 = form.second_order ? levels() * P::n : 0, rows = size - m1;
    std::vector<double> work(static_cast<std::size_t>(size * (size + 12) + 4 * rows * rows + rows + 40), 0.0);
    int iwork[200] = {};
    iwork[1] = 1000000;
    const int last = size - 2 * P::n;
    iwork[4] = form.index == 3 ? P::n : form.index == 1 ? size : 2 * P::n;
    iwork[5] = form.index == 3 ? P::n : form.index == 1 ? 0 : last;
    iwork[6] = form.index == 3 ? last : 0;
    iwork[8] = m1;
    iwork[9] = P::n;
    double x = 0.0, h = std::min(P::first_step, tolerance), rtol = tolerance, atol = tolerance, rpar = 0.0;
    const int scalar = 0, yes = 1, no = 0, work_size = static_cast<int>(work.size()), iwork_size = 200;
    int lower = rows, upper = rows, mass_lower = 0, mass_upper = 0;
    int ipar = m1, result = 0;
    const double begin = cpu_seconds();
    radau5_(&size, function, &x, y.data(), &P::t_end, &h, &rtol, &atol, &scalar, jacobian, &yes, &lower, &upper, mass,
            &yes, &mass_lower, &mass_upper, output, &no, work.data(), &work_size, iwork, &iwork_size, &rpar, &ipar,
            &result);
    Run run;
    run.seconds = cpu_seconds() - begin;
    run.finished = result == 1;
    for (std::size_t i = 0; i < end.size(); ++i) run.error = std::max(run.error, std::abs(y[i] - end[i]));
    run.steps = iwork[16];
    run.rejected = iwork[15] - iwork[16];
    run.evaluations = iwork[13];
    run.jacobians = iwork[14];
    run.factorizations = iwork[18];
    run.iterations = iwork[19];
    return run;
  }

 private:
  static constexpr int levels() { return P::accelerations ? 2 : 1; }
  static constexpr int before_lambda() { return (P::accelerations ? 3 : 2) * P::n; }
  static constexpr int unknowns() { return before_lambda() + P::m; }

  static void function(const int*, const double* x, const double* y, double* f, double*, int*) {
    constexpr int n = P::n, m = P::m;
    const double *v = y + n, *lambda = y + before_lambda(), *mu = lambda + m;
    P p;
    p.at(*x, y, v);
    double G[m][n];
    p.gradient(G);
    for (int j = 0; j < n; ++j) f[j] = v[j];
    if (form_->index == 0) subtract_transposed(G, mu, f);
    double* const equations = f + levels() * n;
    double a[n];
    if constexpr (P::accelerations) {
      for (int j = 0; j < n; ++j) a[j] = f[n + j] = y[2 * n + j];
    }
    p.force(equations);
    subtract_transposed(G, lambda, equations);
    if constexpr (P::accelerations) {
      p.subtract_mass_times(a, equations);
    } else {
      for (int j = 0; j < n; ++j) a[j] = equations[j] / P::mass_diagonal[j];
    }
    double* const rows = f + before_lambda();
    if (form_->index == 3) return p.constraint(rows);
    if (form_->index == 0) p.constraint(rows + m);
    form_->index == 1 ? p.bias(rows) : p.explicit_rate(rows);
    const double* const rate = form_->index == 1 ? a : v;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) rows[i] += G[i][j] * rate[j];
    }
  }

  static void subtract_transposed(const double (&G)[P::m][P::n], const double* x, double* f) {
    for (int i = 0; i < P::m; ++i) {
      for (int j = 0; j < P::n; ++j) f[j] -= G[i][j] * x[i];
    }
  }

  /// With m1 RADAU5 wants the rows behind the first m1, in a matrix with `leading` rows.
  static void jacobian(const int* size, const double* x, const double* y, double* J, const int* leading, double*,
                       int* ipar) {
    constexpr int n = P::n, m = P::m, N = before_lambda();
    const bool approximate = form_->approximate_jacobian, ggl = form_->index == 0;
    const double *v = y + n, *lambda = y + N, *mu = lambda + m;
    const int skipped = *ipar, ld = *leading;
    std::fill(J, J + ld * *size, 0.0);
    const auto set = [&](int i, int j, double value) { J[i - skipped + j * ld] = value; };
    P p;
    p.at(*x, y, v);
    double G[m][n], K[n][n] = {}, D[n][n] = {}, transposed[n][n] = {};
    p.gradient(G);
    if (skipped == 0) {
      for (int j = 0; j < levels() * n; ++j) set(j, n + j, 1.0);
    }
    if (ggl) {
      if (!approximate) p.curvature_transposed(mu, transposed);
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) set(j, k, -transposed[j][k]);
        for (int i = 0; i < m; ++i) set(j, N + m + i, -G[i][j]);
      }
    }
    const int equations = levels() * n;
    if (!approximate) {
      p.force_tangents(K, D);
      for (auto& row : transposed) std::fill(row, row + n, 0.0);
      p.curvature_transposed(lambda, transposed);
      if constexpr (P::accelerations) p.subtract_mass_tangent(y + 2 * n, K);
    }
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        K[j][k] -= transposed[j][k];
        set(equations + j, k, K[j][k]);
        set(equations + j, n + k, D[j][k]);
      }
      for (int i = 0; i < m; ++i) set(equations + j, N + i, -G[i][j]);
    }
    if constexpr (P::accelerations) {
      double M[n][n] = {};
      p.mass(M);
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) set(equations + j, 2 * n + k, -M[j][k]);
      }
    }
    constraint_rows(p, G, K, D, y, set);
  }

  template <class Set>
  static void constraint_rows(const P& p, const double (&G)[P::m][P::n], const double (&K)[P::n][P::n],
                              const double (&D)[P::n][P::n], const double* y, const Set& set) {
    constexpr int n = P::n, m = P::m, N = before_lambda();
    const bool approximate = form_->approximate_jacobian;
    const int index = form_->index;
    double by_q[m][n] = {}, by_v[m][n] = {};
    if (index == 3) {
      put(G, N, 0, set);
      return;
    }
    if (index != 1) {
      if (!approximate) {
        p.curvature(y + n, by_q);
        p.explicit_rate_q(by_q);
      }
      put(by_q, N, 0, set);
      put(G, N, n, set);
      if (index == 0) put(G, N + m, 0, set);
      return;
    }
    if constexpr (P::accelerations) {
      double more[m][n] = {};
      if (!approximate) {
        p.bias_tangents(by_q, by_v);
        p.curvature(y + 2 * n, more);
      }
      add(more, by_q);
      put(G, N, 2 * n, set);
    } else {
      second_derivative(p, G, K, D, y, by_q, by_v, set);
    }
    put(by_q, N, 0, set);
    put(by_v, N, n, set);
  }

  /// Derivatives of G M^-1 (f - G^T lambda) + bias for a constant M.
  template <class Set>
  static void second_derivative(const P& p, const double (&G)[P::m][P::n], const double (&K)[P::n][P::n],
                                const double (&D)[P::n][P::n], const double* y, double (&by_q)[P::m][P::n],
                                double (&by_v)[P::m][P::n], const Set& set) {
    constexpr int n = P::n, m = P::m, N = before_lambda();
    double a[n], more[m][n] = {};
    p.force(a);
    subtract_transposed(G, y + N, a);
    for (int j = 0; j < n; ++j) a[j] /= P::mass_diagonal[j];
    p.bias_tangents(by_q, by_v);
    p.curvature(a, more);
    add(more, by_q);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        const double g = G[i][j] / P::mass_diagonal[j];
        for (int k = 0; k < n; ++k) {
          by_q[i][k] += g * K[j][k];
          by_v[i][k] += g * D[j][k];
        }
      }
      for (int k = 0; k < m; ++k) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) sum -= G[i][j] * G[k][j] / P::mass_diagonal[j];
        set(N + i, N + k, sum);
      }
    }
  }

  static void add(const double (&x)[P::m][P::n], double (&y)[P::m][P::n]) {
    for (int i = 0; i < P::m; ++i) {
      for (int j = 0; j < P::n; ++j) y[i][j] += x[i][j];
    }
  }
  template <class Set>
  static void put(const double (&A)[P::m][P::n], int row, int column, const Set& set) {
    for (int i = 0; i < P::m; ++i) {
      for (int j = 0; j < P::n; ++j) set(row + i, column + j, A[i][j]);
    }
  }

  /// The diagonal, behind the first m1.
  static void mass(const int* size, double* diagonal, const int* leading, double*, int* ipar) {
    const int skipped = *ipar, n = P::n;
    for (int i = 0; i < *size; ++i) {
      double value = 0.0;
      const int row = i + skipped;
      if (row < n) value = 1.0;
      if (row >= n && row < 2 * n) value = P::accelerations ? 1.0 : P::mass_diagonal[row - n];
      diagonal[i * *leading] = value;
    }
  }

  static void output(const int*, const double*, const double*, const double*, const double*, const int*, const int*,
                     double*, int*, int*) {}

  static inline const Form* form_ = nullptr;
};

}  // namespace sunlagrange::peers
