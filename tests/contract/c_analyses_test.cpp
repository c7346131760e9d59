#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/sunlagrange_c.h>
#include <sunlagrange/analysis.hpp>
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
}
