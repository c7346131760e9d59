/* In C: a model file on CVODE memory of the program's own; from_file to attach_cvode is all that comes. */
#include <math.h>
#include <stdio.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlagrange/sunlagrange_c.h>

int main(void) {
  sunlagrange_mechanism* model = NULL;
  sunlagrange_attachment* attached = NULL;
  sunlagrange_layout layout = {0};
  double q[9]; /* sunlagrange_num_positions(model): three bars */
  SUNContext context;
  sunrealtype t = 0.0;
  int flag = -1;
#if SUNDIALS_VERSION_MAJOR >= 7
  SUNContext_Create(SUN_COMM_NULL, &context);
#else
  SUNContext_Create(NULL, &context);
#endif
  void* cvode = CVodeCreate(CV_BDF, context);
  layout.struct_size = sizeof layout;
  int bad = sunlagrange_from_file("four_bar.json", &model) || sunlagrange_set_text(model, "formulation", "projected") ||
            sunlagrange_get_layout(model, &layout);
  N_Vector y = N_VNew_Serial(layout.size, context);
  bad = bad || sunlagrange_initial_values(model, y, NULL) || CVodeInit(cvode, sunlagrange_cvode_rhs, t, y) ||
        CVodeSStolerances(cvode, 1e-6, 1e-8) || sunlagrange_attach_cvode(model, cvode, context, y, 0, &attached);
  if (!bad) flag = CVode(cvode, 3.0, y, &t, CV_NORMAL);
  if (flag < 0) return puts(bad ? sunlagrange_error() : sunlagrange_explain(attached, flag, t)), 1;
  sunlagrange_motion(attached, t, y, q, NULL, NULL, NULL);
  const double phi = q[sunlagrange_position_index(model, "crank.phi")], driven = acos(0.5) + 6.0 * t; /* [rad] */
  printf("t = %g s: crank.phi = %.6f, its motor says %.6f\n", t, phi, driven);
  sunlagrange_detach(&attached);
  sunlagrange_free(&model);
  CVodeFree(&cvode);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return fabs(phi - driven) < 1e-3 ? 0 : 1;
}
