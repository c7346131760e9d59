// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <sunlagrange/elements/coordinate/damper.hpp>
#include <sunlagrange/elements/network/compliance.hpp>
#include <sunlagrange/elements/network/gas_spring.hpp>
#include <sunlagrange/elements/network/gyrator.hpp>
#include <sunlagrange/elements/network/heater.hpp>
#include <sunlagrange/elements/network/hydraulic_cylinder.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/network/junction.hpp>
#include <sunlagrange/elements/network/massless_branch.hpp>
#include <sunlagrange/elements/network/resistance.hpp>
#include <sunlagrange/elements/network/source.hpp>
#include <sunlagrange/elements/network/thermal.hpp>
#include <sunlagrange/elements/network/transformer.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Elements of the other domains: their laws at random states, circuits and heat against exact solutions.
using namespace sunlagrange;
using Eigen::VectorXd;

namespace {

VectorXd random_vector(int size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  VectorXd x(size);
  for (double& value : x) value = uniform(random);
  return x;
}

/// Efforts that one element takes at a state, by the power balance of an assembly that has it alone.
template <class E>
VectorXd efforts(const E& element, const MotionState& s, std::vector<BlockKind> kinds) {
  Assembly assembly;
  std::vector<Block> blocks;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    blocks.push_back(assembly.add_coordinates("x" + std::to_string(k), kinds[k]));
  assembly.add("element", element, blocks);
  const auto system = assembly.build();
  const PowerBalance balance = power_balance(*system, s);
  BOOST_REQUIRE(balance.status.finished());
  VectorXd e(s.q.size());
  for (const UnifiedVariables& u : balance.elements.front().variables) {
    e[u.coordinate] = u.effort;
    BOOST_TEST(u.flow == s.v[u.coordinate]);
    BOOST_TEST(u.displacement == s.q[u.coordinate]);
    BOOST_TEST(u.power == u.effort * u.flow);
    BOOST_TEST((u.domain == domain_of(system->position_kind(u.coordinate), 0)));
  }
  return e;
}

MotionState random_state(int n, int m, unsigned seed) {
  return {0.7, random_vector(n, seed), random_vector(n, seed + 1), random_vector(n, seed + 2),
          random_vector(m, seed + 3)};
}

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-14 * (1.0 + std::abs(a) + std::abs(b));
}

Simulation run(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start, double t_end,
               const std::string& formulation, const std::string& solver, double tolerance) {
  SimulationOptions options;
  options.t_end = t_end;
  options.formulation = formulation;
  options.linear_solver.name = solver;
  options.rtol = tolerance;
  options.atol = tolerance;
  return simulate(system, start, options);
}

/// Over every formulation that is named and both linear solvers.
template <class Check>
void for_formulations(std::initializer_list<const char*> names, Check&& check) {
  for (const char* name : names) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      BOOST_TEST_CONTEXT(name << ", " << solver) {
        check(name, solver);
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_port_laws_at_random_states) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    const MotionState s = random_state(1, 0, seed), row = random_state(1, 1, seed);
    const double q = s.q[0], v = s.v[0], a = s.a[0];
    const auto electrical = BlockKind::electrical, hydraulic = BlockKind::hydraulic;
    BOOST_TEST(close(efforts(Inductor{0.3}, s, {electrical})[0], 0.3 * a));
    BOOST_TEST(close(efforts(Capacitor{0.2, 0.1}, s, {electrical})[0], (q - 0.1) / 0.2));
    BOOST_TEST(close(efforts(Resistor{4.0}, s, {electrical})[0], 4.0 * v));
    BOOST_TEST(close(efforts(VoltageSource<>{{1.0, 0.5, 3.0, 0.2}}, s, {electrical})[0],
                     -(1.0 + 0.5 * std::sin(3.0 * 0.7 + 0.2))));
    BOOST_TEST(close(efforts(CurrentSource<>{}, row, {electrical})[0], row.lambda[0]));
    BOOST_TEST(close(efforts(HydraulicInertance{2.0}, s, {hydraulic})[0], 2.0 * a));
    BOOST_TEST(close(efforts(HydraulicAccumulator{0.5}, s, {hydraulic})[0], 2.0 * q));
    BOOST_TEST(close(efforts(HydraulicResistance{3.0}, s, {hydraulic})[0], 3.0 * v));
    BOOST_TEST(close(efforts(TurbulentResistance{3.0, 1e-9}, s, {hydraulic})[0], 3.0 * v * std::abs(v)));
    BOOST_TEST(close(efforts(TurbulentResistance{3.0, 1e9}, s, {hydraulic})[0] / 1e9, 3.0 * v));
    BOOST_TEST(close(efforts(EconomicInertia{1.5}, s, {BlockKind::economic})[0], 1.5 * a));
    BOOST_TEST(close(efforts(ThermalReservoir{280.0}, s, {BlockKind::thermal})[0], 280.0));
    const ThermalCapacity body{2.0, 300.0};
    BOOST_TEST(close(efforts(body, s, {BlockKind::thermal})[0], 300.0 * std::exp(q / 2.0)));
    BOOST_TEST(close(body.entropy(body.temperature(q)), q));
    const auto branch = massless_branch<BlockKind::electrical>(5.0, [](auto t, auto x) { return t - x; });
    BOOST_TEST(close(efforts(branch, row, {electrical})[0], 5.0 * row.lambda[0]));
  }
}

BOOST_AUTO_TEST_CASE(momentum_is_the_integral_of_effort_and_only_kinetic_elements_have_it) {
  Assembly assembly;
  const Block q = assembly.add_coordinates("q", BlockKind::electrical);
  assembly.add("coil", Inductor{0.3}, {q});
  assembly.add("plates", Capacitor{0.2}, {q});
  const auto system = assembly.build();
  const MotionState s = random_state(1, 0, 5);
  const PowerBalance balance = power_balance(*system, s);
  BOOST_TEST(close(balance.element("coil").variables[0].momentum, 0.3 * s.v[0]));
  BOOST_TEST(balance.element("plates").variables[0].momentum == 0.0);
  BOOST_CHECK_EXCEPTION(balance.element("lamp"), Error, [](const Error& e) {
    const std::string what = e.what();
    return what.find("\"lamp\"") != std::string::npos && what.find("\"coil\", \"plates\"") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(couplings_pass_power_at_random_states) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    const MotionState s = random_state(2, 0, seed);
    const VectorXd e = efforts(DcMotor{0.4}, s, {BlockKind::electrical, BlockKind::rotation});
    BOOST_TEST(close(e[0], 0.4 * s.v[1]));
    BOOST_TEST(close(e[1], -0.4 * s.v[0]));
    BOOST_TEST(std::abs(e.dot(s.v)) < 1e-15);

    MotionState t = random_state(2, 1, seed);
    t.v[1] = 0.7 * t.v[0];
    const VectorXd f = efforts(RackAndPinion{0.7, 0.1}, t, {BlockKind::rotation, BlockKind::translation});
    BOOST_TEST(close(f[0], -0.7 * f[1]));
    BOOST_TEST(std::abs(f.dot(t.v)) < 1e-15);

    const auto gear = modulated_transformer<BlockKind::rotation, BlockKind::rotation>(
        [](auto time, auto angle) { return 1.0 + 0.3 * time * angle; });
    MotionState u = random_state(2, 1, seed);
    const double ratio = 1.0 + 0.3 * u.t * u.q[0];
    u.v[1] = ratio * u.v[0];
    const VectorXd h = efforts(gear, u, {BlockKind::rotation, BlockKind::rotation});
    BOOST_TEST(close(h[0], -ratio * h[1]));
    BOOST_TEST(std::abs(h.dot(u.v)) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(cylinder_pushes_its_points_apart_with_pressure_times_area) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    MotionState s = random_state(5, 1, seed);
    const Eigen::Vector2d d(s.q[1] - s.q[3], s.q[2] - s.q[4]);
    const Eigen::Vector2d n = d.normalized();
    s.v[0] = 0.02 * n.dot(Eigen::Vector2d(s.v[1] - s.v[3], s.v[2] - s.v[4]));
    const HydraulicCylinder cylinder{0.02, 0.3};
    const VectorXd e = efforts(cylinder, s, {BlockKind::hydraulic, BlockKind::planar_point, BlockKind::planar_point});
    const double p = s.lambda[0];
    BOOST_TEST(close(e[0], p));
    BOOST_TEST((e.segment<2>(1) + 0.02 * p * n).norm() < 1e-15);
    BOOST_TEST((e.segment<2>(3) - 0.02 * p * n).norm() < 1e-15);
    BOOST_TEST(std::abs(e.dot(s.v)) < 1e-15);
  }
}

BOOST_AUTO_TEST_CASE(junction_has_one_potential_for_all_branches) {
  const CurrentLaw<4> node{{1.0, 1.0, -1.0, -1.0}, 0.25};
  Assembly assembly;
  std::vector<Block> branches;
  for (int k = 0; k < 4; ++k)
    branches.push_back(assembly.add_coordinates("q" + std::to_string(k), BlockKind::electrical));
  for (int k = 0; k < 4; ++k)
    assembly.add("coil " + std::to_string(k), Inductor{1.0 + k}, {branches[static_cast<std::size_t>(k)]});
  assembly.add("node", node, branches);
  assembly.add("battery", VoltageSource<>{{3.0, 0.0}}, {branches[0]});
  const auto system = assembly.build();
  InitialState given{0.0, random_vector(4, 1), random_vector(4, 2)};
  const MotionState s = consistent_state(system, given).state;
  BOOST_TEST(close(s.q[0] + s.q[1] - s.q[2] - s.q[3], 0.25));
  BOOST_TEST(std::abs(s.v[0] + s.v[1] - s.v[2] - s.v[3]) < 1e-14);
  const double potential = s.lambda[0];
  BOOST_TEST(close(1.0 * s.a[0], 3.0 - potential));
  BOOST_TEST(close(2.0 * s.a[1], -potential));
  BOOST_TEST(close(3.0 * s.a[2], potential));
  BOOST_TEST(close(4.0 * s.a[3], potential));
}

BOOST_AUTO_TEST_CASE(wrong_domains_are_refused) {
  Assembly assembly;
  const Block q = assembly.add_coordinates("q", BlockKind::electrical);
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  BOOST_CHECK_THROW(assembly.add("motor", DcMotor{}, {q, x}), Error);
  assembly.add("coil", LoudspeakerCoil{}, {q, x});
  BOOST_TEST(assembly.build()->num_elements() == 1);
}

BOOST_AUTO_TEST_CASE(lc_rl_and_rc_circuits_against_exact_solutions) {
  const double L = 0.5, C = 0.2, R = 1.5, u = 2.0;
  {  // charge oscillates: q = q0 cos(t / sqrt(L C))
    Assembly assembly;
    const Block q = assembly.add_coordinates("q", BlockKind::electrical);
    assembly.add("coil", Inductor{L}, {q});
    assembly.add("plates", Capacitor{C}, {q});
    const auto system = assembly.build();
    const Simulation lc = run(system, {0.0, VectorXd::Constant(1, 0.3), {}}, 5.0, "baumgarte", "dense", 1e-11);
    BOOST_REQUIRE(lc.status.finished());
    const double rate = 1.0 / std::sqrt(L * C);
    for (const double t : {0.5, 2.0, 5.0})
      BOOST_TEST(std::abs(lc.trajectory.position_at(t)[0] - 0.3 * std::cos(rate * t)) < 1e-8);
    BOOST_TEST(energy_balance(lc.trajectory, system).closure < 1e-8);
  }
  {  // current rises: i = u/R (1 - exp(-R t / L))
    Assembly assembly;
    const Block q = assembly.add_coordinates("q", BlockKind::electrical);
    assembly.add("coil", Inductor{L}, {q});
    assembly.add("wire", Resistor{R}, {q});
    assembly.add("battery", VoltageSource<>{{u, 0.0}}, {q});
    const auto system = assembly.build();
    const Simulation rl = run(system, {0.0, VectorXd::Zero(1), {}}, 2.0, "baumgarte", "dense", 1e-11);
    for (const double t : {0.1, 0.7, 2.0})
      BOOST_TEST(std::abs(rl.trajectory.velocity_at(t)[0] - u / R * (1.0 - std::exp(-R * t / L))) < 1e-8);
    const EnergyBalance balance = energy_balance(rl.trajectory, system);
    BOOST_TEST(balance.closure < 1e-8);
    const double i = u / R * (1.0 - std::exp(-R * 2.0 / L)), charge = rl.trajectory.q(rl.trajectory.size() - 1)[0];
    BOOST_TEST(std::abs(balance.element("coil").stored - 0.5 * L * i * i) < 1e-7);
    BOOST_TEST(std::abs(balance.element("battery").supplied - u * charge) < 1e-7);
    BOOST_TEST(std::abs(balance.element("wire").dissipated - (u * charge - 0.5 * L * i * i)) < 1e-7);
  }
  Assembly assembly;  // capacitor is charged through a resistor: q = u C (1 - exp(-t / (R C))), no inertia at all
  const Block q = assembly.add_coordinates("q", BlockKind::electrical);
  assembly.add("plates", Capacitor{C}, {q});
  assembly.add("battery", VoltageSource<>{{u, 0.0}}, {q});
  assembly.add("wire", massless_branch<BlockKind::electrical>(R, ChargedThrough{u, C}), {q});
  const auto rc = assembly.build();
  for_formulations(
      {"baumgarte", "projected", "index1", "index2", "ggl"}, [&](const char* formulation, const char* solver) {
        const Simulation result = run(rc, {0.0, VectorXd::Zero(1), {}}, 1.0, formulation, solver, 1e-9);
        BOOST_REQUIRE_MESSAGE(result.status.finished(), result.status.message);
        for (const double t : {0.1, 0.5, 1.0})
          BOOST_TEST(std::abs(result.trajectory.position_at(t)[0] - u * C * (1.0 - std::exp(-t / (R * C)))) < 1e-6);
        const EnergyBalance balance = energy_balance(result.trajectory, rc);
        BOOST_TEST(balance.closure < 1e-6);
        // the wire takes half of what the battery gives once the capacitor is full; here as much as there is so far
        const double full = result.trajectory.q(result.trajectory.size() - 1)[0];
        BOOST_TEST(std::abs(balance.element("wire").dissipated - (u * full - 0.5 * full * full / C)) < 1e-6);
        BOOST_TEST(balance.prescribed == 0.0);
      });
}

BOOST_AUTO_TEST_CASE(prescribed_current_is_the_power_of_its_source) {
  Assembly assembly;
  const Block q = assembly.add_coordinates("q", BlockKind::electrical);
  assembly.add("coil", Inductor{0.5}, {q});
  assembly.add("wire", Resistor{2.0}, {q});
  assembly.add("source", CurrentSource<>{{0.3, 0.2, 4.0, 0.0}}, {q});
  const auto system = assembly.build();
  const MotionState s = consistent_state(system, {0.4, VectorXd::Zero(1), {}}).state;
  const double i = 0.3 + 0.2 * std::sin(1.6), rate = 0.8 * std::cos(1.6);
  const PowerBalance balance = power_balance(*system, s);
  BOOST_TEST(close(s.v[0], i));
  BOOST_TEST(close(balance.prescribed, i * (2.0 * i + 0.5 * rate)));
  BOOST_TEST(close(balance.stored, 0.5 * i * rate));
  BOOST_TEST(close(balance.dissipated, 2.0 * i * i));
  BOOST_TEST(balance.supplied == 0.0);
  BOOST_TEST(std::abs(balance.sum) < 1e-15);
  const Simulation result = run(system, {0.0, VectorXd::Zero(1), {}}, 3.0, "baumgarte", "dense", 1e-9);
  BOOST_TEST(energy_balance(result.trajectory, system).closure < 1e-7);
}

BOOST_AUTO_TEST_CASE(flow_of_a_function_is_the_flow) {
  Assembly assembly;
  const Block q = assembly.add_coordinates("q", BlockKind::electrical);
  assembly.add("coil", Inductor{0.5}, {q});
  assembly.add("wire", Resistor{2.0}, {q});
  assembly.add("source", flow_source<BlockKind::electrical>([](auto t) { return 0.3 + 0.5 * t * t; }), {q});
  const auto system = assembly.build();
  const MotionState s = consistent_state(system, {0.4, VectorXd::Zero(1), {}}).state;
  const double i = 0.3 + 0.5 * 0.16, rate = 0.4;
  BOOST_TEST(close(s.v[0], i));
  BOOST_TEST(close(s.a[0], rate));
  BOOST_TEST(close(power_balance(*system, s).prescribed, i * (2.0 * i + 0.5 * rate)));
}

namespace {

/// Two bodies in contact; entropies (S_a, S_b, s_a, s_b).
struct TwoBodies {
  ThermalCapacity a{2.0, 300.0}, b{3.0, 300.0};
  double R = 0.4, hot = 400.0, cold = 280.0;
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;

  TwoBodies() {
    Assembly assembly;
    const auto entropy = [&](const char* name) { return assembly.add_coordinates(name, BlockKind::thermal); };
    const Block S_a = entropy("S_a"), S_b = entropy("S_b"), s_a = entropy("s_a"), s_b = entropy("s_b");
    const double total_a = a.entropy(hot), total_b = b.entropy(cold);
    assembly.add("a", a, {S_a});
    assembly.add("b", b, {S_b});
    assembly.add("contact", ThermalResistance<>{R, a, b}, {S_a, S_b, s_a, s_b});
    assembly.add("node a", EntropyNode<2>{{-1.0, -1.0}, -total_a}, {S_a, s_a});
    assembly.add("node b", EntropyNode<2>{{-1.0, 1.0}, -total_b}, {S_b, s_b});
    system = assembly.build();
    start.q = Eigen::Vector4d(total_a, total_b, 0.0, 0.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(two_bodies_exchange_heat_until_their_temperatures_agree) {
  const TwoBodies pair;
  const double mean = (pair.a.C * pair.hot + pair.b.C * pair.cold) / (pair.a.C + pair.b.C);
  const double rate = (1.0 / pair.a.C + 1.0 / pair.b.C) / pair.R;
  for_formulations({"baumgarte", "projected", "index1", "index2", "ggl", "stabilized_index1"},
                   [&](const char* formulation, const char* solver) {
                     const Simulation result = run(pair.system, pair.start, 1.0, formulation, solver, 1e-9);
                     BOOST_REQUIRE_MESSAGE(result.status.finished(), result.status.message);
                     double entropy = pair.start.q[0] + pair.start.q[1];
                     for (const double t : {0.1, 0.4, 1.0}) {
                       const VectorXd S = result.trajectory.position_at(t);
                       const double share = (pair.hot - pair.cold) / (pair.a.C + pair.b.C) * std::exp(-rate * t);
                       BOOST_TEST(std::abs(pair.a.temperature(S[0]) - (mean + share * pair.b.C)) < 1e-4);
                       BOOST_TEST(std::abs(pair.b.temperature(S[1]) - (mean - share * pair.a.C)) < 1e-4);
                       BOOST_TEST(S[0] + S[1] > entropy);  // the second law
                       entropy = S[0] + S[1];
                     }
                     const EnergyBalance balance = energy_balance(result.trajectory, pair.system);
                     BOOST_TEST(balance.closure < 1e-7);
                     BOOST_TEST(std::abs(balance.element("contact").taken) < 1e-5 * balance.turnover);
                     BOOST_TEST(balance.turnover > 40.0);  // joules of heat went over
                   });
}

BOOST_AUTO_TEST_CASE(multipliers_of_a_thermal_network_are_its_temperatures) {
  const TwoBodies pair;
  const MotionState s = consistent_state(pair.system, pair.start).state;
  const auto lambda = [&](const char* name) { return s.lambda[pair.system->constraint_rows(name).front()]; };
  BOOST_TEST(close(lambda("node a"), pair.hot));
  BOOST_TEST(close(lambda("node b"), pair.cold));
  BOOST_TEST(close(lambda("contact.a"), 1.0));
  BOOST_TEST(close(lambda("contact.b"), -1.0));
  const double heat = (pair.hot - pair.cold) / pair.R;
  const PowerBalance balance = power_balance(*pair.system, s);
  BOOST_TEST(close(balance.element("a").power, -heat));
  BOOST_TEST(close(balance.element("b").power, heat));
  BOOST_TEST(std::abs(balance.sum) < 1e-12 * heat);
}

BOOST_AUTO_TEST_CASE(motor_reaches_its_steady_state) {
  // u - k w - R i = 0 and k i - d w = load: w = (k u - R load) / (k^2 + R d)
  const double u = 12.0, k = 0.3, R = 0.8, friction = 0.02, load = 0.5;
  Assembly assembly;
  const Block q = assembly.add_coordinates("charge", BlockKind::electrical);
  const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
  assembly.add("battery", VoltageSource<>{{u, 0.0}}, {q});
  assembly.add("winding", Resistor{R}, {q});
  assembly.add("coil", Inductor{0.05}, {q});
  assembly.add("motor", DcMotor{k}, {q, shaft});
  assembly.add("rotor", Flywheel{0.02}, {shaft});
  assembly.add("bearing", RotationalDamperToGround{friction}, {shaft});
  assembly.add("load", effort_source<BlockKind::rotation>([load](auto t) { return -load + 0.0 * t; }), {shaft});
  const auto system = assembly.build();
  const Simulation result = run(system, {0.0, VectorXd::Zero(2), {}}, 8.0, "baumgarte", "dense", 1e-10);
  BOOST_REQUIRE(result.status.finished());
  const VectorXd v = result.trajectory.v(result.trajectory.size() - 1);
  const double speed = (k * u - R * load) / (k * k + R * friction);
  BOOST_TEST(std::abs(v[1] - speed) < 1e-6 * speed);
  BOOST_TEST(std::abs(v[0] - (u - k * speed) / R) < 1e-6);
  const EnergyBalance balance = energy_balance(result.trajectory, system);
  BOOST_TEST(balance.closure < 1e-8);
  BOOST_TEST(std::abs(balance.element("motor").taken) < 1e-8 * balance.turnover);
}

BOOST_AUTO_TEST_CASE(pipe_between_two_tanks_and_a_pump) {
  // Two tanks joined by a pipe: volume moves as in an oscillator of inertance I, compliance C_1 C_2 / (C_1 + C_2).
  const double C1 = 0.4, C2 = 0.6, I = 2.0, lift = 0.2;
  Assembly assembly;
  const Block v1 = assembly.add_coordinates("tank 1", BlockKind::hydraulic);
  const Block v2 = assembly.add_coordinates("tank 2", BlockKind::hydraulic);
  const Block pipe = assembly.add_coordinates("pipe", BlockKind::hydraulic);
  assembly.add("first", HydraulicAccumulator{C1}, {v1});
  assembly.add("second", HydraulicAccumulator{C2}, {v2});
  assembly.add("fluid", HydraulicInertance{I}, {pipe});
  assembly.add("inlet", PipeJunction<2>{{-1.0, -1.0}, -lift}, {v1, pipe});
  assembly.add("outlet", PipeJunction<2>{{-1.0, 1.0}, 0.0}, {v2, pipe});
  const auto system = assembly.build();
  const double rate = std::sqrt((1.0 / C1 + 1.0 / C2) / I), middle = lift * C2 / (C1 + C2);
  for_formulations(
      {"baumgarte", "projected", "index1", "ggl", "index3"}, [&](const char* formulation, const char* solver) {
        const bool index3 = formulation == std::string("index3");
        const Simulation result =
            run(system, {0.0, Eigen::Vector3d(lift, 0.0, 0.0), {}}, 2.0, formulation, solver, index3 ? 1e-8 : 1e-10);
        BOOST_REQUIRE_MESSAGE(result.status.finished(), result.status.message);
        for (const double t : {0.3, 1.0, 2.0}) {
          const double moved = middle * (1.0 - std::cos(rate * t));
          BOOST_TEST(std::abs(result.trajectory.position_at(t)[2] - moved) < (index3 ? 1e-4 : 1e-6));
        }
      });
}

BOOST_AUTO_TEST_CASE(a_heater_warms_its_body_by_the_integral_of_its_power) {
  const ThermalCapacity body{5.0, 300.0};
  const Harmonic power{40.0, 30.0, 3.0, 0.0};  // 40 + 30 sin 3 t [W]
  Assembly assembly;
  const Block S = assembly.add_coordinates("S", BlockKind::thermal),
              s = assembly.add_coordinates("s", BlockKind::thermal);
  assembly.add("body", body, {S});
  assembly.add("heater", Heater<>{power, body}, {S, s});
  assembly.add("node", EntropyNode<2>{{-1.0, 1.0}, 0.0}, {S, s});
  const auto system = assembly.build();
  for_formulations({"baumgarte", "projected", "index1", "ggl"}, [&](const char* formulation, const char* solver) {
    const Simulation result = run(system, {0.0, VectorXd::Zero(2), {}}, 2.0, formulation, solver, 1e-9);
    BOOST_REQUIRE_MESSAGE(result.status.finished(), result.status.message);
    const auto heat = [](double t) { return 40.0 * t + 10.0 * (1.0 - std::cos(3.0 * t)); };
    for (const double t : {0.3, 1.0, 2.0})
      BOOST_TEST(std::abs(body.temperature(result.trajectory.position_at(t)[0]) - (300.0 + heat(t) / 5.0)) < 1e-4);
    const EnergyBalance balance = energy_balance(result.trajectory, system);
    BOOST_TEST(balance.closure < 1e-6);
    BOOST_TEST(std::abs(balance.prescribed - heat(2.0)) < 1e-3);
  });
}

BOOST_AUTO_TEST_CASE(a_gas_spring_is_the_polytropic_law) {
  // dE/dV = p, p (V0 - V)^n constant, and a piston on it swings with the frequency of its linearisation.
  for (const double exponent : {1.0, 1.4}) {
    const GasSpring gas{2e5, 1e-3, exponent, 1e5};
    const auto energy = [&](double V) { return gas.energy(0.0, View<const double>(&V, 1), View<const double>(&V, 1)); };
    const auto pressure = [&](double V) {
      double f = 0.0;
      BOOST_REQUIRE(gas.applied_force(0.0, View<const double>(&V, 1), View<const double>(&V, 1), View<double>(&f, 1)));
      return -f;
    };
    for (const double V : {-3e-4, 0.0, 2e-4, 6e-4}) {
      BOOST_TEST((pressure(V) + 1e5) * std::pow(1e-3 - V, exponent) == 3e5 * std::pow(1e-3, exponent),
                 boost::test_tools::tolerance(1e-12));
      BOOST_TEST((energy(V + 1e-8) - energy(V - 1e-8)) / 2e-8 == pressure(V), boost::test_tools::tolerance(1e-6));
    }
    double beyond = 1.1e-3, f = 0.0;
    BOOST_TEST(
        !gas.applied_force(0.0, View<const double>(&beyond, 1), View<const double>(&beyond, 1), View<double>(&f, 1)));
    Assembly assembly;
    const Block V = assembly.add_coordinates("V", BlockKind::hydraulic);
    assembly.add("gas", gas, {V});
    assembly.add("pipe", HydraulicInertance{3e6}, {V});
    assembly.add("supply", PressureSource<>{{2e5, 0.0}}, {V});
    const double omega = std::sqrt(exponent * 3e5 / 1e-3 / 3e6);
    SimulationOptions options;
    options.integrator = "dopri5";
    options.rtol = 1e-10;
    options.atol = 1e-14;
    options.t_end = 2.0 * M_PI / omega;
    const Simulation swing = simulate(assembly.build(), {0.0, VectorXd::Constant(1, 1e-6), VectorXd::Zero(1)}, options);
    BOOST_REQUIRE(swing.status.finished());
    BOOST_TEST(swing.trajectory.position_at(options.t_end)[0] == 1e-6, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(swing.trajectory.position_at(0.5 * options.t_end)[0] == -1e-6, boost::test_tools::tolerance(3e-3));
  }
}
