#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

#include <sunlagrange/derivatives/adapt.hpp>
#include <sunlagrange/simulation/simulate.hpp>

/// Fixed steps have no error test: where the motion turns within them, the run says so.
using namespace sunlagrange;
using Eigen::Vector2d;

namespace {

/// 1 kg on a circle of 1 m, without weight: phi = w t.
struct Bead {
  static constexpr int num_positions = 2, num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  }
};

constexpr double w = 10.0;

Simulation run_of(const char* formulation, const char* integrator, double step) {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.step = step;
  options.t_end = 2.0;
  return simulate(make_system(Bead{}), {0.0, Vector2d(1.0, 0.0), Vector2d(0.0, w)}, options);
}

bool doubted(const Simulation& run) {
  return std::any_of(run.status.doubts.begin(), run.status.doubts.end(), [](const Doubt& d) {
    return d.kind == DoubtKind::coarse_steps && d.value > d.allowed &&
           d.text.find("shorten the step") != std::string::npos;
  });
}

}  // namespace

/// Nothing else can tell: constraints and energy are kept to rounding, and the bead is on the other side.
BOOST_AUTO_TEST_CASE(steps_within_which_the_motion_turns_are_doubted) {
  int wrong = 0, right = 0;
  for (const double step : {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002}) {
    const Simulation run = run_of("index3_augmented_lagrangian", "trapezoidal", step);
    BOOST_REQUIRE(!run.trajectory.empty());
    const Vector2d end(std::cos(w * run.report.t_reached), std::sin(w * run.report.t_reached));
    const double error = (run.trajectory.q(run.trajectory.size() - 1) - end).norm();
    const bool kept = run.report.relative_violation < 1e-8 && run.report.energy_drift < 1e-8 * run.report.energy_held;
    if (run.status.finished() && kept && error > 0.5) {
      BOOST_TEST(doubted(run), step << ": " << error);
      ++wrong;
    }
    if (error < 0.02) {
      BOOST_TEST(run.status.beyond_doubt(), step << ": " << error);
      ++right;
    }
  }
  BOOST_TEST((wrong > 0 && right > 1), wrong << " wrong, " << right << " right");
}

BOOST_AUTO_TEST_CASE(explicit_steps_are_looked_at_too) {
  for (const char* integrator : {"rk1", "rk2", "rk3", "rk4"}) {
    const Simulation coarse = run_of("baumgarte", integrator, 0.15), fine = run_of("baumgarte", integrator, 0.002);
    BOOST_TEST((!coarse.status.finished() || doubted(coarse)), integrator << ": " << coarse.status.message);
    BOOST_TEST(!doubted(fine), integrator);
  }
}

/// Controlled steps are judged by their error test.
BOOST_AUTO_TEST_CASE(controlled_steps_are_not) {
  for (const char* integrator : {"cvode_bdf", "dopri5", "radau"})
    BOOST_TEST(!doubted(run_of("baumgarte", integrator, 0.0)), integrator);
}
