// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <memory>
#include <string>

#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <sunlagrange/sunlagrange.hpp>

#include "model/evaluation.hpp"
#include "sundials/compatibility.hpp"

/// SUNDIALS as an application meets it, without the library's formulations and settings.
namespace sunlagrange::test {

using namespace internal;

struct Context {
  Context() { BOOST_REQUIRE(create_context(&context) == 0); }
  Context(const Context&) = delete;
  ~Context() { SUNContext_Free(&context); }
  operator SUNContext() const { return context; }
  SUNContext context = nullptr;
};

struct SerialVector {
  SerialVector(sunindextype size, SUNContext context) : v(N_VNew_Serial(size, context)) {}
  SerialVector(const SerialVector&) = delete;
  ~SerialVector() { N_VDestroy(v); }
  operator N_Vector() const { return v; }
  double& operator[](int i) const { return N_VGetArrayPointer(v)[i]; }
  N_Vector v;
};

/// The index-3 form as in the textbook, y = (q, v, lambda), given to IDA with a dense matrix, exact Jacobian and
/// nothing else: q' - v = 0, M v' + G^T lambda - f = 0, g = 0. Position constraints only.
class TextbookIndex3 {
 public:
  TextbookIndex3(std::shared_ptr<const MechanicalSystem> system, const MotionState& start, double tolerance)
      : system_(std::move(system)),
        workspace_(make_workspace(*system_, internal::Storage::dense)),
        n_(system_->num_positions()),
        m_(system_->num_constraints()),
        y(2 * n_ + m_, context_),
        yp(2 * n_ + m_, context_) {
    for (int i = 0; i < n_; ++i) {
      y[i] = start.q[i];
      y[n_ + i] = yp[i] = start.v[i];
      yp[n_ + i] = start.a[i];
    }
    for (int i = 0; i < m_; ++i) {
      y[2 * n_ + i] = start.lambda[i];
      yp[2 * n_ + i] = 0.0;
    }
    ida = IDACreate(context_);
    messages_.install_on_context(context_);
    messages_.install_on_ida(ida);
    BOOST_REQUIRE(IDAInit(ida, residual, start.t, y, yp) == IDA_SUCCESS);
    BOOST_REQUIRE(IDASetUserData(ida, this) == IDA_SUCCESS);
    BOOST_REQUIRE(IDASStolerances(ida, tolerance, tolerance) == IDA_SUCCESS);
    matrix_ = SUNDenseMatrix(2 * n_ + m_, 2 * n_ + m_, context_);
    solver_ = SUNLinSol_Dense(y, matrix_, context_);
    BOOST_REQUIRE(IDASetLinearSolver(ida, solver_, matrix_) == IDA_SUCCESS);
    BOOST_REQUIRE(IDASetJacFn(ida, jacobian) == IDA_SUCCESS);
    BOOST_REQUIRE(IDASetMaxNumSteps(ida, -1) == IDA_SUCCESS);
  }
  TextbookIndex3(const TextbookIndex3&) = delete;
  ~TextbookIndex3() {
    IDAFree(&ida);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
  }

  /// Takes unknowns from `first` on out of the error test: n for v and lambda, 2 n for lambda.
  void mask_from(int first) const {
    const SerialVector id(2 * n_ + m_, context_);
    for (int i = 0; i < 2 * n_ + m_; ++i) id[i] = i < first ? 1.0 : 0.0;
    BOOST_REQUIRE(IDASetId(ida, id) == IDA_SUCCESS);
    BOOST_REQUIRE(IDASetSuppressAlg(ida, SUNTRUE) == IDA_SUCCESS);
  }

  /// Steps until t_end, most_steps or failure; calls use(t) after each.
  template <class Use>
  int run(double t_end, long most_steps, Use&& use) {
    int flag = 0;
    while (t < t_end && steps < most_steps) {
      flag = IDASolve(ida, t_end, &t, y, yp, IDA_ONE_STEP);
      if (flag < 0) break;
      ++steps;
      use(t);
    }
    return flag;
  }

  void* ida = nullptr;
  double t = 0.0;
  long steps = 0;

 private:
  static TextbookIndex3& self(void* data) { return *static_cast<TextbookIndex3*>(data); }

  static int residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void* data) {
    const TextbookIndex3& s = self(data);
    const double *x = N_VGetArrayPointer(y), *xp = N_VGetArrayPointer(yp);
    internal::Workspace& w = *s.workspace_;
    if (!evaluate_system(*s.system_, internal::request::acceleration_level, {t, x, x + s.n_, nullptr, nullptr}, w))
      return 1;
    double* out = N_VGetArrayPointer(r);
    for (int i = 0; i < s.n_; ++i) {
      out[i] = xp[i] - x[s.n_ + i];
      double sum = -w.f[i];
      for (int k = 0; k < s.n_; ++k) sum += w.M(i, k) * xp[s.n_ + k];
      for (int k = 0; k < s.m_; ++k) sum += w.G(k, i) * x[2 * s.n_ + k];
      out[s.n_ + i] = sum;
    }
    for (int k = 0; k < s.m_; ++k) out[2 * s.n_ + k] = w.g[k];
    return 0;
  }

  static int jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J, void* data,
                      N_Vector, N_Vector, N_Vector) {
    const TextbookIndex3& s = self(data);
    const int n = s.n_;
    const double *x = N_VGetArrayPointer(y), *xp = N_VGetArrayPointer(yp);
    internal::Workspace& w = *s.workspace_;
    if (!evaluate_system(*s.system_, internal::request::acceleration_level | internal::request::tangent,
                         {t, x, x + n, xp + n, x + 2 * n}, w))
      return 1;
    for (int i = 0; i < n; ++i) {
      SM_ELEMENT_D(J, i, i) = c;
      SM_ELEMENT_D(J, i, n + i) = -1.0;
      for (int k = 0; k < n; ++k) {
        SM_ELEMENT_D(J, n + i, k) = w.r_q(i, k);
        SM_ELEMENT_D(J, n + i, n + k) = c * w.M(i, k) + w.r_v(i, k);
      }
      for (int k = 0; k < s.m_; ++k) {
        SM_ELEMENT_D(J, n + i, 2 * n + k) = SM_ELEMENT_D(J, 2 * n + k, i) = w.G(k, i);
      }
    }
    return 0;
  }

  Context context_;
  MessageCapture messages_;
  std::shared_ptr<const MechanicalSystem> system_;
  std::unique_ptr<internal::Workspace> workspace_;
  int n_, m_;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;

 public:
  SerialVector y, yp;
};

}  // namespace sunlagrange::test
