#pragma once

#include <sunlagrange/internal/pattern_matrix.hpp>

namespace sunlagrange {

/// y += scale * A x
inline void add_product(const PatternMatrix& A, const double* x, double* y, double scale = 1.0) {
  PatternProduct<false>{&A.pattern(), A.data(), x, scale}.add_to(y, 1.0);
}

/// y += A^T x
inline void add_transposed_product(const PatternMatrix& A, const double* x, double* y) {
  PatternProduct<true>{&A.pattern(), A.data(), x, 1.0}.add_to(y, 1.0);
}

}  // namespace sunlagrange
