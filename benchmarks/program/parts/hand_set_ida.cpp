// SPDX-License-Identifier: BSD-3-Clause
#include "parts/hand_set_ida.hpp"

#include <chrono>
#include <cstdlib>

#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <sunlagrange/sundials/attach_ida.hpp>

#include "shared/interruption.hpp"

namespace sunlagrange::program {
namespace {

/// Context, vectors, matrix, solver and memory of one run; they are destroyed in the right order.
struct Ida {
  SUNContext context = nullptr;
  N_Vector y = nullptr, yp = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  void* memory = nullptr;
  std::unique_ptr<Attachment> attachment;

  Ida() {
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_Create(SUN_COMM_NULL, &context);
    SUNContext_ClearErrHandlers(context);
#else
    SUNContext_Create(nullptr, &context);
#endif
  }
  Ida(const Ida&) = delete;
  Ida& operator=(const Ida&) = delete;
  ~Ida() {
    if (memory != nullptr) IDAFree(&memory);
    attachment.reset();
    if (solver != nullptr) SUNLinSolFree(solver);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    if (yp != nullptr) N_VDestroy(yp);
    if (y != nullptr) N_VDestroy(y);
    SUNContext_Free(&context);
  }
};

void require(int flag, const char* function) {
  if (flag < 0) throw Error(std::string(function) + " returned " + std::to_string(flag));
}

void set_up(Ida& ida, const Problem& problem, const MotionState& start, const AttachOptions& attach,
            const HandSetting& setting) {
  const auto& system = problem.mechanism.system;
  ida.y = N_VNew_Serial(num_unknowns(system, start, attach), ida.context);
  ida.yp = N_VClone(ida.y);
  initial_values(system, start, attach, ida.y, ida.yp);
  ida.memory = IDACreate(ida.context);
#if SUNDIALS_VERSION_MAJOR < 7
  IDASetErrFile(ida.memory, nullptr);
#endif
  require(IDAInit(ida.memory, ida_residual, start.t, ida.y, ida.yp), "IDAInit");
  ida.attachment = std::make_unique<Attachment>(attach_ida(ida.memory, ida.context, ida.y, system, start, attach));
  // all settings of the attach function are reset
  require(IDASStolerances(ida.memory, attach.rtol, attach.atol), "IDASStolerances");
  if (!setting.masks) {
    require(IDASetSuppressAlg(ida.memory, SUNFALSE), "IDASetSuppressAlg");
    require(IDASetInitStep(ida.memory, 0.0), "IDASetInitStep");
  }
  require(IDASetNonlinConvCoef(ida.memory, setting.coefficient), "IDASetNonlinConvCoef");
  require(IDASetMaxNonlinIters(ida.memory, setting.iterations), "IDASetMaxNonlinIters");
  const auto size = N_VGetLength(ida.y);
  ida.matrix = SUNDenseMatrix(size, size, ida.context);
  ida.solver = SUNLinSol_Dense(ida.y, ida.matrix, ida.context);
  require(IDASetLinearSolver(ida.memory, ida.solver, ida.matrix), "IDASetLinearSolver");
}

/// Integrates to t_end or to the first failure.
void advance(Ida& ida, double t_end, long max_steps, Simulation& run) {
  Report& report = run.report;
  require(IDASetStopTime(ida.memory, t_end), "IDASetStopTime");
  require(IDASetMaxNumSteps(ida.memory, -1), "IDASetMaxNumSteps");
  while (report.t_reached < t_end) {
    if (report.steps == max_steps) {
      run.status = {Outcome::step_limit, std::to_string(max_steps) + " steps reached t = " + text(report.t_reached)};
      return;
    }
    if (interrupted()) {
      run.status = {Outcome::interrupted, "interrupted at t = " + text(report.t_reached)};
      return;
    }
    sunrealtype reached = 0.0;
    const int flag = IDASolve(ida.memory, t_end, &reached, ida.y, ida.yp, IDA_ONE_STEP);
    if (flag < 0) {
      char* name = IDAGetReturnFlagName(flag);
      run.status = {Outcome::integrator_failure, std::string(name) + " at t = " + text(report.t_reached)};
      std::free(name);
      return;
    }
    report.t_reached = reached;
    ++report.steps;
  }
}

}  // namespace

bool baselines_make_sense(const Problem& problem) {
  constexpr int largest = 100;
  const MechanicalSystem& system = *problem.mechanism.system;
  return system.num_positions() + system.num_constraints() <= largest;
}

std::vector<HandSetting> hand_settings(const std::string& formulation) {
  return {{"ida stock", false, 0.33, 4}, {"ida masks", true, formulation == "index3" ? 1e-4 : 0.33, 8}};
}

RunRecord run_hand_set(const Problem& problem, const SimulationOptions& options, const HandSetting& setting,
                       const HandLimits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = thread_cpu_seconds();
  RunRecord record;
  record.options = options;
  record.options.integrator = setting.label;
  record.baseline = true;
  record.mechanism = problem.name;
  record.linear_solver = "dense";
  Simulation& run = record.simulation;
  const auto& system = problem.mechanism.system;
  ConsistencyOptions consistency;
  consistency.start = options.start;
  const MotionState start = consistent_state(system, problem.mechanism.start, consistency).state;
  run.report.t_start = run.report.t_reached = start.t;
  run.report.t_end = options.t_end;
  const AttachOptions attach{{options, {{}, options.t_end - start.t}}, false, {}};
  Ida ida;
  set_up(ida, problem, start, attach, setting);
  if (limits.max_step > 0.0) require(IDASetMaxStep(ida.memory, limits.max_step), "IDASetMaxStep");
  run.report.used.max_step = limits.max_step;
  advance(ida, options.t_end, limits.max_steps, run);
  Report& report = run.report;
  IDAGetNumNonlinSolvConvFails(ida.memory, &report.nonlinear_failures);
  IDAGetNumErrTestFails(ida.memory, &report.error_test_failures);
  IDAGetNumJacEvals(ida.memory, &report.jacobian_evaluations);
  report.rhs_evaluations = ida.attachment->counts().rhs_evaluations;
  report.max_position_violation = report.max_velocity_violation = Report::none;
  MotionState end;
  if (run.status.finished() && ida.attachment->motion(report.t_reached, ida.y, end)) {
    run.trajectory = Trajectory({end});
    compare_with_reference(problem, record);
  }
  record.cpu_seconds = thread_cpu_seconds() - cpu_begin;
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

}  // namespace sunlagrange::program
