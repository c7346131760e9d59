#include <cmath>

#include <Eigen/Geometry>

#include <sunlagrange/elements/spatial/gravity.hpp>
#include <sunlagrange/elements/spatial/point_mass.hpp>
#include <sunlagrange/elements/spatial/prismatic.hpp>
#include <sunlagrange/elements/spatial/revolute.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>
#include <sunlagrange/elements/spatial/spherical.hpp>
#include <sunlagrange/elements/spatial/spring_damper.hpp>

#include "mechanisms/mechanism.hpp"

/// Flyball governor, problem A05 of the IFToMM library of computational benchmark problems: slow swinging with very
/// stiff spring-dampers.
///
///               z |  omega                shaft: 1 m x 0.01 m x 0.01 m, 0.3 kg, turns about z in the ground
///         .-------+-------.   z = 1       rods: the same bars, hinged at (+-0.05, 0, 1) about +-y; alpha below the
///       /   \     |     /   \             horizontal, 30 deg at the start
///     o      \   [s]   /      o           balls: 5 kg points at the tips of the rods
///               \ | /                     slider: cube 0.1 m, 3 kg, at height s on the shaft, turns with it; 0.5 m
///                 |                       spring-dampers from (+-0.05, 0, s) on the slider to the middles of the rods:
///                 o       z = 0           8e5 N/m, 4e4 N s/m, free length 0.5 m
///
/// Gravity 9.81 m/s^2 along -z; at the start everything turns about z with 2 pi rad/s. n = 34, m = 30: four degrees of
/// freedom (shaft, slider, two rods), of which symmetry leaves three: the rods move alike. Angular momentum about z is
/// constant, 53.8689986584184 kg m^2/s; energy is lost in the dampers.
/// Reference at 0, 0.05, ..., 10 s: reduction to (s, alpha, psi), psi the angle of the shaft, Radau method at 1e-10,
/// 1e-11 and 3e-12, which agree to 7e-13 in s. Observable: s.
namespace sunlagrange::mechanisms {
namespace {

using Eigen::Vector3d;

struct Motion {
  double t, s, alpha, psi, s_rate, alpha_rate, psi_rate;
};

const std::vector<Motion>& history() {
  static const std::vector<Motion> rows = {
#include "mechanisms/flyball_governor_history.inc"
  };
  return rows;
}

std::optional<Motion> motion_at(double t) {
  for (const Motion& row : history()) {
    if (std::abs(t - row.t) < 1e-12) return row;
  }
  return std::nullopt;
}

constexpr double hinge = 0.05;  // distance of the hinges from the shaft [m]

/// Poses of the parts in the order of the coordinates, and their velocities.
struct Parts {
  static constexpr int shaft = 0, slider = 7, rod = 14, ball = 28;  // first coordinates; the second rod and ball follow
  SpatialPose shaft_pose, slider_pose, rod_pose[2];
  Vector3d ball_position[2];

  explicit Parts(const Motion& m) {
    const Vector3d z = Vector3d::UnitZ();
    const Eigen::Vector4d turn = euler_parameters(z, m.psi);
    const Eigen::Matrix3d A = rotation_matrix(turn);
    shaft_pose = {{0.0, 0.0, 0.5}, turn};
    slider_pose = {{0.0, 0.0, m.s}, turn};
    for (int k = 0; k < 2; ++k) {
      const double side = k == 0 ? 1.0 : -1.0;
      const Vector3d along = A * Vector3d(side * std::cos(m.alpha), 0.0, -std::sin(m.alpha));
      const Vector3d foot = A * Vector3d(side * hinge, 0.0, 1.0);
      rod_pose[k] = {foot + 0.5 * along, lowered(m.psi, side * m.alpha)};
      ball_position[k] = foot + along;
    }
  }

  /// Turn by `angle` about y, then by psi about z: continuous in both, as no matrix would tell.
  static Eigen::Vector4d lowered(double psi, double angle) {
    const double c = std::cos(0.5 * psi), s = std::sin(0.5 * psi);
    const double a = std::cos(0.5 * angle), b = std::sin(0.5 * angle);
    return {c * a, -s * b, c * b, s * a};
  }

  Eigen::VectorXd coordinates() const {
    Eigen::VectorXd q(34);
    q << shaft_pose.coordinates(), slider_pose.coordinates(), rod_pose[0].coordinates(), rod_pose[1].coordinates(),
        ball_position[0], ball_position[1];
    return q;
  }

  Eigen::VectorXd rates(const Motion& m) const {
    const Vector3d spin(0.0, 0.0, m.psi_rate);
    const Vector3d across(-std::sin(m.psi), std::cos(m.psi), 0.0);  // y of the shaft
    Eigen::VectorXd v(34);
    v.segment<7>(shaft) = shaft_pose.rates(Vector3d::Zero(), spin);
    v.segment<7>(slider) = slider_pose.rates({0.0, 0.0, m.s_rate}, spin);
    for (int k = 0; k < 2; ++k) {
      const double side = k == 0 ? 1.0 : -1.0;
      const Vector3d foot(side * hinge * std::cos(m.psi), side * hinge * std::sin(m.psi), 1.0);
      const Vector3d omega = spin + side * m.alpha_rate * across;
      const auto velocity = [&](const Vector3d& point) -> Vector3d {
        return spin.cross(foot) + omega.cross(point - foot);
      };
      v.segment<7>(rod + 7 * k) = rod_pose[k].rates(velocity(rod_pose[k].position), omega);
      v.segment<3>(ball + 3 * k) = velocity(ball_position[k]);
    }
    return v;
  }
};

Mechanism make(int) {
  const Parts start(history().front());
  Assembly assembly;
  const auto add_body = [&](const std::string& name, const SpatialRigidBody& body) {
    const Block block = assembly.add_coordinates(name, BlockKind::spatial_body);
    assembly.add(name + " body", body, {block});
    assembly.add(name + " weight", SpatialGravity{body.m}, {centre_of(block)});
    return block;
  };
  const Block shaft = add_body("shaft", SpatialRigidBody::box(0.3, 0.01, 0.01, 1.0));
  const Block slider = add_body("slider", SpatialRigidBody::box(3.0, 0.1, 0.1, 0.1));
  Block rods[2], balls[2];
  for (int k = 0; k < 2; ++k)
    rods[k] = add_body("rod " + std::to_string(k + 1), SpatialRigidBody::box(0.3, 1.0, 0.01, 0.01));
  for (int k = 0; k < 2; ++k) {
    const std::string name = "ball " + std::to_string(k + 1);
    balls[k] = assembly.add_coordinates(name, BlockKind::spatial_point);
    assembly.add(name + " mass", SpatialPointMass{5.0}, {balls[k]});
    assembly.add(name + " weight", SpatialGravity{5.0}, {balls[k]});
  }
  const Vector3d y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  assembly.add("bearing", SpatialRevolute(GroundEnd(Vector3d::Zero(), z), BodyEnd::at(start.shaft_pose, {0, 0, 0}, z)),
               {shaft});
  assembly.add("slide",
               SpatialPrismatic(BodyEnd::at(start.shaft_pose, start.slider_pose.position, z),
                                BodyEnd::at(start.slider_pose, start.slider_pose.position, z)),
               {shaft, slider});
  for (int k = 0; k < 2; ++k) {
    const std::string name = std::to_string(k + 1);
    const double side = k == 0 ? 1.0 : -1.0;
    const Vector3d foot(side * hinge, 0.0, 1.0);
    assembly.add("hinge " + name,
                 SpatialRevolute(BodyEnd::at(start.shaft_pose, foot, y), BodyEnd::at(start.rod_pose[k], foot, y)),
                 {shaft, rods[k]});
    assembly.add("tip " + name, SpatialSpherical(BodyEnd::at(start.rod_pose[k], start.ball_position[k]), PointEnd()),
                 {rods[k], balls[k]});
    assembly.add("spring " + name,
                 SpatialSpringDamper(BodyEnd(Vector3d(side * hinge, 0.0, 0.0)), BodyEnd(), 8e5, 0.5, 4e4),
                 {slider, rods[k]});
  }
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start.q = start.coordinates();
  mechanism.start.v = start.rates(history().front());
  mechanism.t_end = 10.0;
  mechanism.reference = [](double t) -> std::optional<ReferenceState> {
    const auto motion = motion_at(t);
    if (!motion) return std::nullopt;
    const Parts parts(*motion);
    return ReferenceState{parts.coordinates(), parts.rates(*motion), {}};
  };
  mechanism.observables.push_back({"s", "m", [](const MotionState& state) { return state.q[Parts::slider + 2]; },
                                   [](double t) -> std::optional<double> {
                                     const auto motion = motion_at(t);
                                     if (!motion) return std::nullopt;
                                     return motion->s;
                                   }});
  for (const Motion& row : history()) mechanism.reference_times.push_back(row.t);
  mechanism.reference_source = "reduction to three degrees of freedom, Radau, tolerances to 3e-12, every 0.05 s";
  return mechanism;
}

}  // namespace

MechanismEntry make_flyball_governor() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
