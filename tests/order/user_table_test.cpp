// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <arkode/arkode_erkstep.h>

#include "runs.hpp"
#include "sundials/compatibility.hpp"

/// The user's own Butcher tables, and why they do not go through ERKStep.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using mechanisms::find_mechanism;

namespace {

ButcherTable ralston() {
  return {"Ralston", 2, {0.0, 2.0 / 3.0}, {{}, {2.0 / 3.0}}, {0.25, 0.75}};
}

/// Strong-stability-preserving method of Shu and Osher, three stages.
ButcherTable ssp3() {
  return {"SSP3", 3, {0.0, 1.0, 0.5}, {{}, {1.0}, {0.25, 0.25}}, {1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0}};
}

SimulationOptions with_table(const ButcherTable& table, double t_end, double step) {
  SimulationOptions options;
  options.table = table;
  options.t_end = t_end;
  options.step = step;
  options.gains = Gains::critically_damped({2.0});
  return options;
}

/// q'' = -q, no constraint.
struct Oscillator {
  static constexpr int num_positions = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = -q[0];
  }
};

/// ERKStepX became ARKodeX in 7.1.
int set_fixed_step(void* memory, double h) {
#if SUNDIALS_VERSION_MAJOR >= 7
  return ARKodeSetFixedStep(memory, h);
#else
  return ERKStepSetFixedStep(memory, h);
#endif
}
int evolve(void* memory, N_Vector y, double* t) {
#if SUNDIALS_VERSION_MAJOR >= 7
  return ARKodeEvolve(memory, 2.0, y, t, ARK_ONE_STEP);
#else
  return ERKStepEvolve(memory, 2.0, y, t, ARK_ONE_STEP);
#endif
}
void free_memory(void** memory) {
#if SUNDIALS_VERSION_MAJOR >= 7
  ARKodeFree(memory);
#else
  ERKStepFree(memory);
#endif
}

int oscillator_rhs(double, N_Vector y, N_Vector ydot, void*) {
  N_VGetArrayPointer(ydot)[0] = N_VGetArrayPointer(y)[1];
  N_VGetArrayPointer(ydot)[1] = -N_VGetArrayPointer(y)[0];
  return 0;
}

/// Error of q at t = 1 after `steps` steps of the classical method in ERKStep.
double error_in_erkstep(int steps) {
  SUNContext context = nullptr;
  BOOST_REQUIRE(create_context(&context) == 0);
  N_Vector y = N_VNew_Serial(2, context);
  N_VGetArrayPointer(y)[0] = 1.0;
  N_VGetArrayPointer(y)[1] = 0.0;
  void* memory = ERKStepCreate(oscillator_rhs, 0.0, y, context);
  double A[16] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < rk4().A[i].size(); ++j) A[4 * i + j] = rk4().A[i][j];
  }
  std::vector<double> c = rk4().c, b = rk4().b;
  ARKodeButcherTable table = ARKodeButcherTable_Create(4, 4, 0, c.data(), A, b.data(), nullptr);
  BOOST_REQUIRE(ERKStepSetTable(memory, table) == 0);
  ARKodeButcherTable_Free(table);
  BOOST_REQUIRE(set_fixed_step(memory, 1.0 / steps) == 0);
  double t = 0.0;
  for (int k = 0; k < steps; ++k) BOOST_REQUIRE(evolve(memory, y, &t) >= 0);
  const double error = std::abs(N_VGetArrayPointer(y)[0] - std::cos(1.0));
  free_memory(&memory);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return error;
}

double error_of_simulate(int steps) {
  SimulationOptions options = with_table(rk4(), 1.0, 1.0 / steps);
  options.formulation = "unstabilized";
  options.gains = {};
  const InitialState start{0.0, Eigen::VectorXd::Constant(1, 1.0), {}};
  const Simulation run = simulate(make_system(Oscillator{}), start, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  return std::abs(run.trajectory.q(run.trajectory.size() - 1)[0] - std::cos(1.0));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_classical_table_is_rk4) {
  const auto pendulum = find_mechanism("pendulum").make(0);
  SimulationOptions options = with_table(rk4(), 1.0, 1e-2);
  const Simulation own = simulate(pendulum.system, pendulum.start, options);
  options.table.reset();
  options.integrator = "rk4";
  const Simulation built_in = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE(own.status.finished());
  BOOST_REQUIRE(own.trajectory.size() == built_in.trajectory.size());
  for (std::size_t k = 0; k < own.trajectory.size(); ++k) {
    BOOST_TEST((own.trajectory.q(k) - built_in.trajectory.q(k)).norm() < 1e-14);
    BOOST_TEST((own.trajectory.v(k) - built_in.trajectory.v(k)).norm() < 1e-14);
  }
  BOOST_TEST(own.report.text(own.status).find("order 4, stages 4") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(observed_orders_of_user_tables) {
  const auto pendulum = find_mechanism("pendulum").make(0);
  for (const ButcherTable& table : {ralston(), ssp3()}) {
    double errors[3];
    for (int k = 0; k < 3; ++k) {
      const Simulation run = simulate(pendulum.system, pendulum.start, with_table(table, 1.0, 2.5e-3 / (1 << k)));
      BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
      errors[k] = test::end_error(pendulum, run);
    }
    BOOST_TEST_CONTEXT(table.name << ": " << errors[0] << " " << errors[1] << " " << errors[2]) {
      BOOST_TEST(std::abs(std::log2(errors[0] / errors[1]) - table.order) < 0.15);
      BOOST_TEST(std::abs(std::log2(errors[1] / errors[2]) - table.order) < 0.1);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_ode_form_takes_a_table) {
  const auto pendulum = find_mechanism("pendulum").make(0);
  for (const FormulationInfo& form : formulations()) {
    if (!objection(form.name, *pendulum.system, "table").empty()) continue;
    SimulationOptions options = with_table(ssp3(), 1.0, 1e-3);
    options.formulation = std::string(form.name);
    const Simulation run = simulate(pendulum.system, pendulum.start, options);
    BOOST_TEST_CONTEXT(form.name) {
      BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
      BOOST_TEST(test::end_error(pendulum, run) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(p8_erkstep_loses_an_order_with_textbook_tables_this_library_does_not) {
  // Up to 6.6 ERKStep takes every table with c_s = 1 for one whose last stage is the first of the next step.
  constexpr bool trap = SUNDIALS_VERSION_MAJOR < 6 || (SUNDIALS_VERSION_MAJOR == 6 && SUNDIALS_VERSION_MINOR < 7);
  const double erkstep = std::log2(error_in_erkstep(40) / error_in_erkstep(80));
  const double ours = std::log2(error_of_simulate(40) / error_of_simulate(80));
  BOOST_TEST_MESSAGE("observed orders: ERKStep " << erkstep << ", simulate " << ours);
  BOOST_TEST(std::abs(erkstep - (trap ? 3.0 : 4.0)) < 0.1);
  BOOST_TEST(std::abs(ours - 4.0) < 0.1);
}
