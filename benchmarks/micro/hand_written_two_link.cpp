// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "hand_written.hpp"

namespace sunlagrange::hand_written {
namespace {

/// n = m = 2: v' = G^-1 (gamma - K_D g' - K_P g), whatever M and f are.
class TwoLink final : public Program {
 public:
  void right_hand_side(double t, const double* y, double* ydot) override {
    const double s1 = std::sin(y[0]), c1 = std::cos(y[0]);
    const double s12 = 0.5 * std::sin(y[0] + y[1]), c12 = 0.5 * std::cos(y[0] + y[1]);
    const double v1 = y[2], v12 = y[2] + y[3];
    const double g0 = s1 + s12 - 0.5, g1 = c1 + c12 + 0.6 * t - 0.295953;
    const double d0 = c1 * v1 + c12 * v12, d1 = -s1 * v1 - s12 * v12 + 0.6;
    const double b0 = s1 * v1 * v1 + s12 * v12 * v12 - 20.0 * d0 - 100.0 * g0;
    const double b1 = c1 * v1 * v1 + c12 * v12 * v12 - 10.0 * d1 - 25.0 * g1;
    const double g00 = c1 + c12, g10 = -s1 - s12;  // second column: (c12, -s12)
    const double inverse = 1.0 / (c12 * g10 + s12 * g00);
    ydot[0] = y[2];
    ydot[1] = y[3];
    ydot[2] = (s12 * b0 + c12 * b1) * inverse;
    ydot[3] = (g10 * b0 - g00 * b1) * inverse;
  }
};

}  // namespace

std::unique_ptr<Program> two_link() {
  return std::make_unique<TwoLink>();
}

}  // namespace sunlagrange::hand_written
