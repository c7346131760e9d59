// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <type_traits>
#include <vector>

#include "integrators/radau.hpp"
#include "models.hpp"
#include "runs.hpp"

/// Radau IIA of order 5: the coefficients obey what they were derived from; fixed steps show the orders that theory
/// gives for every index; tolerances, dense output and counts of whole runs.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using mechanisms::find_mechanism;
using test::options_of;

namespace {

/// y' = f(t, y), dense and small.
class Ode final : public StageEquations {
 public:
  using Function = std::function<Eigen::VectorXd(double, const Eigen::VectorXd&)>;
  using Jacobian = std::function<Eigen::MatrixXd(double, const Eigen::VectorXd&)>;
  Ode(int size, Function f, Jacobian J, int num_integrated = 0)
      : size_(size), f_(std::move(f)), J_(std::move(J)), num_integrated_(num_integrated) {}

  int num_integrated() const override { return num_integrated_; }
  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override {
    as_vector(r, size_) = as_vector(yp, size_) - f_(t, as_vector(y, size_));
    return EvaluationResult::ok;
  }
  EvaluationResult linearize(double t, const double* y, const double*) override {
    jacobian_ = J_(t, as_vector(y, size_));
    return EvaluationResult::ok;
  }
  EvaluationResult factorize(double c) override {
    real_ = (c * Eigen::MatrixXd::Identity(size_, size_) - jacobian_).inverse();
    return EvaluationResult::ok;
  }
  EvaluationResult factorize(Complex c) override {
    complex_ = (c * Eigen::MatrixXcd::Identity(size_, size_) - jacobian_.cast<Complex>()).inverse();
    return EvaluationResult::ok;
  }
  EvaluationResult solve(double, double* b) override {
    as_vector(b, size_) = (real_ * as_vector(b, size_)).eval();
    return EvaluationResult::ok;
  }
  EvaluationResult solve(Complex, Complex* b) override {
    as_vector(b, size_) = (complex_ * as_vector(b, size_)).eval();
    return EvaluationResult::ok;
  }
  EvaluationResult weights(double, const double*, double* weight) override {
    as_vector(weight, size_).setConstant(1e12);
    return EvaluationResult::ok;
  }
  void tested(double* mask) const override { as_vector(mask, size_).setOnes(); }

 private:
  Eigen::Index size_;
  Function f_;
  Jacobian J_;
  int num_integrated_;
  Eigen::MatrixXd jacobian_, real_;
  Eigen::MatrixXcd complex_;
};

/// Counts the evaluations of its force.
struct CountedPendulum : test::Pendulum {
  int* evaluations = nullptr;
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    if (std::is_same_v<T, double>) ++*evaluations;
    test::Pendulum::applied_force(t, q, v, f);
  }
};

RadauOptions fixed(double step) {
  RadauOptions o;
  o.fixed_step = step;
  o.newton_tolerance = 1e-2;  // of a tolerance that is at rounding
  o.max_iterations = 100;
  return o;
}

void run_to(Radau& radau, double t_end) {
  while (radau.time() < t_end) {
    const bool good = radau.step(t_end);
    BOOST_REQUIRE_MESSAGE(good, "t = " << radau.time() << ", failure " << static_cast<int>(radau.failure()) << ", "
                                       << radau.counts().newton_iterations << " iterations");
  }
}

/// Slopes of the errors of twice as many steps each time.
double order_of(const std::vector<double>& errors) {
  return std::log2(errors[errors.size() - 2] / errors.back());
}

/// A slider that is moved, q = t: counts the masses that are asked for off that motion.
struct Carried {
  static constexpr int num_positions = 1;
  static constexpr int num_constraints = 1;
  int* elsewhere = nullptr;
  template <class T>
  void mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    if (std::is_same_v<T, double> && !(abs(q[0] - t) < 1e-9)) ++*elsewhere;
    M(0, 0) = T(1.0);
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = q[0] - t;
  }
};

/// Fixed steps of a DAE form from a consistent start.
class Steps {
 public:
  Steps(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start, const std::string& form)
      : t_(start.t) {
    AttachOptions options;
    options.formulation = form;
    options.rtol = options.atol = 1e-10;
    options.gains.Lambda = Gain();
    binding_ = make_binding(system, start, options, find_formulation(form).equations, "radau");
    stages_ = make_stage_equations(*binding_);
    y_.resize(static_cast<std::size_t>(binding_->formulation().size()));
    yp_ = y_;
    binding_->formulation().pack(start, y_.data(), yp_.data());
  }
  std::size_t size() const { return y_.size(); }
  Radau begin(double step) const { return Radau(*stages_, t_, y_, yp_, fixed(step)); }

 private:
  double t_;
  std::unique_ptr<Binding> binding_;
  std::unique_ptr<StageEquations> stages_;
  std::vector<double> y_, yp_;
};

/// The pendulum in a DAE form with fixed steps from a moving start. @return errors of q, v and lambda at the end
std::vector<double> pendulum_errors(const std::string& formulation, int steps) {
  const auto pendulum = find_mechanism("pendulum").make(0);
  const double begin = 0.2, end = 0.8;
  const mechanisms::ReferenceState from = *pendulum.reference(begin);
  ConsistencyOptions consistency;
  const MotionState start = consistent_state(pendulum.system, {begin, from.q, from.v, {}}, consistency).state;
  const Steps stepping(pendulum.system, start, formulation);
  Radau radau = stepping.begin((end - begin) / steps);
  run_to(radau, end);
  BOOST_TEST(radau.counts().steps == steps);
  const mechanisms::ReferenceState exact = *pendulum.reference(end);
  const double* got = radau.y();
  std::vector<double> errors = {(as_vector(got, 2) - exact.q).lpNorm<Eigen::Infinity>(),
                                (as_vector(got + 2, 2) - exact.v).lpNorm<Eigen::Infinity>()};
  if (stepping.size() > 4) errors.push_back(std::abs(got[4] - exact.lambda[0]));
  return errors;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_tableau_is_the_collocation_method_at_its_nodes) {
  const RadauTableau& r = radau_tableau();
  for (std::size_t i = 0; i < 3; ++i) {
    for (int k = 1; k <= 3; ++k) {  // sum_j a_ij c_j^(k-1) = c_i^k / k
      double sum = 0.0;
      for (std::size_t j = 0; j < 3; ++j) sum += r.A[i][j] * std::pow(r.c[j], k - 1);
      BOOST_TEST(std::abs(sum - std::pow(r.c[i], k) / k) < 1e-15);
    }
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0.0;
      for (std::size_t k = 0; k < 3; ++k) product += r.A[i][k] * r.A_inv[k][j];
      BOOST_TEST(std::abs(product - (i == j ? 1.0 : 0.0)) < 1e-14);
      const Complex pair = r.right_mu[i] * r.mu * r.left_mu[j];
      BOOST_TEST(std::abs(r.right[i] * r.gamma * r.left[j] + 2.0 * pair.real() - r.A_inv[i][j]) < 1e-13);
    }
  }
  for (int k = 1; k <= 5; ++k) {  // quadrature of order 5: the last row
    double sum = 0.0;
    for (std::size_t j = 0; j < 3; ++j) sum += r.A[2][j] * std::pow(r.c[j], k - 1);
    BOOST_TEST(std::abs(sum - 1.0 / k) < 1e-15);
  }
  for (int k = 1; k <= 4; ++k) {  // the estimate vanishes for y = t^k up to k = 3, no further
    double slope = 0.0;
    for (std::size_t j = 0; j < 3; ++j) slope -= r.error[j] * std::pow(r.c[j], k);
    const double defect = slope - (k == 1 ? 1.0 : 0.0);
    BOOST_TEST((k <= 3 ? std::abs(defect) < 1e-14 : std::abs(defect) > 1e-2));
  }
  for (const double s : {0.0, 0.3, 1.0, 1.7}) {  // cubics are interpolated exactly, their slopes too
    const auto L = r.interpolation(s), slope = r.interpolation_slope(s);
    for (int k = 1; k <= 3; ++k) {
      double value = 0.0, rate = 0.0;
      for (std::size_t j = 0; j < 3; ++j) {
        value += L[j] * std::pow(r.c[j], k);
        rate += slope[j] * std::pow(r.c[j], k);
      }
      BOOST_TEST(std::abs(value - std::pow(s, k)) < 1e-13);
      BOOST_TEST(std::abs(rate - k * std::pow(s, k - 1)) < 1e-13);
    }
  }
}

BOOST_AUTO_TEST_CASE(order_five_on_a_smooth_problem_and_four_for_the_dense_output) {
  // y1' = y2, y2' = -sin(t) y1 y2 ...: the elliptic functions sn, cn, dn with k^2 = 0.51, whose invariants are exact
  const double k2 = 0.51;
  Ode equations(
      3,
      [k2](double, const Eigen::VectorXd& y) { return Eigen::Vector3d(y[1] * y[2], -y[0] * y[2], -k2 * y[0] * y[1]); },
      [k2](double, const Eigen::VectorXd& y) {
        Eigen::Matrix3d J;
        J << 0.0, y[2], y[1], -y[2], 0.0, -y[0], -k2 * y[1], -k2 * y[0], 0.0;
        return Eigen::MatrixXd(J);
      });
  const auto solution = [&](int steps, double part) {
    Radau radau(equations, 0.0, {0.0, 1.0, 1.0}, {1.0, 0.0, 0.0}, fixed(2.0 / steps));
    run_to(radau, 2.0);
    Eigen::Vector3d y;
    radau.interpolate(2.0 - (1.0 - part) * 2.0 / steps, y.data());
    return y;
  };
  std::vector<double> at_end;
  for (const int steps : {8, 16, 32}) {
    const Eigen::Vector3d y = solution(steps, 1.0);
    at_end.push_back((y - solution(256, 1.0)).norm());
    BOOST_TEST(std::abs(y[0] * y[0] + y[1] * y[1] - 1.0) < 10.0 * at_end.back() + 1e-13);
  }
  BOOST_TEST(std::abs(order_of(at_end) - 5.0) < 0.3);
  // inside the first step, from exact values: one order more than the polynomial has
  std::vector<double> inside;
  for (const double h : {0.4, 0.2, 0.1}) {
    Radau coarse(equations, 0.0, {0.0, 1.0, 1.0}, {1.0, 0.0, 0.0}, fixed(h));
    BOOST_REQUIRE(coarse.step(10.0));
    Radau fine(equations, 0.0, {0.0, 1.0, 1.0}, {1.0, 0.0, 0.0}, fixed(0.35 * h / 64.0));
    run_to(fine, 0.35 * h);
    Eigen::Vector3d y;
    coarse.interpolate(0.35 * h, y.data());
    inside.push_back((y - as_vector(fine.y(), 3)).norm());
  }
  BOOST_TEST(std::abs(order_of(inside) - 4.0) < 0.4);
}

BOOST_AUTO_TEST_CASE(leaving_out_that_q_is_the_integral_of_v_changes_rounding_only) {
  const auto run = [](int num_integrated) {  // q'' = -10 sin q - 30 v
    Ode equations(
        2, [](double, const Eigen::VectorXd& y) { return Eigen::Vector2d(y[1], -10.0 * std::sin(y[0]) - 30.0 * y[1]); },
        [](double, const Eigen::VectorXd& y) {
          return Eigen::MatrixXd(Eigen::Matrix2d{{0.0, 1.0}, {-10.0 * std::cos(y[0]), -30.0}});
        },
        num_integrated);
    Radau radau(equations, 0.0, {2.0, 3.0}, {3.0, -10.0 * std::sin(2.0) - 90.0}, fixed(0.1));
    run_to(radau, 3.0);
    BOOST_TEST(radau.counts().newton_iterations > 2 * radau.counts().steps);
    return Eigen::Vector3d(radau.y()[0], radau.y()[1], static_cast<double>(radau.counts().newton_iterations));
  };
  BOOST_TEST((run(0) - run(1)).norm() < 1e-13);
}

BOOST_AUTO_TEST_CASE(stiff_components_have_the_stage_order) {
  // Prothero and Robinson: y' = lambda (y - phi) + phi', error O(h^4 / z) with z = lambda h [HairerWanner1996, IV.15]
  const double stiffness = -1e6;
  const auto phi = [](double t) { return std::sin(3.0 * t + 0.5); };
  Ode equations(
      1,
      [=](double t, const Eigen::VectorXd& y) {
        return Eigen::VectorXd::Constant(1, stiffness * (y[0] - phi(t)) + 3.0 * std::cos(3.0 * t + 0.5)).eval();
      },
      [=](double, const Eigen::VectorXd&) { return Eigen::MatrixXd::Constant(1, 1, stiffness).eval(); });
  std::vector<double> errors;
  for (const int steps : {5, 10, 20}) {
    Radau radau(equations, 0.0, {phi(0.0)}, {3.0 * std::cos(0.5)}, fixed(1.0 / steps));
    run_to(radau, 1.0);
    errors.push_back(std::abs(radau.y()[0] - phi(1.0)) * std::abs(stiffness) / steps);  // times z
  }
  BOOST_TEST_MESSAGE(errors[0] << " " << errors[1] << " " << errors[2]);
  BOOST_TEST(std::abs(order_of(errors) - 4.0) < 0.4);
}

BOOST_AUTO_TEST_CASE(dae_forms_have_the_orders_of_their_index) {
  // [HairerLubichRoche1989; HairerWanner1996, VII.4 to VII.6] for s = 3: index 2 differential 2s - 1, algebraic s;
  // index 3 q 2s - 1, v s, lambda s - 1. Stabilised and ODE forms: 5 for q and v.
  const struct {
    const char* formulation;
    double q, v, lambda;
  } forms[] = {// index1: its lambda lets Newton's iteration stop at these steps, it is tested adaptively
               {"index3", 5.0, 3.0, 2.0},
               {"index2", 5.0, 5.0, 3.0},
               {"ggl", 5.0, 5.0, 3.0},
               {"stabilized_index1", 5.0, 5.0, 0.0},
               {"unstabilized", 5.0, 5.0, 0.0}};
  for (const auto& form : forms) {
    BOOST_TEST_CONTEXT(form.formulation) {
      std::vector<double> e[3];
      const int first = form.formulation == std::string("index3") ? 12 : 16;
      for (const int steps : {first, 2 * first}) {
        const std::vector<double> errors = pendulum_errors(form.formulation, steps);
        for (std::size_t k = 0; k < errors.size(); ++k) e[k].push_back(errors[k]);
      }
      BOOST_TEST_MESSAGE(form.formulation << " q " << e[0][0] << " " << e[0][1] << " v " << e[1][0] << " " << e[1][1]);
      BOOST_TEST(order_of(e[0]) > form.q - 0.4);
      BOOST_TEST(order_of(e[1]) > form.v - 0.4);
      if (form.lambda > 0.0) BOOST_TEST(order_of(e[2]) > form.lambda - 0.4);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_adaptive_form_reaches_the_tolerance_with_radau) {
  for (const char* name : {"andrews", "pendulum"}) {
    const auto mechanism = find_mechanism(name).make(0);
    for (const FormulationInfo& form : formulations()) {
      if (form.equations == Equations::one_step || form.for_programs || form.accuracy.altered_motion > 0.0) continue;
      BOOST_TEST_CONTEXT(name << ", " << form.name) {
        double before = 1e300;
        for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
          const Simulation run = simulate(mechanism.system, mechanism.start,
                                          options_of(mechanism, std::string(form.name), "radau", tolerance));
          BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
          const double error = test::end_error(mechanism, run);
          BOOST_TEST_MESSAGE(name << " " << form.name << ", " << tolerance << ": " << error << ", " << run.report.steps
                                  << " steps, " << run.report.nonlinear_iterations << " iterations");
          BOOST_TEST(error < before);
          BOOST_TEST(run.report.nonlinear_iterations >= run.report.steps);
          BOOST_TEST(run.report.jacobian_evaluations > 0);
          BOOST_TEST(run.report.factorizations >= 2 * run.report.jacobian_evaluations);
          before = error;
        }
        BOOST_TEST(before < (form.accuracy.velocities_controlled ? 1e-5 : 1e-3));
      }
    }
  }
}

/// lambda, which the error test leaves out, is no reason to iterate: index 1 needs what the equations without it need.
BOOST_AUTO_TEST_CASE(multipliers_do_not_count_in_newtons_iteration) {
  for (const char* name : {"car_axis", "pendulum"}) {
    const auto mechanism = find_mechanism(name).make(0);
    const auto iterations_a_step = [&](const char* form) {
      const Report report =
          simulate(mechanism.system, mechanism.start, options_of(mechanism, form, "radau", 1e-6)).report;
      return static_cast<double>(report.nonlinear_iterations) / static_cast<double>(report.steps);
    };
    BOOST_TEST(iterations_a_step("index1") < 1.2 * iterations_a_step("baumgarte"));
  }
}

// Three stages an iteration, and error weights, Newton matrix and error estimate together one where a step begins.
BOOST_AUTO_TEST_CASE(the_point_where_a_step_begins_is_evaluated_once) {
  int evaluations = 0;
  CountedPendulum model;
  model.evaluations = &evaluations;
  const auto system = make_system(model);
  const MotionState start = consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, {}).state;
  for (const char* form : {"index3", "index2", "ggl", "stabilized_index1"}) {
    const Steps steps(system, start, form);
    const int before = evaluations;
    Radau radau = steps.begin(0.001);
    run_to(radau, 0.02);
    BOOST_TEST(evaluations - before == 3 * radau.counts().newton_iterations + radau.counts().steps + 1, form);
  }
}

// Applications of IDA may change a parameter before they ask again at the same point.
BOOST_AUTO_TEST_CASE(who_begins_no_step_gets_every_evaluation_anew) {
  int evaluations = 0;
  CountedPendulum model;
  model.evaluations = &evaluations;
  const auto system = make_system(model);
  const MotionState start = consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, {}).state;
  for (const char* form : {"index3", "index2", "ggl", "stabilized_index1"}) {
    AttachOptions options;
    options.formulation = form;
    const auto binding = make_binding(system, start, options, Equations::dae, "radau");
    DaeFormulation& dae = binding->dae();
    std::vector<double> y(static_cast<std::size_t>(dae.size())), yp(y), r(y);
    dae.pack(start, y.data(), yp.data());
    const int before = evaluations;
    BOOST_TEST((dae.residual(0.0, y.data(), yp.data(), r.data()) == EvaluationResult::ok));
    BOOST_TEST((dae.provides().newton->linearize_newton(0.0, y.data(), yp.data()) == EvaluationResult::ok));
    BOOST_TEST((dae.provides().newton->linearize_newton(0.0, y.data(), yp.data()) == EvaluationResult::ok));
    BOOST_TEST(evaluations == before + 3, form);
  }
}

BOOST_AUTO_TEST_CASE(every_point_is_evaluated_at_its_own_time) {
  int elsewhere = 0;
  Carried model;
  model.elsewhere = &elsewhere;
  const auto system = make_system(model);
  const MotionState start = consistent_state(system, {0.0, Eigen::VectorXd::Zero(1), {}}, {}).state;
  for (const char* form : {"index1", "index3", "index2", "ggl", "stabilized_index1"}) {
    const Steps steps(system, start, form);
    elsewhere = 0;
    Radau radau = steps.begin(0.1);
    run_to(radau, 1.0);
    BOOST_TEST(elsewhere == 0, form);
    BOOST_TEST(std::abs(radau.y()[0] - 1.0) < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(published_end_values_of_the_car_axis_and_the_slider_crank) {
  for (const char* name : {"car_axis", "slider_crank"}) {
    const auto mechanism = find_mechanism(name).make(0);
    for (const char* form : {"index3", "index2", "ggl", "index1", "baumgarte"}) {
      BOOST_TEST_CONTEXT(name << ", " << form) {
        const Simulation run = simulate(mechanism.system, mechanism.start, options_of(mechanism, form, "radau", 1e-8));
        BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
        BOOST_TEST_MESSAGE(name << " " << form << " " << test::end_error(mechanism, run));
        BOOST_TEST(test::end_error(mechanism, run) < (form == std::string("index3") ? 1e-5 : 1e-6));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(settings_of_dae_forms_can_be_overridden_and_one_step_forms_are_refused) {
  const auto pendulum = find_mechanism("pendulum").make(0);
  SimulationOptions options = options_of(pendulum, "ggl", "radau", 1e-6);
  options.ida.initial_step = 1e-5;
  options.ida.suppress_algebraic = false;
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  BOOST_TEST(run.trajectory.t(1) <= 1e-5 * 1.001);
  BOOST_TEST(!run.report.used.dae->masked());
  options.ida = {};
  options.formulation = "index3_augmented_lagrangian";
  BOOST_CHECK_THROW(simulate(pendulum.system, pendulum.start, options), Error);
}
