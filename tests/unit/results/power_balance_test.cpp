// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>
#include <set>
#include <string>

#include <sunlagrange/elements/coordinate/prescribed.hpp>
#include <sunlagrange/elements/network/gyrator.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/network/resistance.hpp>
#include <sunlagrange/elements/network/source.hpp>
#include <sunlagrange/elements/planar/body.hpp>
#include <sunlagrange/elements/planar/linear_damper.hpp>

#include "model/evaluation.hpp"
#include "models.hpp"
#include "runs.hpp"

/// Power and energy balances: sums that must vanish, and parts of powers against energies, for every mechanism.
using namespace sunlagrange;
using Eigen::VectorXd;
using mechanisms::find_mechanism;
using mechanisms::Mechanism;
using mechanisms::mechanism_registry;

namespace {

constexpr int size = 3;

/// A consistent state near the start of a mechanism; size of the disturbance: a few percent.
MotionState disturbed_state(const Mechanism& mechanism, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-0.05, 0.05);
  InitialState given = mechanism.start;
  given.t += 0.3 * std::abs(uniform(random));
  if (given.v.size() == 0) given.v = VectorXd::Zero(given.q.size());
  const double q_size = given.q.lpNorm<Eigen::Infinity>() + 0.1;
  for (double& x : given.q) x += q_size * uniform(random);
  for (double& x : given.v) x += 10.0 * uniform(random);
  const ConsistentState state = consistent_state(mechanism.system, given);
  BOOST_REQUIRE(state.report.feasible);
  BOOST_REQUIRE(state.report.accelerations_known);
  return state.state;
}

double energy_of(const MechanicalSystem& system, int element, const MotionState& s, double h) {
  const VectorXd q = s.q + h * s.v + 0.5 * h * h * s.a, v = s.v + h * s.a;
  internal::ElementTerms terms;
  BOOST_REQUIRE(element_terms(system, element, s.t + h, q.data(), v.data(), terms));
  return terms.energy;
}

}  // namespace

BOOST_AUTO_TEST_CASE(powers_and_efforts_sum_to_zero_in_every_mechanism) {
  for (const auto& entry : mechanism_registry()) {
    const Mechanism mechanism = entry.make(size);
    if (mechanism.system->first_order()) continue;
    for (unsigned seed = 1; seed <= 5; ++seed) {
      BOOST_TEST_CONTEXT(entry.name << ", seed " << seed) {
        const PowerBalance b = power_balance(*mechanism.system, disturbed_state(mechanism, seed));
        BOOST_REQUIRE(b.status.finished());
        BOOST_TEST(b.magnitude > 0.0);
        BOOST_TEST(std::abs(b.sum) < 1e-9 * b.magnitude);
        for (Eigen::Index i = 0; i < b.effort_sum.size(); ++i)
          BOOST_TEST(std::abs(b.effort_sum[i]) <= 1e-9 * b.effort_size.maxCoeff());
        BOOST_TEST(std::abs(b.stored + b.dissipated - b.supplied - b.prescribed + b.unassigned - b.sum) <
                   1e-12 * b.magnitude);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_state_that_is_not_consistent_shows) {
  const Mechanism mechanism = find_mechanism("dc_motor_slider_crank").make(0);
  MotionState s = disturbed_state(mechanism, 1);
  s.a *= 1.01;
  const PowerBalance b = power_balance(*mechanism.system, s);
  BOOST_TEST(std::abs(b.sum) > 1e-6 * b.magnitude);
}

BOOST_AUTO_TEST_CASE(stored_power_is_the_rate_of_the_energy_of_each_element) {
  const double h = 1e-5;
  int compared = 0;
  for (const auto& entry : mechanism_registry()) {
    const Mechanism mechanism = entry.make(size);
    if (mechanism.system->first_order()) continue;
    const MotionState s = disturbed_state(mechanism, 2);
    const PowerBalance b = power_balance(*mechanism.system, s);
    for (int e = 0; e < mechanism.system->num_elements(); ++e) {
      const ElementPower& p = b.elements[static_cast<std::size_t>(e)];
      internal::ElementTerms terms;
      BOOST_REQUIRE(element_terms(*mechanism.system, e, s.t, s.q.data(), s.v.data(), terms));
      if (!terms.energy_known) continue;
      const double rate = (energy_of(*mechanism.system, e, s, h) - energy_of(*mechanism.system, e, s, -h)) / (2.0 * h);
      BOOST_TEST(std::abs(p.stored - rate) < 1e-5 * (b.magnitude + std::abs(terms.energy)),
                 entry.name << ", " << p.name << ": " << p.stored << " and " << rate);
      ++compared;
    }
  }
  BOOST_TEST(compared > 60);
}

BOOST_AUTO_TEST_CASE(only_moving_constraints_have_power) {
  const std::set<std::string> moving = {"two_link",          "two_link_as_printed",  "car_axis",
                                        "extended_particle", "rod_variable_inertia", "program_control",
                                        "production"};
  for (const auto& entry : mechanism_registry()) {
    const Mechanism mechanism = entry.make(size);
    if (mechanism.system->first_order()) continue;
    const PowerBalance b = power_balance(*mechanism.system, disturbed_state(mechanism, 3));
    double reactions = 0.0;
    for (const ElementPower& p : b.elements) reactions = std::max(reactions, std::abs(p.prescribed));
    const bool moves = moving.count(std::string(entry.name)) == 1;
    BOOST_TEST((reactions > 1e-6 * b.magnitude) == moves, entry.name << ": " << reactions << " of " << b.magnitude);
  }
}

BOOST_AUTO_TEST_CASE(energy_balance_closes_for_every_mechanism_with_known_energy) {
  int closed = 0;
  for (const auto& entry : mechanism_registry()) {
    Mechanism mechanism = entry.make(size);
    if (!mechanism.system->energy_known()) {
      BOOST_TEST_MESSAGE(entry.name << ": energy not known");
      continue;
    }
    mechanism.t_end = mechanism.start.t + std::min(mechanism.t_end - mechanism.start.t, 3.0);
    SimulationOptions options = test::options_of(mechanism, "baumgarte", "dopri5", 1e-9);
    const Simulation run = simulate(mechanism.system, mechanism.start, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), entry.name << ": " << run.status.message);
    const EnergyBalance energy = energy_balance(run.trajectory, mechanism.system);
    BOOST_TEST_CONTEXT(entry.name << "\n" << energy.text()) {
      BOOST_REQUIRE(energy.status.finished());
      BOOST_TEST(energy.t_end == mechanism.t_end);
      BOOST_TEST(energy.closure < 1e-6);
      // the run's own account: one number for the whole system
      BOOST_TEST(std::abs(energy.residual) <= run.report.energy_drift + 1e-6 * energy.turnover);
      for (const ElementEnergy& e : energy.elements) {
        const double parts = e.stored + e.dissipated - e.supplied - e.prescribed;
        BOOST_TEST(std::abs(e.taken - parts) < 1e-6 * (energy.turnover + std::abs(e.stored)), e.name);
      }
    }
    ++closed;
  }
  BOOST_TEST(closed >= 14);
}

/// A trolley that is driven past a damper at a constant speed v: over x from -a to a at the distance b it dissipates
/// c v (2 a - 2 b atan(a / b)). The residual does not see an error of this integral, because the drive supplies it.
BOOST_AUTO_TEST_CASE(the_work_in_long_steps_is_that_of_the_path) {
  constexpr double a = 2.0, b = 0.3, c = 30.0, v = 0.5;
  Assembly assembly;
  const Block trolley = assembly.body("trolley", PlanarParticle{3.0});
  assembly.add("drive", PrescribedCoordinate{Uniform{0.0, v}}, {coordinate_of(trolley, 0)});
  assembly.add("rail", PrescribedCoordinate{Uniform{0.0, 0.0}}, {coordinate_of(trolley, 1)});
  assembly.add("damper", LinearDamper{c, AtPoint{}, OnGround{a, -b}}, {trolley});
  const auto system = assembly.build();
  SimulationOptions options;
  options.t_end = 2.0 * a / v;
  const Simulation run = simulate(system, {0.0, VectorXd::Zero(2), Eigen::Vector2d(v, 0.0)}, options);
  BOOST_REQUIRE(run.status.finished());
  const EnergyBalance balance = energy_balance(run.trajectory, system);
  const double work = c * v * (2.0 * a - 2.0 * b * std::atan(a / b));
  BOOST_TEST(balance.element("damper").dissipated == work, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(balance.element("drive").prescribed == work, boost::test_tools::tolerance(1e-8));
}

namespace {

/// A user's element: eccentric weight on a shaft, by energies only.
struct Eccentric {
  double moment = 0.3;
  static constexpr int num_positions = 1;
  template <class T>
  T kinetic_energy(T, View<const T>, View<const T> v) const {
    return 0.05 * v[0] * v[0];
  }
  template <class T>
  T potential_energy(T, View<const T> q) const {
    using std::cos;
    return -moment * cos(q[0]);
  }
};

std::shared_ptr<const MechanicalSystem> motor_with_eccentric() {
  Assembly assembly;
  const Block q = assembly.add_coordinates("charge", BlockKind::electrical);
  const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
  assembly.add("battery", VoltageSource<>{{5.0, 0.0}}, {q});
  assembly.add("winding", Resistor{2.0}, {q});
  assembly.add("coil", Inductor{0.1}, {q});
  assembly.add("motor", DcMotor{0.2}, {q, shaft});
  assembly.add("eccentric", Eccentric{}, {shaft});
  return assembly.build();
}

}  // namespace

namespace {

/// A particle under gravity whose speed is prescribed, which takes power: psi is quadratic in v.
struct PrescribedSpeed {
  static constexpr int num_positions = 2;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  T kinetic_energy(T, View<const T>, View<const T> v) const {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]);
  }
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return 9.81 * q[1];
  }
  template <class T>
  void velocity_constraint(T t, View<const T>, View<const T> v, View<T> psi) const {
    const T speed = 2.0 + 0.5 * t;
    psi[0] = v[0] * v[0] + v[1] * v[1] - speed * speed;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(constraints_nonlinear_in_v_do_work) {
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    SimulationOptions options;
    options.formulation = "baumgarte";
    options.integrator = "dopri5";
    options.rtol = options.atol = tolerance;
    options.t_end = 1.0;
    const auto system = make_system(PrescribedSpeed{});
    const Simulation run = simulate(system, {0.0, VectorXd::Zero(2), Eigen::Vector2d(1.2, 1.6)}, options);
    BOOST_TEST_CONTEXT("tolerance " << tolerance << "\n" << run.report.text(run.status)) {
      BOOST_REQUIRE(run.status.finished());
      BOOST_TEST(run.status.has_no_doubts());
      const auto last = run.trajectory.size() - 1;
      const double energy = 0.5 * run.trajectory.v(last).squaredNorm() + 9.81 * run.trajectory.q(last)[1];
      BOOST_TEST(std::abs(energy - 2.0) > 1.0);  // work was done
      BOOST_TEST(run.report.energy_drift < 100.0 * tolerance * std::abs(energy - 2.0));
      BOOST_TEST(energy_balance(run.trajectory, system).closure < 1e-4);
    }
  }
}

BOOST_AUTO_TEST_CASE(elements_of_users_are_in_the_balance) {
  const auto system = motor_with_eccentric();
  const InitialState given{0.0, Eigen::Vector2d(0.3, 0.8), Eigen::Vector2d(0.7, -1.1)};
  const MotionState s = consistent_state(system, given).state;
  const PowerBalance b = power_balance(*system, s);
  const UnifiedVariables& u = b.element("eccentric").variables.front();
  BOOST_TEST(std::abs(u.effort - (0.1 * s.a[1] + 0.3 * std::sin(0.8))) < 1e-14);
  BOOST_TEST(std::abs(u.momentum + 0.11) < 1e-15);
  BOOST_TEST((u.domain == Domain::rotation));
  BOOST_TEST(u.name == "shaft");
  BOOST_TEST(std::abs(b.sum) < 1e-14);
  BOOST_TEST(std::abs(b.element("winding").dissipated - 2.0 * 0.49) < 1e-14);
  BOOST_TEST(std::abs(b.supplied - 5.0 * 0.7) < 1e-14);
  const std::string text = b.text();
  for (const char* part : {"eccentric", "motor", "electrical", "rotation", "effort", "momentum"})
    BOOST_TEST(text.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(a_model_is_one_element_and_unknown_energy_is_said) {
  const auto pendulum = make_system(test::Pendulum{});
  const MotionState s = consistent_state(pendulum, {0.0, Eigen::Vector2d(0.6, -0.8), {}}).state;
  const PowerBalance b = power_balance(*pendulum, s);
  BOOST_TEST(b.elements.size() == 1U);
  BOOST_TEST(b.element("model").variables.size() == 2U);
  BOOST_TEST(b.effort_sum.norm() < 1e-14);

  const auto everything = make_system(test::Everything{});
  const ConsistentState e = consistent_state(everything, {0.2, Eigen::Vector3d(0.6, 0.4, 0.5), {}});
  const PowerBalance unknown = power_balance(*everything, e.state);
  BOOST_TEST(unknown.stored == 0.0);
  BOOST_TEST(std::abs(unknown.sum) < 1e-13);
  BOOST_TEST(unknown.prescribed != 0.0);
  BOOST_TEST(std::abs(unknown.unassigned - unknown.prescribed) < 1e-13);
  std::vector<MotionState> states(2, e.state);
  states.back().t = 0.3;
  const Trajectory path(states);
  BOOST_CHECK_EXCEPTION(energy_balance(path, everything), Error, [](const Error& error) {
    const std::string what = error.what();
    return what.find("\"model\"") != std::string::npos && what.find("rung 0b") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(rows_that_are_switched_off_have_no_effort) {
  const Mechanism chain = find_mechanism("chain").make(3);
  const auto open = without_constraints(chain.system, {"pin 2"});
  const MotionState s = consistent_state(open, chain.start).state;
  const PowerBalance b = power_balance(*open, s);
  for (const UnifiedVariables& u : b.element("pin 2").variables) BOOST_TEST(u.effort == 0.0);
  BOOST_TEST(b.effort_sum.lpNorm<Eigen::Infinity>() < 1e-9 * b.effort_size.maxCoeff());
  BOOST_TEST(b.elements.size() == static_cast<std::size_t>(chain.system->num_elements()));
}

BOOST_AUTO_TEST_CASE(wrong_input_is_named) {
  const auto system = motor_with_eccentric();
  MotionState s;
  s.q = Eigen::Vector2d::Zero();
  s.v = Eigen::Vector3d::Zero();
  BOOST_CHECK_EXCEPTION(power_balance(*system, s), Error, [](const Error& error) {
    const std::string what = error.what();
    return what.find("v has 3 entries, must have 2") != std::string::npos &&
           what.find("a has 0 entries") != std::string::npos && what.find("consistent_state()") != std::string::npos;
  });
  BOOST_CHECK_THROW(energy_balance(Trajectory(2, 0), system), Error);
  BOOST_CHECK_THROW(energy_balance(Trajectory(3, 0), system), Error);
  BOOST_CHECK_THROW(energy_balance(Trajectory(2, 0), nullptr), Error);
}
