// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cmath>
#include <functional>
#include <vector>

#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>
#include <sunlagrange/sundials/new_vector.hpp>

#include "mechanisms/mechanism.hpp"
#include "raw_sundials.hpp"

/// CVODES, IDAS and ARKODE on new_vector(), with linear and nonlinear solvers of SUNDIALS that use its operations.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::VectorXd;
using test::Context;

namespace {

using NewVector = N_Vector (*)(long size, SUNContext context);
N_Vector serial(long size, SUNContext context) {
  return N_VNew_Serial(static_cast<sunindextype>(size), context);
}

constexpr double tolerance = 1e-9, t_end = 2.0;

/// Attached to an application's integrator, 16 links that swing: y, and yp for IDA.
struct Application {
  Application(NewVector make, const std::string& formulation, bool with_derivative = false) {
    options.formulation = formulation;
    options.rtol = options.atol = tolerance;
    start = consistent_state(chain.system, chain.start).state;
    y = make(num_unknowns(chain.system, start, options), context);
    if (with_derivative) yp = N_VClone(y);
    initial_values(chain.system, start, options, y, yp);
  }
  Application(const Application&) = delete;
  ~Application() {
    if (yp != nullptr) N_VDestroy(yp);
    N_VDestroy(y);
  }
  VectorXd positions() const { return VectorXd::Map(N_VGetArrayPointer(y), chain.system->num_positions()); }

  Context context;
  mechanisms::Mechanism chain = mechanisms::find_mechanism("chain").make(16);
  MotionState start;
  AttachOptions options;
  N_Vector y = nullptr, yp = nullptr;
};

/// @param install  gives the memory its solvers, and returns what frees them
VectorXd with_cvode(NewVector make, int method, bool own_solver,
                    const std::function<std::function<void()>(Application&, void*)>& install) {
  Application a(make, "baumgarte");
  a.options.install_linear_solver = !own_solver;
  a.options.integrator.kind = method == CV_BDF ? IntegratorKind::bdf : IntegratorKind::adams;
  void* memory = CVodeCreate(method, a.context);
  BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, 0.0, a.y) == CV_SUCCESS);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetMaxNumSteps(memory, 100000);
  const Attachment attachment = attach_cvode(memory, a.context, a.y, a.chain.system, a.start, a.options);
  const std::function<void()> free = install(a, memory);
  double t = 0.0;
  BOOST_TEST(CVode(memory, t_end, a.y, &t, CV_NORMAL) == CV_SUCCESS);
  CVodeFree(&memory);
  free();
  return a.positions();
}

VectorXd with_ida(NewVector make) {
  Application a(make, "ggl", true);
  void* memory = IDACreate(a.context);
  BOOST_REQUIRE(IDAInit(memory, ida_residual, 0.0, a.y, a.yp) == IDA_SUCCESS);
  IDASetMaxNumSteps(memory, 100000);
  const Attachment attachment = attach_ida(memory, a.context, a.y, a.chain.system, a.start, a.options);
  double t = 0.0;
  BOOST_TEST(IDASolve(memory, t_end, &t, a.y, a.yp, IDA_NORMAL) == IDA_SUCCESS);
  IDAFree(&memory);
  return a.positions();
}

VectorXd with_arkode(NewVector make) {
  Application a(make, "baumgarte");
  a.options.integrator.kind = IntegratorKind::explicit_adaptive;
  void* memory = ARKStepCreate(arkode_rhs, nullptr, 0.0, a.y, a.context);
  ark::set_tolerances(memory, tolerance, tolerance);
  ark::set_stop_time(memory, t_end);
  const Attachment attachment = attach_arkode(memory, a.chain.system, a.start, a.options);
  double t = 0.0;
  for (int flag = 0; flag >= 0 && t < t_end;) {
    flag = ark::evolve(memory, t_end, a.y, &t);
    BOOST_TEST(flag >= 0);
  }
  ark::free(&memory);
  return a.positions();
}

/// y_i' = -p y_i, whose sensitivity to p is -t y. For CVODES and IDAS, which difference by themselves.
struct Decay {
  double p = 0.8;
  static int rhs(double, N_Vector y, N_Vector ydot, void* data) {
    for (long i = 0; i < N_VGetLength(y); ++i)
      N_VGetArrayPointer(ydot)[i] = -static_cast<Decay*>(data)->p * N_VGetArrayPointer(y)[i];
    return 0;
  }
  static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* data) {
    rhs(t, y, r, data);
    for (long i = 0; i < N_VGetLength(y); ++i) N_VGetArrayPointer(r)[i] -= N_VGetArrayPointer(yp)[i];
    return 0;
  }
};

void check_decay(N_Vector y, N_Vector sensitivity, double t) {
  const double exact = std::exp(-0.8 * t);
  for (long i = 0; i < N_VGetLength(y); ++i) {
    BOOST_TEST(N_VGetArrayPointer(y)[i] == exact, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(N_VGetArrayPointer(sensitivity)[i] == -t * exact, boost::test_tools::tolerance(1e-4));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(integrators_arrive_where_they_do_with_serial_vectors) {
  const auto nothing = [](Application&, void*) { return [] {}; };
  const auto accelerated_fixed_point = [](Application& a, void* memory) {
    SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(a.y, 2, a.context);
    BOOST_REQUIRE(CVodeSetNonlinearSolver(memory, solver) == CV_SUCCESS);
    return [solver] { SUNNonlinSolFree(solver); };
  };
  const auto dense = [](Application& a, void* memory) {
    SUNMatrix matrix = SUNDenseMatrix(N_VGetLength(a.y), N_VGetLength(a.y), a.context);
    SUNLinearSolver solver = SUNLinSol_Dense(a.y, matrix, a.context);
    BOOST_REQUIRE(CVodeSetLinearSolver(memory, solver, matrix) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetJacFn(memory, cvode_dense_jacobian) == CV_SUCCESS);
    return [solver, matrix] {
      SUNLinSolFree(solver);
      SUNMatDestroy(matrix);
    };
  };
  const auto krylov = [](Application& a, void* memory) {
    SUNLinearSolver solver = SUNLinSol_SPGMR(a.y, SUN_PREC_NONE, 20, a.context);
    SUNLinSol_SPGMRSetGSType(solver, SUN_CLASSICAL_GS);  // it takes several dot products at once
    BOOST_REQUIRE(CVodeSetLinearSolver(memory, solver, nullptr) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetJacTimes(memory, nullptr, cvode_jacobian_times) == CV_SUCCESS);
    return [solver] { SUNLinSolFree(solver); };
  };
  const std::pair<const char*, std::function<VectorXd(NewVector)>> ways[] = {
      {"BDF", [&](NewVector make) { return with_cvode(make, CV_BDF, false, nothing); }},
      {"BDF, dense", [&](NewVector make) { return with_cvode(make, CV_BDF, true, dense); }},
      {"BDF, Krylov", [&](NewVector make) { return with_cvode(make, CV_BDF, true, krylov); }},
      {"Adams", [&](NewVector make) { return with_cvode(make, CV_ADAMS, true, accelerated_fixed_point); }},
      {"IDA", with_ida},
      {"ARKODE", with_arkode}};
  const VectorXd reference = with_arkode(serial);
  for (const auto& [name, run] : ways) {
    const VectorXd theirs = run(serial), ours = run(new_vector);
    const double error = (theirs - reference).lpNorm<Eigen::Infinity>();
    BOOST_TEST((ours - reference).lpNorm<Eigen::Infinity>() < 2.0 * error + 1e-6, name);
    BOOST_TEST((ours - theirs).lpNorm<Eigen::Infinity>() < 1e-5, name);
  }
}

BOOST_AUTO_TEST_CASE(sensitivities_of_cvodes) {
  for (const int how : {CV_SIMULTANEOUS, CV_STAGGERED}) {
    Decay decay;
    const Context context;
    N_Vector y = new_vector(13, context);
    N_VConst(1.0, y);
    N_Vector* s = N_VCloneVectorArray(1, y);
    N_VConst(0.0, s[0]);
    void* memory = CVodeCreate(CV_ADAMS, context);
    CVodeInit(memory, Decay::rhs, 0.0, y);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetUserData(memory, &decay);
    SUNNonlinearSolver state = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeSetNonlinearSolver(memory, state);
    CVodeSensInit1(memory, 1, how, nullptr, s);
    const bool together = how == CV_SIMULTANEOUS;
    SUNNonlinearSolver others = SUNNonlinSol_FixedPointSens(together ? 2 : 1, y, 0, context);
    (together ? CVodeSetNonlinearSolverSensSim : CVodeSetNonlinearSolverSensStg)(memory, others);
    CVodeSensEEtolerances(memory);
    CVodeSetSensErrCon(memory, SUNTRUE);
    CVodeSetSensParams(memory, &decay.p, &decay.p, nullptr);
    double t = 0.0;
    BOOST_TEST(CVode(memory, 1.5, y, &t, CV_NORMAL) == CV_SUCCESS);
    BOOST_TEST(CVodeGetSens(memory, &t, s) == CV_SUCCESS);
    check_decay(y, s[0], t);
    CVodeFree(&memory);
    SUNNonlinSolFree(state);
    SUNNonlinSolFree(others);
    N_VDestroyVectorArray(s, 1);
    N_VDestroy(y);
  }
}

BOOST_AUTO_TEST_CASE(sensitivities_of_idas) {
  Decay decay;
  const Context context;
  N_Vector y = new_vector(13, context), yp = N_VClone(y);
  N_VConst(1.0, y);
  N_VConst(-decay.p, yp);
  N_Vector *s = N_VCloneVectorArray(1, y), *sp = N_VCloneVectorArray(1, y);
  N_VConst(0.0, s[0]);
  N_VConst(-1.0, sp[0]);
  void* memory = IDACreate(context);
  IDAInit(memory, Decay::residual, 0.0, y, yp);
  IDASStolerances(memory, tolerance, tolerance);
  IDASetUserData(memory, &decay);
  IDASetMaxNumSteps(memory, 100000);
  SUNMatrix matrix = SUNDenseMatrix(13, 13, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  IDASetLinearSolver(memory, solver, matrix);
  IDASensInit(memory, 1, IDA_STAGGERED, nullptr, s, sp);
  double scale[] = {decay.p};
  IDASetSensParams(memory, &decay.p, scale, nullptr);
  IDASensEEtolerances(memory);
  IDASetSensErrCon(memory, SUNTRUE);
  double t = 0.0;
  BOOST_TEST(IDASolve(memory, 1.5, &t, y, yp, IDA_NORMAL) == IDA_SUCCESS);
  BOOST_TEST(IDAGetSens(memory, &t, s) == IDA_SUCCESS);
  check_decay(y, s[0], t);
  IDAFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroyVectorArray(s, 1);
  N_VDestroyVectorArray(sp, 1);
  for (N_Vector x : {y, yp}) N_VDestroy(x);
}
