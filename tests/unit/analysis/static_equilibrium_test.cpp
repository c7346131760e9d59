// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>

#include "mechanisms/mechanism.hpp"
#include "models.hpp"

/// static_equilibrium against closed forms; over all mechanisms: contract/analysis_test.
using namespace sunlagrange;
using Eigen::VectorXd;
using test::Pendulum;

namespace {

const double pi = std::acos(-1.0);

std::string stability(const Equilibrium& found) {
  return to_string(found.modes.stability);
}

/// Two rigid links of length 1: pinned at the origin, joined at the knee (x, y), ending at a slider (s, 0), which a
/// spring pushes in; a load pushes the knee down. V(theta) = k (s - s0)^2 / 2 + P sin theta with s = 2 cos theta.
struct Toggle {
  double load = 0.0, stiffness = 100.0, theta0 = 0.5;
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = M(2, 2) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[1] = T(-load);
    f[2] = -stiffness * (q[2] - 2.0 * std::cos(theta0));
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const T dx = q[2] - q[0];
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    g[1] = 0.5 * (dx * dx + q[1] * q[1] - 1.0);
  }
  InitialState at(double theta) const {
    return {0.0, Eigen::Vector3d(std::cos(theta), std::sin(theta), 2.0 * std::cos(theta)), {}};
  }
  /// dV/dtheta = 0 solved for the load.
  double load_at(double theta) const {
    return 4.0 * stiffness * (std::cos(theta) - std::cos(theta0)) * std::tan(theta);
  }
};

/// Load on top of an upright rod of length 1, held sideways by a spring at its tip: stable while the load is below k.
struct Column {
  double load = 1.0, stiffness = 10.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = -stiffness * q[0];
    f[1] = T(-load);
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(both_equilibria_of_the_pendulum) {
  const auto system = make_system(Pendulum{});
  const Equilibrium below = static_equilibrium(system, {0.0, Eigen::Vector2d(1.0, -0.1), {}});
  BOOST_REQUIRE_MESSAGE(below.status.finished(), below.status.message);
  BOOST_TEST((below.state.q - Eigen::Vector2d(0.0, -1.0)).norm() < 1e-9);
  BOOST_TEST(below.state.lambda[0] == 9.81, boost::test_tools::tolerance(1e-9));
  BOOST_TEST((below.reaction - Eigen::Vector2d(0.0, 9.81)).norm() < 1e-8);
  BOOST_TEST(stability(below) == "stable");
  // horizontal: a stationary point of the residual
  const Equilibrium horizontal = static_equilibrium(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}});
  BOOST_REQUIRE_MESSAGE(horizontal.status.finished(), horizontal.status.message);
  const Equilibrium above = static_equilibrium(system, {0.0, Eigen::Vector2d(0.05, 1.0), {}});
  BOOST_REQUIRE_MESSAGE(above.status.finished(), above.status.message);
  BOOST_TEST((above.state.q - Eigen::Vector2d(0.0, 1.0)).norm() < 1e-9);
  BOOST_TEST(stability(above) == "unstable");
  const std::vector<Equilibrium> all = static_equilibria(system, {0.0, Eigen::Vector2d(1.0, -0.1), {}});
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(stability(all[0]) == "stable");
  BOOST_TEST(stability(all[1]) == "unstable");
}

/// An angle that a pendulum turns by, and a mass on a spring, beside it or at its end.
struct RodAndSpring {
  double spring = 1.0;
  bool coupled = false;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 0;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    const T pull = spring * (coupled ? q[1] - q[0] : q[1]);
    f[0] = -9.81 * sin(q[0]);
    if (coupled) f[0] += pull;
    f[1] = -pull;
  }
};

struct DampedPoint : Pendulum {
  double damping = 0.0;
  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    f[0] = -damping * v[0];
    f[1] = -9.81 - damping * v[1];
  }
};

// Overdamped, a pendulum that is let go is fastest almost at once, where the search stalls again.
BOOST_AUTO_TEST_CASE(overdamped_mechanisms_are_let_go_far_enough) {
  for (const double damping : {1.0, 1e2, 1e4, 1e6}) {
    for (const double angle : {0.5 * pi, 0.5 * pi + 1e-9}) {
      BOOST_TEST_CONTEXT("damping " << damping << ", angle " << angle) {
        DampedPoint model;
        model.damping = damping;
        const Equilibrium found =
            static_equilibrium(make_system(model), {0.0, Eigen::Vector2d(std::sin(angle), -std::cos(angle)), {}});
        BOOST_TEST(found.status.finished(), found.status.message);
        BOOST_TEST((found.state.q - Eigen::Vector2d(0.0, -1.0)).norm() < 1e-8);
      }
    }
  }
}

// Behind a spring of 1e11 N/m the stiffness of the pendulum cannot be told from none: that is said. Beside it, it can.
BOOST_AUTO_TEST_CASE(what_is_undecided_says_why) {
  RodAndSpring model;
  const InitialState rest{0.0, Eigen::Vector2d(0.0, 0.0), {}};
  for (const double spring : {1.0, 1e11, 1e15}) {
    model.spring = spring;
    const Equilibrium found = static_equilibrium(make_system(model), rest);
    BOOST_TEST(stability(found) == "stable", found.modes.verdict);
    BOOST_TEST(std::abs(std::norm(found.modes.modes[spring > 9.81 ? 0U : 1U].eigenvalue) - 9.81) < 1e-12);
  }
  model.coupled = true;
  model.spring = 1e11;
  const Equilibrium found = static_equilibrium(make_system(model), rest);
  BOOST_TEST(stability(found) == "undecided");
  BOOST_TEST(found.modes.verdict.find("is lost beside the largest, 2e+11 1/s^2") != std::string::npos,
             found.modes.verdict);
}

// Two wheels and the spring between them turn together freely: that is no stiffness that was lost.
BOOST_AUTO_TEST_CASE(free_motions_are_told_from_lost_stiffness) {
  for (const double k : {1e-3, 0.3, 7.0, 1e9}) {
    Assembly assembly;
    const Block a = assembly.add_coordinates("a", BlockKind::rotation),
                b = assembly.add_coordinates("b", BlockKind::rotation);
    assembly.add("wheel a", Flywheel{2.0}, {a});
    assembly.add("wheel b", Flywheel{0.7}, {b});
    assembly.add("shaft", TorsionSpring{k}, {a, b});
    const Equilibrium found = static_equilibrium(assembly.build(), {0.0, VectorXd::Zero(2), {}});
    BOOST_TEST(stability(found) == "undecided");
    BOOST_TEST(found.modes.verdict.find("free motion") != std::string::npos, found.modes.verdict);
  }
}

/// A pendulum of 1 g beside a mass on a spring that does not touch it.
std::shared_ptr<const MechanicalSystem> pendulum_beside_spring(double stiffness) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  const Block slider = assembly.add_coordinates("slider", BlockKind::translation);
  assembly.add("mass", PointMass{1e-3}, {bob});
  assembly.add("weight", UniformGravity{1e-3}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  assembly.add("slide", SlidingMass{1.0}, {slider});
  assembly.add("spring", AxialSpringToGround{stiffness}, {slider});
  return assembly.build();
}

// What balances one part of a system is not judged by the forces of another.
BOOST_AUTO_TEST_CASE(parts_are_balanced_by_their_own_forces) {
  for (const double stiffness : {1.0, 1e7, 1e10, 1e13}) {
    BOOST_TEST_CONTEXT("spring " << stiffness) {
      const auto system = pendulum_beside_spring(stiffness);
      const InitialState start{0.0, Eigen::Vector3d(0.6, -0.8, 0.0), {}};
      BOOST_TEST(std::abs(linearise(system, start).imbalance - 0.6) < 0.3);
      const Equilibrium found = static_equilibrium(system, start);
      BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
      BOOST_TEST((found.state.q - Eigen::Vector3d(0.0, -1.0, 0.0)).norm() < 1e-9);
      BOOST_TEST(stability(found) == "stable", found.modes.verdict);
      double nearest = INFINITY;
      for (const Mode& mode : found.modes.modes)
        nearest = std::min(nearest, std::abs(std::norm(mode.eigenvalue) - 9.81));
      BOOST_TEST(nearest < 1e-8);
      EquilibriumOptions options;
      options.starts = 6;
      int stable = 0;
      for (const Equilibrium& one : static_equilibria(system, start, options)) stable += stability(one) == "stable";
      BOOST_TEST(stable == 1);
    }
  }
}

/// A pendulum of 1 m, to put something beside it that it does not touch.
Assembly beside_a_pendulum() {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  return assembly;
}

// 0.1 + 0.2 - 0.3 is 6e-17: a wheel so well balanced is indifferent, whatever the sign of that.
BOOST_AUTO_TEST_CASE(rounding_is_no_stiffness) {
  for (const double side : {0.1, -0.1}) {
    Assembly assembly = beside_a_pendulum();
    const Block wheel = assembly.add_coordinates("wheel", BlockKind::planar_body);
    assembly.add("inertia", PlanarRigidBody{1.0, 0.1}, {wheel});
    assembly.add("pin", RevoluteToGround{}, {wheel});
    assembly.add("a", BodyGravity{0.1, side, 0.0}, {wheel});
    assembly.add("b", BodyGravity{0.2, side, 0.0}, {wheel});
    assembly.add("c", BodyGravity{0.3, -side, 0.0}, {wheel});
    VectorXd q(5);
    q << 0.0, -1.0, 0.0, 0.0, 0.5 * pi;
    const Equilibrium found = static_equilibrium(assembly.build(), {0.0, q, {}});
    BOOST_TEST(stability(found) == "undecided", found.modes.verdict);
  }
  // the governor turns freely about its shaft
  const auto governor = mechanisms::find_mechanism("flyball_governor").make(0);
  InitialState start = governor.start;
  start.v.resize(0);
  const Equilibrium found = static_equilibrium(governor.system, start);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(stability(found) == "undecided", found.modes.verdict);
}

// Nor does it let something fall: forces of 6e-17 N and 1e-16 N.
BOOST_AUTO_TEST_CASE(rounding_is_no_force) {
  for (const double lift : {-(0.1 + 0.2 - 0.3), 0.1 * 9.81 - 0.981}) {
    Assembly assembly = beside_a_pendulum();
    const Block point = assembly.add_coordinates("point", BlockKind::planar_point);
    assembly.add("point mass", PointMass{0.1}, {point});
    assembly.add("force", UniformGravity{1.0, 0.0, lift}, {point});
    VectorXd q(4);
    q << 0.0, -1.0, 3.0, 2.0;
    const Equilibrium found = static_equilibrium(assembly.build(), {0.0, q, {}});
    BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
    BOOST_TEST((found.state.q - q).norm() < 1e-9);
    BOOST_TEST(stability(found) == "undecided", found.modes.verdict);
  }
}

// A body on a vertical spring, whose weight is drawn by cos(pi / 2) to the side that it may move to.
BOOST_AUTO_TEST_CASE(rounding_beside_a_spring_is_no_force) {
  Assembly assembly;
  const Block body = assembly.add_coordinates("body", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{1.0, 1.0}, {body});
  assembly.add("weight", BodyGravity{1.0, 0.0, 0.0, 9.81 * std::cos(0.5 * pi)}, {body});
  assembly.add("spring", AxialSpringToGround{1000.0}, {coordinate_of(body, 1)});
  const auto system = assembly.build();
  const Equilibrium found = static_equilibrium(system, {0.0, VectorXd::Zero(3), {}});
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST((found.state.q - Eigen::Vector3d(0.0, -9.81e-3, 0.0)).norm() < 1e-12);
}

// What falls freely falls, whatever is damped beside it.
BOOST_AUTO_TEST_CASE(a_damper_elsewhere_holds_nothing) {
  Assembly assembly = beside_a_pendulum();
  const Block bob = assembly.add_coordinates("point", BlockKind::planar_point);
  assembly.add("point mass", PointMass{1.0}, {bob});
  assembly.add("point weight", UniformGravity{1.0}, {bob});
  const Block slider = assembly.add_coordinates("slider", BlockKind::translation);
  assembly.add("slide", SlidingMass{1.0}, {slider});
  assembly.add("spring", AxialSpringToGround{3.0}, {slider});
  assembly.add("damper", AxialDamperToGround{1.0}, {slider});
  VectorXd q(5);
  q << 0.6, -0.8, 0.0, 0.0, 0.1;
  const Equilibrium found = static_equilibrium(assembly.build(), {0.0, q, {}});
  BOOST_TEST(!found.status.finished());
  BOOST_TEST(found.status.message.find("falls freely") != std::string::npos, found.status.message);
  BOOST_TEST(found.status.message.find("damper") == std::string::npos, found.status.message);
}

// A wheel whose slowest decay is lost beside the fastest is damped nevertheless; a free one has no stiffness to
// compare.
BOOST_AUTO_TEST_CASE(damping_and_stiffness_are_named_as_they_are) {
  const auto wheel = [](double k, double c) {
    Assembly assembly;
    const Block angle = assembly.add_coordinates("wheel", BlockKind::rotation);
    assembly.add("inertia", Flywheel{}, {angle});
    if (k != 0.0) assembly.add("spring", TorsionSpringToGround{k}, {angle});
    if (c > 0.0) assembly.add("damper", RotationalDamperToGround{c}, {angle});
    return static_equilibrium(assembly.build(), {0.0, VectorXd::Zero(1), {}});
  };
  const Equilibrium slow = wheel(1.0, 1e6), free = wheel(0.0, 0.0), undamped = wheel(1.0, 0.0);
  BOOST_TEST(stability(slow) == "asymptotic", slow.modes.verdict);
  BOOST_TEST(slow.modes.verdict.find("everything is damped") != std::string::npos, slow.modes.verdict);
  BOOST_TEST(stability(undamped) == "stable", undamped.modes.verdict);
  BOOST_TEST(stability(free) == "undecided", free.modes.verdict);
  BOOST_TEST(free.modes.verdict.find("nothing has a stiffness") != std::string::npos, free.modes.verdict);
}

// Kelvin, Tait and Chetaev: where the potential has no minimum and everything is damped, something grows, also where
// its rate is lost beside the decay of the dampers.
BOOST_AUTO_TEST_CASE(damped_saddles_are_unstable) {
  for (const double damping : {0.0, 1.0, 6e3, 6.5e3, 1e4, 1e8}) {
    Assembly assembly;
    const Block angle = assembly.add_coordinates("wheel", BlockKind::rotation);
    assembly.add("inertia", Flywheel{}, {angle});
    assembly.add("spring", TorsionSpringToGround{-4.0}, {angle});
    assembly.add("damper", RotationalDamperToGround{damping}, {angle});
    const Equilibrium found = static_equilibrium(assembly.build(), {0.0, VectorXd::Zero(1), {}});
    BOOST_TEST(stability(found) == "unstable", damping << ": " << found.modes.verdict);
  }
}

// Turned by e or by -e it is turned the same.
BOOST_AUTO_TEST_CASE(orientations_are_listed_once) {
  const SpatialPose pose{{0.0, 1.0, 0.0}, Eigen::Vector4d(1.0, 0.0, 0.0, 0.0)};
  Assembly assembly;
  const Block body = assembly.add_coordinates("body", BlockKind::spatial_body);
  assembly.add("inertia", SpatialRigidBody{}, {body});
  assembly.add("weight", SpatialGravity{}, {centre_of(body)});
  const Eigen::Vector3d hinge = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitX();
  assembly.add("joint", SpatialRevolute(GroundEnd(hinge, axis), BodyEnd::at(pose, hinge, axis)), {body});
  EquilibriumOptions options;
  options.starts = 30;
  options.spread = 3.0;
  const std::vector<Equilibrium> found = static_equilibria(assembly.build(), {0.0, pose.coordinates(), {}}, options);
  BOOST_TEST(found.size() >= 2U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const VectorXd a = found[i].state.q, b = found[k].state.q;
      const bool same_place = (a - b).head<3>().norm() < 1e-6;
      BOOST_TEST(!(same_place && std::abs(a.tail<4>().dot(b.tail<4>())) > 1.0 - 1e-9), a.transpose()
                                                                                           << ", " << b.transpose());
    }
  }
}

// Nothing pulls: every pose that the constraints allow is a rest, also one where what is left of a relaxed spring is
// rounding.
BOOST_AUTO_TEST_CASE(a_rest_without_any_load) {
  const auto arm = [](double k, double relaxed = 1.0) {
    Assembly assembly;
    const Block elbow = assembly.add_coordinates("elbow", BlockKind::planar_point);
    const Block hand = assembly.add_coordinates("hand", BlockKind::planar_point);
    assembly.add("mass of the elbow", PointMass{2.0}, {elbow});
    assembly.add("mass of the hand", PointMass{1.0}, {hand});
    assembly.add("upper", DistanceToGround{0.0, 0.0, 1.0}, {elbow});
    assembly.add("lower", Distance{0.8}, {elbow, hand});
    if (k > 0.0) assembly.add("spring", LinearSpring{k, relaxed, AtPoint{}, OnGround{0.2, 0.1}}, {hand});
    return assembly.build();
  };
  for (const double turn : {0.3, 1.1, 2.9}) {
    const Eigen::Vector4d pose(std::cos(turn), std::sin(turn), std::cos(turn) + 0.8, std::sin(turn));
    const Equilibrium free = static_equilibrium(arm(0.0), {0.0, pose, {}});
    BOOST_REQUIRE_MESSAGE(free.status.finished(), free.status.message);
    BOOST_TEST((free.state.q - pose).norm() < 1e-12);
    BOOST_TEST(to_string(free.linearisation.at) == std::string("equilibrium"));
    BOOST_TEST(stability(free) == "undecided");
    BOOST_TEST(free.modes.verdict.find("indifferent") != std::string::npos, free.modes.verdict);
    const double length = (pose.tail<2>() - Eigen::Vector2d(0.2, 0.1)).norm();
    for (const double k : {1e-3, 1.0, 1e6}) {
      const auto system = arm(k, length);
      BOOST_TEST(linearise(system, {0.0, pose, {}}).imbalance < 1e-8);
      const Equilibrium relaxed = static_equilibrium(system, {0.0, pose + 1e-3 * pose.reverse(), {}});
      BOOST_REQUIRE_MESSAGE(relaxed.status.finished(), relaxed.status.message);
      const Eigen::Vector2d along = relaxed.state.q.tail<2>() - Eigen::Vector2d(0.2, 0.1);
      BOOST_TEST(std::abs(along.norm() - length) < 1e-8);
      BOOST_TEST(to_string(relaxed.linearisation.at) == std::string("equilibrium"));
      // and from there again: what the search leaves is no load either
      const Equilibrium again = static_equilibrium(system, {0.0, relaxed.state.q, {}});
      BOOST_REQUIRE_MESSAGE(again.status.finished(), again.status.message);
      BOOST_TEST((again.state.q - relaxed.state.q).norm() < 1e-8);
    }
  }
}

// A pendulum straight across its load stalls the search and is let go; that the load turns round at once does not
// change where it rests now.
BOOST_AUTO_TEST_CASE(time_is_held_while_it_is_let_go) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{2.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  const auto law = [](auto t, auto, auto) { return decltype(t)(t > 0.0 ? 20.0 : -20.0); };
  assembly.add("load", AxialForce{law}, {coordinate_of(bob, 1)});
  const Equilibrium found = static_equilibrium(assembly.build(), {0.0, Eigen::Vector2d(1.0, 0.0), {}});
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(found.state.t == 0.0);
  BOOST_TEST((found.state.q - Eigen::Vector2d(0.0, -1.0)).norm() < 1e-8);
  BOOST_TEST(stability(found) == "stable");
}

// The toggle snaps through where P(theta) is largest: cos^3 theta = cos theta0.
BOOST_AUTO_TEST_CASE(toggle_snaps_through) {
  Toggle model;
  const double critical_angle = std::acos(std::cbrt(std::cos(model.theta0)));
  const double critical = model.load_at(critical_angle);
  for (const double share : {0.0, 0.5, 0.99, 0.9999}) {
    model.load = share * critical;
    const Equilibrium found = static_equilibrium(make_system(model), model.at(model.theta0));
    BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
    const double theta = std::atan2(found.state.q[1], found.state.q[0]);
    BOOST_TEST(std::abs(model.load_at(theta) - model.load) < 1e-6 * critical);
    BOOST_TEST(theta > critical_angle);
    BOOST_TEST(stability(found) == "stable");
    // beyond the angle of snapping, the other solution with this load
    const Equilibrium other =
        static_equilibrium(make_system(model), model.at(share == 0.0 ? 0.02 : 0.4 * critical_angle));
    if (!other.status.finished()) continue;
    const double second = std::atan2(other.state.q[1], other.state.q[0]);
    if (second > 0.0 && second < critical_angle - 1e-6) BOOST_TEST(stability(other) == "unstable");
  }
  model.load = 1.001 * critical;
  EquilibriumOptions options;
  options.starts = 40;
  const std::vector<Equilibrium> all = static_equilibria(make_system(model), model.at(model.theta0), options);
  BOOST_REQUIRE(!all.empty());
  for (const Equilibrium& found : all) {
    const double theta = std::atan2(found.state.q[1], found.state.q[0]);
    BOOST_TEST(!(theta > 0.0 && theta < 0.5 * pi), theta);  // nothing is left before the snap
    BOOST_TEST(std::abs(model.load_at(theta) - model.load) < 1e-6 * critical);
  }
  BOOST_TEST(stability(all.front()) == "stable");
}

namespace {

/// A slider that is pushed by 1 / (1 + x^4) N, which vanishes nowhere, beside a pendulum of another weight.
struct Decaying {
  double weight = 0.0;
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = M(2, 2) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = 1.0 / (1.0 + q[0] * q[0] * q[0] * q[0]);
    f[2] = T(-weight);
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * (q[1] * q[1] + q[2] * q[2] - 1.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_force_that_decays_is_no_balance) {
  for (const double weight : {0.0, 1.0, 10.0}) {  // beside 1e3 N it falls below 1e-13 of that: no force any more
    const Equilibrium found =
        static_equilibrium(make_system(Decaying{weight}), {0.0, Eigen::Vector3d(0.0, 0.6, -0.8), {}});
    BOOST_TEST(!found.status.finished(), weight << ": x = " << found.state.q.transpose());
    BOOST_TEST(!found.status.message.empty());
  }
}

BOOST_AUTO_TEST_CASE(column_buckles_at_the_load_of_its_spring) {
  for (const double share : {0.5, 0.999, 1.001, 2.0}) {
    Column model;
    model.load = share * model.stiffness;
    const Equilibrium upright = static_equilibrium(make_system(model), {0.0, Eigen::Vector2d(0.0, 1.0), {}});
    BOOST_REQUIRE_MESSAGE(upright.status.finished(), upright.status.message);
    BOOST_TEST(upright.state.q[1] == 1.0);
    BOOST_TEST(stability(upright) == (share < 1.0 ? "stable" : "unstable"));
    BOOST_TEST(std::abs(upright.linearisation.stiffness(0, 0) / upright.linearisation.M(0, 0) -
                        (model.stiffness - model.load)) < 1e-9 * model.stiffness);
  }
}

// A plate on three parallel cranks: one row too many. The reactions together carry the weight, omega^2 = g / L.
BOOST_AUTO_TEST_CASE(redundant_four_bar) {
  Assembly assembly;
  const Block plate = assembly.add_coordinates("plate", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{2.0, 0.3}, {plate});
  assembly.add("weight", UniformGravity{2.0}, {centre_of(plate)});
  for (const double s : {-1.0, 0.3, 1.0}) {
    assembly.add("crank at " + std::to_string(s), DistanceBetween{0.8, OnBody{s, 0.0}, OnGround{s, 0.0}}, {plate});
  }
  const auto system = assembly.build();
  const Equilibrium found = static_equilibrium(system, {0.0, Eigen::Vector3d(0.5, -0.6, 0.0), {}});
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST((found.state.q - Eigen::Vector3d(0.0, -0.8, 0.0)).norm() < 1e-8);
  BOOST_TEST((found.reaction - Eigen::Vector3d(0.0, 2.0 * 9.81, 0.0)).norm() < 1e-7);
  BOOST_TEST(found.linearisation.redundant == 1);
  BOOST_TEST(found.linearisation.lost == 0);
  BOOST_REQUIRE(found.modes.modes.size() == 1U);
  BOOST_TEST(std::norm(found.modes.modes[0].eigenvalue) == 9.81 / 0.8, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(stability(found) == "stable");
}

// Smoothed friction creeps; a blade at rest is no motion.
BOOST_AUTO_TEST_CASE(what_friction_or_a_blade_holds) {
  Assembly assembly;
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  assembly.add("mass", SlidingMass{1.0}, {x});
  assembly.add("push", AxialForce{ConstantEffort{0.5}}, {x});
  assembly.add("rub", AxialFrictionToGround{1.0, 1e-3}, {x});
  const Equilibrium stuck = static_equilibrium(assembly.build(), {0.0, VectorXd::Zero(1), {}});
  BOOST_TEST(!stuck.status.finished());
  BOOST_TEST(stuck.status.message.find("the mechanism creeps, and cannot rest there") != std::string::npos,
             stuck.status.message);
  const auto sleigh = mechanisms::find_mechanism("chaplygin_sleigh").make(0);
  const Equilibrium rest = static_equilibrium(sleigh.system, sleigh.start);
  BOOST_TEST(rest.status.finished(), rest.status.message);
  BOOST_TEST(rest.modes.verdict.find("motion") == std::string::npos, rest.modes.verdict);
}

/// One coordinate, a pull of 9.81 N and a soft spring.
struct SoftSpring {
  double stiffness;
  static constexpr int num_positions = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = 9.81 - stiffness * q[0];
  }
};

// It is in balance 1e5 to 1e9 m away, one Newton step from anywhere.
BOOST_AUTO_TEST_CASE(equilibria_far_from_the_start) {
  for (const double k : {1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4}) {
    const auto system = make_system(SoftSpring{k});
    for (const double start : {0.0, 1.0, 1e3, 1e5}) {
      const Equilibrium found = static_equilibrium(system, {0.0, VectorXd::Constant(1, start), {}});
      BOOST_TEST(found.status.finished(), k << " N/m from " << start << " m: " << found.status.message);
      BOOST_TEST(std::abs(found.state.q[0] * k / 9.81 - 1.0) < 1e-9, k << " N/m from " << start << " m");
    }
  }
}

BOOST_AUTO_TEST_CASE(what_has_no_equilibrium) {
  BOOST_CHECK_THROW(static_equilibrium(nullptr, {}), Error);
  EquilibriumOptions wrong;
  wrong.max_iterations = 0;
  wrong.tolerance = -1.0;
  try {
    static_equilibrium(make_system(Pendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, wrong);
    BOOST_ERROR("accepted");
  } catch (const Error& error) {
    const std::string text = error.what();
    BOOST_TEST(text.find("max_iterations = 0") != std::string::npos, text);
    BOOST_TEST(text.find("tolerance = -1") != std::string::npos, text);
  }
  // nothing holds it
  Assembly assembly;
  const Block point = assembly.add_coordinates("point", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {point});
  assembly.add("weight", UniformGravity{1.0}, {point});
  const auto loose = assembly.build();
  const Equilibrium falling = static_equilibrium(loose, {0.0, Eigen::Vector2d(1.0, 0.0), {}});
  BOOST_TEST(to_string(falling.status.outcome) == std::string("infeasible"));
  BOOST_TEST(falling.status.message.find("point.y") != std::string::npos, falling.status.message);
  BOOST_TEST(falling.status.message.find("KIN_") != std::string::npos, falling.status.message);
  BOOST_TEST(static_equilibria(loose, {0.0, Eigen::Vector2d(1.0, 0.0), {}}).empty());
  // a drive
  const auto driven = mechanisms::find_mechanism("two_link").make(0);
  const Equilibrium moving = static_equilibrium(driven.system, driven.start);
  BOOST_TEST(to_string(moving.status.outcome) == std::string("infeasible"));
  BOOST_TEST(moving.status.message.find("prescribes a motion") != std::string::npos, moving.status.message);
  // one that turns back right then
  Assembly swing;
  const Block x = swing.add_coordinates("x", BlockKind::translation),
              y = swing.add_coordinates("y", BlockKind::translation);
  swing.add("masses", SlidingMass{1.0}, {x});
  swing.add("other mass", SlidingMass{1.0}, {y});
  swing.add("spring", AxialSpring{100.0}, {x, y});
  swing.add("drive", PrescribedCoordinate{Harmonic{0.0, 1.0, 1.0, 0.5 * pi}}, {x});
  const Equilibrium turning = static_equilibrium(swing.build(), {0.0, Eigen::Vector2d(1.0, 1.0), {}});
  BOOST_TEST(turning.status.message.find("prescribes a motion") != std::string::npos, turning.status.message);
}
