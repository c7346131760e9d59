#include "mechanisms/random_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/model/assembly.hpp>

#include "mechanisms/draw.hpp"

namespace sunlagrange::mechanisms {
namespace {

double ratio(const std::vector<double>& mass) {
  const auto [least, most] = std::minmax_element(mass.begin(), mass.end());
  return *most / *least;
}

std::string spread(double decades) {
  return ", masses 1e+-" + text(decades);
}

/// Draws a planar mechanism. Random numbers are drawn in separate statements, so that their order does not depend on
/// the compiler.
class RandomPlanarMechanism {
 public:
  RandomPlanarMechanism(std::uint64_t seed, const RandomFeatures& features)
      : draw_(seed), features_(features), decades_(features.decades) {}

  RandomMechanism build() {
    add_bodies();
    int freedoms = 3 * bodies() - rows_of_tree();
    int loops = 0;
    for (; features_.loops && freedoms > 1 && draw_.chance(0.6); ++loops) freedoms -= close_loop(freedoms);
    const int springs = draw_.below(4);
    for (int k = 0; k < springs; ++k) add_spring(k);
    const int dampers = features_.damped ? 1 + draw_.below(2) : 0;
    for (int k = 0; k < dampers; ++k) add_damper(k);
    if (features_.driven) add_drive();
    return {assembly_.build(), start_,
            "planar, " + std::to_string(bodies()) + " bodies, " + std::to_string(loops) + " loops, " +
                std::to_string(springs) + " springs, " + std::to_string(dampers) + " dampers" + spread(decades_),
            ratio(mass_), features_};
  }

 private:
  static constexpr int ground = -1;

  int bodies() const { return static_cast<int>(body_.size()); }

  void add_bodies() {
    const int count = 1 + draw_.below(6);
    const double spread = draw_.below(3);
    const double drawn = draw_.chance(0.15) ? 3.0 : spread;
    if (decades_ == drawn_decades) decades_ = drawn;
    start_.q.resize(3 * count);
    start_.v.resize(3 * count);
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      const double mass = draw_.power_of_ten(-decades_, decades_);
      const double size = draw_.between(0.3, 1.5);
      const Block body = assembly_.add_coordinates("body" + number, BlockKind::planar_body);
      assembly_.add("inertia" + number, PlanarRigidBody{mass, mass * size * size / 12.0}, {body});
      assembly_.add("weight" + number, UniformGravity{mass}, {centre_of(body)});
      body_.push_back(body);
      mass_.push_back(mass);
      for (const double most : {2.0, 2.0, 3.0}) start_.q[at_++] = draw_.between(-most, most);
      at_ -= 3;
      for (const double most : {1.0, 1.0, 2.0}) start_.v[at_++] = draw_.between(-most, most);
    }
  }

  /// A joint to an earlier body or the ground for most bodies. @return independent rows
  int rows_of_tree() {
    int rows = 0;
    for (int i = 0; i < bodies(); ++i) {
      const int parent = draw_.chance(0.25) ? ground : draw_.below(i + 1) - 1;
      if (i > 0 && draw_.chance(0.08)) continue;  // a free body
      const Eigen::Vector2d p = between(i, parent);
      pin(i, parent, p);
      rows += 2;
      if (!features_.redundant) continue;
      if (draw_.chance(0.3)) pin(i, parent, p);  // the same again
      if (!draw_.chance(0.15)) continue;
      const double y = draw_.between(0.3, 1.0);
      const double x = draw_.between(0.3, 1.0);
      rod(i, parent, p, p + Eigen::Vector2d(x, y));
      rows += 1;
    }
    return rows;
  }

  /// A pin or a rod between any two bodies, or a body and the ground. @return independent rows
  int close_loop(int freedoms) {
    const int i = draw_.below(bodies());
    int j = draw_.below(bodies() + 1) - 1;
    if (j == i) j = ground;
    if (freedoms > 2 && draw_.chance(0.3)) {
      pin(i, j, between(i, j));
      return 2;
    }
    const Eigen::Vector2d p = near(i);
    const Eigen::Vector2d s = near(j == ground ? i : j);
    rod(i, j, p, s);
    if (features_.redundant && draw_.chance(0.5)) rod(i, j, p, s);
    return 1;
  }

  void add_spring(int k) {
    const int i = draw_.below(bodies());
    const double rate = draw_.between(1.0, 8.0);
    const double rest = draw_.chance(0.5) ? 0.0 : draw_.between(0.1, 1.0);
    const double v = draw_.between(-0.2, 0.2);
    const double u = draw_.between(-0.2, 0.2);
    const double x = draw_.between(-3.0, 3.0);
    const double y = draw_.between(-3.0, 3.0);
    const double stiffness = mass_[static_cast<std::size_t>(i)] * rate * rate;
    assembly_.add("spring" + std::to_string(k), LinearSpring{stiffness, rest, OnBody{u, v}, OnGround{x, y}},
                  {block(i)});
  }

  void add_damper(int k) {
    const int i = draw_.below(bodies());
    const double rate = draw_.between(0.2, 3.0);
    const double v = draw_.between(-0.2, 0.2);
    const double u = draw_.between(-0.2, 0.2);
    const double x = draw_.between(-3.0, 3.0);
    const double y = draw_.between(-3.0, 3.0);
    assembly_.add("damper" + std::to_string(k),
                  LinearDamper{mass_[static_cast<std::size_t>(i)] * rate, OnBody{u, v}, OnGround{x, y}}, {block(i)});
  }

  /// x, y or the angle of a body swings about its value at the start.
  void add_drive() {
    const int i = draw_.below(bodies());
    const int c = draw_.below(3);
    const double omega = draw_.between(1.0, 6.0);
    const double amplitude = draw_.between(0.02, 0.2);
    assembly_.add("drive", PrescribedCoordinate{Harmonic{start_.q[3 * i + c], amplitude, omega, 0.0}},
                  {coordinate_of(block(i), c)});
  }

  const Block& block(int i) const { return body_[static_cast<std::size_t>(i)]; }

  /// Within a metre of the centre of body i, in each direction.
  Eigen::Vector2d near(int i) {
    const double y = draw_.between(-1.0, 1.0);
    const double x = draw_.between(-1.0, 1.0);
    return start_.q.segment<2>(3 * i) + Eigen::Vector2d(x, y);
  }
  Eigen::Vector2d between(int i, int j) {
    const Eigen::Vector2d there = near(j == ground ? i : j);
    const Eigen::Vector2d here = near(i);
    return 0.5 * (here + there);
  }

  OnBody on(int i, const Eigen::Vector2d& p) const {
    const Eigen::Vector2d d = p - start_.q.segment<2>(3 * i);
    const double c = std::cos(start_.q[3 * i + 2]), s = std::sin(start_.q[3 * i + 2]);
    return {c * d.x() + s * d.y(), -s * d.x() + c * d.y()};
  }
  std::string joint(const char* kind) { return kind + std::to_string(joints_++); }

  void pin(int i, int j, const Eigen::Vector2d& p) {
    const OnBody a = on(i, p);
    if (j == ground) {
      assembly_.add(joint("pin"), RevoluteToGround{a.sx, a.sy, p.x(), p.y()}, {block(i)});
    } else {
      const OnBody b = on(j, p);
      assembly_.add(joint("pin"), Revolute{a.sx, a.sy, b.sx, b.sy}, {block(i), block(j)});
    }
  }
  void rod(int i, int j, const Eigen::Vector2d& p, const Eigen::Vector2d& s) {
    const double length = (p - s).norm();
    if (j == ground) {
      const DistanceBetween<OnBody, OnGround> rod{length, on(i, p), OnGround{s.x(), s.y()}};
      assembly_.add(joint("rod"), rod, {block(i)});
    } else {
      const DistanceBetween<OnBody, OnBody> rod{length, on(i, p), on(j, s)};
      assembly_.add(joint("rod"), rod, {block(i), block(j)});
    }
  }

  Draw draw_;
  RandomFeatures features_;
  double decades_;
  Assembly assembly_;
  InitialState start_;
  std::vector<Block> body_;
  std::vector<double> mass_;
  int at_ = 0;  // next entry of start_.q, start_.v
  int joints_ = 0;
};

/// Up to four boxes in a tree of spherical, revolute, cylindrical and prismatic joints, some tied to the ground by
/// rods.
class RandomSpatialMechanism {
 public:
  RandomSpatialMechanism(std::uint64_t seed, const RandomFeatures& features)
      : draw_(seed), features_(features), decades_(features.decades) {}

  RandomMechanism build() {
    add_bodies();
    int freedoms = 6 * bodies();
    for (int i = 0; i < bodies(); ++i) {
      const int parent = draw_.below(i + 1) - 1;
      if (i > 0 && draw_.chance(0.1)) continue;  // a free body
      freedoms -= joint(i, parent);
    }
    int loops = 0;
    for (; features_.loops && freedoms > 1 && draw_.chance(0.5); --freedoms) tie(loops++);
    const int springs = features_.damped ? 1 + draw_.below(2) : 0;
    for (int k = 0; k < springs; ++k) add_spring(k);
    if (features_.driven) add_drive();
    return {assembly_.build(), start_,
            "spatial, joints " + joints_ + ", " + std::to_string(loops) + " loops, " + std::to_string(springs) +
                " damped springs" + spread(decades_),
            ratio(mass_), features_};
  }

 private:
  int bodies() const { return static_cast<int>(body_.size()); }
  const Block& block(int i) const { return body_[static_cast<std::size_t>(i)]; }
  const SpatialPose& pose(int i) const { return pose_[static_cast<std::size_t>(i)]; }

  Eigen::Vector3d inside(double most) {
    const double z = draw_.between(-most, most);
    const double y = draw_.between(-most, most);
    const double x = draw_.between(-most, most);
    return {x, y, z};
  }
  Eigen::Vector3d direction() { return inside(1.0).normalized(); }

  void add_bodies() {
    const int count = 1 + draw_.below(4);
    const double drawn = draw_.below(3);
    if (decades_ == drawn_decades) decades_ = drawn;
    start_.q.resize(7 * count);
    start_.v.resize(7 * count);
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      const double mass = draw_.power_of_ten(-decades_, decades_);
      const double c = draw_.between(0.1, 1.0);
      const double b = draw_.between(0.1, 1.0);
      const double a = draw_.between(0.1, 1.0);
      mass_.push_back(mass);
      body_.push_back(assembly_.add_coordinates("body" + number, BlockKind::spatial_body));
      assembly_.add("inertia" + number, SpatialRigidBody::box(mass, a, b, c), {block(i)});
      assembly_.add("weight" + number, SpatialGravity{mass, 0.0, 0.0, -9.81}, {centre_of(block(i))});
      const Eigen::Vector3d position = inside(2.0);
      const double angle = draw_.between(-3.0, 3.0);
      const Eigen::Vector3d axis = direction();
      pose_.push_back({position, euler_parameters(axis, angle)});
      const Eigen::Vector3d turning = 2.0 * direction();
      const Eigen::Vector3d velocity = direction();
      start_.q.segment<7>(7 * i) = pose(i).coordinates();
      start_.v.segment<7>(7 * i) = pose(i).rates(velocity, turning);
    }
  }

  /// @return rows
  int joint(int i, int parent) {
    const Eigen::Vector3d p = pose(i).position + 0.7 * direction();
    const Eigen::Vector3d z = direction();
    const Eigen::Vector3d x = direction();
    const BodyEnd here = BodyEnd::at(pose(i), p, z, x);
    const int kind = draw_.below(5);
    joints_ += "SRCPR"[kind];
    const std::string name = "joint" + std::to_string(i);
    const int copies = features_.redundant && draw_.chance(0.4) ? 2 : 1;
    int rows = 0;
    for (int k = 0; k < copies; ++k) {
      const std::string copy = k == 0 ? name : name + " again";
      rows = parent < 0 ? joint(copy, kind, here, GroundEnd(p, z, x), {block(i)})
                        : joint(copy, kind, here, BodyEnd::at(pose(parent), p, z, x), {block(i), block(parent)});
    }
    return rows;
  }

  template <class End>
  int joint(const std::string& name, int kind, const BodyEnd& here, const End& there,
            const std::vector<Block>& blocks) {
    switch (kind) {
      case 0:
        assembly_.add(name, SpatialSpherical<BodyEnd, End>(here, there), blocks);
        return 3;
      case 2:
        assembly_.add(name, SpatialCylindrical<BodyEnd, End>(here, there), blocks);
        return 4;
      case 3:
        assembly_.add(name, SpatialPrismatic<BodyEnd, End>(here, there), blocks);
        return 5;
      default:
        assembly_.add(name, SpatialRevolute<BodyEnd, End>(here, there), blocks);
        return 5;
    }
  }

  /// A rod to the ground.
  void tie(int k) {
    const int i = draw_.below(bodies());
    const Eigen::Vector3d p = pose(i).position + 0.7 * direction();
    const Eigen::Vector3d way = direction();
    const Eigen::Vector3d s = p + draw_.between(0.5, 2.0) * way;
    const SpatialDistance<BodyEnd, GroundEnd> rod(BodyEnd::at(pose(i), p), GroundEnd(s), (p - s).norm());
    assembly_.add("rod" + std::to_string(k), rod, {block(i)});
    if (features_.redundant && draw_.chance(0.4)) assembly_.add("rod" + std::to_string(k) + " again", rod, {block(i)});
  }

  void add_spring(int k) {
    const int i = draw_.below(bodies());
    const double mass = mass_[static_cast<std::size_t>(i)];
    const double rate = draw_.between(1.0, 8.0);
    const double damping = draw_.between(0.1, 2.0);
    const double length = draw_.between(0.5, 2.0);
    const Eigen::Vector3d p = pose(i).position + 0.3 * direction();
    const Eigen::Vector3d s = p + length * direction();
    assembly_.add("spring" + std::to_string(k),
                  SpatialSpringDamper<BodyEnd, GroundEnd>(BodyEnd::at(pose(i), p), GroundEnd(s), mass * rate * rate,
                                                          length, mass * damping),
                  {block(i)});
  }

  /// A point of a body swings along a line.
  void add_drive() {
    const int i = draw_.below(bodies());
    const double omega = draw_.between(1.0, 6.0);
    const double amplitude = draw_.between(0.02, 0.2);
    const Eigen::Vector3d p = pose(i).position + 0.3 * direction();
    const Eigen::Vector3d along = direction();
    const Eigen::Vector3d across = direction();
    assembly_.add("drive",
                  SpatialPrescribedPoint<BodyEnd, Harmonic>(BodyEnd::at(pose(i), p), GroundEnd(p, along, across),
                                                            Harmonic{0.0, amplitude, omega, 0.0}),
                  {block(i)});
  }

  Draw draw_;
  RandomFeatures features_;
  double decades_;
  Assembly assembly_;
  InitialState start_;
  std::vector<Block> body_;
  std::vector<double> mass_;
  std::vector<SpatialPose> pose_;
  std::string joints_;
};

/// Else it would tear the mechanism apart: slowly moved, it follows the drive for a second.
bool drive_is_possible(const RandomMechanism& mechanism) {
  InitialState pose = mechanism.start;
  for (int k = 0; k <= 20; ++k) {
    pose.t = 0.05 * k;
    const ConsistentState next = consistent_state(mechanism.system, pose);
    if (!next.report.feasible || !next.report.velocities_feasible) return false;
    pose.q = next.state.q;
  }
  return true;
}

/// The velocities are drawn freely; the start has those nearest to them that the joints allow.
RandomMechanism built(std::uint64_t seed, const RandomFeatures& features) {
  RandomMechanism mechanism =
      features.spatial ? RandomSpatialMechanism(seed, features).build() : RandomPlanarMechanism(seed, features).build();
  const ConsistentState nearest = consistent_state(mechanism.system, mechanism.start);
  if (nearest.report.feasible && nearest.report.velocities_feasible) mechanism.start.v = nearest.state.v;
  return mechanism;
}

}  // namespace

std::string RandomFeatures::text() const {
  std::string words = spatial ? "spatial" : "planar";
  if (!loops) words += ", open";
  if (redundant) words += ", redundant";
  if (damped) words += ", damped";
  if (driven) words += ", driven";
  return words;
}

RandomFeatures random_features(std::uint64_t seed) {
  Draw draw(~seed);
  RandomFeatures features;
  features.spatial = draw.chance(0.4);
  features.loops = draw.chance(0.7);
  features.redundant = draw.chance(0.25);
  features.damped = draw.chance(0.4);
  features.driven = draw.chance(0.3);
  features.decades = 1.5 * draw.below(3);
  return features;
}

RandomMechanism random_mechanism(std::uint64_t seed, const RandomFeatures& features) {
  RandomMechanism mechanism = built(seed, features);
  if (!features.driven || drive_is_possible(mechanism)) return mechanism;
  RandomFeatures free = features;
  free.driven = false;
  return built(seed, free);
}

}  // namespace sunlagrange::mechanisms
