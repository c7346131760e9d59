// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include <sunlagrange/elements/coordinate.hpp>

#include "mechanisms/mechanism.hpp"
#include "models.hpp"

/// Bad input: misuse throws before the integration starts and lists everything that is wrong; numerical trouble and
/// faults of the model end up in the status, and what was computed is kept.
using namespace sunlagrange;
using Eigen::Vector2d;

namespace {

const InitialState start{0.0, Vector2d(1.0, 0.0), {}};

/// The text of the Error; fails if there is none.
std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  BOOST_ERROR("no Error was thrown");
  return "";
}

std::string error_of(const SimulationOptions& options) {
  return error_of([&] { simulate(make_system(test::Pendulum{}), start, options); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A pendulum that misbehaves from t = 0.5 on.
struct Faulty : test::Pendulum {
  enum Fault { nan, exception, decline, unknown_exception } fault = nan;
  double from = 0.5;
  template <class T>
  bool applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    test::Pendulum::applied_force(t, q, v, f);
    if (value_of(t) < from) return true;
    if (fault == exception) throw std::domain_error("table ends at " + std::to_string(from));
    if (fault == unknown_exception) throw 42;
    if (fault == nan) f[0] = T(std::numeric_limits<double>::quiet_NaN());
    return fault != decline;
  }
};

Simulation run_faulty(Faulty::Fault fault, double from, const std::string& formulation, const std::string& integrator) {
  Faulty model;
  model.fault = fault;
  model.from = from;
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.step = 1e-3;
  if (integrator == "table") options.table = rk4();
  return simulate(make_system(model), start, options);
}

struct NoRows : test::Pendulum {
  static constexpr int num_constraints = 0;
};

struct TooManyRows {
  static constexpr int num_positions = 1;
  static constexpr int num_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
};

constexpr struct {
  const char *formulation, *integrator;
} routes[] = {{"baumgarte", "cvode_bdf"},
              {"baumgarte", "cvode_adams"},
              {"penalty", "dopri5"},
              {"unstabilized", "rk4"},
              {"index3", "ida"},
              {"baumgarte", "table"},
              {"index3_augmented_lagrangian", "trapezoidal"}};

}  // namespace

BOOST_AUTO_TEST_CASE(unknown_names_list_the_known_ones) {
  SimulationOptions options;
  options.formulation = "lagrange";
  BOOST_TEST(contains(error_of(options), "lagrange"));
  BOOST_TEST(contains(error_of(options), "baumgarte"));
  options = {};
  options.integrator = "rk5";
  BOOST_TEST(contains(error_of(options), "rk5"));
  BOOST_TEST(contains(error_of(options), "dopri5"));
  options = {};
  options.linear_solver.name = "gauss";
  BOOST_TEST(contains(error_of(options), "gauss"));
  BOOST_TEST(contains(error_of(options), "dense"));
  const std::string mechanism = error_of([] { mechanisms::find_mechanism("car"); });
  BOOST_TEST(contains(mechanism, "car"));
  BOOST_TEST(contains(mechanism, "andrews"));
}

BOOST_AUTO_TEST_CASE(mistyped_names_are_recognised_and_complained_about_once) {
  const auto with = [](auto change) {
    SimulationOptions options;
    change(options);
    return error_of(options);
  };
  const std::string formulation = with([](SimulationOptions& o) { o.formulation = "baumgart"; });
  BOOST_TEST(contains(formulation, "did you mean baumgarte?"));
  BOOST_TEST(!contains(formulation, "integrator"), formulation);  // automatic: follows from the formulation
  BOOST_TEST(contains(with([](SimulationOptions& o) { o.integrator = "dopri"; }), "did you mean dopri5?"));
  BOOST_TEST(contains(with([](SimulationOptions& o) { o.linear_solver.name = "kul"; }), "did you mean klu?"));
  BOOST_TEST(contains(error_of([] { mechanisms::find_mechanism("andrew"); }), "did you mean andrews?"));
  BOOST_TEST(contains(error_of([] { element("Geer"); }), "did you mean Gear?"));
  const std::string springs = error_of([] { element("Spring"); });  // a part of many names
  BOOST_TEST(contains(springs, "did you mean LinearSpring<>, SpatialSpringDamper<>,"), springs);
  BOOST_TEST(!contains(springs, "choose one of"), springs);
  BOOST_TEST(!contains(with([](SimulationOptions& o) { o.formulation = "runge"; }), "did you mean"));
}

BOOST_AUTO_TEST_CASE(every_invalid_option_is_reported_at_once) {
  SimulationOptions options;
  options.formulation = "lagrange";
  options.linear_solver.name = "gauss";
  options.linear_solver.rank_threshold = 2.0;
  options.linear_solver.regularization = 0.0;
  options.rtol = -1e-6;
  options.atol = -1e-8;
  options.t_end = -1.0;
  options.max_steps = 0;
  options.gains.K_P = Gain(-5.0);
  options.gains.Lambda = Gain(0.0);
  const std::string what = error_of(options);
  for (const char* part : {"lagrange", "gauss", "rank_threshold", "regularization", "rtol", "atol", "t_end",
                           "max_steps", "K_P", "Lambda"}) {
    BOOST_TEST(contains(what, part), part << " is missing in\n" << what);
  }
}

BOOST_AUTO_TEST_CASE(tolerances_and_steps) {
  const auto with = [](auto change) {
    SimulationOptions options;
    change(options);
    return error_of(options);
  };
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1e-6, 0.0, 1.0, nan, infinity}) {
    BOOST_TEST(contains(with([&](SimulationOptions& o) { o.rtol = bad; }), "rtol"));
  }
  for (const double bad : {-1e-6, 0.0, nan, infinity}) {
    BOOST_TEST(contains(with([&](SimulationOptions& o) { o.atol = bad; }), "atol"));
    BOOST_TEST(contains(with([&](SimulationOptions& o) {
                          o.integrator = "rk4";
                          o.step = bad;
                        }),
                        "step"));
  }
  for (const double bad : {-1.0, 0.0, nan, infinity}) {
    BOOST_TEST(contains(with([&](SimulationOptions& o) { o.t_end = bad; }), "t_end"));
  }
}

BOOST_AUTO_TEST_CASE(a_table_must_be_a_method_and_be_used) {
  SimulationOptions options;
  options.integrator = "table";
  options.step = 1e-3;
  BOOST_TEST(contains(error_of(options), "integrator = table"));
  options.table = rk2();
  options.table->name = "typed in haste";
  options.table->b = {0.5, 0.4};
  options.table->c[1] = 0.9;
  options.table->order = 3;
  options.rtol = 7.0;
  std::string what = error_of(options);
  for (const char* part : {"typed in haste", "sum b_i = 1", "c_2 = 0.9", "order 3", "rtol"}) {
    BOOST_TEST(contains(what, part), part << " is missing in\n" << what);
  }
  options = {};
  options.table = rk4();
  options.integrator = "dopri5";
  BOOST_TEST(contains(error_of(options), "dopri5 does not use it"));
  options.integrator = "automatic";  // the table decides: fixed steps
  BOOST_TEST(contains(error_of(options), "step = 0"));
  options.formulation = "index3";
  options.step = 1e-3;
  BOOST_TEST(contains(error_of(options), "integrators for it: ida"));
}

BOOST_AUTO_TEST_CASE(formulation_and_integrator_must_fit) {
  SimulationOptions options;
  options.formulation = "index3";
  options.integrator = "cvode_bdf";
  BOOST_TEST(contains(error_of(options), "index3"));
  options.formulation = "baumgarte";
  options.integrator = "ida";
  BOOST_TEST(contains(error_of(options), "baumgarte"));
}

BOOST_AUTO_TEST_CASE(gains_that_are_not_positive_definite_or_do_not_fit) {
  const auto system = make_system(test::RedundantPendulum{});
  const auto with = [&](const Gain& K_P) {
    SimulationOptions options;
    options.gains.K_P = K_P;
    return error_of([&] { simulate(system, start, options); });
  };
  BOOST_TEST(contains(with(Gain((Eigen::MatrixXd(2, 2) << 1.0, 2.0, 2.0, 1.0).finished())), "positive definite"));
  BOOST_TEST(contains(with(Gain((Eigen::MatrixXd(2, 2) << 2.0, 1.0, 0.0, 2.0).finished())), "symmetric"));
  BOOST_TEST(contains(with(Gain(std::vector<double>{1.0, -1.0})), "K_P"));
  BOOST_TEST(contains(with(Gain(std::vector<double>{1.0, 1.0, 1.0})), "3 values"));
}

BOOST_AUTO_TEST_CASE(wrong_sizes_and_values_of_the_start) {
  const auto system = make_system(test::Pendulum{});
  const auto with = [&](const InitialState& given) { return error_of([&] { simulate(system, given, {}); }); };
  BOOST_TEST(contains(with({0.0, Eigen::Vector3d(1.0, 0.0, 0.0), {}}), "q has 3 entries"));
  BOOST_TEST(contains(with({0.0, {}, {}}), "q has 0 entries"));
  BOOST_TEST(contains(with({0.0, {}, {}}), "give one value for each, or set them by name (StartValues)"));
  BOOST_TEST(contains(with({0.0, Vector2d(1.0, 0.0), Eigen::VectorXd::Zero(5)}), "v has 5 entries"));
  BOOST_TEST(contains(with({0.0, Vector2d(std::nan(""), 0.0), {}}), "not finite"));
  for (const double t : {-std::numeric_limits<double>::infinity(), std::nan("")}) {
    const std::string refusal = with({t, Vector2d(1.0, 0.0), {}});
    BOOST_TEST(contains(refusal, "t = "), refusal);
    BOOST_TEST(contains(refusal, "finite time"), refusal);
    BOOST_TEST(!contains(refusal, "digits"), refusal);
  }
}

BOOST_AUTO_TEST_CASE(inconsistent_start_is_moved_and_reported_or_taken_as_given) {
  const auto system = make_system(test::Pendulum{});
  const InitialState off{0.0, Vector2d(1.1, 0.0), Vector2d(0.3, 0.0)};
  SimulationOptions options;
  const Simulation consistent = simulate(system, off, options);
  BOOST_TEST(consistent.status.finished());
  BOOST_TEST(std::abs(consistent.report.start.moved_positions - 0.1) < 1e-12);
  BOOST_TEST(std::abs(consistent.report.start.moved_velocities - 0.3) < 1e-12);
  BOOST_TEST(consistent.report.start.most_moved == "q0");
  BOOST_TEST(consistent.report.max_position_violation < 1e-4);
  options.start = Start::as_given;
  const Simulation given = simulate(system, off, options);
  BOOST_TEST(given.trajectory.q(0)[0] == 1.1);
  BOOST_TEST(given.report.max_position_violation >= 0.105 - 1e-12);
  BOOST_TEST(given.report.start.moved_positions == 0.0);
}

BOOST_AUTO_TEST_CASE(infeasible_start_ends_the_run_with_the_constraint_named) {
  const auto arm = mechanisms::find_mechanism("two_link").make(0);
  SimulationOptions options;
  options.t_end = 4.0;
  const Simulation run = simulate(arm.system, {3.0, Vector2d(2.35, 0.0), {}}, options);
  BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"));
  BOOST_TEST(contains(run.status.message, "of P"));
  BOOST_TEST(run.trajectory.size() == 1U);
  BOOST_TEST(run.report.steps == 0);
}

BOOST_AUTO_TEST_CASE(a_held_start_that_a_motor_contradicts_is_told_so) {
  Assembly assembly;
  const Block wheel = assembly.add_coordinates("wheel", BlockKind::rotation);
  assembly.add("inertia", Flywheel{}, {wheel});
  assembly.add("motor", PrescribedCoordinate{Uniform{1.0472, 2.0}}, {wheel});
  const auto system = assembly.build();
  StartValues held(system);
  held.fix(system->position_name(0), std::acos(0.5));
  const ConsistentState found = consistent_state(system, held.state());
  BOOST_TEST(!found.report.feasible);
  for (const char* part : {"is held at 1.0472", "\"motor\"", "do not hold"})
    BOOST_TEST(contains(found.report.status.message, part), found.report.status.message);
}

BOOST_AUTO_TEST_CASE(step_limit_keeps_what_was_computed) {
  SimulationOptions options;
  options.max_steps = 7;
  const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_TEST(to_string(run.status.outcome) == std::string("step_limit"));
  BOOST_TEST(run.trajectory.size() == 8U);
  BOOST_TEST(run.report.t_reached == run.trajectory.t(7));
  BOOST_TEST(contains(run.status.message, "7"));
}

BOOST_AUTO_TEST_CASE(step_limit_names_a_longest_step_that_decided) {
  SimulationOptions options;
  options.max_steps = 100;
  options.max_step = 1e-3;
  const Simulation run = simulate(make_system(test::Pendulum{}), start, options);
  BOOST_TEST(to_string(run.status.outcome) == std::string("step_limit"));
  BOOST_TEST(contains(run.status.message, "max_step = 0.001"), run.status.message);
  BOOST_TEST(!contains(run.status.message, "tolerances"), run.status.message);
  options.max_steps = static_cast<long>(options.t_end / options.max_step) + 100;
  BOOST_TEST(simulate(make_system(test::Pendulum{}), start, options).status.finished());
}

BOOST_AUTO_TEST_CASE(model_that_fails_at_the_start) {
  for (const auto& route : routes) {
    for (const auto fault : {Faulty::nan, Faulty::exception, Faulty::decline, Faulty::unknown_exception}) {
      BOOST_TEST_CONTEXT(route.formulation << ", " << route.integrator << ", fault " << fault) {
        const Simulation run = run_faulty(fault, 0.0, route.formulation, route.integrator);
        BOOST_TEST(to_string(run.status.outcome) == std::string("model_error"));
        BOOST_TEST(!run.status.message.empty());
        BOOST_TEST(run.report.t_reached == 0.0);
        if (fault == Faulty::exception) BOOST_TEST(contains(run.status.message, "table ends at"));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(model_that_fails_in_mid_run) {
  for (const auto& route : routes) {
    for (const auto fault : {Faulty::nan, Faulty::exception, Faulty::decline, Faulty::unknown_exception}) {
      BOOST_TEST_CONTEXT(route.formulation << ", " << route.integrator << ", fault " << fault) {
        const Simulation run = run_faulty(fault, 0.5, route.formulation, route.integrator);
        BOOST_TEST(to_string(run.status.outcome) == std::string("model_error"), run.status.message);
        BOOST_TEST(run.report.t_reached > 0.3);
        BOOST_TEST(run.report.t_reached <= 0.5);
        BOOST_REQUIRE(run.trajectory.size() > 5U);
        const std::size_t last = run.trajectory.size() - 1;
        BOOST_TEST(run.trajectory.t(last) == run.report.t_reached);
        BOOST_TEST(run.trajectory.q(last).allFinite());
        BOOST_TEST(run.trajectory.v(last).allFinite());
        BOOST_TEST(run.report.steps == static_cast<long>(last));
        BOOST_TEST(run.report.rhs_evaluations > 0);
        if (fault == Faulty::nan) BOOST_TEST(contains(run.status.message, ": f[q0] = nan"), run.status.message);
        if (fault == Faulty::exception) BOOST_TEST(contains(run.status.message, "table ends at"));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_over_or_empty_says_what_to_read) {
  SimulationOptions options;
  options.t_end = 0.5;
  Stepper stepper(make_system(test::Pendulum{}), start, options);
  stepper.advance_to(0.5);
  Simulation run = stepper.finish();
  const std::string finished = error_of([&] { stepper.step(); });
  BOOST_TEST(contains(finished, "read what finish() returned"), finished);
  const std::string outside = error_of([&] { run.trajectory.position_at(2.0); });
  BOOST_TEST(contains(outside, "t = 2 is outside the computed interval [0, 0.5]: ask for a time inside"), outside);
  const Simulation moved = std::move(run);
  const std::string empty = error_of([&] { run.trajectory.position_at(0.2); });  // NOLINT(bugprone-use-after-move)
  BOOST_TEST(contains(empty, "the trajectory is empty"), empty);
}

BOOST_AUTO_TEST_CASE(events_that_name_no_constraint_are_told_so_once) {
  SimulationOptions options;
  options.events = {stop_at_contact("floor")};
  const std::string refusal = error_of(options);
  BOOST_TEST(contains(refusal, "event \"floor\": no constraint is called \"floor\""), refusal);
  BOOST_TEST(contains(refusal, "known constraints: \"constraint\""), refusal);
}

BOOST_AUTO_TEST_CASE(sizes_that_contradict_the_members) {
  BOOST_TEST(contains(error_of([] { make_system(NoRows{}); }), "num_constraints"));
  BOOST_TEST(contains(error_of([] { make_system(TooManyRows{}); }), "num_constraints"));
}
