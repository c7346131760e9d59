// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <sunlagrange/base/butcher_table.hpp>

#include "linear_algebra/decompositions.hpp"
#include "simulation/checks/check.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by excess_energy_runs_test.
struct UnstableGainsThresholds {
  double changed_entry = 1e-2;  ///< relative change of an entry of A after which its eigenvalues are computed again
  double growth = 1.0;          ///< of the constraint error, as a logarithm
  double reach = 1.0;           ///< step x rate of the gains, over the reach of the stability region
};
constexpr UnstableGainsThresholds unstable_gains_threshold;

/// Checks how far the law e' = A(t, q, v) e of the constraint error lets it grow, where that law changes along the
/// motion. The figure is the largest sum, over any part of a segment, of what the accepted steps do to the mode that
/// grows most: with the eigenvalues mu of A,
///
///     h max Re mu,     fixed steps of an explicit method: max ln |R(h mu)|,
///
/// the mean of both ends of each step. Steps that take the error back count against those that feed it, so that a law
/// whose rate grows and shrinks is not blamed. Frozen eigenvalues are exact for laws of one row without K_P, and an
/// approximation where A turns little while the error swings once; parametric resonance is not seen. Constant gains are
/// judged by the advice at the start.
class UnstableGains final : public Check {
 public:
  explicit UnstableGains(ObservedRun& run) : run_(run) {
    if (const ButcherTable* table = fixed_step_table(run.options)) R_ = table->stability_coefficients();
  }

  void begin_segment(IntegratorStepper& stepper, const double* q, const double* v) override {
    sum_ = 0.0;
    A_of_eigenvalues_.resize(0, 0);
    varies_ = update_eigenvalues(stepper, q, v) && !mu_.empty();
  }

  void observe(const AcceptedStep& step) override {
    if (!varies_ || step.stepper == nullptr) return;
    Report& report = run_.report;
    const PathSample& now = run_.path.newest();
    const double before = exponent(step.length);
    if (!update_eigenvalues(*step.stepper, now.q.data(), now.v.data())) return;
    sum_ = std::max(0.0, sum_ + 0.5 * (before + exponent(step.length)));
    if (std::isnan(report.error_growth)) report.error_growth = 0.0;
    if (!(sum_ > report.error_growth)) return;
    report.error_growth = sum_;
    report.t_error_growth = step.stepper->time();
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    const std::string& integrator = expected.used.integrator;
    if (!expected.law_varies()) {
      const auto& advice = r.used.advice;
      if (!expected.fixed_step || !advice || !(advice->stability_margin > 0.0)) return;
      doubts.add_if_above(DoubtKind::unstable_gains, 1.0 / advice->stability_margin, unstable_gains_threshold.reach,
                          "step x rate of the gains is " + text(advice->step_rate) +
                              ", outside the stability region of " + integrator +
                              ", in units of its reach: " + expected.remedy(expected.promised.positions));
      return;
    }
    const bool program = !expected.system.motion_law().has_forces;
    doubts.add_if_above(DoubtKind::unstable_gains, r.error_growth, unstable_gains_threshold.growth,
                        std::string(program ? "the feedback of the model feeds the constraint error"
                                            : "the law of the constraint error feeds it") +
                            (expected.fixed_step ? ", as " + integrator + " follows it" : "") +
                            " up to t = " + text(r.t_error_growth) +
                            ", logarithm of its growth: " + (expected.fixed_step ? "shorten the step, or " : "") +
                            (program ? "check the sign of the feedback" : "raise the dissipation c"));
  }

 private:
  /// Returns false if there is no law, or one that is not finite here.
  bool update_eigenvalues(IntegratorStepper& stepper, const double* q, const double* v) {
    if (!stepper.error_matrix(q, v, A_) || !A_.allFinite()) return false;
    const auto unchanged = [this] {
      return ((A_ - A_of_eigenvalues_).array().abs() <=
              unstable_gains_threshold.changed_entry * A_of_eigenvalues_.array().abs())
          .all();
    };
    if (A_.rows() == A_of_eigenvalues_.rows() && unchanged()) return true;
    A_of_eigenvalues_ = A_;
    const Eigen::VectorXcd values = eigenvalues(A_);
    mu_.assign(values.data(), values.data() + values.size());
    return true;
  }

  /// Returns the growth in a step h with the law that was evaluated last, as a logarithm.
  double exponent(double h) const {
    double largest = -std::numeric_limits<double>::infinity();
    for (const std::complex<double>& mu : mu_) {
      if (R_.empty()) {
        largest = std::max(largest, h * mu.real());
        continue;
      }
      std::complex<double> R = 0.0;
      for (auto r = R_.rbegin(); r != R_.rend(); ++r) R = *r + h * mu * R;
      largest = std::max(largest, std::log(std::abs(R)));
    }
    return largest;
  }

  ObservedRun& run_;
  std::vector<double> R_;  // coefficients of the stability function of fixed steps; empty: the steps are chosen
  Eigen::MatrixXd A_, A_of_eigenvalues_;
  std::vector<std::complex<double>> mu_;
  bool varies_ = false;
  double sum_ = 0.0;  // of the part of the run that ends here
};

}  // namespace

std::unique_ptr<Check> make_unstable_gains(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<UnstableGains>(run);
}

}  // namespace sunlagrange::internal
