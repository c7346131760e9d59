// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>

#include <arkode/arkode_arkstep.h>

#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>

#include "mechanisms/mechanism.hpp"
#include "raw_sundials.hpp"

/// Kinematic programs on integrator memory that the application owns.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using test::Context;
using test::SerialVector;

namespace {

struct Case {
  mechanisms::Mechanism mechanism = mechanisms::find_mechanism("breathing_torus_program").make(0);
  MotionState start = consistent_state(mechanism.system, mechanism.start).state;
  AttachOptions options;
  static constexpr double t_end = 3.0;

  Case() {
    options.formulation = "integral_manifold";
    options.gains.K_N = 5.0;
    options.rtol = options.atol = 1e-9;
    options.t_span = t_end;
  }

  void check(Attachment& attachment, const SerialVector& y) const {
    const auto exact = mechanism.reference(t_end);
    MotionState state;
    BOOST_REQUIRE(attachment.motion(t_end, y, state));
    BOOST_TEST((state.q - exact->q).norm() < 1e-6);
    BOOST_TEST((state.v - exact->v).norm() < 1e-5);
    // y'' by differences of the exact velocity
    const double h = 1e-5;
    const Eigen::VectorXd a = (mechanism.reference(t_end + h)->v - mechanism.reference(t_end - h)->v) / (2.0 * h);
    BOOST_TEST((state.a - a).norm() < 1e-4);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(own_cvode_follows_a_program) {
  for (const int method : {CV_BDF, CV_ADAMS}) {
    const Case c;
    const Context context;
    BOOST_TEST(num_unknowns(c.mechanism.system, c.start, c.options) == 4);
    const SerialVector y(4, context);
    initial_values(c.mechanism.system, c.start, c.options, y, nullptr);
    void* memory = CVodeCreate(method, context);
    BOOST_REQUIRE(CVodeInit(memory, cvode_rhs, c.start.t, y) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSStolerances(memory, c.options.rtol, c.options.atol) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetMaxNumSteps(memory, 100000) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetStopTime(memory, Case::t_end) == CV_SUCCESS);
    {
      Attachment attachment = attach_cvode(memory, context, y, c.mechanism.system, c.start, c.options);
      sunrealtype t = 0.0;
      BOOST_TEST(CVode(memory, Case::t_end, y, &t, CV_NORMAL) >= 0);
      c.check(attachment, y);
      BOOST_TEST(attachment.counts().jacobian_evaluations > 0);
      CVodeFree(&memory);
    }
  }
}

BOOST_AUTO_TEST_CASE(own_arkode_follows_a_program) {
  const Case c;
  const Context context;
  const SerialVector y(4, context);
  initial_values(c.mechanism.system, c.start, c.options, y, nullptr);
  void* memory = ARKStepCreate(arkode_rhs, nullptr, c.start.t, y, context);
  BOOST_REQUIRE(memory != nullptr);
  BOOST_REQUIRE(ark::set_tolerances(memory, c.options.rtol, c.options.atol) == ARK_SUCCESS);
  BOOST_REQUIRE(ark::set_stop_time(memory, Case::t_end) == ARK_SUCCESS);
  {
    Attachment attachment = attach_arkode(memory, c.mechanism.system, c.start, c.options);
    sunrealtype t = 0.0;
    while (t < Case::t_end) BOOST_REQUIRE(ark::evolve(memory, Case::t_end, y, &t) >= 0);
    c.check(attachment, y);
    ark::free(&memory);
  }
}
