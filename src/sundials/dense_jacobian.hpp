// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include <sunmatrix/sunmatrix_dense.h>

#include "sundials/binding.hpp"

/// The Jacobian as a dense matrix of SUNDIALS, column by column from products with it.
namespace sunlagrange::internal {

inline std::string name_of(SUNMatrix_ID kind) {
  static constexpr std::pair<SUNMatrix_ID, const char*> names[] = {
      {SUNMATRIX_DENSE, "SUNMATRIX_DENSE"},
      {SUNMATRIX_MAGMADENSE, "SUNMATRIX_MAGMADENSE"},
      {SUNMATRIX_ONEMKLDENSE, "SUNMATRIX_ONEMKLDENSE"},
      {SUNMATRIX_BAND, "SUNMATRIX_BAND"},
      {SUNMATRIX_SPARSE, "SUNMATRIX_SPARSE"},
      {SUNMATRIX_SLUNRLOC, "SUNMATRIX_SLUNRLOC"},
      {SUNMATRIX_CUSPARSE, "SUNMATRIX_CUSPARSE"},
      {SUNMATRIX_GINKGO, "SUNMATRIX_GINKGO"},
      {SUNMATRIX_KOKKOSDENSE, "SUNMATRIX_KOKKOSDENSE"},
      {SUNMATRIX_CUSTOM, "SUNMATRIX_CUSTOM"},
  };
  for (const auto& [id, name] : names) {
    if (id == kind) return name;
  }
  return "SUNMatrix_ID " + std::to_string(static_cast<int>(kind));
}

/// @throws Error unless J is a dense matrix with a row and a column for each unknown
inline void require_dense(const char* function, SUNMatrix J, long size) {
  const std::string where = std::string(function) + ": the matrix ";
  if (J == nullptr) throw Error(where + "is null; give the integrator a SUNDenseMatrix with its linear solver");
  if (const SUNMatrix_ID kind = SUNMatGetID(J); kind != SUNMATRIX_DENSE)
    throw Error(where + "is a " + name_of(kind) +
                "; columns are written into SUNMATRIX_DENSE alone (SUNDenseMatrix). Large systems: a Krylov solver "
                "with the products and the preconditioner of the library, or its own linear solver");
  if (SM_ROWS_D(J) != size || SM_COLUMNS_D(J) != size)
    throw Error(where + "is " + std::to_string(SM_ROWS_D(J)) + " x " + std::to_string(SM_COLUMNS_D(J)) +
                ", must be square with " + std::to_string(size) + " rows, one for each unknown");
}

/// Computes J column by column, product(e_j, column j). @param scratch  memory for e_j
template <class Product>
EvaluationResult fill_columns(SUNMatrix J, N_Vector scratch, Product&& product) {
  double* direction = N_VGetArrayPointer(scratch);
  std::fill_n(direction, N_VGetLength(scratch), 0.0);
  for (sunindextype j = 0; j < SM_COLUMNS_D(J); ++j) {
    direction[j] = 1.0;
    const EvaluationResult result = product(direction, SM_COLUMN_D(J, j));
    direction[j] = 0.0;
    if (result != EvaluationResult::ok) return result;
  }
  return EvaluationResult::ok;
}

}  // namespace sunlagrange::internal
