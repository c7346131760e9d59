// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cstdio>

#include "iterations.hpp"
#include "mechanisms/mechanism.hpp"

/// Whole runs: consistent start, integration, monitoring of every step, trajectory. Counters: the largest error at the
/// end against the registered reference, accepted steps, rank events.
namespace sunlagrange {
namespace {

struct Case {
  const char* mechanism;
  int size;
  const char* formulation;
  const char* integrator;
  double rtol;
  double t_end;
};

void run(benchmark::State& state, const Case& c) {
  const auto mechanism = mechanisms::find_mechanism(c.mechanism).make(c.size);
  SimulationOptions options;
  options.formulation = c.formulation;
  options.integrator = c.integrator;
  options.rtol = options.atol = c.rtol;
  options.t_end = c.t_end;
  options.max_step = options.t_end;  // the tolerance alone decides on the steps
  options.gains = mechanism.gains;
  options.start = mechanism.start_mode;
  options.linear_solver.rank_policy = mechanism.rank_policy;
  Simulation last;
  for (auto _ : state) last = simulate(mechanism.system, mechanism.start, options);
  state.counters["steps"] = static_cast<double>(last.report.steps);
  state.counters["rank_events"] = static_cast<double>(last.report.rank_events.size());
  if (!last.status.finished()) state.SetLabel(last.status.message);
  if (const auto exact = mechanism.reference(c.t_end); exact && last.status.finished()) {
    const auto q = last.trajectory.q(last.trajectory.size() - 1);
    state.counters["error"] = (q - exact->q).lpNorm<Eigen::Infinity>();
  }
}

const Case cases[] = {
    {"n_four_bar", 40, "baumgarte", "cvode_adams", 1e-6, 0.6},
    {"n_four_bar", 40, "baumgarte", "dopri5", 1e-5, 0.6},
    {"n_four_bar", 40, "baumgarte", "cvode_adams", 1e-7, 0.6},
    {"n_four_bar", 40, "baumgarte", "dopri5", 3e-7, 0.6},
    {"n_four_bar", 160, "baumgarte", "dopri5", 1e-5, 0.6},
    {"n_four_bar", 40, "baumgarte", "cvode_bdf", 1e-8, 10.0},
    {"n_four_bar", 40, "penalty", "cvode_bdf", 1e-8, 10.0},
    {"n_four_bar", 40, "index3", "ida", 1e-8, 10.0},
    {"andrews", 0, "baumgarte", "dopri5", 7e-6, 0.03},
    {"andrews", 0, "baumgarte", "dopri5", 1.5e-6, 0.03},
    {"andrews", 0, "baumgarte", "cvode_adams", 1e-6, 0.03},
    {"andrews", 0, "baumgarte", "cvode_adams", 1e-7, 0.03},
    {"andrews", 0, "index3", "ida", 1e-6, 0.03},
    {"pendulum", 0, "baumgarte", "cvode_bdf", 1e-6, 10.0},
    {"pendulum", 0, "baumgarte", "cvode_bdf", 1e-8, 10.0},
    {"pendulum", 0, "baumgarte", "cvode_adams", 1e-8, 10.0},
    {"pendulum", 0, "baumgarte", "dopri5", 5e-8, 10.0},
    {"pendulum", 0, "baumgarte", "dopri5", 1e-9, 10.0},
    {"pendulum", 0, "index3", "ida", 1e-6, 10.0},
};

const bool registered = [] {
  for (const Case& c : cases) {
    std::string name = std::string("whole_run/") + c.mechanism;
    if (c.size > 0) name += "_" + std::to_string(c.size);
    char numbers[40];
    std::snprintf(numbers, sizeof numbers, "/%gs/%g", c.t_end, c.rtol);
    name += std::string("/") + c.formulation + "/" + c.integrator + numbers;
    with_iterations(benchmark::RegisterBenchmark(name.c_str(), [&c](benchmark::State& s) {
      run(s, c);
    }))->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace sunlagrange
