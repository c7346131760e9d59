// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <arkode/arkode_arkstep.h>

#include <Eigen/LU>

#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>

#include "formulation/formulation.hpp"
#include "mechanisms/mechanism.hpp"
#include "models.hpp"
#include "raw_sundials.hpp"

/// Products with the Jacobian for a Krylov solver of the application's own.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Context;
using test::SerialVector;

namespace {

VectorXd values(N_Vector v) {
  return VectorXd::Map(N_VGetArrayPointer(v), N_VGetLength(v));
}
void set(N_Vector v, const VectorXd& x) {
  VectorXd::Map(N_VGetArrayPointer(v), N_VGetLength(v)) = x;
}
double relative(const VectorXd& a, const VectorXd& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1e-300, b.lpNorm<Eigen::Infinity>());
}

/// How far `result` of a product misses x, where rounding is that of terms of this size.
double undone(const VectorXd& result, const VectorXd& x, const VectorXd& terms) {
  return (result - x).lpNorm<Eigen::Infinity>() / (x.lpNorm<Eigen::Infinity>() + terms.lpNorm<Eigen::Infinity>());
}

/// What an application has before it attaches.
struct Problem {
  Problem(std::shared_ptr<const MechanicalSystem> of, const InitialState& at, const std::string& formulation)
      : system(std::move(of)), start(consistent_state(system, at).state) {
    options.formulation = formulation;
    options.rtol = 1e-8;
    options.atol = 1e-10;
    options.install_linear_solver = false;
    options.integrator.kind = IntegratorKind::bdf;
  }
  Problem(const mechanisms::Mechanism& m, const std::string& formulation) : Problem(m.system, m.start, formulation) {}
  sunindextype size() const { return num_unknowns(system, start, options); }

  std::shared_ptr<const MechanicalSystem> system;
  MotionState start;
  AttachOptions options;
};

/// CVODE or IDA memory with the library attached, and the user data that the callbacks get.
struct Memory {
  explicit Memory(const Problem& p)
      : y(p.size(), context),
        yp(p.size(), context),
        f(p.size(), context),
        x(p.size(), context),
        Jx(p.size(), context) {}
  Memory(const Memory&) = delete;

  Context context;
  SerialVector y, yp, f, x, Jx;
  void* memory = nullptr;
  void* user_data = nullptr;
};

struct OwnCvode : Memory {
  explicit OwnCvode(const Problem& p) : Memory(p) {
    initial_values(p.system, p.start, p.options, y);
    memory = CVodeCreate(CV_BDF, context);
    BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, p.start.t, y) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSStolerances(memory, p.options.rtol, p.options.atol) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetMaxNumSteps(memory, 100000) == CV_SUCCESS);
    attachment.emplace(attach_cvode(memory, context, y, p.system, p.start, p.options));
    sunrealtype t = 0.0, gamma = 0.0, factor = 0.0;
    N_Vector other[4];
    CVodeGetNonlinearSystemData(memory, &t, &other[0], &other[1], &other[2], &gamma, &factor, &other[3], &user_data);
  }
  ~OwnCvode() { CVodeFree(&memory); }

  int rhs(double t) { return cvode_rhs(t, y, f, user_data); }
  int product(double t) { return cvode_jacobian_times(x, Jx, t, y, f, user_data, nullptr); }

  std::optional<Attachment> attachment;
};

struct OwnIda : Memory {
  explicit OwnIda(const Problem& p) : Memory(p) {
    initial_values(p.system, p.start, p.options, y, yp);
    memory = IDACreate(context);
    BOOST_REQUIRE(IDAInit(memory, ida_residual, p.start.t, y, yp) == IDA_SUCCESS);
    BOOST_REQUIRE(IDASetMaxNumSteps(memory, 100000) == IDA_SUCCESS);
    attachment.emplace(attach_ida(memory, context, y, p.system, p.start, p.options));
    sunrealtype t = 0.0, c = 0.0;
    N_Vector other[5];
    IDAGetNonlinearSystemData(memory, &t, &other[0], &other[1], &other[2], &other[3], &other[4], &c, &user_data);
  }
  ~OwnIda() { IDAFree(&memory); }

  int residual(double t) { return ida_residual(t, y, yp, f, user_data); }
  int product(double t, double c) { return ida_jacobian_times(t, y, yp, f, x, Jx, c, user_data, nullptr, nullptr); }

  std::optional<Attachment> attachment;
};

/// Mechanisms of few unknowns whose rows are independent at the start: where they are not, what rows that contradict
/// each other do jumps with the rank beside the constraints, and no difference quotient exists.
const char* const regular[] = {
    "pendulum",         "two_link",         "andrews",    "car_axis",    "nikravesh", "dc_motor_slider_crank",
    "flyball_governor", "chaplygin_sleigh", "knife_edge", "slider_crank"};

VectorXd direction(Eigen::Index size) {
  return VectorXd::LinSpaced(size, -1.0, 2.0).array().sin();
}

/// Central differences along the direction of x, extrapolated twice.
template <class F>
VectorXd extrapolated(F&& f, double size) {
  const double h = 2e-3 * size;
  VectorXd d[3];
  for (int k = 0; k < 3; ++k) {
    const double step = h / (1 << k);
    d[k] = (f(step) - f(-step)) / (2.0 * step);
  }
  const VectorXd first = (4.0 * d[1] - d[0]) / 3.0, second = (4.0 * d[2] - d[1]) / 3.0;
  return (16.0 * second - first) / 15.0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_of_ode_forms_are_derivatives_and_undo_the_preconditioner) {
  int checked = 0;
  for (const char* name : regular) {
    const mechanisms::Mechanism mechanism = mechanisms::find_mechanism(name).make(0);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (entry.equations != Equations::ode || !entry.objection(*mechanism.system).empty()) continue;
      BOOST_TEST_CONTEXT(name << ", " << entry.name) {
        const Problem p(mechanism, std::string(entry.name));
        OwnCvode own(p);
        const double t = p.start.t;
        BOOST_REQUIRE(own.rhs(t) == 0);
        const VectorXd at = values(own.y), x = direction(at.size());
        const auto rhs = [&](double h) {
          set(own.y, at + h * x);
          BOOST_REQUIRE(own.rhs(t) == 0);
          return values(own.f);
        };
        const VectorXd expected = extrapolated(rhs, 0.1);
        set(own.y, at);
        set(own.x, x);
        BOOST_REQUIRE(own.product(t) == 0);
        BOOST_TEST(relative(values(own.Jx), expected) < 1e-6);
        // J z for z = (I - gamma J)^-1 x
        const double gamma = 1e-3;
        int current = 0;
        BOOST_REQUIRE(cvode_preconditioner_setup(t, own.y, own.f, 0, &current, gamma, own.user_data) == 0);
        BOOST_REQUIRE(cvode_preconditioner_solve(t, own.y, own.f, own.x, own.x, gamma, 0.0, 1, own.user_data) == 0);
        BOOST_REQUIRE(own.product(t) == 0);
        const double gain = gamma * expected.lpNorm<Eigen::Infinity>();
        BOOST_TEST(undone(values(own.x) - gamma * values(own.Jx), x, gain * values(own.x)) < 1e-9);
        ++checked;
      }
    }
  }
  BOOST_TEST(checked > 40);
}

BOOST_AUTO_TEST_CASE(products_of_dae_forms_are_derivatives_and_undo_the_preconditioner) {
  int checked = 0;
  for (const char* name : regular) {
    const mechanisms::Mechanism mechanism = mechanisms::find_mechanism(name).make(0);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (entry.equations != Equations::dae || !entry.objection(*mechanism.system).empty()) continue;
      BOOST_TEST_CONTEXT(name << ", " << entry.name) {
        const Problem p(mechanism, std::string(entry.name));
        OwnIda own(p);
        const double t = p.start.t, c = 1e3;
        BOOST_REQUIRE(own.residual(t) == 0);
        const VectorXd at = values(own.y), rate = values(own.yp), x = direction(at.size());
        const auto residual = [&](double h) {
          set(own.y, at + h * x);
          set(own.yp, rate + h * c * x);
          BOOST_REQUIRE(own.residual(t) == 0);
          return values(own.f);
        };
        const VectorXd expected = extrapolated(residual, 0.1);
        set(own.y, at);
        set(own.yp, rate);
        set(own.x, x);
        BOOST_REQUIRE(own.product(t, c) == 0);
        BOOST_TEST(relative(values(own.Jx), expected) < 1e-7);
        BOOST_REQUIRE(ida_preconditioner_setup(t, own.y, own.yp, own.f, c, own.user_data) == 0);
        BOOST_REQUIRE(ida_preconditioner_solve(t, own.y, own.yp, own.f, own.x, own.x, c, 0.0, own.user_data) == 0);
        BOOST_REQUIRE(own.product(t, c) == 0);
        BOOST_TEST(undone(values(own.Jx), x, expected.lpNorm<Eigen::Infinity>() * values(own.x)) < 1e-9);
        ++checked;
      }
    }
  }
  BOOST_TEST(checked > 30);
}

/// A product is that of its point, whatever was evaluated in between; tangents are evaluated once for a point.
BOOST_AUTO_TEST_CASE(a_product_belongs_to_the_point_it_is_given) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("andrews").make(0);
  for (const char* formulation : {"baumgarte", "coordinate_partitioning", "projected"}) {
    BOOST_TEST_CONTEXT(formulation) {
      const Problem p(mechanism, formulation);
      OwnCvode own(p);
      BOOST_REQUIRE(own.rhs(0.0) == 0);
      const VectorXd here = values(own.y), there = here.array() + 1e-3;
      set(own.x, direction(here.size()));
      const long before = own.attachment->counts().jacobian_evaluations;
      BOOST_REQUIRE(own.product(0.0) == 0);
      const VectorXd first = values(own.Jx);
      BOOST_REQUIRE(own.product(0.0) == 0);
      BOOST_TEST((values(own.Jx) == first));
      BOOST_TEST(own.attachment->counts().jacobian_evaluations == before + 1);
      set(own.y, there);
      BOOST_REQUIRE(own.product(0.0) == 0);
      BOOST_TEST(relative(values(own.Jx), first) > 1e-6);
      BOOST_REQUIRE(own.rhs(0.0) == 0);  // at the other point
      set(own.y, here);
      BOOST_REQUIRE(own.product(0.0) == 0);
      BOOST_TEST(relative(values(own.Jx), first) < 1e-10);
      set(own.y, there);
      BOOST_REQUIRE(own.rhs(0.0) == 0);
      MotionState state;
      set(own.y, here);
      BOOST_REQUIRE(own.product(0.0) == 0);
      BOOST_REQUIRE(own.attachment->motion(0.0, own.y, state));
      BOOST_REQUIRE(own.product(0.0) == 0);
      BOOST_TEST(relative(values(own.Jx), first) < 1e-10);
    }
  }
  const Problem p(mechanism, "stabilized_index1");  // the multipliers stand in y'
  OwnIda own(p);
  BOOST_REQUIRE(own.residual(0.0) == 0);
  const VectorXd here = values(own.yp);
  set(own.x, direction(here.size()));
  BOOST_REQUIRE(own.product(0.0, 10.0) == 0);
  const VectorXd first = values(own.Jx);
  set(own.yp, 1.01 * here);
  BOOST_REQUIRE(own.product(0.0, 10.0) == 0);
  BOOST_TEST(relative(values(own.Jx), first) > 1e-6);
  set(own.yp, here);
  BOOST_REQUIRE(own.product(0.0, 10.0) == 0);
  BOOST_TEST(relative(values(own.Jx), first) < 1e-12);
}

namespace {

/// The application's preconditioner: I - gamma J, or A + c B, with the matrices of the start, made of products.
struct OfTheStart {
  MatrixXd A, B;
  Eigen::PartialPivLU<MatrixXd> lu;
};

template <class Product>
MatrixXd matrix_of(Memory& own, Product&& product) {
  const Eigen::Index size = values(own.y).size();
  MatrixXd J(size, size);
  for (Eigen::Index k = 0; k < size; ++k) {
    set(own.x, VectorXd::Unit(size, k));
    BOOST_REQUIRE(product() == 0);
    J.col(k) = values(own.Jx);
  }
  return J;
}

OfTheStart& start_of(void* user_data) {
  return *static_cast<OfTheStart*>(user_pointer(user_data));
}
int solve_with_start(N_Vector r, N_Vector z, void* user_data) {
  set(z, start_of(user_data).lu.solve(values(r)));
  return 0;
}
int cvode_setup(sunrealtype, N_Vector, N_Vector, int, int* current, sunrealtype gamma, void* user_data) {
  OfTheStart& start = start_of(user_data);
  start.lu.compute(MatrixXd::Identity(start.A.rows(), start.A.cols()) - gamma * start.A);
  *current = 1;
  return 0;
}
int cvode_solve(sunrealtype, N_Vector, N_Vector, N_Vector r, N_Vector z, sunrealtype, sunrealtype, int,
                void* user_data) {
  return solve_with_start(r, z, user_data);
}
int ida_setup(sunrealtype, N_Vector, N_Vector, N_Vector, sunrealtype c, void* user_data) {
  OfTheStart& start = start_of(user_data);
  start.lu.compute(start.A + c * start.B);
  return 0;
}
int ida_solve(sunrealtype, N_Vector, N_Vector, N_Vector, N_Vector r, N_Vector z, sunrealtype, sunrealtype,
              void* user_data) {
  return solve_with_start(r, z, user_data);
}

VectorXd motion_of(Attachment& attachment, double t, N_Vector y) {
  MotionState state;
  BOOST_REQUIRE(attachment.motion(t, y, state));
  VectorXd both(state.q.size() + state.v.size());
  both << state.q, state.v;
  return both;
}

}  // namespace

BOOST_AUTO_TEST_CASE(cvode_with_spgmr_arrives_where_the_direct_solver_does) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("slider_crank").make(0);
  const double t_end = 1.0;
  for (const char* formulation : {"baumgarte", "projected", "coordinate_partitioning", "augmented_lagrangian"}) {
    BOOST_TEST_CONTEXT(formulation) {
      Problem p(mechanism, formulation);
      OwnCvode own(p);
      SUNLinearSolver solver = SUNLinSol_SPGMR(own.y, SUN_PREC_LEFT, 10, own.context);
      BOOST_REQUIRE(CVodeSetLinearSolver(own.memory, solver, nullptr) == CV_SUCCESS);
      BOOST_REQUIRE(CVodeSetPreconditioner(own.memory, cvode_setup, cvode_solve) == CV_SUCCESS);
      BOOST_REQUIRE(CVodeSetJacTimes(own.memory, nullptr, cvode_jacobian_times) == CV_SUCCESS);
      BOOST_REQUIRE(own.rhs(p.start.t) == 0);
      OfTheStart at_start;
      at_start.A = matrix_of(own, [&] { return own.product(p.start.t); });
      own.attachment->set_user_pointer(&at_start);
      sunrealtype t = 0.0;
      const int flag = CVode(own.memory, t_end, own.y, &t, CV_NORMAL);
      BOOST_REQUIRE_MESSAGE(flag >= 0, own.attachment->explain(flag, t).message);
      long quotients = 0, products = 0;
      CVodeGetNumLinRhsEvals(own.memory, &quotients);
      CVodeGetNumJtimesEvals(own.memory, &products);
      BOOST_TEST(quotients == 0);
      BOOST_TEST(products > 20);

      p.options.install_linear_solver = true;
      OwnCvode direct(p);
      BOOST_REQUIRE(CVode(direct.memory, t_end, direct.y, &t, CV_NORMAL) >= 0);
      BOOST_TEST(relative(motion_of(*own.attachment, t, own.y), motion_of(*direct.attachment, t, direct.y)) < 1e-5);
      CVodeFree(&own.memory);
      SUNLinSolFree(solver);
    }
  }
}

BOOST_AUTO_TEST_CASE(ida_with_spgmr_arrives_where_the_direct_solver_does) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("slider_crank").make(0);
  const double t_end = 0.5;
  for (const char* formulation : {"index1", "stabilized_index1", "ggl"}) {
    BOOST_TEST_CONTEXT(formulation) {
      Problem p(mechanism, formulation);
      p.options.rtol = 1e-6;
      p.options.atol = 1e-8;
      OwnIda own(p);
      SUNLinearSolver solver = SUNLinSol_SPGMR(own.y, SUN_PREC_LEFT, 20, own.context);
      BOOST_REQUIRE(IDASetLinearSolver(own.memory, solver, nullptr) == IDA_SUCCESS);
      BOOST_REQUIRE(IDASetPreconditioner(own.memory, ida_setup, ida_solve) == IDA_SUCCESS);
      BOOST_REQUIRE(IDASetJacTimes(own.memory, nullptr, ida_jacobian_times) == IDA_SUCCESS);
      BOOST_REQUIRE(own.residual(p.start.t) == 0);
      OfTheStart at_start;
      at_start.A = matrix_of(own, [&] { return own.product(p.start.t, 0.0); });
      at_start.B = matrix_of(own, [&] { return own.product(p.start.t, 1.0); }) - at_start.A;
      own.attachment->set_user_pointer(&at_start);
      sunrealtype t = 0.0;
      const int flag = IDASolve(own.memory, t_end, &t, own.y, own.yp, IDA_NORMAL);
      BOOST_REQUIRE_MESSAGE(flag >= 0, own.attachment->explain(flag, t).message);
      long quotients = 0, products = 0;
      IDAGetNumLinResEvals(own.memory, &quotients);
      IDAGetNumJtimesEvals(own.memory, &products);
      BOOST_TEST(quotients == 0);
      BOOST_TEST(products > 20);

      p.options.install_linear_solver = true;
      OwnIda direct(p);
      BOOST_REQUIRE(IDASolve(direct.memory, t_end, &t, direct.y, direct.yp, IDA_NORMAL) >= 0);
      BOOST_TEST(relative(motion_of(*own.attachment, t, own.y), motion_of(*direct.attachment, t, direct.y)) < 1e-4);
      IDAFree(&own.memory);
      SUNLinSolFree(solver);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_implicit_method_of_arkode_takes_product_and_matrix_too) {
  for (const bool dense : {false, true}) {
    const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("slider_crank").make(0);
    const Problem p(mechanism, "baumgarte");
    Context context;
    SerialVector y(p.size(), context);
    initial_values(p.system, p.start, p.options, y);
    void* memory = ARKStepCreate(nullptr, arkode_rhs, p.start.t, y, context);
    {
      Attachment attachment = attach_arkode(memory, p.system, p.start, p.options);
      BOOST_REQUIRE(ark::set_tolerances(memory, p.options.rtol, p.options.atol) == 0);
      const SUNMatrix J = dense ? SUNDenseMatrix(p.size(), p.size(), context) : nullptr;
      SUNLinearSolver solver = dense ? SUNLinSol_Dense(y, J, context) : SUNLinSol_SPGMR(y, SUN_PREC_NONE, 10, context);
#if SUNDIALS_VERSION_MAJOR >= 7
      BOOST_REQUIRE(ARKodeSetLinearSolver(memory, solver, J) == 0);
      if (dense)
        BOOST_REQUIRE(ARKodeSetJacFn(memory, cvode_dense_jacobian) == 0);
      else
        BOOST_REQUIRE(ARKodeSetJacTimes(memory, nullptr, cvode_jacobian_times) == 0);
#else
      BOOST_REQUIRE(ARKStepSetLinearSolver(memory, solver, J) == 0);
      if (dense)
        BOOST_REQUIRE(ARKStepSetJacFn(memory, cvode_dense_jacobian) == 0);
      else
        BOOST_REQUIRE(ARKStepSetJacTimes(memory, nullptr, cvode_jacobian_times) == 0);
#endif
      const double t_end = 0.2;
      double t = 0.0;
      int flag = 0;
      while (flag >= 0 && t < t_end) flag = ark::evolve(memory, t_end, y, &t);
      BOOST_REQUIRE_MESSAGE(flag >= 0, attachment.explain(flag, t).message);
      ark::derivative(memory, t_end, 0, y);
      const VectorXd arrived = motion_of(attachment, t_end, y);
      BOOST_TEST(attachment.counts().jacobian_evaluations > (dense ? 0 : 10));
      SimulationOptions options;
      options.rtol = options.atol = 1e-10;
      options.t_end = t_end;
      const Simulation run = simulate(mechanism.system, mechanism.start, options);
      BOOST_REQUIRE(run.status.finished());
      VectorXd expected(arrived.size());
      expected << run.trajectory.q(run.trajectory.size() - 1), run.trajectory.v(run.trajectory.size() - 1);
      BOOST_TEST(relative(arrived, expected) < 1e-5);
      ark::free(&memory);
      SUNLinSolFree(solver);
      if (J != nullptr) SUNMatDestroy(J);
    }
  }
}

namespace {

/// A dense matrix of SUNDIALS.
struct DenseMatrix {
  DenseMatrix(sunindextype rows, sunindextype columns, SUNContext context) : J(SUNDenseMatrix(rows, columns, context)) {}
  DenseMatrix(const DenseMatrix&) = delete;
  ~DenseMatrix() { SUNMatDestroy(J); }
  operator SUNMatrix() const { return J; }
  MatrixXd values() const { return MatrixXd::Map(SM_DATA_D(J), SM_ROWS_D(J), SM_COLUMNS_D(J)); }
  SUNMatrix J;
};

/// The application's direct solver, on a dense matrix that it owns.
struct DenseSolver {
  DenseSolver(const Memory& own, sunindextype size)
      : J(size, size, own.context), solver(SUNLinSol_Dense(own.y, J, own.context)) {}
  DenseSolver(const DenseSolver&) = delete;
  ~DenseSolver() { SUNLinSolFree(solver); }
  DenseMatrix J;
  SUNLinearSolver solver;
};

/// Largest difference of a column to that of differences, over the largest entry of the matrix.
template <class F>
double off_differences(const MatrixXd& J, F&& f) {
  double worst = 0.0;
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    const VectorXd unit = VectorXd::Unit(J.cols(), k);
    const VectorXd expected = extrapolated([&](double h) { return f(h * unit); }, 0.05);
    worst = std::max(worst, (J.col(k) - expected).lpNorm<Eigen::Infinity>());
  }
  return worst / J.lpNorm<Eigen::Infinity>();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_dense_jacobian_is_the_derivative_of_the_equations) {
  int checked = 0;
  for (const char* name : {"pendulum", "slider_crank", "car_axis", "knife_edge"}) {
    const mechanisms::Mechanism mechanism = mechanisms::find_mechanism(name).make(0);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (entry.equations == Equations::one_step || !entry.objection(*mechanism.system).empty()) continue;
      BOOST_TEST_CONTEXT(name << ", " << entry.name) {
        const Problem p(mechanism, std::string(entry.name));
        const double t = p.start.t;
        const auto check = [&](auto& own, auto&& evaluate, auto&& fill, double limit) {
          BOOST_REQUIRE(evaluate(VectorXd::Zero(p.size())) == 0);
          const DenseMatrix J(p.size(), p.size(), own.context);
          std::fill_n(SM_DATA_D(J.J), p.size() * p.size(), 1e300);  // what stands there counts for nothing
          BOOST_REQUIRE(fill(J) == 0);
          const MatrixXd found = J.values();
          BOOST_TEST(off_differences(found, [&](const VectorXd& dy) {
                       BOOST_REQUIRE(evaluate(dy) == 0);
                       return values(own.f);
                     }) < limit);
          ++checked;
        };
        if (entry.equations == Equations::ode) {
          OwnCvode own(p);
          const VectorXd at = values(own.y);
          check(
              own,
              [&](const VectorXd& dy) {
                set(own.y, at + dy);
                return own.rhs(t);
              },
              [&](SUNMatrix J) {
                set(own.y, at);
                return cvode_dense_jacobian(t, own.y, own.f, J, own.user_data, own.x, nullptr, nullptr);
              },
              1e-6);
        } else {
          OwnIda own(p);
          const VectorXd at = values(own.y), rate = values(own.yp);
          const double c = 50.0;
          check(
              own,
              [&](const VectorXd& dy) {
                set(own.y, at + dy);
                set(own.yp, rate + c * dy);
                return own.residual(t);
              },
              [&](SUNMatrix J) {
                set(own.y, at);
                set(own.yp, rate);
                return ida_dense_jacobian(t, c, own.y, own.yp, own.f, J, own.user_data, own.x, nullptr, nullptr);
              },
              1e-7);
        }
      }
    }
  }
  BOOST_TEST(checked > 30);
}

BOOST_AUTO_TEST_CASE(cvode_with_a_dense_solver_arrives_where_the_librarys_does) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("slider_crank").make(0);
  const double t_end = 1.0;
  for (const char* formulation : {"baumgarte", "projected", "augmented_lagrangian"}) {
    BOOST_TEST_CONTEXT(formulation) {
      Problem p(mechanism, formulation);
      OwnCvode own(p);
      const DenseSolver dense(own, p.size());
      BOOST_REQUIRE(CVodeSetLinearSolver(own.memory, dense.solver, dense.J) == CV_SUCCESS);
      BOOST_REQUIRE(CVodeSetJacFn(own.memory, cvode_dense_jacobian) == CV_SUCCESS);
      sunrealtype t = 0.0;
      const int flag = CVode(own.memory, t_end, own.y, &t, CV_NORMAL);
      BOOST_REQUIRE_MESSAGE(flag >= 0, own.attachment->explain(flag, t).message);
      long quotients = 0, matrices = 0;
      CVodeGetNumLinRhsEvals(own.memory, &quotients);
      CVodeGetNumJacEvals(own.memory, &matrices);
      BOOST_TEST(quotients == 0);
      BOOST_TEST(matrices > 0);
      p.options.install_linear_solver = true;
      OwnCvode direct(p);
      BOOST_REQUIRE(CVode(direct.memory, t_end, direct.y, &t, CV_NORMAL) >= 0);
      BOOST_TEST(relative(motion_of(*own.attachment, t, own.y), motion_of(*direct.attachment, t, direct.y)) < 1e-5);
      CVodeFree(&own.memory);
    }
  }
}

BOOST_AUTO_TEST_CASE(ida_with_a_dense_solver_arrives_where_the_librarys_does) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("slider_crank").make(0);
  const double t_end = 0.5;
  for (const char* formulation : {"index1", "stabilized_index1", "ggl"}) {
    BOOST_TEST_CONTEXT(formulation) {
      Problem p(mechanism, formulation);
      p.options.rtol = 1e-6;
      p.options.atol = 1e-8;
      OwnIda own(p);
      const DenseSolver dense(own, p.size());
      BOOST_REQUIRE(IDASetLinearSolver(own.memory, dense.solver, dense.J) == IDA_SUCCESS);
      BOOST_REQUIRE(IDASetJacFn(own.memory, ida_dense_jacobian) == IDA_SUCCESS);
      sunrealtype t = 0.0;
      const int flag = IDASolve(own.memory, t_end, &t, own.y, own.yp, IDA_NORMAL);
      BOOST_REQUIRE_MESSAGE(flag >= 0, own.attachment->explain(flag, t).message);
      long quotients = 0, matrices = 0;
      IDAGetNumLinResEvals(own.memory, &quotients);
      IDAGetNumJacEvals(own.memory, &matrices);
      BOOST_TEST(quotients == 0);
      BOOST_TEST(matrices > 0);
      p.options.install_linear_solver = true;
      OwnIda direct(p);
      BOOST_REQUIRE(IDASolve(direct.memory, t_end, &t, direct.y, direct.yp, IDA_NORMAL) >= 0);
      BOOST_TEST(relative(motion_of(*own.attachment, t, own.y), motion_of(*direct.attachment, t, direct.y)) < 1e-4);
      IDAFree(&own.memory);
    }
  }
}

BOOST_AUTO_TEST_CASE(matrices_that_are_not_dense_or_do_not_fit_are_refused_by_name) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("pendulum").make(0);
  const Problem ode(mechanism, "baumgarte"), dae(mechanism, "ggl");
  const auto refused = [](auto& own, int flag, const char* part) {
    BOOST_TEST(flag == -1);
    BOOST_CHECK_EXCEPTION(own.attachment->rethrow(), Error, [part](const Error& error) {
      return std::string(error.what()).find(part) != std::string::npos;
    });
  };
  for (const int kind : {0, 1, 2, 3}) {
    OwnCvode cvode(ode);
    OwnIda ida(dae);
    BOOST_REQUIRE(cvode.rhs(0.0) == 0);
    BOOST_REQUIRE(ida.residual(0.0) == 0);
    const auto matrix = [kind](sunindextype size, SUNContext context) -> SUNMatrix {
      if (kind == 0) return SUNBandMatrix(size, 1, 1, context);
      if (kind == 1) return SUNDenseMatrix(size, size + 1, context);
      return kind == 2 ? SUNMatNewEmpty(context) : nullptr;
    };
    const char* const part = kind == 0   ? "SUNMATRIX_BAND"
                             : kind == 1 ? "must be square with"
                             : kind == 2 ? "SUNMATRIX_CUSTOM"
                                         : "is null";
    const SUNMatrix for_cvode = matrix(ode.size(), cvode.context), for_ida = matrix(dae.size(), ida.context);
    if (kind == 2) for_cvode->ops->getid = for_ida->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    refused(cvode, cvode_dense_jacobian(0.0, cvode.y, cvode.f, for_cvode, cvode.user_data, cvode.x, nullptr, nullptr),
            part);
    refused(ida, ida_dense_jacobian(0.0, 1.0, ida.y, ida.yp, ida.f, for_ida, ida.user_data, ida.x, nullptr, nullptr),
            part);
    for (SUNMatrix made : {for_cvode, for_ida}) {
      if (kind == 2)
        SUNMatFreeEmpty(made);
      else if (made != nullptr)
        SUNMatDestroy(made);
    }
  }
}

namespace {

/// Has no force right of a wall, at which its tangents end a little earlier.
struct Declining : test::Pendulum {
  template <class T>
  bool applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    test::Pendulum::applied_force(t, q, v, f);
    return value_of(q[0]) <= 1.5;
  }
};

struct Throwing : test::Pendulum {
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    if (value_of(q[0]) > 1.5) throw std::domain_error("no data there");
    test::Pendulum::applied_force(t, q, v, f);
  }
};

const InitialState horizontal{0.0, Eigen::Vector2d(1.0, 0.0), {}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_product_that_cannot_be_evaluated_is_a_recoverable_failure) {
  for (const char* formulation : {"baumgarte", "ggl"}) {
    BOOST_TEST_CONTEXT(formulation) {
      const Problem p(make_system(Declining{}), horizontal, formulation);
      const auto check = [](auto& own, auto&& evaluate, auto&& product) {
        BOOST_REQUIRE(evaluate() == 0);
        set(own.x, direction(values(own.y).size()));
        BOOST_TEST(product() == 0);
        const VectorXd Jx = values(own.Jx), here = values(own.y);
        VectorXd declined = here;
        declined[0] = 2.0;
        set(own.y, declined);
        BOOST_TEST(product() == 1);
        BOOST_TEST(own.attachment->counts().failures.total() > 0);
        set(own.y, here);
        BOOST_TEST(product() == 0);  // what failed is not taken for tangents
        BOOST_TEST((values(own.Jx) - Jx).norm() < 1e-12);
      };
      if (formulation == std::string("ggl")) {
        OwnIda own(p);
        check(
            own, [&] { return own.residual(0.0); }, [&] { return own.product(0.0, 10.0); });
      } else {
        OwnCvode own(p);
        check(
            own, [&] { return own.rhs(0.0); }, [&] { return own.product(0.0); });
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_model_throws_in_a_product_is_kept) {
  const Problem p(make_system(Throwing{}), horizontal, "baumgarte");
  OwnCvode own(p);
  BOOST_REQUIRE(own.rhs(0.0) == 0);
  own.y[0] = 2.0;
  BOOST_TEST(own.product(0.0) == -1);
  BOOST_CHECK_THROW(own.attachment->rethrow(), std::domain_error);
}

BOOST_AUTO_TEST_CASE(foreign_memory_vectors_and_orders_are_refused) {
  const Problem p(make_system(test::Pendulum{}), horizontal, "baumgarte");
  OwnCvode own(p);
  int foreign[4] = {1, 2, 3, 4};
  BOOST_TEST(cvode_jacobian_times(own.x, own.Jx, 0.0, own.y, own.f, foreign, nullptr) == -1);
  BOOST_TEST(cvode_jacobian_times(own.x, own.Jx, 0.0, own.y, own.f, nullptr, nullptr) == -1);
  BOOST_TEST(ida_jacobian_times(0.0, own.y, own.yp, own.f, own.x, own.Jx, 1.0, foreign, nullptr, nullptr) == -1);
  // no right-hand side of the library was evaluated: the integrator integrates something else
  BOOST_TEST(own.product(0.0) == -1);
  BOOST_CHECK_EXCEPTION(own.attachment->rethrow(), Error, [](const Error& error) {
    return std::string(error.what()).find("cvode_rhs") != std::string::npos;
  });
  BOOST_REQUIRE(own.rhs(0.0) == 0);
  const SerialVector shorter(3, own.context);
  BOOST_TEST(cvode_jacobian_times(shorter, own.Jx, 0.0, own.y, own.f, own.user_data, nullptr) == -1);
  BOOST_CHECK_THROW(own.attachment->rethrow(), Error);
  own.attachment.reset();  // ended before the integrator
  BOOST_TEST(own.product(0.0) == -1);
}
