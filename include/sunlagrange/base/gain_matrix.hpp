#pragma once

#include <Eigen/Core>

namespace sunlagrange {

/// A resolved m x m matrix; large systems have diagonal ones, which are never expanded.
struct GainMatrix {
  Eigen::VectorXd diagonal;  ///< length m if diagonal
  Eigen::MatrixXd full;      ///< m x m otherwise

  bool is_diagonal() const { return full.size() == 0; }
  int size() const { return static_cast<int>(is_diagonal() ? diagonal.size() : full.rows()); }
  int columns() const { return static_cast<int>(is_diagonal() ? diagonal.size() : full.cols()); }
  double operator()(int i, int j) const { return is_diagonal() ? (i == j ? diagonal[i] : 0.0) : full(i, j); }
  static GainMatrix scalar(int m, double value) { return {Eigen::VectorXd::Constant(m, value), {}}; }

  /// Diagonal if both are.
  static GainMatrix block_diagonal(const GainMatrix& A, const GainMatrix& B);

  /// With its zeros; full matrices may have fewer columns than rows.
  Eigen::MatrixXd dense() const;

  /// Calls use(row, column, entry) for the diagonal, or for every entry of a full matrix.
  template <class Use>
  void for_each_entry(Use&& use) const {
    for (int i = 0; is_diagonal() && i < diagonal.size(); ++i) use(i, i, diagonal[i]);
    for (int j = 0; j < full.cols(); ++j) {
      for (int i = 0; i < full.rows(); ++i) use(i, j, full(i, j));
    }
  }

  /// b += scale K x, in the first rows of a longer b.
  void add_product(double scale, const double* x, double* b) const;
};

/// K x, waiting for the vector it is added to or taken from: b -= K_D * g_rate.
struct GainProduct {
  const GainMatrix& K;
  const double* x;
  double scale;
};

template <class Vector>
GainProduct operator*(const GainMatrix& K, const Eigen::MatrixBase<Vector>& x) {
  return {K, x.derived().data(), 1.0};
}

inline GainProduct operator*(double scale, GainProduct product) {
  product.scale *= scale;
  return product;
}

template <class Vector>
void operator+=(const Eigen::MatrixBase<Vector>& b, const GainProduct& product) {
  product.K.add_product(product.scale, product.x, const_cast<double*>(b.derived().data()));
}

template <class Vector>
void operator-=(const Eigen::MatrixBase<Vector>& b, const GainProduct& product) {
  product.K.add_product(-product.scale, product.x, const_cast<double*>(b.derived().data()));
}

}  // namespace sunlagrange
