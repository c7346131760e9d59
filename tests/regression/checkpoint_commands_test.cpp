// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>

#include "described_keys.hpp"
#include "programs.hpp"

/// run --checkpoint and run --resume, as a user types them.
using namespace sunlagrange::test;
using Json = nlohmann::json;

namespace {

const std::string file = "checkpoint_commands_test.json";

void write(const std::string& text) {
  std::ofstream(file) << text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_goes_on_where_it_was_left) {
  for (const std::string method : {"--formulation baumgarte", "--formulation ggl", "--formulation projected"}) {
    BOOST_TEST_CONTEXT(method) {
      const std::string how = "run pendulum " + method + " --rtol 1e-9 --atol 1e-9 --json";
      const Json whole = record(call(how + " --t-end 6"));
      const Json first = record(call(how + " --t-end 3 --checkpoint " + file));
      const Result result = call("run pendulum --json --t-end 6 --resume " + file + " --checkpoint " + file);
      BOOST_TEST(result.exit_code == 0);
      const Json rest = record(result);
      check_keys(rest, record_keys());
      BOOST_TEST(rest["formulation"] == whole["formulation"]);
      BOOST_TEST(rest["rtol"] == 1e-9);
      BOOST_TEST(rest["t_reached"] == 6.0);
      BOOST_TEST(rest["error_vs_reference"].get<double>() < 1e-5);
      BOOST_TEST(rest["steps"].get<long>() > first["steps"].get<long>());
      BOOST_TEST(rest["rhs_evaluations"].get<long>() > first["rhs_evaluations"].get<long>());
      check_refused("run pendulum --resume " + file, "--t-end");  // that run is over
      std::remove(file.c_str());
    }
  }
}

BOOST_AUTO_TEST_CASE(an_interrupted_run_can_be_resumed) {
  std::remove(file.c_str());
  const Result result = call_and_signal(
      {"run", "pendulum", "--t-end", "1e9", "--max-steps", "1000000000", "--checkpoint", file, "--json"}, SIGINT,
      "checkpoint_commands_test_interrupted.json",
      [](pid_t, const std::string&) { return std::ifstream(file).good(); });
  BOOST_TEST(result.exit_code == 130);
  const double reached = record(result)["t_reached"].get<double>();
  const Json saved = Json::parse(contents(file));
  BOOST_TEST(saved["state"]["t"] == reached);
  BOOST_TEST(saved["options"]["t_end"] == 1e9);
  BOOST_REQUIRE(reached > 1e-3);
  check_refused("run pendulum --t-end 1e-3 --resume " + file, "t_end = 0.001 s is not later");
  const Json rest = record(call("run pendulum --json --resume " + file + " --t-end " + std::to_string(reached + 1.0)));
  BOOST_TEST(rest["status"] == "finished");
  BOOST_TEST(rest["steps"].get<long>() > saved["statistics"]["steps"].get<long>());
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_resumed_is_refused_before_anything_runs) {
  BOOST_REQUIRE(call("run pendulum --t-end 1 --checkpoint " + file).exit_code == 0);
  const std::string good = contents(file);
  check_refused("run pendulum --t-end 2 --formulation ggl --rtol 1e-3 --resume " + file, "--formulation, --rtol");
  check_refused("run two_link --t-end 2 --resume " + file, "mechanism");
  check_refused("run two_link --t-end 2 --resume " + file, file);
  check_refused("run two_link --resume " + file, "does not fit");
  check_refused("run two_link --t-end 0.5 --resume " + file, "does not fit");
  write(good.substr(0, good.size() / 2));
  check_refused("run pendulum --t-end 2 --resume " + file, "cut off");
  write("{\"blocks\": []}");
  check_refused("run pendulum --t-end 2 --resume " + file, "format");
  check_refused("run pendulum --t-end 2 --error-estimate --resume " + file, "--error-estimate");
  std::remove(file.c_str());
  check_refused("run pendulum --error-estimate --checkpoint " + file, "--error-estimate");
  write_ssp3("checkpoint_commands_test_table.json");
  check_refused(
      "run pendulum --integrator table --step 1e-2 --table checkpoint_commands_test_table.json --checkpoint " + file,
      "table");
  std::remove("checkpoint_commands_test_table.json");
}
