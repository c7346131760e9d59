/* In C: a pendulum in Cartesian coordinates on CVODE memory of the program's own, with and without projection onto the
 * constraint, for five tolerances. The program follows cvPendulum_dns.c of SUNDIALS and keeps context, vectors,
 * tolerances, loop, projection settings and a root function. The library replaces the equations derived by hand there:
 * right-hand side with tension, projection of position, velocity and error. Mass, force and constraint remain. After 15
 * periods the bob must be back at its start. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlagrange/sunlagrange_c.h>

static const double gravity = 13.750371636040745655; /* [m/s^2]: with a rod of 1 m the period is 2 s */
static const double periods = 15.0;

static int mass(double t, const double* q, double* M, void* data) {
  (void)t, (void)q, (void)data;
  M[0] = M[3] = 1.0;
  return 0;
}

static int force(double t, const double* q, const double* v, double* f, void* data) {
  (void)t, (void)q, (void)v, (void)data;
  f[1] = -gravity;
  return 0;
}

static int rod(double t, const double* q, double* g, void* data) {
  (void)t, (void)data;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  return 0;
}

/* Both could be left out: the library would take differences. */
static int rod_gradient(double t, const double* q, double* G, void* data) {
  (void)t, (void)data;
  G[0] = q[0];
  G[1] = q[1];
  return 0;
}

static int rod_bias(double t, const double* q, const double* v, double* gamma, void* data) {
  (void)t, (void)q, (void)data;
  gamma[0] = -(v[0] * v[0] + v[1] * v[1]);
  return 0;
}

/* The program's own root function, with its own data: passages below the pivot. */
static int below_the_pivot(sunrealtype t, N_Vector y, sunrealtype* root, void* user_data) {
  const double* threshold = sunlagrange_user_pointer(user_data);
  (void)t;
  root[0] = N_VGetArrayPointer(y)[0] - *threshold;
  return 0;
}

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "failed: %s; %s\n", what, sunlagrange_error());
  exit(1);
}

/* Runs to the end and returns the error of the height there. */
static double solve(void* cvode, sunlagrange_attachment* attachment, N_Vector start, N_Vector y, double tolerance,
                    int project) {
  const double t_end = 2.0 * periods;
  double* values = N_VGetArrayPointer(y);
  double violation = 0.0;
  sunrealtype t = 0.0;
  long steps = 0, evaluations = 0, jacobians = 0;
  int passages = 0, flag = CV_ROOT_RETURN;
  N_VScale(1.0, start, y);
  check(CVodeReInit(cvode, 0.0, start) == CV_SUCCESS, "CVodeReInit");
  check(CVodeSStolerances(cvode, tolerance, tolerance) == CV_SUCCESS, "CVodeSStolerances");
  check(CVodeSetStopTime(cvode, t_end) == CV_SUCCESS, "CVodeSetStopTime"); /* the end is a step, no interpolation */
  check(CVodeSetProjFrequency(cvode, project) == CV_SUCCESS, "CVodeSetProjFrequency");
  while (flag == CV_ROOT_RETURN) {
    flag = CVode(cvode, t_end, y, &t, CV_NORMAL);
    if (flag == CV_ROOT_RETURN) ++passages;
  }
  if (flag < 0) fprintf(stderr, "%s\n", sunlagrange_explain(attachment, flag, t));
  check(flag >= 0, "CVode");
  CVodeGetNumSteps(cvode, &steps);
  CVodeGetNumRhsEvals(cvode, &evaluations);
  CVodeGetNumJacEvals(cvode, &jacobians);
  violation = fabs(values[0] * values[0] + values[1] * values[1] - 1.0);
  printf("  %-3s  %8.2e  %8.2e  %8.2e  %8.2e | %8.2e | %6ld %6ld %5ld\n", project ? "yes" : "no", fabs(values[0] - 1.0),
         fabs(values[1]), fabs(values[2]), fabs(values[3]), violation, steps, evaluations, jacobians);
  if (project) {
    check(violation < 1e-14, "the rod has its length");
    check(passages == 30, "two passages below the pivot in every period");
  }
  return fabs(values[1]);
}

int main(void) {
  static double pivot = 0.0;
  const double q[2] = {1.0, 0.0};
  double tolerance = 1e-5, first = 0.0, last = 0.0;
  int i;
  sunlagrange_functions model = {0};
  sunlagrange_mechanism* pendulum;
  sunlagrange_attachment* attachment;
  SUNContext context;
  N_Vector start, y;
  void* cvode;

  model.struct_size = sizeof model;
  model.num_positions = 2;
  model.num_constraints = 1;
  model.constant_mass_matrix = 1;
  model.mass_matrix = mass;
  model.applied_force = force;
  model.constraint = rod;
  model.constraint_jacobian = rod_gradient;
  model.constraint_acceleration_bias = rod_bias;
  check(sunlagrange_from_functions(&model, &pendulum) == SUNLAGRANGE_SUCCESS, "model");
  check(sunlagrange_set_start(pendulum, 0.0, q, NULL) == SUNLAGRANGE_SUCCESS, "start");
  check(sunlagrange_set_text(pendulum, "formulation", "projected") == SUNLAGRANGE_SUCCESS, "formulation");

#if SUNDIALS_VERSION_MAJOR >= 7
  check(SUNContext_Create(SUN_COMM_NULL, &context) == 0, "SUNContext_Create");
#else
  check(SUNContext_Create(NULL, &context) == 0, "SUNContext_Create");
#endif
  start = N_VNew_Serial(4, context); /* x, y, x', y' */
  y = N_VNew_Serial(4, context);
  check(sunlagrange_initial_values(pendulum, start, NULL) == SUNLAGRANGE_SUCCESS, "initial values");
  cvode = CVodeCreate(CV_BDF, context);
  check(CVodeInit(cvode, sunlagrange_cvode_rhs, 0.0, start) == CV_SUCCESS, "CVodeInit");
  check(sunlagrange_attach_cvode(pendulum, cvode, context, start, 0, &attachment) == SUNLAGRANGE_SUCCESS, "attach");
  sunlagrange_set_user_pointer(attachment, &pivot);
  check(CVodeSetMaxNumSteps(cvode, 50000) == CV_SUCCESS, "CVodeSetMaxNumSteps");
  check(CVodeRootInit(cvode, 1, below_the_pivot) == CV_SUCCESS, "CVodeRootInit");

  for (i = 0; i < 5; ++i, tolerance /= 10.0) {
    printf("\nrtol = atol = %g\nproject    x         y         x'        y'    |    g     |  steps    rhs    jac\n",
           tolerance);
    last = solve(cvode, attachment, start, y, tolerance, 1);
    if (i == 0) first = last;
    solve(cvode, attachment, start, y, tolerance, 0);
  }
  check(last < 1e-4 && last < 0.01 * first, "it is back after 15 periods, the nearer the tighter the tolerance");

  CVodeFree(&cvode);
  sunlagrange_detach(&attachment);
  sunlagrange_free(&pendulum);
  N_VDestroy(start);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return 0;
}
