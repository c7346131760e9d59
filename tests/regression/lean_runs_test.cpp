// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <type_traits>

#include <sunlagrange/sunlagrange.hpp>

/// Watching a run cost more than the run: every accepted step was factorised four times for multipliers that nobody
/// multiplied with anything, and dopri5 evaluated one more point a step for an acceleration it had. What is watched
/// must stay what it was.
using namespace sunlagrange;

namespace {

/// A particle on a circle under gravity, driven along it: the drive does work. Counts the evaluations of its force.
struct DrivenBead {
  int* evaluations = nullptr;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    if (std::is_same_v<T, double> && evaluations != nullptr) ++*evaluations;
    f[0] = -drive * q[1];
    f[1] = drive * q[0] - gravity;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
  double energy(double, View<const double> q, View<const double> v) const {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + gravity * q[1];
  }
  double power(double, View<const double> q, View<const double> v) const { return drive * (q[0] * v[1] - q[1] * v[0]); }
  static constexpr double drive = 2.0, gravity = 9.81;
};

Simulation run(const std::string& integrator, double tolerance, int* evaluations = nullptr) {
  SimulationOptions options;
  options.formulation = integrator == "ida" ? "index3" : "baumgarte";
  options.integrator = integrator;
  options.rtol = options.atol = tolerance;
  options.t_end = options.max_step = 5.0;
  return simulate(make_system(DrivenBead{evaluations}), {0.0, Eigen::Vector2d(0.0, -1.0), Eigen::Vector2d(1.0, 0.0)},
                  options);
}

}  // namespace

/// Once a step at most, but for the states at which rank is looked at again, on this circle every tenth of a radian or
/// every step, and the first steps, which have no history of the power.
BOOST_AUTO_TEST_CASE(the_model_is_evaluated_about_once_a_step_for_the_monitor) {
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
    BOOST_TEST_CONTEXT(integrator) {
      int evaluations = 0;
      const Simulation result = run(integrator, 1e-8, &evaluations);
      BOOST_TEST_REQUIRE(result.status.finished());
      const Report& r = result.report;
      BOOST_TEST(evaluations <= r.rhs_evaluations + r.jacobian_evaluations + 2 * r.steps + 60);
      BOOST_TEST(r.steps > 100);
    }
  }
}

/// Seven stages a step tried, and the search for the first step.
BOOST_AUTO_TEST_CASE(dopri5_evaluates_its_stages_only) {
  const Report report = run("dopri5", 1e-6).report;
  BOOST_TEST(report.rhs_evaluations <= 7 * (report.steps + report.error_test_failures) + 10);
}

/// The end of a step is where the last stage was: what that left is not evaluated again, but where rank is looked at
/// between two states and for the work of the first 64 steps.
BOOST_AUTO_TEST_CASE(dopri5_evaluates_no_accepted_state_twice) {
  int evaluations = 0;
  const Report report = run("dopri5", 1e-8, &evaluations).report;
  BOOST_TEST(report.steps > 200);
  BOOST_TEST(evaluations < report.rhs_evaluations + report.steps / 2);
}

/// M a + G^T lambda = f, G a = gamma, solved afresh.
BOOST_AUTO_TEST_CASE(multipliers_of_every_recorded_state_are_those_of_the_ideal_equations) {
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5", "ida"}) {
    for (const double tolerance : {1e-3, 1e-8}) {
      BOOST_TEST_CONTEXT(integrator << ", tolerance " << tolerance) {
        const Simulation result = run(integrator, tolerance);
        BOOST_TEST_REQUIRE(result.status.finished());
        const Trajectory& path = result.trajectory;
        SystemEvaluator evaluator(make_system(DrivenBead{}));
        double worst = 0.0;
        for (std::size_t k = 0; k < path.size(); ++k) {
          const SystemQuantities now = evaluator.at(path.t(k), path.q(k), path.v(k));
          const double multiplier = ((now.G * now.f - now.gamma)[0]) / now.G.squaredNorm();  // M = I
          worst = std::max(worst, std::abs(path.lambda(k)[0] - multiplier));
        }
        BOOST_TEST(worst <= 1e-8 * DrivenBead::gravity);
      }
    }
  }
}

/// The drift is that of the integration, not of the quadrature of the power: it falls with the tolerance.
BOOST_AUTO_TEST_CASE(work_is_integrated_more_accurately_than_the_motion) {
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5", "ida"}) {
    BOOST_TEST_CONTEXT(integrator) {
      // index 3: from 1e-8 on rounding is left of v, a drift of 4e-6 to 3e-5 whatever the tolerance
      const double loosest = integrator == std::string("ida") ? 1e-4 : 1e-5;
      const Report loose = run(integrator, loosest).report, tight = run(integrator, 1e-9).report;
      BOOST_TEST(tight.energy_drift < 1e-2 * loose.energy_drift);
      BOOST_TEST(tight.energy_drift < 1e-5 * tight.energy_scale);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_report_says_what_monitoring_cost) {
  const Simulation result = run("cvode_bdf", 1e-6);
  BOOST_TEST(result.report.monitoring_seconds > 0.0);
  BOOST_TEST(result.report.text(result.status).find("% of it monitoring") != std::string::npos);
}
