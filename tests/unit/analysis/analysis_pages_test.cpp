// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <sstream>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Pages of analyses: what they refuse, and what stands in them. Their numbers: regression/pages.
using namespace sunlagrange;

namespace {

using System = std::shared_ptr<const MechanicalSystem>;

System spring_pendulum(double length) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{2.0}, {bob});
  assembly.add("weight", UniformGravity{2.0}, {bob});
  assembly.add("spring", LinearSpring{100.0, length, AtPoint{}, OnGround{0.0, 0.0}}, {bob});
  return assembly.build();
}

/// Without a member draw.
struct Invisible {
  static constexpr int num_positions = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = -4.0 * q[0];
  }
};

/// Of the two stiffnesses a motion tells the sum.
struct TwoSprings {
  double one = 3.0, other = 1.0, damping = 0.2;
  static constexpr int num_positions = 1;
  void describe_parameters(Parameters& p) {
    p.finite("one", one, "N/m", "stiffness");
    p.finite("other", other, "N/m", "stiffness beside it");
    p.finite("damping", damping, "N s/m", "resistance");
  }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = -(one + other) * q[0] - damping * v[0];
  }
};

SimulationOptions short_run() {
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.rtol = options.atol = 1e-9;
  options.t_end = 0.4;
  return options;
}

/// x = x0 cos(2 t), one value of which is off.
Measurement cosine_with_a_mistake(const std::string& output, double deviation, double mistake = 0.5) {
  Measurement cosine{output, {}, {}, deviation};
  for (int k = 1; k <= 5; ++k) {
    cosine.t.push_back(0.1 * k);
    cosine.values.push_back(0.25 * std::cos(0.2 * k) + (k == 3 ? mistake : 0.0));
  }
  return cosine;
}

Equilibrium at_rest(const System& system, const Eigen::VectorXd& q) {
  return static_equilibrium(system, {0.0, q, {}});
}

std::string page_of_modes(const System& system, const Eigen::VectorXd& q) {
  const Linearisation about = at_rest(system, q).linearisation;
  std::ostringstream out;
  write_html(about, modes(about), system, out, "a < b");
  return out.str();
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

/// A mass of 1 kg on a spring of 4 N/m that goes x = sin(3 t): f = (4 - 9) sin(3 t), power 3 cos(3 t) f.
BOOST_AUTO_TEST_CASE(drives_have_curves_over_time) {
  const System system = make_system(Invisible{});
  const std::string x = system->position_name(0);
  const std::vector<GivenMotion> motions = {{x, TimeLaw(Harmonic{0.0, 1.0, 3.0, 0.0})}};
  std::vector<double> times;
  for (int k = 0; k <= 20; ++k) times.push_back(0.05 * k);
  const DriveForces found = drive_forces(system, {0.0, Eigen::VectorXd::Zero(1), {}}, motions, times);
  BOOST_REQUIRE(found.status.finished());
  std::ostringstream out;
  write_html(found, motions, system, out);
  const std::string page = out.str();
  for (const char* title : {"Drives", "Power of all drives", "Given motion", "Its rates", "Its accelerations"})
    BOOST_TEST(count(page, std::string("\"title\":\"") + title + "\"") == 1, title);
  BOOST_TEST(page.find("What follows") == std::string::npos);
  BOOST_TEST(page.find("Drives along the whole motion") != std::string::npos);
  BOOST_TEST(page.find("largest drive of " + x) != std::string::npos);
  for (const std::vector<GivenMotion>& others :
       {std::vector<GivenMotion>{}, {motions[0], motions[0]}, {{"no such", TimeLaw(Uniform{})}}})
    BOOST_CHECK_THROW(write_html(found, others, system, out), Error);
  BOOST_CHECK_THROW(write_html(found, motions, spring_pendulum(1.0), out), Error);
}

BOOST_AUTO_TEST_CASE(every_mode_has_its_picture) {
  const std::string page = page_of_modes(spring_pendulum(1.0), Eigen::Vector2d(0.1, -1.2));
  BOOST_TEST(count(page, "\"frames\":") == 2);
  BOOST_TEST(page.find("<title>a &lt; b") != std::string::npos);
  BOOST_TEST(page.find("\"name\":\"phase\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(models_that_draw_nothing_have_tables_only) {
  const std::string page = page_of_modes(make_system(Invisible{}), Eigen::VectorXd::Constant(1, 0.3));
  BOOST_TEST(count(page, "\"frames\":") == 0);
  BOOST_TEST(page.find("Nothing visible moves") != std::string::npos);
  BOOST_TEST(page.find("0.3183099") != std::string::npos);  // 2 / (2 pi) Hz
}

BOOST_AUTO_TEST_CASE(a_fit_shows_what_is_left_over) {
  const System system = make_system(Invisible{});
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.rtol = options.atol = 1e-8;
  const Measurement cosine = cosine_with_a_mistake(system->position_name(0), 0.5);
  IdentificationOptions wanted;
  wanted.start_positions = {system->position_name(0)};
  wanted.start_velocities = wanted.start_positions;
  const Identification found = identify(system, {0.0, Eigen::VectorXd::Constant(1, 0.2)}, {cosine}, options, wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  std::ostringstream out;
  write_html(found, {cosine}, out);
  const std::string page = out.str();
  BOOST_TEST(count(page, "\"name\":\"measured\"") == 1);
  BOOST_TEST(count(page, "\"name\":\"residual\"") == 1);
  BOOST_TEST(page.find("standard deviation") != std::string::npos);
  BOOST_TEST(page.find("\"what\":\"correlations\"") != std::string::npos);
  BOOST_TEST(page.find("about 1 if model and noise are right") != std::string::npos);
  BOOST_TEST(page.find("\"tone\":\"open\"") == std::string::npos);
  Measurement other = cosine;
  other.values.pop_back();
  std::ostringstream none;
  BOOST_CHECK_THROW(write_html(found, {other}, none), Error);
  BOOST_CHECK_THROW(write_html(found, {}, none), Error);
  BOOST_CHECK_THROW(write_html(Identification{}, {}, none), Error);
  BOOST_TEST(none.str().empty());
}

/// Without deviations any curve is as good as its residuals: no verdict, and nothing that should be about 1.
BOOST_AUTO_TEST_CASE(a_fit_without_deviations_is_not_judged) {
  const System system = make_system(Invisible{});
  const Measurement cosine = cosine_with_a_mistake(system->position_name(0), 1.0, 0.01);
  IdentificationOptions wanted;
  wanted.start_positions = wanted.start_velocities = {system->position_name(0)};
  wanted.deviations_known = false;
  const InitialState guess{0.0, Eigen::VectorXd::Constant(1, 0.2)};
  const Identification found = identify(system, guess, {cosine}, short_run(), wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(!found.deviations_known);
  BOOST_TEST(found.untested.find("no deviations are given") == 0U, found.untested);
  std::ostringstream out;
  write_html(found, {cosine}, out);
  const std::string page = out.str();
  BOOST_TEST(page.find("The model explains") == std::string::npos);
  BOOST_TEST(page.find("about 1") == std::string::npos);
  BOOST_TEST(page.find("left over, in deviations") == std::string::npos);
  BOOST_TEST(page.find("no deviations are given") != std::string::npos);
  BOOST_TEST(page.find("\"tone\":\"open\"") != std::string::npos);

  const Measurement wild = cosine_with_a_mistake(system->position_name(0), 1.0);  // beyond all that it varies by
  std::ostringstream of_wild;
  write_html(identify(system, guess, {wild}, short_run(), wanted), {wild}, of_wild);
  BOOST_TEST(of_wild.str().find("values about their mean") != std::string::npos);

  Measurement two = cosine;  // as many values as unknowns: met, whatever the model is
  two.t.resize(2);
  two.values.resize(2);
  wanted.deviations_known = true;
  const Identification met = identify(system, guess, {two}, short_run(), wanted);
  std::ostringstream other;
  write_html(met, {two}, other);
  BOOST_TEST(other.str().find("The model explains") == std::string::npos);
  BOOST_TEST(other.str().find("\"tone\":\"open\"") != std::string::npos);
}

/// Two stiffnesses in parallel: one grows as the other falls, and nobody knows how they scatter together.
BOOST_AUTO_TEST_CASE(what_is_not_determined_is_not_correlated) {
  const System system = make_system(TwoSprings{});
  Measurement data = cosine_with_a_mistake(system->position_name(0), 1e-2);
  data.values[2] -= 0.5;
  IdentificationOptions wanted;
  wanted.parameters = {"model.one", "model.other", "model.damping"};
  const Identification found = identify(system, {0.0, Eigen::VectorXd::Constant(1, 0.25)}, {data}, short_run(), wanted);
  BOOST_REQUIRE_MESSAGE((found.status.outcome == Outcome::rank_loss), found.status.message);
  std::ostringstream out;
  write_html(found, {data}, out);
  const std::string page = out.str();
  BOOST_TEST(page.find("[\"model.one\",null,null,null]") != std::string::npos);
  BOOST_TEST(page.find("[\"model.other\",null,null,null]") != std::string::npos);
  BOOST_TEST(page.find("[\"model.damping\",null,null,1]") != std::string::npos);
}

/// A body that flies: x(t) = x0 + v0 t, phi alike.
BOOST_AUTO_TEST_CASE(derivatives_have_units) {
  Assembly assembly;
  const Block arm = assembly.add_coordinates("arm", BlockKind::planar_body);
  assembly.add("body", PlanarRigidBody{2.0, 0.5}, {arm});
  const System system = assembly.build();
  const InitialState start{0.0, Eigen::Vector3d(1.0, 2.0, 0.5), Eigen::Vector3d(3.0, 0.0, 4.0)};
  GradientOptions wanted;
  wanted.start_positions = {"arm.phi"};
  wanted.start_velocities = {"arm.phi", "arm.x"};
  const Gradient found = gradient(system, start, short_run(), named_functional(*system, "final arm.phi", 0.4), wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  std::ostringstream out;
  write_html(found, "final arm.phi", out);
  const std::string page = out.str();
  BOOST_TEST(page.find("[\"q(arm.phi)\",\"rad\",0.5,") != std::string::npos);
  BOOST_TEST(page.find("[\"v(arm.phi)\",\"rad/s\",4,") != std::string::npos);
  BOOST_TEST(page.find("[\"v(arm.x)\",\"m/s\",3,") != std::string::npos);
  BOOST_TEST(count(page, "\"per rad/s\"") == 1);
  BOOST_TEST(page.find("q(arm.phi)") > page.find("v(arm.phi)"));  // 1 % of 4 rad/s for 0.4 s is more than of 0.5 rad
  BOOST_TEST(page.find("Permission is hereby granted") == std::string::npos);  // it has no curves

  const std::vector<double> t = {0.1, 0.2, 0.3};
  const std::vector<Measurement> data = {{"arm.phi", t, {0.9, 1.3, 1.7}, 0.1}, {"arm.x'", t, {3.0, 3.0, 3.0}, 0.1}};
  IdentificationOptions sought;
  sought.start_positions = {"arm.phi"};
  sought.start_velocities = {"arm.x"};
  const Identification fit = identify(system, start, data, short_run(), sought);
  BOOST_REQUIRE_MESSAGE(fit.status.finished(), fit.status.message);
  std::ostringstream fitted;
  write_html(fit, data, fitted);
  const std::string curves = fitted.str();
  BOOST_TEST(curves.find("[\"q(arm.phi)\",\"rad\",0.5,") != std::string::npos);
  BOOST_TEST(count(curves, "\"unit\":\"rad\"") == 2);
  BOOST_TEST(count(curves, "\"unit\":\"m/s\"") == 2);
  BOOST_TEST(curves.find("Permission is hereby granted") != std::string::npos);
}

/// J = q(t) from rest: doubling the start doubles it, so the relative derivative is 1.
BOOST_AUTO_TEST_CASE(a_gradient_has_a_row_for_each_parameter) {
  const System system = make_system(Invisible{});
  const std::string x = system->position_name(0);
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.rtol = options.atol = 1e-9;
  options.t_end = 0.4;
  GradientOptions wanted;
  wanted.start_positions = wanted.start_velocities = {x};
  const Gradient found = gradient(system, {0.0, Eigen::VectorXd::Constant(1, 0.2)}, options,
                                  named_functional(*system, "final " + x, 0.4), wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(found.gradient[0] * 0.2 / found.value == 1.0, boost::test_tools::tolerance(1e-6));
  std::ostringstream out;
  write_html(found, "final " + x, out);
  const std::string page = out.str();
  BOOST_TEST(page.find("J = final " + x) != std::string::npos);
  BOOST_TEST(page.find("q(" + x + ")") < page.find("v(" + x + ")"));  // whose start value is zero
  BOOST_TEST(page.find("v(" + x + ")") != std::string::npos);
  BOOST_TEST(found.parameters[0].value == 0.2);
  BOOST_TEST(found.parameters[1].value == 0.0);
  BOOST_TEST(page.find("[\"q(" + x + ")\",\"\",0.2,") != std::string::npos);
  std::ostringstream none;
  BOOST_CHECK_THROW(write_html(Gradient{}, "final " + x, none), Error);
  BOOST_TEST(none.str().empty());
}

BOOST_AUTO_TEST_CASE(what_does_not_belong_together_is_refused) {
  const System system = spring_pendulum(1.0), other = make_system(Invisible{});
  const Equilibrium found = at_rest(system, Eigen::Vector2d(0.1, -1.2));
  const Modes its_modes = modes(found.linearisation);
  std::ostringstream out;
  BOOST_CHECK_THROW(write_html(found.linearisation, its_modes, other, out), Error);
  BOOST_CHECK_THROW(write_html(found.linearisation, its_modes, nullptr, out), Error);
  BOOST_CHECK_THROW(write_html(Linearisation{}, its_modes, system, out), Error);
  BOOST_CHECK_THROW(write_html(std::vector<Equilibrium>{found}, other, out), Error);
  BOOST_CHECK_THROW(write_html(std::vector<Equilibrium>{}, system, out), Error);
  BOOST_CHECK_THROW(write_html(Kinematics{}, system, out), Error);
  BOOST_CHECK_THROW(write_html(DriveForces{}, {}, system, out), Error);
  BOOST_TEST(out.str().empty());
  BOOST_CHECK_THROW(write_html(std::vector<Equilibrium>{found}, system, std::string("/nowhere/at/all.html")), Error);
}
