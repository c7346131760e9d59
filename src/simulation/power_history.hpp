#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/numerics.hpp"

namespace sunlagrange::internal {

/// Power at the last accepted states, and what the polynomials through it say of the work in the last step.
class PowerHistory {
 public:
  void forget() { count_ = 0; }

  void add(double t, double power) {
    if (count_ > 0 && !(t > t_[0])) count_ = 0;
    count_ = std::min(count_ + 1, t_.size());
    for (std::size_t k = count_; k-- > 1;) {
      t_[k] = t_[k - 1];
      power_[k] = power_[k - 1];
    }
    t_[0] = t;
    power_[0] = power;
  }

  struct Work {
    double value;
    double uncertainty;  ///< what the oldest state changes
  };

  /// From the last but one state to the last. Both not a number as long as there are too few.
  Work work() const {
    if (count_ < t_.size()) return {NAN, NAN};
    std::array<double, states> c = power_;  // divided differences from the newest on
    for (std::size_t order = 1; order < states; ++order) {
      for (std::size_t k = states; k-- > order;) c[k] = (c[k] - c[k - 1]) / (t_[k] - t_[k - order]);
    }
    Work work{0.0, 0.0};
    double last = 0.0;
    for (const auto& [t, weight] : gauss_points(t_[1], t_[0] - t_[1])) {
      double product = 1.0, sum = 0.0;
      for (std::size_t k = 0; k < states; ++k) {
        sum += c[k] * product;
        if (k + 1 == states) last += weight * c[k] * product;
        product *= t - t_[k];
      }
      work.value += weight * sum;
    }
    work.uncertainty = std::abs(last);
    return work;
  }

 private:
  static constexpr std::size_t states = 6;  // three Gauss points integrate the polynomial through them exactly

  std::array<double, states> t_{}, power_{};  // newest first
  std::size_t count_ = 0;
};

}  // namespace sunlagrange::internal
