// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "programs.hpp"

/// The pages that the programs write: their numbers are those of the documents. What they show in a browser:
/// scripts/check_report.sh.
using namespace sunlagrange::test;
using Json = nlohmann::json;

namespace {

/// Seven digits are printed.
void check_same(const Json& shown, const Json& exact) {
  if (exact.is_null()) {
    BOOST_TEST(shown.is_null());
    return;
  }
  const double x = exact.get<double>();
  BOOST_TEST(std::abs(shown.get<double>() - x) <= 1e-6 * std::abs(x));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_page_of_a_run_says_what_its_document_says) {
  const std::string file = "pages_test_pendulum.html";
  const Json run = record(call("run pendulum --rtol 1e-8 --json --html " + file));
  const Json page = page_data(file);
  BOOST_TEST(page["outcome"] == run["status"]);
  BOOST_TEST(page["formulation"] == run["used_formulation"]);
  BOOST_TEST(page["integrator"] == run["used_integrator"]);
  for (const auto& [shown, exact] : {std::pair{"steps", "steps"},
                                     {"rhs_evaluations", "rhs_evaluations"},
                                     {"t_reached", "t_reached"},
                                     {"max_position_violation", "max_position_violation"},
                                     {"energy_drift", "energy_drift"}})
    check_same(page["figures"][shown], run[exact]);
  const Json& curves = page["curves"];
  BOOST_TEST(curves["coordinates"].size() == 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    check_same(curves["coordinates"][i]["y"].back(), run["q_end"][i]);
    check_same(curves["velocities"][i]["y"].back(), run["v_end"][i]);
  }
  check_same(curves["multipliers"][0]["y"].back(), run["lambda_end"][0]);
  double violation = 0.0;
  for (const Json& g : curves["violations"][0]["y"]) violation = std::max(violation, g.get<double>());
  BOOST_TEST(violation <= 1.001 * run["max_position_violation"].get<double>());
  BOOST_TEST(curves["steps"]["t"].size() == curves["steps"]["order"].size());
  // the rod of the picture has its length at all times
  const Json& scene = page["scene"];
  BOOST_TEST(scene["planar"].get<bool>());
  std::size_t place = 0, rod = std::string::npos;
  for (const Json& shape : scene["shapes"]) {
    if (shape["kind"] == "rod") rod = place;
    place += 2 * shape["points"].get<std::size_t>();
  }
  BOOST_REQUIRE(rod != std::string::npos);
  BOOST_TEST(scene["frames"].size() == scene["t"].size());
  for (const Json& frame : scene["frames"]) {
    BOOST_REQUIRE_EQUAL(frame.size(), place);
    const auto x = [&](std::size_t k) { return frame[rod + k].get<double>(); };
    BOOST_TEST(std::abs(std::hypot(x(2) - x(0), x(3) - x(1)) - 1.0) < 1e-5);
  }
  std::filesystem::remove(file);
}

// Six hinges, five rods with Euler parameters: ten forces, equal and opposite in each joint.
BOOST_AUTO_TEST_CASE(joint_forces_act_on_both_bodies_alike) {
  const std::string file = "pages_test_bricard.html";
  BOOST_TEST(call("run bricard --t-end 1 --formulation projected --html " + file).exit_code == 0);
  const Json page = page_data(file);
  BOOST_TEST(!page["scene"]["planar"].get<bool>());
  const Json& joints = page["joints"];
  BOOST_REQUIRE_EQUAL(joints["list"].size(), 10u);
  double largest = 0.0;
  for (std::size_t i = 0; i + 1 < joints["list"].size(); ++i) {
    const Json &a = joints["list"][i], &b = joints["list"][i + 1];
    BOOST_TEST(a["about"] == "the joint");
    if (a["joint"] != b["joint"]) continue;
    for (const char* component : {"Fx", "Fy", "Fz", "Mx", "My", "Mz"}) {
      for (std::size_t k = 0; k < joints["t"].size(); ++k) {
        const double one = a[component][k].get<double>(), other = b[component][k].get<double>();
        largest = std::max(largest, std::abs(one));
        BOOST_TEST(std::abs(one + other) < 1e-5 * (1.0 + std::abs(one)));
      }
    }
  }
  BOOST_TEST(largest > 1.0);
  std::filesystem::remove(file);
}

// The shapes are drawn on the constraints: bars keep their lengths, pins stay together; a cycle ends where it began.
BOOST_AUTO_TEST_CASE(shapes_of_modes_move_on_the_constraints) {
  const std::string file = "pages_test_modes.html";
  const Result result = call("modes chain --size 5 --at equilibrium --json --html " + file);
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out), page = page_data(file);
  BOOST_TEST(page["verdict"] == document["verdict"]);
  const Json& values = page["parts"][1]["tables"][0]["rows"];
  BOOST_REQUIRE_EQUAL(values.size(), document["modes"].size());
  for (std::size_t k = 0; k < values.size(); ++k) check_same(values[k][3], document["modes"][k]["frequency"]);
  const Json& scenes = page["parts"][0]["scenes"];
  BOOST_REQUIRE_EQUAL(scenes.size(), 5u);
  for (const Json& picture : scenes) {
    const Json& scene = picture["scene"];
    BOOST_TEST(scene["axis"]["loop"].get<bool>());
    BOOST_TEST(scene["t"].back() == 360.0);
    std::size_t place = 0, bodies = 0;
    for (const Json& shape : scene["shapes"]) {
      const std::size_t begin = place;
      place += 2 * shape["points"].get<std::size_t>();
      if (shape["kind"] != "body") continue;
      ++bodies;
      const auto between = [&](const Json& frame) {  // first and last point of the body
        const auto x = [&](std::size_t k) { return frame[k].get<double>(); };
        return std::hypot(x(place - 2) - x(begin), x(place - 1) - x(begin + 1));
      };
      for (const Json& frame : scene["frames"])
        BOOST_TEST(std::abs(between(frame) - between(scene["frames"][0])) < 1e-5);
    }
    BOOST_TEST(bodies == 5u);
    BOOST_TEST(scene["frames"].front() == scene["frames"].back());
  }
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(the_page_of_equilibria_shows_each) {
  const std::string file = "pages_test_rest.html";
  BOOST_TEST(call("equilibrium pendulum --starts 10 --html " + file).exit_code == 0);
  const Json page = page_data(file);
  BOOST_TEST(page["verdict"] == "2 equilibria, 1 stable");
  BOOST_REQUIRE_EQUAL(page["parts"].size(), 2u);
  for (const Json& part : page["parts"]) BOOST_TEST(part["scenes"][0]["scene"]["frames"].size() == 1u);
  const Json& rows = page["parts"][0]["tables"][0]["rows"];
  BOOST_TEST(rows[0][1].get<double>() == 0.0);
  BOOST_TEST(rows[1][1].get<double>() == -1.0, boost::test_tools::tolerance(1e-6));
  std::filesystem::remove(file);
}

// Between bodies they cancel; what is left bears the weight of five bars of 1 kg.
BOOST_AUTO_TEST_CASE(joint_forces_at_rest_bear_the_weight) {
  const std::string file = "pages_test_weight.html";
  BOOST_TEST(call("equilibrium n_four_bar_bodies --html " + file).exit_code == 0);
  const Json table = page_data(file)["parts"][0]["tables"][1];
  BOOST_TEST(table["columns"][3]["name"] == "Fy [N]");
  double vertical = 0.0;
  for (const Json& row : table["rows"]) vertical += row[3].get<double>();
  BOOST_TEST(vertical == 5.0 * 9.81, boost::test_tools::tolerance(1e-6));
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(the_page_of_kinematics_has_what_its_document_has) {
  const std::string file = "pages_test_kinematics.html";
  const Result result = call(
      "kinematics slider_crank --coordinate q --from 7.5 --to 1.5 --points 7 --speed 2 --json "
      "--html " +
      file);
  BOOST_TEST(result.exit_code == 0);
  const Json page = page_data(file), branch = Json::parse(result.out)["branches"][0];
  const Json& part = page["parts"][0];
  BOOST_TEST(part["scenes"][0]["scene"]["frames"].size() == 7u);
  const Json &positions = part["charts"][0], &drive = part["charts"][2];
  BOOST_TEST(positions["series"][0]["name"] == "x");
  for (std::size_t k = 0; k < 7; ++k) {  // curves go from left to right
    const Json& point = branch["points"][6 - k];
    check_same(positions["x"][k], point["s"]);
    check_same(positions["series"][0]["y"][k], point["q"][1]);
    check_same(drive["series"][0]["y"][k], point["drive"]);
  }
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(the_page_of_a_workspace_has_its_places) {
  const std::string file = "pages_test_workspace.html";
  const Result result = call(
      "workspace chain --size 2 --point \"rod 2\" --offset 0.5,0 --drive \"rod 1.phi=-1:1:5\" "
      "--drive \"rod 2.phi=-1.1:1:8\" --json --html " +
      file);
  BOOST_TEST(result.exit_code == 0);
  const Json page = page_data(file), document = Json::parse(result.out);
  const Json& part = page["parts"][0];
  const Json& groups = part["planes"][0]["groups"];
  BOOST_TEST(groups[0]["x"].size() == document["points"].size());
  for (std::size_t k = 0; k < groups[0]["x"].size(); ++k) {
    check_same(groups[0]["x"][k], document["points"][k]["place"][0]);
    check_same(groups[0]["y"][k], document["points"][k]["place"][1]);
    BOOST_TEST((groups[0]["shade"][k] >= 0.0 && groups[0]["shade"][k] <= 1.0));
  }
  std::size_t bounding = 0;
  for (std::size_t k = 1; k < groups.size(); ++k) bounding += groups[k]["x"].size();
  BOOST_TEST(bounding == document["boundary"].size());
  BOOST_TEST(page["parts"][1]["scenes"][0]["scene"]["frames"].size() == 40u);
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(the_page_of_sensitivities_has_what_its_document_has) {
  const std::string file = "pages_test_sensitivities.html";
  const Result result =
      call("sensitivities pendulum --parameter rod.L --start-velocity bob[1] --points 21 --json --html " + file);
  BOOST_TEST(result.exit_code == 0);
  const Json page = page_data(file), document = Json::parse(result.out);
  BOOST_REQUIRE_EQUAL(page["parts"].size(), 2u);
  for (std::size_t p = 0; p < 2; ++p) {
    const Json& part = page["parts"][p];
    BOOST_REQUIRE_EQUAL(part["charts"].size(), 3u);  // q, v, lambda
    for (std::size_t k = 0; k < 21; ++k) {
      const Json& point = document["points"][k];
      check_same(part["charts"][0]["x"][k], point["t"]);
      for (std::size_t i = 0; i < 2; ++i) {
        check_same(part["charts"][0]["series"][i]["y"][k], point["dq"][p][i]);
        check_same(part["charts"][1]["series"][i]["y"][k], point["dv"][p][i]);
      }
      check_same(part["charts"][2]["series"][0]["y"][k], point["dlambda"][p][0]);
    }
    const Json &end = document["points"][20], value = document["parameters"][p]["value"];
    for (std::size_t i = 0; i < 2; ++i) {
      const Json& row = part["tables"][0]["rows"][i];
      const double derivative = end["dq"][p][i], q = end["q"][i];
      check_same(row[3], derivative);
      if (value == 0.0)
        BOOST_TEST(row[5].is_null());  // no share of nothing
      else
        check_same(row[5], derivative * value.get<double>() / q);
    }
  }
  const Result curves = call("sensitivities pendulum --parameter rod.L --html " + file);
  BOOST_TEST(page_data(file)["parts"][0]["charts"][0]["x"].size() == 201u);
  BOOST_TEST(curves.out.find("t = 0.005") == std::string::npos, curves.out);  // two tables all the same
  std::filesystem::remove(file);
}

// The mechanism of docs/model-files.md.
BOOST_AUTO_TEST_CASE(a_model_file_is_run_and_seen) {
  const std::string file = "pages_test_four_bar.html";
  const Result result = call(std::string("run ") + SUNLAGRANGE_SOURCE_DIR + "/examples/four_bar.json --html " + file);
  BOOST_TEST(result.exit_code == 0, result.out);
  const Json page = page_data(file);
  std::map<std::string, int> bodies;
  for (const Json& joint : page["joints"]["list"]) ++bodies[joint["joint"].get<std::string>()];
  BOOST_TEST((bodies == std::map<std::string, int>{{"A", 1}, {"B", 2}, {"C", 2}, {"D", 1}, {"motor", 1}}));
  std::set<std::string> kinds;
  for (const Json& shape : page["scene"]["shapes"]) kinds.insert(shape["kind"].get<std::string>());
  for (const char* kind : {"body", "ground", "pin", "spring", "damper"}) BOOST_TEST(kinds.count(kind) == 1u, kind);
  std::filesystem::remove(file);
}

// What a page says first. A pin exerts no torque, whatever the places of bodies are off by.
BOOST_AUTO_TEST_CASE(a_page_has_the_largest_forces_drives_and_ranges) {
  const std::string file = "pages_test_largest.html";
  for (const char* formulation : {"baumgarte", "ggl"}) {
    const Result result = call(std::string("run ") + SUNLAGRANGE_SOURCE_DIR + "/examples/four_bar.json --formulation " +
                               formulation + " --html " + file);
    BOOST_TEST(result.exit_code == 0, result.out);
    const Json page = page_data(file);
    for (const Json& joint : page["joints"]["list"]) {
      double force = 0.0, torque = 0.0;
      for (std::size_t k = 0; k < page["joints"]["t"].size(); ++k) {
        force = std::max(force, std::hypot(joint["Fx"][k].get<double>(), joint["Fy"][k].get<double>()));
        torque = std::max(torque, std::abs(joint["Mz"][k].get<double>()));
      }
      check_same(joint["largest_force"][0], force);
      BOOST_TEST((torque > joint["torque_bound"].get<double>()) == (joint["joint"] == "motor"),
                 joint["joint"] << torque);
    }
    // one drive, the motor: its torque times the speed of the crank is its power
    const Json& drives = page["drives"];
    BOOST_REQUIRE_EQUAL(drives["list"].size(), 1u);
    const Json& motor = drives["list"][0];
    BOOST_TEST(motor["name"] == "motor");
    BOOST_TEST(motor["unit"] == "N m");
    double largest = 0.0;
    for (std::size_t k = 0; k < drives["t"].size(); ++k) {
      const double power = motor["power"][k].get<double>();
      BOOST_TEST(std::abs(power - 6.0 * motor["effort"][k].get<double>()) < 1e-3 * (1.0 + std::abs(power)));
      largest = std::max(largest, power);
    }
    check_same(motor["largest_power"][0], largest);
    for (const Json& range : page["ranges"]) BOOST_TEST(range[2].get<double>() < range[4].get<double>());
    BOOST_TEST(page["ranges"].size() == 9u);
  }
  std::filesystem::remove(file);
}

// A torque against the motion of the crank is a load of a power that never vanishes; damping is no drive.
BOOST_AUTO_TEST_CASE(loads_are_drives_with_their_least_and_largest_power_and_damping_is_none) {
  const std::string file = "pages_test_load.html", model = "pages_test_load.json";
  Json loaded = Json::parse(contents(std::string(SUNLAGRANGE_SOURCE_DIR) + "/examples/four_bar.json"));
  loaded["elements"].push_back({{"name", "load"},
                                {"type", "AppliedTorque"},
                                {"blocks", {"crank.phi"}},
                                {"parameters", {{"law", {{"type", "ConstantEffort"}, {"value", -3.0}}}}}});
  std::ofstream(model) << loaded;
  const Result result = call("run " + model + " --html " + file);
  BOOST_TEST(result.exit_code == 0, result.out);
  const Json drives = page_data(file)["drives"]["list"];
  BOOST_REQUIRE_EQUAL(drives.size(), 2u);
  BOOST_TEST(drives[1]["name"] == "load");
  for (const char* extreme : {"least_power", "largest_power"})
    BOOST_TEST(drives[1][extreme][0].get<double>() == -3.0 * 6.0, boost::test_tools::tolerance(1e-5));
  // springs with damping between its sliders and rods
  BOOST_TEST(call("run flyball_governor --t-end 0.2 --html " + file).exit_code == 0);
  BOOST_TEST(page_data(file)["drives"].is_null());
  std::filesystem::remove(file);
  std::filesystem::remove(model);
}

// Steps that are much too long: no picture and no range is far from the recorded states.
BOOST_AUTO_TEST_CASE(a_run_that_failed_is_drawn_where_its_states_are) {
  const std::string file = "pages_test_failed.html";
  BOOST_TEST(call("run pendulum --integrator rk1 --step 0.3 --html " + file).exit_code != 0);
  const Json page = page_data(file);
  double largest = 0.0;
  BOOST_REQUIRE(!page["curves"]["coordinates"].empty());
  BOOST_REQUIRE(!page["scene"]["frames"].empty());
  for (const Json& curve : page["curves"]["coordinates"]) {
    for (const Json& y : curve["y"]) largest = std::max(largest, std::abs(y.get<double>()));
  }
  for (const Json& frame : page["scene"]["frames"]) {
    for (const Json& x : frame) BOOST_TEST(std::abs(x.get<double>()) <= 2.0 * largest);
  }
  BOOST_REQUIRE_EQUAL(page["ranges"].size(), 2u);
  for (const Json& range : page["ranges"]) {
    for (const int extreme : {2, 4}) BOOST_TEST(std::abs(range[extreme].get<double>()) <= 2.0 * largest);
  }
  std::filesystem::remove(file);
}

// The motor prescribes the motion: the cases have the same curves and other forces.
BOOST_AUTO_TEST_CASE(the_page_of_a_study_has_a_line_and_a_curve_for_each_case) {
  const std::string file = "pages_test_study.html";
  const Result result = call(std::string("study ") + SUNLAGRANGE_SOURCE_DIR +
                             "/examples/four_bar.json --vary spring.k=100,200,400 --html " + file);
  BOOST_TEST(result.exit_code == 0, result.out);
  for (const char* line : {"\n   0       100  finished", "\n   1       200  finished", "\n   2       400  finished"})
    BOOST_TEST(result.out.find(line) != std::string::npos, result.out);
  const Json page = page_data(file);
  BOOST_TEST(page["verdict"] == "3 of 3 cases finished");
  const Json &rows = page["parts"][0]["tables"][0]["rows"], &figures = page["parts"][1]["charts"];
  BOOST_REQUIRE_EQUAL(rows.size(), 3u);
  BOOST_REQUIRE_EQUAL(figures.size(), 2u);  // no ranges of coordinates, which do not change
  BOOST_TEST(figures[0]["xlabel"] == "spring.k [N/m]");
  const std::vector<double> values = {100.0, 200.0, 400.0};
  for (std::size_t k = 0; k < 3; ++k) {
    BOOST_TEST(rows[k][1].get<double>() == values[k]);
    BOOST_TEST(rows[k][7] == "motor");
    BOOST_TEST(figures[0]["x"][k].get<double>() == values[k]);
    double largest = 0.0;
    for (const Json& joint : figures[0]["series"]) largest = std::max(largest, joint["y"][k].get<double>());
    BOOST_TEST(figures[0]["series"].size() == 4u);  // A, B, C, D; the motor exerts a torque only
    BOOST_TEST(largest == rows[k][3].get<double>());
    BOOST_TEST(figures[1]["series"][0]["y"][k] == rows[k][6]);  // largest power
    if (k > 0) BOOST_TEST(rows[k][3] != rows[k - 1][3]);
  }
  const Json& forces = page["parts"][2]["charts"];
  BOOST_REQUIRE_EQUAL(forces.size(), 4u);
  for (std::size_t joint = 0; joint < 4; ++joint) {
    const Json& curves = forces[joint]["series"];
    BOOST_REQUIRE_EQUAL(curves.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      BOOST_TEST(curves[k]["name"] == "spring.k = " + std::to_string(static_cast<int>(values[k])));
      double largest = 0.0;
      for (const Json& y : curves[k]["y"]) largest = std::max(largest, y.get<double>());
      const double peak = figures[0]["series"][joint]["y"][k];
      BOOST_TEST((largest <= peak && largest > 0.98 * peak));
    }
  }
  const Json& motion = page["parts"][3];
  BOOST_TEST(motion["text"].get<std::string>().find("In all cases the same: crank.x,") == 0u, motion["text"]);
  BOOST_REQUIRE_EQUAL(motion["charts"].size(), 8u);  // of nine coordinates
  for (const Json& chart : motion["charts"]) {
    BOOST_REQUIRE_EQUAL(chart["series"].size(), 1u);
    BOOST_TEST(chart["series"][0]["name"] == "all cases");
  }
  std::filesystem::remove(file);
}

// A drive prescribes the motion: a mass changes forces only.
BOOST_AUTO_TEST_CASE(derivatives_of_prescribed_motions_are_zero) {
  const std::string file = "pages_test_zero.html", model = "pages_test_zero.json";
  Json turning = Json::parse(contents(std::string(SUNLAGRANGE_SOURCE_DIR) + "/examples/four_bar.json"));
  for (Json& element : turning["elements"]) {
    if (element["name"] != "motor") continue;
    element["type"] = "PrescribedCoordinate";
    element["parameters"]["law"] = {{"type", "Uniform"}, {"rate", 6.0}};
  }
  turning["start"]["positions"]["crank.phi"] = 0.0;
  std::ofstream(model) << turning;
  for (const char* formulation : {"ggl", "stabilized_index1", "penalty", "projected", "baumgarte"}) {
    const Result result = call("sensitivities " + model + " --points 2 --parameter rocker.m --formulation " +
                               formulation + " --html " + file);
    BOOST_TEST(result.exit_code == 0, result.out);
    const Json part = page_data(file)["parts"][0];
    BOOST_TEST(part["text"].get<std::string>().find("dq/dp, dv/dp are 0") != std::string::npos, part["text"]);
    BOOST_REQUIRE_EQUAL(part["charts"].size(), 1u);
    BOOST_TEST(part["charts"][0]["title"] == "dλ/dp");
    for (const Json& row : part["tables"][0]["rows"]) BOOST_TEST(row[3] == 0.0);
  }
  std::filesystem::remove(file);
  std::filesystem::remove(model);
}

BOOST_AUTO_TEST_CASE(pages_that_cannot_be_written_are_refused_before_the_run) {
  for (const char* analysis :
       {"modes pendulum", "equilibrium pendulum", "kinematics slider_crank --coordinate q --from 0 --to 1",
        "workspace chain --size 1 --point \"rod 1\" --drive \"rod 1.phi=0:1\"",
        "sensitivities pendulum --parameter rod.L", "study pendulum --vary rod.L=1,2"})
    check_refused(analysis + std::string(" --html /nowhere/at/all.html"), "--html");
}

BOOST_AUTO_TEST_CASE(report_of_one_model_file) {
  const std::string folder = "pages_test_report", model = "pages_test_report.json";
  std::ofstream(model) << R"({"blocks": [{"name": "bob", "kind": "planar_point"}], "elements": [
    {"name": "mass", "type": "PointMass", "blocks": ["bob"], "parameters": {"m": 1.0}},
    {"name": "weight", "type": "UniformGravity", "blocks": ["bob"], "parameters": {"m": 1.0}},
    {"name": "rod", "type": "DistanceToGround", "blocks": ["bob"], "parameters": {"L": 1.0}}],
    "start": {"positions": {"bob.x": 1.0}}, "simulation": {"t_end": 0.2}})";
  const Result result = call("report " + model + " --quick --out " + folder);
  BOOST_TEST(result.exit_code == 0, result.out);
  const auto document = [&folder](const std::string& name) { return Json::parse(contents(folder + "/" + name)); };
  BOOST_TEST(document("work.json")["mechanisms"][0]["runs"].size() > 50U);
  BOOST_TEST(document("drift.json")["t_end"] == 0.2);
  BOOST_TEST(document("drift.json")["runs"].size() > 8U);
  BOOST_TEST(contents(folder + "/index.html").find("\"" + model + "\"") != std::string::npos);
  BOOST_TEST(!std::filesystem::exists(folder + "/validate.json"));
  std::filesystem::remove_all(folder);
  std::filesystem::remove(model);
}
