// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <cvodes/cvodes_diag.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <string>

#include <sunlagrange/sundials/new_vector.hpp>

#include "program/parts/processor_time.hpp"
#include "shared/quantile.hpp"
#include "sundials/compatibility.hpp"

/// Cost of one step of CVODE without its right-hand side, which costs almost nothing here: serial vectors compared with
/// new_vector(), alternating in one process, medians of processor time. Whole runs: attached_run.cpp.
///
///     sunlagrange-microbenchmarks --benchmark_filter=vectors --benchmark_counters_tabular=true
///
/// The result depends on the compilation of SUNDIALS; that of Debian 12 is not optimised.
namespace sunlagrange {
namespace {

using program::cpu_seconds;
using program::median;

constexpr long steps = 400;

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

/// Takes the steps from y, which it frees. @return seconds; negative: CVODE gave up
double seconds(int method, N_Vector y, SUNContext context) {
  N_VConst(0.5, y);
  const double begin = cpu_seconds();
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
  const double end = cpu_seconds();
  CVodeFree(&memory);
  if (iteration != nullptr) SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  return flag < 0 ? -1.0 : end - begin;
}

void compare(benchmark::State& state, int method, long size) {
  SUNContext context = nullptr;
  internal::create_context(&context);
  std::vector<double> serial, ours, ratio;
  for (auto _ : state) {
    serial.push_back(seconds(method, N_VNew_Serial(static_cast<sunindextype>(size), context), context));
    ours.push_back(seconds(method, new_vector(size, context), context));
    if (serial.back() < 0.0 || ours.back() < 0.0) {
      state.SkipWithError("CVODE gave up");
      break;
    }
    ratio.push_back(ours.back() / serial.back());
    state.SetIterationTime(serial.back() + ours.back());
  }
  state.counters["serial_us"] = 1e6 * median(serial) / steps;
  state.counters["new_us"] = 1e6 * median(ours) / steps;
  state.counters["ratio"] = median(ratio);
  SUNContext_Free(&context);
}

const bool registered = [] {
  for (const auto& [name, method] : {std::pair("bdf", CV_BDF), std::pair("adams", CV_ADAMS)}) {
    for (const long size : {4L, 14L, 164L, 1600L, 16000L}) {
      benchmark::RegisterBenchmark(("vectors/" + std::string(name) + "/" + std::to_string(size)).c_str(),
                                   [=, m = method](benchmark::State& state) { compare(state, m, size); })
          ->Iterations(41)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace sunlagrange
