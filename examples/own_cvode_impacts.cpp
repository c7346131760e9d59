// Impacts and a breaking rod in an application that owns its CVODE loop: it finds the roots itself, jumps with
// velocity_jump(), and attaches anew when the active constraints change. simulate() does all this by itself
// (bouncing_pendulum.cpp); this is for applications that cannot give their loop away.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

struct Wall {  // the bob stays at x >= -0.5 m
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[0] + 0.5;
  }
};

static int gap(sunrealtype, N_Vector y, sunrealtype* root, void*) {
  root[0] = N_VGetArrayPointer(y)[0] + 0.5;
  return 0;
}

static void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "own_cvode_impacts: failed: %s\n", what);
  std::exit(1);
}

int main() {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", 2);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  assembly.add("wall", Wall{}, {bob});
  const auto everything = assembly.build();                              // for the instant of an impact
  const auto swinging = without_constraints(everything, {"wall"});       // between impacts
  const auto flying = without_constraints(everything, {"wall", "rod"});  // after the rod broke

  SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
  require(SUNContext_Create(SUN_COMM_NULL, &context) == 0, "SUNContext_Create");
#else
  require(SUNContext_Create(nullptr, &context) == 0, "SUNContext_Create");
#endif
  MotionState state = consistent_state(swinging, {0.0, Eigen::Vector2d(1.0, 0.0), {}}).state;
  state.typical_position = 1.0;  // the scale of later restarts, too
  N_Vector y = N_VNew_Serial(num_unknowns(swinging, state), context);
  initial_values(swinging, state, {}, y);
  void* cvode = CVodeCreate(CV_BDF, context);
  int falling = -1;
  require(CVodeInit(cvode, cvode_rhs, 0.0, y) == CV_SUCCESS, "CVodeInit");
  require(CVodeSStolerances(cvode, 1e-9, 1e-9) == CV_SUCCESS, "CVodeSStolerances");
  require(CVodeSetMaxNumSteps(cvode, 10000) == CV_SUCCESS, "CVodeSetMaxNumSteps");
  require(CVodeRootInit(cvode, 1, gap) == CV_SUCCESS, "CVodeRootInit");
  require(CVodeSetRootDirection(cvode, &falling) == CV_SUCCESS, "CVodeSetRootDirection");
  auto attachment = std::make_unique<Attachment>(attach_cvode(cvode, context, y, swinging, state));

  // Three impacts with e = 0.8: q stays, v jumps, CVODE starts anew from the consistent state after it.
  double t = 0.0;
  for (int impact = 1; impact <= 3; ++impact) {
    require(CVode(cvode, 100.0, y, &t, CV_NORMAL) == CV_ROOT_RETURN, "a root");
    require(attachment->motion(t, y, state), "motion");
    const VelocityJump jump = velocity_jump(everything, {t, state.q, state.v}, {"wall"}, 0.8);
    require(jump.status.finished(), jump.status.message.c_str());
    state = consistent_state(swinging, {t, state.q, jump.v}).state;
    state.typical_position = 1.0;
    initial_values(swinging, state, {}, y);
    require(CVodeReInit(cvode, t, y) == CV_SUCCESS, "CVodeReInit");
    const double ratio = jump.kinetic_energy_after / jump.kinetic_energy_before;
    std::printf("impact %d at t = %.6f s, kinetic energy after / before = %.9f\n", impact, t, ratio);
    require(std::fabs(ratio - 0.64) < 1e-7, "e^2: the bob on its rod has one way to move, and the wall blocks it");
  }

  // Other active constraints: attach the other system to the same memory; the old attachment goes afterwards.
  state = consistent_state(flying, {t, state.q, state.v}).state;
  state.typical_position = 1.0;
  initial_values(flying, state, {}, y);
  auto free_flight = std::make_unique<Attachment>(attach_cvode(cvode, context, y, flying, state));
  attachment = std::move(free_flight);
  require(CVodeReInit(cvode, t, y) == CV_SUCCESS, "CVodeReInit");
  const double t_end = t + 0.1;
  double reached = t;
  require(CVode(cvode, t_end, y, &reached, CV_NORMAL) == CV_SUCCESS, "CVode");
  const double height = state.q[1] + 0.1 * state.v[1] - 0.5 * 9.81 * 0.01;
  std::printf("0.1 s after the rod broke: height %.9f m, by free fall %.9f m\n", N_VGetArrayPointer(y)[1], height);
  require(std::fabs(N_VGetArrayPointer(y)[1] - height) < 1e-8, "free fall");

  CVodeFree(&cvode);  // before the attachment goes
  attachment.reset();
  N_VDestroy(y);
  SUNContext_Free(&context);
  return 0;
}
