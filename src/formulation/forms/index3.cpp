// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/parts/plain_multiplier_form.hpp"
#include "linear_algebra/vector_map.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// True without rows of positions: then the equations are those of index2, and the error test can contain v.
bool sees_velocities(const MechanicalSystem& system) {
  return system.num_position_constraints() == 0;
}

/// Errors of q below this times max |q| may be rounding of q, at which Newton's iteration ends.
constexpr double near_rounding = 1e-13;

class Index3 final : public PlainMultiplierForm {
 public:
  explicit Index3(const FormulationInput& input)
      : PlainMultiplierForm(input, input.system->num_position_constraints(),
                            (sees_velocities(*input.system) ? 2 : 1) * input.system->num_positions()) {
    if (sees_velocities(*system_)) return;
    dae().algebraic = {"v", "lambda"};
    dae().error_weights = "q: rtol, atol, with IDA at most h x those of v; v: h x that; lambda: h^2 through M^-1 G^T";
  }

  /// The error test does not contain v: errors of q, divided by h, have to stay within its tolerance.
  EvaluationResult multistep_weights(double h, const double* y, double* weight) override {
    limits_differences_ = true;
    const EvaluationResult result = weights(h, y, weight);
    limits_differences_ = false;
    return result;
  }

  /// An iteration has a time of its own, or a new Newton matrix: its first correction has no other before it.
  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override {
    if (t != time_of_iteration_) last_correction_ = no_correction;
    time_of_iteration_ = t;
    return PlainMultiplierForm::residual(t, y, yp, r);
  }

  EvaluationResult linearize_newton(double t, const double* y, const double* yp) override {
    largest_position_ = size_of(y);
    last_correction_ = no_correction;
    return PlainMultiplierForm::linearize_newton(t, y, yp);
  }

  /// A correction at which Newton has stalled becomes zero, which ends the iteration.
  EvaluationResult complete_correction(double* b) override {
    if (!stalled(b)) return PlainMultiplierForm::complete_correction(b);
    as_vector(b, size()).setZero();
    return EvaluationResult::ok;
  }

 private:
  /// True if Newton has stalled because y cannot do better. g = 0 is met to the rounding of q; divided by h in v and by
  /// h^2 in lambda, the remaining corrections look like slow convergence, and a shorter step would enlarge them.
  bool stalled(const double* x_q) {
    if (sees_velocities(*system_)) return false;
    const double now = size_of(x_q);
    const double before = last_correction_;
    last_correction_ = now;
    return now > 0.0 && now <= near_rounding * largest_position_ && now >= 0.5 * before;
  }

  double size_of(const double* x) const { return natural_size(*system_, as_vector(x, n_)); }

  void compute_weights(const Workspace& w, double h, const double* y, double* weight) override {
    if (sees_velocities(*system_)) return PlainMultiplierForm::compute_weights(w, h, y, weight);
    weights_.positions(y, weight);
    if (limits_differences_) limit_differences(h, y, weight);
    v(weight) = h * q(weight);
    weights_.multipliers(w, weight, h * h, 0, m_g_, lambda(weight).data());
    weights_.multipliers(w, weight, h, m_g_, m_, lambda(weight).data() + m_g_);
  }

  /// Allows q errors of at most h times the tolerance of v, as far as q has digits for them.
  void limit_differences(double h, const double* y, double* weight) {
    const double rounding = near_rounding * std::max(size_of(y), weights_.scales().position);
    weights_.velocities(y + n_, v(weight).data());
    const Eigen::VectorXd& scales = system_->natural_scales();
    for (int i = 0; i < n_; ++i) {
      const double of_difference = std::max(h / weight[n_ + i], rounding * scales[i]);
      weight[i] = std::max(weight[i], 1.0 / of_difference);
    }
  }

  static constexpr double no_correction = std::numeric_limits<double>::infinity();

  bool limits_differences_ = false;
  double largest_position_ = 0.0;           // natural_size() of q at the last Jacobian
  double time_of_iteration_ = NAN;          // of the last residual
  double last_correction_ = no_correction;  // natural_size() of the last x_q of this iteration
};

}  // namespace

/// Index-3 form, the equations as they are written in [HairerWanner1996, chapter VII.1]: y = (q, v, lambda),
///
///     q' - v = 0,     M v' + G^T lambda - f = 0,     g = 0,  psi = 0.
///
/// With the defaults of IDA it stops in the first step. With masks, weights scaled by h, a Newton test that ends at
/// rounding level, and a suitable first step it runs at every tolerance. IDA keeps errors of q within h times the
/// tolerance of v, which costs two to three times the steps; radau does not control v. lambda of the integrator
/// contains noise of O(1/h^2): reports compute lambda from (t, q, v). Systems with rows of velocities only are
/// integrated as by `index2`. When to use: constraints on the position level far below the tolerance, stiff forces.
/// When not: for accurate velocities and energy (use `ggl`).
FormulationEntry make_index3() {
  FormulationEntry entry;
  entry.unknowns = "2n + m";
  entry.when = "for comparison, stiff forces";
  entry.when_not = "accurate velocities, energy";
  entry.references = "[HairerWanner1996] [BrenanCampbellPetzold1996]";
  entry.accuracy.positions = ConstraintAccuracy::to_tolerance;
  entry.accuracy.velocities_controlled = false;
  entry.make = [](const FormulationInput& in) { return Index3(in); };
  return entry;
}

}  // namespace sunlagrange::internal
