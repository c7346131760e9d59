#pragma once

#include <cstddef>
#include <vector>

namespace sunlagrange::internal {

/// A std::vector with signed sizes and indices, as the sizes of systems and the slots of patterns are signed.
template <class T>
class SignedVector : public std::vector<T> {
  using Base = std::vector<T>;

 public:
  using Base::Base;
  using Base::operator=;
  explicit SignedVector(std::ptrdiff_t size, const T& value = T()) : Base(static_cast<std::size_t>(size), value) {}

  T& operator[](std::ptrdiff_t i) { return this->data()[i]; }
  const T& operator[](std::ptrdiff_t i) const { return this->data()[i]; }

  std::ptrdiff_t length() const { return static_cast<std::ptrdiff_t>(Base::size()); }
  void resize(std::ptrdiff_t size) { Base::resize(static_cast<std::size_t>(size)); }
  void assign(std::ptrdiff_t size, const T& value) { Base::assign(static_cast<std::size_t>(size), value); }
};

}  // namespace sunlagrange::internal
