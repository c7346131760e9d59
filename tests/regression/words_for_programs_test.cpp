// SPDX-License-Identifier: BSD-3-Clause
#define BOOST_TEST_MODULE words_for_programs
#include <boost/test/unit_test.hpp>

#include "models.hpp"

/// What runs of kinematic programs say about gains: K_N and the step, or the feedback of the model; they were told to
/// divide K_D and K_P, which programs do not have. A feedback of the wrong sign let |f| grow to 3 and q to 7e31, beyond
/// doubt.
using namespace sunlagrange;

namespace {

struct Crank {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = sin(y[0]) - 2.0 * sin(y[1]);
  }
};

struct WrongSign : Crank {
  template <class T>
  void feedback(T, View<const T>, View<const T> f, View<T> a) const {
    a[0] = 20.0 * f[0];
  }
};

struct LateWrongSign : Crank {  // f' = 20 (t - 1) f
  template <class T>
  void feedback(T t, View<const T>, View<const T> f, View<T> a) const {
    a[0] = 20.0 * (t - 1.0) * f[0];
  }
};

struct Blow {  // leaves the manifold with every step, and runs away
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = y[0] * y[1] - 1.0;
  }
  template <class T>
  void tangential_velocity(T, View<const T> y, View<T> w) const {
    w[0] = y[0];
    w[1] = -y[1];
  }
};

std::string everything(const Simulation& run) {
  std::string words = run.status.message + run.report.text(run.status);
  for (const Doubt& doubt : run.status.doubts) words += doubt.text;
  return words;
}

void no_words_of_mechanics(const std::string& words) {
  for (const char* word : {"K_D", "K_P", "penalty", "baumgarte", "ggl", "projected"})
    BOOST_TEST(words.find(word) == std::string::npos, word << " in: " << words);
}

}  // namespace

BOOST_AUTO_TEST_CASE(unstable_and_expensive_gains_of_programs_are_called_by_their_name) {
  const auto program = make_program(Crank{});
  SimulationOptions options;
  options.formulation = "integral_manifold";
  options.t_end = 1.0;
  options.integrator = "rk1";
  options.step = 0.01;
  options.gains.K_N = 250.0;  // 2.5 of 2
  const std::string unstable = everything(simulate(program, {0.0, Eigen::Vector2d::Zero(), {}}, options));
  BOOST_TEST(unstable.find("divide K_N by 1.25") != std::string::npos, unstable);
  no_words_of_mechanics(unstable);
  options.integrator = "dopri5";
  options.gains.K_N = 1e4;
  const std::string expensive = everything(simulate(program, {0.0, Eigen::Vector2d::Zero(), {}}, options));
  BOOST_TEST(expensive.find("automatic gains would be K_N = ") != std::string::npos, expensive);
  no_words_of_mechanics(expensive);
}

BOOST_AUTO_TEST_CASE(divergence_of_a_program_names_what_it_reads) {
  SimulationOptions options;
  options.t_end = 40.0;
  options.integrator = "rk1";
  options.step = 0.5;
  options.formulation = "integral_manifold";
  options.gains.K_N = 100.0;
  const Simulation gains = simulate(make_program(Blow{}), {0.0, Eigen::Vector2d(1.0, 1.0), {}}, options);
  BOOST_REQUIRE(!gains.status.finished());
  BOOST_TEST(gains.status.message.find("K_N") != std::string::npos, gains.status.message);
  no_words_of_mechanics(everything(gains));
}

BOOST_AUTO_TEST_CASE(a_feedback_that_feeds_the_error_is_named) {
  for (const char* integrator : {"cvode_bdf", "dopri5", "rk4"}) {
    SimulationOptions options;
    options.formulation = "integral_manifold";
    options.integrator = integrator;
    options.t_end = 5.0;
    options.step = 0.01;
    options.start = Start::as_given;
    const Simulation run = simulate(make_program(WrongSign{}), {0.0, Eigen::Vector2d(0.001, 0.0), {}}, options);
    BOOST_TEST(!run.status.has_no_doubts(), integrator);
    BOOST_REQUIRE(run.report.used.advice.has_value());
    BOOST_TEST(run.report.used.advice->growth == 20.0, boost::test_tools::tolerance(1e-9));
    const std::string words = everything(run);
    BOOST_TEST(
        words.find("unstable law: at the start the feedback of the model lets f grow with 20 1/s") != std::string::npos,
        words);
    no_words_of_mechanics(words);
  }
}

BOOST_AUTO_TEST_CASE(a_feedback_that_feeds_the_error_later_on_is_named) {
  for (const char* integrator : {"cvode_bdf", "dopri5", "rk4"}) {
    SimulationOptions options;
    options.formulation = "integral_manifold";
    options.integrator = integrator;
    options.t_end = 2.0;
    options.step = 0.01;
    const Simulation run = simulate(make_program(LateWrongSign{}), {0.0, Eigen::Vector2d(0.0, 0.0), {}}, options);
    BOOST_TEST(!run.status.has_no_doubts(), integrator);
    BOOST_TEST(run.report.error_growth == 10.0, boost::test_tools::tolerance(0.05));  // integral of 20 (t - 1)
    BOOST_TEST(run.report.t_error_growth == 2.0);
    const std::string words = everything(run);
    BOOST_TEST(words.find("check the sign of the feedback") != std::string::npos, words);
    no_words_of_mechanics(words);
  }
}

BOOST_AUTO_TEST_CASE(extended_lagrangian_without_excess_energy_says_that_it_is_baumgarte) {
  SimulationOptions options;
  options.formulation = "extended_lagrangian";
  options.t_end = 0.1;
  const auto pendulum = make_system(test::Pendulum{});
  const InitialState start{0.0, Eigen::Vector2d(1.0, 0.0), {}};
  BOOST_TEST(everything(simulate(pendulum, start, options)).find("none given: this is baumgarte") != std::string::npos);
  options.excess.mass = [](double, const Eigen::VectorXd&, Eigen::MatrixXd& m) { m(0, 0) = 2.0; };
  BOOST_TEST(everything(simulate(pendulum, start, options)).find("none given: this is baumgarte") == std::string::npos);
}
