// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace sunlagrange::internal {

/// The entries of a matrix that may be non-zero: compressed columns, rows ascending inside a column.
///
/// A dense matrix is the pattern in which every column is full; its value array is then the usual column-major
/// array. One loop therefore fills dense and sparse storage, only the slots differ.
struct SparsePattern {
  int rows = 0;
  int columns = 0;
  std::vector<int> column_start;  ///< length columns + 1
  std::vector<int> row_index;     ///< length nonzeros(), ascending inside a column

  int nonzeros() const { return static_cast<int>(row_index.size()); }
  bool is_dense() const { return nonzeros() == rows * columns; }

  /// Returns the position of entry (row, column) in the value array, or -1 if the entry is structurally zero.
  int slot(int row, int column) const {
    const auto first = row_index.begin() + column_start[static_cast<std::size_t>(column)];
    const auto last = row_index.begin() + column_start[static_cast<std::size_t>(column) + 1];
    const auto it = std::lower_bound(first, last, row);
    return it != last && *it == row ? static_cast<int>(it - row_index.begin()) : -1;
  }

  /// Calls use(row, column, slot) for every entry of a column, of every column.
  template <class Use>
  void for_each_entry_of(int column, Use&& use) const {
    const int* row = row_index.data();
    const int* start = column_start.data();
    for (int k = start[column], end = start[column + 1]; k < end; ++k) use(row[k], column, k);
  }
  template <class Use>
  void for_each_entry(Use&& use) const {
    for (int j = 0, end = nonzeros() > 0 ? columns : 0; j < end; ++j) for_each_entry_of(j, use);
  }

  /// Returns the same pattern with the given rows only (ascending row numbers), renumbered 0, 1, ...
  SparsePattern with_rows(const std::vector<int>& kept) const {
    std::vector<int> number(static_cast<std::size_t>(rows), -1);
    for (std::size_t i = 0; i < kept.size(); ++i) number[static_cast<std::size_t>(kept[i])] = static_cast<int>(i);
    SparsePattern p;
    p.rows = static_cast<int>(kept.size());
    p.columns = columns;
    p.column_start.push_back(0);
    for (int j = 0; j < columns; ++j) {
      for_each_entry_of(j, [&](int i, int, int) {
        if (number.data()[i] >= 0) p.row_index.push_back(number.data()[i]);
      });
      p.column_start.push_back(p.nonzeros());
    }
    return p;
  }

  static SparsePattern dense(int rows, int columns) {
    SparsePattern p;
    p.rows = rows;
    p.columns = columns;
    for (int j = 0; j <= columns; ++j) p.column_start.push_back(j * rows);
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < rows; ++i) p.row_index.push_back(i);
    }
    return p;
  }

  static SparsePattern diagonal(int size) {
    SparsePattern p;
    p.rows = p.columns = size;
    for (int j = 0; j <= size; ++j) p.column_start.push_back(j);
    p.row_index.assign(p.column_start.begin(), p.column_start.end() - 1);
    return p;
  }

  /// Returns the pattern of the given (row, column) entries; repeated entries count once.
  static SparsePattern from_entries(int rows, int columns, std::vector<std::pair<int, int>> entries) {
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first < b.first;
    });
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    SparsePattern p;
    p.rows = rows;
    p.columns = columns;
    p.column_start.assign(static_cast<std::size_t>(columns) + 1, 0);
    p.row_index.reserve(entries.size());
    for (const auto& [i, j] : entries) {
      ++p.column_start[static_cast<std::size_t>(j) + 1];
      p.row_index.push_back(i);
    }
    for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j) p.column_start[j + 1] += p.column_start[j];
    return p;
  }
};

}  // namespace sunlagrange::internal
