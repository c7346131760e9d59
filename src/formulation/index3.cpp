#include <algorithm>
#include <cmath>

#include "formulation/formulation.hpp"
#include "formulation/newton_blocks.hpp"
#include "formulation/time_scale.hpp"
#include "linear_solver/pattern_products.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {
namespace {

/// y = (q, v, lambda);   q' - v = 0,   M v' + G^T lambda - f = 0,   g = 0 (psi = 0).
class Index3 final : public DaeFormulation {
 public:
  explicit Index3(const FormulationInput& input)
      : n_(input.system->num_positions()),
        m_(input.system->num_constraints()),
        m_g_(input.system->num_position_constraints()),
        rtol_(input.rtol),
        atol_(input.atol),
        system_(input.system),
        options_(resolve_linear_solver(input.linear_solver, n_, m_)),
        workspace_(system_->make_workspace(storage_of(options_))),
        newton_(*workspace_, options_, nullptr, GainMatrix{}),
        top_(static_cast<std::size_t>(n_)),
        bottom_(static_cast<std::size_t>(m_)),
        lumped_mass_(static_cast<std::size_t>(n_)),
        row_sum_(static_cast<std::size_t>(m_)) {
    time_ = input.start.t;
    const Scales scales = characteristic_scales(input.start, input.t_span);
    settings_.suppress_algebraic = true;
    settings_.nonlinear_coefficient = std::max(1e-6, std::min(1e-3, 1e-15 * scales.position / atol_));
    settings_.max_nonlinear_iterations = 8;
    settings_.initial_step = initial_step(input.start, scales, input.t_span);
  }

  int size() const override { return 2 * n_ + m_; }

  void pack(const MotionState& state, double* y, double* yp) const override {
    std::copy(state.q.data(), state.q.data() + n_, y);
    std::copy(state.v.data(), state.v.data() + n_, y + n_);
    std::copy(state.lambda.data(), state.lambda.data() + m_, y + 2 * n_);
    if (yp == nullptr) return;
    std::copy(state.v.data(), state.v.data() + n_, yp);
    std::copy(state.a.data(), state.a.data() + n_, yp + n_);
    std::fill(yp + 2 * n_, yp + size(), 0.0);
  }

  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override {
    time_ = t;
    if (!system_->evaluate(request::mass | request::force | request::jacobian, {t, y, y + n_, nullptr, nullptr},
                           *workspace_)) {
      return failures.count(EvaluationResult::declined);
    }
    const Workspace& w = *workspace_;
    for (int i = 0; i < n_; ++i) {
      r[i] = yp[i] - y[n_ + i];
      r[n_ + i] = -w.force[static_cast<std::size_t>(i)];
    }
    add_product(w.patterns->mass, w.mass, yp + n_, r + n_);
    add_transposed_product(w.patterns->jacobian, w.jacobian, y + 2 * n_, r + n_);
    for (int i = 0; i < m_; ++i) {
      r[2 * n_ + i] = i < m_g_ ? w.position[static_cast<std::size_t>(i)] : w.velocity[static_cast<std::size_t>(i)];
    }
    for (int i = 0; i < size(); ++i) {
      if (!std::isfinite(r[i])) return failures.count(EvaluationResult::not_finite);
    }
    return EvaluationResult::ok;
  }

  EvaluationResult factorize_newton(double t, const double* y, const double* yp, double c) override {
    Workspace& w = *workspace_;
    if (!system_->evaluate(request::acceleration_level | request::tangent, {t, y, y + n_, yp + n_, y + 2 * n_}, w)) {
      return failures.count(EvaluationResult::declined);
    }
    h_ = 1.0 / c;
    newton_.store(w);
    newton_.constraint_rows(h_, m_g_);
    return failures.count(from_linear(newton_.factorize(h_)));
  }

  /// Eliminating x_q = h (x_v + b_q) leaves, in the unknowns (x_v, h x_lambda),
  ///     top = h b_v - h^2 r_q b_q,     bottom = b_g / h - G b_q   (psi rows: b_psi - h psi_q b_q).
  EvaluationResult solve_newton(double* b) override {
    double* b_q = b;
    double* b_v = b + n_;
    double* b_rows = b + 2 * n_;
    for (int i = 0; i < n_; ++i) top_[static_cast<std::size_t>(i)] = h_ * b_v[i];
    newton_.add_residual_q_times(-h_ * h_, b_q, top_.data());
    for (int i = 0; i < m_; ++i) bottom_[static_cast<std::size_t>(i)] = i < m_g_ ? b_rows[i] / h_ : b_rows[i];
    newton_.add_constraint_q_times(-1.0, h_, m_g_, b_q, bottom_.data());
    const EvaluationResult result = from_linear(newton_.solve(top_.data(), bottom_.data()));
    if (result != EvaluationResult::ok) return failures.count(result);
    for (int i = 0; i < n_; ++i) {
      const double x_v = top_[static_cast<std::size_t>(i)];
      b_q[i] = h_ * (x_v + b_q[i]);
      b_v[i] = x_v;
    }
    for (int i = 0; i < m_; ++i) b_rows[i] = bottom_[static_cast<std::size_t>(i)] / h_;
    return result;
  }

  void ids(double* id) const override {
    std::fill(id, id + n_, 1.0);
    std::fill(id + n_, id + size(), 0.0);
  }

  /// q as the user asked, v weighted by h, lambda by h^2 through B = M^-1 G^T (M lumped): an error in v or lambda
  /// counts for the change of q that it causes in one step. Mask for the error test, these weights for the Newton test.
  EvaluationResult weights(double h, const double* y, double* weight) override {
    if (h <= 0.0) h = settings_.initial_step;
    Workspace& w = *workspace_;
    if (!system_->evaluate(request::mass | request::constraint | request::jacobian,
                           {time_, y, y + n_, nullptr, nullptr}, w)) {
      return EvaluationResult::declined;
    }
    for (int i = 0; i < n_; ++i) {
      weight[i] = 1.0 / (rtol_ * std::abs(y[i]) + atol_);
      weight[n_ + i] = h * weight[i];
      lumped_mass_[static_cast<std::size_t>(i)] = w.mass[static_cast<std::size_t>(w.patterns->mass.slot(i, i))];
    }
    std::fill(row_sum_.begin(), row_sum_.end(), 0.0);
    const SparsePattern& G = w.patterns->jacobian;
    for (int j = 0; j < n_; ++j) {
      const double mass = lumped_mass_[static_cast<std::size_t>(j)];
      if (!(mass > 0.0)) continue;
      for (int k = G.column_start[static_cast<std::size_t>(j)]; k < G.column_start[static_cast<std::size_t>(j) + 1];
           ++k) {
        const double entry = weight[j] * w.jacobian[static_cast<std::size_t>(k)] / mass;
        row_sum_[static_cast<std::size_t>(G.row_index[static_cast<std::size_t>(k)])] += entry * entry;
      }
    }
    for (int i = 0; i < m_; ++i) {
      const double power = i < m_g_ ? h * h : h;
      const double rms = std::sqrt(row_sum_[static_cast<std::size_t>(i)] / n_);
      weight[2 * n_ + i] = power * (rms > 0.0 ? rms : 1.0 / atol_);
    }
    return EvaluationResult::ok;
  }

  DaeSettings dae_settings() const override { return settings_; }

  Settings settings() const override {
    return {{"ids", "", "q differential; v, lambda masked in the error test"},
            {"error weights", "", "q: rtol, atol; v: h x that; lambda: h^2 through M^-1 G^T"},
            {"nonlinear coefficient", "", text(settings_.nonlinear_coefficient)},
            {"nonlinear iterations", "", std::to_string(settings_.max_nonlinear_iterations)},
            {"initial step", "", text(settings_.initial_step)}};
  }
  LinearCounts counts() const override { return newton_.solver().counts(); }
  std::string linear_solver_description() const override { return newton_.solver().description(); }

 private:
  /// The step whose second-order term in q is 0.005 of the tolerance; IDA's own choice dies on rounding.
  double initial_step(const MotionState& start, const Scales& scales, double t_span) const {
    double sum = 0.0;
    for (int i = 0; i < n_; ++i) {
      const double x = start.a[i] / (rtol_ * std::abs(start.q[i]) + atol_);
      sum += x * x;
    }
    const double h = sum > 0.0 ? 0.1 / std::sqrt(std::sqrt(sum / n_)) : 1e-3 * scales.time;
    return std::min(h, 1e-3 * (t_span > 0.0 ? t_span : scales.time));
  }

  int n_, m_, m_g_;
  double rtol_, atol_;
  double h_ = 0.0;
  double time_ = 0.0;  // of the last residual: IDA's weight function gets no time
  std::shared_ptr<const MechanicalSystem> system_;
  LinearSolverOptions options_;
  std::unique_ptr<Workspace> workspace_;
  NewtonBlocks newton_;
  std::vector<double> top_, bottom_, lumped_mass_, row_sum_;
  DaeSettings settings_;
};

}  // namespace

/// Index-3 form, the equations as they are written in [HairerWanner1996, chapter VII.1]. IDA as shipped stops in its
/// first step; with masks, h-scaled weights, a tight Newton test and a sensible first step it runs at every tolerance.
/// lambda of the integrator carries O(1/h^2) noise: reports recompute it from (t, q, v).
/// When to use: constraints on the position level to rounding, stiff forces. When not: for accurate velocities and
/// energy at loose tolerances (v is not error-controlled).
FormulationEntry make_index3() {
  FormulationEntry entry;
  entry.references = "[HairerWanner1996] [BrenanCampbellPetzold1996]";
  entry.make_dae = [](const FormulationInput& input) -> std::unique_ptr<DaeFormulation> {
    return std::make_unique<Index3>(input);
  };
  return entry;
}

}  // namespace sunlagrange
