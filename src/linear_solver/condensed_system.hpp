#pragma once

#include <memory>
#include <vector>

#include "linear_solver/klu_factors.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange {

/// Saddle-point systems with a positive diagonal compliance C, by the condensed matrix of size n,
///
///     A = M + G^T C^-1 G,   A a = f + G^T C^-1 b,   lambda = C^-1 (G a - b).
///
/// One solve loses about log10(1/c) digits, c = C relative to G M^-1 G^T. Refinement wins them back: both rows of
///
///     r = f - M a - G^T lambda,   s = b - G a + C lambda
///
/// are evaluated with lambda as an unknown of its own, and (r, s) is solved for again.
class CondensedSystem {
 public:
  /// Null if C is not diagonal, or if A would have more entries than half of the whole matrix.
  static std::unique_ptr<CondensedSystem> make_if_cheaper(const BlockPattern& pattern, int whole_nonzeros);

  explicit CondensedSystem(const BlockPattern& pattern, SparsePattern condensed);

  /// False if A is singular or not finite; the caller then takes the whole matrix.
  bool factorize(const BlockValues& values);

  /// Returns the number of refinement steps.
  int solve(double* top, double* bottom);

  /// Of D (G M^-1 G^T + C) D with D from the lumped mass; allocates, for reports.
  WeakestMode weakest_mode();

 private:
  double residual(const double* f, const double* b);
  void correct(double* r, const double* s);

  int n_, m_;
  SparsePattern mass_pattern_;
  KluFactors factors_;
  std::vector<int> mass_slots_, row_start_, row_slot_, column_, product_slots_;  // G by rows; its products row by row
  std::vector<double> mass_, jacobian_, compliance_, stiffness_;                 // copies; stiffness = C^-1
  std::vector<double> f_, b_, r_, s_, a_, lambda_;
};

}  // namespace sunlagrange
