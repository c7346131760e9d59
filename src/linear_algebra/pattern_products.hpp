#pragma once

#include <vector>

#include <sunlagrange/internal/sparse_pattern.hpp>

namespace sunlagrange {

/// y += scale * A x
inline void add_product(const internal::SparsePattern& p, const std::vector<double>& A, const double* x, double* y,
                        double scale = 1.0) {
  for (int j = 0; j < p.columns; ++j) {
    const double xj = scale * x[j];
    const int end = p.column_start[static_cast<std::size_t>(j) + 1];
    for (int k = p.column_start[static_cast<std::size_t>(j)]; k < end; ++k) {
      y[p.row_index[static_cast<std::size_t>(k)]] += A[static_cast<std::size_t>(k)] * xj;
    }
  }
}

/// y += A^T x
inline void add_transposed_product(const internal::SparsePattern& p, const std::vector<double>& A, const double* x, double* y) {
  for (int j = 0; j < p.columns; ++j) {
    double sum = 0.0;
    const int end = p.column_start[static_cast<std::size_t>(j) + 1];
    for (int k = p.column_start[static_cast<std::size_t>(j)]; k < end; ++k) {
      sum += A[static_cast<std::size_t>(k)] * x[p.row_index[static_cast<std::size_t>(k)]];
    }
    y[j] += sum;
  }
}

}  // namespace sunlagrange
