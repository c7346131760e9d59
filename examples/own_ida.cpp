// IDA memory that the application owns, with a DAE form attached: y and y' from initial_values, a root function that
// gets the application's own pointer back, the motion and the multiplier behind y at the end.

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <idas/idas.h>
#include <nvector/nvector_serial.h>

#include <sunlagrange/sundials/attach_ida.hpp>
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

// Root: the bob passes a height.
static int passes(sunrealtype, N_Vector y, N_Vector, sunrealtype* root, void* user_data) {
  root[0] = N_VGetArrayPointer(y)[1] - *static_cast<double*>(sunlagrange::user_pointer(user_data));
  return 0;
}

static void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "own_ida: failed: %s\n", what);
  std::exit(1);
}

int main() {
  SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
  require(SUNContext_Create(SUN_COMM_NULL, &context) == 0, "SUNContext_Create");
#else
  require(SUNContext_Create(nullptr, &context) == 0, "SUNContext_Create");
#endif
  const auto system = sunlagrange::make_system(Pendulum{});
  const auto start = sunlagrange::consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}});
  sunlagrange::AttachOptions options;
  options.formulation = "ggl";
  options.rtol = 1e-8;  // attach_ida makes the error weights of these two
  options.atol = 1e-10;
  N_Vector y = N_VNew_Serial(sunlagrange::num_unknowns(system, start.state, options), context), yp = N_VClone(y);
  sunlagrange::initial_values(system, start.state, options, y, yp);

  void* ida = IDACreate(context);
  double height = -0.5;
  require(IDAInit(ida, sunlagrange::ida_residual, 0.0, y, yp) == IDA_SUCCESS, "IDAInit");
  require(IDASetUserData(ida, &height) == IDA_SUCCESS, "IDASetUserData");  // before attaching: it is kept
  require(IDARootInit(ida, 1, passes) == IDA_SUCCESS, "IDARootInit");
  {
    sunlagrange::Attachment attachment = sunlagrange::attach_ida(ida, context, y, system, start.state, options);
    double t = 0.0;
    int passages = 0;
    while (t < 10.0) {
      const int flag = IDASolve(ida, 10.0, &t, y, yp, IDA_NORMAL);
      if (flag < 0) std::fprintf(stderr, "%s\n", attachment.explain(flag, t).message.c_str());
      require(flag >= 0, "IDASolve");
      if (flag == IDA_ROOT_RETURN) ++passages;
    }
    sunlagrange::MotionState end;
    require(attachment.motion(t, y, end), "motion");
    const double length = end.q.norm();
    const double force = -end.lambda[0] * length;    // along the rod, outwards
    const double expected = 3.0 * 9.81 * end.q.y();  // from rest at the height of the pivot: v^2 = -2 g y
    std::printf("q(10) = %.6f %.6f after %d passages, force of the rod %.4f N\n", end.q.x(), end.q.y(), passages,
                force);
    require(passages > 4 && std::fabs(length - 1.0) < 1e-7 && std::fabs(force - expected) < 1e-4, "the motion");
    IDAFree(&ida);
  }
  N_VDestroy(y);
  N_VDestroy(yp);
  SUNContext_Free(&context);
  return 0;
}
