// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>

#include <arkode/arkode_arkstep.h>

#include <stdexcept>

#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>

#include "mechanisms/mechanism.hpp"
#include "models.hpp"
#include "raw_sundials.hpp"

/// The second front door: memory that the application owns.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::Vector2d;
using test::Context;
using test::SerialVector;

namespace {

const InitialState start{0.0, Vector2d(1.0, 0.0), {}};
constexpr double relative = 1e-7, absolute = 1e-9, t_end = 1.5;

void load(const MotionState& state, const SerialVector& y) {
  const int n = static_cast<int>(state.q.size());
  for (int i = 0; i < n; ++i) {
    y[i] = state.q[i];
    y[n + i] = state.v[i];
  }
}

AttachOptions attach_options(const std::string& formulation) {
  AttachOptions options;
  options.formulation = formulation;
  options.rtol = relative;
  options.atol = absolute;
  options.t_span = t_end;
  return options;
}

Simulation simulated(const std::string& formulation, const std::string& integrator) {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.rtol = relative;
  options.atol = absolute;
  options.t_end = t_end;
  options.max_step = t_end;
  const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_REQUIRE(run.status.finished());
  return run;
}

/// y at t_end equals the last row of simulate() to the bit: both doors lead to the same callbacks.
void check_end(const Simulation& run, const SerialVector& y) {
  const std::size_t last = run.trajectory.size() - 1;
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(y[i] == run.trajectory.q(last)[i]);
    BOOST_TEST(y[2 + i] == run.trajectory.v(last)[i]);
  }
}

/// CVODE memory as an application sets it up.
struct OwnCvode {
  explicit OwnCvode(const MotionState& state) : y(2 * static_cast<sunindextype>(state.q.size()), context) {
    load(state, y);
    memory = CVodeCreate(CV_BDF, context);
    BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, state.t, y) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSStolerances(memory, relative, absolute) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetStopTime(memory, t_end) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetMaxNumSteps(memory, 100000) == CV_SUCCESS);
  }
  OwnCvode(const OwnCvode&) = delete;
  ~OwnCvode() { CVodeFree(&memory); }

  int run() {
    double t = 0.0;
    int flag = 0;
    while (t < t_end && flag >= 0) flag = CVode(memory, t_end, y, &t, CV_ONE_STEP);
    return flag;
  }

  Context context;
  SerialVector y;
  void* memory = nullptr;
};

struct Throwing : test::Pendulum {
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    if (value_of(t) > 0.5) throw std::domain_error("no data after 0.5 s");
    test::Pendulum::applied_force(t, q, v, f);
  }
};

int root_calls = 0;
int below(sunrealtype, N_Vector y, sunrealtype* root, void* user_data) {
  auto* calls = static_cast<int*>(user_pointer(user_data));
  ++*calls;
  root[0] = N_VGetArrayPointer(y)[0];
  return 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(own_cvode_gives_the_trajectory_of_simulate) {
  for (const char* formulation : {"baumgarte", "penalty", "unstabilized"}) {
    BOOST_TEST_CONTEXT(formulation) {
      const auto system = make_system(test::Pendulum{});
      const MotionState state = consistent_state(system, start).state;
      OwnCvode own(state);
      Attachment attachment = attach_cvode(own.memory, own.context, own.y, system, state, attach_options(formulation));
      BOOST_REQUIRE(own.run() >= 0);
      const Simulation run = simulated(formulation, "cvode_bdf");
      check_end(run, own.y);
      BOOST_TEST(attachment.counts().rhs_evaluations == run.report.rhs_evaluations);
      BOOST_TEST(attachment.counts().jacobian_evaluations == run.report.jacobian_evaluations);
      // a solution for each right-hand side, and one for each iteration that CVODE counts
      long iterations = 0;
      BOOST_REQUIRE(CVodeGetNumNonlinSolvIters(own.memory, &iterations) == CV_SUCCESS);
      BOOST_TEST(attachment.counts().linear_solutions == attachment.counts().rhs_evaluations + iterations);
      // simulate() may solve once more for the multipliers of each accepted step
      const long more = run.report.linear_solutions - attachment.counts().linear_solutions;
      BOOST_TEST((more >= 0 && more <= run.report.steps + 1));
      if (formulation == std::string("baumgarte")) {
        BOOST_REQUIRE(attachment.facts().K_D.has_value());
        BOOST_TEST(attachment.facts().K_D->asked.automatic());
        BOOST_TEST(attachment.facts().lines()[0].name == "K_D");
      }
      CVodeFree(&own.memory);
    }
  }
}

BOOST_AUTO_TEST_CASE(own_arkode_gives_the_trajectory_of_simulate) {
  const auto system = make_system(test::Pendulum{});
  const MotionState state = consistent_state(system, start).state;
  Context context;
  SerialVector y(4, context);
  load(state, y);
  void* memory = ARKStepCreate(arkode_rhs, nullptr, 0.0, y, context);
  BOOST_REQUIRE(memory != nullptr);
  ark::StepControl control;
  BOOST_REQUIRE(control.install(memory, context) == 0);
  {
    Attachment attachment = attach_arkode(memory, system, state, attach_options("baumgarte"));
    ARKodeButcherTable table = ARKodeButcherTable_LoadERK(ARKODE_DORMAND_PRINCE_7_4_5);
    BOOST_REQUIRE(ARKStepSetTables(memory, 5, 4, nullptr, table) == 0);
    ARKodeButcherTable_Free(table);
    BOOST_REQUIRE(ark::set_tolerances(memory, relative, absolute) == 0);
    BOOST_REQUIRE(ark::set_stop_time(memory, t_end) == 0);
    double t = 0.0;
    while (t < t_end) BOOST_REQUIRE(ark::evolve(memory, t_end, y, &t) >= 0);
    check_end(simulated("baumgarte", "dopri5"), y);
    ark::free(&memory);
  }
}

BOOST_AUTO_TEST_CASE(own_ida_gives_the_trajectory_of_simulate) {
  const auto system = make_system(test::Pendulum{});
  const MotionState state = consistent_state(system, start).state;
  const AttachOptions options = attach_options("index3");
  Context context;
  BOOST_TEST(num_unknowns(system, state, options) == 5);
  SerialVector y(5, context), yp(5, context);
  initial_values(system, state, options, y, yp);
  BOOST_TEST(y[4] == state.lambda[0]);
  BOOST_TEST(yp[3] == state.a[1]);
  void* memory = IDACreate(context);
  BOOST_REQUIRE(IDAInit(memory, ida_residual, 0.0, y, yp) == IDA_SUCCESS);
  {
    Attachment attachment = attach_ida(memory, context, y, system, state, options);
    BOOST_REQUIRE(IDASetStopTime(memory, t_end) == IDA_SUCCESS);
    BOOST_REQUIRE(IDASetMaxNumSteps(memory, -1) == IDA_SUCCESS);
    double t = 0.0;
    while (t < t_end) BOOST_REQUIRE(IDASolve(memory, t_end, &t, y, yp, IDA_ONE_STEP) >= 0);
    const Simulation run = simulated("index3", "ida");
    check_end(run, y);
    long iterations = 0;  // each solves once; residuals solve nothing
    BOOST_REQUIRE(IDAGetNumNonlinSolvIters(memory, &iterations) == IDA_SUCCESS);
    BOOST_TEST(attachment.counts().linear_solutions == iterations);
    BOOST_TEST(attachment.counts().linear_solutions == run.report.linear_solutions);
    IDAFree(&memory);
  }
}

BOOST_AUTO_TEST_CASE(user_pointer_is_reached_in_the_applications_callbacks) {
  const auto system = make_system(test::Pendulum{});
  const MotionState state = consistent_state(system, start).state;
  OwnCvode own(state);
  BOOST_REQUIRE(CVodeRootInit(own.memory, 1, below) == CV_SUCCESS);
  Attachment attachment = attach_cvode(own.memory, own.context, own.y, system, state);
  attachment.set_user_pointer(&root_calls);
  BOOST_REQUIRE(own.run() >= 0);
  BOOST_TEST(root_calls > 10);
  CVodeFree(&own.memory);
}

BOOST_AUTO_TEST_CASE(an_attachment_may_be_moved_in_mid_run) {
  const auto system = make_system(test::Pendulum{});
  const MotionState state = consistent_state(system, start).state;
  OwnCvode own(state);
  Attachment first = attach_cvode(own.memory, own.context, own.y, system, state, attach_options("baumgarte"));
  double t = 0.0;
  for (int k = 0; k < 10; ++k) BOOST_REQUIRE(CVode(own.memory, t_end, own.y, &t, CV_ONE_STEP) >= 0);
  const long before = first.counts().rhs_evaluations;
  Attachment second = std::move(first);
  BOOST_REQUIRE(own.run() >= 0);
  check_end(simulated("baumgarte", "cvode_bdf"), own.y);
  BOOST_TEST(second.counts().rhs_evaluations > before);
  CVodeFree(&own.memory);
}

BOOST_AUTO_TEST_CASE(an_exception_of_the_model_is_stored_and_rethrown) {
  const auto system = make_system(Throwing{});
  const MotionState state = consistent_state(system, start).state;
  OwnCvode own(state);
  Attachment attachment = attach_cvode(own.memory, own.context, own.y, system, state);
  BOOST_CHECK_NO_THROW(attachment.rethrow());
  int flag = 0;
  BOOST_CHECK_NO_THROW(flag = own.run());  // nothing crosses the C frames
  BOOST_TEST(flag < 0);
  BOOST_CHECK_EXCEPTION(attachment.rethrow(), std::domain_error,
                        [](const std::exception& e) { return std::string(e.what()) == "no data after 0.5 s"; });
  BOOST_CHECK_NO_THROW(attachment.rethrow());  // once
  CVodeFree(&own.memory);
}

BOOST_AUTO_TEST_CASE(misuse_is_refused) {
  const auto system = make_system(test::Pendulum{});
  const MotionState state = consistent_state(system, start).state;
  const auto refused = [](auto&& attach, const std::string& part) {
    BOOST_CHECK_EXCEPTION(attach(), Error, [&](const Error& error) {
      BOOST_TEST_MESSAGE(error.what());
      return std::string(error.what()).find(part) != std::string::npos;
    });
  };
  OwnCvode own(state);
  SerialVector wrong(5, own.context);
  refused([&] { attach_cvode(own.memory, own.context, wrong, system, state); }, "5 entries");
  refused([&] { attach_cvode(own.memory, own.context, own.y, system, state, attach_options("index3")); }, "DAE form");
  refused([&] { attach_cvode(own.memory, own.context, own.y, system, state, attach_options("lagrange")); }, "lagrange");
  refused([&] { attach_cvode(nullptr, own.context, own.y, system, state); }, "CVode");
  MotionState incomplete = state;
  incomplete.lambda.resize(0);
  refused([&] { attach_cvode(own.memory, own.context, own.y, system, incomplete); }, "consistent_state");
  AttachOptions gains = attach_options("baumgarte");
  gains.gains.K_D = Gain(-1.0);
  refused([&] { attach_cvode(own.memory, own.context, own.y, system, state, gains); }, "K_D");

  void* ida = IDACreate(own.context);
  refused([&] { attach_ida(ida, own.context, own.y, system, state, attach_options("baumgarte")); }, "ODE form");
  refused([&] { attach_ida(ida, own.context, own.y, system, state, attach_options("index3")); }, "4 entries");
  IDAFree(&ida);
  CVodeFree(&own.memory);
}

namespace {

std::string used_line(const Simulation& run, const std::string& name) {
  for (const Setting& line : run.report.used.lines()) {
    if (line.name == name) return line.used;
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(settings_of_ida_can_be_overridden_and_are_shown) {
  SimulationOptions options;
  options.formulation = "ggl";
  options.t_end = 0.2;
  options.ida.nonlinear_coefficient = 0.25;
  options.ida.max_nonlinear_iterations = 5;
  options.ida.initial_step = 1e-5;
  const auto system = make_system(test::Pendulum{});
  const Simulation run = simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
  BOOST_REQUIRE(run.status.finished());
  const DaeSettings& used = run.report.used.dae->settings;
  BOOST_TEST(used.nonlinear_coefficient == 0.25);
  BOOST_TEST(used.max_nonlinear_iterations == 5);
  BOOST_TEST(used.initial_step == 1e-5);
  BOOST_TEST(used_line(run, "nonlinear coefficient") == "0.25");
  BOOST_TEST(used_line(run, "initial step") == "1e-05 s");
  BOOST_TEST(run.trajectory.t(1) <= 1.0001e-5);  // the step was really taken
  options.ida.max_nonlinear_iterations = 0;
  BOOST_CHECK_THROW(simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options), Error);
}

// The mask of the multipliers was still reported when the user had taken it back.
BOOST_AUTO_TEST_CASE(an_override_is_told_after_the_override) {
  const auto system = make_system(test::Pendulum{});
  for (const char* formulation : {"index1", "index2", "ggl", "stabilized_index1"}) {
    BOOST_TEST_CONTEXT(formulation) {
      SimulationOptions options;
      options.formulation = formulation;
      options.t_end = 0.1;
      const bool masks = options.formulation != "stabilized_index1";
      Simulation run = simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
      BOOST_TEST(run.report.used.dae->masked() == masks);
      BOOST_TEST((used_line(run, "ids").find("masked") != std::string::npos) == masks);
      BOOST_TEST(used_line(run, "suppress algebraic").empty());
      options.ida.suppress_algebraic = false;
      run = simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
      BOOST_TEST(!run.report.used.dae->masked());
      BOOST_TEST(used_line(run, "ids") == "everything in the error test");
      BOOST_TEST(used_line(run, "suppress algebraic") == "no");
    }
  }
}

BOOST_AUTO_TEST_CASE(masks_name_the_unknowns_that_are_there) {
  const auto masks = [](const char* mechanism) {
    const auto m = mechanisms::find_mechanism(mechanism).make(0);
    SimulationOptions options;
    options.formulation = "ggl";
    options.t_end = m.start.t + 1e-3;
    return simulate(m.system, m.start, options).report.used.dae->algebraic;
  };
  BOOST_TEST((masks("pendulum") == std::vector<std::string>{"lambda", "mu"}));
  BOOST_TEST((masks("knife_edge") ==
              std::vector<std::string>{"lambda"}));  // mu belongs to g = 0, and it has velocity constraints only
}
