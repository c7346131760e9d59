// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <random>

#include <Eigen/Dense>
#include <Eigen/Geometry>

#include <sunlagrange/elements/spatial/cylindrical.hpp>
#include <sunlagrange/elements/spatial/fixed.hpp>
#include <sunlagrange/elements/spatial/prismatic.hpp>
#include <sunlagrange/elements/spatial/revolute.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>
#include <sunlagrange/elements/spatial/rolling_disc.hpp>
#include <sunlagrange/elements/spatial/skate.hpp>
#include <sunlagrange/elements/spatial/spherical.hpp>
#include <sunlagrange/elements/spatial/spring_damper.hpp>
#include <sunlagrange/elements/spatial/universal.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "model/evaluation.hpp"

/// Poses, joint frames, inertia and degrees of freedom of the spatial elements. Laws of every single element:
/// contract/spatial_elements_test; motions against exact solutions: spatial_motions_test.
using namespace sunlagrange;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Eigen::VectorXd;

namespace {

std::mt19937 generator(7);  // NOLINT(cert-msc51-cpp): fixed on purpose

double random_number() {
  return std::uniform_real_distribution<double>(-1.0, 1.0)(generator);
}

Vector3d random_vector() {
  return {random_number(), random_number(), random_number()};
}

SpatialPose random_pose() {
  return {random_vector(), Vector4d(random_number(), random_number(), random_number(), random_number()).normalized()};
}

/// One element on one body.
template <class E>
std::shared_ptr<const MechanicalSystem> system_of(const E& element) {
  Assembly assembly;
  const Block body = assembly.add_coordinates("body", BlockKind::spatial_body);
  assembly.add("element", element, {body});
  return assembly.build();
}

/// Mass matrix and energy of a body.
std::pair<MatrixXd, double> inertia(const SpatialRigidBody& body, const VectorXd& q, const VectorXd& v) {
  const auto system = system_of(body);
  const auto w = make_workspace(*system, internal::Storage::dense);
  BOOST_REQUIRE(evaluate_system(*system, internal::request::mass | internal::request::energy,
                                {0.0, q.data(), v.data(), nullptr, nullptr}, *w));
  return {w->M.dense(), w->energy};
}

}  // namespace

BOOST_AUTO_TEST_CASE(euler_parameters_are_those_of_the_rotation) {
  for (int sample = 0; sample < 20; ++sample) {
    const Vector3d axis = random_vector();
    const double angle = 3.0 * random_number();
    const Matrix3d A = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
    const Vector4d e = euler_parameters(axis, angle);
    BOOST_TEST((rotation_matrix(e) - A).cwiseAbs().maxCoeff() < 1e-14);
    const Vector4d back = euler_parameters(A);
    BOOST_TEST(back[0] >= 0.0);
    BOOST_TEST((e[0] < 0.0 ? Vector4d(-e) : e).isApprox(back, 1e-13));
    // A' = omega x A, and back
    const Vector3d omega = random_vector();
    const Vector4d rate = euler_parameter_rates(e, omega);
    BOOST_TEST(std::abs(e.dot(rate)) < 1e-15);
    BOOST_TEST((angular_velocity(e, rate) - omega).norm() < 1e-14);
    const double h = 1e-5;
    const Matrix3d A_rate = (rotation_matrix(e + h * rate) - rotation_matrix(e - h * rate)) / (2.0 * h);
    for (int k = 0; k < 3; ++k) BOOST_TEST((A_rate.col(k) - omega.cross(A.col(k))).norm() < 1e-9);
  }
  BOOST_TEST((rotation_matrix(euler_parameters({0.0, 0.0, 1.0}, 0.0)) - Matrix3d::Identity()).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(poses_go_there_and_back) {
  const SpatialPose pose = random_pose();
  const Vector3d point = random_vector(), velocity = random_vector(), omega = random_vector();
  BOOST_TEST((pose.to_body(pose.to_ground(point)) - point).norm() < 1e-14);
  VectorXd q = VectorXd::Zero(9);
  q.segment<7>(2) = pose.coordinates();
  BOOST_TEST((SpatialPose::of(q, 2).e - pose.e).norm() < 1e-15);
  // velocity of a point of the body: v + omega x (A s)
  const BodyEnd end = BodyEnd::at(pose, point);
  const VectorXd x = pose.coordinates(), x_rate = pose.rates(velocity, omega);
  const auto P = end.point(View<const double>(x.data(), 7));
  const auto rate = end.point_rate(View<const double>(x.data(), 7), View<const double>(x_rate.data(), 7));
  BOOST_TEST((Vector3d(P[0], P[1], P[2]) - point).norm() < 1e-14);
  BOOST_TEST((Vector3d(rate[0], rate[1], rate[2]) - velocity - omega.cross(point - pose.position)).norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE(bad_directions_and_matrices_are_refused) {
  const auto complains = [](const char* word, const auto& call) {
    BOOST_CHECK_EXCEPTION(call(), Error,
                          [&](const Error& e) { return std::string(e.what()).find(word) != std::string::npos; });
  };
  complains("axis", [] { return BodyEnd({0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}); });
  complains("point", [] { return GroundEnd({NAN, 0.0, 0.0}, {0.0, 0.0, 1.0}); });
  complains("x_direction", [] { return BodyEnd({0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, -2.0, 0.0}); });
  complains("axis", [] { return euler_parameters(Vector3d(0.0, 0.0, 0.0), 1.0); });
  complains("det A", [] { return euler_parameters(Matrix3d(-Matrix3d::Identity())); });
  complains("first + 7", [] { return SpatialPose::of(VectorXd::Zero(7), 1); });
}

BOOST_AUTO_TEST_CASE(bodies_have_the_energy_of_translation_and_rotation) {
  Matrix3d J;
  J << 0.7, 0.1, -0.05, 0.1, 1.1, 0.2, -0.05, 0.2, 0.9;
  const SpatialPose pose = random_pose();
  const Vector3d velocity = random_vector(), omega = random_vector();
  const VectorXd q = pose.coordinates(), v = pose.rates(velocity, omega);
  const Vector3d own = pose.rotation().transpose() * omega;
  const double expected = 0.5 * 1.3 * velocity.squaredNorm() + 0.5 * own.dot(J * own);
  const auto [M, energy] = inertia(SpatialRigidBody{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2}, q, v);
  BOOST_TEST(std::abs(energy - expected) < 1e-14);
  BOOST_TEST(std::abs(0.5 * v.dot(M * v) - expected) < 1e-14);
  // N fills the direction along e with the mean moment, and nothing else
  const auto [bare, same] = inertia(SpatialRigidBody{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2, 0.0}, q, v);
  BOOST_TEST(std::abs(same - expected) < 1e-14);
  BOOST_TEST((bare.bottomRightCorner<4, 4>() * pose.e).norm() < 1e-14);
  BOOST_TEST(
      (M.bottomRightCorner<4, 4>() - bare.bottomRightCorner<4, 4>() - 4.0 * 0.9 * pose.e * pose.e.transpose()).norm() <
      1e-14);
}

namespace {

/// Two bodies, or one, joined at a random pose, with the joint there once or twice.
template <class Joint>
RedundancyReport redundancy(const Joint& joint, const std::vector<SpatialPose>& poses, int times) {
  Assembly assembly;
  std::vector<Block> blocks;
  VectorXd q(static_cast<Eigen::Index>(7 * poses.size()));
  for (const SpatialPose& pose : poses) {
    const std::string name = std::to_string(blocks.size());
    blocks.push_back(assembly.add_coordinates("body " + name, BlockKind::spatial_body));
    assembly.add("inertia " + name, SpatialRigidBody{1.0, 0.3, 0.2, 0.25}, {blocks.back()});
    q.segment<7>(blocks.back().first) = pose.coordinates();
  }
  for (int k = 0; k < times; ++k) assembly.add("joint " + std::to_string(k), joint, blocks);
  return analyse_redundancy(assembly.build(), 0.0, q);
}

template <template <class, class> class Joint>
void check_redundancy(const char* name, int rows) {
  BOOST_TEST_CONTEXT(name) {
    // at random, and with all axes of both bodies parallel to those of the ground
    for (const SpatialPose& first : {random_pose(), SpatialPose{}}) {
      const SpatialPose second{first.position + random_vector(), first.e[0] == 1.0 ? first.e : random_pose().e};
      const Vector3d point = random_vector(), z = first.e[0] == 1.0 ? Vector3d(0.0, 0.0, 1.0) : random_vector();
      const bool cross = std::string(name) == "universal";
      const Vector3d other = cross ? z.cross(Vector3d(1.0, 0.3, 0.2)) : z;
      const Joint<BodyEnd, BodyEnd> joint(BodyEnd::at(first, point, z), BodyEnd::at(second, point, other));
      const Joint<BodyEnd, GroundEnd> grounded(BodyEnd::at(first, point, z), GroundEnd(point, other));
      for (const bool two : {true, false}) {
        const auto poses = two ? std::vector<SpatialPose>{first, second} : std::vector<SpatialPose>{first};
        for (const int times : {1, 2}) {
          const RedundancyReport report = two ? redundancy(joint, poses, times) : redundancy(grounded, poses, times);
          BOOST_TEST(report.redundant == (times - 1) * rows, report.text());
          BOOST_TEST(report.permanent == (times - 1) * rows, report.text());
          BOOST_TEST(report.degrees_of_freedom == 6 * static_cast<int>(poses.size()) - rows);
        }
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(joints_take_their_degrees_of_freedom_and_are_redundant_when_doubled) {
  check_redundancy<SpatialSpherical>("spherical", 3);
  check_redundancy<SpatialRevolute>("revolute", 5);
  check_redundancy<SpatialUniversal>("universal", 4);
  check_redundancy<SpatialCylindrical>("cylindrical", 4);
  check_redundancy<SpatialPrismatic>("prismatic", 5);
  check_redundancy<SpatialFixed>("fixed", 6);
}

BOOST_AUTO_TEST_CASE(flat_discs_upright_blades_and_springs_of_no_length_are_declined) {
  const auto declines = [](const auto& element, const VectorXd& q) {
    const auto system = system_of(element);
    const auto w = make_workspace(*system, internal::Storage::dense);
    const VectorXd v = VectorXd::Zero(q.size());
    return !evaluate_system(*system, internal::request::acceleration_level, {0.0, q.data(), v.data(), nullptr, nullptr},
                            *w);
  };
  const SpatialPose flat, upright{{0.0, 0.0, 1.0}, euler_parameters({1.0, 0.0, 0.0}, std::acos(0.0))};
  BOOST_TEST(declines(SpatialRollingDisc(1.0), flat.coordinates()));
  BOOST_TEST(!declines(SpatialRollingDisc(1.0), upright.coordinates()));
  BOOST_TEST(declines(SpatialSkate(), flat.coordinates()));
  BOOST_TEST(!declines(SpatialSkate(), upright.coordinates()));
  // a spring of no length has a direction only if its force does not vanish there
  BOOST_TEST(declines(SpatialSpringDamper(BodyEnd(), GroundEnd(), 1.0, 0.5), flat.coordinates()));
  BOOST_TEST(!declines(SpatialSpringDamper(BodyEnd(), GroundEnd(), 1.0, 0.0), flat.coordinates()));
}
