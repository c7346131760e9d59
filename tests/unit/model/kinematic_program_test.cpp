// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <random>

#include <Eigen/Dense>

#include <sunlagrange/sunlagrange.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/linear_solver.hpp"
#include "model/evaluation.hpp"

/// Laws of kinematic programs at single points: A v + f_t = a, the direction of the velocity, exact Newton systems.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// f_i = b_i^T y + (y^T H_i y) / 2 + 0.3 sin(t + i) y_i - 0.1, with random b_i, H_i; regular near the points used.
struct RandomRows {
  int n = 0, m = 0;
  std::vector<double> b, H;

  RandomRows(int variables, int rows, std::mt19937& random) : n(variables), m(rows) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    b.resize(static_cast<std::size_t>(n * m));
    H.resize(static_cast<std::size_t>(n * n * m));
    for (double& x : b) x = uniform(random);
    for (double& x : H) x = 0.3 * uniform(random);
  }
  int num_positions() const { return n; }
  int num_constraints() const { return m; }

  template <class T>
  void constraint(T t, View<const T> y, View<T> f) const {
    for (int i = 0; i < m; ++i) {
      f[i] = 0.3 * sin(t + static_cast<double>(i)) * y[i] - 0.1;
      for (int j = 0; j < n; ++j) {
        f[i] += b[static_cast<std::size_t>(i * n + j)] * y[j];
        for (int k = 0; k < n; ++k) f[i] += 0.5 * H[static_cast<std::size_t>((i * n + j) * n + k)] * y[j] * y[k];
      }
    }
  }
};

/// With a tangential field of its own that is not tangential.
struct OwnField : RandomRows {
  using RandomRows::RandomRows;
  template <class T>
  void tangential_velocity(T t, View<const T> y, View<T> w) const {
    for (int i = 0; i < n; ++i) w[i] = sin(1.0 + static_cast<double>(i) + t) * (1.0 + y[(i + 1) % n] * y[i]);
  }
};

/// With a feedback that mixes the rows and is not linear.
struct OwnFeedback : OwnField {
  using OwnField::OwnField;
  template <class T>
  void feedback(T, View<const T>, View<const T> f, View<T> a) const {
    for (int i = 0; i < m; ++i) a[i] = -2.0 * f[i] - f[i] * f[i] * f[i] - 0.3 * f[(i + 1) % m];
  }
};

/// The same in plain double.
struct OwnFeedbackDouble : RandomRows {
  using RandomRows::RandomRows;
  void tangential_velocity(double, View<const double> y, View<double> w) const {
    for (int i = 0; i < n; ++i) w[i] = 1.0 + y[(i + 1) % n] * y[i];
  }
  void feedback(double, View<const double>, View<const double> f, View<double> a) const {
    for (int i = 0; i < m; ++i) a[i] = -2.0 * f[i] - f[i] * f[i] * f[i];
  }
};

struct SliderCrank {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = sin(y[0]) - 2.0 * sin(y[1]);
  }
  std::vector<std::string> constraint_names() const { return {"pin"}; }
};

/// A point on a sphere, its row twice; the tangential field turns it about the third axis.
struct SphereTwice {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 2;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1.0);
    f[1] = 2.0 * f[0];
  }
  std::vector<std::string> constraint_names() const { return {"sphere", "sphere again"}; }
};

ProgramOptions random_companions(int n, int m, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  ProgramOptions options;
  options.speed = 0.7;
  options.companions = MatrixXd::NullaryExpr(n - m - 1, n, [&] { return uniform(random); });
  return options;
}

VectorXd random_point(int n, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  return VectorXd::NullaryExpr(n, [&] { return uniform(random); });
}

constexpr double t0 = 0.4;

/// f, A, f_t and w at a point, from the system itself (whose derivatives have tests of their own).
struct RowsAt {
  MatrixXd A;
  VectorXd f, f_t, w;
  RowsAt(const MechanicalSystem& system, double t, const VectorXd& y) {
    const auto work = make_workspace(system, Storage::dense);
    const VectorXd rest = VectorXd::Zero(y.size());
    BOOST_REQUIRE(
        evaluate_system(system, request::acceleration_level, {t, y.data(), rest.data(), nullptr, nullptr}, *work));
    A = work->G.dense();
    f = work->g;
    f_t = work->g_rate;
    w = work->f;
  }
};

FormulationInput input_for(const std::shared_ptr<const MechanicalSystem>& system, const VectorXd& y,
                           const std::string& formulation, const std::string& solver, const Gain& K_N = {}) {
  FormulationInput input;
  input.system = system;
  input.formulation = formulation;
  input.linear_solver.name = solver;
  input.gains.K_N = K_N;
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  input.start = consistent_state(system, {t0, y, {}}, as_given).state;
  return input;
}

VectorXd velocity(OdeFormulation& form, double t, const VectorXd& y) {
  VectorXd v(y.size());
  BOOST_REQUIRE((form.rhs(t, y.data(), v.data()) == EvaluationResult::ok));
  return v;
}

std::vector<std::string> solvers() {
  std::vector<std::string> names;
  for (const LinearSolverEntry& entry : linear_solver_registry()) {
    if (entry.available) names.emplace_back(entry.name);
  }
  return names;
}

/// (I - gamma J)^-1 and J x against J by differences.
void check_newton(OdeFormulation& form, const VectorXd& y, double tolerance) {
  MatrixXd J(y.size(), y.size());
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    VectorXd plus = y, minus = y;
    plus[j] += 1e-6;
    minus[j] -= 1e-6;
    J.col(j) = (velocity(form, t0, plus) - velocity(form, t0, minus)) / 2e-6;
  }
  const VectorXd x = VectorXd::LinSpaced(y.size(), -1.0, 2.0), product = J * x;
  VectorXd Jx(y.size());
  BOOST_REQUIRE((form.provides().product->linearize_product(t0, y.data(), nullptr) == EvaluationResult::ok));
  BOOST_REQUIRE((form.provides().product->jacobian_times(0.0, x.data(), Jx.data()) == EvaluationResult::ok));
  BOOST_TEST((Jx - product).lpNorm<Eigen::Infinity>() < tolerance * (1.0 + product.lpNorm<Eigen::Infinity>()));
  for (const double gamma : {0.2, 1e-3}) {
    BOOST_REQUIRE(
        (form.provides().newton->factorize_newton(t0, y.data(), nullptr, gamma, gamma < 0.1) == EvaluationResult::ok));
    VectorXd b = x - gamma * product;
    BOOST_REQUIRE((form.provides().newton->solve_newton(gamma, b.data()) == EvaluationResult::ok));
    BOOST_TEST((b - x).lpNorm<Eigen::Infinity>() < tolerance);
  }
}

/// y'' against differences of the velocity along the motion.
void check_acceleration(OdeFormulation& form, const VectorXd& y) {
  VectorXd q(y.size()), v(y.size()), a(y.size());
  BOOST_REQUIRE((form.unpack(t0, y.data(), nullptr, q.data(), v.data(), a.data()) == EvaluationResult::ok));
  BOOST_TEST((v - velocity(form, t0, y)).norm() == 0.0);
  const double h = 1e-5 / (1.0 + v.norm());
  const VectorXd difference = (velocity(form, t0 + h, y + h * v) - velocity(form, t0 - h, y - h * v)) / (2.0 * h);
  BOOST_TEST((a - difference).lpNorm<Eigen::Infinity>() < 1e-6 * (1.0 + a.lpNorm<Eigen::Infinity>()));
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_vector_product_is_the_determinant_of_the_paper) {
  std::mt19937 random(7U);
  for (int n = 1; n <= 6; ++n) {
    for (int sample = 0; sample < 20; ++sample) {
      MatrixXd rows = MatrixXd::Zero(n - 1, n);
      for (int i = 0; i < n - 1; ++i) rows.row(i) = random_point(n, random).transpose();
      if (sample == 1) rows.setIdentity();  // no reflection is needed
      if (sample == 2) rows.rightCols(n - 1).setIdentity();
      if (sample == 3 && n > 2) rows.row(1) = rows.row(0);  // dependent
      const VectorXd product = generalized_vector_product(rows);
      for (int j = 0; j < n; ++j) {
        MatrixXd all(n, n);
        all << MatrixXd::Identity(n, n).row(j), rows;
        BOOST_TEST(std::abs(product[j] - all.determinant()) < 1e-14);
      }
      BOOST_TEST((rows * product).norm() < 1e-14);
    }
  }
  BOOST_CHECK_THROW(generalized_vector_product(MatrixXd::Identity(2, 2)), Error);
}

BOOST_AUTO_TEST_CASE(the_velocity_of_the_slider_crank_is_that_of_the_paper) {
  ProgramOptions options;
  options.speed = 1.5;
  const auto system = make_program(SliderCrank{}, options);
  const double th1 = 0.3, th2 = -0.4, k = 7.0;
  const Eigen::Vector2d y(th1, th2);
  auto form = make_formulation(input_for(system, y, "integral_manifold", "dense", k));
  const VectorXd v = velocity(dynamic_cast<OdeFormulation&>(*form), t0, y);
  const double f = std::sin(th1) - 2.0 * std::sin(th2);
  const double den = std::pow(std::cos(th1), 2) + 4.0 * std::pow(std::cos(th2), 2);
  BOOST_TEST(v[0] == -1.5 * 2.0 * std::cos(th2) - k * std::cos(th1) * f / den, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(v[1] == -1.5 * std::cos(th1) + k * 2.0 * std::cos(th2) * f / den, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(the_defining_equation_holds_for_all_sizes_and_gains) {
  std::mt19937 random(11U);
  for (int n = 1; n <= 6; ++n) {
    for (int m = 1; m < n; ++m) {
      const auto system = make_program(RandomRows(n, m, random), random_companions(n, m, random));
      BOOST_TEST(system->first_order());
      const VectorXd y = random_point(n, random);
      MatrixXd K = MatrixXd::Random(m, m);
      K = K * K.transpose() + MatrixXd::Identity(m, m);
      std::vector<double> rows(static_cast<std::size_t>(m), 3.0);
      rows.back() = 5.0;
      for (const Gain& gain : {Gain(4.0), Gain(rows), Gain(K)}) {
        for (const std::string& solver : solvers()) {
          BOOST_TEST_CONTEXT("n " << n << ", m " << m << ", " << solver << ", K_N " << gain.text()) {
            auto form = make_formulation(input_for(system, y, "integral_manifold", solver, gain));
            auto& ode = dynamic_cast<OdeFormulation&>(*form);
            const VectorXd v = velocity(ode, t0, y);
            const RowsAt at(*system, t0, y);
            const GainMatrix given = gain.matrix(m, "K_N", true);
            VectorXd a = VectorXd::Zero(m);
            a -= given * at.f;
            const double size = 1.0 + a.norm() + v.norm();
            BOOST_TEST((at.A * v + at.f_t - a).norm() < 1e-12 * size);
            // the field is tangential, and the rest of the velocity is normal: v - c [AC] = A^+ (a - f_t)
            BOOST_TEST((at.A * at.w).norm() < 1e-13);
            BOOST_TEST((v - at.w - at.A.transpose() * (at.A * at.A.transpose()).llt().solve(a - at.f_t)).norm() <
                       1e-11 * size);
            check_newton(ode, y, 1e-6);
            check_acceleration(ode, y);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_field_of_the_model_is_made_tangential) {
  std::mt19937 random(13U);
  for (int m = 1; m <= 4; ++m) {  // m = n too: no freedom, v = A^-1 (a - f_t)
    const int n = 4;
    const auto system = make_program(OwnField(n, m, random));
    const VectorXd y = random_point(n, random);
    for (const std::string& solver : solvers()) {
      auto form = make_formulation(input_for(system, y, "integral_manifold", solver, 3.0));
      auto& ode = dynamic_cast<OdeFormulation&>(*form);
      const VectorXd v = velocity(ode, t0, y);
      const RowsAt at(*system, t0, y);
      const VectorXd rest = v - at.w;
      BOOST_TEST((at.A * v + at.f_t + 3.0 * at.f).norm() < 1e-12);
      BOOST_TEST((rest - at.A.transpose() * at.A.transpose().colPivHouseholderQr().solve(rest)).norm() < 1e-12);
      check_newton(ode, y, 1e-6);
      check_acceleration(ode, y);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_feedback_of_the_model_replaces_the_gain) {
  std::mt19937 random(17U);
  const auto templated = make_program(OwnFeedback(4, 2, random));
  const auto plain = make_program(OwnFeedbackDouble(4, 2, random));
  const VectorXd y = random_point(4, random);
  for (const bool mixes : {true, false}) {
    const auto& system = mixes ? templated : plain;
    for (const std::string& solver : solvers()) {
      auto form = make_formulation(input_for(system, y, "integral_manifold", solver, 1e6));
      auto& ode = dynamic_cast<OdeFormulation&>(*form);
      const VectorXd v = velocity(ode, t0, y);
      const RowsAt at(*system, t0, y);
      const VectorXd& f = at.f;
      VectorXd a = -2.0 * f.array() - f.array().cube();
      if (mixes) a -= 0.3 * f.reverse();
      BOOST_TEST((at.A * v + at.f_t - a).norm() < 1e-12);
      check_newton(ode, y, mixes ? 1e-6 : 1e-5);
      check_acceleration(ode, y);
    }
  }
}

BOOST_AUTO_TEST_CASE(elimination_satisfies_the_rows_and_follows_the_field) {
  std::mt19937 random(19U);
  for (int n = 2; n <= 6; ++n) {
    for (int m = 1; m < n; ++m) {
      ProgramOptions options = random_companions(n, m, random);
      const RandomRows rows(n, m, random);
      for (const bool named : {false, true}) {
        if (named) {
          for (int i = n - m; i < n; ++i) options.dependent.push_back("q" + std::to_string(i));
        }
        const auto system = make_program(rows, options);
        VectorXd y = random_point(n, random);  // where det A1 is not nearly zero
        while (RowsAt(*system, t0, y).A.rightCols(m).jacobiSvd().singularValues()[m - 1] < 0.2)
          y = random_point(n, random);
        for (const std::string& solver : solvers()) {
          BOOST_TEST_CONTEXT("n " << n << ", m " << m << ", " << solver << (named ? ", named" : "")) {
            auto form = make_formulation(input_for(system, y, "elimination", solver));
            auto& ode = dynamic_cast<OdeFormulation&>(*form);
            const VectorXd v = velocity(ode, t0, y);
            const RowsAt at(*system, t0, y);
            BOOST_TEST((at.A * v + at.f_t).norm() < 1e-11 * (1.0 + v.norm()));
            int equal = 0;
            for (int i = 0; i < n; ++i) equal += v[i] == at.w[i] ? 1 : 0;
            BOOST_TEST(equal >= n - m);
            if (named) BOOST_TEST((v - at.w).head(n - m).norm() == 0.0);
            check_newton(ode, y, 1e-5 * (1.0 + v.norm()));
            check_acceleration(ode, y);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(redundant_rows_are_the_business_of_the_rank_policy) {
  ProgramOptions options;
  options.product_rows = {0};
  options.companions = Eigen::RowVector3d(0.0, 0.0, 1.0);
  const auto system = make_program(SphereTwice{}, options);
  SimulationOptions run;
  run.formulation = "integral_manifold";
  run.gains.K_N = 5.0;
  run.t_end = 1.0;
  run.rtol = run.atol = 1e-9;
  const Eigen::Vector3d start(0.6, 0.0, 0.8);
  for (const std::string& solver : solvers()) {
    for (const char* integrator : {"cvode_bdf", "dopri5"}) {
      run.linear_solver.name = solver;
      run.integrator = integrator;
      run.linear_solver.rank_policy = RankPolicy::minimum_norm;
      const Simulation good = simulate(system, {0.0, start, {}}, run);
      BOOST_TEST_REQUIRE(good.status.finished(), good.status.message);
      // A x e_3 = (y2, -y1, 0): the point turns backwards with unit speed
      const Eigen::Vector3d expected(0.6 * std::cos(1.0), -0.6 * std::sin(1.0), 0.8);
      BOOST_TEST((good.trajectory.q(good.trajectory.size() - 1) - expected).norm() < 1e-6);
      run.linear_solver.rank_policy = RankPolicy::strict;
      const Simulation refused = simulate(system, {0.0, start, {}}, run);
      BOOST_TEST((refused.status.outcome == Outcome::rank_loss));
      BOOST_TEST(contains(refused.status.message, "\"sphere"), refused.status.message);
    }
  }
}

BOOST_AUTO_TEST_CASE(elimination_drifts_and_the_integral_manifold_does_not) {
  const auto system = make_program(SliderCrank{});
  SimulationOptions options;
  options.integrator = "rk1";
  options.step = 1e-3;
  options.t_end = 20.0;
  options.gains.K_N = 100.0;
  const auto violation = [&](const char* formulation) {
    options.formulation = formulation;
    const Simulation run = simulate(system, {0.0, Eigen::Vector2d::Zero(), {}}, options);
    BOOST_REQUIRE(run.status.finished());
    return run.report.max_position_violation;
  };
  const double held = violation("integral_manifold"), drifted = violation("elimination");
  BOOST_TEST(held < 2e-5);
  BOOST_TEST(drifted > 50.0 * held);
}

BOOST_AUTO_TEST_CASE(a_start_off_the_manifold_decays_with_the_gain) {
  const auto system = make_program(SliderCrank{});
  SimulationOptions options;
  options.formulation = "integral_manifold";
  options.integrator = "dopri5";
  options.gains.K_N = 2.0;
  options.start = Start::as_given;
  options.t_end = 1.5;
  options.rtol = options.atol = 1e-10;
  const Eigen::Vector2d y(0.3, 0.05);
  const Simulation run = simulate(system, {0.0, y, {}}, options);
  BOOST_REQUIRE(run.status.finished());
  const auto f = [](const VectorXd& x) { return std::sin(x[0]) - 2.0 * std::sin(x[1]); };
  BOOST_TEST(f(run.trajectory.q(run.trajectory.size() - 1)) == f(y) * std::exp(-3.0),
             boost::test_tools::tolerance(1e-7));
  // the start of the trajectory has the velocity of the program, gains included
  const VectorXd v = run.trajectory.v(0);
  BOOST_TEST(std::cos(y[0]) * v[0] - 2.0 * std::cos(y[1]) * v[1] == -2.0 * f(y), boost::test_tools::tolerance(1e-12));
  // dense output between the steps
  for (const double t : {0.11, 0.42, 0.97, 1.33})
    BOOST_TEST(f(run.trajectory.position_at(t)) == f(y) * std::exp(-2.0 * t), boost::test_tools::tolerance(1e-5));
  options.start = Start::consistent;
  const Simulation projected = simulate(system, {0.0, y, {}}, options);
  BOOST_TEST(std::abs(f(projected.trajectory.q(0))) < 1e-15);
  BOOST_TEST(projected.report.start.moved_velocities == 0.0);
}

BOOST_AUTO_TEST_CASE(the_report_says_what_applies) {
  const auto system = make_program(SliderCrank{});
  SimulationOptions options;
  options.formulation = "integral_manifold";
  options.gains.K_D = 4.0;
  const Simulation run = simulate(system, {0.0, Eigen::Vector2d::Zero(), {}}, options);
  BOOST_REQUIRE(run.status.finished());
  BOOST_TEST(std::isnan(run.report.max_velocity_violation));
  BOOST_TEST(std::isnan(run.report.energy_drift));
  const std::string text = run.report.text(run.status);
  BOOST_TEST(contains(text, "K_N"), text);
  BOOST_TEST(contains(text, "not used by this formulation"), text);
}

BOOST_AUTO_TEST_CASE(events_stop_a_program_and_may_not_strike_it) {
  const auto system = make_program(SliderCrank{});
  SimulationOptions options;
  options.formulation = "integral_manifold";
  options.t_end = 5.0;
  options.rtol = options.atol = 1e-10;
  Event event;
  event.name = "half a turn";
  event.root = [](const EventPoint& at) { return at.q()[0] + std::acos(-1.0); };
  event.action = [](EventContext& context) { context.stop("there"); };
  options.events = {event};
  const Simulation stopped = simulate(system, {0.0, Eigen::Vector2d::Zero(), {}}, options);
  BOOST_REQUIRE(stopped.status.finished());
  BOOST_REQUIRE(stopped.report.events.size() == 1U);
  // theta1 = -am(2 t | 1/4): half a turn after K(1/4)
  BOOST_TEST(stopped.report.events[0].t == 1.685750354812596, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(std::isnan(stopped.report.events[0].kinetic_energy_before));
  options.events[0].action = [](EventContext& context) { context.set_velocity(Eigen::Vector2d::Zero()); };
  const Simulation refused = simulate(system, {0.0, Eigen::Vector2d::Zero(), {}}, options);
  BOOST_TEST(contains(refused.status.message, "a kinematic program has neither impulses"), refused.status.message);

  options.rtol = options.atol = 1e-7;  // both zeros in one step of it, symmetric about half a turn
  options.events = {
      {"beside it", [](const EventPoint& at) { return std::pow(at.q()[0] + std::acos(-1.0), 2) - 1e-4; }}};
  const Simulation beside = simulate(system, {0.0, Eigen::Vector2d::Zero(), {}}, options);
  BOOST_REQUIRE(beside.status.finished());
  BOOST_REQUIRE(beside.report.events.size() == 2U);
  BOOST_TEST(std::abs(0.5 * (beside.report.events[0].t + beside.report.events[1].t) - 1.685750354812596) < 1e-5);
  options.events.clear();
  const Simulation without = simulate(system, {0.0, Eigen::Vector2d::Zero(), {}}, options);
  BOOST_TEST((beside.trajectory.v(0) == without.trajectory.v(0)));
  BOOST_TEST((beside.trajectory.a(0) == without.trajectory.a(0)));
  options.inactive_constraints = {"pin"};
  BOOST_TEST(contains(message_of([&] {
                        simulate(system, {0.0, Eigen::Vector2d::Zero(), {}}, options);
                      }),
                      "cannot be switched off"));
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused_with_words) {
  std::mt19937 random(23U);
  const auto program = make_program(SliderCrank{});
  const InitialState start{0.0, Eigen::Vector2d::Zero(), {}};
  SimulationOptions options;
  options.formulation = "baumgarte";
  BOOST_TEST(contains(message_of([&] { simulate(program, start, options); }), "use integral_manifold"));
  options.formulation = "integral_manifold";
  options.at_singularity = AtSingularity::project;
  BOOST_TEST(contains(message_of([&] { simulate(program, start, options); }), "at_singularity"));
  options.at_singularity = AtSingularity::filter;
  options.gains.K_N = Gain(std::vector<double>{1.0, 2.0, 3.0});
  BOOST_TEST(contains(message_of([&] { simulate(program, start, options); }), "K_N"));
  BOOST_TEST(contains(message_of([&] { reactions(program, start); }), "reactions"));
  BOOST_TEST(contains(message_of([&] { velocity_jump(program, start, {"pin"}, 0.5); }), "velocity_jump"));

  const RandomRows rows(4, 1, random);
  BOOST_TEST(contains(message_of([&] { make_program(rows); }), "companion rows"));
  ProgramOptions few = random_companions(4, 2, random);
  BOOST_TEST(contains(message_of([&] { make_program(rows, few); }), "there must be 3"));
  ProgramOptions twice = random_companions(4, 1, random);
  twice.companion_function = [](double, View<const double>, MatrixView<double>) {};
  twice.num_companions = 2;
  BOOST_TEST(contains(message_of([&] { make_program(rows, twice); }), "both given"));
  ProgramOptions unknown = random_companions(4, 1, random);
  unknown.dependent = {"nobody"};
  BOOST_TEST(contains(message_of([&] { make_program(rows, unknown); }), "nobody"));
  ProgramOptions many = random_companions(4, 1, random);
  many.dependent = {"q0", "q1"};
  BOOST_TEST(contains(message_of([&] { make_program(rows, many); }), "must be m = 1"));
  BOOST_TEST(contains(message_of([&] { make_program(OwnField(4, 1, random), random_companions(4, 1, random)); }),
                      "tangential_velocity"));
  struct Offset : SliderCrank {
    void feedback(double, View<const double>, View<const double> f, View<double> a) const { a[0] = 1.0 - f[0]; }
  };
  BOOST_TEST(contains(message_of([&] { make_program(Offset{}); }), "must vanish"));
}

BOOST_AUTO_TEST_CASE(the_first_order_form_has_the_rows_as_its_error) {
  const auto system = make_program(SliderCrank{});
  const Eigen::Vector2d y(0.3, 0.05);
  FormulationInput input = input_for(system, y, "integral_manifold", "dense", 6.0);
  FirstOrderForm form(system, input.start, input);
  BOOST_TEST(form.size() == 2);
  BOOST_TEST(form.error_size() == 1);
  VectorXd ydot, e, ahead, behind;
  const double h = 1e-5;
  BOOST_REQUIRE(form.rhs(0.0, y, ydot));
  BOOST_REQUIRE(form.constraint_error(0.0, y, e));
  BOOST_REQUIRE(form.constraint_error(0.0, y + h * ydot, ahead));
  BOOST_REQUIRE(form.constraint_error(0.0, y - h * ydot, behind));
  BOOST_TEST((ahead - behind)[0] / (2.0 * h) == -6.0 * e[0], boost::test_tools::tolerance(1e-8));
}

namespace {

struct Crank : SliderCrank {
  std::vector<std::string> position_names() const { return {"crank", "rod"}; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(elimination_does_not_step_over_det_A1) {
  // The crank's angle as the dependent one: r cos theta1 vanishes in every turn, and fixed steps went over it with
  // |f| = 3.
  const auto run_with = [](const std::vector<std::string>& dependent, const std::string& integrator) {
    ProgramOptions program;
    program.dependent = dependent;
    SimulationOptions options;
    options.formulation = "elimination";
    options.integrator = integrator;
    if (integrator == "rk4") options.step = 0.01;
    options.t_end = 10.0;
    return simulate(make_program(Crank{}, program), {0.0, VectorXd::Zero(2), {}}, options);
  };
  for (const char* integrator : {"rk4", "dopri5"}) {
    const Simulation good = run_with({"rod"}, integrator);
    BOOST_TEST(good.status.finished(), good.status.message);
    BOOST_TEST(good.report.max_position_violation < 1e-5);
    const Simulation bad = run_with({"crank"}, integrator);
    BOOST_TEST(!bad.status.finished(), integrator << ": max |f| = " << bad.report.max_position_violation);
    BOOST_TEST(bad.report.max_position_violation < 0.1, integrator);
    BOOST_TEST(bad.report.t_reached < 1.0);
    BOOST_TEST(bad.status.message.find("dependent variables") != std::string::npos, bad.status.message);
    BOOST_TEST(bad.status.message.find("penalty") == std::string::npos, bad.status.message);
  }
}

BOOST_AUTO_TEST_CASE(unstable_programs_are_told_about_gain_and_step) {
  SimulationOptions options;
  options.formulation = "integral_manifold";
  options.integrator = "rk1";
  options.step = 1e-2;
  options.gains.K_N = 250.0;  // step x gain 2.5, rk1 allows 2
  options.t_end = 5.0;
  const Simulation run = simulate(make_program(Crank{}), {0.0, VectorXd::Zero(2), {}}, options);
  BOOST_TEST(!run.status.has_no_doubts());
  std::string words = run.status.message;
  for (const Doubt& doubt : run.status.doubts) words += doubt.text;
  BOOST_TEST(words.find("step") != std::string::npos, words);
  BOOST_TEST(words.find("K_N") != std::string::npos, words);
  for (const char* wrong : {"formulation penalty", "another formulation", "baumgarte"})
    BOOST_TEST(words.find(wrong) == std::string::npos, words);
}
