// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <tuple>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>

#include "mechanisms/mechanism.hpp"
#include "models.hpp"

/// kinematics and inverse_dynamics against closed forms.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const double pi = std::acos(-1.0);

/// Crank of length a at angle q, rod of length 1, slider at x: q = (angle, x, p), as idaSlCrank.
struct SliderCrank {
  double a = 0.5;
  bool twice = false;  ///< the rows once more
  static constexpr int num_positions = 3;
  int num_constraints() const { return twice ? 4 : 2; }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
    M(1, 1) = 1.5;
    M(2, 2) = 2.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    f[1] = -0.3 * v[1] - 2.0 * q[1];
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - cos(q[2]) - a * cos(q[0]);
    g[1] = -sin(q[2]) - a * sin(q[0]);
    if (twice) {
      g[2] = 3.0 * g[0];
      g[3] = g[0] - g[1];
    }
  }
  std::vector<std::string> position_names() const { return {"crank", "slider", "rod"}; }
};

/// Four-bar in angles: ground d, crank a, coupler b, rocker c.
struct FourBar {
  double a = 1.0, b = 2.5, c = 2.0, d = 3.0;
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < 3; ++i) M(i, i) = 1.0 + i;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = a * cos(q[0]) + b * cos(q[1]) - d - c * cos(q[2]);
    g[1] = a * sin(q[0]) + b * sin(q[1]) - c * sin(q[2]);
  }
  std::vector<std::string> position_names() const { return {"crank", "coupler", "rocker"}; }
};

/// The nodal cubic y^2 = x^2 (x + 1): y = x sqrt(x + 1) crosses its mirror image at the origin.
struct NodalCubic {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] * q[1] - q[0] * q[0] * (q[0] + 1.0);
  }
  std::vector<std::string> position_names() const { return {"x", "y"}; }
};

/// A point on the unit circle.
struct UnitCircle {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = 2.0;
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
  std::vector<std::string> position_names() const { return {"x", "y"}; }
};

bool has_no_rates(const KinematicPoint& p) {
  return p.rate.array().isNaN().all() && p.curvature.array().isNaN().all();
}

std::vector<double> equidistant(double from, double to, int pieces) {
  std::vector<double> grid;
  for (int k = 0; k <= pieces; ++k) grid.push_back(from + (to - from) * k / pieces);
  return grid;
}

}  // namespace

BOOST_AUTO_TEST_CASE(slider_crank_over_two_turns) {
  for (const bool twice : {false, true}) {
    const SliderCrank model{0.5, twice};
    const auto system = make_system(model);
    const Kinematics found =
        kinematics(system, {0.0, Eigen::Vector3d(0.1, 1.5, 0.0), {}}, "crank", equidistant(0.0, 4.0 * pi, 97));
    BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
    BOOST_REQUIRE(found.branches.size() == 1U);
    BOOST_REQUIRE(found.branches[0].points.size() == 98U);
    for (const KinematicPoint& p : found.branches[0].points) {
      const double s = std::sin(p.s), c = std::cos(p.s), root = std::sqrt(1.0 - 0.25 * s * s);
      const double slider = 0.5 * c + root;
      const double rate = -0.5 * s - 0.25 * s * c / root;
      const double curvature = -0.5 * c - 0.25 * (c * c - s * s) / root - 0.0625 * s * s * c * c / (root * root * root);
      BOOST_TEST(std::abs(p.q[1] - slider) < 1e-11);
      BOOST_TEST(std::abs(p.rate[1] - rate) < 1e-10);
      BOOST_TEST(std::abs(p.curvature[1] - curvature) < 1e-9);
      BOOST_TEST(std::abs(p.rate[0] - 1.0) < 1e-12);
      BOOST_TEST(std::abs(p.curvature[0]) < 1e-11);
    }
  }
}

// Driven at the slider: dead where crank and rod are in line, at 1 + a and 1 - a; behind them the crank goes on
// turning.
BOOST_AUTO_TEST_CASE(slider_crank_driven_at_the_slider) {
  const auto system = make_system(SliderCrank{});
  KinematicsOptions options;
  options.max_dead_points = 1;
  const Kinematics found =
      kinematics(system, {0.0, Eigen::Vector3d(1.0, 1.2, -0.4), {}}, "slider", equidistant(1.1, 2.0, 10), options);
  BOOST_TEST(to_string(found.status.outcome) == std::string("infeasible"));
  BOOST_TEST(found.status.message.find("dead point at slider = 1.5") != std::string::npos, found.status.message);
  BOOST_REQUIRE(found.branches.size() == 2U);
  const KinematicBranch& first = found.branches[0];
  BOOST_REQUIRE(first.dead_point.size() == 1U);
  BOOST_TEST(first.dead_point[0].s == 1.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(std::abs(first.dead_point[0].q[0]) < 1e-6);
  BOOST_TEST(first.dead_point[0].direction[0] == 1.0);
  BOOST_TEST(std::abs(first.dead_point[0].direction[1]) < 1e-6);
  BOOST_TEST(first.points.size() + first.unreached.size() == 11U);
  BOOST_TEST(first.unreached.front() > 1.5);
  // the second branch is the mirror image of the first
  const KinematicBranch& second = found.branches[1];
  BOOST_REQUIRE(second.points.size() == first.points.size());
  for (std::size_t k = 0; k < second.points.size(); ++k) {
    const KinematicPoint& there = first.points[first.points.size() - 1 - k];
    BOOST_TEST(std::abs(second.points[k].s - there.s) < 1e-12);
    BOOST_TEST(std::abs(second.points[k].q[0] + there.q[0]) < 1e-8);
    BOOST_TEST(std::abs(second.points[k].q[2] + there.q[2]) < 1e-8);
  }
}

// A value of the grid at a dead point has a configuration but no rates, and ends the branch; the values before it, and
// behind it on the next branch, are those of the closed form.
BOOST_AUTO_TEST_CASE(a_value_at_a_dead_point_has_no_rates) {
  const auto system = make_system(SliderCrank{});
  for (const auto& [from, to, pieces, dead] : {std::tuple(1.0, 1.5, 2, 1.5), std::tuple(1.0, 2.0, 4, 1.5),
                                               std::tuple(1.3, 1.7, 4, 1.5), std::tuple(1.0, 0.5, 5, 0.5)}) {
    for (const int passed : {0, 1}) {
      KinematicsOptions options;
      options.max_dead_points = passed;
      const std::vector<double> grid = equidistant(from, to, pieces);
      const Kinematics found = kinematics(system, {0.0, Eigen::Vector3d(1.0, from, -0.4), {}}, "slider", grid, options);
      BOOST_TEST_CONTEXT(from << " ... " << to << ", " << passed << ": " << found.status.message) {
        const bool at_end = to == dead;
        BOOST_TEST(to_string(found.status.outcome) == std::string(at_end ? "finished" : "infeasible"));
        BOOST_TEST(found.status.message.find("dead point") != std::string::npos);
        BOOST_REQUIRE(found.branches.size() == (passed == 1 && !at_end ? 2U : 1U));
        for (std::size_t b = 0; b < found.branches.size(); ++b) {
          const std::vector<KinematicPoint>& points = found.branches[b].points;
          const std::size_t reached = at_end ? grid.size() : grid.size() / 2 + 1;
          BOOST_REQUIRE(points.size() == reached);
          const std::size_t turn = b == 0 ? reached - 1 : 0;
          for (std::size_t k = 0; k < reached; ++k) {
            const KinematicPoint& p = points[k];
            BOOST_TEST(std::abs(p.s - grid[b == 0 ? k : reached - 1 - k]) < 1e-11);
            BOOST_TEST(std::abs(p.q[1] - std::cos(p.q[2]) - 0.5 * std::cos(p.q[0])) < 1e-11);
            BOOST_TEST(std::abs(std::sin(p.q[2]) + 0.5 * std::sin(p.q[0])) < 1e-11);
            BOOST_TEST(has_no_rates(p) == (k == turn));
            if (k == turn) continue;
            const double slope = -0.5 * std::sin(p.q[0]) - 0.5 * std::tan(-p.q[2]) * std::cos(p.q[0]);
            BOOST_TEST(p.rate[0] * slope == 1.0, boost::test_tools::tolerance(1e-7));
            BOOST_TEST(p.rate[1] == 1.0, boost::test_tools::tolerance(1e-12));
            BOOST_TEST(std::abs(p.curvature[1]) < 1e-8);
          }
        }
        const KinematicBranch& first = found.branches[0];
        BOOST_TEST(first.points.size() + first.unreached.size() == grid.size());
        BOOST_REQUIRE(first.dead_point.size() == 1U);
        BOOST_TEST(std::abs(first.dead_point[0].s - dead) < 1e-11);
        BOOST_TEST(std::abs(std::sin(first.dead_point[0].q[0])) < 1e-6);
      }
    }
  }
}

// From a dead point there is no first step, whatever the side on which rounding puts the start.
BOOST_AUTO_TEST_CASE(a_start_at_a_dead_point_is_told) {
  const auto circle = make_system(UnitCircle{});
  const auto crank = make_system(SliderCrank{});
  const auto check = [](const Kinematics& found, std::size_t values) {
    BOOST_TEST_CONTEXT(found.status.message) {
      BOOST_REQUIRE(found.branches.size() == 1U);
      const KinematicBranch& branch = found.branches[0];
      BOOST_TEST(to_string(found.status.outcome) == std::string(values == 1U ? "finished" : "infeasible"));
      BOOST_TEST(found.status.message.find("dead point") != std::string::npos);
      BOOST_TEST((found.status.message.find("the start") != std::string::npos) == (values > 1U));
      BOOST_REQUIRE(branch.points.size() == 1U);
      BOOST_TEST(has_no_rates(branch.points[0]));
      BOOST_TEST(branch.dead_point.size() == 1U);
      BOOST_TEST(branch.unreached.size() == values - 1U);
    }
  };
  for (const double x : {0.0, 1e-9, -1e-7, 1e-6}) {
    for (const std::vector<double>& grid : {std::vector<double>{-1.0}, {-1.0, -0.5}, {-1.0, -1.5, -2.0}})
      check(kinematics(circle, {0.0, Eigen::Vector2d(x, -1.0), {}}, "y", grid), grid.size());
  }
  for (const double angle : {0.0, 0.1, 1.0})
    check(kinematics(crank, {0.0, Eigen::Vector3d(angle, 1.5, -0.4 * angle), {}}, "slider", {1.5, 1.0}), 2U);
  // beside it
  const double x = 1e-3, y = -std::sqrt(1.0 - x * x);
  const Kinematics found = kinematics(circle, {0.0, Eigen::Vector2d(x, y), {}}, "y", {y, -0.5});
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(found.status.message.empty());
  for (const KinematicPoint& p : found.branches[0].points)
    BOOST_TEST(p.rate[0] * p.q[0] == -p.q[1], boost::test_tools::tolerance(1e-6));
}

// Crank and rod of one length coincide at pi/2, where the slider may stay at the pin while both turn together: the
// branch of the moving slider, x = 2 cos(crank), is followed, and the crossing is told where it is passed or met.
BOOST_AUTO_TEST_CASE(a_crossing_of_branches_is_told_and_passed) {
  for (const bool twice : {false, true}) {
    const auto system = make_system(SliderCrank{1.0, twice});
    const auto over = [&](double from, double to, int pieces) {
      return kinematics(system, {0.0, Eigen::Vector3d(from, 2.0 * std::cos(from), -from), {}}, "crank",
                        equidistant(from, to, pieces));
    };
    const double half = 0.5 * pi;
    for (const auto& [from, to, pieces, crossings] :
         {std::tuple(0.8, 2.4, 4, 1), std::tuple(0.5 * half, 1.5 * half, 4, 1), std::tuple(1.0, half, 2, 1),
          std::tuple(half + 0.013, half - 0.009, 22, 1), std::tuple(1.0, 14.0, 9, 4),
          std::tuple(1.0, half - 0.005, 3, 0), std::tuple(half + 0.005, 4.0, 3, 0)}) {
      const Kinematics found = over(from, to, pieces);
      BOOST_TEST_CONTEXT(from << " ... " << to << ": " << found.status.message) {
        BOOST_REQUIRE_EQUAL(found.branches.size(), 1U);
        const KinematicBranch& branch = found.branches[0];
        BOOST_TEST(to_string(found.status.outcome) == std::string(crossings == 0 ? "finished" : "uncertain_branch"));
        BOOST_REQUIRE(branch.crossings.size() == static_cast<std::size_t>(crossings));
        for (std::size_t k = 0; k < branch.crossings.size(); ++k) {
          const double there = half + pi * static_cast<double>(k);
          BOOST_TEST(std::abs(branch.crossings[k].s - there) < 1e-8);
          BOOST_TEST((branch.crossings[k].q - Eigen::Vector3d(there, 0.0, -there)).norm() < 1e-8);
        }
        BOOST_REQUIRE(branch.points.size() == static_cast<std::size_t>(pieces) + 1U);
        for (const KinematicPoint& p : branch.points) {
          BOOST_TEST((p.q - Eigen::Vector3d(p.s, 2.0 * std::cos(p.s), -p.s)).norm() < 1e-11);
          BOOST_TEST((p.rate - Eigen::Vector3d(1.0, -2.0 * std::sin(p.s), -1.0)).norm() < 1e-7);
          BOOST_TEST((p.curvature - Eigen::Vector3d(0.0, -2.0 * std::cos(p.s), 0.0)).norm() < 1e-4);
        }
      }
    }
  }
  // folded flat, N parallelograms lose N ranks at once
  for (const int loops : {1, 2, 5}) {
    const auto bars = mechanisms::find_mechanism("n_four_bar_bodies").make(loops);
    const Kinematics found = kinematics(bars.system, bars.start, "vertical 0.phi", equidistant(1.0, -1.0, 4));
    BOOST_REQUIRE_EQUAL(found.branches.size(), 1U);
    BOOST_REQUIRE_EQUAL(found.branches[0].crossings.size(), 1U);
    BOOST_TEST(std::abs(found.branches[0].crossings[0].s) < 1e-8);
    BOOST_REQUIRE_EQUAL(found.branches[0].points.size(), 5U);
    for (const KinematicPoint& p : found.branches[0].points) BOOST_TEST(std::abs(p.q[5]) < 1e-10);
  }
}

// Just not foldable flat, a four-bar bends sharply there, beside the branch of the other way of assembling: bends that
// can be resolved are followed, others end the run; no point is on the other side.
BOOST_AUTO_TEST_CASE(no_step_changes_over_beside_a_singular_pose) {
  for (const double margin : {1e-2, 8e-4, 1e-4, 1e-5, 1e-7, 1e-9, 1e-11}) {
    for (const double elbow : {1.0, -1.0}) {
      const FourBar m{1.0, 2.5, 2.0, 3.5 - margin};
      const Kinematics found = kinematics(make_system(m), {0.0, Eigen::Vector3d(0.5, 0.7 * elbow, 1.6 * elbow), {}},
                                          "crank", equidistant(0.5, 6.0, 11));
      BOOST_TEST_CONTEXT(margin << ": " << found.status.message) {
        BOOST_REQUIRE_EQUAL(found.branches.size(), 1U);
        const KinematicBranch& branch = found.branches[0];
        BOOST_TEST((found.status.finished() || margin < 1e-6));
        BOOST_TEST(found.status.finished() == branch.unreached.empty());
        BOOST_TEST(branch.points.size() + branch.unreached.size() == 12U);
        BOOST_TEST(branch.crossings.empty());
        for (const KinematicPoint& p : branch.points) BOOST_TEST(elbow * std::sin(p.q[2] - p.q[1]) > 0.0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(nodal_cubic_through_and_from_beside_its_node) {
  const auto system = make_system(NodalCubic{});
  for (const auto& [from, to, pieces, crossings] :
       {std::tuple(1.0, -0.5, 3, 1), std::tuple(1.0, -0.8, 9, 1), std::tuple(1.0, 0.0, 2, 1),
        std::tuple(-0.5, 0.5, 2, 1), std::tuple(1e-2, 1.5, 6, 0), std::tuple(1e-4, 1.5, 6, 0),
        std::tuple(1e-6, 1.5, 6, 0)}) {
    const Kinematics found = kinematics(system, {0.0, Eigen::Vector2d(from, from * std::sqrt(1.0 + from)), {}}, "x",
                                        equidistant(from, to, pieces));
    BOOST_TEST_CONTEXT(from << " ... " << to << ": " << found.status.message) {
      BOOST_REQUIRE_EQUAL(found.branches.size(), 1U);
      const KinematicBranch& branch = found.branches[0];
      BOOST_TEST(branch.points.size() == static_cast<std::size_t>(pieces) + 1U);
      BOOST_TEST(branch.unreached.empty());
      BOOST_TEST(branch.crossings.size() == static_cast<std::size_t>(crossings));
      for (const KinematicPoint& p : branch.points) BOOST_TEST(std::abs(p.q[1] - p.s * std::sqrt(1.0 + p.s)) < 1e-10);
      BOOST_TEST((found.status.message.find("ended") == std::string::npos));
    }
  }
}

// Freudenstein: d/a cos(phi) ... : K1 cos(rocker) - K2 cos(crank) + K3 = cos(crank - rocker).
BOOST_AUTO_TEST_CASE(four_bar_obeys_freudenstein) {
  const FourBar m;
  const auto system = make_system(m);
  const double K1 = m.d / m.a, K2 = m.d / m.c, K3 = (m.a * m.a - m.b * m.b + m.c * m.c + m.d * m.d) / (2.0 * m.a * m.c);
  for (const double elbow : {1.0, -1.0}) {
    const Kinematics found = kinematics(system, {0.0, Eigen::Vector3d(0.5, 0.7 * elbow, 1.6 * elbow), {}}, "crank",
                                        equidistant(0.5, 0.5 + 2.0 * pi, 60));
    BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
    const auto& points = found.branches[0].points;
    BOOST_REQUIRE(points.size() == 61U);
    for (const KinematicPoint& p : points) {
      BOOST_TEST(std::abs(K1 * std::cos(p.q[2]) - K2 * std::cos(p.q[0]) + K3 - std::cos(p.q[0] - p.q[2])) < 1e-10);
      // its derivative
      const double difference = std::sin(p.q[0] - p.q[2]);
      BOOST_TEST(std::abs(-K1 * std::sin(p.q[2]) * p.rate[2] + K2 * std::sin(p.q[0]) + difference * (1.0 - p.rate[2])) <
                 1e-9);
      // on the branch on which it began: the coupler stays on its side of the rocker
      BOOST_TEST(elbow * std::sin(p.q[2] - p.q[1]) > 0.0);
    }
    BOOST_TEST(std::abs(std::remainder(points.back().q[2] - points.front().q[2], 2.0 * pi)) < 1e-9);
  }
}

// The drive's power is the rate of the energy plus what the damper takes; constraints and drive together move the
// mechanism.
BOOST_AUTO_TEST_CASE(drives_of_a_given_motion) {
  for (const bool twice : {false, true}) {
    const auto system = make_system(SliderCrank{0.5, twice});
    const Kinematics found = kinematics(system, {0.0, Eigen::Vector3d(0.5, 1.4, 0.0), {}}, "crank", {0.5, 0.9});
    BOOST_REQUIRE(found.status.finished());
    const MotionState state = found.branches[0].points.back().state(0.0, 3.0, -1.0);
    const SystemQuantities terms = SystemEvaluator(system).at(0.0, state.q, state.v);
    BOOST_TEST((terms.G * state.a - terms.gamma).norm() < 1e-10);
    const InverseDynamics drive = inverse_dynamics(system, state, {"crank"});
    BOOST_REQUIRE(drive.status.finished());
    BOOST_TEST(drive.missing < 1e-12);
    VectorXd right = terms.f;
    right[0] += drive.drive[0];
    BOOST_TEST((terms.M * state.a + terms.G.transpose() * drive.lambda - right).norm() < 1e-10);
    const double power = state.v.dot(terms.M * state.a) - state.v.dot(terms.f);  // constraints do no work
    BOOST_TEST(drive.power == power, boost::test_tools::tolerance(1e-10));
    // without a drive the same motion needs a force that nobody delivers
    BOOST_TEST(inverse_dynamics(system, state, {}).missing > 1e-3);
    const InverseDynamics two = inverse_dynamics(system, state, {"crank", "slider"});
    BOOST_TEST(to_string(two.status.outcome) == std::string("rank_loss"));
    BOOST_TEST(two.missing < 1e-12);
  }
}

// One drive across the only motion that is left moves nothing, and the constraint carries the weight; beside it the
// drive of the resting point is that of its closed form, f . dq/dy + u = 0.
BOOST_AUTO_TEST_CASE(one_drive_at_a_dead_point_is_not_unique) {
  const auto system = make_system(UnitCircle{});
  for (const double x : {0.0, 1e-9, -1e-9, 1e-2, 0.6}) {
    MotionState state;
    state.q = Eigen::Vector2d(x, -std::sqrt(1.0 - x * x));
    state.v = state.a = VectorXd::Zero(2);
    const InverseDynamics found = inverse_dynamics(system, state, {"y"});
    const bool dead = std::abs(x) < 1e-6;
    BOOST_TEST_CONTEXT("x = " << x << ": " << found.status.message) {
      BOOST_TEST(to_string(found.status.outcome) == std::string(dead ? "rank_loss" : "finished"));
      if (dead) {
        BOOST_TEST(found.drive[0] == 0.0);
        BOOST_TEST(found.lambda[0] * state.q[1] == -9.81, boost::test_tools::tolerance(1e-8));
        BOOST_TEST(found.missing == 2.0 / 9.81, boost::test_tools::tolerance(1e-6));
      } else {
        BOOST_TEST(found.drive[0] == 9.81 + 2.0 * state.q[1] / x, boost::test_tools::tolerance(1e-9));
        BOOST_TEST(found.missing < 1e-12);
      }
      const InverseDynamics other = inverse_dynamics(system, state, {"x"});
      BOOST_TEST(other.status.finished());
      BOOST_TEST(other.missing < 1e-12);
    }
  }
}

// Where branches cross one drive cannot accelerate the motion along its branch: what least squares say is no drive.
BOOST_AUTO_TEST_CASE(one_drive_does_not_deliver_where_branches_cross) {
  const auto folding = mechanisms::find_mechanism("folding_slider_crank").make(0);
  const Kinematics found = kinematics(folding.system, folding.start, "crank.phi", {1.0, pi / 2.0, 2.0});
  BOOST_REQUIRE(found.branches[0].points.size() == 3U);
  for (std::size_t k = 0; k < 3U; ++k) {
    const MotionState state = found.branches[0].points[k].state(0.0, 0.0, 1.0);
    BOOST_REQUIRE(state.a.allFinite());
    BOOST_TEST(inverse_dynamics(folding.system, state, {"crank.phi"}).delivers() == (k != 1U));
  }
}

// Coordinates that the start holds give way to the driven one.
BOOST_AUTO_TEST_CASE(the_driven_coordinate_takes_the_place_of_held_ones) {
  const auto system = make_system(SliderCrank{});
  InitialState start{0.0, Eigen::Vector3d(1.0, 1.2, 0.0), {}};
  start.fixed_positions = {"crank"};
  const Kinematics found = kinematics(system, start, "slider", {1.0, 1.2});
  BOOST_TEST(found.status.finished(), found.status.message);
}

// What was found until the application says no is kept, in all searches; the third one is let go for ever.
BOOST_AUTO_TEST_CASE(searches_end_when_the_application_says_so) {
  int asked = 0;
  const auto some = [&asked](double) { return ++asked != 8; };  // a no counts, whatever follows
  KinematicsOptions options;
  options.keep_going = some;
  const Kinematics found = kinematics(make_system(SliderCrank{}), {0.0, Eigen::Vector3d(0.1, 1.5, 0.0), {}}, "crank",
                                      equidistant(0.1, 3.0, 100), options);
  BOOST_TEST(to_string(found.status.outcome) == std::string("interrupted"));
  BOOST_REQUIRE(found.branches.size() == 1U);
  BOOST_TEST((!found.branches[0].points.empty() && found.branches[0].points.size() < 10U));
  BOOST_TEST(found.branches[0].points.size() + found.branches[0].unreached.size() == 101U);

  const auto chain = mechanisms::find_mechanism("chain").make(1);
  WorkspaceOptions places;
  asked = 0;
  places.keep_going = some;
  const MechanismWorkspace reached =
      workspace(chain.system, chain.start, {"rod 1"}, {{"rod 1.phi", -1.5, 1.5, 61}}, places);
  BOOST_TEST(to_string(reached.status.outcome) == std::string("interrupted"));
  BOOST_TEST((reached.count(Reach::reached) > 0 && reached.count(Reach::unreached) > 40));
  BOOST_TEST(reached.crossings == 0);

  const auto bars = mechanisms::find_mechanism("bricard").make(0);  // stalls, and is let go
  for (const int last : {1, 5, 40, 200}) {
    asked = 0;
    EquilibriumOptions rest;
    rest.keep_going = [&](double) { return ++asked != last; };
    const Equilibrium ended = static_equilibrium(bars.system, bars.start, rest);
    BOOST_TEST(asked == last);
    BOOST_TEST(to_string(ended.status.outcome) == std::string("interrupted"));
    BOOST_TEST(ended.state.q.size() == bars.system->num_positions());
  }
  EquilibriumOptions many;
  many.starts = 1000000;
  asked = 0;
  many.keep_going = [&](double) { return ++asked != 100; };
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  BOOST_TEST(!static_equilibria(pendulum.system, pendulum.start, many).empty());
  BOOST_TEST(asked == 100);
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const auto system = make_system(SliderCrank{});
  const InitialState start{0.0, Eigen::Vector3d(0.1, 1.5, 0.0), {}};
  const auto refused = [&](const auto& call, const char* part) {
    BOOST_CHECK_EXCEPTION(
        call(), Error, [&](const Error& error) { return std::string(error.what()).find(part) != std::string::npos; });
  };
  refused([&] { kinematics(system, start, "piston", {0.0, 1.0}); }, "piston");
  refused([&] { kinematics(system, start, "crank", {}); }, "grid");
  refused([&] { kinematics(system, start, "crank", {0.0, 1.0, 0.5}); }, "0.5");
  refused([&] { kinematics(nullptr, start, "crank", {0.0}); }, "null");
  const auto blade = mechanisms::find_mechanism("chaplygin_sleigh").make(0);
  refused([&] { kinematics(blade.system, blade.start, blade.system->position_name(0), {0.0}); }, "velocities");
  refused([&] { inverse_dynamics(system, {}, {"crank"}); }, "n = 3");
  // out of reach, and with more than one degree of freedom
  BOOST_TEST(to_string(kinematics(system, start, "slider", {2.0}).status.outcome) == std::string("infeasible"));
  const auto chain = mechanisms::find_mechanism("chain").make(2);
  const Kinematics loose = kinematics(chain.system, chain.start, chain.system->position_name(2), {chain.start.q[2]});
  BOOST_TEST(to_string(loose.status.outcome) == std::string("rank_loss"));
  BOOST_TEST(loose.status.message.find("2 degrees of freedom") != std::string::npos, loose.status.message);
}
