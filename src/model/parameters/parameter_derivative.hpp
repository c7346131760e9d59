#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/element_terms.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/system_parameters.hpp>

namespace sunlagrange::internal {

/// What a parameter p changes at a point where everything else stays: r = M a + G^T lambda - f, the rows g and
/// (g', psi), and A = G a - gamma, their accelerations. Zeros for a start value.
struct ParameterTerms {
  Eigen::VectorXd r;       ///< dr/dp, n
  Eigen::VectorXd g;       ///< dg/dp, m_g
  Eigen::VectorXd g_rate;  ///< d(g', psi)/dp, m
  Eigen::VectorXd A;       ///< d(G a - gamma)/dp, m

  void set_zero(const MechanicalSystem& system);
};

/// Derivatives by one parameter of one element, or by linked ones together, by differences of what this element
/// contributes: central ones of fourth order with steps of 2e-3 of its size (of second order where that gives the
/// same), one-sided where the range ends. No solver and no integrator is between, so they are good to about 1e-12 of
/// the values, whatever the type of the element.
class ParameterDerivative {
 public:
  /// @throws Error if there is no such parameter, or linked ones have different values; as with_parameters
  ParameterDerivative(std::shared_ptr<const MechanicalSystem> system, const std::string& name);

  const SystemParameter& about() const { return about_; }

  /// Size of the parameter: |value|, of zero the largest of the element in the same unit, else 1.
  double size() const { return size_; }

  /// At a point with a and lambda. False: the element declines it, or one nearby.
  bool evaluate(const Point& at, ParameterTerms& out);

 private:
  /// Two values of the parameter; what does not depend on it cancels exactly.
  struct Pair {
    double weight;                                         // of upper - lower, over the step
    std::shared_ptr<const MechanicalSystem> upper, lower;  // the element by itself, on the coordinates of the system
  };
  void take(const std::string& name);  // the differences of one
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
  std::vector<ParameterDerivative> linked_;  // the others, which are added
  ElementTerms terms_;
  Eigen::VectorXd upper_, lower_;
};

}  // namespace sunlagrange::internal
