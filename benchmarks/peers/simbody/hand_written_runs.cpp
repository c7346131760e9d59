// SPDX-License-Identifier: BSD-3-Clause
#include "hand_written_runs.hpp"

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <memory>

#include "micro/hand_written.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange::peers {
namespace {

struct Equations {
  std::unique_ptr<hand_written::Program> program;
  long evaluations = 0;
};

int right_hand_side(double t, N_Vector y, N_Vector ydot, void* user) {
  auto& equations = *static_cast<Equations*>(user);
  ++equations.evaluations;
  equations.program->right_hand_side(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
  return 0;
}

int run_cvode(int method, Equations& equations, N_Vector y, double tolerance, double t_end, SUNContext context,
              long& steps) {
  void* memory = CVodeCreate(method, context);
  CVodeInit(memory, right_hand_side, 0.0, y);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetUserData(memory, &equations);
  CVodeSetStopTime(memory, t_end);
  CVodeSetMaxNumSteps(memory, 100000);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
  CVodeSetNonlinearSolver(memory, iteration);
  double t = 0.0;
  const int flag = CVode(memory, t_end, y, &t, CV_NORMAL);
  CVodeGetNumSteps(memory, &steps);
  CVodeFree(&memory);
  SUNNonlinSolFree(iteration);
  return flag;
}

int run_dopri5(Equations& equations, N_Vector y, double tolerance, double t_end, SUNContext context, long& steps) {
  void* memory = ARKStepCreate(right_hand_side, nullptr, 0.0, y, context);
  internal::ark::StepControl control;
  control.install(memory, context);
  ARKodeButcherTable table = ARKodeButcherTable_LoadERK(ARKODE_DORMAND_PRINCE_7_4_5);
  ARKStepSetTables(memory, 5, 4, nullptr, table);
  ARKodeButcherTable_Free(table);
  internal::ark::set_tolerances(memory, tolerance, tolerance);
  internal::ark::set_user_data(memory, &equations);
  internal::ark::set_stop_time(memory, t_end);
  double t = 0.0;
  int flag = 0;
  for (steps = 0; t < t_end && flag >= 0; ++steps) flag = internal::ark::evolve(memory, t_end, y, &t);
  internal::ark::free(&memory);
  return flag;
}

}  // namespace

Ending run_by_hand(const std::string& equations, int loops, const std::string& integrator, double tolerance,
                   double t_end) {
  Equations own;
  own.program = equations == "klu" ? hand_written::n_four_bar(loops) : hand_written::n_four_bar_blocks(loops);
  SUNContext context = nullptr;
  internal::create_context(&context);
  const int n = 2 * loops + 2;
  N_Vector y = N_VNew_Serial(2 * n, context);
  double* q = N_VGetArrayPointer(y);
  for (int i = 0; i <= loops; ++i) {
    q[2 * i] = i;
    q[2 * i + 1] = 1.0;
    q[n + 2 * i] = 1.0;
    q[n + 2 * i + 1] = 0.0;
  }
  Ending ending;
  const int flag = integrator == "dopri5" ? run_dopri5(own, y, tolerance, t_end, context, ending.steps)
                                          : run_cvode(integrator == "cvode_adams" ? CV_ADAMS : CV_BDF, own, y,
                                                      tolerance, t_end, context, ending.steps);
  ending.evaluations = own.evaluations;
  if (flag < 0)
    ending.failure = "SUNDIALS gave up with flag " + std::to_string(flag);
  else
    ending.values.assign(q, q + n);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return ending;
}

}  // namespace sunlagrange::peers
