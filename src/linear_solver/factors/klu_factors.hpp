// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <klu.h>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {

/// A square sparse matrix and its KLU factors. It is analysed once and factorised with pivoting, or refactorised with
/// frozen pivots, which does not allocate. KLU does not scale rows: the caller gives entries that are free of units.
class KluFactors {
 public:
  KluFactors() { klu_defaults(&common_); }
  ~KluFactors() {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }
  KluFactors(const KluFactors&) = delete;
  KluFactors& operator=(const KluFactors&) = delete;

  /// @param start, row         compressed columns of a square matrix
  /// @param pivot_tolerance    a diagonal pivot is taken if it is this large relative to its column (0: always)
  void analyze(std::vector<int> start, std::vector<int> row, double pivot_tolerance = 1e-1) {
    start_ = std::move(start);
    row_ = std::move(row);
    values_.assign(row_.size(), 0.0);
    common_.tol = pivot_tolerance;
    common_.btf = 0;
    common_.ordering = 0;
    common_.scale = -1;
    symbolic_ = klu_analyze(size(), start_.data(), row_.data(), &common_);
    if (symbolic_ == nullptr) throw Error("klu_analyze failed with status " + std::to_string(common_.status));
  }

  int size() const { return static_cast<int>(start_.size()) - 1; }
  bool factored() const { return numeric_ != nullptr; }
  double* values() { return values_.data(); }
  const std::vector<int>& start() const { return start_; }
  const std::vector<int>& row() const { return row_; }

  /// Factorises with pivoting; allocates. Returns false if the matrix is singular.
  bool factor() {
    klu_free_numeric(&numeric_, &common_);
    numeric_ = klu_factor(start_.data(), row_.data(), values_.data(), symbolic_, &common_);
    return numeric_ != nullptr && common_.status == KLU_OK && read_pivots();
  }

  /// Factorises with the pivots of the last factor(). Returns false if the matrix is singular or not finite.
  bool refactor() {
    const int done = klu_refactor(start_.data(), row_.data(), values_.data(), symbolic_, numeric_, &common_);
    return done != 0 && common_.status == KLU_OK && read_pivots();
  }

  void solve(double* x) { klu_solve(symbolic_, numeric_, size(), 1, x, &common_); }

  /// Returns the number of entries of both factors.
  long entries() const { return numeric_ == nullptr ? 0 : static_cast<long>(numeric_->lnz) + numeric_->unz; }

  /// Returns the smallest pivot relative to the largest.
  double pivot_ratio() const { return smallest_ / largest_; }
  double largest_pivot() const { return largest_; }

  int count_pivots_below(double limit) const {
    const auto* pivots = static_cast<const double*>(numeric_->Udiag);
    int count = 0;
    for (int k = 0; k < size(); ++k) count += std::abs(pivots[k]) < limit ? 1 : 0;
    return count;
  }

  /// y -= A x.
  void subtract_product(const double* x, double* y) const {
    const int* start = start_.data();
    const int* row = row_.data();
    const double* a = values_.data();
    for (int j = 0, end = size(); j < end; ++j) {
      const double xj = x[j];
      for (int k = start[j]; k < start[j + 1]; ++k) y[row[k]] -= a[k] * xj;
    }
  }

 private:
  bool read_pivots() {
    const auto* pivots = static_cast<const double*>(numeric_->Udiag);
    double smallest = HUGE_VAL, largest = 0.0, finite = 0.0;
    for (int k = 0; k < size(); ++k) {
      const double pivot = std::abs(pivots[k]);
      smallest = pivot < smallest ? pivot : smallest;
      largest = pivot > largest ? pivot : largest;
      finite += 0.0 * pivot;
    }
    smallest_ = smallest;
    largest_ = largest;
    return finite == 0.0 && smallest > 0.0;
  }

  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  std::vector<int> start_, row_;
  std::vector<double> values_;
  double smallest_ = 0.0, largest_ = 1.0;
};

}  // namespace sunlagrange::internal
