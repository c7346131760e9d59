#pragma once

#include <memory>
#include <vector>

#include "integrators/radau_tableau.hpp"
#include "integrators/stage_equations.hpp"

namespace sunlagrange::internal {

struct RadauOptions {
  double tolerance = 1e-6;         ///< rtol, or atol without one: the estimate of order 3 is measured in a power of it
  double initial_step = 1e-3;      ///< [s]
  double fixed_step = 0.0;         ///< [s]; 0: adaptive
  double max_step = 0.0;           ///< [s]; 0: no limit
  double newton_tolerance = 1e-3;  ///< of an iteration, in tolerances of the error estimate
  int max_iterations = 7;
};

/// The usual one [HairerWanner1996, IV.8]: tighter where the tolerance is.
double radau_newton_tolerance(double tolerance);

struct RadauCounts {
  long steps = 0;
  long error_test_failures = 0;
  long newton_failures = 0;  ///< steps tried again because Newton's iteration or an evaluation failed
  long newton_iterations = 0;
};

/// Radau IIA of order 5 for F(t, y, y') = 0 with step control [HairerWanner1996, IV.8]:
///
/// - simplified Newton iteration for the three stages, transformed to a real and a complex system; matrices are kept
///   while it converges fast, factors while the step size stays. It starts from the polynomial of the last step, and
///   ends by the estimated rate of convergence. After one iteration q' = v holds: its residuals are zero then, and left
///   out.
/// - the error is (dF/dy + gamma/h dF/dy')^-1 F(t_0, y_0, .), the embedded formula of order 3 filtered by the real
///   matrix; a second filtering after failures. As the estimate is of order h^4 and the method of order h^6, it may be
///   as large as 0.1 tol^(2/3): then the error of the step is about the tolerance.
/// - unknowns of index 2 count times h, those of index 3 times h^2 [HairerLubichRoche1989], as in the error weights of
///   the formulations. What the error test leaves out does not count in Newton's iteration either, but in index 3.
/// - step sizes by the predictive controller of Gustafsson.
class Radau {
 public:
  enum class Failure { none, newton, error_test, evaluation };

  Radau(StageEquations& equations, double t, std::vector<double> y, std::vector<double> yp,
        const RadauOptions& options);

  /// One accepted step, not past t_end. False: the step size fell to nothing; failure() says why.
  bool step(double t_end);

  /// Goes back to the begin of the last step and takes another one of size h <= the last, without error test. False: it
  /// failed, and the last step stands.
  bool repeat_until(double t);

  /// Moves the end of the last step to a time near to it, along its polynomial.
  void end_at(double t);

  /// Forgets what is known of earlier steps, except for their size: y has been changed from outside.
  void restart();

  double time() const { return t_; }
  double begin_of_last() const { return t_before_; }  ///< where the last step began
  Failure failure() const { return failure_; }
  double* y() { return y_.data(); }
  const double* yp() const { return yp_.data(); }

  /// The collocation polynomial of the last step, or its derivative; t may be a little outside.
  void interpolate(double t, double* y) const;
  void interpolate_slope(double t, double* yp) const;

  const RadauCounts& counts() const { return counts_; }

 private:
  using Vector = Eigen::VectorXd;
  enum class Newton { converged, slow, diverged, declined };

  bool prepare_matrices();
  void start_values();
  Newton iterate();
  EvaluationResult evaluate_stages(Eigen::Index first);
  EvaluationResult correct(Eigen::Index first);
  EvaluationResult size_of_corrections(double& size);
  EvaluationResult estimate(double& error);
  void accept(double error);
  Failure attempt(double& error);
  double norm(const Vector& x) const;
  void set_step(double h);
  void begin_step();
  void renew_weights();
  double next_step(double error) const;

  StageEquations& equations_;
  const RadauTableau& tableau_ = radau_tableau();
  RadauOptions options_;
  Eigen::Index size_, integrated_;
  double scale_;  // tolerance over that of the error estimate
  double t_, t_end_ = 0.0;
  Vector y_, yp_;          // at t_
  double h_;               // of the next step
  double t_before_ = 0.0;  // begin of the last accepted step
  double h_before_ = 0.0;  // size of the step that is tried
  Vector y_before_, yp_before_;
  RadauTableau::Numbers<Vector> z_, last_z_, stage_, delta_;  // stage_: y_0 + Z_i
  Vector shift_;                                              // of the end of the last step by a projection
  bool extrapolates_ = false;

  Vector weight_, tested_, counted_, exponent_, scaled_;  // weights at h = 1, masks, powers of h, weights at h_
  Vector rate_of_stage_, real_, error_, residual_;
  VectorOf<Complex> complex_;
  double c_ = 0.0;  // of the real factors
  Complex c_mu_ = 0.0;
  bool jacobian_current_ = false;  // evaluated at t_
  bool jacobian_wanted_ = true, factors_wanted_ = true;
  bool began_ = false;
  double rate_ = 1.0;  // of convergence of the last iteration
  double eta_ = 1.0;
  int iterations_ = 0;
  double hinted_ = 0.5;  // step factor after a failed iteration
  bool first_ = true, rejected_ = false;
  double accepted_h_ = 0.0, accepted_error_ = 1.0;
  Failure failure_ = Failure::none;
  RadauCounts counts_;
};

}  // namespace sunlagrange::internal
