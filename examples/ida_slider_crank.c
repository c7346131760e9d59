/* In C: a slider-crank with a spring-damper on IDA memory of the program's own. The program follows
 * idaSlCrank_dns.c of SUNDIALS and keeps context, vectors, tolerances, loop, output and statistics. The name "ggl"
 * replaces the equations derived by hand there, the stabilised index-2 residual (Gear, Gupta, Leimkuhler), its
 * algebraic components and the initial derivatives; any other DAE form is possible. Inertia, force and the closing of
 * the loop remain.
 *
 *        C               C: pin between crank and rod, OC = a, CS = SE = 1
 *      /   \             q: angle of the crank, x: place of the slider S, p: angle of the rod
 *    O ---- S ---- x     spring and damper between the middles of OC and CS, force F on E
 *             \
 *               E */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlagrange/sunlagrange_c.h>

typedef struct {
  double a, J1, m2, J2; /* length of the crank, inertias of crank and rod, mass of the rod */
  double k, c, l0;      /* spring, damper, free length */
  double F;
} Parameters;

static int inertia(double t, const double* q, double* M, void* data) {
  const Parameters* p = data;
  (void)t, (void)q;
  M[0] = p->J1;
  M[4] = p->m2;
  M[8] = p->J2;
  return 0;
}

/* (dx, dy): from one end of the spring to the other; its length pulls along its gradient. */
static int force(double t, const double* q, const double* v, double* Q, void* data) {
  const Parameters* p = data;
  const double dx = q[1] - (cos(q[2]) + p->a * cos(q[0])) / 2.0, dy = -(sin(q[2]) + p->a * sin(q[0])) / 2.0;
  const double length = sqrt(dx * dx + dy * dy);
  double gradient[3], rate = 0.0, pull;
  int i;
  (void)t;
  gradient[0] = (dx * sin(q[0]) - dy * cos(q[0])) * p->a / (2.0 * length);
  gradient[1] = dx / length;
  gradient[2] = (dx * sin(q[2]) - dy * cos(q[2])) / (2.0 * length);
  for (i = 0; i < 3; ++i) rate += gradient[i] * v[i];
  pull = p->k * (length - p->l0) + p->c * rate;
  for (i = 0; i < 3; ++i) Q[i] = -pull * gradient[i];
  Q[1] += p->F;
  Q[2] -= p->F * sin(q[2]);
  return 0;
}

static int closing(double t, const double* q, double* g, void* data) {
  const Parameters* p = data;
  (void)t;
  g[0] = q[1] - cos(q[2]) - p->a * cos(q[0]);
  g[1] = -sin(q[2]) - p->a * sin(q[0]);
  return 0;
}

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "failed: %s; %s\n", what, sunlagrange_error());
  exit(1);
}

static void print(void* ida, double t, N_Vector y) {
  const double* values = N_VGetArrayPointer(y);
  long steps = 0;
  int order = 0;
  sunrealtype step = 0.0;
  IDAGetNumSteps(ida, &steps);
  IDAGetLastOrder(ida, &order);
  IDAGetLastStep(ida, &step);
  printf("%10.4e %12.4e %12.4e %12.4e %4ld %2d %12.4e\n", t, values[0], values[1], values[2], steps, order, step);
}

int main(void) {
  static const char* const rows[] = {"closing.x", "closing.y"};
  static const char* const coordinates[] = {"crank", "slider", "rod"};
  const double pi = 3.14159265358979323846, rtol = 1e-6, atol = 1e-6, t_end = 10.0;
  const int outputs = 40;
  Parameters parameters = {0.5, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0};
  sunlagrange_functions model = {0};
  sunlagrange_layout layout = {0};
  sunlagrange_mechanism* crank;
  sunlagrange_attachment* attachment;
  SUNContext context;
  N_Vector y, yp;
  void* ida;
  sunrealtype t = 0.0;
  long steps = 0, residuals = 0, jacobians = 0, iterations = 0;
  double g[2] = {0.0, 0.0}, v[3], lambda[2];
  int i, flag;

  model.struct_size = sizeof model;
  model.data = &parameters;
  model.num_positions = 3;
  model.num_constraints = 2;
  model.constant_mass_matrix = 1;
  model.mass_matrix = inertia;
  model.applied_force = force;
  model.constraint = closing;
  model.position_names = coordinates;
  model.constraint_names = rows;
  check(sunlagrange_from_functions(&model, &crank) == SUNLAGRANGE_SUCCESS, "model");
  check(sunlagrange_set_options(crank, "{\"formulation\": \"ggl\", \"rtol\": 1e-6, \"atol\": 1e-6}") ==
            SUNLAGRANGE_SUCCESS,
        "options");
  /* The crank stands upright, slider and rod follow. */
  check(sunlagrange_hold_position(crank, "crank", pi / 2.0) == SUNLAGRANGE_SUCCESS, "crank");
  check(sunlagrange_set_position(crank, "slider", 1.0) == SUNLAGRANGE_SUCCESS, "slider");

#if SUNDIALS_VERSION_MAJOR >= 7
  check(SUNContext_Create(SUN_COMM_NULL, &context) == 0, "SUNContext_Create");
#else
  check(SUNContext_Create(NULL, &context) == 0, "SUNContext_Create");
#endif
  layout.struct_size = sizeof layout;
  check(sunlagrange_get_layout(crank, &layout) == SUNLAGRANGE_SUCCESS, "layout");
  check(layout.size == 10 && layout.multipliers == 2 && layout.second_multipliers == 2, "y is q, v, lambda, mu");
  y = N_VNew_Serial(layout.size, context);
  yp = N_VClone(y);
  check(sunlagrange_initial_values(crank, y, yp) == SUNLAGRANGE_SUCCESS, "initial values");
  ida = IDACreate(context);
  check(IDAInit(ida, sunlagrange_ida_residual, 0.0, y, yp) == IDA_SUCCESS, "IDAInit");
  check(IDASStolerances(ida, rtol, atol) == IDA_SUCCESS, "IDASStolerances");
  check(sunlagrange_attach_ida(crank, ida, context, y, SUNLAGRANGE_OWN_TOLERANCES, &attachment) == SUNLAGRANGE_SUCCESS,
        "attach");

  printf("%s\n         t        crank       slider          rod  nst  k            h\n",
         sunlagrange_settings(attachment));
  print(ida, t, y);
  for (i = 1; i <= outputs; ++i) {
    flag = IDASolve(ida, t_end * i / outputs, &t, y, yp, IDA_NORMAL);
    if (flag < 0) fprintf(stderr, "%s\n", sunlagrange_explain(attachment, flag, t));
    check(flag >= 0, "IDASolve");
    print(ida, t, y);
  }
  IDAGetNumSteps(ida, &steps);
  IDAGetNumResEvals(ida, &residuals);
  IDAGetNumJacEvals(ida, &jacobians);
  IDAGetNumNonlinSolvIters(ida, &iterations);
  printf("\nsteps %ld, residuals %ld, Jacobians %ld, Newton iterations %ld\n", steps, residuals, jacobians, iterations);
  check(sunlagrange_motion(attachment, t, y, NULL, v, NULL, lambda) == SUNLAGRANGE_SUCCESS, "motion");
  printf("at the end the pin pushes the rod with (%.4f, %.4f) N\n", -lambda[0], -lambda[1]);

  /* The loop is closed, and the end is where the equation of one degree of freedom ends (tolerances of 1e-13). */
  closing(t, N_VGetArrayPointer(y), g, &parameters);
  check(fabs(g[0]) + fabs(g[1]) < 1e-5, "the loop is closed");
  check(fabs(N_VGetArrayPointer(y)[0] - 1.27567584865) < 1e-4, "the end");

  IDAFree(&ida);
  sunlagrange_detach(&attachment);
  sunlagrange_free(&crank);
  N_VDestroy(y);
  N_VDestroy(yp);
  SUNContext_Free(&context);
  return 0;
}
