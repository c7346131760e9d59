// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "models.hpp"

/// A model that declines points which only too long steps reach: every adaptive integrator must shorten its steps and
/// go on, and a motion that really ends must end there.
using namespace sunlagrange;

namespace {

/// A particle between walls at q = -1 and 1 that repel it with 1e-4 / distance^2; the force exists only between them.
struct BetweenWalls {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  bool applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    if (!(std::abs(value_of(q[0])) < 1.0)) return false;
    f[0] = 1e-4 / ((1.0 + q[0]) * (1.0 + q[0])) - 1e-4 / ((1.0 - q[0]) * (1.0 - q[0]));
    return true;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - 0.1 * q[0] * q[0];
  }
  double energy(double, View<const double> q, View<const double> v) const {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + 1e-4 / (1.0 - q[0]) + 1e-4 / (1.0 + q[0]);
  }
};

/// Free fall or rise, known only above q = 0.
struct Fall {
  double acceleration = -2.0;
  static constexpr int num_positions = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  bool applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = acceleration;
    return value_of(q[0]) >= 0.0;
  }
};

Simulation run(const std::string& formulation, const std::string& integrator, double tolerance) {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.t_end = 10.0;
  options.rtol = options.atol = tolerance;
  options.gains = Gains::critically_damped({1.0});
  return simulate(make_system(BetweenWalls{}), {0.0, Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(1.0, 0.0)}, options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(steps_are_shortened_where_the_model_declines) {
  for (const char* formulation : {"baumgarte", "unstabilized", "projected"}) {
    const Simulation reference = run(formulation, "dopri5", 1e-11);
    BOOST_REQUIRE_MESSAGE(reference.status.finished(), reference.status.message);
    for (const double tolerance : {1e-3, 1e-4, 1e-6}) {
      const Simulation loose = run(formulation, "dopri5", tolerance);
      BOOST_TEST_CONTEXT(formulation << ", tolerance " << tolerance) {
        BOOST_REQUIRE_MESSAGE(loose.status.finished(), loose.status.message);
        BOOST_TEST(loose.report.nonlinear_failures > 0);  // steps given up; 0: the walls were never touched
        BOOST_TEST(loose.trajectory.t(loose.trajectory.size() - 1) == 10.0);
        for (std::size_t k = 0; k < loose.trajectory.size(); ++k) BOOST_TEST(std::abs(loose.trajectory.q(k)[0]) < 1.0);
      }
    }
    const Simulation tight = run(formulation, "dopri5", 1e-9);
    BOOST_TEST((tight.trajectory.position_at(10.0) - reference.trajectory.position_at(10.0)).norm() < 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(a_motion_that_leaves_the_domain_ends_at_its_border) {
  // q = 1 - t^2
  for (const char* integrator : {"dopri5", "cvode_bdf"}) {
    SimulationOptions options;
    options.formulation = "unstabilized";
    options.integrator = integrator;
    options.t_end = 3.0;
    const Simulation fall = simulate(make_system(Fall{}), {0.0, Eigen::VectorXd::Constant(1, 1.0), {}}, options);
    BOOST_TEST_CONTEXT(integrator << ": " << fall.status.message) {
      BOOST_TEST(to_string(fall.status.outcome) == std::string("model_error"));
      BOOST_TEST(fall.status.message.find("declined") != std::string::npos);
      BOOST_TEST(std::abs(fall.report.t_reached - 1.0) < 1e-5);
      const std::size_t last = fall.trajectory.size() - 1;
      const double t = fall.trajectory.t(last);
      BOOST_TEST(std::abs(fall.trajectory.q(last)[0] - (1.0 - t * t)) < 1e-5);
      BOOST_TEST(fall.report.nonlinear_failures > 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_search_for_a_first_step_may_meet_declined_points) {
  // q = 3e-7 - 1e-3 t + t^2 > 0, but q + h q' < 0 for h > 3e-4: with tolerances as loose as these ARKODE tries such h
  SimulationOptions options;
  options.formulation = "unstabilized";
  options.integrator = "dopri5";
  options.t_end = 10.0;
  options.rtol = 0.5;
  options.atol = 1.0;
  const InitialState start{0.0, Eigen::VectorXd::Constant(1, 3e-7), Eigen::VectorXd::Constant(1, -1e-3)};
  const Simulation rise = simulate(make_system(Fall{2.0}), start, options);
  BOOST_TEST(rise.status.finished(), rise.status.message);
  BOOST_TEST(rise.report.nonlinear_failures > 0);
  BOOST_TEST(std::abs(rise.trajectory.q(rise.trajectory.size() - 1)[0] - (3e-7 - 1e-2 + 100.0)) < 1e-12 * 100.0);
}
