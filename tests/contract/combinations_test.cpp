// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <complex>
#include <type_traits>

#include <Eigen/Dense>

#include "model/evaluation.hpp"
#include "motion_laws.hpp"

/// Every formulation x mechanism x linear solver x rank policy, each with its automatic integrator: consistent
/// equations, exact Newton systems, the same motion from all. The larger grid is combinations_slow.
using namespace sunlagrange;
using namespace sunlagrange::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const std::vector<Problem>& small_problems() {
  static const std::vector<Problem> list = problems(3);
  return list;
}

FormulationInput input_for(const Combination& c, double tolerance) {
  const SimulationOptions o = c.options(tolerance);
  FormulationInput input;
  input.system = c.problem.mechanism.system;
  input.linear_solver = o.linear_solver;
  input.gains = o.gains;
  input.start = c.problem.start;
  input.rtol = o.rtol;
  input.atol = o.atol;
  input.t_span = o.t_end - c.problem.start.t;
  return input;
}

/// Largest of |v|, |f|, |M a|, |G^T lambda|: the terms that cancel in residuals of a consistent state.
double size_of_terms(const Problem& p) {
  const MechanicalSystem& system = *p.mechanism.system;
  const auto w = make_workspace(system, Storage::dense);
  BOOST_REQUIRE(evaluate_system(system, request::acceleration_level,
                                {p.start.t, p.start.q.data(), p.start.v.data(), nullptr, nullptr}, *w));
  const MatrixXd M = w->M.dense(), G = w->G.dense();
  const VectorXd inertia = M * p.start.a, reaction = G.transpose() * p.start.lambda;
  return std::max({p.v_size(), max_abs(w->f), max_abs(inertia), max_abs(reaction),
                   G.size() > 0 ? (G.cwiseAbs() * p.start.a.cwiseAbs()).maxCoeff() : 0.0});
}

void check_rhs(OdeFormulation& f, const Combination& c) {
  const MotionState& s = c.problem.start;
  const auto n = s.q.size();
  VectorXd y(f.size()), ydot(f.size()), q(n), v(n), a(n);
  f.pack(s, y.data(), nullptr);
  BOOST_TEST_REQUIRE((f.rhs(s.t, y.data(), ydot.data()) == EvaluationResult::ok));
  BOOST_TEST_REQUIRE((f.unpack(s.t, y.data(), ydot.data(), q.data(), v.data(), a.data()) == EvaluationResult::ok));
  BOOST_TEST(max_abs(q - s.q) <= 1e-13 * c.problem.q_size());
  if (c.other_motion()) return;
  const double solved = c.problem.mechanism.system->first_order() ? c.altered_motion() : 0.0;  // v is solved for too
  BOOST_TEST(max_abs(v - s.v) <= (1e-12 + solved) * c.problem.v_size());
  BOOST_TEST(max_abs(a - s.a) <= (1e-11 + c.altered_motion()) * (max_abs(s.a) + c.problem.v_size() / c.problem.T));
}

void check_residual(DaeFormulation& f, const Combination& c, double terms) {
  const MotionState& s = c.problem.start;
  const auto n = s.q.size();
  VectorXd y(f.size()), yp(f.size()), r(f.size()), q(n), v(n);
  f.pack(s, y.data(), yp.data());
  BOOST_TEST_REQUIRE((f.residual(s.t, y.data(), yp.data(), r.data()) == EvaluationResult::ok));
  BOOST_TEST(max_abs(r) <= (1e-11 + c.altered_motion()) * terms);
  BOOST_TEST_REQUIRE((f.unpack(s.t, y.data(), yp.data(), q.data(), v.data(), nullptr) == EvaluationResult::ok));
  BOOST_TEST(max_abs(q - s.q) <= 1e-13 * c.problem.q_size());
  BOOST_TEST(max_abs(v - s.v) <= 1e-12 * c.problem.v_size());
}

template <class F>
MatrixXd differences(F&& f, const VectorXd& at, double step) {
  MatrixXd J(at.size(), at.size());
  VectorXd x = at, plus(at.size()), minus(at.size());
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    const double h = step * (1.0 + std::abs(at[j]));
    x[j] = at[j] + h;
    f(x, plus);
    x[j] = at[j] - h;
    f(x, minus);
    x[j] = at[j];
    J.col(j) = (plus - minus) / (2.0 * h);
  }
  return J;
}

/// Corrections as large as the tolerances, of either sign.
VectorXd correction(const VectorXd& weight) {
  VectorXd x(weight.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = std::sin(2.4 * static_cast<double>(i + 1)) / weight[i];
  return x;
}

/// solve(J x) = x, measured in tolerances, with the matrix of differences.
template <class Scalar, class Solve>
void check_newton(const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>& J, const VectorXd& weight,
                  Solve&& solve) {
  VectorOf<Scalar> x = correction(weight).cast<Scalar>();
  if constexpr (!std::is_same_v<Scalar, double>) {
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= std::polar(1.0, static_cast<double>(i));
  }
  VectorOf<Scalar> found = J * x;
  BOOST_TEST_REQUIRE((solve(found.data()) == EvaluationResult::ok));
  BOOST_TEST((found - x).cwiseProduct(weight.cast<Scalar>()).cwiseAbs().maxCoeff() < 1e-4);
}

const Complex of_a_pair = {0.66, -0.75};  // 1 / mu of Radau IIA points there

void check_ode_newton(OdeFormulation& f, const Combination& c) {
  NewtonSystem& newton = *f.provides().newton;
  const MotionState& s = c.problem.start;
  VectorXd y(f.size());
  f.pack(s, y.data(), nullptr);
  const auto rhs = [&](const VectorXd& at, VectorXd& out) {
    BOOST_TEST_REQUIRE((f.rhs(s.t, at.data(), out.data()) == EvaluationResult::ok));
  };
  const MatrixXd J = differences(rhs, y, 1e-6), I = MatrixXd::Identity(y.size(), y.size());
  const VectorXd weight = (y.cwiseAbs().array() + 1.0).inverse();
  for (const bool again : {false, true}) {
    const double gamma = (again ? 1e-5 : 1e-2) * c.problem.T;
    BOOST_TEST_REQUIRE((newton.factorize_newton(s.t, y.data(), nullptr, gamma, again) == EvaluationResult::ok));
    check_newton<double>(I - gamma * J, weight, [&](double* b) { return newton.solve_newton(gamma, b); });
    const Complex pair = gamma * of_a_pair;
    BOOST_TEST_REQUIRE((newton.factorize_newton(pair) == EvaluationResult::ok));
    check_newton<Complex>(I.cast<Complex>() - pair * J.cast<Complex>(), weight,
                          [&](Complex* b) { return newton.solve_newton(pair, b); });
  }
}

void check_dae_newton(DaeFormulation& f, const Combination& c) {
  NewtonSystem& newton = *f.provides().newton;
  const MotionState& s = c.problem.start;
  VectorXd y(f.size()), yp(f.size()), weight(f.size());
  f.pack(s, y.data(), yp.data());
  const auto along_y = [&](const VectorXd& at, VectorXd& out) { f.residual(s.t, at.data(), yp.data(), out.data()); };
  const auto along_yp = [&](const VectorXd& at, VectorXd& out) { f.residual(s.t, y.data(), at.data(), out.data()); };
  const MatrixXd dF_dy = differences(along_y, y, 1e-6);
  const MatrixXd dF_dyp = differences(along_yp, yp, 1e-3);  // F is linear in y'
  for (const bool again : {false, true}) {
    const double h = (again ? 1e-5 : 1e-2) * c.problem.T;
    BOOST_TEST_REQUIRE((f.weights(h, y.data(), weight.data()) == EvaluationResult::ok));
    BOOST_TEST_REQUIRE((newton.factorize_newton(s.t, y.data(), yp.data(), 1.0 / h) == EvaluationResult::ok));
    check_newton<double>(dF_dy + dF_dyp / h, weight, [&](double* b) {
      const EvaluationResult result = newton.solve_newton(1.0 / h, b);
      return result == EvaluationResult::ok ? f.complete_correction(b) : result;
    });
    const Complex shift = 1.0 / (h * of_a_pair);
    BOOST_TEST_REQUIRE((newton.factorize_newton(shift) == EvaluationResult::ok));
    check_newton<Complex>(dF_dy.cast<Complex>() + shift * dF_dyp.cast<Complex>(), weight,
                          [&](Complex* b) { return newton.solve_newton(shift, b); });
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(equations_hold_on_consistent_states) {
  for_each_combination(small_problems(), false, [](const Combination& c) {
    const FormulationInput input = input_for(c, 1e-6);
    if (c.formulation.equations == Equations::ode) check_rhs(*as<OdeFormulation>(c.formulation.make(input)), c);
    if (c.formulation.equations == Equations::dae)
      check_residual(*as<DaeFormulation>(c.formulation.make(input)), c, size_of_terms(c.problem));
  });
}

BOOST_AUTO_TEST_CASE(newton_systems_are_exact) {
  for_each_combination(small_problems(), false, [](const Combination& c) {
    if (c.problem.redundant) return;  // the matrix is singular: no correction is the exact one
    const FormulationInput input = input_for(c, 1e-6);
    if (c.formulation.equations == Equations::ode) check_ode_newton(*as<OdeFormulation>(c.formulation.make(input)), c);
    if (c.formulation.equations == Equations::dae) check_dae_newton(*as<DaeFormulation>(c.formulation.make(input)), c);
  });
}

BOOST_AUTO_TEST_CASE(all_combinations_give_the_same_motion) {
  Closest closest;
  const Tally tally = for_each_combination(small_problems(), false, [&](const Combination& c) {
    if (c.fixed_step()) {
      check_fixed_step_motion(c, closest);
    } else {
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) check_adaptive_motion(c, tolerance, closest);
    }
  });
  BOOST_TEST_MESSAGE(tally.table());
  BOOST_TEST_MESSAGE("largest error: " << closest.share << " of the allowed one, by " << closest.who);
  const auto& forms = formulation_registry();
  std::size_t expected = small_problems().size() * Tally::policies().size();
  expected *= static_cast<std::size_t>(std::distance(forms.begin(), forms.end()));
  expected *= static_cast<std::size_t>(std::count_if(linear_solver_registry().begin(), linear_solver_registry().end(),
                                                     [](const LinearSolverEntry& e) { return e.available; }));
  BOOST_TEST(static_cast<std::size_t>(tally.total_ran() + tally.total_refused()) == expected);
}
