#include "formulation/parts/multiplier_form.hpp"

#include <algorithm>

#include "base/numerics.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

constexpr unsigned residual_terms = request::mass | request::force | request::jacobian;

}  // namespace

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
  settings_.suppress_algebraic = num_tested_ < size();
  settings_.nonlinear_coefficient = 1e-3;
  settings_.max_nonlinear_iterations = 8;
  settings_.initial_step = weights_.initial_step();
}

const Workspace* MultiplierForm::evaluate(double t, const double* y) {
  time_ = t;
  if (gauge_.active()) multipliers_ = layout().multipliers(y);
  return evaluate(t, y, residual_terms);
}

void MultiplierForm::begin_step(double t, const double* y) {
  time_ = t;
  if (!start_.workspace) start_.workspace = make_workspace(*system_, workspace_->storage);
  start_.t = t;
  start_.q_v = as_vector(y, 2 * n_);
  start_.evaluated = false;
}

bool MultiplierForm::Start::is(double time, const double* y) const {
  return t == time && std::equal(q_v.data(), q_v.data() + q_v.size(), y);
}

/// Where a step begins, what its residual will need is evaluated with the rest, and once.
Workspace* MultiplierForm::evaluate(double t, const double* y, unsigned what) {
  const Point point{t, y, y + n_, nullptr, nullptr};
  if (!start_.is(t, y)) return evaluate_system(*system_, what, point, *workspace_) ? workspace_.get() : nullptr;
  if (!start_.evaluated) start_.evaluated = evaluate_system(*system_, residual_terms, point, *start_.workspace);
  return start_.evaluated ? start_.workspace.get() : nullptr;
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
  linearized_ = evaluate(t, y, residual_terms);
  if (linearized_ == nullptr || !evaluate_system(*system_, request::tangent, {t, y, y + n_, a, lambda}, *linearized_))
    return EvaluationResult::declined;
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
  const Workspace* w = evaluate(time_, y, request::mass | request::jacobian);
  if (w == nullptr) return EvaluationResult::declined;
  weigh(*w, h > 0.0 ? h : settings_.initial_step, y, weight);
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
