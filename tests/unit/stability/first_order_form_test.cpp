// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/stability/first_order_form.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "models.hpp"

using namespace sunlagrange;
using Eigen::VectorXd;

// The equations without an integrator: the constraint error obeys the law of the gains, from a start that violates both
// levels, for every gain.

namespace {

MotionState violated_start(const std::shared_ptr<const MechanicalSystem>& system) {
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  InitialState given;
  given.q = Eigen::Vector2d(0.6, -0.81);
  given.v = Eigen::Vector2d(1.7, 1.2);
  return consistent_state(system, given, as_given).state;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_constraint_error_obeys_the_law_of_the_gains) {
  const auto system = make_system(test::Pendulum{});
  const MotionState start = violated_start(system);
  FormulationOptions options;
  options.gains = Gains::natural_frequency(3.0, 0.7);
  FirstOrderForm form(system, start, options);
  BOOST_TEST(form.size() == 4);
  BOOST_TEST(form.error_size() == 2);
  const VectorXd y = form.pack(start);
  VectorXd ydot, e, ahead, behind;
  BOOST_REQUIRE(form.rhs(0.0, y, ydot));
  BOOST_REQUIRE(form.constraint_error(0.0, y, e));
  BOOST_TEST(std::abs(e[0]) > 1e-3);
  const double h = 1e-5;
  BOOST_REQUIRE(form.constraint_error(h, y + h * ydot, ahead));
  BOOST_REQUIRE(form.constraint_error(-h, y - h * ydot, behind));
  const VectorXd edot = (ahead - behind) / (2.0 * h);
  BOOST_TEST(std::abs(edot[0] - e[1]) < 1e-8);
  BOOST_TEST(std::abs(edot[1] + 9.0 * e[0] + 2.0 * 0.7 * 3.0 * e[1]) < 1e-8);
}

// (30) of [000] in first order: M v' = f - G^T Lambda (g'' + K_D g' + K_P g), g'' = G v' + v^T v on the pendulum.
BOOST_AUTO_TEST_CASE(the_modified_lagrange_equations_in_first_order) {
  const auto system = make_system(test::Pendulum{});
  const MotionState start = violated_start(system);
  constexpr double omega = 3.0, zeta = 0.7, Lambda = 20.0;
  FormulationOptions options;
  options.formulation = "penalty";
  options.gains = Gains::natural_frequency(omega, zeta);
  options.gains.Lambda = Gain(Lambda);
  FirstOrderForm form(system, start, options);
  const VectorXd y = form.pack(start);
  VectorXd ydot;
  BOOST_REQUIRE(form.rhs(0.0, y, ydot));
  const SystemQuantities at = SystemEvaluator(system).at(0.0, start.q, start.v);
  const VectorXd v_rate = ydot.tail(2);
  const double g_second = start.q.dot(v_rate) + start.v.squaredNorm();
  const double law = g_second + 2.0 * zeta * omega * at.g_rate[0] + omega * omega * at.g[0];
  BOOST_TEST((v_rate - at.f + Lambda * law * start.q).norm() < 1e-10);
  BOOST_TEST(std::abs(law) > 1e-3);  // the penalty acts
  BOOST_TEST((ydot.head(2) - start.v).norm() == 0.0);
}

// A change D x of y changes e by E D x: with D of the mass, E D = [G M^-1 G^T, 0; *, G M^-1 G^T].
BOOST_AUTO_TEST_CASE(leaving_directions_are_those_of_the_mass) {
  const auto system = make_system(test::Pendulum{});
  const MotionState start = violated_start(system);
  FirstOrderForm form(system, start, {});
  const VectorXd y = form.pack(start);
  const Eigen::MatrixXd D = form.leaving_directions(0.0, y);
  BOOST_REQUIRE(D.rows() == 4);
  BOOST_REQUIRE(D.cols() == 2);
  Eigen::MatrixXd ED(2, 2);
  const double h = 1e-5;
  for (int j = 0; j < 2; ++j) {
    VectorXd ahead, behind;
    BOOST_REQUIRE(form.constraint_error(0.0, y + h * D.col(j), ahead));
    BOOST_REQUIRE(form.constraint_error(0.0, y - h * D.col(j), behind));
    ED.col(j) = (ahead - behind) / (2.0 * h);
  }
  const double schur = start.q.squaredNorm();  // G = q^T, M = 1
  BOOST_TEST(std::abs(ED(0, 0) - schur) < 1e-9);
  BOOST_TEST(std::abs(ED(1, 1) - schur) < 1e-9);
  BOOST_TEST(std::abs(ED(0, 1)) < 1e-9);
}

BOOST_AUTO_TEST_CASE(what_is_no_ordinary_differential_equation_is_refused) {
  const auto system = make_system(test::Pendulum{});
  const MotionState start = violated_start(system);
  FormulationOptions options;
  options.formulation = "ggl";
  BOOST_CHECK_EXCEPTION(FirstOrderForm(system, start, options), Error, [](const Error& error) {
    return std::string(error.what()).find("formulation ggl") != std::string::npos;
  });
  BOOST_CHECK_THROW(FirstOrderForm(nullptr, start), Error);
}
