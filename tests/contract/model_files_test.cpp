// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/files/law_function.hpp>
#include <sunlagrange/files/mechanism_file.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "files/codecs.hpp"
#include "files/json_parameters.hpp"
#include "mechanisms/mechanism.hpp"

/// Model files: what is written moves bit for bit as what was written; what is wrong is named with its line.
using namespace sunlagrange;

namespace {

MechanismFile parsed(const std::string& text) {
  return parse_mechanism(text, "test.json");
}

void check_same_motion(const Simulation& a, const Simulation& b) {
  BOOST_TEST(a.status.message == b.status.message);
  BOOST_REQUIRE(a.trajectory.size() == b.trajectory.size());
  for (std::size_t k = 0; k < a.trajectory.size(); ++k) {
    BOOST_REQUIRE(a.trajectory.t(k) == b.trajectory.t(k));
    BOOST_REQUIRE((a.trajectory.q(k).array() == b.trajectory.q(k).array()).all());
    BOOST_REQUIRE((a.trajectory.v(k).array() == b.trajectory.v(k).array()).all());
  }
}

/// What parsing complains of; it must stand in this line of the text.
std::string complaint(const std::string& text, int line) {
  try {
    parsed(text);
  } catch (const Error& error) {
    const std::string said = error.what();
    const std::string place = "test.json:" + std::to_string(line) + ": ";
    BOOST_TEST(said.substr(0, place.size()) == place, said);
    return said;
  }
  BOOST_ERROR("nothing is refused in " + text);
  return "";
}

bool says(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (text.find(word) == std::string::npos) {
      BOOST_TEST_MESSAGE("not \"" << word << "\" in: " << text);
      return false;
    }
  }
  return true;
}

std::string repeated(const std::string& part, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += part;
  return all;
}

const std::string pendulum = R"({
  "blocks": [{"name": "bob", "kind": "planar_point"}],
  "elements": [
    {"name": "mass", "type": "PointMass", "blocks": ["bob"], "parameters": {"m": 2.0}},
    {"name": "weight", "type": "UniformGravity", "blocks": ["bob"], "parameters": {"m": 2.0}},
    {"name": "rod", "type": "DistanceToGround", "blocks": ["bob"],
     "parameters": {"L": {"value": 50, "unit": "cm"}}}
  ],
  "start": {"positions": {"bob.x": 0.5}},
  "simulation": {"t_end": 1.0, "formulation": "ggl", "rtol": 1e-7}
})";

std::string with(const std::string& old_text, const std::string& new_text) {
  std::string text = pendulum;
  const std::size_t at = text.find(old_text);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, old_text.size(), new_text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_is_the_assembly_it_describes) {
  const MechanismFile file = parsed(pendulum);
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{2.0}, {bob});
  assembly.add("weight", UniformGravity{2.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 0.5}, {bob});
  SimulationOptions options;
  options.formulation = "ggl";
  options.rtol = 1e-7;
  check_same_motion(simulate(file.system, file.start, file.options),
                    simulate(assembly.build(), {0.0, Eigen::Vector2d(0.5, 0.0), {}}, options));
}

namespace {

const std::string bodies = R"({
  "gravity": [0, {"value": -981, "unit": "cm/s^2"}],
  "bodies": [
    {"name": "crank", "type": "PlanarBody", "parameters": {"m": 2.0, "I": 0.1}},
    {"name": "rod", "type": "PlanarSolid", "density": {"value": 7.85, "unit": "g/cm^3"},
     "parameters": {"shape": {"type": "Rod", "length": 1.0, "radius": 0.01}}, "natural_scale": 0.5},
    {"name": "bob", "type": "PlanarParticle", "parameters": {"m": {"value": 300, "unit": "g"}}}
  ],
  "elements": [
    {"name": "A", "type": "RevoluteToGround", "blocks": ["crank"], "parameters": {"sx": -0.5}},
    {"name": "B", "type": "Revolute", "blocks": ["crank", "rod"], "parameters": {"s1x": 0.5, "s2x": -0.5}},
    {"name": "C", "type": "Coincidence", "blocks": ["rod", "bob"], "parameters": {"a": {"type": "OnBody", "sx": 0.5}}}
  ],
  "start": {"positions": {"crank.x": 0.5, "rod.x": 1.5, "bob.x": 2.0}},
  "simulation": {"t_end": 1.0, "formulation": "ggl", "rtol": 1e-7}
})";

std::string bodies_with(const std::string& old_text, const std::string& new_text) {
  std::string text = bodies;
  const std::size_t at = text.find(old_text);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, old_text.size(), new_text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(bodies_of_a_file_are_those_of_the_assembly) {
  const MechanismFile file = parsed(bodies);
  Assembly assembly;
  const Block crank = assembly.body("crank", PlanarBody{2.0, 0.1});
  const Block rod = assembly.body("rod", PlanarSolid::of_density(7850.0, shape::Rod{1.0, 0.01}));
  const Block bob = assembly.body("bob", PlanarParticle{0.3});
  assembly.gravity(0.0, -9.81);
  assembly.set_natural_scale(rod, 0.5);
  assembly.add("A", RevoluteToGround{-0.5}, {crank});
  assembly.add("B", Revolute{0.5, 0.0, -0.5, 0.0}, {crank, rod});
  assembly.add("C", Coincidence{OnBody{0.5, 0.0}, AtPoint{}}, {rod, bob});
  const auto system = assembly.build();
  const Simulation run = simulate(file.system, file.start, file.options);
  BOOST_TEST(run.status.finished());
  check_same_motion(run, simulate(system, file.start, file.options));
  const MechanismFile again = parsed(mechanism_text(file));
  check_same_motion(run, simulate(again.system, again.start, again.options));
}

BOOST_AUTO_TEST_CASE(units_of_density_and_inertia) {
  const auto number = [](const char* unit, const std::string& wanted) { return in_unit(1.0, unit, wanted); };
  const auto near = boost::test_tools::tolerance(1e-15);
  BOOST_TEST(number("t/m^3", "kg/m^3") == number("g/cm^3", "kg/m^3"), near);
  BOOST_TEST(number("kg/l", "kg/m^3") == 1.0 / number("l", "m^3"), near);
  BOOST_TEST(number("kg cm^2", "kg m^2") == number("cm^2", "m^2"), near);
  BOOST_TEST(number("kg mm^2", "kg m^2") == number("mm^2", "m^2"), near);
  BOOST_TEST(number("g cm^2", "kg m^2") == number("g", "kg") * number("cm^2", "m^2"), near);
}

BOOST_AUTO_TEST_CASE(mistakes_in_bodies_are_named_with_their_line) {
  const auto is = [](const std::string& old_text, const std::string& new_text, int line,
                     const std::vector<std::string>& words) {
    return says(complaint(bodies_with(old_text, new_text), line), words);
  };
  BOOST_TEST(is("\"PlanarBody\"", "\"PlanerBody\"", 4, {"body \"crank\"", "PlanerBody", "did you mean", "PlanarBody"}));
  BOOST_TEST(is("\"PlanarBody\"", "\"PlanarRigidBody\"", 4, {"type of a body", "PlanarBody"}));
  BOOST_TEST(is("\"m\": 2.0", "\"m\": -2.0", 4, {"body \"crank\" (PlanarBody)", "m = -2", "not negative"}));
  BOOST_TEST(is("\"I\": 0.1", "\"J\": 0.1", 4, {"body \"crank\"", "\"J\"", "I"}));
  BOOST_TEST(is("\"I\": 0.1", "\"I\": {\"value\": 0.1, \"unit\": \"kg\"}", 4, {"kg m^2"}));
  BOOST_TEST(is("\"g/cm^3\"", "\"kg\"", 5, {"body \"rod\"", "density", "kg/m^3"}));
  BOOST_TEST(is("{\"value\": 7.85, \"unit\": \"g/cm^3\"}", "0", 5, {"density = 0", "positive"}));
  BOOST_TEST(is("{\"shape\"", "{\"m\": 1.0, \"shape\"", 5, {"density", "m is given as well"}));
  BOOST_TEST(is("\"I\": 0.1}", "\"I\": 0.1}, \"density\": 7850", 4, {"PlanarBody has no shape", "PlanarSolid"}));
  BOOST_TEST(is("\"Rod\"", "\"Rods\"", 6, {"body \"rod\"", "Rods", "Rod"}));
  BOOST_TEST(is("\"bob\", \"type\"", "\"rod\", \"type\"", 7, {"body \"rod\"", "taken"}));
  BOOST_TEST(is("[0, {", "[{", 2, {"gx, gy"}));
  const std::string blocks = complaint(bodies_with("\"natural_scale\": 0.5", "\"blocks\": [\"rod\"]"), 6);
  BOOST_TEST(says(blocks, {"\"blocks\" is not known"}));
  for (const char* field : {"name", "type", "density"})
    BOOST_TEST(blocks.find(std::string(field) + ",") == blocks.rfind(std::string(field) + ","), blocks);
  const std::string length = complaint(bodies_with("\"length\": 1.0", "\"length\": -1.0"), 6);
  BOOST_TEST(says(length, {"shape.length = -1"}));
  BOOST_TEST(length.find("m = ") == std::string::npos, length);
  BOOST_TEST(says(complaint(R"({"bodies": [], "elements": []})", 1), {"\"bodies\" is empty"}));
  const std::string lamina = complaint(R"({"bodies": [{"name": "b", "type": "SpatialBody", "parameters":
    {"Jxx": 1, "Jyy": 1, "Jzz": 2.0000001}}], "elements": []})",
                                       2);
  BOOST_TEST(says(lamina, {"Jzz = 2.0000001: must not exceed Jxx + Jyy = 2"}));
  BOOST_TEST(is("cm/s^2", "cm/s", 2, {"m/s^2"}));
}

BOOST_AUTO_TEST_CASE(what_is_written_and_read_again_moves_bit_for_bit_the_same) {
  int written = 0;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    const mechanisms::Mechanism mechanism = entry.make(entry.sized() ? 3 : 0);
    MechanismFile file;
    file.system = mechanism.system;
    file.start = mechanism.start;
    file.options.t_end = mechanism.start.t + 0.05 * (mechanism.t_end - mechanism.start.t);
    file.options.formulation = std::string(default_formulation(*mechanism.system));
    file.options.gains = mechanism.gains;
    file.options.start = mechanism.start_mode;
    file.options.linear_solver.rank_policy = mechanism.rank_policy;
    std::string text;
    try {
      text = mechanism_text(file);
    } catch (const Error& refused) {
      BOOST_TEST_MESSAGE(entry.name << ": " << refused.what());
      continue;
    }
    ++written;
    BOOST_TEST_CONTEXT(entry.name) {
      const MechanismFile again = parsed(text);
      BOOST_TEST(mechanism_text(again) == text);
      check_same_motion(simulate(file.system, file.start, file.options),
                        simulate(again.system, again.start, again.options));
    }
  }
  BOOST_TEST(written >= 10);
}

BOOST_AUTO_TEST_CASE(every_type_can_be_written_and_read) {
  for (const internal::Codec& codec : internal::codecs().read) {
    Assembly assembly;
    std::string blocks, names;
    const std::vector<BlockKind> kinds =
        codec.blocks.empty()
            ? std::vector<BlockKind>(static_cast<std::size_t>(codec.num_positions), BlockKind::rotation)
            : codec.blocks;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const std::string name = "b" + std::to_string(k);
      blocks +=
          std::string(k > 0 ? ", " : "") + R"({"name": ")" + name + R"(", "kind": ")" + to_string(kinds[k]) + R"("})";
      names += std::string(k > 0 ? ", " : "") + "\"" + name + "\"";
    }
    std::string parts;
    for (const ParameterInfo& p : codec.parameters) {
      if (!p.part) continue;
      parts += std::string(parts.empty() ? "" : ", ") + "\"" + p.name + R"(": {"type": ")" +
               (p.choices.empty() ? p.type : p.choices.front()) + "\"}";
    }
    const std::string text = R"({"blocks": [)" + blocks + R"(], "elements": [{"name": "e", "type": ")" + codec.name +
                             R"(", "blocks": [)" + names + R"(], "parameters": {)" + parts + "}}]}";
    BOOST_TEST_CONTEXT(text) {
      const std::string once = mechanism_text(parsed(text));
      BOOST_TEST(mechanism_text(parsed(once)) == once);
    }
  }
}

BOOST_AUTO_TEST_CASE(laws_of_files_are_those_of_the_library) {
  const std::string text = R"({
    "blocks": [{"name": "phi", "kind": "rotation"}, {"name": "s", "kind": "translation"}],
    "elements": [
      {"name": "wheel", "type": "Flywheel", "blocks": ["phi"]},
      {"name": "motor", "type": "AppliedTorque", "blocks": ["phi"],
       "parameters": {"law": {"type": "Polynomial", "c": [1, 0.5]}}},
      {"name": "slider", "type": "SlidingMass", "blocks": ["s"]},
      {"name": "drive", "type": "PrescribedCoordinate", "blocks": ["s"],
       "parameters": {"law": {"type": "SplineTable", "times": [0, 0.5, 2], "values": [0, 1, 0.5]}}}
    ],
    "simulation": {"t_end": 1.5}
  })";
  const MechanismFile file = parsed(text);
  const Simulation run = simulate(file.system, file.start, file.options);
  BOOST_REQUIRE(run.status.finished());
  const Eigen::VectorXd q = run.trajectory.position_at(1.5);
  BOOST_TEST(q[0] == 0.5 * 2.25 + 0.5 * 3.375 / 6.0, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(q[1] == SplineTable({0.0, 0.5, 2.0}, {0.0, 1.0, 0.5})(1.5), boost::test_tools::tolerance(1e-5));
  BOOST_TEST(mechanism_text(parsed(mechanism_text(file))) == mechanism_text(file));
}

BOOST_AUTO_TEST_CASE(elements_with_functions_are_refused_by_name) {
  Assembly assembly;
  const Block phi = assembly.add_coordinates("phi", BlockKind::rotation);
  assembly.add("wheel", Flywheel{1.0}, {phi});
  assembly.add("motor", AppliedTorque{[](auto t, auto, auto) { return 2.0 * t; }}, {phi});
  MechanismFile file;
  file.system = assembly.build();
  file.start = {0.0, Eigen::VectorXd::Zero(1), {}};
  BOOST_CHECK_EXCEPTION(mechanism_text(file), Error, [](const Error& error) {
    return says(error.what(), {"\"motor\"", "function"}) &&
           std::string(error.what()).find("wheel") == std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(mistakes_are_named_with_file_line_element_field_and_the_nearest_name) {
  BOOST_TEST(
      says(complaint(with("\"m\": 2.0}},\n    {\"name\": \"weight\"", "\"mas\": 2.0}},\n    {\"name\": \"weight\""), 4),
           {"element \"mass\" (PointMass)", "field \"mas\"", "did you mean m?"}));
  BOOST_TEST(says(complaint(with("UniformGravity", "UniformGravty"), 5),
                  {"element \"weight\"", "did you mean UniformGravity?"}));
  BOOST_TEST(
      says(complaint(with("[\"bob\"],\n", "[\"bobb\"],\n"), 6), {"element \"rod\"", "\"bobb\"", "did you mean bob?"}));
  BOOST_TEST(
      says(complaint(with("\"cm\"", "\"kg\""), 7), {"element \"rod\" (DistanceToGround), field \"L\"", "m, mm, cm"}));
  BOOST_TEST(says(complaint(with("50", "-50"), 7), {"rod", "L = -0.5: must be positive"}));
  BOOST_TEST(says(complaint(with("50", "\"50\""), 7), {"field \"L\"", "must be a number"}));
  BOOST_TEST(says(complaint(with("bob.x", "bob.z"), 9), {"start", "bob.z", "bob.x"}));
  BOOST_TEST(says(complaint(with("\"ggl\"", "\"gl\""), 10), {"simulation", "did you mean ggl?"}));
  BOOST_TEST(says(complaint(with("t_end", "tend"), 10), {"simulation", "did you mean t_end?"}));
  BOOST_TEST(says(complaint(with("planar_point", "planar_pint"), 2), {"block \"bob\"", "did you mean planar_point?"}));
  BOOST_TEST(says(complaint(with("\"start\"", "\"strat\""), 9), {"did you mean start?"}));
  BOOST_TEST(says(complaint(with("\"elements\": [", "\"elements\": [,"), 3), {"no JSON"}));
  BOOST_TEST(says(complaint(with("\"L\": {\"value\": 50, ", "\"L\": {\"value\": 50 "), 7), {"no JSON", "is a comma"}));
  BOOST_TEST(says(complaint(with("50", "1e999"), 7), {"field \"value\"", "not finite", "1e999"}));
  BOOST_TEST(says(complaint(with("\"bob.x\": 0.5", "\n\"bob\\u002ex\": \"half\""), 10), {"start", "must be a number"}));
  BOOST_TEST(says(complaint(with("\"kind\": \"planar_point\"", "\"size\": 1000000000000"), 2),
                  {"field \"size\"", "1000000000000", "check the size"}));
  for (const auto& [open, close] : {std::pair{"[", "]"}, {"{\"a\":[", "]}"}, {"[{\"a\":", ""}})
    BOOST_TEST(says(complaint(with("50", "\n" + repeated(open, 100000) + "1" + repeated(close, 100000)), 8),
                    {"more than 100 nested brackets"}));
  BOOST_TEST(says(complaint(with("50", repeated("[", 50) + repeated("]", 50)), 7), {"\"L\"", "must be a number"}));
  BOOST_TEST(says(complaint(with("ggl", repeated("[", 500)), 10), {"formulation"}));
  BOOST_TEST(
      says(complaint(with("\"bob\", \"kind\"", "\"bob\", \"name\": \"b{ob\", \"kind\""), 2), {"\"name\"", "twice"}));
  BOOST_TEST(says(complaint(with("\"start\"", "\"bl\\u006fcks\""), 9), {"\"blocks\"", "twice"}));
  BOOST_CHECK_EXCEPTION(read_mechanism("/nowhere.json"), Error,
                        [](const Error& error) { return says(error.what(), {"/nowhere.json"}); });
  BOOST_CHECK_EXCEPTION(read_mechanism("."), Error,
                        [](const Error& error) { return says(error.what(), {"\".\" is a folder"}); });
}

/// What a run would refuse the reader refuses, with the line; and the schema says the same bounds.
BOOST_AUTO_TEST_CASE(options_out_of_their_bounds_are_refused_where_they_stand) {
  const auto properties = internal::Json::parse(mechanism_schema())["properties"]["simulation"]["properties"];
  const auto simulated = [](const std::string& options) {
    return with("\"t_end\": 1.0, \"formulation\": \"ggl\", \"rtol\": 1e-7", "\n" + options);
  };
  const auto refused = [&](const std::string& option, double value) {
    const auto& p = properties[option];
    const auto bound = [&](const char* word) { return p.contains(word) ? p[word].get<double>() : std::nan(""); };
    return value < bound("minimum") || value <= bound("exclusiveMinimum") || value > bound("maximum") ||
           value >= bound("exclusiveMaximum");
  };
  for (const char* option :
       {"rtol", "atol", "step", "max_steps", "time_scale", "rank_threshold", "regularization", "t_end"}) {
    int bad = 0;
    for (const char* number : {"-1", "0", "1", "2", "1e-5", "1e-16", "-1e150"}) {
      const bool whole = std::string(number).find('e') == std::string::npos;
      if (std::string(option) == "max_steps" && !whole) continue;
      const std::string text = simulated("\"" + (option + ("\": " + std::string(number))));
      const double value = std::stod(number);
      if (refused(option, value) || (std::string(option) == "t_end" && value <= 0.0)) {
        BOOST_TEST(says(complaint(text, 11), {"simulation, field \"" + std::string(option) + "\"", "must be"}));
        ++bad;
      } else {
        BOOST_CHECK_NO_THROW(parsed(text));
      }
    }
    BOOST_TEST(bad > 0, option);
  }
  BOOST_TEST(says(complaint(simulated("\"gains\": {\"K_D\": -1}"), 11), {"simulation", "K_D"}));
  BOOST_TEST(says(complaint(simulated("\"gains\": {\"Kd\": 5}"), 11), {"field \"Kd\"", "did you mean K_D?"}));
}

BOOST_AUTO_TEST_CASE(notes_say_what_may_not_be_meant) {
  const auto notes_of = [](const std::string& masses, const std::string& spring) {
    return parsed(R"({"blocks": [{"name": "bar", "kind": "planar_body"}], "elements": [
      {"name": "body", "type": "PlanarRigidBody", "blocks": ["bar"], "parameters": {"m": 2.0, "I": 0.1}},
      {"name": "weight", "type": "UniformGravity", "blocks": ["bar.centre"], "parameters": {)" +
                  masses + R"(}},
      {"name": "spring", "type": "LinearSpring", "blocks": ["bar"], "parameters": {"a": "OnBody", "b": "OnGround")" +
                  spring + "}}]}")
        .notes;
  };
  BOOST_TEST(notes_of("\"m\": 2.0", ", \"k\": 5.0, \"l0\": 1.0").empty());
  const std::vector<std::string> defaults = notes_of("\"m\": 2.0", ", \"l0\": 1.0");
  BOOST_TEST_REQUIRE(defaults.size() == 1U);
  BOOST_TEST(defaults[0] == "defaults taken: spring.k = 1 N/m");
  const MechanismFile top = parsed(
      R"({"bodies": [{"name": "top", "type": "SpatialBody", "parameters": {"m": 1, "Jxx": 1, "Jyy": 1, "Jzz": 1}}],
      "elements": []})");
  BOOST_TEST_REQUIRE(top.notes.size() == 1U);
  BOOST_TEST(top.notes[0] == "defaults taken: top.norm_inertia = mean moment of inertia");
  const std::vector<std::string> both = notes_of("", ", \"k\": 5.0, \"l0\": 1.0");
  BOOST_TEST_REQUIRE(both.size() == 2U);
  BOOST_TEST(both[0] == "defaults taken: weight.m = 1 kg");
  BOOST_TEST(both[1] == "the weight of weight is that of 1 kg, the inertia of body is 2 kg");
}

BOOST_AUTO_TEST_CASE(a_part_of_a_block_that_is_not_there_is_told_with_those_that_are) {
  BOOST_TEST(says(complaint(with("[\"bob\"],\n", "[\"bob.xx\"],\n"), 6), {"bob.xx", "did you mean bob.x?", "bob.y"}));
}

BOOST_AUTO_TEST_CASE(a_law_must_be_named) {
  const std::string head = R"({"blocks": [{"name": "phi", "kind": "rotation"}], "elements": [
    {"name": "wheel", "type": "Flywheel", "blocks": ["phi"]},
    {"name": "motor", "type": "AppliedTorque", "blocks": ["phi"])";
  BOOST_TEST(says(complaint(head + "}]}", 3), {"motor", "law", "choose one of", "Harmonic"}));
  for (const char* law : {"3", "[]", "{}", R"({"type": 3})"}) {
    BOOST_TEST(says(complaint(head + R"(, "parameters": {"law": )" + law + "}}]}", 3), {"motor", "law"}));
  }
  BOOST_TEST(
      says(complaint(head + R"(, "parameters": {"law": {"type": "Harmonc"}}}]})", 3), {"did you mean Harmonic?"}));
}

BOOST_AUTO_TEST_CASE(inputs_of_a_file_are_set_by_the_name_of_their_element) {
  const MechanismFile mechanism = parse_mechanism(R"({
    "blocks": [{"name": "p", "kind": "planar_point"}, {"name": "x", "kind": "translation"}],
    "elements": [
      {"name": "mass", "type": "PointMass", "blocks": ["p"], "parameters": {"m": 2}},
      {"name": "slider", "type": "SlidingMass", "blocks": ["x"]},
      {"name": "load", "type": "AppliedForce", "blocks": ["p"],
       "parameters": {"law": {"type": "PlanarComponents", "x": "Input", "y": {"type": "Input", "start": 4}}}},
      {"name": "drive", "type": "AxialForce", "blocks": ["x"], "parameters": {"law": {"type": "Input", "start": 1}}}],
    "simulation": {"t_end": 1}})",
                                                  "inputs.json");
  Stepper stepper(mechanism.system, mechanism.start, mechanism.options);
  BOOST_TEST(stepper.inputs() == (std::vector<std::string>{"load.x", "load.y", "drive"}),
             boost::test_tools::per_element());
  stepper.set("load.x", -6.0);
  BOOST_TEST(std::abs(stepper.read("p.x''") + 3.0) < 1e-12);
  BOOST_TEST(std::abs(stepper.read("p.y''") - 2.0) < 1e-12);
  BOOST_TEST(stepper.advance_to(1.0));
  BOOST_TEST(std::abs(stepper.read("p.x") + 1.5) < 1e-6);
  BOOST_TEST(parse_mechanism(mechanism_text(mechanism), "again").system->num_elements() == 4);
}

/// A point whose height is given by a function, and a slider that is pulled by another function.
std::string with_functions(const std::string& path, const std::string& pull) {
  return R"({"blocks": [{"name": "p", "kind": "planar_point"}, {"name": "x", "kind": "translation"}],
 "elements": [{"name": "mass", "type": "PointMass", "blocks": ["p"]},
  {"name": "weight", "type": "UniformGravity", "blocks": ["p"]},
  {"name": "guide", "type": "PrescribedCoordinate", "blocks": ["p.y"], "parameters": {"law": )" +
         path + R"(}},
  {"name": "slider", "type": "SlidingMass", "blocks": ["x"]},
  {"name": "drag", "type": "AxialForce", "blocks": ["x"], "parameters": {"law": )" +
         pull + R"(}}],
 "start": {"positions": {"x": 1}}, "simulation": {"t_end": 2, "formulation": "baumgarte", "rtol": 1e-9, "atol": 1e-9}})";
}

BOOST_AUTO_TEST_CASE(functions_of_the_application_are_laws) {
  const std::string text =
      with_functions(R"({"type": "Function", "name": "height"})", R"({"type": "Function", "name": "pull"})");
  int calls = 0;
  LawFunctions functions;
  functions["height"].value = [&calls](LawFunction::In x, View<double> value) {
    ++calls;
    BOOST_REQUIRE((x.size() == 1 && value.size() == 1));
    value[0] = 0.3 * std::sin(2.0 * x[0]);
  };
  functions["pull"].value = [](LawFunction::In x, View<double> value) {
    BOOST_REQUIRE((x.size() == 3 && value.size() == 1));
    value[0] = -9.0 * x[1] - 0.6 * x[2];
  };
  const MechanismFile differences = parse_mechanism(text, "test.json", functions);
  BOOST_TEST(calls == 0);  // nothing is evaluated before a run
  functions["height"].first_derivative = [](LawFunction::In x, MatrixView<double> rate) {
    rate(0, 0) = 0.6 * std::cos(2.0 * x[0]);
  };
  functions["height"].second_derivative = [](LawFunction::In x, View<double> curvature) {
    curvature[0] = -1.2 * std::sin(2.0 * x[0]);
  };
  functions["pull"].first_derivative = [](LawFunction::In, MatrixView<double> derivative) {
    derivative(0, 0) = 0.0;
    derivative(0, 1) = -9.0;
    derivative(0, 2) = -0.6;
  };
  const MechanismFile given = parse_mechanism(text, "test.json", functions);
  for (const MechanismFile* file : {&differences, &given}) {
    for (const char* formulation : {"baumgarte", "ggl", "index1"}) {
      SimulationOptions options = file->options;
      options.formulation = formulation;
      const Simulation run = simulate(file->system, file->start, options);
      BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
      const Eigen::VectorXd q = run.trajectory.q(run.trajectory.size() - 1),
                            v = run.trajectory.v(run.trajectory.size() - 1);
      BOOST_TEST(std::abs(q[1] - 0.3 * std::sin(4.0)) < 1e-6);
      BOOST_TEST(std::abs(v[1] - 0.6 * std::cos(4.0)) < 1e-6);
      const double w = std::sqrt(9.0 - 0.09);
      BOOST_TEST(std::abs(q[2] - std::exp(-0.6) * (std::cos(2.0 * w) + 0.3 / w * std::sin(2.0 * w))) < 1e-6);
    }
  }
  const SystemQuantities at =
      SystemEvaluator(differences.system).at(0.7, Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0, 0, 0));
  BOOST_TEST(std::abs(at.g_rate[0] + 0.6 * std::cos(1.4)) < 1e-9);
  BOOST_TEST(std::abs(at.gamma[0] + 1.2 * std::sin(1.4)) < 1e-7);

  const std::string written = mechanism_text(given);
  BOOST_TEST(says(written, {R"("name": "height")", R"("name": "pull")"}));
  BOOST_TEST(mechanism_text(parse_mechanism(written, "again", functions)) == written);
  BOOST_TEST(says(complaint(text, 4), {"guide", "\"height\" is a function of the application", "SplineTable"}));
  functions.erase("pull");
  functions["pulls"] = functions["height"];
  try {
    parse_mechanism(text, "test.json", functions);
    BOOST_ERROR("a function that is missing is not refused");
  } catch (const Error& error) {
    BOOST_TEST(says(error.what(), {"test.json:6", "drag", "pull", "did you mean pulls"}));
  }
  BOOST_TEST(says(complaint(with_functions("\"Function\"", "\"Input\""), 4), {"guide", "\"name\" is missing"}));
}
