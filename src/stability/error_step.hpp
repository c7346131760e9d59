// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/stability/certificate.hpp>

namespace sunlagrange::internal {

/// One fixed step of a program from (t, y), with its error as e <- R e + r.
class ErrorStep {
 public:
  ErrorStep(const ErrorProgram& program, const ButcherTable& table, Growth growth);

  /// Sets e. Returns false if the point is declined or e is not finite.
  bool error(double t, const Eigen::VectorXd& y, Eigen::VectorXd& e);

  /// Takes a step of size s; y is not changed. Returns false if a point is declined or not finite.
  bool take(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& e, double s);

  // results of the last step
  const Eigen::VectorXd& y() const { return y_next_; }
  const Eigen::VectorXd& e() const { return e_next_; }
  const Eigen::MatrixXd& R() const { return R_; }
  const Eigen::VectorXd& r() const { return r_; }

  const ErrorProgram& program() const { return program_; }
  const ButcherTable& table() const { return table_; }

 private:
  void renew_growth(double t, double s);

  const ErrorProgram& program_;
  const ButcherTable& table_;
  Growth growth_;
  std::vector<Eigen::VectorXd> slope_;
  std::vector<Eigen::MatrixXd> K_;  // at the stages, for laws that depend on y
  // for the steps taken before, if the law is constant
  std::vector<std::pair<double, Eigen::MatrixXd>> constant_growth_;
  Eigen::VectorXd stage_;
  Eigen::VectorXd y_next_;
  Eigen::VectorXd e_next_;
  Eigen::VectorXd r_;
  Eigen::MatrixXd R_;
};

}  // namespace sunlagrange::internal
