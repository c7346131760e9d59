// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/sundials/attachment.hpp>

#include <cmath>

#include "model/checks/required_system.hpp"
#include "sundials/binding.hpp"
#include "sundials/sparse_jacobian.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Makes a binding for an application that has not said yet which integrator it takes.
std::unique_ptr<Binding> binding_of(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                                    const AttachOptions& options) {
  require_system(system, "attachment");
  return make_binding(system, start, options, find_formulation(options.formulation, *system).equations, "");
}

}  // namespace

sunindextype num_unknowns(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                          const AttachOptions& options) {
  return binding_of(system, start, options)->formulation().size();
}

void initial_values(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                    const AttachOptions& options, N_Vector y, N_Vector yp) {
  const auto binding = binding_of(system, start, options);
  check_vector(y, "y", *binding);
  if (yp != nullptr) check_vector(yp, "yp", *binding);
  binding->formulation().pack(start, N_VGetArrayPointer(y), yp != nullptr ? N_VGetArrayPointer(yp) : nullptr);
}

UnknownsLayout layout(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                      const AttachOptions& options) {
  return binding_of(system, start, options)->formulation().unknowns();
}

int error_weights(N_Vector y, N_Vector weight, void* user_data) {
  return callback<FinalReturn>("error_weights", user_data, {y, weight}, [&](Binding& binding) {
    binding.ode().weights(*binding.tolerances, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
    return EvaluationResult::ok;
  });
}

void* user_pointer(void* user_data) {
  const Binding* binding = find_binding("user_pointer", user_data);
  return binding != nullptr ? binding->user_pointer : nullptr;
}

std::string failure_of(void* user_data) {
  if (const RefusedCall& refused = last_refused_call(); refused.function != nullptr)
    return std::string(refused.function) + ": " + refused.reason;
  const Binding* binding = living_binding(user_data);
  if (binding == nullptr) return "";
  if (binding->error != nullptr) return message_of(binding->error);
  const EvaluationResult result = binding->failures.last_of_step();
  return result != EvaluationResult::ok ? failure_reason(result).what : "";
}

Attachment::Attachment(std::unique_ptr<Binding> binding) : binding_(std::move(binding)) {}
Attachment::Attachment(Attachment&&) noexcept = default;
Attachment& Attachment::operator=(Attachment&&) noexcept = default;
Attachment::~Attachment() = default;

Binding& Attachment::binding() const {
  if (binding_ == nullptr) throw Error("this Attachment was moved from; use the one it was moved to");
  return *binding_;
}

void Attachment::set_user_pointer(void* pointer) {
  binding().user_pointer = pointer;
}
const FormulationFacts& Attachment::facts() const {
  return binding().facts;
}

std::string Attachment::linear_solver_description() const {
  return binding().formulation().linear_solver_description();
}

AttachmentCounts Attachment::counts() const {
  const Formulation& f = binding().formulation();
  const FormulationCounts linear = f.counts();
  return {binding().rhs_evaluations, binding().jacobian_evaluations,
          linear.factorizations,     linear.solves,
          linear.pivot_refreshes,    linear.rank_actions,
          linear.unconverged,        binding().failures};
}

sunindextype Attachment::jacobian_nonzeros() {
  return binding().sparse().pattern.nonzeros();
}

UnknownsLayout Attachment::layout() const {
  return binding().formulation().unknowns();
}

void Attachment::rethrow() {
  if (binding().error == nullptr) return;
  const std::exception_ptr error = binding().error;
  binding().error = nullptr;
  std::rethrow_exception(error);
}

bool Attachment::motion(double t, N_Vector y, MotionState& state) {
  Binding& binding = this->binding();
  check_vector(y, "y", binding);
  binding.tangents.t = NAN;
  const MechanicalSystem& system = *binding.system;
  const int n = system.num_positions();
  const int m = system.num_constraints();
  state.t = t;
  for (Eigen::VectorXd* x : {&state.q, &state.v, &state.a}) x->resize(n);
  state.lambda.resize(m);
  Formulation& formulation = binding.formulation();
  const MotionLaw law = system.motion_law();
  if (formulation.unpack(t, N_VGetArrayPointer(y), nullptr, state.q.data(), state.v.data(),
                         law.has_forces ? nullptr : state.a.data()) != EvaluationResult::ok) {
    return false;
  }
  if (binding.saddle == nullptr) {
    binding.evaluator = std::make_unique<PointEvaluator>(evaluator_for(binding.system, binding.linear_options));
    binding.saddle = std::make_unique<SaddlePointSystem>(*binding.evaluator, binding.linear_options);
  }
  const Workspace* at = binding.evaluator->at(t, state.q.data(), state.v.data());
  return binding.saddle->factorize(at) == EvaluationResult::ok &&
         binding.saddle->complete(*at, state.v.data(), state.a.data(), state.lambda.data()) == EvaluationResult::ok;
}

bool Attachment::change_variables(double t, N_Vector y) {
  check_vector(y, "y", binding());
  binding().tangents.t = NAN;
  return binding().is_ode() && binding().ode().change_variables(t, N_VGetArrayPointer(y));
}

std::vector<Fact> Attachment::statistics() const {
  return binding().formulation().statistics();
}

}  // namespace sunlagrange
