// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/element_terms.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/system_parameters.hpp>

namespace sunlagrange::internal {

/// Partial derivatives by a parameter p at a fixed point: of r = M a + G^T lambda - f, of the rows g and (g', psi), and
/// of their accelerations A = G a - gamma. Zeros for a start value.
struct ParameterTerms {
  Eigen::VectorXd r;       ///< dr/dp, n
  Eigen::VectorXd g;       ///< dg/dp, m_g
  Eigen::VectorXd g_rate;  ///< d(g', psi)/dp, m
  Eigen::VectorXd A;       ///< d(G a - gamma)/dp, m

  void set_zero(const MechanicalSystem& system);
};

/// Derivatives by one parameter of one element, or by linked ones together, by differences of the contributions of this
/// element: central ones of fourth order with steps of 2e-3 of its size (of second order where that gives the same),
/// one-sided where the range or a relation to other parameters refuses the other side. The contributions are smooth
/// functions without iterations, so that the relative error is about 1e-12 for every type of element.
class ParameterDerivative {
 public:
  /// @throws Error if there is no such parameter, or linked ones have different values; as with_parameters
  ParameterDerivative(std::shared_ptr<const MechanicalSystem> system, const std::string& name);

  const SystemParameter& about() const { return about_; }

  /// Returns the size of the parameter: |value|; for zero the largest of the element in the same unit, else 1.
  double size() const { return size_; }

  /// Computes the derivatives at a point with a and lambda. False: the element declines it, or a point nearby.
  bool evaluate(const Point& at, ParameterTerms& out);

 private:
  /// Two values of the parameter; terms that do not depend on it cancel exactly.
  struct Pair {
    double weight;                                         // of the difference upper - lower
    std::shared_ptr<const MechanicalSystem> upper, lower;  // the element alone, on the coordinates of the system
  };
  void add_differences(const std::string& name);  // of one element
  bool add(const Point& at, ParameterTerms& out);
  bool differences_agree(double h);
  bool place(const Point& at);
  bool contribution(const MechanicalSystem& element, const Point& at, Eigen::VectorXd& values);

  std::shared_ptr<const MechanicalSystem> system_;
  SystemParameter about_;
  double size_ = 1.0;
  int element_ = 0;
  std::vector<int> coordinates_, rows_;  // of the element, in the system
  std::vector<Pair> pairs_;
  std::vector<ParameterDerivative> linked_;  // of the other linked parameters
  ElementTerms terms_;
  Eigen::VectorXd upper_, lower_;
};

}  // namespace sunlagrange::internal
