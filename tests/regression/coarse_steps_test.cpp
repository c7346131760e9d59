// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <sunlagrange/files/checkpoint_file.hpp>
#include <sunlagrange/model/make_system.hpp>
#include <sunlagrange/simulation/stepper.hpp>

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

const InitialState start{0.0, Vector2d(1.0, 0.0), Vector2d(0.0, w)};

SimulationOptions with_steps(const char* formulation, const char* integrator, double step) {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.step = step;
  options.t_end = 2.0;
  return options;
}

Simulation run_of(const char* formulation, const char* integrator, double step) {
  return simulate(make_system(Bead{}), start, with_steps(formulation, integrator, step));
}

/// Returns the figure of the doubt.
double doubt_of(const Simulation& run) {
  for (const Doubt& d : run.status.doubts) {
    if (d.kind == DoubtKind::coarse_steps) return d.value;
  }
  return NAN;
}

bool doubted(const Simulation& run) {
  return std::any_of(run.status.doubts.begin(), run.status.doubts.end(), [](const Doubt& d) {
    return d.kind == DoubtKind::coarse_steps && d.value > d.allowed &&
           d.text.find("shorten the step") != std::string::npos;
  });
}

/// 1 kg that slides along x, on a spring of 4 N/m with damping, driven at 1 rad/s; its weight is borne.
struct Driven {
  static constexpr int num_positions = 2, num_constraints = 1;
  double force = 1.0;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = force * sin(t) - 4.0 * q[0] - 0.5 * v[0];
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - 0.1 * q[0];
  }
};

Simulation slide(double force, const char* formulation, const char* integrator, double step, double t_end) {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.step = step;
  options.t_end = t_end;
  return simulate(make_system(Driven{force}), {0.0, Vector2d::Zero(), Vector2d::Zero()}, options);
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
    const bool kept = run.report.relative_violation < 1e-8 && run.report.energy_drift < 1e-8 * run.report.energy_scale;
    if (run.status.finished() && kept && error > 0.5) {
      BOOST_TEST(doubted(run), step << ": " << error);
      ++wrong;
    }
    if (error < 0.02) {
      BOOST_TEST(run.status.has_no_doubts(), step << ": " << error);
      ++right;
    }
  }
  BOOST_TEST((wrong > 0 && right > 1), wrong << " wrong, " << right << " right");
}

/// No pair of steps is lost where a run is interrupted, however often.
BOOST_AUTO_TEST_CASE(an_interrupted_run_is_judged_as_the_whole_one) {
  const auto system = make_system(Bead{});
  const SimulationOptions options = with_steps("index3_augmented_lagrangian", "trapezoidal", 0.1);
  const Simulation whole = simulate(system, start, options);
  BOOST_REQUIRE_MESSAGE(doubted(whole), whole.report.text(whole.status));
  for (const int steps : {1, 2, 3, 5, 19}) {
    std::optional<Stepper> stepper(std::in_place, system, start, options);
    while (!stepper->over()) {
      for (int k = 0; k < steps && stepper->step(); ++k) {
      }
      const Checkpoint saved = parse_checkpoint(checkpoint_text(stepper->save()), "memory");
      if (!stepper->over()) stepper.emplace(system, saved, options);
    }
    const Simulation parts = stepper->finish();
    BOOST_REQUIRE_MESSAGE(doubted(parts), steps << ": " << parts.report.text(parts.status));
    BOOST_TEST(doubt_of(parts) == doubt_of(whole), boost::test_tools::tolerance(1e-6));
  }
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

/// Damping takes back what the steps do wrong, so the error of a long run is that of a short one; and what rests does
/// not turn within its steps.
BOOST_AUTO_TEST_CASE(long_damped_runs_and_rest_are_not) {
  for (const auto& [formulation, integrator] : {std::pair{"index3_augmented_lagrangian", "trapezoidal"},
                                                std::pair{"baumgarte", "rk2"}, std::pair{"baumgarte", "rk4"}}) {
    const Simulation run = slide(1.0, formulation, integrator, 0.05, 2000.0);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    BOOST_TEST(!doubted(run), integrator);
    const Simulation sharp = slide(1.0, "baumgarte", "dopri5", 0.0, 2000.0);
    const auto end = [](const Simulation& s) { return s.trajectory.q(s.trajectory.size() - 1)[0]; };
    BOOST_TEST(std::abs(end(run) - end(sharp)) < 1e-3, integrator);
    const Simulation rest = slide(0.0, formulation, integrator, 0.01, 5.0);
    BOOST_TEST(!doubted(rest), integrator);
  }
}
