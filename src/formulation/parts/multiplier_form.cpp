// SPDX-License-Identifier: BSD-3-Clause
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
      time_(input.start.t),
      gauge_(input, layout, options_),
      y_(layout.size()) {
  num_tested_ = num_tested;
  acceleration_ = Acceleration::ideal;
  if (gauge_.active()) {
    provides_.gauge = &gauge_;
    facts_.own = {{"redundant multipliers", "kept at least norm in every Newton iteration", {}}};
  }
  facts_.dae = DaeFacts{{}, "q: rtol, atol; v: rtol, atol / T; lambda through M^-1 G^T", weights_.scales().time,
                        {}, {num_tested < size(), 1e-3, 8, weights_.initial_step()},     {}};
}

const Workspace* MultiplierForm::evaluate(double t, const double* y) {
  time_ = t;
  if (gauge_.active()) y_ = as_vector(y, size());
  return evaluate(t, y, residual_terms);
}

void MultiplierForm::begin_step(double t, const double* y) {
  time_ = t;
  if (!start_.workspace) start_.workspace = make_workspace(*system_, workspace_->storage);
  start_.t = t;
  start_.q_v = as_vector(y, 2 * n_);
  start_.evaluated = false;
}

bool MultiplierForm::Start::is_at(double time, const double* y) const {
  return t == time && std::equal(q_v.data(), q_v.data() + q_v.size(), y);
}

Workspace* MultiplierForm::evaluate(double t, const double* y, unsigned what) {
  const Point point{t, y, y + n_, nullptr, nullptr};
  if (!start_.is_at(t, y)) return evaluate_system(*system_, what, point, *workspace_) ? workspace_.get() : nullptr;
  if (!start_.evaluated) start_.evaluated = evaluate_system(*system_, residual_terms, point, *start_.workspace);
  return start_.evaluated ? start_.workspace.get() : nullptr;
}

void MultiplierForm::equations_of_motion(const Workspace& w, const ConstVectorMap& a, const ConstVectorMap& lambda,
                                         VectorMap r_v) {
  r_v = -w.f;
  r_v += w.M * a;
  r_v += w.G.transposed() * lambda;
}

EvaluationResult MultiplierForm::checked(const double* r) const {
  return are_finite(r, size()) ? EvaluationResult::ok : EvaluationResult::not_finite;
}

EvaluationResult MultiplierForm::evaluate_tangents(double t, const double* y, const double* a, const double* lambda) {
  const Point point{t, y, y + n_, a, lambda};
  const bool good = evaluate_system(*system_, request::acceleration_level | request::tangent, point, *workspace_);
  return good ? EvaluationResult::ok : EvaluationResult::declined;
}

EvaluationResult MultiplierForm::linearize(double t, const double* y, const double* a, const double* lambda) {
  newton_workspace_ = evaluate(t, y, residual_terms);
  if (newton_workspace_ == nullptr ||
      !evaluate_system(*system_, request::tangent, {t, y, y + n_, a, lambda}, *newton_workspace_))
    return EvaluationResult::declined;
  return gauge_.active() ? gauge_.update(t, y, y + n_) : EvaluationResult::ok;
}

void MultiplierForm::keep_multipliers(const double* multipliers) {
  const Eigen::Index count = size() - 2 * n_;
  if (gauge_.active()) y_.tail(count) = as_vector(multipliers, size()).tail(count);
}

EvaluationResult MultiplierForm::complete_correction(double* b) {
  if (!gauge_.active()) return EvaluationResult::ok;
  if (layout().integrated_multipliers) {  // they are in the error test: nothing may jump with the Newton matrix
    const EvaluationResult renewed = gauge_.update(time_, y_.data(), y_.data() + n_);
    if (renewed != EvaluationResult::ok) return renewed;
  }
  auto corrections = as_vector(b, size()).tail(size() - 2 * n_);
  corrections *= multipliers_per_unknown_;
  const EvaluationResult result = gauge_.correct(y_.data(), b);
  corrections /= multipliers_per_unknown_;
  return result;
}

EvaluationResult MultiplierForm::weights(double h, const double* y, double* weight) {
  const Workspace* w = evaluate(time_, y, request::mass | request::jacobian);
  if (w == nullptr) return EvaluationResult::declined;
  compute_weights(*w, h > 0.0 ? h : dae().settings.initial_step, y, weight);
  return EvaluationResult::ok;
}

void MultiplierForm::compute_weights(const Workspace& w, double h, const double* y, double* weight) {
  weights_.positions(y, weight);
  weights_.velocities(y + n_, weight + n_);
  weights_.multipliers(w, weight + n_, h, 0, m_, weight + 2 * n_);
}

}  // namespace sunlagrange::internal
