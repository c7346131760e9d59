#include <boost/test/unit_test.hpp>

#include <algorithm>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/simulation/simulate.hpp>

/// A start that was moved far says so, wherever the origin lies.
using namespace sunlagrange;

namespace {

/// A rod of 1 m that falls about a pin at (x, 0), 0.3 s; its centre is given `off` too far away.
Simulation fall(double x, double off) {
  Assembly assembly;
  const Block rod = assembly.add_coordinates("rod", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{1.0, 1.0 / 12.0}, {rod});
  assembly.add("weight", UniformGravity{1.0}, {centre_of(rod)});
  assembly.add("pin", RevoluteToGround{-0.5, 0.0, x, 0.0}, {rod});
  SimulationOptions options;
  options.t_end = 0.3;
  return simulate(assembly.build(), {0.0, Eigen::Vector3d(x + 0.5 + off, 0.0, 0.0), {}}, options);
}

bool doubted(const Simulation& run) {
  return std::any_of(run.status.doubts.begin(), run.status.doubts.end(), [](const Doubt& d) {
    return d.kind == DoubtKind::start_moved && d.text.find("rod") != std::string::npos;
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_origin_does_not_hide_a_start_that_was_moved) {
  for (const double x : {0.0, 1.0, 30.0, 100.0, -1000.0}) {
    const Simulation wrong = fall(x, 3.5), right = fall(x, 0.0), rounded = fall(x, 1e-3);
    BOOST_REQUIRE_MESSAGE(wrong.status.finished(), wrong.status.message);
    BOOST_TEST(doubted(wrong), x);
    BOOST_TEST(right.status.beyond_doubt(), x << ": " << right.status.message);
    BOOST_TEST(rounded.status.beyond_doubt(), x << ": " << rounded.status.message);
  }
}
