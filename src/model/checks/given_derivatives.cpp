#include "model/checks/given_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <Eigen/Core>

#include <sunlagrange/base/setting.hpp>

namespace sunlagrange::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double allowed = 1e-4;  // of a row
constexpr int points = 3, points_that_prove = 2;

/// Thrown where a function declines the point.
struct NoAnswer {};

/// Value of a function at a distance s from the point.
using Path = std::function<VectorXd(double s)>;

View<const double> in(const VectorXd& x) {
  return {x.data(), static_cast<int>(x.size())};
}

/// Returns the `rows` numbers that `function` writes.
template <class Function>
VectorXd answer(int rows, Function&& function) {
  VectorXd values = VectorXd::Zero(rows);
  if (!function(View<double>(values.data(), rows)) || !values.allFinite()) throw NoAnswer();
  return values;
}
template <class Function>
MatrixXd matrix(int rows, int columns, Function&& function) {
  MatrixXd values = MatrixXd::Zero(rows, columns);
  if (!function(MatrixView<double>(values.data(), rows, columns)) || !values.allFinite()) throw NoAnswer();
  return values;
}

struct Difference {
  VectorXd value, uncertainty;
};

/// Returns first or second central differences at s = 0, each entry with the step at which two of them agree best.
Difference difference(const Path& path, int order) {
  const VectorXd here = order == 2 ? path(0.0) : VectorXd();
  Difference best;
  VectorXd previous;
  double h = order == 2 ? 0.1 : 1e-2;
  for (int k = 0; k < 7; ++k, h *= 0.25) {
    const VectorXd plus = path(h), minus = path(-h);
    const VectorXd now =
        order == 2 ? VectorXd((plus - 2.0 * here + minus) / (h * h)) : VectorXd((plus - minus) / (2.0 * h));
    const VectorXd size = plus.cwiseAbs().cwiseMax(minus.cwiseAbs());
    const double rounding = 8.0 * std::numeric_limits<double>::epsilon() / std::pow(h, order);
    if (k == 0) {
      best = {now, VectorXd::Constant(now.size(), std::numeric_limits<double>::infinity())};
    } else {
      for (Index i = 0; i < now.size(); ++i) {
        const double uncertain = std::abs(now[i] - previous[i]) + rounding * size[i];
        if (!(uncertain < best.uncertainty[i])) continue;
        best.value[i] = now[i];
        best.uncertainty[i] = uncertain;
      }
    }
    previous = now;
  }
  return best;
}

/// Returns the error of `given` divided by the allowed one. Up to 1 it counts as right, also where the differences are
/// uncertain.
double excess(double given, double found, double uncertainty, double size) {
  const double scale = std::max({size, std::abs(found), std::abs(given)});
  if (!(uncertainty < 0.01 * scale)) return 0.0;
  return std::abs(given - found) / (allowed * scale + 10.0 * uncertainty);
}

/// A random point, and the values of the functions there.
class CheckedPoint {
 public:
  CheckedPoint(const ModelFunctions& f, std::minstd_rand& random) : f_(f) {
    std::uniform_real_distribution<double> uniform(0.1, 1.0);
    const auto numbers = [&](int count) {
      return VectorXd(VectorXd::NullaryExpr(count, [&] { return uniform(random); }));
    };
    t_ = uniform(random);
    q_ = numbers(f.num_positions);
    v_ = numbers(f.num_positions);
    a_ = numbers(f.num_positions);
    lambda_ = numbers(f.num_constraints);
    direction_ = numbers(f.num_positions);
  }

  /// Returns the error of derivative k at this point; empty if it is right or not given.
  std::string wrong(int k) const {
    switch (k) {
      case 0:
        if (!f_.constraint_jacobian) return "";
        return jacobian(
            "constraint_jacobian", true, jacobian_at(q_), [this](const VectorXd& q) { return constraint(t_, q); }, q_);
      case 1:
        return f_.constraint_acceleration_bias ? bias() : "";
      case 2:
      case 3:
        return f_.force_jacobians ? forces(k == 2) : "";
      case 4:
        if (!f_.inertia_jacobian) return "";
        return jacobian(
            "inertia_jacobian", false,
            matrix(n(), n(), [&](auto out) { return f_.inertia_jacobian(t_, in(q_), in(a_), out); }),
            [this](const VectorXd& q) { return VectorXd(mass(q) * a_); }, q_);
      default:
        if (!f_.constraint_force_jacobian || !f_.constraint_jacobian) return "";  // G itself is made of differences
        return jacobian(
            "constraint_force_jacobian", false,
            matrix(n(), n(), [&](auto out) { return f_.constraint_force_jacobian(t_, in(q_), in(lambda_), out); }),
            [this](const VectorXd& q) { return VectorXd(jacobian_at(q).transpose() * lambda_); }, q_);
    }
  }
  static constexpr int derivatives = 6;

 private:
  int n() const { return f_.num_positions; }

  VectorXd constraint(double t, const VectorXd& q) const {
    return answer(f_.num_constraints, [&](auto out) { return f_.constraint(t, in(q), out); });
  }
  MatrixXd jacobian_at(const VectorXd& q) const {
    return matrix(f_.num_constraints, n(), [&](auto out) { return f_.constraint_jacobian(t_, in(q), out); });
  }
  MatrixXd mass(const VectorXd& q) const {
    return matrix(n(), n(), [&](auto out) { return f_.mass_matrix(t_, in(q), out); });
  }

  std::string bias() const {
    const VectorXd given =
        answer(f_.num_constraints, [&](auto out) { return f_.constraint_acceleration_bias(t_, in(q_), in(v_), out); });
    const Difference found = difference([this](double s) { return constraint(t_ + s, q_ + s * v_); }, 2);
    Index worst = -1;
    double most = 1.0;
    for (Index i = 0; i < given.size(); ++i) {
      const double by = excess(given[i], -found.value[i], found.uncertainty[i], 0.0);
      if (by <= most) continue;
      most = by;
      worst = i;
    }
    if (worst < 0) return "";
    return said("constraint_acceleration_bias", row_name(true, worst), "", given[worst], -found.value[worst]);
  }

  std::string forces(bool by_q) const {
    MatrixXd f_q = MatrixXd::Zero(n(), n()), f_v = f_q;
    if (!f_.force_jacobians(t_, in(q_), in(v_), {f_q.data(), n(), n()}, {f_v.data(), n(), n()}) || !f_q.allFinite() ||
        !f_v.allFinite())
      throw NoAnswer();
    const auto force = [this](const VectorXd& q, const VectorXd& v) {
      return answer(n(), [&](auto out) { return f_.applied_force(t_, in(q), in(v), out); });
    };
    if (by_q)
      return jacobian(
          "force_jacobians, f_q", false, f_q, [&](const VectorXd& q) { return force(q, v_); }, q_);
    return jacobian(
        "force_jacobians, f_v", false, f_v, [&](const VectorXd& v) { return force(q_, v); }, v_);
  }

  /// Compares along one direction first; if that differs, column by column to find the name.
  template <class Function>
  std::string jacobian(const char* name, bool of_constraints, const MatrixXd& J, Function&& function,
                       const VectorXd& x) const {
    const VectorXd given = J * direction_, sizes = J.cwiseAbs() * direction_;
    const Difference along = difference([&](double s) { return function(x + s * direction_); }, 1);
    bool differs = false;
    for (Index i = 0; i < given.size(); ++i)
      differs = differs || excess(given[i], along.value[i], along.uncertainty[i], sizes[i]) > 1.0;
    if (!differs) return "";
    double most = 0.0;
    std::string worst;
    for (Index j = 0; j < J.cols(); ++j) {
      const Difference column = difference([&](double s) { return function(x + s * VectorXd::Unit(x.size(), j)); }, 1);
      for (Index i = 0; i < J.rows(); ++i) {
        const double by = excess(J(i, j), column.value[i], column.uncertainty[i], sizes[i]);
        if (!(by > most)) continue;
        most = by;
        worst = said(name, row_name(of_constraints, i), position_name(j), J(i, j), column.value[i]);
      }
    }
    return most > 1.0 ? worst : "";
  }

  std::string said(const std::string& name, const std::string& row, const std::string& column, double given,
                   double found) const {
    return name + ": row \"" + row + "\"" + (column.empty() ? "" : ", column \"" + column + "\"") + " is " +
           text(given) + " at a random point, by differences " + text(found) + "; correct it, or leave it out";
  }
  std::string position_name(Index j) const {
    return f_.position_names.empty() ? "q" + std::to_string(j) : f_.position_names[static_cast<std::size_t>(j)];
  }
  std::string row_name(bool of_constraints, Index i) const {
    if (!of_constraints) return position_name(i);
    if (!f_.constraint_names.empty()) return f_.constraint_names[static_cast<std::size_t>(i)];
    return f_.num_constraints + f_.num_velocity_constraints == 1 ? "constraint"
                                                                 : "constraint[" + std::to_string(i) + "]";
  }

  const ModelFunctions& f_;
  double t_;
  VectorXd q_, v_, a_, lambda_, direction_;
};

}  // namespace

std::string wrong_derivatives(const ModelFunctions& functions) {
  std::string problems;
  for (int k = 0; k < CheckedPoint::derivatives; ++k) {
    std::minstd_rand random(12345U);
    std::string first;
    int wrong = 0;
    for (int p = 0; p < points && wrong < points_that_prove; ++p) {
      const CheckedPoint point(functions, random);
      try {
        const std::string found = point.wrong(k);
        if (found.empty()) continue;
        if (wrong++ == 0) first = found;
      } catch (...) {
        continue;  // outside its domain
      }
    }
    if (wrong >= points_that_prove) problems += first + "\n";
  }
  return problems;
}

}  // namespace sunlagrange::internal
