#include <benchmark/benchmark.h>
#include <cvodes/cvodes_diag.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <ctime>
#include <string_view>

#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>
#include <sunlagrange/sundials/new_vector.hpp>

#include "mechanisms/mechanism.hpp"
#include "sundials/compatibility.hpp"

/// What vectors of SUNDIALS cost: serial ones beside new_vector(), alternating in one process, medians of processor
/// time. `step` is one CVode call on oscillators whose right-hand side is next to nothing, `run` a whole attached run
/// with its set-up.
///
///     sunlagrange-microbenchmarks --benchmark_filter=vectors --benchmark_counters_tabular=true
///
/// How well SUNDIALS itself was compiled decides: distributions differ, Debian 12's is not optimised at all.
namespace sunlagrange {
namespace {

using NewVector = N_Vector (*)(long size, SUNContext context);

N_Vector serial(long size, SUNContext context) {
  return N_VNew_Serial(size, context);
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time of one run(make), which returns its steps.
template <class Run>
double seconds(Run&& run, NewVector make, long& steps) {
  const double begin = cpu_seconds();
  steps = run(make);
  return cpu_seconds() - begin;
}

template <class Run>
void compare(benchmark::State& state, bool per_step, Run&& run) {
  std::vector<double> of_serial, of_ours, ratio;
  long steps[2] = {0, 0};
  for (auto _ : state) {
    of_serial.push_back(seconds(run, serial, steps[0]));
    of_ours.push_back(seconds(run, new_vector, steps[1]));
    state.SetIterationTime(of_serial.back() + of_ours.back());
    if (steps[0] <= 0 || steps[1] <= 0) {
      state.SkipWithError("the integrator gave up");
      break;
    }
    if (per_step) {
      of_serial.back() /= static_cast<double>(steps[0]);
      of_ours.back() /= static_cast<double>(steps[1]);
    }
    ratio.push_back(of_ours.back() / of_serial.back());
  }
  state.counters["serial_us"] = 1e6 * median(of_serial);
  state.counters["new_us"] = 1e6 * median(of_ours);
  state.counters["ratio"] = median(ratio);
  state.counters["steps"] = static_cast<double>(steps[0]);
  if (steps[0] != steps[1]) state.SetLabel("new: " + std::to_string(steps[1]) + " steps");
}

// ---- one call of CVODE ----

/// q'' = -w^2 q, w from 1 to 3, for each pair of entries.
int oscillators(double, N_Vector y, N_Vector ydot, void*) {
  const long pairs = N_VGetLength(y) / 2;
  const double* q = N_VGetArrayPointer(y);
  double* rate = N_VGetArrayPointer(ydot);
  const double change = 8.0 / static_cast<double>(pairs);
  for (long i = 0; i < pairs; ++i) {
    rate[i] = q[pairs + i];
    rate[pairs + i] = -(1.0 + change * static_cast<double>(i)) * q[i];
  }
  return 0;
}

long step_cvode(int method, long size, NewVector make) {
  constexpr long steps = 400;
  SUNContext context = nullptr;
  internal::create_context(&context);
  N_Vector y = make(size, context);
  N_VConst(0.5, y);
  void* memory = CVodeCreate(method, context);
  CVodeInit(memory, oscillators, 0.0, y);
  CVodeSStolerances(memory, 1e-6, 1e-6);
  SUNNonlinearSolver iteration = nullptr;
  if (method == CV_ADAMS) {
    iteration = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeSetNonlinearSolver(memory, iteration);
  } else {
    CVDiag(memory);
  }
  double t = 0.0;
  int flag = 0;
  for (long k = 0; k < steps && flag >= 0; ++k) flag = CVode(memory, 1e6, y, &t, CV_ONE_STEP);
  CVodeFree(&memory);
  if (iteration != nullptr) SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return flag < 0 ? -1 : steps;
}

// ---- whole runs ----

struct Case {
  const char* mechanism;
  int size;
  double t_end;
  int pairs;
  const char* formulation;
  std::string_view integrator;
};

/// Steps of an integrator of the application's own; negative: it gave up.
long attached(const mechanisms::Mechanism& mechanism, const MotionState& start, const Case& c, NewVector make) {
  constexpr double tolerance = 1e-6;
  const bool ida = c.integrator == "ida", adams = c.integrator == "cvode_adams", dopri5 = c.integrator == "dopri5";
  AttachOptions options;
  options.formulation = c.formulation;
  options.rtol = options.atol = tolerance;
  options.gains = mechanism.gains;
  options.t_span = c.t_end;
  options.integrator.kind = dopri5  ? IntegratorKind::explicit_adaptive
                            : adams ? IntegratorKind::adams
                                    : IntegratorKind::bdf;
  options.install_linear_solver = !adams;
  SUNContext context = nullptr;
  internal::create_context(&context);
  N_Vector y = make(num_unknowns(mechanism.system, start, options), context), yp = ida ? N_VClone(y) : nullptr;
  initial_values(mechanism.system, start, options, y, yp);
  SUNNonlinearSolver iteration = nullptr;
  double t = start.t;
  long steps = 0;
  int flag = 0;
  if (ida) {
    void* memory = IDACreate(context);
    IDAInit(memory, ida_residual, t, y, yp);
    const Attachment attachment = attach_ida(memory, context, y, mechanism.system, start, options);
    for (; t < c.t_end && flag >= 0; ++steps) flag = IDASolve(memory, c.t_end, &t, y, yp, IDA_ONE_STEP);
    IDAFree(&memory);
  } else if (dopri5) {
    void* memory = ARKStepCreate(arkode_rhs, nullptr, t, y, context);
    ARKStepSetTableNum(memory, ARKODE_DIRK_NONE, ARKODE_DORMAND_PRINCE_7_4_5);
    internal::ark::set_tolerances(memory, tolerance, tolerance);
    const Attachment attachment = attach_arkode(memory, mechanism.system, start, options);
    for (; t < c.t_end && flag >= 0; ++steps) flag = internal::ark::evolve(memory, c.t_end, y, &t);
    internal::ark::free(&memory);
  } else {
    void* memory = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context);
    CVodeInit(memory, cvode_rhs, t, y);
    CVodeSStolerances(memory, tolerance, tolerance);
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

void run(benchmark::State& state, const Case& c) {
  const auto mechanism = mechanisms::find_mechanism(c.mechanism).make(c.size);
  ConsistencyOptions consistency;
  consistency.start = mechanism.start_mode;
  const MotionState start = consistent_state(mechanism.system, mechanism.start, consistency).state;
  compare(state, false, [&](NewVector make) { return attached(mechanism, start, c, make); });
}

const bool registered = [] {
  for (const auto& [name, method] : {std::pair("bdf", CV_BDF), std::pair("adams", CV_ADAMS)}) {
    for (const long size : {4L, 14L, 164L, 1600L, 16000L}) {
      benchmark::RegisterBenchmark((std::string("vectors/step/") + name + "/" + std::to_string(size)).c_str(),
                                   [=, m = method](benchmark::State& s) {
                                     compare(s, true, [=](NewVector v) { return step_cvode(m, size, v); });
                                   })
          ->Iterations(41)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  const Case problems[] = {{"pendulum", 0, 10.0, 41, "", ""},
                           {"andrews", 0, 0.03, 41, "", ""},
                           {"n_four_bar", 40, 0.6, 41, "", ""},
                           {"chain", 400, 1.0, 11, "", ""}};
  for (Case c : problems) {
    for (const auto& [formulation, integrator] :
         {std::pair("baumgarte", "cvode_bdf"), std::pair("baumgarte", "cvode_adams"), std::pair("index3", "ida"),
          std::pair("baumgarte", "dopri5")}) {
      c.formulation = formulation;
      c.integrator = integrator;
      const std::string name = std::string("vectors/run/") + c.mechanism + "/" + integrator;
      benchmark::RegisterBenchmark(name.c_str(), [c](benchmark::State& s) { run(s, c); })
          ->Iterations(c.pairs)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace sunlagrange
