// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <sunlagrange/sunlagrange.hpp>

/// What the fuzz targets share. A target makes input of bytes and hands it to the library; the sanitizers watch, and
/// expect() says what must come of it besides: an Error, or a result that keeps its promises.
namespace sunlagrange::fuzz {

inline void expect(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "broken promise: %s\n", what.c_str());
  std::abort();
}

/// Numbers that people type, numbers that programs compute, and numbers that are none.
inline double number(FuzzedDataProvider& bytes) {
  constexpr double chosen[] = {0.0,   1.0,  -1.0,  0.5,   2.0,  10.0,   -9.81,    1e-3, 1e-9,
                               1e-16, 1e16, 1e150, 1e308, -0.0, 1e-308, INFINITY, NAN,  3.0};
  const auto choice = bytes.ConsumeIntegral<std::uint8_t>();
  if (choice < sizeof chosen / sizeof chosen[0]) return chosen[choice];
  if (choice < 240) return bytes.ConsumeFloatingPointInRange<double>(-3.0, 3.0);
  return bytes.ConsumeFloatingPoint<double>();
}

inline Eigen::VectorXd vector(FuzzedDataProvider& bytes, int size) {
  Eigen::VectorXd x(size);
  for (double& entry : x) entry = number(bytes);
  return x;
}

/// Options of a short run, mostly legal.
inline SimulationOptions options(FuzzedDataProvider& bytes) {
  SimulationOptions o;
  const auto forms = formulations();
  o.formulation = std::string(forms[bytes.ConsumeIntegralInRange<std::size_t>(0, forms.size() - 1)].name);
  if (bytes.ConsumeIntegralInRange(0, 3) == 0) {
    const auto all = integrators();
    o.integrator = std::string(all[bytes.ConsumeIntegralInRange<std::size_t>(0, all.size() - 1)].name);
  }
  o.linear_solver.name = bytes.PickValueInArray({"dense", "klu", "block"});
  o.linear_solver.rank_policy = bytes.PickValueInArray(
      {RankPolicy::minimum_norm, RankPolicy::minimum_norm, RankPolicy::strict, RankPolicy::regularized});
  o.start = bytes.ConsumeBool() ? Start::consistent : Start::as_given;
  o.at_singularity = bytes.PickValueInArray(
      {AtSingularity::filter, AtSingularity::filter, AtSingularity::stop, AtSingularity::project});
  o.step = 1e-2;
  o.max_steps = 12;
  o.t_end = 0.1;
  if (bytes.ConsumeIntegralInRange(0, 7) == 0) o.t_end = number(bytes);
  if (bytes.ConsumeIntegralInRange(0, 7) == 0) o.rtol = number(bytes);
  if (bytes.ConsumeIntegralInRange(0, 7) == 0) o.step = number(bytes);
  if (bytes.ConsumeIntegralInRange(0, 7) == 0) o.gains = Gains::natural_frequency(number(bytes), number(bytes));
  // an integrator that crawls within one step of the output asks nobody
  o.keep_going = [](double) { return true; };
  return o;
}

/// Runs it. Numerical outcomes are told, states that are kept are finite, and what is finished has arrived.
inline void run(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                const SimulationOptions& o) {
  Simulation result;
  try {
    result = simulate(system, start, o);
  } catch (const Error& error) {
    expect(std::string(error.what()).size() > 10, std::string("an Error without a story: ") + error.what());
    return;
  }
  const Trajectory& path = result.trajectory;
  for (std::size_t k = 1; k < path.size(); ++k) {
    expect(path.q(k).allFinite() && path.v(k).allFinite(), "a state that is not finite is kept");
    expect(path.t(k) >= path.t(k - 1), "time goes back");
  }
  expect(result.status.finished() || !result.status.message.empty(), "no reason given");
  if (result.status.finished()) expect(path.t(path.size() - 1) == o.t_end, "finished, but not at t_end");
  expect(!result.report.text(result.status).empty(), "no report");
}

}  // namespace sunlagrange::fuzz
