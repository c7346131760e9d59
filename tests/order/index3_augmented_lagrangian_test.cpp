// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "formulation/forms/index3_augmented_lagrangian.hpp"
#include "integrators/stepper.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"
#include "runs.hpp"

/// Index-3 augmented Lagrangian method with projections: order, what the projections are for, every kind of constraint.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::VectorXd;
using mechanisms::find_mechanism;
using mechanisms::Mechanism;

namespace {

const char* const solvers[] = {"dense", "klu", "block"};

SimulationOptions fixed(double t_end, double step) {
  SimulationOptions options;
  options.formulation = "index3_augmented_lagrangian";
  options.t_end = t_end;
  options.step = step;
  return options;
}

Simulation finished(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                    const SimulationOptions& options) {
  Simulation run = simulate(system, start, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  return run;
}

VectorXd end_of(const Simulation& run) {
  const std::size_t last = run.trajectory.size() - 1;
  VectorXd y(2 * run.trajectory.num_positions());
  y << run.trajectory.q(last), run.trajectory.v(last);
  return y;
}

double largest(const VectorXd& x) {
  return x.lpNorm<Eigen::Infinity>();
}

FormulationInput input_of(const Mechanism& mechanism) {
  FormulationInput input;
  input.system = mechanism.system;
  input.start = consistent_state(mechanism.system, mechanism.start).state;
  input.t_span = mechanism.t_end;
  return input;
}

/// max |(g', psi)| at a point.
double velocity_violation(const MechanicalSystem& system, double t, const VectorXd& y, Workspace& w) {
  const int n = system.num_positions();
  BOOST_REQUIRE(evaluate_system(system, request::constraint, {t, y.data(), y.data() + n, nullptr, nullptr}, w));
  double most = 0.0;
  for (const double x : w.g_rate) most = std::isfinite(x) ? std::max(most, std::abs(x)) : x;
  return most;
}

/// The pendulum in units of one's own.
struct AnyUnits : test::Pendulum {
  double length = 1.0, mass = 1.0;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = mass;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81 * length * mass;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - length * length) / 2.0;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(p24_second_order_with_projections) {
  const Mechanism pendulum = find_mechanism("pendulum").make(0);
  double errors[3];
  const double steps[] = {0.02, 0.01, 0.005};
  for (int k = 0; k < 3; ++k) {
    const Simulation run = finished(pendulum.system, pendulum.start, fixed(10.0, steps[k]));
    errors[k] = test::end_error(pendulum, run);
    BOOST_TEST(run.report.steps == std::lround(10.0 / steps[k]));
    BOOST_TEST(run.report.max_position_violation < 1e-14);
    BOOST_TEST(run.report.max_velocity_violation < 1e-12);
  }
  BOOST_TEST_MESSAGE("errors " << errors[0] << " " << errors[1] << " " << errors[2]);
  for (int k = 0; k < 2; ++k) BOOST_TEST(std::abs(errors[k] / errors[k + 1] - 3.7) < 0.3);
}

BOOST_AUTO_TEST_CASE(p24_multiplier_of_the_iteration_has_order_one_the_recomputed_one_order_two) {
  const Mechanism pendulum = find_mechanism("pendulum").make(0);
  double iterated[3], recomputed[3];
  const double steps[] = {0.01, 0.005, 0.0025};
  for (int k = 0; k < 3; ++k) {
    Index3AugmentedLagrangian f(input_of(pendulum));
    VectorXd y(f.size()), yp(f.size());
    f.pack(input_of(pendulum).start, y.data(), yp.data());
    iterated[k] = 0.0;
    const double h = steps[k];
    for (int i = 0; i < std::lround(10.0 / h); ++i) {
      BOOST_REQUIRE(f.step(i * h, h, y.data(), yp.data()) == EvaluationResult::ok);
      const double tension = (y[2] * y[2] + y[3] * y[3] - 9.81 * y[1]) / (y[0] * y[0] + y[1] * y[1]);
      iterated[k] = std::max(iterated[k], std::abs(y[4] - tension));
    }
    const Simulation run = finished(pendulum.system, pendulum.start, fixed(10.0, h));
    const std::size_t last = run.trajectory.size() - 1;
    recomputed[k] = largest(run.trajectory.lambda(last) - pendulum.reference(10.0)->lambda);
  }
  BOOST_TEST_MESSAGE("iteration " << iterated[0] << " " << iterated[1] << " " << iterated[2] << ", recomputed "
                                  << recomputed[0] << " " << recomputed[1] << " " << recomputed[2]);
  for (int k = 0; k < 2; ++k) {
    BOOST_TEST(std::abs(iterated[k] / iterated[k + 1] - 2.0) < 0.1);
    BOOST_TEST(std::abs(recomputed[k] / recomputed[k + 1] - 4.0) < 0.3);
  }
}

BOOST_AUTO_TEST_CASE(p24_without_projections_it_diverges) {
  const Mechanism pendulum = find_mechanism("pendulum").make(0);
  const auto w = make_workspace(*pendulum.system, Storage::dense);
  for (const double h : {0.02, 0.01, 0.005}) {
    for (const bool with : {true, false}) {
      Index3AugmentedLagrangian f(input_of(pendulum));
      VectorXd y(f.size()), yp(f.size());
      f.pack(input_of(pendulum).start, y.data(), yp.data());
      double violation = 0.0;
      for (int i = 0; i < std::lround(10.0 / h); ++i) {
        EvaluationResult result = f.iterate(i * h, h, y.data(), yp.data());
        if (with && result == EvaluationResult::ok) result = f.project((i + 1) * h, y.data(), yp.data());
        if (result != EvaluationResult::ok) violation = 1e300;
        if (violation > 1e2) break;
        violation = std::max(violation, velocity_violation(*pendulum.system, (i + 1) * h, y, *w));
      }
      BOOST_TEST_CONTEXT("h = " << h << (with ? ", projected" : ", not projected")) {
        BOOST_TEST((with ? violation < 1e-12 : violation > 1e2), "max |g'| = " << violation);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(moving_constraints_and_nonholonomic_rows_keep_the_order) {
  // car_axis: position row that moves; knife_edge: a velocity row alone; arevalo: its row moves too.
  const struct {
    const char* name;
    double t_end, step;
  } problems[] = {{"car_axis", 3.0, 1e-3}, {"knife_edge", 3.0, 1e-2}, {"arevalo", 3.0, 2e-3}};
  for (const auto& problem : problems) {
    const Mechanism mechanism = find_mechanism(problem.name).make(0);
    double errors[2];
    for (int k = 0; k < 2; ++k) {
      const Simulation run =
          finished(mechanism.system, mechanism.start, fixed(problem.t_end, problem.step / (1.0 + k)));
      errors[k] = test::end_error(mechanism, run);
      BOOST_TEST(run.report.max_position_violation < 1e-12);
      BOOST_TEST(run.report.max_velocity_violation < 1e-10);
    }
    BOOST_TEST_CONTEXT(problem.name) {
      BOOST_TEST(std::abs(errors[0] / errors[1] - 4.0) < 0.3, errors[0] << " " << errors[1]);
    }
  }
}

BOOST_AUTO_TEST_CASE(velocity_rows_hold_at_long_steps_too) {
  const Mechanism knife = find_mechanism("knife_edge").make(0);
  const Simulation run = finished(knife.system, knife.start, fixed(6.0, 0.25));
  BOOST_TEST(run.report.max_velocity_violation < 1e-12);
}

BOOST_AUTO_TEST_CASE(arm_led_along_a_line_follows_it) {
  // As many rows as coordinates: q and v are given by the moving constraints alone, at any step.
  Mechanism arm = find_mechanism("two_link").make(0);
  for (const double t : {0.25, 0.4}) {
    const Simulation run = finished(arm.system, arm.start, fixed(t, 0.01));
    BOOST_TEST(test::end_error(arm, run) < 1e-12);
    BOOST_TEST(run.report.max_velocity_violation < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(every_term_of_the_equations_against_an_independent_route) {
  // full M(t, q), velocity-dependent force, moving holonomic and nonlinear nonholonomic row
  const auto system = make_system(test::Everything{});
  const InitialState start{0.0, Eigen::Vector3d(0.7, 0.4, 0.5), Eigen::Vector3d(0.3, -0.2, 0.6)};
  SimulationOptions adaptive;
  adaptive.integrator = "dopri5";
  adaptive.formulation = "projected";
  adaptive.rtol = adaptive.atol = 1e-11;
  const Simulation exact = finished(system, start, adaptive);
  for (const char* solver : solvers) {
    if (!linear_solver(solver).available) continue;
    Eigen::Vector3d errors[3];  // of q, v, a
    for (int k = 0; k < 3; ++k) {
      SimulationOptions options = fixed(1.0, 0.02 / std::pow(2.0, k));
      options.linear_solver.name = solver;
      const Simulation run = finished(system, start, options);
      const std::size_t end = exact.trajectory.size() - 1, last = run.trajectory.size() - 1;
      errors[k] = {largest(run.trajectory.q(last) - exact.trajectory.q(end)),
                   largest(run.trajectory.v(last) - exact.trajectory.v(end)),
                   largest(run.trajectory.a(last) - exact.trajectory.a(end))};
    }
    BOOST_TEST_CONTEXT(solver << ": " << errors[0].transpose() << ", " << errors[1].transpose() << ", "
                              << errors[2].transpose()) {
      for (const int i : {0, 1, 2}) {
        BOOST_TEST(std::abs(errors[0][i] / errors[1][i] - 4.0) < 0.3);
        BOOST_TEST(std::abs(errors[1][i] / errors[2][i] - 4.0) < 0.3);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(linear_solvers_agree) {
  const Mechanism chain = find_mechanism("chain").make(12);
  VectorXd dense;
  for (const char* solver : solvers) {
    if (!linear_solver(solver).available) continue;
    SimulationOptions options = fixed(1.0, 0.01);
    options.linear_solver.name = solver;
    const VectorXd end = end_of(finished(chain.system, chain.start, options));
    if (dense.size() == 0) dense = end;
    BOOST_TEST(largest(end - dense) < 1e-9 * largest(dense), solver);
  }
}

BOOST_AUTO_TEST_CASE(redundant_row_changes_nothing) {
  const InitialState start{0.0, Eigen::Vector2d(1.0, 0.0), {}};
  for (const char* solver : solvers) {
    if (!linear_solver(solver).available) continue;
    SimulationOptions options = fixed(2.0, 0.01);
    options.linear_solver.name = solver;
    const VectorXd once = end_of(finished(make_system(test::Pendulum{}), start, options));
    const VectorXd twice = end_of(finished(make_system(test::RedundantPendulum{}), start, options));
    BOOST_TEST_CONTEXT(solver) {
      BOOST_TEST(largest(once - twice) < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(lambda_decides_how_fast_the_iteration_converges_hardly_where_to) {
  // A small one also makes the iteration renew its matrix, which then projects along slightly other directions.
  const Mechanism pendulum = find_mechanism("pendulum").make(0);
  const Simulation automatic = finished(pendulum.system, pendulum.start, fixed(5.0, 0.02));
  const double error = test::end_error(pendulum, automatic);
  const struct { double Lambda, allowed; } lines[] = {{1e12, 1e-6}, {1e4, 1e-6}, {10.0, 1e-2}};
  long evaluations = 0;
  for (const auto& line : lines) {
    SimulationOptions options = fixed(5.0, 0.02);
    options.gains.Lambda = Gain(line.Lambda);
    const Simulation run = finished(pendulum.system, pendulum.start, options);
    BOOST_TEST_CONTEXT("Lambda = " << line.Lambda) {
      BOOST_TEST(largest(end_of(run) - end_of(automatic)) < line.allowed * error);
      BOOST_TEST(run.report.rhs_evaluations > evaluations);
    }
    evaluations = run.report.rhs_evaluations;
  }
}

BOOST_AUTO_TEST_CASE(p27_length_and_mass_units_do_not_matter) {
  const VectorXd metres =
      end_of(finished(make_system(AnyUnits{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, fixed(2.0, 0.02)));
  for (const double factor : {1e3, 1e-6}) {
    AnyUnits other;
    other.length = factor;
    other.mass = 1.0 / factor;
    const VectorXd y = end_of(finished(make_system(other), {0.0, Eigen::Vector2d(factor, 0.0), {}}, fixed(2.0, 0.02)));
    BOOST_TEST(largest(metres - y / factor) < 1e-9, "factor " << factor);
  }
}

BOOST_AUTO_TEST_CASE(last_step_lands_on_the_end_and_the_motion_inside_a_step_is_smooth) {
  const Mechanism pendulum = find_mechanism("pendulum").make(0);
  const Simulation run = finished(pendulum.system, pendulum.start, fixed(1.0, 0.3));
  BOOST_TEST(run.report.steps == 4);
  BOOST_TEST(run.trajectory.t(4) == 1.0);

  StepperOptions options;
  options.attach.formulation = "index3_augmented_lagrangian";
  options.step = 1e-3;
  const IntegratorEntry& entry = find_integrator("trapezoidal");
  const auto stepper = entry.make(entry, pendulum.system, input_of(pendulum).start, options);
  Status status;
  for (int k = 0; k < 300; ++k) BOOST_REQUIRE(stepper->step(status));
  const double t1 = stepper->time(), t0 = t1 - 1e-3;
  Eigen::Vector2d q, v, a, before, after, unused;
  bool a_known = false;
  BOOST_TEST(!stepper->motion(t0 - 1e-3, q.data(), v.data(), a.data(), a_known));  // not the last step
  for (const double t : {t0, t0 + 0.3e-3, t0 + 0.8e-3, t1}) {
    BOOST_REQUIRE(stepper->motion(t, q.data(), v.data(), a.data(), a_known));
    const auto exact = *pendulum.reference(t);
    BOOST_TEST(largest(q - exact.q) < 1e-5);  // as accurate as at the steps
    BOOST_TEST(largest(v - exact.v) < 1e-4);
  }
  BOOST_TEST(a_known);
  BOOST_TEST(largest(a - Eigen::Vector2d(-pendulum.reference(t1)->lambda[0] * q[0],
                                         -9.81 - pendulum.reference(t1)->lambda[0] * q[1])) < 1e-3);
  const double t = t0 + 0.4e-3, d = 1e-6;
  BOOST_REQUIRE(stepper->motion(t - d, before.data(), unused.data(), a.data(), a_known));
  BOOST_REQUIRE(stepper->motion(t + d, after.data(), unused.data(), a.data(), a_known));
  BOOST_REQUIRE(stepper->motion(t, q.data(), v.data(), a.data(), a_known));
  BOOST_TEST(!a_known);
  BOOST_TEST(largest((after - before) / (2.0 * d) - v) < 1e-8);
}

BOOST_AUTO_TEST_CASE(report_tells_iterations_and_a_failing_iteration_says_what_to_do) {
  const Mechanism pendulum = find_mechanism("pendulum").make(0);
  SimulationOptions options = fixed(1.0, 0.01);
  const Simulation run = finished(pendulum.system, pendulum.start, options);
  const std::string text = run.report.text(run.status);
  for (const char* part : {"iterations per step, mean", "iterations per step, most", "projections", "trapezoidal"})
    BOOST_TEST(text.find(part) != std::string::npos, part);
  BOOST_TEST(run.report.rhs_evaluations >= run.report.steps);
  BOOST_TEST(run.report.jacobian_evaluations >= run.report.steps);

  options.gains.Lambda = Gain(1e-2);  // far too soft: alpha sigma h^2 / 4 << 1
  const Simulation soft = simulate(pendulum.system, pendulum.start, options);
  BOOST_TEST(to_string(soft.status.outcome) == std::string("integrator_failure"));
  for (const char* part : {"did not converge", "shorten the step", "Lambda"})
    BOOST_TEST(soft.status.message.find(part) != std::string::npos, soft.status.message);
  BOOST_TEST(soft.report.nonlinear_failures == 1);
  BOOST_TEST(soft.trajectory.q(soft.trajectory.size() - 1).allFinite());
}

BOOST_AUTO_TEST_CASE(needs_a_step_and_its_own_integrator) {
  const auto complaint = [](const SimulationOptions& options) -> std::string {
    try {
      simulate(make_system(test::Pendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  BOOST_TEST(complaint(fixed(1.0, 0.0)).find("step = 0") != std::string::npos);
  SimulationOptions options = fixed(1.0, 0.01);
  options.integrator = "ida";
  BOOST_TEST(complaint(options).find("trapezoidal") != std::string::npos);
  options.formulation = "baumgarte";
  options.integrator = "trapezoidal";
  BOOST_TEST(complaint(options).find("baumgarte") != std::string::npos);
}
