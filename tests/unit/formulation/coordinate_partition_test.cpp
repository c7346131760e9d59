// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

#include <Eigen/Dense>

#include "formulation/parts/coordinate_partition.hpp"

/// The split of a Jacobian's columns, against plain dense algebra.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(generator); });
}

MatrixXd columns_of(const MatrixXd& J, const std::vector<int>& columns) {
  MatrixXd part(J.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = J.col(columns[k]);
  return part;
}

struct Fixture {
  explicit Fixture(const MatrixXd& matrix)
      : J(matrix),
        pattern(SparsePattern::dense(static_cast<int>(J.rows()), static_cast<int>(J.cols()))),
        partition(pattern, static_cast<int>(J.rows()), 1e-12),
        rows(VectorXd::Ones(J.rows())),
        columns(VectorXd::Ones(J.cols())) {}
  bool choose(int rank = -1) { return partition.choose(J.data(), rows.data(), columns.data(), rank); }
  MatrixXd dependent() const { return columns_of(J, partition.dependent()); }

  MatrixXd J;
  SparsePattern pattern;
  CoordinatePartition partition;
  VectorXd rows, columns;
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_column_is_either_dependent_or_independent) {
  Fixture f(random_matrix(3, 7, 1));
  BOOST_REQUIRE(f.choose());
  BOOST_TEST(f.partition.rank() == 3);
  std::vector<int> all = f.partition.dependent();
  all.insert(all.end(), f.partition.independent().begin(), f.partition.independent().end());
  std::sort(all.begin(), all.end());
  for (int j = 0; j < 7; ++j) BOOST_TEST(all[static_cast<std::size_t>(j)] == j);
}

BOOST_AUTO_TEST_CASE(columns_that_go_first_are_dependent_however_short_they_are) {
  Fixture f(random_matrix(3, 7, 5));
  f.J.col(2) *= 1e-4;
  f.J.col(5) *= 1e-3;
  std::vector<bool> first(7, false);
  first[2] = first[5] = true;
  BOOST_REQUIRE(f.choose());
  const auto depends = [&f](int column) {
    const auto& list = f.partition.dependent();
    return std::find(list.begin(), list.end(), column) != list.end();
  };
  BOOST_TEST((!depends(2) && !depends(5)));
  BOOST_REQUIRE(f.partition.choose(f.J.data(), f.rows.data(), f.columns.data(), -1, first));
  BOOST_TEST((depends(2) && depends(5)));
  BOOST_TEST(f.partition.rank() == 3);
  // two parallel columns of which only one can depend
  f.J.col(5) = 3.0 * f.J.col(2);
  BOOST_REQUIRE(f.partition.choose(f.J.data(), f.rows.data(), f.columns.data(), -1, first));
  BOOST_TEST((depends(2) != depends(5)));
  BOOST_TEST(f.partition.rank() == 3);
}

BOOST_AUTO_TEST_CASE(without_rows_every_column_is_independent) {
  Fixture f(MatrixXd(0, 3));
  BOOST_REQUIRE(f.partition.choose(f.J.data(), f.rows.data(), f.columns.data(), -1, {true, false, false}));
  BOOST_TEST(f.partition.rank() == 0);
  BOOST_TEST(f.partition.independent().size() == 3U);
}

BOOST_AUTO_TEST_CASE(solutions_do_not_depend_on_the_scales) {
  for (const double scale : {1.0, 10.0}) {
    Fixture f(random_matrix(4, 6, 2));
    f.rows << 1.0, scale, 2.0, 1.0 / scale;
    f.columns << scale, 1.0, 0.5, 1.0, 3.0, 1.0 / scale;
    BOOST_REQUIRE(f.choose());
    BOOST_REQUIRE(f.partition.rank() == 4);
    BOOST_REQUIRE(f.partition.factorize(f.J.data()) == EvaluationResult::ok);
    const VectorXd b = random_matrix(4, 1, 3);
    VectorXd x = b;
    const double norm = f.partition.solve(x.data());
    BOOST_TEST((f.dependent() * x - b).norm() < 1e-12 * (1.0 + x.norm()));
    VectorXd scaled = x;
    for (int k = 0; k < 4; ++k) scaled[k] /= f.columns[f.partition.dependent()[static_cast<std::size_t>(k)]];
    BOOST_TEST(std::abs(norm - scaled.norm()) < 1e-12 * norm);
  }
}

BOOST_AUTO_TEST_CASE(light_coordinates_depend_on_heavy_ones) {
  Fixture f(MatrixXd::Constant(1, 3, 1.0));
  f.columns << 0.1, 10.0, 1.0;  // mass^-1/2
  BOOST_REQUIRE(f.choose());
  BOOST_TEST(f.partition.dependent()[0] == 1);
}

BOOST_AUTO_TEST_CASE(redundant_rows_are_solved_in_the_sense_of_least_squares) {
  MatrixXd J = random_matrix(5, 6, 4);
  J.row(3) = 2.0 * J.row(0) - J.row(1);
  J.row(4) = J.row(2);
  Fixture f(J);
  BOOST_REQUIRE(f.choose());
  BOOST_TEST(f.partition.rank() == 3);
  BOOST_REQUIRE(f.partition.factorize(J.data()) == EvaluationResult::ok);
  const VectorXd b = random_matrix(5, 1, 5);  // not in the range
  VectorXd x = b;
  f.partition.solve(x.data());
  BOOST_TEST((f.dependent().transpose() * (f.dependent() * x.head(3) - b)).norm() < 1e-12);
}

BOOST_AUTO_TEST_CASE(influence_is_what_an_exchange_of_columns_does_to_the_volume) {
  Fixture f(random_matrix(3, 6, 6));
  f.columns << 1.0, 2.0, 0.5, 1.0, 3.0, 1.0;
  f.rows << 1.0, 0.2, 4.0;
  BOOST_REQUIRE(f.choose());
  BOOST_REQUIRE(f.partition.factorize(f.J.data()) == EvaluationResult::ok);
  const MatrixXd scaled = f.rows.asDiagonal() * f.J * f.columns.asDiagonal();
  const double volume = std::abs(columns_of(scaled, f.partition.dependent()).determinant());
  double largest = 0.0;
  for (std::size_t out = 0; out < 3; ++out) {
    for (const int in : f.partition.independent()) {
      std::vector<int> exchanged = f.partition.dependent();
      exchanged[out] = in;
      largest = std::max(largest, std::abs(columns_of(scaled, exchanged).determinant()) / volume);
    }
  }
  BOOST_TEST(std::abs(f.partition.largest_influence(f.J.data()) - largest) < 1e-12 * largest);
}

BOOST_AUTO_TEST_CASE(only_the_first_rows_of_a_sparse_matrix_count) {
  const auto pattern = SparsePattern::from_entries(2, 3, {{0, 0}, {1, 0}, {0, 2}, {1, 1}});
  const std::vector<double> values = {3.0, 7.0, 5.0, 1.0};  // rows (3, 0, 1), (7, 5, 0): slots column by column
  CoordinatePartition partition(pattern, 1, 1e-6);
  const VectorXd ones = VectorXd::Ones(3);
  BOOST_REQUIRE(partition.choose(values.data(), ones.data(), ones.data()));
  BOOST_REQUIRE(partition.rank() == 1);
  BOOST_TEST(partition.dependent()[0] == 0);
  BOOST_REQUIRE(partition.factorize(values.data()) == EvaluationResult::ok);
  double x = 6.0;
  partition.solve(&x);
  BOOST_TEST(std::abs(x - 2.0) < 1e-15);
  BOOST_TEST(std::abs(partition.largest_influence(values.data()) - 1.0 / 3.0) < 1e-15);
}

BOOST_AUTO_TEST_CASE(lost_rank_and_values_that_are_not_finite_are_told) {
  Fixture f(random_matrix(2, 4, 7));
  BOOST_REQUIRE(f.choose());
  MatrixXd lost = f.J;
  lost.row(1) = lost.row(0);
  BOOST_TEST((f.partition.factorize(lost.data()) == EvaluationResult::rank_loss));
  BOOST_TEST(!f.partition.factorized());
  const std::vector<int> before = f.partition.dependent();
  BOOST_TEST(!f.partition.choose(lost.data(), f.rows.data(), f.columns.data(), 2));  // the rank must stay
  BOOST_TEST(f.partition.dependent() == before);
  lost(0, 0) = lost(0, 1) = lost(0, 2) = lost(0, 3) = NAN;
  BOOST_TEST((f.partition.factorize(lost.data()) == EvaluationResult::not_finite));
  BOOST_TEST(!f.partition.choose(lost.data(), f.rows.data(), f.columns.data()));
}
