#include <boost/test/unit_test.hpp>

#include <cmath>

#include "bench_program.hpp"

/// `modes`, `equilibrium` and `kinematics` as scripts see them.
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
  const Result driven = bench("equilibrium two_link --json");
  BOOST_TEST(driven.exit_code == 3);
  BOOST_TEST(Json::parse(driven.out)["message"].get<std::string>().find("prescribes a motion") != std::string::npos);
  check_refused("equilibrium pendulum --starts 0", "--starts", "analysis_commands");
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
  BOOST_TEST(bench(crank).out.find("drive") != std::string::npos);
  const Result dead =
      bench("kinematics slider_crank --coordinate x --from 1 --to 1.8 --points 8 --dead-points 1 --json");
  BOOST_TEST(dead.exit_code == 3);
  const Json branches = Json::parse(dead.out)["branches"];
  BOOST_REQUIRE(branches.size() == 2U);
  BOOST_TEST(branches[0]["dead_point"]["s"].get<double>() == 1.5, boost::test_tools::tolerance(1e-10));
  check_refused("kinematics slider_crank --coordinate z --from 0 --to 1", "\"z\"", "analysis_commands");
  check_refused("kinematics slider_crank --coordinate q --from 0", "--to", "analysis_commands");
}
