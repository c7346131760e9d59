// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "integrators/sundials/verner8.hpp"

/// The table of verner8: its nodes are row sums, and both of its methods have the order that they state.
namespace {

constexpr int stages = 13;
using State = std::array<double, 4>;

struct Free {
  void operator()(ARKodeButcherTable table) const { ARKodeButcherTable_Free(table); }
};
using Table = std::unique_ptr<ARKodeButcherTableMem, Free>;

double quadrature_error(const ARKodeButcherTableMem& table, const double* weights, int power) {
  double sum = 0.0;
  for (int i = 0; i < stages; ++i) sum += weights[i] * std::pow(table.c[i], power);
  return sum - 1.0 / (power + 1);
}

/// A body that a centre attracts with 1/r^2.
State kepler(const State& y) {
  const double r3 = std::pow(y[0] * y[0] + y[1] * y[1], 1.5);
  return {y[2], y[3], -y[0] / r3, -y[1] / r3};
}

/// Error of one step along the circular orbit.
double error_of_step(const ARKodeButcherTableMem& table, const double* weights, double h) {
  const State start{1.0, 0.0, 0.0, 1.0}, exact{std::cos(h), std::sin(h), -std::sin(h), std::cos(h)};
  const auto plus = [&](const double* row, int known, const std::vector<State>& k) {
    State y = start;
    for (int i = 0; i < known; ++i) {
      for (std::size_t j = 0; j < y.size(); ++j) y[j] += h * row[i] * k[static_cast<std::size_t>(i)][j];
    }
    return y;
  };
  std::vector<State> k;
  for (int i = 0; i < stages; ++i) k.push_back(kepler(plus(table.A[i], i, k)));
  const State end = plus(weights, stages, k);
  double error = 0.0;
  for (std::size_t j = 0; j < end.size(); ++j) error = std::max(error, std::abs(end[j] - exact[j]));
  return error;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_nodes_are_the_row_sums) {
  const Table table(sunlagrange::internal::verner8());
  BOOST_REQUIRE(table != nullptr);
  for (int i = 0; i < stages; ++i) {
    double sum = 0.0;
    for (int j = 0; j < i; ++j) sum += table->A[i][j];
    BOOST_TEST(std::abs(sum - table->c[i]) < 2e-14);
  }
}

/// Unlike Fehlberg's pair: there the two methods agree on every function of t alone.
BOOST_AUTO_TEST_CASE(quadratures_tell_both_methods_apart) {
  const Table table(sunlagrange::internal::verner8());
  for (int power = 0; power < 7; ++power) {
    BOOST_TEST(std::abs(quadrature_error(*table, table->b, power)) < 1e-14);
    BOOST_TEST(std::abs(quadrature_error(*table, table->d, power)) < 1e-14);
  }
  BOOST_TEST(std::abs(quadrature_error(*table, table->b, 7)) < 1e-14);
  BOOST_TEST(std::abs(quadrature_error(*table, table->d, 7)) > 1e-6);
}

BOOST_AUTO_TEST_CASE(both_methods_have_their_order) {
  const Table table(sunlagrange::internal::verner8());
  const auto order = [&](const double* weights) {
    return std::log2(error_of_step(*table, weights, 0.4) / error_of_step(*table, weights, 0.2)) - 1.0;
  };
  BOOST_TEST_MESSAGE(order(table->b) << " " << order(table->d));
  BOOST_TEST(std::abs(order(table->b) - 8.0) < 0.5);
  BOOST_TEST(std::abs(order(table->d) - 7.0) < 0.5);
}
