// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

namespace sunlagrange {

namespace internal {
struct Checked;  // internal/index_check.hpp: the scalar with which every model is evaluated once, when it is added
template <class T>
inline constexpr bool is_checked = std::is_same_v<std::remove_const_t<T>, Checked>;
/// Records an index out of range; the returned entry is read or written in place of the one that does not exist.
Checked& no_entry(const Checked* data, int i, int j, int rows, int columns);
}  // namespace internal

/// A vector in memory of the caller, with entries of any scalar type. Indices are checked when the model is added
/// (internal::Checked), not during a run.
template <class T>
class View {
 public:
  /// @param data  not owned; must outlive the view
  View(T* data, int size) : data_(data), size_(size) {}
  /// Read-only view of a writable one.
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  View(View<U> other) : data_(other.data()), size_(other.size()) {}  // NOLINT(google-explicit-constructor)

  /// Entry i, 0 <= i < size().
  T& operator[](int i) const {
    if constexpr (internal::is_checked<T>) {
      if (i < 0 || i >= size_) return internal::no_entry(data_, i, -1, size_, 1);
    }
    return data_[i];
  }
  /// Entries follow each other without gaps.
  T* data() const { return data_; }
  /// Number of entries.
  int size() const { return size_; }
  /// For loops over all entries.
  T* begin() const { return data_; }
  /// For loops over all entries.
  T* end() const { return data_ + size_; }

 private:
  T* data_;
  int size_;
};

/// A column-major matrix in memory of the caller. Indices are checked as those of View.
template <class T>
class MatrixView {
 public:
  /// @param data  not owned; must outlive the view
  MatrixView(T* data, int rows, int columns) : data_(data), rows_(rows), columns_(columns) {}

  /// Entry in row i and column j, both from 0.
  T& operator()(int i, int j) const {
    if constexpr (internal::is_checked<T>) {
      if (i < 0 || i >= rows_ || j < 0 || j >= columns_) return internal::no_entry(data_, i, j, rows_, columns_);
    }
    return data_[static_cast<std::ptrdiff_t>(j) * rows_ + i];
  }
  /// Column by column; entry (i, j) is data()[j * rows() + i].
  T* data() const { return data_; }
  /// Number of rows, the distance of neighbouring entries of a row in data().
  int rows() const { return rows_; }
  /// Number of columns.
  int columns() const { return columns_; }

 private:
  T* data_;
  int rows_;
  int columns_;
};

}  // namespace sunlagrange
