#include <boost/test/unit_test.hpp>

#include <cmath>
#include <fstream>

#include "bench_program.hpp"

/// Analyses as scripts see them.
using namespace sunlagrange::test;
using Json = nlohmann::json;

BOOST_AUTO_TEST_CASE(modes_document) {
  const Result result = bench("modes pendulum --json");
  BOOST_TEST(result.exit_code == 4);  // it starts beside its equilibrium
  const Json document = Json::parse(result.out);
  const std::set<std::string> keys = {
      "schema",    "mechanism", "status",    "message", "t",         "q",    "v",
      "lambda",    "at",        "imbalance", "rank",    "redundant", "lost", "degrees_of_freedom",
      "stability", "verdict",   "modes"};
  BOOST_TEST(keys_of(document) == keys, boost::test_tools::per_element());
  BOOST_TEST(document["at"] == "instant");
  BOOST_TEST(document["degrees_of_freedom"] == 1);
  const Result settled = bench("modes pendulum --at equilibrium --json");
  BOOST_TEST(settled.exit_code == 0);
  const Json there = Json::parse(settled.out);
  BOOST_TEST(there["at"] == "equilibrium");
  BOOST_TEST(there["stability"] == "stable");
  BOOST_TEST(bench("modes two_link --at equilibrium").exit_code == 3);
  const Result text = bench("modes loudspeaker");
  BOOST_TEST(text.out.find("damping ratio") != std::string::npos, text.out);
  const std::string undamped = bench("modes chain --size 5 --at equilibrium").out;  // real parts are rounding: 0
  BOOST_TEST(undamped.find("stable: a minimum") == 0U, undamped);                   // the verdict first
  BOOST_TEST(undamped.find("e-1") == std::string::npos, undamped);
  BOOST_TEST(bench_at_terminal("modes chain --size 5", 80).out.find("left out: moves") != std::string::npos);
  BOOST_TEST(bench_at_terminal("modes chain --size 5 --wide", 80).out.find("left out") == std::string::npos);
  check_refused("modes slider_crank_program", "kinematic program", "analysis_commands");
  check_refused("modes pendulum --at rest", "equilibrium", "analysis_commands");
  check_refused("modes pendulumm", "pendulumm", "analysis_commands");
}

BOOST_AUTO_TEST_CASE(equilibrium_document) {
  const Result result = bench("equilibrium pendulum --starts 10 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  const std::set<std::string> keys = {"schema",  "mechanism",   "t",           "status",
                                      "message", "coordinates", "constraints", "equilibria"};
  BOOST_TEST(keys_of(document) == keys, boost::test_tools::per_element());
  BOOST_REQUIRE(document["equilibria"].size() == 2U);
  BOOST_TEST(document["equilibria"][0]["stability"] == "stable");
  BOOST_TEST(document["equilibria"][1]["stability"] == "unstable");
  BOOST_TEST(std::abs(document["equilibria"][0]["q"][0].get<double>()) < 1e-8);
  const Result text = bench("equilibrium pendulum");
  BOOST_TEST(text.exit_code == 0);
  BOOST_TEST(text.out.find("reaction") != std::string::npos, text.out);
  BOOST_TEST(text.out.find("1 equilibrium found") == 0U, text.out);
  BOOST_TEST(text.out.find("e-") == std::string::npos, text.out);  // below the tolerance of the search: 0
  const Result driven = bench("equilibrium two_link --json");
  BOOST_TEST(driven.exit_code == 3);
  BOOST_TEST(Json::parse(driven.out)["message"].get<std::string>().find("prescribes a motion") != std::string::npos);
  check_refused("equilibrium pendulum --starts 0", "--starts", "analysis_commands");
  const std::string page = "analysis_commands_rest.html", errors = "analysis_commands_rest.txt";
  BOOST_TEST(bench("equilibrium two_link --html " + page, errors).exit_code == 3);
  BOOST_TEST(contents(errors).find("no page is written") != std::string::npos);
  BOOST_TEST(!std::ifstream(page).good());
  std::remove(errors.c_str());
  check_refused("modes pendulum --at equilibium", "did you mean \"equilibrium\"?", "analysis_commands");
}

BOOST_AUTO_TEST_CASE(kinematics_document) {
  const std::string crank = "kinematics slider_crank --coordinate q --from 1.5 --to 7.5 --points 7 ";
  const Result result = bench(crank + "--speed 2 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  const std::set<std::string> keys = {"schema",  "mechanism", "coordinate",   "status",
                                      "message", "speed",     "acceleration", "branches"};
  BOOST_TEST(keys_of(document) == keys, boost::test_tools::per_element());
  BOOST_REQUIRE(document["branches"].size() == 1U);
  const Json& points = document["branches"][0]["points"];
  BOOST_REQUIRE(points.size() == 7U);
  for (const Json& point : points) {
    const double s = point["s"].get<double>(), y = 0.5 * std::sin(s);
    BOOST_TEST(std::abs(point["q"][1].get<double>() - 0.5 * std::cos(s) - std::sqrt(1.0 - y * y)) < 1e-10);
    BOOST_TEST(point["v"][0].get<double>() == 2.0, boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(document["branches"][0]["dead_point"].is_null());
  const std::string table = bench(crank).out;
  BOOST_TEST(table.find("every value of q was reached") == 0U, table);
  const std::string units =
      bench("kinematics n_four_bar_bodies --coordinate \"vertical 0.phi\" --from 1.4 --to 1 --points 3").out;
  BOOST_TEST(units.find("vertical 0.phi [rad]  drive [N m]  vertical 0.x [m]") != std::string::npos, units);
  const Result dead =
      bench("kinematics slider_crank --coordinate x --from 1 --to 1.8 --points 8 --dead-points 1 --json");
  BOOST_TEST(dead.exit_code == 3);
  const Json branches = Json::parse(dead.out)["branches"];
  BOOST_REQUIRE(branches.size() == 2U);
  BOOST_TEST(branches[0]["dead_point"]["s"].get<double>() == 1.5, boost::test_tools::tolerance(1e-10));
  check_refused("kinematics slider_crank --coordinate z --from 0 --to 1", "\"z\"", "analysis_commands");
  check_refused("kinematics slider_crank --coordinate q --from 0", "--to", "analysis_commands");
}

BOOST_AUTO_TEST_CASE(sensitivities_document) {
  const Result list = bench("sensitivities pendulum --list --json");
  BOOST_TEST(list.exit_code == 0);
  BOOST_TEST(Json::parse(list.out)["parameters"][4]["name"] == "rod.L");
  const Result result =
      bench("sensitivities pendulum --parameter rod.L --start-velocity bob[1] --rtol 1e-8 --points 3 --check --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  const std::set<std::string> keys = {"schema",
                                      "mechanism",
                                      "formulation",
                                      "method",
                                      "error_control",
                                      "rtol",
                                      "atol",
                                      "status",
                                      "message",
                                      "parameters",
                                      "constraint_error",
                                      "steps",
                                      "rhs_evaluations",
                                      "sensitivity_evaluations",
                                      "wall_seconds",
                                      "points",
                                      "differences"};
  BOOST_TEST(keys_of(document) == keys, boost::test_tools::per_element());
  BOOST_REQUIRE(document["points"].size() == 3U);
  const Json& end = document["points"][2];
  for (int column = 0; column < 2; ++column) {
    for (int i = 0; i < 2; ++i) {
      const double found = end["dq"][column][i], differences = document["differences"]["dq"][column][i];
      BOOST_TEST(std::abs(found - differences) < 1e-4 * (1.0 + std::abs(found)));
    }
  }
  BOOST_TEST(bench("sensitivities pendulum --parameter rod.L").out.find("rod.L") != std::string::npos);
  check_refused("sensitivities pendulum", "name what to differentiate by", "analysis_commands");
  check_refused("sensitivities pendulum --parameter rod.LL", "did you mean", "analysis_commands");
  check_refused("sensitivities pendulum --parameter rod.L --method both", "staggered", "analysis_commands");
  check_refused("sensitivities slider_crank_program --parameter x", "kinematic program", "analysis_commands");
}

/// A mass that is changed with its weight moves nothing: there is no relative distance from nothing.
BOOST_AUTO_TEST_CASE(derivatives_that_are_nothing_are_not_compared) {
  const Result same = bench("sensitivities pendulum --parameter mass.m,weight.m --parameter rod.L --rtol 1e-7 --check");
  BOOST_TEST(same.exit_code == 0);
  BOOST_TEST(same.out.find("mass.m,weight.m: both below what the tolerances leave open") != std::string::npos,
             same.out);
  BOOST_TEST(same.out.find("rod.L: relative distance") != std::string::npos, same.out);
}

BOOST_AUTO_TEST_CASE(error_estimate_of_a_run) {
  const Result result = bench("run pendulum --error-estimate --json");
  BOOST_TEST(result.exit_code == 0);
  const Json run = Json::parse(result.out)["runs"][0];
  const std::set<std::string> keys = {"q",          "v",       "lambda", "largest_q", "largest_v",   "largest_lambda",
                                      "t_compared", "certain", "doubt",  "companion", "wall_seconds"};
  BOOST_TEST(keys_of(run["error_estimate"]) == keys, boost::test_tools::per_element());
  BOOST_TEST(Json::parse(bench("run pendulum --json").out)["runs"][0].count("error_estimate") == 0U);
  Json file = Json::parse(bench("export pendulum").out);  // or the model file asks for it
  file["simulation"]["estimate_error"] = true;
  std::ofstream("analysis_commands_estimate.json") << file;
  const Json from_file = Json::parse(bench("run analysis_commands_estimate.json --json").out)["runs"][0];
  BOOST_TEST(from_file.count("error_estimate") == 1U);
}

/// A run written by the program, measured back: what it was made with is found, and what cannot be is named.
BOOST_AUTO_TEST_CASE(identify_document) {
  const std::string file = "analysis_commands_measured.csv";
  BOOST_REQUIRE(bench("run pendulum --rtol 1e-10 --t-end 2 --output-step 0.1 --csv " + file).exit_code == 0);
  const std::string data = "identify pendulum --data " + file + " --output bob[0] --output bob[1] ";
  const Result result = bench(data + "--deviation 1e-3 --parameter weight.gy --guess weight.gy=-9 --json");
  const Json document = Json::parse(result.out);
  BOOST_TEST(result.exit_code == 4);  // no noise: less than was stated
  const std::set<std::string> keys = {"schema", "mechanism",          "formulation",  "status",     "message",
                                      "misfit", "parameters",         "covariance",   "confounded", "chi_square",
                                      "runs",   "degrees_of_freedom", "noise_factor", "fits",       "wall_seconds"};
  BOOST_TEST(keys_of(document) == keys, boost::test_tools::per_element());
  BOOST_TEST(std::abs(document["parameters"][0]["value"].get<double>() + 9.81) < 1e-5);
  BOOST_TEST(document["parameters"][0]["guess"] == -9.0);
  BOOST_TEST(document["fits"].size() == 2U);
  const Result unknown = bench(data + "--parameter mass.m --parameter weight.m");
  BOOST_TEST(unknown.exit_code == 3);
  BOOST_TEST(unknown.out.find("cannot be told apart") != std::string::npos, unknown.out);
  check_refused(data + "--deviation bob[0]=1e-3 --parameter weight.gy", "none is given for bob[1]",
                "analysis_commands");
  {
    std::ofstream one("analysis_commands_one.csv");
    one << "t,bob[0]\n1e-310,\n0.5,0.4\n";
  }
  const Result certain = bench("identify pendulum --data analysis_commands_one.csv --parameter weight.gy --json");
  BOOST_TEST(certain.exit_code != 0);
  BOOST_TEST(Json::parse(certain.out)["parameters"][0]["deviation"].is_null());
  check_refused("identify pendulum --data " + file + " --output bob --parameter weight.gy", "no such column",
                "analysis_commands");
  check_refused(data + "--parameter weight.gy --guess weight.gy", "NAME=NUMBER", "analysis_commands");
  check_refused("identify pendulum --data nothing.csv --parameter weight.gy", "nothing.csv", "analysis_commands");
  check_refused("identify pendulum --parameter weight.gy", "--data", "analysis_commands");
}
