// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/numerics.hpp"

namespace sunlagrange::internal {

/// Power at the last accepted states, and what the polynomials through it say of the work in the last step.
class PowerHistory {
 public:
  void forget() { count_ = 0; }

  void add(double t, double power) {
    if (count_ > 0 && !(t > at_[0].t)) count_ = 0;
    count_ = std::min(count_ + 1, states);
    std::copy_backward(at_.begin(), at_.end() - 1, at_.end());
    at_[0] = {t, power};
  }

  struct Work {
    double value = NAN;
    double uncertainty = NAN;  ///< what the oldest state changes
  };

  /// From the last but one state to the last. Not a number as long as there are too few.
  Work work() const { return integral(at_); }

  /// The same with the power in the middle of the step, which is known as well.
  Work work(double middle) const {
    std::array<State, states> nodes = at_;
    std::copy_backward(nodes.begin() + 1, nodes.end() - 1, nodes.end());
    nodes[1] = {0.5 * (at_[0].t + at_[1].t), middle};
    return integral(nodes);
  }

 private:
  static constexpr std::size_t states = 6;  // three Gauss points integrate the polynomial through them exactly

  struct State {
    double t = 0.0;
    double power = 0.0;
  };

  /// Newton's form of the polynomial, from the newest node on.
  Work integral(const std::array<State, states>& nodes) const {
    if (count_ < states) return {};
    std::array<double, states> difference{};
    for (std::size_t k = 0; k < states; ++k) difference[k] = nodes[k].power;
    for (std::size_t order = 1; order < states; ++order) {
      for (std::size_t k = states; k-- > order;)
        difference[k] = (difference[k] - difference[k - 1]) / (nodes[k].t - nodes[k - order].t);
    }
    double sum = 0.0, last = 0.0;
    for (const auto& [t, weight] : gauss_points(at_[1].t, at_[0].t - at_[1].t)) {
      double product = weight;
      for (std::size_t k = 0; k < states; ++k) {
        sum += difference[k] * product;
        if (k + 1 == states) last += difference[k] * product;
        product *= t - nodes[k].t;
      }
    }
    return {sum, std::abs(last)};
  }

  std::array<State, states> at_;  // newest first
  std::size_t count_ = 0;
};

}  // namespace sunlagrange::internal
