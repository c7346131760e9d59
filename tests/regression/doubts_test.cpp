#include <boost/test/unit_test.hpp>

#include <algorithm>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar.hpp>

#include "runs.hpp"

/// A run that reached its end and is wrong says so; one that is right does not.
using namespace sunlagrange;
using Eigen::VectorXd;
using mechanisms::find_mechanism;

namespace {

bool doubted(const Simulation& run, DoubtKind kind) {
  return std::any_of(run.status.doubts.begin(), run.status.doubts.end(),
                     [kind](const Doubt& d) { return d.kind == kind && d.value > d.allowed && !d.text.empty(); });
}

std::string kinds(const Simulation& run) {
  std::string all;
  for (const Doubt& d : run.status.doubts) all += std::string(to_string(d.kind)) + " ";
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(right_runs_are_beyond_doubt) {
  for (const char* name : {"pendulum", "andrews", "slider_crank", "car_axis", "knife_edge", "two_link", "nikravesh"}) {
    const auto mechanism = find_mechanism(name).make(0);
    for (const char* formulation : {"baumgarte", "ggl", "projected", "penalty"}) {
      SimulationOptions options = test::options_of(mechanism, formulation, "automatic", 1e-6);
      const Simulation run = simulate(mechanism.system, mechanism.start, options);
      BOOST_TEST_CONTEXT(name << ", " << formulation << ": " << kinds(run)) {
        BOOST_TEST(run.status.finished());
        BOOST_TEST(run.status.beyond_doubt());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_drifting_form_says_that_it_has_drifted) {
  const auto mechanism = find_mechanism("pendulum").make(0);
  const Simulation run =
      simulate(mechanism.system, mechanism.start, test::options_of(mechanism, "unstabilized", "cvode_bdf", 1e-4));
  BOOST_REQUIRE(run.status.finished());
  BOOST_TEST(test::end_error(mechanism, run) > 0.1);
  BOOST_TEST(doubted(run, DoubtKind::position_violation));
  BOOST_TEST(!run.status.beyond_doubt());
  BOOST_TEST(run.report.text(run.status).find("doubt: ") != std::string::npos);
}

// Ten four-bars fold together about every half second. "All smoothly" is said of the run that stays on its branch, not
// of one that loses its energy there, whatever its velocities look like on both sides.
BOOST_AUTO_TEST_CASE(smooth_passages_keep_the_energy) {
  const auto mechanism = find_mechanism("n_four_bar").make(10);
  const auto run = [&](const char* formulation, const char* integrator, double tolerance) {
    SimulationOptions options = test::options_of(mechanism, formulation, integrator, tolerance);
    options.t_end = 4.0;
    return simulate(mechanism.system, mechanism.start, options);
  };
  const Simulation right = run("projected", "dopri5", 1e-7);
  BOOST_TEST(right.status.finished(), right.status.message);
  BOOST_TEST(right.status.message.find("all smoothly") != std::string::npos, right.status.message);
  for (const RankEvent& e : right.report.rank_events) BOOST_TEST(e.energy_error < 1e-4);
  const Simulation lost = run("penalty", "cvode_bdf", 1e-6);
  BOOST_TEST(test::end_error(mechanism, lost) > 0.1);
  BOOST_TEST(to_string(lost.status.outcome) == std::string("uncertain_branch"));
  BOOST_TEST(lost.status.message.find("all smoothly") == std::string::npos, lost.status.message);
  BOOST_TEST(lost.status.message.find("penalty") == std::string::npos, "advises what is in use");
  BOOST_TEST(std::any_of(lost.report.rank_events.begin(), lost.report.rank_events.end(),
                         [](const RankEvent& e) { return e.energy_error > 1e-2; }));
}

// A stiffness that holds the inner rod, but not one 1e6 times heavier that hangs on it.
BOOST_AUTO_TEST_CASE(a_penalty_that_is_too_soft_is_doubted) {
  const double heavy = 1e6;
  Assembly assembly;
  const Block inner = assembly.add_coordinates("inner", BlockKind::planar_body);
  const Block outer = assembly.add_coordinates("outer", BlockKind::planar_body);
  assembly.add("inertia of the inner", PlanarRigidBody{1.0, 1.0 / 12.0}, {inner});
  assembly.add("inertia of the outer", PlanarRigidBody{heavy, heavy / 12.0}, {outer});
  assembly.add("weight of the outer", UniformGravity{heavy}, {centre_of(outer)});
  assembly.add("pin", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {inner});
  assembly.add("hinge", Revolute{0.5, 0.0, -0.5, 0.0}, {inner, outer});
  VectorXd q(6);
  q << 0.5, 0.0, 0.0, 1.5, 0.0, 0.0;
  SimulationOptions options;
  options.formulation = "penalty";
  options.gains.Lambda = Gain(1e8);
  const Simulation run = simulate(assembly.build(), {0.0, q, {}}, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  BOOST_TEST(run.report.max_position_violation > 1e-3);
  BOOST_TEST(doubted(run, DoubtKind::position_violation), kinds(run));
  BOOST_TEST(run.report.text(run.status).find("Lambda may be too soft") != std::string::npos);
}

// A cart that hardly weighs anything bears nothing while the rod under it lies level, and the whole bob a moment later:
// the Lambda of the start is too soft there, at every tolerance.
BOOST_AUTO_TEST_CASE(a_lambda_that_the_motion_outgrows_is_doubted) {
  for (const double mass : {1e-6, 1e-8}) {
    Assembly assembly;
    const Block cart = assembly.add_coordinates("cart", BlockKind::planar_point);
    const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
    assembly.add("mass of cart", PointMass{mass}, {cart});
    assembly.add("mass of bob", PointMass{1.0}, {bob});
    assembly.add("weight", UniformGravity{1.0}, {bob});
    assembly.add("rail", PrescribedCoordinate{Harmonic{0.0, 0.0, 1.0, 0.0}}, {coordinate_of(cart, 1)});
    assembly.add("rod", Distance{1.0}, {cart, bob});
    const auto system = assembly.build();
    const InitialState start{0.0, Eigen::Vector4d(0.0, 0.0, 1.0, 0.0), {}};
    const auto run_with = [&](const char* formulation, double tolerance) {
      SimulationOptions options;
      options.formulation = formulation;
      options.rtol = options.atol = tolerance;
      options.max_steps = 20000;
      return simulate(system, start, options);
    };
    for (const double tolerance : {1e-6, 1e-8}) {
      const Simulation exact = run_with("baumgarte", tolerance), soft = run_with("penalty", tolerance);
      BOOST_TEST_CONTEXT(mass << " kg, " << tolerance) {
        BOOST_TEST(exact.status.beyond_doubt(), kinds(exact));
        BOOST_TEST(exact.report.relative_violation < 0.1 * soft.report.relative_violation);
        BOOST_TEST(doubted(soft, DoubtKind::position_violation), kinds(soft));
        BOOST_TEST(soft.report.text(soft.status).find("chosen for the loads of the start") != std::string::npos);
      }
    }
  }
}

// The constraints hold to rounding whatever the error: only the energy shows it.
BOOST_AUTO_TEST_CASE(a_long_run_that_is_too_loose_is_doubted) {
  const auto mechanism = find_mechanism("cv_pendulum").make(0);
  const Simulation run = simulate(mechanism.system, mechanism.start,
                                  test::options_of(mechanism, "coordinate_partitioning", "cvode_bdf", 1e-4));
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  BOOST_TEST(test::end_error(mechanism, run) > 0.1);
  BOOST_TEST(doubted(run, DoubtKind::energy_balance), kinds(run));
  BOOST_TEST(!doubted(run, DoubtKind::position_violation));
}

BOOST_AUTO_TEST_CASE(a_start_that_ends_elsewhere_is_doubted) {
  const auto mechanism = find_mechanism("pendulum").make(0);
  InitialState start = mechanism.start;
  start.q *= 2.5;  // a slip of a digit: the consistent start is back on the circle
  SimulationOptions options = test::options_of(mechanism, "baumgarte", "automatic", 1e-6);
  options.start = Start::consistent;
  const Simulation run = simulate(mechanism.system, start, options);
  BOOST_REQUIRE(run.status.finished());
  BOOST_TEST(doubted(run, DoubtKind::start_moved), kinds(run));
}
