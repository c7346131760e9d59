// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <sunlagrange/internal/sparse_pattern.hpp>

namespace sunlagrange::internal {

/// The product A x or A^T x as an operand of += and -=. `Scalar` of x: double or complex.
template <bool transposed, class Scalar = double>
struct PatternProduct {
  const SparsePattern* pattern;
  const double* A;
  const Scalar* x;
  Scalar scale;

  /// y += sign * scale * A x
  void add_to(Scalar* y, double sign) const {
    const int* start = pattern->column_start.data();
    const int* row = pattern->row_index.data();
    const Scalar factor = sign * scale;
    for (int j = 0, columns = pattern->columns; j < columns; ++j) {
      const int end = start[j + 1];
      if constexpr (transposed) {
        Scalar sum = 0.0;
        for (int k = start[j]; k < end; ++k) sum += A[k] * x[row[k]];
        y[j] += factor * sum;
      } else {
        const Scalar xj = factor * x[j];
        for (int k = start[j]; k < end; ++k) y[row[k]] += A[k] * xj;
      }
    }
  }
};

class PatternMatrix;
struct TransposedPatternMatrix {
  const PatternMatrix& matrix;
  inline Eigen::VectorXd times(const Eigen::VectorXd& x) const;
};

/// A matrix with the pattern of its non-zero entries. Products are added without temporary memory:
///
///     r += M * a;     r += G.transposed() * lambda;     r -= h * (V_q * x);
///
/// The vector on the left has the full length and is not the one on the right. Vectors are Eigen's, or maps of memory.
class PatternMatrix {
 public:
  PatternMatrix() = default;
  /// Makes a zero matrix. The pattern is shared.
  explicit PatternMatrix(std::shared_ptr<const SparsePattern> pattern)
      : values(Eigen::VectorXd::Zero(pattern->nonzeros())), pattern_(std::move(pattern)) {}

  Eigen::VectorXd values;  ///< one for each slot

  const SparsePattern& pattern() const { return *pattern_; }
  const double* data() const { return values.data(); }
  double* data() { return values.data(); }
  void set_zero() { values.setZero(); }

  /// Returns entry (i, j); 0 if it is not in the pattern.
  double operator()(int i, int j) const {
    const int slot = pattern_->slot(i, j);
    return slot >= 0 ? values[slot] : 0.0;
  }

  /// Calls use(row, column, entry) for every slot, column after column.
  template <class Use>
  void for_each_entry(Use&& use) const {
    pattern_->for_each_entry([&, A = values.data()](int i, int j, int slot) { use(i, j, A[slot]); });
  }

  Eigen::VectorXd diagonal() const {
    Eigen::VectorXd d(pattern_->columns);
    for (int j = 0; j < pattern_->columns; ++j) d[j] = (*this)(j, j);
    return d;
  }

  /// Returns the matrix with all its zeros. Allocates.
  Eigen::MatrixXd dense() const {
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(pattern_->rows, pattern_->columns);
    for_each_entry([&](int i, int j, double entry) { full(i, j) = entry; });
    return full;
  }

  TransposedPatternMatrix transposed() const { return {*this}; }

  /// Computes y += A x and z += A^T w in one pass.
  void add_both(const Eigen::VectorXd& x, Eigen::VectorXd& y, const Eigen::VectorXd& w, Eigen::VectorXd& z) const {
    const int *start = pattern_->column_start.data(), *row = pattern_->row_index.data();
    const double* A = values.data();
    const double *from = x.data(), *from_rows = w.data();
    double *to_rows = y.data(), *to = z.data();
    for (int j = 0, columns = pattern_->columns; j < columns; ++j) {
      const double xj = from[j];
      double sum = 0.0;
      for (int k = start[j], end = start[j + 1]; k < end; ++k) {
        to_rows[row[k]] += A[k] * xj;
        sum += A[k] * from_rows[row[k]];
      }
      to[j] += sum;
    }
  }

  /// Returns A x. Allocates.
  inline Eigen::VectorXd times(const Eigen::VectorXd& x) const;

 private:
  std::shared_ptr<const SparsePattern> pattern_;
};

template <class Vector>
PatternProduct<false, typename Vector::Scalar> operator*(const PatternMatrix& A, const Eigen::MatrixBase<Vector>& x) {
  return {&A.pattern(), A.data(), x.derived().data(), 1.0};
}

template <class Vector>
PatternProduct<true, typename Vector::Scalar> operator*(const TransposedPatternMatrix& A,
                                                        const Eigen::MatrixBase<Vector>& x) {
  return {&A.matrix.pattern(), A.matrix.data(), x.derived().data(), 1.0};
}

template <bool transposed, class Scalar>
PatternProduct<transposed, Scalar> operator*(std::common_type_t<Scalar> scale,
                                             PatternProduct<transposed, Scalar> product) {
  product.scale *= scale;
  return product;
}

template <class Vector, bool transposed>
void operator+=(const Eigen::MatrixBase<Vector>& y,
                const PatternProduct<transposed, typename Vector::Scalar>& product) {
  product.add_to(const_cast<typename Vector::Scalar*>(y.derived().data()), 1.0);  // const_cast: as Eigen does for
}  // maps that are temporaries

template <class Vector, bool transposed>
void operator-=(const Eigen::MatrixBase<Vector>& y,
                const PatternProduct<transposed, typename Vector::Scalar>& product) {
  product.add_to(const_cast<typename Vector::Scalar*>(y.derived().data()), -1.0);
}

inline Eigen::VectorXd PatternMatrix::times(const Eigen::VectorXd& x) const {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(pattern_->rows);
  y += *this * x;
  return y;
}

inline Eigen::VectorXd TransposedPatternMatrix::times(const Eigen::VectorXd& x) const {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(matrix.pattern().columns);
  y += *this * x;
  return y;
}

}  // namespace sunlagrange::internal
