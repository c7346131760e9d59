// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace sunlagrange::internal {

/// A growing array of numbers. std::vector copies all entries whenever it exceeds its memory; std::realloc adds pages
/// to a large array without moving it.
class GrowingArray {
 public:
  GrowingArray() = default;
  GrowingArray(const double* first, const double* last) { std::copy(first, last, append(last - first)); }
  GrowingArray(const GrowingArray& other) : GrowingArray(other.data(), other.data() + other.size_) {}
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingArray() = default;

  std::size_t size() const { return size_; }
  double* data() { return numbers_.get(); }
  const double* data() const { return numbers_.get(); }

  /// Appends `count` entries without values. Throws std::bad_alloc and changes nothing if there is no memory.
  double* append(std::ptrdiff_t count) {
    const std::size_t wanted = size_ + static_cast<std::size_t>(count);
    if (wanted > capacity_) grow(std::max(wanted, 2 * capacity_));
    double* first = data() + size_;
    size_ = wanted;
    return first;
  }

  /// Removes all entries; the memory stays.
  void shorten(std::size_t size) noexcept { size_ = size; }

 private:
  struct Free {
    void operator()(double* numbers) const { std::free(numbers); }
  };

  void grow(std::size_t capacity) {
    if (capacity > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double)) throw std::bad_alloc();
    void* grown = std::realloc(numbers_.get(), capacity * sizeof(double));
    if (grown == nullptr) throw std::bad_alloc();
    static_cast<void>(numbers_.release());
    numbers_.reset(static_cast<double*>(grown));
    capacity_ = capacity;
  }

  void swap(GrowingArray& other) noexcept {
    numbers_.swap(other.numbers_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::unique_ptr<double, Free> numbers_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace sunlagrange::internal
