// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/forms/index3_augmented_lagrangian.hpp"

#include <algorithm>

#include "linear_algebra/vector_map.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"
#include "model/motion_scales.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

constexpr double relative_penalty_of_steps = 1e6;  // the error of lambda falls by this factor in each iteration
constexpr int iteration_limit = 25;
constexpr double tolerance = 1e-12;   // last correction of q relative to the largest |q|
constexpr double slow = 0.1;          // the matrix is renewed if corrections fall by less than this factor
constexpr int projection_limit = 25;  // two suffice unless psi rows change fast with q or the user's Lambda is small
constexpr double projected = 1e-12;   // relative correction after which a projection is not repeated

}  // namespace

Index3AugmentedLagrangian::Index3AugmentedLagrangian(const FormulationInput& input)
    : OneStepFormulation(
          {input.system->num_positions(), input.system->num_positions(), input.system->num_constraints()}),
      n_(input.system->num_positions()),
      m_(input.system->num_constraints()),
      m_g_(input.system->num_position_constraints()),
      system_(input.system),
      options_(resolve_linear_solver(input.linear_solver, *input.system)),
      compliance_(compliance(input, relative_penalty_of_steps)),
      position_scale_(characteristic_scales(*input.system, input.start).position),
      workspace_(make_workspace(*system_, storage_of(options_))),
      blocks_(std::make_unique<NewtonBlocks>(*workspace_, options_, nullptr, compliance_.C)),
      sizes_(*system_),
      newton_(n_) {
  for (auto* x : {&q_start_, &v_start_, &a_start_, &top_}) x->resize(n_);
  bottom_.resize(m_);
  facts_.Lambda = compliance_.Lambda;
  facts_.own = {{"iteration", "until |dq| <= {} max|q|, at most {}", {tolerance, long{iteration_limit}}},
                {"projections", "v and a, metric M + (h/2) r_v + (h/2)^2 r_q, after every step", {}}};
}

EvaluationResult Index3AugmentedLagrangian::step(double t, double h, double* y, double* yp) {
  EvaluationResult result = iterate(t, h, y, yp);
  if (result == EvaluationResult::ok) result = project(t + h, y, yp);
  return result;
}

EvaluationResult Index3AugmentedLagrangian::iterate(double t, double h, double* y, double* yp) {
  VectorMap a = v(yp);
  q_start_ = q(y);
  v_start_ = v(y);
  a_start_ = a;
  gamma_ = 0.5 * h;
  const auto advance = [&] {
    v(y) = v_start_ + gamma_ * (a_start_ + a);
    q(y) = q_start_ + gamma_ * (v_start_ + v(y));
  };
  const double whole = std::max(position_scale_, size_of(y));
  const double small = tolerance * whole;
  sizes_.measure(q(y), whole);
  double before = 0.0;
  bool fresh = true;
  for (int k = 1; k <= iteration_limit; ++k) {
    advance();
    const EvaluationResult result = correction(t + h, fresh, y, yp);
    if (result != EvaluationResult::ok) return result;
    a += top_;
    lambda(y) += bottom_;
    const double change = gamma_ * gamma_ * sizes_.largest(top_);
    if (change <= small) {
      advance();
      q(yp) = v(y);
      ++steps_;
      iterations_ += k;
      most_iterations_ = std::max<long>(most_iterations_, k);
      return EvaluationResult::ok;
    }
    fresh = k > 1 && change > slow * before;
    before = change;
  }
  return EvaluationResult::not_converged;
}

/// Computes the residuals at (t, y, y') and their solution (da, dlambda) in top_, bottom_.
EvaluationResult Index3AugmentedLagrangian::correction(double t, bool fresh, const double* y, const double* yp) {
  Workspace& w = *workspace_;
  ++residual_evaluations;
  if (!evaluate(request::acceleration_level | (fresh ? request::tangent : 0U), t, y, yp)) {
    return EvaluationResult::declined;
  }
  if (fresh) {
    ++jacobian_evaluations;
    blocks_->store(w);
    blocks_->constraint_rows(gamma_, m_g_);
    const EvaluationResult outcome = blocks_->factorize(gamma_);
    if (outcome != EvaluationResult::ok) return outcome;
  }
  top_.setZero();
  top_ += w.M * v(yp);
  top_ += w.G.transposed() * lambda(y);
  top_ = w.f - top_;
  bottom_ << -w.g / (gamma_ * gamma_), -w.g_rate.tail(m_ - m_g_) / gamma_;
  return blocks_->solve(top_.data(), bottom_.data());
}

EvaluationResult Index3AugmentedLagrangian::project(double t, double* y, double* yp) {
  if (m_ == 0) return EvaluationResult::ok;
  EvaluationResult result = project_velocities(t, y);
  if (result == EvaluationResult::ok) result = project_accelerations(t, y, yp);
  q(yp) = v(y);
  return result;
}

/// Uses the matrix of the last iteration. A violation that no velocity can remove remains.
EvaluationResult Index3AugmentedLagrangian::project_velocities(double t, double* y) {
  const Workspace& w = *workspace_;
  const auto evaluated = [&](bool /*new_matrix*/) {
    return evaluate(request::jacobian, t, y, nullptr) ? EvaluationResult::ok : EvaluationResult::declined;
  };
  const auto violated = [&] {
    sizes_.measure(v(y), size_of(y + n_));
    bottom_.setZero();
    add_largest_terms(w.G, sizes_, bottom_);
    return largest_violation(w.g_rate, bottom_).relative;
  };
  const auto solve = [&](Eigen::VectorXd& step, double&) {
    step.setZero();
    bottom_ = -w.g_rate;
    return blocks_->solve(step.data(), bottom_.data());
  };
  NewtonRule rule;
  rule.most_iterations = projection_limit;
  rule.keep_matrix = true;
  const EvaluationResult result = evaluated(false);
  return result == EvaluationResult::ok ? newton_.run(v(y), rule, evaluated, violated, solve).result : result;
}

/// G a = gamma_c is linear in a: G is evaluated once, and the solution refined.
EvaluationResult Index3AugmentedLagrangian::project_accelerations(double t, const double* y, double* yp) {
  VectorMap a = v(yp);
  const Workspace& w = *workspace_;
  if (!evaluate(request::jacobian, t, y, nullptr)) return EvaluationResult::declined;
  for (int pass = 0; pass < projection_limit; ++pass) {
    top_.setZero();
    bottom_ = w.gamma;
    bottom_ -= w.G * a;
    const EvaluationResult outcome = blocks_->solve(top_.data(), bottom_.data());
    if (outcome != EvaluationResult::ok) return outcome;
    a += top_;
    sizes_.measure(a, size_of(a.data()));
    if (sizes_.largest(top_) <= projected * sizes_.largest(a)) break;
  }
  return EvaluationResult::ok;
}

double Index3AugmentedLagrangian::size_of(const double* x) const {
  return natural_size(*system_, as_vector(x, n_));
}

bool Index3AugmentedLagrangian::evaluate(unsigned what, double t, const double* y, const double* yp) {
  return evaluate_system(*system_, what, {t, y, y + n_, yp != nullptr ? yp + n_ : nullptr, y + 2 * n_}, *workspace_);
}

std::vector<Fact> Index3AugmentedLagrangian::statistics() const {
  const double mean = steps_ > 0 ? static_cast<double>(iterations_) / static_cast<double>(steps_) : 0.0;
  return {{"iterations per step, mean", "{}", {mean}}, {"iterations per step, most", "{}", {most_iterations_}}};
}

/// Index-3 augmented Lagrangian method with projections [BayoLedesma1996; CuadradoCardenalBayo1997]: the trapezoidal
/// rule with g = 0 and psi = 0 at the end of each step. With gamma = h/2, r = M a + G^T lambda - f and its
/// derivatives, and Lambda = alpha h^2/4 for the papers' penalty alpha [J per (unit of g)^2], an iteration is
///
///     [ M + gamma r_v + gamma^2 r_q   G^T        ] [ da      ]   [ -r          ]      psi rows: G + gamma dpsi/dq,
///     [ G                             -Lambda^-1 ] [ dlambda ] = [ -g/gamma^2  ]                -psi/gamma
///
///     a += da, lambda += dlambda, v = v_n + gamma (a_n + a), q = q_n + gamma (v_n + v).
///
/// The papers eliminate dlambda, form the matrix with G^T alpha G, and add alpha g at the new q to lambda. Here alpha
/// may be large (Lambda decides about the speed of the iteration and hardly about its limit), and constraint rows may
/// be redundant. Then v and a are projected with the same matrix W = M + ...,
///
///     [ W  G^T; G  -Lambda^-1 ] (dv, .) = (0, -g'(t, q, v)),    ... (da, .) = (0, gamma_c - G a)    (gamma_c: bias)
///
/// until the violation is at rounding level. Without these projections a and lambda diverge.
/// q, v and a have order 2. lambda of the iteration has order 1: reports compute lambda from (t, q, v).
/// When to use: a robust method with fixed steps and a known amount of work per step (real time), or as an independent
/// reference. When not: for accuracy (use `ggl` or `projected` with an adaptive integrator). Fast vibrations are not
/// damped, but have a wrong phase.
FormulationEntry make_index3_augmented_lagrangian() {
  FormulationEntry entry;
  entry.unknowns = "2n + m";
  entry.when = "fixed steps, real time, a second opinion";
  entry.when_not = "high accuracy";
  entry.references = "[BayoLedesma1996] [CuadradoCardenalBayo1997]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_rounding;
  entry.make = [](const FormulationInput& in) { return Index3AugmentedLagrangian(in); };
  return entry;
}

}  // namespace sunlagrange::internal
