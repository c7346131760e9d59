// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/sunlagrange_c.h>
#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/files/mechanism_file.hpp>

#include "mechanisms/mechanism.hpp"

/// Analyses through C are those of C++, bit for bit: every mechanism that has a file.
using namespace sunlagrange;

namespace {

struct Mechanism {
  sunlagrange_mechanism* handle = nullptr;
  explicit Mechanism(const std::string& text) {
    BOOST_REQUIRE_MESSAGE(sunlagrange_from_json(text.c_str(), "test.json", &handle) == SUNLAGRANGE_SUCCESS,
                          sunlagrange_error());
  }
  ~Mechanism() { sunlagrange_free(&handle); }
};

std::vector<std::pair<std::string, std::string>> model_files() {
  std::vector<std::pair<std::string, std::string>> files;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    const mechanisms::Mechanism mechanism = entry.make(entry.sized() ? 3 : 0);
    if (mechanism.system->num_positions() > 15 || mechanism.system->first_order()) continue;
    MechanismFile file;
    file.system = mechanism.system;
    file.start = mechanism.start;
    file.options.t_end = mechanism.start.t + 0.01 * (mechanism.t_end - mechanism.start.t);
    file.options.start = mechanism.start_mode;
    try {
      files.emplace_back(entry.name, mechanism_text(file));
    } catch (const Error&) {  // a model that is no assembly
    }
  }
  return files;
}

template <class Matrix>
bool same_bits(const double* a, const Matrix& b) {
  const Eigen::MatrixXd plain = b;
  for (Eigen::Index i = 0; i < plain.size(); ++i) {
    const double x = plain.data()[i];
    if (a[i] != x && !(std::isnan(a[i]) && std::isnan(x))) return false;
  }
  return true;
}

std::string error() {
  return sunlagrange_error();
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(equilibria_and_modes) {
  int balanced = 0;
  for (const auto& [name, text] : model_files()) {
    BOOST_TEST_CONTEXT(name) {
      Mechanism mechanism(text);
      const MechanismFile file = parse_mechanism(text, "test.json");
      const auto n = static_cast<std::size_t>(file.system->num_positions());
      std::vector<double> q(n), lambda(static_cast<std::size_t>(file.system->num_constraints()));
      const char* stability = "";
      const int code = sunlagrange_equilibrium(mechanism.handle, q.data(), lambda.data(), &stability);
      EquilibriumOptions options;
      options.linear_solver = file.options.linear_solver;
      const Equilibrium wanted = static_equilibrium(file.system, file.start, options);
      BOOST_TEST((code == SUNLAGRANGE_SUCCESS) == wanted.status.finished());
      if (code != SUNLAGRANGE_SUCCESS) {
        BOOST_TEST(mentions(error(), wanted.status.message), error());
        BOOST_TEST((stability == nullptr));
      } else {
        ++balanced;
        BOOST_TEST(same_bits(q.data(), wanted.state.q));
        BOOST_TEST(same_bits(lambda.data(), wanted.state.lambda));
        BOOST_TEST(std::string(stability) == to_string(wanted.modes.stability));
      }

      std::vector<double> real(2 * n), imaginary(2 * n), shape(2 * n * n), quadrature(2 * n * n);
      int count = -1;
      const int found =
          sunlagrange_modes(mechanism.handle, real.data(), imaginary.data(), shape.data(), quadrature.data(), &count);
      ConsistencyOptions consistency;
      consistency.start = file.options.start;
      consistency.linear_solver = file.options.linear_solver;
      const Linearisation about = linearise(file.system, file.start, consistency);
      BOOST_TEST((found == SUNLAGRANGE_SUCCESS) == about.status.finished());
      if (found != SUNLAGRANGE_SUCCESS) continue;
      const Modes expected = modes(about);
      BOOST_REQUIRE(count == static_cast<int>(expected.modes.size()));
      for (std::size_t k = 0; k < expected.modes.size(); ++k) {
        BOOST_TEST(real[k] == expected.modes[k].eigenvalue.real());
        BOOST_TEST(imaginary[k] == expected.modes[k].eigenvalue.imag());
        BOOST_TEST(same_bits(&shape[n * k], Eigen::VectorXd(expected.modes[k].shape.real())));
        BOOST_TEST(same_bits(&quadrature[n * k], Eigen::VectorXd(expected.modes[k].shape.imag())));
      }
    }
  }
  BOOST_TEST(balanced >= 5);
}

BOOST_AUTO_TEST_CASE(state_spaces) {
  int found_some = 0;
  for (const auto& [name, text] : model_files()) {
    BOOST_TEST_CONTEXT(name) {
      Mechanism mechanism(text);
      const MechanismFile file = parse_mechanism(text, "test.json");
      const auto n = static_cast<std::size_t>(file.system->num_positions());
      const std::string rate = file.system->position_name(0) + "'", position = file.system->position_name(0);
      const char* const outputs[] = {position.c_str(), rate.c_str()};
      std::vector<double> A(4 * n * n), B(2 * n * n), C(4 * n), D(2 * n), z(2);
      int states = -1;
      const int code = sunlagrange_state_space(mechanism.handle, nullptr, 0, outputs, 2, A.data(), B.data(), C.data(),
                                               D.data(), z.data(), &states);
      ConsistencyOptions options;
      options.start = file.options.start;
      options.linear_solver = file.options.linear_solver;
      try {
        const StateSpace expected = state_space(file.system, file.start, {}, {position, rate}, options);
        BOOST_TEST((code == SUNLAGRANGE_SUCCESS) == expected.status.finished());
        if (code != SUNLAGRANGE_SUCCESS) continue;
        ++found_some;
        BOOST_TEST(states == static_cast<int>(expected.A.rows()));
        BOOST_TEST(same_bits(A.data(), expected.A));
        BOOST_TEST(same_bits(B.data(), expected.B));
        BOOST_TEST(same_bits(C.data(), expected.C));
        BOOST_TEST(same_bits(D.data(), expected.D));
        BOOST_TEST(same_bits(z.data(), expected.z));
      } catch (const Error& refused) {
        BOOST_TEST(code == SUNLAGRANGE_INVALID);
        BOOST_TEST(mentions(error(), refused.what()), error());
      }
    }
  }
  BOOST_TEST(found_some >= 5);
}

BOOST_AUTO_TEST_CASE(parameters_and_sensitivities) {
  int differentiated = 0;
  for (const auto& [name, text] : model_files()) {
    BOOST_TEST_CONTEXT(name) {
      Mechanism mechanism(text);
      const MechanismFile file = parse_mechanism(text, "test.json");
      const std::vector<SystemParameter> known = system_parameters(*file.system);
      for (std::size_t i = 0; i < known.size(); ++i) {
        const char* const parameter = sunlagrange_parameter_name(mechanism.handle, static_cast<int>(i));
        BOOST_REQUIRE((parameter != nullptr && parameter == known[i].name));
        double value = 0.0;
        BOOST_TEST(sunlagrange_parameter(mechanism.handle, known[i].name.c_str(), &value) == SUNLAGRANGE_SUCCESS);
        BOOST_TEST(value == known[i].value);
      }
      BOOST_TEST((sunlagrange_parameter_name(mechanism.handle, static_cast<int>(known.size())) == nullptr));
      if (known.empty()) continue;

      const std::string start = "v(" + file.system->position_name(0) + ")";
      const char* const names[] = {known.front().name.c_str(), start.c_str()};
      SensitivityOptions wanted;
      wanted.parameters = {known.front().name};
      wanted.start_velocities = {file.system->position_name(0)};
      const double from = file.start.t, to = file.options.t_end, times[] = {from, 0.5 * (from + to), to};
      wanted.times.assign(times, times + 3);
      const Eigen::Index n = file.system->num_positions(), m = file.system->num_constraints();
      Eigen::MatrixXd dq(n, 6), dv(n, 6), da(n, 6), dlambda(m, 6);
      const int code = sunlagrange_sensitivities(mechanism.handle, names, 2, times, 3, dq.data(), dv.data(), da.data(),
                                                 dlambda.data());
      try {
        const Sensitivities expected = sensitivities(file.system, file.start, file.options, wanted);
        BOOST_TEST((code == SUNLAGRANGE_SUCCESS) == expected.status.finished());
        if (code != SUNLAGRANGE_SUCCESS) continue;
        ++differentiated;
        for (Eigen::Index k = 0; k < 3; ++k) {
          const SensitivityPoint& point = expected.points[static_cast<std::size_t>(k)];
          BOOST_TEST(same_bits(&dq(0, 2 * k), point.q));
          BOOST_TEST(same_bits(&dv(0, 2 * k), point.v));
          BOOST_TEST(same_bits(&da(0, 2 * k), point.a));
          if (m > 0) BOOST_TEST(same_bits(&dlambda(0, 2 * k), point.lambda));
        }
      } catch (const Error& refused) {
        BOOST_TEST(code == SUNLAGRANGE_INVALID);
        BOOST_TEST(mentions(error(), refused.what()), error());
      }
    }
  }
  BOOST_TEST(differentiated >= 5);
}

BOOST_AUTO_TEST_CASE(gradients) {
  int differentiated = 0;
  for (const auto& [name, text] : model_files()) {
    BOOST_TEST_CONTEXT(name) {
      Mechanism mechanism(text);
      const MechanismFile file = parse_mechanism(text, "test.json");
      const std::vector<SystemParameter> known = system_parameters(*file.system);
      if (known.empty()) continue;
      const std::string coordinate = file.system->position_name(0), start = "v(" + coordinate + ")";
      const std::string words = "mean square " + coordinate;
      const char* const names[] = {known.front().name.c_str(), start.c_str()};
      double value = 0.0, gradient[2] = {};
      const int code = sunlagrange_gradient(mechanism.handle, words.c_str(), names, 2, &value, gradient);
      GradientOptions wanted;
      wanted.parameters = {known.front().name};
      wanted.start_velocities = {coordinate};
      try {
        const Gradient expected =
            sunlagrange::gradient(file.system, file.start, file.options,
                                  named_functional(*file.system, words, file.options.t_end - file.start.t), wanted);
        BOOST_TEST((code == SUNLAGRANGE_SUCCESS) == expected.status.finished());
        if (code != SUNLAGRANGE_SUCCESS) continue;
        ++differentiated;
        BOOST_TEST(value == expected.value);
        BOOST_TEST(same_bits(gradient, expected.gradient));
      } catch (const Error& refused) {
        BOOST_TEST(code == SUNLAGRANGE_INVALID);
        BOOST_TEST(mentions(error(), refused.what()), error());
      }
    }
  }
  BOOST_TEST(differentiated >= 5);
}

BOOST_AUTO_TEST_CASE(kinematics_and_drives) {
  int followed = 0, driven = 0;
  for (const auto& [name, text] : model_files()) {
    BOOST_TEST_CONTEXT(name) {
      Mechanism mechanism(text);
      const MechanismFile file = parse_mechanism(text, "test.json");
      const auto n = static_cast<std::size_t>(file.system->num_positions());
      const std::string coordinate = file.system->position_name(0);
      const double s = file.start.q[0];
      const std::vector<double> grid = {s, s + 1e-3, s + 0.01, s + 50.0};  // the last one behind dead points
      std::vector<double> q(4 * n), rate(4 * n), curvature(4 * n);
      int reached = -1;
      const int code = sunlagrange_kinematics(mechanism.handle, coordinate.c_str(), grid.data(), 4, q.data(),
                                              rate.data(), curvature.data(), &reached);
      KinematicsOptions options;
      options.linear_solver = file.options.linear_solver;
      try {
        const Kinematics expected = kinematics(file.system, file.start, coordinate, grid, options);
        BOOST_TEST((code == SUNLAGRANGE_SUCCESS) == expected.status.finished());
        if (!expected.status.finished()) BOOST_TEST(mentions(error(), expected.status.message), error());
        const auto points = expected.branches.empty() ? std::vector<KinematicPoint>() : expected.branches[0].points;
        BOOST_REQUIRE(reached == static_cast<int>(points.size()));
        for (std::size_t k = 0; k < points.size(); ++k) {
          ++followed;
          BOOST_TEST(same_bits(&q[n * k], points[k].q));
          BOOST_TEST(same_bits(&rate[n * k], points[k].rate));
          BOOST_TEST(same_bits(&curvature[n * k], points[k].curvature));
        }
      } catch (const Error& refused) {
        BOOST_TEST(code == SUNLAGRANGE_INVALID);
        BOOST_TEST(mentions(error(), refused.what()), error());
      }

      const MotionState at = consistent_state(file.system, file.start).state;
      const char* const drives[] = {coordinate.c_str()};
      double drive = 0.0, missing = 0.0;
      std::vector<double> lambda(static_cast<std::size_t>(file.system->num_constraints()) + 1);
      const int found = sunlagrange_inverse_dynamics(mechanism.handle, at.t, at.q.data(), at.v.data(), at.a.data(),
                                                     drives, 1, &drive, lambda.data(), &missing);
      try {
        const InverseDynamics expected = inverse_dynamics(file.system, at, {coordinate});
        BOOST_TEST((found == SUNLAGRANGE_SUCCESS) == expected.status.finished());
        if (found != SUNLAGRANGE_SUCCESS) continue;
        ++driven;
        BOOST_TEST(drive == expected.drive[0]);
        BOOST_TEST(missing == expected.missing);
        BOOST_TEST(same_bits(lambda.data(), expected.lambda));
      } catch (const Error& refused) {
        BOOST_TEST(found == SUNLAGRANGE_INVALID);
        BOOST_TEST(mentions(error(), refused.what()), error());
      }
    }
  }
  BOOST_TEST(followed >= 10);
  BOOST_TEST(driven >= 5);
}

BOOST_AUTO_TEST_CASE(drives_along_a_motion) {
  int reached_in_all = 0;
  const std::vector<double> times = {0.0, 0.1, 0.2, 0.3};
  for (const auto& [name, text] : model_files()) {
    BOOST_TEST_CONTEXT(name) {
      Mechanism mechanism(text);
      const MechanismFile file = parse_mechanism(text, "test.json");
      const auto n = static_cast<std::size_t>(file.system->num_positions());
      const auto m = static_cast<std::size_t>(file.system->num_constraints());
      const std::string coordinate = file.system->position_name(0);
      const char* const coordinates[] = {coordinate.c_str()};
      const double s = file.start.q[0];
      const std::vector<double> values = {s, s + 1e-3, s + 3e-3, s + 50.0};  // the last one out of reach, mostly
      std::vector<double> q(4 * n), v(4 * n), a(4 * n), lambda(4 * m + 1), drive(4), missing(4);
      int reached = -1;
      const int code =
          sunlagrange_drive_forces(mechanism.handle, times.data(), 4, coordinates, values.data(), 1, q.data(), v.data(),
                                   a.data(), lambda.data(), drive.data(), missing.data(), &reached);
      try {
        const DriveForces expected = drive_forces(file.system, file.start, {{coordinate, MotionTable(times, values)}},
                                                  times, {file.options.linear_solver, {}});
        BOOST_TEST((code == SUNLAGRANGE_SUCCESS) == expected.status.finished());
        if (!expected.status.finished()) BOOST_TEST(mentions(error(), expected.status.message), error());
        BOOST_REQUIRE(reached == static_cast<int>(expected.states.size()));
        for (std::size_t k = 0; k < expected.states.size(); ++k) {
          ++reached_in_all;
          BOOST_TEST(same_bits(&q[n * k], expected.states[k].q));
          BOOST_TEST(same_bits(&v[n * k], expected.states[k].v));
          BOOST_TEST(same_bits(&a[n * k], expected.states[k].a));
          BOOST_TEST(same_bits(&lambda[m * k], expected.states[k].lambda));
          BOOST_TEST(same_bits(&drive[k], expected.drives[k].drive));
          BOOST_TEST(missing[k] == expected.drives[k].missing);
        }
      } catch (const Error& refused) {
        BOOST_TEST(code == SUNLAGRANGE_INVALID);
        BOOST_TEST(mentions(error(), refused.what()), error());
      }
    }
  }
  BOOST_TEST(reached_in_all >= 3);  // most files have more freedoms than one
}

BOOST_AUTO_TEST_CASE(workspaces) {
  MechanismFile file;
  Assembly arm;
  const Block upper = arm.add_coordinates("upper", BlockKind::planar_body);
  const Block lower = arm.add_coordinates("lower", BlockKind::planar_body);
  arm.add("inertia of upper", PlanarRigidBody{1.0, 0.1}, {upper});
  arm.add("inertia of lower", PlanarRigidBody{1.0, 0.1}, {lower});
  arm.add("shoulder", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {upper});
  arm.add("elbow", Revolute{0.5, 0.0, -0.5, 0.0}, {upper, lower});
  file.system = arm.build();
  file.start.q.resize(6);
  file.start.q << 0.5, 0.0, 0.0, 1.0, 0.5, std::acos(0.0);
  Mechanism mechanism(mechanism_text(file));
  const std::size_t n = 6;
  const double from[] = {-0.3, 1.3}, to[] = {0.3, 1.9};
  const int counts[] = {3, 4};
  const char *const driven[] = {"upper.phi", "lower.phi"}, *const point = "lower";
  std::vector<int> reach(12);
  std::vector<double> q(12 * n), place(24), manipulability(12);
  int entries = 0;
  const int code = sunlagrange_workspace(mechanism.handle, point, driven, from, to, counts, 2, reach.data(), q.data(),
                                         place.data(), manipulability.data(), &entries);
  BOOST_REQUIRE_MESSAGE(code == SUNLAGRANGE_SUCCESS, error());
  const MechanismWorkspace expected =
      workspace(file.system, file.start, {point},
                {{driven[0], from[0], to[0], counts[0]}, {driven[1], from[1], to[1], counts[1]}});
  BOOST_REQUIRE(expected.points.size() == 12U);
  BOOST_TEST(entries == 2);
  for (std::size_t k = 0; k < 12; ++k) {
    BOOST_TEST(reach[k] == SUNLAGRANGE_REACHED);
    BOOST_TEST(same_bits(&q[n * k], expected.points[k].q));
    BOOST_TEST(same_bits(&place[2 * k], expected.points[k].place));
    BOOST_TEST(manipulability[k] == expected.points[k].manipulability);
  }
}

BOOST_AUTO_TEST_CASE(identified_parameters) {
  MechanismFile file;
  const mechanisms::Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  file.system = pendulum.system;
  file.start = pendulum.start;
  file.options.t_end = 2.0;
  Mechanism mechanism(mechanism_text(file));
  file = parse_mechanism(mechanism_text(file), "test.json");
  const std::string output = file.system->position_name(0);
  const Simulation truth = simulate(file.system, file.start, file.options);
  std::vector<double> t, values;
  for (int k = 1; k <= 20; ++k) {
    t.push_back(0.1 * k);
    values.push_back(truth.trajectory.position_at(t.back())[0] + (k % 2 == 0 ? 1e-3 : -1e-3));  // "noise"
  }
  double length = 0.0;
  BOOST_REQUIRE(sunlagrange_parameter(mechanism.handle, "rod.L", &length) == SUNLAGRANGE_SUCCESS);
  BOOST_REQUIRE(sunlagrange_set_parameter(mechanism.handle, "rod.L", 1.1 * length) == SUNLAGRANGE_SUCCESS);
  const sunlagrange_measurement measured = {output.c_str(), t.data(), values.data(), 20, 1e-3};
  const char* const names[] = {"rod.L"};
  double estimate = 0.0, deviation = 0.0, covariance = 0.0, noise = 0.0;
  BOOST_REQUIRE_MESSAGE(sunlagrange_identify(mechanism.handle, &measured, 1, names, 1, &estimate, &deviation,
                                             &covariance, &noise) == SUNLAGRANGE_SUCCESS,
                        error());
  BOOST_TEST(std::abs(estimate - length) < 4.0 * deviation);
  BOOST_TEST(deviation < 1e-2 * length);
  IdentificationOptions wanted;
  wanted.parameters = {"rod.L"};
  const Identification expected = identify(with_parameters(file.system, {{"rod.L", 1.1 * length}}), file.start,
                                           {{output, t, values, 1e-3}}, file.options, wanted);
  BOOST_TEST(estimate == expected.parameters[0].value);
  BOOST_TEST(deviation == expected.deviation[0]);
  BOOST_TEST(covariance == expected.covariance(0, 0));
  BOOST_TEST(noise == expected.noise_factor);
}

BOOST_AUTO_TEST_CASE(changed_parameters_and_mistakes) {
  const mechanisms::Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  MechanismFile file;
  file.system = pendulum.system;
  file.start = pendulum.start;
  Mechanism mechanism(mechanism_text(file));
  double q[2], value = 0.0;
  BOOST_REQUIRE(sunlagrange_set_parameter(mechanism.handle, "rod.L", 0.7) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_parameter(mechanism.handle, "rod.L", &value) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(value == 0.7);
  BOOST_REQUIRE(sunlagrange_equilibrium(mechanism.handle, q, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(std::abs(std::hypot(q[0], q[1]) - 0.7) < 1e-9);

  const auto refused = [](int code, const std::string& part) {
    BOOST_TEST(code == SUNLAGRANGE_INVALID);
    BOOST_TEST(mentions(error(), part), error());
  };
  const char* const names[] = {"v(bob[0])", "rod.L"};
  const char* const unknown[] = {"rod.LL"};
  const double times[] = {1.0};
  sunlagrange_mechanism* const m = mechanism.handle;
  refused(sunlagrange_equilibrium(nullptr, q, nullptr, nullptr), "mechanism is null");
  refused(sunlagrange_modes(nullptr, q, q, nullptr, nullptr, nullptr), "mechanism is null");
  refused(sunlagrange_parameter(m, "rod.LL", &value), "sunlagrange_parameter_name() lists them");
  refused(sunlagrange_set_parameter(m, nullptr, 1.0), "name is null");
  refused(sunlagrange_set_parameter(m, "rod.L", -1.0), "positive");
  refused(sunlagrange_sensitivities(m, nullptr, 1, times, 1, q, nullptr, nullptr, nullptr), "names is null");
  refused(sunlagrange_sensitivities(m, names, 1, nullptr, 1, q, nullptr, nullptr, nullptr), "times is null");
  refused(sunlagrange_sensitivities(m, names, 0, times, 1, q, nullptr, nullptr, nullptr), "at least 1");
  refused(sunlagrange_sensitivities(m, names, 2, times, 1, q, nullptr, nullptr, nullptr), "begin with the parameters");
  refused(sunlagrange_sensitivities(m, unknown, 1, times, 1, q, nullptr, nullptr, nullptr), "did you mean");
  BOOST_TEST((sunlagrange_parameter_name(m, -1) == nullptr));
  const double nowhere = std::nan("");
  refused(sunlagrange_check_derivatives(m, nowhere, q, q, 1e-4, nullptr), "t = nan is not finite");
  refused(sunlagrange_gradient(m, nullptr, names, 1, &value, q), "functional is null");
  refused(sunlagrange_gradient(m, "finally bob.x", names, 1, &value, q), "final");
  refused(sunlagrange_gradient(m, "final bob[0]", nullptr, 1, &value, q), "names is null");
  refused(sunlagrange_kinematics(m, "bob[7]", times, 1, q, nullptr, nullptr, nullptr), "bob[7]");
  refused(sunlagrange_kinematics(m, "bob[0]", times, 0, q, nullptr, nullptr, nullptr), "count = 0");
  refused(sunlagrange_inverse_dynamics(m, 0.0, q, q, nullptr, names, 1, q, nullptr, nullptr), "a is null");
  refused(
      sunlagrange_drive_forces(m, times, 1, names, nullptr, 1, q, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
      "values is null");
  refused(
      sunlagrange_workspace(m, "bob", nullptr, times, times, nullptr, 1, nullptr, nullptr, nullptr, nullptr, nullptr),
      "counts is null");
  const sunlagrange_measurement nothing = {"bob[0]", nullptr, times, 1, 1.0};
  refused(sunlagrange_identify(m, &nothing, 1, names + 1, 1, q, nullptr, nullptr, nullptr),
          "t of a measurement is null");
}
