// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <functional>

#include <Eigen/Dense>

#include <sunlagrange/gains/stability_boundary.hpp>
#include <sunlagrange/simulation/violation_bound.hpp>
#include <sunlagrange/stability/gain_limits.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Predicted gain limits against loops written here that share nothing with the library: rows that depend on others,
// that contradict each other, that are scaled, nonholonomic rows, programs.

namespace {

constexpr double gravity = 9.81;

/// Rows mix (g_1, g_2) + shift of a point on a unit circle, q = (x, y, phi): g_1 = x - cos phi, g_2 = y - sin phi.
struct Crank {
  MatrixXd mix;
  VectorXd shift;
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 3;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = M(2, 2) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -gravity;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    using std::cos;
    using std::sin;
    for (int i = 0; i < 3; ++i) {
      g[i] = mix(i, 0) * (q[0] - cos(q[2])) + mix(i, 1) * (q[1] - sin(q[2])) + shift[i];
    }
  }
};

/// A blade, q = (x, y, phi), whose row is there twice.
struct TwiceABlade {
  static constexpr int num_positions = 3;
  static constexpr int num_velocity_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = M(2, 2) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = 2.0;
  }
  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    using std::cos;
    using std::sin;
    psi[0] = v[0] * sin(q[2]) - v[1] * cos(q[2]);
    psi[1] = -3.0 * psi[0];
  }
};

/// Curve on a cubic surface, whose row is there `copies` times.
template <int copies>
struct CubicSurface {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = copies;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    for (int i = 0; i < copies; ++i)
      f[i] = (1.0 + i) * (y[0] * y[0] * y[0] + y[1] * y[1] * y[1] + y[2] * y[2] * y[2] - 1.0);
  }
  template <class T>
  void tangential_velocity(T, View<const T> y, View<T> w) const {
    w[0] = -y[1] - 0.3 * y[2];
    w[1] = y[0];
    w[2] = 0.5;
  }
};

MatrixXd pseudo_inverse(const MatrixXd& A) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).pseudoInverse();
}

/// A flow with errors, and what they count against.
struct OwnFlow {
  std::function<VectorXd(const VectorXd& y, double gain)> rate;
  std::function<VectorXd(const VectorXd& y, double gain)> violation;  ///< (g, g'/gain), psi or f, over max|G|
  std::function<Vector2d(const VectorXd& y, double gain)> of_report;  ///< max of g or f, and of g' or psi, over max|G|
  std::function<Vector2d(const VectorXd& y)> sizes;                   ///< max|q| and max|v|
  VectorXd start, seed;

  VectorXd step(const ButcherTable& table, const VectorXd& y, double h, double gain) const {
    std::vector<VectorXd> k;
    VectorXd next = y;
    for (std::size_t i = 0; i < table.b.size(); ++i) {
      VectorXd stage = y;
      for (std::size_t j = 0; j < i; ++j) stage += h * table.A[i][j] * k[j];
      k.push_back(rate(stage, gain));
      next += h * table.b[i] * k[i];
    }
    return next;
  }

  bool contracts(const ButcherTable& table, double h, double gain, int steps) const {
    VectorXd a = start, b = start + seed;
    const double begin = (violation(b, gain) - violation(a, gain)).norm();
    double first = begin, second = 0.0;
    for (int k = 1; k <= steps; ++k) {
      a = step(table, a, h, gain);
      b = step(table, b, h, gain);
      if (!a.allFinite() || !b.allFinite()) return false;
      double& largest = 2 * k <= steps ? first : second;
      largest = std::max(largest, (violation(b, gain) - violation(a, gain)).norm());
    }
    return second < first && std::max(first, second) < largest_transient * begin;
  }

  bool keeps(const ButcherTable& table, double h, double gain, double t_end, double bound) const {
    VectorXd y = start;
    Vector2d largest = Vector2d::Zero(), of = sizes(y);
    for (int k = 0; k < std::lround(t_end / h); ++k) {
      y = step(table, y, h, gain);
      if (!y.allFinite()) return false;
      largest = largest.cwiseMax(of_report(y, gain));
      of = of.cwiseMax(sizes(y));
    }
    return largest[0] <= bound * of[0] && largest[1] <= bound * of[1];
  }
};

Vector2d sizes_of_mechanism(const VectorXd& y) {
  return {y.head(3).lpNorm<Eigen::Infinity>(), y.tail(3).lpNorm<Eigen::Infinity>()};
}

OwnFlow own_crank(const Crank& model) {
  const auto rows = [](const VectorXd& q) {
    MatrixXd G(2, 3);
    G << 1.0, 0.0, std::sin(q[2]), 0.0, 1.0, -std::cos(q[2]);
    return G;
  };
  const auto error = [model](const VectorXd& q) {
    return VectorXd(model.mix * Vector2d(q[0] - std::cos(q[2]), q[1] - std::sin(q[2])) + model.shift);
  };
  OwnFlow flow;
  flow.rate = [=](const VectorXd& y, double omega) {
    const VectorXd q = y.head(3), v = y.tail(3);
    const MatrixXd G = model.mix * rows(q);
    const VectorXd gamma = model.mix * (-v[2] * v[2] * Vector2d(std::cos(q[2]), std::sin(q[2])));
    const Vector3d f(0.0, -gravity, 0.0);
    const VectorXd wanted = gamma - 2.0 * omega * G * v - omega * omega * error(q);
    VectorXd ydot(6);
    ydot << v, f - G.transpose() * (pseudo_inverse(G * G.transpose()) * (G * f - wanted));
    return ydot;
  };
  flow.violation = [=](const VectorXd& y, double omega) {
    const MatrixXd G = model.mix * rows(y.head(3));
    VectorXd e(6);
    e << error(y.head(3)), G * y.tail(3) / omega;
    return VectorXd(e / G.cwiseAbs().maxCoeff());
  };
  flow.of_report = [violation = flow.violation](const VectorXd& y, double omega) {
    const VectorXd e = violation(y, omega);
    return Vector2d(e.head(3).lpNorm<Eigen::Infinity>(), omega * e.tail(3).lpNorm<Eigen::Infinity>());
  };
  flow.sizes = sizes_of_mechanism;
  flow.start = VectorXd::Zero(6);
  flow.start[0] = 1.0;
  for (int k = 0; k < 5; ++k) {  // rows that contradict each other are satisfied in the mean
    const VectorXd q = flow.start.head(3);
    flow.start.head(3) -= pseudo_inverse(model.mix * rows(q)) * error(q);
  }
  flow.seed = VectorXd::Zero(6);
  flow.seed.head(3) = 1e-7 * rows(flow.start).transpose() * Vector2d(1.0, 0.6);
  flow.seed.tail(3) = 1e-7 * rows(flow.start).transpose() * Vector2d(0.4, -1.0);
  return flow;
}

OwnFlow own_blade() {
  const auto row = [](const VectorXd& q) {
    MatrixXd G(2, 3);
    G << std::sin(q[2]), -std::cos(q[2]), 0.0, -3.0 * std::sin(q[2]), 3.0 * std::cos(q[2]), 0.0;
    return G;
  };
  OwnFlow flow;
  flow.rate = [=](const VectorXd& y, double k) {
    const VectorXd q = y.head(3), v = y.tail(3);
    const MatrixXd G = row(q);
    const VectorXd gamma = -v[2] * (v[0] * std::cos(q[2]) + v[1] * std::sin(q[2])) * Vector2d(1.0, -3.0);
    const Vector3d f(2.0, 0.0, 0.0);
    VectorXd ydot(6);
    ydot << v, f - G.transpose() * (pseudo_inverse(G * G.transpose()) * (G * f - gamma + k * G * v));
    return ydot;
  };
  flow.violation = [=](const VectorXd& y, double) {
    const MatrixXd G = row(y.head(3));
    return VectorXd(G * y.tail(3) / G.cwiseAbs().maxCoeff());
  };
  flow.of_report = [violation = flow.violation](const VectorXd& y, double k) {
    return Vector2d(0.0, violation(y, k).lpNorm<Eigen::Infinity>());
  };
  flow.sizes = sizes_of_mechanism;
  flow.start = VectorXd::Zero(6);
  flow.start[5] = 3.0;
  flow.seed = VectorXd::Zero(6);
  flow.seed[4] = 1e-7;
  return flow;
}

template <int copies>
OwnFlow own_surface() {
  const auto error = [](const VectorXd& y) {
    VectorXd f(copies);
    for (int i = 0; i < copies; ++i) f[i] = (1.0 + i) * (y.array().cube().sum() - 1.0);
    return f;
  };
  const auto rows = [](const VectorXd& y) {
    MatrixXd A(copies, 3);
    for (int i = 0; i < copies; ++i) A.row(i) = (1.0 + i) * 3.0 * y.array().square().matrix().transpose();
    return A;
  };
  OwnFlow flow;
  flow.rate = [=](const VectorXd& y, double k) {
    const MatrixXd A = rows(y), inverse = pseudo_inverse(A);
    const Vector3d w(-y[1] - 0.3 * y[2], y[0], 0.5);
    return VectorXd(w - inverse * (A * w) - k * inverse * error(y));
  };
  flow.violation = [=](const VectorXd& y, double) { return VectorXd(error(y) / rows(y).cwiseAbs().maxCoeff()); };
  flow.of_report = [violation = flow.violation](const VectorXd& y, double k) {
    return Vector2d(violation(y, k).lpNorm<Eigen::Infinity>(), 0.0);
  };
  flow.sizes = [](const VectorXd& y) { return Vector2d(y.lpNorm<Eigen::Infinity>(), 0.0); };
  flow.start = Vector3d(1.0, 0.0, 0.0);
  flow.seed = Vector3d(1e-7, 0.0, 0.0);
  return flow;
}

struct OwnLimits {
  double contraction, stable;  // gain x step
};

OwnLimits own_limits(const OwnFlow& flow, const ButcherTable& table, double step, double t_end, double bound) {
  const int steps = std::min(200, static_cast<int>(std::floor(t_end / step + 1e-9)));
  const double contraction =
      largest_stable_gain([&](double z) { return flow.contracts(table, step, z / step, steps); });
  const auto stable = [&](double z) {
    return flow.keeps(table, step, z / step, t_end, bound) && flow.contracts(table, step, z / step, steps);
  };
  return {contraction, largest_kept_gain(stable, contraction)};
}

/// Compares the limits of four methods; the runs with the limit must keep their constraints by their own report.
void check(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start, const OwnFlow& own,
           double step, double t_end) {
  for (const ButcherTable* table : {&rk1(), &rk2(), &rk3(), &rk4()}) {
    FormulationOptions options;
    options.formulation = std::string(default_formulation(*system));
    const double bound = fixed_step_violation_bound(options.formulation);
    const OwnLimits expected = own_limits(own, *table, step, t_end, bound);
    const GainLimits found = gain_limits(system, start, options, *table, step, t_end);
    BOOST_TEST_CONTEXT(table->name << ": contraction " << expected.contraction << " " << found.contraction * step
                                   << ", stable " << expected.stable << " " << found.along_the_run * step) {
      BOOST_TEST(std::abs(found.contraction * step / expected.contraction - 1.0) < 0.03);
      if (std::isnan(expected.stable)) {  // the velocities of rk1 leave the constraints at every gain
        BOOST_TEST(std::isnan(found.along_the_run));
        continue;
      }
      BOOST_TEST(found.along_the_run * step < 1.003 * expected.stable);
      BOOST_TEST(found.along_the_run * step > 0.93 * expected.stable);
      BOOST_TEST(found.along_the_run <= found.contraction);
    }
  }
}

const InitialState on_the_crank{0.0, Vector3d(1.0, 0.0, 0.0), {}};

MatrixXd third_row(double factor) {
  MatrixXd mix(3, 2);
  mix << 1.0, 0.0, 0.0, 1.0, factor, 2.0 * factor;
  return mix;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_largest_kept_gain_is_searched_downwards) {
  int calls = 0;
  const auto below = [&calls](double limit) {
    return [&calls, limit](double x) {
      ++calls;
      return x <= limit;
    };
  };
  BOOST_TEST(largest_kept_gain(below(5.0), 2.7) == 2.7);
  BOOST_TEST(calls == 2);
  // nor does an isolated value count
  BOOST_TEST(largest_kept_gain([](double x) { return x < 1.0 || x > 2.69; }, 2.7) < 1.0);
  for (const double limit : {0.12, 0.7, 2.69}) {
    const double found = largest_kept_gain(below(limit), 2.7);
    BOOST_TEST(found <= limit);
    BOOST_TEST(found > (1.0 - 1e-3) * limit);
  }
  BOOST_TEST(std::isnan(largest_kept_gain(below(0.01), 2.7)));
  BOOST_TEST(std::isnan(largest_kept_gain(below(5.0), std::nan(""))));
  // a gap below the end does not hide the values above it
  BOOST_TEST(largest_kept_gain([](double x) { return x < 1.0 || x > 2.0; }, 2.7) == 2.7);
}

BOOST_AUTO_TEST_CASE(dependent_and_scaled_rows_have_the_limits_of_own_loops) {
  for (const double factor : {1.0, 1e-3}) {
    BOOST_TEST_CONTEXT("factor " << factor) {
      const Crank crank{third_row(factor), Vector3d::Zero()};
      check(make_system(Crank(crank)), on_the_crank, own_crank(crank), 0.01, 2.0);
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_that_contradict_each_other_slightly_have_limits) {
  const Crank crank{third_row(1.0), Vector3d(0.0, 0.0, 1e-4)};
  check(make_system(Crank(crank)), on_the_crank, own_crank(crank), 0.01, 1.0);
}

BOOST_AUTO_TEST_CASE(nonholonomic_rows_that_repeat_have_the_limits_of_own_loops) {
  InitialState start{0.0, Vector3d::Zero(), Vector3d(0.0, 0.0, 3.0)};
  check(make_system(TwiceABlade{}), start, own_blade(), 0.01, 2.0);
}

BOOST_AUTO_TEST_CASE(programs_whose_rank_is_below_their_rows_have_the_limits_of_own_loops) {
  const InitialState start{0.0, Vector3d(1.0, 0.0, 0.0), {}};
  check(make_program(CubicSurface<1>{}), start, own_surface<1>(), 0.01, 2.0);
  check(make_program(CubicSurface<2>{}), start, own_surface<2>(), 0.01, 2.0);
}
