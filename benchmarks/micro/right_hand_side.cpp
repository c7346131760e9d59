// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "formulation/formulation.hpp"
#include "hand_written.hpp"
#include "iterations.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"

/// One right-hand side: the library beside a hand-written program, in the same run. Before the clock starts the two
/// must agree. The lines `evaluate`, `factorize`, `solve` say where the library spends its time.
namespace sunlagrange {

using namespace internal;

namespace {

struct Case {
  const char* mechanism;
  int size;
  const char* formulation;
  const char* solver;
  std::unique_ptr<hand_written::Program> (*program)(int size);
  double tolerance;  // of the comparison, relative to the largest acceleration
};

/// A point near the start where no entry of the matrices is special, slightly off the constraints.
struct Setup {
  explicit Setup(const Case& c) {
    const auto mechanism = mechanisms::find_mechanism(c.mechanism).make(c.size);
    input.system = mechanism.system;
    input.linear_solver.name = c.solver;
    input.gains = mechanism.gains;
    if (input.gains.K_D.automatic()) input.gains = Gains::critically_damped({hand_written::w});
    input.gains.Lambda = Gain(hand_written::penalty);
    const int n = input.system->num_positions();
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    MotionState& s = input.start;
    s.q = mechanism.start.q;
    s.v.resize(n);
    for (int i = 0; i < n; ++i) {
      s.q[i] += 0.1 * uniform(random);
      s.v[i] = uniform(random);
    }
    s.a = Eigen::VectorXd::Zero(n);
    s.lambda = Eigen::VectorXd::Zero(input.system->num_constraints());
    y.resize(2 * n);
    y << s.q, s.v;
    ydot.setZero(2 * n);
  }

  FormulationInput input;
  Eigen::VectorXd y, ydot;
};

void check(bool good, const Case& c, const char* what, double value) {
  if (good) return;
  std::fprintf(stderr, "%s %d %s %s: %s (%g)\n", c.mechanism, c.size, c.formulation, c.solver, what, value);
  std::exit(1);
}

void count(benchmark::State& state, const Setup& s) {
  const auto work = static_cast<double>(state.iterations()) * s.input.system->num_constraints();
  state.counters["per_constraint"] =
      benchmark::Counter(work, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void library(benchmark::State& state, const Case& c) {
  Setup s(c);
  const auto form = as<OdeFormulation>(find_formulation(c.formulation).make(s.input));
  for (auto _ : state) {
    form->rhs(0.0, s.y.data(), s.ydot.data());
    benchmark::DoNotOptimize(s.ydot.data());
    benchmark::ClobberMemory();
  }
  count(state, s);
  state.counters["pivot_refreshes"] = static_cast<double>(form->counts().pivot_refreshes);
}

void by_hand(benchmark::State& state, const Case& c) {
  Setup s(c);
  const auto program = c.program(c.size);
  const auto form = as<OdeFormulation>(find_formulation(c.formulation).make(s.input));
  const Eigen::VectorXd elsewhere = 1.01 * s.y;  // not the first call: kept pivots, kept constant masses
  for (const Eigen::VectorXd* y : std::initializer_list<const Eigen::VectorXd*>{&s.y, &elsewhere, &s.y}) {
    check(form->rhs(0.0, y->data(), s.ydot.data()) == EvaluationResult::ok, c, "the library failed", 0.0);
  }
  Eigen::VectorXd own(s.ydot.size());
  program->right_hand_side(0.0, s.y.data(), own.data());
  const double scale = s.ydot.lpNorm<Eigen::Infinity>();
  const double error = (own - s.ydot).lpNorm<Eigen::Infinity>() / scale;
  check(error <= c.tolerance, c, "library and hand-written program differ, relative", error);
  for (auto _ : state) {
    program->right_hand_side(0.0, s.y.data(), own.data());
    benchmark::DoNotOptimize(own.data());
    benchmark::ClobberMemory();
  }
  count(state, s);
}

enum class Phase { evaluate, factorize, solve };

void phase(benchmark::State& state, const Case& c, Phase which) {
  Setup s(c);
  const MechanicalSystem& system = *s.input.system;
  const LinearSolverEntry& entry = find_linear_solver(c.solver);
  const auto w = make_workspace(system, entry.sparse ? Storage::sparse : Storage::dense);
  BlockPattern pattern{w->patterns->mass, w->patterns->jacobian, {}, {}, false, w->patterns->natural_scales};
  std::vector<double> compliance;
  if (c.formulation == std::string("penalty")) {
    const GainMatrix C = GainMatrix::scalar(system.num_constraints(), 1.0 / hand_written::penalty);
    pattern.compliance = matrix_pattern(C, entry.sparse);
    compliance = matrix_values(C, pattern.compliance);
  }
  LinearSolverOptions options = s.input.linear_solver;
  options.name = c.solver;
  const auto solver = make_linear_solver(pattern, options);
  const Point point{0.0, s.y.data(), s.y.data() + system.num_positions(), nullptr, nullptr};
  BlockValues values{w->M.data(), w->G.data(), nullptr, compliance.empty() ? nullptr : compliance.data()};
  evaluate_system(system, request::acceleration_level, point, *w);
  solver->factorize(values);
  values.same_top_left = system.constant_mass();
  Eigen::VectorXd top(w->f.size()), bottom(w->gamma.size());
  for (auto _ : state) {
    if (which == Phase::evaluate) {
      evaluate_system(system, request::acceleration_level, point, *w);
    } else if (which == Phase::factorize) {
      solver->factorize(values);
    } else {
      top = w->f;
      bottom = w->gamma;
      solver->solve(top.data(), bottom.data());
    }
    benchmark::ClobberMemory();
  }
  count(state, s);
}

const Case cases[] = {
    {"two_link", 0, "baumgarte", "dense", [](int) { return hand_written::two_link(); }, 1e-9},
    {"andrews", 0, "baumgarte", "block", [](int) { return hand_written::andrews(); }, 1e-9},
    {"n_four_bar", 40, "baumgarte", "klu", hand_written::n_four_bar, 1e-9},
    {"n_four_bar", 400, "baumgarte", "klu", hand_written::n_four_bar, 1e-9},
    {"n_four_bar", 4000, "baumgarte", "klu", hand_written::n_four_bar, 1e-9},
    {"n_four_bar", 40, "penalty", "klu", hand_written::n_four_bar_penalty, 1e-9},
    {"n_four_bar", 400, "penalty", "klu", hand_written::n_four_bar_penalty, 1e-9},
    {"n_four_bar", 4000, "penalty", "klu", hand_written::n_four_bar_penalty, 1e-9},
    {"chain", 40, "baumgarte", "klu", hand_written::chain, 1e-9},
    {"chain", 400, "baumgarte", "klu", hand_written::chain, 1e-9},
    {"chain", 4000, "baumgarte", "klu", hand_written::chain, 1e-9},
    {"n_four_bar", 40, "baumgarte", "block", hand_written::n_four_bar_blocks, 1e-9},
    {"n_four_bar", 400, "baumgarte", "block", hand_written::n_four_bar_blocks, 1e-9},
    {"n_four_bar", 4000, "baumgarte", "block", hand_written::n_four_bar_blocks, 1e-9},
    {"n_four_bar", 40, "penalty", "block", hand_written::n_four_bar_penalty, 1e-9},
    {"n_four_bar", 400, "penalty", "block", hand_written::n_four_bar_penalty, 1e-9},
    {"n_four_bar", 4000, "penalty", "block", hand_written::n_four_bar_penalty, 1e-9},
    {"chain", 40, "baumgarte", "block", hand_written::chain, 1e-9},
    {"chain", 400, "baumgarte", "block", hand_written::chain, 1e-9},
    {"chain", 4000, "baumgarte", "block", hand_written::chain, 1e-9},
};

const bool registered = [] {
  for (const Case& c : cases) {
    std::string name = c.mechanism;
    if (c.size > 0) name += "_" + std::to_string(c.size);
    name += std::string("/") + c.formulation + "/" + c.solver + "/";
    const auto add = [&name](const char* what, const std::function<void(benchmark::State&)>& run) {
      with_iterations(benchmark::RegisterBenchmark((name + what).c_str(), run));
    };
    add("hand_written", [&c](benchmark::State& s) { by_hand(s, c); });
    add("library", [&c](benchmark::State& s) { library(s, c); });
    add("phase_evaluate", [&c](benchmark::State& s) { phase(s, c, Phase::evaluate); });
    add("phase_factorize", [&c](benchmark::State& s) { phase(s, c, Phase::factorize); });
    add("phase_solve", [&c](benchmark::State& s) { phase(s, c, Phase::solve); });
  }
  return true;
}();

}  // namespace
}  // namespace sunlagrange
