// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <Eigen/Dense>

#include <sunlagrange/stability.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "formulation/formulation.hpp"

/// Values of the numbered equations of the papers. Model functions, their derivatives and the equations themselves are
/// written out here in plain Eigen; nothing but the answers is taken from the library.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Eigen::VectorXd;

namespace {

/// Four coordinates, a full mass matrix, two rheonomic rows of positions and one row of velocities, nonlinear in v. No
/// term of any derivative vanishes by accident.
struct Model {
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 2;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = 3.0 + 0.4 * cos(q[1]);
    M(1, 1) = 2.5 + 0.2 * sin(q[0] + t);
    M(2, 2) = 1.7;
    M(3, 3) = 1.2 + 0.1 * q[2] * q[2];
    M(0, 1) = M(1, 0) = 0.5 * q[2];
    M(0, 3) = M(3, 0) = 0.3;
    M(1, 2) = M(2, 1) = -0.4 * cos(q[3]);
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = -3.0 * q[0] - 0.4 * v[0] * v[1] + sin(t);
    f[1] = -2.0 * q[1] * q[2] - 0.1 * v[1];
    f[2] = 1.0 - 0.3 * v[2] * v[2];
    f[3] = q[0] - 0.7 * v[3] * v[0];
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = q[0] * q[0] + sin(q[1]) * q[2] + 0.3 * t * q[3] - 0.7;
    g[1] = q[1] * q[3] + 0.5 * q[2] * q[2] + cos(t) * q[0] - 0.4;
  }
  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = v[0] * sin(q[2]) - v[1] * q[3] + 0.1 * v[2] * v[2] * q[0] + 0.2 * v[3] - 0.05 * t;
  }
};

/// The same model with all derivatives by hand.
struct ByHand {
  MatrixXd M{4, 4}, G;
  VectorXd f{4}, g, rates, gamma;  // rates: (g', psi)

  ByHand(double t, const Vector4d& q, const Vector4d& v) : G(3, 4), g(2), rates(3), gamma(3) {
    M << 3.0 + 0.4 * std::cos(q[1]), 0.5 * q[2], 0.0, 0.3,                       //
        0.5 * q[2], 2.5 + 0.2 * std::sin(q[0] + t), -0.4 * std::cos(q[3]), 0.0,  //
        0.0, -0.4 * std::cos(q[3]), 1.7, 0.0,                                    //
        0.3, 0.0, 0.0, 1.2 + 0.1 * q[2] * q[2];
    f << -3.0 * q[0] - 0.4 * v[0] * v[1] + std::sin(t), -2.0 * q[1] * q[2] - 0.1 * v[1], 1.0 - 0.3 * v[2] * v[2],
        q[0] - 0.7 * v[3] * v[0];
    g << q[0] * q[0] + std::sin(q[1]) * q[2] + 0.3 * t * q[3] - 0.7,
        q[1] * q[3] + 0.5 * q[2] * q[2] + std::cos(t) * q[0] - 0.4;
    G << 2.0 * q[0], std::cos(q[1]) * q[2], std::sin(q[1]), 0.3 * t,  //
        std::cos(t), q[3], q[2], q[1],                                //
        std::sin(q[2]), -q[3], 0.2 * v[2] * q[0], 0.2;
    const double psi = v[0] * std::sin(q[2]) - v[1] * q[3] + 0.1 * v[2] * v[2] * q[0] + 0.2 * v[3] - 0.05 * t;
    rates << G.row(0).dot(v) + 0.3 * q[3], G.row(1).dot(v) - std::sin(t) * q[0], psi;
    gamma << -(2.0 * v[0] * v[0] - std::sin(q[1]) * q[2] * v[1] * v[1] + 2.0 * std::cos(q[1]) * v[1] * v[2] +
               0.6 * v[3]),
        -(2.0 * v[1] * v[3] + v[2] * v[2] - 2.0 * std::sin(t) * v[0] - std::cos(t) * q[0]),
        -(std::cos(q[2]) * v[0] * v[2] - v[1] * v[3] + 0.1 * v[0] * v[2] * v[2] - 0.05);
  }

  /// gamma - K_D g' - K_P g, and gamma - K_N psi in the last row.
  VectorXd right_side(const MatrixXd& K_D, const MatrixXd& K_P, double K_N) const {
    VectorXd b = gamma;
    b.head(2) -= K_D * rates.head(2) + K_P * g;
    b[2] -= K_N * rates[2];
    return b;
  }
};

struct Motion {
  VectorXd a, lambda;
};

/// [M G^T; G -C] (a, lambda) = (f, b).
Motion saddle_point(const ByHand& p, const VectorXd& b, const MatrixXd& C = MatrixXd::Zero(3, 3)) {
  MatrixXd K(7, 7);
  K << p.M, p.G.transpose(), p.G, -C;
  VectorXd right(7);
  right << p.f, b;
  const VectorXd x = K.fullPivLu().solve(right);
  return {x.head(4), x.tail(3)};
}

const double t = 0.3;
const Vector4d q(0.7, 0.4, 0.5, -0.6), v(0.3, -0.2, 0.6, 0.8);

// Symmetric positive definite; full, so that rows and columns cannot be exchanged unseen, and K_P far from K_D.
const MatrixXd K_D = (MatrixXd(2, 2) << 4.0, 1.5, 1.5, 6.0).finished();
const MatrixXd K_P = (MatrixXd(2, 2) << 30.0, -8.0, -8.0, 11.0).finished();
const double K_N = 2.5;
const MatrixXd Lambda = (MatrixXd(3, 3) << 4.0, 1.5, -0.8, 1.5, 2.0, 0.6, -0.8, 0.6, 3.0).finished();

FormulationOptions with_gains(const char* formulation) {
  FormulationOptions options;
  options.formulation = formulation;
  options.gains.K_D = Gain(K_D);
  options.gains.K_P = Gain(K_P);
  options.gains.K_N = Gain(K_N);
  return options;
}

double error(const VectorXd& x, const VectorXd& expected) {
  return (x - expected).norm() / (1.0 + expected.norm());
}

VectorXd flat(const MatrixXd& A) {
  return Eigen::Map<const VectorXd>(A.data(), A.size());
}

constexpr double rounding = 1e-12;

/// The accelerations and multipliers of a form at (t, q, v), by every linear solver.
template <class Use>
void for_each_solver(FormulationOptions options, Use&& use) {
  const auto system = make_system(Model{});
  for (const LinearSolverEntry& solver : linear_solver_registry()) {
    if (!solver.available) continue;
    BOOST_TEST_CONTEXT(options.formulation << ", " << solver.name) {
      options.linear_solver.name = std::string(solver.name);
      const Reactions r = reactions(system, {t, q, v}, options);
      BOOST_REQUIRE_MESSAGE(r.status.finished(), r.status.message);
      use(r);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(equations_1_and_2_and_the_ideal_reactions) {
  // [000, (1), (2), (14)], [001, (11), (12)], [003, (1.21)]: M v' + G^T lambda = f, G v' = gamma.
  const ByHand p(t, q, v);
  const Motion expected = saddle_point(p, p.gamma);
  for_each_solver(with_gains("unstabilized"), [&](const Reactions& r) {
    BOOST_TEST(error(r.acceleration, expected.a) < rounding);
    BOOST_TEST(error(r.ideal, expected.lambda) < rounding);
    BOOST_TEST(error(flat(MatrixXd(r.jacobian)), flat(p.G)) < rounding);
    BOOST_TEST(error(r.position_violation, p.g) < rounding);
    BOOST_TEST(error(r.velocity_violation, p.rates) < rounding);
  });
}

BOOST_AUTO_TEST_CASE(gamma_is_the_second_derivative_along_a_motion) {
  // The hand-written gamma that the other tests rest on: differences of (g', psi) along v' = 0, which need no gamma.
  const double s = 1e-4;
  const ByHand ahead(t + s, q + s * v, v), behind(t - s, q - s * v, v), here(t, q, v);
  BOOST_TEST((here.gamma + (ahead.rates - behind.rates) / (2.0 * s)).norm() < 1e-7);
  BOOST_TEST(((ahead.g - behind.g) / (2.0 * s) - here.rates.head(2)).norm() < 1e-7);
}

BOOST_AUTO_TEST_CASE(equations_15_to_21_with_full_matrices) {
  // [000, (15), (16), (20), (21)]: M v' = f - G^T A^-1 (G M^-1 f - Xi), Xi = gamma - K_D g' - K_P g, A = G M^-1 G^T.
  const ByHand p(t, q, v);
  const VectorXd Xi = p.right_side(K_D, K_P, K_N);
  const MatrixXd inverse = p.M.inverse(), A = p.G * inverse * p.G.transpose();
  const VectorXd lambda = A.inverse() * (p.G * inverse * p.f - Xi);
  const VectorXd a = inverse * (p.f - p.G.transpose() * lambda);
  const VectorXd swapped = saddle_point(p, p.right_side(K_P, K_D, K_N)).a;
  BOOST_TEST(error(swapped, a) > 0.1);  // the values tell K_D from K_P ...
  const MatrixXd diagonal_D = K_D.diagonal().asDiagonal(), diagonal_P = K_P.diagonal().asDiagonal();
  BOOST_TEST(error(saddle_point(p, p.right_side(diagonal_D, K_P, K_N)).a, a) > 0.01);  // ... and full from diagonal
  BOOST_TEST(error(saddle_point(p, p.right_side(K_D, diagonal_P, K_N)).a, a) > 0.01);
  for (const char* form : {"baumgarte", "index1", "extended_lagrangian"}) {
    for_each_solver(with_gains(form), [&](const Reactions& r) {
      BOOST_TEST(error(r.acceleration, a) < rounding);
      BOOST_TEST(error(r.ideal + r.stabilizing, lambda) < rounding);
      BOOST_TEST(error(r.acceleration_violation, Xi - p.gamma) < rounding);  // g'' + K_D g' + K_P g = 0
    });
  }
  // iterated until the multipliers agree to a fraction of the tolerance
  for_each_solver(with_gains("augmented_lagrangian"),
                  [&](const Reactions& r) { BOOST_TEST(error(r.acceleration, a) < 1e-8); });
}

BOOST_AUTO_TEST_CASE(equations_28_to_31_with_a_full_excess_mass) {
  // [000, (28) to (31)]: (M + G^T Lambda G) v' = f - G^T Lambda (K_D g' + K_P g - gamma),
  // lambda = Lambda (g'' + K_D g' + K_P g).
  const ByHand p(t, q, v);
  const VectorXd Xi = p.right_side(K_D, K_P, K_N);
  const auto modified = [&](const MatrixXd& L) {
    return VectorXd((p.M + p.G.transpose() * L * p.G).fullPivLu().solve(p.f + p.G.transpose() * L * Xi));
  };
  const VectorXd a = modified(Lambda), lambda = Lambda * (p.G * a - Xi);
  BOOST_TEST(error(modified(Lambda.diagonal().asDiagonal()), a) > 0.01);
  BOOST_TEST(error(saddle_point(p, Xi, Lambda.inverse()).a, a) < rounding);  // the identity with the compliance
  for (const char* form : {"penalty", "index1"}) {
    FormulationOptions options = with_gains(form);
    options.gains.Lambda = Gain(Lambda);
    for_each_solver(options, [&](const Reactions& r) {
      BOOST_TEST(error(r.acceleration, a) < rounding);
      BOOST_TEST(error(r.ideal + r.stabilizing, lambda) < rounding);
    });
  }
}

BOOST_AUTO_TEST_CASE(residuals_of_the_multiplier_forms) {
  // [HairerWanner1996, chapter VII.1]: q' - v, M v' + G^T lambda - f, and the rows that each index prescribes.
  const ByHand p(t, q, v);
  const auto system = make_system(Model{});
  const Vector4d q_rate(0.1, -0.5, 0.9, 0.4), v_rate(0.6, 0.2, -0.7, 1.1);
  const Vector3d lambda(0.8, -1.3, 0.5);
  const Vector2d mu(0.4, -0.9);
  FormulationInput input;
  static_cast<FormulationOptions&>(input) = with_gains("index1");
  input.system = system;
  input.start.q = q;
  input.start.v = v;
  input.start.a = Vector4d::Zero();
  input.start.lambda = Vector3d::Zero();
  const auto residual = [&](const char* name, const VectorXd& y, const VectorXd& yp) {
    const auto form = as<DaeFormulation>(find_formulation(name).make(input));
    BOOST_REQUIRE(form->size() == y.size());
    VectorXd r(y.size());
    BOOST_REQUIRE(form->residual(t, y.data(), yp.data(), r.data()) == EvaluationResult::ok);
    return r;
  };
  VectorXd y(11), yp(11), expected(11);
  y << q, v, lambda;
  yp << q_rate, v_rate, 0.0, 0.0, 0.0;
  const VectorXd motion = p.M * v_rate + p.G.transpose() * lambda - p.f;
  VectorXd rows = p.rates;
  expected << q_rate - v, motion, rows;
  BOOST_TEST(error(residual("index2", y, yp), expected) < rounding);
  rows.head(2) = p.g;
  expected << q_rate - v, motion, rows;
  BOOST_TEST(error(residual("index3", y, yp), expected) < rounding);
  const Motion solved = saddle_point(p, p.right_side(K_D, K_P, K_N));
  expected << q_rate - v, v_rate - solved.a, lambda - solved.lambda;
  BOOST_TEST(error(residual("index1", y, yp), expected) < rounding);

  VectorXd z(13), zp(13), expected_ggl(13);
  z << q, v, lambda, mu;
  zp << q_rate, v_rate, 0.0, 0.0, 0.0, 0.0, 0.0;
  expected_ggl << p.M * (q_rate - v) + p.G.topRows(2).transpose() * mu, motion, p.rates, p.g;
  BOOST_TEST(error(residual("ggl", z, zp), expected_ggl) < rounding);
  z << q, v, 0.0, 0.0, 0.0, 0.0, 0.0;
  zp << q_rate, v_rate, lambda, mu;  // the multipliers are derivatives
  BOOST_TEST(error(residual("stabilized_index1", z, zp), expected_ggl) < rounding);
}

BOOST_AUTO_TEST_CASE(error_weights_of_multipliers_are_those_of_their_effect) {
  // An error of lambda_i alone changes v in a step h by h M^-1 G_i^T, M lumped to its diagonal. Its weight is the rms
  // of what this costs in the error weights of v.
  const ByHand p(t, q, v);
  FormulationInput input;
  input.formulation = "index2";
  input.system = make_system(Model{});
  input.rtol = 1e-5;
  input.atol = 1e-7;
  input.start.t = t;
  input.start.q = q;
  input.start.v = v;
  input.start.a = Vector4d::Constant(0.3);
  input.start.lambda = Vector3d::Zero();
  VectorXd y(11), weight(11);
  y << q, v, 0.0, 0.0, 0.0;
  for (const double h : {1e-2, 1e-4}) {
    const auto form = as<DaeFormulation>(find_formulation("index2").make(input));
    BOOST_REQUIRE(form->weights(h, y.data(), weight.data()) == EvaluationResult::ok);
    for (int i = 0; i < 3; ++i) {
      double sum = 0.0;
      for (int j = 0; j < 4; ++j) {
        const double effect = weight[4 + j] * h * p.G(i, j) / p.M(j, j);
        sum += effect * effect / 4.0;
      }
      BOOST_TEST(std::abs(weight[8 + i] / std::sqrt(sum) - 1.0) < rounding);
    }
  }
}

// ---- [001], [003]: excess energy
// ---------------------------------------------------------------------------------------

namespace {

const MatrixXd m = (MatrixXd(3, 3) << 2.0, 0.3, 0.5, 0.3, 1.5, -0.2, 0.5, -0.2, 1.0).finished();
const MatrixXd k = (MatrixXd(2, 2) << 9.0, 2.0, 2.0, 7.0).finished();
const MatrixXd c = (MatrixXd(3, 3) << 6.0, 0.5, 0.9, -0.5, 5.0, 0.1, 0.2, 0.4, 4.0).finished();

}  // namespace

BOOST_AUTO_TEST_CASE(excess_energy_with_full_matrices) {
  // [003, (1.15), (1.17), (1.18)] with constant m, k, c: m v_y' = -k y - c v_y, G v' = gamma + v_y'.
  const ByHand p(t, q, v);
  FormulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.mass = [](double, const VectorXd&, MatrixXd& out) { out = m; };
  options.excess.stiffness = [](double, const VectorXd&, MatrixXd& out) { out = k; };
  options.excess.dissipation = [](double, const VectorXd&, const VectorXd&, MatrixXd& out) { out = c; };
  VectorXd force = -c * p.rates;
  force.head(2) -= k * p.g;
  const VectorXd v_y_rate = m.inverse() * force;
  const MatrixXd A = p.G * p.M.inverse() * p.G.transpose();
  const Motion expected = saddle_point(p, p.gamma + v_y_rate);
  const VectorXd lambda_0 = A.inverse() * (p.G * p.M.inverse() * p.f - p.gamma), lambda_1 = -A.inverse() * v_y_rate;
  for_each_solver(options, [&](const Reactions& r) {
    BOOST_TEST(error(r.acceleration, expected.a) < rounding);
    BOOST_TEST(error(r.ideal, lambda_0) < rounding);
    BOOST_TEST(error(r.stabilizing, lambda_1) < 1e-9);
  });
}

// ---- rank below m
// ------------------------------------------------------------------------------------------------------

namespace {

/// The rows of Model and their combination g_0 - 2 g_1 as a third row of positions.
struct Dependent : Model {
  static constexpr int num_constraints = 3;
  template <class T>
  void constraint(T time, View<const T> x, View<T> g) const {
    Model::constraint(time, x, g);
    g[2] = g[0] - 2.0 * g[1];
  }
};

/// S^+ by its eigenvalues.
MatrixXd generalised_inverse(const MatrixXd& S) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(S);
  VectorXd inverse = eigen.eigenvalues();
  for (double& x : inverse) x = x > 1e-9 * eigen.eigenvalues().maxCoeff() ? 1.0 / x : 0.0;
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

BOOST_AUTO_TEST_CASE(equations_6_to_8_and_21_with_dependent_rows) {
  // [000, (6) to (8)]: lambda = A^+ (G M^-1 f - Xi), M v' = f - G^T lambda; rows (g_0, g_1, g_0 - 2 g_1, psi).
  const ByHand p(t, q, v);
  MatrixXd E = MatrixXd::Zero(4, 3);  // all rows from the independent ones
  E << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, -2.0, 0.0, 0.0, 0.0, 1.0;
  const MatrixXd full_D = (MatrixXd(3, 3) << 4.0, 1.0, 0.5, 1.0, 5.0, -0.7, 0.5, -0.7, 3.0).finished();
  const MatrixXd full_P = (MatrixXd(3, 3) << 20.0, -3.0, 2.0, -3.0, 9.0, 1.0, 2.0, 1.0, 14.0).finished();
  const VectorXd g = E.topRows(3) * (VectorXd(3) << p.g, 0.0).finished(), rates = E * p.rates;
  VectorXd Xi = E * p.gamma;
  Xi.head(3) -= full_D * rates.head(3) + full_P * g;
  Xi[3] -= K_N * rates[3];
  const MatrixXd G = E * p.G, inverse = p.M.inverse();
  const VectorXd lambda = generalised_inverse(G * inverse * G.transpose()) * (G * inverse * p.f - Xi);
  const VectorXd a = inverse * (p.f - G.transpose() * lambda);
  const auto system = make_system(Dependent{});
  FormulationOptions options = with_gains("baumgarte");
  options.gains.K_D = Gain(full_D);
  options.gains.K_P = Gain(full_P);
  for (const LinearSolverEntry& solver : linear_solver_registry()) {
    if (!solver.available) continue;
    options.linear_solver.name = std::string(solver.name);
    const Reactions r = reactions(system, {t, q, v}, options);
    BOOST_REQUIRE_MESSAGE(r.status.finished(), r.status.message);
    BOOST_TEST(r.rank == 3);
    BOOST_TEST(error(r.acceleration, a) < 1e-9, solver.name);
    BOOST_TEST(error(r.ideal + r.stabilizing, lambda) < 1e-7, solver.name);
  }
}

BOOST_AUTO_TEST_CASE(scalar_gains_leave_no_violation_and_unequal_ones_contradict_each_other) {
  // Rows (g_0, g_1, g_0 - 2 g_1): g'' + K_D g' + K_P g = 0 can hold for all of them only if K_D and K_P are multiples
  // of the identity, or fit the dependence.
  const auto system = make_system(Dependent{});
  const auto largest_rest = [&](const std::vector<double>& rate, const std::vector<double>& position) {
    FormulationOptions options = with_gains("baumgarte");
    options.gains.K_D = Gain(rate);
    options.gains.K_P = Gain(position);
    const Reactions r = reactions(system, {t, q, v}, options);
    double rest = 0.0;
    for (Eigen::Index i = 0; i < 3; ++i) {
      const std::size_t gain = rate.size() == 1 ? 0 : static_cast<std::size_t>(i);
      rest = std::max(rest, std::abs(r.acceleration_violation[i] + rate[gain] * r.velocity_violation[i] +
                                     position[gain] * r.position_violation[i]));
    }
    return rest;
  };
  BOOST_TEST(largest_rest({6.0}, {9.0}) < 1e-9);
  BOOST_TEST(largest_rest({6.0, 4.0, 10.0}, {9.0, 4.0, 25.0}) > 0.1);
}

BOOST_AUTO_TEST_CASE(penalty_and_baumgarte_differ_by_the_inverse_of_the_excess_mass) {
  // The equal effect of (21) and (30): the difference is Lambda^-1 times a limit.
  const auto system = make_system(Model{});
  const auto acceleration = [&](const char* form, double factor) {
    FormulationOptions options = with_gains(form);
    if (factor > 0.0) options.gains.Lambda = Gain(factor * Lambda);
    return reactions(system, {t, q, v}, options).acceleration;
  };
  const VectorXd limit = acceleration("baumgarte", 0.0);
  const double coarse = (acceleration("penalty", 1e3) - limit).norm();
  const double fine = (acceleration("penalty", 1e4) - limit).norm();
  BOOST_TEST(coarse > 1e-4);
  BOOST_TEST(std::abs(coarse / fine - 10.0) < 0.1);
}

// ---- constraints that do work
// ------------------------------------------------------------------------------------------

namespace {

/// A force whose virtual work is that of the constraints: it depends on time, positions and velocities.
struct Working : Model {
  template <class T>
  void applied_force(T time, View<const T> x, View<const T> rate, View<T> f) const {
    Model::applied_force(time, x, rate, f);
    f[0] += 0.5 * rate[1];
    f[1] += -0.3 * x[0];
    f[2] += 0.7 + 0.1 * time;
    f[3] += 0.2 * rate[0] * rate[2];
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_constraint_force_given_by_its_virtual_work_is_an_applied_force) {
  // In place of [000, (9) to (13)]: constraints whose force R does the virtual work dr^T R = dr^T C for all dr with
  // G dr = 0. Then, with B = G M^-1/2 and B^+ its generalised inverse,
  //     v' = M^-1 f + M^-1/2 B^+ (gamma - G M^-1 f) + M^-1/2 (I - B^+ B) M^-1/2 C,
  // which is the motion with the applied force f + C and ideal constraints, for independent and for dependent rows.
  const ByHand p(t, q, v);
  const Vector4d C(0.5 * v[1], -0.3 * q[0], 0.7 + 0.1 * t, 0.2 * v[0] * v[2]);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(p.M);
  const MatrixXd root = eigen.operatorInverseSqrt();
  const MatrixXd B = p.G * root, B_plus = B.transpose() * (B * B.transpose()).inverse();
  const VectorXd free = p.M.inverse() * p.f;
  const VectorXd a =
      free + root * B_plus * (p.gamma - p.G * free) + root * (MatrixXd::Identity(4, 4) - B_plus * B) * root * C;
  const Reactions r = reactions(make_system(Working{}), {t, q, v}, with_gains("unstabilized"));
  BOOST_TEST(error(r.acceleration, a) < rounding);
  const VectorXd R = p.M * a - p.f;  // constraint force, the working part included
  const MatrixXd tangential = Eigen::FullPivLU<MatrixXd>(p.G).kernel();
  BOOST_TEST((tangential.transpose() * (R - C)).norm() < rounding);
  BOOST_TEST((tangential.transpose() * C).norm() > 0.1);
}

// ---- [002]: kinematic programs
// -----------------------------------------------------------------------------------------

namespace {

struct Program {
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 2;
  template <class T>
  void constraint(T time, View<const T> y, View<T> f) const {
    Model{}.constraint(time, y, f);
  }
};

/// The third row is the first less twice the second.
struct DependentProgram {
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 3;
  template <class T>
  void constraint(T time, View<const T> y, View<T> f) const {
    Model{}.constraint(time, y, f);
    f[2] = f[0] - 2.0 * f[1];
  }
};

/// [AC]: component j is the determinant of the unit row e_j above the rows.
VectorXd vector_product(const MatrixXd& rows) {
  VectorXd product(4);
  for (int j = 0; j < 4; ++j) {
    MatrixXd all(4, 4);
    all << MatrixXd::Identity(4, 4).row(j), rows;
    product[j] = all.determinant();
  }
  return product;
}

VectorXd velocity(const std::shared_ptr<const MechanicalSystem>& program, const Gain& gain, const char* solver) {
  FormulationOptions options;
  options.formulation = "integral_manifold";
  options.gains.K_N = gain;
  options.linear_solver.name = solver;
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  const MotionState start = consistent_state(program, {t, q, {}}, as_given).state;
  VectorXd rate;
  BOOST_REQUIRE(FirstOrderForm(program, start, options).rhs(t, q, rate));
  return rate;
}

}  // namespace

BOOST_AUTO_TEST_CASE(theorem_1_of_002_with_full_gains_and_rank_below_m) {
  // [002, (8), (9)]: v = c [AC] + A^+ (a - f_t), a = -K_N f, with the generalised inverse where rows are dependent.
  const ByHand p(t, q, Vector4d::Zero());
  const MatrixXd A = p.G.topRows(2);
  const Vector2d f_t = p.rates.head(2);  // g' at rest
  ProgramOptions options;
  options.speed = 0.7;
  options.companions = Eigen::RowVector4d(0.3, -1.0, 0.5, 0.8);
  options.product_rows = {0, 1};
  MatrixXd rows(3, 4);
  rows << A, options.companions;
  const VectorXd tangential = 0.7 * vector_product(rows);
  BOOST_TEST(tangential.norm() > 0.1);
  MatrixXd E(3, 2);
  E << 1.0, 0.0, 0.0, 1.0, 1.0, -2.0;
  const MatrixXd full = (MatrixXd(3, 3) << 4.0, 1.0, 0.5, 1.0, 5.0, -0.7, 0.5, -0.7, 3.0).finished();
  const MatrixXd B = E * A;
  const VectorXd independent = tangential + A.transpose() * (A * A.transpose()).inverse() * (-K_P * p.g - f_t);
  const VectorXd dependent =
      tangential + B.transpose() * generalised_inverse(B * B.transpose()) * (-full * E * p.g - E * f_t);
  BOOST_TEST(error(independent, dependent) > 0.01);
  const auto two = make_program(Program{}, options), three = make_program(DependentProgram{}, options);
  for (const LinearSolverEntry& solver : linear_solver_registry()) {
    if (!solver.available) continue;
    const std::string name(solver.name);
    BOOST_TEST(error(velocity(two, Gain(K_P), name.c_str()), independent) < rounding, name);
    BOOST_TEST(error(velocity(three, Gain(full), name.c_str()), dependent) < 1e-9, name);
  }
}

namespace {

/// r sin(y_0) - l sin(y_1).
struct SliderCrank {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  double l = 2.0;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = sin(y[0]) - l * sin(y[1]);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(beside_both_links_of_the_slider_crank_vertical) {
  // f_y = 0 with both links vertical. With l = 2 no solution of f = 0 passes there, and beside it f_y^+ a grows without
  // bound, |v| = K_N |f| / |f_y|; with l = 1 the solution y_0 = y_1 does, and f_y^+ a = 0 on it: only the tangential
  // field c [AC] is left, which vanishes there.
  const double right_angle = std::acos(0.0);
  for (const double l : {1.0, 2.0}) {
    const auto program = make_program(SliderCrank{l}, {});
    ConsistencyOptions as_given;
    as_given.start = Start::as_given;
    const MotionState start = consistent_state(program, {0.0, Vector2d(0.3, 0.2), {}}, as_given).state;
    FormulationOptions options;
    options.formulation = "integral_manifold";
    options.gains.K_N = Gain(3.0);
    FirstOrderForm form(program, start, options);
    for (const double d : {1e-2, 1e-4}) {
      const Vector2d y(right_angle - d, right_angle - d), A(std::cos(y[0]), -l * std::cos(y[1]));
      const double f = std::sin(y[0]) - l * std::sin(y[1]);
      VectorXd rate;
      BOOST_REQUIRE(form.rhs(0.0, y, rate));
      const Vector2d expected = Vector2d(A[1], -A[0]) - 3.0 * f / A.squaredNorm() * A;
      BOOST_TEST(error(rate, expected) < 1e-10);
      if (l == 2.0) BOOST_TEST(std::abs(rate.norm() * A.norm() / 3.0 - 1.0) < 2e-4);
      if (l == 1.0) BOOST_TEST(rate.norm() < 2.0 * d);
    }
  }
}
