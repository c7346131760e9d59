#pragma once

#include <exception>
#include <memory>

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <sunlagrange/sundials/attachment.hpp>

#include "formulation/formulation.hpp"

namespace sunlagrange {

/// What the integrator's user_data points to. Exactly one of ode, dae is set.
struct Binding {
  std::shared_ptr<const MechanicalSystem> system;
  std::unique_ptr<OdeFormulation> ode;
  std::unique_ptr<DaeFormulation> dae;
  void* user_pointer = nullptr;
  Settings settings;

  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear_solver = nullptr;

  std::exception_ptr error;  // what the model threw; rethrown after the C call returned
  long rhs_evaluations = 0;
  long jacobian_evaluations = 0;

  Binding() = default;
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  virtual ~Binding();

  Formulation& formulation() { return ode != nullptr ? static_cast<Formulation&>(*ode) : *dae; }
  const Formulation& formulation() const { return ode != nullptr ? static_cast<const Formulation&>(*ode) : *dae; }

  /// Runs a callback body: exceptions are stored and become -1, other failures are recoverable (+1). A stored exception
  /// makes every later callback fail: the fixed-point iteration of CVODE 6.4 retries even after -1.
  template <class Body>
  int guarded(Body&& body) noexcept {
    if (error != nullptr) return -1;
    try {
      return body() == EvaluationResult::ok ? 0 : 1;
    } catch (...) {
      error = std::current_exception();
      return -1;
    }
  }

  /// A matrix without content and a direct solver that hands right-hand sides to the formulation: CVODE and IDA keep
  /// their logic of when to evaluate and factorise, the blocks never leave the formulation.
  void make_linear_solver(SUNContext context);
};

struct AttachmentMaker {
  static Attachment make(std::unique_ptr<Binding> binding) { return Attachment(std::move(binding)); }
};

std::unique_ptr<Binding> make_ode_binding(const std::shared_ptr<const MechanicalSystem>& system,
                                          const MotionState& start, const AttachOptions& options,
                                          const char* integrator);
std::unique_ptr<Binding> make_dae_binding(const std::shared_ptr<const MechanicalSystem>& system,
                                          const MotionState& start, const AttachOptions& options);

/// Throws Error("CVodeSetUserData returned -20") if flag < 0.
void require_success(int flag, const char* function);

}  // namespace sunlagrange
