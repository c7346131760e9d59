// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/elements/coordinate/prescribed.hpp>
#include <sunlagrange/elements/network/hydraulic_cylinder.hpp>
#include <sunlagrange/elements/planar/coincidence.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "formulation/formulation.hpp"
#include "models.hpp"

/// Error weights of multipliers. In a step h an error d of multiplier k changes v' by B_k d, B = M^-1 G^T, v by h B_k d
/// and q by h^2 B_k d; a multiplier mu of the correction q' = v - B mu changes q by h B_k d. The weight of a multiplier
/// is the mean square root of these changes for d = 1, each over the tolerance of its coordinate.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

/// Masses that differ, so that M^-1 is seen.
struct Bead {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 2.0;
    M(1, 1) = 50.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = 1.0;
    f[1] = -2.0;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[0] * q[0] + 3.0 * q[1] - 1.0;
  }
};

constexpr double rtol = 1e-5, atol = 1e-7, t_span = 10.0, h = 0.03;
constexpr double absolute = atol;  // outside of this namespace the C library has another atol
const Vector2d q(0.5, 0.25), v(0.6, -0.2), a(0.3, -0.34);
const double lambda = 0.7;

FormulationInput input_of(const char* formulation, const std::shared_ptr<const MechanicalSystem>& system,
                          const MotionState& start) {
  FormulationInput input;
  input.formulation = formulation;
  input.system = system;
  input.start = start;
  input.rtol = rtol;
  input.atol = atol;
  input.t_span = t_span;
  return input;
}

/// Returns the weights of the multipliers of a bead at its start.
VectorXd weights(const char* formulation, double lambda_now = lambda) {
  const MotionState start = {0.0, q, v, a, VectorXd::Constant(1, lambda)};
  const auto form =
      as<DaeFormulation>(find_formulation(formulation).make(input_of(formulation, make_system(Bead{}), start)));
  VectorXd y(form->size()), yp(form->size()), residual(form->size()), weight(form->size());
  form->pack(start, y.data(), yp.data());
  y[4] = lambda_now;
  BOOST_TEST_REQUIRE((form->residual(0.0, y.data(), yp.data(), residual.data()) == EvaluationResult::ok));
  BOOST_TEST_REQUIRE((form->weights(h, y.data(), weight.data()) == EvaluationResult::ok));
  return weight.tail(form->size() - 4);
}

/// Returns the mean square root of B_k over tolerances.
double changes(const Vector2d& tolerances) {
  const Vector2d B(2.0 * q[0] / 2.0, 3.0 / 50.0);
  return B.cwiseQuotient(tolerances).norm() / std::sqrt(2.0);
}

/// |q| / |v| and sqrt(|q| / |a|), with largest entries; the shorter one is the time scale.
const double T = std::min(0.5 / 0.6, std::sqrt(0.5 / 0.34));
const Vector2d of_q = rtol * q.cwiseAbs() + Vector2d::Constant(atol);
const Vector2d of_v = rtol * v.cwiseAbs() + Vector2d::Constant(atol / T);

const auto to_rounding = boost::test_tools::tolerance(1e-12);

}  // namespace

BOOST_AUTO_TEST_CASE(multipliers_of_the_equations_of_motion_are_as_accurate_as_the_motion_needs_them) {
  BOOST_TEST(weights("index2")[0] == h * changes(of_v), to_rounding);
  BOOST_TEST(weights("index3")[0] == h * h * changes(of_q), to_rounding);
  const VectorXd ggl = weights("ggl");
  BOOST_REQUIRE(ggl.size() == 2);
  BOOST_TEST(ggl[0] == h * changes(of_v), to_rounding);
  BOOST_TEST(ggl[1] == h * changes(of_q), to_rounding);
}

// BDF takes v for a difference quotient of q, where errors of q count 1 / h times. However short the step, the test
// leaves q the digits that Newton's iteration can give it.
BOOST_AUTO_TEST_CASE(index3_keeps_difference_quotients_within_the_tolerance_of_v) {
  const MotionState start = {0.0, q, v, a, VectorXd::Constant(1, lambda)};
  const auto form = as<DaeFormulation>(find_formulation("index3").make(input_of("index3", make_system(Bead{}), start)));
  VectorXd y(5), yp(5), residual(5), weight(5);
  form->pack(start, y.data(), yp.data());
  BOOST_TEST_REQUIRE((form->residual(0.0, y.data(), yp.data(), residual.data()) == EvaluationResult::ok));
  for (const double step : {10.0, h, 1e-4}) {
    BOOST_TEST_REQUIRE((form->multistep_weights(step, y.data(), weight.data()) == EvaluationResult::ok));
    const Vector2d allowed = of_q.cwiseMin(step * of_v);
    for (int i = 0; i < 2; ++i) {
      BOOST_TEST(weight[i] == 1.0 / allowed[i], to_rounding);
      BOOST_TEST(weight[2 + i] == step / allowed[i], to_rounding);
    }
    BOOST_TEST(weight[4] == step * step * changes(allowed), to_rounding);
  }
  BOOST_TEST_REQUIRE((form->multistep_weights(1e-13, y.data(), weight.data()) == EvaluationResult::ok));
  const double rounding = std::numeric_limits<double>::epsilon() * q.maxCoeff();
  BOOST_TEST(1.0 / weight.head(2).maxCoeff() > 10.0 * rounding);
  BOOST_TEST(1.0 / weight.head(2).minCoeff() < 1e-5 * absolute);
}

// Their integrals over a step are h times as large.
BOOST_AUTO_TEST_CASE(integrals_of_multipliers_change_the_motion_without_h) {
  const VectorXd integrals = weights("stabilized_index1");
  BOOST_REQUIRE(integrals.size() == 2);
  BOOST_TEST(integrals[0] == changes(of_v), to_rounding);
  BOOST_TEST(integrals[1] == changes(of_q), to_rounding);
}

// The motion of index 1 does not depend on its unknown lambda.
BOOST_AUTO_TEST_CASE(separate_multipliers_have_the_relative_tolerance) {
  BOOST_TEST(weights("index1", 1.9)[0] == 1.0 / (rtol * 1.9), to_rounding);
  BOOST_TEST(weights("index1", 0.1)[0] == 1.0 / (rtol * lambda), to_rounding);  // of the start
}

BOOST_AUTO_TEST_CASE(separate_multipliers_of_dependent_rows_have_four_digits) {
  const MotionState start = {0.0, Vector2d(1.0, 0.0), Vector2d(0.0, 2.0), Vector2d(-4.0, -9.81), Vector2d(0.8, 1.6)};
  const auto form = as<DaeFormulation>(
      find_formulation("index1").make(input_of("index1", make_system(test::RedundantPendulum{}), start)));
  VectorXd y(6), yp(6), residual(6), weight(6);
  form->pack(start, y.data(), yp.data());
  BOOST_TEST_REQUIRE((form->residual(0.0, y.data(), yp.data(), residual.data()) == EvaluationResult::ok));
  BOOST_TEST_REQUIRE((form->weights(h, y.data(), weight.data()) == EvaluationResult::ok));
  const double typical = 9.81 / 2.0;  // the largest force over the largest entry of G
  for (const double w : weight.tail(2)) BOOST_TEST(w == 1.0 / (1e-4 * typical), to_rounding);
}

/// A bead on a wire, and a second one without inertia that a row of its own moves.
struct MasslessBead {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 2.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> position, View<T> g) const {
    g[0] = 3.0 * position[1];
  }
};

// A row that acts on coordinates without inertia has a multiplier all the same: its force counts as on the largest
// mass.
BOOST_AUTO_TEST_CASE(multipliers_of_coordinates_without_inertia_have_the_tolerance_of_a_force) {
  const MotionState start = {0.0, Vector2d(1.0, 0.0), Vector2d(2.0, 0.0), Vector2d::Zero(), VectorXd::Zero(1)};
  const auto form =
      as<DaeFormulation>(find_formulation("index2").make(input_of("index2", make_system(MasslessBead{}), start)));
  VectorXd y(5), yp(5), residual(5), weight(5);
  form->pack(start, y.data(), yp.data());
  BOOST_TEST_REQUIRE((form->residual(0.0, y.data(), yp.data(), residual.data()) == EvaluationResult::ok));
  BOOST_TEST_REQUIRE((form->weights(h, y.data(), weight.data()) == EvaluationResult::ok));
  const double of_velocity = absolute / 0.5;  // T = 1 / 2
  BOOST_TEST(weight[4] == h * 3.0 / 2.0 / of_velocity / std::sqrt(2.0), to_rounding);
}

// What a run announces as its end does not change its errors.
BOOST_AUTO_TEST_CASE(weights_do_not_depend_on_the_length_of_the_run) {
  const MotionState start = {0.0, Vector2d(1.0, 0.0), Vector2d::Zero(), Vector2d::Zero(), VectorXd::Zero(1)};
  for (const char* name : {"index1", "index2", "index3", "ggl", "stabilized_index1"}) {
    VectorXd first;
    for (const double span : {0.1, 10.0, 1e4}) {
      FormulationInput input = input_of(name, make_system(Bead{}), start);
      input.t_span = span;
      const auto form = as<DaeFormulation>(find_formulation(name).make(input));
      VectorXd y(form->size()), yp(form->size()), residual(form->size()), weight(form->size());
      form->pack(start, y.data(), yp.data());
      BOOST_TEST_REQUIRE((form->residual(0.0, y.data(), yp.data(), residual.data()) == EvaluationResult::ok));
      BOOST_TEST_REQUIRE((form->weights(h, y.data(), weight.data()) == EvaluationResult::ok));
      if (first.size() == 0) first = weight;
      BOOST_TEST((weight - first).norm() == 0.0, name << ", " << span << " s");
      const bool of_positions = std::string(name) == "index3";  // v counts by the change of q in a step
      BOOST_TEST(weight[2] == (of_positions ? h / (rtol + absolute) : 1.0 / absolute), to_rounding);  // at rest T = 1 s
    }
  }
}

// A boom is lifted by a cylinder of prescribed volume: oil and eye have no inertia, and the pressure is 1e6 Pa.
BOOST_AUTO_TEST_CASE(a_cylinder_of_prescribed_volume_lifts_a_boom_in_every_dae_form) {
  constexpr double area = 0.01, length = 2.4, volume = 0.002, ground_x = 0.6, ground_y = -0.8;
  Assembly assembly;
  const Block boom = assembly.add_coordinates("boom", BlockKind::planar_body),
              eye = assembly.add_coordinates("eye", BlockKind::planar_point),
              oil = assembly.add_coordinates("oil", BlockKind::hydraulic);
  assembly.add("inertia", PlanarRigidBody{900.0, 1500.0}, {boom});
  assembly.add("weight", UniformGravity{900.0, 0.0, -9.81}, {centre_of(boom)});
  assembly.add("pin", RevoluteToGround{-2.5, 0.0, 0.0, 0.0}, {boom});
  assembly.add("eye on boom", Coincidence{OnBody{0.0, 0.2}, AtPoint{}}, {boom, eye});
  assembly.add("cylinder", HydraulicCylinderToGround{area, length, ground_x, ground_y}, {oil, eye});
  assembly.add("drive", PrescribedCoordinate{SmoothStep{0.0, volume, 0.5, 2.0}}, {oil});
  VectorXd start(6);
  start << 2.3, 0.8, 0.35, 2.2, 1.0, 0.0;
  const auto system = assembly.build();
  for (const char* name : {"index1", "index2", "index3", "ggl", "stabilized_index1"}) {
    for (const char* integrator : {"ida", "radau"}) {
      SimulationOptions options;
      options.formulation = name;
      options.integrator = integrator;
      options.t_end = 4.0;
      const Simulation run = simulate(system, {0.0, start, {}}, options);
      BOOST_TEST(run.status.finished(), name << ", " << integrator << ": " << run.status.message);
      BOOST_TEST(run.report.steps < 300, name << ", " << integrator << ": " << run.report.steps << " steps");
      const VectorXd end = run.trajectory.q(run.trajectory.size() - 1);
      const double reached = std::hypot(end[3] - ground_x, end[4] - ground_y);
      BOOST_TEST(std::abs(reached - (length + volume / area)) < 1e-4, name << ", " << integrator << ": " << reached);
    }
  }
}
