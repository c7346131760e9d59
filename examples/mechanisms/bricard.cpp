#include <array>
#include <cmath>

#include <sunlagrange/elements/spatial/gravity.hpp>
#include <sunlagrange/elements/spatial/revolute.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>

#include "mechanisms/mechanism.hpp"

/// Bricard mechanism, problem A04 of the IFToMM library of computational benchmark problems: five rods and six hinges
/// along the edges of a cube, a loop that Gruebler's count calls immobile and that moves nevertheless.
///
///            A ---1--- B                  at the start; y up, x to the right, z towards the viewer
///           (y)      (z)|                 A (0,0,0)  B (1,0,0)  C (1,-1,0)  D (1,-1,1)  E (0,-1,1)  F (0,0,1)
///                       2                 hinge axes in brackets: A y, B z, C x, D y, E z, F x
///      F                |                 A and F are on the ground; P3 is the point C
///     (x)|              C (x) = P3        rods: 1 m x 0.1 m x 0.1 m, 1 kg, bricks: 1/600 kg m^2 along,
///        5             3                  1.01/12 kg m^2 across; gravity 9.81 m/s^2 along -y; start at rest
///        |            /
///        E ---4--- D
///       (z)       (y)
///
/// n = 35, m = 30 rows of hinges + 5 norm rows of rank 34 everywhere: one degree of freedom, one permanently redundant
/// row, multipliers not unique. Energy: -29.43 J. Reference: P3 at 0, 0.05, ..., 10 s, maximal coordinates with
/// minimum-norm multipliers by an eighth-order Runge-Kutta method at 1e-12; runs at 1e-9 and 1e-11 differ from it by
/// 2.1e-8 and 1.2e-9.
namespace sunlagrange::mechanisms {
namespace {

using Eigen::Vector3d;

struct HistoryRow {
  double t;
  double P3[3];
};

constexpr HistoryRow history_row(double t, double x, double y, double z) {
  return {t, {x, y, z}};
}

const std::vector<HistoryRow>& history() {
  static const std::vector<HistoryRow> rows = [] {
    const double table[][4] = {
#include "mechanisms/bricard_history.inc"
    };
    std::vector<HistoryRow> list;
    for (const auto& r : table) list.push_back(history_row(r[0], r[1], r[2], r[3]));
    return list;
  }();
  return rows;
}

std::optional<double> P3_at(double t, int k) {
  for (const HistoryRow& row : history()) {
    if (std::abs(t - row.t) < 1e-12) return row.P3[k];
  }
  return std::nullopt;
}

Mechanism make(int) {
  const std::array<Vector3d, 6> corner = {Vector3d(0, 0, 0),  Vector3d(1, 0, 0),  Vector3d(1, -1, 0),
                                          Vector3d(1, -1, 1), Vector3d(0, -1, 1), Vector3d(0, 0, 1)};
  const std::array<Vector3d, 6> axis = {Vector3d::UnitY(), Vector3d::UnitZ(), Vector3d::UnitX(),
                                        Vector3d::UnitY(), Vector3d::UnitZ(), Vector3d::UnitX()};
  Assembly assembly;
  Mechanism mechanism;
  mechanism.start.q.resize(35);
  std::vector<Block> rods;
  std::vector<SpatialPose> poses;
  for (std::size_t k = 0; k < 5; ++k) {
    const std::string name = std::to_string(k + 1);
    const Vector3d edge = (corner[k + 1] - corner[k]).cwiseAbs();  // along a coordinate axis
    const Vector3d size = Vector3d::Constant(0.1) + 0.9 * edge;
    rods.push_back(assembly.add_coordinates("rod " + name, BlockKind::spatial_body));
    poses.push_back({0.5 * (corner[k] + corner[k + 1])});
    assembly.add("body " + name, SpatialRigidBody::box(1.0, size[0], size[1], size[2]), {rods[k]});
    assembly.add("weight " + name, SpatialGravity{1.0, 0.0, -9.81, 0.0}, {centre_of(rods[k])});
    mechanism.start.q.segment<7>(rods[k].first) = poses[k].coordinates();
  }
  const auto end = [&](std::size_t rod, std::size_t joint) {
    return BodyEnd::at(poses[rod], corner[joint], axis[joint]);
  };
  assembly.add("A", SpatialRevolute(GroundEnd(corner[0], axis[0]), end(0, 0)), {rods[0]});
  for (std::size_t k = 1; k < 5; ++k) {
    assembly.add(std::string(1, "ABCDEF"[k]), SpatialRevolute(end(k - 1, k), end(k, k)), {rods[k - 1], rods[k]});
  }
  assembly.add("F", SpatialRevolute(end(4, 5), GroundEnd(corner[5], axis[5])), {rods[4]});
  mechanism.system = assembly.build();
  mechanism.t_end = 10.0;
  const int rod_2 = rods[1].first;
  for (int k = 0; k < 3; ++k) {
    mechanism.observables.push_back({std::string("P3.") + "xyz"[k], "m",
                                     [rod_2, k](const MotionState& state) {
                                       return SpatialPose::of(state.q, rod_2).to_ground({0.0, -0.5, 0.0})[k];
                                     },
                                     [k](double t) { return P3_at(t, k); }});
  }
  for (const HistoryRow& row : history()) mechanism.reference_times.push_back(row.t);
  mechanism.reference_source = "maximal coordinates, minimum-norm multipliers, tolerance 1e-12, every 0.05 s";
  return mechanism;
}

}  // namespace

MechanismEntry make_bricard() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
