// SPDX-License-Identifier: BSD-3-Clause
#include "gains/constraint_law.hpp"

#include <cmath>
#include <limits>

#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/vector_map.hpp"

#include "base/numerics.hpp"

namespace sunlagrange::internal {
namespace {

bool same_row(const GainMatrix& K, int i) {
  return K(i, i) == K(i - 1, i - 1);
}

void add_diagonal_roots(const GainMatrix& K_D, const GainMatrix& K_P, std::vector<Complex>& roots) {
  for (int i = 0; i < K_P.size(); ++i) {
    if (i > 0 && same_row(K_D, i) && same_row(K_P, i)) continue;
    const double half = 0.5 * K_D(i, i);
    const Complex large = -half - std::sqrt(Complex(half * half - K_P(i, i)));
    roots.push_back(large);  // the other without cancellation: their product is K_P
    roots.push_back(std::abs(large) > 0.0 ? K_P(i, i) / large : Complex(0.0));
  }
}

void add_eigenvalues(const Eigen::MatrixXd& matrix, std::vector<Complex>& roots) {
  const Eigen::VectorXcd found = eigenvalues(matrix);
  roots.insert(roots.end(), found.data(), found.data() + found.size());
}

}  // namespace

std::vector<Complex> law_roots(const GainMatrix& K_D, const GainMatrix& K_P, const GainMatrix& K_N) {
  std::vector<Complex> roots;
  if (K_D.is_diagonal() && K_P.is_diagonal()) {
    add_diagonal_roots(K_D, K_P, roots);
  } else {
    const int m = K_P.size();
    Eigen::MatrixXd companion(2 * m, 2 * m);
    companion << Eigen::MatrixXd::Zero(m, m), Eigen::MatrixXd::Identity(m, m), -K_P.dense(), -K_D.dense();
    add_eigenvalues(companion, roots);
  }
  if (!K_N.is_diagonal()) add_eigenvalues(-K_N.full, roots);
  for (int i = 0; K_N.is_diagonal() && i < K_N.size(); ++i) {
    if (i == 0 || !same_row(K_N, i)) roots.emplace_back(-K_N(i, i));
  }
  return roots;
}

double stable_reach(const ButcherTable& table, Complex mu) {
  const double size = std::abs(mu);
  if (!(size > 0.0)) return std::numeric_limits<double>::infinity();
  const std::vector<double> R = table.stability_coefficients();
  const auto stable = [&](double z) {
    Complex sum = 0.0;
    for (auto r = R.rbegin(); r != R.rend(); ++r) sum = *r + z * mu / size * sum;
    return std::abs(sum) <= 1.0 + 1e-12;
  };
  return end_of_stretch(stable, 0.01, 100.0);
}

}  // namespace sunlagrange::internal
