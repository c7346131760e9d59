// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Dry friction against closed forms of Coulomb's law, with what the smoothing may change.
using namespace sunlagrange;

namespace {

constexpr double g = 9.81;
constexpr double pi = 3.14159265358979323846;

struct Way {
  const char* formulation;
  const char* integrator;
};
constexpr Way ways[] = {{"baumgarte", "cvode_bdf"}, {"ggl", "ida"}, {"ggl", "radau"}, {"projected", "dopri5"}};

SimulationOptions options_of(const Way& way, double t_end, double tolerance = 1e-8) {
  SimulationOptions options;
  options.formulation = way.formulation;
  options.integrator = way.integrator;
  options.rtol = options.atol = tolerance;
  options.t_end = t_end;
  return options;
}

/// A block of 2 kg that is pulled by a force.
std::shared_ptr<const MechanicalSystem> pulled_block(double friction, double v_r, double pull) {
  Assembly assembly;
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  assembly.add("mass", SlidingMass{2.0}, {x});
  assembly.add("friction", AxialFrictionToGround{friction, v_r}, {x});
  assembly.add("pull", AxialForce{ConstantEffort{pull}}, {x});
  return assembly.build();
}

InitialState moving(double v) {
  return {0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, v)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sliding_block_stops_where_coulomb_says) {
  constexpr double mu = 0.3, N = 2.0 * g, v0 = 1.5;
  constexpr double stop = v0 * v0 / (2.0 * mu * g);
  for (const Way& way : ways) {
    for (const double v_r : {1e-2, 1e-3}) {
      BOOST_TEST_CONTEXT(way.formulation << " " << way.integrator << ", v_r = " << v_r) {
        const auto system = pulled_block(mu * N, v_r, 0.0);
        const Simulation run = simulate(system, moving(v0), options_of(way, 1.0));
        BOOST_TEST(run.status.has_no_doubts(), run.report.text(run.status));
        // exact: the integral of v (coth(v / v_r) - 1) over v is (pi v_r)^2 / 12 in addition to v0^2 / 2
        const double s = run.trajectory.position_at(1.0)[0];
        const double smoothed = stop + std::pow(pi * v_r, 2) / (12.0 * mu * g);
        BOOST_TEST(std::abs(s - smoothed) < 1e-6);
        const EnergyBalance balance = energy_balance(run.trajectory, system);
        BOOST_TEST(std::abs(balance.element("friction").dissipated - 0.5 * 2.0 * v0 * v0) < 1e-5);
        BOOST_TEST(std::abs(balance.element("friction").dissipated - mu * N * stop) < 1e-5);
        BOOST_TEST(balance.closure < 1e-5);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_load_below_the_friction_creeps_as_the_smoothing_allows) {
  constexpr double F = 6.0;
  for (const double share : {0.0, 0.5, 0.9, -0.5}) {
    for (const double v_r : {1e-2, 1e-4}) {
      BOOST_TEST_CONTEXT("load " << share << " F, v_r = " << v_r) {
        const Simulation run =
            simulate(pulled_block(F, v_r, share * F), moving(0.0), options_of({"baumgarte", "cvode_bdf"}, 10.0, 1e-9));
        BOOST_TEST(run.status.finished());
        BOOST_TEST(run.status.has_no_doubts() == (share == 0.0), run.report.text(run.status));
        const double creep = v_r * std::atanh(share);
        BOOST_TEST(std::abs(run.trajectory.velocity_at(10.0)[0] - creep) < 1e-5 * v_r + 1e-9);
        BOOST_TEST(std::abs(run.trajectory.position_at(10.0)[0]) <= 10.0 * std::abs(creep) + 1e-8);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(above_the_friction_the_rest_accelerates) {
  const Simulation run =
      simulate(pulled_block(6.0, 1e-4, 10.0), moving(0.0), options_of({"baumgarte", "cvode_bdf"}, 2.0));
  BOOST_TEST(std::abs(run.trajectory.velocity_at(2.0)[0] - 4.0) < 1e-4);  // 4 N on 2 kg
}

BOOST_AUTO_TEST_CASE(friction_between_two_sliders_keeps_their_momentum) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::translation);
  const Block b = assembly.add_coordinates("b", BlockKind::translation);
  assembly.add("mass a", SlidingMass{1.0}, {a});
  assembly.add("mass b", SlidingMass{3.0}, {b});
  assembly.add("friction", AxialFriction{2.0, 1e-3}, {a, b});
  const auto system = assembly.build();
  const Simulation run = simulate(system, {0.0, Eigen::Vector2d::Zero(), Eigen::Vector2d(4.0, 0.0)},
                                  options_of({"baumgarte", "cvode_bdf"}, 3.0));
  BOOST_TEST(run.status.has_no_doubts());
  const Eigen::VectorXd v = run.trajectory.velocity_at(3.0);
  BOOST_TEST(std::abs(v[0] - 1.0) < 1e-5);  // together from m v / (m + M) on
  BOOST_TEST(std::abs(v[1] - 1.0) < 1e-5);
  BOOST_TEST(std::abs(energy_balance(run.trajectory, system).element("friction").dissipated - 6.0) < 1e-5);
}

BOOST_AUTO_TEST_CASE(a_bearing_takes_the_same_energy_from_every_turn) {
  Assembly assembly;
  const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
  assembly.add("wheel", Flywheel{0.5}, {shaft});
  assembly.add("bearing", RotationalFrictionToGround{0.2, 1e-2}, {shaft});
  const auto system = assembly.build();
  const Simulation run = simulate(system, moving(10.0), options_of({"baumgarte", "cvode_bdf"}, 30.0));
  BOOST_TEST(run.status.has_no_doubts());
  const double phi = run.trajectory.position_at(30.0)[0];
  BOOST_TEST(std::abs(phi - 0.5 * 0.5 * 100.0 / 0.2) < 1e-3);
  for (std::size_t k = 0; k < run.trajectory.size(); ++k) {
    const double w = run.trajectory.v(k)[0];
    if (w > 0.1) BOOST_TEST(std::abs(0.25 * w * w - (25.0 - 0.2 * run.trajectory.q(k)[0])) < 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(a_point_slides_down_a_slope_as_on_an_inclined_plane) {
  constexpr double slope = 0.5, m = 2.0, t = 1.2;
  for (const double mu : {0.0, 0.2, 0.8}) {  // tan(0.5) = 0.546
    for (const Way& way : ways) {
      BOOST_TEST_CONTEXT(way.formulation << " " << way.integrator << ", mu = " << mu) {
        const double k = 1e5, depth = m * g * std::cos(slope) / k;
        SurfaceContact<> contact;
        contact.y = 0.0;
        contact.angle = -slope;
        contact.k = k;
        contact.d = 5.0;
        contact.mu = mu;
        Assembly assembly;
        const Block p = assembly.add_coordinates("p", BlockKind::planar_point);
        assembly.add("mass", PointMass{m}, {p});
        assembly.add("weight", UniformGravity{m}, {p});
        assembly.add("slope", contact, {p});
        const auto system = assembly.build();
        const Eigen::Vector2d along(std::cos(slope), -std::sin(slope)), up(std::sin(slope), std::cos(slope));
        const Simulation run = simulate(system, {0.0, -depth * up, {}}, options_of(way, t, 1e-7));
        BOOST_TEST(run.status.has_no_doubts() == (mu < std::tan(slope)), run.report.text(run.status));
        const Eigen::VectorXd q = run.trajectory.position_at(t);
        BOOST_TEST(std::abs(q.dot(up) + depth) < 1e-5);
        const double pull = std::sin(slope) - mu * std::cos(slope);
        const double way_down = pull > 0.0 ? 0.5 * g * pull * t * t : 0.0;
        const double creep = 1e-3 * std::atanh(std::min(0.99, std::tan(slope) / std::max(mu, 0.6))) * t;
        BOOST_TEST(std::abs(q.dot(along) - way_down) < (pull > 0.0 ? 2e-3 : creep + 1e-4));
        BOOST_TEST(energy_balance(run.trajectory, system).closure < 1e-3);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_point_that_falls_onto_a_surface_comes_back_with_what_damping_leaves) {
  for (const double d : {0.0, 0.1}) {
    SurfaceContact<> contact;
    contact.y = 0.0;
    contact.k = 1e4;
    contact.d = d;
    Assembly assembly;
    const Block p = assembly.add_coordinates("p", BlockKind::planar_point);
    assembly.add("mass", PointMass{1.0}, {p});
    assembly.add("weight", UniformGravity{1.0}, {p});
    assembly.add("floor", contact, {p});
    const auto system = assembly.build();
    const Simulation run = simulate(system, {0.0, Eigen::Vector2d(0.0, 1.0), {}}, options_of(ways[0], 0.8));
    BOOST_TEST(run.status.has_no_doubts(), run.report.text(run.status));
    const double height = run.trajectory.position_at(0.8)[1];
    const double speed = run.trajectory.velocity_at(0.8)[1];
    const double energy = g * height + 0.5 * speed * speed;
    if (d == 0.0)
      BOOST_TEST(std::abs(energy - g) < 1e-5 * g);
    else
      BOOST_TEST(energy < 0.9 * g);
    BOOST_TEST(height > 0.0);
    BOOST_TEST(std::abs(run.trajectory.position_at(0.8)[0]) < 1e-12);
    BOOST_TEST(std::abs(energy_balance(run.trajectory, system).element("floor").dissipated - (g - energy)) < 1e-4);
  }
}
