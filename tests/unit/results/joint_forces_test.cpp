// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/sunlagrange.hpp>

// Joint forces in ground axes, against Newton's and Euler's laws for each body.

using namespace sunlagrange;
using Eigen::Vector3d;

namespace {

MotionState consistent(const std::shared_ptr<const MechanicalSystem>& system, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& v) {
  const ConsistentState found = consistent_state(system, {0.3, q, v});
  BOOST_REQUIRE(found.report.accelerations_known);
  return found.state;
}

const JointForce& of(const std::vector<JointForce>& forces, std::string_view joint, std::string_view body) {
  for (const JointForce& f : forces) {
    if (f.joint == joint && f.body == body) return f;
  }
  BOOST_FAIL("no force of " << joint << " on " << body);
  return forces.front();
}

}  // namespace

// crank on the ground, rod on the crank: every body obeys m a = F and I phi'' = M about its centre.
BOOST_AUTO_TEST_CASE(planar_bodies_obey_newton_and_euler) {
  Assembly assembly;
  const Block crank = assembly.add_coordinates("crank", BlockKind::planar_body);
  const Block rod = assembly.add_coordinates("rod", BlockKind::planar_body);
  assembly.add("crank inertia", PlanarRigidBody{2.0, 0.3}, {crank});
  assembly.add("rod inertia", PlanarRigidBody{1.5, 0.2}, {rod});
  assembly.add("crank weight", UniformGravity{2.0}, {centre_of(crank)});
  assembly.add("rod weight", UniformGravity{1.5}, {centre_of(rod)});
  assembly.add("A", RevoluteToGround{-0.4, 0.1}, {crank});
  assembly.add("B", Revolute{0.6, 0.0, -0.5, 0.2}, {crank, rod});
  const auto system = assembly.build();
  Eigen::VectorXd q(6), v(6);
  q << 0.3, 0.2, 0.7, 1.1, 0.9, -0.4;
  v << 0.5, -0.2, 1.3, 0.1, 0.4, -2.1;
  const MotionState s = consistent(system, q, v);
  const auto forces = joint_forces(system, s.t, s.q, s.v, s.lambda);
  BOOST_TEST(forces.size() == 3u);
  const JointForce a = of(forces, "A", "crank"), b = of(forces, "B", "crank"), c = of(forces, "B", "rod");
  const Vector3d weight(0.0, -9.81, 0.0);
  const auto acceleration = [&](int first) { return Vector3d(s.a[first], s.a[first + 1], 0.0); };
  BOOST_TEST((a.force + b.force + 2.0 * weight - 2.0 * acceleration(0)).norm() < 1e-12);
  BOOST_TEST((c.force + 1.5 * weight - 1.5 * acceleration(3)).norm() < 1e-12);
  BOOST_TEST((a.torque + b.torque - Vector3d(0.0, 0.0, 0.3 * s.a[2])).norm() < 1e-12);
  BOOST_TEST((c.torque - Vector3d(0.0, 0.0, 0.2 * s.a[5])).norm() < 1e-12);
  // a pin takes no torque, and acts on both bodies alike
  const Vector3d pin =
      Vector3d(s.q[3], s.q[4], 0.0) + Eigen::AngleAxisd(s.q[5], Vector3d::UnitZ()) * Vector3d(-0.5, 0.2, 0.0);
  BOOST_TEST(a.torque_about(Vector3d::Zero()).norm() < 1e-12);
  BOOST_TEST(c.torque_about(pin).norm() < 1e-12);
  BOOST_TEST((b.force + c.force).norm() < 1e-12);
  BOOST_TEST(c.force.norm() > 1.0);
}

// A heavy top on a hinge, with Euler parameters: m a = F + weight and dL/dt = M about the centre, in ground axes.
BOOST_AUTO_TEST_CASE(bodies_with_euler_parameters_obey_newton_and_euler) {
  const SpatialPose pose{{0.2, -0.5, 0.3}, euler_parameters({1.0, 2.0, -0.5}, 0.8)};
  const Vector3d hinge(0.1, 0.1, -0.2), axis = Vector3d(0.3, -0.2, 1.0).normalized();
  for (const bool hinged : {true, false}) {
    Assembly assembly;
    const Block body = assembly.add_coordinates("top", BlockKind::spatial_body);
    const SpatialRigidBody inertia{1.7, 0.4, 0.5, 0.6, 0.02, -0.03, 0.01};
    assembly.add("inertia", inertia, {body});
    assembly.add("weight", SpatialGravity{1.7}, {centre_of(body)});
    if (hinged)
      assembly.add("joint", SpatialRevolute(GroundEnd(hinge, axis), BodyEnd::at(pose, hinge, axis)), {body});
    else
      assembly.add("joint", SpatialSpherical(BodyEnd::at(pose, hinge), GroundEnd(hinge)), {body});
    const auto system = assembly.build();
    const MotionState s = consistent(system, pose.coordinates(), pose.rates({0.3, 0.1, 0.2}, {1.0, -2.0, 3.0}));
    const auto forces = joint_forces(system, s.t, s.q, s.v, s.lambda);
    BOOST_TEST(forces.size() == 1u);  // the norm row exerts nothing
    const JointForce& f = forces.front();
    BOOST_TEST((f.force + 1.7 * Vector3d(0.0, 0.0, -9.81) - 1.7 * Vector3d(s.a.head<3>())).norm() < 1e-10);
    Eigen::Matrix3d J;
    J << 0.4, 0.02, -0.03, 0.02, 0.5, 0.01, -0.03, 0.01, 0.6;
    const Eigen::Vector4d e = s.q.segment<4>(3);
    const Eigen::Matrix3d A = rotation_matrix(e);
    const Eigen::Matrix3d in_ground = A * J * A.transpose();
    const Vector3d w = angular_velocity(e, s.v.segment<4>(3)), w_dot = angular_velocity(e, s.a.segment<4>(3));
    const Vector3d L_dot = in_ground * w_dot + w.cross(Vector3d(in_ground * w));
    BOOST_TEST(w.norm() > 0.5);
    BOOST_TEST((f.torque - L_dot).norm() < 1e-10 * (1.0 + L_dot.norm()));
    const Vector3d at_joint = f.torque_about(hinge);
    BOOST_TEST(std::abs(at_joint.dot(axis)) < 1e-10);  // free about the axis
    if (!hinged) BOOST_TEST(at_joint.norm() < 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(angles_and_lengths_have_torques_and_forces) {
  Assembly assembly;
  const Block wheel = assembly.add_coordinates("wheel", BlockKind::rotation);
  const Block pinion = assembly.add_coordinates("pinion", BlockKind::rotation);
  assembly.add("wheel inertia", Flywheel{2.0}, {wheel});
  assembly.add("pinion inertia", Flywheel{0.5}, {pinion});
  assembly.add("spring", TorsionSpringToGround{3.0}, {wheel});
  assembly.add("gear", Gear{}, {wheel, pinion});
  const auto system = assembly.build();
  const MotionState s = consistent(system, Eigen::Vector2d(0.4, 0.4), Eigen::Vector2d::Zero());
  const auto forces = joint_forces(system, s.t, s.q, s.v, s.lambda);
  BOOST_TEST(forces.size() == 2u);
  BOOST_TEST(std::abs(of(forces, "gear", "pinion").torque.z() - 0.5 * s.a[1]) < 1e-12);
  BOOST_TEST(std::abs(of(forces, "gear", "pinion").torque.z()) > 1e-3);
}

BOOST_AUTO_TEST_CASE(wrong_sizes_are_named) {
  Assembly assembly;
  const Block p = assembly.add_coordinates("p", BlockKind::planar_point);
  assembly.add("mass", PointMass{}, {p});
  const auto system = assembly.build();
  const Eigen::VectorXd two = Eigen::VectorXd::Zero(2);
  BOOST_CHECK_THROW(joint_forces(system, 0.0, two, two, two), Error);
  BOOST_CHECK_THROW(joint_forces(nullptr, 0.0, two, two, {}), Error);
  BOOST_TEST(joint_forces(system, 0.0, two, two, {}).empty());
}

namespace {

/// A frame that hangs on two bearings of one line, and an arm that swings on it.
struct Swing {
  std::shared_ptr<const MechanicalSystem> system;
  MotionState state;
};

const Vector3d line = Vector3d(0.2, 1.0, 0.1).normalized();  // of the bearings

/// @param bearings  places on the line; ball joints, or hinges along it
Swing swing(const std::vector<double>& bearings, bool hinges) {
  const SpatialPose frame{{0.3, 0.1, -0.8}, euler_parameters({1.0, 0.5, -0.2}, 0.6)};
  const SpatialPose arm{{0.9, -0.2, -1.4}, euler_parameters({0.1, -0.4, 1.0}, 1.1)};
  const Vector3d pin(0.6, 0.0, -1.0), pin_axis = Vector3d(0.5, 0.3, 1.0).normalized();
  Assembly assembly;
  const Block a = assembly.add_coordinates("frame", BlockKind::spatial_body);
  const Block b = assembly.add_coordinates("arm", BlockKind::spatial_body);
  assembly.add("frame inertia", SpatialRigidBody{3.0, 0.4, 0.5, 0.6, 0.02, -0.03, 0.01}, {a});
  assembly.add("arm inertia", SpatialRigidBody{1.2, 0.05, 0.2, 0.21}, {b});
  assembly.add("frame weight", SpatialGravity{3.0}, {centre_of(a)});
  assembly.add("arm weight", SpatialGravity{1.2}, {centre_of(b)});
  for (std::size_t k = 0; k < bearings.size(); ++k) {
    const Vector3d place = bearings[k] * line;
    const std::string name = "bearing " + std::to_string(k);
    if (hinges)
      assembly.add(name, SpatialRevolute(BodyEnd::at(frame, place, line), GroundEnd(place, line)), {a});
    else
      assembly.add(name, SpatialSpherical(BodyEnd::at(frame, place), GroundEnd(place)), {a});
  }
  assembly.add("pin", SpatialRevolute(BodyEnd::at(frame, pin, pin_axis), BodyEnd::at(arm, pin, pin_axis)), {a, b});
  Swing s{assembly.build(), {}};
  Eigen::VectorXd q(14), v(14);
  q << frame.coordinates(), arm.coordinates();
  const Vector3d w = 1.7 * line;
  v << frame.rates(w.cross(frame.position), w), arm.rates(w.cross(arm.position), w);
  s.state = consistent(s.system, q, v);
  return s;
}

std::vector<JointForce> forces_of(const Swing& s) {
  return joint_forces(s.system, s.state.t, s.state.q, s.state.v, s.state.lambda);
}

Vector3d torque_of(const JointForce& f) {
  return f.torque_about(Vector3d::Zero());
}

}  // namespace

// What the motion determines does not depend on the bearings that share the rest: the pin, and the sum of the bearings.
BOOST_AUTO_TEST_CASE(unique_joint_forces_are_those_of_the_mechanism_without_redundant_bearings) {
  const std::vector<JointForce> one = forces_of(swing({0.4}, true));
  for (const JointForce& f : one) BOOST_TEST(f.unique, f.joint);
  const JointForce& pin = of(one, "pin", "arm");
  const JointForce& bearing = of(one, "bearing 0", "frame");
  BOOST_TEST(pin.force.norm() > 1.0);
  const std::vector<std::vector<double>> placements = {{0.4, -0.7}, {1.3, -0.2, 0.5}, {0.1, 0.1, 0.1, 5.0, -30.0}};
  for (const bool hinges : {true, false}) {
    for (const std::vector<double>& places : placements) {
      const std::vector<JointForce> forces = forces_of(swing(places, hinges));
      const JointForce& same = of(forces, "pin", "arm");
      BOOST_TEST((same.force - pin.force).norm() < 1e-8 * pin.force.norm());
      BOOST_TEST((same.torque - pin.torque).norm() < 1e-8 * pin.force.norm());
      Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
      for (const JointForce& f : forces) {
        BOOST_TEST(f.unique == (f.joint == "pin"), f.joint);
        if (f.joint == "pin") continue;
        force += f.force;
        torque += torque_of(f);
      }
      BOOST_TEST((force - bearing.force).norm() < 1e-8 * bearing.force.norm());
      BOOST_TEST((torque - torque_of(bearing)).norm() < 1e-8 * bearing.force.norm());
    }
  }
}

// Two equal bearings share a load along their line in halves, and the norm of Euler parameters takes no part in it: the
// least forces have none along the line if the load has none. A body at rest below the line bears that out.
BOOST_AUTO_TEST_CASE(least_joint_forces_do_not_count_rows_without_force) {
  for (const double depth : {0.5, 5.0, 500.0}) {
    Assembly assembly;
    const Block body = assembly.add_coordinates("body", BlockKind::spatial_body);
    assembly.add("inertia", SpatialRigidBody{10.0, 0.5, 0.4, 0.6}, {body});
    assembly.add("weight", SpatialGravity{10.0}, {centre_of(body)});
    const SpatialPose pose{{0.0, 0.0, -depth}, {1.0, 0.0, 0.0, 0.0}};
    for (const double y : {-1.0, 1.0}) {
      const Vector3d place(0.0, y, 0.0);
      assembly.add(y < 0.0 ? "left" : "right", SpatialSpherical(BodyEnd::at(pose, place), GroundEnd(place)), {body});
    }
    const auto system = assembly.build();
    const MotionState s = consistent(system, pose.coordinates(), Eigen::VectorXd::Zero(7));
    for (const JointForce& f : joint_forces(system, s.t, s.q, s.v, s.lambda)) {
      BOOST_TEST((f.force - Vector3d(0.0, 0.0, 49.05)).norm() < 1e-6 * std::max(1.0, depth));
      BOOST_TEST(!f.unique);
    }
    const RedundancyReport found = analyse_redundancy(system, 0.0, s.q);
    BOOST_TEST(found.redundant == 1);
    for (const DependentConstraint& row : found.dependent) BOOST_TEST(row.constraint.find("norm") == std::string::npos);
  }
}

namespace {

/// The point lies on the circle of radius 1, g multiplied by a factor.
struct FactorOfCircle {
  double factor = 1.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_point};
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * factor * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(least_joint_forces_do_not_depend_on_the_scaling_of_rows) {
  for (const double factor : {1e-3, 1.0, 40.0}) {
    Assembly assembly;
    const Block p = assembly.add_coordinates("p", BlockKind::planar_point);
    assembly.add("mass", PointMass{2.0}, {p});
    assembly.add("weight", UniformGravity{2.0}, {p});
    assembly.add("rod", FactorOfCircle{}, {p});
    assembly.add("same rod", FactorOfCircle{factor}, {p});
    const auto system = assembly.build();
    const MotionState s = consistent(system, Eigen::Vector2d(0.0, -1.0), Eigen::Vector2d(1.5, 0.0));
    const double load = 2.0 * (9.81 + 1.5 * 1.5);
    for (const JointForce& f : joint_forces(system, s.t, s.q, s.v, s.lambda)) {
      BOOST_TEST((f.force - Vector3d(0.0, 0.5 * load, 0.0)).norm() < 1e-8 * load, f.joint);
      BOOST_TEST(!f.unique);
    }
    const Reactions r = reactions(system, {s.t, s.q, s.v});
    BOOST_TEST((r.unique == std::vector<bool>{false, false}));
  }
}

// Forces share their torque by their arms: hinges of one line take it as forces far apart, as moments close together,
// whatever the unit of length.
BOOST_AUTO_TEST_CASE(least_joint_forces_do_not_depend_on_the_unit_of_length) {
  const auto forces_in = [](double unit) {
    Assembly assembly;
    const Block body = assembly.add_coordinates("body", BlockKind::spatial_body);
    assembly.add("inertia", SpatialRigidBody{10.0, 0.5 * unit * unit, 0.4 * unit * unit, 0.6 * unit * unit}, {body});
    assembly.add("force", SpatialAppliedForce<>(BodyEnd(unit * Vector3d(0.0, 0.7, 0.2)), ConstantVector{0.0, 0.0, 5.0}),
                 {body});
    const SpatialPose pose{unit * Vector3d(0.1, 0.2, -0.5), euler_parameters({0.0, 1.0, 0.0}, 0.4)};
    for (const double y : {-1.0, 2.0}) {
      const Vector3d place(0.0, unit * y, 0.0);
      assembly.add(y < 0.0 ? "left" : "right",
                   SpatialRevolute(BodyEnd::at(pose, place, Vector3d::UnitY()), GroundEnd(place, Vector3d::UnitY())),
                   {body});
    }
    const auto system = assembly.build();
    const MotionState s = consistent(system, pose.coordinates(), Eigen::VectorXd::Zero(7));
    return joint_forces(system, s.t, s.q, s.v, s.lambda);
  };
  const std::vector<JointForce> metres = forces_in(1.0);
  BOOST_TEST(of(metres, "left", "body").force.norm() > 0.1);
  for (const double unit : {1e-3, 1e3}) {
    for (const JointForce& f : forces_in(unit)) {
      const JointForce& same = of(metres, f.joint, "body");
      BOOST_TEST((f.force - same.force).norm() < 1e-7);
      BOOST_TEST((f.torque - unit * same.torque).norm() < 1e-7 * unit);
    }
  }
}

// Two rods between the same ends: the sum of their forces is known, and a limit for one of them cannot be watched.
BOOST_AUTO_TEST_CASE(an_event_that_reads_an_undetermined_force_is_doubted) {
  const auto run_with = [](int rods, bool event) {
    Assembly assembly;
    const Block p = assembly.add_coordinates("p", BlockKind::planar_point);
    assembly.add("mass", PointMass{2.0}, {p});
    assembly.add("weight", UniformGravity{2.0}, {p});
    assembly.add("rod", FactorOfCircle{}, {p});
    if (rods > 1) assembly.add("same rod", FactorOfCircle{3.0}, {p});
    SimulationOptions options;
    options.t_end = 0.5;
    if (event) options.events = {release_when("rod", 1e9)};
    return simulate(assembly.build(), {0.0, Eigen::Vector2d(0.6, -0.8), {}}, options);
  };
  const auto doubted = [](const Simulation& run) {
    BOOST_REQUIRE(run.status.finished());
    return std::count_if(run.status.doubts.begin(), run.status.doubts.end(),
                         [](const Doubt& d) { return d.kind == DoubtKind::undetermined_force; });
  };
  const Simulation watched = run_with(2, true);
  BOOST_TEST(doubted(watched) == 1);
  BOOST_TEST((watched.report.undetermined_event_forces == std::vector<std::string>{"rod"}));
  BOOST_TEST((watched.report.undetermined_joints == std::vector<std::string>{"rod", "same rod"}));
  BOOST_TEST(watched.report.text(watched.status).find("redundant joints share the load") != std::string::npos);
  BOOST_TEST(doubted(run_with(2, false)) == 0);
  // The rod breaks in the first step; a run that is resumed later does not read its force again.
  Assembly assembly;
  const Block p = assembly.add_coordinates("p", BlockKind::planar_point);
  assembly.add("mass", PointMass{2.0}, {p});
  assembly.add("weight", UniformGravity{2.0}, {p});
  assembly.add("rod", FactorOfCircle{}, {p});
  assembly.add("same rod", FactorOfCircle{3.0}, {p});
  const auto system = assembly.build();
  SimulationOptions options;
  options.t_end = 0.5;
  options.events = {release_when("rod", 10.0)};
  Stepper first(system, {0.0, Eigen::Vector2d(0.6, -0.8), {}}, options);
  first.advance_to(0.4);
  const Checkpoint saved = first.save();
  BOOST_TEST(!saved.active.front());
  Stepper second(system, saved, options);
  second.advance_to(0.5);
  const Simulation resumed = second.finish();
  BOOST_TEST(doubted(resumed) == 1);
  BOOST_TEST((resumed.report.undetermined_joints == std::vector<std::string>{"rod", "same rod"}));
  const Simulation single = run_with(1, true);
  BOOST_TEST(doubted(single) == 0);
  BOOST_TEST(single.report.undetermined_joints.empty());
}
