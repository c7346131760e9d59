// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>
#include <sunlagrange/sundials/new_vector.hpp>

#include "handles.hpp"

using namespace sunlagrange;
using namespace sunlagrange::c;

namespace {

AttachOptions options_of(const sunlagrange_mechanism& mechanism, unsigned flags) {
  constexpr unsigned known = SUNLAGRANGE_OWN_LINEAR_SOLVER | SUNLAGRANGE_OWN_TOLERANCES;
  if ((flags & ~known) != 0)
    throw Error("flags = " + std::to_string(flags) +
                ": only SUNLAGRANGE_OWN_LINEAR_SOLVER and SUNLAGRANGE_OWN_TOLERANCES are known");
  const SimulationOptions& run = mechanism.file.options;
  AttachOptions options;
  static_cast<FormulationChoice&>(options) = run;
  if (!(run.t_end > mechanism.file.start.t))
    throw Error("t_end = " + text(run.t_end) + ": must be later than the start, t = " + text(mechanism.file.start.t) +
                "; say with sunlagrange_set_number(mechanism, \"t_end\", ...) how far your program integrates");
  options.t_span = run.t_end - mechanism.file.start.t;
  options.install_linear_solver = (flags & SUNLAGRANGE_OWN_LINEAR_SOLVER) == 0;
  options.install_error_weights = (flags & SUNLAGRANGE_OWN_TOLERANCES) == 0;
  return options;
}

/// Sets *attachment to attach(options, system, start), or to null if that throws.
template <class Attach>
int create(const char* function, sunlagrange_mechanism* mechanism, unsigned flags, sunlagrange_attachment** attachment,
           Attach&& attach) noexcept {
  if (attachment != nullptr) *attachment = nullptr;
  return guarded(function, [&] {
    require_given(attachment, "attachment", "give the address of a sunlagrange_attachment*");
    const AttachOptions options = options_of(checked(mechanism), flags);
    *attachment = new sunlagrange_attachment{attach(mechanism->file.system, started(*mechanism), options)};
    return SUNLAGRANGE_SUCCESS;
  });
}

sunlagrange_attachment& given(sunlagrange_attachment* attachment) {
  require_given(attachment, "attachment", "make one with sunlagrange_attach_cvode, _ida or _arkode");
  return *attachment;
}

/// Returns the flag of a function that SUNDIALS calls. If it failed, sunlagrange_error() returns the reason.
int record_failure(const char* function, void* user_data, int flag) noexcept {
  if (flag == 0) return flag;
  guarded(function, [&] {
    const std::string reason = failure_of(user_data);
    remember(function, reason.empty() ? "the point is declined" : reason.c_str());
    return flag;
  });
  return flag;
}

}  // namespace

int sunlagrange_get_layout(sunlagrange_mechanism* mechanism, sunlagrange_layout* found) {
  return guarded(__func__, [&] {
    require_given(found, "layout", "give the address of a sunlagrange_layout");
    if (found->struct_size != sizeof *found)
      throw Error("struct_size = " + std::to_string(found->struct_size) + ", must be sizeof(sunlagrange_layout) = " +
                  std::to_string(sizeof *found) + "; set it, and compile with the header of this library");
    const MotionState& start = started(checked(mechanism));
    const UnknownsLayout layout = sunlagrange::layout(mechanism->file.system, start, options_of(*mechanism, 0));
    found->size = layout.size;
    found->positions = layout.positions;
    found->velocities = layout.velocities;
    found->multipliers = layout.multipliers;
    found->second_multipliers = layout.second_multipliers;
    found->integrated_multipliers = layout.integrated_multipliers ? 1 : 0;
    found->own_variables = layout.own_variables ? 1 : 0;
    return SUNLAGRANGE_SUCCESS;
  });
}

N_Vector sunlagrange_new_vector(long size, SUNContext context) {
  N_Vector made = nullptr;
  guarded(__func__, [&] {
    made = new_vector(size, context);
    return SUNLAGRANGE_SUCCESS;
  });
  return made;
}

int sunlagrange_initial_values(sunlagrange_mechanism* mechanism, N_Vector y, N_Vector yp) {
  return guarded(__func__, [&] {
    const MotionState& start = started(checked(mechanism));
    initial_values(mechanism->file.system, start, options_of(*mechanism, 0), y, yp);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_cvode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
  return record_failure(__func__, user_data, cvode_rhs(t, y, ydot, user_data));
}

int sunlagrange_ida_residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void* user_data) {
  return record_failure(__func__, user_data, ida_residual(t, y, yp, r, user_data));
}

int sunlagrange_arkode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
  return record_failure(__func__, user_data, arkode_rhs(t, y, ydot, user_data));
}

int sunlagrange_error_weights(N_Vector y, N_Vector weight, void* user_data) {
  return record_failure(__func__, user_data, error_weights(y, weight, user_data));
}

int sunlagrange_cvode_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector fy, int jok, int* jcur,
                                           sunrealtype gamma, void* user_data) {
  return record_failure(__func__, user_data, cvode_preconditioner_setup(t, y, fy, jok, jcur, gamma, user_data));
}

int sunlagrange_cvode_preconditioner_solve(sunrealtype t, N_Vector y, N_Vector fy, N_Vector r, N_Vector z,
                                           sunrealtype gamma, sunrealtype delta, int side, void* user_data) {
  return record_failure(__func__, user_data, cvode_preconditioner_solve(t, y, fy, r, z, gamma, delta, side, user_data));
}

int sunlagrange_ida_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, sunrealtype c,
                                         void* user_data) {
  return record_failure(__func__, user_data, ida_preconditioner_setup(t, y, yp, residual, c, user_data));
}

int sunlagrange_ida_preconditioner_solve(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, N_Vector r,
                                         N_Vector z, sunrealtype c, sunrealtype delta, void* user_data) {
  return record_failure(__func__, user_data, ida_preconditioner_solve(t, y, yp, residual, r, z, c, delta, user_data));
}

int sunlagrange_cvode_jacobian_times(N_Vector x, N_Vector Jx, sunrealtype t, N_Vector y, N_Vector fy, void* user_data,
                                     N_Vector scratch) {
  return record_failure(__func__, user_data, cvode_jacobian_times(x, Jx, t, y, fy, user_data, scratch));
}

int sunlagrange_ida_jacobian_times(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, N_Vector x, N_Vector Jx,
                                   sunrealtype c, void* user_data, N_Vector scratch1, N_Vector scratch2) {
  return record_failure(__func__, user_data,
                        ida_jacobian_times(t, y, yp, residual, x, Jx, c, user_data, scratch1, scratch2));
}

int sunlagrange_cvode_dense_jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix J, void* user_data,
                                     N_Vector scratch1, N_Vector scratch2, N_Vector scratch3) {
  return record_failure(__func__, user_data,
                        cvode_dense_jacobian(t, y, fy, J, user_data, scratch1, scratch2, scratch3));
}

int sunlagrange_ida_dense_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector residual,
                                   SUNMatrix J, void* user_data, N_Vector scratch1, N_Vector scratch2,
                                   N_Vector scratch3) {
  return record_failure(__func__, user_data,
                        ida_dense_jacobian(t, c, y, yp, residual, J, user_data, scratch1, scratch2, scratch3));
}

int sunlagrange_cvode_sparse_jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix J, void* user_data,
                                      N_Vector scratch1, N_Vector scratch2, N_Vector scratch3) {
  return record_failure(__func__, user_data,
                        cvode_sparse_jacobian(t, y, fy, J, user_data, scratch1, scratch2, scratch3));
}

int sunlagrange_ida_sparse_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector residual,
                                    SUNMatrix J, void* user_data, N_Vector scratch1, N_Vector scratch2,
                                    N_Vector scratch3) {
  return record_failure(__func__, user_data,
                        ida_sparse_jacobian(t, c, y, yp, residual, J, user_data, scratch1, scratch2, scratch3));
}

int sunlagrange_attach_cvode(sunlagrange_mechanism* mechanism, void* cvode_memory, SUNContext context, N_Vector y,
                             unsigned flags, sunlagrange_attachment** attachment) {
  return create(__func__, mechanism, flags, attachment,
                [&](const auto& system, const MotionState& start, const AttachOptions& options) {
                  return attach_cvode(cvode_memory, context, y, system, start, options);
                });
}

int sunlagrange_attach_ida(sunlagrange_mechanism* mechanism, void* ida_memory, SUNContext context, N_Vector y,
                           unsigned flags, sunlagrange_attachment** attachment) {
  return create(__func__, mechanism, flags, attachment,
                [&](const auto& system, const MotionState& start, const AttachOptions& options) {
                  return attach_ida(ida_memory, context, y, system, start, options);
                });
}

int sunlagrange_attach_arkode(sunlagrange_mechanism* mechanism, void* arkode_memory,
                              sunlagrange_attachment** attachment) {
  return create(__func__, mechanism, 0, attachment,
                [&](const auto& system, const MotionState& start, const AttachOptions& options) {
                  return attach_arkode(arkode_memory, system, start, options);
                });
}

void sunlagrange_detach(sunlagrange_attachment** attachment) {
  if (attachment == nullptr) return;
  delete *attachment;
  *attachment = nullptr;
}

int sunlagrange_set_user_pointer(sunlagrange_attachment* attachment, void* pointer) {
  return guarded(__func__, [&] {
    given(attachment).attachment.set_user_pointer(pointer);
    return SUNLAGRANGE_SUCCESS;
  });
}

void* sunlagrange_user_pointer(void* user_data) {
  return user_pointer(user_data);
}

int sunlagrange_motion(sunlagrange_attachment* attachment, double t, N_Vector y, double* q, double* v, double* a,
                       double* lambda) {
  return guarded(__func__, [&] {
    require_finite(t);
    MotionState state;
    const bool complete = given(attachment).attachment.motion(t, y, state);
    copy(state.q, q);
    copy(state.v, v);
    if (!complete)
      throw Failed{{Outcome::rank_loss, "no accelerations: the model declined the point, or it is singular there"}};
    copy(state.a, a);
    copy(state.lambda, lambda);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_jacobian_nonzeros(sunlagrange_attachment* attachment, sunindextype* nonzeros) {
  if (nonzeros != nullptr) *nonzeros = 0;
  return guarded(__func__, [&] {
    const sunindextype found = given(attachment).attachment.jacobian_nonzeros();
    if (nonzeros != nullptr) *nonzeros = found;
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_change_variables(sunlagrange_attachment* attachment, double t, N_Vector y, int* changed) {
  if (changed != nullptr) *changed = 0;
  return guarded(__func__, [&] {
    const bool anew = given(attachment).attachment.change_variables(t, y);
    if (changed != nullptr) *changed = anew ? 1 : 0;
    return SUNLAGRANGE_SUCCESS;
  });
}

const char* sunlagrange_explain(sunlagrange_attachment* attachment, int flag, double t) {
  return guarded_text(__func__, [&] {
    sunlagrange_attachment& a = given(attachment);
    const Status status = a.attachment.explain(flag, t);
    a.explanation = in_c(std::string(to_string(status.outcome)) + ": " + status.message);
    return a.explanation.c_str();
  });
}

const char* sunlagrange_settings(sunlagrange_attachment* attachment) {
  return guarded_text(__func__, [&] {
    sunlagrange_attachment& a = given(attachment);
    a.settings.clear();
    for (const Setting& line : a.attachment.facts().lines())
      a.settings += line.name + ": " + (line.asked.empty() ? "" : line.asked + " -> ") + line.used + "\n";
    return a.settings.c_str();
  });
}
