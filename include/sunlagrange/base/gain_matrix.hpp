// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include <Eigen/Core>

namespace sunlagrange {

class Figures;

/// An m x m matrix of gains or compliances, stored as its diagonal where it is diagonal.
struct GainMatrix {
  Eigen::VectorXd diagonal;  ///< length m if diagonal
  Eigen::MatrixXd full;      ///< m x m otherwise

  /// True if only `diagonal` is set.
  bool is_diagonal() const { return full.size() == 0; }
  /// m, the number of rows.
  int size() const { return static_cast<int>(is_diagonal() ? diagonal.size() : full.rows()); }
  /// m, or fewer for a full matrix of some columns.
  int columns() const { return static_cast<int>(is_diagonal() ? diagonal.size() : full.cols()); }
  /// Entry in row i and column j, both from 0.
  double operator()(int i, int j) const { return is_diagonal() ? (i == j ? diagonal[i] : 0.0) : full(i, j); }
  /// Returns value times the m x m identity.
  static GainMatrix scalar(int m, double value) { return {Eigen::VectorXd::Constant(m, value), {}}; }

  /// Returns [A 0; 0 B]; diagonal if A and B are.
  static GainMatrix block_diagonal(const GainMatrix& A, const GainMatrix& B);

  /// Returns the matrix with its zeros; full matrices may have fewer columns than rows.
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
  template <class Scalar>
  void add_product(Scalar scale, const Scalar* x, Scalar* b) const {
    if (is_diagonal()) {
      using Array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;
      Eigen::Map<Array>(b, size()) += scale * diagonal.array() * Eigen::Map<const Array>(x, size());
      return;
    }
    for_each_entry([&](int i, int j, double entry) { b[i] += scale * entry * x[j]; });
  }

  /// Returns "none" (no rows), "scalar" (one number for all rows), "diagonal" or "matrix".
  const char* kind() const;

  /// Describes "kind", "rows" and "value": none, a number, the diagonal or the rows of the matrix.
  void describe(Figures& f);
  /// Describes "rows" and "value".
  void describe_values(Figures& f);
};

/// The product K x as an operand of += and -=: b -= K_D * g_rate. `Scalar` of x: double or complex.
template <class Scalar>
struct GainProduct {
  const GainMatrix& K;  ///< must outlive the product
  const Scalar* x;      ///< first entry of a vector of K.columns() entries
  Scalar scale;         ///< factor of the product
};

template <class Vector>
GainProduct<typename Vector::Scalar> operator*(const GainMatrix& K, const Eigen::MatrixBase<Vector>& x) {
  return {K, x.derived().data(), 1.0};
}

template <class Scalar>
GainProduct<Scalar> operator*(std::common_type_t<Scalar> scale, GainProduct<Scalar> product) {
  product.scale *= scale;
  return product;
}

template <class Vector>
void operator+=(const Eigen::MatrixBase<Vector>& b, const GainProduct<typename Vector::Scalar>& product) {
  product.K.add_product(product.scale, product.x, const_cast<typename Vector::Scalar*>(b.derived().data()));
}

template <class Vector>
void operator-=(const Eigen::MatrixBase<Vector>& b, const GainProduct<typename Vector::Scalar>& product) {
  product.K.add_product(-product.scale, product.x, const_cast<typename Vector::Scalar*>(b.derived().data()));
}

}  // namespace sunlagrange
