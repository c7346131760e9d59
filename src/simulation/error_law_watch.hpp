#pragma once

#include <complex>
#include <vector>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/results/report.hpp>

#include "integrators/stepper.hpp"

namespace sunlagrange::internal {

/// How far the law e' = A(t, q, v) e of the constraint error lets it grow, where that law changes along the motion:
/// the largest sum, over any stretch of the run, of what the accepted steps do to the mode that grows most,
///
///     h max Re mu,     fixed steps of an explicit method: max ln |R(h mu)|,     mu eigenvalues of A,
///
/// the mean of both ends of each step. Steps that take the error back count against those that feed it, so that a law
/// whose m grows and shrinks is not blamed. Frozen eigenvalues: exact for laws of one row without k, an approximation
/// where A turns little while the error swings once; parametric resonance is not seen.
class ErrorLawWatch {
 public:
  /// @param table  of fixed steps; null: the steps are chosen
  explicit ErrorLawWatch(const ButcherTable* table) {
    if (table != nullptr) R_ = table->stability_coefficients();
  }

  /// Where a stretch with a law of its own begins. Laws of constant gains are left out: advice has judged them.
  void begin(IntegratorStepper& stepper, const double* q, const double* v);

  /// After every accepted step of length h.
  void accept(IntegratorStepper& stepper, double h, const double* q, const double* v, Report& report);

 private:
  bool look(IntegratorStepper& stepper, const double* q, const double* v);
  double exponent(double h) const;

  std::vector<double> R_;
  Eigen::MatrixXd A_, seen_;
  std::vector<std::complex<double>> mu_;  // where it was looked at last
  bool varies_ = false;
  double sum_ = 0.0;  // of the stretch that ends here
};

}  // namespace sunlagrange::internal
