// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>

#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/new_vector.hpp>

#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "models.hpp"
#include "runs.hpp"
#include "sundials/compatibility.hpp"

/// Independent coordinates: constraints to rounding, changes of the partition that nobody notices, agreement with the
/// other routes.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::Vector2d;
using Eigen::VectorXd;
using mechanisms::find_mechanism;
using test::end_error;
using test::options_of;

namespace {

const char* const name = "coordinate_partitioning";

/// Fast enough to turn over: 7 m/s at the bottom, sqrt(4 g) = 6.3 would do. A turn takes about 1.1 s.
const InitialState turning{0.0, Vector2d(0.0, -1.0), Vector2d(7.0, 0.0)};

SimulationOptions options(const std::string& formulation, const std::string& integrator, double tolerance,
                          double t_end) {
  SimulationOptions o;
  o.formulation = formulation;
  o.integrator = integrator;
  o.rtol = o.atol = tolerance;
  o.t_end = t_end;
  return o;
}

double statistic(const Simulation& run, const std::string& fact) {
  return number(run.report.used.statistics, fact);
}

Simulation finished(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                    const SimulationOptions& o) {
  Simulation run = simulate(system, start, o);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  return run;
}

/// Largest distance of two runs of the same length at their ends.
double distance(const Simulation& a, const Simulation& b) {
  return (a.trajectory.q(a.trajectory.size() - 1) - b.trajectory.q(b.trajectory.size() - 1)).lpNorm<Eigen::Infinity>();
}

std::unique_ptr<OdeFormulation> make(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start) {
  FormulationInput input;
  input.system = system;
  input.start = start;
  return as<OdeFormulation>(find_formulation(name).make(input));
}

MotionState consistent(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start) {
  const ConsistentState state = consistent_state(system, start);
  BOOST_REQUIRE(state.report.feasible);
  return state.state;
}

struct Free {  // no constraint at all
  static constexpr int num_positions = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
    M(1, 1) = 2.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = -q[0];
    f[1] = -3.0 * q[1];
  }
};

/// y = 0 and y = x^2: one direction is free at the origin, and there only.
struct Closing {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1];
    g[1] = q[1] - q[0] * q[0];
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(pendulum_turns_over_and_over) {
  const auto pendulum = make_system(test::Pendulum{});
  const Simulation exact = finished(pendulum, turning, options("baumgarte", "dopri5", 1e-12, 5.0));
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
    double error_before = 1e300, drift_before = 1e300;
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      BOOST_TEST_CONTEXT(integrator << ", " << tolerance) {
        const Simulation run = finished(pendulum, turning, options(name, integrator, tolerance, 5.0));
        BOOST_TEST(statistic(run, "changes of coordinates") >= 14.0);  // x, y, x, y in each of more than four turns
        BOOST_TEST(run.report.max_position_violation < 1e-14);
        BOOST_TEST(run.report.max_velocity_violation < 1e-13);  // |v| is 7
        const double error = distance(run, exact);
        BOOST_TEST_MESSAGE(integrator << " " << tolerance << ": error " << error << ", drift "
                                      << run.report.energy_drift << ", " << run.report.steps << " steps");
        BOOST_TEST(error < 0.2 * error_before);
        BOOST_TEST(run.report.energy_drift < 0.2 * drift_before);
        error_before = error;
        drift_before = run.report.energy_drift;
      }
    }
    BOOST_TEST(error_before < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(fixed_step_methods_keep_their_order_across_changes) {
  const auto pendulum = make_system(test::Pendulum{});
  const double t_end = 1.5;
  const Simulation exact = finished(pendulum, turning, options("baumgarte", "dopri5", 1e-12, t_end));
  const struct {
    const char* integrator;
    double order;
    int steps;
  } methods[] = {{"rk2", 2.0, 800}, {"rk4", 4.0, 200}};
  for (const auto& method : methods) {
    double errors[3];
    for (int k = 0; k < 3; ++k) {
      SimulationOptions o = options(name, method.integrator, 1e-6, t_end);
      o.step = t_end / (method.steps << k);
      const Simulation run = finished(pendulum, turning, o);
      BOOST_TEST(run.report.steps == method.steps << k);
      BOOST_TEST(statistic(run, "changes of coordinates") >= 4.0);
      errors[k] = distance(run, exact);
    }
    BOOST_TEST_CONTEXT(method.integrator) {
      BOOST_TEST(std::abs(std::log2(errors[0] / errors[1]) - method.order) < 0.3);
      BOOST_TEST(std::abs(std::log2(errors[1] / errors[2]) - method.order) < 0.3);
    }
  }
}

BOOST_AUTO_TEST_CASE(andrews_converges_to_the_reference) {
  const auto andrews = find_mechanism("andrews").make(0);
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
    double before = 1e300;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      SimulationOptions options = options_of(andrews, name, integrator, tolerance);
      options.max_step = options.t_end;
      const Simulation run = finished(andrews.system, andrews.start, options);
      BOOST_TEST_CONTEXT(integrator << ", " << tolerance) {
        BOOST_TEST(end_error(andrews, run) < before);
        BOOST_TEST(run.report.max_position_violation < 1e-15);  // lengths are hundredths of a metre
      }
      before = end_error(andrews, run);
    }
    BOOST_TEST(before < 1e-6, integrator << ": " << before);
  }
  const Simulation baumgarte =
      finished(andrews.system, andrews.start, options_of(andrews, "baumgarte", "dopri5", 1e-11));
  const Simulation run = finished(andrews.system, andrews.start, options_of(andrews, name, "dopri5", 1e-11));
  BOOST_TEST(distance(run, baumgarte) < 1e-9);
}

BOOST_AUTO_TEST_CASE(chain_agrees_with_baumgarte_with_every_linear_solver) {
  const auto chain = find_mechanism("chain").make(6);
  const Simulation baumgarte = finished(chain.system, chain.start, options("baumgarte", "dopri5", 1e-11, 1.0));
  for (const char* solver : {"dense", "klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
      SimulationOptions o = options(name, integrator, 1e-9, 1.0);
      o.linear_solver.name = solver;
      const Simulation run = finished(chain.system, chain.start, o);
      BOOST_TEST_CONTEXT(solver << ", " << integrator) {
        BOOST_TEST(distance(run, baumgarte) < 1e-5);
        BOOST_TEST(run.report.max_position_violation < 1e-13);
        BOOST_TEST(run.report.max_velocity_violation < 1e-13);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_mechanism_without_freedom_follows_from_the_time_alone) {
  const auto arm = find_mechanism("two_link").make(0);
  BOOST_TEST(make(arm.system, consistent(arm.system, arm.start))->size() == 2);
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
    const Simulation run = finished(arm.system, arm.start, options_of(arm, name, integrator, 1e-6));
    BOOST_TEST_CONTEXT(integrator) {
      BOOST_TEST(end_error(arm, run) < 1e-14);  // whatever the tolerance
      BOOST_TEST(run.report.steps > 1);         // the tracked positions still choose the steps
      BOOST_TEST(run.report.used.own.at(0).text() == "none");
    }
  }
}

BOOST_AUTO_TEST_CASE(redundant_rows_do_not_count) {
  const auto plain = make_system(test::Pendulum{}), twice = make_system(test::RedundantPendulum{});
  BOOST_TEST(make(twice, consistent(twice, turning))->size() == 2);
  const Simulation one = finished(plain, turning, options(name, "cvode_adams", 1e-9, 3.0));
  const Simulation two = finished(twice, turning, options(name, "cvode_adams", 1e-9, 3.0));
  BOOST_TEST(two.report.max_position_violation < 1e-14);
  BOOST_TEST(distance(one, two) < 1e-6);
}

// Bricard's mechanism: one row is redundant, and rows depend on coordinates that are zero.
BOOST_AUTO_TEST_CASE(rows_whose_coordinates_are_zero_have_a_size) {
  const auto bars = find_mechanism("bricard").make(0);
  const Simulation other = finished(bars.system, bars.start, options("projected", "dopri5", 1e-9, 1.0));
  const Simulation run = finished(bars.system, bars.start, options(name, "dopri5", 1e-8, 1.0));
  BOOST_TEST(distance(run, other) < 1e-5);
}

BOOST_AUTO_TEST_CASE(velocity_constraints_have_a_partition_of_their_own) {
  const auto system = make_system(test::Everything{});
  const InitialState start{0.0, Eigen::Vector3d(0.7, 0.4, 0.5), Eigen::Vector3d(0.3, -0.2, 0.6)};
  BOOST_TEST(make(system, consistent(system, start))->size() == 3);  // two positions, one velocity
  const Simulation baumgarte = finished(system, start, options("baumgarte", "dopri5", 1e-11, 1.0));
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5", "rk4"}) {
    SimulationOptions o = options(name, integrator, 1e-9, 1.0);
    if (integrator == std::string("rk4")) o.step = 1e-2;
    const Simulation run = finished(system, start, o);
    BOOST_TEST_CONTEXT(integrator) {
      BOOST_TEST(run.report.max_position_violation < 1e-14);
      BOOST_TEST(run.report.max_velocity_violation < 1e-14);
      BOOST_TEST(distance(run, baumgarte) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_constraints_it_is_the_plain_ode) {
  const auto system = make_system(Free{});
  const InitialState start{0.0, Vector2d(1.0, -0.5), Vector2d(0.2, 0.4)};
  const Simulation plain = finished(system, start, options("unstabilized", "cvode_bdf", 1e-7, 2.0));
  const Simulation run = finished(system, start, options(name, "cvode_bdf", 1e-7, 2.0));
  BOOST_TEST(distance(plain, run) < 1e-12);
  BOOST_TEST(run.report.steps == plain.report.steps);
}

BOOST_AUTO_TEST_CASE(a_change_of_variables_describes_the_same_motion) {
  const auto pendulum = make_system(test::Pendulum{});
  for (const double angle : {0.2, 0.9, 1.5}) {  // of the pendulum, after a start at the bottom
    const auto f = make(pendulum, consistent(pendulum, turning));
    VectorXd y(f->size()), ydot(f->size());
    Vector2d q[2], v[2], a[2];
    for (double way = 0.0; way <= angle; way += 0.1) {  // Newton follows a path
      y << std::sin(way), 7.0 * std::cos(way);
      BOOST_REQUIRE(f->rhs(0.0, y.data(), ydot.data()) == EvaluationResult::ok);
    }
    BOOST_REQUIRE(f->unpack(0.0, y.data(), nullptr, q[0].data(), v[0].data(), a[0].data()) == EvaluationResult::ok);
    const bool changed = f->change_variables(0.0, y.data());
    BOOST_TEST(changed == (std::tan(angle) > 2.0));  // the influence of x on y
    BOOST_REQUIRE(f->unpack(0.0, y.data(), nullptr, q[1].data(), v[1].data(), a[1].data()) == EvaluationResult::ok);
    BOOST_TEST((q[1] - q[0]).norm() < 1e-15);
    BOOST_TEST((v[1] - v[0]).norm() < 1e-14);
    BOOST_TEST((a[1] - a[0]).norm() < 1e-13);
    BOOST_TEST(y[0] == q[0][changed ? 1 : 0]);
    BOOST_TEST(y[1] == v[0][changed ? 1 : 0]);
    BOOST_REQUIRE(f->rhs(0.0, y.data(), ydot.data()) == EvaluationResult::ok);
    BOOST_TEST(ydot[0] == y[1]);
    BOOST_TEST(std::abs(ydot[1] - a[1][changed ? 1 : 0]) < 1e-13);
    BOOST_TEST(!f->change_variables(0.0, y.data()));  // hysteresis
  }
}

BOOST_AUTO_TEST_CASE(points_that_cannot_be_reached_are_declined_and_leave_no_trace) {
  const auto pendulum = make_system(test::Pendulum{});
  const auto f = make(pendulum, consistent(pendulum, turning));
  Vector2d y(0.3, 6.0), before, after;
  BOOST_REQUIRE(f->rhs(0.0, y.data(), before.data()) == EvaluationResult::ok);
  Vector2d beyond(1.2, 6.0);
  BOOST_TEST((f->rhs(0.1, beyond.data(), after.data()) != EvaluationResult::ok));
  BOOST_REQUIRE(f->rhs(0.0, y.data(), after.data()) == EvaluationResult::ok);
  BOOST_TEST((after - before).norm() < 1e-13);
  Vector2d not_a_number(NAN, 6.0);
  BOOST_TEST((f->rhs(0.1, not_a_number.data(), after.data()) == EvaluationResult::not_finite));
}

BOOST_AUTO_TEST_CASE(a_start_off_the_constraints_is_moved_onto_them) {
  const auto pendulum = make_system(test::Pendulum{});
  SimulationOptions o = options(name, "cvode_adams", 1e-8, 0.5);
  o.start = Start::as_given;
  const Simulation run = finished(pendulum, {0.0, Vector2d(0.1, -1.05), Vector2d(1.0, 0.3)}, o);
  const std::size_t last = run.trajectory.size() - 1;
  BOOST_TEST(std::abs(run.trajectory.q(last).norm() - 1.0) < 1e-14);
}

BOOST_AUTO_TEST_CASE(more_rank_than_at_the_start_ends_the_run) {
  const auto system = make_system(Closing{});
  const Simulation run =
      simulate(system, {0.0, Vector2d(0.0, 0.0), Vector2d(1.0, 0.0)}, options(name, "cvode_adams", 1e-6, 1.0));
  BOOST_TEST(!run.status.finished());
  BOOST_TEST(run.report.max_position_violation < 1e-6);
  BOOST_TEST_MESSAGE(run.status.message);
  const auto f = make(system, consistent(system, {0.0, Vector2d(0.0, 0.0), Vector2d(1.0, 0.0)}));
  BOOST_REQUIRE(f->size() == 2);
  Vector2d y(0.1, 1.0), ydot;
  BOOST_TEST((f->rhs(0.1, y.data(), ydot.data()) == EvaluationResult::rank_loss));
}

BOOST_AUTO_TEST_CASE(counts_go_on_over_restarts) {
  const auto pendulum = make_system(test::Pendulum{});
  const MotionState start = consistent(pendulum, turning);
  StepperOptions o;
  o.attach.formulation = name;
  o.attach.rtol = o.attach.atol = 1e-7;
  o.t_end = 2.5;
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
    const IntegratorEntry& entry = find_integrator(integrator);
    const auto stepper = entry.make(entry, pendulum, start, o);
    StepperCounts before;
    long steps = 0;
    Status status;
    while (stepper->time() < o.t_end) {
      BOOST_REQUIRE(stepper->step(status));
      ++steps;
      const StepperCounts now = stepper->counts();
      BOOST_REQUIRE(now.steps == steps);
      BOOST_REQUIRE(now.error_test_failures >= before.error_test_failures);
      BOOST_REQUIRE(now.nonlinear_failures >= before.nonlinear_failures);
      before = now;
    }
    BOOST_TEST(stepper->time() == o.t_end);
    BOOST_TEST(stepper->attachment().counts().rhs_evaluations > steps);
  }
}

BOOST_AUTO_TEST_CASE(an_integrator_of_the_application_changes_variables_too) {
  const auto pendulum = make_system(test::Pendulum{});
  const MotionState start = consistent(pendulum, turning);
  const double t_end = 3.0, tolerance = 1e-7;
  AttachOptions attach;
  attach.formulation = name;
  attach.rtol = attach.atol = tolerance;
  SUNContext context = nullptr;
  BOOST_REQUIRE(create_context(&context) == 0);
  N_Vector y = new_vector(num_unknowns(pendulum, start, attach), context);
  initial_values(pendulum, start, attach, y);
  void* memory = CVodeCreate(CV_BDF, context);
  BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, 0.0, y) == CV_SUCCESS);
  BOOST_REQUIRE(CVodeSStolerances(memory, tolerance, tolerance) == CV_SUCCESS);
  BOOST_REQUIRE(CVodeSetStopTime(memory, t_end) == CV_SUCCESS);
  {
    Attachment attachment = attach_cvode(memory, context, y, pendulum, start, attach);
    double t = 0.0;
    int changes = 0;
    while (t < t_end) {
      BOOST_REQUIRE(CVode(memory, t_end, y, &t, CV_ONE_STEP) >= 0);
      if (t >= t_end || !attachment.change_variables(t, y)) continue;
      BOOST_REQUIRE(CVodeReInit(memory, t, y) == CV_SUCCESS);
      BOOST_REQUIRE(CVodeSetStopTime(memory, t_end) == CV_SUCCESS);
      ++changes;
    }
    MotionState end;
    BOOST_REQUIRE(attachment.motion(t_end, y, end));
    const Simulation run = finished(pendulum, turning, options(name, "cvode_bdf", tolerance, t_end));
    BOOST_TEST((end.q - run.trajectory.q(run.trajectory.size() - 1)).norm() == 0.0);
    BOOST_TEST(attachment.counts().rhs_evaluations == run.report.rhs_evaluations);
    BOOST_TEST(changes == statistic(run, "changes of coordinates"));
    CVodeFree(&memory);
  }
  N_VDestroy(y);
  SUNContext_Free(&context);
}

// After a run the variables are others than those of the start: the second run would begin with x in the place of y.
BOOST_AUTO_TEST_CASE(a_motion_that_begins_anew_is_the_same_again) {
  const auto pendulum = make_system(test::Pendulum{});
  const MotionState start = consistent(pendulum, turning);
  AttachOptions attach;
  attach.formulation = name;
  attach.rtol = attach.atol = 1e-7;
  SUNContext context = nullptr;
  BOOST_REQUIRE(create_context(&context) == 0);
  N_Vector y = new_vector(num_unknowns(pendulum, start, attach), context);
  void* memory = CVodeCreate(CV_BDF, context);
  initial_values(pendulum, start, attach, y);
  BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, 0.0, y) == CV_SUCCESS);
  BOOST_REQUIRE(CVodeSStolerances(memory, attach.rtol, attach.atol) == CV_SUCCESS);
  {
    Attachment attachment = attach_cvode(memory, context, y, pendulum, start, attach);
    std::vector<VectorXd> ends;
    for (const double t_end : {3.0, 0.9, 3.0}) {  // ends in several partitions
      initial_values(pendulum, start, attach, y);
      BOOST_REQUIRE(CVodeReInit(memory, 0.0, y) == CV_SUCCESS);
      BOOST_REQUIRE(CVodeSetStopTime(memory, t_end) == CV_SUCCESS);
      int changes = 0;
      for (double t = 0.0; t < t_end;) {
        BOOST_REQUIRE(CVode(memory, t_end, y, &t, CV_ONE_STEP) >= 0);
        if (t >= t_end || !attachment.change_variables(t, y)) continue;
        BOOST_REQUIRE(CVodeReInit(memory, t, y) == CV_SUCCESS);
        BOOST_REQUIRE(CVodeSetStopTime(memory, t_end) == CV_SUCCESS);
        ++changes;
      }
      BOOST_TEST(changes > 0);
      MotionState end;
      BOOST_REQUIRE(attachment.motion(t_end, y, end));
      ends.push_back(end.q);
    }
    BOOST_TEST((ends[0] - ends[2]).norm() == 0.0);
    const Simulation run = finished(pendulum, turning, options("projected", "cvode_bdf", 1e-9, 0.9));
    BOOST_TEST((ends[1] - run.trajectory.q(run.trajectory.size() - 1)).norm() < 1e-4);

    // Between the start and the last change nobody knows what y means.
    BOOST_REQUIRE(CVodeReInit(memory, 0.1, y) == CV_SUCCESS);
    double t = 0.1;
    BOOST_TEST(CVode(memory, 0.2, y, &t, CV_ONE_STEP) < 0);
    BOOST_CHECK_EXCEPTION(attachment.rethrow(), Error, [](const Error& error) {
      return std::string(error.what()).find("older than the change of variables") != std::string::npos;
    });
    CVodeFree(&memory);
  }
  N_VDestroy(y);
  SUNContext_Free(&context);
}

BOOST_AUTO_TEST_CASE(the_report_names_the_coordinates) {
  const auto chain = find_mechanism("chain").make(20);
  SimulationOptions o = options(name, "cvode_adams", 1e-5, 0.1);
  const Simulation run = finished(chain.system, chain.start, o);
  BOOST_TEST(run.report.used.own.at(0).text().find("and 8 more") != std::string::npos);  // twelve of twenty
  BOOST_TEST(statistic(run, "position corrections, mean") > 0.0);
  BOOST_TEST(run.report.references.find("[WehageHaug1982]") != std::string::npos);
}
