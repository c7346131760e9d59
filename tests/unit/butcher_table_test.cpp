#define BOOST_TEST_MODULE butcher_table
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/stability/butcher_table.hpp>

using namespace sunlagrange;

namespace {
const ButcherTable* tables[] = {&rk1(), &rk2(), &rk3(), &rk4()};
}

BOOST_AUTO_TEST_CASE(p8_real_stability_limits) {
  // Published: largest stable tau k of the explicit methods of orders 1 to 4 for f' = -k f.
  const double limits[] = {2.0, 2.0, 2.5127453266, 2.7852935634};
  for (int k = 0; k < 4; ++k) BOOST_TEST(std::abs(tables[k]->real_stability_limit() - limits[k]) < 1e-8);
}

BOOST_AUTO_TEST_CASE(stability_function_agrees_with_exp_to_the_order_and_no_further) {
  for (const ButcherTable* table : tables) {
    BOOST_TEST_CONTEXT(table->name) {
      const int p = table->order;
      double factorial = 1.0;
      for (int k = 2; k <= p + 1; ++k) factorial *= k;
      const double z = 0.01;  // leading error term of s = p stages: z^(p+1) / (p+1)!
      const double error = std::exp(z) - table->stability_function(z);
      BOOST_TEST(std::abs(error * factorial / std::pow(z, p + 1) - 1.0) < 0.02);
    }
  }
}

BOOST_AUTO_TEST_CASE(order_conditions) {
  for (const ButcherTable* table : tables) {
    BOOST_TEST_CONTEXT(table->name) {
      const auto& [name, order, c, A, b] = *table;
      double moment[4] = {};  // sum b_i c_i^k
      double bac = 0.0, bcac = 0.0, bacc = 0.0, baac = 0.0;
      for (std::size_t i = 0; i < b.size(); ++i) {
        double row = 0.0;
        for (std::size_t j = 0; j < A[i].size(); ++j) {
          row += A[i][j];
          bac += b[i] * A[i][j] * c[j];
          bcac += b[i] * c[i] * A[i][j] * c[j];
          bacc += b[i] * A[i][j] * c[j] * c[j];
          for (std::size_t k = 0; k < A[j].size(); ++k) baac += b[i] * A[i][j] * A[j][k] * c[k];
        }
        BOOST_TEST(std::abs(row - c[i]) < 1e-15);
        for (int k = 0; k < 4; ++k) moment[k] += b[i] * std::pow(c[i], k);
      }
      for (int k = 0; k < order; ++k) BOOST_TEST(std::abs(moment[k] - 1.0 / (k + 1)) < 1e-15);
      if (order >= 3) BOOST_TEST(std::abs(bac - 1.0 / 6.0) < 1e-15);
      if (order >= 4) {
        BOOST_TEST(std::abs(bcac - 1.0 / 8.0) < 1e-15);
        BOOST_TEST(std::abs(bacc - 1.0 / 12.0) < 1e-15);
        BOOST_TEST(std::abs(baac - 1.0 / 24.0) < 1e-15);
      }
    }
  }
}
