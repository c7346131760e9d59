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

BOOST_AUTO_TEST_CASE(every_mode_has_its_picture) {
  const std::string page = page_of_modes(spring_pendulum(1.0), Eigen::Vector2d(0.1, -1.2));
  BOOST_TEST(count(page, "\"frames\":") == 2);
  BOOST_TEST(page.find("<title>a &lt; b") != std::string::npos);
  BOOST_TEST(page.find("\"name\":\"phase\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(models_that_draw_nothing_have_tables_only) {
  const std::string page = page_of_modes(make_system(Invisible{}), Eigen::VectorXd::Constant(1, 0.3));
  BOOST_TEST(count(page, "\"frames\":") == 0);
  BOOST_TEST(page.find("Nothing to look at moves") != std::string::npos);
  BOOST_TEST(page.find("0.3183099") != std::string::npos);  // 2 / (2 pi) Hz
}

BOOST_AUTO_TEST_CASE(a_fit_shows_what_is_left_over) {
  const System system = make_system(Invisible{});
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.rtol = options.atol = 1e-8;
  Measurement cosine{system->position_name(0), {}, {}, 0.5};
  for (int k = 1; k <= 5; ++k) {
    cosine.t.push_back(0.1 * k);
    cosine.values.push_back(0.25 * std::cos(0.2 * k) + (k == 3 ? 0.5 : 0.0));  // x = x0 cos(2 t), one value is off
  }
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
  Measurement other = cosine;
  other.values.pop_back();
  std::ostringstream none;
  BOOST_CHECK_THROW(write_html(found, {other}, none), Error);
  BOOST_CHECK_THROW(write_html(found, {}, none), Error);
  BOOST_CHECK_THROW(write_html(Identification{}, {}, none), Error);
  BOOST_TEST(none.str().empty());
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
  BOOST_TEST(out.str().empty());
  BOOST_CHECK_THROW(write_html(std::vector<Equilibrium>{found}, system, std::string("/nowhere/at/all.html")), Error);
}
