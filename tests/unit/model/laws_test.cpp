// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Laws of time: values, smoothness where it is promised, and what is refused.
using namespace sunlagrange;

namespace {

struct Levels {
  double value, rate, acceleration;
};

template <class Law>
Levels levels(const Law& law, double t) {
  Taylor<double> time(t);
  time.c1 = 1.0;
  const Taylor<double> x = law(time);
  return {x.c0, x.c1, 2.0 * x.c2};
}

/// Value, rate and acceleration do not jump at t; nor where the law is a straight line before or after.
template <class Law>
void smooth_at(const Law& law, double t) {
  constexpr double h = 1e-9;
  const Levels before = levels(law, t - h), after = levels(law, t + h);
  BOOST_TEST(std::abs(before.value - after.value) < 1e-7);
  BOOST_TEST(std::abs(before.rate - after.rate) < 1e-6);
  BOOST_TEST(std::abs(before.acceleration - after.acceleration) < 1e-5);
}

/// The times that a torque with this law states.
std::vector<double> times_of(const TimeLaw& law) {
  Assembly assembly;
  const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
  assembly.add("wheel", Flywheel{1.0}, {shaft});
  assembly.add("torque", AppliedTorque{law}, {shaft});
  return times_not_smooth(*assembly.build());
}

std::string complaints_of(SplineTable table) {
  internal::ParameterCheck check;
  table.describe_parameters(check);
  return check.complaints();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_polynomial_has_its_coefficients_as_derivatives) {
  const Polynomial law{{3.0, -2.0, 0.5, 1.0}};
  const Levels at_0 = levels(law, 0.0), at_2 = levels(law, 2.0);
  BOOST_TEST(at_0.value == 3.0);
  BOOST_TEST(at_0.rate == -2.0);
  BOOST_TEST(at_0.acceleration == 1.0);
  BOOST_TEST(at_2.value == 3.0 - 4.0 + 2.0 + 8.0);
  BOOST_TEST(Polynomial{{}}(1.0) == 0.0);
  BOOST_TEST(Constant{4.0}(7.0) == 4.0);
}

BOOST_AUTO_TEST_CASE(laws_state_the_times_at_which_they_are_not_smooth) {
  const auto none = std::vector<double>{};
  BOOST_TEST(times_of(Harmonic{}) == none);
  BOOST_TEST(times_of(SmoothStep{1.0, 1.0, 0.5, 2.0}) == none);
  BOOST_TEST(times_of(SmoothStep{0.0, 1.0, 0.5, 2.0}) == (std::vector<double>{0.5, 2.5}));
  BOOST_TEST(times_of(SplineTable({0.0, 1.0}, {0.0, 3.0})) == none);
  BOOST_TEST(times_of(SplineTable({0.0, 1.0, 1.5, 2.0, 3.0}, {0.0, 0.0, 1.0, 0.0, 0.0})) ==
             (std::vector<double>{0.0, 1.0, 1.5, 2.0, 3.0}));
  std::vector<double> times, values;
  for (int k = 0; k <= 100; ++k) {  // four periods
    times.push_back(0.01 * k);
    values.push_back(std::sin(8.0 * std::acos(-1.0) * times.back()));
  }
  BOOST_TEST(times_of(SplineTable(times, values)).size() <= 4);  // beside the ends, where the spline has no curvature
}

BOOST_AUTO_TEST_CASE(a_smooth_step_begins_and_ends_at_rest) {
  const SmoothStep law{-1.0, 3.0, 0.5, 2.0};
  BOOST_TEST(law(0.4) == -1.0);
  BOOST_TEST(law(2.6) == 3.0);
  BOOST_TEST(law(1.5) == 1.0, boost::test_tools::tolerance(1e-15));
  smooth_at(law, 0.5);
  smooth_at(law, 2.5);
}

BOOST_AUTO_TEST_CASE(a_spline_goes_through_its_table_twice_differentiable) {
  const std::vector<double> times = {0.0, 0.3, 1.0, 1.2, 2.0}, values = {1.0, -1.0, 0.5, 2.0, 1.5};
  const SplineTable law(times, values);
  for (std::size_t k = 0; k < times.size(); ++k) {
    BOOST_TEST(law(times[k]) == values[k], boost::test_tools::tolerance(1e-14));
    smooth_at(law, times[k]);
  }
  BOOST_TEST(levels(law, -1.0).acceleration == 0.0);
  BOOST_TEST(levels(law, 3.0).acceleration == 0.0);
}

BOOST_AUTO_TEST_CASE(a_spline_is_of_fourth_order_inside) {
  const auto error = [](int intervals) {
    std::vector<double> times, values;
    for (int k = 0; k <= intervals; ++k) {
      times.push_back(3.14159265358979323846 * k / intervals);  // sin has no curvature at both ends
      values.push_back(std::sin(times.back()));
    }
    const SplineTable law(times, values);
    double worst = 0.0;
    for (double t = 0.0; t < 3.14; t += 0.01) worst = std::max(worst, std::abs(law(t) - std::sin(t)));
    return worst;
  };
  const double order = std::log2(error(10) / error(20));
  BOOST_TEST(order > 3.7);
  BOOST_TEST(order < 4.3);
}

BOOST_AUTO_TEST_CASE(tables_that_are_none_are_refused) {
  BOOST_TEST(complaints_of({{0.0, 1.0}, {0.0, 1.0}}) == "");
  for (const SplineTable& wrong : {SplineTable({0.0}, {1.0}), SplineTable({0.0, 1.0}, {1.0}),
                                   SplineTable({0.0, 0.0}, {1.0, 2.0}), SplineTable({0.0, std::nan("")}, {1.0, 2.0})})
    BOOST_TEST(complaints_of(wrong).find("times") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_of_several_laws_is_the_law_it_holds) {
  const TimeLaw law = Harmonic{1.0, 2.0, 3.0, 0.4};
  const double direct = Harmonic({1.0, 2.0, 3.0, 0.4})(0.7);  // perhaps by the compiler, whose sine may round otherwise
  BOOST_TEST(std::abs(law(0.7) - direct) <= 2e-16 * (1.0 + 2.0 * std::abs(direct)));
  const TimeLaw step = SmoothStep{};
  BOOST_TEST(levels(step, 0.3).acceleration == levels(SmoothStep{}, 0.3).acceleration);
}
