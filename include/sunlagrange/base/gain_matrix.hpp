#pragma once

#include <Eigen/Core>

namespace sunlagrange {

/// A resolved m x m matrix; large systems have diagonal ones, which are never expanded.
struct GainMatrix {
  Eigen::VectorXd diagonal;  ///< length m if diagonal
  Eigen::MatrixXd full;      ///< m x m otherwise

  bool is_diagonal() const { return full.size() == 0; }
  int size() const { return static_cast<int>(is_diagonal() ? diagonal.size() : full.rows()); }
  double operator()(int i, int j) const { return is_diagonal() ? (i == j ? diagonal[i] : 0.0) : full(i, j); }
  static GainMatrix scalar(int m, double value) { return {Eigen::VectorXd::Constant(m, value), {}}; }

  /// b -= K x; full matrices may have fewer columns than rows.
  void subtract_product(const double* x, double* b) const;
};

}  // namespace sunlagrange
