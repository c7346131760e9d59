// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "hand_written.hpp"
#include "klu_program.hpp"

namespace sunlagrange::hand_written {
namespace {

constexpr double gravity = 9.81;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Rod k has the coordinates 3 k, 3 k + 1, 3 k + 2, its near pin the rows 2 k, 2 k + 1.
class Chain final : public Program {
 public:
  explicit Chain(int rods) : rods_(rods), x_(at(5 * rods)) {
    const int n = 3 * rods;
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i) entries.emplace_back(i, i);
    const auto for_each = [&](auto&& use) {  // (row, column, is an angle)
      for (int k = 0; k < rods; ++k) {
        for (int r = 0; r < 2; ++r) {
          if (k > 0) use(n + 2 * k + r, 3 * k - 3 + r, false);
          if (k > 0) use(n + 2 * k + r, 3 * k - 1, true);
          use(n + 2 * k + r, 3 * k + r, false);
          use(n + 2 * k + r, 3 * k + 2, true);
        }
      }
    };
    for_each([&](int i, int j, bool) {
      entries.emplace_back(i, j);
      entries.emplace_back(j, i);
    });
    klu_.set_pattern(5 * rods, entries);
    for (int i = 0; i < n; ++i) klu_.value[klu_.slot(i, i)] = i % 3 == 2 ? 1.0 / 12.0 : 1.0;
    for_each([&](int i, int j, bool angle) {
      if (angle) {
        slot_.push_back(klu_.slot(i, j));
        slot_.push_back(klu_.slot(j, i));
      } else {  // constant: +1 on the rod before the pin and on the first rod, else -1
        const bool before = i < n + 2 || j / 3 < (i - n) / 2;
        klu_.value[klu_.slot(i, j)] = klu_.value[klu_.slot(j, i)] = before ? 1.0 : -1.0;
      }
    });
  }

  void right_hand_side(double, const double* y, double* ydot) override {
    const int n = 3 * rods_;
    const double* v = y + n;
    double* a = klu_.value.data();
    const std::size_t* slot = slot_.data();
    const auto put = [&a, &slot](double value) {
      a[*slot++] = value;
      a[*slot++] = value;
    };
    double far_x = 0.0, far_y = 0.0, far_vx = 0.0, far_vy = 0.0, far_ax = 0.0, far_ay = 0.0;  // of the pin, rod before
    double half_c = 0.0, half_s = 0.0;
    for (int k = 0; k < rods_; ++k) {
      const double* q = y + 3 * k;
      const double* u = v + 3 * k;
      const double s = 0.5 * std::sin(q[2]), c = 0.5 * std::cos(q[2]);
      const double near_x = q[0] - c, near_y = q[1] - s;
      const double near_vx = u[0] + s * u[2], near_vy = u[1] - c * u[2];
      const double turn = u[2] * u[2];
      const double sign = k == 0 ? -1.0 : 1.0;  // g = far - near, at the ground near - 0
      const double gx = sign * (far_x - near_x), gy = sign * (far_y - near_y);
      const double dx = sign * (far_vx - near_vx), dy = sign * (far_vy - near_vy);
      const double ax = sign * (far_ax - c * turn), ay = sign * (far_ay - s * turn);  // g'' at v' = 0
      if (k > 0) put(-half_s);
      put(-sign * s);
      if (k > 0) put(half_c);
      put(sign * c);
      double* x = x_.data();
      x[3 * k] = 0.0;
      x[3 * k + 1] = -gravity;
      x[3 * k + 2] = 0.0;
      x[n + 2 * k] = -ax - 2.0 * w * dx - w * w * gx;
      x[n + 2 * k + 1] = -ay - 2.0 * w * dy - w * w * gy;
      far_x = q[0] + c;
      far_y = q[1] + s;
      far_vx = u[0] - s * u[2];
      far_vy = u[1] + c * u[2];
      far_ax = -c * turn;
      far_ay = -s * turn;
      half_c = c;
      half_s = s;
    }
    klu_.solve(x_.data());
    std::copy(v, v + n, ydot);
    std::copy(x_.begin(), x_.begin() + n, ydot + n);
  }

 private:
  int rods_;
  KluProgram klu_;
  std::vector<std::size_t> slot_;
  std::vector<double> x_;
};

}  // namespace

std::unique_ptr<Program> chain(int rods) {
  return std::make_unique<Chain>(rods);
}

}  // namespace sunlagrange::hand_written
