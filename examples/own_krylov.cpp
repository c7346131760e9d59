// CVODE with a Krylov solver that the application owns, on a chain of 30 rods: products with the Jacobian come from the
// library, the preconditioner belongs to the application. It is the library's exact Newton solve, renewed far less
// often than CVODE would renew a matrix: an old factorisation costs iterations of SPGMR, but no accuracy.

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_spgmr.h>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

static void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "own_krylov: failed: %s\n", what);
  std::exit(1);
}

struct Renewals {
  double gamma = 0.0;  // of the last factorisation
  int asked = 0, done = 0;
};

static int set_up(sunrealtype t, N_Vector y, N_Vector fy, int jok, int* current, sunrealtype gamma, void* user_data) {
  Renewals& renewals = *static_cast<Renewals*>(user_pointer(user_data));
  ++renewals.asked;
  *current = SUNFALSE;
  const bool near = gamma < 1.5 * renewals.gamma && renewals.gamma < 1.5 * gamma;
  if (near && jok != SUNFALSE) return 0;
  renewals.gamma = gamma;
  ++renewals.done;
  return cvode_preconditioner_setup(t, y, fy, jok, current, gamma, user_data);
}

static Assembly hanging_chain(int rods) {  // of 0.1 m and 0.1 kg each, y upwards
  Assembly assembly;
  Block before;
  for (int k = 0; k < rods; ++k) {
    const std::string name = "rod" + std::to_string(k);
    const Block rod = assembly.add_coordinates(name, BlockKind::planar_body);
    assembly.add("inertia of " + name, PlanarRigidBody{0.1, 0.1 * 0.1 * 0.1 / 12.0}, {rod});
    assembly.add("weight of " + name, UniformGravity{0.1}, {centre_of(rod)});
    if (k == 0)
      assembly.add("support", RevoluteToGround{-0.05, 0.0, 0.0, 0.0}, {rod});
    else
      assembly.add("pin of " + name, Revolute{0.05, 0.0, -0.05, 0.0}, {before, rod});
    before = rod;
  }
  return assembly;
}

int main() {
  SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
  require(SUNContext_Create(SUN_COMM_NULL, &context) == 0, "SUNContext_Create");
#else
  require(SUNContext_Create(nullptr, &context) == 0, "SUNContext_Create");
#endif
  constexpr int rods = 30;
  const auto system = hanging_chain(rods).build();
  StartValues from(system);  // level, at rest
  for (int k = 0; k < rods; ++k) from["rod" + std::to_string(k) + ".x"] = 0.05 + 0.1 * k;
  const MotionState start = consistent_state(system, from).state;

  AttachOptions options;
  options.formulation = "baumgarte";
  options.install_linear_solver = false;
  N_Vector y = N_VNew_Serial(num_unknowns(system, start, options), context);
  initial_values(system, start, options, y);
  void* cvode = CVodeCreate(CV_BDF, context);
  require(CVodeInit(cvode, cvode_rhs, 0.0, y) == CV_SUCCESS, "CVodeInit");
  require(CVodeWFtolerances(cvode, error_weights) == CV_SUCCESS, "CVodeWFtolerances");
  require(CVodeSetMaxNumSteps(cvode, 10000) == CV_SUCCESS, "CVodeSetMaxNumSteps");
  SUNLinearSolver spgmr = SUNLinSol_SPGMR(y, SUN_PREC_LEFT, 10, context);
  {
    Attachment attachment = attach_cvode(cvode, context, y, system, start, options);
    Renewals renewals;
    attachment.set_user_pointer(&renewals);
    require(CVodeSetLinearSolver(cvode, spgmr, nullptr) == CV_SUCCESS, "CVodeSetLinearSolver");
    require(CVodeSetJacTimes(cvode, nullptr, cvode_jacobian_times) == CV_SUCCESS, "CVodeSetJacTimes");
    require(CVodeSetPreconditioner(cvode, set_up, cvode_preconditioner_solve) == CV_SUCCESS, "CVodeSetPreconditioner");

    double t = 0.0;
    const int flag = CVode(cvode, 1.0, y, &t, CV_NORMAL);
    if (flag < 0) std::fprintf(stderr, "%s\n", attachment.explain(flag, t).message.c_str());
    require(flag >= 0, "CVode");
    long steps = 0, products = 0, quotients = 0;
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumJtimesEvals(cvode, &products);
    CVodeGetNumLinRhsEvals(cvode, &quotients);

    MotionState end;
    require(attachment.motion(t, y, end), "motion");
    SimulationOptions direct;  // the same by the library's own solver
    direct.formulation = "baumgarte";
    direct.t_end = 1.0;
    const Simulation run = simulate(system, from, direct);
    const double apart = (end.q - run.trajectory.q(run.trajectory.size() - 1)).lpNorm<Eigen::Infinity>();
    std::printf(
        "%ld steps, %ld products with J, %ld difference quotients; %d of %d renewals done; %.1e beside simulate()\n",
        steps, products, quotients, renewals.done, renewals.asked, apart);
    require(quotients == 0 && products >= steps / 2, "products");
    require(renewals.done < renewals.asked, "an old factorisation serves");
    require(apart < 1e-3, "the same motion");
    CVodeFree(&cvode);  // before the attachment goes
  }
  SUNLinSolFree(spgmr);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return 0;
}
