// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sundials/sundials_matrix.h>

#include <sunlagrange/sundials/attachment.hpp>

namespace sunlagrange {

/// The right-hand side for CVodeInit, with y from initial_values(). It can be called after attach_cvode.
int cvode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data);

/// Preconditioner for CVodeSetPreconditioner, for an application with a Krylov solver of its own that attaches with
/// install_linear_solver = false. It solves (I - gamma J) z = r exactly by the library's Newton matrices, so that one
/// or two iterations are enough.
int cvode_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector fy, int jok, int* jcur, sunrealtype gamma,
                               void* user_data);
int cvode_preconditioner_solve(sunrealtype t, N_Vector y, N_Vector fy, N_Vector r, N_Vector z, sunrealtype gamma,
                               sunrealtype delta, int side, void* user_data);

/// Product for CVodeSetJacTimes(memory, nullptr, cvode_jacobian_times), with a preconditioner of the application, the
/// one above or none: J x at (t, y) from tangents of the model, without difference quotients. J = df/dy is that of the
/// Newton matrices, in which gains that change along the motion (extended_lagrangian) count as constants. The first
/// product at a point evaluates tangents; each further one costs a solve with existing factors. x and Jx must not be
/// the same vector. ARKStepSetJacTimes takes it, too.
/// @return 0; 1 (recoverable): the model declined the point, or rank policy strict found it singular; -1: for the
/// reason that rethrow() throws or stderr names
int cvode_jacobian_times(N_Vector x, N_Vector Jx, sunrealtype t, N_Vector y, N_Vector fy, void* user_data,
                         N_Vector scratch);

/// Jacobian for CVodeSetJacFn with a dense linear solver of the application (SUNLinSol_Dense and the like): J of the
/// products above, as a matrix. It costs one evaluation of tangents, and a product with its solve for each of the n
/// unknowns, O(n^3) in all. When not: for large systems; take the products and the preconditioner, or the library's own
/// linear solver. ARKStepSetJacFn takes it, too.
/// @param J  SUNMATRIX_DENSE, n x n; other kinds are refused by name @return as cvode_jacobian_times
int cvode_dense_jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix J, void* user_data, N_Vector scratch1,
                         N_Vector scratch2, N_Vector scratch3);

/// Jacobian for CVodeSetJacFn with a sparse linear solver of the application (SUNLinSol_KLU and the like): pattern and
/// values of J of the products above. ODE forms have full rows for v', so that only the rows of q' are sparse; DAE
/// forms with multipliers (ida_sparse_jacobian) are sparse throughout. The pattern holds for the whole run.
/// @param J  SUNMATRIX_SPARSE of the kind CSC_MAT, n x n, with room for Attachment::jacobian_nonzeros() entries; others
/// are refused @return as cvode_jacobian_times
int cvode_sparse_jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix J, void* user_data, N_Vector scratch1,
                          N_Vector scratch2, N_Vector scratch3);

/// Installs an ODE formulation on CVODE or CVODES memory that the application owns and has initialised with cvode_rhs.
/// The library links CVODES, which contains CVODE: both headers can be used, but in <cvode/cvode.h> the names
/// CV_PROJ_MEM_NULL, CV_PROJFUNC_FAIL, CV_REPTD_PROJFUNC_ERR and CV_CONTEXT_ERR have other values than the returned
/// flags. SUNDIALS cannot distinguish memory of CVODE, IDA and ARKODE: memory of another integrator is not refused by
/// the attach functions (attach_arkode succeeds), and leads to errors later.
///
/// It changes only these settings: user data (CVodeSetUserData), and unless options.install_linear_solver is false the
/// linear solver (CVodeSetLinearSolver) and CVodeSetLinSysFn; for formulation `projected` CVodeSetProjFn (BDF only,
/// CVODE refuses it with Adams). Tolerances (error_weights() can serve), orders, limits and root functions remain those
/// of the application. Automatic gains suppose the tolerances of `options`, and BDF unless options.integrator names
/// another method or no linear solver is installed. Vectors must be in one process: serial (new_vector() is faster),
/// OpenMP, Pthreads, or your own with N_VGetArrayPointer and N_VGetLength; others are refused by name. It may be called
/// in mid-run. If it throws, the memory is as it was.
/// @param start  the state the integration starts from; scales and automatic gains are read off it
/// @throws Error if an argument is null, the memory is not initialised, a vector or the start does not fit, the
/// formulation is unknown or a DAE form, the memory has taken no step and its state is far off the constraints (one is
/// violated by more than a tenth of its terms, and by twice the violation of `start`), options are invalid, or a
/// SUNDIALS call fails
Attachment attach_cvode(void* cvode_memory, SUNContext context, N_Vector y,
                        const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const AttachOptions& options = {});

}  // namespace sunlagrange
