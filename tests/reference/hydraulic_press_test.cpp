// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// A press in SI units, run with default tolerances: a pump with ripple feeds oil through a pipe into a chamber whose
/// oil is stiff, the chamber moves a piston with a mass against a spring. 1 cm^3 too much in the chamber is 1.5 MPa, so
/// that volumes need tolerances of their own. In other units it must be the same run.
using namespace sunlagrange;

namespace {

constexpr double area = 2e-3;           // of the piston [m^2]
constexpr double compliance = 6.7e-13;  // of a litre of oil [m^3/Pa]
constexpr double inertance = 1.7e7;     // of 2 m of pipe, 1 cm^2 [Pa s^2/m^3]
constexpr double resistance = 1e8;      // of the pipe, low: the oil oscillates [Pa s/m^3]
constexpr double mass = 500.0, spring = 2e5, friction = 2e3;
constexpr double supply = 10e6, ripple = 1e6, frequency = 40.0;  // [Pa], [rad/s]
constexpr double t_end = 0.5;

/// Volumes are written in units of 1 m^3 / volume, lengths in metres, energies in joules.
std::shared_ptr<const MechanicalSystem> press(double volume = 1.0, double scale = 0.0, double R = resistance) {
  Assembly assembly;
  const Block pipe = assembly.add_coordinates("pipe", BlockKind::hydraulic);
  const Block oil = assembly.add_coordinates("oil", BlockKind::hydraulic);
  const Block stroke = assembly.add_coordinates("stroke", BlockKind::hydraulic);
  const Block ram = assembly.add_coordinates("ram", BlockKind::translation);
  const double pressure = 1.0 / volume;
  if (scale > 0.0) {
    for (const Block& b : {pipe, oil, stroke}) assembly.set_natural_scale(b, scale);
  }
  assembly.add("pump", effort_source<BlockKind::hydraulic>([pressure](auto t) {
                 return pressure * (supply + ripple * sin(frequency * t));
               }),
               {pipe});
  assembly.add("column", HydraulicInertance{inertance * pressure * pressure}, {pipe});
  assembly.add("orifice", HydraulicResistance{R * pressure * pressure}, {pipe});
  assembly.add("chamber", HydraulicAccumulator{compliance * volume * volume}, {oil});
  assembly.add("tee", PipeJunction<3>{{1.0, -1.0, -1.0}, 0.0}, {pipe, oil, stroke});
  assembly.add("piston", Piston{area * volume, 0.0}, {ram, stroke});
  assembly.add("mass", SlidingMass{mass}, {ram});
  assembly.add("workpiece", AxialSpringToGround{spring, 0.0}, {ram});
  assembly.add("friction", AxialDamperToGround{friction}, {ram});
  return assembly.build();
}

constexpr int samples = 50;  // of the run, at equal intervals

/// (volume in the chamber, flow of the pipe, x, x') at the samples, reduced by hand and integrated by the classical
/// Runge-Kutta method: dV/dt = Q - area x', pressure V / compliance.
using State = std::array<double, 4>;
std::vector<State> reduced() {
  const auto rate = [](double t, const State& y) {
    const double p = y[0] / compliance;
    return State{y[1] - area * y[3], (supply + ripple * std::sin(frequency * t) - p - resistance * y[1]) / inertance,
                 y[3], (p * area - spring * y[2] - friction * y[3]) / mass};
  };
  const auto ahead = [](const State& y, double h, const State& k) {
    State z = y;
    for (std::size_t i = 0; i < 4; ++i) z[i] += h * k[i];
    return z;
  };
  State y{};
  std::vector<State> path;
  const int steps_between = 2000;
  const double h = t_end / (samples * steps_between);
  for (int k = 0; k < samples * steps_between; ++k) {
    const double t = k * h;
    const State a = rate(t, y), b = rate(t + 0.5 * h, ahead(y, 0.5 * h, a));
    const State c = rate(t + 0.5 * h, ahead(y, 0.5 * h, b)), d = rate(t + h, ahead(y, h, c));
    for (std::size_t i = 0; i < 4; ++i) y[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    if ((k + 1) % steps_between == 0) path.push_back(y);
  }
  return path;
}

/// Largest errors over the samples.
struct Errors {
  double pressure = 0.0, stroke = 0.0;
};
Errors errors(const Simulation& simulation) {
  static const std::vector<State> reference = reduced();
  Errors e;
  for (int k = 0; k < samples; ++k) {
    const State& exact = reference[static_cast<std::size_t>(k)];
    const Eigen::VectorXd q = simulation.trajectory.position_at((k + 1) * t_end / samples);
    e.pressure = std::max(e.pressure, std::abs(q[1] - exact[0]) / compliance);
    e.stroke = std::max(e.stroke, std::abs(q[3] - exact[2]));
  }
  return e;
}

InitialState at_rest() {
  return {0.0, Eigen::VectorXd::Zero(4), {}};
}

struct Way {
  const char* formulation;
  const char* integrator;
};
constexpr Way ways[] = {{"baumgarte", "cvode_bdf"},
                        {"baumgarte", "cvode_adams"},
                        {"baumgarte", "dopri5"},
                        {"projected", "cvode_bdf"},
                        {"projected", "dopri5"},
                        {"penalty", "cvode_bdf"},
                        {"coordinate_partitioning", "cvode_bdf"},
                        {"index1", "ida"},
                        {"ggl", "ida"},
                        {"stabilized_index1", "ida"},
                        {"index3", "ida"}};

Simulation run(const std::shared_ptr<const MechanicalSystem>& system, const Way& way) {
  SimulationOptions options;
  options.formulation = way.formulation;
  options.integrator = way.integrator;
  options.t_end = t_end;
  options.max_steps = 200000;
  return simulate(system, at_rest(), options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(si_units_at_default_tolerances_give_the_pressure) {
  for (const Way& way : ways) {
    BOOST_TEST_CONTEXT(way.formulation << ", " << way.integrator) {
      const Simulation simulation = run(press(), way);
      BOOST_REQUIRE_MESSAGE(simulation.status.finished(), simulation.status.message);
      BOOST_TEST(simulation.status.doubts.empty());
      const Errors e = errors(simulation);
      BOOST_TEST_MESSAGE(way.formulation << ", " << way.integrator << ": " << simulation.report.steps << " steps, "
                                         << e.pressure << " Pa, " << e.stroke << " m");
      BOOST_TEST(e.pressure < 1e-3 * supply);
      BOOST_TEST(e.stroke < 1e-5);
      const std::size_t last = simulation.trajectory.size() - 1;
      const double pressure = simulation.trajectory.q(last)[1] / compliance;
      BOOST_TEST(std::abs(simulation.trajectory.lambda(last)[0] - pressure) < 1e-4 * supply);
    }
  }
}

BOOST_AUTO_TEST_CASE(with_scale_1_of_the_volumes_the_pressure_is_lost_and_smaller_scales_gain_little) {
  // The table of decision 18, by --log_level=message.
  for (const Way& way : ways) {
    const auto error = [&way](double scale) {
      const Simulation simulation = run(press(1.0, scale), way);
      const double pressure = errors(simulation).pressure;
      BOOST_TEST_MESSAGE(way.formulation << ", " << way.integrator << ", scale " << scale << ": "
                                         << simulation.report.steps << " steps, " << pressure << " Pa");
      return pressure;
    };
    const double natural = error(natural_scale(Domain::hydraulic));
    BOOST_TEST(error(1.0) > 3.0 * natural, way.formulation << ", " << way.integrator);
    for (const double smaller : {1e-4, 1e-6})
      BOOST_TEST(error(smaller) > 0.1 * natural, way.formulation << ", " << way.integrator << ", " << smaller);
  }
}

BOOST_AUTO_TEST_CASE(the_same_press_in_other_units_of_volume_takes_the_same_steps) {
  const double scale = natural_scale(Domain::hydraulic);
  const double damped = 20.0 * resistance;  // oscillations would magnify rounding
  for (const Way& way : ways) {
    const Simulation si = run(press(1.0, scale, damped), way);
    for (const double unit : {1024.0, 0x1p20}) {
      BOOST_TEST_CONTEXT(way.formulation << ", " << way.integrator << ", volume x " << unit) {
        const Simulation other = run(press(unit, unit * scale, damped), way);
        BOOST_REQUIRE_MESSAGE(other.status.finished(), other.status.message);
        // index1 weighs lambda by one norm over rows of different units: that decides when Newton's iteration ends
        const long differing = way.formulation == std::string("index1") ? si.report.steps / 50 : 0;
        BOOST_TEST(std::abs(other.report.steps - si.report.steps) <= differing);
        const Eigen::Vector4d to_si(1.0 / unit, 1.0 / unit, 1.0 / unit, 1.0);
        const Eigen::Vector4d size(1e-3, 1e-3, 1e-3, 1.0);
        const Eigen::Vector4d q = to_si.cwiseProduct(other.trajectory.position_at(t_end));
        BOOST_TEST((q - si.trajectory.position_at(t_end)).cwiseQuotient(size).norm() < 1e-7);
      }
    }
  }
}
