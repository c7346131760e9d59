// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cstdio>

#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>
#include <sunlagrange/sundials/new_vector.hpp>

#include "iterations.hpp"
#include "mechanisms/mechanism.hpp"
#include "program/parts/processor_time.hpp"
#include "shared/quantile.hpp"
#include "sundials/compatibility.hpp"

/// Cost of simulate() compared with the bare loop of an application that owns its integrator: both with consistent
/// start and set-up, alternating in one process, medians of processor time. Both take the same steps; the attached loop
/// checks none of them. `vector`: time of that loop on new_vector() over its time on N_VNew_Serial. One iteration is
/// one run of each:
///
///     sunlagrange-microbenchmarks --benchmark_filter=attached_run --benchmark_counters_tabular=true
namespace sunlagrange {
namespace {

using program::cpu_seconds;
using program::median;

struct Case {
  const char* mechanism;
  int size;
  const char* formulation;
  const char* integrator;
  double tolerance;
  double t_end;
  int pairs;
};

long simulated(const mechanisms::Mechanism& mechanism, const Case& c) {
  SimulationOptions options;
  options.formulation = c.formulation;
  options.integrator = c.integrator;
  options.rtol = options.atol = c.tolerance;
  options.t_end = c.t_end;
  options.max_step = options.t_end;  // the attached loop has no limit
  options.gains = mechanism.gains;
  options.start = mechanism.start_mode;
  options.linear_solver.rank_policy = mechanism.rank_policy;
  const Simulation run = simulate(mechanism.system, mechanism.start, options);
  return run.status.outcome == Outcome::finished || run.status.outcome == Outcome::uncertain_branch ? run.report.steps
                                                                                                    : -run.report.steps;
}

N_Vector serial(long size, SUNContext context) {
  return N_VNew_Serial(static_cast<sunindextype>(size), context);
}

/// As a program with a main() of its own does it. @return accepted steps; negative: the integrator gave up
long attached(const mechanisms::Mechanism& mechanism, const Case& c, decltype(new_vector)& make) {
  const std::string_view integrator = c.integrator;
  const bool ida = integrator == "ida", adams = integrator == "cvode_adams", dopri5 = integrator == "dopri5";
  AttachOptions options;
  options.formulation = c.formulation;
  options.rtol = options.atol = c.tolerance;
  options.gains = mechanism.gains;
  options.linear_solver.rank_policy = mechanism.rank_policy;
  options.t_span = c.t_end;
  options.integrator.kind = dopri5  ? IntegratorKind::explicit_adaptive
                            : adams ? IntegratorKind::adams
                                    : IntegratorKind::bdf;
  options.install_linear_solver = !adams;
  ConsistencyOptions consistency;
  consistency.start = mechanism.start_mode;
  consistency.linear_solver = options.linear_solver;
  const MotionState start = consistent_state(mechanism.system, mechanism.start, consistency).state;
  SUNContext context = nullptr;
  internal::create_context(&context);
  N_Vector y = make(num_unknowns(mechanism.system, start, options), context);
  N_Vector yp = ida ? N_VClone(y) : nullptr;
  initial_values(mechanism.system, start, options, y, yp);
  SUNNonlinearSolver iteration = nullptr;
  double t = start.t;
  long steps = 0;
  int flag = 0;
  if (ida) {
    void* memory = IDACreate(context);
    IDAInit(memory, ida_residual, t, y, yp);
    IDASetStopTime(memory, c.t_end);
    const Attachment attachment = attach_ida(memory, context, y, mechanism.system, start, options);
    for (; t < c.t_end && flag >= 0; ++steps) flag = IDASolve(memory, c.t_end, &t, y, yp, IDA_ONE_STEP);
    IDAFree(&memory);
  } else if (dopri5) {
    void* memory = ARKStepCreate(arkode_rhs, nullptr, t, y, context);
    internal::ark::StepControl control;
    control.install(memory, context);
    ARKodeButcherTable table = ARKodeButcherTable_LoadERK(ARKODE_DORMAND_PRINCE_7_4_5);
    ARKStepSetTables(memory, 5, 4, nullptr, table);
    ARKodeButcherTable_Free(table);
    internal::ark::set_tolerances(memory, c.tolerance, c.tolerance);
    internal::ark::set_stop_time(memory, c.t_end);
    const Attachment attachment = attach_arkode(memory, mechanism.system, start, options);
    for (; t < c.t_end && flag >= 0; ++steps) flag = internal::ark::evolve(memory, c.t_end, y, &t);
    internal::ark::free(&memory);
  } else {
    void* memory = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context);
    CVodeInit(memory, cvode_rhs, t, y);
    CVodeSStolerances(memory, c.tolerance, c.tolerance);
    CVodeSetStopTime(memory, c.t_end);
    const Attachment attachment = attach_cvode(memory, context, y, mechanism.system, start, options);
    if (adams) {
      iteration = SUNNonlinSol_FixedPoint(y, 0, context);
      CVodeSetNonlinearSolver(memory, iteration);
    }
    for (; t < c.t_end && flag >= 0; ++steps) flag = CVode(memory, c.t_end, y, &t, CV_ONE_STEP);
    CVodeFree(&memory);
  }
  if (iteration != nullptr) SUNNonlinSolFree(iteration);
  if (yp != nullptr) N_VDestroy(yp);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return flag < 0 ? -steps : steps;
}

void compare(benchmark::State& state, const Case& c) {
  const auto mechanism = mechanisms::find_mechanism(c.mechanism).make(c.size);
  std::vector<double> bare, whole, ratio, vector;
  long steps = 0, same = 0;
  for (auto _ : state) {
    const double first = cpu_seconds();
    attached(mechanism, c, serial);
    const double begin = cpu_seconds();
    same = attached(mechanism, c, new_vector);
    const double middle = cpu_seconds();
    steps = simulated(mechanism, c);
    const double end = cpu_seconds();
    bare.push_back(middle - begin);
    whole.push_back(end - middle);
    ratio.push_back((end - middle) / (middle - begin));
    vector.push_back((middle - begin) / (begin - first));
    state.SetIterationTime(end - first);
  }
  state.counters["attached_us"] = 1e6 * median(bare);
  state.counters["simulate_us"] = 1e6 * median(whole);
  state.counters["ratio"] = median(ratio);
  state.counters["vector"] = median(vector);
  state.counters["steps"] = static_cast<double>(steps);
  if (steps != same) state.SetLabel("attached: " + std::to_string(same) + " steps");
}

const bool registered = [] {
  struct Problem {
    const char* mechanism;
    int size;
    double t_end;
    int pairs;
  };
  const Problem problems[] = {{"andrews", 0, 0.03, 41},
                              {"car_axis", 0, 3.0, 41},
                              {"pendulum", 0, 10.0, 41},
                              {"chain", 400, 1.0, 7},
                              {"n_four_bar", 40, 0.6, 21}};
  const std::pair<const char*, const char*> methods[] = {
      {"baumgarte", "dopri5"}, {"baumgarte", "cvode_adams"}, {"index3", "ida"}, {"baumgarte", "cvode_bdf"}};
  for (const Problem& p : problems) {
    for (const auto& [formulation, integrator] : methods) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        const Case c{p.mechanism, p.size, formulation, integrator, tolerance, p.t_end, p.pairs};
        char tail[80];
        std::snprintf(tail, sizeof tail, "/%s/%s/%g", formulation, integrator, tolerance);
        const std::string name = std::string("attached_run/") + p.mechanism + tail;
        with_iterations(benchmark::RegisterBenchmark(name.c_str(), [c](benchmark::State& s) { compare(s, c); })
                            ->Iterations(c.pairs)
                            ->UseManualTime()
                            ->Unit(benchmark::kMicrosecond));
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace sunlagrange
