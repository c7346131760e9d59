// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>

#include <sunlagrange/elements.hpp>

#include "models.hpp"
#include "simulation/failure_hints.hpp"

/// However a run ends, and whatever of it is recorded: the trajectory is whole up to Report::t_reached.
using namespace sunlagrange;
using Eigen::Vector2d;

namespace {

const InitialState start{0.0, Vector2d(1.0, 0.0), {}};

struct HeavyPlace {
  static constexpr int num_positions = 1;
  void mass_matrix(double, View<const double> q, MatrixView<double> M) const { M(0, 0) = q[0] > 0.5 ? INFINITY : 1.0; }
  void applied_force(double, View<const double>, View<const double>, View<double>) const {}
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string outcome(const Simulation& run) {
  return to_string(run.status.outcome);
}

std::vector<SimulationOptions> recordings() {
  std::vector<SimulationOptions> all(4);
  all[1].record = Record::ends_only;
  all[2].record = Record::every_kth_step;
  all[2].record_stride = 7;
  all[3].record = Record::at_times;
  all[3].record_times = {0.1, 0.2, 0.9};
  return all;
}

/// The states lie on the circle, in order of time, and the last one is where the run ended.
void check_whole(const Simulation& run) {
  const Trajectory& path = run.trajectory;
  BOOST_REQUIRE(!path.empty());
  BOOST_TEST(path.t(0) == 0.0);
  BOOST_TEST(path.t(path.size() - 1) == run.report.t_reached);
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (k > 0) BOOST_TEST(path.t(k) > path.t(k - 1));
    BOOST_TEST(std::abs(path.q(k).norm() - 1.0) < 1e-2);
    BOOST_TEST(std::abs(path.lambda(k)[0] + 3.0 * 9.81 * path.q(k)[1]) < 1.0);
  }
}

struct Thrower : test::Pendulum {
  bool memory = false;
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    test::Pendulum::applied_force(t, q, v, f);
    if (value_of(t) <= 0.5) return;
    if (memory) throw std::bad_alloc();
    throw std::domain_error("table ends");
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(an_interrupted_run_keeps_everything_up_to_there) {
  for (SimulationOptions options : recordings()) {
    for (const char* formulation : {"baumgarte", "ggl"}) {
      options.formulation = formulation;
      double asked = -1.0;
      options.keep_going = [&asked](double t) {
        asked = t;
        return t < 0.5;
      };
      const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
      BOOST_TEST(outcome(run) == "interrupted");
      BOOST_TEST(contains(run.status.message, "t = " + text(run.report.t_reached)), run.status.message);
      BOOST_TEST(run.report.t_reached == asked);
      BOOST_TEST(asked >= 0.5);
      BOOST_TEST(asked < 0.7);
      BOOST_TEST(run.report.steps > 0);
      BOOST_TEST(contains(run.report.text(run.status), ": interrupted; t = "));
      check_whole(run);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_application_is_asked_before_every_step) {
  SimulationOptions options;
  std::vector<double> asked;
  options.keep_going = [&asked](double t) {
    asked.push_back(t);
    return true;
  };
  const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_TEST(run.status.finished());
  BOOST_REQUIRE(asked.size() == static_cast<std::size_t>(run.report.steps));
  for (std::size_t k = 0; k < asked.size(); ++k) BOOST_TEST(asked[k] == run.trajectory.t(k));
  options.keep_going = [](double) { return false; };
  const Simulation none = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_TEST(outcome(none) == "interrupted");
  BOOST_TEST(none.report.steps == 0);
  BOOST_TEST(none.trajectory.size() == 1U);
  options.keep_going = [](double) -> bool { throw std::runtime_error("window closed"); };
  const Simulation thrown = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_TEST(outcome(thrown) == "interrupted");
  BOOST_TEST(contains(thrown.status.message, "keep_going threw: window closed"), thrown.status.message);
}

BOOST_AUTO_TEST_CASE(a_model_that_throws_does_not_cost_the_last_state) {
  for (const SimulationOptions& options : recordings()) {
    for (const bool memory : {false, true}) {
      Thrower model;
      model.memory = memory;
      const Simulation run = simulate(make_system(model), start, options);
      BOOST_TEST(outcome(run) == (memory ? "out_of_memory" : "model_error"));
      BOOST_TEST(run.report.t_reached > 0.0);
      check_whole(run);
    }
  }
}

// gcc and clang say it differently; the sanitizer itself needs the address space that the case takes away
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#endif
#endif

/// Found by fuzzing: no inertia is the smallest if all are infinite.
BOOST_AUTO_TEST_CASE(inertias_beyond_all_numbers_are_not_compared) {
  for (const double place : {0.0, 1.0}) {
    internal::SampledPath path(make_system(HeavyPlace{}), {}, true);
    const double rate = 0.0;
    path.accept(0.0, &place, &rate, nullptr, {});
    BOOST_TEST(internal::inertias_far_apart({}, path) == "");
  }
}

/// Found by fuzzing: what overflows in a step is not kept.
BOOST_AUTO_TEST_CASE(states_beyond_all_numbers_are_not_kept) {
  Assembly assembly;
  assembly.add("mass", SlidingMass{1.0}, {assembly.add_coordinates("x", BlockKind::translation)});
  const auto system = assembly.build();
  const double most = std::numeric_limits<double>::max();
  for (const char* integrator : {"dopri5", "cvode_bdf", "cvode_adams", "rk4"}) {
    SimulationOptions options;
    options.formulation = "baumgarte";
    options.integrator = integrator;
    options.step = 0.01;
    options.t_end = 0.1;
    const Simulation run =
        simulate(system, {0.0, Eigen::VectorXd::Constant(1, most), Eigen::VectorXd::Constant(1, 0.99 * most)}, options);
    BOOST_TEST_CONTEXT(integrator << ": " << run.status.message) {
      BOOST_TEST(!run.status.finished());
      BOOST_TEST(!run.status.message.empty());
      for (std::size_t k = 0; k < run.trajectory.size(); ++k)
        BOOST_TEST((run.trajectory.q(k).allFinite() && run.trajectory.v(k).allFinite()));
    }
  }
}

#if !defined(UNDER_ADDRESS_SANITIZER)
BOOST_AUTO_TEST_CASE(a_trajectory_that_fills_the_memory_stays_whole) {
  std::ifstream statm("/proc/self/statm");
  unsigned long pages = 0;
  if (!(statm >> pages)) return;  // no Linux
  statm.close();
  rlimit before{};
  BOOST_REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit tight = before;
  tight.rlim_cur = pages * 4096UL + (24UL << 20);
  SimulationOptions options;
  options.t_end = 1e5;
  options.max_steps = 100000000;
  options.keep_going = [&tight, &before](double t) {
    setrlimit(RLIMIT_AS, &tight);  // not for what goes before, nor for the report
    if (t > 2e4) setrlimit(RLIMIT_AS, &before);
    return t <= 2e4;  // a machine that does not hold to the limit
  };
  const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
  setrlimit(RLIMIT_AS, &before);
  BOOST_TEST(outcome(run) == "out_of_memory");
  BOOST_TEST(contains(run.status.message, "Record::"), run.status.message);
  const Trajectory& path = run.trajectory;
  const std::size_t last = path.size() - 1;
  BOOST_TEST(path.t(last) == run.report.t_reached);
  BOOST_TEST(std::abs(path.lambda(last)[0] + 3.0 * 9.81 * path.q(last)[1]) < 1.0);
  BOOST_TEST(std::abs(path.q(last).norm() - 1.0) < 1e-2);
}
#endif

BOOST_AUTO_TEST_CASE(states_at_chosen_times_lie_on_the_constraints) {
  for (const char* formulation : {"baumgarte", "projected", "index3", "penalty"}) {
    BOOST_TEST_CONTEXT(formulation) {
      SimulationOptions options;
      options.formulation = formulation;
      options.rtol = options.atol = 1e-6;
      const Simulation all = simulate(make_system(test::Pendulum{}), start, options);
      options.record = Record::at_times;
      options.record_times = {0.0, 1.0 / 3.0, 0.5, 0.51, 0.52, all.trajectory.t(5), 1.0};
      std::sort(options.record_times.begin(), options.record_times.end());
      const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
      const Trajectory& path = run.trajectory;
      BOOST_REQUIRE(path.size() == options.record_times.size());
      for (std::size_t k = 0; k < path.size(); ++k) {
        const double t = options.record_times[k];
        BOOST_TEST(path.t(k) == t);
        BOOST_TEST((path.q(k) - all.trajectory.position_at(t)).norm() < 1e-4);
        BOOST_TEST((path.v(k) - all.trajectory.velocity_at(t)).norm() < 1e-3);
        const bool a_step = t == 0.0 || t == 1.0 || t == all.trajectory.t(5);
        if (a_step) {
          BOOST_TEST(path.q(k) == all.trajectory.position_at(t));
        } else {
          BOOST_TEST(std::abs(path.q(k).squaredNorm() - 1.0) < 1e-14);
          BOOST_TEST(std::abs(path.q(k).dot(path.v(k))) < 1e-13);
          BOOST_TEST(std::abs(path.lambda(k)[0] - path.v(k).squaredNorm() + 9.81 * path.q(k)[1]) < 1e-10);
        }
      }
      BOOST_TEST(run.report.steps == all.report.steps);
    }
  }
}

BOOST_AUTO_TEST_CASE(start_and_end_belong_to_what_is_recorded) {
  SimulationOptions options;
  options.record = Record::at_times;
  options.record_times = {0.25};
  const Simulation one = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_REQUIRE(one.trajectory.size() == 3U);
  BOOST_TEST(one.trajectory.t(1) == 0.25);
  check_whole(one);
  options = {};
  const Simulation all = simulate(make_system(test::Pendulum{}), start, options);
  options.record = Record::every_kth_step;
  options.record_stride = 10;
  const Simulation tenth = simulate(make_system(test::Pendulum{}), start, options);
  const long steps = all.report.steps;
  BOOST_REQUIRE(tenth.trajectory.size() == static_cast<std::size_t>(1 + steps / 10 + (steps % 10 > 0 ? 1 : 0)));
  for (std::size_t k = 0; k + 1 < tenth.trajectory.size(); ++k)
    BOOST_TEST(tenth.trajectory.q(k) == all.trajectory.q(10 * k));
  check_whole(tenth);
}

BOOST_AUTO_TEST_CASE(at_the_time_of_an_event_the_side_after_it_is_recorded) {
  SimulationOptions options;
  options.events = {{"kick", [](const EventPoint& p) { return p.t() - 0.5; }, Crossing::rising,
                     [](EventContext& c) { c.set_velocity(Vector2d(0.0, 0.0)); }}};
  const Simulation all = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_REQUIRE(all.report.events.size() == 1U);
  const double at = all.report.events[0].t;
  options.record = Record::at_times;
  options.record_times = {0.25, at, 0.75};
  const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_REQUIRE(run.trajectory.size() == 5U);
  BOOST_TEST(run.trajectory.t(2) == at);
  BOOST_TEST(run.trajectory.v(2).norm() == 0.0);
  BOOST_TEST(run.trajectory.v(1).norm() > 1.0);
  BOOST_TEST((run.trajectory.q(3) - all.trajectory.position_at(0.75)).norm() < 1e-5);
}

BOOST_AUTO_TEST_CASE(recording_options_that_cannot_be_meant_are_refused) {
  const auto refused = [](const std::function<void(SimulationOptions&)>& change, const std::string& part) {
    SimulationOptions options;
    change(options);
    BOOST_CHECK_EXCEPTION(simulate(make_system(test::Pendulum{}), start, options), Error,
                          [&](const Error& error) { return contains(error.what(), part); });
  };
  const auto times = [](std::vector<double> list) {
    return [list](SimulationOptions& o) {
      o.record = Record::at_times;
      o.record_times = list;
    };
  };
  refused(times({}), "needs times");
  refused(times({0.2, 0.2}), "record_times[1] = 0.2: must be later than the time before");
  refused(times({0.2, 1.1}), "record_times[1] = 1.1: must be within the run, t = 0 ... 1");
  refused(times({-0.1}), "record_times[0] = -0.1");
  refused(times({std::numeric_limits<double>::quiet_NaN()}), "record_times[0] = nan");
  refused([](SimulationOptions& o) { o.record_times = {0.5}; }, "only Record::at_times reads them");
  refused([](SimulationOptions& o) { o.record_stride = 5; }, "only Record::every_kth_step reads it");
  refused(
      [](SimulationOptions& o) {
        o.record = Record::every_kth_step;
        o.record_stride = 0;
      },
      "record_stride = 0: must be at least 1");
}

BOOST_AUTO_TEST_CASE(a_clock_without_digits_left_is_refused) {
  for (const double t : {1e12, 1.7e12, 1e15, -1e15}) {
    SimulationOptions options;
    options.t_end = t + 1.0;
    BOOST_CHECK_EXCEPTION(simulate(make_system(test::Pendulum{}), {t, start.q, {}}, options), Error,
                          [](const Error& error) { return contains(error.what(), "shift the time axis"); });
  }
  for (const double t : {1.7e9, -1.7e9}) {
    SimulationOptions options;
    options.t_end = t + 0.25;
    const Simulation run = simulate(make_system(test::Pendulum{}), {t, start.q, {}}, options);
    options.t_end = 0.25;
    const Simulation early = simulate(make_system(test::Pendulum{}), start, options);
    BOOST_TEST(run.status.finished());
    BOOST_TEST((run.trajectory.q(run.trajectory.size() - 1) - early.trajectory.position_at(0.25)).norm() < 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(settings_that_the_integrator_does_not_read_are_named) {
  SimulationOptions options;
  options.step = 1e-3;
  options.ida.initial_step = 1e-6;
  const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
  const std::string text = run.report.text(run.status);
  BOOST_TEST(run.report.used.unread.size() == 2U);
  for (const char* name : {"\n  step ", "\n  ida.initial_step "}) {
    const std::size_t at = text.find(name);
    BOOST_REQUIRE(at != std::string::npos);
    BOOST_TEST(contains(text.substr(at + 1, text.find('\n', at + 1) - at), "not used by this integrator"));
  }
  options.formulation = "ggl";
  BOOST_TEST(simulate(make_system(test::Pendulum{}), start, options).report.used.unread.size() == 1U);
}
