// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/base/butcher_table.hpp>

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
      const auto& [name, order, c, A, b, free_nodes] = *table;
      BOOST_TEST(!free_nodes);
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

namespace {
bool complains(const ButcherTable& table, const std::string& part) {
  for (const std::string& problem : table.problems()) {
    if (problem.find(part) != std::string::npos) return true;
  }
  return false;
}
}  // namespace

BOOST_AUTO_TEST_CASE(own_tables_have_no_problems_and_every_false_entry_is_noticed) {
  for (const ButcherTable* table : tables) {
    BOOST_TEST_CONTEXT(table->name) {
      BOOST_TEST(table->problems().empty());
      ButcherTable higher = *table;
      ++higher.order;  // their order is exact
      BOOST_TEST((higher.order > 4 || !higher.problems().empty()));
      for (std::size_t i = 0; i < table->b.size(); ++i) {
        ButcherTable wrong = *table;
        wrong.b[i] += 1e-6;
        BOOST_TEST(complains(wrong, "sum b_i = 1"));
        wrong = *table;
        wrong.c[i] += 1e-6;
        BOOST_TEST(complains(wrong, "c_" + std::to_string(i + 1)));
        for (std::size_t j = 0; j < i; ++j) {
          wrong = *table;
          wrong.A[i][j] += 1e-6;
          BOOST_TEST(complains(wrong, "sum of row " + std::to_string(i + 1)));
          wrong.c[i] += 1e-6;  // row sums right again: only the order conditions can tell
          if (table->order > 1) BOOST_TEST(!wrong.problems().empty());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(shapes_of_a_table) {
  const double nan = std::nan("");
  const ButcherTable good{"good", 2, {0.0, 1.0}, {{}, {1.0}}, {0.5, 0.5}};
  BOOST_TEST(good.problems().empty());
  ButcherTable table = good;
  table.A = {{0.0, 0.0}, {1.0, 0.0}};  // full rows
  BOOST_TEST(table.problems().empty());
  table.A[0][1] = 0.25;
  BOOST_TEST(complains(table, "row 1 of A has 0.25 in column 2"));
  table.A = {{0.5}, {1.0}};  // a diagonal entry
  BOOST_TEST(complains(table, "zeros on and above the diagonal"));
  table.A = {{}, {}};
  BOOST_TEST(complains(table, "row 2 of A has 0 entries"));
  table.A = {{}, {1.0, 0.0, 0.0}};
  BOOST_TEST(complains(table, "row 2 of A has 3 entries"));
  table.A = {{}};
  BOOST_TEST(complains(table, "A has 1 rows"));
  table = good;
  table.c = {0.0};
  table.order = 0;
  BOOST_TEST(complains(table, "c has 1 entries"));
  BOOST_TEST(complains(table, "order = 0"));
  table = good;
  table.b[0] = nan;
  BOOST_TEST(complains(table, "not finite"));
  BOOST_TEST(complains(ButcherTable{}, "b is empty"));
}

BOOST_AUTO_TEST_CASE(nodes_that_are_not_row_sums_must_be_meant) {
  ButcherTable midpoint{"frozen time", 1, {0.0, 0.0}, {{}, {0.5}}, {0.0, 1.0}};
  BOOST_TEST(complains(midpoint, "free_nodes"));
  midpoint.free_nodes = true;
  BOOST_TEST(midpoint.problems().empty());
  midpoint.order = 2;  // not for f(t, y)
  BOOST_TEST(complains(midpoint, "sum b_i c_i = 0.5"));
}

BOOST_AUTO_TEST_CASE(the_order_found_is_the_real_one_whatever_the_table_says) {
  for (const ButcherTable* table : tables) {
    BOOST_TEST_CONTEXT(table->name) {
      ButcherTable said = *table;
      said.order = 4;
      BOOST_TEST(said.order_found() == table->order);
      for (const OrderCondition& condition : table->order_conditions()) {
        if (condition.order <= table->order) BOOST_TEST(condition.holds(), condition.formula);
      }
    }
  }
  BOOST_TEST(rk4().order_conditions().size() == 8u);
  // classical weights on the wrong nodes are of order 1 only; a consistent table needs sum b = 1
  ButcherTable wrong = rk4();
  wrong.A[3][2] = 0.9;
  wrong.c[3] = 0.9;
  BOOST_TEST(wrong.order_found() == 1);
  wrong.b[0] = 0.0;
  BOOST_TEST(wrong.order_found() == 0);
  // nodes that are not row sums: order 2 for y' = f(y) only
  const ButcherTable frozen{"frozen time", 1, {0.0, 0.0}, {{}, {0.5}}, {0.0, 1.0}, true};
  BOOST_TEST(frozen.order_found() == 1);
}

BOOST_AUTO_TEST_CASE(the_last_condition_of_order_four_needs_the_weight_that_the_print_lacks) {
  // erratum F6: c4 a2 b32 = 1/24 as printed; c4 a2 b32 b43 = 1/24 in truth. Tell them apart by a table with b43 != 1.
  const ButcherTable eighths{"3/8 rule",
                             4,
                             {0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0},
                             {{}, {1.0 / 3.0}, {-1.0 / 3.0, 1.0}, {1.0, -1.0, 1.0}},
                             {1.0 / 8.0, 3.0 / 8.0, 3.0 / 8.0, 1.0 / 8.0}};
  // Ralston's fourth-order method: b43 differs from 1
  const double r5 = std::sqrt(5.0);
  const ButcherTable ralston{
      "ralston",
      4,
      {0.0, 0.4, (14.0 - 3.0 * r5) / 16.0, 1.0},
      {{},
       {0.4},
       {(-2889.0 + 1428.0 * r5) / 1024.0, (3785.0 - 1620.0 * r5) / 1024.0},
       {(-3365.0 + 2094.0 * r5) / 6040.0, (-975.0 - 3046.0 * r5) / 2552.0, (467040.0 + 203968.0 * r5) / 240845.0}},
      {(263.0 + 24.0 * r5) / 1812.0, (125.0 - 1000.0 * r5) / 3828.0, (3426304.0 + 1661952.0 * r5) / 5924787.0,
       (30.0 - 4.0 * r5) / 123.0}};
  for (const ButcherTable* table : {&eighths, &ralston}) {
    BOOST_TEST(table->problems().empty());
    BOOST_TEST(table->order_found() == 4);
    const double printed = table->b[3] * table->c[1] * table->A[2][1];
    BOOST_TEST(std::abs(printed * table->A[3][2] - 1.0 / 24.0) < 1e-12);
  }
  BOOST_TEST(std::abs(ralston.b[3] * ralston.c[1] * ralston.A[2][1] - 1.0 / 24.0) > 1e-3);
}

BOOST_AUTO_TEST_CASE(growth_of_matrices_is_the_polynomial_and_the_method) {
  Eigen::MatrixXd Z(3, 3);
  Z << -0.3, 0.7, 0.1, 0.2, -0.9, 0.4, 0.0, 0.5, -0.2;
  for (const ButcherTable* table : tables) {
    BOOST_TEST_CONTEXT(table->name) {
      const std::vector<double> r = table->stability_coefficients();
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(3, 3);
      for (std::size_t i = r.size(); i-- > 0;) sum = (sum * Z + r[i] * Eigen::MatrixXd::Identity(3, 3)).eval();
      BOOST_TEST((table->stability_function(Z) - sum).norm() < 1e-14);
      BOOST_TEST(std::abs(table->stability_function(Eigen::MatrixXd::Constant(1, 1, -0.7))(0, 0) -
                          table->stability_function(-0.7)) < 1e-15);
      const auto K = [&Z](double) { return Z; };
      BOOST_TEST((table->growth(K, 3.0, 1.0) - sum).norm() < 1e-14);
    }
  }
}
