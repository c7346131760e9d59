// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>

#include "mechanisms/mechanism.hpp"

/// Identification against linear regression, and against what its own covariance says about many repetitions.
using namespace sunlagrange;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using mechanisms::Mechanism;

namespace {

struct Oscillator {
  double m = 2.0, k = 50.0, d = 0.3, unused = 1.0;
  static constexpr int num_positions = 1;
  void describe_parameters(Parameters& p) {
    p.positive("m", m, "kg", "mass");
    p.not_negative("k", k, "N/m", "stiffness");
    p.not_negative("d", d, "N s/m", "damping");
    p.finite("unused", unused, "1", "nobody reads it");
  }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = m;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = -k * q[0] - d * v[0];
  }
  std::vector<std::string> position_names() const { return {"x"}; }
};

std::vector<double> times_up_to(double end, int count) {
  std::vector<double> t;
  for (int k = 1; k <= count; ++k) t.push_back(end * k / count);
  return t;
}

/// What is measured of the motion, without noise.
std::vector<Measurement> measure(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                                 const SimulationOptions& options, const std::vector<std::string>& outputs,
                                 const std::vector<double>& times, double deviation) {
  SimulationOptions exact = options;
  exact.formulation = "projected";
  exact.rtol = exact.atol = 1e-11;
  exact.t_end = times.back();
  Stepper stepper(system, start, exact);
  std::vector<Measurement> list;
  for (const std::string& output : outputs) list.push_back({output, times, {}, deviation});
  for (const double t : times) {
    BOOST_REQUIRE(stepper.advance_to(t));
    for (Measurement& m : list) m.values.push_back(stepper.read(m.output));
  }
  return list;
}

void add_noise(std::vector<Measurement>& measurements, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (Measurement& m : measurements) {
    for (double& value : m.values) value += m.deviation * normal(random);
  }
}

SimulationOptions options_at(double tolerance) {
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.rtol = options.atol = tolerance;
  return options;
}

/// (chi_square / k)^(1/3) is nearly normal (Wilson and Hilferty): how many deviations it is off.
double deviations_off(double chi_square, double k) {
  return (std::cbrt(chi_square / k) - 1.0 + 2.0 / (9.0 * k)) / std::sqrt(2.0 / (9.0 * k));
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

/// x(t) = x0 + v0 t: least squares are linear regression, with a covariance that stands in every book.
BOOST_AUTO_TEST_CASE(a_straight_line) {
  const auto system = make_system([] {
    Oscillator free;
    free.k = free.d = 0.0;
    return free;
  }());
  const InitialState start{0.0, VectorXd::Constant(1, 0.3), VectorXd::Constant(1, -0.2)};
  std::vector<Measurement> data = measure(system, start, options_at(1e-10), {"x"}, times_up_to(2.0, 15), 1e-2);
  add_noise(data, 5);
  IdentificationOptions wanted;
  wanted.start_positions = wanted.start_velocities = {"x"};
  const Identification found =
      identify(system, {0.0, VectorXd::Zero(1), VectorXd::Zero(1)}, data, options_at(1e-10), wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  MatrixXd A(15, 2);
  A.col(0).setOnes();
  A.col(1) = VectorXd::Map(data[0].t.data(), 15);
  const MatrixXd covariance = 1e-4 * (A.transpose() * A).inverse();
  const VectorXd line = covariance * 1e4 * A.transpose() * VectorXd::Map(data[0].values.data(), 15);
  BOOST_TEST(std::abs(found.parameters[0].value - line[0]) < 1e-7);
  BOOST_TEST(std::abs(found.parameters[1].value - line[1]) < 1e-7);
  BOOST_TEST((found.covariance - covariance).norm() < 1e-7 * covariance.norm());
  BOOST_TEST(found.chi_square == 1e4 * (A * line - VectorXd::Map(data[0].values.data(), 15)).squaredNorm(),
             boost::test_tools::tolerance(1e-6));
  BOOST_TEST(found.degrees_of_freedom == 13);
  BOOST_TEST(found.start.q[0] == found.parameters[0].value);
  SimulationOptions recording = options_at(1e-10);  // of a longer run
  recording.record = Record::at_times;
  recording.record_times = {1.0, 10.0};
  BOOST_TEST(identify(system, start, data, recording, wanted).parameters[0].value == line[0],
             boost::test_tools::tolerance(1e-5));

  // Of unknown noise the ratios count: twice the deviations change nothing but the factor.
  wanted.deviations_known = false;
  const Identification once = identify(system, start, data, options_at(1e-10), wanted);
  data[0].deviation *= 2.0;
  const Identification twice = identify(system, start, data, options_at(1e-10), wanted);
  BOOST_TEST((once.covariance - twice.covariance).norm() < 1e-6 * once.covariance.norm());
  BOOST_TEST(once.noise_factor == 2.0 * twice.noise_factor, boost::test_tools::tolerance(1e-6));
}

/// Two values for two unknowns are met, whatever the noise: nothing tells it.
BOOST_AUTO_TEST_CASE(as_many_values_as_unknowns) {
  const auto system = make_system(Oscillator{});
  const InitialState start{0.0, VectorXd::Constant(1, 0.1)};
  const SimulationOptions options = options_at(1e-8);
  const std::vector<Measurement> data = measure(system, start, options, {"x"}, {0.3, 1.0}, 1e-3);
  IdentificationOptions wanted;
  wanted.parameters = {"model.k", "model.d"};
  const auto guessed = with_parameters(system, {{"model.k", 48.0}});
  const Identification known = identify(guessed, start, data, options, wanted);
  BOOST_REQUIRE_MESSAGE(known.status.finished(), known.status.message);
  BOOST_TEST(known.degrees_of_freedom == 0);
  BOOST_TEST(known.misfit == "");
  BOOST_TEST(known.deviation.allFinite());
  BOOST_TEST(known.deviation.minCoeff() > 0.0);
  BOOST_TEST(std::isnan(known.noise_factor));

  wanted.deviations_known = false;
  const Identification found = identify(guessed, start, data, options, wanted);
  BOOST_TEST(found.status.finished());
  BOOST_TEST(std::abs(found.parameters[0].value - 50.0) < 1e-3);
  BOOST_TEST(found.deviation.array().isInf().all());
  BOOST_TEST(found.covariance.array().isNaN().all());
  BOOST_TEST(mentions(found.misfit, "measure more values"), found.misfit);
}

/// Andrews' mechanism: stiffness, torque and inertia from 20 noisy measurements of three angles. The estimates scatter
/// as their covariance says, and so does what is left over.
BOOST_AUTO_TEST_CASE(andrews) {
  const Mechanism mechanism = mechanisms::find_mechanism("andrews").make(0);
  InitialState start = mechanism.start;
  start.fixed_positions = {"beta"};
  const SimulationOptions options = options_at(1e-8);
  const std::vector<Measurement> exact =
      measure(mechanism.system, start, options, {"beta", "gamma", "delta'"}, times_up_to(0.02, 40), 1e-3);
  const std::vector<std::pair<std::string, double>> guesses = {
      {"model.c0", 3800.0}, {"model.torque", 0.036}, {"model.I5", 1.4e-5}};
  VectorXd truth(3);
  truth << 4530.0, 0.033, 1.169e-5;
  IdentificationOptions wanted;
  for (const auto& guess : guesses) wanted.parameters.push_back(guess.first);
  const auto guessed = with_parameters(mechanism.system, guesses);

  const Identification without_noise = identify(guessed, start, exact, options, wanted);
  BOOST_REQUIRE_MESSAGE(without_noise.status.finished(), without_noise.status.message);
  for (Index i = 0; i < 3; ++i) {
    const double value = without_noise.parameters[static_cast<std::size_t>(i)].value;
    BOOST_TEST(std::abs(value / truth[i] - 1.0) < 1e-5, value);
  }
  BOOST_TEST(mentions(without_noise.misfit, "only"), without_noise.misfit);

  double distance = 0.0, left_over = 0.0, freedoms = 0.0;
  constexpr unsigned repetitions = 20;
  for (unsigned seed = 1; seed <= repetitions; ++seed) {
    std::vector<Measurement> noisy = exact;
    add_noise(noisy, seed);
    const Identification found = identify(guessed, start, noisy, options, wanted);
    BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
    BOOST_TEST(found.misfit == "");
    VectorXd error(3);
    for (Index i = 0; i < 3; ++i) error[i] = found.parameters[static_cast<std::size_t>(i)].value - truth[i];
    distance += error.dot(found.covariance.llt().solve(error));
    left_over += found.chi_square;
    freedoms += found.degrees_of_freedom;
  }
  BOOST_TEST_MESSAGE("estimates " << deviations_off(distance, 3.0 * repetitions) << ", residuals "
                                  << deviations_off(left_over, freedoms) << " deviations off");
  BOOST_TEST(std::abs(deviations_off(distance, 3.0 * repetitions)) < 4.0);
  BOOST_TEST(std::abs(deviations_off(left_over, freedoms)) < 4.0);

  // The bound of Cramer and Rao falls with the noise, and with the number of measurements.
  const auto deviation_of = [&](const std::vector<Measurement>& data) {
    return identify(mechanism.system, start, data, options, wanted).deviation;
  };
  std::vector<Measurement> coarser = exact;
  for (Measurement& m : coarser) m.deviation *= 10.0;
  const VectorXd bound = deviation_of(exact);
  BOOST_TEST((deviation_of(coarser) - 10.0 * bound).norm() < 1e-4 * 10.0 * bound.norm());
  std::vector<Measurement> doubled = exact;
  doubled.insert(doubled.end(), exact.begin(), exact.end());
  BOOST_TEST((deviation_of(doubled) - bound / std::sqrt(2.0)).norm() < 1e-4 * bound.norm());
}

/// A free oscillation tells k / m and d / m, and nothing of what nobody reads.
BOOST_AUTO_TEST_CASE(confounded_parameters) {
  const auto system = make_system(Oscillator{});
  const InitialState start{0.0, VectorXd::Constant(1, 0.1)};
  const SimulationOptions options = options_at(1e-8);
  std::vector<Measurement> data = measure(system, start, options, {"x"}, times_up_to(4.0, 80), 1e-4);
  add_noise(data, 3);
  IdentificationOptions wanted;
  wanted.parameters = {"model.m", "model.unused", "model.k", "model.d"};
  const auto guessed = with_parameters(system, {{"model.k", 47.0}});
  const Identification found = identify(guessed, start, data, options, wanted);
  BOOST_TEST((found.status.outcome == Outcome::rank_loss));
  BOOST_TEST(mentions(found.status.message, "\"model.m\", \"model.k\", \"model.d\" cannot be distinguished"));
  BOOST_TEST(mentions(found.status.message, "\"model.unused\" has no influence"));
  BOOST_REQUIRE(found.confounded.size() == 2U);
  BOOST_TEST((found.confounded[0].directions - MatrixXd::Ones(3, 1)).norm() < 1e-4);  // all by the same factor
  BOOST_TEST(found.confounded[1].parameters.front() == "model.unused");
  BOOST_TEST(std::isinf(found.deviation[0]));
  BOOST_TEST(found.parameters[1].value == found.guess[1]);  // without influence: the guess is kept
  const double m = found.parameters[0].value, k = found.parameters[2].value, d = found.parameters[3].value;
  BOOST_TEST(std::abs(k / m - 25.0) < 0.05);  // what is determined was found
  BOOST_TEST(std::abs(d / m - 0.15) < 0.01);

  wanted.parameters = {"model.k", "model.d"};
  const Identification known_mass = identify(guessed, start, data, options, wanted);
  BOOST_TEST(known_mass.status.finished(), known_mass.status.message);
  BOOST_TEST(known_mass.misfit == "");
  BOOST_TEST(std::abs(known_mass.parameters[0].value - 50.0) < 5.0 * known_mass.deviation[0]);
  BOOST_TEST(std::abs(known_mass.parameters[1].value - 0.3) < 5.0 * known_mass.deviation[1]);

  wanted.parameters = {"model.d"};  // with the wrong stiffness no damping explains the motion
  const Identification wrong = identify(guessed, start, data, options, wanted);
  BOOST_TEST(mentions(wrong.misfit, "times the stated noise"), wrong.misfit);

  wanted.deviations_known = false;  // what explains nothing is a misfit without them, too
  const auto far_off = with_parameters(system, {{"model.k", 400.0}});
  const Identification nothing = identify(far_off, start, data, options, wanted);
  BOOST_TEST(mentions(nothing.misfit, "values about their mean"), nothing.misfit);
  wanted.parameters = {"model.k", "model.d"};
  BOOST_TEST(identify(guessed, start, data, options, wanted).misfit == "");
  // neither is a sensor that says always the same explained, nor does one that is right hide one that is not
  std::vector<Measurement> stuck = data;
  for (Measurement& sensor : stuck) std::fill(sensor.values.begin(), sensor.values.end(), 0.25);
  wanted.parameters = {"model.k"};
  const Identification constant = identify(guessed, start, stuck, options, wanted);
  BOOST_TEST(mentions(constant.misfit, "are equal"), constant.misfit << constant.status.message);
  wanted.parameters = {"model.k", "model.d"};
  std::vector<Measurement> with_another = data;
  Measurement shifted = data.front();
  for (double& value : shifted.values) value = 0.003 + 0.01 * value;
  with_another.push_back(shifted);
  const Identification hidden = identify(guessed, start, with_another, options, wanted);
  BOOST_TEST(mentions(hidden.misfit, "values about their mean"), hidden.misfit);
}

/// A sensor of what a constraint holds is explained by it, with and without noise.
BOOST_AUTO_TEST_CASE(what_a_constraint_holds_is_no_misfit) {
  Assembly assembly;
  const Block body = assembly.add_coordinates("body", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{1.0, 1.0}, {body});
  assembly.add("guide", PrismaticToGround{}, {body});
  assembly.add("spring", AxialSpringToGround{10.0}, {coordinate_of(body, 0)});
  const auto system = assembly.build();
  const InitialState start{0.0, Eigen::Vector3d(0.3, 0.0, 0.0), {}};
  const SimulationOptions options = options_at(1e-7);
  IdentificationOptions wanted;
  wanted.parameters = {"spring.k"};
  wanted.deviations_known = false;
  for (const double noise : {0.0, 1e-3}) {
    std::vector<Measurement> data = measure(system, start, options, {"body.x", "body.y"}, times_up_to(3.0, 60), 1e-3);
    for (Measurement& m : data) m.deviation = noise;
    add_noise(data, 5);
    for (Measurement& m : data) m.deviation = 1.0;
    const Identification found = identify(with_parameters(system, {{"spring.k", 9.0}}), start, data, options, wanted);
    BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
    BOOST_TEST(std::abs(found.parameters[0].value - 10.0) < 1e-4 + 50.0 * noise);
    BOOST_TEST(found.misfit == "", "noise " << noise << ": " << found.misfit);
  }
}

/// However small outputs are: a tolerance of 1e-6 is one of 1e-9 C, for charges count in millicoulombs.
BOOST_AUTO_TEST_CASE(noise_about_a_constant_is_no_fit_of_a_small_charge) {
  Assembly assembly;
  const Block charge = assembly.add_coordinates("charge", BlockKind::electrical);
  assembly.add("coil", Inductor{1e-3}, {charge});
  assembly.add("plates", Capacitor{1e-8}, {charge});
  const auto system = assembly.build();
  const InitialState start{0.0, VectorXd::Constant(1, 1e-7), {}};
  const SimulationOptions options = options_at(1e-6);
  std::vector<Measurement> data = measure(system, start, options, {"charge"}, times_up_to(4e-5, 60), 1.0);
  IdentificationOptions wanted;
  wanted.parameters = {"plates.C"};
  wanted.deviations_known = false;
  const auto guessed = with_parameters(system, {{"plates.C", 1.1e-8}});
  const Identification right = identify(guessed, start, data, options, wanted);
  BOOST_TEST(right.misfit == "", right.misfit << right.status.message);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (double& value : data[0].values) value = 7e-8 * normal(random);
  const Identification noise = identify(guessed, start, data, options, wanted);
  BOOST_TEST(mentions(noise.misfit, "values about their mean"), noise.misfit << noise.status.message);
}

/// A sensor that is too coarse says so itself.
BOOST_AUTO_TEST_CASE(a_sensor_that_never_changes_is_told_apart) {
  const auto system = make_system(Oscillator{});
  const InitialState start{0.0, VectorXd::Constant(1, 0.1)};
  std::vector<Measurement> data = measure(system, start, options_at(1e-8), {"x", "x'"}, times_up_to(4.0, 80), 1.0);
  std::fill(data[0].values.begin(), data[0].values.end(), 0.0);
  IdentificationOptions wanted;
  wanted.parameters = {"model.k"};
  wanted.deviations_known = false;
  const Identification found = identify(system, start, data, options_at(1e-8), wanted);
  BOOST_TEST(mentions(found.misfit, "all measured values of \"x\" are equal"), found.misfit);
}

/// Rates, accelerations and multipliers are outputs, too: a rod's length from the force in it.
BOOST_AUTO_TEST_CASE(multipliers_and_accelerations) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  InitialState start = pendulum.start;
  const SimulationOptions options = options_at(1e-9);
  const auto longer = with_parameters(pendulum.system, {{"rod.L", 1.3}, {"mass.m", 1.1}});
  InitialState there = start;
  there.q = 1.3 * start.q;
  const std::string x = pendulum.system->position_name(0), force = "lambda:" + pendulum.system->constraint_name(0);
  const std::vector<Measurement> data =
      measure(longer, there, options, {x + "''", x + "'", force}, times_up_to(1.0, 20), 1e-3);
  IdentificationOptions wanted;
  wanted.parameters = {"rod.L", "mass.m"};
  const Identification found = identify(pendulum.system, start, data, options, wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(std::abs(found.parameters[0].value - 1.3) < 1e-6);
  BOOST_TEST(std::abs(found.parameters[1].value - 1.1) < 1e-6);
  BOOST_TEST(found.fits.size() == 3U);
}

BOOST_AUTO_TEST_CASE(mistakes_are_named) {
  const auto system = make_system(Oscillator{});
  const InitialState start{1.0, VectorXd::Constant(1, 0.1)};
  const auto refused = [&](const Measurement& data, const std::vector<std::string>& parameters,
                           const std::string& part) {
    IdentificationOptions wanted;
    wanted.parameters = parameters;
    BOOST_CHECK_EXCEPTION(identify(system, start, {data}, options_at(1e-6), wanted), Error,
                          [&](const Error& error) { return mentions(error.what(), part); });
  };
  refused({"x", {2.0, 3.0}, {0.1, 0.1}}, {}, "name what is sought");
  refused({"y", {2.0, 3.0}, {0.1, 0.1}}, {"model.k"}, "\"y\"");
  refused({"x", {2.0, 3.0}, {0.1, 0.1}}, {"model.K"}, "did you mean");
  refused({"x", {2.0, 3.0}, {0.1, 0.1}}, {"model.k", "model.k"}, "twice");
  refused({"x", {2.0, 3.0}, {0.1}}, {"model.k"}, "2 times, 1 values");
  refused({"x", {2.0, 2.0}, {0.1, 0.1}}, {"model.k"}, "later than the one before");
  refused({"x", {0.5, 2.0}, {0.1, 0.1}}, {"model.k"}, "not before the start");
  refused({"x", {2.0, 3.0}, {0.1, NAN}}, {"model.k"}, "leave out what was not measured");
  refused({"x", {2.0, 3.0}, {0.1, 0.1}, 0.0}, {"model.k"}, "deviation = 0");
  refused({"x", {2.0}, {0.1}}, {"model.k", "model.d"}, "1 measured values for 2 unknowns");
  refused({"x", {1.0}, {0.1}}, {"model.k"}, "nothing was measured after the start");

  IdentificationOptions wanted;
  wanted.parameters = {"model.k"};
  SimulationOptions options = options_at(1e-6);
  options.keep_going = [](double) { return false; };
  BOOST_TEST((identify(system, start, {{"x", {2.0}, {0.1}}}, options, wanted).status.outcome == Outcome::interrupted));
  options.keep_going = {};
  options.max_steps = 3;
  const Identification stopped = identify(system, start, {{"x", {2.0}, {0.1}}}, options, wanted);
  BOOST_TEST(mentions(stopped.status.message, "at the guess: max_steps"), stopped.status.message);
}
