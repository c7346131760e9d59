#include <cmath>
#include <cstdio>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

constexpr double crank = 0.4, coupler = 1.2, rocker = 0.8, ground = 1.1;  // lengths of a four-bar [m]

/// Computes the motion of the coupler over a turn of the crank, the torque of a steady turn, and the range in which the
/// rocker can be driven.
int main() try {
  Assembly assembly;
  const auto bar = [&assembly](const char* name, double length, double mass) {
    const Block block = assembly.add_coordinates(name, BlockKind::planar_body);
    assembly.add(std::string(name) + " body", PlanarRigidBody{mass, mass * length * length / 12.0}, {block});
    assembly.add(std::string(name) + " weight", UniformGravity{mass}, {centre_of(block)});
    return block;
  };
  const Block a = bar("crank", crank, 0.6), b = bar("coupler", coupler, 2.0), c = bar("rocker", rocker, 1.2);
  assembly.add("A", RevoluteToGround{-0.5 * crank, 0.0, 0.0, 0.0}, {a});
  assembly.add("B", Revolute{0.5 * crank, 0.0, -0.5 * coupler, 0.0}, {a, b});
  assembly.add("C", Revolute{0.5 * coupler, 0.0, 0.5 * rocker, 0.0}, {b, c});
  assembly.add("D", RevoluteToGround{-0.5 * rocker, 0.0, ground, 0.0}, {c});
  const auto system = assembly.build();
  StartValues guess(system);  // rough; the crank is put where the grid begins
  guess["coupler.y"] = 0.5;
  guess["rocker.phi"] = 1.3;

  const double turn = 2.0 * std::acos(-1.0), speed = 6.0;
  std::vector<double> grid;
  for (int k = 0; k <= 48; ++k) grid.push_back(turn * k / 48.0);
  const Kinematics found = kinematics(system, guess, "crank.phi", grid);
  if (!found.status.finished()) {
    std::fprintf(stderr, "%s\n", found.status.message.c_str());
    return 1;
  }
  std::printf("crank [rad]   coupler x, y [m]   rocker [rad]  its rate [rad/s]  torque [N m] at %g rad/s\n", speed);
  double work = 0.0;
  const std::vector<KinematicPoint>& points = found.branches.front().points;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const KinematicPoint& point = points[k];
    const MotionState state = point.state(0.0, speed, 0.0);
    const InverseDynamics drive = inverse_dynamics(system, state, {"crank.phi"});
    if (k % 4 == 0)
      std::printf("%11.4f  %8.4f %8.4f  %12.4f  %16.4f  %12.4f\n", point.s, point.q[3], point.q[4], point.q[8],
                  state.v[8], drive.drive[0]);
    if (k > 0) work += drive.drive[0] * turn / 48.0;  // the trapezoidal rule of a periodic function
  }
  std::printf("work of the motor over a turn: %.1e J\n", work);  // gravity and bars give back what they took
  write_html(found, system, "four_bar_kinematics.html", "a four-bar over its crank", {0.0, speed, 0.0});

  // Driven at the rocker: dead where crank and coupler are in line; behind it the crank goes on turning.
  const double start = points.front().q[8];
  KinematicsOptions options;
  options.max_dead_points = 1;
  std::vector<double> upwards;
  for (int k = 0; k <= 20; ++k) upwards.push_back(start + 0.1 * k);
  InitialState first;
  first.q = points.front().q;
  const Kinematics driven = kinematics(system, first, "rocker.phi", upwards, options);
  if (driven.branches.empty() || driven.branches.front().dead_point.empty()) return 1;
  std::printf("driven at the rocker: %s\n", driven.status.message.c_str());
  for (const KinematicBranch& branch : driven.branches)
    std::printf("  branch of %zu poses, crank at %.4f ... %.4f rad\n", branch.points.size(), branch.points.front().q[2],
                branch.points.back().q[2]);
  // one side of the triangle is crank + coupler, or their difference
  const double angle = std::acos(-1.0) - driven.branches.front().dead_point.front().s;
  const double side = std::sqrt(ground * ground + rocker * rocker - 2.0 * ground * rocker * std::cos(angle));
  const double expected = side > coupler ? coupler + crank : coupler - crank;
  std::printf("from A to C there: %.10f m, crank and coupler in line: %.10f m\n", side, expected);
  return std::abs(side - expected) < 1e-8 && std::abs(work) < 1e-4 ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
