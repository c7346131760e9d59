#pragma once

#include <cstddef>
#include <type_traits>

namespace sunlagrange {

/// A vector that somebody else owns, with entries of any scalar type.
template <class T>
class View {
 public:
  View(T* data, int size) : data_(data), size_(size) {}
  /// Read-only view of a writable one.
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  View(View<U> other) : data_(other.data()), size_(other.size()) {}  // NOLINT(google-explicit-constructor)

  T& operator[](int i) const { return data_[i]; }
  T* data() const { return data_; }
  int size() const { return size_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  T* data_;
  int size_;
};

/// A column-major matrix that somebody else owns.
template <class T>
class MatrixView {
 public:
  MatrixView(T* data, int rows, int columns) : data_(data), rows_(rows), columns_(columns) {}

  T& operator()(int i, int j) const { return data_[static_cast<std::ptrdiff_t>(j) * rows_ + i]; }
  T* data() const { return data_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

 private:
  T* data_;
  int rows_;
  int columns_;
};

}  // namespace sunlagrange
