// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <iomanip>

#include <Eigen/Dense>

#include "formulation/formulation.hpp"
#include "formulation/parts/multiplier_iteration.hpp"
#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"
#include "runs.hpp"

/// The penalty system iterated to C = 0 [Bayo1988; BayoLedesma1996].
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

constexpr double eps = 2.2e-16;

/// One factorised point with C = I / alpha; f and gamma are the right-hand sides.
struct At {
  At(const std::shared_ptr<const MechanicalSystem>& system, const VectorXd& q, const VectorXd& v, double alpha,
     const char* solver = "dense")
      : n(system->num_positions()),
        m(system->num_constraints()),
        compliance(GainMatrix::scalar(m, 1.0 / alpha)),
        evaluator(evaluator_for(system, named(solver))),
        saddle(evaluator, named(solver), compliance) {
    BOOST_REQUIRE(saddle.factorize(evaluator.at(0.0, q.data(), v.data())) == EvaluationResult::ok);
    const auto w = make_workspace(*system, Storage::dense);
    BOOST_REQUIRE(
        evaluate_system(*system, request::acceleration_level, {0.0, q.data(), v.data(), nullptr, nullptr}, *w));
    M = w->M.dense();
    G = w->G.dense();
    f = w->f;
    b = w->gamma;
  }

  static LinearSolverOptions named(const char* solver) {
    LinearSolverOptions options;
    options.name = solver;
    return options;
  }

  /// (a, lambda) after `iterations`, however small the change.
  std::pair<VectorXd, VectorXd> iterate(int iterations) {
    MultiplierIteration iteration(evaluator, compliance, -1.0, iterations);
    VectorXd a = f, lambda = b;
    BOOST_REQUIRE(iteration.solve(evaluator.quantities(), saddle, a.data(), lambda.data()) == EvaluationResult::ok);
    return {a, lambda};
  }

  MatrixXd schur() const { return G * M.ldlt().solve(G.transpose()); }

  int n, m;
  GainMatrix compliance;
  PointEvaluator evaluator;
  SaddlePointSystem saddle;
  MatrixXd M, G;
  VectorXd f, b;
};

/// Chain of five rods with velocities, so that gamma is not zero.
struct Chain {
  std::shared_ptr<const MechanicalSystem> system;
  VectorXd q, v;
};

Chain chain() {
  const auto mechanism = mechanisms::find_mechanism("chain").make(5);
  InitialState start = mechanism.start;
  start.v = VectorXd::LinSpaced(15, -1.0, 1.5);
  const MotionState state = consistent_state(mechanism.system, start).state;
  return {mechanism.system, state.q, state.v};
}

/// Solution of [M G^T; G 0] in long double.
VectorXd reference_accelerations(const At& p) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  Matrix K = Matrix::Zero(p.n + p.m, p.n + p.m);
  K.topLeftCorner(p.n, p.n) = p.M.cast<long double>();
  K.bottomLeftCorner(p.m, p.n) = p.G.cast<long double>();
  K.topRightCorner(p.n, p.m) = p.G.transpose().cast<long double>();
  Vector right(p.n + p.m);
  right << p.f.cast<long double>(), p.b.cast<long double>();
  return Vector(K.fullPivLu().solve(right)).head(p.n).cast<double>();
}

double max_abs(const VectorXd& x) {
  return x.lpNorm<Eigen::Infinity>();
}

FormulationInput input_for(const std::shared_ptr<const MechanicalSystem>& system, const VectorXd& q,
                           const VectorXd& v) {
  FormulationInput input;
  input.system = system;
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  input.start = consistent_state(system, {0.0, q, v}, as_given).state;
  return input;
}

/// Two rods between the ground and one mass; the second is longer by `misfit`: no position satisfies both.
struct TwoRods : test::Pendulum {
  static constexpr int num_constraints = 2;
  double misfit = 0.0, scale = 2.0;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
    g[1] = scale * (g[0] - misfit);
  }
};

/// The pendulum with other units of mass, of the row, and of the first coordinate: x = unit q_0.
struct Scaled : test::Pendulum {
  static constexpr int num_constraints = 1;
  double mass = 1.0, row = 1.0, unit = 1.0;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = mass * unit * unit;
    M(1, 1) = mass;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81 * mass;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = row * (unit * unit * q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_eigenmode_contracts_by_its_own_factor) {
  const Chain c = chain();
  for (const double alpha : {0.5, 5.0, 50.0}) {
    At p(c.system, c.q, c.v, alpha);
    const MatrixXd A = p.schur();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> modes(A);
    const VectorXd limit = A.ldlt().solve(p.G * p.M.ldlt().solve(p.f) - p.b);
    VectorXd error = -modes.eigenvectors().transpose() * limit;  // of lambda_0 = 0
    int checked = 0;
    for (int k = 1; k <= 4; ++k) {
      const VectorXd next = modes.eigenvectors().transpose() * (p.iterate(k).second - limit);
      for (int i = 0; i < p.m; ++i) {
        const double factor = 1.0 / (1.0 + alpha * modes.eigenvalues()[i]);
        if (std::abs(error[i]) < 1e-6 * limit.norm()) continue;  // rounding would show
        BOOST_TEST(std::abs(next[i] / error[i] - factor) < 1e-6 * factor + 1e-8, "mode " << i << ", step " << k);
        ++checked;
      }
      error = next;
    }
    BOOST_TEST(checked >= p.m);
    BOOST_TEST_MESSAGE("alpha = " << alpha << ", sigma = " << modes.eigenvalues()[0] << " ... "
                                  << modes.eigenvalues()[p.m - 1] << ": " << checked << " ratios");
  }
}

BOOST_AUTO_TEST_CASE(limit_is_baumgarte) {
  const Chain c = chain();
  VectorXd y(30), ours(30), limit(30);
  y << c.q, c.v;
  y[4] += 1e-3;  // off the constraints: the feedback works as well
  FormulationInput input = input_for(c.system, c.q, c.v);
  input.gains = Gains::natural_frequency(3.0, 1.0);
  BOOST_REQUIRE(as<OdeFormulation>(find_formulation("baumgarte").make(input))->rhs(0.0, y.data(), limit.data()) ==
                EvaluationResult::ok);
  for (const double rtol : {1e-4, 1e-7, 1e-10}) {
    for (const double Lambda : {100.0, 1e4, 0.0}) {  // 0: automatic
      input.rtol = rtol;
      input.gains.Lambda = Lambda > 0.0 ? Gain(Lambda) : Gain();
      const auto f = as<OdeFormulation>(find_formulation("augmented_lagrangian").make(input));
      BOOST_REQUIRE(f->rhs(0.0, y.data(), ours.data()) == EvaluationResult::ok);
      const double relative = (ours - limit).norm() / limit.norm();
      BOOST_TEST(relative < 1e-2 * rtol + 1e-13, "rtol " << rtol << ", Lambda " << Lambda);
      BOOST_TEST(number(f->statistics(), "iterations not converged") == 0.0);
    }
  }
}

BOOST_AUTO_TEST_CASE(right_hand_side_is_a_function_of_the_point_alone) {
  const Chain c = chain();
  const auto f = as<OdeFormulation>(find_formulation("augmented_lagrangian").make(input_for(c.system, c.q, c.v)));
  VectorXd y(30), elsewhere(30), first(30), second(30);
  y << c.q, c.v;
  elsewhere << c.q + VectorXd::Constant(15, 0.1), -c.v;
  BOOST_REQUIRE(f->rhs(0.0, y.data(), first.data()) == EvaluationResult::ok);
  BOOST_REQUIRE(f->rhs(0.0, elsewhere.data(), second.data()) == EvaluationResult::ok);
  BOOST_REQUIRE(f->rhs(0.0, y.data(), second.data()) == EvaluationResult::ok);
  BOOST_TEST((first - second).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(p22_redundant_rows_change_nothing_but_the_multipliers) {
  const VectorXd q = Vector2d(0.6, -0.8), v = Vector2d(0.8, 0.6);
  VectorXd y(4), single(4), twice(4);
  y << 0.61, -0.8, 0.8, 0.55;
  FormulationInput input = input_for(make_system(test::Pendulum{}), q, v);
  input.gains = Gains::natural_frequency(3.0, 1.0);
  BOOST_REQUIRE(as<OdeFormulation>(find_formulation("baumgarte").make(input))->rhs(0.0, y.data(), single.data()) ==
                EvaluationResult::ok);
  VectorXd forces[2], multipliers[2];
  for (const char* solver : {"dense", "klu", "block"}) {
    if (!find_linear_solver(solver).available) continue;
    for (const int k : {0, 1}) {
      TwoRods rods;
      rods.scale = k == 0 ? 2.0 : 20.0;
      input.system = make_system(rods);
      input.start.lambda.setZero(2);
      input.linear_solver.name = solver;
      const auto f = as<OdeFormulation>(find_formulation("augmented_lagrangian").make(input));
      BOOST_REQUIRE(f->rhs(0.0, y.data(), twice.data()) == EvaluationResult::ok);
      BOOST_TEST((twice - single).norm() < 1e-12 * single.norm());
      VectorXd a(2), lambda(2);
      ConstraintFeedback& feedback = *f->provides().feedback;
      BOOST_REQUIRE(feedback.with_feedback(0.0, y.data(), y.data() + 2, a.data(), lambda.data()) ==
                    EvaluationResult::ok);
      multipliers[k] = lambda;
      forces[k] = y.head(2) * (lambda[0] + rods.scale * lambda[1]);  // G^T lambda
    }
    BOOST_TEST((forces[0] - forces[1]).norm() < 1e-11 * forces[0].norm());
    BOOST_TEST((multipliers[0] - multipliers[1]).norm() > 0.1 * multipliers[0].norm());
  }
}

BOOST_AUTO_TEST_CASE(p22_contradicting_rows_converge_in_the_force_while_lambda_grows) {
  TwoRods rods;
  rods.misfit = 1e-3;
  const auto system = make_system(rods);
  const VectorXd q = Vector2d(0.6, -0.8), v = Vector2d(0.8, 0.6);
  const double K_P = 9.0;
  for (const char* solver : {"dense", "klu", "block"}) {
    if (!find_linear_solver(solver).available) continue;
    At p(system, q, v, 1e4, solver);
    p.b -= K_P * Vector2d(0.0, -rods.scale * rods.misfit);  // Xi is not in the range of G
    VectorXd a[3], lambda[3];
    for (const int k : {0, 1, 2}) std::tie(a[k], lambda[k]) = p.iterate(10 * (k + 1));
    const VectorXd growth = lambda[2] - lambda[1];
    BOOST_TEST(growth.norm() > 1.0);
    BOOST_TEST((growth - (lambda[1] - lambda[0])).norm() < 1e-6 * growth.norm());  // linear
    BOOST_TEST((p.G.transpose() * growth).norm() < 1e-9 * p.f.norm());
    BOOST_TEST((a[2] - a[1]).norm() < 1e-9 * a[1].norm());
    BOOST_TEST((p.G.transpose() * (p.G * a[2] - p.b)).norm() < 1e-9);  // least squares in the metric of Lambda = alpha
    // The formulation stops on the force, not on lambda.
    FormulationInput input = input_for(system, q, v);
    input.linear_solver.name = solver;
    input.gains = Gains::natural_frequency(3.0, 1.0);
    input.gains.Lambda = Gain(1e4);
    const auto f = as<OdeFormulation>(find_formulation("augmented_lagrangian").make(input));
    VectorXd y(4), rate(4);
    y << q, v;
    BOOST_REQUIRE(f->rhs(0.0, y.data(), rate.data()) == EvaluationResult::ok);
    BOOST_TEST((rate.tail(2) - a[2]).norm() < 1e-8 * a[2].norm());
    BOOST_TEST(number(f->statistics(), "iterations not converged") == 0.0);
  }
}

BOOST_AUTO_TEST_CASE(p23_rounding_floor_grows_with_alpha_only_if_the_constraints_are_condensed) {
  // Normal equations (M + alpha G^T G) a = f - G^T lambda + alpha G^T b by Cholesky against the saddle-point form.
  const Chain c = chain();
  double best = 1e300, best_alpha = 0.0, three_at_1e4 = 0.0;
  BOOST_TEST_MESSAGE("   alpha   cond(M+aGtG)   condensed: 1 solve, 3 its, floor    saddle: 1 solve, floor");
  for (int power = 0; power <= 12; power += 2) {
    const double alpha = std::pow(10.0, power);
    At p(c.system, c.q, c.v, alpha);
    const VectorXd exact = reference_accelerations(p);
    const double scale = max_abs(exact);
    const MatrixXd condensed = p.M + alpha * p.G.transpose() * p.G;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(condensed);
    const double condition = spectrum.eigenvalues().maxCoeff() / spectrum.eigenvalues().minCoeff();
    const Eigen::LLT<MatrixXd> factor(condensed);
    VectorXd lambda = VectorXd::Zero(p.m), a;
    double after[201];
    for (int k = 1; k <= 200; ++k) {
      a = factor.solve(p.f - p.G.transpose() * lambda + alpha * (p.G.transpose() * p.b));
      lambda += alpha * (p.G * a - p.b);
      after[k] = max_abs(a - exact) / scale;
    }
    const double saddle_once = max_abs(p.iterate(1).first - exact) / scale;
    const double saddle_floor = max_abs(p.iterate(200).first - exact) / scale;
    BOOST_TEST_MESSAGE(std::setprecision(2)
                       << std::scientific << alpha << "  " << condition << "       " << after[1] << "  " << after[3]
                       << "  " << after[200] << "       " << saddle_once << "  " << saddle_floor);
    if (power >= 6) {
      BOOST_TEST(after[200] < 100.0 * eps * condition);
      BOOST_TEST(after[200] > 0.01 * eps * condition);
    }
    if (power >= 2) BOOST_TEST(saddle_floor < 1e-12);
    if (power == 4) three_at_1e4 = after[3];
    if (after[1] < best) {
      best = after[1];
      best_alpha = alpha;
    }
  }
  BOOST_TEST(three_at_1e4 < 1e-10);
  BOOST_TEST(best > three_at_1e4);  // no alpha makes one condensed solve as good as three iterations at 1e4
  BOOST_TEST(best_alpha >= 1e6);
  BOOST_TEST(best_alpha <= 1e10);
}

BOOST_AUTO_TEST_CASE(p27_units_change_neither_result_nor_effort) {
  Scaled other;
  other.mass = 1e-6;
  other.row = 1e4;
  other.unit = 1e3;
  for (const double Lambda : {1.0, 2.0, 3.0, 5.0, 8.0, 13.0}) {  // slow, so that iterations can be counted
    VectorXd rates[2];
    double effort[2];
    for (const int k : {0, 1}) {
      const Scaled model = k == 0 ? Scaled{} : other;
      FormulationInput input =
          input_for(make_system(model), Vector2d(0.6 / model.unit, -0.8), Vector2d(0.8 / model.unit, 0.6));
      input.gains = Gains::natural_frequency(3.0, 1.0);
      input.gains.Lambda = Gain(Lambda * model.mass / (model.row * model.row));
      input.rtol = 1e-3;
      const auto f = as<OdeFormulation>(find_formulation("augmented_lagrangian").make(input));
      VectorXd y(4);
      y << 0.61 / model.unit, -0.8, 0.8 / model.unit, 0.55;
      rates[k].resize(4);
      BOOST_REQUIRE(f->rhs(0.0, y.data(), rates[k].data()) == EvaluationResult::ok);
      rates[k][0] *= model.unit;
      rates[k][2] *= model.unit;
      effort[k] = number(f->statistics(), "multiplier iterations");
    }
    BOOST_TEST((rates[0] - rates[1]).norm() < 1e-12 * rates[0].norm());
    BOOST_TEST(effort[0] == effort[1]);
    BOOST_TEST_MESSAGE("Lambda " << Lambda << ": " << effort[0]);
  }
}

BOOST_AUTO_TEST_CASE(slow_contraction_is_counted_and_reported) {
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.formulation = "augmented_lagrangian";
  options.t_end = 0.5;
  options.gains.Lambda = Gain(0.5);  // sigma = 1: factor 2/3 per iteration, 20 of them leave 3e-4
  const Simulation slow = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE_MESSAGE(slow.status.finished(), slow.status.message);
  BOOST_TEST(number(slow.report.used.statistics, "iterations not converged") > 0.0);
  const double contraction = number(slow.report.used.statistics, "slowest contraction");
  BOOST_TEST(std::abs(contraction - 1.0 / 1.5) < 1e-3);
  options.gains.Lambda = Gain();
  const Simulation good = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE(good.status.finished());
  BOOST_TEST(number(good.report.used.statistics, "iterations not converged") == 0.0);
  BOOST_TEST(good.report.max_position_violation < 1e-5);
}

BOOST_AUTO_TEST_CASE(folded_arm_is_passed_on_the_smooth_branch_and_the_loss_is_reported) {
  // The arm folds at t = 0.493 s: there one mode does not contract at all, and both forms are carried by inertia. Away
  // from it the iteration removes the error O(1/Lambda) of the penalty.
  const auto arm = mechanisms::find_mechanism("two_link").make(0);
  double errors[2];
  for (const int k : {0, 1}) {
    SimulationOptions options = test::options_of(arm, k == 0 ? "penalty" : "augmented_lagrangian", "dopri5", 1e-8);
    options.start = Start::consistent;
    options.t_end = 2.8;
    const Simulation run = simulate(arm.system, arm.start, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    errors[k] = test::end_error(arm, run);
    if (k == 0) continue;
    BOOST_TEST(number(run.report.used.statistics, "iterations not converged") > 0.0);
    BOOST_TEST(number(run.report.used.statistics, "slowest contraction") > 0.5);
  }
  BOOST_TEST_MESSAGE("error at 2.8 s: penalty " << errors[0] << ", augmented Lagrangian " << errors[1]);
  BOOST_TEST(errors[1] < 1e-7);
  BOOST_TEST(errors[1] < errors[0]);
}
