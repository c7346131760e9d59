// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/sundials/kinsol.hpp"

#include <cmath>
#include <cstdlib>
#include <exception>

#include <kinsol/kinsol.h>
#include <kinsol/kinsol_ls.h>

#include <sunlagrange/base/status.hpp>

#include "sundials/compatibility.hpp"
#include "sundials/return_values.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

/// User data of the callbacks. An exception must not pass through C, so it is stored here.
struct Call {
  const NonlinearProblem& problem;
  Eigen::Index size;
  VectorXd x, F;
  std::exception_ptr error = nullptr;

  /// @tparam Return  EquationReturn or LinearSolverReturn, the kind of function that KINSOL calls
  template <class Return, class Work>
  int guarded(Work&& work) {
    Return result = Return::failed;
    try {
      result = work() ? Return::success : Return::declined;
    } catch (...) {
      error = std::current_exception();
    }
    return static_cast<int>(result);
  }
  Eigen::Map<VectorXd> view(N_Vector vector) const { return {N_VGetArrayPointer(vector), size}; }
};

int residual(N_Vector x, N_Vector F, void* user_data) {
  Call& call = *static_cast<Call*>(user_data);
  return call.guarded<EquationReturn>([&] {
    call.x = call.view(x);
    if (!call.problem.residual(call.x, call.F) || !call.F.allFinite()) return false;
    call.view(F) = call.F;
    return true;
  });
}

int jacobian(N_Vector x, N_Vector, SUNMatrix, void* user_data, N_Vector, N_Vector) {
  Call& call = *static_cast<Call*>(user_data);
  return call.guarded<EquationReturn>([&] {
    call.x = call.view(x);
    return call.problem.factorise(call.x);
  });
}

int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, sunrealtype) {
  Call& call = *static_cast<Call*>(solver->content);
  return call.guarded<LinearSolverReturn>([&] {
    call.view(x) = call.problem.solve(call.view(b));
    return true;
  });
}

#if SUNDIALS_VERSION_MAJOR < 7
void silent(int, const char*, const char*, char*, void*) {}
#endif

/// Owns the objects of KINSOL and releases them in the right order.
class Memory {
 public:
  Memory(Call& call, double tolerance, int max_iterations) {
    check(create_context(&context_) == 0);
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_ClearErrHandlers(context_);
#endif
    x_ = N_VNew_Serial(static_cast<sunindextype>(call.size), context_);
    ones_ = N_VNew_Serial(static_cast<sunindextype>(call.size), context_);
    kinsol_ = KINCreate(context_);
    check(x_ != nullptr && ones_ != nullptr && kinsol_ != nullptr);
    N_VConst(1.0, ones_);
#if SUNDIALS_VERSION_MAJOR < 7
    KINSetErrHandlerFn(kinsol_, silent, nullptr);
#endif
    matrix_ = SUNMatNewEmpty(context_);
    solver_ = SUNLinSolNewEmpty(context_);
    check(matrix_ != nullptr && solver_ != nullptr);
    matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    matrix_->ops->zero = [](SUNMatrix) { return 0; };
    solver_->content = &call;
    solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    solver_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
    solver_->ops->initialize = [](SUNLinearSolver) { return 0; };
    solver_->ops->setup = [](SUNLinearSolver, SUNMatrix) { return 0; };
    solver_->ops->solve = solve;
    check(KINInit(kinsol_, residual, x_) == KIN_SUCCESS && KINSetUserData(kinsol_, &call) == KIN_SUCCESS &&
          KINSetLinearSolver(kinsol_, solver_, matrix_) == KIN_SUCCESS &&
          KINSetJacFn(kinsol_, jacobian) == KIN_SUCCESS && KINSetMaxSetupCalls(kinsol_, 1) == KIN_SUCCESS &&
          KINSetNumMaxIters(kinsol_, max_iterations) == KIN_SUCCESS &&
          KINSetFuncNormTol(kinsol_, tolerance) == KIN_SUCCESS && KINSetScaledStepTol(kinsol_, 1e-14) == KIN_SUCCESS);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    release();
  }

  N_Vector x() {
    return x_;
  }
  /// KINSOL's longest step is 1000 times the size of its start, and five such steps end a call. The next call starts
  /// where it ended, with steps 5000 times as long: a far solution of a linear problem takes one step in the end.
  int run() {
    int flag = KIN_MXNEWT_5X_EXCEEDED;
    for (int call = 0; call < most_calls && flag == KIN_MXNEWT_5X_EXCEEDED; ++call) {
      flag = KINSol(kinsol_, x_, KIN_LINESEARCH, ones_, ones_);
      long count = 0;
      KINGetNumNonlinSolvIters(kinsol_, &count);
      iterations_ += count;
    }
    return flag;
  }
  int iterations() const {
    return static_cast<int>(iterations_);
  }

 private:
  void check(bool good) {
    if (good) return;
    release();
    throw Error("static_equilibrium: KINSOL cannot be set up; is there memory left?");
  }
  void release() {
    if (kinsol_ != nullptr) KINFree(&kinsol_);
    if (solver_ != nullptr) SUNLinSolFreeEmpty(solver_);
    if (matrix_ != nullptr) SUNMatFreeEmpty(matrix_);
    if (ones_ != nullptr) N_VDestroy(ones_);
    if (x_ != nullptr) N_VDestroy(x_);
    if (context_ != nullptr) SUNContext_Free(&context_);
  }

  static constexpr int most_calls = 6;  // reach 1e20 times the start

  long iterations_ = 0;
  SUNContext context_ = nullptr;
  N_Vector x_ = nullptr, ones_ = nullptr;
  void* kinsol_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
};

std::string flag_name(int flag) {
  char* name = KINGetReturnFlagName(flag);
  const std::string text = name != nullptr ? name : "";
  std::free(name);
  return text;
}

}  // namespace

NonlinearSolution solve_by_kinsol(const NonlinearProblem& problem, const VectorXd& start, double tolerance,
                                  int max_iterations) {
  Call call{problem, start.size(), start, VectorXd::Zero(start.size())};
  Memory memory(call, tolerance, max_iterations);
  call.view(memory.x()) = start;
  const int flag = memory.run();
  if (call.error != nullptr) std::rethrow_exception(call.error);
  NonlinearSolution solution;
  solution.x = call.view(memory.x());
  solution.ended = flag_name(flag);
  solution.iterations = memory.iterations();
  solution.residual = INFINITY;
  if (problem.residual(solution.x, call.F) && call.F.allFinite()) solution.residual = call.F.cwiseAbs().maxCoeff();
  solution.converged = solution.residual <= tolerance;
  return solution;
}

}  // namespace sunlagrange::internal
