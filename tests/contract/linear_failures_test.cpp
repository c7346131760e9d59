// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <cvodes/cvodes.h>
#include <idas/idas.h>

#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>
#include <sunlagrange/sundials/new_vector.hpp>

#include "formulation/formulation.hpp"
#include "models.hpp"
#include "raw_sundials.hpp"
#include "sundials/binding.hpp"

/// A linear solve that fails must fail the Newton iteration: CVODE and IDA repeat it with a new matrix or a shorter
/// step. Before SUNDIALS 7.8 they take every value but 0 and the codes SUNLS_... for success.
using namespace sunlagrange;
using namespace sunlagrange::internal;

namespace {

struct Circle {
  static constexpr int num_positions = 2, num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = (y[0] * y[0] + y[1] * y[1] - 1.0) / 2.0;
  }
};

/// Solves of the attached linear solver that decline, as where the model declines inside a solve.
struct Declining {
  Binding* binding = nullptr;
  int (*solve)(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, sunrealtype) = nullptr;
  int still = 0, declined = 0;
};
Declining declining;

int solve_or_decline(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, sunrealtype tolerance) {
  if (declining.still == 0) return declining.solve(solver, matrix, x, b, tolerance);
  --declining.still;
  ++declining.declined;
  const bool factorised = std::exchange(declining.binding->factorised, false);
  const int result = declining.solve(solver, matrix, x, b, tolerance);
  declining.binding->factorised = factorised;
  return result;
}

void install(Attachment& attachment) {
  Binding& binding = AttachmentAccess::binding(attachment);
  declining = {&binding, binding.linear_solver->ops->solve, 0, 0};
  binding.linear_solver->ops->solve = solve_or_decline;
}

struct Failures {
  long linear = 0, newton = 0;
};

/// An integrator with everything that it needs, ready to step.
struct Integrator {
  std::function<int(double t_end, double& t)> step;
  std::function<Failures()> failures;
};

constexpr double t_declined = 0.25, t_end = 0.5, tolerance = 1e-6;

/// Returns the position at t_end. @param declines  number of solves in a row that decline after t_declined
Eigen::VectorXd position_at_end(const Integrator& run, Attachment& attachment, N_Vector y, int declines,
                                Failures& failures) {
  double t = 0.0;
  while (t < t_declined) BOOST_REQUIRE(run.step(t_end, t) >= 0);
  const Failures before = run.failures();
  declining.still = declines;
  while (t < t_end) BOOST_REQUIRE(run.step(t_end, t) >= 0);
  failures = {run.failures().linear - before.linear, run.failures().newton - before.newton};
  MotionState state;
  BOOST_REQUIRE(attachment.motion(t, y, state));
  return state.q;
}

Eigen::VectorXd position_by_cvode(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                                  const AttachOptions& options, int declines, Failures& failures) {
  const test::Context context;
  const N_Vector y = new_vector(num_unknowns(system, start, options), context);
  initial_values(system, start, options, y);
  void* memory = CVodeCreate(CV_BDF, context);
  BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, 0.0, y) == CV_SUCCESS);
  Eigen::VectorXd q;
  {
    Attachment attachment = attach_cvode(memory, context, y, system, start, options);
    BOOST_REQUIRE(CVodeWFtolerances(memory, error_weights) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetStopTime(memory, t_end) == CV_SUCCESS);
    install(attachment);
    q = position_at_end({[&](double end, double& t) { return CVode(memory, end, y, &t, CV_ONE_STEP); },
                         [&] {
                           Failures f;
                           CVodeGetNumLinConvFails(memory, &f.linear);
                           CVodeGetNumNonlinSolvConvFails(memory, &f.newton);
                           return f;
                         }},
                        attachment, y, declines, failures);
    CVodeFree(&memory);
  }
  N_VDestroy(y);
  return q;
}

Eigen::VectorXd position_by_ida(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                                const AttachOptions& options, int declines, Failures& failures) {
  const test::Context context;
  const N_Vector y = new_vector(num_unknowns(system, start, options), context), yp = N_VClone(y);
  initial_values(system, start, options, y, yp);
  void* memory = IDACreate(context);
  BOOST_REQUIRE(IDAInit(memory, ida_residual, 0.0, y, yp) == IDA_SUCCESS);
  Eigen::VectorXd q;
  {
    Attachment attachment = attach_ida(memory, context, y, system, start, options);
    BOOST_REQUIRE(IDASetStopTime(memory, t_end) == IDA_SUCCESS);
    install(attachment);
    q = position_at_end({[&](double end, double& t) { return IDASolve(memory, end, &t, y, yp, IDA_ONE_STEP); },
                         [&] {
                           Failures f;
                           IDAGetNumLinConvFails(memory, &f.linear);
                           IDAGetNumNonlinSolvConvFails(memory, &f.newton);
                           return f;
                         }},
                        attachment, y, declines, failures);
    IDAFree(&memory);
  }
  N_VDestroy(yp);
  N_VDestroy(y);
  return q;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_linear_solve_that_declines_fails_newtons_iteration) {
  const auto mechanism = make_system(test::Pendulum{});
  const auto program = make_program(Circle{});
  constexpr int declines = 5;
  int formulations = 0;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.equations == Equations::one_step) continue;
    BOOST_TEST_CONTEXT(entry.name) {
      const auto& system = entry.for_programs ? program : mechanism;
      const MotionState start = consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}).state;
      AttachOptions options;
      options.formulation = entry.name;
      options.rtol = options.atol = tolerance;
      const auto position = entry.equations == Equations::ode ? position_by_cvode : position_by_ida;
      Failures undisturbed, disturbed;
      const Eigen::VectorXd expected = position(system, start, options, 0, undisturbed);
      BOOST_TEST(undisturbed.linear == 0);
      const Eigen::VectorXd q = position(system, start, options, declines, disturbed);
      BOOST_TEST(declining.declined == declines);
      BOOST_TEST(disturbed.linear == declines);
      // An iteration with an old matrix is repeated with a new one before it counts as failed.
      const long newton = disturbed.newton - undisturbed.newton;
      BOOST_TEST(newton >= declines / 2);
      BOOST_TEST(newton <= declines);
      BOOST_TEST((q - expected).norm() < 1e3 * tolerance);
      ++formulations;
    }
  }
  BOOST_TEST(formulations > 10);
}

BOOST_AUTO_TEST_CASE(a_linear_solve_returns_what_sundials_knows) {
  const test::Context context;
  const auto system = make_system(test::Pendulum{});
  const MotionState start = consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}).state;
  AttachOptions options;
  options.formulation = "baumgarte";
  const N_Vector y = new_vector(num_unknowns(system, start, options), context), shorter = new_vector(1, context);
  initial_values(system, start, options, y);
  void* memory = CVodeCreate(CV_BDF, context);
  BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, 0.0, y) == CV_SUCCESS);
  {
    Attachment attachment = attach_cvode(memory, context, y, system, start, options);
    const SUNLinearSolver solver = AttachmentAccess::binding(attachment).linear_solver;
    BOOST_TEST(SUNLinSolSolve(solver, nullptr, y, y, 0.0) == SUNLS_PACKAGE_FAIL_REC);  // nothing was factorised
    BOOST_TEST(SUNLinSolSolve(solver, nullptr, shorter, shorter, 0.0) == static_cast<int>(LinearSolverReturn::failed));
    BOOST_CHECK_THROW(attachment.rethrow(), Error);
    CVodeFree(&memory);
  }
  N_VDestroy(shorter);
  N_VDestroy(y);
}
