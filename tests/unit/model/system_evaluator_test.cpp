// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/sunlagrange.hpp>

#include "models.hpp"

using namespace sunlagrange;
using Eigen::Vector3d;
using Eigen::VectorXd;

// What users see of a system at a point, against the model itself and against differences along a motion.

namespace {

const double t = 0.3;
const Vector3d q(0.6, -0.4, 0.5), v(0.7, 0.9, -0.8), a(-1.1, 0.4, 1.3);

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct NotLeftOfZero : test::Pendulum {
  template <class T>
  bool applied_force(T, View<const T> x, View<const T>, View<T> f) const {
    f[1] = -9.81;
    return x[0] >= 0.0;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(mass_and_forces_are_those_of_the_model) {
  const test::Everything model;
  const SystemQuantities at = SystemEvaluator(make_system(model)).at(t, q, v);
  BOOST_REQUIRE(at.status.finished());
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(3, 3);
  VectorXd f = VectorXd::Zero(3), g = VectorXd::Zero(1), psi = VectorXd::Zero(1);
  model.mass_matrix(t, View<const double>(q.data(), 3), MatrixView<double>(M.data(), 3, 3));
  model.applied_force(t, View<const double>(q.data(), 3), View<const double>(v.data(), 3), View<double>(f.data(), 3));
  model.constraint(t, View<const double>(q.data(), 3), View<double>(g.data(), 1));
  model.velocity_constraint(t, View<const double>(q.data(), 3), View<const double>(v.data(), 3),
                            View<double>(psi.data(), 1));
  BOOST_TEST((at.M - M).norm() == 0.0);
  BOOST_TEST((at.f - f).norm() == 0.0);
  BOOST_TEST(std::abs(at.g[0] - g[0]) < 1e-15);
  BOOST_TEST(std::abs(at.g_rate[1] - psi[0]) < 1e-15);
}

BOOST_AUTO_TEST_CASE(rates_jacobian_and_bias_are_the_derivatives_along_a_motion) {
  SystemEvaluator evaluator(make_system(test::Everything{}));
  const SystemQuantities here = evaluator.at(t, q, v);
  BOOST_TEST(here.G.rows() == 2);
  BOOST_TEST(here.G.cols() == 3);
  const double h = 1e-5;
  const auto moved = [&](double s) { return evaluator.at(t + s, q + s * v + 0.5 * s * s * a, v + s * a); };
  const SystemQuantities ahead = moved(h), behind = moved(-h);
  BOOST_TEST(std::abs((ahead.g[0] - behind.g[0]) / (2.0 * h) - here.g_rate[0]) < 1e-9);
  const VectorXd second = (ahead.g_rate - behind.g_rate) / (2.0 * h);
  BOOST_TEST((second - (here.G * a - here.gamma)).norm() < 1e-8);
}

BOOST_AUTO_TEST_CASE(accelerations_and_multipliers_of_a_consistent_state_satisfy_the_equations) {
  const auto system = make_system(test::Everything{});
  const MotionState s = consistent_state(system, {t, q, v}).state;
  const SystemQuantities at = SystemEvaluator(system).at(s.t, s.q, s.v);
  BOOST_TEST((at.M * s.a + at.G.transpose() * s.lambda - at.f).norm() < 1e-12 * at.f.norm());
  BOOST_TEST((at.G * s.a - at.gamma).norm() < 1e-11);
  BOOST_TEST(at.g_rate.norm() < 1e-8);
}

BOOST_AUTO_TEST_CASE(at_rest_unless_a_velocity_is_given) {
  SystemEvaluator evaluator(make_system(test::Everything{}));
  BOOST_TEST((evaluator.at(t, q).g_rate - evaluator.at(t, q, Vector3d::Zero()).g_rate).norm() == 0.0);
  BOOST_TEST((evaluator.at(t, q).g_rate - evaluator.at(t, q, v).g_rate).norm() > 0.1);
}

BOOST_AUTO_TEST_CASE(a_declined_point_is_told_and_the_next_one_is_evaluated) {
  SystemEvaluator evaluator(make_system(NotLeftOfZero{}));
  const SystemQuantities declined = evaluator.at(2.0, Eigen::Vector2d(-1.0, 0.0));
  BOOST_TEST((declined.status.outcome == Outcome::model_error));
  BOOST_TEST(has(declined.status.message, "t = 2"), declined.status.message);
  BOOST_TEST(declined.M.size() == 0);
  BOOST_TEST(evaluator.at(2.0, Eigen::Vector2d(1.0, 0.0)).status.finished());
}

BOOST_AUTO_TEST_CASE(misuse_is_an_error) {
  BOOST_TEST(has(error_of([] { SystemEvaluator nothing(nullptr); }), "null"));
  SystemEvaluator evaluator(make_system(test::Pendulum{}));
  BOOST_TEST(has(error_of([&] { evaluator.at(0.0, q); }), "q has 3"));
  BOOST_TEST(has(error_of([&] { evaluator.at(0.0, Eigen::Vector2d(1.0, 0.0), v); }), "v 3"));
}
