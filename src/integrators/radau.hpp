// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "integrators/radau_tableau.hpp"
#include "integrators/stage_equations.hpp"

namespace sunlagrange::internal {

struct RadauOptions {
  double tolerance = 1e-6;  ///< rtol, or atol if rtol = 0; the error estimate of order 3 is compared with a power of it
  double initial_step = 1e-3;      ///< [s]
  double fixed_step = 0.0;         ///< [s]; 0: adaptive
  double max_step = 0.0;           ///< [s]; 0: no limit
  double newton_tolerance = 1e-3;  ///< error of the iteration, in tolerances of the error estimate
  int max_iterations = 7;
};

/// Returns the usual newton_tolerance [HairerWanner1996, IV.8], which decreases with the tolerance.
double radau_newton_tolerance(double tolerance);

struct RadauCounts {
  long steps = 0;
  long error_test_failures = 0;
  long newton_failures = 0;  ///< steps tried again because Newton's iteration or an evaluation failed
  long newton_iterations = 0;
};

/// Radau IIA of order 5 for F(t, y, y') = 0 with step control [HairerWanner1996, IV.8]:
///
/// - Simplified Newton iteration for the three stages, transformed to a real and a complex system. Matrices are kept
///   while it converges fast, factors while the step size stays. It starts from the polynomial of the last step, and
///   ends by the estimated rate of convergence. After one iteration q' = v holds, so that its residuals, which are
///   zero, are not computed any more.
/// - The error is (dF/dy + gamma/h dF/dy')^-1 F(t_0, y_0, .), the embedded formula of order 3 filtered by the real
///   matrix, after failures twice. As the estimate is of order h^4 and the method of order h^6, it may be
///   as large as 0.1 tol^(2/3): then the error of the step is about the tolerance.
/// - Unknowns of index 2 count times h, those of index 3 times h^2 [HairerLubichRoche1989], as in the error weights of
///   the formulations. Unknowns outside the error test do not count in Newton's iteration either, except in index 3.
/// - Step sizes by the predictive controller of Gustafsson.
class Radau {
 public:
  enum class Failure { none, newton, error_test, evaluation };

  Radau(StageEquations& equations, double t, std::vector<double> y, std::vector<double> yp,
        const RadauOptions& options);

  /// Takes one accepted step, not past t_end. False: the step size fell to nothing, for the reason failure().
  bool step(double t_end);

  /// Replaces the last step by a shorter one that ends at t, without error test. False: it failed, and the last step
  /// stays.
  bool repeat_until(double t);

  /// Moves the end of the last step to a time near to it, by its polynomial.
  void end_at(double t);

  /// Discards the polynomial and the matrices after a change of y from outside; the step size stays.
  void restart();

  /// Sets RadauOptions::max_step.
  void limit_steps(double longest) { options_.max_step = longest; }

  double time() const { return t_; }
  double begin_of_last() const { return last_.t; }  ///< where the last step began
  Failure failure() const { return failure_; }
  double* y() { return y_.data(); }
  const double* yp() const { return yp_.data(); }

  /// Evaluates the collocation polynomial of the last step, or its derivative; t may be a little outside.
  void interpolate(double t, double* y) const;
  void interpolate_slope(double t, double* yp) const;

  const RadauCounts& counts() const { return counts_; }

 private:
  using Vector = Eigen::VectorXd;
  using Stages = RadauTableau::Numbers<Vector>;
  enum class Newton { converged, slow, diverged, declined };

  /// The weighted RMS norm in which errors and corrections are measured.
  struct Norm {
    double scale = 1.0;  ///< rtol over the tolerance of the error estimate
    Vector weight;       ///< error weights at h = 1
    Vector exponent;     ///< powers of h in the weights: index of the unknown less one
    Vector tested;       ///< 1 for unknowns in the error test, else 0
    Vector counted;      ///< 1 for unknowns that count in Newton's iteration, else 0
    Vector scaled;       ///< weights at the present step size, zero where an unknown does not count

    void set_step(double h);
    double operator()(const Vector& x) const;
  };

  /// The last accepted step: its collocation polynomial, and the state to which repeat_until() returns.
  struct LastStep {
    double t = 0.0;             ///< where it began
    double h = 0.0;             ///< its size
    Vector y, yp;               ///< where it began
    Stages z;                   ///< increments of the stages
    bool extrapolates = false;  ///< the polynomial gives start values for the next step
  };

  /// The Newton matrices dF/dy + c dF/dy' that are factorised, and what has to be renewed.
  struct Matrices {
    double c = 0.0;  ///< coefficient of the real matrix
    Complex c_mu = 0.0;
    bool current = false;   ///< linearised at t_
    bool linearize = true;  ///< before the next iteration
    bool factorize = true;
  };

  struct Iteration {
    double rate = 1.0;  ///< rate of convergence of the last iteration
    double eta = 1.0;   ///< rate / (1 - rate)
    int iterations = 0;
    double step_factor = 0.5;  ///< factor of the next attempt after a failure
  };

  /// Memory of the step size controller.
  struct Control {
    bool first = true;      ///< no step was accepted yet
    bool rejected = false;  ///< the present step was tried before
    double error = 1.0;     ///< error of the last accepted step
  };

  bool prepare_matrices();
  void start_values();
  Newton iterate();
  EvaluationResult evaluate_stages(Eigen::Index first);
  EvaluationResult correct(Eigen::Index first);
  EvaluationResult size_of_corrections(double& size);
  EvaluationResult keep_least_norm();
  EvaluationResult estimate(double& error);
  void accept(double error);
  Failure attempt(double& error);
  void begin_step();
  void renew_weights();
  double next_step(double error) const;

  StageEquations& equations_;
  const RadauTableau& tableau_ = radau_tableau();
  RadauOptions options_;
  Eigen::Index size_, integrated_;  // unknowns, leading rows q' = v
  Norm norm_;
  LastStep last_;
  Matrices matrices_;
  Iteration newton_;
  Control control_;

  double t_, t_end_ = 0.0;  // begin and end of the present step
  Vector y_, yp_;           // at t_
  double h_next_;           // size of the next step
  double h_tried_ = 0.0;    // size of the present step
  bool began_ = false;      // equations_.begin_step() has succeeded at t_

  Stages z_, stage_, delta_;  // increments, y_0 + Z_i, corrections
  Vector shift_;              // of the end of the step by a projection
  Vector rate_of_stage_, real_, error_, residual_;
  VectorOf<Complex> complex_;

  Failure failure_ = Failure::none;
  RadauCounts counts_;
};

}  // namespace sunlagrange::internal
