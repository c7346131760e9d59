// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include <sunlagrange/base/printable.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/import/import_robot.hpp>

#include "cases/typed_number.hpp"
#include "commands.hpp"
#include "shared/number.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

struct Arguments {
  std::string file, output, base = "as-described";
  std::vector<std::string> positions, velocities, gravity;
  double ball_mass = 0.0, ball_radius = 0.0;
};

/// @param unit    of an angle, or its rate
/// @param angles  gets the joints whose values have a unit
std::map<std::string, double> values_of_joints(const std::string& option, const std::vector<std::string>& said,
                                               const std::string& unit, std::set<std::string>& angles) {
  std::map<std::string, double> values;
  for (const std::string& typed : said) {
    const auto [joint, number] = named_text(typed, option, "JOINT=NUMBER, e.g. elbow=0.5 or elbow=30deg");
    double plain = 0.0;
    values[joint] = typed_number(number, option + " " + typed, unit);
    if (!read_number(number, plain)) angles.insert(joint);
  }
  return values;
}

ImportOptions import_options(const Arguments& a) {
  ImportOptions options;
  if (a.base == "fixed") options.base = ImportOptions::Base::fixed;
  if (a.base == "free") options.base = ImportOptions::Base::free;
  if (!a.gravity.empty()) {
    if (a.gravity.size() != 3) throw Error("--gravity: takes three numbers, x y z in m/s^2");
    for (int k = 0; k < 3; ++k) {
      const std::string& typed = a.gravity[static_cast<std::size_t>(k)];
      if (!read_number(typed, options.gravity[k])) throw Error("--gravity: \"" + typed + "\" is no number");
    }
  }
  options.positions = values_of_joints("--position", a.positions, "rad", options.angles);
  options.velocities = values_of_joints("--velocity", a.velocities, "rad/s", options.angles);
  options.ball_mass = a.ball_mass;
  options.ball_radius = a.ball_radius;
  return options;
}

int import_model(const Arguments& a) {
  const ImportedRobot robot = import_robot(a.file, import_options(a));
  std::cerr << printable(robot.notes_text());
  const std::string text = mechanism_text(robot.mechanism);
  if (a.output.empty())
    std::cout << text;
  else
    write_file(a.output, text, "--output");
  return exit_finished;
}

std::string formats() {
  std::string all;
  for (const std::string& format : import_formats()) all += (all.empty() ? "" : ", ") + format;
  return all;
}

}  // namespace

Command import_command() {
  const auto a = std::make_shared<Arguments>();
  const unsigned size = rule::finite | rule::not_negative;
  return {
      "import",
      "converts a robot description to a model file; lists on stderr what it leaves out",
      {{"file", &a->file, "robot description: " + formats(), rule::required | rule::reads},
       {"-o,--output", &a->output, "model file; default: stdout", rule::writes},
       {"--base",
        &a->base,
        "motion of the root link, which URDF does not state",
        rule::show_default,
        {"as-described", "fixed", "free"}},
       {"--gravity", &a->gravity, "x y z [m/s^2], if the description has none; default: 0 0 -9.81"},
       {"--position", &a->positions, "JOINT=NUMBER, position of a joint at the start [rad, m], or 30deg; default: 0"},
       {"--velocity", &a->velocities,
        "JOINT=NUMBER, rate of a joint at the start [rad/s, m/s], or 30deg/s; default: 0"},
       {"--ball-mass", &a->ball_mass, "mass of a ball that replaces the inertia of a link without one [kg]", size},
       {"--ball-radius", &a->ball_radius, "radius of this ball [m]", size}},
      [a] { return import_model(*a); },
      "sunlagrange import robot.urdf --position elbow=0.5 -o mechanism.json\n"
      "sunlagrange run mechanism.json"};
}

}  // namespace sunlagrange::program
