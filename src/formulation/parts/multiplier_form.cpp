#include "formulation/parts/multiplier_form.hpp"

#include <algorithm>
#include <utility>

#include "base/numerics.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {

MultiplierForm::MultiplierForm(const FormulationInput& input, const StateLayout& layout, int num_tested)
    : DaeFormulation(layout),
      n_(input.system->num_positions()),
      m_(input.system->num_constraints()),
      m_g_(input.system->num_position_constraints()),
      options_(resolve_linear_solver(input.linear_solver, *input.system)),
      workspace_(make_workspace(*input.system, storage_of(options_))),
      weights_(input),
      system_(input.system),
      num_tested_(num_tested),
      time_(input.start.t),
      gauge_(input, options_),
      multipliers_(layout.m + layout.m_mu) {
  start_.workspace = make_workspace(*system_, workspace_->storage);
  start_.q_v.resize(2 * n_);
  settings_.suppress_algebraic = num_tested_ < size();
  settings_.nonlinear_coefficient = 1e-3;
  settings_.max_nonlinear_iterations = 8;
  settings_.initial_step = weights_.initial_step();
}

const Workspace* MultiplierForm::evaluate(double t, const double* y) {
  time_ = t;
  if (gauge_.active()) multipliers_ = layout().multipliers(y);
  constexpr unsigned what = request::mass | request::force | request::jacobian;
  if (std::exchange(at_start_, false) && start_.holds(t, y))
    return evaluate_start(t, y, what) ? start_.workspace.get() : nullptr;
  return evaluate_system(*system_, what, {t, y, y + n_, nullptr, nullptr}, *workspace_) ? workspace_.get() : nullptr;
}

EvaluationResult MultiplierForm::start_residual(double t, const double* y, const double* yp, double* r) {
  at_start_ = true;
  return residual(t, y, yp, r);
}

bool MultiplierForm::Start::holds(double time, const double* y) const {
  return evaluated != 0 && t == time && std::equal(q_v.data(), q_v.data() + q_v.size(), y);
}

/// Only what has not been evaluated there yet.
bool MultiplierForm::evaluate_start(double t, const double* y, unsigned what) {
  const unsigned known = start_.holds(t, y) ? start_.evaluated : 0U, missing = what & ~known;
  if (missing == 0) return true;
  start_.evaluated = 0;
  if (!evaluate_system(*system_, missing, {t, y, y + n_, nullptr, nullptr}, *start_.workspace)) return false;
  start_.t = t;
  start_.q_v = as_vector(y, 2 * n_);
  start_.evaluated = known | missing;
  return true;
}

void MultiplierForm::equations_of_motion(const Workspace& w, const ConstVectorMap& a, const ConstVectorMap& lambda,
                                         VectorMap r_v) {
  r_v = -w.f;
  r_v += w.M * a;
  r_v += w.G.transposed() * lambda;
}

EvaluationResult MultiplierForm::checked(const double* r) {
  return failures.count(are_finite(r, size()) ? EvaluationResult::ok : EvaluationResult::not_finite);
}

bool MultiplierForm::evaluate_tangents(double t, const double* y, const double* a, const double* lambda) {
  return evaluate_system(*system_, request::acceleration_level | request::tangent, {t, y, y + n_, a, lambda},
                         *workspace_);
}

EvaluationResult MultiplierForm::linearize(double t, const double* y, const double* a, const double* lambda) {
  const bool good = evaluate_start(t, y, request::mass | request::force | request::jacobian) &&
                    evaluate_system(*system_, request::tangent, {t, y, y + n_, a, lambda}, *start_.workspace);
  if (!good) return EvaluationResult::declined;
  return gauge_.active() ? gauge_.update(t, y, y + n_) : EvaluationResult::ok;
}

/// Of lambda and, if there are any, mu.
EvaluationResult MultiplierForm::gauge(const double* multipliers, double* correction) {
  if (!gauge_.active()) return EvaluationResult::ok;
  EvaluationResult result = gauge_.correct(multipliers, lambda(correction).data(), m_);
  if (result == EvaluationResult::ok && layout().m_mu > 0)
    result = gauge_.correct(multipliers + m_, mu(correction).data(), m_g_);
  return failures.count(result);
}

void MultiplierForm::ids(double* id) const {
  as_vector(id, size()).setZero();
  as_vector(id, num_tested_).setOnes();
}

EvaluationResult MultiplierForm::weights(double h, const double* y, double* weight) {
  if (!evaluate_start(time_, y, request::mass | request::jacobian)) return EvaluationResult::declined;
  weigh(*start_.workspace, h > 0.0 ? h : settings_.initial_step, y, weight);
  return EvaluationResult::ok;
}

void MultiplierForm::weigh(const Workspace& w, double h, const double* y, double* weight) {
  weights_.positions(y, weight);
  weights_.velocities(y + n_, weight + n_);
  weights_.multipliers(w, weight + n_, h, 0, m_, weight + 2 * n_);
}

FormulationFacts MultiplierForm::facts() const {
  FormulationFacts facts;
  if (gauge_.active()) facts.own = {{"redundant multipliers", "kept at least norm in every Newton iteration", {}}};
  return facts;
}

DaeFacts MultiplierForm::describe(std::vector<std::string> algebraic, const char* error_weights) const {
  return {std::move(algebraic), error_weights, weights_.scales().time, {}, settings_, {}};
}

}  // namespace sunlagrange::internal
