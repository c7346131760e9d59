// A C-style application that owns everything SUNDIALS: context, vector, CVODE memory, tolerances, root function, user
// data. sunlagrange is attached as a plug-in and must change none of the application's settings; that is asserted at
// the end. Links only SUNDIALS and sunlagrange.

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cvode/cvode.h>

#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/new_vector.hpp>
#include <sunlagrange/sunlagrange.hpp>

using sunlagrange::MatrixView;
using sunlagrange::View;

struct Pendulum {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  }
};

struct ApplicationData {
  int roots_seen = 0;
  double threshold = 0.0;
};

// Root: the bob passes below the pivot. The application's own pointer is reached through user_pointer().
static int passes_below(sunrealtype, N_Vector y, sunrealtype* root, void* user_data) {
  const auto* data = static_cast<ApplicationData*>(sunlagrange::user_pointer(user_data));
  root[0] = N_VGetArrayPointer(y)[0] - data->threshold;
  return 0;
}

static void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "own_cvode: failed: %s\n", what);
  std::exit(1);
}

static SUNContext make_context() {
  SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
  require(SUNContext_Create(SUN_COMM_NULL, &context) == 0, "SUNContext_Create");
#else
  require(SUNContext_Create(nullptr, &context) == 0, "SUNContext_Create");
#endif
  return context;
}

int main() {
  const double rtol = 1e-8;
  const double atol = 1e-10;
  const int max_order = 4;
  const double max_step = 0.05;
  ApplicationData data;

  SUNContext context = make_context();
  const auto system = sunlagrange::make_system(Pendulum{});
  const auto start = sunlagrange::consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}});
  sunlagrange::AttachOptions options;
  options.formulation = "baumgarte";
  N_Vector y = sunlagrange::new_vector(sunlagrange::num_unknowns(system, start.state, options), context);
  sunlagrange::initial_values(system, start.state, options, y);

  void* cvode = CVodeCreate(CV_BDF, context);
  require(CVodeInit(cvode, sunlagrange::cvode_rhs, 0.0, y) == CV_SUCCESS, "CVodeInit");
  require(CVodeSStolerances(cvode, rtol, atol) == CV_SUCCESS, "CVodeSStolerances");
  require(CVodeSetMaxOrd(cvode, max_order) == CV_SUCCESS, "CVodeSetMaxOrd");
  require(CVodeSetMaxStep(cvode, max_step) == CV_SUCCESS, "CVodeSetMaxStep");
  require(CVodeSetMaxNumSteps(cvode, 5000) == CV_SUCCESS, "CVodeSetMaxNumSteps");
  require(CVodeRootInit(cvode, 1, passes_below) == CV_SUCCESS, "CVodeRootInit");

  {
    sunlagrange::Attachment attachment = sunlagrange::attach_cvode(cvode, context, y, system, start.state, options);
    attachment.set_user_pointer(&data);

    double t = 0.0;
    double largest_step = 0.0;
    int largest_order = 0;
    N_Vector step_start = N_VClone(y);  // CVODE computes its error weights there
    double t_internal = 0.0;
    while (t < 10.0) {
      CVodeGetCurrentTime(cvode, &t_internal);
      CVodeGetDky(cvode, t_internal, 0, step_start);
      const int flag = CVode(cvode, 10.0, y, &t, CV_ONE_STEP);
      require(flag >= 0, "CVode");
      if (flag == CV_ROOT_RETURN) ++data.roots_seen;
      double h = 0.0;
      int order = 0;
      CVodeGetLastStep(cvode, &h);
      CVodeGetLastOrder(cvode, &order);
      largest_step = std::fmax(largest_step, h);
      largest_order = order > largest_order ? order : largest_order;
    }
    require(CVodeGetDky(cvode, 10.0, 0, y) == CV_SUCCESS, "CVodeGetDky");
    const double* values = N_VGetArrayPointer(y);

    // Exact solution of the pendulum at t = 10, from elliptic functions.
    const double error =
        std::fmax(std::fabs(values[0] - 0.27508746257611686), std::fabs(values[1] + 0.961419205099125064));
    std::printf("x(10) = %.9f, y(10) = %.9f, error %.1e, passages below the pivot %d, largest order %d\n", values[0],
                values[1], error, data.roots_seen, largest_order);

    // The application's settings are still the application's.
    require(error < 1e-4, "accuracy asked for by the application's tolerances");
    require(largest_order <= max_order, "maximum order unchanged");
    require(largest_step <= max_step * (1.0 + 1e-12), "maximum step unchanged");
    require(data.roots_seen == 8, "root function and user data unchanged");
    N_Vector weights = N_VClone(y);
    require(CVodeGetErrWeights(cvode, weights) == CV_SUCCESS, "CVodeGetErrWeights");
    for (int i = 0; i < 4; ++i) {
      const double expected = 1.0 / (rtol * std::fabs(N_VGetArrayPointer(step_start)[i]) + atol);
      require(std::fabs(N_VGetArrayPointer(weights)[i] / expected - 1.0) < 1e-9, "tolerances unchanged");
    }
    N_VDestroy(step_start);
    N_VDestroy(weights);
    CVodeFree(&cvode);  // before the attachment goes
  }
  N_VDestroy(y);
  SUNContext_Free(&context);
  return 0;
}
