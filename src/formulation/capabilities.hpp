// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <Eigen/Core>

#include <sunlagrange/base/evaluation_result.hpp>
#include <sunlagrange/internal/quantities.hpp>

#include "linear_algebra/vector_map.hpp"
#include "model/parameters/parameter_derivative.hpp"

namespace sunlagrange::internal {

class MultiplierGauge;
class SaddlePointSystem;

/// The linear systems of Newton's iteration. The matrix depends on a number, the shift:
///
///     ODE forms   I - gamma J,  J = df/dy      the shift is gamma [s]
///     DAE forms   F_y + c F_y'                 the shift is c [1/s]
///
/// The factors of a real and of a complex shift exist side by side: implicit Runge-Kutta methods need complex shifts
/// for pairs of their stages. A form derives from NewtonSystemOf and writes both as one template.
class NewtonSystem {
 public:
  /// Evaluates the Jacobians at a point. ODE forms do not read `yp`.
  virtual EvaluationResult linearize_newton(double t, const double* y, const double* yp) = 0;

  /// Factorises the matrix with the Jacobians that were evaluated last.
  virtual EvaluationResult factorize_newton(double shift) = 0;
  virtual EvaluationResult factorize_newton(Complex shift) = 0;

  /// Replaces b by the solution. ODE forms need the shift that was factorised last. DAE forms accept another one: the
  /// blocks of the saddle-point shape hardly depend on c, and the powers of c around them are applied exactly.
  virtual EvaluationResult solve_newton(double shift, double* b) = 0;
  virtual EvaluationResult solve_newton(Complex shift, Complex* b) = 0;

  /// Evaluates the Jacobians, unless `reuse` is true and there are some, and factorises.
  EvaluationResult factorize_newton(double t, const double* y, const double* yp, double shift, bool reuse = false) {
    const EvaluationResult result = reuse && linearized_ ? EvaluationResult::ok : linearize_newton(t, y, yp);
    return result == EvaluationResult::ok ? factorize_newton(shift) : result;
  }

 protected:
  ~NewtonSystem() = default;

  bool linearized_ = false;  ///< there are Jacobians to reuse
};

/// The Newton systems of `Form`, which has the templates factorize(shift) and solve(shift, b) for both types of shift.
template <class Form>
class NewtonSystemOf : public NewtonSystem {
 public:
  using NewtonSystem::factorize_newton;
  EvaluationResult factorize_newton(double shift) final { return form().factorize(shift); }
  EvaluationResult factorize_newton(Complex shift) final { return form().factorize(shift); }
  EvaluationResult solve_newton(double shift, double* b) final { return form().solve(shift, b); }
  EvaluationResult solve_newton(Complex shift, Complex* b) final { return form().solve(shift, b); }

 protected:
  ~NewtonSystemOf() = default;

 private:
  Form& form() { return static_cast<Form&>(*this); }
};

/// Products of the Jacobian with vectors.
class JacobianProduct {
 public:
  /// Evaluates the derivatives at a point. ODE forms do not read `yp`. The Newton systems stay as they are; every other
  /// evaluation of the formulation invalidates the derivatives.
  virtual EvaluationResult linearize_product(double t, const double* y, const double* yp) = 0;

  /// Jx = J x for ODE forms, which do not read c; Jx = (F_y + c F_y') x for DAE forms. Gains that change along the
  /// motion count as constants, as in the Newton systems.
  virtual EvaluationResult jacobian_times(double c, const double* x, double* Jx) = 0;

  /// Returns the entries of the matrix that may differ from zero at any point and for any c. Default: an empty pattern,
  /// all of them but for Formulation::num_integrated().
  virtual SparsePattern jacobian_pattern() const { return {}; }

 protected:
  ~JacobianProduct() = default;
};

/// A projection of y onto the constraints, which belongs to the end of every step.
class Projection {
 public:
  /// Computes correction = P(y) - y. Projects the error estimate in place, unless `error` is null.
  virtual EvaluationResult project(double t, const double* y, double* correction, double* error) = 0;

  /// Projects the sensitivity s = dy/dp at the projected point, where SensitivityEquations was linearised.
  virtual EvaluationResult project_sensitivity(double* s, const ParameterTerms& p) = 0;

  /// The transpose of project_sensitivity(): replaces a covector on the projected s by the covector on s, and adds the
  /// covector on the terms of a parameter to `p`.
  virtual EvaluationResult project_adjoint(double* s, ParameterTerms& p) = 0;

  /// Returns the size (natural_size()) of the change of v by the last project().
  double last_velocity_correction() const { return last_velocity_correction_; }

 protected:
  ~Projection() = default;

  double last_velocity_correction_ = 0.0;
};

/// The equations of sensitivities s = dy/dp. Gains count as constants that no parameter changes.
class SensitivityEquations {
 public:
  /// Evaluates the derivatives at a point of the solution. Sets v' and lambda there, which ParameterTerms are
  /// evaluated with; they stay valid until the next evaluation. ODE forms do not read `yp`.
  virtual EvaluationResult linearize_sensitivities(double t, const double* y, const double* yp, const double*& a,
                                                   const double*& lambda) = 0;

  /// ODE forms: out = s', and `sp` is not read. DAE forms: out = F_y s + F_y' s' + F_p, the residual.
  virtual EvaluationResult sensitivity_equations(const double* s, const double* sp, const ParameterTerms& p,
                                                 double* out) = 0;

 protected:
  ~SensitivityEquations() = default;
};

/// The adjoint equations of an ODE form, at the point of SensitivityEquations::linearize_sensitivities().
class AdjointEquations {
 public:
  /// The transpose of sensitivity_equations(): from the covector `rate` on s', computes the covector on s and that on
  /// the terms of a parameter. `lambda`, unless null, is a covector on dlambda/dp that counts in addition.
  virtual EvaluationResult adjoint_rhs(const double* rate, const double* lambda, double* s, ParameterTerms& p) = 0;

 protected:
  ~AdjointEquations() = default;
};

/// The Newton systems of adjoint equations, (I - gamma J)^T. Their factors exist beside those of NewtonSystem.
class AdjointNewtonSystem {
 public:
  virtual EvaluationResult factorize_adjoint(double gamma) = 0;
  virtual EvaluationResult solve_adjoint(double* b) = 0;

 protected:
  ~AdjointNewtonSystem() = default;
};

/// The equations contain terms that act on the constraint error: gains or a compliance.
class ConstraintFeedback {
 public:
  /// Computes v' and lambda of the equations at (t, q, v), these terms included.
  virtual EvaluationResult with_feedback(double t, const double* q, const double* v, double* a, double* lambda) = 0;

 protected:
  ~ConstraintFeedback() = default;
};

/// The law of the constraint error, e' = A e with e = (g, g', psi) or f, where it changes along the motion.
class ErrorLaw {
 public:
  /// Computes A at a point. Returns false if the law is constant or not defined there.
  virtual bool error_matrix(double t, const double* q, const double* v, Eigen::MatrixXd& A) = 0;

  /// Force on the coordinates that the law adds to the right-hand side, at the last point of the formulation, n; null:
  /// the law adds none.
  const Eigen::VectorXd* tangential_force = nullptr;

 protected:
  ~ErrorLaw() = default;
};

/// The last point at which the right-hand side was evaluated with success, for readers of a point nearby.
struct LastEvaluation {
  long version = 0;  ///< PointEvaluator::version() of the point; it differs as soon as another point is evaluated
  double t = NAN;    ///< not a number: the last evaluation failed, or there is none
  Eigen::VectorXd q, v;
  Eigen::VectorXd a, lambda;              ///< v' and the multipliers there, stabilising terms included
  const Workspace* quantities = nullptr;  ///< M, f, g, (g', psi), gamma, G there

  /// The saddle-point system [M G^T; G 0] there, factorised with every direction kept. Null: it has a compliance or
  /// has lost rank.
  const SaddlePointSystem* system = nullptr;

  /// Copies (v, v') to ydot if (t, y) is this point but for rounding. Returns false otherwise.
  bool rates(double t, const double* y, double* ydot) const;
};

/// The capabilities of a formulation beside its equations. A null pointer means that it does not have one.
struct FormulationCapabilities {
  NewtonSystem* newton = nullptr;
  JacobianProduct* product = nullptr;
  Projection* projection = nullptr;
  SensitivityEquations* sensitivities = nullptr;
  AdjointEquations* adjoint = nullptr;
  AdjointNewtonSystem* adjoint_newton = nullptr;
  ConstraintFeedback* feedback = nullptr;
  ErrorLaw* error_law = nullptr;
  MultiplierGauge* gauge = nullptr;  ///< gauge of redundant multipliers, for every correction of Newton's iteration
  const LastEvaluation* last = nullptr;
};

}  // namespace sunlagrange::internal
