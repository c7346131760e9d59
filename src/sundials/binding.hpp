#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <sunlagrange/sundials/attachment.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// What the integrator's user_data points to.
struct Binding {
  std::shared_ptr<const MechanicalSystem> system;
  AnyFormulation made;
  void* user_pointer = nullptr;
  FormulationFacts facts;
  std::string formulation_name;
  LinearSolverOptions linear_options;
  std::vector<double> correction;                // of a projection after a step, length of y
  std::unique_ptr<SaddlePointSystem> reactions;  // for Attachment::motion, made at its first use

  void* ida_memory = nullptr;  // IDA's weight function gets only the user data, and needs the step size

  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear_solver = nullptr;

  std::exception_ptr error;  // what the model threw; rethrown after the C call returned
  long rhs_evaluations = 0;
  long jacobian_evaluations = 0;

  Binding() = default;
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  virtual ~Binding();

  Formulation& formulation() const {
    return std::visit([](const auto& f) -> Formulation& { return *f; }, made);
  }

  /// The formulation if it is of that kind; std::bad_variant_access if not: make_binding() has looked.
  OdeFormulation& ode() const { return *std::get<std::unique_ptr<OdeFormulation>>(made); }
  DaeFormulation& dae() const { return *std::get<std::unique_ptr<DaeFormulation>>(made); }
  OneStepFormulation& one_step() const { return *std::get<std::unique_ptr<OneStepFormulation>>(made); }
  bool is_ode() const { return std::holds_alternative<std::unique_ptr<OdeFormulation>>(made); }

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

/// The library's own way in and out of an Attachment.
struct AttachmentAccess {
  static Attachment make(std::unique_ptr<Binding> binding) { return Attachment(std::move(binding)); }
  static Binding& binding(Attachment& attachment) { return *attachment.binding_; }
};

/// The formulation the options name, checked against the system, the start and the kind of equations `integrator`
/// takes.
std::unique_ptr<Binding> make_binding(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                                      const AttachOptions& options, Equations equations, const char* integrator);

/// The attach functions for a binding that exists already.
Attachment install_cvode(void* memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                         bool linear_solver);
Attachment install_ida(void* memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                       bool linear_solver);
Attachment install_arkode(void* memory, std::unique_ptr<Binding> binding);

/// Throws Error if y has not the formulation's size.
void check_length(N_Vector y, const Binding& binding);

/// Throws Error("CVodeSetUserData returned -20") if flag < 0.
void require_success(int flag, const char* function);

}  // namespace sunlagrange::internal
