// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "models.hpp"

/// The last evaluated point of a formulation and its factor have one owner; others read them and see when they are
/// gone.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

FormulationInput input_of(const std::shared_ptr<const MechanicalSystem>& system) {
  FormulationInput input;
  input.formulation = "baumgarte";
  input.system = system;
  input.start = {0.0, Vector2d(1.0, 0.0), Vector2d(0.0, 0.0), Vector2d(0.0, -9.81), VectorXd::Zero(1)};
  return input;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_version_counts_points_and_not_quantities) {
  PointEvaluator evaluator(make_system(test::Pendulum{}), Storage::dense);
  const Vector2d q(0.6, 0.8), v(-0.8, 0.6), a(0.0, 0.0);
  const double lambda = 1.0;
  BOOST_TEST(evaluator.version() == 0);
  const Workspace* at = evaluator.at(0.0, q.data(), v.data());
  BOOST_REQUIRE(at != nullptr);
  BOOST_TEST(evaluator.version() == 1);
  const Vector2d force = at->f;
  BOOST_TEST(evaluator.add(request::tangent, {0.0, q.data(), v.data(), a.data(), &lambda}) == at);
  BOOST_TEST(evaluator.version() == 1);
  BOOST_TEST(at->f == force);
  evaluator.at(0.0, v.data(), q.data());
  BOOST_TEST(evaluator.version() == 2);
}

BOOST_AUTO_TEST_CASE(a_declined_point_is_factorised_by_nobody) {
  const PointEvaluator evaluator(make_system(test::Pendulum{}), Storage::dense);
  SaddlePointSystem saddle(evaluator, {});
  BOOST_TEST((saddle.factorize(nullptr) == EvaluationResult::declined));
  BOOST_TEST(saddle.solver().counts().factorizations == 0);
}

BOOST_AUTO_TEST_CASE(readers_solve_with_the_last_factor_and_see_the_next_point) {
  const FormulationInput input = input_of(make_system(test::Pendulum{}));
  const auto formulation = as<OdeFormulation>(find_formulation("baumgarte").make(input));
  const LastEvaluation* last = formulation->provides().last;
  BOOST_REQUIRE(last != nullptr);
  BOOST_TEST(last->version == 0);
  Eigen::Vector4d y(0.6, 0.8, -0.8, 0.6), rates;
  BOOST_REQUIRE((formulation->rhs(0.0, y.data(), rates.data()) == EvaluationResult::ok));
  const long version = last->version;
  BOOST_TEST(version > 0);
  BOOST_REQUIRE(last->system != nullptr);
  VectorXd top = last->quantities->f, bottom = last->quantities->gamma;
  BOOST_REQUIRE((last->system->solve(top.data(), bottom.data()) == EvaluationResult::ok));
  BOOST_TEST((top - last->a).norm() < 1e-12 * top.norm());  // on the constraints the gains do nothing
  std::swap(y[0], y[1]);
  BOOST_REQUIRE((formulation->rhs(0.0, y.data(), rates.data()) == EvaluationResult::ok));
  BOOST_TEST(last->version > version);
}
