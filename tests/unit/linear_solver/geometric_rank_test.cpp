// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <random>

#include "linear_algebra/decompositions.hpp"
#include "linear_solver/rank/geometric_rank.hpp"

/// Rank by geometry: free of units, of masses, and of what was there before.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd random_matrix(int m, int n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  return MatrixXd::NullaryExpr(m, n, [&](Eigen::Index, Eigen::Index) { return entry(engine); });
}

/// Powers of ten from 10^-decades to 10^decades.
VectorXd spread(Eigen::Index size, double decades, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> exponent(-decades, decades);
  return VectorXd::NullaryExpr(size, [&](Eigen::Index) { return std::pow(10.0, exponent(engine)); });
}

MatrixXd balanced(const MatrixXd& G, const VectorXd& metric) {
  JacobianScales scales(SparsePattern::dense(static_cast<int>(G.rows()), static_cast<int>(G.cols())));
  scales.balance(G.data(), metric);
  return scales.rows().asDiagonal() * G * scales.columns().asDiagonal();
}

SparsePattern full(const MatrixXd& G) {
  return SparsePattern::dense(static_cast<int>(G.rows()), static_cast<int>(G.cols()));
}

/// Within the span of all multipliers.
const RitzDirections& measure(GeometricRank& rank, const MatrixXd& G, const VectorXd& metric) {
  const MatrixXd all = MatrixXd::Identity(G.rows(), G.rows());
  rank.update_largest_entries(G.data());
  rank.measure(G.data(), metric, static_cast<int>(G.rows()), all.data());
  return rank.directions();
}

double weakest(const MatrixXd& G, const VectorXd& start) {
  GeometricRank rank(full(G), static_cast<int>(G.rows()));
  return measure(rank, G, start).quotient(0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_largest_eigenvalue_is_that_of_a_decomposition) {
  for (const int m : {1, 2, 7, 40, 90}) {
    const MatrixXd G = random_matrix(m, m + 5, 20U + static_cast<unsigned>(m));
    GeometricRank rank(full(G), 1);
    const VectorXd direction = VectorXd::Ones(m), metric = VectorXd::Ones(m + 5);
    rank.update_largest_entries(G.data());
    rank.measure(G.data(), metric, 1, direction.data());
    const VectorXd eigenvalues = singular_values(balanced(G, metric)).values.cwiseAbs2();
    BOOST_TEST(rank.largest() == eigenvalues[0], boost::test_tools::tolerance(1e-11));
    BOOST_TEST(rank.mean() == eigenvalues.mean(), boost::test_tools::tolerance(1e-11));
    BOOST_TEST(rank.mean() <= rank.largest() * (1.0 + 1e-12));  // so that it decides what any larger value decides
  }
}

BOOST_AUTO_TEST_CASE(rows_get_one_length) {
  const MatrixXd B = balanced(random_matrix(4, 7, 1), VectorXd::Ones(7));
  for (Eigen::Index i = 0; i < 4; ++i) BOOST_TEST(std::abs(B.row(i).norm() - 1.0) < 1e-12);
}

// A loop of eight coordinates and nine rows, two of which also hold a body of six: no scales make all rows and columns
// of one length. Regular, and seen as regular.
BOOST_AUTO_TEST_CASE(a_matrix_without_equal_lengths_stays_regular) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    MatrixXd G = MatrixXd::Zero(9, 14);
    G.leftCols(8) = random_matrix(9, 8, seed);
    G.block(0, 8, 2, 6) = random_matrix(2, 6, seed + 50);
    G.block(1, 8, 1, 6) = 0.7 * G.block(0, 8, 1, 6);
    const VectorXd values = symmetric_eigenvalues(G * G.transpose());
    const double found = weakest(G, spread(14, 4.0, seed + 300));
    BOOST_TEST_CONTEXT("seed " << seed << ": " << found << ", unscaled " << values[0] / values[8]) {
      BOOST_TEST(found > 1e-2 * values[0] / values[8]);
    }
  }
}

BOOST_AUTO_TEST_CASE(units_do_not_matter) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const MatrixXd G = random_matrix(4, 6, seed);
    const VectorXd rows = spread(4, 6.0, seed), columns = spread(6, 6.0, seed + 100);
    // the masses behind the first scales are in the same units
    const MatrixXd other = rows.asDiagonal() * G * columns.asDiagonal();
    const MatrixXd expected = balanced(G, VectorXd::Ones(6));
    BOOST_TEST((balanced(other, columns.cwiseInverse()) - expected).lpNorm<Eigen::Infinity>() <
               1e-4);  // conjugate gradients
  }
}

BOOST_AUTO_TEST_CASE(masses_do_not_matter) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const MatrixXd G = random_matrix(4, 6, seed);
    const VectorXd masses = spread(6, 4.0, seed + 200);  // a ratio of up to 1e8
    const double expected = weakest(G, VectorXd::Ones(6));
    const double found = weakest(G, masses.cwiseSqrt().cwiseInverse());
    BOOST_TEST_CONTEXT("seed " << seed << ": " << found << ", expected " << expected) {
      BOOST_TEST(found > 0.5 * expected);
      BOOST_TEST(found < 2.0 * expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(lost_rank_is_seen_behind_masses_far_apart) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    MatrixXd G = random_matrix(5, 8, seed);
    G.row(4) = 2.0 * G.row(0) - 1e3 * G.row(2);
    GeometricRank rank(full(G), 5);
    const VectorXd metric = spread(8, 3.0, seed);
    const RitzDirections& directions = measure(rank, G, metric);
    BOOST_TEST(directions.count_below(1e-9) == 1);
    BOOST_TEST(directions.count_below(1e-8) == 1);
    BOOST_TEST(directions.quotient(0) < 1e-13);
    const VectorXd u = Eigen::Map<const VectorXd>(directions.direction(0), 5).normalized();
    BOOST_TEST((G.transpose() * u).lpNorm<Eigen::Infinity>() < 1e-8);
  }
}

// Balanced afresh, the second row would be as good as the first.
BOOST_AUTO_TEST_CASE(a_row_that_shrinks_is_lost) {
  MatrixXd G = random_matrix(2, 3, 3);
  GeometricRank rank(full(G), 2);
  const VectorXd start = VectorXd::Ones(3);
  BOOST_TEST(measure(rank, G, start).count_below(1e-9) == 0);
  G.row(1) *= 1e-6;
  BOOST_TEST(measure(rank, G, start).count_below(1e-9) == 1);
}
