#pragma once

#include <cmath>

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
class AccelerationForm : public OdeFormulation {
 public:
  AccelerationForm(const FormulationInput& input, Stabilization stabilization, Compliance compliance = {});

  int num_integrated() const override { return n_; }
  EvaluationResult rhs(double t, const double* y, double* ydot) override;
  EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) override;
  EvaluationResult factorize_newton(Complex gamma) override { return factorize_blocks(gamma); }
  EvaluationResult solve_newton(double* b) override { return solve_blocks(gamma_, b); }
  EvaluationResult solve_newton(Complex* b) override { return solve_blocks(complex_gamma_, b); }

  EvaluationResult linearize_product(double t, const double* y) override {
    return failures.count(evaluate_tangents(t, y));
  }
  EvaluationResult jacobian_times(const double* x, double* Jx) override {
    return tangent_motion(x, no_parameter_, Jx, nullptr);
  }

  /// The same with the change of lambda: (x_q, x_v) -> J x, dlambda.
  EvaluationResult jacobian_times(const double* x, double* Jx, double* lambda) {
    return tangent_motion(x, no_parameter_, Jx, lambda);
  }

  /// The Jacobian blocks at a point, and I - gamma J with those of the last one.
  EvaluationResult linearize_newton(double t, const double* y);
  template <class Scalar>
  EvaluationResult factorize_blocks(Scalar gamma);

  /// solve_newton() with the present gamma where factorize_blocks() has seen another: the powers of gamma around its
  /// blocks are applied exactly.
  template <class Scalar>
  EvaluationResult solve_blocks(Scalar gamma, Scalar* b);

  bool has_sensitivities() const override { return !stabilization_.varying; }
  EvaluationResult linearize_sensitivities(double t, const double* y, const double* yp, const double*& a,
                                           const double*& lambda) override;
  EvaluationResult sensitivity_rhs(const double* s, const ParameterTerms& p, double* sdot) override {
    return tangent_motion(s, p, sdot, nullptr);
  }

  EvaluationResult adjoint_rhs(const double* rate, const double* lambda, double* s, ParameterTerms& p) override;
  EvaluationResult factorize_adjoint(double gamma) override;
  EvaluationResult solve_adjoint(double* b) override;

  /// s', and dlambda/dp unless `lambda` is null.
  EvaluationResult tangent_motion(const double* s, const ParameterTerms& p, double* sdot, double* lambda);

  /// s on the tangents of the constraints, G s_q + g_p = 0 and d(g', psi)/dp = 0 in all, by the shortest change in the
  /// mass metric. Only without a compliance.
  EvaluationResult project_tangent(double* s, const ParameterTerms& p);

  /// The transpose of that. In: a covector on the projected s, out: on s; adds that on the terms.
  EvaluationResult project_covector(double* s, ParameterTerms& p);

  /// lambda of the last rhs(), feedback included.
  const Eigen::VectorXd& multipliers() const { return lambda_; }

  /// Makes newton_multipliers(), gamma x_lambda of the last solve_blocks() with a gamma of this type. Where rank is
  /// lost it is the part that acts, as in multipliers(): the Newton matrix leaves the other part to its delta, and an
  /// unknown lambda would never settle.
  template <class Scalar>
  EvaluationResult make_newton_multipliers(Scalar);
  template <class Scalar>
  const VectorOf<Scalar>& newton_multipliers(Scalar type) {
    return right_hand_sides(real_, complex_, type).bottom;
  }

  bool has_feedback() const override { return true; }
  EvaluationResult with_feedback(double t, const double* q, const double* v, double* a, double* lambda) override;
  NearbySolution nearby_solution() override;
  bool last_rates(double t, const double* y, double* ydot) const override;
  FormulationFacts facts() const override;

  /// Names of dependent rows that asked for different accelerations.
  std::vector<Fact> statistics() const override { return contradictions_.facts(saddle_.system()); }

  /// Of the last evaluation.
  bool lost_rank() const { return saddle_.solver().rank() < m_; }
  LinearCounts counts() const override;
  std::string linear_solver_description() const override { return saddle_.solver().description(); }

 protected:
  /// State-dependent gains: called at every point after M, f, g, (g', psi), gamma, G are in `w`, before the rows of the
  /// constraints are formed. The Newton blocks take the gains as constants.
  virtual EvaluationResult renew_gains(double /*t*/, const double* /*q*/, const double* /*v*/, const Workspace& /*w*/,
                                       Stabilization& /*gains*/) {
    return EvaluationResult::ok;
  }

  /// Forces of the law itself, at the point of the last renew_gains(): added to f.
  virtual void add_forces(double /*t*/, const Workspace& /*w*/, Eigen::VectorXd& /*f*/) {}

  /// In: f and gamma - K_D g' - K_P g, out: v' and lambda, by the factorised saddle-point system; of their changes,
  /// too.
  virtual EvaluationResult solve_saddle(SaddlePointSystem& saddle, double* a, double* lambda) {
    return saddle.solve(a, lambda);
  }

  const SaddlePointSystem& saddle() const { return saddle_; }

  /// C of the Newton systems.
  virtual const GainMatrix& newton_compliance() const { return compliance_.C; }

 private:
  EvaluationResult accelerations(double t, const double* q, const double* v);
  EvaluationResult evaluate_tangents(double t, const double* y);
  void look_for_contradictions(const Workspace& w);
  bool constraint_forces_cancel(const Workspace& w);

  int n_;
  int m_;
  LinearSolverOptions options_;
  Stabilization stabilization_;
  Compliance compliance_;
  SaddlePointSystem saddle_;
  std::unique_ptr<NewtonBlocks> newton_;  // made at the first use: explicit methods never need it
  Eigen::VectorXd a_, lambda_;            // v' and lambda (feedback included) of the last evaluation
  Eigen::VectorXd where_;                 // (q, v) there
  double when_ = NAN;                     // t there; NaN: it failed
  long evaluations_ = 0;
  RightHandSides<double> real_;
  RightHandSides<Complex> complex_;
  Eigen::VectorXd rows_;         // scratch of tangent_motion and its transpose
  Eigen::VectorXd asked_;        // right-hand sides of the rows
  ParameterTerms no_parameter_;  // zeros
  Contradictions contradictions_;
  double gamma_ = 0.0, adjoint_gamma_ = 0.0;
  Complex complex_gamma_ = 0.0;
};

}  // namespace sunlagrange::internal
