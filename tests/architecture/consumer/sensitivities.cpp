// SPDX-License-Identifier: BSD-3-Clause
/// An application that needs what CVODE and IDA do not have: forward sensitivities of CVODES, quadratures of IDAS. It
/// crashes if half of the integrator comes from CVODE or IDA, which have the same names.
#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>

#include <cmath>
#include <cstdio>

#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

namespace {

struct Pendulum {
  const double* gravity;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -*gravity;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  }
};

constexpr double t_end = 2.0, tolerance = 1e-9;

struct Problem {
  explicit Problem(double g, const char* formulation) : gravity(g) {
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_Create(SUN_COMM_NULL, &context);
#else
    SUNContext_Create(nullptr, &context);
#endif
    options.formulation = formulation;
    options.rtol = options.atol = tolerance;
    y = N_VNew_Serial(num_unknowns(system, start, options), context);
    yp = N_VClone(y);
    initial_values(system, start, options, y, yp);
  }
  Problem(const Problem&) = delete;
  ~Problem() {
    N_VDestroy(yp);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
  double gravity;
  std::shared_ptr<const MechanicalSystem> system = make_system(Pendulum{&gravity});
  MotionState start = consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}).state;
  AttachOptions options;
  SUNContext context = nullptr;
  N_Vector y = nullptr, yp = nullptr;
};

/// x(t_end); its derivative with respect to gravity too unless the pointer is null.
double run_cvodes(double gravity, double* derivative) {
  Problem p(gravity, "baumgarte");
  void* memory = CVodeCreate(CV_BDF, p.context);
  CVodeInit(memory, cvode_rhs, 0.0, p.y);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetMaxNumSteps(memory, 100000);
  double t = 0.0;
  N_Vector* sensitivity = N_VCloneVectorArray(1, p.y);
  {
    const Attachment attachment = attach_cvode(memory, p.context, p.y, p.system, p.start, p.options);
    int which[] = {0};
    double scale[] = {gravity};
    if (derivative != nullptr) {
      N_VConst(0.0, sensitivity[0]);
      CVodeSensInit1(memory, 1, CV_STAGGERED, nullptr, sensitivity);
      CVodeSensEEtolerances(memory);
      CVodeSetSensErrCon(memory, SUNTRUE);
      CVodeSetSensParams(memory, &p.gravity, scale, which);
    }
    if (CVode(memory, t_end, p.y, &t, CV_NORMAL) < 0) return NAN;
    if (derivative != nullptr) {
      CVodeGetSens(memory, &t, sensitivity);
      *derivative = N_VGetArrayPointer(sensitivity[0])[0];
    }
    CVodeFree(&memory);
  }
  N_VDestroyVectorArray(sensitivity, 1);
  return N_VGetArrayPointer(p.y)[0];
}

int velocity(double, N_Vector y, N_Vector, N_Vector integrand, void*) {
  N_VGetArrayPointer(integrand)[0] = N_VGetArrayPointer(y)[2];
  return 0;
}

/// The integral of the velocity less the way it makes, which is zero.
double run_idas() {
  Problem p(9.81, "ggl");
  N_Vector integral = N_VNew_Serial(1, p.context);
  N_VConst(0.0, integral);
  void* memory = IDACreate(p.context);
  IDAInit(memory, ida_residual, 0.0, p.y, p.yp);
  double t = 0.0, difference = NAN;
  {
    const Attachment attachment = attach_ida(memory, p.context, p.y, p.system, p.start, p.options);
    IDASetMaxNumSteps(memory, 100000);
    IDAQuadInit(memory, velocity, integral);
    IDAQuadSStolerances(memory, tolerance, tolerance);
    IDASetQuadErrCon(memory, SUNTRUE);
    if (IDASolve(memory, t_end, &t, p.y, p.yp, IDA_NORMAL) >= 0 && IDAGetQuad(memory, &t, integral) >= 0)
      difference = N_VGetArrayPointer(integral)[0] - (N_VGetArrayPointer(p.y)[0] - 1.0);
    IDAFree(&memory);
  }
  N_VDestroy(integral);
  return difference;
}

}  // namespace

int main() {
  double derivative = 0.0;
  run_cvodes(9.81, &derivative);
  const double h = 1e-3;
  const double differences = (run_cvodes(9.81 + h, nullptr) - run_cvodes(9.81 - h, nullptr)) / (2.0 * h);
  const double way = run_idas();
  std::printf("dx/dg by CVODES %.7f, by differences %.7f; integral of v less way by IDAS %.1e\n", derivative,
              differences, way);
  return std::abs(derivative - differences) < 1e-4 && std::abs(way) < 1e-5 ? 0 : 1;
}
