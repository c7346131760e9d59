// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/sundials/functional_adjoint.hpp"

#include <utility>

namespace sunlagrange::internal {

using Eigen::VectorXd;

FunctionalAdjoint::FunctionalAdjoint(std::unique_ptr<Binding> binding, const MotionState& start,
                                     const Functional& functional, SensitivityColumns& columns,
                                     std::function<void(double t)> before_point)
    : functional_(functional),
      columns_(columns),
      before_point_(std::move(before_point)),
      n_(binding->system->num_positions()),
      m_(binding->system->num_constraints()),
      y_(VectorXd::Constant(2 * n_, NAN)),
      state_(start),
      covector_(2 * n_),
      rate_(2 * n_) {
  terms_.set_zero(*binding->system);
  attachment_ = std::make_unique<Attachment>(AttachmentAccess::make(std::move(binding)));
}

bool FunctionalAdjoint::linearise(double t, const double* y) {
  const auto here = as_vector(y, 2 * n_);
  if (t == linearised_at_ && here == y_) return true;
  before_point_(t);
  ++counts_.linearisations;
  linearised_at_ = NAN;
  const double *a = nullptr, *lambda = nullptr;
  if (!succeeds(provides().sensitivities->linearize_sensitivities(t, y, nullptr, a, lambda))) return false;
  linearised_at_ = t;
  y_ = here;
  state_.t = t;
  state_.q = here.head(n_);
  state_.v = here.tail(n_);
  state_.a = as_vector(a, n_);
  state_.lambda = as_vector(lambda, m_);
  return true;
}

bool FunctionalAdjoint::running_rate(double t, const double* y, double& rate) {
  if (functional_.reads_forces) {
    if (!linearise(t, y)) return false;
  } else {
    linearised_at_ = NAN;
    state_.t = t;
    state_.q = as_vector(y, n_);
    state_.v = as_vector(y + n_, n_);
  }
  rate = functional_.running(state_, nullptr);
  return true;
}

bool FunctionalAdjoint::add_terminal(double* mu, VectorXd& parameters) {
  if (!functional_.terminal) return true;
  differentiate(functional_.terminal);
  if (!add_transposed(nullptr, mu)) return false;
  VectorXd explicit_part(columns_.size());
  if (!explicit_derivatives(explicit_part.data())) return false;
  parameters += explicit_part;
  return true;
}

bool FunctionalAdjoint::running_derivative(VectorXd& rate) {
  differentiate(functional_.running);
  rate.setZero(2 * n_);
  return add_transposed(nullptr, rate.data());
}

bool FunctionalAdjoint::evaluate(double t, const double* y, const double* mu, double* sum) {
  if (!linearise(t, y)) return false;
  if (functional_.running)
    differentiate(functional_.running);
  else
    derivative_ = StateDerivative();
  as_vector(sum, 2 * n_).setZero();
  return add_transposed(mu, sum);
}

bool FunctionalAdjoint::factorize(double t, const double* y, double gamma) {
  binding().factorised = linearise(t, y) && succeeds(provides().adjoint_newton->factorize_adjoint(gamma));
  return binding().factorised;
}

bool FunctionalAdjoint::explicit_derivatives(double* rates) {
  ++counts_.parameters;
  if (!columns_.evaluate({state_.t, state_.q.data(), state_.v.data(), state_.a.data(), state_.lambda.data()}))
    return false;
  for (int i = 0; i < columns_.size(); ++i) {
    const ParameterTerms& p = columns_.terms(i);
    const bool none = columns_.column(i).parameter == nullptr;
    rates[i] = none ? 0.0 : terms_.r.dot(p.r) + terms_.g.dot(p.g) + terms_.g_rate.dot(p.g_rate) + terms_.A.dot(p.A);
  }
  return true;
}

/// Derivatives of a part of the functional by the state.
void FunctionalAdjoint::differentiate(const Functional::Function& part) {
  derivative_.q.setZero(n_);
  derivative_.v.setZero(n_);
  derivative_.a.setZero(functional_.reads_forces ? n_ : 0);
  derivative_.lambda.setZero(functional_.reads_forces ? m_ : 0);
  part(state_, &derivative_);
}

/// Adds F_y^T mu, unless mu is null, and derivative_ to `sum`, and sets terms_.
bool FunctionalAdjoint::add_transposed(const double* mu, double* sum) {
  const bool forces = derivative_.a.size() > 0 || derivative_.lambda.size() > 0;
  bool good = true;
  if (mu != nullptr || forces) {
    covector_.setZero();
    if (mu != nullptr) covector_ = as_vector(mu, 2 * n_);
    if (derivative_.a.size() > 0) covector_.tail(n_) += derivative_.a;
    const double* by_lambda = derivative_.lambda.size() > 0 ? derivative_.lambda.data() : nullptr;
    good = succeeds(provides().adjoint->adjoint_rhs(covector_.data(), by_lambda, rate_.data(), terms_));
    as_vector(sum, 2 * n_) += rate_;
    ++counts_.products;
  } else {
    terms_.set_zero(*binding().system);
  }
  if (derivative_.q.size() > 0) {
    covector_ << derivative_.q, derivative_.v;
    if (good && provides().projection != nullptr)
      good = succeeds(provides().projection->project_adjoint(covector_.data(), terms_));
    as_vector(sum, 2 * n_) += covector_;
  }
  return good;
}

}  // namespace sunlagrange::internal
