// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// A run step by step: it is the run of simulate(), lands where it is told to, and follows its inputs.
using namespace sunlagrange;

namespace {

struct Way {
  const char* formulation;
  const char* integrator;
  double step = 0.0;
};

const std::vector<Way> ways = {{"baumgarte", "cvode_bdf"},
                               {"augmented_lagrangian", "cvode_adams"},
                               {"baumgarte", "dopri5"},
                               {"coordinate_partitioning", "cvode_bdf"},
                               {"penalty", "verner6"},
                               {"baumgarte", "rk4", 1.7e-3},
                               {"baumgarte", "radau"},
                               {"ggl", "radau"},
                               {"ggl", "ida"},
                               {"index3", "ida"},
                               {"stabilized_index1", "ida"},
                               {"index3_augmented_lagrangian", "trapezoidal", 3e-4}};

SimulationOptions options_of(const Way& way, double t_end) {
  SimulationOptions options;
  options.formulation = way.formulation;
  options.integrator = way.integrator;
  options.step = way.step;
  options.rtol = options.atol = 1e-8;
  options.t_end = t_end;
  return options;
}

/// A bar of 1 m and 2 kg on a pin, with a motor.
std::shared_ptr<const MechanicalSystem> arm() {
  Assembly assembly;
  const Block bar = assembly.add_coordinates("bar", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{2.0, 2.0 / 12.0}, {bar});
  assembly.add("weight", UniformGravity{2.0}, {centre_of(bar)});
  assembly.add("pin", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {bar});
  assembly.add("motor", AppliedTorque{Input{}}, {angle_of(bar)});
  return assembly.build();
}

InitialState hanging() {
  Eigen::Vector3d q(0.0, -0.5, -std::acos(0.0));
  return {0.0, q, {}};
}
InitialState horizontal() {
  return {0.0, Eigen::Vector3d(0.5, 0.0, 0.0), {}};
}

std::shared_ptr<const MechanicalSystem> slider() {
  Assembly assembly;
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  assembly.add("mass", SlidingMass{2.0}, {x});
  assembly.add("drive", AxialForce{Input{3.0}}, {x});
  return assembly.build();
}

/// A gain that multiplies a rate: its derivative vanishes at the start value.
struct Damped {
  Input gain{};
  static constexpr int num_positions = 1;
  void describe_parameters(Parameters& p) { p.part("gain", gain, "of the damping", "N s/m"); }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T t, View<const T>, View<const T> v, View<T> f) const {
    f[0] = -gain(t) * v[0];
  }
};

/// Throws at the last of the evaluations that `left` counts down to 0.
struct Fragile {
  std::shared_ptr<long> left;
  static constexpr int num_positions = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    if (*left > 0 && --*left == 0) throw Error("it broke");
    f[0] = -q[0];
  }
};

/// Every number of a trajectory.
std::vector<double> content_of(const Trajectory& path) {
  std::vector<double> all;
  for (std::size_t k = 0; k < path.size(); ++k) {
    all.insert(all.end(), {path.t(k), static_cast<double>(path.order(k))});
    for (const auto& part : {path.q(k), path.v(k), path.a(k), path.lambda(k)})
      all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(steps_are_those_of_simulate) {
  for (const Way& way : ways) {
    BOOST_TEST_CONTEXT(way.formulation << " " << way.integrator) {
      const SimulationOptions options = options_of(way, 0.7);
      const Simulation whole = simulate(arm(), horizontal(), options);
      Stepper stepper(arm(), horizontal(), options);
      std::size_t steps = 0;
      while (stepper.step()) {
        ++steps;
        BOOST_TEST(stepper.time() == whole.trajectory.t(steps));
        BOOST_TEST((stepper.state().q.array() == whole.trajectory.q(steps).array()).all());
      }
      BOOST_TEST(stepper.over());
      BOOST_TEST(steps + 1 == whole.trajectory.size());
      const Simulation run = stepper.finish();
      BOOST_TEST(run.status.has_no_doubts());
      BOOST_TEST(run.report.steps == whole.report.steps);
      BOOST_TEST(run.report.rhs_evaluations == whole.report.rhs_evaluations);
    }
  }
}

BOOST_AUTO_TEST_CASE(advance_to_lands_on_the_time_and_on_the_motion) {
  const Simulation exact = simulate(arm(), horizontal(), options_of({"ggl", "radau"}, 1.0));
  for (const Way& way : ways) {
    BOOST_TEST_CONTEXT(way.formulation << " " << way.integrator) {
      SimulationOptions options = options_of(way, 1.0);
      options.max_step = options.t_end;
      Stepper stepper(arm(), horizontal(), options);
      for (const double t : {0.011, 0.0112, 0.3, 0.3, 0.777, 1.0}) {
        BOOST_TEST(stepper.advance_to(t));
        BOOST_TEST(stepper.time() == t);
        const double error = (stepper.state().q - exact.trajectory.position_at(t)).lpNorm<Eigen::Infinity>();
        // index3 with ida at tolerances next to 1e-8: 3e-6 to 5e-5, as rounding has it
        BOOST_TEST(error < (way.formulation == std::string("index3") ? 1e-4 : 2e-5));
      }
      BOOST_TEST(stepper.over());
      BOOST_TEST(stepper.finish().status.has_no_doubts());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_mass_follows_its_input_exactly) {
  for (const Way& way : ways) {
    if (std::string(way.formulation) == "coordinate_partitioning") continue;
    BOOST_TEST_CONTEXT(way.formulation << " " << way.integrator) {
      Stepper stepper(slider(), {0.0, Eigen::VectorXd::Zero(1), {}}, options_of(way, 2.0));
      double x = 0.0, v = 0.0, force = 3.0;
      BOOST_TEST(stepper.read("x''") == 1.5, boost::test_tools::tolerance(1e-12));
      for (int k = 1; k <= 8; ++k) {
        BOOST_TEST(stepper.advance_to(0.25 * k));
        x += 0.25 * v + 0.5 * 0.0625 * force / 2.0;
        v += 0.25 * force / 2.0;
        BOOST_TEST(std::abs(stepper.read("x") - x) < 1e-6);
        BOOST_TEST(std::abs(stepper.read("x'") - v) < 1e-6);
        force = 2.0 * std::cos(k);
        stepper.set("drive", force);
        BOOST_TEST(stepper.read("drive") == force);
        BOOST_TEST(std::abs(stepper.read("x''") - force / 2.0) < 1e-12);  // at once
      }
      const Simulation run = stepper.finish();
      BOOST_TEST(run.status.has_no_doubts(), run.report.text(run.status));
      BOOST_TEST(run.report.energy_drift < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_input_that_does_not_change_costs_no_step) {
  const SimulationOptions options = options_of(ways.front(), 1.0);
  Stepper told(arm(), horizontal(), options), left_alone(arm(), horizontal(), options);
  for (int k = 1; k <= 20; ++k) {
    told.set("motor", 1.0);
    told.set("motor", 0.0);
    told.advance_to(0.05 * k);
    left_alone.advance_to(0.05 * k);
  }
  BOOST_TEST(told.so_far().report.steps == left_alone.so_far().report.steps);
  BOOST_TEST((told.state().q.array() == left_alone.state().q.array()).all());
}

BOOST_AUTO_TEST_CASE(steppers_on_one_system_have_inputs_of_their_own) {
  const auto system = slider();
  const InitialState rest{0.0, Eigen::VectorXd::Zero(1), {}};
  SimulationOptions options;
  Stepper one(system, rest, options), other(system, rest, options);
  one.set("drive", -4.0);
  one.advance_to(1.0);
  other.advance_to(1.0);
  const Simulation run = simulate(system, rest, options);
  BOOST_TEST(std::abs(one.read("x") + 1.0) < 1e-5);
  BOOST_TEST(std::abs(other.read("x") - 0.75) < 1e-5);
  BOOST_TEST(std::abs(run.trajectory.position_at(1.0)[0] - 0.75) < 1e-5);
}

BOOST_AUTO_TEST_CASE(inputs_are_called_like_their_elements) {
  Stepper stepper(make_system(Damped{}), {0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)},
                  options_of({"baumgarte", "cvode_bdf"}, 1.0));
  BOOST_TEST(stepper.inputs() == std::vector<std::string>{"gain"});
  stepper.set("gain", 2.0);
  BOOST_TEST(stepper.advance_to(1.0));
  BOOST_TEST(std::abs(stepper.state().v[0] - std::exp(-2.0)) < 1e-6);
  BOOST_TEST(Stepper(arm(), hanging()).inputs() == std::vector<std::string>{"motor"});
}

BOOST_AUTO_TEST_CASE(a_rate_may_jump_a_position_may_not) {
  Assembly assembly;
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  const Block y = assembly.add_coordinates("y", BlockKind::translation);
  for (const Block& b : {x, y}) assembly.add("mass of " + std::to_string(b.first), SlidingMass{1.0}, {b});
  assembly.add("speed", PrescribedRate{Input{1.0}}, {x});
  assembly.add("place", PrescribedCoordinate{Input{2.0}}, {y});
  for (const Way& way : {Way{"baumgarte", "cvode_bdf"}, Way{"ggl", "ida"}}) {
    Assembly again;
    if (way.integrator == std::string("cvode_bdf"))
      std::swap(again, assembly);
    else {
      const Block x2 = again.add_coordinates("x", BlockKind::translation);
      const Block y2 = again.add_coordinates("y", BlockKind::translation);
      for (const Block& b : {x2, y2}) again.add("mass of " + std::to_string(b.first), SlidingMass{1.0}, {b});
      again.add("speed", PrescribedRate{Input{1.0}}, {x2});
      again.add("place", PrescribedCoordinate{Input{2.0}}, {y2});
    }
    Stepper stepper(again.build(), {0.0, Eigen::Vector2d(0.0, 2.0), Eigen::Vector2d(1.0, 0.0)}, options_of(way, 2.0));
    stepper.advance_to(0.5);
    stepper.set("speed", -2.0);
    BOOST_TEST(std::abs(stepper.read("x'") + 2.0) < 1e-12);
    stepper.advance_to(1.0);
    BOOST_TEST(std::abs(stepper.read("x") + 0.5) < 1e-6);
    stepper.set("place", 3.0);
    BOOST_TEST(contains(complaint([&] { stepper.step(); }), "cannot jump"));
    BOOST_TEST(stepper.read("place") == 2.0);
    BOOST_TEST(stepper.advance_to(2.0));  // as if nothing had been said
    BOOST_TEST(std::abs(stepper.read("x") + 2.5) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(outputs_are_states_reactions_and_energy) {
  Stepper stepper(arm(), horizontal(), options_of({"ggl", "ida"}, 1.0));
  stepper.set("motor", 1.5);
  stepper.advance_to(0.4);
  const MotionState s = stepper.state();
  BOOST_TEST(stepper.read("bar.x") == s.q[0]);
  BOOST_TEST(stepper.read("bar.phi'") == s.v[2]);
  BOOST_TEST(stepper.read("bar.y''") == s.a[1]);
  BOOST_TEST(stepper.read("lambda:pin.y") == s.lambda[1]);
  // Newton and Euler: what the pin does to the bar
  BOOST_TEST(std::abs(stepper.read("force:pin:bar.x") - 2.0 * s.a[0]) < 1e-5);
  BOOST_TEST(std::abs(stepper.read("force:pin:bar.y") - 2.0 * (s.a[1] + 9.81)) < 1e-5);
  BOOST_TEST(std::abs(stepper.read("torque:pin:bar.z") - (2.0 / 12.0 * s.a[2] - 1.5)) < 1e-5);
  stepper.set("motor", 0.0);
  const MotionState after = stepper.state();
  BOOST_TEST(std::abs(s.a[2] - after.a[2] - 1.5 / (2.0 / 3.0)) < 1e-6);
  BOOST_TEST(std::abs(stepper.read("force:pin:bar.y") - 2.0 * (after.a[1] + 9.81)) < 1e-5);
  const double energy = stepper.read("energy");
  stepper.advance_to(0.8);
  BOOST_TEST(std::abs(stepper.read("energy") - energy) < 1e-5);
  const std::vector<std::string> known = stepper.outputs();
  for (const std::string& name : known) BOOST_TEST(std::isfinite(stepper.read(name)), name);
}

BOOST_AUTO_TEST_CASE(restore_goes_back_and_the_same_happens_again) {
  for (const Way& way : ways) {
    BOOST_TEST_CONTEXT(way.formulation << " " << way.integrator) {
      Stepper stepper(arm(), horizontal(), options_of(way, 1.0));
      stepper.set("motor", 1.0);
      stepper.advance_to(0.4);
      const Checkpoint saved = stepper.save();
      stepper.set("motor", -2.0);
      stepper.advance_to(0.9);
      const MotionState first = stepper.state();
      const long steps = stepper.so_far().report.steps;
      stepper.restore(saved);
      BOOST_TEST(stepper.time() == 0.4);
      BOOST_TEST(stepper.read("motor") == 1.0);
      stepper.set("motor", -2.0);
      stepper.advance_to(0.9);
      BOOST_TEST((stepper.state().q - first.q).lpNorm<Eigen::Infinity>() < 1e-5);
      BOOST_TEST(std::abs(stepper.so_far().report.steps - steps) < 0.2 * static_cast<double>(steps) + 5.0);
      const Simulation run = stepper.finish();
      BOOST_TEST(run.status.finished());
      for (std::size_t k = 1; k < run.trajectory.size(); ++k)
        BOOST_TEST(run.trajectory.t(k) >= run.trajectory.t(k - 1));
    }
  }
}

/// Co-simulation with roll-back: what lies behind stays where it is in memory, whatever its length.
BOOST_AUTO_TEST_CASE(a_restore_does_not_copy_the_trajectory) {
  Stepper stepper(arm(), horizontal(), options_of(ways.front(), 1.0));
  stepper.advance_to(0.02);
  for (int k = 2; k <= 50; ++k) {
    const Checkpoint saved = stepper.save();
    const std::vector<double> behind = content_of(stepper.so_far().trajectory);
    stepper.advance_to(0.02 * k);
    const double* first = stepper.so_far().trajectory.q(0).data();
    stepper.restore(saved);
    BOOST_TEST(stepper.so_far().trajectory.q(0).data() == first);
    const std::vector<double> now = content_of(stepper.so_far().trajectory);
    BOOST_TEST_REQUIRE(now.size() >= behind.size());
    BOOST_TEST(std::equal(behind.begin(), behind.end(), now.begin()));
    stepper.advance_to(0.02 * k);
  }
  BOOST_TEST(stepper.finish().status.has_no_doubts());
}

BOOST_AUTO_TEST_CASE(a_restore_that_throws_leaves_everything_as_it_was) {
  const auto left = std::make_shared<long>(0);
  const auto system = make_system(Fragile{left});
  for (const Way& way : {ways[0], ways[2], ways[8]}) {
    SimulationOptions options = options_of(way, 4.0);
    Stepper stepper(system, {0.0, Eigen::VectorXd::Ones(1), {}}, options);
    stepper.advance_to(1.0);
    const Checkpoint saved = stepper.save();
    stepper.advance_to(2.0);
    const std::vector<double> whole = content_of(stepper.so_far().trajectory);
    const long steps = stepper.so_far().report.steps;
    long throws = 0;
    for (long evaluation = 1;; ++evaluation) {
      *left = evaluation;
      const std::string refused = complaint([&] { stepper.restore(saved); });
      if (refused.empty()) break;
      ++throws;
      BOOST_TEST(contains(refused, "it broke"));
      BOOST_TEST(stepper.time() == 2.0);
      BOOST_TEST(stepper.so_far().report.steps == steps);
      BOOST_TEST((content_of(stepper.so_far().trajectory) == whole));
    }
    BOOST_TEST(throws > 0);
    *left = 0;
    BOOST_TEST(stepper.time() == 1.0);
    BOOST_TEST(stepper.advance_to(4.0));
    BOOST_TEST(std::abs(stepper.state().q[0] - std::cos(4.0)) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(what_automatic_chose_is_restored) {
  for (const char* formulation : {"automatic", "ggl"}) {
    SimulationOptions options;
    options.formulation = formulation;
    options.t_end = 1.0;
    Stepper stepper(arm(), horizontal(), options);
    stepper.advance_to(0.3);
    const Checkpoint saved = stepper.save();
    stepper.advance_to(0.6);
    stepper.restore(saved);
    while (stepper.step()) {
    }
    const Simulation whole = simulate(arm(), horizontal(), options), restored = stepper.finish();
    const Simulation resumed = [&] {
      Stepper other(arm(), saved, options);
      while (other.step()) {
      }
      return other.finish();
    }();
    BOOST_TEST(whole.report.used.formulation.used != "automatic");
    for (const Simulation* run : {&restored, &resumed}) {
      BOOST_TEST(run->report.used.formulation.used == whole.report.used.formulation.used);
      BOOST_TEST(run->report.used.integrator.used == whole.report.used.integrator.used);
    }
  }
}

// Newton and Euler about the pin: what the motor gives, the arm takes up, also after the last step.
BOOST_AUTO_TEST_CASE(inputs_after_the_end_are_seen_by_all_outputs) {
  SimulationOptions options;
  options.t_end = 0.2;
  Stepper stepper(arm(), horizontal(), options);
  while (stepper.step()) {
  }
  const double before = stepper.read("bar.phi''"), speed = stepper.read("bar.phi'"), torque = 50.0;
  stepper.set("motor", torque);  // from here on states meet the constraints to rounding, and v' is the model's own
  const double pulled = stepper.read("bar.phi''");
  BOOST_TEST(stepper.read("bar.phi'") == speed, boost::test_tools::tolerance(1e-6));
  const double pull = stepper.read("lambda:pin.x");
  stepper.set("motor", 0.0);
  BOOST_TEST(pulled - stepper.read("bar.phi''") == torque / (2.0 / 12.0 + 2.0 * 0.25),
             boost::test_tools::tolerance(1e-7));
  BOOST_TEST(stepper.read("bar.phi''") == before, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(stepper.read("lambda:pin.x") != pull);
  BOOST_TEST(stepper.finish().status.finished());
}

BOOST_AUTO_TEST_CASE(observers_stay_questions_end) {
  SimulationOptions options = options_of(ways.front(), 1.0);
  options.keep_going = [](double t) { return t < 0.6; };
  Stepper stepper(arm(), horizontal(), options);
  int seen = 0;
  BOOST_TEST(!stepper.advance_to(0.5, [&seen](Stepper& s) { return ++seen < 3 && s.time() < 0.5; }));
  BOOST_TEST(seen == 3);
  BOOST_TEST(!stepper.over());
  BOOST_TEST(stepper.advance_to(0.5));
  BOOST_TEST(!stepper.advance_to(1.0));
  BOOST_TEST(stepper.over());
  BOOST_TEST((stepper.status().outcome == Outcome::interrupted));
  BOOST_TEST(!stepper.step());
  const Simulation run = stepper.finish();
  BOOST_TEST((run.status.outcome == Outcome::interrupted));
  BOOST_TEST(contains(complaint([&] { stepper.step(); }), "finished"));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_finished_early_says_so) {
  Stepper stepper(arm(), horizontal(), options_of(ways.front(), 1.0));
  stepper.advance_to(0.5);
  const Simulation run = stepper.finish();
  BOOST_TEST(run.status.has_no_doubts());
  BOOST_TEST(contains(run.status.message, "ended at t = 0.5"));
  BOOST_TEST(run.report.t_reached == 0.5);
}

BOOST_AUTO_TEST_CASE(a_contact_opens_when_an_input_pulls) {
  for (const Way& way : {Way{"baumgarte", "cvode_bdf"}, Way{"ggl", "ida"}, Way{"projected", "dopri5"}}) {
    BOOST_TEST_CONTEXT(way.formulation << " " << way.integrator) {
      Assembly assembly;
      const Block h = assembly.add_coordinates("h", BlockKind::translation);
      assembly.add("mass", SlidingMass{1.0}, {h});
      assembly.add("force", AxialForce{Input{-10.0}}, {h});
      assembly.add("floor", PrescribedCoordinate{Constant{0.0}}, {h});
      SimulationOptions options = options_of(way, 3.0);
      options.events = {unilateral_contact("floor")};
      Stepper stepper(assembly.build(), {0.0, Eigen::VectorXd::Ones(1), {}}, options);
      BOOST_TEST(stepper.advance_to(1.0));  // has fallen and lies
      BOOST_TEST(std::abs(stepper.read("h")) < 1e-7);
      stepper.set("force", -5.0);
      BOOST_TEST(stepper.advance_to(1.5));
      BOOST_TEST(std::abs(stepper.read("h")) < 1e-7);
      stepper.set("force", 4.0);
      BOOST_TEST(stepper.read("lambda:floor") == 0.0);  // at once
      BOOST_TEST(stepper.advance_to(2.0));
      BOOST_TEST(std::abs(stepper.read("h") - 0.5) < 1e-6);
      const Checkpoint in_flight = stepper.save();
      stepper.set("force", -40.0);
      BOOST_TEST(stepper.advance_to(3.0));
      BOOST_TEST(std::abs(stepper.read("h")) < 1e-7);
      stepper.restore(in_flight);
      BOOST_TEST(stepper.advance_to(3.0));
      BOOST_TEST(std::abs(stepper.read("h") - 4.5) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_recorded_on_the_way_does_not_disturb) {
  SimulationOptions options = options_of(ways.front(), 1.0);
  Event level;
  level.name = "level";
  level.root = [](const EventPoint& p) { return p.q()[1] + 0.2; };
  options.events = {level};
  const Simulation whole = simulate(arm(), horizontal(), options);
  Stepper stepper(arm(), horizontal(), options);
  while (stepper.time() < 1.0) BOOST_TEST(stepper.advance_to(std::min(1.0, stepper.time() + 0.013)));
  const Simulation run = stepper.finish();
  BOOST_REQUIRE(run.report.events.size() == whole.report.events.size());
  for (std::size_t k = 0; k < run.report.events.size(); ++k)
    BOOST_TEST(std::abs(run.report.events[k].t - whole.report.events[k].t) < 1e-6);
}

/// The natural use: an input follows an event, in the step that found it; or the run goes on from a checkpoint of
/// there.
BOOST_AUTO_TEST_CASE(an_event_is_recorded_once_where_an_input_is_set_or_a_checkpoint_restored) {
  const auto times = [](const Way& way, double rtol, const std::function<void(Stepper&, int)>& at_event) {
    SimulationOptions options = options_of(way, 3.0);
    options.rtol = options.atol = rtol;
    Event level;
    level.name = "level";
    level.root = [](const EventPoint& at) { return at.q()[1] + 0.3; };
    options.events = {level};
    Stepper stepper(arm(), horizontal(), options);
    std::size_t seen = 0;
    for (int count = 0; stepper.step();) {
      if (stepper.save().report.events.size() <= seen) continue;
      at_event(stepper, ++count);
      seen = stepper.save().report.events.size();
    }
    std::vector<double> found;
    for (const EventRecord& record : stepper.finish().report.events) found.push_back(record.t);
    return found;
  };
  const std::vector<Way> all = {
      {"baumgarte", "cvode_bdf"},   {"penalty", "cvode_bdf"}, {"projected", "verner6"}, {"projected", "cvode_bdf"},
      {"stabilized_index1", "ida"}, {"ggl", "ida"},           {"index3", "ida"},        {"ggl", "radau"}};
  for (const Way& way : all) {
    for (const double rtol : {1e-4, 1e-7, 1e-10}) {
      const auto alone = times(way, rtol, [](Stepper&, int) {});
      const auto set = times(way, rtol, [](Stepper& run, int count) { run.set("motor", 1e-13 * count); });
      const auto restored = times(way, rtol, [](Stepper& run, int) { run.restore(run.save()); });
      BOOST_TEST_CONTEXT(way.formulation << " " << way.integrator << " " << rtol) {
        BOOST_TEST_REQUIRE(alone.size() == 6U);
        BOOST_TEST(set.size() == alone.size());
        BOOST_TEST(restored.size() == alone.size());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(mistakes_are_refused_by_name) {
  Stepper stepper(arm(), horizontal(), options_of(ways.front(), 1.0));
  stepper.advance_to(0.5);
  BOOST_TEST(contains(complaint([&] { stepper.set("motr", 1.0); }), "motor"));
  BOOST_TEST(contains(complaint([&] { stepper.set("motor", NAN); }), "not finite"));
  BOOST_TEST(contains(complaint([&] { stepper.read("bar.fi"); }), "bar.phi"));
  BOOST_TEST(contains(complaint([&] { stepper.advance_to(0.4); }), "at least the time"));
  BOOST_TEST(contains(complaint([&] { stepper.advance_to(2.0); }), "options.t_end = 1"));
  BOOST_TEST(contains(complaint([&] { stepper.advance_to(0.5 + 1e-15); }), "digits"));
  BOOST_TEST(contains(complaint([] { Stepper(nullptr, horizontal()); }), "null"));
  SimulationOptions wrong;
  wrong.formulation = "bamgarte";
  BOOST_TEST(contains(complaint([&] { Stepper(arm(), horizontal(), wrong); }), "baumgarte"));
  SimulationOptions doubled;
  doubled.estimate_error = true;
  BOOST_TEST(contains(complaint([&] { Stepper(arm(), horizontal(), doubled); }), "estimate_error"));
  const Checkpoint other = Stepper(slider(), {0.0, Eigen::VectorXd::Zero(1), {}}).save();
  const std::string refused = complaint([&] { stepper.restore(other); });
  BOOST_TEST(contains(refused, "coordinates"));
  BOOST_TEST(contains(refused, "mechanism"));
  BOOST_TEST(stepper.advance_to(0.6));  // still good
  Stepper moved = std::move(stepper);
  BOOST_TEST(moved.advance_to(0.7));
}

// The first step is chosen by the length of the run; the model was blamed.
BOOST_AUTO_TEST_CASE(an_end_too_far_away_is_named) {
  const Simulation run = simulate(arm(), hanging(), options_of({"baumgarte", "cvode_bdf"}, 1e99));
  BOOST_TEST(!run.status.finished());
  BOOST_TEST(run.status.message.find("t_end = 1e+99 allows steps of 9.3") == 0U, run.status.message);
}

BOOST_AUTO_TEST_CASE(steps_that_do_not_move_t_at_the_end_are_refused) {
  SimulationOptions fixed = options_of({"baumgarte", "rk4"}, 1e99),
                    adaptive = options_of({"baumgarte", "dopri5"}, 1e15);
  fixed.step = 1e-2;
  adaptive.max_step = 0.1;  // t ends at an eighth of a second there
  for (const SimulationOptions& options : {fixed, adaptive}) {
    BOOST_CHECK_EXCEPTION(simulate(arm(), hanging(), options), Error, [&](const Error& error) {
      const std::string what = error.what();
      return what.find("t_end = 1e+") != std::string::npos &&
             what.find(options.step > 0.0 ? "step = 0.01 do not move it" : "max_step = 0.1 do not move it") !=
                 std::string::npos;
    });
  }
}

// Tolerances of the size of the mechanism: the energy grows without bound, and the steps fall to nothing.
BOOST_AUTO_TEST_CASE(a_run_that_diverges_is_not_told_to_loosen_its_tolerances) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", 2);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0, 0.0, -9.81}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.integrator = "cvode_adams";
  options.t_end = 1e4;
  options.rtol = options.atol = 0.3;
  options.max_steps = 400;
  const Simulation run = simulate(assembly.build(), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
  BOOST_TEST(!run.status.finished());
  BOOST_TEST(run.report.energy_drift > run.report.energy_scale / 2.0);
  BOOST_TEST(run.status.message.find("tighten the tolerances") != std::string::npos, run.status.message);
  BOOST_TEST(run.status.message.find("loosen the tolerances") == std::string::npos, run.status.message);
}
