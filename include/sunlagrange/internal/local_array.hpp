// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include <sunlagrange/internal/quantities.hpp>

namespace sunlagrange::internal {

/// A size that is known at compile time, so that loops over small elements have constant bounds; or stored (Size = -1).
template <int Size>
class Count {
 public:
  constexpr Count(int) {}                          // NOLINT(google-explicit-constructor): stands for an int
  constexpr operator int() const { return Size; }  // NOLINT(google-explicit-constructor)
};

template <>
class Count<-1> {
 public:
  constexpr Count(int value) : value_(value) {}      // NOLINT(google-explicit-constructor)
  constexpr operator int() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  int value_;
};

/// Zero-initialised scratch array: on the stack when the size is known at compile time, else from the arena.
template <class T, int Size>
class LocalArray {
 public:
  LocalArray(Arena&, int) {}
  T& operator[](int i) { return data_[static_cast<std::size_t>(i)]; }
  T* data() { return data_.data(); }

 private:
  std::array<T, static_cast<std::size_t>(Size > 0 ? Size : 1)> data_{};
};

template <class T>
class LocalArray<T, -1> {
 public:
  LocalArray(Arena& arena, int size) : data_(arena.take<T>(size > 0 ? size : 1)) {}
  T& operator[](int i) { return data_[i]; }
  T* data() { return data_; }

 private:
  T* data_;
};

}  // namespace sunlagrange::internal
