// SPDX-License-Identifier: BSD-3-Clause
#include "sundials/sparse_jacobian.hpp"

#include <algorithm>

#include "sundials/dense_jacobian.hpp"

namespace sunlagrange::internal {
namespace {

/// Rows of q' - v have two entries; all others are full.
SparsePattern pattern_of_integrated_rows(int size, int integrated) {
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < integrated; ++i) {
    entries.emplace_back(i, i);
    entries.emplace_back(i, i + integrated);
  }
  for (int i = integrated; i < size; ++i) {
    for (int j = 0; j < size; ++j) entries.emplace_back(i, j);
  }
  return SparsePattern::from_entries(size, size, std::move(entries));
}

/// Puts each column into the first group with which it has no row in common.
std::vector<std::vector<int>> groups_of(const SparsePattern& pattern) {
  std::vector<std::vector<int>> groups;
  std::vector<std::vector<bool>> taken;  // rows, group by group
  for (int j = 0; j < pattern.columns; ++j) {
    std::size_t k = 0;
    for (; k < groups.size(); ++k) {
      bool meets = false;
      pattern.for_each_entry_of(j, [&](int i, int, int) { meets = meets || taken[k][static_cast<std::size_t>(i)]; });
      if (!meets) break;
    }
    if (k == groups.size()) {
      groups.emplace_back();
      taken.emplace_back(static_cast<std::size_t>(pattern.rows), false);
    }
    groups[k].push_back(j);
    pattern.for_each_entry_of(j, [&](int i, int, int) { taken[k][static_cast<std::size_t>(i)] = true; });
  }
  return groups;
}

}  // namespace

SparseJacobian::SparseJacobian(const Formulation& formulation) {
  const std::size_t size = static_cast<std::size_t>(formulation.size());
  pattern = formulation.provides().product->jacobian_pattern();
  if (pattern.columns == 0) pattern = pattern_of_integrated_rows(formulation.size(), formulation.num_integrated());
  groups = groups_of(pattern);
  direction.assign(size, 0.0);
  product.assign(size, 0.0);
}

void require_sparse(const char* function, SUNMatrix J, const SparsePattern& pattern) {
  const std::string where = std::string(function) + ": the matrix ";
  if (J == nullptr) throw Error(where + "is null; give the integrator a SUNSparseMatrix with its linear solver");
  if (const SUNMatrix_ID kind = SUNMatGetID(J); kind != SUNMATRIX_SPARSE)
    throw Error(where + "is a " + name_of(kind) + ", must be a SUNMATRIX_SPARSE (SUNSparseMatrix)");
  if (SM_SPARSETYPE_S(J) != CSC_MAT) throw Error(where + "is CSR_MAT, must be CSC_MAT");
  if (SM_ROWS_S(J) != pattern.rows || SM_COLUMNS_S(J) != pattern.columns)
    throw Error(where + "is " + std::to_string(SM_ROWS_S(J)) + " x " + std::to_string(SM_COLUMNS_S(J)) +
                ", must be square with " + std::to_string(pattern.rows) + " rows, one for each unknown");
  if (SM_NNZ_S(J) < pattern.nonzeros())
    throw Error(where + "has room for " + std::to_string(SM_NNZ_S(J)) + " entries, must have room for " +
                std::to_string(pattern.nonzeros()) + ", the jacobian_nonzeros() of the Attachment");
}

}  // namespace sunlagrange::internal
