// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunmatrix/sunmatrix_sparse.h>

#include <sunlagrange/internal/sparse_pattern.hpp>

#include "sundials/binding.hpp"

/// The Jacobian as a sparse matrix of SUNDIALS, several columns at a time from products with it.
namespace sunlagrange::internal {

/// The entries of the Jacobian of a formulation that may differ from zero, and the columns that one product gives
/// together, because no row has entries in two of them.
struct SparseJacobian {
  explicit SparseJacobian(const Formulation& formulation);

  SparsePattern pattern;
  std::vector<std::vector<int>> groups;  ///< of columns
  std::vector<double> direction, product;
};

/// @throws Error unless J is a square CSC matrix with a column for each unknown and room for the pattern
void require_sparse(const char* function, SUNMatrix J, const SparsePattern& pattern);

/// Computes J, product(x, J x). Sets the pattern anew, for SUNMatZero clears it.
template <class Product>
EvaluationResult fill_groups(SUNMatrix J, SparseJacobian& sparse, Product&& product) {
  const SparsePattern& pattern = sparse.pattern;
  sunindextype* const starts = SM_INDEXPTRS_S(J);
  for (int j = 0; j <= pattern.columns; ++j) starts[j] = pattern.column_start[static_cast<std::size_t>(j)];
  std::copy(pattern.row_index.begin(), pattern.row_index.end(), SM_INDEXVALS_S(J));
  for (const std::vector<int>& group : sparse.groups) {
    for (const int j : group) sparse.direction[static_cast<std::size_t>(j)] = 1.0;
    const EvaluationResult result = product(sparse.direction.data(), sparse.product.data());
    for (const int j : group) {
      sparse.direction[static_cast<std::size_t>(j)] = 0.0;
      pattern.for_each_entry_of(j, [&](int i, int, int k) {
        SM_DATA_S(J)[k] = sparse.product[static_cast<std::size_t>(i)];
      });
    }
    if (result != EvaluationResult::ok) return result;
  }
  return EvaluationResult::ok;
}

}  // namespace sunlagrange::internal
