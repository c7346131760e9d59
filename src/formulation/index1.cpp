#include <algorithm>
#include <cmath>

#include "formulation/compliance.hpp"
#include "formulation/dae_weights.hpp"
#include "formulation/multiplier_gauge.hpp"
#include "formulation/newton_blocks.hpp"
#include "linear_solver/pattern_products.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {
namespace {

class Index1 final : public DaeFormulation {
 public:
  Index1(const FormulationInput& input, Stabilization stabilization, GainMatrix compliance, Settings settings)
      : DaeFormulation(input.system->num_positions()),
        n_(input.system->num_positions()),
        m_(input.system->num_constraints()),
        options_(resolve_linear_solver(input.linear_solver, n_, m_)),
        stabilization_(std::move(stabilization)),
        compliance_(std::move(compliance)),
        saddle_(input.system, options_),
        newton_(saddle_.workspace(), options_, &stabilization_, compliance_),
        weights_(input),
        gauge_(input, options_),
        multipliers_(static_cast<std::size_t>(m_)),
        top_(static_cast<std::size_t>(n_)),
        bottom_(static_cast<std::size_t>(m_)),
        zero_(static_cast<std::size_t>(n_)),
        settings_(std::move(settings)) {
    dae_settings_.suppress_algebraic = true;
    dae_settings_.nonlinear_coefficient = 1e-3;
    dae_settings_.max_nonlinear_iterations = 8;
    dae_settings_.initial_step = weights_.initial_step();
    settings_.push_back({"ids", "", "lambda masked in the error test"});
    settings_.push_back({"error weights", "", "q: rtol, atol; v: rtol, atol / T; lambda: h through M^-1 G^T"});
    settings_.push_back({"time scale T", "", text(weights_.scales().time)});
    settings_.push_back({"nonlinear coefficient", "", text(dae_settings_.nonlinear_coefficient)});
    settings_.push_back({"nonlinear iterations", "", std::to_string(dae_settings_.max_nonlinear_iterations)});
    settings_.push_back({"initial step", "", text(dae_settings_.initial_step)});
    if (gauge_.active())
      settings_.push_back({"redundant multipliers", "", "kept at least norm in every Newton iteration"});
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
    Workspace& w = saddle_.workspace();
    if (!saddle_.system().evaluate(request::acceleration_level, {t, y, y + n_, nullptr, nullptr}, w)) {
      return failures.count(EvaluationResult::declined);
    }
    const double* lambda = y + 2 * n_;
    std::copy(lambda, lambda + m_, multipliers_.begin());
    double* rows = r + 2 * n_;
    for (int i = 0; i < n_; ++i) {
      r[i] = yp[i] - y[n_ + i];
      r[n_ + i] = -w.force[static_cast<std::size_t>(i)];
    }
    add_product(w.patterns->mass, w.mass, yp + n_, r + n_);
    add_transposed_product(w.patterns->jacobian, w.jacobian, lambda, r + n_);
    stabilization_.right_hand_side(w, rows);
    for (int i = 0; i < m_; ++i) rows[i] = -rows[i];
    add_product(w.patterns->jacobian, w.jacobian, yp + n_, rows);
    subtract_compliance(lambda, rows);
    for (int i = 0; i < size(); ++i) {
      if (!std::isfinite(r[i])) return failures.count(EvaluationResult::not_finite);
    }
    return EvaluationResult::ok;
  }

  EvaluationResult factorize_newton(double t, const double* y, const double* yp, double c) override {
    Workspace& w = saddle_.workspace();
    if (!saddle_.system().evaluate(request::acceleration_level | request::tangent, {t, y, y + n_, yp + n_, y + 2 * n_},
                                   w)) {
      return failures.count(EvaluationResult::declined);
    }
    h_ = 1.0 / c;
    if (gauge_.active()) {
      const EvaluationResult result = gauge_.update(t, y, y + n_);
      if (result != EvaluationResult::ok) return failures.count(result);
    }
    newton_.store(w);
    newton_.acceleration_rows(h_, stabilization_);
    return failures.count(from_linear(newton_.factorize(h_)));
  }

  /// Eliminating x_q = h (x_v + b_q) leaves, in the unknowns (x_v, h x_lambda),
  ///     top = h b_v - h^2 r_q b_q,     bottom = h b_rows - h^2 s_q b_q.
  EvaluationResult solve_newton(double c, double* b) override {
    h_ = 1.0 / c;
    double* b_q = b;
    double* b_v = b + n_;
    double* b_rows = b + 2 * n_;
    for (int i = 0; i < n_; ++i) {
      top_[static_cast<std::size_t>(i)] = h_ * b_v[i];
      b_q[i] *= h_;
    }
    for (int i = 0; i < m_; ++i) bottom_[static_cast<std::size_t>(i)] = h_ * b_rows[i];
    newton_.add_residual_q_times(-h_, b_q, top_.data());
    newton_.add_stabilized_rows_times(h_, zero_.data(), b_q, stabilization_, bottom_.data());
    const EvaluationResult result = from_linear(newton_.solve(top_.data(), bottom_.data()));
    if (result != EvaluationResult::ok) return failures.count(result);
    for (int i = 0; i < n_; ++i) {
      const double x_v = top_[static_cast<std::size_t>(i)];
      b_q[i] += h_ * x_v;
      b_v[i] = x_v;
    }
    for (int i = 0; i < m_; ++i) b_rows[i] = bottom_[static_cast<std::size_t>(i)] / h_;
    return gauge_.active() ? failures.count(gauge_.correct(multipliers_.data(), b_rows, m_)) : result;
  }

  bool has_feedback() const override { return true; }

  EvaluationResult with_feedback(double t, const double* q, const double* v, double* a, double* lambda) override {
    if (feedback_ == nullptr) {  // asked for by reactions only, never by the integrator
      feedback_ = std::make_unique<SaddlePointSystem>(saddle_.shared_system(), options_, compliance_);
    }
    const EvaluationResult result = feedback_->factorize(t, q, v);
    if (result != EvaluationResult::ok) return result;
    const Workspace& w = feedback_->workspace();
    std::copy(w.force.begin(), w.force.end(), a);
    stabilization_.right_hand_side(w, lambda);
    return feedback_->solve(a, lambda);
  }

  void ids(double* id) const override {
    std::fill(id, id + 2 * n_, 1.0);
    std::fill(id + 2 * n_, id + size(), 0.0);
  }

  EvaluationResult weights(double h, const double* y, double* weight) override {
    if (h <= 0.0) h = dae_settings_.initial_step;
    Workspace& w = saddle_.workspace();
    if (!saddle_.system().evaluate(request::mass | request::jacobian, {time_, y, y + n_, nullptr, nullptr}, w)) {
      return EvaluationResult::declined;
    }
    weights_.positions(y, weight);
    weights_.velocities(y + n_, weight + n_);
    weights_.multipliers(w, weight + n_, h, 0, m_, weight + 2 * n_);
    return EvaluationResult::ok;
  }

  DaeSettings dae_settings() const override { return dae_settings_; }
  Settings settings() const override { return settings_; }
  LinearCounts counts() const override {
    LinearCounts sum = saddle_.solver().counts();
    sum += newton_.solver().counts();
    return sum;
  }
  std::string linear_solver_description() const override { return newton_.solver().description(); }

 private:
  void subtract_compliance(const double* lambda, double* rows) const {
    const int m = compliance_.size();
    for (int i = 0; i < m; ++i) {
      if (compliance_.is_diagonal()) {
        rows[i] -= compliance_.diagonal[i] * lambda[i];
      } else {
        for (int k = 0; k < m; ++k) rows[i] -= compliance_.full(i, k) * lambda[k];
      }
    }
  }

  int n_, m_;
  double h_ = 0.0;
  double time_ = 0.0;  // of the last residual: IDA's weight function gets no time
  LinearSolverOptions options_;
  Stabilization stabilization_;
  GainMatrix compliance_;
  SaddlePointSystem saddle_;
  NewtonBlocks newton_;
  std::unique_ptr<SaddlePointSystem> feedback_;
  DaeWeights weights_;
  MultiplierGauge gauge_;
  std::vector<double> multipliers_;  // lambda of the last residual, for the gauge
  std::vector<double> top_, bottom_, zero_;
  DaeSettings dae_settings_;
  Settings settings_;
};

}  // namespace

/// Index-1 form: the saddle-point system as it stands, lambda an unknown, y = (q, v, lambda),
///
///     q' - v = 0,     M v' + G^T lambda - f = 0,     G v' - gamma + K_D g' + K_P g - C lambda = 0,
///
/// with psi' + K_N psi in the velocity rows. IDA's Newton matrix keeps the sparsity of the saddle-point system, which
/// makes this the implicit route for stiff gains: Baumgarte (C = 0, automatic gains as in `baumgarte`) or, if Lambda is
/// given, penalty (C = Lambda^-1). K_D = K_P = 0 gives the plain index-1 form, which drifts.
/// lambda is masked in the error test and weighted by the change of v it causes in one step: in the error test the
/// noise that an inexact Newton iteration leaves in it would hold the order at one.
/// When to use: stiff stabilised or penalty systems, accurate multipliers. When not: through singular configurations
/// (nothing selects the branch: use `ggl` or `stabilized_index1`).
FormulationEntry make_index1() {
  FormulationEntry entry;
  entry.references = "[Baumgarte1972] [BrenanCampbellPetzold1996] [000]";
  entry.promises.positions = entry.promises.velocities = Holds::to_tolerance;
  entry.make_dae = [](const FormulationInput& input) -> std::unique_ptr<DaeFormulation> {
    const MechanicalSystem& s = *input.system;
    const double omega = 1.0 / characteristic_scales(input.start, input.t_span).time;
    Settings settings = Stabilization::gain_settings(input.gains, s.num_velocity_constraints(), omega);
    GainMatrix compliance;
    if (!input.gains.Lambda.automatic()) {
      const Compliance given = Compliance::from_gains(input, 0.0);
      settings.push_back(given.setting(input.gains.Lambda));
      compliance = given.C;
    }
    return std::make_unique<Index1>(
        input,
        Stabilization::from_gains(input.gains, s.num_position_constraints(), s.num_velocity_constraints(), omega),
        std::move(compliance), std::move(settings));
  };
  return entry;
}

}  // namespace sunlagrange
