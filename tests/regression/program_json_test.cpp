// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <map>

#include "described_keys.hpp"
#include "programs.hpp"

/// The JSON documents of the programs, and the exit codes that go with them.
using namespace sunlagrange::test;
using Json = nlohmann::json;

namespace {

const std::string strict_arm =
    "run two_link --formulation baumgarte --integrator cvode_bdf --rank-policy strict --start as_given "
    "--gains \"K_D=20,10;K_P=100,25\" --rtol 1e-8 --atol 1e-8 --t-end 0.6 ";

}  // namespace

BOOST_AUTO_TEST_CASE(finished_run) {
  const Result result =
      call("run pendulum --formulation baumgarte --integrator cvode_bdf --rtol 1e-8 --atol 1e-9 --t-end 2 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json run = record(result);
  check_keys(run, record_keys());
  BOOST_TEST(run["mechanism"] == "pendulum");
  BOOST_TEST(run["formulation"] == "baumgarte");
  BOOST_TEST(run["integrator"] == "cvode_bdf");
  BOOST_TEST(run["linear_solver"] == "dense");
  BOOST_TEST(run["rank_policy"] == "minimum_norm");
  BOOST_TEST(run["status"] == "finished");
  BOOST_TEST(run["rtol"] == 1e-8);
  BOOST_TEST(run["atol"] == 1e-9);
  BOOST_TEST(run["step"].is_null());
  BOOST_TEST(run["t_end"] == 2.0);
  BOOST_TEST(run["t_reached"] == 2.0);
  BOOST_TEST(run["q_end"].size() == 2U);
  BOOST_TEST(run["v_end"].size() == 2U);
  BOOST_TEST(run["lambda_end"].size() == 1U);
  for (const char* count : {"steps", "rhs_evaluations", "jacobian_evaluations", "factorizations"}) {
    BOOST_TEST(run[count].is_number_integer());
    BOOST_TEST(run[count].get<long>() > 0);
  }
  BOOST_TEST(run["error_vs_reference"].get<double>() < 1e-5);
  BOOST_TEST(run["velocity_error_vs_reference"].get<double>() < 1e-4);
  BOOST_TEST(run["energy_drift"].get<double>() < 1e-4);
  BOOST_TEST(run["max_position_violation"].get<double>() < 1e-6);
  // physical multiplier: -3 g y
  const double y = run["q_end"][1].get<double>();
  BOOST_TEST(std::abs(run["lambda_end"][0].get<double>() + 3.0 * 9.81 * y) < 1e-4);
  BOOST_TEST(run["multiplier_error_vs_reference"].get<double>() < 1e-3);
}

BOOST_AUTO_TEST_CASE(gains_are_values) {
  const Json given = record(call("run two_link --gains \"K_D=20,1,1,10;K_P=100,25\" --t-end 0.1 --json"))["gains"];
  BOOST_TEST(given["K_D"]["kind"] == "matrix");
  BOOST_TEST(!given["K_D"]["automatic"].get<bool>());
  BOOST_TEST(given["K_D"]["value"] == Json::parse("[[20.0, 1.0], [1.0, 10.0]]"));
  BOOST_TEST(given["K_P"]["kind"] == "diagonal");
  BOOST_TEST(given["K_P"]["value"] == Json::parse("[100.0, 25.0]"));
  BOOST_TEST(given["K_N"].is_null());     // no psi rows
  BOOST_TEST(given["Lambda"].is_null());  // baumgarte has none
  const Json own = record(call("run pendulum --formulation baumgarte --t-end 0.1 --json"))["gains"];
  BOOST_TEST(own["K_D"]["automatic"].get<bool>());
  BOOST_TEST(own["K_D"]["kind"] == "scalar");
  const double K_D = own["K_D"]["value"].get<double>(), K_P = own["K_P"]["value"].get<double>();
  BOOST_TEST(K_D > 0.0);
  BOOST_TEST(std::abs(4.0 * K_P / (K_D * K_D) - 1.0) < 1e-14);  // critical damping
}

BOOST_AUTO_TEST_CASE(advice_is_figures_and_limits) {
  const Json run =
      record(call("run pendulum --integrator rk1 --step 0.01 --t-end 0.1 --gains \"K_D=300;K_P=1\" --json"));
  std::map<std::string, Json> entries;
  for (const Json& entry : run["advice"]) entries[entry["kind"].get<std::string>()] = entry;
  BOOST_TEST(entries.count("motion_rate") == 1u);
  BOOST_TEST(entries["motion_rate"]["warning"] == "");
  BOOST_TEST(std::abs(entries["fastest"]["value"].get<double>() - 300.0) < 0.1);  // mu^2 + 300 mu + 1 = 0
  BOOST_REQUIRE(entries.count("unstable") == 1u);
  BOOST_TEST(std::abs(entries["unstable"]["value"].get<double>() - 3.0) < 1e-3);    // step x rate
  BOOST_TEST(std::abs(entries["unstable"]["allowed"].get<double>() - 2.0) < 1e-3);  // of explicit Euler
  BOOST_TEST(entries["unstable"]["warning"].get<std::string>().find("shorten the step") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(masks_and_settings_of_ida_are_values) {
  const Json ode = record(call("run pendulum --t-end 0.1 --json"));
  BOOST_TEST(ode["dae"].is_null());
  BOOST_TEST(ode["masked"].empty());
  const Json ggl = record(call("run pendulum --formulation ggl --integrator ida --t-end 0.1 --json"));
  BOOST_TEST(ggl["masked"] == Json::parse(R"(["lambda", "mu"])"));
  BOOST_TEST(ggl["dae"]["suppress_algebraic"].get<bool>());
  BOOST_TEST(ggl["dae"]["nonlinear_coefficient"].get<double>() > 0.0);
  BOOST_TEST(ggl["dae"]["max_nonlinear_iterations"].is_number_integer());
  BOOST_TEST(ggl["dae"]["asked"]["nonlinear_coefficient"].is_null());
  const Json full = record(call("run pendulum --formulation stabilized_index1 --integrator ida --t-end 0.1 --json"));
  BOOST_TEST(full["masked"].empty());
  BOOST_TEST(full["dae"]["algebraic"].empty());
}

BOOST_AUTO_TEST_CASE(statistics_are_values) {
  const Json run = record(call("run pendulum --formulation augmented_lagrangian --t-end 0.1 --json"));
  bool counted = false;
  for (const Json& fact : run["statistics"]) counted = counted || fact["values"].at(0).is_number();
  BOOST_TEST(counted);
  BOOST_TEST(run["facts"].at(0)["name"] == "multiplier tolerance");
  BOOST_TEST(run["facts"].at(0)["values"].at(0).get<double>() > 0.0);
  BOOST_TEST(run["rank_actions"].is_number_integer());
  BOOST_TEST(run["smallest_singular_value"].get<double>() > 0.0);
  const Json fold = record(call("run two_link --t-end 1 --json"));  // passes the singular pose at 0.493 s
  BOOST_REQUIRE(fold["rank_events"].size() > 0u);
  BOOST_TEST(std::abs(fold["rank_events"].at(0)["t"].get<double>() - 0.4933) < 1e-2);
}

BOOST_AUTO_TEST_CASE(fixed_steps_have_no_tolerances) {
  const Json run = record(call("run pendulum --integrator rk4 --step 1e-3 --t-end 0.5 --json"));
  BOOST_TEST(run["rtol"].is_null());
  BOOST_TEST(run["atol"].is_null());
  BOOST_TEST(run["step"] == 1e-3);
  BOOST_TEST(run["integrator"] == "rk4");
  BOOST_TEST(run["steps"].get<long>() == 500);
}

BOOST_AUTO_TEST_CASE(values_that_do_not_apply_are_null) {
  // Its forces have no energy: what is balanced is kinetic energy against their work.
  const Json printed = record(call("run two_link_as_printed --t-end 0.2 --rtol 1e-10 --atol 1e-10 --json"));
  BOOST_TEST(printed["energy_drift"].get<double>() > 0.0);
  BOOST_TEST(printed["energy_drift"].get<double>() < 1e-6);
  const Json chain = record(call("run chain --size 3 --t-end 0.1 --json"));
  BOOST_TEST(chain["error_vs_reference"].is_null());  // it has no reference
  BOOST_TEST(chain["velocity_error_vs_reference"].is_null());
  BOOST_TEST(chain["multiplier_error_vs_reference"].is_null());
  BOOST_TEST(!chain["energy_drift"].is_null());
}

BOOST_AUTO_TEST_CASE(numerical_failure_is_reported_with_exit_code_3) {
  const std::string csv = "program_json_test_failed.csv";
  std::remove(csv.c_str());
  const Result result = call(strict_arm + "--csv " + csv + " --json");
  BOOST_TEST(result.exit_code == 3);
  const Json run = record(result);
  check_keys(run, record_keys());
  BOOST_TEST(run["status"] == "rank_loss");
  BOOST_TEST(run["message"].get<std::string>() != "");
  BOOST_TEST(run["error_vs_reference"].is_null());
  const double reached = run["t_reached"].get<double>();
  BOOST_TEST(reached >= 0.4931);
  BOOST_TEST(reached <= 0.49326);
  BOOST_TEST(run["steps"].get<long>() <= 20000);
  // the file holds every accepted step up to there
  std::istringstream lines(contents(csv));
  std::string line, last;
  long rows = -1;
  std::getline(lines, line);
  BOOST_TEST(line == "t,q1,q2,q1',q2',lambda:height of P,lambda:x of P");
  for (rows = 0; std::getline(lines, line); ++rows) last = line;
  BOOST_TEST(rows == run["steps"].get<long>() + 1);
  BOOST_TEST(std::stod(last) == reached);
  std::remove(csv.c_str());
}

BOOST_AUTO_TEST_CASE(every_status_a_command_line_can_provoke) {
  BOOST_TEST(record(call("run two_link --t-end 3.2 --json"))["status"] == "infeasible");
  const Result limited = call("run pendulum --max-steps 5 --json");
  BOOST_TEST(limited.exit_code == 3);
  BOOST_TEST(record(limited)["status"] == "step_limit");
  BOOST_TEST(record(limited)["steps"] == 5);
  // Euler far outside its stability limit: whatever is reported, it is not "finished" with values that are not finite
  const Json unstable = record(call("run pendulum --integrator rk1 --step 0.05 --gains \"K_D=2000;K_P=1e6\" --json"));
  BOOST_TEST(unstable["status"] != "finished");
}

BOOST_AUTO_TEST_CASE(compare_gives_one_record_per_combination) {
  const Result result = call(
      "compare pendulum --formulations baumgarte,penalty --integrators cvode_bdf,dopri5 --rtols 1e-4,1e-6 "
      "--t-end 0.5 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  BOOST_TEST(document["schema"] == 1);
  BOOST_TEST(document["runs"].size() == 8U);
  std::set<std::string> combinations;
  for (const Json& run : document["runs"]) {
    check_keys(run, record_keys());
    combinations.insert(run["formulation"].get<std::string>() + run["integrator"].get<std::string>() +
                        run["rtol"].dump());
  }
  BOOST_TEST(combinations.size() == 8U);
}

BOOST_AUTO_TEST_CASE(compare_with_a_failing_run_exits_with_3_and_keeps_the_others) {
  const Result result = call(
      "compare two_link --formulations baumgarte,penalty --integrators dopri5 --rtols 1e-8 --rank-policy strict "
      "--start as_given --t-end 0.6 --json");
  BOOST_TEST(result.exit_code == 3);
  const Json document = Json::parse(result.out);
  BOOST_REQUIRE(document["runs"].size() == 2U);
  BOOST_TEST(document["runs"][0]["status"] == "rank_loss");
  BOOST_TEST(document["runs"][1]["status"] == "finished");
}

BOOST_AUTO_TEST_CASE(facts_of_the_report_are_values) {
  const Json run = record(call("run pendulum --t-end 0.1 --gains \"K_D=20;K_P=100;Lambda=3\" --json"));
  BOOST_TEST(run["asked_gains"]["K_D"] == 20.0);
  BOOST_TEST(run["asked_gains"]["Lambda"] == 3.0);  // which baumgarte does not read
  BOOST_TEST(run["asked_gains"]["K_N"].is_null());
  BOOST_TEST(run["gains"]["Lambda"].is_null());
  BOOST_TEST(run["linear_solver_description"].get<std::string>().find("dense") != std::string::npos);
  std::set<std::string> quantities;
  for (const Json& line : run["sources"]) quantities.insert(line["quantity"].get<std::string>());
  BOOST_TEST(quantities.count("constraint_jacobian") == 1U);
  BOOST_TEST(quantities.count("members not found") == 0U);
  BOOST_TEST(run["switched_off"].empty());
  BOOST_TEST(run["unread_settings"].empty());
  const Json partition = record(call("run two_link --formulation coordinate_partitioning --t-end 0.1 --json"));
  for (const Json& fact : partition["facts"]) BOOST_TEST(fact["values"].is_array());
  const Json elimination =
      record(call("run slider_crank_program --formulation elimination --t-end 0.1 --json"))["facts"].at(0);
  BOOST_TEST(elimination["name"] == "dependent variables");
  BOOST_REQUIRE(!elimination["values"].empty());
  BOOST_TEST(elimination["text"].get<std::string>().rfind(elimination["values"].at(0).get<std::string>(), 0) == 0U);
}

// Six hinges in a loop: no freedom by counting rows, one in truth.
BOOST_AUTO_TEST_CASE(mobility_on_request) {
  const Result plain = call("run bricard --t-end 0.01 --json"),
               asked = call("run bricard --t-end 0.01 --mobility --json");
  BOOST_TEST(!record(plain).contains("mobility"));
  const Json mobility = record(asked).at("mobility");
  BOOST_TEST(mobility.at("status") == "finished");
  BOOST_TEST(mobility.at("redundant").get<int>() > 0);
  BOOST_TEST(mobility.at("rank").get<int>() + mobility.at("redundant").get<int>() == mobility.at("rows").get<int>());
  BOOST_TEST(mobility.at("permanent") == mobility.at("redundant"));
  BOOST_TEST(mobility.at("dependent").size() == mobility.at("redundant").get<std::size_t>());
  BOOST_TEST(!mobility.at("dependent").at(0).at("relation").empty());
  const std::string freedoms = std::to_string(mobility.at("degrees_of_freedom").get<int>());
  BOOST_TEST(call("run bricard --t-end 0.01 --mobility").out.find(freedoms + " degree") != std::string::npos);
  BOOST_TEST(call("run pendulum --mobility").out.find("1 constraint row, rank 1, 0 redundant; 1 degree of freedom") !=
             std::string::npos);
}
