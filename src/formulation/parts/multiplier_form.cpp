#include "formulation/parts/multiplier_form.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/pattern_products.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {

MultiplierForm::MultiplierForm(const FormulationInput& input, int num_multipliers, int num_tested)
    : DaeFormulation(input.system->num_positions()),
      n_(input.system->num_positions()),
      m_(input.system->num_constraints()),
      m_g_(input.system->num_position_constraints()),
      options_(resolve_linear_solver(input.linear_solver, n_, m_)),
      workspace_(input.system->make_workspace(storage_of(options_))),
      weights_(input),
      system_(input.system),
      size_(2 * n_ + num_multipliers),
      num_tested_(num_tested),
      time_(input.start.t),
      gauge_(input, options_),
      multipliers_(static_cast<std::size_t>(num_multipliers)) {
  settings_.suppress_algebraic = num_tested_ < size_;
  settings_.nonlinear_coefficient = 1e-3;
  settings_.max_nonlinear_iterations = 8;
  settings_.initial_step = weights_.initial_step();
}

void MultiplierForm::pack(const MotionState& state, double* y, double* yp) const {
  std::copy(state.q.data(), state.q.data() + n_, y);
  std::copy(state.v.data(), state.v.data() + n_, y + n_);
  std::fill(y + 2 * n_, y + size_, 0.0);
  std::copy(state.lambda.data(), state.lambda.data() + m_, y + 2 * n_);
  if (yp == nullptr) return;
  std::copy(state.v.data(), state.v.data() + n_, yp);
  std::copy(state.a.data(), state.a.data() + n_, yp + n_);
  std::fill(yp + 2 * n_, yp + size_, 0.0);
}

bool MultiplierForm::evaluate(double t, const double* y) {
  time_ = t;
  std::copy(y + 2 * n_, y + size_, multipliers_.begin());
  return system_->evaluate(request::mass | request::force | request::jacobian, {t, y, y + n_, nullptr, nullptr},
                           *workspace_);
}

void MultiplierForm::equations_of_motion(const double* a, const double* lambda, double* r_v) const {
  const Workspace& w = *workspace_;
  for (int i = 0; i < n_; ++i) r_v[i] = -w.force[static_cast<std::size_t>(i)];
  add_product(w.patterns->mass, w.mass, a, r_v);
  add_transposed_product(w.patterns->jacobian, w.jacobian, lambda, r_v);
}

EvaluationResult MultiplierForm::checked(const double* r) {
  const bool finite = std::all_of(r, r + size_, [](double entry) { return std::isfinite(entry); });
  return failures.count(finite ? EvaluationResult::ok : EvaluationResult::not_finite);
}

EvaluationResult MultiplierForm::linearize(double t, const double* y, const double* a, const double* lambda, double c) {
  if (!system_->evaluate(request::acceleration_level | request::tangent, {t, y, y + n_, a, lambda}, *workspace_)) {
    return EvaluationResult::declined;
  }
  h_ = 1.0 / c;
  return gauge_.active() ? gauge_.update(t, y, y + n_) : EvaluationResult::ok;
}

EvaluationResult MultiplierForm::gauged(int first, int rows, double* correction) {
  if (!gauge_.active()) return EvaluationResult::ok;
  return gauge_.correct(multipliers_.data() + first, correction, rows);
}

void MultiplierForm::ids(double* id) const {
  std::fill(id, id + num_tested_, 1.0);
  std::fill(id + num_tested_, id + size_, 0.0);
}

EvaluationResult MultiplierForm::weights(double h, const double* y, double* weight) {
  if (!system_->evaluate(request::mass | request::constraint | request::jacobian, {time_, y, y + n_, nullptr, nullptr},
                         *workspace_)) {
    return EvaluationResult::declined;
  }
  weigh(h > 0.0 ? h : settings_.initial_step, y, weight);
  return EvaluationResult::ok;
}

void MultiplierForm::weigh(double h, const double* y, double* weight) {
  weights_.positions(y, weight);
  weights_.velocities(y + n_, weight + n_);
  weights_.multipliers(*workspace_, weight + n_, h, 0, m_, weight + 2 * n_);
}

FormulationFacts MultiplierForm::facts() const {
  FormulationFacts facts;
  if (gauge_.active()) facts.own = {{"redundant multipliers", "kept at least norm in every Newton iteration", {}}};
  return facts;
}

DaeFacts MultiplierForm::describe(const char* algebraic, const char* error_weights) const {
  return {algebraic, error_weights, weights_.scales().time, {}, settings_, {}};
}

}  // namespace sunlagrange
