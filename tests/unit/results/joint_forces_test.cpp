#include <boost/test/unit_test.hpp>

#include <cmath>

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

const JointForce& of(const std::vector<JointForce>& forces, const std::string& joint, const std::string& body) {
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
