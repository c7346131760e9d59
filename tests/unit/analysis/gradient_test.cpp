// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>

#include "mechanisms/mechanism.hpp"

/// Gradients by the adjoint against forward sensitivities, contracted with the derivatives of the functional, against
/// Richardson differences of runs, and against laws.
using namespace sunlagrange;
using Eigen::Index;
using Eigen::VectorXd;
using mechanisms::Mechanism;

namespace {

const std::vector<std::string> forms_with_adjoint = {"baumgarte", "penalty", "projected", "unstabilized"};

SimulationOptions run_of(const std::string& formulation, double t_end, double tolerance) {
  SimulationOptions options;
  options.formulation = formulation;
  options.t_end = t_end;
  options.rtol = options.atol = tolerance;
  return options;
}

/// All of the state, at the end and on the way, nowhere linear.
struct EndAndWay {
  template <class T>
  T terminal(double, View<const T> q, View<const T> v) const {
    T sum = 0.0;
    for (int i = 0; i < q.size(); ++i) sum += (1.0 + 0.3 * i) * sin(q[i]) + 0.01 * v[i] * v[i];
    return sum;
  }
  template <class T>
  T running(double t, View<const T> q, View<const T> v) const {
    T sum = 0.0;
    for (int i = 0; i < q.size(); ++i) sum += cos(q[i]) * (1.0 + 0.1 * i) + (0.1 + t) * q[i] * v[i];
    return sum;
  }
};

struct EndAlone {
  template <class T>
  T terminal(double t, View<const T> q, View<const T> v) const {
    return EndAndWay().terminal(t, q, v);
  }
};

/// Reactions and accelerations, too.
struct Forces {
  double end = 1.0;
  template <class T>
  T terminal(double, View<const T> q, View<const T>, View<const T> a, View<const T> lambda) const {
    return end * (lambda[0] * lambda[0] * 0.1 + a[a.size() - 1] * q[0]);
  }
  template <class T>
  T running(double, View<const T>, View<const T> v, View<const T> a, View<const T> lambda) const {
    return lambda[lambda.size() - 1] * v[0] + 0.2 * a[0] * a[0];
  }
};

GradientOptions by(const SensitivityOptions& wanted) {
  return {wanted.parameters, wanted.start_positions, wanted.start_velocities, 0};
}

/// J and dJ/dp from forward sensitivities: phi_y s at the end, and Gauss's rule of five points on 40 pieces of the way.
struct ForwardGradient {
  double value = 0.0;
  VectorXd gradient;
};
ForwardGradient forward_gradient(const Mechanism& mechanism, const SimulationOptions& options,
                                 const Functional& functional, SensitivityOptions wanted) {
  const double x[] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640};
  const double w[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                      0.2369268850561891};
  constexpr int pieces = 40;
  const double t0 = mechanism.start.t, half = 0.5 * (options.t_end - t0) / pieces;
  std::vector<double> weights;
  wanted.times.clear();
  for (int piece = 0; piece < pieces && functional.running; ++piece) {
    for (int k = 0; k < 5; ++k) {
      wanted.times.push_back(t0 + half * (2.0 * piece + 1.0 + x[k]));
      weights.push_back(half * w[k]);
    }
  }
  wanted.times.push_back(options.t_end);
  const Sensitivities found = sensitivities(mechanism.system, mechanism.start, options, wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  ForwardGradient result;
  result.gradient = VectorXd::Zero(static_cast<Index>(found.parameters.size()));
  const auto add = [&](const Functional::Function& part, const SensitivityPoint& at, double weight) {
    StateDerivative d{VectorXd::Zero(at.q.rows()), VectorXd::Zero(at.q.rows()), VectorXd::Zero(at.q.rows()),
                      VectorXd::Zero(at.lambda.rows())};
    result.value += weight * part(at.state, &d);
    result.gradient += weight * (at.q.transpose() * d.q + at.v.transpose() * d.v + at.a.transpose() * d.a +
                                 at.lambda.transpose() * d.lambda);
  };
  for (std::size_t k = 0; k < weights.size(); ++k) add(functional.running, found.points[k], weights[k]);
  if (functional.terminal) add(functional.terminal, found.points.back(), 1.0);
  return result;
}

/// Of start values and zeros 1.
double size_of(const SystemParameter& parameter) {
  return parameter.name[1] != '(' && parameter.value != 0.0 ? std::abs(parameter.value) : 1.0;
}

/// Relative to the largest change of J that a parameter makes, in units of its own size.
double distance(const Gradient& found, const VectorXd& expected) {
  double largest = 0.0, error = 0.0;
  for (Index i = 0; i < expected.size(); ++i) {
    const double size = size_of(found.parameters[static_cast<std::size_t>(i)]);
    largest = std::max(largest, size * std::abs(expected[i]));
    error = std::max(error, size * std::abs(found.gradient[i] - expected[i]));
  }
  return error / largest;
}

void check_against_forward(const Mechanism& mechanism, const SensitivityOptions& wanted, double t_end,
                           const std::vector<std::string>& forms, const Functional& functional,
                           double tolerance = 1e-10) {
  for (const std::string& form : forms) {
    BOOST_TEST_CONTEXT(form) {
      const SimulationOptions options = run_of(form, t_end, tolerance);
      const ForwardGradient expected = forward_gradient(mechanism, options, functional, wanted);
      const Gradient found = gradient(mechanism.system, mechanism.start, options, functional, by(wanted));
      BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
      BOOST_TEST(std::abs(found.value - expected.value) < 1e-6 * (1.0 + std::abs(expected.value)));
      BOOST_REQUIRE(found.gradient.size() == expected.gradient.size());
      BOOST_TEST(expected.gradient.norm() > 0.0);
      const double error = distance(found, expected.gradient);
      BOOST_TEST_MESSAGE(form << ": " << error << ", steps " << found.steps << " and " << found.backward_steps);
      BOOST_TEST(error < 1e-6);
    }
  }
}

double value_of_run(const Mechanism& mechanism, const MotionState& start, const std::string& name, double change,
                    double t_end) {
  auto system = mechanism.system;
  InitialState from{start.t, start.q, start.v, mechanism.start.fixed_positions, mechanism.start.fixed_velocities};
  if (name.substr(0, 2) == "q(" || name.substr(0, 2) == "v(") {
    const int j = system->position_indices(name.substr(2, name.size() - 3)).front();
    (name[0] == 'q' ? from.q : from.v)[j] += change;
  } else {
    for (const SystemParameter& parameter : system_parameters(*system)) {
      if (parameter.name == name) system = with_parameters(system, {{name, parameter.value + change}});
    }
  }
  SimulationOptions options = run_of("baumgarte", t_end, 1e-12);
  options.integrator = "fehlberg8";
  options.record = Record::ends_only;
  const Simulation run = simulate(system, from, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), name << ": " << run.status.message);
  const std::size_t last = run.trajectory.size() - 1;
  const VectorXd q = run.trajectory.q(last), v = run.trajectory.v(last);
  const auto view = [](const VectorXd& x) { return View<const double>(x.data(), static_cast<int>(x.size())); };
  return EndAlone().terminal(t_end, view(q), view(v));
}

}  // namespace

/// Of a start beside the constraints the values are those of the state that the motion begins with.
BOOST_AUTO_TEST_CASE(start_values_are_those_of_the_consistent_start) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  InitialState start = pendulum.start;
  start.q *= 1.1;
  start.v = VectorXd::Constant(2, 0.3);
  const MotionState from = consistent_state(pendulum.system, start).state;
  BOOST_REQUIRE((from.q - start.q).norm() > 1e-2);
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L"};
  wanted.start_positions = {"bob[1]"};
  wanted.start_velocities = {"bob[1]", "bob[0]"};
  const auto check = [&](const std::vector<SystemParameter>& parameters) {
    BOOST_REQUIRE(parameters.size() == 4U);
    BOOST_TEST(std::abs(parameters[1].value - from.q[1]) < 1e-12);
    BOOST_TEST(std::abs(parameters[2].value - from.v[1]) < 1e-12);
    BOOST_TEST(std::abs(parameters[3].value - from.v[0]) < 1e-12);
  };
  const SimulationOptions options = run_of("baumgarte", 0.1, 1e-8);
  check(gradient(pendulum.system, start, options, make_functional(EndAlone()), by(wanted)).parameters);
  check(sensitivities(pendulum.system, start, options, wanted).parameters);
}

BOOST_AUTO_TEST_CASE(as_forward_pendulum) {
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L", "mass.m", "weight.gy", "rod.ground_y", "rod.ground_x"};
  wanted.start_positions = {"bob[0]", "bob[1]"};
  wanted.start_velocities = {"bob[1]"};
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  check_against_forward(pendulum, wanted, 2.0, forms_with_adjoint, make_functional(EndAndWay()));
  check_against_forward(pendulum, wanted, 2.0, forms_with_adjoint, make_functional(EndAlone()));
  check_against_forward(pendulum, wanted, 2.0, {"baumgarte", "projected", "unstabilized"}, make_functional(Forces()));
  check_against_forward(pendulum, wanted, 2.0, {"baumgarte", "projected"}, make_functional(Forces{0.0}), 1e-11);
}

/// A slider-crank of bodies with the circuit that drives it: charges beside metres, a stiff circuit.
BOOST_AUTO_TEST_CASE(as_forward_slider_crank) {
  SensitivityOptions wanted;
  wanted.parameters = {"crank body.m", "rod body.I", "L1.inertia",    "R2.R",
                       "gear.offset",  "friction.c", "battery.e.mean"};
  const Mechanism crank = mechanisms::find_mechanism("dc_motor_slider_crank").make(0);
  check_against_forward(crank, wanted, 0.2, forms_with_adjoint, make_functional(EndAndWay()));
}

BOOST_AUTO_TEST_CASE(as_forward_andrews) {
  SensitivityOptions wanted;
  wanted.parameters = {"model.c0", "model.torque", "model.m3", "model.ss", "model.xa"};
  wanted.start_velocities = {"beta"};
  check_against_forward(mechanisms::find_mechanism("andrews").make(0), wanted, 0.01, forms_with_adjoint,
                        make_functional(EndAndWay()));
}

/// In space, with permanently redundant rows.
BOOST_AUTO_TEST_CASE(as_forward_bricard) {
  const Mechanism bars = mechanisms::find_mechanism("bricard").make(0);
  SensitivityOptions wanted;
  for (const SystemParameter& parameter : system_parameters(*bars.system)) {
    if (wanted.parameters.size() < 4U && parameter.unit == "kg") wanted.parameters.push_back(parameter.name);
  }
  BOOST_REQUIRE(wanted.parameters.size() == 4U);
  check_against_forward(bars, wanted, 0.5, forms_with_adjoint, make_functional(EndAndWay()));
}

/// A parallelogram whose rods are doubled, by their common ground points and masses.
BOOST_AUTO_TEST_CASE(as_forward_redundant_four_bar) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_point);
  const Block b = assembly.add_coordinates("b", BlockKind::planar_point);
  assembly.add("mass_a", PointMass{1.0}, {a});
  assembly.add("mass_b", PointMass{2.0}, {b});
  assembly.add("weight_a", UniformGravity{1.0}, {a});
  assembly.add("weight_b", UniformGravity{2.0}, {b});
  assembly.add("left", DistanceToGround{0.0, 0.0, 1.0}, {a});
  assembly.add("left_twin", DistanceToGround{0.0, 0.0, 1.0}, {a});
  assembly.add("right", DistanceToGround{2.0, 0.0, 1.5}, {b});
  assembly.add("coupler", Distance{std::hypot(1.1, 0.2)}, {a, b});
  Mechanism four_bar;
  four_bar.system = assembly.build();
  four_bar.start.q = Eigen::Vector4d(0.6, 0.8, 1.7, 1.0);
  SensitivityOptions wanted;
  wanted.parameters = {"mass_a.m", "mass_b.m", "weight_b.gy", "right.L", "coupler.L"};
  wanted.start_velocities = {"b.x"};
  check_against_forward(four_bar, wanted, 0.7, forms_with_adjoint, make_functional(EndAndWay()));
}

/// Rows of both kinds that move, and a blade.
BOOST_AUTO_TEST_CASE(as_forward_nonholonomic) {
  const Mechanism plate = mechanisms::find_mechanism("extended_particle").make(0);
  SensitivityOptions wanted;
  wanted.start_positions = {plate.system->position_name(0)};
  wanted.start_velocities = {plate.system->position_name(0), plate.system->position_name(1)};
  check_against_forward(plate, wanted, 1.0, forms_with_adjoint, make_functional(EndAndWay()));
  const Mechanism sleigh = mechanisms::find_mechanism("chaplygin_sleigh").make(0);
  for (const SystemParameter& parameter : system_parameters(*sleigh.system))
    wanted.parameters.push_back(parameter.name);
  wanted.start_positions = {sleigh.system->position_name(2)};
  wanted.start_velocities = {sleigh.system->position_name(0), sleigh.system->position_name(1)};
  check_against_forward(sleigh, wanted, 1.0, forms_with_adjoint, make_functional(EndAndWay()));
}

BOOST_AUTO_TEST_CASE(as_forward_full_gains) {
  const Mechanism arm = mechanisms::find_mechanism("two_link").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"model.l", "model.m", "model.speed", "model.x0"};
  SimulationOptions options = run_of("baumgarte", 0.3, 1e-10);
  Eigen::Matrix2d K_D, K_P;
  K_D << 20.0, 6.0, 6.0, 30.0;
  K_P << 200.0, 40.0, 40.0, 300.0;
  options.gains.K_D = Gain(Eigen::MatrixXd(K_D));
  options.gains.K_P = Gain(Eigen::MatrixXd(K_P));
  const Functional functional = make_functional(EndAndWay());
  const Gradient found = gradient(arm.system, arm.start, options, functional, by(wanted));
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(distance(found, forward_gradient(arm, options, functional, wanted).gradient) < 1e-6);
  check_against_forward(arm, wanted, 0.3, forms_with_adjoint, functional);
}

BOOST_AUTO_TEST_CASE(as_richardson_differences) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  GradientOptions wanted;
  wanted.parameters = {"rod.L", "weight.gy", "rod.ground_y"};
  wanted.start_positions = {"bob[0]"};
  wanted.start_velocities = {"bob[1]"};
  MotionState start = consistent_state(pendulum.system, pendulum.start, {}).state;
  VectorXd expected(5);
  const char* names[] = {"rod.L", "weight.gy", "rod.ground_y", "q(bob[0])", "v(bob[1])"};
  for (int i = 0; i < 5; ++i) {
    const double h = i == 1 ? 0.05 : 0.01;
    const auto central = [&](double step) {
      return (value_of_run(pendulum, start, names[i], step, 2.0) -
              value_of_run(pendulum, start, names[i], -step, 2.0)) /
             (2.0 * step);
    };
    expected[i] = (4.0 * central(0.5 * h) - central(h)) / 3.0;
  }
  for (const std::string& form : forms_with_adjoint) {
    const Gradient found =
        gradient(pendulum.system, pendulum.start, run_of(form, 2.0, 1e-10), make_functional(EndAlone()), wanted);
    BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
    BOOST_TEST_CONTEXT(form) {
      BOOST_TEST(distance(found, expected) < 1e-6, found.gradient.transpose() << " and " << expected.transpose());
    }
  }
}

/// The integral of a velocity is what the coordinate has moved.
BOOST_AUTO_TEST_CASE(integrals_of_rates) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L", "weight.gy"};
  wanted.start_velocities = {"bob[1]"};
  const auto& system = *pendulum.system;
  for (const std::string& form : forms_with_adjoint) {
    const SimulationOptions options = run_of(form, 2.0, 1e-10);
    const auto of = [&](const char* words) {
      const Gradient found =
          gradient(pendulum.system, pendulum.start, options, named_functional(system, words, 2.0), by(wanted));
      BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
      return found;
    };
    const Gradient moved = of("integral bob[0]'"), mean = of("mean bob[0]'"), end = of("final bob[0]");
    wanted.times = {0.0};
    const Sensitivities start = sensitivities(pendulum.system, pendulum.start, options, wanted);
    BOOST_TEST_CONTEXT(form) {
      const VectorXd expected = end.gradient - start.points[0].q.row(0).transpose();
      BOOST_TEST(std::abs(moved.value - (end.value - start.points[0].state.q[0])) < 1e-8);
      BOOST_TEST((moved.gradient - expected).norm() < 1e-6 * expected.norm());
      BOOST_TEST((2.0 * mean.gradient - moved.gradient).norm() < 1e-8 * expected.norm());
      const Gradient square = of("final square bob[0]"), accelerated = of("integral bob[0]''"),
                     rate = of("final bob[0]'");
      BOOST_TEST((square.gradient - 2.0 * end.value * end.gradient).norm() < 1e-8 * square.gradient.norm());
      const VectorXd gained = rate.gradient - start.points[0].v.row(0).transpose();
      BOOST_TEST((accelerated.gradient - gained).norm() < 1e-6 * gained.norm());
    }
  }
}

/// What is integrated twice is the same motion.
BOOST_AUTO_TEST_CASE(checkpoints_change_nothing) {
  for (const char* name : {"pendulum", "andrews", "bricard"}) {
    const Mechanism mechanism = mechanisms::find_mechanism(name).make(0);
    GradientOptions wanted;
    wanted.parameters = {system_parameters(*mechanism.system).front().name};
    const Functional functional = make_functional(EndAndWay());
    for (const std::string& form : {std::string("baumgarte"), std::string("projected")}) {
      const auto with = [&](int interval, const std::string& integrator) {
        SimulationOptions options = run_of(form, name == std::string("andrews") ? 0.01 : 1.0, 1e-8);
        options.integrator = integrator;
        wanted.checkpoint_interval = interval;
        const Gradient found = gradient(mechanism.system, mechanism.start, options, functional, wanted);
        BOOST_REQUIRE_MESSAGE(found.status.finished(), name << ", " << form << ": " << found.status.message);
        return found;
      };
      for (const std::string& integrator : {std::string("cvode_bdf"), std::string("cvode_adams")}) {
        if (form == "projected" && integrator == "cvode_adams") continue;
        BOOST_TEST_CONTEXT(name << ", " << form << ", " << integrator) {
          const Gradient whole = with(0, integrator);
          BOOST_TEST(whole.checkpoints == 0);
          for (const int interval : {10, 37}) {
            const Gradient pieces = with(interval, integrator);
            BOOST_TEST(pieces.checkpoints == pieces.steps / interval);
            BOOST_TEST(pieces.value == whole.value, boost::test_tools::tolerance(1e-5));
            BOOST_TEST((pieces.gradient - whole.gradient).norm() < 1e-5 * whole.gradient.norm());
          }
        }
      }
    }
  }
}

/// Of the same steps, without a way back.
BOOST_AUTO_TEST_CASE(the_value_alone) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L"};
  const Functional functional = make_functional(EndAndWay());
  for (const std::string& form : forms_with_adjoint) {
    const SimulationOptions options = run_of(form, 2.0, 1e-8);
    const Gradient both = gradient(pendulum.system, pendulum.start, options, functional, by(wanted));
    const Gradient alone = functional_value(pendulum.system, pendulum.start, options, functional);
    BOOST_TEST_CONTEXT(form) {
      BOOST_REQUIRE_MESSAGE(alone.status.finished(), alone.status.message);
      BOOST_TEST(alone.value == both.value);
      BOOST_TEST((alone.end.q == both.end.q));
      BOOST_TEST(alone.steps == both.steps);
      BOOST_TEST(alone.gradient.size() == 0);
      BOOST_TEST(alone.backward_steps == 0);
      BOOST_TEST(alone.adjoint_evaluations == 0);
    }
  }
  BOOST_CHECK_THROW(functional_value(pendulum.system, pendulum.start, run_of("baumgarte", 1.0, 1e-8), {}), Error);
}

BOOST_AUTO_TEST_CASE(adams_as_bdf) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L", "weight.gy"};
  const Functional functional = make_functional(EndAndWay());
  SimulationOptions options = run_of("baumgarte", 2.0, 1e-10);
  const ForwardGradient expected = forward_gradient(pendulum, options, functional, wanted);
  options.integrator = "cvode_adams";
  const Gradient found = gradient(pendulum.system, pendulum.start, options, functional, by(wanted));
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(distance(found, expected.gradient) < 1e-6);
}

/// Many parameters: the work does not grow with them, but for their explicit derivatives.
BOOST_AUTO_TEST_CASE(work_for_many_parameters) {
  const Mechanism chain = mechanisms::find_mechanism("chain").make(20);
  GradientOptions wanted;
  for (const SystemParameter& parameter : system_parameters(*chain.system)) wanted.parameters.push_back(parameter.name);
  BOOST_REQUIRE(wanted.parameters.size() > 60U);
  const Functional functional = named_functional(*chain.system, "final " + chain.system->position_name(57), 0.5);
  const SimulationOptions options = run_of("baumgarte", 0.5, 1e-6);
  const Gradient all = gradient(chain.system, chain.start, options, functional, wanted);
  BOOST_REQUIRE_MESSAGE(all.status.finished(), all.status.message);
  wanted.parameters.resize(1);
  const Gradient one = gradient(chain.system, chain.start, options, functional, wanted);
  BOOST_REQUIRE_MESSAGE(one.status.finished(), one.status.message);
  BOOST_TEST_MESSAGE(all.parameters.size() << " parameters: " << all.rhs_evaluations << " there, " << all.linearisations
                                           << " back, " << all.adjoint_evaluations);
  BOOST_TEST(all.rhs_evaluations == one.rhs_evaluations);
  BOOST_TEST(all.linearisations < 2 * one.linearisations);
  BOOST_TEST(all.linearisations < 5 * all.rhs_evaluations);
  BOOST_TEST(all.gradient[0] == one.gradient[0], boost::test_tools::tolerance(1e-3));
}

/// Two rods between the same points: one alone cannot become longer.
BOOST_AUTO_TEST_CASE(rows_that_would_contradict_have_no_gradient) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  assembly.add("twin", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  const auto system = assembly.build();
  InitialState start;
  start.q = Eigen::Vector2d(1.0, 0.0);
  GradientOptions wanted;
  wanted.parameters = {"weight.gy", "rod.L"};
  const Gradient found =
      gradient(system, start, run_of("baumgarte", 1.0, 1e-8), named_functional(*system, "final bob.x", 1.0), wanted);
  BOOST_TEST((found.status.outcome == Outcome::infeasible));
  BOOST_TEST(found.status.message.find("\"rod.L\"") != std::string::npos, found.status.message);
  BOOST_TEST(found.gradient.size() == 0);
}

BOOST_AUTO_TEST_CASE(what_gradient_refuses) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  Functional functional = named_functional(*pendulum.system, "final bob[0]", 1.0);
  const auto refused = [&](const SimulationOptions& options, const GradientOptions& wanted, const std::string& part) {
    BOOST_CHECK_EXCEPTION(gradient(pendulum.system, pendulum.start, options, functional, wanted), Error,
                          [&](const Error& e) {
                            BOOST_TEST_MESSAGE(e.what());
                            return std::string(e.what()).find(part) != std::string::npos;
                          });
  };
  SimulationOptions options;
  GradientOptions wanted;
  refused(options, wanted, "name what to differentiate by");
  wanted.parameters = {"rod.l"};
  refused(options, wanted, "rod.L");
  wanted.parameters = {"rod.L", "rod.L"};
  refused(options, wanted, "twice");
  wanted.parameters = {"rod.L"};
  wanted.checkpoint_interval = -1;
  refused(options, wanted, "checkpoint_interval = -1");
  wanted.checkpoint_interval = 0;
  wanted.start_positions = {"bob"};
  refused(options, wanted, "several coordinates");
  wanted.start_positions.clear();
  options.integrator = "dopri5";
  refused(options, wanted, "cvode_adams");
  options.integrator = "automatic";
  options.formulation = "augmented_lagrangian";
  refused(options, wanted, "no adjoint equations");
  options.formulation = "ggl";
  refused(options, wanted, "ODE forms");
  options.formulation = "baumgarte";
  options.events = {{}};
  refused(options, wanted, "");
  options.events.clear();
  functional = {};
  refused(options, wanted, "neither terminal nor running");
  BOOST_CHECK_THROW(gradient(nullptr, pendulum.start, options, functional, wanted), Error);

  const auto no_words = [&](const char* words, const std::string& part) {
    BOOST_CHECK_EXCEPTION(named_functional(*pendulum.system, words, 1.0), Error, [&](const Error& e) {
      BOOST_TEST_MESSAGE(e.what());
      return std::string(e.what()).find(part) != std::string::npos;
    });
  };
  no_words("bob[0]", "begin with final");
  no_words("final bob[7]", "bob[");
  BOOST_CHECK_THROW(named_functional(*pendulum.system, "mean bob[0]", 0.0), Error);
}

/// Both ways end like a run.
BOOST_AUTO_TEST_CASE(gradient_ends_like_a_run) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  const Functional functional = named_functional(*pendulum.system, "final bob[0]", 1.0);
  GradientOptions wanted;
  wanted.parameters = {"rod.L"};
  SimulationOptions options = run_of("baumgarte", 5.0, 1e-8);
  options.max_steps = 10;
  Gradient found = gradient(pendulum.system, pendulum.start, options, functional, wanted);
  BOOST_TEST((found.status.outcome == Outcome::step_limit));
  BOOST_TEST(found.gradient.size() == 0);
  options.max_steps = 1000000;
  const Gradient whole = gradient(pendulum.system, pendulum.start, options, functional, wanted);
  BOOST_TEST_REQUIRE(whole.backward_steps > whole.steps);  // with tighter tolerances
  options.max_steps = (whole.steps + whole.backward_steps) / 2;
  wanted.checkpoint_interval = 10;  // each stretch between checkpoints is short
  found = gradient(pendulum.system, pendulum.start, options, functional, wanted);
  BOOST_TEST((found.status.outcome == Outcome::step_limit), found.status.message);
  BOOST_TEST(found.status.message.find("backward integration") != std::string::npos, found.status.message);
  options.max_steps = 1000000;
  options.keep_going = [](double t) { return t < 1.0; };
  found = gradient(pendulum.system, pendulum.start, options, functional, wanted);
  BOOST_TEST((found.status.outcome == Outcome::interrupted));
  double last = 0.0;
  options.keep_going = [&](double t) {
    const bool go = t >= last || t > 2.0;
    last = t;
    return go;
  };
  found = gradient(pendulum.system, pendulum.start, options, functional, wanted);
  BOOST_TEST((found.status.outcome == Outcome::interrupted));
  BOOST_TEST(found.status.message.find("backward integration") != std::string::npos, found.status.message);
  BOOST_TEST(found.steps > 0);
  BOOST_TEST(found.gradient.size() == 0);
}

/// What a functional throws reaches the caller as a status, on both ways.
BOOST_AUTO_TEST_CASE(functionals_that_throw) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  GradientOptions wanted;
  wanted.parameters = {"rod.L"};
  for (const bool on_the_way_back : {false, true}) {
    Functional functional;
    functional.running = [=](const MotionState& at, StateDerivative* derivative) -> double {
      if (at.t > 0.3 && at.t < 0.6 && (derivative != nullptr) == on_the_way_back) throw std::runtime_error("not here");
      if (derivative != nullptr) derivative->q[0] = 1.0;
      return at.q[0];
    };
    const Gradient found =
        gradient(pendulum.system, pendulum.start, run_of("baumgarte", 1.0, 1e-8), functional, wanted);
    BOOST_TEST((found.status.outcome == Outcome::model_error));
    BOOST_TEST(found.status.message.find("not here") != std::string::npos, found.status.message);
    BOOST_TEST(found.gradient.size() == 0);
  }
}
