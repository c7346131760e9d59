// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <Eigen/Core>

#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>

#include "formulation/formulation.hpp"
#include "mechanisms/mechanism.hpp"
#include "raw_sundials.hpp"

#if SUNLAGRANGE_TEST_SUNDIALS_KLU
#include <sunlinsol/sunlinsol_klu.h>
#endif

/// The Jacobian as a sparse matrix for a linear solver of the application.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using test::Context;
using test::SerialVector;

namespace {

struct Application {
  Application(const mechanisms::Mechanism& m, std::string_view formulation)
      : system(m.system), start(consistent_state(m.system, m.start).state) {
    options.formulation = std::string(formulation);
    options.rtol = 1e-6;
    options.atol = 1e-8;
    options.install_linear_solver = false;
    size = num_unknowns(system, start, options);
    for (auto* vector : {&y, &yp, &f, &scratch}) vector->emplace(size, context);
    initial_values(system, start, options, *y, *yp);
    is_ode = find_formulation(formulation).equations == Equations::ode;
    if (is_ode) {
      memory = CVodeCreate(CV_BDF, context);
      BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, start.t, *y) == CV_SUCCESS);
      BOOST_REQUIRE(CVodeSStolerances(memory, options.rtol, options.atol) == CV_SUCCESS);
      attachment.emplace(attach_cvode(memory, context, *y, system, start, options));
      sunrealtype t = 0.0, gamma = 0.0, factor = 0.0;
      N_Vector other[4];
      CVodeGetNonlinearSystemData(memory, &t, &other[0], &other[1], &other[2], &gamma, &factor, &other[3], &user_data);
    } else {
      memory = IDACreate(context);
      BOOST_REQUIRE(IDAInit(memory, ida_residual, start.t, *y, *yp) == IDA_SUCCESS);
      attachment.emplace(attach_ida(memory, context, *y, system, start, options));
      sunrealtype t = 0.0, c = 0.0;
      N_Vector other[5];
      IDAGetNonlinearSystemData(memory, &t, &other[0], &other[1], &other[2], &other[3], &other[4], &c, &user_data);
    }
  }
  Application(const Application&) = delete;
  ~Application() { is_ode ? CVodeFree(&memory) : IDAFree(&memory); }

  /// Fills J at the start, after an evaluation of the equations there, as integrators do.
  int fill(SUNMatrix J, bool sparse) {
    constexpr double c = 50.0;
    BOOST_REQUIRE((is_ode ? cvode_rhs(start.t, *y, *f, user_data) : ida_residual(start.t, *y, *yp, *f, user_data)) ==
                  0);
    if (is_ode)
      return (sparse ? cvode_sparse_jacobian : cvode_dense_jacobian)(start.t, *y, *f, J, user_data, *scratch, nullptr,
                                                                     nullptr);
    return (sparse ? ida_sparse_jacobian : ida_dense_jacobian)(start.t, c, *y, *yp, *f, J, user_data, *scratch, nullptr,
                                                               nullptr);
  }

  Context context;
  std::shared_ptr<const MechanicalSystem> system;
  MotionState start;
  AttachOptions options;
  sunindextype size = 0;
  std::optional<SerialVector> y, yp, f, scratch;
  bool is_ode = false;
  void* memory = nullptr;
  void* user_data = nullptr;
  std::optional<Attachment> attachment;
};

MatrixXd dense_values(SUNMatrix J) {
  return MatrixXd::Map(SM_DATA_D(J), SM_ROWS_D(J), SM_COLUMNS_D(J));
}

MatrixXd sparse_values(SUNMatrix J) {
  MatrixXd values = MatrixXd::Zero(SM_ROWS_S(J), SM_COLUMNS_S(J));
  for (sunindextype j = 0; j < SM_COLUMNS_S(J); ++j) {
    for (sunindextype k = SM_INDEXPTRS_S(J)[j]; k < SM_INDEXPTRS_S(J)[j + 1]; ++k)
      values(SM_INDEXVALS_S(J)[k], j) = SM_DATA_S(J)[k];
  }
  return values;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sparse_jacobian_is_the_dense_one) {
  int checked = 0;
  for (const char* name : {"pendulum", "slider_crank", "car_axis", "knife_edge", "chain"}) {
    const mechanisms::MechanismEntry& mechanism_entry = mechanisms::find_mechanism(name);
    const mechanisms::Mechanism mechanism = mechanism_entry.make(mechanism_entry.default_size);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (entry.equations == Equations::one_step || !entry.objection(*mechanism.system).empty()) continue;
      BOOST_TEST_CONTEXT(name << ", " << entry.name) {
        Application own(mechanism, entry.name);
        const sunindextype nonzeros = own.attachment->jacobian_nonzeros();
        SUNMatrix dense = SUNDenseMatrix(own.size, own.size, own.context);
        SUNMatrix sparse = SUNSparseMatrix(own.size, own.size, nonzeros, CSC_MAT, own.context);
        BOOST_REQUIRE(own.fill(dense, false) == 0);
        BOOST_REQUIRE(own.fill(sparse, true) == 0);
        const MatrixXd J = dense_values(dense), S = sparse_values(sparse);
        BOOST_TEST((J - S).lpNorm<Eigen::Infinity>() <= 1e-14 * J.lpNorm<Eigen::Infinity>());
        SUNMatZero(sparse);  // as CVODE and IDA do before each call
        BOOST_REQUIRE(own.fill(sparse, true) == 0);
        BOOST_TEST((sparse_values(sparse) - S).lpNorm<Eigen::Infinity>() == 0.0);
        SUNMatDestroy(dense);
        SUNMatDestroy(sparse);
        ++checked;
      }
    }
  }
  BOOST_TEST(checked > 40);
}

BOOST_AUTO_TEST_CASE(the_pattern_of_a_chain_grows_with_its_length) {
  for (const char* formulation : {"index2", "index3", "ggl", "stabilized_index1"}) {
    sunindextype entries[2];
    for (const int k : {0, 1}) {
      Application own(mechanisms::find_mechanism("chain").make(k == 0 ? 10 : 20), formulation);
      entries[k] = own.attachment->jacobian_nonzeros();
      BOOST_TEST(entries[k] < own.size * own.size / 5, formulation);
    }
    BOOST_TEST(entries[1] < 2.2 * static_cast<double>(entries[0]), formulation);
  }
}

BOOST_AUTO_TEST_CASE(matrices_that_are_not_sparse_or_do_not_fit_are_refused_by_name) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("pendulum").make(0);
  for (const char* formulation : {"baumgarte", "ggl"}) {
    for (const int kind : {0, 1, 2, 3, 4}) {
      Application own(mechanism, formulation);
      const sunindextype n = own.size, nonzeros = own.attachment->jacobian_nonzeros();
      SUNMatrix J = kind == 0   ? SUNDenseMatrix(n, n, own.context)
                    : kind == 1 ? SUNSparseMatrix(n, n, nonzeros, CSR_MAT, own.context)
                    : kind == 2 ? SUNSparseMatrix(n, n + 1, nonzeros, CSC_MAT, own.context)
                    : kind == 3 ? SUNSparseMatrix(n, n, nonzeros - 1, CSC_MAT, own.context)
                                : nullptr;
      const char* const part = kind == 0   ? "SUNMATRIX_DENSE"
                               : kind == 1 ? "CSR_MAT"
                               : kind == 2 ? "must be square with"
                               : kind == 3 ? "must have room for"
                                           : "is null";
      BOOST_TEST(own.fill(J, true) == -1);
      BOOST_CHECK_EXCEPTION(own.attachment->rethrow(), Error, [part](const Error& error) {
        return std::string(error.what()).find(part) != std::string::npos;
      });
      if (J != nullptr) SUNMatDestroy(J);
    }
  }
}

#if SUNLAGRANGE_TEST_SUNDIALS_KLU
BOOST_AUTO_TEST_CASE(runs_with_klu_of_sundials_arrive_where_the_librarys_solver_does) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("chain").make(8);
  for (const char* formulation : {"baumgarte", "ggl", "stabilized_index1"}) {
    BOOST_TEST_CONTEXT(formulation) {
      Application own(mechanism, formulation);
      SUNMatrix J = SUNSparseMatrix(own.size, own.size, own.attachment->jacobian_nonzeros(), CSC_MAT, own.context);
      SUNLinearSolver klu = SUNLinSol_KLU(*own.y, J, own.context);
      sunrealtype t = 0.0;
      const double t_end = 0.3;
      int flag = 0;
      if (own.is_ode) {
        BOOST_REQUIRE(CVodeSetLinearSolver(own.memory, klu, J) == CV_SUCCESS);
        BOOST_REQUIRE(CVodeSetJacFn(own.memory, cvode_sparse_jacobian) == CV_SUCCESS);
        BOOST_REQUIRE(CVodeSetMaxNumSteps(own.memory, 100000) == CV_SUCCESS);
        flag = CVode(own.memory, t_end, *own.y, &t, CV_NORMAL);
      } else {
        BOOST_REQUIRE(IDASetLinearSolver(own.memory, klu, J) == IDA_SUCCESS);
        BOOST_REQUIRE(IDASetJacFn(own.memory, ida_sparse_jacobian) == IDA_SUCCESS);
        BOOST_REQUIRE(IDASetMaxNumSteps(own.memory, 100000) == IDA_SUCCESS);
        flag = IDASolve(own.memory, t_end, &t, *own.y, *own.yp, IDA_NORMAL);
      }
      BOOST_REQUIRE_MESSAGE(flag >= 0, own.attachment->explain(flag, t).message);
      MotionState end;
      BOOST_REQUIRE(own.attachment->motion(t, *own.y, end));
      SimulationOptions options;
      options.formulation = formulation;
      options.rtol = 1e-8;
      options.atol = 1e-10;
      options.t_end = t_end;
      const Simulation run = simulate(mechanism.system, mechanism.start, options);
      BOOST_TEST((end.q - run.trajectory.q(run.trajectory.size() - 1)).lpNorm<Eigen::Infinity>() < 1e-4);
      own.is_ode ? CVodeFree(&own.memory) : IDAFree(&own.memory);
      SUNLinSolFree(klu);
      SUNMatDestroy(J);
    }
  }
}
#endif
