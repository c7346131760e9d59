// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/stability.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "models.hpp"

/// Certificates along runs of mechanisms and of programs of the user's own.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const ButcherTable* tables[] = {&rk1(), &rk2(), &rk3(), &rk4()};
const ButcherTable midpoint{"midpoint", 2, {0.0, 0.5}, {{}, {0.5}}, {0.0, 1.0}};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

namespace {

MotionState hanging(const std::shared_ptr<const MechanicalSystem>& system) {
  InitialState given;
  given.q = Eigen::Vector2d(0.6, -0.8);
  given.v = Eigen::Vector2d(0.8, 0.6);
  return consistent_state(system, given).state;
}

}  // namespace

BOOST_AUTO_TEST_CASE(pendulum_in_baumgarte_form_is_certified_in_a_lyapunov_norm) {
  const auto system = make_system(test::Pendulum{});
  const MotionState start = hanging(system);
  FormulationOptions options;
  const double omega = 20.0;
  options.gains = Gains::natural_frequency(omega, 1.0);
  for (const ButcherTable* table : {&rk2(), &rk4(), &midpoint}) {
    for (const RemainderKind kind : {RemainderKind::measured, RemainderKind::sampled}) {
      CertificateOptions certificate;
      certificate.remainder = kind;
      certificate.eps = 1e-3;
      certificate.keep_history = true;
      const Certificate found = certify_run(system, start, options, *table, 2e-3, 2.0, certificate);
      BOOST_TEST(found.certified, found.text());
      BOOST_TEST((found.norm->kind() == NormKind::lyapunov));
      // what it implies for g and g' / omega, from an independent integration
      FirstOrderForm form(system, start, options);
      VectorXd y = form.pack(start), ydot, e;
      for (int n = 0; n < 1000; ++n) {
        std::vector<VectorXd> slope;
        for (std::size_t i = 0; i < table->b.size(); ++i) {
          VectorXd stage = y;
          for (std::size_t j = 0; j < i; ++j) stage += 2e-3 * table->A[i][j] * slope[j];
          BOOST_REQUIRE(form.rhs(n * 2e-3, stage, ydot));
          slope.push_back(ydot);
        }
        for (std::size_t i = 0; i < slope.size(); ++i) y += 2e-3 * table->b[i] * slope[i];
        BOOST_REQUIRE(form.constraint_error(n * 2e-3, y, e));
        BOOST_TEST(std::hypot(e[0], e[1] / omega) <= 1e-3);
      }
      BOOST_TEST((e - e).norm() == 0.0);  // finite
    }
  }
}

namespace {

/// f' = a(f): a growth of 20 f is what the model asks for.
struct Feedback {
  double k = 0.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = sin(y[0]) - 2.0 * sin(y[1]);
  }
  template <class T>
  void feedback(T, View<const T>, View<const T> f, View<T> a) const {
    a[0] = -k * f[0];
  }
};

struct PlainCrank {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = sin(y[0]) - 2.0 * sin(y[1]);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_with_its_own_feedback_is_certified_by_its_own_law) {
  FormulationOptions options;
  options.formulation = "integral_manifold";
  options.gains.K_N = 50.0;  // not read by such a program
  for (const double k : {-20.0, 100.0}) {
    const auto program = make_program(Feedback{k});
    const MotionState start = consistent_state(program, {0.0, VectorXd::Zero(2), {}}).state;
    const Certificate found = certify_run(program, start, options, rk4(), 1e-3, 0.2);
    BOOST_TEST(found.certified == (k > 0.0), found.text());
    // |R| of rk4 for the law that acts
    const double z = -k * 1e-3;
    const double R = 1.0 + z + z * z / 2.0 + z * z * z / 6.0 + z * z * z * z / 24.0;
    BOOST_TEST(found.largest_contraction == R, boost::test_tools::tolerance(1e-9));
  }
  FormulationOptions automatic;
  automatic.formulation = "integral_manifold";
  const auto plain = make_program(Feedback{1.0});  // its derivative is asked for, no gain is needed
  const MotionState start = consistent_state(plain, {0.0, VectorXd::Zero(2), {}}).state;
  BOOST_CHECK_NO_THROW(certify_run(plain, start, automatic, rk4(), 1e-3, 0.01));
}

BOOST_AUTO_TEST_CASE(excess_energy_is_certified_by_its_own_law) {
  // m = 1 + g^2, k = omega^2 m, c = 2 omega m: nearly critical damping; beyond 2.785 / omega no certificate.
  const auto system = make_system(test::Pendulum{});
  const auto g = [](const VectorXd& q) { return 0.5 * (q.squaredNorm() - 1.0); };
  const double omega = 20.0;
  FormulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.mass = [g](double, const VectorXd& q, MatrixXd& m) { m(0, 0) = 1.0 + g(q) * g(q); };
  options.excess.stiffness = [=](double, const VectorXd& q, MatrixXd& k) {
    k(0, 0) = omega * omega * (1.0 + g(q) * g(q));
  };
  options.excess.dissipation = [=](double, const VectorXd& q, const VectorXd&, MatrixXd& c) {
    c(0, 0) = 2.0 * omega * (1.0 + g(q) * g(q));
  };
  CertificateOptions wanted;
  wanted.eps = 1e-3;
  const Certificate good = certify_run(system, hanging(system), options, rk4(), 2e-3, 1.0, wanted);
  BOOST_TEST(good.certified, good.text());
  const Certificate large = certify_run(system, hanging(system), options, rk4(), 3.0 / omega, 1.0, wanted);
  BOOST_TEST(!large.certified, large.text());
  // on the constraints it is the law of constant gains
  FormulationOptions constant;
  constant.gains = Gains::natural_frequency(omega, 1.0);
  const Certificate same = certify_run(system, hanging(system), constant, rk4(), 2e-3, 1.0, wanted);
  BOOST_TEST(good.largest_contraction == same.largest_contraction, boost::test_tools::tolerance(1e-4));
  // samples of the error matrix have a common form
  std::vector<MatrixXd> samples;
  for (const double x : {0.8, 1.0, 1.2})
    samples.push_back(error_matrix(options.excess, *system, 0.0, Eigen::Vector2d(x, 0.1), Eigen::Vector2d(0.3, 0.1)));
  BOOST_TEST(common_form(samples).certified);
}

BOOST_AUTO_TEST_CASE(gain_limits_of_a_users_own_model) {
  // Kinematic program, constant law: the stability function. Pendulum, short steps: the same with critical damping.
  FormulationOptions options;
  const InitialState zero{0.0, VectorXd::Zero(2), {}};
  const GainLimits program = gain_limits(make_program(PlainCrank{}), zero, options, rk4(), 1e-3, 1.0);
  BOOST_TEST(program.rule == 2785.293563, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(program.along_the_run == program.rule, boost::test_tools::tolerance(0.02));
  const GainLimits pendulum =
      gain_limits(make_system(test::Pendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options, rk4(), 1e-3, 1.0);
  BOOST_TEST(pendulum.contraction == 2785.293563, boost::test_tools::tolerance(0.03));
  // Beside the boundary of contraction the truncation errors add up to a violation: runs are doubted above the limit.
  BOOST_TEST(pendulum.along_the_run < pendulum.contraction);
  for (const double factor : {0.97, 1.03}) {
    SimulationOptions fixed;
    fixed.formulation = "baumgarte";
    fixed.integrator = "rk4";
    fixed.step = 1e-3;
    fixed.t_end = 1.0;
    fixed.gains = Gains::natural_frequency(factor * pendulum.along_the_run, 1.0);
    const Simulation run = simulate(make_system(test::Pendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, fixed);
    bool violates = false;
    for (const Doubt& doubt : run.status.doubts)
      violates = violates || doubt.kind == DoubtKind::position_violation || doubt.kind == DoubtKind::velocity_violation;
    BOOST_TEST(violates == (factor > 1.0), factor);
  }
  BOOST_CHECK_THROW(gain_limits(make_program(PlainCrank{}), zero, options, rk4(), 1.0, 2.0), Error);
}

BOOST_AUTO_TEST_CASE(pendulum_beyond_its_limits_is_not_certified) {
  const auto system = make_system(test::Pendulum{});
  const MotionState start = hanging(system);
  FormulationOptions options;
  options.gains = Gains::natural_frequency(100.0, 1.0);
  const Certificate large = certify_run(system, start, options, rk2(), 0.021, 1.0);  // omega tau = 2.1
  BOOST_REQUIRE(large.failure() != nullptr);
  BOOST_TEST((large.failure()->condition == CertificateCondition::contraction));
  BOOST_TEST(contains(large.text(), "spectral radius"));
  // the plain norms cannot certify what the Lyapunov norm does
  CertificateOptions euclidean;
  euclidean.eps = 1e-2;
  BOOST_TEST(certify_run(system, start, options, rk2(), 1e-3, 1.0, euclidean).certified);
  for (const NormKind norm : {NormKind::euclidean, NormKind::maximum}) {
    euclidean.norm = norm;
    const Certificate found = certify_run(system, start, options, rk2(), 1e-3, 1.0, euclidean);
    BOOST_REQUIRE(found.failure() != nullptr);
    BOOST_TEST((found.failure()->condition == CertificateCondition::contraction));
  }
  options.gains = Gains{};
  BOOST_CHECK_EXCEPTION(certify_run(system, start, options, rk2(), 1e-3, 1.0), Error,
                        [](const Error& error) { return contains(error.what(), "automatic"); });
}

BOOST_AUTO_TEST_CASE(largest_certified_steps_lie_below_the_observed_ones_and_the_linear_limits) {
  const auto system = make_system(test::Pendulum{});
  const MotionState start = hanging(system);
  FormulationOptions options;
  const double omega = 20.0;
  options.gains = Gains::natural_frequency(omega, 1.0);
  FirstOrderForm form(system, start, options);
  ErrorProgram program;
  program.law = ConstraintDynamics::second_order(options.gains, 1);
  program.rhs = [&form](double t, const VectorXd& y, VectorXd& ydot) { return form.rhs(t, y, ydot); };
  program.error = [&form](double t, const VectorXd& y, VectorXd& e) { return form.constraint_error(t, y, e); };
  program.y0 = form.pack(start);
  CertificateOptions certificate;
  certificate.eps = 1e-2;
  double last = 0.0;
  for (const ButcherTable* table : tables) {
    const StepSearch found = largest_certified_step(program, *table, 2.0, certificate);
    BOOST_TEST_MESSAGE(table->name << ": certified " << found.certified << ", observed " << found.observed
                                   << ", linear limit " << table->real_stability_limit() / omega);
    BOOST_TEST(found.certified > last);  // higher order, longer steps
    BOOST_TEST(found.certificate.certified);
    BOOST_TEST(found.certified <= found.observed * (1.0 + 2e-3));
    BOOST_TEST(found.certified * omega < table->real_stability_limit());
    last = found.certified;
  }
  certificate.eps = 1e-12;
  const StepSearch none = largest_certified_step(program, rk1(), 0.2, certificate, 0.1, 0.01);
  BOOST_TEST(none.certified == 0.0);
  BOOST_TEST(!none.certificate.certified);
}

BOOST_AUTO_TEST_CASE(velocity_constraints_take_part) {
  const auto system = make_system(test::Everything{});
  InitialState guess;
  guess.q = Eigen::Vector3d(0.8, 0.3, 0.4);
  guess.v = Eigen::Vector3d(0.1, 0.2, 0.3);
  const MotionState start = consistent_state(system, guess).state;
  FormulationOptions options;
  options.gains = Gains::natural_frequency(10.0, 1.0);
  options.gains.K_N = 10.0;
  CertificateOptions certificate;
  certificate.eps = 1e-3;
  for (const RemainderKind kind : {RemainderKind::measured, RemainderKind::sampled}) {
    certificate.remainder = kind;
    const Certificate found = certify_run(system, start, options, rk4(), 5e-3, 0.5, certificate);
    BOOST_TEST(found.certified, found.text());
    BOOST_TEST(found.norm->size() == 3);
  }
}
