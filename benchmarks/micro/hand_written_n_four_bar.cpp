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
std::unique_ptr<Program> n_four_bar_penalty(int loops) {
  return std::make_unique<Penalty>(loops);
}

}  // namespace sunlagrange::hand_written
