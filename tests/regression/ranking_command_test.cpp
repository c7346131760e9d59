// SPDX-License-Identifier: BSD-3-Clause
/// `compare` without a mechanism, and the longest step of `compare` with one.

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <string>

#include "programs.hpp"

using namespace sunlagrange::test;
using Json = nlohmann::json;

namespace {

const std::string few =
    " --formulations baumgarte,extended_lagrangian,projected,ggl,unstabilized --integrators dopri5,cvode_bdf,ida "
    "--rtols 1e-3,1e-5,1e-7,1e-9";

/// Returns all that must not change from run to run.
Json without_times(Json json) {
  if (json.is_object()) json.erase("cpu");
  if (json.is_structured()) {
    for (Json& entry : json) entry = without_times(entry);
  }
  return json;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_ranking_fits_a_terminal_and_stands_first_and_last) {
  const std::string folder = "ranking_" + std::to_string(getpid());
  const Result result = call_at_terminal("compare --out " + folder + few, 100);
  std::istringstream in(result.out);
  std::size_t count = 0, longest = 0;
  for (std::string line; std::getline(in, line); ++count) longest = std::max(longest, line.size());
  BOOST_TEST(count <= 60U, result.out);
  BOOST_TEST(longest <= 100U, result.out);
  BOOST_TEST(result.out.rfind("Preliminary ranking", 0) == 0U, result.out);
  const std::size_t complete = result.out.find("Which formulation?");
  BOOST_REQUIRE(complete != std::string::npos);
  BOOST_TEST(result.out.find("extended_lagrangian is baumgarte here", complete) != std::string::npos);
  for (const char* kind : {"smooth, few freedoms:", "stiff:", "redundant or singular:", "100 bodies:", "100 s:"})
    BOOST_TEST(result.out.find(kind, complete) != std::string::npos, kind);
  for (const char* name : {"/ranking.txt", "/ranking.json", "/runs.csv"})
    BOOST_TEST(!contents(folder + name).empty(), name);
  BOOST_TEST(result.out.find(folder + "/runs.csv", complete) != std::string::npos);
  BOOST_TEST(result.out.find(contents(folder + "/ranking.txt")) == complete);  // the same text
  const Json ranking = Json::parse(contents(folder + "/ranking.json"));
  BOOST_TEST(ranking.at("mechanisms").size() >= 12U);
  for (const Json& f : ranking.at("formulations")) BOOST_TEST(f["formulation"] != "extended_lagrangian");
  std::istringstream runs(contents(folder + "/runs.csv"));
  std::size_t rows = 0;
  for (std::string line; std::getline(runs, line);) ++rows;
  BOOST_TEST(rows > ranking["runs"].get<std::size_t>());  // and the heading
  shell("rm -r " + folder);
}

BOOST_AUTO_TEST_CASE(two_rankings_name_the_same_winners) {
  const std::string command = "compare --preliminary --json" + few;
  const Json first = Json::parse(call(command).out), second = Json::parse(call(command).out);
  BOOST_TEST(first.at("schema") == 1);
  BOOST_TEST(first.at("runs").size() == first.at("ranking").at("runs").get<std::size_t>());
  BOOST_TEST(without_times(first.at("ranking")).dump() == without_times(second.at("ranking")).dump());
  BOOST_TEST(first["ranking"]["formulations"].size() >= 3U);
}

/// IDA set by hand has the longest step of the library's run beside it, and the table says where that step binds.
BOOST_AUTO_TEST_CASE(all_rows_have_the_same_longest_step) {
  const std::string command = "compare two_link --formulations ggl --integrators ida --rtols 1e-4 --max-step 0.004";
  const Json runs = Json::parse(call(command + " --json").out).at("runs");
  BOOST_REQUIRE(runs.size() == 3U);
  for (const Json& run : runs) {
    BOOST_TEST(run.at("max_step").get<double>() == 0.004);
    BOOST_TEST(run.at("steps").get<double>() >= run.at("t_end").get<double>() / 0.004 - 1e-6);
  }
  BOOST_TEST(call(command).out.find("It bound in 3 of 3 runs") != std::string::npos);
  BOOST_TEST(call("compare two_link --formulations ggl --integrators ida --rtols 1e-4 --max-step 0.4")
                 .out.find("It bound in") == std::string::npos);
}
