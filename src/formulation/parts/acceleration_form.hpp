// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/formulation.hpp"
#include "formulation/parts/compliance.hpp"
#include "formulation/parts/contradictions.hpp"
#include "formulation/parts/newton_blocks.hpp"
#include "formulation/parts/right_hand_sides.hpp"
#include "formulation/parts/stabilization.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// The index-0 family: y = (q, v), with v' from the saddle-point system
///
///     [ M   G^T ] [ v'     ]   [ f                            ]
///     [ G   -C  ] [ lambda ] = [ gamma - K_D g' - K_P g       ]
///
/// `unstabilized`, `baumgarte` and `penalty` are choices of (K_D, K_P, C); nothing else distinguishes them.
/// `extended_lagrangian` renews (K_D, K_P) at every point, `augmented_lagrangian` iterates the solution to C -> 0.
class AccelerationForm : public OdeFormulation,
                         public NewtonSystemOf<AccelerationForm>,
                         public JacobianProduct,
                         public SensitivityEquations,
                         public AdjointEquations,
                         public AdjointNewtonSystem,
                         public ConstraintFeedback {
 public:
  AccelerationForm(const FormulationInput& input, Stabilization stabilization, Compliance compliance = {});

  EvaluationResult rhs(double t, const double* y, double* ydot) override;
  EvaluationResult with_feedback(double t, const double* q, const double* v, double* a, double* lambda) override;

  EvaluationResult linearize_newton(double t, const double* y, const double* yp) override;
  template <class Scalar>
  EvaluationResult factorize(Scalar gamma);

  /// solve_newton(), also with another gamma than the factorised one: the powers of gamma around the blocks are applied
  /// exactly.
  template <class Scalar>
  EvaluationResult solve(Scalar gamma, Scalar* b);

  EvaluationResult linearize_product(double t, const double* y, const double*) override { return linearize(t, y); }
  EvaluationResult jacobian_times(double, const double* x, double* Jx) override { return tangent(x, Jx, nullptr); }

  /// Computes J x and, unless `lambda` is null, the change of lambda.
  EvaluationResult tangent(const double* x, double* Jx, double* lambda) {
    return tangent_motion(x, no_parameter_, Jx, lambda);
  }

  EvaluationResult linearize_sensitivities(double t, const double* y, const double* yp, const double*& a,
                                           const double*& lambda) override;
  EvaluationResult sensitivity_equations(const double* s, const double*, const ParameterTerms& p,
                                         double* sdot) override {
    return tangent_motion(s, p, sdot, nullptr);
  }
  EvaluationResult adjoint_rhs(const double* rate, const double* lambda, double* s, ParameterTerms& p) override;
  EvaluationResult factorize_adjoint(double gamma) override;
  EvaluationResult solve_adjoint(double* b) override;

  /// Computes s' and, unless `lambda` is null, dlambda/dp.
  EvaluationResult tangent_motion(const double* s, const ParameterTerms& p, double* sdot, double* lambda);

  /// Projects s onto the tangents of the constraints, G s_q + g_p = 0 and d(g', psi)/dp = 0 in all, by the shortest
  /// change in the mass metric. Not defined with a compliance.
  EvaluationResult project_tangent(double* s, const ParameterTerms& p);

  /// The transpose of project_tangent(): replaces a covector on the projected s by the covector on s, and adds the
  /// covector on the terms.
  EvaluationResult project_covector(double* s, ParameterTerms& p);

  /// Returns lambda of the last rhs(), feedback included.
  const Eigen::VectorXd& multipliers() const { return last_.lambda; }

  /// Computes newton_multipliers(), gamma x_lambda of the last solve() with a gamma of this type. With lost rank it is
  /// the part of least norm, as in multipliers(): the Newton matrix leaves the other part to its delta, and an unknown
  /// lambda would never settle.
  template <class Scalar>
  EvaluationResult make_newton_multipliers();
  template <class Scalar>
  const VectorOf<Scalar>& newton_multipliers() {
    return sides_.of<Scalar>().bottom;
  }

  /// Names the dependent rows that required different accelerations.
  std::vector<Fact> statistics() const override { return contradictions_.facts(saddle_.system()); }
  FormulationCounts counts() const override;
  std::string linear_solver_description() const override { return saddle_.solver().description(); }

  /// True if the last evaluation has lost rank.
  bool lost_rank() const { return saddle_.solver().rank() < m_; }

 protected:
  /// Renews state-dependent gains. Called at every point when M, f, g, (g', psi), gamma, G are in `w`, before the rows
  /// of the constraints are formed. The Newton blocks take the gains as constants.
  virtual EvaluationResult renew_gains(double /*t*/, const double* /*q*/, const double* /*v*/, const Workspace& /*w*/,
                                       Stabilization& /*gains*/) {
    return EvaluationResult::ok;
  }

  /// Adds forces of the law of the constraint error to f, at the point of the last renew_gains().
  virtual void add_forces(double /*t*/, const Workspace& /*w*/, Eigen::VectorXd& /*f*/) {}

  /// Solves the factorised saddle-point system: from f and gamma - K_D g' - K_P g to v' and lambda, and from their
  /// changes to the changes of v' and lambda.
  virtual EvaluationResult solve_saddle(double* a, double* lambda) { return saddle_.solve(a, lambda); }

  const PointEvaluator& evaluator() const { return evaluator_; }
  const SaddlePointSystem& saddle() const { return saddle_; }

  /// C of the Newton systems.
  virtual const GainMatrix& newton_compliance() const { return compliance_.C; }

 private:
  EvaluationResult accelerations(double t, const double* q, const double* v);
  EvaluationResult linearize(double t, const double* y);
  void check_contradictions(const Workspace& w);
  bool constraint_forces_cancel(const Workspace& w);

  int n_;
  int m_;
  LinearSolverOptions options_;
  Stabilization stabilization_;
  Compliance compliance_;
  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  std::unique_ptr<NewtonBlocks> newton_;  // made at its first use: explicit methods never need it
  LastEvaluation last_;
  long evaluations_ = 0;
  RealAndComplex<RightHandSides> sides_;
  Eigen::VectorXd rows_;         // scratch of tangent_motion and its transpose
  Eigen::VectorXd right_side_;   // of the rows
  ParameterTerms no_parameter_;  // zeros
  Contradictions contradictions_;
  double adjoint_gamma_ = 0.0;
};

}  // namespace sunlagrange::internal
