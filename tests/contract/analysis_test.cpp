// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <complex>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>

#include "analysed_mechanisms.hpp"

/// Over all registered mechanisms: an equilibrium is one, its modes are motions of the nonlinear equations, eigenpairs
/// are those of the linearisation, gradients are forward sensitivities, and what has none says why.
using namespace sunlagrange;
using namespace sunlagrange::test;
using Eigen::VectorXd;
using mechanisms::Mechanism;

namespace {

/// Accelerations of the nonlinear equations, by the kernel and not by the linearisation.
VectorXd acceleration(const std::shared_ptr<const MechanicalSystem>& system, double t, const VectorXd& q,
                      const VectorXd& v) {
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  return consistent_state(system, {t, q, v}, as_given).state.a;
}

/// Largest difference of mu dv and the directional derivative of the acceleration, relative.
double error_of_mode(const std::shared_ptr<const MechanicalSystem>& system, const Linearisation& at, const Mode& mode) {
  const double h = 1e-5;
  const auto derivative = [&](const VectorXd& dq, const VectorXd& dv) -> VectorXd {
    const double size = std::max({dq.norm(), dv.norm(), 1e-30});
    const double step = h / size;
    return (acceleration(system, at.state.t, at.state.q + step * dq, at.state.v + step * dv) -
            acceleration(system, at.state.t, at.state.q - step * dq, at.state.v - step * dv)) /
           (2.0 * step);
  };
  const Eigen::VectorXcd expected = mode.eigenvalue * mode.velocity;
  const VectorXd real = derivative(mode.shape.real(), mode.velocity.real());
  const VectorXd imaginary = derivative(mode.shape.imag(), mode.velocity.imag());
  const double scale = expected.norm() + std::abs(mode.eigenvalue) * mode.velocity.norm() + mode.shape.norm();
  return std::max((real - expected.real()).norm(), (imaginary - expected.imag()).norm()) / scale;
}

}  // namespace

namespace {

/// Mechanisms that the search leaves without a balance from their own start: where it ends, in the words of its
/// message.
struct NotReached {
  const char* mechanism;
  const char* words;
  const char* why;
};
constexpr NotReached not_reached[] = {
    {"knife_edge", "at x a force", "the blade stands along the slope, and nothing in a balance turns it"},
    {"arevalo", "at particle[", "the force along the circle is 2 N everywhere"},
    {"dc_motor_slider_crank", "at q1 a force", "the battery drives a current: charges never rest"},
    {"loudspeaker", "at q1 a force", "the source at t = 0 drives a current: charges never rest"},
};

}  // namespace

BOOST_AUTO_TEST_CASE(equilibria_and_their_modes) {
  const std::vector<Refusal> cannot = {{is_program, "program has no forces"}, {moves_by_itself, "prescribes a motion"}};
  EquilibriumOptions options;
  options.max_iterations = 50;  // what is found takes fewer
  int found_some = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const auto& system = one.system();
      Equilibrium found;
      const auto call = [&] {
        found = static_equilibrium(system, one.mechanism.start, options);
        return found.status;
      };
      if (refused(one, cannot, call)) continue;
      const std::string message = refusal_of(call);
      const auto known = std::find_if(std::begin(not_reached), std::end(not_reached),
                                      [&](const NotReached& entry) { return one.name == entry.mechanism; });
      if (known != std::end(not_reached)) {
        BOOST_TEST(message.find(known->words) != std::string::npos, "said: " << message);
        BOOST_TEST_MESSAGE(one.name << ": " << known->words << ": " << known->why);
        continue;
      }
      BOOST_REQUIRE_EQUAL(message, "");
      ++found_some;
      const SystemQuantities at = SystemEvaluator(system).at(found.state.t, found.state.q);
      const double forces = at.f.lpNorm<Eigen::Infinity>() + 1e-12;
      BOOST_TEST((at.G.transpose() * found.state.lambda - at.f).lpNorm<Eigen::Infinity>() < 1e-6 * forces);
      BOOST_TEST((found.reaction + at.G.transpose() * found.state.lambda).norm() <= 1e-9 * forces);
      if (at.g.size() > 0) BOOST_TEST(at.g.lpNorm<Eigen::Infinity>() < 1e-9 * (1.0 + found.state.q.norm()));
      BOOST_TEST((at.G * found.linearisation.velocities).norm() < 1e-6 * (1.0 + at.G.norm()));
      BOOST_TEST_MESSAGE(one.name << ": " << found.modes.verdict);
      if (found.linearisation.lost > 0) continue;
      for (const Mode& mode : found.modes.modes) {
        if (mode.zero) continue;
        BOOST_TEST(error_of_mode(system, found.linearisation, mode) < 1e-4, mode.eigenvalue);
      }
    }
  }
  BOOST_TEST(found_some >= 14);
}

/// Of every linearisation, also in motion: as many eigenvalues as states, twice the freedoms where rows hold positions;
/// each with a motion that the rows allow and that solves y' = T w + S y, M w' + (damping + gyroscopic) w + K y = 0.
BOOST_AUTO_TEST_CASE(eigenpairs_of_every_start) {
  const std::vector<Refusal> cannot = {{is_program, "program has no forces"}};
  int treated = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      Linearisation at;
      ConsistencyOptions options;
      options.start = one.mechanism.start_mode;
      const auto call = [&] {
        at = linearise(one.system(), one.mechanism.start, options);
        return at.status;
      };
      if (refused(one, cannot, call)) continue;
      BOOST_REQUIRE_EQUAL(refusal_of(call), "");
      ++treated;
      const SystemQuantities terms = SystemEvaluator(one.system()).at(at.state.t, at.state.q, at.state.v);
      const Eigen::Index p = at.positions.cols(), k = at.velocities.cols();
      BOOST_TEST(k == one.freedoms());
      if (one.system()->num_velocity_constraints() == 0) BOOST_TEST(p == k);
      BOOST_TEST((terms.G.topRows(terms.g.size()) * at.positions).norm() < 1e-8 * (1.0 + terms.G.norm()));
      BOOST_TEST((terms.G * at.velocities).norm() < 1e-8 * (1.0 + terms.G.norm()));
      const Modes found = modes(at);
      Eigen::Index values = 0;
      for (const Mode& mode : found.modes) {
        values += mode.eigenvalue.imag() > 0.0 ? 2 : 1;
        const std::complex<double> mu = mode.eigenvalue;
        const Eigen::MatrixXcd P = at.positions.cast<std::complex<double>>();
        const Eigen::MatrixXcd N = at.velocities.cast<std::complex<double>>();
        const Eigen::VectorXcd y = P.colPivHouseholderQr().solve(mode.shape);
        const Eigen::VectorXcd w = N.colPivHouseholderQr().solve(mode.velocity - at.transport * y);
        const double size = y.norm() + w.norm();
        const double first = (mu * y - at.T * w - at.S * y).norm();
        const double second = (mu * (at.M * w) + (at.damping + at.gyroscopic) * w + at.K * y).norm();
        const double forces = at.M.norm() * std::abs(mu) + (at.damping + at.gyroscopic).norm() + at.K.norm();
        const double allowed = mode.zero ? 1e-5 : 1e-8;  // a double zero is known to the root of the rounding
        BOOST_TEST(first <= allowed * (1.0 + std::abs(mu) + at.S.norm()) * size, mu);
        BOOST_TEST(second <= allowed * forces * size, mu);
      }
      BOOST_TEST(values == p + k);
    }
  }
  BOOST_TEST(treated >= 25);
}

/// Rows of C that are accelerations say how the accelerations of the nonlinear equations change along any small motion
/// that the linearisation allows, at rest and in motion, with redundant rows as well.
BOOST_AUTO_TEST_CASE(accelerations_of_the_state_space) {
  const std::vector<Refusal> cannot = {{is_program, "program has no forces"}};
  int treated = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const auto& system = one.system();
      const int n = system->num_positions();
      std::vector<std::string> outputs;
      for (int i = 0; i < n; ++i) outputs.push_back(system->position_name(i) + "''");
      StateSpace s;
      const auto call = [&] {
        s = state_space(system, one.mechanism.start, {}, outputs);
        return s.status;
      };
      if (refused(one, cannot, call)) continue;
      BOOST_REQUIRE_EQUAL(refusal_of(call), "");
      const Eigen::Index p = s.about.positions.cols(), k = s.about.velocities.cols();
      BOOST_REQUIRE_EQUAL(s.C.cols(), p + k);
      BOOST_TEST((s.A - s.about.state_matrix()).norm() == 0.0);
      if (p + k == 0) continue;
      ++treated;
      VectorXd x(p + k);
      for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = std::cos(1.0 + 2.0 * static_cast<double>(i));
      const VectorXd dq = s.about.positions * x.head(p);
      const VectorXd dv = s.about.velocities * x.tail(k) + s.about.transport * x.head(p);
      const MotionState& at = s.about.state;
      const double h = 1e-5 / (1.0 + dq.norm() + dv.norm());
      const auto moved = [&](double step) -> VectorXd {
        return acceleration(system, at.t, at.q + step * dq, at.v + step * dv);
      };
      const VectorXd change = (moved(h) - moved(-h)) / (2.0 * h);
      const double error = (s.C * x - change).cwiseQuotient(system->natural_scales()).norm();
      const double size = 1.0 + at.a.cwiseQuotient(system->natural_scales()).norm() +
                          change.cwiseQuotient(system->natural_scales()).norm();
      BOOST_TEST(error < 1e-5 * size, error);
      BOOST_TEST((s.z - at.a).norm() <= 1e-9 * (1.0 + at.a.norm()));
    }
  }
  BOOST_TEST(treated >= 20);
}

/// Gradients of every mechanism are those of forward sensitivities, contracted, with every formulation that has an
/// adjoint, over a short piece of the motion.
BOOST_AUTO_TEST_CASE(gradients_as_forward) {
  int treated = 0;
  for (const auto& entry : mechanisms::mechanism_registry()) {
    const Mechanism mechanism = entry.make(entry.sized() ? 3 : 0);
    const auto& system = mechanism.system;
    if (system->first_order()) {
      BOOST_TEST_MESSAGE(entry.name << ": a program");
      continue;
    }
    const std::vector<SystemParameter> known = system_parameters(*system);
    SensitivityOptions wanted;
    for (std::size_t i = 0; i < std::min<std::size_t>(known.size(), 3U); ++i)
      wanted.parameters.push_back(known[i].name);
    if (known.empty()) wanted.start_positions = {system->position_name(0)};
    for (const std::string formulation : {"baumgarte", "penalty", "projected", "unstabilized"}) {
      BOOST_TEST_CONTEXT(entry.name << ", " << formulation) {
        SimulationOptions options;
        options.formulation = formulation;
        options.start = mechanism.start_mode;
        options.t_end = mechanism.start.t + std::min(0.1, 0.2 * (mechanism.t_end - mechanism.start.t));
        options.rtol = options.atol = 1e-9;
        wanted.times = {options.t_end};
        const int last = system->num_positions() - 1;
        const Functional functional =
            named_functional(*system, "final square " + system->position_name(last) + "'", 1.0);
        const GradientOptions by{wanted.parameters, wanted.start_positions, wanted.start_velocities, 0};
        Sensitivities forward;
        try {
          forward = sensitivities(system, mechanism.start, options, wanted);
        } catch (const Error& error) {  // e.g. an inertia that has no room to change
          BOOST_TEST_MESSAGE(entry.name << ", " << formulation << ": " << error.what());
          BOOST_CHECK_THROW(gradient(system, mechanism.start, options, functional, by), Error);
          continue;
        }
        const Gradient found = gradient(system, mechanism.start, options, functional, by);
        if (!forward.status.finished()) {
          BOOST_TEST_MESSAGE(entry.name << ", " << formulation << ": " << forward.status.message);
          BOOST_TEST((found.status.outcome == forward.status.outcome), found.status.message);
          continue;
        }
        BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
        ++treated;
        const SensitivityPoint& end = forward.points.back();
        const double v = end.state.v[last];
        const VectorXd expected = 2.0 * v * end.v.row(last).transpose();
        VectorXd sizes(expected.size());
        for (Eigen::Index i = 0; i < sizes.size(); ++i) {
          const SystemParameter& p = forward.parameters[static_cast<std::size_t>(i)];
          const bool of_start = p.name[1] == '(';  // "q(arm.phi)"
          sizes[i] = of_start || p.value == 0.0 ? 1.0 : std::abs(p.value);
        }
        const double most = 2.0 * std::abs(v) * (std::abs(v) + 1.0);  // what the tolerances hold the square against
        const double scale = expected.cwiseProduct(sizes).norm() + most;
        BOOST_TEST((found.gradient - expected).cwiseProduct(sizes).norm() <= 1e-5 * scale);
      }
    }
  }
  BOOST_TEST_MESSAGE(treated << " gradients");
  BOOST_TEST(treated >= 60);
}

/// The first described parameter of every mechanism: dv'/dp and dlambda/dp at the start are those that consistent_state
/// shows for the changed system. Along the motion: tests/unit/analysis/sensitivities_test.cpp.
BOOST_AUTO_TEST_CASE(sensitivities_at_the_start) {
  int treated = 0;
  for (const auto& entry : mechanisms::mechanism_registry()) {
    BOOST_TEST_CONTEXT(entry.name) {
      const Mechanism mechanism = entry.make(entry.sized() ? 3 : 0);
      const auto& system = mechanism.system;
      const std::vector<SystemParameter> known = system_parameters(*system);
      if (system->first_order() || known.empty()) {
        BOOST_TEST_MESSAGE(entry.name << ": " << (known.empty() ? "describes no parameters" : "a program"));
        continue;
      }
      SensitivityOptions wanted;
      wanted.parameters = {known.front().name};
      wanted.times = {mechanism.start.t};
      SimulationOptions options;
      options.t_end = mechanism.start.t + 1.0;
      options.start = mechanism.start_mode;
      const Sensitivities found = sensitivities(system, mechanism.start, options, wanted);
      if (!found.status.finished()) {
        BOOST_TEST_MESSAGE(entry.name << ", " << known.front().name << ": " << found.status.message);
        BOOST_TEST((found.status.outcome == Outcome::infeasible), found.status.message);
        continue;
      }
      ++treated;
      BOOST_REQUIRE(found.points.size() == 1U);
      const SensitivityPoint& at = found.points.front();
      const double value = known.front().value, h = 1e-5 * (value != 0.0 ? std::abs(value) : 1.0);
      ConsistencyOptions consistency;
      consistency.start = mechanism.start_mode;
      consistency.tolerance = 1e-13;
      const auto moved = [&](double change) {
        InitialState from = mechanism.start;
        from.q = at.state.q;
        from.v = at.state.v;
        return consistent_state(with_parameters(system, {{known.front().name, value + change}}), from, consistency)
            .state;
      };
      const MotionState up = moved(h), down = moved(-h);
      const auto near = [&](const VectorXd& exact, const VectorXd& above, const VectorXd& below, const VectorXd& size) {
        const double scale = exact.norm() + size.norm() / std::abs(value != 0.0 ? value : 1.0) + 1e-12;
        return ((above - below) / (2.0 * h) - exact).norm() / scale;
      };
      BOOST_TEST(near(at.q.col(0), up.q, down.q, at.state.q) < 1e-5);
      BOOST_TEST(near(at.v.col(0), up.v, down.v, at.state.v) < 1e-5);
      BOOST_TEST(near(at.a.col(0), up.a, down.a, at.state.a) < 1e-5);
    }
  }
  BOOST_TEST(treated >= 10);
}
