// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/make_program.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {
namespace {

/// Returns the number of rows of A in the vector product; A has m rows.
int product_size(const ProgramOptions& options, int m) {
  return options.product_rows.empty() ? m : static_cast<int>(options.product_rows.size());
}

int num_companions(const ProgramOptions& options) {
  return options.companion_function != nullptr ? options.num_companions : static_cast<int>(options.companions.rows());
}

}  // namespace

Arena& program_arena() {
  thread_local Arena arena;
  arena.reset();
  return arena;
}

void check_program(const ProgramOptions& options, int n, int m, bool own_field) {
  const auto number = [](long x) { return std::to_string(x); };
  const bool function = options.companion_function != nullptr;
  const bool matrix = options.companions.size() > 0;
  if (!std::isfinite(options.speed)) throw Error("program: speed is not finite");
  if (own_field) {
    if (function || matrix || options.num_companions != 0 || !options.product_rows.empty())
      throw Error("program: the model has tangential_velocity, so [AC] is not formed; drop the companion rows");
    return;
  }
  if (function && matrix) throw Error("program: companions and companion_function are both given; give one");
  if (options.num_companions < 0)
    throw Error("program: num_companions = " + number(options.num_companions) + " is negative");
  if (!function && options.num_companions != 0) throw Error("program: num_companions needs companion_function");
  if (matrix && (options.companions.cols() != n || !options.companions.allFinite()))
    throw Error("program: companions must be finite and have n = " + number(n) + " columns");
  const std::vector<int>& chosen = options.product_rows;
  for (const int row : chosen) {
    if (row < 0 || row >= m) throw Error("program: product_rows: there is no row " + number(row));
    if (std::count(chosen.begin(), chosen.end(), row) > 1)
      throw Error("program: product_rows names row " + number(row) + " twice, which makes the product zero");
  }
  const int of_A = product_size(options, m), companions = num_companions(options);
  if (of_A + companions != n - 1) {
    throw Error("program: the vector product has " + number(of_A) + " rows of A and " + number(companions) +
                " companion rows, " + number(of_A + companions) + " together; with n = " + number(n) +
                " variables there must be " + number(n - 1) +
                ": give companion rows, name fewer product_rows, or write a member tangential_velocity");
  }
}

void program_vector_product(const ProgramOptions& options, double t, View<const double> y, int m, const double* A,
                            Arena& arena, View<double> w) {
  const int n = y.size(), of_A = product_size(options, m), companions = num_companions(options);
  LocalArray<double, -1> columns(arena, n * n), C(arena, companions * n);
  for (int k = 0; k < of_A; ++k) {
    const int row = options.product_rows.empty() ? k : options.product_rows[static_cast<std::size_t>(k)];
    for (int j = 0; j < n; ++j) columns[k * n + j] = A[j * m + row];
  }
  if (options.companion_function != nullptr)
    options.companion_function(t, y, MatrixView<double>(C.data(), companions, n));
  else
    std::copy(options.companions.data(), options.companions.data() + options.companions.size(), C.data());
  for (int i = 0; i < companions; ++i) {
    for (int j = 0; j < n; ++j) columns[(of_A + i) * n + j] = C[j * companions + i];
  }
  generalized_vector_product(n, columns.data(), w.data());
  for (double& x : w) x *= options.speed;
}

void check_feedback(const ProgramFeedback& feedback, int n, int m) {
  std::mt19937 random(271828U);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  std::vector<double> y(static_cast<std::size_t>(n)), zero(static_cast<std::size_t>(m)), a = zero;
  for (double& x : y) x = uniform(random);
  try {
    if (!feedback.evaluate(0.3, y.data(), zero.data(), a.data())) return;
  } catch (...) {
    return;  // outside its domain there
  }
  for (const double x : a) {
    if (std::isfinite(x) && x != 0.0)
      throw Error("program: feedback returns " + std::to_string(x) +
                  " for f = 0; a(0, y, t) must vanish, or f = 0 is no integral manifold");
  }
}

std::vector<int> dependent_variables(const MechanicalSystem& system, const std::vector<std::string>& names) {
  std::vector<int> numbers;
  std::string unknown;
  for (const std::string& name : names) {
    const std::vector<int> found = system.position_indices(name);
    if (found.empty()) unknown += (unknown.empty() ? "\"" : ", \"") + name + "\"";
    numbers.insert(numbers.end(), found.begin(), found.end());
  }
  if (!unknown.empty()) throw Error("program: dependent: no variable is called " + unknown);
  return numbers;
}

}  // namespace sunlagrange::internal
