// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <map>
#include <regex>

#include <Eigen/Dense>

#include <sunlagrange/sundials/attachment.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"

/// Laws that every registered formulation must obey with every available linear solver.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

struct Case {
  std::string name;
  std::shared_ptr<const MechanicalSystem> system;
  VectorXd q, v;
  Gains gains;
  double newton_tolerance = 2e-6;  // second differences of a difference Jacobian are good to 1e-4
};

std::vector<Case> cases() {
  std::vector<Case> list;
  Gains full;
  full.K_D = Gain(3.0);
  full.K_P = Gain(7.0);
  full.K_N = Gain(2.0);
  full.Lambda = Gain((MatrixXd(2, 2) << 400.0, 30.0, 30.0, 200.0).finished());
  list.push_back({"everything", make_system(test::Everything{}), Eigen::Vector3d(0.7, 0.4, 0.5),
                  Eigen::Vector3d(0.3, -0.2, 0.6), full});
  list.push_back({"everything by differences", make_system(test::EverythingDouble{}), Eigen::Vector3d(0.7, 0.4, 0.5),
                  Eigen::Vector3d(0.3, -0.2, 0.6), full, 1e-3});
  list.push_back(
      {"pendulum", make_system(test::Pendulum{}), Eigen::Vector2d(0.6, -0.8), Eigen::Vector2d(0.8, 0.6), {}});
  Assembly two;
  const Block a = two.add_coordinates("a", 2);
  const Block b = two.add_coordinates("b", 2);
  two.add("first", test::Pendulum{}, {a});
  two.add("free", test::Pendulum{}, {b});
  two.add("link", test::Link{}, {a, b});
  Gains mixing;
  mixing.K_D = Gain((MatrixXd(3, 3) << 4.0, 1.0, 0.0, 1.0, 5.0, 0.5, 0.0, 0.5, 3.0).finished());
  mixing.K_P = Gain((MatrixXd(3, 3) << 9.0, 2.0, 0.3, 2.0, 8.0, 0.5, 0.3, 0.5, 6.0).finished());
  list.push_back({"assembly with full gains", two.build(), Eigen::Vector4d(0.6, -0.8, -0.3, 0.9),
                  Eigen::Vector4d(0.8, 0.6, 0.2, -0.4), mixing});
  return list;
}

FormulationInput input_for(const Case& c, const std::string& solver) {
  FormulationInput input;
  input.system = c.system;
  input.linear_solver.name = solver;
  input.gains = c.gains;
  input.start.q = c.q;
  input.start.v = c.v;
  input.start.a = VectorXd::Constant(c.q.size(), 0.3);
  input.start.lambda = VectorXd::Constant(c.system->num_constraints(), 0.2);
  return input;
}

constexpr double t_law = 0.3;  // time of the laws of ODE forms

/// An ODE form and its variables at the point of the case, which lies off the constraints so that feedback acts. A form
/// whose variables are others than (q, v) cannot be there and gets the nearest consistent point.
std::pair<std::unique_ptr<OdeFormulation>, VectorXd> form_and_variables(const FormulationEntry& entry,
                                                                        FormulationInput input) {
  auto f = as<OdeFormulation>(entry.make(input));
  if (f->size() != 2 * input.system->num_positions()) {
    const ConsistentState start = consistent_state(input.system, {t_law, input.start.q, input.start.v});
    BOOST_REQUIRE(start.report.feasible);
    input.start = start.state;
    f = as<OdeFormulation>(entry.make(input));
  }
  VectorXd y(f->size());
  f->pack(input.start, y.data(), nullptr);
  return {std::move(f), y};
}

template <class Use>
void for_each_combination(Use&& use) {
  int ran = 0, left_out = 0;
  for (const Case& c : cases()) {
    for (const LinearSolverEntry& solver : linear_solver_registry()) {
      if (!solver.available) {
        BOOST_TEST_MESSAGE("skipped: " << solver.name << " is not built in");
        continue;
      }
      for (const FormulationEntry& entry : formulation_registry()) {
        const std::string objection = entry.objection(*c.system);
        if (!objection.empty()) {
          BOOST_TEST_MESSAGE("left out: " << c.name << ", " << solver.name << ": " << objection);
          ++left_out;
          continue;
        }
        BOOST_TEST_CONTEXT(c.name << ", " << entry.name << ", " << solver.name) {
          use(c, entry, input_for(c, std::string(solver.name)));
          ++ran;
        }
      }
    }
  }
  BOOST_TEST_MESSAGE(ran << " combinations, " << left_out << " left out");
  BOOST_TEST(ran > 0);
}

struct Evaluated {
  MatrixXd M, G;
  VectorXd force, bias, position, velocity;
};

Evaluated evaluate(const Case& c, const VectorXd& q, const VectorXd& v) {
  const auto w = make_workspace(*c.system, Storage::dense);
  BOOST_REQUIRE(
      evaluate_system(*c.system, request::acceleration_level, {0.3, q.data(), v.data(), nullptr, nullptr}, *w));
  return {w->M.dense(), w->G.dense(), w->f, w->gamma, w->g, w->g_rate};
}

template <class F>
MatrixXd differences(F&& f, const VectorXd& at) {
  MatrixXd J(at.size(), at.size());
  VectorXd x = at, plus(at.size()), minus(at.size());
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    const double h = 1e-6 * (1.0 + std::abs(at[j]));
    x[j] = at[j] + h;
    f(x, plus);
    x[j] = at[j] - h;
    f(x, minus);
    x[j] = at[j];
    J.col(j) = (plus - minus) / (2.0 * h);
  }
  return J;
}

double worst(const MatrixXd& A, const MatrixXd& B) {
  return (A - B).cwiseAbs().maxCoeff() / std::max(1.0, B.cwiseAbs().maxCoeff());
}

}  // namespace

BOOST_AUTO_TEST_CASE(capabilities_go_together_and_integrators_find_what_they_need) {
  for_each_combination([](const Case&, const FormulationEntry& entry, const FormulationInput& input) {
    const AnyFormulation made = entry.make(input);
    const FormulationCapabilities& has = std::visit(
        [](const auto& f) -> const auto& { return f->provides(); }, made);
    const bool integrated = entry.equations != Equations::one_step;
    BOOST_TEST((has.newton != nullptr) == integrated);
    BOOST_TEST((has.product != nullptr) == integrated);
    BOOST_TEST((has.adjoint != nullptr) == (has.adjoint_newton != nullptr));
    if (has.adjoint != nullptr) BOOST_TEST((has.sensitivities != nullptr && entry.equations == Equations::ode));
    if (has.projection != nullptr) BOOST_TEST((entry.accuracy.positions == ConstraintAccuracy::to_rounding));
    if (has.projection != nullptr) BOOST_TEST((has.feedback == nullptr && entry.equations == Equations::ode));
    if (has.gauge != nullptr) BOOST_TEST((has.sensitivities == nullptr && entry.equations == Equations::dae));
    if (has.last != nullptr) BOOST_TEST(std::isnan(has.last->t));  // nothing was evaluated yet
  });
}

BOOST_AUTO_TEST_CASE(newton_solve_inverts_identity_minus_gamma_j) {
  for_each_combination([](const Case& c, const FormulationEntry& entry, const FormulationInput& input) {
    if (entry.equations != Equations::ode) return;
    const auto [form, y] = form_and_variables(entry, input);
    OdeFormulation* f = form.get();
    const double t = t_law;
    const MatrixXd J =
        differences([&](const VectorXd& x,
                        VectorXd& out) { BOOST_REQUIRE(f->rhs(t, x.data(), out.data()) == EvaluationResult::ok); },
                    y);
    for (const double gamma : {0.2, 1e-3}) {
      BOOST_REQUIRE(f->provides().newton->factorize_newton(t, y.data(), nullptr, gamma, gamma < 0.1) ==
                    EvaluationResult::ok);
      const VectorXd x = VectorXd::LinSpaced(y.size(), -1.0, 2.0);
      VectorXd b = x - gamma * (J * x);
      BOOST_REQUIRE(f->provides().newton->solve_newton(gamma, b.data()) == EvaluationResult::ok);
      BOOST_TEST(worst(b, x) < c.newton_tolerance);
    }
  });
}

BOOST_AUTO_TEST_CASE(newton_solve_inverts_the_dae_iteration_matrix) {
  for_each_combination([](const Case& c, const FormulationEntry& entry, const FormulationInput& input) {
    if (entry.equations != Equations::dae) return;
    const auto f = as<DaeFormulation>(entry.make(input));
    VectorXd y(f->size()), yp(f->size());
    f->pack(input.start, y.data(), yp.data());
    const double t = 0.3;
    for (const double step : {0.1, 1e-4}) {
      const double cj = 1.0 / step;
      const MatrixXd J =
          differences([&](const VectorXd& x, VectorXd& out) { f->residual(t, x.data(), yp.data(), out.data()); }, y) +
          cj * differences([&](const VectorXd& x, VectorXd& out) { f->residual(t, y.data(), x.data(), out.data()); },
                           yp);
      BOOST_REQUIRE(f->provides().newton->factorize_newton(t, y.data(), yp.data(), cj) == EvaluationResult::ok);
      VectorXd x = VectorXd::LinSpaced(y.size(), -1.0, 2.0);
      x.head(c.q.size()) *= step;  // x_q = O(h x_v), as Newton corrections are
      VectorXd b = J * x;
      BOOST_REQUIRE(f->provides().newton->solve_newton(cj, b.data()) == EvaluationResult::ok);
      BOOST_REQUIRE(f->complete_correction(b.data()) == EvaluationResult::ok);
      BOOST_TEST(worst(b, x) < std::max(1e-4, 2.0 * c.newton_tolerance));
    }
  });
}

namespace {

/// dF/dx along `direction` by central differences of second order, extrapolated to fourth.
template <class F>
VectorXd along(F&& f, const VectorXd& at, const VectorXd& direction) {
  const auto central = [&](double h) {
    VectorXd plus(at.size()), minus(at.size());
    f(VectorXd(at + h * direction), plus);
    f(VectorXd(at - h * direction), minus);
    return VectorXd((plus - minus) / (2.0 * h));
  };
  return (4.0 * central(1e-4) - central(2e-4)) / 3.0;
}

/// Of different sizes and signs.
VectorXd direction(Eigen::Index size) {
  return VectorXd::LinSpaced(size, -1.0, 2.0).array().sin();
}

constexpr double product_tolerance = 1e-7;

}  // namespace

BOOST_AUTO_TEST_CASE(the_product_with_j_is_the_derivative_of_the_right_hand_side) {
  for_each_combination([](const Case& c, const FormulationEntry& entry, const FormulationInput& input) {
    if (entry.equations != Equations::ode) return;
    const auto [form, y] = form_and_variables(entry, input);
    OdeFormulation* f = form.get();
    const VectorXd x = direction(y.size());
    const VectorXd expected =
        along([&](const VectorXd& at,
                  VectorXd& out) { BOOST_REQUIRE(f->rhs(t_law, at.data(), out.data()) == EvaluationResult::ok); },
              y, x);
    VectorXd Jx(y.size());
    BOOST_REQUIRE(f->provides().product->linearize_product(t_law, y.data(), nullptr) == EvaluationResult::ok);
    BOOST_REQUIRE(f->provides().product->jacobian_times(0.0, x.data(), Jx.data()) == EvaluationResult::ok);
    BOOST_TEST(worst(Jx, expected) < std::max(product_tolerance, c.newton_tolerance));
  });
}

BOOST_AUTO_TEST_CASE(the_product_and_the_newton_solve_undo_each_other) {
  for_each_combination([](const Case& c, const FormulationEntry& entry, const FormulationInput& input) {
    if (entry.equations != Equations::ode) return;
    const auto [form, y] = form_and_variables(entry, input);
    OdeFormulation* f = form.get();
    const double gamma = 0.05;
    const VectorXd x = direction(y.size());
    VectorXd Jx(y.size());
    BOOST_REQUIRE(f->provides().newton->factorize_newton(t_law, y.data(), nullptr, gamma) == EvaluationResult::ok);
    VectorXd solved = x;
    BOOST_REQUIRE(f->provides().newton->solve_newton(gamma, solved.data()) == EvaluationResult::ok);
    // tangents at another point leave the factors as they are, and the next product is that of its own point
    const VectorXd elsewhere = y.array() + 1e-3;
    BOOST_REQUIRE(f->provides().product->linearize_product(t_law, elsewhere.data(), nullptr) == EvaluationResult::ok);
    VectorXd again = x;
    BOOST_REQUIRE(f->provides().newton->solve_newton(gamma, again.data()) == EvaluationResult::ok);
    BOOST_TEST(worst(again, solved) < 1e-13);
    BOOST_REQUIRE(f->provides().product->linearize_product(t_law, y.data(), nullptr) == EvaluationResult::ok);
    BOOST_REQUIRE(f->provides().product->jacobian_times(0.0, solved.data(), Jx.data()) == EvaluationResult::ok);
    BOOST_TEST(worst(solved - gamma * Jx, x) < std::max(product_tolerance, c.newton_tolerance));
  });
}

BOOST_AUTO_TEST_CASE(the_product_of_dae_forms_is_the_derivative_of_the_residual) {
  for_each_combination([](const Case& c, const FormulationEntry& entry, const FormulationInput& input) {
    if (entry.equations != Equations::dae) return;
    const auto f = as<DaeFormulation>(entry.make(input));
    VectorXd y(f->size()), yp(f->size());
    f->pack(input.start, y.data(), yp.data());
    yp.head(c.q.size()).array() += 0.1;  // q' other than v, mu other than 0: off the solution, too
    y.tail(1).array() += 0.2;
    const VectorXd x = direction(y.size());
    VectorXd Jx(y.size());
    for (const double cj : {0.0, 10.0, 1e4}) {
      const double scale = std::max(1.0, cj);
      // (y, y') moves along (x, cj x)
      const VectorXd expected = along(
          [&](const VectorXd& at, VectorXd& out) {
            const VectorXd rate = yp + cj * (at - y);
            BOOST_REQUIRE(f->residual(t_law, at.data(), rate.data(), out.data()) == EvaluationResult::ok);
          },
          y, x);
      BOOST_REQUIRE(f->provides().product->linearize_product(t_law, y.data(), yp.data()) == EvaluationResult::ok);
      BOOST_REQUIRE(f->provides().product->jacobian_times(cj, x.data(), Jx.data()) == EvaluationResult::ok);
      BOOST_TEST(worst(Jx / scale, expected / scale) < std::max(product_tolerance, c.newton_tolerance));
      if (cj == 0.0) continue;
      BOOST_REQUIRE(f->provides().newton->factorize_newton(t_law, y.data(), yp.data(), cj) == EvaluationResult::ok);
      BOOST_REQUIRE(f->provides().newton->solve_newton(cj, Jx.data()) == EvaluationResult::ok);
      BOOST_TEST(worst(Jx, x) < std::max(1e-6, c.newton_tolerance) * scale);
    }
  });
}

BOOST_AUTO_TEST_CASE(accelerations_satisfy_the_defining_equations) {
  // Off the constraints, wherever the formulation's own variables put the point.
  for_each_combination([](const Case& c, const FormulationEntry& entry, const FormulationInput& input) {
    if (entry.equations != Equations::ode || entry.accuracy.altered_motion > 0.0) return;
    const auto [f, y] = form_and_variables(entry, input);
    const int n = c.system->num_positions();
    VectorXd ydot(f->size()), q(n), v(n), a(n);
    BOOST_REQUIRE(f->rhs(t_law, y.data(), ydot.data()) == EvaluationResult::ok);
    BOOST_REQUIRE(f->unpack(t_law, y.data(), ydot.data(), q.data(), v.data(), a.data()) == EvaluationResult::ok);
    const auto w = make_workspace(*c.system, Storage::dense);
    evaluate_system(*c.system, request::acceleration_level, {t_law, q.data(), v.data(), nullptr, nullptr}, *w);
    const MatrixXd M = w->M.dense(), G = w->G.dense();
    const VectorXd &force = w->f, &bias = w->gamma;
    // M a - f must lie in the range of G^T ...
    const VectorXd rest = force - M * a;
    const VectorXd lambda = G.transpose().colPivHouseholderQr().solve(rest);
    BOOST_TEST((rest - G.transpose() * lambda).lpNorm<Eigen::Infinity>() < 1e-10);
    // ... and without feedback G a = gamma.
    if (f->provides().feedback == nullptr) BOOST_TEST((G * a - bias).lpNorm<Eigen::Infinity>() < 1e-10);
    if (f->size() == 2 * n) BOOST_TEST((ydot.head(n) - c.v).norm() == 0.0);
  });
}

BOOST_AUTO_TEST_CASE(without_feedback_the_constraint_rows_hold_off_the_constraints_too) {
  // G a = gamma at points that violate g and g'.
  for (const char* name : {"unstabilized", "projected"}) {
    const FormulationEntry& entry = find_formulation(name);
    for (const Case& c : cases()) {
      BOOST_TEST_CONTEXT(name << ", " << c.name) {
        const auto f = as<OdeFormulation>(entry.make(input_for(c, "dense")));
        VectorXd y(f->size()), ydot(f->size());
        y << c.q, c.v;
        BOOST_REQUIRE(f->rhs(0.3, y.data(), ydot.data()) == EvaluationResult::ok);
        const Evaluated e = evaluate(c, c.q, c.v);
        BOOST_TEST((e.G * ydot.tail(c.q.size()) - e.bias).lpNorm<Eigen::Infinity>() < 1e-10);
        BOOST_TEST((ydot.head(c.q.size()) - c.v).norm() == 0.0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(penalty_is_baumgarte_with_compliance_to_rounding) {
  // (M + G^T Lambda G) a = f - G^T Lambda (K_D g' + K_P g - gamma), formed explicitly and solved independently.
  const FormulationEntry& entry = find_formulation("penalty");
  const double Lambda = 50.0;
  for (const LinearSolverEntry& solver : linear_solver_registry()) {
    if (!solver.available) continue;
    for (const Case& c : cases()) {
      BOOST_TEST_CONTEXT(c.name << ", " << solver.name) {
        const int n = c.system->num_positions();
        const int m_g = c.system->num_position_constraints();
        FormulationInput input = input_for(c, std::string(solver.name));
        input.gains = {};
        input.gains.K_D = Gain(3.0);
        input.gains.K_P = Gain(7.0);
        input.gains.K_N = Gain(2.0);
        input.gains.Lambda = Gain(Lambda);
        const auto f = as<OdeFormulation>(entry.make(input));
        VectorXd y(f->size()), ydot(f->size());
        y << c.q, c.v;
        BOOST_REQUIRE(f->rhs(0.3, y.data(), ydot.data()) == EvaluationResult::ok);
        const Evaluated e = evaluate(c, c.q, c.v);
        VectorXd b = e.bias;
        for (int i = 0; i < b.size(); ++i)
          b[i] -= i < m_g ? 3.0 * e.velocity[i] + 7.0 * e.position[i] : 2.0 * e.velocity[i];
        const VectorXd right = e.force + Lambda * (e.G.transpose() * b);
        const VectorXd a = (e.M + Lambda * e.G.transpose() * e.G).ldlt().solve(right);
        BOOST_TEST((ydot.tail(n) - a).lpNorm<Eigen::Infinity>() < 1e-11 * (1.0 + a.lpNorm<Eigen::Infinity>()));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(catalogue_says_the_number_of_unknowns) {
  for (const FormulationInfo& form : formulations()) {
    const mechanisms::Mechanism program = mechanisms::find_mechanism("slider_crank_program").make(0);
    const Case c = cases()[0];
    const auto system = form.for_programs ? program.system : c.system;
    const InitialState start = form.for_programs ? program.start : InitialState{0.0, c.q, c.v};
    const int m_g = system->num_position_constraints(), m = system->num_constraints();
    const std::map<std::string, int> value = {
        {"n", system->num_positions()}, {"m", m}, {"m_g", m_g}, {"rank", m}, {"rank_g", m_g}};
    const std::string text(form.unknowns);
    const std::regex term(R"((-?) ?(\d*)(rank_g|rank|m_g|m|n))");
    int expected = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), term), end; it != end; ++it) {
      const int factor = (*it)[2].length() > 0 ? std::stoi((*it)[2]) : 1;
      expected += ((*it)[1].length() > 0 ? -factor : factor) * value.at((*it)[3]);
    }
    AttachOptions options;
    options.formulation = std::string(form.name);
    BOOST_TEST(num_unknowns(system, consistent_state(system, start).state, options) == expected, form.name);
  }
}
