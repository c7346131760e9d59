// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <sunlagrange/stability/certificate.hpp>

namespace sunlagrange::test {

/// The slider-crank of [002, Examples 1 to 3], r = 1, l = 2, c = 1, with a = -k f (erratum F1); by hand.
/// @param k  negative: the printed sign
inline ErrorProgram slider_crank(double k) {
  ErrorProgram program;
  const auto f = [](const Eigen::VectorXd& y) { return std::sin(y[0]) - 2.0 * std::sin(y[1]); };
  program.rhs = [k, f](double, const Eigen::VectorXd& y, Eigen::VectorXd& v) {
    const double A1 = std::cos(y[0]);
    const double A2 = -2.0 * std::cos(y[1]);
    const double pull = -k * f(y) / (A1 * A1 + A2 * A2);
    v.resize(2);
    v << A2 + A1 * pull, -A1 + A2 * pull;
    return true;
  };
  program.error = [f](double, const Eigen::VectorXd& y, Eigen::VectorXd& e) {
    e.resize(1);
    e[0] = f(y);
    return true;
  };
  program.law = ConstraintDynamics::from_matrix(Eigen::MatrixXd::Constant(1, 1, -k));
  program.y0 = Eigen::VectorXd::Zero(2);
  return program;
}

}  // namespace sunlagrange::test
