// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace sunlagrange::internal {

/// A std::vector whose sizes and indices may have any integer type. Sizes of systems and slots of patterns are signed.
template <class T>
class SignedVector : public std::vector<T> {
  using Base = std::vector<T>;

 public:
  using Base::Base;
  using Base::operator=;
  explicit SignedVector(std::ptrdiff_t size, const T& value = T()) : Base(static_cast<std::size_t>(size), value) {}

  template <class Index>
  T& operator[](Index i) {
    return this->data()[i];
  }
  template <class Index>
  const T& operator[](Index i) const {
    return this->data()[i];
  }
  template <class Size>
  void resize(Size size) {
    Base::resize(static_cast<std::size_t>(size));
  }
  template <class Size>
  void assign(Size size, const T& value) {
    Base::assign(static_cast<std::size_t>(size), value);
  }
};

}  // namespace sunlagrange::internal
