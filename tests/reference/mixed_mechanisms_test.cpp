// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>

#include "runs.hpp"

/// Mechanisms of several physical domains: against exact solutions, or against the same physics reduced by hand to
/// minimal coordinates and integrated here.
using namespace sunlagrange;
using Eigen::VectorXd;
using mechanisms::find_mechanism;
using mechanisms::Mechanism;
using test::options_of;

namespace {

using Real = long double;

double largest(const VectorXd& x) {
  return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>();
}

Simulation run(const Mechanism& mechanism, const std::string& formulation, const std::string& integrator,
               double tolerance) {
  Simulation result =
      simulate(mechanism.system, mechanism.start, options_of(mechanism, formulation, integrator, tolerance));
  BOOST_REQUIRE_MESSAGE(result.status.finished(), formulation << ": " << result.status.message);
  return result;
}

/// Classical Runge-Kutta method with fixed steps in extended precision.
template <std::size_t K, class Rhs>
std::array<Real, K> integrate(std::array<Real, K> y, Real t_end, int steps, Rhs&& rhs) {
  const Real h = t_end / steps;
  const auto moved = [](std::array<Real, K> x, Real factor, const std::array<Real, K>& by) {
    for (std::size_t i = 0; i < K; ++i) x[i] += factor * by[i];
    return x;
  };
  for (int k = 0; k < steps; ++k) {
    const Real t = h * k;
    const auto k1 = rhs(t, y);
    const auto k2 = rhs(t + h / 2, moved(y, h / 2, k1));
    const auto k3 = rhs(t + h / 2, moved(y, h / 2, k2));
    const auto k4 = rhs(t + h, moved(y, h, k3));
    y = moved(moved(moved(moved(y, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return y;
}

/// Value and first two derivatives of a curve Q(phi), by differences of seven points; errors below 1e-14.
template <std::size_t K, class Curve>
struct Kinematics {
  std::array<Real, K> q, q1, q2;

  Kinematics(Curve curve, Real phi) {
    const Real h = 4e-3L;
    std::array<std::array<Real, K>, 7> p;
    for (int i = 0; i < 7; ++i) p[static_cast<std::size_t>(i)] = curve(phi + h * (i - 3));
    for (std::size_t j = 0; j < K; ++j) {
      q[j] = p[3][j];
      q1[j] = (45 * (p[4][j] - p[2][j]) - 9 * (p[5][j] - p[1][j]) + (p[6][j] - p[0][j])) / (60 * h);
      q2[j] = (270 * (p[4][j] + p[2][j]) - 27 * (p[5][j] + p[1][j]) + 2 * (p[6][j] + p[0][j]) - 490 * p[3][j]) /
              (180 * h * h);
    }
  }
};

/// J = sum m q'^2 and half its derivative, for the masses of the coordinates.
template <std::size_t K, class Curve>
std::pair<Real, Real> reduced_inertia(const Kinematics<K, Curve>& k, const std::array<Real, K>& mass) {
  Real J = 0, half = 0;
  for (std::size_t j = 0; j < K; ++j) {
    J += mass[j] * k.q1[j] * k.q1[j];
    half += mass[j] * k.q1[j] * k.q2[j];
  }
  return {J, half};
}

void check_against(const Mechanism& mechanism, const std::vector<std::pair<const char*, double>>& expected,
                   const std::vector<std::pair<const char*, double>>& rates) {
  const struct {
    const char *formulation, *integrator, *solver;
    double tolerance, bound;
  } lines[] = {{"baumgarte", "dopri5", "dense", 1e-11, 1e-8},
               {"projected", "cvode_bdf", "klu", 1e-10, 1e-6},
               {"ggl", "ida", "klu", 1e-9, 1e-5},
               {"index1", "ida", "dense", 1e-9, 1e-5},
               {"projected", "cvode_bdf", "block", 1e-10, 1e-6},
               {"ggl", "ida", "block", 1e-9, 1e-5}};
  for (const auto& line : lines) {
    if (!linear_solver(line.solver).available) continue;
    BOOST_TEST_CONTEXT(line.formulation << ", " << line.solver) {
      SimulationOptions options = options_of(mechanism, line.formulation, line.integrator, line.tolerance);
      options.linear_solver.name = line.solver;
      const Simulation result = simulate(mechanism.system, mechanism.start, options);
      BOOST_REQUIRE_MESSAGE(result.status.finished(), result.status.message);
      const std::size_t end = result.trajectory.size() - 1;
      const auto index = [&](const char* name) { return mechanism.system->position_indices(name).front(); };
      for (const auto& [name, value] : expected)
        BOOST_TEST(std::abs(result.trajectory.q(end)[index(name)] - value) < line.bound, name);
      for (const auto& [name, value] : rates)
        BOOST_TEST(std::abs(result.trajectory.v(end)[index(name)] - value) < 10.0 * line.bound, name << "'");
      const EnergyBalance energy = energy_balance(result.trajectory, mechanism.system);
      BOOST_TEST(energy.status.finished(), energy.status.message);
      BOOST_TEST(energy.closure < line.bound, energy.text());
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(exact_solutions_at_every_step) {
  for (const char* name : {"loudspeaker", "rod_variable_inertia", "program_control", "cognition", "production"}) {
    const Mechanism mechanism = find_mechanism(name).make(0);
    const struct {
      const char *formulation, *integrator;
      double tolerance, bound;
    } lines[] = {{"baumgarte", "dopri5", 1e-11, 1e-8},
                 {"projected", "cvode_bdf", 1e-10, 1e-6},
                 {"index1", "ida", 1e-9, 1e-5},
                 {"ggl", "ida", 1e-9, 1e-5}};
    for (const auto& line : lines) {
      BOOST_TEST_CONTEXT(name << ", " << line.formulation) {
        // the programmes leave nothing free: after projection no error is left, and the steps are as long as the run
        const bool steps_resolve =
            name != std::string("program_control") || line.formulation != std::string("projected");
        const Simulation result = run(mechanism, line.formulation, line.integrator, line.tolerance);
        double error = 0.0, size = 0.0;
        for (std::size_t k = 1; k < result.trajectory.size(); ++k) {
          const auto exact = *mechanism.reference(result.trajectory.t(k));
          error = std::max({error, largest(result.trajectory.q(k) - exact.q), largest(result.trajectory.v(k) - exact.v),
                            0.1 * largest(result.trajectory.lambda(k) - exact.lambda)});
          size = std::max(size, largest(exact.q));
        }
        BOOST_TEST(error < line.bound * size);
        if (!steps_resolve) continue;
        BOOST_TEST(result.report.energy_drift < line.bound * 100.0 * size);
        BOOST_TEST(energy_balance(result.trajectory, mechanism.system).closure < line.bound);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(controls_of_the_programme_do_all_the_work) {
  const Mechanism joint = find_mechanism("program_control").make(0);
  const Simulation result = run(joint, "baumgarte", "dopri5", 1e-10);
  const EnergyBalance energy = energy_balance(result.trajectory, joint.system);
  BOOST_TEST(energy.supplied == 0.0);
  BOOST_TEST(energy.dissipated > 1.0);
  BOOST_TEST(std::abs(energy.stored + energy.dissipated - energy.element("torque").prescribed -
                      energy.element("sleeve").prescribed) < 1e-8);
}

BOOST_AUTO_TEST_CASE(dc_motor_slider_crank_against_reduced_equations) {
  const Mechanism mechanism = find_mechanism("dc_motor_slider_crank").make(0);
  constexpr Real a = 0.5L, l = 1.2L;
  const auto pose = [](Real phi) {  // crank x, y, phi; rod x, y, phi; slider; motor
    const Real angle = -std::asin(a * std::sin(phi) / l);
    return std::array<Real, 8>{a / 2 * std::cos(phi),
                               a / 2 * std::sin(phi),
                               phi,
                               a * std::cos(phi) + l / 2 * std::cos(angle),
                               a * std::sin(phi) + l / 2 * std::sin(angle),
                               angle,
                               a * std::cos(phi) + l * std::cos(angle),
                               8 * phi};
  };
  const std::array<Real, 8> mass{1, 1, a * a / 12, 1.5L, 1.5L, 1.5L * l * l / 12, 2, 0.004L};
  const auto rhs = [&](Real, const std::array<Real, 6>& y) {  // phi, q2, q3, w, i2, i3
    const Kinematics<8, decltype(pose)> k(pose, y[0]);
    const auto [J, half] = reduced_inertia(k, mass);
    const Real torque = 8 * 0.4L * y[4] - 4 * k.q1[6] * k.q1[6] * y[3] - 9.81L * (k.q1[1] + 1.5L * k.q1[4]);
    const Real u1 = 24 - 0.2L * (y[4] + y[5]);  // less L1 (i2 + i3)'
    const Real b2 = u1 - 0.6L * y[4] - 0.4L * 8 * y[3], b3 = u1 - 5 * y[5] - y[2] / 0.05L;
    const Real L1 = 0.01L, L2 = 0.03L, L3 = 0.02L, det = L1 * L2 + L1 * L3 + L2 * L3;
    return std::array<Real, 6>{y[3],
                               y[4],
                               y[5],
                               (torque - half * y[3] * y[3]) / J,
                               ((L1 + L3) * b2 - L1 * b3) / det,
                               ((L1 + L2) * b3 - L1 * b2) / det};
  };
  const std::array<Real, 6> start{0.6L, 0, 0, 0, 0, 0};
  const auto y = integrate(start, 2.0L, 20000, rhs), coarse = integrate(start, 2.0L, 10000, rhs);
  for (std::size_t i = 0; i < 6; ++i) BOOST_REQUIRE(std::abs(static_cast<double>(y[i] - coarse[i])) < 1e-9);
  BOOST_TEST(std::abs(static_cast<double>(y[0]) - 0.6) > 6.0);  // it turns
  const Kinematics<8, decltype(pose)> k(pose, y[0]);
  const auto number = [](Real x) { return static_cast<double>(x); };
  check_against(mechanism,
                {{"slider", number(k.q[6])},
                 {"motor angle", number(8 * y[0])},
                 {"q2", number(y[1])},
                 {"q3", number(y[2])},
                 {"q1", number(y[1] + y[2])}},
                {{"slider", number(k.q1[6] * y[3])}, {"q2", number(y[4])}, {"q3", number(y[5])}});
}

BOOST_AUTO_TEST_CASE(hydraulic_four_bar_against_reduced_equations) {
  const Mechanism mechanism = find_mechanism("hydraulic_four_bar").make(0);
  const auto pose = [](Real phi) {  // crank, coupler, rocker (x, y, phi), cylinder volume
    const Real Cx = std::cos(phi), Cy = std::sin(phi), dx = 2 - Cx, dy = -Cy, d = std::hypot(dx, dy);
    const Real along = (4 - 2.25L + d * d) / (2 * d), across = std::sqrt(4 - along * along);
    const Real Dx = Cx + (along * dx - across * dy) / d, Dy = Cy + (along * dy + across * dx) / d;
    const Real start = std::hypot(std::cos(1.0L) / 2 - 0.9L, std::sin(1.0L) / 2 + 0.3L);
    return std::array<Real, 10>{Cx / 2,
                                Cy / 2,
                                phi,
                                (Cx + Dx) / 2,
                                (Cy + Dy) / 2,
                                std::atan2(Dy - Cy, Dx - Cx),
                                (2 + Dx) / 2,
                                Dy / 2,
                                std::atan2(Dy, Dx - 2),
                                2 * (std::hypot(Cx / 2 - 0.9L, Cy / 2 + 0.3L) - start)};
  };
  const std::array<Real, 10> mass{1, 1, 1 / 12.0L, 2, 2, 8 / 12.0L, 1.5L, 1.5L, 3.375L / 12, 1};
  const auto rhs = [&](Real t, const std::array<Real, 4>& y) {  // phi, Vp, w, Q
    const Kinematics<10, decltype(pose)> k(pose, y[0]);
    const auto [J0, half0] = reduced_inertia(k, mass);
    const Real c = k.q1[9], cc = k.q2[9];                            // Vc' = c w
    const Real J = J0 + 0.5L * c * c, half = half0 + 0.5L * c * cc;  // the neck moves with Vp' - Vc'
    const Real pressure = (0.75L + y[1] - k.q[9]) / 0.05L;
    const Real torque = -9.81L * (k.q1[1] + 2 * k.q1[4] + 1.5L * k.q1[7]) - 2 * k.q1[8] * k.q1[8] * y[2] + pressure * c;
    const Real drop = 6 * y[3] * std::sqrt(y[3] * y[3] + 0.0025L);
    const Real b_phi = torque - half * y[2] * y[2];
    const Real b_V = 15 + 8 * std::sin(2 * t) - drop - pressure + 0.5L * cc * y[2] * y[2];
    // J w' - 0.5 c Q' = b_phi,  -0.5 c w' + 4.5 Q' = b_V
    const Real det = 4.5L * J - 0.25L * c * c;
    return std::array<Real, 4>{y[2], y[3], (4.5L * b_phi + 0.5L * c * b_V) / det, (0.5L * c * b_phi + J * b_V) / det};
  };
  const std::array<Real, 4> start{1, 0, 0, 0};
  const auto y = integrate(start, 3.0L, 6000, rhs), coarse = integrate(start, 3.0L, 3000, rhs);
  for (std::size_t i = 0; i < 4; ++i) BOOST_REQUIRE(std::abs(static_cast<double>(y[i] - coarse[i])) < 1e-9);
  const Kinematics<10, decltype(pose)> k(pose, y[0]);
  const auto number = [](Real x) { return static_cast<double>(x); };
  check_against(mechanism,
                {{"crank.phi", number(y[0])},
                 {"rocker.phi", number(k.q[8])},
                 {"Vp", number(y[1])},
                 {"Vc", number(k.q[9])},
                 {"Va", number(0.75L + y[1] - k.q[9])}},
                {{"crank.phi", number(y[2])}, {"Vp", number(y[3])}, {"Vc", number(k.q1[9] * y[2])}});
}
