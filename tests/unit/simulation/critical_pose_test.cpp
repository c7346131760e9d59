// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/sunlagrange.hpp>

#include "simulation/critical_pose.hpp"

/// The critical pose of a four-bar that nearly folds, against its closed form.
using namespace sunlagrange;
using internal::CriticalPose;

namespace {

/// Crank and rocker of length 1 at a distance d, coupler of length d (1 - delta); coordinates: their angles. The fold
/// phi = psi = 0 is a stationary point of g for every delta, with g = d^2 - d^2 (1 - delta)^2.
struct FourBar {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  double d, delta, unit = 1.0, mass = 1.0;

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = f[1] = 0.0;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    using std::cos, std::sin;
    const T x = d + cos(q[1]) - cos(q[0]), y = sin(q[1]) - sin(q[0]);
    const double coupler = d * (1.0 - delta);
    g[0] = unit * (x * x + y * y - coupler * coupler);
  }
};

double misfit(const FourBar& bar) {
  return bar.d * bar.d * (1.0 - (1.0 - bar.delta) * (1.0 - bar.delta));
}

/// Returns psi on the branch with psi near the guess, by Newton's method.
double rocker(const FourBar& bar, double phi, double psi) {
  const double coupler = bar.d * (1.0 - bar.delta);
  for (int k = 0; k < 50; ++k) {
    const double x = bar.d + std::cos(psi) - std::cos(phi), y = std::sin(psi) - std::sin(phi);
    const double slope = 2.0 * (-x * std::sin(psi) + y * std::cos(psi));
    psi -= (x * x + y * y - coupler * coupler) / slope;
  }
  return psi;
}

/// Counts how often second derivatives of g are evaluated: explicit integrators do not need them, the search does.
struct CountedFourBar : FourBar {
  int* count;

  void constraint_force_jacobian(double, View<const double> q, View<const double> lambda, MatrixView<double> K) const {
    ++*count;
    const double x = d + std::cos(q[1]) - std::cos(q[0]), y = std::sin(q[1]) - std::sin(q[0]);
    const double factor = 2.0 * unit * lambda[0];
    K(0, 0) = factor * (1.0 + x * std::cos(q[0]) + y * std::sin(q[0]));
    K(1, 1) = factor * (1.0 - x * std::cos(q[1]) - y * std::sin(q[1]));
    K(0, 1) = K(1, 0) = -factor * std::cos(q[1] - q[0]);
  }
};

std::optional<CriticalPose> pose_of(const FourBar& bar) {
  const auto system = make_system(bar);
  const auto sample = [](double phi, double psi) {
    internal::PathSample s;
    s.q = Eigen::Vector2d(phi, psi);
    s.v = Eigen::Vector2d(1.0, 1.0);
    s.regular = true;
    return s;
  };
  return CriticalPose::find(*system, sample(0.02, -0.013), sample(0.6, rocker(bar, 0.6, 0.6)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_misfit_is_that_of_the_lengths) {
  for (const double delta : {1e-12, 1e-6, -1e-6, 1e-3, -1e-3}) {
    for (const double unit : {1.0, 1e3}) {
      const FourBar bar{2.0, delta, unit};
      const std::optional<CriticalPose> pose = pose_of(bar);
      BOOST_REQUIRE(pose.has_value());
      BOOST_TEST(!pose->exact());
      BOOST_TEST(std::abs(pose->largest_misfit() - unit * std::abs(misfit(bar))) <=
                 unit * 1e-14 + 1e-3 * unit * std::abs(misfit(bar)));
      BOOST_TEST(pose->along_lines(0.0, Eigen::Vector2d::Zero()).norm() < 1e-10);
    }
  }
}

/// Neither the unit of g nor that of the mass decides between a crossing and a gap.
BOOST_AUTO_TEST_CASE(rounding_is_relative_to_the_coordinates) {
  for (const double mass : {1e-12, 1.0, 1e9}) {
    const std::optional<CriticalPose> fits = pose_of({2.0, 0.0, 1.0, mass}), misses = pose_of({2.0, 1e-12, 1.0, mass});
    BOOST_REQUIRE(fits.has_value());
    BOOST_REQUIRE(misses.has_value());
    BOOST_TEST(fits->exact());
    BOOST_TEST(!misses->exact());
    BOOST_TEST(std::abs(misses->largest_misfit() - misfit({2.0, 1e-12})) <= 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(lengths_that_fit_make_a_crossing) {
  for (const double d : {0.3, 2.0, 5.0}) {
    const std::optional<CriticalPose> pose = pose_of({d, 0.0});
    BOOST_REQUIRE(pose.has_value());
    BOOST_TEST(pose->exact());
  }
}

/// On the constraint set a b = -eps / B up to third order, on either branch.
BOOST_AUTO_TEST_CASE(the_branches_are_hyperbolas_beside_the_pose) {
  for (const double delta : {1e-4, -1e-4}) {
    const FourBar bar{2.0, delta};
    const std::optional<CriticalPose> pose = pose_of(bar);
    BOOST_REQUIRE(pose.has_value());
    for (const double phi : {0.1, -0.1, 0.05, -0.05}) {
      for (const double ratio : {1.0, -3.0}) {  // slopes of the lines at d = 2: 1 and (1 + d) / (1 - d)
        const double psi = rocker(bar, phi, ratio * phi);
        const Eigen::Vector2d place = pose->along_lines(0.0, Eigen::Vector2d(phi, psi));
        const double largest = place.cwiseAbs().maxCoeff();
        BOOST_TEST_CONTEXT("delta " << delta << ", phi " << phi << ", psi " << psi << ": a " << place[0] << ", b "
                                    << place[1])
        BOOST_TEST(std::abs(place[0] * place[1] - pose->product()) <
                   0.1 * std::abs(pose->product()) + largest * largest * largest);
      }
    }
  }
}

/// A motion that violates the lengths by 1e-9 cannot jump a gap of a hundredth, but one of a hundred thousandth.
BOOST_AUTO_TEST_CASE(poses_are_searched_only_where_the_branch_may_have_changed) {
  for (const double delta : {1e-2, 1e-6, 1e-10}) {
    int count = 0;
    const FourBar bar{2.0, delta};
    const auto system = make_system(CountedFourBar{bar, &count});
    const double psi = rocker(bar, 0.6, 0.6);
    const double x = bar.d + std::cos(psi) - std::cos(0.6), y = std::sin(psi) - std::sin(0.6);
    const double by_phi = x * std::sin(0.6) - y * std::cos(0.6), by_psi = -x * std::sin(psi) + y * std::cos(psi);
    SimulationOptions options;
    options.formulation = "projected";
    options.integrator = "dopri5";
    options.t_end = 1.2;
    count = 0;
    const Simulation run =
        simulate(system, {0.0, Eigen::Vector2d(0.6, psi), Eigen::Vector2d(-1.0, by_phi / by_psi)}, options);
    BOOST_TEST(run.status.finished(), run.status.message);
    BOOST_TEST(run.report.smallest_singular_value > 0.0);
    BOOST_TEST((count > 0) == (delta < 1e-9), "delta " << delta << ": " << count << " evaluations");
  }
}

BOOST_AUTO_TEST_CASE(a_dead_centre_is_no_critical_pose) {
  const auto system = make_system(FourBar{2.0, 0.0});
  internal::PathSample s;
  s.q = Eigen::Vector2d(1.0, 1.0);
  s.v = Eigen::Vector2d(1.0, 1.0);
  s.regular = true;
  BOOST_TEST(!CriticalPose::find(*system, s, s).has_value());
}
