#include <cmath>
#include <cstdio>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

constexpr double stiffness = 100.0, at_rest = 0.5;  // [N/m], angle of the bars without load [rad]

/// A toggle: two bars of 1 m from a pin over a knee to a slider that a spring pushes in. A load presses the knee down.
///
///                knee  | load
///                 .o.  v
///              .-'   '-.
///        pin o'         'o slider /\/\/\| k
std::shared_ptr<const MechanicalSystem> toggle(double load) {
  Assembly assembly;
  const Block knee = assembly.add_coordinates("knee", BlockKind::planar_point);
  const Block slider = assembly.add_coordinates("slider", BlockKind::planar_point);
  assembly.add("mass of the knee", PointMass{1.0}, {knee});
  assembly.add("mass of the slider", PointMass{1.0}, {slider});
  assembly.add("left bar", DistanceToGround{0.0, 0.0, 1.0}, {knee});
  assembly.add("right bar", Distance{1.0}, {knee, slider});
  assembly.add("guide", PrescribedCoordinate{Constant{0.0}}, {coordinate_of(slider, 1)});
  assembly.add("spring", AxialSpringToGround{stiffness, 2.0 * std::cos(at_rest)}, {coordinate_of(slider, 0)});
  assembly.add("load", AxialForce{ConstantEffort{-load}}, {coordinate_of(knee, 1)});
  return assembly.build();
}

/// Finds the states at rest, the forces in the bars, and the load at which the toggle snaps through.
int main() try {
  // V = k s^2 / 2 + P sin(angle), s = 2 (cos(angle) - cos(at rest)): the load of balance is largest where cos^3 = cos
  const double critical_angle = std::acos(std::cbrt(std::cos(at_rest)));
  const double critical = 4.0 * stiffness * (std::cos(critical_angle) - std::cos(at_rest)) * std::tan(critical_angle);
  bool good = true;
  for (const double share : {0.5, 0.99, 1.01}) {
    const double load = share * critical;
    const auto system = toggle(load);
    const double x = std::cos(at_rest), y = std::sin(at_rest);
    EquilibriumOptions options;
    options.starts = 40;  // the one given, and random ones about it
    const std::vector<Equilibrium> all = static_equilibria(system, {0.0, Eigen::Vector4d(x, y, 2.0 * x, 0.0)}, options);
    std::printf("load %.4f N, %.0f %% of the load of snapping: %zu equilibria\n", load, 100.0 * share, all.size());
    bool up = false;  // is there still a stable one above the line of the pins?
    for (const Equilibrium& found : all) {
      const double angle = std::atan2(found.state.q[1], found.state.q[0]);
      double bar = 0.0;
      for (const JointForce& force : joint_forces(system, 0.0, found.state.q, found.state.v, found.state.lambda)) {
        if (force.joint == "left bar") bar = force.force.norm();
      }
      const Mode& slowest = found.modes.modes.front();
      std::printf("  bars at %8.3f deg bear %8.4f N, %s, %s%.4g\n", angle * 180.0 / std::acos(-1.0), bar,
                  to_string(found.modes.stability),
                  slowest.frequency > 0.0 ? "slowest frequency [Hz] " : "grows with [1/s] ",
                  slowest.frequency > 0.0 ? slowest.frequency : std::abs(slowest.eigenvalue.real()));
      good = good && std::abs(bar - load / (2.0 * std::abs(std::sin(angle)))) < 1e-6 * bar;
      if (angle > 0.0 && angle < 1.5) {
        up = up || found.modes.stability == Stability::stable;
        const double balance = 4.0 * stiffness * (std::cos(angle) - std::cos(at_rest)) * std::tan(angle);
        good = good && std::abs(balance - load) < 1e-6 * critical;
      }
    }
    good = good && up == (share < 1.0);
    if (!all.empty() && share == 0.5) write_html(all, system, "toggle.html", "a toggle at half of its load");
  }
  return good ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
