// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "linear_solver/linear_solver.hpp"
#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"

/// Sizes at which `automatic` changes the linear solver: one factorisation and one solution through the rank policies,
/// for mechanisms from one body to a hundred thousand, and for single systems with full M and G.
namespace sunlagrange {

using namespace internal;

namespace {

void measure(benchmark::State& state, const BlockPattern& pattern, const double* M, const double* G, const char* name,
             bool same_M) {
  LinearSolverOptions options;
  options.name = name;
  const auto solver = make_linear_solver(pattern, options);
  BlockValues values{M, G, nullptr, nullptr};
  solver->factorize(values);
  values.same_top_left = same_M;
  Eigen::VectorXd top(pattern.top_left.rows), bottom(pattern.jacobian.rows);
  for (auto _ : state) {
    top.setOnes();
    bottom.setOnes();
    solver->factorize(values);
    solver->solve(top.data(), bottom.data());
    benchmark::ClobberMemory();
  }
  const double unknowns = static_cast<double>(top.size() + bottom.size());
  state.counters["unknowns"] = unknowns;
  state.counters["per_unknown"] = benchmark::Counter(static_cast<double>(state.iterations()) * unknowns,
                                                     benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void of_mechanism(benchmark::State& state, const char* mechanism, int size, const char* solver) {
  const auto m = mechanisms::find_mechanism(mechanism).make(size);
  const auto w = make_workspace(*m.system, find_linear_solver(solver).sparse ? Storage::sparse : Storage::dense);
  Eigen::VectorXd q = m.start.q;
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += 0.1 * std::sin(2.4 * static_cast<double>(i + 1));
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(q.size());
  evaluate_system(*m.system, request::acceleration_level, {0.0, q.data(), v.data(), nullptr, nullptr}, *w);
  const BlockPattern pattern{w->patterns->mass, w->patterns->jacobian, {}, {}, false, w->patterns->natural_scales};
  measure(state, pattern, w->M.data(), w->G.data(), solver, m.system->constant_mass());
}

/// n coordinates, n / 2 rows.
void of_one_piece(benchmark::State& state, int n, const char* solver) {
  const int m = n / 2;
  std::vector<double> M, G;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) M.push_back((i == j ? 4.0 : 0.0) + 0.1 * std::cos(i + j));
    for (int i = 0; i < m; ++i) G.push_back(std::sin(1.0 + i * i + 7.0 * j));
  }
  const BlockPattern pattern{SparsePattern::dense(n, n), SparsePattern::dense(m, n), {}, {}, false, {}};
  measure(state, pattern, M.data(), G.data(), solver, false);
}

const bool registered = [] {
  const auto add = [](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(("linear_solver/" + name).c_str(), run);
  };
  for (const char* solver : {"dense", "klu", "block"}) {
    for (const char* mechanism : {"chain", "n_four_bar"}) {
      for (const int size : {1, 2, 3, 4, 6, 10, 20, 100, 1000, 10000, 100000}) {
        if (size > 100 && solver == std::string("dense")) continue;
        add(mechanism + ("_" + std::to_string(size)) + "/" + solver,
            [=](benchmark::State& s) { of_mechanism(s, mechanism, size, solver); });
      }
    }
    for (const char* mechanism : {"andrews", "bricard", "flyball_governor"}) {
      add(mechanism + std::string("/") + solver, [=](benchmark::State& s) { of_mechanism(s, mechanism, 0, solver); });
    }
    for (const int n : {6, 10, 20, 30, 40, 60, 80}) {
      add("one_piece_" + std::to_string(n) + "/" + solver, [=](benchmark::State& s) { of_one_piece(s, n, solver); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace sunlagrange
