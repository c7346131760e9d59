// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/elements/coordinate/applied_torque.hpp>
#include <sunlagrange/elements/coordinate/gear.hpp>
#include <sunlagrange/elements/coordinate/inertia.hpp>
#include <sunlagrange/elements/coordinate/prescribed.hpp>
#include <sunlagrange/elements/coordinate/spring.hpp>
#include <sunlagrange/elements/planar/applied_force.hpp>
#include <sunlagrange/elements/planar/coincidence.hpp>
#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/distance_between.hpp>
#include <sunlagrange/elements/planar/eccentric_body.hpp>
#include <sunlagrange/elements/planar/knife_edge.hpp>
#include <sunlagrange/elements/planar/linear_damper.hpp>
#include <sunlagrange/elements/planar/linear_spring.hpp>
#include <sunlagrange/elements/planar/pin_on_curve.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/prescribed_point.hpp>
#include <sunlagrange/elements/planar/prismatic.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/rolling_disc.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/model/make_system.hpp>

#include "model/evaluation.hpp"

/// What the contract suite cannot know: two elements that say the same agree, and forces have the documented sign and
/// size, in cases that can be solved by hand.
using namespace sunlagrange;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr double gravity = 9.81;

template <class E>
std::shared_ptr<const MechanicalSystem> alone(const E& element, const std::vector<BlockKind>& kinds) {
  Assembly assembly;
  std::vector<Block> blocks;
  for (const BlockKind kind : kinds) {
    blocks.push_back(assembly.add_coordinates("block " + std::to_string(blocks.size()), kind));
  }
  assembly.add("element", element, blocks);
  return assembly.build();
}

std::unique_ptr<internal::Workspace> evaluated(const MechanicalSystem& system, const VectorXd& q, const VectorXd& v) {
  auto w = make_workspace(system, internal::Storage::dense);
  BOOST_REQUIRE(evaluate_system(system, internal::request::acceleration_level | internal::request::energy,
                                {0.3, q.data(), v.data(), nullptr, nullptr}, *w));
  return w;
}

bool accepts(const MechanicalSystem& system, const VectorXd& q) {
  const VectorXd v = VectorXd::Ones(q.size());
  const auto w = make_workspace(system, internal::Storage::dense);
  return evaluate_system(system, internal::request::force, {0.0, q.data(), v.data(), nullptr, nullptr}, *w);
}

void compare(const std::shared_ptr<const MechanicalSystem>& a, const std::shared_ptr<const MechanicalSystem>& b) {
  const int n = a->num_positions();
  BOOST_REQUIRE(b->num_positions() == n);
  const VectorXd q = VectorXd::LinSpaced(n, -0.8, 1.1), v = VectorXd::LinSpaced(n, 1.4, -0.9);
  const auto x = evaluated(*a, q, v), y = evaluated(*b, q, v);
  const auto close = [](const VectorXd& s, const VectorXd& r) {
    BOOST_REQUIRE(s.size() == r.size());
    for (Eigen::Index i = 0; i < s.size(); ++i) BOOST_TEST(std::abs(s[i] - r[i]) < 1e-14);
  };
  close(x->M.values, y->M.values);
  close(x->f, y->f);
  close(x->g, y->g);
  close(x->g_rate, y->g_rate);
  close(x->gamma, y->gamma);
  close(x->G.values, y->G.values);
  BOOST_TEST(std::abs(x->energy - y->energy) < 1e-14);
}

/// Accelerations and multipliers of a system put together by `fill`.
template <class Fill>
MotionState solved(Fill&& fill, const VectorXd& q, const VectorXd& v) {
  Assembly assembly;
  fill(assembly);
  const ConsistentState s = consistent_state(assembly.build(), {0.0, q, v});
  BOOST_REQUIRE(s.report.feasible);
  BOOST_TEST((s.state.q - q).norm() < 1e-12);  // the case was set up consistently
  BOOST_TEST((s.state.v - v).norm() < 1e-12);
  return s.state;
}

void equal(double value, double expected) {
  BOOST_TEST(std::abs(value - expected) < 1e-11 * (1.0 + std::abs(expected)));
}

constexpr BlockKind point = BlockKind::planar_point, body = BlockKind::planar_body;

}  // namespace

BOOST_AUTO_TEST_CASE(elements_that_say_the_same_agree) {
  compare(alone(DistanceBetween{1.3, AtPoint{}, AtPoint{}}, {point, point}), alone(Distance{1.3}, {point, point}));
  compare(alone(DistanceBetween{1.3, AtPoint{}, OnGround{0.2, -0.7}}, {point}),
          alone(DistanceToGround{0.2, -0.7, 1.3}, {point}));
  compare(alone(Coincidence{OnBody{0.5, 0.1}, OnBody{-0.4, 0.2}}, {body, body}),
          alone(Revolute{0.5, 0.1, -0.4, 0.2}, {body, body}));
  compare(alone(Coincidence{OnBody{0.5, 0.1}, OnGround{1.0, 2.0}}, {body}),
          alone(RevoluteToGround{0.5, 0.1, 1.0, 2.0}, {body}));
  compare(alone(EccentricBody{1.2, 0.3, 0.0, 0.0}, {body}), alone(PlanarRigidBody{1.2, 0.3}, {body}));
  Assembly weight;
  weight.add("weight", UniformGravity{1.2, 0.4, -3.0}, {centre_of(weight.add_coordinates("block", body))});
  compare(alone(BodyGravity{1.2, 0.0, 0.0, 0.4, -3.0}, {body}), weight.build());
  const VectorXd q = Vector3d(0.3, -0.5, 0.9), v = Vector3d(0.7, 0.2, -1.1);
  const auto disc = evaluated(*alone(RollingDisc{0.4, 0.1, 0.2, 0.5, 0.3}, {body}), q, v);
  const auto by_rate = evaluated(*alone(RollingDiscByRate{0.4, 0.1, 0.2, 0.5}, {body}), q, v);
  BOOST_TEST((disc->G.values == by_rate->G.values));
  BOOST_TEST((disc->g_rate == by_rate->g_rate));
  const auto slider = evaluated(*alone(PrismaticToGround{0.3, 0.1, 0.2, 0.6, 0.8, 0.5}, {body}), q, v);
  const auto pin = evaluated(*alone(PinOnCurve{StraightLine{0.8}, OnBody{0.3, 0.1}, OnGround{0.2, 0.6}}, {body}), q, v);
  equal(pin->g[0], slider->g[1]);
  equal(pin->gamma[0], slider->gamma[1]);
  VectorXd both(6);  // the first body lies where the ground is
  both << 0.2, 0.6, 0.0, q;
  const auto guided = evaluated(*alone(Prismatic{0.0, 0.0, 0.8, 0.3, 0.1, 0.5}, {body, body}), both, VectorXd::Zero(6));
  equal(guided->g[0], slider->g[0]);
  equal(guided->g[1], slider->g[1]);
}

BOOST_AUTO_TEST_CASE(zero_length_is_declined_where_the_direction_is_not_defined) {
  const VectorXd together = Eigen::Vector4d(0.4, -0.3, 0.4, -0.3), apart = Eigen::Vector4d(0.4, -0.3, 0.4, 0.7);
  for (const double l0 : {0.0, 1.0}) {
    const auto spring = alone(LinearSpring<>{2.0, l0}, {point, point});
    BOOST_TEST(accepts(*spring, together) == (l0 == 0.0));
    BOOST_TEST(accepts(*spring, apart));
    const auto w = evaluated(*spring, apart, VectorXd::Zero(4));
    equal(w->f[1], 2.0 * (1.0 - l0));  // the lower end is pulled up
    equal(w->f[3], -2.0 * (1.0 - l0));
    equal(w->energy, (1.0 - l0) * (1.0 - l0));
  }
  const auto damper = alone(LinearDamper<>{3.0}, {point, point});
  BOOST_TEST(!accepts(*damper, together));
  const auto w = evaluated(*damper, apart, Eigen::Vector4d(5.0, 0.0, 0.0, 2.0));  // growing by 2 m/s, and turning
  equal(w->f[0], 0.0);
  equal(w->f[1], 6.0);
  equal(w->power, -12.0);
}

BOOST_AUTO_TEST_CASE(reactions_of_joints_have_the_documented_sign) {
  const double m = 2.0, I = 0.3;
  const auto heavy_body = [&](Assembly& a) {
    const Block b = a.add_coordinates("body", body);
    a.add("inertia", PlanarRigidBody{m, I}, {b});
    a.add("weight", UniformGravity{m, 0.0, -gravity}, {centre_of(b)});
    return b;
  };
  const Vector3d rest = Vector3d::Zero();
  const MotionState hanging = solved(
      [&](Assembly& a) {
        a.add("rod", DistanceBetween{0.5, OnBody{0.0, 0.2}, OnGround{0.0, 0.7}}, {heavy_body(a)});
      },
      rest, rest);
  equal(hanging.lambda[0] * 0.5, m * gravity);  // tension
  const MotionState guided =
      solved([&](Assembly& a) { a.add("guide", PrismaticToGround{}, {heavy_body(a)}); }, rest, rest);
  equal(guided.lambda[1], -m * gravity);
  const MotionState off_centre = solved(
      [&](Assembly& a) {
        a.add("guide", PrismaticToGround{0.3, 0.0}, {heavy_body(a)});
      },
      rest, rest);
  equal(off_centre.lambda[0], 0.3 * m * gravity);  // the guide's force at s turns by +0.3 m g, its torque turns back
  const MotionState blade = solved(
      [&](Assembly& a) {
        const Block b = heavy_body(a);
        a.add("blade", KnifeEdge{}, {b});
      },
      rest, rest);
  equal(blade.lambda[0], -m * gravity);  // the normal points up, the blade carries the weight
  const MotionState bead = solved(
      [&](Assembly& a) {
        const Block p = a.add_coordinates("bead", point);
        a.add("mass", PointMass{m}, {p});
        a.add("weight", UniformGravity{m, 0.0, -gravity}, {p});
        a.add("wire", PinOnCurve{Parabola{0.8}, AtPoint{}, OnGround{}}, {p});
      },
      Vector2d(0.0, 0.0), Vector2d(1.5, 0.0));
  equal(bead.lambda[0], -m * (gravity + 0.8 * 1.5 * 1.5));
  equal(bead.a[1], 0.8 * 1.5 * 1.5);
}

BOOST_AUTO_TEST_CASE(a_disc_rolls_down_a_slope) {
  const double m = 2.0, R = 0.4, I = 0.5 * m * R * R, slope = 0.3;
  const Vector3d q(R * std::sin(slope), R * std::cos(slope), 0.0), v = Vector3d::Zero();
  const auto disc = [&](Assembly& a) {
    const Block b = a.add_coordinates("disc", body);
    a.add("inertia", PlanarRigidBody{m, I}, {b});
    a.add("weight", UniformGravity{m, 0.0, -gravity}, {centre_of(b)});
    return b;
  };
  const auto check = [&](const MotionState& s) {
    const double along = 2.0 / 3.0 * gravity * std::sin(slope);
    equal(s.a[0], along * std::cos(slope));
    equal(s.a[1], -along * std::sin(slope));
    equal(s.a[2], -along / R);
    equal(s.lambda[0], -m * gravity * std::cos(slope));
    equal(s.lambda[1], m * (gravity * std::sin(slope) - along));  // friction holds it back: -lambda e
  };
  check(solved([&](Assembly& a) { a.add("rolls", RollingDisc{R, 0.0, 0.0, -slope}, {disc(a)}); }, q, v));
  check(solved([&](Assembly& a) { a.add("rolls", RollingDiscByRate{R, 0.0, 0.0, -slope}, {disc(a)}); }, q, v));
}

BOOST_AUTO_TEST_CASE(a_physical_pendulum_about_its_reference_point) {
  const double m = 2.0, I = 0.3, c = 0.6, phi = 0.7, rate = 1.3;
  const auto pendulum = [&](Assembly& a) {
    const Block b = a.add_coordinates("pendulum", body);
    a.add("inertia", EccentricBody{m, I, c, 0.0}, {b});
    a.add("weight", BodyGravity{m, c, 0.0, 0.0, -gravity}, {b});
    a.add("pin", RevoluteToGround{}, {b});
  };
  const MotionState s = solved(pendulum, Vector3d(0.0, 0.0, phi), Vector3d(0.0, 0.0, rate));
  const double a = -m * gravity * c * std::cos(phi) / (I + m * c * c);
  equal(s.a[2], a);
  // the centre of mass is accelerated by weight and pin
  equal(-s.lambda[0], m * c * (-a * std::sin(phi) - rate * rate * std::cos(phi)));
  equal(-s.lambda[1], m * (gravity + c * (a * std::cos(phi) - rate * rate * std::sin(phi))));
}

BOOST_AUTO_TEST_CASE(drives_and_gears) {
  const double J1 = 0.7, J2 = 0.2, torque = 1.9, ratio = -3.0;
  const auto wheels = [&](Assembly& a) {
    const Block w1 = a.add_coordinates("wheel 1", BlockKind::rotation);
    const Block w2 = a.add_coordinates("wheel 2", BlockKind::rotation);
    a.add("inertia 1", Flywheel{J1}, {w1});
    a.add("inertia 2", Flywheel{J2}, {w2});
    return std::vector<Block>{w1, w2};
  };
  const MotionState geared = solved(
      [&](Assembly& a) {
        const auto w = wheels(a);
        a.add("gear", Gear{ratio, 0.4}, w);
        a.add("torque", AppliedTorque{ConstantEffort{torque}}, {w[0]});
      },
      Vector2d(0.2, ratio * 0.2 + 0.4), Vector2d(0.0, 0.0));
  equal(geared.a[0], torque / (J1 + ratio * ratio * J2));
  equal(-geared.lambda[0], J2 * geared.a[1]);
  equal(torque + ratio * geared.lambda[0], J1 * geared.a[0]);
  const MotionState motor = solved(
      [&](Assembly& a) { a.add("motor", PrescribedDifference{[](auto t) { return 0.5 * 2.5 * t * t; }}, wheels(a)); },
      Vector2d(0.3, 0.3), Vector2d(0.1, 0.1));
  equal(motor.a[1] - motor.a[0], 2.5);
  equal(J2 * motor.a[1], -motor.lambda[0]);
  equal(J1 * motor.a[0], motor.lambda[0]);
  const MotionState wound = solved(
      [&](Assembly& a) {
        const auto w = wheels(a);
        a.add("spring", TorsionSpring{4.0, 0.5}, w);
        a.add("internal", InternalTorque{ConstantEffort{0.6}}, w);
      },
      Vector2d(0.0, 1.5), Vector2d(0.0, 0.0));
  equal(J1 * wound.a[0], 4.0 - 0.6);
  equal(J2 * wound.a[1], -4.0 + 0.6);
  const auto mass_on = [&](auto element) {
    return [=](Assembly& a) {
      const Block p = a.add_coordinates("mass", point);
      a.add("inertia", PointMass{2.0}, {p});
      a.add("drive", element, {p});
    };
  };
  const MotionState circling = solved(mass_on(PrescribedPoint{CircularPath{0.0, 0.0, 0.5, 3.0, 0.0}, AtPoint{}}),
                                      Vector2d(0.5, 0.0), Vector2d(0.0, 1.5));
  equal(circling.lambda[0], 2.0 * 0.5 * 9.0);  // pulled inwards by -lambda
  equal(circling.lambda[1], 0.0);
  const MotionState driven = solved(
      [&](Assembly& a) {
        const Block p = a.add_coordinates("mass", point);
        a.add("inertia", PointMass{2.0}, {p});
        a.add("along x", PrescribedCoordinate{Harmonic{0.0, 0.3, 2.0, 1.0}}, {coordinate_of(p, 0)});
        a.add("along y", PrescribedRate{Uniform{0.7, 0.4}}, {coordinate_of(p, 1)});
      },
      Vector2d(0.3 * std::sin(1.0), 5.0), Vector2d(0.6 * std::cos(1.0), 0.7));
  equal(-driven.lambda[0], -2.0 * 1.2 * std::sin(1.0));
  equal(-driven.lambda[1], 2.0 * 0.4);
}

BOOST_AUTO_TEST_CASE(a_force_on_a_body_turns_it) {
  const auto off = alone(AppliedForce{ConstantForce{2.0, 3.0}, OnBody{0.5, 0.1}}, {body});
  const double phi = 0.7;
  const auto w = evaluated(*off, Vector3d(0.3, 0.4, phi), Vector3d(0.1, 0.2, 0.3));
  const double x = 0.5 * std::cos(phi) - 0.1 * std::sin(phi), y = 0.5 * std::sin(phi) + 0.1 * std::cos(phi);
  equal(w->f[0], 2.0);
  equal(w->f[1], 3.0);
  equal(w->f[2], x * 3.0 - y * 2.0);
  equal(w->power, 2.0 * 0.1 + 3.0 * 0.2 + w->f[2] * 0.3);
}
