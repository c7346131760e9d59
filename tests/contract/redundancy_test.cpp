// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <random>

#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "formulation/formulation.hpp"
#include "models.hpp"

/// A constraint of a mechanism is duplicated and scaled by two: nothing but the multipliers may notice, with every
/// linear solver and formulation.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Distance from the ground, times a factor.
struct ScaledRod {
  double scale = 1.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * scale * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

/// Double pendulum of point masses; `copies` of the upper rod beside the first, each scaled by two.
std::shared_ptr<const MechanicalSystem> double_pendulum(int copies) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 2);
  const Block b = assembly.add_coordinates("b", 2);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{0.5}, {b});
  assembly.add("weight of a", UniformGravity{1.0}, {a});
  assembly.add("weight of b", UniformGravity{0.5}, {b});
  assembly.add("upper", ScaledRod{1.0}, {a});
  assembly.add("lower", Distance{1.0}, {a, b});
  for (int k = 0; k < copies; ++k) assembly.add("upper again " + std::to_string(k), ScaledRod{2.0}, {a});
  return assembly.build();
}

const InitialState start{0.0, Eigen::Vector4d(0.6, -0.8, 1.4, -1.4), {}};

/// The formulation cannot take the system: then it says why, and what to use instead.
bool left_out(const FormulationEntry& entry) {
  const std::string reason = entry.objection(*double_pendulum(1));
  if (!reason.empty()) BOOST_TEST_MESSAGE("left out: " << entry.name << ": " << reason);
  return !reason.empty();
}

LinearSolverOptions named(const char* solver) {
  LinearSolverOptions options;
  options.name = solver;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(p22_accelerations_are_unchanged_and_multipliers_of_least_norm) {
  const InitialState moving{0.0, start.q, Eigen::Vector4d(0.8, 0.6, -0.3, 0.4)};
  const ConsistentState plain = consistent_state(double_pendulum(0), moving);
  for (const char* solver : {"dense", "klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) {
      ConsistencyOptions options;
      options.linear_solver = named(solver);
      const ConsistentState twice = consistent_state(double_pendulum(1), moving, options);
      BOOST_TEST(twice.report.feasible);
      BOOST_TEST(twice.report.rank == 2);
      BOOST_TEST((twice.state.a - plain.state.a).norm() < 1e-12 * (1.0 + plain.state.a.norm()));
      const double upper = plain.state.lambda[0];
      const Eigen::Vector3d expected(upper / 5.0, plain.state.lambda[1], 2.0 * upper / 5.0);
      BOOST_TEST((twice.state.lambda - expected).norm() < 1e-7 * expected.norm());
    }
  }
}

BOOST_AUTO_TEST_CASE(p22_right_hand_sides_are_unchanged) {
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.equations != Equations::ode) continue;
    if (entry.accuracy.altered_motion > 0.0) continue;  // a second copy doubles the stiffness
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available || left_out(entry)) continue;
      BOOST_TEST_CONTEXT(entry.name << ", " << solver) {
        VectorXd a[2];
        for (const int copies : {0, 1}) {
          FormulationInput input;
          input.system = double_pendulum(copies);
          input.linear_solver = named(solver);
          input.gains = Gains::natural_frequency(3.0, 1.0);
          input.start = consistent_state(input.system, start).state;
          const auto f = as<OdeFormulation>(entry.make(input));
          MotionState off = input.start;  // off the constraints: the feedback works as well
          off.q << 0.61, -0.8, 1.4, -1.41;
          off.v << 0.8, 0.7, -0.3, 0.4;
          VectorXd y(f->size()), ydot(f->size()), q(4), v(4);
          f->pack(off, y.data(), nullptr);
          a[copies].resize(4);
          BOOST_REQUIRE(f->rhs(0.0, y.data(), ydot.data()) == EvaluationResult::ok);
          BOOST_REQUIRE(f->unpack(0.0, y.data(), ydot.data(), q.data(), v.data(), a[copies].data()) ==
                        EvaluationResult::ok);
        }
        BOOST_TEST((a[1] - a[0]).norm() < 1e-12 * (1.0 + a[0].norm()));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(p15_every_formulation_starts_and_finishes_with_a_redundant_row) {
  const auto check = [](const FormulationEntry& form, const char* integrator) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available || left_out(form)) continue;
      for (const RankPolicy policy : {RankPolicy::minimum_norm, RankPolicy::regularized}) {
        BOOST_TEST_CONTEXT(form.name << ", " << integrator << ", " << solver
                                     << (policy == RankPolicy::regularized ? ", regularized" : "")) {
          SimulationOptions options;
          options.formulation = std::string(form.name);
          options.integrator = integrator;
          options.linear_solver = named(solver);
          options.linear_solver.rank_policy = policy;
          options.rtol = options.atol = 1e-8;
          options.t_end = 0.8;
          options.step = 2e-3;
          const Simulation plain = simulate(double_pendulum(0), start, options);
          const Simulation twice = simulate(double_pendulum(1), start, options);
          BOOST_REQUIRE_MESSAGE(plain.status.finished(), plain.status.message);
          BOOST_REQUIRE_MESSAGE(twice.status.finished(), twice.status.message);
          // Both are right to their own error; the forms that are loose on v or alter the motion have more of it.
          const bool accurate = form.accuracy.velocities_controlled && form.accuracy.altered_motion == 0.0 &&
                                form.equations != Equations::one_step;
          for (double t = 0.0; t <= 0.8; t += 0.1) {
            BOOST_TEST(
                (plain.trajectory.position_at(t) - twice.trajectory.position_at(t)).norm() < (accurate ? 2e-6 : 1e-4),
                "t = " << t);
          }
          const std::size_t last = twice.trajectory.size() - 1;
          const VectorXd lambda = twice.trajectory.lambda(last);
          BOOST_TEST(std::abs(lambda[2] / lambda[0] - 2.0) < 1e-6);  // least norm
          BOOST_TEST(twice.report.steps < 2 * plain.report.steps);
        }
      }
    }
  };
  for (const FormulationEntry& form : formulation_registry()) {
    check(form, "automatic");
    if (form.equations != Equations::one_step) check(form, "radau");
  }
}

BOOST_AUTO_TEST_CASE(regularized_policy_runs_and_strict_policy_refuses_at_the_start) {
  for (const char* solver : {"dense", "klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) {
      SimulationOptions options;
      options.linear_solver = named(solver);
      options.linear_solver.rank_policy = RankPolicy::regularized;
      options.t_end = 0.5;
      BOOST_TEST(simulate(double_pendulum(1), start, options).status.finished());
      options.linear_solver.rank_policy = RankPolicy::strict;
      const Simulation strict = simulate(double_pendulum(1), start, options);
      BOOST_TEST(to_string(strict.status.outcome) == std::string("rank_loss"));
      BOOST_TEST(strict.status.message.find("upper") != std::string::npos);
      BOOST_TEST(strict.trajectory.size() == 1U);  // the start is kept
    }
  }
}

namespace {

/// g1 = 10 g0, with gains of their own: off the constraints the rows ask for different accelerations.
struct Contradicting : test::Pendulum {
  static constexpr int num_constraints = 2;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
    g[1] = 10.0 * g[0];
  }
  std::vector<std::string> constraint_names() const { return {"rod", "rod again"}; }
};

/// The same as a program, which turns about the third axis.
struct ContradictingProgram {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 2;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1.0) / 2.0;
    f[1] = 10.0 * f[0];
  }
  template <class T>
  void tangential_velocity(T, View<const T> y, View<T> w) const {
    w[0] = -y[1];
    w[1] = y[0];
  }
  std::vector<std::string> constraint_names() const { return {"sphere", "sphere again"}; }
};

/// x + B (asked - G x) with B = G^+ of rank one, G = (row, 10 row): the nearest x in the least squares of the rows.
VectorXd nearest(const VectorXd& x, const VectorXd& row, double asked, double asked_again) {
  const double wanted = (asked + 10.0 * asked_again) / 101.0;  // least squares of row x = asked, 10 row x = asked_again
  return x + row * ((wanted - row.dot(x)) / row.squaredNorm());
}

/// With gains of its own for every row.
bool feeds_back(const FormulationEntry& entry) {
  FormulationInput input;
  input.system = entry.for_programs ? make_program(ContradictingProgram{}) : make_system(Contradicting{});
  const InitialState on{0.0, VectorXd::Unit(input.system->num_positions(), 0), {}};
  input.start = consistent_state(input.system, on).state;
  const FormulationFacts facts = std::visit([](const auto& f) { return f->facts(); }, entry.make(input));
  return facts.K_D.has_value() || facts.K_N.has_value();
}

/// Every formulation that feeds violations back through accelerations (of programs: velocities), with every solver and
/// the policies that solve dependent rows; Lambda is automatic.
template <class Body>
void for_each_form_that_feeds_back(const Body& body) {
  for (const FormulationEntry& entry : formulation_registry()) {
    FormulationOptions options;
    options.formulation = std::string(entry.name);
    if (!feeds_back(entry)) continue;
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      for (const RankPolicy policy : {RankPolicy::minimum_norm, RankPolicy::regularized}) {
        options.linear_solver = named(solver);
        options.linear_solver.rank_policy = policy;
        BOOST_TEST_CONTEXT(entry.name << ", " << solver << ", " << to_string(policy)) {
          body(entry, options);
        }
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(contradicting_rows_have_the_generalised_inverse_of_the_papers_everywhere) {
  const Eigen::Vector2d q(0.8, -0.7), v(0.3, 0.2);
  const double g = 0.5 * (q.squaredNorm() - 1.0), rate = q.dot(v), gamma = -v.squaredNorm();
  const VectorXd papers = nearest(Eigen::Vector2d(0.0, -9.81), q, gamma - 2.0 * rate - 1.0 * g,
                                  10.0 * gamma - 40.0 * 10.0 * rate - 400.0 * 10.0 * g);
  BOOST_TEST((papers - Eigen::Vector2d(-25.984, 12.926)).norm() < 1e-3);
  const auto system = make_system(Contradicting{});
  const auto program = make_program(ContradictingProgram{});
  for_each_form_that_feeds_back([&](const FormulationEntry& entry, const FormulationOptions& choice) {
    SimulationOptions run;
    static_cast<FormulationChoice&>(run) = choice;
    run.start = Start::as_given;
    if (entry.for_programs) {
      run.gains.K_N = Gain(std::vector<double>{2.0, 40.0});
      run.integrator = "dopri5";
      run.t_end = 0.01;
      const Eigen::Vector3d y(0.8, -0.7, 0.3);
      const double f = 0.5 * (y.squaredNorm() - 1.0);
      const Simulation off = simulate(program, {0.0, y, {}}, run);
      const VectorXd expected = nearest(Eigen::Vector3d(0.7, 0.8, 0.0), y, -2.0 * f, -400.0 * f);
      BOOST_TEST((off.trajectory.v(0) - expected).norm() < 1e-6);
      BOOST_TEST(off.report.text(off.status).find("\"sphere again\"") != std::string::npos);
      return;
    }
    FormulationOptions options = choice;
    options.gains.K_D = run.gains.K_D = Gain(std::vector<double>{2.0, 40.0});
    options.gains.K_P = run.gains.K_P = Gain(std::vector<double>{1.0, 400.0});
    const Reactions r = reactions(system, {0.0, q, v}, options);
    BOOST_REQUIRE_MESSAGE(r.status.finished(), r.status.message);
    BOOST_TEST((r.acceleration - papers).norm() < 1e-4);
    run.t_end = 0.1;
    const Simulation off = simulate(system, {0.0, q, v}, run);
    const std::string text = off.report.text(off.status);
    BOOST_TEST(text.find("rows that contradict each other") != std::string::npos, text);
    BOOST_TEST(text.find("\"rod again\"") != std::string::npos, text);
    run.start = Start::consistent;
    const Simulation on = simulate(system, {0.0, q, v}, run);
    BOOST_TEST(on.report.text(on.status).find("contradict") == std::string::npos);
    run.start = Start::as_given;  // at rest the rows ask for their rounding, each for another one
    const Simulation still = simulate(system, {0.0, Eigen::Vector2d(0.0, -1.0 - 1e-15), Eigen::Vector2d::Zero()}, run);
    BOOST_TEST(still.report.text(still.status).find("contradict") == std::string::npos);
  });
}

namespace {

/// C q = 0 with masses M and constant forces.
struct Linear {
  MatrixXd C, M;
  VectorXd force;
  int num_positions() const { return static_cast<int>(C.cols()); }
  int num_constraints() const { return static_cast<int>(C.rows()); }
  void mass_matrix(double, View<const double>, MatrixView<double> m) const {
    for (int i = 0; i < M.rows(); ++i) {
      for (int j = 0; j < M.cols(); ++j) m(i, j) = M(i, j);
    }
  }
  void applied_force(double, View<const double>, View<const double>, View<double> f) const {
    for (int i = 0; i < force.size(); ++i) f[i] = force[i];
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    for (int i = 0; i < C.rows(); ++i) {
      for (int j = 0; j < C.cols(); ++j) g[i] += C(i, j) * q[j];
    }
  }
};

/// M^-1 (f - C^T lambda), lambda = A^+ (C M^-1 f + K_D C v + K_P C q) with the eigenvectors of A = C M^-1 C^T.
VectorXd by_eigenvectors(const Linear& system, int rank, const VectorXd& asked) {
  const MatrixXd inverse = system.M.inverse();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> A(system.C * inverse * system.C.transpose());
  const VectorXd b = system.C * inverse * system.force - asked;
  VectorXd lambda = VectorXd::Zero(b.size());
  for (Eigen::Index i = b.size() - rank; i < b.size(); ++i)
    lambda += A.eigenvectors().col(i) * (A.eigenvectors().col(i).dot(b) / A.eigenvalues()[i]);
  return inverse * (system.force - system.C.transpose() * lambda);
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_contradicting_rows_have_the_generalised_inverse_of_the_papers) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-1.0, 1.0);
  const auto fill = [&](auto& x) {
    for (Eigen::Index k = 0; k < x.size(); ++k) x.data()[k] = normal(random);
  };
  for (int k = 0; k < 12; ++k) {
    const int n = 4 + k % 5, rank = 1 + k % 3, m = rank + 1 + k % 2;
    MatrixXd left(m, rank), right(rank, n), root(n, n);
    for (auto* x : {&left, &right, &root}) fill(*x);
    Linear linear{left * right, root * root.transpose() + MatrixXd::Identity(n, n), VectorXd(n)};
    VectorXd q(n), v(n);
    for (auto* x : {&q, &v, &linear.force}) fill(*x);
    std::vector<double> K_D, K_P;
    for (int i = 0; i < m; ++i) {
      linear.C.row(i) *= std::pow(10.0, exponent(random));
      K_D.push_back(std::pow(10.0, exponent(random)));
      K_P.push_back(std::pow(10.0, exponent(random)));
    }
    const auto diagonal = [m](const std::vector<double>& x) { return Eigen::Map<const VectorXd>(x.data(), m); };
    const VectorXd papers = by_eigenvectors(
        linear, rank, -diagonal(K_D).cwiseProduct(linear.C * v) - diagonal(K_P).cwiseProduct(linear.C * q));
    const auto system = make_system(linear);
    for_each_form_that_feeds_back([&](const FormulationEntry& entry, FormulationOptions options) {
      if (entry.for_programs) return;
      options.gains.K_D = Gain(K_D);
      options.gains.K_P = Gain(K_P);
      const Reactions r = reactions(system, {0.0, q, v}, options);
      BOOST_REQUIRE_MESSAGE(r.status.finished(), r.status.message);
      BOOST_TEST((r.acceleration - papers).norm() < 1e-5 * (1.0 + papers.norm()),
                 "case " << k << ": " << (r.acceleration - papers).norm() / papers.norm());
    });
  }
}

BOOST_AUTO_TEST_CASE(the_choice_of_the_linear_solver_changes_nothing_about_contradicting_rows) {
  for (const int pendula : {1, 5, 10, 12, 20}) {  // 40 unknowns are ten pendula
    Assembly assembly;
    std::vector<double> K_D, K_P;
    VectorXd q(2 * pendula), v(2 * pendula);
    for (int i = 0; i < pendula; ++i) {
      const Block block = assembly.add_coordinates("b" + std::to_string(i), 2);
      assembly.add("pendulum " + std::to_string(i), Contradicting{}, {block});
      for (const double x : {2.0, 40.0}) K_D.push_back(x);
      for (const double x : {1.0, 400.0}) K_P.push_back(x);
      q.segment(2 * i, 2) << 0.8, -0.7;
      v.segment(2 * i, 2) << 0.3, 0.2;
    }
    const auto system = assembly.build();
    const VectorXd gaps = VectorXd::LinSpaced(1, 0.065, 0.065);  // g of the start
    const VectorXd papers = nearest(Eigen::Vector2d(0.0, -9.81), q.head(2), -0.13 - 2.0 * 0.10 - gaps[0],
                                    -1.3 - 400.0 * 0.10 - 4000.0 * gaps[0]);
    for (const char* form : {"baumgarte", "index1"}) {
      for (const char* solver : {"automatic", "dense", "klu", "block"}) {
        if (!linear_solver(solver == std::string("automatic") ? "dense" : solver).available) continue;
        for (const RankPolicy policy : {RankPolicy::minimum_norm, RankPolicy::regularized}) {
          FormulationOptions options;
          options.formulation = form;
          options.linear_solver = named(solver);
          options.linear_solver.rank_policy = policy;
          options.gains.K_D = Gain(K_D);
          options.gains.K_P = Gain(K_P);
          const Reactions r = reactions(system, {0.0, q, v}, options);
          BOOST_REQUIRE_MESSAGE(r.status.finished(), r.status.message);
          for (int i = 0; i < pendula; ++i) {
            BOOST_TEST((r.acceleration.segment(2 * i, 2) - papers).norm() < 1e-5,
                       form << ", " << solver << ", " << to_string(policy) << ", " << pendula);
          }
        }
      }
    }
  }
}

namespace {

/// Two masses of 1 kg on two rods of 1 m, horizontal and at rest at t = 0, in angles to the horizontal: q(t) by the
/// classical Runge-Kutta method.
Eigen::Vector4d double_pendulum_in_angles(double t) {
  const auto rates = [](const Eigen::Vector4d& y) {
    const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]), weight = 9.81;
    const double upper = -s * y[3] * y[3] - 2.0 * weight * std::cos(y[0]);
    const double lower = s * y[2] * y[2] - weight * std::cos(y[1]);
    return Eigen::Vector4d(y[2], y[3], (upper - c * lower) / (2.0 - c * c), (2.0 * lower - c * upper) / (2.0 - c * c));
  };
  constexpr int steps = 20000;
  const double h = t / steps;
  Eigen::Vector4d y = Eigen::Vector4d::Zero();
  for (int k = 0; k < steps; ++k) {
    const Eigen::Vector4d a = rates(y), b = rates(y + h / 2.0 * a), c = rates(y + h / 2.0 * b), d = rates(y + h * c);
    y += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  const double x = std::cos(y[0]), z = std::sin(y[0]);
  return {x, z, x + std::cos(y[1]), z + std::sin(y[1])};
}

}  // namespace

BOOST_AUTO_TEST_CASE(index1_takes_dependent_rows_at_tight_tolerances_with_either_solver) {
  struct Five {  // rows of two rods in five combinations
    int num_positions() const { return 4; }
    int num_constraints() const { return 5; }
    void mass_matrix(double, View<const double>, MatrixView<double> M) const {
      for (int i = 0; i < 4; ++i) M(i, i) = 1.0;
    }
    void applied_force(double, View<const double>, View<const double>, View<double> f) const { f[1] = f[3] = -9.81; }
    void constraint(double, View<const double> q, View<double> g) const {
      const double x = q[2] - q[0], y = q[3] - q[1];
      const double a = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0, b = (x * x + y * y - 1.0) / 2.0;
      g[0] = a;
      g[1] = b;
      g[2] = a + b;
      g[3] = a - b;
      g[4] = 2.0 * a + 3.0 * b;
    }
  };
  const auto system = make_system(Five{});
  const InitialState hanging{0.0, (VectorXd(4) << 1.0, 0.0, 2.0, 0.0).finished(), {}};
  const Eigen::Vector4d expected = double_pendulum_in_angles(1.0);
  for (const char* solver : {"dense", "klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      SimulationOptions options;
      options.formulation = "index1";
      options.linear_solver = named(solver);
      options.rtol = options.atol = tolerance;
      options.max_steps = 5000;
      const Simulation run = simulate(system, hanging, options);
      BOOST_TEST(run.status.finished(), solver << ", " << tolerance << ": " << run.status.message);
      const double error = (run.trajectory.position_at(1.0) - expected).norm();
      BOOST_TEST(error < 100.0 * tolerance, solver << ", " << tolerance);
    }
  }
}

BOOST_AUTO_TEST_CASE(reactions_of_penalty_under_strict_give_the_total) {
  // m g cos(angle) + m v^2: hanging at rest the rod carries the weight, shared as 1 : 10 by least norm of the forces.
  FormulationOptions options;
  options.formulation = "penalty";
  options.linear_solver.rank_policy = RankPolicy::strict;
  const Reactions r = reactions(make_system(Contradicting{}), {0.0, Eigen::Vector2d(0.0, -1.0), {}}, options);
  BOOST_REQUIRE_MESSAGE(r.status.finished(), r.status.message);
  BOOST_TEST((r.generalized_force + r.stabilizing_force - Eigen::Vector2d(0.0, 9.81)).norm() < 1e-6);
  options.formulation = "baumgarte";
  const Reactions strict = reactions(make_system(Contradicting{}), {0.0, Eigen::Vector2d(0.0, -1.0), {}}, options);
  BOOST_TEST(to_string(strict.status.outcome) == std::string("rank_loss"));
}

BOOST_AUTO_TEST_CASE(multiplier_forms_say_which_rows_a_start_as_given_violates) {
  const auto system = make_system(Contradicting{});
  for (const char* form : {"ggl", "index2", "stabilized_index1", "index3"}) {
    SimulationOptions options;
    options.formulation = form;
    options.start = Start::as_given;
    const InitialState off{0.0, Eigen::Vector2d(0.8, -0.7), Eigen::Vector2d(0.3, 0.2)};
    const Simulation run = simulate(system, off, options);
    BOOST_TEST(!run.status.finished(), form);
    BOOST_TEST(run.status.message.find("\"rod again\"") != std::string::npos, form << ": " << run.status.message);
    BOOST_TEST(run.status.message.find("start = consistent") != std::string::npos, form << ": " << run.status.message);
    options.start = Start::consistent;
    BOOST_TEST(simulate(system, off, options).status.finished(), form);
  }
}
