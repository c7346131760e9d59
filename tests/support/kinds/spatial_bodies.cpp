// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <Eigen/Geometry>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/spatial.hpp>

#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// Bodies in space: two bearings of one hinge, free and supported bodies that tumble, Euler parameters that are or pass
/// zero, a point that circles.
namespace sunlagrange::test::kinds {
namespace {

using Eigen::Vector3d;

Vector3d direction(Draw& draw) {
  for (;;) {
    const double z = draw.between(-1.0, 1.0), y = draw.between(-1.0, 1.0), x = draw.between(-1.0, 1.0);
    const Vector3d v(x, y, z);
    if (v.norm() > 0.2) return v.normalized();
  }
}

Vector3d vector(Draw& draw, double shortest, double longest) {
  const double length = draw.between(shortest, longest);
  return length * direction(draw);
}

SpatialPose drawn_pose(Draw& draw) {
  const double angle = draw.between(-3.0, 3.0);
  const Vector3d axis = direction(draw), place = direction(draw);
  return {place, euler_parameters(axis, angle)};
}

struct Box {
  double mass, x, y, z;
  SpatialRigidBody body() const { return SpatialRigidBody::box(mass, x, y, z); }
};

Box drawn_box(Draw& draw) {
  const double mass = draw.power_of_ten(-1.0, 1.0), x = draw.between(0.1, 1.0), y = draw.between(0.1, 1.0);
  return {mass, x, y, draw.between(0.1, 1.0)};
}

/// The product of two turns, the second one first.
State product(const State& a, const State& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3], a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
}

State cross(const State& a, const State& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

State state_of(const Eigen::VectorXd& v) {
  return State(v.data(), v.data() + v.size());
}

/// v turned by e.
State turned_by(const State& e, const State& v) {
  const State u = product(product(e, {0, v[0], v[1], v[2]}), {e[0], -e[1], -e[2], -e[3]});
  return {u[1], u[2], u[3]};
}

/// A body turns about an axis through a point under gravity.
struct Hinged {
  State axis, point, arm, e;  // arm: from the point to the centre of mass at the start
  Real rate_of_turn, inertia, mass;

  State rates(const State& y) const {
    const State r = turned_by(turn(y[0]), arm), moment = cross(r, {0, 0, -mass * gravity});
    return {y[1], (moment[0] * axis[0] + moment[1] * axis[1] + moment[2] * axis[2]) / inertia};
  }
  State turn(Real angle) const {
    const Real s = std::sin(angle / 2);
    return {std::cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
  }
  Eigen::VectorXd positions(Real angle) const {
    const State r = turned_by(turn(angle), arm), now = product(turn(angle), e);
    return vector_of({point[0] + r[0], point[1] + r[1], point[2] + r[2], now[0], now[1], now[2], now[3]});
  }
};

/// Adds the body, sets start and reference; the bearings are added by the caller.
Block hinged_body(Assembly& assembly, Motion& motion, const Box& box, const SpatialPose& pose, const Vector3d& point,
                  const Vector3d& axis, double rate) {
  const Block block = assembly.add_coordinates("body", BlockKind::spatial_body);
  const SpatialRigidBody body = box.body();
  assembly.add("inertia", body, {block});
  assembly.add("weight", SpatialGravity{box.mass, 0.0, 0.0, -gravity}, {centre_of(block)});
  const Vector3d arm = pose.position - point, in_body = pose.rotation().transpose() * axis;
  const double about_centre = body.Jxx * in_body.x() * in_body.x() + body.Jyy * in_body.y() * in_body.y() +
                              body.Jzz * in_body.z() * in_body.z();
  const Hinged hinged{state_of(axis), state_of(point),
                      state_of(arm),  state_of(pose.e),
                      rate,           about_centre + box.mass * axis.cross(arm).squaredNorm(),
                      box.mass};
  motion.reduced = {0, rate};
  motion.follow = [hinged](State y, Real from, Real to) {
    return integrated([&](Real, const State& at) { return hinged.rates(at); }, std::move(y), from, to);
  };
  motion.positions = [hinged](const State& y, Real) { return hinged.positions(y[0]); };
  motion.start.q = pose.coordinates();
  motion.start.v = pose.rates(rate * axis.cross(arm), rate * axis);
  return block;
}

/// A door: hinge and ball joint, or two hinges, on one axis.
Motion two_bearings(Draw& draw) {
  const Box box = drawn_box(draw);
  const SpatialPose pose = drawn_pose(draw);
  const Vector3d axis = direction(draw), point = pose.position + vector(draw, 0.1, 1.0);
  const double rate = draw.between(-4.0, 4.0), apart = draw.between(0.2, 1.0);
  const bool hinges = draw.chance(0.5);
  Motion motion;
  Assembly assembly;
  const Block block = hinged_body(assembly, motion, box, pose, point, axis, rate);
  using Hinge = SpatialRevolute<BodyEnd, GroundEnd>;
  using Ball = SpatialSpherical<BodyEnd, GroundEnd>;
  const Vector3d other = point + apart * axis;
  assembly.add("lower", Hinge(BodyEnd::at(pose, point, axis), GroundEnd(point, axis)), {block});
  if (hinges) {
    assembly.add("upper", Hinge(BodyEnd::at(pose, other, axis), GroundEnd(other, axis)), {block});
  } else {
    assembly.add("upper", Ball(BodyEnd::at(pose, other, axis), GroundEnd(other, axis)), {block});
  }
  motion.system = assembly.build();
  motion.t_end = draw.between(0.5, 5.0);
  motion.text = hinges ? "two hinges" : "hinge and ball joint";
  return motion;
}

/// A balanced wheel turns steadily about an axis of the ground: two Euler parameters stay zero, two pass zero.
Motion steady_wheel(Draw& draw) {
  const Box box = drawn_box(draw);
  const Vector3d axis = Vector3d::Unit(draw.below(3));
  const int sort = draw.below(3);
  const double drawn = draw.between(-3.0, 3.0), angle = sort == 0 ? 0.0 : sort == 1 ? as_double(pi) : drawn;
  const SpatialPose pose{direction(draw), euler_parameters(axis, angle)};
  const double rate = either_sign(draw, 0.5, 8.0);
  Motion motion;
  Assembly assembly;
  const Block block = hinged_body(assembly, motion, box, pose, pose.position, axis, rate);
  assembly.add(
      "hinge",
      SpatialRevolute<BodyEnd, GroundEnd>(BodyEnd::at(pose, pose.position, axis), GroundEnd(pose.position, axis)),
      {block});
  motion.system = assembly.build();
  motion.t_end = draw.power_of_ten(-0.3, 2.0);
  motion.text = text(std::abs(rate) * motion.t_end / 6.2832) + " turns from " + text(angle);
  return motion;
}

/// Euler's equations about the centre of mass or a fixed point, with a moment of the weight.
struct Tumbling {
  Real J[3][3];  // in body axes
  State lever;   // from the fixed point to the centre of mass, times m g
  State velocity = {0, 0, 0};

  /// y: Euler parameters, angular velocity in body axes.
  State rates(const State& y) const {
    const State e{y[0], y[1], y[2], y[3]}, w{y[4], y[5], y[6]};
    const State spin = product(e, {0, w[0], w[1], w[2]});
    State L(3);
    for (std::size_t i = 0; i < 3; ++i) L[i] = J[i][0] * w[0] + J[i][1] * w[1] + J[i][2] * w[2];
    const Real square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    State down = turned_by({e[0], -e[1], -e[2], -e[3]}, {0, 0, -1});
    for (Real& x : down) x /= square;
    State moment = cross(lever, down);
    const State gyroscopic = cross(w, L);
    for (std::size_t i = 0; i < 3; ++i) moment[i] -= gyroscopic[i];
    const State a = solved(moment);
    return {spin[0] / 2, spin[1] / 2, spin[2] / 2, spin[3] / 2, a[0], a[1], a[2]};
  }

 private:
  State solved(const State& b) const {
    const State x{J[0][0], J[1][0], J[2][0]}, y{J[0][1], J[1][1], J[2][1]}, z{J[0][2], J[1][2], J[2][2]};
    const State yz = cross(y, z), zx = cross(z, x), xy = cross(x, y);
    const auto dot = [](const State& u, const State& v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; };
    const Real det = dot(x, yz);
    return {dot(b, yz) / det, dot(b, zx) / det, dot(b, xy) / det};
  }
};

Tumbling about(const SpatialRigidBody& body, const Vector3d& lever) {
  const Eigen::Matrix3d J = Eigen::Matrix3d(Vector3d(body.Jxx, body.Jyy, body.Jzz).asDiagonal()) +
                            body.m * (lever.squaredNorm() * Eigen::Matrix3d::Identity() - lever * lever.transpose());
  Tumbling t{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) t.J[i][j] = J(i, j);
  }
  t.lever = state_of(body.m * gravity * lever);
  return t;
}

/// Sets start and reference of a body that turns with w (body axes) about `fixed`, and moves with `velocity`.
void set_motion(Motion& motion, const Tumbling& tumbling, const SpatialPose& pose, const Vector3d& lever,
                const Vector3d& w, const Vector3d& velocity) {
  const Vector3d fixed = pose.position - pose.rotation() * lever;
  const Vector3d w_ground = pose.rotation() * w;
  motion.reduced = {pose.e[0], pose.e[1], pose.e[2], pose.e[3], w[0], w[1], w[2]};
  motion.follow = [tumbling](State y, Real from, Real to) {
    return integrated([&](Real, const State& at) { return tumbling.rates(at); }, std::move(y), from, to);
  };
  motion.positions = [=](const State& y, Real t) {
    const State r = turned_by({y[0], y[1], y[2], y[3]}, state_of(lever));
    return vector_of({fixed[0] + velocity[0] * t + r[0], fixed[1] + velocity[1] * t + r[1],
                      fixed[2] + velocity[2] * t + r[2], y[0], y[1], y[2], y[3]});
  };
  motion.start.q = pose.coordinates();
  motion.start.v = pose.rates(velocity + w_ground.cross(pose.rotation() * lever), w_ground);
}

/// A free body without weight, often near its middle axis.
Motion free_body(Draw& draw) {
  const Box box = drawn_box(draw);
  const SpatialRigidBody body = box.body();
  const SpatialPose pose = drawn_pose(draw);
  Vector3d w = vector(draw, 1.0, 6.0);
  if (draw.chance(0.5)) {
    const Vector3d moments(body.Jxx, body.Jyy, body.Jzz);
    const double middle = moments.sum() - moments.minCoeff() - moments.maxCoeff();
    for (int i = 0; i < 3; ++i) w[i] *= std::abs(moments[i] - middle) < 1e-12 ? 1.0 : 1e-3;
    w *= 4.0 / w.norm();
  }
  const Vector3d velocity = direction(draw);
  Motion motion;
  Assembly assembly;
  const Block block = assembly.add_coordinates("body", BlockKind::spatial_body);
  assembly.add("inertia", body, {block});
  motion.system = assembly.build();
  motion.t_end = draw.between(1.0, 15.0);
  set_motion(motion, about(body, Vector3d::Zero()), pose, Vector3d::Zero(), w, velocity);
  return motion;
}

/// A body on a ball joint under gravity.
Motion body_on_ball_joint(Draw& draw) {
  const Box box = drawn_box(draw);
  const SpatialRigidBody body = box.body();
  const SpatialPose pose = drawn_pose(draw);
  const Vector3d lever = vector(draw, 0.1, 1.0), w = vector(draw, 0.0, 6.0);
  const Vector3d joint = pose.position - pose.rotation() * lever;
  Motion motion;
  Assembly assembly;
  const Block block = assembly.add_coordinates("body", BlockKind::spatial_body);
  assembly.add("inertia", body, {block});
  assembly.add("weight", SpatialGravity{box.mass, 0.0, 0.0, -gravity}, {centre_of(block)});
  assembly.add("joint", SpatialSpherical<BodyEnd, GroundEnd>(BodyEnd::at(pose, joint), GroundEnd(joint)), {block});
  motion.system = assembly.build();
  motion.t_end = draw.between(0.5, 4.0);
  set_motion(motion, about(body, lever), pose, lever, w, Vector3d::Zero());
  return motion;
}

/// A point on a rod circles in a horizontal plane, or nearly so.
Motion conical_pendulum(Draw& draw) {
  const double mass = draw.power_of_ten(-1.0, 1.0), L = draw.between(0.3, 2.0), angle = draw.between(0.1, 1.3);
  const double rate = std::sqrt(gravity / (L * std::cos(angle))), begin = draw.between(-3.0, 3.0);
  const double factor = draw.chance(0.5) ? 1.0 : draw.between(0.8, 1.2);
  Motion motion;
  Assembly assembly;
  const Block point = assembly.add_coordinates("point", BlockKind::spatial_point);
  assembly.add("mass", SpatialPointMass{mass}, {point});
  assembly.add("weight", SpatialGravity{mass, 0.0, 0.0, -gravity}, {point});
  assembly.add("rod", SpatialDistance<PointEnd, GroundEnd>(PointEnd{}, GroundEnd(Vector3d::Zero()), L), {point});
  motion.system = assembly.build();
  const double turns = draw.power_of_ten(0.0, 2.0), radius = L * std::sin(angle);
  motion.t_end = turns * 6.2832 / rate;
  const Vector3d q(radius * std::cos(begin), radius * std::sin(begin), -L * std::cos(angle));
  const Vector3d v = factor * rate * Vector3d(-q.y(), q.x(), 0.0);
  motion.start = {0.0, q, v};
  motion.reduced = {q[0], q[1], q[2], v[0], v[1], v[2]};
  motion.follow = [](State y, Real from, Real to) {
    return integrated(
        [](Real, const State& at) {
          const Real square = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
          const Real pull = (at[3] * at[3] + at[4] * at[4] + at[5] * at[5] - gravity * at[2]) / square;
          return State{at[3], at[4], at[5], -pull * at[0], -pull * at[1], -gravity - pull * at[2]};
        },
        std::move(y), from, to);
  };
  motion.positions = [](const State& y, Real) { return vector_of({y[0], y[1], y[2]}); };
  motion.text = text(turns) + " turns" + (factor == 1.0 ? ", steady" : "");
  return motion;
}

}  // namespace

std::vector<Kind> spatial_bodies() {
  return {{"body on two bearings", two_bearings},
          {"balanced wheel", steady_wheel},
          {"free body", free_body},
          {"body on a ball joint", body_on_ball_joint},
          {"conical pendulum", conical_pendulum}};
}

}  // namespace sunlagrange::test::kinds
