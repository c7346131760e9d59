// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <random>

#include <Eigen/Dense>
#include <boost/numeric/odeint.hpp>

#include "formulation/formulation.hpp"
#include "linear_algebra/spd.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"

/// Excess variables with state-dependent inertia, stiffness and dissipation [003].
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// One holonomic and one nonholonomic constraint on three coordinates (test::Everything), m, k, c of full size and
// without a vanishing derivative. m' and the gradients that the papers' m^(2) needs are written out.

MatrixXd mass(double t, const VectorXd& q) {
  const double coupling = 0.2 * std::sin(q[2]);
  return (MatrixXd(2, 2) << 2.0 + 0.5 * std::sin(q[0]) + 0.1 * t, coupling, coupling, 1.2 + 0.3 * q[1] * q[1])
      .finished();
}

MatrixXd mass_derivative(const VectorXd& q, int i) {  // dm/dq_i
  MatrixXd d = MatrixXd::Zero(2, 2);
  if (i == 0) d(0, 0) = 0.5 * std::cos(q[0]);
  if (i == 1) d(1, 1) = 0.6 * q[1];
  if (i == 2) d(0, 1) = d(1, 0) = 0.2 * std::cos(q[2]);
  return d;
}

MatrixXd mass_rate(const VectorXd& q, const VectorXd& v) {
  MatrixXd rate = MatrixXd::Zero(2, 2);
  rate(0, 0) = 0.1;  // dm/dt
  for (int i = 0; i < 3; ++i) rate += mass_derivative(q, i) * v[i];
  return rate;
}

double stiffness(double t, const VectorXd& q) {
  return 6.0 + 2.0 * std::sin(q[1] + q[2]) + 0.5 * std::cos(t);
}

double stiffness_derivative(const VectorXd& q, int i) {
  return i == 0 ? 0.0 : 2.0 * std::cos(q[1] + q[2]);
}

MatrixXd dissipation(double t, const VectorXd& q, const VectorXd& v) {
  const double coupling = 0.3 * std::sin(q[0]);
  return (MatrixXd(2, 2) << 5.0 + v[0] * v[0], coupling, coupling, 3.0 + 0.2 * std::cos(v[2]) + 0.1 * std::sin(t))
      .finished();
}

MatrixXd dissipation_derivative(const VectorXd& v, int i) {  // dc/dv_i
  MatrixXd d = MatrixXd::Zero(2, 2);
  if (i == 0) d(0, 0) = 2.0 * v[0];
  if (i == 2) d(1, 1) = -0.2 * std::sin(v[2]);
  return d;
}

ExcessEnergy energy(bool with_rate = true) {
  ExcessEnergy e;
  e.mass = [](double t, const VectorXd& q, MatrixXd& m) { m = mass(t, q); };
  e.stiffness = [](double t, const VectorXd& q, MatrixXd& k) { k(0, 0) = stiffness(t, q); };
  e.dissipation = [](double t, const VectorXd& q, const VectorXd& v, MatrixXd& c) { c = dissipation(t, q, v); };
  if (with_rate) {
    e.mass_rate = [](double, const VectorXd& q, const VectorXd& v, MatrixXd& rate) { rate = mass_rate(q, v); };
  }
  return e;
}

/// v_y' by the law, from y and v_y that need not be those of the mechanism.
Vector2d excess_acceleration(double t, const VectorXd& q, const VectorXd& v, double y, const Vector2d& v_y) {
  const Vector2d force = Vector2d(stiffness(t, q) * y, 0.0) + (mass_rate(q, v) + dissipation(t, q, v)) * v_y;
  return -mass(t, q).ldlt().solve(force);
}

const Vector3d start_q(0.7, 0.4, 0.5), start_v(0.3, -0.2, 0.6);

FormulationInput input_for(std::shared_ptr<const MechanicalSystem> system, const VectorXd& q, const VectorXd& v) {
  FormulationInput input;
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  input.start = consistent_state(system, {0.0, q, v}, as_given).state;
  input.system = std::move(system);
  return input;
}

/// M, G, f, gamma, g, (g', psi) at a point.
struct At {
  At(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v)
      : w(make_workspace(system, Storage::dense)) {
    BOOST_REQUIRE(evaluate_system(system, request::acceleration_level, {t, q.data(), v.data(), nullptr, nullptr}, *w));
    M = w->M.dense();
    G = w->G.dense();
    f = w->f;
    bias = w->gamma;
    velocity = w->g_rate;
  }
  std::unique_ptr<Workspace> w;
  MatrixXd M, G;
  VectorXd f, bias, velocity;
};

}  // namespace

BOOST_AUTO_TEST_CASE(constraint_errors_obey_the_law_of_the_excess_variables) {
  // (g, g', psi) along x' = (v, v'): g_x x' + g_t = A(x, t) g, at random points far off the manifold.
  const auto system = make_system(test::Everything{});
  FormulationInput input = input_for(system, start_q, start_v);
  input.excess = energy();
  const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (int sample = 0; sample < 50; ++sample) {
    const double t = any(random);
    VectorXd x(6), rate(6);
    for (double& value : x) value = any(random);
    if (f->rhs(t, x.data(), rate.data()) != EvaluationResult::ok) continue;  // a singular G
    const VectorXd q = x.head(3), v = x.tail(3), a = rate.tail(3);
    const At p(*system, t, q, v);
    const Vector2d expected = excess_acceleration(t, q, v, p.w->g[0], p.velocity);
    const double terms = p.G.cwiseAbs().maxCoeff() * a.cwiseAbs().maxCoeff() + p.bias.cwiseAbs().maxCoeff();
    BOOST_TEST((p.G * a - p.bias - expected).norm() < 1e-13 * (1.0 + terms));

    // The same through the model alone: central difference of (g, g', psi) along the flow.
    const double s = 1e-5;
    const VectorXd q1 = q + s * v + 0.5 * s * s * a, v1 = v + s * a, q0 = q - s * v + 0.5 * s * s * a, v0 = v - s * a;
    const At ahead(*system, t + s, q1, v1), behind(*system, t - s, q0, v0);
    const double g_rate = (ahead.w->g[0] - behind.w->g[0]) / (2.0 * s);
    BOOST_TEST(std::abs(g_rate - p.velocity[0]) < 1e-8);
    BOOST_TEST(((ahead.velocity - behind.velocity) / (2.0 * s) - expected).norm() < 1e-6 * (1.0 + terms * terms));
  }
}

BOOST_AUTO_TEST_CASE(coupled_stiffness_lets_g_act_on_psi) {
  const auto system = make_system(test::Everything{});
  FormulationInput input = input_for(system, start_q, start_v);
  input.excess.stiffness = [](double, const VectorXd&, MatrixXd& k) { k << 5.0, -2.0; };
  input.excess.coupled_stiffness = true;
  input.excess.dissipation = [](double, const VectorXd&, const VectorXd&, MatrixXd& c) { c << 4.0, 1.0, -1.0, 3.0; };
  const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
  VectorXd x(6), rate(6);
  x << start_q, start_v;
  BOOST_REQUIRE(f->rhs(0.3, x.data(), rate.data()) == EvaluationResult::ok);
  const At p(*system, 0.3, start_q, start_v);
  const double g = p.w->g[0];
  const Vector2d expected(-5.0 * g - 4.0 * p.velocity[0] - p.velocity[1],
                          2.0 * g + p.velocity[0] - 3.0 * p.velocity[1]);
  BOOST_TEST((p.G * rate.tail(3) - p.bias - expected).norm() < 1e-13 * (1.0 + rate.norm()));
}

BOOST_AUTO_TEST_CASE(mass_rate_by_differences_is_the_derivative_along_the_motion) {
  const auto system = make_system(test::Everything{});
  VectorXd given(6), differences(6), x(6);
  x << start_q, start_v;
  for (const bool with_rate : {true, false}) {
    FormulationInput input = input_for(system, start_q, start_v);
    input.excess = energy(with_rate);
    const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
    BOOST_REQUIRE(f->rhs(0.3, x.data(), (with_rate ? given : differences).data()) == EvaluationResult::ok);
  }
  BOOST_TEST((given - differences).norm() < 1e-9 * (1.0 + given.norm()));
  BOOST_TEST((given - differences).norm() > 0.0);  // two routes indeed
}

BOOST_AUTO_TEST_CASE(newton_freezes_the_gains_which_is_exact_on_the_constraints) {
  const auto system = make_system(test::Everything{});
  const MotionState on = consistent_state(system, {0.3, start_q, start_v}).state;
  for (const LinearSolverEntry& solver : linear_solver_registry()) {
    if (!solver.available) continue;
    FormulationInput input = input_for(system, start_q, start_v);
    input.linear_solver.name = std::string(solver.name);
    input.excess = energy();
    const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
    VectorXd y(6), plus(6), minus(6);
    y << on.q, on.v;
    MatrixXd J(6, 6);
    for (int j = 0; j < 6; ++j) {
      VectorXd x = y;
      x[j] = y[j] + 1e-6;
      f->rhs(0.3, x.data(), plus.data());
      x[j] = y[j] - 1e-6;
      f->rhs(0.3, x.data(), minus.data());
      J.col(j) = (plus - minus) / 2e-6;
    }
    // The blocks are laid out at a point where m, c and m' couple nothing: later points must not depend on that.
    VectorXd uncoupled(6);
    uncoupled << 0.0, 0.4, 0.0, 0.3, -0.2, 0.0;
    BOOST_REQUIRE(f->provides().newton->factorize_newton(0.3, uncoupled.data(), nullptr, 0.1) == EvaluationResult::ok);
    for (const double gamma : {0.2, 1e-3}) {
      BOOST_REQUIRE(f->provides().newton->factorize_newton(0.3, y.data(), nullptr, gamma) == EvaluationResult::ok);
      const VectorXd x = VectorXd::LinSpaced(6, -1.0, 2.0);
      VectorXd b = x - gamma * (J * x);
      BOOST_REQUIRE(f->provides().newton->solve_newton(gamma, b.data()) == EvaluationResult::ok);
      BOOST_TEST((b - x).lpNorm<Eigen::Infinity>() < 2e-6, solver.name << ", gamma = " << gamma);
    }
  }
}

// ---- P21: the sign of lambda2 in (1.17) --------------------------------------------------------------------------

namespace {

/// Tangential force of (1.15): 1/2 (dm/dq_i - dc/dv_i) v_y v_y - 1/2 dk/dq_i y y.
Vector3d second_order_force(const VectorXd& q, const VectorXd& v, double y, const Vector2d& v_y) {
  Vector3d force;
  for (int i = 0; i < 3; ++i) {
    const Eigen::Matrix2d d = mass_derivative(q, i) - dissipation_derivative(v, i);
    force[i] = 0.5 * v_y.dot(d * v_y) - 0.5 * stiffness_derivative(q, i) * y * y;
  }
  return force;
}

enum class Sign { dropped, corrected, printed };

/// v' of (1.16): lambda = lambda0 + lambda1 + lambda2 with lambda2 = -+ s^-1 phi m2; printed +, in the papers' sign of
/// lambda. Formed explicitly with s = G M^-1 G^T.
VectorXd papers_acceleration(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v,
                             Sign sign) {
  const At p(system, t, q, v);
  const double y = p.w->g[0];
  const Vector3d m2 = sign == Sign::dropped ? Vector3d(0.0, 0.0, 0.0) : second_order_force(q, v, y, p.velocity);
  const MatrixXd inverse = p.M.inverse();
  const MatrixXd s = p.G * inverse * p.G.transpose();
  const VectorXd law = excess_acceleration(t, q, v, y, p.velocity) + p.bias - p.G * inverse * p.f;
  const VectorXd lambda2 = (sign == Sign::printed ? 1.0 : -1.0) * (p.G * inverse * m2);
  return inverse * (p.f + m2 + p.G.transpose() * s.ldlt().solve(law + lambda2));
}

/// (q, v, y, v_y) side by side: the mechanism by `acceleration`, the excess variables by their own `law` (1.20).
template <class Acceleration, class Law>
double drift_from_the_extended_system(const MechanicalSystem& system, double tolerance, Acceleration&& acceleration,
                                      Law&& law) {
  using State = std::array<double, 9>;
  namespace odeint = boost::numeric::odeint;
  const At p(system, 0.0, start_q, start_v);
  State x{};
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = start_q[static_cast<int>(i)];
    x[3 + i] = start_v[static_cast<int>(i)];
  }
  x[6] = p.w->g[0];
  x[7] = p.velocity[0];
  x[8] = p.velocity[1];
  BOOST_TEST(std::abs(x[6]) > 0.05);  // well off the constraint, or the sign could not show
  const auto flow = [&](const State& s, State& rate, double t) {
    const Vector3d q(s[0], s[1], s[2]), v(s[3], s[4], s[5]);
    const VectorXd a = acceleration(t, q, v);
    const Vector2d b = law(t, q, v, a, s[6], Vector2d(s[7], s[8]));
    rate = {v[0], v[1], v[2], a[0], a[1], a[2], s[7], b[0], b[1]};
  };
  const auto method = odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_fehlberg78<State>());
  double worst = 0.0;
  double t = 0.0;
  for (const double until : {0.1, 0.5, 1.0}) {
    odeint::integrate_adaptive(method, flow, x, t, until, 1e-3);
    t = until;
    const At now(system, t, Vector3d(x[0], x[1], x[2]), Vector3d(x[3], x[4], x[5]));
    worst = std::max(
        {worst, std::abs(now.w->g[0] - x[6]), std::abs(now.velocity[0] - x[7]), std::abs(now.velocity[1] - x[8])});
  }
  return worst;
}

}  // namespace

BOOST_AUTO_TEST_CASE(p21_mechanism_follows_the_separately_integrated_excess_variables) {
  const auto system = make_system(test::Everything{});
  FormulationInput input = input_for(system, start_q, start_v);
  input.excess = energy();
  const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
  const double tolerance = 1e-12;
  const auto own = [&](double t, const Vector3d& q, const Vector3d& v) {
    VectorXd x(6), rate(6);
    x << q, v;
    BOOST_REQUIRE(f->rhs(t, x.data(), rate.data()) == EvaluationResult::ok);
    return VectorXd(rate.tail(3));
  };
  const auto law = [](double t, const Vector3d& q, const Vector3d& v, const VectorXd&, double y, const Vector2d& v_y) {
    return excess_acceleration(t, q, v, y, v_y);
  };
  const double ours = drift_from_the_extended_system(*system, tolerance, own, law);
  double papers[3];
  for (const Sign sign : {Sign::dropped, Sign::corrected, Sign::printed}) {
    papers[static_cast<int>(sign)] = drift_from_the_extended_system(
        *system, tolerance,
        [&](double t, const Vector3d& q, const Vector3d& v) { return papers_acceleration(*system, t, q, v, sign); },
        law);
  }
  BOOST_TEST_MESSAGE("max |(g, g', psi) - (y, v_y)|: library " << ours << ", m2 dropped " << papers[0]
                                                               << ", sign corrected " << papers[1] << ", as printed "
                                                               << papers[2]);
  BOOST_TEST(ours < 100.0 * tolerance);
  BOOST_TEST(papers[0] < 100.0 * tolerance);
  BOOST_TEST(papers[1] < 100.0 * tolerance);
  BOOST_TEST(papers[2] > 1e-4);
}

// ---- special cases and the front door ----------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(constant_energy_is_baumgarte_with_gains_divided_by_the_mass) {
  const MatrixXd m = (MatrixXd(3, 3) << 2.0, 0.3, 0.1, 0.3, 1.5, 0.2, 0.1, 0.2, 1.0).finished();
  const MatrixXd k = (MatrixXd(3, 3) << 9.0, 1.0, 0.0, 1.0, 7.0, 0.5, 0.0, 0.5, 8.0).finished();
  const MatrixXd c = (MatrixXd(3, 3) << 6.0, 0.5, 0.2, 0.5, 5.0, 0.1, 0.2, 0.1, 4.0).finished();
  Assembly two;
  const Block a = two.add_coordinates("a", 2), b = two.add_coordinates("b", 2);
  two.add("first", test::Pendulum{}, {a});
  two.add("second", test::Pendulum{}, {b});
  two.add("link", test::Link{}, {a, b});
  const auto system = two.build();
  SimulationOptions constant, extended;
  constant.gains = Gains::from_excess_energy(m, k, c);
  extended.formulation = "extended_lagrangian";
  extended.excess.mass = [m](double, const VectorXd&, MatrixXd& out) { out = m; };
  extended.excess.stiffness = [k](double, const VectorXd&, MatrixXd& out) { out = k; };
  extended.excess.dissipation = [c](double, const VectorXd&, const VectorXd&, MatrixXd& out) { out = c; };
  const InitialState start{0.0, (VectorXd(4) << 0.62, -0.8, -0.3, 0.9).finished(), VectorXd::Constant(4, 0.2)};
  for (const char* integrator : {"dopri5", "cvode_bdf"}) {
    for (SimulationOptions* o : {&constant, &extended}) {
      o->integrator = integrator;
      o->start = Start::as_given;
      o->t_end = 0.5;
      o->rtol = o->atol = 1e-9;
    }
    const Simulation one = simulate(system, start, constant), other = simulate(system, start, extended);
    BOOST_REQUIRE_MESSAGE(one.status.finished() && other.status.finished(), other.status.message);
    BOOST_TEST(one.report.steps == other.report.steps);
    const std::size_t last = one.trajectory.size() - 1;
    BOOST_TEST((one.trajectory.q(last) - other.trajectory.q(other.trajectory.size() - 1)).norm() < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(nothing_given_is_baumgarte_with_automatic_gains) {
  const auto system = make_system(test::Everything{});
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.t_end = 0.3;
  const Simulation plain = simulate(system, {0.0, start_q, start_v}, options);
  options.formulation = "extended_lagrangian";
  const Simulation extended = simulate(system, {0.0, start_q, start_v}, options);
  BOOST_REQUIRE(plain.status.finished() && extended.status.finished());
  const std::size_t last = plain.trajectory.size() - 1;
  BOOST_REQUIRE(extended.trajectory.size() == last + 1);
  BOOST_TEST((plain.trajectory.q(last) - extended.trajectory.q(last)).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(tangential_force_of_the_papers_is_there) {
  // v' far off the constraints is that of (1.16) with lambda2 of the corrected sign: m2 written out above, matrices
  // inverted; without it v' differs by O(|y|^2).
  const auto system = make_system(test::Everything{});
  FormulationInput input = input_for(system, start_q, start_v);
  input.excess = energy();
  const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
  VectorXd x(6), rate(6);
  x << start_q, start_v;
  BOOST_REQUIRE(f->rhs(0.3, x.data(), rate.data()) == EvaluationResult::ok);
  const VectorXd papers = papers_acceleration(*system, 0.3, start_q, start_v, Sign::corrected);
  const VectorXd dropped = papers_acceleration(*system, 0.3, start_q, start_v, Sign::dropped);
  BOOST_TEST((papers - dropped).norm() > 1e-3);
  BOOST_TEST((VectorXd(rate.tail(3)) - papers).norm() < 1e-8 * papers.norm());
}

// ---- one error matrix ----------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(error_matrix_is_the_law_and_reads_the_gains_of_what_is_left_out) {
  const auto system = make_system(test::Everything{});
  const MatrixXd A = error_matrix(energy(), *system, 0.3, start_q, start_v);
  const At p(*system, 0.3, start_q, start_v);
  const VectorXd e = (VectorXd(3) << p.w->g, p.velocity).finished();
  VectorXd expected(3);
  expected << p.velocity[0], excess_acceleration(0.3, start_q, start_v, p.w->g[0], p.velocity);
  BOOST_TEST((A * e - expected).norm() < 1e-13);
  ExcessEnergy only_mass;
  only_mass.mass = energy().mass;
  only_mass.mass_rate = energy().mass_rate;
  BOOST_CHECK_THROW(error_matrix(only_mass, *system, 0.3, start_q, start_v), Error);  // K_D is automatic
  Gains gains = Gains::natural_frequency(3.0, 0.8);
  gains.K_N = Gain(2.0);
  const MatrixXd B = error_matrix(only_mass, *system, 0.3, start_q, start_v, gains);
  expected.tail(2) = -Vector2d(9.0 * e[0] + 4.8 * e[1], 2.0 * e[2]) -
                     Vector2d(mass(0.3, start_q).ldlt().solve(mass_rate(start_q, start_v) * p.velocity));
  BOOST_TEST((B * e - expected).norm() < 1e-13);
}

BOOST_AUTO_TEST_CASE(a_part_left_out_is_that_of_the_gains) {
  const auto system = make_system(test::Everything{});
  VectorXd x(6), rate(6);
  x << start_q, start_v;
  const At p(*system, 0.3, start_q, start_v);
  FormulationInput input = input_for(system, start_q, start_v);
  input.gains = Gains::natural_frequency(3.0, 0.8);
  input.gains.K_N = Gain(2.0);
  input.excess.mass = energy().mass;  // only the inertia: K_P, K_D stay, m^-1 m' is added
  const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
  BOOST_REQUIRE(f->rhs(0.3, x.data(), rate.data()) == EvaluationResult::ok);
  const Vector2d expected = -Vector2d(9.0 * p.w->g[0] + 4.8 * p.velocity[0], 2.0 * p.velocity[1]) -
                            Vector2d(mass(0.3, start_q).ldlt().solve(mass_rate(start_q, start_v) * p.velocity));
  BOOST_TEST((p.G * rate.tail(3) - p.bias - expected).norm() < 1e-9 * (1.0 + rate.norm()));
}

// ---- an inertia that depends on v: a(q, q', t) of [001, (3)]
// -------------------------------------------------------------

namespace {

/// m(t, q, v) with derivatives along everything.
MatrixXd mass_of_motion(double t, const VectorXd& q, const VectorXd& v) {
  MatrixXd m = mass(t, q);
  m(0, 0) += 0.3 * std::sin(v[0]);
  m(0, 1) += 0.2 * v[1] * q[0];
  m(1, 0) += 0.2 * v[1] * q[0];
  m(1, 1) += 0.1 * v[2] * v[2];
  return m;
}

/// m' along (1, v, a) by hand.
MatrixXd mass_of_motion_rate(const VectorXd& q, const VectorXd& v, const VectorXd& a) {
  MatrixXd rate = mass_rate(q, v);
  rate(0, 0) += 0.3 * std::cos(v[0]) * a[0];
  const double coupling = 0.2 * (a[1] * q[0] + v[1] * v[0]);
  rate(0, 1) += coupling;
  rate(1, 0) += coupling;
  rate(1, 1) += 0.2 * v[2] * a[2];
  return rate;
}

ExcessEnergy energy_of_motion() {
  ExcessEnergy e = energy(false);
  e.mass = nullptr;
  e.mass_of_motion = [](double t, const VectorXd& q, const VectorXd& v, MatrixXd& m) { m = mass_of_motion(t, q, v); };
  return e;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_mass_that_depends_on_v_makes_one_linear_system) {
  // (m v_y)' = -k y - c v_y with m' along the accelerations that the form itself returns, far off the constraints; and
  // M v' + G^T lambda - f - m2 = 0, so that lambda is that of the same system.
  const auto system = make_system(test::Everything{});
  const double t = 0.3;
  for (const LinearSolverEntry& solver : linear_solver_registry()) {
    if (!solver.available) continue;
    FormulationInput input = input_for(system, start_q, start_v);
    input.linear_solver.name = std::string(solver.name);
    input.excess = energy_of_motion();
    const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
    VectorXd a(3), lambda(2);
    BOOST_REQUIRE(f->provides().feedback->with_feedback(t, start_q.data(), start_v.data(), a.data(), lambda.data()) ==
                  EvaluationResult::ok);
    const At p(*system, t, start_q, start_v);
    const Vector2d v_y_rate = p.G * a - p.bias;
    const Vector2d momentum_rate =
        mass_of_motion(t, start_q, start_v) * v_y_rate + mass_of_motion_rate(start_q, start_v, a) * p.velocity;
    const Vector2d force =
        -Vector2d(stiffness(t, start_q) * p.w->g[0], 0.0) - Vector2d(dissipation(t, start_q, start_v) * p.velocity);
    BOOST_TEST((momentum_rate - force).norm() < 1e-8 * (1.0 + force.norm()), solver.name);
    const Vector3d m2 = *f->provides().error_law->tangential_force;
    BOOST_TEST(m2.norm() > 1e-3);
    BOOST_TEST((p.M * a + p.G.transpose() * lambda - p.f - m2).norm() < 1e-12 * (1.0 + p.f.norm()), solver.name);
    // without the part along v' the law is violated: it cannot be left out
    const Vector2d without = mass_of_motion(t, start_q, start_v) * v_y_rate +
                             mass_of_motion_rate(start_q, start_v, Vector3d::Zero()) * p.velocity;
    BOOST_TEST((without - force).norm() > 1e-2);

    // the law at this point, from the form and from the free function
    const MatrixXd A = error_matrix(input.excess, *system, t, start_q, start_v, {}, a);
    const VectorXd e = (VectorXd(3) << p.w->g, p.velocity).finished();
    BOOST_TEST((VectorXd(A * e).tail(2) - v_y_rate).norm() < 1e-8 * (1.0 + v_y_rate.norm()));
    MatrixXd of_form;
    BOOST_REQUIRE(f->provides().error_law->error_matrix(t, start_q.data(), start_v.data(), of_form));
    BOOST_TEST((A - of_form).norm() < 1e-8 * A.norm());
  }
  BOOST_CHECK_THROW(error_matrix(energy_of_motion(), *system, t, start_q, start_v), Error);  // v' is missing
}

BOOST_AUTO_TEST_CASE(mechanism_follows_the_excess_variables_whose_mass_depends_on_v) {
  const auto system = make_system(test::Everything{});
  FormulationInput input = input_for(system, start_q, start_v);
  input.excess = energy_of_motion();
  const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
  const auto own = [&](double t, const Vector3d& q, const Vector3d& v) {
    VectorXd x(6), rate(6);
    x << q, v;
    BOOST_REQUIRE(f->rhs(t, x.data(), rate.data()) == EvaluationResult::ok);
    return VectorXd(rate.tail(3));
  };
  const auto law = [](double t, const Vector3d& q, const Vector3d& v, const VectorXd& a, double y,
                      const Vector2d& v_y) {
    const Vector2d force =
        -Vector2d(stiffness(t, q) * y, 0.0) - Vector2d((dissipation(t, q, v) + mass_of_motion_rate(q, v, a)) * v_y);
    return Vector2d(mass_of_motion(t, q, v).ldlt().solve(force));
  };
  BOOST_TEST(drift_from_the_extended_system(*system, 1e-11, own, law) < 1e-8);
}

BOOST_AUTO_TEST_CASE(misuse_is_refused_with_the_field_and_the_sizes) {
  const auto system = make_system(test::Everything{});
  const auto complaint = [&](const ExcessEnergy& excess, const Gains& gains = {},
                             const std::string& formulation = "extended_lagrangian") -> std::string {
    SimulationOptions options;
    options.formulation = formulation;
    options.excess = excess;
    options.gains = gains;
    try {
      simulate(system, {0.0, start_q, start_v}, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  BOOST_TEST(has(complaint(energy(), {}, "baumgarte"), "extended_lagrangian"));
  ExcessEnergy wrong = energy();
  wrong.mass = [](double, const VectorXd&, MatrixXd& m) { m = MatrixXd::Identity(3, 3); };
  BOOST_TEST(has(complaint(wrong), "mass made the matrix 3 x 3; this system needs 2 x 2"));
  wrong.mass = [](double, const VectorXd&, MatrixXd& m) { m << 1.0, 2.0, 2.0, 1.0; };
  BOOST_TEST(has(complaint(wrong), "mass is not symmetric positive definite at the start"));
  wrong.mass = [](double, const VectorXd&, MatrixXd& m) { m << 1.0, 0.1, 0.2, 1.0; };
  BOOST_TEST(has(complaint(wrong), "mass is not symmetric positive definite at the start"));
  wrong = energy();
  wrong.stiffness = [](double, const VectorXd&, MatrixXd& k) { k(0, 0) = -1.0; };
  BOOST_TEST(has(complaint(wrong), "stiffness"));
  wrong = energy();
  wrong.dissipation = [](double, const VectorXd&, const VectorXd&, MatrixXd& c) { c << 1.0, 0.0, 0.0, -0.1; };
  BOOST_TEST(has(complaint(wrong), "dissipation"));
  wrong = energy();
  wrong.mass = nullptr;
  BOOST_TEST(has(complaint(wrong), "mass_rate is given without mass"));
  BOOST_TEST(has(complaint(energy(), Gains::natural_frequency(1.0, 1.0)), "both given"));
}

BOOST_AUTO_TEST_CASE(spd_factor_solves_and_refuses) {
  const MatrixXd A = (MatrixXd(3, 3) << 4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 2.0).finished();
  SpdFactor factor(3);
  BOOST_REQUIRE(factor.factorize(A));
  const MatrixXd right = MatrixXd::Random(3, 4), ones = MatrixXd::Ones(3, 3);
  MatrixXd B = right;
  factor.solve_in_place(B);
  BOOST_TEST((A * B - right).norm() < 1e-14);
  MatrixXd bad = A;
  bad(0, 1) = 1.1;
  BOOST_TEST(!factor.factorize(bad));
  BOOST_TEST(factor.semidefinite(bad, false));
  BOOST_TEST(!factor.semidefinite(bad, true));
  bad(0, 1) = NAN;
  BOOST_TEST(!factor.factorize(bad));
  BOOST_TEST(!factor.semidefinite(bad, false));
  BOOST_TEST(factor.semidefinite(MatrixXd::Zero(3, 3), true));
  BOOST_TEST(factor.semidefinite(ones, true));
  BOOST_TEST(!factor.factorize(ones));
  BOOST_TEST(!factor.semidefinite(MatrixXd(-A), true));
}
