// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/model/rescaled_system.hpp>

#include "gains/motion_rate.hpp"
#include "gains/row_inertia.hpp"

/// What automatic gains and an automatic Lambda make of parts that weigh nothing beside the others, and of springs and
/// dampers that are far stiffer than the motion is fast.
using namespace sunlagrange;
using namespace sunlagrange::internal;

namespace {

struct Problem {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;

  MotionState state() const { return consistent_state(system, start).state; }
  double rate(double t_span = 10.0) const { return motion_rate(system, state(), t_span, {}); }
};

/// A bob of 1 kg on a rod of 1 m that hangs on a cart; both move along the rail with 1 m/s.
Problem cart_with_bob(double cart_mass) {
  Assembly assembly;
  const Block cart = assembly.add_coordinates("cart", BlockKind::planar_point);
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("cart mass", PointMass{cart_mass}, {cart});
  assembly.add("bob mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rail", PrescribedCoordinate{Harmonic{0.0, 0.0, 1.0, 0.0}}, {coordinate_of(cart, 1)});
  assembly.add("rod", Distance{1.0}, {cart, bob});
  InitialState start;
  start.q = Eigen::Vector4d(0.0, 0.0, std::sin(1.0), -std::cos(1.0));
  start.v = Eigen::Vector4d(1.0, 0.0, 1.0, 0.0);
  return {assembly.build(), start};
}

/// Rods of 1 m, pinned to the ground and to each other, released at rest in a horizontal line. `between` is called with
/// the assembly and the last two rods.
template <class Between>
Problem rods(const std::vector<double>& masses, Between&& between) {
  Assembly assembly;
  std::vector<Block> blocks;
  InitialState start;
  const auto count = static_cast<Eigen::Index>(masses.size());
  start.q = Eigen::VectorXd::Zero(3 * count);
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const std::string number = std::to_string(k);
    const Block rod = assembly.add_coordinates("rod" + number, BlockKind::planar_body);
    assembly.add("inertia" + number, PlanarRigidBody{masses[k], masses[k] / 12.0}, {rod});
    assembly.add("weight" + number, UniformGravity{masses[k]}, {centre_of(rod)});
    if (k == 0) {
      assembly.add("pin0", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {rod});
    } else {
      assembly.add("pin" + number, Revolute{0.5, 0.0, -0.5, 0.0}, {blocks.back(), rod});
    }
    start.q[3 * static_cast<Eigen::Index>(k)] = 0.5 + static_cast<double>(k);
    blocks.push_back(rod);
  }
  between(assembly, blocks[blocks.size() - 2], blocks.back());
  return {assembly.build(), start};
}

Problem rods(const std::vector<double>& masses) {
  return rods(masses, [](Assembly&, const Block&, const Block&) {});
}

/// A spring of 24 krad/s and a damper that let two rods swing as one.
Problem stiff_rods(double damping_ratio) {
  constexpr double omega = 24e3;
  return rods({1.0, 1.0}, [&](Assembly& assembly, const Block& first, const Block& second) {
    const std::vector<Block> angles = {coordinate_of(first, 2), coordinate_of(second, 2)};
    assembly.add("spring", TorsionSpring{omega * omega / 12.0, 0.0}, angles);
    if (damping_ratio > 0.0) assembly.add("damper", RotationalDamper{2.0 * damping_ratio * omega / 12.0}, angles);
  });
}

/// How the same mechanism is written.
struct Writing {
  double length = 1.0, mass = 1.0;  ///< units: the number of a length of 1 m, of a mass of 1 kg
  bool doubled = false;             ///< the pin twice
  bool reversed = false;            ///< the last element first
};

/// A rod of 1 kg and 1 m, pinned to a light point; turning freely, or on a cart on a rail, released at rest.
Problem rod_with_light_point(double light, bool on_rail, const Writing& w = {}) {
  Assembly assembly;
  const Block rod = assembly.add_coordinates("rod", BlockKind::planar_body);
  const Block point = assembly.add_coordinates("point", BlockKind::planar_point);
  const double L = w.length;
  const auto pin = [&](const char* name) {
    assembly.add(name, Coincidence<OnBody, AtPoint>{OnBody{-0.5 * L, 0.0}, AtPoint{}}, {rod, point});
  };
  const auto rail = [&] {
    if (on_rail) assembly.add("rail", PrescribedCoordinate{Harmonic{0.0, 0.0, 1.0, 0.0}}, {coordinate_of(point, 1)});
  };
  if (!w.reversed) pin("pin");
  rail();
  if (w.reversed) pin("pin");
  if (w.doubled) pin("pin again");
  assembly.add("mass of rod", PlanarRigidBody{w.mass, w.mass * L * L / 12.0}, {rod});
  assembly.add("mass of point", PointMass{light * w.mass}, {point});
  if (on_rail) assembly.add("weight", UniformGravity{w.mass, 0.0, -9.81 * L}, {centre_of(rod)});
  InitialState start;
  const double angle = 0.3, rate = on_rail ? 0.0 : 5.0;
  start.q = Eigen::VectorXd::Zero(5);
  start.v = Eigen::VectorXd::Zero(5);
  start.q << 0.5 * L * std::cos(angle), 0.5 * L * std::sin(angle), angle, 0.0, 0.0;
  start.v << 0.0, 0.0, rate, 0.5 * L * std::sin(angle) * rate, -0.5 * L * std::cos(angle) * rate;
  return {assembly.build(), start};
}

Simulation run(const Problem& problem, const char* formulation, double tolerance, double t_end, const Gains& gains = {},
               long max_steps = 100000) {
  SimulationOptions options;
  options.formulation = formulation;
  options.rtol = options.atol = tolerance;
  options.t_end = t_end;
  options.gains = gains;
  options.max_steps = max_steps;
  return simulate(problem.system, problem.start, options);
}

Eigen::VectorXd end_of(const Simulation& run) {
  return run.trajectory.q(run.trajectory.size() - 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_rate_of_the_motion_does_not_follow_the_mass_of_a_light_part) {
  const double swing = std::sqrt(9.81);
  for (const double mass : {1.0, 1e-2, 1e-4, 1e-6}) {
    const std::pair<const char*, Problem> problems[] = {{"light cart", cart_with_bob(mass)},
                                                        {"light inner rod", rods({mass, 1.0})},
                                                        {"light outer rod", rods({1.0, mass})},
                                                        {"light rod between", rods({1.0, mass, 1.0})}};
    for (const auto& [name, problem] : problems) {
      const double rate = problem.rate();
      BOOST_TEST(rate < 3.0 * swing, name << ", " << mass << " kg: " << rate);
      BOOST_TEST(swing < 3.0 * rate, name << ", " << mass << " kg: " << rate);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_heavy_part_that_turns_freely_sets_the_rate_whatever_it_carries) {
  for (const bool on_rail : {false, true}) {
    const double turning = on_rail ? std::sqrt(9.81) : 5.0;
    const double massless = rod_with_light_point(1e-9, on_rail).rate();
    for (const double light : {1e-2, 1e-4, 1e-6}) {
      const double rate = rod_with_light_point(light, on_rail).rate();
      BOOST_TEST(rate < 3.0 * turning, light << " kg: " << rate);
      BOOST_TEST(turning < 3.0 * rate, light << " kg: " << rate);
      BOOST_TEST(std::abs(rate - massless) < 3.0 * light * massless, light << " kg: " << rate << ", " << massless);
    }
  }
}

BOOST_AUTO_TEST_CASE(rate_and_row_inertias_do_not_depend_on_how_the_mechanism_is_written) {
  for (const bool on_rail : {false, true}) {
    for (const double light : {1.0, 1e-3, 1e-6}) {
      const Problem plain = rod_with_light_point(light, on_rail);
      const double rate = plain.rate();
      const double least = row_inertias(plain.system, plain.state(), {}).values.minCoeff();
      BOOST_TEST_CONTEXT(light << " kg" << (on_rail ? ", on a rail" : "")) {
        for (const Writing& w : {Writing{1e3, 1e3}, Writing{1e-3, 1e-6}, Writing{1.0, 1.0, false, true}}) {
          const Problem other = rod_with_light_point(light, on_rail, w);
          BOOST_TEST(std::abs(other.rate() - rate) < 1e-6 * rate);
          const double same = row_inertias(other.system, other.state(), {}).values.minCoeff() / w.mass;
          BOOST_TEST(std::abs(same - least) < 1e-6 * least);  // rows of lengths: an inertia is a mass
        }
        BOOST_TEST(std::abs(rod_with_light_point(light, on_rail, {1.0, 1.0, true}).rate() - rate) < 1e-6 * rate);
        UnitFactors factors;  // mm, g, the angle in rad; rows in mm
        factors.position = 1e3 * Eigen::VectorXd::Ones(5);
        factors.position[2] = 1.0;
        factors.row = 1e3;
        factors.energy = 1e9;
        const InitialState start{0.0, plain.start.q.cwiseProduct(factors.position),
                                 plain.start.v.cwiseProduct(factors.position)};
        const Problem other{rescaled(plain.system, factors), start};
        BOOST_TEST(std::abs(other.rate() - rate) < 1e-6 * rate);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_light_part_costs_no_more_steps_than_a_heavy_one) {
  for (const char* form : {"baumgarte", "penalty", "augmented_lagrangian", "index1"}) {
    for (const bool on_rail : {false, true}) {
      const long steps = run(rod_with_light_point(1.0, on_rail), form, 1e-6, 2.0).report.steps;
      for (const double light : {1e-2, 1e-4, 1e-6}) {
        const Simulation same = run(rod_with_light_point(light, on_rail), form, 1e-6, 2.0, {}, 3 * steps);
        BOOST_TEST(same.status.has_no_doubts(), form << ", " << light << " kg: " << same.status.message);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_rate_of_the_motion_is_that_of_the_swing_not_of_stiff_springs) {
  const double swing = rods({1.0, 1.0}).rate();
  for (const double damping_ratio : {0.0, 0.05, 2.0}) {
    const double rate = stiff_rods(damping_ratio).rate();
    BOOST_TEST(rate < 3.0 * swing, "damping ratio " << damping_ratio << ": " << rate);
    BOOST_TEST(swing < 3.0 * rate, "damping ratio " << damping_ratio << ": " << rate);
  }
}

BOOST_AUTO_TEST_CASE(a_fast_pendulum_among_slow_ones_is_seen) {
  // A rod of 1 mm beside one of 1 m, both released from the horizontal: no spring is stiff here, the short one turns.
  Assembly assembly;
  InitialState start;
  start.q.resize(4);
  for (const double length : {1.0, 1e-3}) {
    const std::string name = "bob " + std::to_string(length);
    const Block bob = assembly.add_coordinates(name, BlockKind::planar_point);
    assembly.add(name + " mass", PointMass{1.0}, {bob});
    assembly.add(name + " weight", UniformGravity{1.0}, {bob});
    assembly.add(name + " rod", DistanceToGround{0.0, 0.0, length}, {bob});
  }
  start.q << 1.0, 0.0, 1e-3, 0.0;
  const Problem problem{assembly.build(), start};
  const double expected = std::sqrt(9.81 / 1e-3);
  BOOST_TEST(problem.rate() < 3.0 * expected);
  BOOST_TEST(expected < 3.0 * problem.rate());
}

BOOST_AUTO_TEST_CASE(index1_with_automatic_gains_takes_no_more_steps_over_stiff_modes_than_with_fixed_ones) {
  for (const double damping_ratio : {0.05, 2.0}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const Problem problem = stiff_rods(damping_ratio);
      const Simulation fixed = run(problem, "index1", tolerance, 0.5, Gains::natural_frequency(10.0, 1.0));
      BOOST_REQUIRE(fixed.status.finished());
      const long allowed = 2 * fixed.report.steps;
      const Simulation automatic = run(problem, "index1", tolerance, 0.5, {}, allowed);
      BOOST_TEST(automatic.status.finished(),
                 "damping ratio " << damping_ratio << ", tolerance " << tolerance << ": " << automatic.status.message);
    }
  }
}

BOOST_AUTO_TEST_CASE(penalty_is_as_right_as_baumgarte_with_a_light_part_or_says_so) {
  // The light rod lies along the line at first, where it bears nothing across; as it turns it has to bear the others.
  for (const double mass : {1e-2, 1e-4, 1e-6}) {
    for (const Problem& problem : {rods({mass, 1.0}), rods({1.0, mass, 1.0})}) {
      const Simulation reference = run(problem, "projected", 1e-10, 2.0);
      BOOST_REQUIRE(reference.status.finished());
      const auto error = [&](const Simulation& other) {
        return (end_of(other) - end_of(reference)).lpNorm<Eigen::Infinity>();
      };
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        const double baumgarte = error(run(problem, "baumgarte", tolerance, 2.0));
        for (const char* form : {"penalty", "augmented_lagrangian"}) {
          const Simulation soft = run(problem, form, tolerance, 2.0);
          const bool trusted = soft.status.finished() && soft.status.doubts.empty();
          BOOST_TEST((!trusted || error(soft) < 5.0 * (baumgarte + tolerance)), form << ", " << mass << " kg, "
                                                                                     << tolerance << ": " << error(soft)
                                                                                     << ", baumgarte " << baumgarte);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(row_inertias_are_those_behind_the_rows) {
  // One row: 1 / (G M^-1 G^T). A heavy bob on a light rod: no row may be softer than the bob asks for.
  const Problem cart = cart_with_bob(1.0);
  const Eigen::VectorXd both = row_inertias(cart.system, cart.state(), {}).values;
  BOOST_TEST(both.minCoeff() > 0.5);
  BOOST_TEST(both.maxCoeff() < 4.0);
  for (const double mass : {1e-2, 1e-4, 1e-6}) {
    // a row that bears nothing at the start may come to bear the heaviest part that it joins
    const Problem light_cart = cart_with_bob(mass);
    BOOST_TEST(row_inertias(light_cart.system, light_cart.state(), {}).values.minCoeff() > 0.5);
    const Problem problem = rods({mass, 1.0});
    BOOST_TEST(row_inertias(problem.system, problem.state(), {}).values.minCoeff() > 0.1);
    // in g and mm: J s^2 / m^2 are the same number of mJ s^2 / mm^2 ... times the unit of the mass
    const Problem heavier = rods({1e3 * mass, 1e3});
    const Eigen::VectorXd ratio = row_inertias(heavier.system, heavier.state(), {})
                                      .values.cwiseQuotient(row_inertias(problem.system, problem.state(), {}).values);
    BOOST_TEST((ratio.array() - 1e3).abs().maxCoeff() < 1e-6 * 1e3);
  }
}
