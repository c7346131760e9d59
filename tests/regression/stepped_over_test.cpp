// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/make_system.hpp>
#include <sunlagrange/simulation/simulate.hpp>

/// What begins and ends while a mechanism rests or coasts: an integrator that evaluates the model at both ends of a
/// long step alone has seen nothing of it, and every error test is content.
using namespace sunlagrange;

namespace {

constexpr double length = 10.0;  // of the runs [s]
constexpr double pi = 3.14159265358979323846;

/// 0, but for one hump that rises and falls within `ramp` each: its integral is `ramp`.
struct Hump {
  SmoothStep up, down;

  Hump(double begin, double ramp) : up{0.0, 1.0, begin, ramp}, down{0.0, 1.0, begin + ramp, ramp} {}

  template <class T>
  T operator()(const T& t) const {
    return up(t) - down(t);
  }
};

struct Form {
  const char *formulation, *integrator;
};
constexpr Form forms[] = {{"automatic", "automatic"},
                          {"baumgarte", "cvode_bdf"},
                          {"baumgarte", "cvode_adams"},
                          {"baumgarte", "dopri5"},
                          {"projected", "cvode_bdf"},
                          {"projected", "dopri5"},
                          {"ggl", "ida"},
                          {"index1", "ida"},
                          {"ggl", "radau"},
                          {"coordinate_partitioning", "cvode_bdf"}};

/// The largest error of the angle at the end that no doubt tells, over ten onsets, in tolerances.
/// @param turn      adds what turns the wheel from its onset on, and returns the angle at the end
/// @param distance  of the onsets, from 1 s on [s]
template <class Turn>
double largest_silent_error(const Form& form, double max_step, Turn&& turn, double distance = 0.83) {
  double largest = 0.0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    for (int k = 0; k < 10; ++k) {
      Assembly assembly;
      const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
      assembly.add("wheel", Flywheel{1.0}, {shaft});
      const double exact = turn(assembly, shaft, 1.0 + distance * k);
      SimulationOptions options;
      options.formulation = form.formulation;
      options.integrator = form.integrator;
      options.rtol = options.atol = tolerance;
      options.t_end = length;
      options.max_step = max_step;
      const Simulation run = simulate(assembly.build(), {0.0, Eigen::VectorXd::Zero(1), {}}, options);
      BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
      if (!run.status.has_no_doubts()) continue;
      const double error = std::abs(run.trajectory.q(run.trajectory.size() - 1)[0] - exact);
      largest = std::max(largest, error / (tolerance * (1.0 + std::abs(exact))));
    }
  }
  return largest;
}

template <int milliseconds>
double torque_hump(Assembly& assembly, const Block& shaft, double begin) {
  constexpr double ramp = 1e-3 * milliseconds;
  const Hump hump(begin, ramp);
  assembly.add("torque", AppliedTorque{[hump](auto t, auto, auto) { return hump(t); }}, {shaft});
  return ramp * (length - begin - ramp);
}

/// The same by two laws that state when they begin and end; the integral is 1.
template <int microseconds>
double stated_torque_hump(Assembly& assembly, const Block& shaft, double begin) {
  constexpr double ramp = 1e-6 * microseconds;
  assembly.add("up", AppliedTorque{TimeLaw{SmoothStep{0.0, 1.0 / ramp, begin, ramp}}}, {shaft});
  assembly.add("down", AppliedTorque{TimeLaw{SmoothStep{0.0, -1.0 / ramp, begin + ramp, ramp}}}, {shaft});
  return length - begin - ramp;
}

/// A tooth of a table of values: the spline through it has the integral that its nodes give.
double table_tooth(Assembly& assembly, const Block& shaft, double begin) {
  constexpr double foot = 1e-3;
  const SplineTable table({0.0, begin - foot, begin, begin + foot, length}, {0.0, 0.0, 1e3, 0.0, 0.0});
  assembly.add("torque", AppliedTorque{TimeLaw{table}}, {shaft});
  double rate = 0.0, angle = 0.0,
         t = 0.0;  // by Simpson's rule, exact for the cubic pieces and nearly for their integral
  for (const double end : {begin - foot, begin, begin + foot, length}) {
    constexpr int parts = 2000;
    const double h = (end - t) / parts;
    for (int k = 0; k < parts; ++k, t += h) {
      const double f0 = table(t), fm = table(t + 0.5 * h), f1 = table(t + h);
      angle += h * rate + h * h / 6.0 * (f0 + 2.0 * fm);
      rate += h / 6.0 * (f0 + 4.0 * fm + f1);
    }
    t = end;
  }
  return angle;
}

/// A mass on a line that a force pushes for a short time, and that a soft floor throws back.
struct Pushed {
  static constexpr int num_positions = 1;
  double begin = 0.5, width = 1e-4, floor = -1e9, stiffness = 1e6;
  bool states = true;

  void describe_parameters(Parameters& p) {
    p.finite("begin", begin, "s", "of the push");
    if (!states) return;
    p.not_smooth_at(begin);
    p.not_smooth_at(begin + width);
  }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T>, View<T> f) const {
    using std::sin;
    if (t > begin && t < begin + width)
      f[0] = 2.0 / width * sin(pi / width * (t - begin)) * sin(pi / width * (t - begin));
    if (q[0] < floor) f[0] += stiffness * (floor - q[0]);
  }
  void not_smooth(double, View<const double> q, View<const double>, NotSmooth& n) const {
    if (states) n.gap(q[0] - floor);
  }
};

/// Kicked at a time, and where it has come far enough: a function of double that states nothing.
struct Kicked {
  static constexpr int num_positions = 1;
  double begin = 0.53, reached = -1.0;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = 1.0; }
  void applied_force(double t, View<const double> q, View<const double>, View<double> f) const {
    f[0] = 0.0;
    if (q[0] > reached && t > begin && t < begin + 0.02) f[0] = 50.0;
  }
};

double rate_step(Assembly& assembly, const Block& shaft, double begin) {
  constexpr double ramp = 0.2;
  const SmoothStep step{0.0, 1.0, begin, ramp};
  assembly.add("drive", PrescribedRate{[step](auto t) { return step(t); }}, {shaft});
  return length - begin - 0.5 * ramp;
}

}  // namespace

BOOST_AUTO_TEST_CASE(humps_of_two_hundredths_of_the_run_are_seen) {
  for (const Form& form : forms) {
    BOOST_TEST_CONTEXT(form.formulation << ", " << form.integrator)
    BOOST_TEST(largest_silent_error(form, 0.0, torque_hump<100>) < 1000.0);
  }
}

/// From one round time to the next, where steps of a hundredth would end. (Stages may lie at both feet of such a hump.)
BOOST_AUTO_TEST_CASE(humps_between_round_times_are_seen) {
  for (const Form& form : forms) {
    const std::string integrator = form.integrator;
    if (integrator == "automatic" || integrator == "dopri5") continue;
    BOOST_TEST_CONTEXT(form.formulation << ", " << form.integrator)
    BOOST_TEST(largest_silent_error(form, 0.0, torque_hump<50>, 0.8) < 1000.0);
  }
  BOOST_TEST(largest_silent_error({"baumgarte", "cvode_bdf"}, length / 100.0, torque_hump<50>, 0.8) > 1e4);
}

/// However short: no step leads across a time at which a law says that it begins or ends. IDA tests the error of its
/// first steps behind a long rest by the differences of a high order, which are small: it is the least accurate.
BOOST_AUTO_TEST_CASE(what_laws_state_is_not_stepped_over) {
  for (const Form& form : forms) {
    BOOST_TEST_CONTEXT(form.formulation << ", " << form.integrator) {
      BOOST_TEST(largest_silent_error(form, 0.0, stated_torque_hump<500>) < 2000.0);
      BOOST_TEST(largest_silent_error(form, 0.0, stated_torque_hump<4000>) < 2000.0);
      BOOST_TEST(largest_silent_error(form, 0.0, table_tooth) < 2000.0);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_model_of_the_user_states_is_not_stepped_over) {
  for (const bool states : {true, false}) {
    Pushed model;
    model.states = states;
    SimulationOptions options;
    options.formulation = "unstabilized";
    const Simulation run = simulate(make_system(model), {0.0, Eigen::VectorXd::Zero(1), {}}, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    const double right = 1.0 - model.begin - 0.5 * model.width;
    BOOST_TEST((std::abs(run.trajectory.q(run.trajectory.size() - 1)[0] - right) < 1e-4) == states);
  }
}

/// Thrown at a floor that it touches for a hundredth of the longest step, it comes back with its velocity.
BOOST_AUTO_TEST_CASE(a_floor_that_a_model_states_throws_back) {
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5", "radau"}) {
    Pushed model;
    model.begin = 1e9;
    model.floor = 0.0;
    model.stiffness = 1e8;
    SimulationOptions options;
    options.formulation = "unstabilized";
    options.integrator = integrator;
    const Simulation run =
        simulate(make_system(model), {0.0, Eigen::VectorXd::Ones(1), Eigen::VectorXd::Constant(1, -2.0)}, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    const double in_contact = std::acos(-1.0) / std::sqrt(model.stiffness);
    BOOST_TEST(std::abs(run.trajectory.q(run.trajectory.size() - 1)[0] - 2.0 * (1.0 - 0.5 - in_contact)) < 1e-3,
               integrator);
  }
}

/// A bar that turns about its end, whose tip dips into a rough surface once a turn, for a few milliseconds.
BOOST_AUTO_TEST_CASE(contacts_that_are_dipped_into_are_not_stepped_over) {
  for (const double depth : {1e-4, 1e-5, 1e-6}) {
    const double start = 0.5 * std::acos(-1.0) + 0.3;
    Assembly assembly;
    const Block bar = assembly.add_coordinates("bar", BlockKind::planar_body);
    assembly.add("inertia", PlanarRigidBody{1.0, 1.0 / 12.0}, {bar});
    assembly.add("pin", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {bar});
    SurfaceContact<OnBody> floor;
    floor.y = -1.0 + depth;
    floor.d = 0.05;
    floor.v_r = 1e-2;
    floor.end = OnBody{0.5, 0.0};
    assembly.add("floor", floor, {bar});
    const auto system = assembly.build();
    Eigen::Vector3d q(0.5 * std::cos(start), 0.5 * std::sin(start), start);
    Eigen::Vector3d v(-0.5 * std::sin(start), 0.5 * std::cos(start), 1.0);
    const auto end_of = [&](const Form& form, double max_step, double tolerance) {
      SimulationOptions options;
      options.formulation = form.formulation;
      options.integrator = form.integrator;
      options.rtol = options.atol = tolerance;
      options.t_end = 10.0;
      options.max_step = max_step;
      const Simulation run = simulate(system, {0.0, q, v}, options);
      BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
      return run.trajectory.q(run.trajectory.size() - 1)[2];
    };
    const double right = end_of({"projected", "dopri5"}, 2e-4, 1e-9), free = start + 10.0;
    BOOST_TEST(std::abs(right - free) > 1e-7);
    for (const Form& form : {Form{"automatic", "automatic"}, Form{"baumgarte", "cvode_bdf"},
                             Form{"projected", "dopri5"}, Form{"ggl", "ida"}, Form{"ggl", "radau"}}) {
      BOOST_TEST(std::abs(end_of(form, 0.0, 1e-3 * depth) - right) < 0.1 * std::abs(right - free),
                 form.formulation << " " << form.integrator << ", depth " << depth);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_drive_that_is_switched_on_is_seen) {
  for (const Form& form : forms) {
    if (form.formulation == std::string("index1")) continue;  // of position constraints
    BOOST_TEST_CONTEXT(form.formulation << ", " << form.integrator)
    BOOST_TEST(largest_silent_error(form, 0.0, rate_step) < 1000.0);
  }
}

/// What the limit is for: without it both are missed, by forms of every kind.
BOOST_AUTO_TEST_CASE(without_a_limit_they_are_stepped_over) {
  BOOST_TEST(largest_silent_error({"baumgarte", "cvode_bdf"}, length, torque_hump<100>) > 1e4);
  BOOST_TEST(largest_silent_error({"ggl", "ida"}, length, torque_hump<100>) > 1e4);
  BOOST_TEST(largest_silent_error({"projected", "dopri5"}, length, rate_step) > 1e4);
}

/// A wheel that turns by itself, is driven evenly or swings slowly takes the steps that its tolerance asks for. A fast
/// oscillation is no polynomial within such a step: then the limit holds, and few steps are repeated.
BOOST_AUTO_TEST_CASE(only_functions_of_time_that_change_are_limited) {
  struct Drive {
    std::string name;
    TimeLaw torque;
    bool limited;
  };
  const std::vector<Drive> drives = {{"none", Constant{1.0}, false},
                                     {"uniform", Uniform{0.0, 1e-2}, false},
                                     {"polynomial", Polynomial{{1e-2, 0.0, 1e-3}}, false},
                                     {"slow", Harmonic{0.0, 1.0, 0.2, 0.5}, false},
                                     {"fast", Harmonic{0.0, 40.0, 6.0, 0.5}, true}};
  for (const Drive& drive : drives) {
    for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5", "radau"}) {
      Assembly assembly;
      const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
      assembly.add("wheel", Flywheel{1.0}, {shaft});
      assembly.add("torque", AppliedTorque{drive.torque}, {shaft});
      const auto system = assembly.build();
      SimulationOptions options;
      options.formulation = "baumgarte";
      options.integrator = integrator;
      options.rtol = options.atol = 1e-3;
      options.t_end = length;
      const InitialState start{0.0, Eigen::VectorXd::Zero(1), {}};
      const Simulation run = simulate(system, start, options);
      options.max_step = length / 107.0;
      const Simulation limited = simulate(system, start, options);
      BOOST_TEST_CONTEXT(drive.name << ", " << integrator << ": " << run.report.steps << " steps, with the limit "
                                    << limited.report.steps) {
        BOOST_REQUIRE(run.status.finished());
        const double end = limited.trajectory.q(limited.trajectory.size() - 1)[0];
        BOOST_TEST(std::abs(run.trajectory.q(run.trajectory.size() - 1)[0] - end) < 0.2 * (1.0 + std::abs(end)));
        if (drive.name != "slow") BOOST_TEST((run.report.used.max_step > 0.0) == drive.limited);
        if (!drive.limited) BOOST_TEST(2 * run.report.steps < limited.report.steps);
        BOOST_TEST(run.report.steps < 1.5 * static_cast<double>(limited.report.steps));
      }
    }
  }
}

/// Branches by the time are seen although NaN takes the same way as the start, in functions of double, too; and those
/// that the motion reaches later, also beside a drive whose dependence on the time is known from the start.
BOOST_AUTO_TEST_CASE(pulses_behind_branches_are_seen) {
  for (const bool beside_drive : {false, true}) {
    for (const double reached : {-1.0, 0.2}) {
      for (const char* integrator : {"cvode_bdf", "dopri5", "radau"}) {
        Kicked model;
        model.reached = reached;
        Assembly assembly;
        const Block body = assembly.add_coordinates("body", BlockKind::translation);
        assembly.add("kicked", model, {body});
        if (beside_drive) {
          const Block belt = assembly.add_coordinates("belt", BlockKind::translation);
          assembly.add("mass", SlidingMass{1.0}, {belt});
          assembly.add("drive", PrescribedCoordinate{Uniform{0.0, 1e-2}}, {belt});
        }
        const auto system = assembly.build();
        Eigen::VectorXd v = Eigen::VectorXd::Constant(system->num_positions(), 1e-2);
        v[0] = 1.0;
        SimulationOptions options;
        options.formulation = "baumgarte";
        options.integrator = integrator;
        const Simulation run = simulate(system, {0.0, Eigen::VectorXd::Zero(v.size()), v}, options);
        BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
        const double right = 1.0 + 1.0 - model.begin - 0.01;
        BOOST_TEST(std::abs(run.trajectory.q(run.trajectory.size() - 1)[0] - right) < 1e-3,
                   integrator << ", reached " << reached << ", beside a drive " << beside_drive);
        BOOST_TEST(run.report.used.max_step > 0.0);
      }
    }
  }
}

/// Roots of events, gaps and dry friction may be crossed twice within a step: the limit holds.
BOOST_AUTO_TEST_CASE(the_limit_holds_where_roots_and_gaps_are_watched) {
  const auto used = [](const std::shared_ptr<const MechanicalSystem>& system, const std::vector<Event>& events) {
    SimulationOptions options;
    options.formulation = "unstabilized";
    options.integrator = "dopri5";
    options.events = events;
    return simulate(system, {0.0, Eigen::VectorXd::Ones(1), {}}, options).report.used.max_step;
  };
  const auto mass = [](bool friction) {
    Assembly assembly;
    const Block x = assembly.add_coordinates("x", BlockKind::translation);
    assembly.add("mass", SlidingMass{1.0}, {x});
    if (friction) assembly.add("friction", AxialFrictionToGround{}, {x});
    return assembly.build();
  };
  Pushed gap;
  gap.begin = 1e9;
  Event root{"root", [](const EventPoint& p) { return p.q()[0] - 5.0; }, Crossing::any};
  const Event recorded = root;
  root.action = [](EventContext&) {};
  Event timed;
  timed.name = "timed";
  timed.times = {0.3};
  const double share = 1.0 / 53.5;
  BOOST_TEST(used(mass(false), {}) == 0.0);
  BOOST_TEST(used(mass(false), {timed}) == 0.0);
  BOOST_TEST(used(mass(false), {recorded}) == 0.0);
  BOOST_TEST(used(mass(false), {root}) == share, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(used(mass(true), {}) == share, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(used(make_system(gap), {}) == share, boost::test_tools::tolerance(1e-12));
}

/// Why `automatic` takes no pair of order eight (decision 27).
BOOST_AUTO_TEST_CASE(pairs_of_order_eight_step_over_humps) {
  BOOST_TEST(largest_silent_error({"projected", "verner8"}, 0.0, torque_hump<100>) > 100.0);
}

/// A stage inside the surface throws the later ones out of it, and has no weight: a step of free fall through the
/// contact, which the error test does not see.
BOOST_AUTO_TEST_CASE(a_contact_within_one_step_is_seen_or_doubted) {
  int missed = 0;
  for (const double height : {0.5, 1.0, 2.0, 5.0, 10.0}) {
    Assembly assembly;
    const Block ball = assembly.add_coordinates("ball", BlockKind::planar_point);
    assembly.add("mass", PointMass{1.0}, {ball});
    assembly.add("weight", UniformGravity{1.0}, {ball});
    SurfaceContact floor;
    floor.y = 0.0;
    floor.d = 0.5;
    assembly.add("floor", floor, {ball});
    const auto system = assembly.build();
    SimulationOptions options;
    options.formulation = "projected";
    options.t_end = 3.0;
    const auto run_with = [&](const char* integrator, double rtol, double max_step) {
      options.integrator = integrator;
      options.rtol = options.atol = rtol;
      options.max_step = max_step;
      return simulate(system, {0.0, Eigen::Vector2d(0.0, height), Eigen::Vector2d(1.0, 0.0)}, options);
    };
    const auto end_of = [](const Simulation& run) { return run.trajectory.q(run.trajectory.size() - 1); };
    const Eigen::Vector2d reference = end_of(run_with("cvode_bdf", 1e-9, 0.0));
    for (const char* integrator : {"verner6", "verner8", "fehlberg8", "dopri5"}) {
      const Simulation run = run_with(integrator, 1e-6, 0.0);
      BOOST_REQUIRE(!run.trajectory.empty());
      if ((end_of(run) - reference).lpNorm<Eigen::Infinity>() < 1e-3) continue;
      ++missed;
      BOOST_TEST(!run.status.has_no_doubts(), integrator << " from " << height << " m");
      const Simulation with_limit = run_with(integrator, 1e-6, 1e-3);
      const bool right = (end_of(with_limit) - reference).lpNorm<Eigen::Infinity>() < 1e-3;
      BOOST_TEST((right || !with_limit.status.has_no_doubts()),
                 integrator << " from " << height << " m, shorter steps");
    }
  }
  BOOST_TEST(missed > 0);
}

/// A soft spring of 5 rad/s carries a point around, whose circle cuts 0.01 mm off a stiff floor: contacts of a
/// millisecond. One step of an explicit method leads from free flight into the floor without a stage inside. With the
/// angle alpha at which the point enters, a contact lasts tau instead of the (pi - 2 alpha) / w that the free motion
/// spends below the floor, and what follows is the free motion, earlier by the difference.
BOOST_AUTO_TEST_CASE(a_step_that_ends_inside_a_contact_ends_where_it_begins) {
  constexpr double w = 5.0, stiffness = 1e7, floor_y = -1.0 + 1e-5, t_end = 3.0;
  Assembly assembly;
  const Block point = assembly.add_coordinates("point", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {point});
  assembly.add("spring", LinearSpring<AtPoint, OnGround>{w * w, 0.0}, {point});
  SurfaceContact<> floor;
  floor.y = floor_y;
  floor.k = stiffness;
  floor.mu = 0.0;
  assembly.add("floor", floor, {point});
  const auto system = assembly.build();

  const double alpha = std::asin(-floor_y), entry = w * std::cos(alpha), inside = std::sqrt(w * w + stiffness);
  const double above_rest = floor_y - stiffness * floor_y / (w * w + stiffness);  // negative
  const double tau = 2.0 / inside * (pi - std::atan2(entry / inside, above_rest));
  const double earlier = (pi - 2.0 * alpha) / w - tau;
  constexpr int contacts = 3;
  const Eigen::Vector2d right(std::cos(w * t_end), -std::sin(w * (t_end + contacts * earlier)));
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 3e-9}) {
    SimulationOptions options;
    options.rtol = options.atol = tolerance;
    options.t_end = t_end;
    const Simulation run = simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -w)}, options);
    BOOST_TEST(run.status.has_no_doubts());
    const Eigen::Vector2d end = run.trajectory.q(run.trajectory.size() - 1);
    BOOST_TEST((end - right).lpNorm<Eigen::Infinity>() < 1e3 * tolerance, tolerance << ": " << end.transpose());
  }
}

BOOST_AUTO_TEST_CASE(a_limit_of_ones_own_holds_and_shorter_humps_ask_for_it) {
  BOOST_TEST(largest_silent_error({"baumgarte", "cvode_bdf"}, 0.01, torque_hump<10>) < 1000.0);
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5", "radau", "ida"}) {
    Assembly assembly;
    const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
    assembly.add("wheel", Flywheel{1.0}, {shaft});
    const auto system = assembly.build();
    SimulationOptions options;
    options.formulation = integrator == std::string("ida") ? "ggl" : "baumgarte";
    options.integrator = integrator;
    for (const double limit : {0.0, 0.003}) {
      options.max_step = limit;
      const Simulation run = simulate(system, {0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)}, options);
      BOOST_REQUIRE(run.status.finished());
      double longest = 0.0;
      for (std::size_t k = 1; k < run.trajectory.size(); ++k)
        longest = std::max(longest, run.trajectory.t(k) - run.trajectory.t(k - 1));
      BOOST_TEST(run.report.used.max_step == limit);
      if (limit == 0.0) {
        BOOST_TEST(longest > 0.1, integrator << ": " << longest);  // it coasts
        continue;
      }
      BOOST_TEST(longest <= limit * (1.0 + 1e-9) + 1e-12, integrator << ": " << longest);
      BOOST_TEST(longest > 0.5 * limit);
    }
  }
  SimulationOptions options;
  options.max_step = -1.0;
  Assembly assembly;
  const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
  assembly.add("wheel", Flywheel{1.0}, {shaft});
  BOOST_CHECK_EXCEPTION(
      simulate(assembly.build(), {0.0, Eigen::VectorXd::Zero(1), {}}, options), Error,
      [](const Error& e) { return std::string(e.what()).find("max_step = -1") != std::string::npos; });
}
