#include <cmath>
#include <cstdio>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

/// A five-bar: cranks of 0.4 m at A and E, a metre apart, carry rods of 0.6 m that meet in the hand. Computes the
/// reachable set of the hand, its singular points, and the part that remains if the left crank stays between 0 and 2
/// rad.
///
///             hand
///            .o.
///         .-'   '-.
///      B o         o D
///        |         |
///      A o         o E
int main() try {
  constexpr double crank = 0.4, rod = 0.6, apart = 1.0;
  Assembly assembly;
  Block arms[2];
  const char* names[] = {"left", "right"};
  for (int k = 0; k < 2; ++k) {
    arms[k] = assembly.add_coordinates(names[k], BlockKind::planar_body);
    assembly.add(std::string(names[k]) + " body", PlanarRigidBody{0.5, 0.5 * crank * crank / 12.0}, {arms[k]});
    assembly.add(std::string(names[k]) + " pin", RevoluteToGround{-0.5 * crank, 0.0, k * apart, 0.0}, {arms[k]});
  }
  const Block hand = assembly.add_coordinates("hand", BlockKind::planar_point);
  assembly.add("load", PointMass{1.0}, {hand});
  for (int k = 0; k < 2; ++k)
    assembly.add(std::string(names[k]) + " rod", DistanceBetween{rod, OnBody{0.5 * crank, 0.0}, AtPoint{}},
                 {arms[k], hand});
  const auto system = assembly.build();
  StartValues start(system);
  start["left.phi"] = 1.4;
  start["right.phi"] = 1.75;
  start["right.x"] = apart;
  start["hand.x"] = 0.5;
  start["hand.y"] = 0.9;  // above the cranks: this way of assembling is followed

  WorkspaceOptions options;
  options.limits = {{"left.phi", 0.0, 2.0}};
  const DrivenRange left{"left.phi", -0.4, 3.4, 12}, right{"right.phi", -0.4, 3.4, 12};
  bool good = true;
  for (const bool limited : {false, true}) {
    const MechanismWorkspace found =
        workspace(system, start, {"hand"}, {left, right}, limited ? options : WorkspaceOptions{});
    std::printf("%s: %ld combinations reached, %ld singular, %ld outside the limits, %ld not reached\n",
                limited ? "with limits" : "without limits", found.count(Reach::reached), found.count(Reach::singular),
                found.count(Reach::outside_limits), found.count(Reach::unreached));
    long kinds[4] = {};
    for (const WorkspaceBoundary& b : found.boundary) {
      ++kinds[static_cast<int>(b.kind)];
      // a dead point of the drives is where the rods are in line: the ends of the cranks are 1.2 m apart
      if (b.kind != WorkspaceBoundary::Kind::dead_point) continue;
      const double dx = apart + crank * (std::cos(b.s[1]) - std::cos(b.s[0]));
      const double dy = crank * (std::sin(b.s[1]) - std::sin(b.s[0]));
      good = good && std::abs(std::hypot(dx, dy) - 2.0 * rod) < 1e-6;
    }
    std::printf("  candidates of its boundary: %ld ends of ranges, %ld singular, %ld dead points, %ld limits\n",
                kinds[0], kinds[1], kinds[2], kinds[3]);
    double highest = 0.0, best = 0.0;
    for (const WorkspacePoint& p : found.points) {
      if (p.reach != Reach::reached) continue;
      highest = std::max(highest, p.place[1]);
      best = std::max(best, p.manipulability);
      const double x = p.place[0], y = p.place[1];
      good = good && std::hypot(x, y) <= crank + rod + 1e-9 && std::hypot(x - apart, y) <= crank + rod + 1e-9;
    }
    std::printf("  the hand rises to %.4f m; the weakest direction moves with at most %.4f m/rad\n", highest, best);
    good = good && kinds[2] > 0 && (kinds[3] > 0) == limited && highest > 0.8;
    if (!limited) write_html(found, system, "five_bar_workspace.html", "a five-bar");
  }
  return good ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
