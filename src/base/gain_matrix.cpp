#include <sunlagrange/base/gain_matrix.hpp>

namespace sunlagrange {

void GainMatrix::subtract_product(const double* x, double* b) const {
  const int m = size();
  if (is_diagonal()) {
    for (int i = 0; i < m; ++i) b[i] -= diagonal[i] * x[i];
    return;
  }
  for (int j = 0; j < full.cols(); ++j) {
    for (int i = 0; i < m; ++i) b[i] -= full(i, j) * x[j];
  }
}

}  // namespace sunlagrange
