// SPDX-License-Identifier: BSD-3-Clause
#include "model/time_dependence.hpp"

#include <boost/test/unit_test.hpp>

#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/make_system.hpp>
#include <sunlagrange/model/not_smooth.hpp>

#include "mechanisms/mechanism.hpp"
#include "registered_elements.hpp"

/// Which functions of a model depend on the time: the same as values at many times say, and branches that no value
/// shows.
using namespace sunlagrange;
using namespace sunlagrange::test;
using internal::FunctionsOfTime;

namespace {

constexpr double end = 2.0;

bool depends(const std::shared_ptr<const MechanicalSystem>& system, const VectorXd& q, const VectorXd& v) {
  FunctionsOfTime functions(system);
  functions.find(0.0, end, q, v);
  return !functions.none();
}

bool values_change(const MechanicalSystem& system, const VectorXd& q, const VectorXd& v) {
  const Evaluated first = evaluate(system, 0.0, q, v);
  for (const double t : {0.1, 0.37, 1.1, end}) {
    const Evaluated other = evaluate(system, t, q, v);
    if (first.M != other.M || first.f != other.f || first.g != other.g || first.velocity != other.velocity ||
        first.bias != other.bias)
      return true;
  }
  return false;
}

/// A force as a function of the time that is a plain function of double.
struct Force {
  static constexpr int num_positions = 1;
  std::function<double(double t, double q)> force;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = 1.0; }
  void applied_force(double t, View<const double> q, View<const double>, View<double> f) const {
    f[0] = force(t, q[0]);
  }
};

bool depends(std::function<double(double, double)> force) {
  return depends(make_system(Force{std::move(force)}), VectorXd::Ones(1), VectorXd::Ones(1));
}

bool depends(const TimeLaw& law) {
  Assembly assembly;
  const Block x = assembly.add_coordinates("x", BlockKind::rotation);
  assembly.add("wheel", Flywheel{}, {x});
  assembly.add("torque", AppliedTorque{law}, {x});
  return depends(assembly.build(), VectorXd::Ones(1), VectorXd::Ones(1));
}

}  // namespace

BOOST_AUTO_TEST_CASE(registered_elements_depend_on_the_time_where_their_values_change) {
  int constant = 0;
  for_each_registered([&](auto entry) {
    using E = typename decltype(entry)::type;
    const ElementCase c = make_case(entry.name, E{}, frame_of(entry.name));
    std::mt19937 random(11);
    for (int sample = 0; sample < 3; ++sample) {
      const Configuration x = random_configuration(c.kinds, random);
      if (!evaluate(*c.single, 0.0, x.q, x.v).accepted) continue;
      const bool changes = values_change(*c.single, x.q, x.v);
      BOOST_TEST(depends(c.single, x.q, x.v) == changes, entry.name);
      if (!changes) ++constant;
    }
  });
  BOOST_TEST(constant > 150);
}

BOOST_AUTO_TEST_CASE(mechanisms_depend_on_the_time_where_their_values_change) {
  int constant = 0, driven = 0;
  for (const auto& entry : mechanisms::mechanism_registry()) {
    const mechanisms::Mechanism mechanism = entry.make(entry.default_size);
    const VectorXd& q = mechanism.start.q;
    const VectorXd v = mechanism.start.v.size() == q.size() ? mechanism.start.v : VectorXd(VectorXd::Zero(q.size()));
    const bool changes = values_change(*mechanism.system, q, v);
    const bool found = depends(mechanism.system, q, v);
    const bool by_constant_law = entry.name == "dc_motor_slider_crank";  // a Harmonic of amplitude 0
    const bool changes_later = !times_not_smooth(*mechanism.system).empty();
    BOOST_TEST(found == (changes || changes_later || by_constant_law), entry.name);
    ++(changes ? driven : constant);
  }
  BOOST_TEST(constant > 10);
  BOOST_TEST(driven > 2);
}

BOOST_AUTO_TEST_CASE(laws_of_the_library) {
  BOOST_TEST(!depends(TimeLaw{Constant{2.0}}));
  BOOST_TEST(!depends(TimeLaw{Input{2.0}}));
  BOOST_TEST(depends(TimeLaw{Uniform{}}));
  BOOST_TEST(depends(TimeLaw{Harmonic{}}));
  BOOST_TEST(depends(TimeLaw{Polynomial{}}));
  BOOST_TEST(depends(TimeLaw{SmoothStep{0.0, 1.0, 0.5, 0.1}}));
  BOOST_TEST(depends(TimeLaw{SmoothStep{0.0, 1.0, 50.0, 0.1}}));  // after the end
  BOOST_TEST(depends(TimeLaw{SplineTable{{0.0, 1.0, 2.0}, {0.0, 1.0, 0.0}}}));
}

/// What NaN does not change is compared with it.
BOOST_AUTO_TEST_CASE(branches_by_the_time_count_whichever_way_they_go) {
  BOOST_TEST(!depends([](double, double q) { return q * q; }));
  BOOST_TEST(depends([](double t, double q) { return t > 0.5 && t < 0.6 ? 1.0 : q; }));
  BOOST_TEST(depends([](double t, double q) { return t < 1e9 ? q : 0.0; }));
  BOOST_TEST(depends([](double t, double q) { return !(t < 0.5) && !(t > 0.6) ? 1.0 : q; }));
  BOOST_TEST(depends([](double t, double q) { return t == 1.0 ? 1.0 : q; }));
  BOOST_TEST(depends([](double t, double q) { return std::floor(t / 7.0) == 1.0 ? 1.0 : q; }));
  BOOST_TEST(depends([](double t, double q) { return std::max(0.0, t - 5.0) > 0.0 ? 1.0 : q; }));
  BOOST_TEST(depends([](double t, double) { return t; }));
  BOOST_TEST(depends([](double t, double q) { return q > 0.0 ? 1e-3 * t : 0.0; }));
}

/// Nothing is known of functions that decline, throw or compute with NaN themselves.
BOOST_AUTO_TEST_CASE(functions_that_cannot_be_examined_count) {
  BOOST_TEST(
      depends([](double t, double q) -> double { return std::isnan(t) ? throw std::runtime_error("table") : q; }));
  BOOST_TEST(depends([](double t, double q) -> double { return t > 1.9 ? throw std::runtime_error("its end") : q; }));
  BOOST_TEST(depends([](double, double q) {
    const volatile double nan = std::numeric_limits<double>::signaling_NaN();
    return nan < q ? q : 2.0 * q;
  }));
}

BOOST_AUTO_TEST_CASE(a_table_without_care_for_nan_is_not_asked) {
  bool asked = false;
  BOOST_TEST(depends([&asked](double t, double) {
    asked = asked || std::isnan(t);
    return std::sin(t);
  }));
  BOOST_TEST(!asked);
}

BOOST_AUTO_TEST_CASE(floating_point_flags_of_the_application_stay) {
  for (const bool raised : {false, true}) {
    std::feclearexcept(FE_ALL_EXCEPT);
    if (raised) std::feraiseexcept(FE_INVALID);
    BOOST_TEST(depends([](double t, double q) { return t > 0.5 && t < 0.6 ? 1.0 : q; }));
    BOOST_TEST((std::fetestexcept(FE_INVALID) != 0) == raised);
  }
  std::feclearexcept(FE_ALL_EXCEPT);
}

/// Elements that do not depend on it are not evaluated again.
BOOST_AUTO_TEST_CASE(only_what_depends_on_the_time_is_evaluated) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::rotation),
              b = assembly.add_coordinates("b", BlockKind::rotation);
  assembly.add("wheel", Flywheel{2.0}, {a});
  assembly.add("other wheel", Flywheel{2.0}, {b});
  assembly.add("spring", TorsionSpring{2.0, 0.7}, {a, b});
  assembly.add("torque", AppliedTorque{TimeLaw{Uniform{1.0, 3.0}}}, {b});
  const Eigen::Vector2d q(0.3, 0.4), v(0.0, 0.0);
  FunctionsOfTime functions(assembly.build());
  functions.find(0.0, end, q, v);
  std::vector<double> values;
  BOOST_REQUIRE(functions.values(0.5, q, v, values));
  BOOST_TEST(values == std::vector<double>{2.5}, boost::test_tools::per_element());
}
