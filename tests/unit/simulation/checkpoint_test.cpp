// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/files/checkpoint_file.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"
#include "runs.hpp"

/// A run that is saved, written, read and resumed is the run that was not interrupted, to its tolerance.
using namespace sunlagrange;

namespace {

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

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// A ball that bounces to rest, on which an input pushes.
std::shared_ptr<const MechanicalSystem> ball() {
  Assembly assembly;
  const Block h = assembly.add_coordinates("h", BlockKind::translation);
  assembly.add("mass", SlidingMass{1.0}, {h});
  assembly.add("weight", AxialForce{Input{-9.81}}, {h});
  assembly.add("floor", PrescribedCoordinate{Constant{0.0}}, {h});
  return assembly.build();
}

SimulationOptions bouncing() {
  SimulationOptions options;
  options.t_end = 3.0;
  options.rtol = options.atol = 1e-8;
  options.events = {unilateral_contact("floor", 0.6)};
  return options;
}

Checkpoint of_the_ball(double t) {
  Stepper stepper(ball(), {0.0, Eigen::VectorXd::Ones(1), {}}, bouncing());
  stepper.set("weight", -9.0);
  stepper.advance_to(t);
  return stepper.save();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_resumed_run_is_the_run_that_was_not_interrupted) {
  struct Case {
    const char* mechanism;
    const char* formulation;
    const char* integrator;
    double t_end;
  };
  for (const Case& c :
       {Case{"pendulum", "baumgarte", "cvode_bdf", 2.0}, Case{"pendulum", "baumgarte", "rk4", 2.0},
        Case{"pendulum", "index3_augmented_lagrangian", "trapezoidal", 1.0}, Case{"slider_crank", "ggl", "ida", 2.0},
        Case{"n_four_bar_bodies", "projected", "dopri5", 1.0}, Case{"bricard", "index3", "ida", 1.0},
        Case{"knife_edge", "index2", "ida", 2.0}, Case{"arevalo", "stabilized_index1", "radau", 2.0},
        Case{"andrews", "coordinate_partitioning", "cvode_bdf", 0.01},
        Case{"slider_crank_program", "integral_manifold", "cvode_adams", 2.0}}) {
    BOOST_TEST_CONTEXT(c.mechanism << " " << c.formulation << " " << c.integrator) {
      const mechanisms::MechanismEntry& entry = mechanisms::find_mechanism(c.mechanism);
      const mechanisms::Mechanism mechanism = entry.make(entry.default_size);
      SimulationOptions options = test::options_of(mechanism, c.formulation, c.integrator, 1e-9);
      options.t_end = c.t_end;
      if (integrator(c.integrator).fixed_step) options.step = 1e-3;
      const Simulation whole = simulate(mechanism.system, mechanism.start, options);
      Stepper first(mechanism.system, mechanism.start, options);
      first.advance_to(mechanism.start.t + 0.4 * (c.t_end - mechanism.start.t));
      const Checkpoint saved = parse_checkpoint(checkpoint_text(first.save()), "saved");
      Stepper second(mechanism.system, saved, options);
      BOOST_TEST(second.time() == first.time());
      while (second.step()) {
      }
      const Simulation rest = second.finish();
      BOOST_TEST(to_string(rest.status.outcome) == to_string(whole.status.outcome));
      BOOST_TEST(rest.status.doubts.size() == whole.status.doubts.size());
      const Eigen::VectorXd end = rest.trajectory.q(rest.trajectory.size() - 1);
      const Eigen::VectorXd wanted = whole.trajectory.q(whole.trajectory.size() - 1);
      BOOST_TEST((end - wanted).lpNorm<Eigen::Infinity>() < 1e-5 * (1.0 + wanted.lpNorm<Eigen::Infinity>()));
      BOOST_TEST(rest.trajectory.t(0) == first.time());
      const Report &a = rest.report, &b = whole.report;  // goes on, does not begin anew
      BOOST_TEST(a.t_start == b.t_start);
      BOOST_TEST(static_cast<double>(std::abs(a.steps - b.steps)) <= 0.3 * static_cast<double>(b.steps) + 40.0);
      BOOST_TEST(a.rhs_evaluations >= saved.report.rhs_evaluations);
      BOOST_TEST(a.relative_violation * a.max_position >=
                 0.99 * saved.report.relative_violation * saved.report.max_position);
      BOOST_TEST(a.max_velocity >= saved.report.max_velocity);
      BOOST_TEST(std::isnan(a.energy_drift) == std::isnan(b.energy_drift));
      if (!std::isnan(b.energy_drift)) {
        BOOST_TEST(a.energy_drift >= saved.report.energy_drift);
        BOOST_TEST(a.energy_drift <= b.energy_drift + 1e-5 * std::max(1.0, b.energy_scale));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(contacts_inputs_and_events_go_on) {
  for (const double t : {0.2, 0.9, 2.5}) {  // in flight, after impacts, at rest on the floor
    BOOST_TEST_CONTEXT("saved at " << t) {
      Stepper whole(ball(), {0.0, Eigen::VectorXd::Ones(1), {}}, bouncing());
      whole.set("weight", -9.0);
      whole.advance_to(3.0);
      Stepper resumed(ball(), parse_checkpoint(checkpoint_text(of_the_ball(t)), "saved"), bouncing());
      BOOST_TEST(resumed.read("weight") == -9.0);
      resumed.advance_to(3.0);
      BOOST_TEST(std::abs(resumed.read("h") - whole.read("h")) < 1e-6);
      const Simulation a = resumed.finish(), b = whole.finish();
      BOOST_TEST(a.status.has_no_doubts(), a.report.text(a.status));
      BOOST_TEST(a.report.events.size() == b.report.events.size());
      BOOST_TEST(std::abs(a.report.event_work - b.report.event_work) < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_file_holds_everything_bit_for_bit) {
  Checkpoint saved = of_the_ball(0.9);
  saved.checks["velocity_correction"]["largest"] = Eigen::VectorXd::Constant(1, 1.0 / 3.0);
  saved.checks["start"]["given_velocities"] = Eigen::VectorXd::Constant(1, 0.7);
  saved.report.tapered_factorizations = 7;
  const std::string text = checkpoint_text(saved);
  const Checkpoint read = parse_checkpoint(text, "saved");
  BOOST_TEST(checkpoint_text(read) == text);
  BOOST_TEST(read.state.q[0] == saved.state.q[0]);
  BOOST_TEST(read.report.steps == saved.report.steps);
  BOOST_TEST(read.report.events.size() == saved.report.events.size());
  BOOST_TEST(read.options.rtol == saved.options.rtol);
  BOOST_TEST(read.version == saved.version);
  BOOST_TEST(read.checks.at("velocity_correction").at("largest")[0] == 1.0 / 3.0);
  BOOST_TEST((read.checks == saved.checks && read.report.tapered_factorizations == 7));
  const std::string file = "checkpoint_test.json";
  write_checkpoint(saved, file);
  BOOST_TEST(checkpoint_text(read_checkpoint(file)) == text);
  std::remove(file.c_str());
}

// What stood there was replaced by a file: a link, and as root a device.
BOOST_AUTO_TEST_CASE(what_is_no_file_is_not_replaced_by_one) {
  namespace fs = std::filesystem;
  const Checkpoint saved = of_the_ball(0.9);
  const std::string file = "checkpoint_behind_a_link.json", link = "checkpoint_link.json", pipe = "checkpoint_pipe";
  std::ofstream(file) << "{}";
  fs::create_symlink(file, link);
  write_checkpoint(saved, link);
  BOOST_TEST(fs::is_symlink(link));
  BOOST_TEST(checkpoint_text(read_checkpoint(file)) == checkpoint_text(saved));
  const std::string ahead = "checkpoint_to_come.json", to_nothing = "checkpoint_link_to_nothing.json";
  fs::create_symlink(ahead, to_nothing);
  write_checkpoint(saved, to_nothing);
  BOOST_TEST(fs::is_symlink(to_nothing));
  BOOST_TEST(checkpoint_text(read_checkpoint(ahead)) == checkpoint_text(saved));
  const std::string own = "checkpoint_link.json.part";  // of the user
  fs::create_symlink(file, own);
  write_checkpoint(saved, link);
  BOOST_TEST(fs::is_symlink(own));
  fs::remove(own);
  const std::string loop = "checkpoint_loop.json";
  fs::create_symlink(loop, loop);
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& other : {pipe, loop, std::string(".")})
    BOOST_TEST(contains(complaint([&] { write_checkpoint(saved, other); }), "no regular file"), other);
  BOOST_TEST(fs::is_fifo(pipe));
  for (const std::string& left : {link, file, pipe, loop, to_nothing, ahead}) fs::remove(left);
}

// Files were once written without "parameters", "path", "way_in_tolerances", "energy_displacement", with "energy" and
// "observed" in place of "checks".
BOOST_AUTO_TEST_CASE(files_of_older_versions_are_read) {
  Checkpoint saved = of_the_ball(0.9);
  BOOST_TEST(saved.report.max_displacement_in_tolerances > 0.0);
  saved.version = "0.1.0";
  const std::string now = checkpoint_text(saved);
  const auto without = [](const std::string& text, const char* field, const char* next, const std::string& instead) {
    const std::size_t begin = text.find(field), end = text.find(next);
    BOOST_REQUIRE(begin < end);
    return text.substr(0, begin) + instead + text.substr(end);
  };
  const auto older = [&](const std::string& checks) {
    std::istringstream lines(
        without(without(now, " \"elements\"", " \"inputs\"", ""), " \"checks\"", " \"statistics\"", checks));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      if (!contains(line, "\"path_length\"") && !contains(line, "\"max_displacement_in_tolerances\"") &&
          !contains(line, "\"energy_displacement\"") && !contains(line, "\"tapered_factorizations\""))
        text += line + "\n";
    }
    return parse_checkpoint(text, "older");
  };
  const std::string energy =
      "\"energy\": {\"start\": 1.5, \"potential\": 0.5, \"work\": 0.25, \"error\": 0.125, \"known\": true, "
      "\"driven\": true},\n";
  const Checkpoint oldest = older(energy);
  BOOST_TEST(oldest.report.path_length == 0.0);
  BOOST_TEST(oldest.parameters.empty());
  BOOST_TEST(oldest.elements.empty());
  BOOST_TEST(oldest.checks.at("energy_balance").at("work")[0] == 0.25);
  BOOST_TEST(oldest.checks.at("energy_balance").at("conservative")[0] == 0.0);
  const Checkpoint old = older(energy +
                               "\"observed\": {\"taken_out\": 0.1, \"t_taken_out\": 0.2, \"steps_astray\": 0.3, "
                               "\"velocity_gained\": 0.4, \"tapered\": 5, \"given_velocities\": [0.6]},\n");
  BOOST_TEST(old.checks.at("velocity_correction").at("largest")[0] == 0.1);
  BOOST_TEST(old.checks.at("coarse_steps").at("gained")[0] == 0.4);
  BOOST_TEST(old.checks.at("start_moved").at("given_velocities")[0] == 0.6);
  BOOST_TEST(old.report.tapered_factorizations == 5);
  Stepper resumed(ball(), old, bouncing());
  BOOST_TEST(resumed.save().checks.at("velocity_correction").at("t")[0] == 0.2);
}

/// The same run, saved and resumed at the end of each of `stretches` parts.
Simulation in_stretches(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                        const SimulationOptions& options, int stretches) {
  Stepper first(system, start, options);
  const auto end_of = [&](int k) { return start.t + (options.t_end - start.t) * k / stretches; };
  first.advance_to(end_of(1));
  Checkpoint saved = first.save();
  for (int k = 2; k < stretches; ++k) {
    Stepper next(system, parse_checkpoint(checkpoint_text(saved), "saved"), options);
    next.advance_to(end_of(k));
    saved = next.save();
  }
  Stepper last(system, saved, options);
  last.advance_to(options.t_end);
  return last.finish();
}

BOOST_AUTO_TEST_CASE(a_resumed_run_has_the_doubts_of_the_run_that_was_not_interrupted) {
  const auto expect = [](const char* what, DoubtKind kind, const std::shared_ptr<const MechanicalSystem>& system,
                         const InitialState& start, const SimulationOptions& options, int stretches) {
    BOOST_TEST_CONTEXT(what) {
      const Simulation whole = simulate(system, start, options),
                       resumed = in_stretches(system, start, options, stretches);
      BOOST_TEST(test::doubted(whole, kind), whole.report.text(whole.status));
      BOOST_TEST(test::doubted(resumed, kind), resumed.report.text(resumed.status));
    }
  };
  SimulationOptions options;
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  options.t_end = 1.0;
  expect("velocities that the constraints forbid", DoubtKind::start_moved, pendulum.system,
         {0.0, pendulum.start.q, Eigen::Vector2d(5.0, 0.3)}, options, 2);
  const auto four_bar = mechanisms::find_mechanism("n_four_bar").make(1);
  options.formulation = "projected";
  options.rtol = options.atol = 1e-4;
  options.t_end = 10.0;
  expect("energy astray where the motion is slow", DoubtKind::energy_balance, four_bar.system, four_bar.start, options,
         10);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_off_is_refused_wherever_it_ends) {
  const std::string text = checkpoint_text(of_the_ball(0.5));
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    const std::string message = complaint([&] { parse_checkpoint(text.substr(0, length), "half.json"); });
    BOOST_TEST(contains(message, "half.json"), length);
    BOOST_TEST(contains(message, "cut off"), message);
  }
}

BOOST_AUTO_TEST_CASE(foreign_files_are_refused_by_field) {
  const std::string text = checkpoint_text(of_the_ball(0.5));
  const auto refused = [](const std::string& t) { return complaint([&] { parse_checkpoint(t, "other.json"); }); };
  for (const char* foreign : {"[1, 2]", "3", "{\"blocks\": [], \"elements\": []}", "{\"format\": \"something\"}"}) {
    BOOST_TEST(contains(refused(foreign), "other.json"));
    BOOST_TEST(contains(refused(foreign), "\"format\""));
    BOOST_TEST(contains(refused(foreign), "--checkpoint"));
  }
  const std::string later = refused(replaced(text, "\"format_version\": 1", "\"format_version\": 2"));
  BOOST_TEST(contains(later, "format_version"));
  BOOST_TEST(contains(later, "library that wrote it"));
  BOOST_TEST(contains(refused(replaced(text, "\"steps\"", "\"stepz\"")), "steps"));
  BOOST_TEST(contains(refused(replaced(text, "\"rank\": 0", "\"rank\": \"no\"")), "rank"));
  for (const char* field : {"steps", "rhs_evaluations", "typical_position", "wall_seconds"}) {  // never negative
    const std::string begins = std::string("\"") + field + "\": ";
    BOOST_TEST(contains(refused(replaced(text, begins, begins + "-")), std::string("\"") + field + "\""));
  }
  BOOST_TEST(contains(refused(replaced(text, "\"rank\": 0", "\"rank\": -1")), "0 or more"));
  BOOST_TEST(contains(refused(replaced(text, "\"t_end\": 3.0", "\"t_end\": \"soon\"")), "t_end"));
  BOOST_TEST(contains(refused(replaced(text, "\"known\": [", "\"known\": [true, ")), "known"));
  BOOST_TEST(contains(refused(replaced(text, "\"active\": [\n   ", "\"active\": [\n   true, ")), "active"));
  BOOST_TEST(contains(complaint([] { read_checkpoint("no such file.json"); }), "no such file.json"));
  BOOST_TEST(
      contains(complaint([&] { write_checkpoint(of_the_ball(0.5), "no such folder/x.json"); }), "no such folder"));
}

BOOST_AUTO_TEST_CASE(an_edited_checkpoint_is_refused) {
  const auto mechanism = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.t_end = 3.0;
  Stepper stepper(mechanism.system, mechanism.start, options);
  stepper.advance_to(1.0);
  const Checkpoint saved = stepper.save();
  const auto refused = [&](const std::function<void(Checkpoint&)>& edit) {
    Checkpoint edited = saved;
    edit(edited);
    return complaint([&] { Stepper(mechanism.system, edited, options); });
  };
  BOOST_TEST(refused([](Checkpoint&) {}).empty());
  BOOST_TEST(
      contains(refused([](Checkpoint& c) { c.state.t = 2.0; }), "state.t = 2, but the statistics say t_reached"));
  BOOST_TEST(contains(refused([](Checkpoint& c) { c.active.front() = false; }), "is switched off"));
  BOOST_REQUIRE(!saved.parameters.empty());
  BOOST_TEST(contains(refused([](Checkpoint& c) { c.parameters.front().second = NAN; }), "parameters: "));
  const std::string text = checkpoint_text(saved);
  for (const char* const field : {"elements", "parameters"}) {
    const std::string other = replaced(text, std::string("\"") + field + "\": ", "\"else\": ");
    BOOST_TEST(contains(complaint([&] { parse_checkpoint(other, "saved"); }), field), field);
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  const Checkpoint saved = of_the_ball(0.5);
  const std::string without = complaint([&] { Stepper(ball(), saved, saved.options); });
  BOOST_TEST(contains(without, "events"));
  BOOST_TEST(contains(without, "options.events"));
  Assembly other;
  const Block h = other.add_coordinates("height", BlockKind::translation);
  other.add("mass", SlidingMass{1.0}, {h});
  const std::string foreign = complaint([&] { Stepper(other.build(), saved, saved.options); });
  BOOST_TEST(contains(foreign, "\"h\" there, \"height\" here"));
  BOOST_TEST(contains(foreign, "inputs"));

  const auto swinging = [](double mass) {
    Assembly assembly;
    const Block height = assembly.add_coordinates("h", BlockKind::translation);
    assembly.add("mass", SlidingMass{mass}, {height});
    return assembly.build();
  };
  const Checkpoint light = Stepper(swinging(1.0), {0.0, Eigen::VectorXd::Ones(1), {}}, {}).save();
  Stepper(swinging(1.0), light, light.options);
  const std::string heavier = complaint([&] { Stepper(swinging(2.0), light, light.options); });
  BOOST_TEST(contains(heavier, "parameters: \"mass.inertia\" = 1 there, \"mass.inertia\" = 2 here"), heavier);
  // the same names and parameters, at another place
  const auto damped = [](bool first) {
    Assembly assembly;
    const Block a = assembly.add_coordinates("a", BlockKind::translation),
                b = assembly.add_coordinates("b", BlockKind::translation);
    assembly.add("mass a", SlidingMass{1.0}, {a});
    assembly.add("mass b", SlidingMass{1.0}, {b});
    assembly.add("spring", AxialSpringToGround{2.0}, {first ? a : b});
    return assembly.build();
  };
  const Checkpoint on_a = Stepper(damped(true), {0.0, Eigen::VectorXd::Ones(2), {}}, {}).save();
  Stepper(damped(true), parse_checkpoint(checkpoint_text(on_a), "on a"), on_a.options);
  const std::string on_b = complaint([&] { Stepper(damped(false), on_a, on_a.options); });
  BOOST_TEST(contains(on_b, "elements: \"spring (a)\" there, \"spring (b)\" here"), on_b);
  Checkpoint with_table = saved;
  with_table.options.table = rk4();
  BOOST_TEST(contains(complaint([&] { checkpoint_text(with_table); }), "options.table"));
}
