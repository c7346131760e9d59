// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include <Eigen/Core>

#include <sunlagrange/analysis/functional.hpp>
#include <sunlagrange/sundials/attachment.hpp>

#include "analysis/sundials/forward_sensitivities.hpp"
#include "sundials/binding.hpp"

namespace sunlagrange::internal {

/// The adjoint equations mu' = -F_y^T mu - psi_y of a motion (q, v)' = F(q, v, p) and a functional with the rate psi.
/// They are evaluated with a formulation of their own, so the formulation of the motion keeps its factors and its
/// decisions about rank.
class FunctionalAdjoint {
 public:
  /// Number of evaluations.
  struct Counts {
    long linearisations = 0;  ///< points with tangents
    long products = 0;        ///< F_y^T mu
    long parameters = 0;      ///< explicit derivatives by all parameters
  };

  /// @param binding  of the formulation; becomes that of the adjoint integration
  /// @param before_point  called with the time before a new point is evaluated; may throw
  FunctionalAdjoint(std::unique_ptr<Binding> binding, const MotionState& start, const Functional& functional,
                    SensitivityColumns& columns, std::function<void(double t)> before_point);

  Attachment& attachment() const { return *attachment_; }
  Binding& binding() const { return AttachmentAccess::binding(*attachment_); }
  const Counts& counts() const { return counts_; }

  /// State of the point evaluated last.
  const MotionState& state() const { return state_; }
  double t() const { return linearised_at_; }

  /// Evaluates the tangents at (t, y), y = (q, v), and sets state() with v' and lambda. A second call at the same point
  /// costs nothing. Returns false if the model declines the point.
  bool linearise(double t, const double* y);

  /// Returns the rate of the functional in `rate`; false if the model declines the point.
  bool running_rate(double t, const double* y, double& rate);

  /// Adds, at the linearised end of the motion, the derivative of the terminal part by the state to `mu` and by the
  /// parameters to `parameters`. Returns false if the model declines the point.
  bool add_terminal(double* mu, Eigen::VectorXd& parameters);

  /// Sets `rate` to psi_y at the linearised point. Returns false if the model declines it.
  bool running_derivative(Eigen::VectorXd& rate);

  /// Sets `sum` to F_y^T mu + psi_y. Returns false if the model declines the point.
  bool evaluate(double t, const double* y, const double* mu, double* sum);

  /// Factorises (I - gamma F_y)^T. Returns false if the model declines the point.
  bool factorize(double t, const double* y, double gamma);

  /// Sets `rates` to the derivatives by the parameters through their explicit terms, at the point evaluated last.
  bool explicit_derivatives(double* rates);

 private:
  const FormulationCapabilities& provides() const { return binding().ode().provides(); }
  bool succeeds(EvaluationResult result) const { return binding().failures.count(result) == EvaluationResult::ok; }
  void differentiate(const Functional::Function& part);
  bool add_transposed(const double* mu, double* sum);

  const Functional& functional_;
  SensitivityColumns& columns_;
  std::function<void(double)> before_point_;
  std::unique_ptr<Attachment> attachment_;
  int n_, m_;
  double linearised_at_ = NAN;  // time of the tangents
  Eigen::VectorXd y_;           // their point
  MotionState state_;
  StateDerivative derivative_;  // of a part of the functional
  ParameterTerms terms_;        // products with the explicit derivatives
  Eigen::VectorXd covector_, rate_;
  Counts counts_;
};

}  // namespace sunlagrange::internal
