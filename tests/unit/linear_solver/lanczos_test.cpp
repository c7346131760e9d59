// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "linear_solver/rank/lanczos.hpp"

/// The largest eigenvalue by the Lanczos method against operators whose eigenvalues are known.
using sunlagrange::internal::Lanczos;

namespace {

double largest_of_diagonal(const std::vector<double>& eigenvalues) {
  Lanczos lanczos(static_cast<int>(eigenvalues.size()));
  return lanczos.largest_eigenvalue([&](double* u) {
    for (std::size_t i = 0; i < eigenvalues.size(); ++i) u[i] *= eigenvalues[i];
  });
}

/// Of the matrix with 2 on the diagonal and -1 beside it.
double largest_of_chain(int size, double factor) {
  Lanczos lanczos(size);
  std::vector<double> before(static_cast<std::size_t>(size));
  return lanczos.largest_eigenvalue([&](double* u) {
    before.assign(u, u + size);
    for (int i = 0; i < size; ++i) {
      const auto k = static_cast<std::size_t>(i);
      u[i] = factor * (2.0 * before[k] - (i > 0 ? before[k - 1] : 0.0) - (i + 1 < size ? before[k + 1] : 0.0));
    }
  });
}

/// The method gives a value from below.
void nearly(double value, double exact) {
  BOOST_TEST(value <= exact * (1.0 + 1e-12));
  BOOST_TEST(value >= exact * (1.0 - 1e-9));
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_unknown_and_spaces_that_are_invariant_at_once) {
  nearly(largest_of_diagonal({3.0}), 3.0);
  nearly(largest_of_diagonal({2.0, 2.0, 2.0, 2.0}), 2.0);
  nearly(largest_of_diagonal({0.0, 5.0}), 5.0);
  BOOST_TEST(largest_of_diagonal({0.0, 0.0, 0.0}) == 0.0);
}

BOOST_AUTO_TEST_CASE(chains_have_the_eigenvalues_of_their_closed_form) {
  for (const int size : {2, 3, 7, 8, 9, 30, 100}) {
    for (const double factor : {1e-9, 1.0, 1e12}) {
      const double angle = 0.5 * std::acos(-1.0) * size / (size + 1.0);
      BOOST_TEST_CONTEXT(size << " unknowns, times " << factor)
      nearly(largest_of_chain(size, factor), 4.0 * factor * std::pow(std::sin(angle), 2));
    }
  }
}

BOOST_AUTO_TEST_CASE(eigenvalues_far_apart_and_close_together) {
  nearly(largest_of_diagonal({1e-12, 1.0, 1e-6, 1e9, 1e3}), 1e9);
  nearly(largest_of_diagonal({1.0, 1.0 - 1e-6, 1.0 - 1e-3, 0.5, 0.25, 0.1, 0.0}), 1.0);
  std::vector<double> many;
  for (int i = 1; i <= 400; ++i) many.push_back(i);
  nearly(largest_of_diagonal(many), 400.0);
}

/// What the method is for: a small change of the matrix changes the value by no more.
BOOST_AUTO_TEST_CASE(the_value_does_not_jump) {
  std::vector<double> eigenvalues{1.0, 0.99, 0.98, 0.5, 0.1};
  double before = largest_of_diagonal(eigenvalues);
  for (int k = 0; k < 40; ++k) {
    eigenvalues[1] += 1e-3;
    const double now = largest_of_diagonal(eigenvalues);
    BOOST_TEST(now >= before * (1.0 - 1e-9));
    BOOST_TEST(now <= before + 1e-3 * (1.0 + 1e-6));
    before = now;
  }
}

BOOST_AUTO_TEST_CASE(operators_that_are_not_finite_say_so) {
  const double infinite = std::numeric_limits<double>::infinity();
  BOOST_TEST(!std::isfinite(largest_of_diagonal({1.0, std::nan(""), 2.0})));
  BOOST_TEST(!std::isfinite(largest_of_diagonal({1.0, infinite, 2.0})));
}
