// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"

/// What a consistent state obeys, and starts that are not consistent.
namespace sunlagrange::test {

using namespace internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Evaluated {
  MatrixXd M, G;
  VectorXd f, g, velocity, bias;
};

inline Evaluated at(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  const auto w = make_workspace(system, Storage::dense);
  BOOST_REQUIRE(evaluate_system(system, request::acceleration_level, {t, q.data(), v.data(), nullptr, nullptr}, *w));
  return {w->M.dense(), w->G.dense(), w->f, w->g, w->g_rate, w->gamma};
}

inline double max_abs(const VectorXd& x) {
  return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>();
}

/// The part of x that is not in the range of G^T.
inline double outside_range(const MatrixXd& G, const VectorXd& x) {
  const VectorXd y = G.transpose().completeOrthogonalDecomposition().solve(x);
  return max_abs(x - G.transpose() * y);
}

/// Linear holonomic and velocity constraints, full mass matrix with very different masses.
struct Linear {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
    M(1, 1) = 20.0;
    M(2, 2) = 5.0;
    M(0, 1) = M(1, 0) = 2.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[2] = 1.0;
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = q[0] + 2.0 * q[1] - q[2] - 3.0 * t;
  }
  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[0] - 0.5 * v[1] + v[2] - 1.0;
  }
};

/// q - given, weighted, has no part along the constraints of the free coordinates.
double not_nearest(const Evaluated& e, const MatrixXd& W, const VectorXd& move, const std::vector<int>& fixed,
                   Eigen::Index rows) {
  MatrixXd G = e.G.topRows(rows);
  VectorXd force = W * move;
  for (const int j : fixed) {
    G.col(j).setZero();
    force[j] = 0.0;
  }
  return outside_range(G, force) / max_abs(force);
}

inline InitialState disturbed(const mechanisms::Mechanism& mechanism, double by) {
  InitialState start = mechanism.start;
  for (Eigen::Index i = 0; i < start.q.size(); ++i) start.q[i] += by * std::sin(3.0 * static_cast<double>(i) + 1.0);
  start.v = VectorXd::LinSpaced(start.q.size(), -1.0, 1.0);
  return start;
}

}  // namespace sunlagrange::test
