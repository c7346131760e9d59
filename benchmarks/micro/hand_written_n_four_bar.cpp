// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <Eigen/SparseCholesky>

#include "hand_written.hpp"
#include "klu_program.hpp"

namespace sunlagrange::hand_written {
namespace {

constexpr double gravity = 9.81;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Points B_0 ... B_N; row 2 i is the bar A_i B_i, row 2 i + 1 the bar B_i B_(i+1).
struct Points {
  int loops;

  int n() const { return 2 * loops + 2; }
  int m() const { return 2 * loops + 1; }
  int bars_at(int i) const { return 1 + (i > 0 ? 1 : 0) + (i < loops ? 1 : 0); }
  double mass(int i) const { return bars_at(i) / 3.0; }
};

/// Gradient d of a bar and right-hand side of its stabilised row.
struct Row {
  double x, y, b;
};
Row row(double x, double y, double vx, double vy) {
  const double g = 0.5 * (x * x + y * y - 1.0);
  return {x, y, -(vx * vx + vy * vy) - 2.0 * w * (x * vx + y * vy) - w * w * g};
}

class Saddle final : public Program {
 public:
  explicit Saddle(int loops) : p_{loops}, x_(at(p_.n() + p_.m())) {
    const int n = p_.n();
    std::vector<std::pair<int, int>> entries;
    const auto both = [&entries](int i, int j) {
      entries.emplace_back(i, j);
      if (i != j) entries.emplace_back(j, i);
    };
    for (int i = 0; i < n; ++i) both(i, i);
    for (int i = 0; i + 2 < n; ++i) both(i, i + 2);
    for (int i = 0; i <= loops; ++i) {
      for (int k = 0; k < 2; ++k) both(n + 2 * i, 2 * i + k);
      for (int k = 0; k < 4 && i < loops; ++k) both(n + 2 * i + 1, 2 * i + k);
    }
    klu_.set_pattern(n + p_.m(), entries);
    for (int i = 0; i < n; ++i) klu_.value[klu_.slot(i, i)] = p_.mass(i / 2);
    for (int i = 0; i + 2 < n; ++i) klu_.value[klu_.slot(i, i + 2)] = klu_.value[klu_.slot(i + 2, i)] = 1.0 / 6.0;
    for (int i = 0; i <= loops; ++i) {
      for (int k = 0; k < 2; ++k) remember(n + 2 * i, 2 * i + k);
      for (int k = 0; k < 4 && i < loops; ++k) remember(n + 2 * i + 1, 2 * i + k);
    }
  }

  void right_hand_side(double, const double* y, double* ydot) override {
    const int n = p_.n();
    const double* v = y + n;
    double* a = klu_.value.data();
    const std::size_t* slot = slot_.data();
    const auto put = [&a, &slot](double value) {
      a[*slot++] = value;
      a[*slot++] = value;
    };
    for (int i = 0; i <= p_.loops; ++i) {
      x_[at(2 * i)] = 0.0;
      x_[at(2 * i + 1)] = -0.5 * gravity * p_.bars_at(i);
      const Row up = row(y[2 * i] - i, y[2 * i + 1], v[2 * i], v[2 * i + 1]);
      put(up.x);
      put(up.y);
      x_[at(n + 2 * i)] = up.b;
      if (i == p_.loops) break;
      const Row along = row(y[2 * i] - y[2 * i + 2], y[2 * i + 1] - y[2 * i + 3], v[2 * i] - v[2 * i + 2],
                            v[2 * i + 1] - v[2 * i + 3]);
      put(along.x);
      put(along.y);
      put(-along.x);
      put(-along.y);
      x_[at(n + 2 * i + 1)] = along.b;
    }
    klu_.solve(x_.data());
    std::copy(v, v + n, ydot);
    std::copy(x_.begin(), x_.begin() + n, ydot + n);
  }

 private:
  void remember(int i, int j) {
    slot_.push_back(klu_.slot(i, j));
    slot_.push_back(klu_.slot(j, i));
  }

  Points p_;
  KluProgram klu_;
  std::vector<std::size_t> slot_;  // of G and of G^T, in turn
  std::vector<double> x_;
};

/// L D L^T of [M G^T; G 0] point by point, each with its two rows: unknowns x_i, y_i, lambda of A_i B_i, lambda of
/// B_i B_(i+1); these reach x_(i+1), y_(i+1) only.
class Blocks final : public Program {
 public:
  explicit Blocks(int loops) : p_{loops}, steps_(at(loops + 1)) {}

  void right_hand_side(double, const double* y, double* ydot) override {
    const int n = p_.n();
    const double* v = y + n;
    double xx = 0.0, yx = 0.0, yy = 0.0, bx = 0.0, by = 0.0;  // what the points before leave at this one
    for (int i = 0; i <= p_.loops; ++i) {
      const bool last = i == p_.loops;
      const Row up = row(y[2 * i] - i, y[2 * i + 1], v[2 * i], v[2 * i + 1]);
      Row along{0.0, 0.0, 0.0};
      if (!last)
        along = row(y[2 * i] - y[2 * i + 2], y[2 * i + 1] - y[2 * i + 3], v[2 * i] - v[2 * i + 2],
                    v[2 * i + 1] - v[2 * i + 3]);
      const double c = last ? 0.0 : 1.0 / 6.0;
      Step& s = steps_[at(i)];
      const double a00 = p_.mass(i) - xx, i0 = 1.0 / a00;
      const double l10 = -yx * i0, i1 = 1.0 / (p_.mass(i) - yy + l10 * yx);
      const double w21 = up.y - l10 * up.x, l20 = up.x * i0, l21 = w21 * i1;
      const double i2 = -1.0 / (up.x * l20 + w21 * l21);
      const double w31 = along.y - l10 * along.x, l30 = along.x * i0, l31 = w31 * i1;
      const double w32 = -(along.x * l20 + w31 * l21), l32 = w32 * i2;
      const double i3 = last ? 0.0 : 1.0 / -(along.x * l30 + w31 * l31 + w32 * l32);
      const double w41 = -l10 * c, w42 = -(c * l20 + w41 * l21), w43 = -along.x - (c * l30 + w41 * l31 + w42 * l32);
      const double w52 = -c * l21, w53 = -along.y - (c * l31 + w52 * l32);
      const double l40 = c * i0, l41 = w41 * i1, l42 = w42 * i2, l43 = w43 * i3;
      const double l51 = c * i1, l52 = w52 * i2, l53 = w53 * i3;
      const double b0 = -bx, b1 = -0.5 * gravity * p_.bars_at(i) - by - l10 * b0;
      const double b2 = up.b - l20 * b0 - l21 * b1, b3 = along.b - l30 * b0 - l31 * b1 - l32 * b2;
      s = {l10, l20, l21, l30, l31, l32, l40, l41, l42, l43, l51, l52, l53, b0 * i0, b1 * i1, b2 * i2, b3 * i3};
      xx = c * l40 + w41 * l41 + w42 * l42 + w43 * l43;
      yx = c * l41 + w52 * l42 + w53 * l43;
      yy = c * l51 + w52 * l52 + w53 * l53;
      bx = l40 * b0 + l41 * b1 + l42 * b2 + l43 * b3;
      by = l51 * b1 + l52 * b2 + l53 * b3;
    }
    std::copy(v, v + n, ydot);
    double* a = ydot + n;
    double x = 0.0, y_next = 0.0;
    for (int i = p_.loops; i >= 0; --i) {
      const Step& s = steps_[at(i)];
      const double x3 = s.b3 - s.l43 * x - s.l53 * y_next, x2 = s.b2 - s.l42 * x - s.l52 * y_next - s.l32 * x3;
      const double x1 = s.b1 - s.l41 * x - s.l51 * y_next - s.l31 * x3 - s.l21 * x2;
      a[2 * i] = x = s.b0 - s.l40 * x - s.l30 * x3 - s.l20 * x2 - s.l10 * x1;
      a[2 * i + 1] = y_next = x1;
    }
  }

 private:
  struct Step {
    double l10, l20, l21, l30, l31, l32, l40, l41, l42, l43, l51, l52, l53, b0, b1, b2, b3;
  };
  Points p_;
  std::vector<Step> steps_;
};

/// M + penalty G^T G is block tridiagonal; upper triangle, natural order.
class Penalty final : public Program {
 public:
  explicit Penalty(int loops) : p_{loops}, matrix_(p_.n(), p_.n()), b_(p_.n()), x_(p_.n()) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int j = 0; j < p_.n(); ++j) {
      for (int i = std::max(0, j / 2 * 2 - 2); i <= j; ++i) entries.emplace_back(i, j, 1.0);
    }
    matrix_.setFromTriplets(entries.begin(), entries.end());
    llt_.analyzePattern(matrix_);
  }

  void right_hand_side(double, const double* y, double* ydot) override {
    const int n = p_.n();
    const double* v = y + n;
    double* a = matrix_.valuePtr();
    double left[3] = {0.0, 0.0, 0.0};  // of the bar that arrives: xx, xy, yy
    double left_b[2] = {0.0, 0.0};
    for (int i = 0; i <= p_.loops; ++i) {
      const Row up = row(y[2 * i] - i, y[2 * i + 1], v[2 * i], v[2 * i + 1]);
      Row along{0.0, 0.0, 0.0};
      if (i < p_.loops)
        along = row(y[2 * i] - y[2 * i + 2], y[2 * i + 1] - y[2 * i + 3], v[2 * i] - v[2 * i + 2],
                    v[2 * i + 1] - v[2 * i + 3]);
      const double xx = penalty * along.x * along.x, xy = penalty * along.x * along.y, yy = penalty * along.y * along.y;
      if (i > 0) {  // above the diagonal: -left, mass 1/6
        a[0] = 1.0 / 6.0 - left[0];
        a[1] = -left[1];
        a[3] = -left[1];
        a[4] = 1.0 / 6.0 - left[2];
      }
      double* second = i > 0 ? a + 5 : a + 1;
      a[i > 0 ? 2 : 0] = p_.mass(i) + penalty * up.x * up.x + left[0] + xx;
      second[0] = penalty * up.x * up.y + left[1] + xy;
      second[1] = p_.mass(i) + penalty * up.y * up.y + left[2] + yy;
      a = second + 2;
      b_[2 * i] = penalty * (up.x * up.b + along.x * along.b) - left_b[0];
      b_[2 * i + 1] = penalty * (up.y * up.b + along.y * along.b) - left_b[1] - 0.5 * gravity * p_.bars_at(i);
      left[0] = xx;
      left[1] = xy;
      left[2] = yy;
      left_b[0] = penalty * along.x * along.b;
      left_b[1] = penalty * along.y * along.b;
    }
    llt_.factorize(matrix_);
    x_ = llt_.solve(b_);
    std::copy(v, v + n, ydot);
    std::copy(x_.data(), x_.data() + n, ydot + n);
  }

 private:
  Points p_;
  Eigen::SparseMatrix<double> matrix_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Upper, Eigen::NaturalOrdering<int>> llt_;
  Eigen::VectorXd b_, x_;
};

}  // namespace

std::unique_ptr<Program> n_four_bar(int loops) {
  return std::make_unique<Saddle>(loops);
}
std::unique_ptr<Program> n_four_bar_blocks(int loops) {
  return std::make_unique<Blocks>(loops);
}
std::unique_ptr<Program> n_four_bar_penalty(int loops) {
  return std::make_unique<Penalty>(loops);
}

}  // namespace sunlagrange::hand_written
