// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <sunlagrange/analysis/identify.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>

#include "event_systems.hpp"

/// Sensitivities across events: against closed forms by complex steps, and Richardson differences of runs.
using namespace sunlagrange;
using namespace sunlagrange::test;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using Complex = std::complex<double>;

namespace {

const std::vector<std::string> forms = {"baumgarte", "penalty", "projected", "ggl", "stabilized_index1"};

/// A wall at a height along its normal, which is at `angle` from the x axis.
struct Floor {
  double height = 0.0;
  double angle = 0.5 * M_PI;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  void describe_parameters(Parameters& p) {
    p.finite("height", height, "m", "along its normal");
    p.finite("angle", angle, "rad", "of the normal");
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = std::cos(angle) * q[0] + std::sin(angle) * q[1] - height;
  }
};

/// (0, rate t) newton.
struct Hoist {
  double rate = 0.0;
  static constexpr int num_positions = 2;
  void describe_parameters(Parameters& p) { p.finite("rate", rate, "N/s", "of the lift"); }
  template <class T>
  void applied_force(T t, View<const T>, View<const T>, View<T> f) const {
    f[1] = rate * t;
  }
};

/// A point of a plank (x, y, angle), at s from its centre, must stay above the ground.
struct Support {
  double s = 0.0;
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] + s * sin(q[2]);
  }
};

/// Holds x at zero, stiffly.
struct StiffGuide {
  double k = 1e6;
  static constexpr int num_positions = 2;
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return 0.5 * k * q[0] * q[0];
  }
};

std::shared_ptr<const MechanicalSystem> ball_on(const Floor& floor, double hoist = 0.0) {
  Assembly assembly;
  const Block ball = assembly.add_coordinates("ball", 2);
  assembly.add("mass", PointMass{1.0}, {ball});
  assembly.add("weight", UniformGravity{1.0, 0.0, -gravity}, {ball});
  assembly.add("floor", floor, {ball});
  if (hoist != 0.0) assembly.add("hoist", Hoist{hoist}, {ball});
  return assembly.build();
}

std::shared_ptr<const MechanicalSystem> pendulum_at(const Floor& stop, bool twin = false) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", 2);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0, 0.0, -gravity}, {bob});
  assembly.add("stop", stop, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  if (twin) assembly.add("twin", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  return assembly.build();
}

SimulationOptions options_for(const std::string& form, double t_end, std::vector<Event> events,
                              double tolerance = 1e-10) {
  SimulationOptions options;
  options.formulation = form;
  options.t_end = t_end;
  options.rtol = options.atol = tolerance;
  options.events = std::move(events);
  return options;
}

EventParameter restitution(const std::string& name, double e) {
  return {name + ".e", e, [name](double value) { return std::vector<Event>{impact_event(name, value)}; }, "1"};
}

void check_near(const VectorXd& found, const VectorXd& expected, double tolerance, const std::string& what,
                double least = 1.0) {
  const double error =
      (found - expected).lpNorm<Eigen::Infinity>() / std::max(expected.lpNorm<Eigen::Infinity>(), least);
  BOOST_TEST(error <= tolerance, what << ": " << found.transpose() << " for " << expected.transpose() << ", " << error);
}

/// (q, v) at t of a motion that is known as a function of numbers, differentiated by the i-th.
using ClosedForm = std::function<std::vector<Complex>(const std::vector<Complex>&, double)>;
VectorXd complex_step(const ClosedForm& form, const std::vector<double>& numbers, std::size_t i, double t) {
  constexpr double h = 1e-40;
  std::vector<Complex> at(numbers.begin(), numbers.end());
  at[i] += Complex(0.0, h);
  const std::vector<Complex> y = form(at, t);
  VectorXd d(static_cast<Index>(y.size()));
  for (Index k = 0; k < d.size(); ++k) d[k] = y[static_cast<std::size_t>(k)].imag() / h;
  return d;
}

VectorXd column(const SensitivityPoint& point, Index i) {
  VectorXd s(2 * point.q.rows());
  s << point.q.col(i), point.v.col(i);
  return s;
}

const Sensitivities& required(const Sensitivities& found) {
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  return found;
}

/// (q, v) at the end of a run from a start with a parameter, a start value or the events changed.
struct Case {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
  SimulationOptions options;
  SensitivityOptions wanted;

  SimulationOptions in(const std::string& form) const {
    SimulationOptions o = options;
    o.formulation = form;
    return o;
  }
  VectorXd end_with(const std::string& name, double change) const {
    auto changed = system;
    InitialState from = start;
    SimulationOptions o = in("baumgarte");
    o.rtol = o.atol = 1e-12;
    o.record = Record::ends_only;
    if (name[1] == '(') {
      const int j = system->position_indices(name.substr(2, name.size() - 3)).front();
      (name[0] == 'q' ? from.q : from.v)[j] += change;
    }
    for (const EventParameter& p : wanted.event_parameters) {
      if (p.name == name) o.events = p.events(p.value + change);
    }
    for (const SystemParameter& p : system_parameters(*system)) {
      if (p.name == name) changed = with_parameters(system, {{name, p.value + change}});
    }
    const Simulation run = simulate(changed, from, o);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), name << ": " << run.status.message);
    const std::size_t last = run.trajectory.size() - 1;
    VectorXd y(2 * system->num_positions());
    y << run.trajectory.q(last), run.trajectory.v(last);
    return y;
  }
  VectorXd richardson(const std::string& name, double h) const {
    const auto central = [&](double step) -> VectorXd {
      return (end_with(name, step) - end_with(name, -step)) / (2.0 * step);
    };
    return (4.0 * central(0.5 * h) - central(h)) / 3.0;
  }
  /// @param tolerance  relative
  void check(const std::vector<std::string>& all, double h, double tolerance = 1e-6) const {
    std::vector<VectorXd> expected;
    for (const std::string& form : all) {
      BOOST_TEST_CONTEXT(form) {
        const Sensitivities found = required(sensitivities(system, start, in(form), wanted));
        for (Index i = 0; i < found.points.back().q.cols(); ++i) {
          const std::string& name = found.parameters[static_cast<std::size_t>(i)].name;
          if (static_cast<Index>(expected.size()) <= i) expected.push_back(richardson(name, h));
          check_near(column(found.points.back(), i), expected[static_cast<std::size_t>(i)], tolerance, name, 1e-3);
        }
        BOOST_TEST(found.constraint_error < 1e-7);
      }
    }
  }
};

}  // namespace

/// Thrown up, then one bounce after the other: y, y' and the times of the impacts.
BOOST_AUTO_TEST_CASE(a_bouncing_ball_is_known_at_any_time) {
  const std::vector<double> numbers = {-gravity, 1.0, 0.2, 1.5, 0.7, 0.8};  // gy, mass.m, height, y0, y'0, e
  const auto impact_time = [](const std::vector<Complex>& p, int k) {
    const Complex g = -p[0] / p[1], u = std::sqrt(p[4] * p[4] + 2.0 * g * (p[3] - p[2]));
    Complex t = (p[4] + u) / g;
    for (int i = 1; i < k; ++i) t += 2.0 * u / g * std::pow(p[5], i);
    return t;
  };
  const ClosedForm form = [&](const std::vector<Complex>& p, double t) -> std::vector<Complex> {
    const Complex g = -p[0] / p[1], u = std::sqrt(p[4] * p[4] + 2.0 * g * (p[3] - p[2]));
    int k = 0;
    while (impact_time(p, k + 1).real() < t) ++k;
    const Complex since = k > 0 ? t - impact_time(p, k) : Complex(t);
    const Complex from = k > 0 ? p[2] : p[3], w = k > 0 ? std::pow(p[5], k) * u : p[4];
    return {0.3 * t, from + w * since - 0.5 * g * since * since, 0.3, w - g * since};
  };
  const auto system = ball_on({numbers[2]});
  const InitialState start{0.0, Vector2d(0.0, numbers[3]), Vector2d(0.3, numbers[4])};
  SensitivityOptions wanted;
  wanted.parameters = {"weight.gy", "mass.m", "floor.height"};
  wanted.start_positions = {"ball[1]"};
  wanted.start_velocities = {"ball[1]"};
  wanted.event_parameters = {restitution("floor", numbers[5])};
  for (const double t : {0.3, 0.9, 1.6, 2.1, 2.5}) wanted.times.push_back(t);
  for (const std::string& name : forms) {
    const Sensitivities found =
        required(sensitivities(system, start, options_for(name, 2.5, {impact_event("floor", numbers[5])}), wanted));
    BOOST_TEST_CONTEXT(name) {
      BOOST_REQUIRE(found.points.size() == wanted.times.size());
      BOOST_REQUIRE(found.events.size() == 3U);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        for (const SensitivityPoint& point : found.points)
          check_near(column(point, static_cast<Index>(i)), complex_step(form, numbers, i, point.state.t), 1e-6,
                     found.parameters[i].name + " at " + std::to_string(point.state.t));
        for (int k = 1; k <= 3; ++k) {
          std::vector<Complex> at(numbers.begin(), numbers.end());
          at[i] += Complex(0.0, 1e-40);
          const EventSensitivity& event = found.events[static_cast<std::size_t>(k) - 1];
          const double expected = impact_time(at, k).imag() / 1e-40;
          BOOST_TEST(std::abs(event.dt[static_cast<Index>(i)] - expected) < 1e-6 * std::max(1.0, std::abs(expected)));
        }
      }
    }
  }
}

/// Start::as_given: nothing is put back onto constraints, here there are none to violate.
BOOST_AUTO_TEST_CASE(starts_that_are_taken_as_given) {
  const InitialState start{0.0, Vector2d(0.0, 1.0), Vector2d(0.3, 0.0)};
  SensitivityOptions wanted;
  wanted.parameters = {"weight.gy", "floor.height"};
  SimulationOptions options = options_for("baumgarte", 1.0, {impact_event("floor", 0.8)});
  const Sensitivities consistent = required(sensitivities(ball_on({0.2}), start, options, wanted));
  options.start = Start::as_given;
  const Sensitivities given = required(sensitivities(ball_on({0.2}), start, options, wanted));
  BOOST_TEST(given.events.size() == 1U);
  for (Index i = 0; i < 2; ++i)
    check_near(column(given.points.back(), i), column(consistent.points.back(), i), 1e-8, "as given");
}

/// Restitutions e = 1 and e = 0 end their range: the differences are one-sided.
BOOST_AUTO_TEST_CASE(restitutions_at_the_ends_of_their_range) {
  const InitialState start{0.0, Vector2d(0.0, 1.0), {}};
  for (const double e : {0.0, 1.0}) {
    SensitivityOptions wanted;
    wanted.event_parameters = {restitution("floor", e)};
    const double t1 = std::sqrt(2.0 / gravity), t = e > 0.0 ? 1.0 : t1;
    SimulationOptions options = options_for("baumgarte", t + 1e-3, {impact_event("floor", e)});
    wanted.times = {t};
    if (e == 0.0) {  // it accumulates at once, but the derivative of the impact itself is there
      Event once = impact_event("floor", e);
      once.action = [](EventContext& c) {
        c.impact("floor", 0.0);
        c.stop("hit");
      };
      options.events = {once};
      wanted.event_parameters[0].events = [once](double value) {
        Event other = once;
        if (!(value >= 0.0)) throw Error("restitution");
        other.action = [value](EventContext& c) {
          c.impact("floor", value);
          c.stop("hit");
        };
        return std::vector<Event>{other};
      };
      wanted.times.clear();
    }
    const Sensitivities found = required(sensitivities(ball_on({}), start, options, wanted));
    const double since = t - t1, u = gravity * t1;  // v+ = e u
    check_near(column(found.points.back(), 0), Eigen::Vector4d(0.0, u * since, 0.0, u), 1e-6, "e");
  }
}

/// Falls on a slope, rests on it and slides; what was free follows the constraint.
BOOST_AUTO_TEST_CASE(a_contact_that_lasts_binds_the_sensitivities) {
  const std::vector<double> numbers = {-0.1, 0.4 * M_PI, -gravity, 0.2};  // height, angle, gy, x0
  const ClosedForm form = [](const std::vector<Complex>& p, double t) -> std::vector<Complex> {
    const Complex c = std::cos(p[1]), s = std::sin(p[1]);
    const Complex along = -s * p[3] + c * (1.0 + 0.5 * p[2] * t * t), rate = c * p[2] * t;
    return {c * p[0] - s * along, s * p[0] + c * along, -s * rate, c * rate};
  };
  const auto system = ball_on({numbers[0], numbers[1]});
  const InitialState start{0.0, Vector2d(numbers[3], 1.0), Vector2d(0.0, 0.0)};
  SensitivityOptions wanted;
  wanted.parameters = {"floor.height", "floor.angle", "weight.gy"};
  wanted.start_positions = {"ball[0]"};
  wanted.times = {0.8, 1.2};
  for (const std::string& name : forms) {
    const Sensitivities found =
        required(sensitivities(system, start, options_for(name, 1.2, {unilateral_contact("floor")}), wanted));
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(found.events.size() == 1U);
      BOOST_TEST(found.constraint_error < 1e-8);
      for (const SensitivityPoint& point : found.points) {
        BOOST_TEST(point.lambda.rows() == 1);
        for (std::size_t i = 0; i < numbers.size(); ++i)
          check_near(column(point, static_cast<Index>(i)), complex_step(form, numbers, i, point.state.t), 1e-6,
                     found.parameters[i].name);
        BOOST_TEST(std::abs(point.lambda(0, 2) - std::sin(numbers[1])) < 1e-6);  // lambda = gy sin(angle)
      }
    }
  }
}

/// A ball with bounces that come to rest: it lies there, whatever the floor and gravity.
BOOST_AUTO_TEST_CASE(bounces_that_come_to_rest) {
  const auto system = ball_on({0.1});
  const InitialState start{0.0, Vector2d(0.0, 1.0), Vector2d(1.0, 0.0)};
  SensitivityOptions wanted;
  wanted.parameters = {"weight.gy", "floor.height"};
  wanted.start_velocities = {"ball[0]"};
  const Sensitivities found =
      required(sensitivities(system, start, options_for("baumgarte", 3.0, {unilateral_contact("floor", 0.3)}), wanted));
  BOOST_TEST(found.events.size() > 5U);
  const SensitivityPoint& end = found.points.back();
  const auto allowed = [](double parameter) { return 10.0 * 1e-10 / parameter; };  // times the tolerance of d/dp
  check_near(column(end, 0), Eigen::Vector4d::Zero(), allowed(gravity), "gy");
  check_near(column(end, 1), Eigen::Vector4d(0.0, 1.0, 0.0, 0.0), allowed(0.1), "height");
  check_near(column(end, 2), Eigen::Vector4d(3.0, 0.0, 1.0, 0.0), allowed(1.0), "x'");
}

/// Lies on the floor from the start until the hoist lifts it at t = m g / rate.
BOOST_AUTO_TEST_CASE(a_contact_that_opens) {
  const std::vector<double> numbers = {2.0 * gravity, -gravity, 1.0};  // rate, gy, mass
  const ClosedForm form = [](const std::vector<Complex>& p, double t) -> std::vector<Complex> {
    const Complex since = t + p[1] / p[0];
    return {t, p[0] * since * since * since / (6.0 * p[2]), 1.0, p[0] * since * since / (2.0 * p[2])};
  };
  const auto system = ball_on({}, numbers[0]);
  const InitialState start{0.0, Vector2d(0.0, 0.0), Vector2d(1.0, 0.0)};
  SensitivityOptions wanted;
  wanted.parameters = {"hoist.rate", "weight.gy", "mass.m"};
  for (const std::string& name : forms) {
    const Sensitivities found =
        required(sensitivities(system, start, options_for(name, 1.0, {unilateral_contact("floor")}), wanted));
    BOOST_TEST_CONTEXT(name) {
      BOOST_REQUIRE(found.events.size() == 2U);
      BOOST_TEST(found.events[0].dt.norm() == 0.0);
      const Eigen::Vector3d opens(-0.5 / numbers[0], -1.0 / numbers[0], 0.0);
      check_near(found.events[1].dt, opens, 1e-6, "dt", 1e-2);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        check_near(column(found.points.back(), static_cast<Index>(i)), complex_step(form, numbers, i, 1.0), 1e-6,
                   found.parameters[i].name);
    }
  }
  wanted.parameters = {"floor.height"};  // the ball would start in it, or above
  const Sensitivities none =
      sensitivities(system, start, options_for("ggl", 1.0, {unilateral_contact("floor")}), wanted);
  BOOST_TEST((none.status.outcome == Outcome::infeasible));
  BOOST_TEST(contains(none.status.message, "\"floor\""), none.status.message);
  BOOST_TEST(contains(none.status.message, "\"floor.height\""), none.status.message);
}

BOOST_AUTO_TEST_CASE(a_pendulum_that_bounces_several_times) {
  const double e = 0.7;
  Case c{pendulum_at({0.0, -0.3}), {0.0, Vector2d(1.0, 0.0), Vector2d(0.0, 0.1)}, {}, {}};
  c.options = options_for("", 3.8, {impact_event("stop", e)});
  c.wanted.parameters = {"weight.gy", "stop.angle", "stop.height"};
  c.wanted.start_velocities = {"bob[1]"};
  c.wanted.event_parameters = {restitution("stop", e)};
  c.check(forms, 1e-3);
  const Sensitivities found =
      required(sensitivities(c.system, c.start, options_for("ggl", 3.8, c.options.events), c.wanted));
  BOOST_TEST(found.events.size() == 3U);
}

/// x = L X(t sqrt(g / L)): a law for the length, whose start follows.
BOOST_AUTO_TEST_CASE(a_bouncing_pendulum_of_any_size) {
  SensitivityOptions wanted;
  wanted.parameters = {"weight.gy", "rod.L"};
  for (double t = 0.0; t <= 3.8; t += 0.2) wanted.times.push_back(t);
  for (const std::string& name : forms) {
    const Sensitivities found = required(sensitivities(pendulum_at({0.0, -0.3}), horizontal,
                                                       options_for(name, 3.8, {impact_event("stop", 0.7)}), wanted));
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(found.events.size() == 3U);
      BOOST_TEST(found.constraint_error < 1e-8);
      for (const EventSensitivity& event : found.events)
        check_near(event.dt, Vector2d(0.5 * event.t / gravity, 0.5 * event.t), 1e-6, "dt");
      for (const SensitivityPoint& point : found.points) {
        const MotionState& s = point.state;
        const Vector2d dq = 0.5 * s.t * s.v, dv = 0.5 * s.t * s.a + 0.5 * s.v;
        VectorXd by_g(4), by_L(4);
        by_g << -dq / gravity, -dv / gravity;
        by_L << s.q - dq, s.v - dv;
        check_near(column(point, 0), by_g, 2e-6, "gy at " + std::to_string(s.t));
        check_near(column(point, 1), by_L, 2e-6, "L at " + std::to_string(s.t));
      }
    }
  }
}

/// Two rods, of which the second bob hits a stop: the impulse goes through all of it.
BOOST_AUTO_TEST_CASE(impacts_of_a_double_pendulum) {
  Assembly assembly;
  const Block upper = assembly.add_coordinates("upper", 2), lower = assembly.add_coordinates("lower", 2);
  assembly.add("mass1", PointMass{1.0}, {upper});
  assembly.add("weight1", UniformGravity{1.0, 0.0, -gravity}, {upper});
  assembly.add("mass2", PointMass{0.5}, {lower});
  assembly.add("weight2", UniformGravity{0.5, 0.0, -gravity}, {lower});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {upper});
  assembly.add("link", Distance{0.8}, {upper, lower});
  assembly.add("stop", Floor{-0.2, 0.1}, {lower});
  const double e = 0.6;
  Case c{assembly.build(), {0.0, Eigen::Vector4d(1.0, 0.0, 1.8, 0.0), {}}, {}, {}};
  c.options = options_for("", 1.6, {impact_event("stop", e)});
  c.wanted.parameters = {"rod.L", "link.L", "mass2.m", "weight2.gy", "stop.height"};
  c.wanted.event_parameters = {restitution("stop", e)};
  c.check(forms, 1e-3);
  const Sensitivities found = required(sensitivities(c.system, c.start, c.in("ggl"), c.wanted));
  BOOST_TEST(found.events.size() == 1U);
}

/// A plank rocks on two supports: the one it stands on has to let go when the other one is struck.
BOOST_AUTO_TEST_CASE(a_plank_that_rocks) {
  constexpr double b = 0.2, tilt = 0.05;
  Assembly assembly;
  const Block plank = assembly.add_coordinates("plank", 3);
  assembly.add("inertia", PlanarRigidBody{1.0, 1.0 / 12.0}, {plank});
  assembly.add("weight", UniformGravity{1.0, 0.0, -gravity}, {centre_of(plank)});
  assembly.add("left", Support{-b}, {plank});
  assembly.add("right", Support{b}, {plank});
  Case c{assembly.build(), {0.0, Eigen::Vector3d(0.0, b * std::sin(tilt), tilt), {}}, {}, {}};
  c.options = options_for("", 0.12, {unilateral_contact("left"), unilateral_contact("right")});
  c.wanted.parameters = {"weight.gy", "inertia.m", "inertia.I"};
  c.check(forms, 1e-3);
  const Sensitivities found = required(sensitivities(c.system, c.start, c.in("ggl"), c.wanted));
  BOOST_TEST(found.events.size() == 2U);  // stands, strikes
  BOOST_TEST(std::abs(found.points.back().lambda(0, 0)) == 0.0);
  BOOST_TEST(std::abs(found.points.back().lambda(1, 0)) > 0.1);
}

BOOST_AUTO_TEST_CASE(redundant_rows_at_an_impact) {
  SensitivityOptions wanted;
  wanted.parameters = {"weight.gy", "stop.angle"};
  for (const char* name : {"baumgarte", "projected", "penalty"}) {
    const SimulationOptions options = options_for(name, 1.5, {impact_event("stop", 0.7)});
    const Sensitivities one = required(sensitivities(pendulum_at({0.0, -0.3}), horizontal, options, wanted));
    const Sensitivities two = required(sensitivities(pendulum_at({0.0, -0.3}, true), horizontal, options, wanted));
    BOOST_TEST(two.events.size() == 1U);
    for (Index i = 0; i < 2; ++i) check_near(column(two.points.back(), i), column(one.points.back(), i), 1e-6, name);
  }
}

/// The rod breaks; accelerations jump, and what broke it is a number of the event alone.
BOOST_AUTO_TEST_CASE(a_rod_that_breaks) {
  Case c{pendulum_at({-5.0, 0.0}), {0.0, Vector2d(1.0, 0.0), Vector2d(0.0, 0.1)}, {}, {}};
  c.options = options_for("", 1.0, {release_when("rod", 20.0)});
  c.options.inactive_constraints = {"stop"};
  c.wanted.parameters = {"weight.gy", "mass.m"};
  c.wanted.start_velocities = {"bob[1]"};
  c.wanted.event_parameters = {
      {"limit", 20.0, [](double value) { return std::vector<Event>{release_when("rod", value)}; }, "N"}};
  c.check(forms, 1e-3);
}

/// Velocities of the user's own, that depend on the point.
BOOST_AUTO_TEST_CASE(actions_of_the_user) {
  Event kick;
  kick.name = "kick";
  kick.crossing = Crossing::falling;
  kick.root = [](const EventPoint& p) { return p.q()[1] + 0.8 + 0.1 * p.v()[0]; };
  kick.action = [](EventContext& c) { c.set_velocity((1.0 + 0.1 * c.q()[0]) * c.v()); };
  Case c{pendulum_at({-5.0, 0.0}), {0.0, Vector2d(1.0, 0.0), Vector2d(0.0, 0.1)}, options_for("", 1.0, {kick}), {}};
  c.options.inactive_constraints = {"stop"};
  c.wanted.parameters = {"weight.gy"};
  c.wanted.start_velocities = {"bob[1]"};
  c.check(forms, 1e-3);
}

BOOST_AUTO_TEST_CASE(events_that_change_nothing_leave_the_sensitivities) {
  Event lowest;
  lowest.name = "lowest";
  lowest.root = [](const EventPoint& p) { return p.q()[0]; };
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L", "weight.gy"};
  const auto system = pendulum(-5.0);
  SimulationOptions options = options_for("baumgarte", 2.0, {});
  options.inactive_constraints = {"stop"};
  const Sensitivities without = required(sensitivities(system, horizontal, options, wanted));
  options.events = {lowest};
  const Sensitivities recorded = required(sensitivities(system, horizontal, options, wanted));
  BOOST_TEST((recorded.points.back().q == without.points.back().q));
  BOOST_TEST((recorded.points.back().v == without.points.back().v));
  BOOST_REQUIRE(recorded.events.size() == 2U);
  for (const EventSensitivity& event : recorded.events)  // t ~ sqrt(L / g)
    check_near(event.dt, 0.5 * event.t * Vector2d(1.0, 1.0 / gravity), 1e-6, "dt");

  lowest.action = [](EventContext& c) { c.stop("lowest"); };
  options.events = {lowest};
  const Sensitivities stopped = required(sensitivities(system, horizontal, options, wanted));
  BOOST_TEST(contains(stopped.status.message, "lowest"));
  BOOST_REQUIRE(stopped.points.size() == 2U);
  const double t = stopped.points.back().state.t;
  BOOST_TEST(t == stopped.events.at(0).t);
  options.events.clear();
  wanted.times = {t};
  const Sensitivities there = required(sensitivities(system, horizontal, options, wanted));
  for (Index i = 0; i < 2; ++i) check_near(column(stopped.points.back(), i), column(there.points.back(), i), 1e-9, "s");
}

/// Two zeros within one step: the ball rises above -0.1 mm at the turns of its pendulum. All times go with 1 / sqrt(g);
/// at 0.04 m/s they answer errors of the motion 200 times as much as at the bottom.
BOOST_AUTO_TEST_CASE(zeros_inside_of_steps) {
  for (const char* form : {"baumgarte", "projected"}) {
    BOOST_TEST_CONTEXT(form) {
      SensitivityOptions wanted;
      wanted.parameters = {"weight.gy"};
      SimulationOptions options = options_for(form, 4.5, {}, 1e-6);
      options.inactive_constraints = {"stop"};
      const Sensitivities without = required(sensitivities(pendulum(-5.0), horizontal, options, wanted));
      options.events = {{"turn", [](const EventPoint& p) { return -1e-4 - p.q()[1]; }}};
      const Sensitivities found = required(sensitivities(pendulum(-5.0), horizontal, options, wanted));
      check_near(column(found.points.back(), 0), column(without.points.back(), 0), 1e-3, "s");
      BOOST_REQUIRE(found.events.size() == 7U);
      for (const EventSensitivity& event : found.events)
        check_near(event.dt, VectorXd::Constant(1, 0.5 * event.t / gravity), 1e-2, "dt");
    }
  }
}

/// Measurements after the end of the motion say so.
BOOST_AUTO_TEST_CASE(identification_across_an_impact) {
  const auto truth = ball_on({0.2});
  const InitialState start{0.0, Vector2d(0.0, 1.0), {}};
  SimulationOptions options = options_for("baumgarte", 1.0, {impact_event("floor", 0.8)}, 1e-8);
  Measurement height{"ball[1]", {}, {}, 1e-3};
  const Simulation run = simulate(truth, start, options);
  for (const double t : {0.2, 0.5, 0.7, 0.9}) {
    height.t.push_back(t);
    height.values.push_back(run.trajectory.position_at(t)[1]);
  }
  IdentificationOptions wanted;
  wanted.parameters = {"floor.height"};
  const auto guess = with_parameters(truth, {{"floor.height", 0.25}});
  const Identification found = identify(guess, start, {height}, options, wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  BOOST_TEST(std::abs(found.parameters[0].value - 0.2) < 1e-6);
  options.events = {stop_at_contact("floor")};
  const Identification ended = identify(guess, start, {height}, options, wanted);
  BOOST_TEST(!ended.status.finished());
  BOOST_TEST(contains(ended.status.message, "before the last measurement"), ended.status.message);
}

/// Up to a ceiling, which is touched by less than the tolerance, or well.
BOOST_AUTO_TEST_CASE(grazed_events_have_no_derivative) {
  for (const double share : {1e-5, 1e-2}) {
    Assembly assembly;
    const Block ball = assembly.add_coordinates("ball", 2);
    assembly.add("mass", PointMass{1.0}, {ball});
    assembly.add("weight", UniformGravity{1.0, 0.0, -gravity}, {ball});
    assembly.add("ceiling", Floor{-(1.0 - share), -0.5 * M_PI}, {ball});
    assembly.add("guide", StiffGuide{}, {ball});  // keeps the steps short, so that the dip is seen
    SensitivityOptions wanted;
    wanted.parameters = {"weight.gy"};
    const Sensitivities found =
        sensitivities(assembly.build(), {0.0, Vector2d(0.1, 0.0), Vector2d(0.0, std::sqrt(2.0 * gravity))},
                      options_for("baumgarte", 0.6, {impact_event("ceiling", 1.0)}, 1e-5), wanted);
    if (share == 1e-2) {
      BOOST_TEST(found.status.finished(), found.status.message);
      BOOST_TEST(found.events.size() == 1U);
    } else {
      BOOST_TEST((found.status.outcome == Outcome::infeasible));
      BOOST_TEST(contains(found.status.message, "\"ceiling\""), found.status.message);
      BOOST_TEST(contains(found.status.message, "grazed"), found.status.message);
    }
  }
}

/// Two balls that touch the floor together: gravity keeps them together, a start value does not.
BOOST_AUTO_TEST_CASE(events_at_one_time) {
  Assembly assembly;
  for (const char* number : {"1", "2"}) {
    const std::string n = number;
    const Block ball = assembly.add_coordinates("ball" + n, 2);
    assembly.add("mass" + n, PointMass{1.0}, {ball});
    assembly.add("hoist" + n, Hoist{-20.0}, {ball});
    assembly.add("floor" + n, Floor{}, {ball});
  }
  const auto system = assembly.build();
  const InitialState start{0.0, Eigen::Vector4d(0.0, 1.0, 2.0, 1.0), {}};
  const SimulationOptions options =
      options_for("baumgarte", 0.8, {impact_event("floor1", 0.5), impact_event("floor2", 0.5)});
  SensitivityOptions wanted;
  wanted.start_positions = {"ball1[0]"};
  const Sensitivities together = required(sensitivities(system, start, options, wanted));
  BOOST_TEST(together.events.size() == 2U);
  BOOST_TEST((together.points.back().q.col(0) - Eigen::Vector4d::Unit(0)).norm() < 1e-9);
  wanted.start_positions = {"ball1[1]"};
  const Sensitivities apart = sensitivities(system, start, options, wanted);
  BOOST_TEST((apart.status.outcome == Outcome::infeasible));
  BOOST_TEST(contains(apart.status.message, "\"floor2\""), apart.status.message);
  BOOST_TEST(contains(apart.status.message, "q(ball1[1])"), apart.status.message);
}

BOOST_AUTO_TEST_CASE(what_is_refused_of_events) {
  const auto system = ball_on({});
  const InitialState start{0.0, Vector2d(0.0, 1.0), {}};
  SensitivityOptions wanted;
  const auto refused = [&](const SimulationOptions& options, const std::string& part) {
    BOOST_CHECK_EXCEPTION(sensitivities(system, start, options, wanted), Error,
                          [&](const Error& e) { return contains(e.what(), part); });
  };
  wanted.event_parameters = {{"e", 0.5, {}}};
  refused(options_for("baumgarte", 1.0, {impact_event("floor", 0.5)}), "has no function");
  wanted.event_parameters = {restitution("floor", 0.5)};
  refused(options_for("baumgarte", 1.0, {}), "same names in the same order");
  refused(options_for("baumgarte", 1.0, {{}}), "same names in the same order");
  wanted.event_parameters.push_back(restitution("floor", 0.5));
  refused(options_for("baumgarte", 1.0, {impact_event("floor", 0.5)}), "twice");
}

// Two rows that are one while active: ggl has no equations for them, and what was found up to the event is kept.
BOOST_AUTO_TEST_CASE(rows_that_become_redundant_at_an_event_end_the_run_with_what_was_found) {
  Assembly assembly;
  const Block y = assembly.add_coordinates("y", BlockKind::translation);
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  assembly.add("mass", SlidingMass{1.0}, {y});
  assembly.add("other mass", SlidingMass{1.0}, {x});
  assembly.add("weight", AxialForce{ConstantEffort{-9.81}}, {y});
  assembly.add("guide", PrescribedCoordinate{sunlagrange::Constant{0.0}}, {x});
  for (const char* name : {"floor", "twin"}) assembly.add(name, PrescribedCoordinate{sunlagrange::Constant{0.0}}, {y});
  Event landing{"landing", [](const EventPoint& at) { return at.q()[0]; }, Crossing::falling,
                [](EventContext& at) {
                  at.activate("floor");
                  at.activate("twin");
                }};
  SimulationOptions options = options_for("ggl", 1.0, {landing}, 1e-8);
  options.inactive_constraints = {"floor", "twin"};
  SensitivityOptions wanted;
  wanted.start_positions = {"y"};
  wanted.times = {0.0, 0.2, 0.4, 0.8};
  const Sensitivities found = sensitivities(assembly.build(), {0.0, Vector2d(1.0, 0.0), {}}, options, wanted);
  BOOST_TEST(to_string(found.status.outcome) == std::string("rank_loss"));
  BOOST_TEST(found.status.message.find("redundant rows") != std::string::npos, found.status.message);
  BOOST_REQUIRE(found.points.size() == 3U);
  for (const SensitivityPoint& point : found.points) BOOST_TEST(std::abs(point.q(0, 0) - 1.0) < 1e-6);
}
