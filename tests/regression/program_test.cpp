#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <map>

#include <sunlagrange/version.hpp>

#include "bench_program.hpp"

/// sunlagrange-bench as scripts see it: exit codes, the JSON document, files.
using sunlagrange::test::bench;
using sunlagrange::test::bench_at_terminal;
using sunlagrange::test::contents;
using sunlagrange::test::keys_of;
using sunlagrange::test::Result;
using sunlagrange::test::shell;

namespace {

using Json = nlohmann::json;

/// The only record of a run with --json.
Json record(const Result& result) {
  const Json document = Json::parse(result.out);  // throws if stdout is not exactly one document
  BOOST_REQUIRE(document.at("schema") == 1);
  BOOST_REQUIRE(document.size() == 2U);
  BOOST_REQUIRE(document.at("runs").size() == 1U);
  return document.at("runs").at(0);
}

const std::set<std::string> keys = {"mechanism",
                                    "formulation",
                                    "integrator",
                                    "baseline",
                                    "linear_solver",
                                    "rank_policy",
                                    "rtol",
                                    "atol",
                                    "natural_scales",
                                    "step",
                                    "status",
                                    "message",
                                    "doubts",
                                    "t_end",
                                    "t_reached",
                                    "steps",
                                    "rhs_evaluations",
                                    "jacobian_evaluations",
                                    "factorizations",
                                    "nonlinear_failures",
                                    "error_test_failures",
                                    "max_position_violation",
                                    "max_velocity_violation",
                                    "energy_drift",
                                    "events",
                                    "event_work",
                                    "error_vs_reference",
                                    "velocity_error_vs_reference",
                                    "multiplier_error_vs_reference",
                                    "observed",
                                    "wall_seconds",
                                    "monitoring_seconds",
                                    "q_end",
                                    "v_end",
                                    "lambda_end",
                                    "gains",
                                    "advice",
                                    "masked",
                                    "dae",
                                    "facts",
                                    "statistics",
                                    "pivot_refreshes",
                                    "rank_actions",
                                    "smallest_singular_value",
                                    "rank_events"};

void check_refused(const std::string& arguments, const std::string& part) {
  sunlagrange::test::check_refused(arguments, part, "program_test");
}

const std::string strict_arm =
    "run two_link --formulation baumgarte --integrator cvode_bdf --rank-policy strict --start as_given "
    "--gains \"K_D=20,10;K_P=100,25\" --rtol 1e-8 --atol 1e-8 --t-end 0.6 ";

}  // namespace

BOOST_AUTO_TEST_CASE(finished_run) {
  const Result result =
      bench("run pendulum --formulation baumgarte --integrator cvode_bdf --rtol 1e-8 --atol 1e-9 --t-end 2 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json run = record(result);
  BOOST_TEST(keys_of(run) == keys, boost::test_tools::per_element());
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
  const Json given = record(bench("run two_link --gains \"K_D=20,1,1,10;K_P=100,25\" --t-end 0.1 --json"))["gains"];
  BOOST_TEST(given["K_D"]["kind"] == "matrix");
  BOOST_TEST(!given["K_D"]["automatic"].get<bool>());
  BOOST_TEST(given["K_D"]["value"] == Json::parse("[[20.0, 1.0], [1.0, 10.0]]"));
  BOOST_TEST(given["K_P"]["kind"] == "diagonal");
  BOOST_TEST(given["K_P"]["value"] == Json::parse("[100.0, 25.0]"));
  BOOST_TEST(given["K_N"].is_null());     // no psi rows
  BOOST_TEST(given["Lambda"].is_null());  // baumgarte has none
  const Json own = record(bench("run pendulum --t-end 0.1 --json"))["gains"];
  BOOST_TEST(own["K_D"]["automatic"].get<bool>());
  BOOST_TEST(own["K_D"]["kind"] == "scalar");
  const double K_D = own["K_D"]["value"].get<double>(), K_P = own["K_P"]["value"].get<double>();
  BOOST_TEST(K_D > 0.0);
  BOOST_TEST(std::abs(4.0 * K_P / (K_D * K_D) - 1.0) < 1e-14);  // critical damping
}

BOOST_AUTO_TEST_CASE(advice_is_figures_and_limits) {
  const Json run =
      record(bench("run pendulum --integrator rk1 --step 0.01 --t-end 0.1 --gains \"K_D=300;K_P=1\" --json"));
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
  const Json ode = record(bench("run pendulum --t-end 0.1 --json"));
  BOOST_TEST(ode["dae"].is_null());
  BOOST_TEST(ode["masked"].empty());
  const Json ggl = record(bench("run pendulum --formulation ggl --integrator ida --t-end 0.1 --json"));
  BOOST_TEST(ggl["masked"] == Json::parse(R"(["lambda", "mu"])"));
  BOOST_TEST(ggl["dae"]["suppress_algebraic"].get<bool>());
  BOOST_TEST(ggl["dae"]["nonlinear_coefficient"].get<double>() > 0.0);
  BOOST_TEST(ggl["dae"]["max_nonlinear_iterations"].is_number_integer());
  BOOST_TEST(ggl["dae"]["asked"]["nonlinear_coefficient"].is_null());
  const Json full = record(bench("run pendulum --formulation stabilized_index1 --integrator ida --t-end 0.1 --json"));
  BOOST_TEST(full["masked"].empty());
  BOOST_TEST(full["dae"]["algebraic"].empty());
}

BOOST_AUTO_TEST_CASE(statistics_are_values) {
  const Json run = record(bench("run pendulum --formulation augmented_lagrangian --t-end 0.1 --json"));
  bool counted = false;
  for (const Json& fact : run["statistics"]) counted = counted || fact["values"].at(0).is_number();
  BOOST_TEST(counted);
  BOOST_TEST(run["facts"].at(0)["name"] == "multiplier tolerance");
  BOOST_TEST(run["facts"].at(0)["values"].at(0).get<double>() > 0.0);
  BOOST_TEST(run["rank_actions"].is_number_integer());
  BOOST_TEST(run["smallest_singular_value"].get<double>() > 0.0);
  const Json fold = record(bench("run two_link --t-end 1 --json"));  // passes the singular pose at 0.493 s
  BOOST_REQUIRE(fold["rank_events"].size() > 0u);
  BOOST_TEST(std::abs(fold["rank_events"].at(0)["t"].get<double>() - 0.4933) < 1e-2);
}

BOOST_AUTO_TEST_CASE(elements_are_listed_with_blocks_and_header) {
  const std::string list = bench("list elements").out;
  BOOST_TEST(list.find("{planar_body, planar_body}; <sunlagrange/elements/planar/revolute.hpp>") != std::string::npos);
  BOOST_TEST(list.find("{any}; <sunlagrange/elements/coordinate/prescribed.hpp>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(fixed_steps_have_no_tolerances) {
  const Json run = record(bench("run pendulum --integrator rk4 --step 1e-3 --t-end 0.5 --json"));
  BOOST_TEST(run["rtol"].is_null());
  BOOST_TEST(run["atol"].is_null());
  BOOST_TEST(run["step"] == 1e-3);
  BOOST_TEST(run["integrator"] == "rk4");
  BOOST_TEST(run["steps"].get<long>() == 500);
}

BOOST_AUTO_TEST_CASE(one_step_formulation_with_its_integrator) {
  const Json run = record(bench("run pendulum --formulation index3_augmented_lagrangian --step 1e-2 --t-end 1 --json"));
  BOOST_TEST(run["status"] == "finished");
  BOOST_TEST(run["integrator"] == "trapezoidal");
  BOOST_TEST(run["step"] == 1e-2);
  BOOST_TEST(run["steps"] == 100);
  const Result table =
      bench("compare pendulum --formulations index3_augmented_lagrangian,baumgarte --steps 1e-2 --t-end 1");
  BOOST_TEST(table.exit_code == 4);  // rk1 is far off with this step, and doubted
  BOOST_TEST(table.out.find("index3_augmented_lagrangian trapezoidal") != std::string::npos, table.out);
  check_refused("run pendulum --formulation index3_augmented_lagrangian --json", "--step");
  check_refused("compare pendulum --formulations index3_augmented_lagrangian", "--steps");
}

BOOST_AUTO_TEST_CASE(kinematic_programs_run_without_naming_a_formulation) {
  for (const char* program : {"slider_crank_program", "breathing_torus_program"}) {
    const Result result = bench(std::string("run ") + program + " --t-end 0.1 --json");
    BOOST_TEST(result.exit_code == 0);
    const Json run = record(result);
    BOOST_TEST(run["formulation"] == "integral_manifold");
    BOOST_TEST(run["error_vs_reference"].get<double>() < 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(own_butcher_table_from_a_file) {
  const std::string file = "program_test_table.json";
  const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
  write(R"({"name":"Ralston","A":[[],[0.66666666666666667]],"b":[0.25,0.75],"c":[0,0.66666666666666667],"order":2})");
  const std::string arguments = " --table " + file + " --t-end 1 ";
  const Json run = record(bench("run pendulum --integrator table --step 1e-3 --json" + arguments));
  BOOST_TEST(run["status"] == "finished");
  BOOST_TEST(run["integrator"] == "table");
  const double error = run["error_vs_reference"].get<double>();
  const Json half = record(bench("run pendulum --step 5e-4 --json" + arguments));  // automatic: table
  BOOST_TEST(half["integrator"] == "table");
  BOOST_TEST(std::abs(error / half["error_vs_reference"].get<double>() - 4.0) < 0.3);
  BOOST_TEST(bench("run pendulum --step 1e-3" + arguments).out.find("Ralston") != std::string::npos);
  const Result all = bench("compare pendulum --formulations baumgarte --steps 1e-2" + arguments);
  BOOST_TEST(all.exit_code == 4);  // rk1, as above
  BOOST_TEST(all.out.find("table") != std::string::npos, all.out);
  BOOST_TEST(all.out.find("rk4") != std::string::npos, all.out);
  BOOST_TEST(bench("compare pendulum --formulations baumgarte --steps 1e-2 --t-end 1").out.find("table ") ==
             std::string::npos);

  check_refused("run pendulum --integrator table --step 1e-3 --json", "give the Butcher table");
  check_refused("run pendulum --integrator rk4 --step 1e-3 --json" + arguments, "rk4 does not use it");
  check_refused("run pendulum --integrator table --json" + arguments, "--step");
  check_refused("run pendulum --integrator table --step 1e-3 --json --table nowhere.json", "nowhere.json");
  check_refused("compare pendulum --integrators table --steps 1e-2", "--table FILE");
  check_refused("compare pendulum --integrators rk4 --steps 1e-2" + arguments, "does not name table");
  check_refused("compare pendulum" + arguments, "--steps");
  const auto refused = [&](const std::string& text, const std::string& part) {
    write(text);
    check_refused("run pendulum --integrator table --step 1e-3 --json" + arguments, part);
  };
  refused(R"({"A":[[],[1]],"b":[0.5,0.5],"c":[0,1]})", "order");
  refused(R"({"A":[[],[1]],"b":[0.5,0.5],"c":[0,1],"order":2.5})", "integer");
  refused(R"({"A":[[],[1]],"b":[0.5,0.5],"c":[0,1],"order":2,"d":[]})", "unknown entry \"d\"");
  refused(R"({"A":[[],["x"]],"b":[0.5,0.5],"c":[0,1],"order":2})", "no Butcher table");
  refused("[1, 2", "no Butcher table");
  refused("[1, 2]", "no Butcher table");
  refused(R"({"A":[[],[1]],"b":[0.5,0.4],"c":[0,1],"order":2})", "sum b_i = 1");
  refused(R"({"A":[[1],[1]],"b":[0.5,0.5],"c":[0,1],"order":2})", "explicit");
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(values_that_do_not_apply_are_null) {
  const Json printed = record(bench("run two_link_as_printed --t-end 0.2 --json"));
  BOOST_TEST(printed["energy_drift"].is_null());  // its forces have no energy
  const Json chain = record(bench("run chain --size 3 --t-end 0.1 --json"));
  BOOST_TEST(chain["error_vs_reference"].is_null());  // it has no reference
  BOOST_TEST(chain["velocity_error_vs_reference"].is_null());
  BOOST_TEST(chain["multiplier_error_vs_reference"].is_null());
  BOOST_TEST(!chain["energy_drift"].is_null());
}

BOOST_AUTO_TEST_CASE(numerical_failure_is_reported_with_exit_code_3) {
  const std::string csv = "program_test_failed.csv";
  std::remove(csv.c_str());
  const Result result = bench(strict_arm + "--csv " + csv + " --json");
  BOOST_TEST(result.exit_code == 3);
  const Json run = record(result);
  BOOST_TEST(keys_of(run) == keys, boost::test_tools::per_element());
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
  BOOST_TEST(record(bench("run two_link --t-end 3.2 --json"))["status"] == "infeasible");
  const Result limited = bench("run pendulum --max-steps 5 --json");
  BOOST_TEST(limited.exit_code == 3);
  BOOST_TEST(record(limited)["status"] == "step_limit");
  BOOST_TEST(record(limited)["steps"] == 5);
  // Euler far outside its stability limit: whatever is reported, it is not "finished" with values that are not finite
  const Json unstable = record(bench("run pendulum --integrator rk1 --step 0.05 --gains \"K_D=2000;K_P=1e6\" --json"));
  BOOST_TEST(unstable["status"] != "finished");
}

BOOST_AUTO_TEST_CASE(compare_gives_one_record_per_combination) {
  const Result result = bench(
      "compare pendulum --formulations baumgarte,penalty --integrators cvode_bdf,dopri5 --rtols 1e-4,1e-6 "
      "--t-end 0.5 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  BOOST_TEST(document["schema"] == 1);
  BOOST_TEST(document["runs"].size() == 8U);
  std::set<std::string> combinations;
  for (const Json& run : document["runs"]) {
    BOOST_TEST(keys_of(run) == keys, boost::test_tools::per_element());
    combinations.insert(run["formulation"].get<std::string>() + run["integrator"].get<std::string>() +
                        run["rtol"].dump());
  }
  BOOST_TEST(combinations.size() == 8U);
}

BOOST_AUTO_TEST_CASE(compare_prints_gain_times_step_beside_the_stability_limit) {
  const Result result = bench("compare pendulum --formulations baumgarte --integrators rk4 --steps 1e-2");
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("of 2.785") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_CASE(compare_with_a_failing_run_exits_with_3_and_keeps_the_others) {
  const Result result = bench(
      "compare two_link --formulations baumgarte,penalty --integrators dopri5 --rtols 1e-8 --rank-policy strict "
      "--start as_given --t-end 0.6 --json");
  BOOST_TEST(result.exit_code == 3);
  const Json document = Json::parse(result.out);
  BOOST_REQUIRE(document["runs"].size() == 2U);
  BOOST_TEST(document["runs"][0]["status"] == "rank_loss");
  BOOST_TEST(document["runs"][1]["status"] == "finished");
}

BOOST_AUTO_TEST_CASE(list_names_everything) {
  const Result result = bench("list");
  BOOST_TEST(result.exit_code == 0);
  for (const char* name : {"baumgarte",
                           "penalty",
                           "index3",
                           "index3_augmented_lagrangian",
                           "unstabilized",
                           "cvode_bdf",
                           "cvode_adams",
                           "ida",
                           "rk1",
                           "rk2",
                           "rk3",
                           "rk4",
                           "table",
                           "dopri5",
                           "trapezoidal",
                           "dense",
                           "klu",
                           "pendulum",
                           "two_link",
                           "two_link_as_printed",
                           "andrews",
                           "chain",
                           "n_four_bar",
                           "car_axis",
                           "slider_crank",
                           "cv_pendulum",
                           "knife_edge",
                           "arevalo",
                           "extended_particle"}) {
    BOOST_TEST(result.out.find(name) != std::string::npos, name);
  }
}

BOOST_AUTO_TEST_CASE(tables_fit_the_terminal_and_say_what_they_leave_out) {
  if (std::system("command -v script > /dev/null 2>&1") != 0) return;
  const auto widest = [](const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    return longest;
  };
  const auto has = [](const Result& result, const char* part) { return result.out.find(part) != std::string::npos; };
  const std::string compare =
      "compare two_link --formulations index3_augmented_lagrangian,index3 --rtols 1e-4 --steps 1e-2";
  for (const std::string& command : {compare, std::string("list"), std::string("validate pendulum nikravesh"),
                                     std::string("stability pendulum --integrator rk4 --steps 0.01")}) {
    for (const int columns : {80, 110}) {
      const Result result = bench_at_terminal(command, columns);
      BOOST_TEST(widest(result.out) <= static_cast<std::size_t>(columns), command << "\n" << result.out);
      BOOST_TEST(widest(result.out) > 60U, command << "\n" << result.out);
      if (columns == 80) BOOST_TEST(has(result, "left out: ") == (command != "list"), command << "\n" << result.out);
    }
  }
  const Result narrow = bench_at_terminal(compare, 80);
  BOOST_TEST(has(narrow, "error lambda, seconds"));
  BOOST_TEST(has(narrow, "index3_augmented_lagrangian trapezoidal"));
  const Result wide = bench_at_terminal(compare + " --wide", 80);
  BOOST_TEST(!has(wide, "left out: "));
  BOOST_TEST(has(wide, "error lambda seconds gain x step"));
  const Result piped = shell("COLUMNS=80 '" SUNLAGRANGE_BENCH "' " + compare);  // no terminal: all columns
  BOOST_TEST(!has(piped, "left out: "));
  BOOST_TEST(has(piped, "error lambda seconds gain x step"));
}

BOOST_AUTO_TEST_CASE(wrong_usage_exits_with_2_and_says_why) {
  check_refused("", "subcommand");
  check_refused("run", "mechanism");
  check_refused("run car --json", "car");
  check_refused("run pendulum --formulation lagrange --json", "lagrange");
  check_refused("run pendulum --integrator rk9 --json", "rk9");
  check_refused("run pendulum --linear-solver gauss --json", "gauss");
  check_refused("run pendulum --rank-policy none --json", "none");
  check_refused("run pendulum --start somewhere --json", "somewhere");
  check_refused("run pendulum --rtol -1 --json", "rtol");
  check_refused("run pendulum --atol -1 --json", "atol");
  check_refused("run pendulum --rtol x --json", "rtol");
  check_refused("run pendulum --t-end -1 --json", "t_end");
  check_refused("run pendulum --max-steps 0 --json", "max_steps");
  check_refused("run pendulum --integrator rk4 --json", "--step");
  check_refused("run pendulum --integrator rk4 --step -1 --json", "step");
  check_refused("run pendulum --formulation index3 --integrator cvode_bdf --json", "index3");
  check_refused("run pendulum --gains \"K_D=-1\" --json", "K_D");
  check_refused("run two_link --gains \"K_P=1,2,2,1\" --json", "positive definite");
  check_refused("run pendulum --gains \"K_D=1,2\" --json", "2 values");
  check_refused("run pendulum --gains \"K_Q=1\" --json", "K_Q");
  check_refused("run pendulum --size 3 --json", "size");
  check_refused("run chain --size 0 --json", "size");
  check_refused("run chain --size 100000000 --json", "--size 100000000: at most");
  check_refused("run pendulum --csv \"no such folder/x.csv\" --json", "no such folder");
  check_refused("compare pendulum --rtols 1e-4,x", "x");
  check_refused("run pendulum --nonsense", "nonsense");
}

BOOST_AUTO_TEST_CASE(an_interrupted_run_writes_what_it_has) {
  const std::string csv = "program_test_interrupted.csv";
  for (const int signal : {SIGINT, SIGTERM}) {
    std::remove(csv.c_str());
    const auto under_way = [&csv](pid_t pid, const std::string&) {
      return std::ifstream(csv + ".partial-" + std::to_string(pid)).good();
    };
    const Result result = sunlagrange::test::bench_and_signal(
        {"run", "pendulum", "--t-end", "1e9", "--max-steps", "1000000000", "--csv", csv, "--every", "1000", "--json"},
        signal, "program_test_interrupted.json", under_way);
    BOOST_TEST(result.exit_code == 130);
    const Json run = record(result);
    BOOST_TEST(run["status"] == "interrupted");
    BOOST_TEST(keys_of(run) == keys, boost::test_tools::per_element());
    std::istringstream lines(contents(csv));
    std::string line, last;
    long rows = -1;
    for (; std::getline(lines, line); ++rows) last = line;
    const long steps = run["steps"].get<long>();
    BOOST_TEST(rows == 1 + steps / 1000 + (steps % 1000 > 0 ? 1 : 0));
    BOOST_TEST(std::stod(last) == run["t_reached"].get<double>());
  }
  std::remove(csv.c_str());
}

BOOST_AUTO_TEST_CASE(an_interrupted_comparison_has_its_finished_rows) {
  const Result result = sunlagrange::test::bench_and_signal(
      {"compare", "pendulum", "--t-end", "20000", "--formulations", "baumgarte", "--integrators", "rk4,dopri5",
       "--steps", "5", "--rtols", "1e-4,1e-12", "--max-steps", "1000000000"},
      SIGINT, "program_test_compare.txt", [](pid_t, const std::string& out) {
        return out.find("dopri5") != std::string::npos;  // a row is there, the next run is under way
      });
  BOOST_TEST(result.exit_code == 130);
  BOOST_TEST(result.out.find("interrupted [") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_CASE(output_that_cannot_be_written_is_exit_code_1) {
  for (const char* command : {"run pendulum --json", "list", "compare pendulum --formulations baumgarte --rtols 1e-4",
                              "validate pendulum", "--help"}) {
    for (const char* where : {" > /dev/full", " >&-"}) BOOST_TEST(bench(std::string(command) + where).exit_code == 1);
  }
  const std::string csv = "program_test_closed.csv";
  BOOST_TEST(bench("run pendulum --csv " + csv + " >&-").exit_code == 1);
  BOOST_TEST(contents(csv).rfind("t,bob[0],", 0) == 0U);  // and nothing but the trajectory
  BOOST_TEST(contents(csv).find("status") == std::string::npos);
  std::remove(csv.c_str());
  const Result full = bench("run pendulum --csv /dev/full --json");
  BOOST_TEST(full.exit_code == 1);
  BOOST_TEST(record(full)["status"] == "finished");  // the report is there all the same
}

BOOST_AUTO_TEST_CASE(a_file_is_replaced_only_by_a_complete_one) {
  namespace fs = std::filesystem;
  const fs::path folder = "program_test_files";
  fs::remove_all(folder);
  fs::create_directory(folder);
  const std::string csv = (folder / "run.csv").string();
  std::ofstream(csv) << "precious";
  fs::permissions(csv, fs::perms::owner_read | fs::perms::owner_write);
  for (const char* mistake : {"--rtol -1", "--gains K_D=-1", "--formulation lagrange", "--output-times 7 --t-end 1"}) {
    check_refused("run pendulum --csv " + csv + " " + mistake, "");
    BOOST_TEST(contents(csv) == "precious");
  }
  check_refused("stability pendulum --integrator rk2 --steps 100 --csv " + csv, "fit into the run");
  check_refused("gain-scan pendulum --units feet --csv " + csv, "feet");
  BOOST_TEST(contents(csv) == "precious");
  BOOST_TEST(bench("run pendulum --t-end 0.5 --csv " + csv).exit_code == 0);
  BOOST_TEST(contents(csv).rfind("t,bob[0],", 0) == 0U);
  BOOST_TEST((fs::status(csv).permissions() == (fs::perms::owner_read | fs::perms::owner_write)));
  fs::create_symlink("run.csv", folder / "link.csv");
  BOOST_TEST(bench("run pendulum --t-end 0.25 --csv " + (folder / "link.csv").string()).exit_code == 0);
  BOOST_TEST(fs::is_symlink(folder / "link.csv"));
  BOOST_TEST(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);  // nothing left over
  fs::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(rows_of_the_trajectory_are_chosen) {
  const std::string csv = "program_test_rows.csv";
  const auto times = [&csv](const std::string& options) {
    BOOST_TEST(bench("run pendulum --t-end 1 --csv " + csv + " " + options).exit_code == 0, options);
    std::istringstream lines(contents(csv));
    std::vector<double> list;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) list.push_back(std::stod(line));
    std::remove(csv.c_str());
    return list;
  };
  const std::vector<double> given = {0.0, 0.1, 0.25, 1.0}, tenths = times("--output-step 0.1");
  BOOST_TEST(times("--output-times 0.1,0.25") == given, boost::test_tools::per_element());
  BOOST_REQUIRE(tenths.size() == 11U);
  for (std::size_t k = 0; k < tenths.size(); ++k)
    BOOST_TEST(std::abs(tenths[k] - 0.1 * static_cast<double>(k)) < 1e-15);
  const std::vector<double> all = times(""), fifth = times("--every 5");
  for (std::size_t k = 0; k + 1 < fifth.size(); ++k) BOOST_TEST(fifth[k] == all[5 * k]);
  BOOST_TEST(fifth.back() == 1.0);
  check_refused("run pendulum --output-step 0.1", "--csv");
  check_refused("run pendulum --csv " + csv + " --output-step 0.1 --every 2", "choose one");
  check_refused("run pendulum --csv " + csv + " --output-step 1e-12", "rows");
  check_refused("run pendulum --csv " + csv + " --output-step 0", "--output-step");
  check_refused("run pendulum --csv " + csv + " --every 0", "--every");
  check_refused("run pendulum --csv " + csv + " --output-times 0.2,0.1", "later than the time before");
}

// Six hinges in a loop: no freedom by counting rows, one in truth.
BOOST_AUTO_TEST_CASE(mobility_on_request) {
  const Result plain = bench("run bricard --t-end 0.01 --json"),
               asked = bench("run bricard --t-end 0.01 --mobility --json");
  BOOST_TEST(!record(plain).contains("mobility"));
  const Json mobility = record(asked).at("mobility");
  BOOST_TEST(mobility.at("status") == "finished");
  BOOST_TEST(mobility.at("redundant").get<int>() > 0);
  BOOST_TEST(mobility.at("rank").get<int>() + mobility.at("redundant").get<int>() == mobility.at("rows").get<int>());
  BOOST_TEST(mobility.at("permanent") == mobility.at("redundant"));
  BOOST_TEST(mobility.at("dependent").size() == mobility.at("redundant").get<std::size_t>());
  BOOST_TEST(!mobility.at("dependent").at(0).at("relation").empty());
  const std::string freedoms = std::to_string(mobility.at("degrees_of_freedom").get<int>());
  BOOST_TEST(bench("run bricard --t-end 0.01 --mobility").out.find(freedoms + " degree") != std::string::npos);
  BOOST_TEST(bench("run pendulum --mobility").out.find("1 constraint row, rank 1, 0 redundant; 1 degree of freedom") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(version_is_that_of_the_library) {
  const Result result = bench("--version");
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out == "sunlagrange-bench " + std::to_string(SUNLAGRANGE_VERSION_MAJOR) + "." +
                               std::to_string(SUNLAGRANGE_VERSION_MINOR) + "." +
                               std::to_string(SUNLAGRANGE_VERSION_PATCH) + "\n");
}

BOOST_AUTO_TEST_CASE(options_without_sense_are_refused) {
  check_refused("run pendulum --csv= --json", "--csv= has no value");
  BOOST_TEST(!std::ifstream("--json").good());
  check_refused("run pendulum --csv .", "folder");
  check_refused("run pendulum --integrator table --step 0.1 --table .", "folder");
  check_refused("gain-scan pendulum --quick --units abc", "abc");
  check_refused("gain-scan pendulum --quick --rtols x", "x");
  check_refused("gain-scan pendulum --quick --seed -1", "--seed");
  check_refused("gain-scan pendulum --quick --per-octave inf", "--per-octave");
  check_refused("figures two_link --out program_test_figures --t-end nan", "--t-end");
  const std::string errors = "program_test_atol.txt";
  BOOST_TEST(bench("run pendulum --rtol -1", errors).exit_code == 2);
  BOOST_TEST(contents(errors).find("atol") == std::string::npos, contents(errors));  // nobody typed it
  std::remove(errors.c_str());
}

BOOST_AUTO_TEST_CASE(several_mistakes_are_reported_at_once) {
  check_refused("run pendulum --formulation lagrange --rtol -1 --max-steps 0 --json", "lagrange");
  check_refused("run pendulum --formulation lagrange --rtol -1 --max-steps 0 --json", "rtol");
  check_refused("run pendulum --formulation lagrange --rtol -1 --max-steps 0 --json", "max_steps");
}

BOOST_AUTO_TEST_CASE(gain_scan_compares_automatic_gains_with_a_scan_by_hand) {
  const Result run =
      bench("gain-scan pendulum two_link --rtols 1e-6 --units m_kg,mm_g --random 0 --per-octave 0.5 --json");
  BOOST_TEST(run.exit_code == 0);
  const Json json = Json::parse(run.out);
  BOOST_REQUIRE(json["cases"].size() == 2u);
  for (const Json& c : json["cases"]) {
    BOOST_TEST(c["held"].get<bool>());
    BOOST_TEST(c["automatic"]["violation"].get<double>() <= 1.0);
    BOOST_TEST(c["best"]["cost"].get<double>() <= c["zero"]["cost"].get<double>() * 1.25);
    BOOST_TEST(c["cost_ratio"].get<double>() == c["automatic"]["cost"].get<double>() / c["best"]["cost"].get<double>());
  }
  BOOST_REQUIRE(json["excluded"].size() == 1u);
  BOOST_TEST(json["excluded"][0]["mechanism"] == "two_link");
  const std::string short_scan = " --rtols 1e-6 --units m_kg --random 0 --per-octave 0.5 --integrator ";
  for (const auto& [integrator, formulation] :
       {std::pair("ida", "index1"), {"cvode_adams", "baumgarte"}, {"dopri5", "baumgarte"}}) {
    const Json scan = Json::parse(bench("gain-scan pendulum --json" + short_scan + integrator).out);
    BOOST_TEST(scan["formulation"] == formulation);
    BOOST_REQUIRE(scan["cases"].size() == 1u);
    BOOST_TEST(scan["cases"][0]["automatic"]["finished"].get<bool>(), integrator);
    BOOST_TEST(scan["cases"][0]["automatic"]["violation"].get<double>() <= 1.0, integrator);
  }
  const Json none = Json::parse(bench("gain-scan pendulum --json --formulation ggl" + short_scan + "ida").out);
  BOOST_TEST(none["excluded"][0]["reason"] == "formulation ggl has no gains");
  BOOST_TEST(bench("gain-scan pendulum --formulation ggl").exit_code == 2);
  BOOST_TEST(bench("gain-scan pendulum --integrator rk4").exit_code == 2);
  BOOST_TEST(bench("gain-scan pendulum --units feet").exit_code == 2);
}

BOOST_AUTO_TEST_CASE(labels_of_the_figures_stay_apart_on_a_long_axis) {
  // Fold and end of reach lie 2.4 s apart: on the papers' axis of 20 s their labels need heights of their own, which do
  // not depend on the axis.
  const Result drawn = bench("figures two_link --out program_test_figures --t-end 3.2");
  BOOST_TEST(drawn.exit_code == 0);
  BOOST_TEST(drawn.out.find("figure1.png") != std::string::npos);
  std::istringstream script(contents("program_test_figures/figures.gp"));
  std::set<std::string> heights;
  int labels = 0;
  for (std::string line; std::getline(script, line);) {
    if (line.rfind("set multiplot", 0) == 0) heights.clear();
    if (line.rfind("set label", 0) != 0 || line.find(", graph ") == std::string::npos) continue;
    const std::size_t at = line.find(", graph ");
    BOOST_TEST(heights.insert(line.substr(at, line.find(' ', at + 8) - at)).second, line);
    ++labels;
  }
  BOOST_TEST(labels == 12);  // three in each of four figures
}
