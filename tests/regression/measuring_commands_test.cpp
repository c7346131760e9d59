// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "described_keys.hpp"
#include "programs.hpp"

/// `work-precision` and `scale` as scripts see them.
using namespace sunlagrange::test;
using Json = nlohmann::json;

namespace {

double number(const Json& json, const char* key) {
  return json.at(key).is_null() ? std::numeric_limits<double>::quiet_NaN() : json.at(key).get<double>();
}

/// No run that has an error beats one of the front in both; those of the front are ordered, cheap to accurate.
/// @param kind  "front", or "front_holding": of the runs that hold the constraints
void check_front(const Json& sheet, const char* kind, const char* cost) {
  const Json& runs = sheet["runs"];
  const Json& front = sheet[kind][cost];
  const auto repeats = [&](const Json& run) {  // the runs of another formulation, which stands for this one
    const Json& same = sheet["same"];
    return std::any_of(same.begin(), same.end(), [&](const Json& s) { return s["formulation"] == run["formulation"]; });
  };
  const auto takes_part = [&](const Json& run) {
    return run["status"] == "finished" && !run["baseline"].get<bool>() && !repeats(run) &&
           (std::string(kind) == "front" || run["holds_constraints"].get<bool>());
  };
  BOOST_REQUIRE(!front.empty());
  for (std::size_t k = 0; k < front.size(); ++k) {
    const Json& run = runs[front[k].get<std::size_t>()];
    BOOST_TEST(takes_part(run));
    if (k > 0) {
      const Json& before = runs[front[k - 1].get<std::size_t>()];
      BOOST_TEST(number(before, cost) <= number(run, cost));
      BOOST_TEST(number(before, "error_vs_reference") > number(run, "error_vs_reference"));
    }
    for (const Json& other : runs) {
      if (!takes_part(other)) continue;
      const bool cheaper = number(other, cost) < number(run, cost);
      const bool more_accurate = number(other, "error_vs_reference") < 0.9 * number(run, "error_vs_reference");
      BOOST_TEST(!(cheaper && more_accurate), other.dump() << " beats " << run.dump());
    }
  }
}

std::string file_of_pendulum() {
  const std::string file = "measuring_commands_pendulum.json";
  std::ofstream(file) << call("export pendulum").out;
  return file;
}

int lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

BOOST_AUTO_TEST_CASE(work_precision_document) {
  const std::string csv = "measuring_commands.csv";
  const Result result = call(
      "work-precision two_link slider_crank --t-end 0.4 --formulations baumgarte,ggl --integrators "
      "cvode_bdf,dopri5,ida,radau --rtols 1e-4,1e-6,1e-8 --errors 1e-3,1e-30 --baselines --repeat 1 --json --csv " +
      csv);
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  BOOST_TEST(document["schema"] == 1);
  BOOST_REQUIRE(document["mechanisms"].size() == 2U);
  std::size_t rows = 0;
  for (const Json& sheet : document["mechanisms"]) {
    check_keys(sheet, "mechanism reference reference_uncertainty same front at_errors front_holding runs");
    rows += sheet["runs"].size();
    std::size_t ours = 0;
    for (const Json& run : sheet["runs"]) {
      check_keys(run, record_keys());
      if (run["status"] == "finished") BOOST_TEST(std::isfinite(number(run, "error_vs_reference")));
      if (!run["baseline"].get<bool>()) ++ours;
    }
    BOOST_TEST(ours == 15U);  // three ODE and two DAE pairs, three tolerances
    BOOST_TEST(sheet["runs"].size() == 21U);
    for (const char* kind : {"front", "front_holding"}) {
      check_front(sheet, kind, "cpu_seconds");
      check_front(sheet, kind, "rhs_evaluations");
    }
    const Json& at = sheet["at_errors"];
    BOOST_REQUIRE(at.size() == 2U);
    BOOST_TEST(at[0]["pairs"].size() == 5U);
    BOOST_TEST(at[1]["pairs"].empty());
    for (std::size_t k = 1; k < at[0]["pairs"].size(); ++k)
      BOOST_TEST(number(at[0]["pairs"][k - 1], "cpu_seconds") <= number(at[0]["pairs"][k], "cpu_seconds"));
  }
  BOOST_TEST(document["mechanisms"][1]["reference_uncertainty"].get<double>() > 0.0);  // none of its own at 0.4 s
  BOOST_TEST(document["mechanisms"][1]["reference_uncertainty"].get<double>() < 1e-9);
  BOOST_TEST(lines(contents(csv)) == static_cast<int>(rows) + 1);
  std::remove(csv.c_str());
}

// Two rods of 1 m from pivots that lie 5 m apart.
BOOST_AUTO_TEST_CASE(a_start_that_no_configuration_satisfies_is_a_reported_failure) {
  Json model = Json::parse(call("export pendulum").out);
  Json rod = model["elements"].back();
  BOOST_REQUIRE(rod["type"] == "DistanceToGround");
  rod["name"] = "second rod";
  rod["parameters"]["ground_x"] = 5.0;
  model["elements"].push_back(rod);
  const std::string file = "measuring_commands_apart.json", errors = "measuring_commands_apart.txt";
  std::ofstream(file) << model;
  const std::string how = " --formulations baumgarte,ggl --integrators dopri5,ida ";
  const Result result = call("work-precision " + file + how + "--rtols 1e-4,1e-6 --repeat 1 --json");
  BOOST_TEST(result.exit_code == 3);
  const Json sheet = Json::parse(result.out)["mechanisms"][0];
  BOOST_TEST(sheet["reference_uncertainty"].is_null());
  BOOST_TEST(sheet["reference"].get<std::string>().find("no configuration") != std::string::npos);
  BOOST_REQUIRE(sheet["runs"].size() == 4U);
  for (const Json& run : sheet["runs"]) BOOST_TEST(run["status"] == "infeasible");
  BOOST_TEST(sheet["front"]["cpu_seconds"].empty());
  const Result text = call("work-precision " + file + how + "--rtols 1e-4 --repeat 1");
  BOOST_TEST(text.exit_code == 3);
  BOOST_TEST(text.out.find("0 of 2 runs finished. Errors are measured against nothing") != std::string::npos, text.out);
  const Result beside = call("work-precision pendulum " + file + how + "--t-end 0.5 --rtols 1e-4 --repeat 1 --json");
  BOOST_TEST(beside.exit_code == 3);
  BOOST_TEST(Json::parse(beside.out)["mechanisms"][0]["runs"][0]["status"] == "finished");

  const Result fixed = call("adaptive-vs-fixed " + file + " --formulations baumgarte --repeat 1 --json");
  BOOST_TEST(fixed.exit_code == 3);
  BOOST_TEST(Json::parse(fixed.out).dump().find("no configuration") != std::string::npos);

  BOOST_TEST(call("run " + file + " --continue-infeasible", errors).exit_code == 3);
  BOOST_TEST(contents(errors).find("--start as_given") != std::string::npos, contents(errors));
  BOOST_TEST(call("run " + file, errors).exit_code == 3);
  BOOST_TEST(contents(errors).find("--start as_given") == std::string::npos, contents(errors));
  const Json begun = record(call("run " + file + " --continue-infeasible --start as_given --json --t-end 0.1", errors));
  BOOST_TEST(begun["start"] == "as_given");
  BOOST_TEST(contents(errors).find("--start as_given") == std::string::npos, contents(errors));
  std::remove(file.c_str());
  std::remove(errors.c_str());
}

BOOST_AUTO_TEST_CASE(work_precision_interpolates_costs_between_the_runs_of_a_pair) {
  const Json sheet = Json::parse(call("work-precision pendulum --t-end 2 --formulations baumgarte --integrators dopri5 "
                                      "--rtols 1e-4,1e-8 --errors 1e-6 --repeat 1 --max-step 2 --json")
                                     .out)["mechanisms"][0];
  const Json &rough = sheet["runs"][0], &tight = sheet["runs"][1], &pair = sheet["at_errors"][0]["pairs"][0];
  const auto log_of = [](const Json& json, const char* key) { return std::log(number(json, key)); };
  const double share = (std::log(1e-6) - log_of(rough, "error_vs_reference")) /
                       (log_of(tight, "error_vs_reference") - log_of(rough, "error_vs_reference"));
  BOOST_REQUIRE((share > 0.0 && share < 1.0));
  const double between = (1.0 - share) * log_of(rough, "rhs_evaluations") + share * log_of(tight, "rhs_evaluations");
  BOOST_TEST(std::abs(log_of(pair, "rhs_evaluations") - between) < 1e-12);
}

// Without stabilisation a short run is cheap and as accurate as any, and its constraints drift.
BOOST_AUTO_TEST_CASE(runs_that_do_not_hold_the_constraints_are_shown_beside_the_front) {
  const std::string arguments =
      " pendulum --formulations unstabilized,baumgarte,index2 --integrators cvode_adams,ida --rtols 1e-8,1e-10 ";
  const Json sheet = Json::parse(call("work-precision" + arguments + "--repeat 1 --json").out)["mechanisms"][0];
  for (const Json& run : sheet["runs"]) {
    const bool loose = run["formulation"] == "unstabilized" || run["formulation"] == "index2";
    BOOST_TEST(run["holds_constraints"].get<bool>() == !loose, run["formulation"]);
  }
  for (const char* kind : {"front", "front_holding"}) check_front(sheet, kind, "rhs_evaluations");
  const auto any_loose = [&sheet](const char* kind) {
    const Json& front = sheet[kind]["rhs_evaluations"];
    return std::any_of(front.begin(), front.end(), [&](const Json& k) {
      return sheet["runs"][k.get<std::size_t>()]["holds_constraints"] == false;
    });
  };
  BOOST_TEST(any_loose("front"));
  BOOST_TEST(!any_loose("front_holding"));
  const std::string text = call("work-precision" + arguments + "--repeat 1").out;
  const std::size_t at_error = text.find("at error"), runs = text.find("formulation", at_error + 40);
  BOOST_REQUIRE(runs != std::string::npos);
  BOOST_TEST(text.substr(at_error, runs - at_error).find("unstabilized") == std::string::npos, text);
  const std::string compared = call("compare" + arguments).out;
  BOOST_TEST(compared.substr(0, compared.find("\n")).find("unstabilized") == std::string::npos, compared);
}

// A knife edge has nonholonomic rows alone: what index2 promises is all there is.
BOOST_AUTO_TEST_CASE(nonholonomic_rows_are_held_by_forms_that_promise_velocities) {
  const Json runs =
      Json::parse(call("compare knife_edge --formulations unstabilized,index2 --rtols 1e-6 --json").out)["runs"];
  for (const Json& run : runs) {
    if (run["baseline"].get<bool>()) continue;
    BOOST_TEST(run["holds_constraints"].get<bool>() == (run["formulation"] == "index2"));
  }
}

BOOST_AUTO_TEST_CASE(work_precision_holds_the_automatic_choice_against_the_best) {
  const Json document = Json::parse(call("work-precision pendulum car_axis --t-end 1 --formulations "
                                         "automatic,baumgarte,unstabilized --integrators dopri5 --rtols 1e-5,1e-7 "
                                         "--errors 1e-5 --repeat 1 --json")
                                        .out);
  const Json& automatic = document["automatic_over_best"];
  BOOST_REQUIRE(automatic["ratios"].size() == 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const Json& sheet = document["mechanisms"][k];
    double own = 0.0, best = 0.0;
    for (const Json& pair : sheet["at_errors"][0]["pairs"]) {
      if (pair["formulation"] == "automatic") own = number(pair, "cpu_seconds");
      if (pair["formulation"] == "baumgarte") best = number(pair, "cpu_seconds");  // unstabilized holds nothing
    }
    BOOST_TEST(automatic["ratios"][k]["ratio"].get<double>() == own / best);
    for (const Json& run : sheet["runs"]) {
      if (run["formulation"] != "automatic") continue;
      BOOST_TEST(run["used_formulation"] == "projected");
      BOOST_TEST(run["used_integrator"] == "verner6");
    }
  }
  BOOST_TEST(automatic["largest"].get<double>() >= automatic["median"].get<double>());
}

BOOST_AUTO_TEST_CASE(work_precision_takes_model_files_and_fits_a_terminal) {
  const std::string file = file_of_pendulum();
  const Result result = call_at_terminal(
      "work-precision " + file + " --t-end 1 --formulations baumgarte,projected --integrators dopri5,radau --repeat 1",
      80);
  for (const char* part : {"Pareto front", "at error", "times best", "time, rhs", "projected", "differs by"})
    BOOST_TEST(result.out.find(part) != std::string::npos, part << " is not in " << result.out);
  std::istringstream text(result.out);
  for (std::string line; std::getline(text, line);) BOOST_TEST(line.size() <= 80U, line);
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(scale_document) {
  const std::string csv = "measuring_commands_scale.csv";
  const Result result =
      call("scale chain --sizes 5,50 --t-end 0.05 --formulations baumgarte,ggl --integrators dopri5,ida --json --csv " +
           csv);
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  BOOST_TEST(document["schema"] == 1);
  BOOST_REQUIRE(document["sizes"].size() == 2U);
  double before = 0.0;
  for (const Json& size : document["sizes"]) {
    const int n = size["size"].get<int>();
    BOOST_TEST(size["num_positions"] == 3 * n);
    BOOST_TEST(size["num_constraints"] == 2 * n);
    BOOST_TEST(size["peak_bytes"].get<double>() > 1e6);
    BOOST_TEST(size["build_seconds"].get<double>() > 0.0);
    BOOST_REQUIRE(size["runs"].size() == 2U);
    BOOST_TEST(size["runs"][1]["rhs_seconds"].is_null());  // ida has residuals
    for (const Json& run : size["runs"]) {
      BOOST_TEST(run["status"] == "finished");
      BOOST_TEST(run["steps"].get<long>() > 0);
      BOOST_TEST(run["setup_seconds"].get<double>() > 0.0);
    }
    const double rhs = size["runs"][0]["rhs_seconds"].get<double>();
    BOOST_TEST(rhs > before);
    before = rhs;
  }
  BOOST_TEST(lines(contents(csv)) == 5);
  std::remove(csv.c_str());
}

BOOST_AUTO_TEST_CASE(memory_grows_with_the_bodies_not_with_their_square) {
  const Json sizes = Json::parse(call("scale chain --sizes 10,500,2000 --t-end 0.001 --json").out)["sizes"];
  const auto bytes = [&](std::size_t k) {
    return sizes[k]["peak_bytes"].get<double>() - sizes[0]["peak_bytes"].get<double>();
  };
  BOOST_TEST(bytes(2) < 8.0 * bytes(1));  // with squares 16
}

BOOST_AUTO_TEST_CASE(scale_says_what_grows_and_refuses_wrong_usage) {
  const Result result = call_at_terminal("scale n_four_bar --sizes 4,8 --t-end 0.01", 80);
  for (const char* part : {"per body grows by", "set-up us", "peak MB", "dopri5"})
    BOOST_TEST(result.out.find(part) != std::string::npos, part << " is not in " << result.out);
  std::istringstream text(result.out);
  for (std::string line; std::getline(text, line);) BOOST_TEST(line.size() <= 80U, line);
  BOOST_TEST(call("scale chain --sizes 3 --t-end 0.01 --formulations automatic").exit_code == 0);
}

BOOST_AUTO_TEST_CASE(an_interrupted_scale_keeps_the_sizes_that_are_done) {
  const Result result = call_and_signal(
      {"scale", "chain", "--sizes", "5,2000", "--t-end", "10", "--progress", "--json"}, SIGTERM,
      "measuring_commands_scale.txt",
      [](pid_t, const std::string& written) { return written.find("/2] chain of 2000") != std::string::npos; });
  BOOST_TEST(result.exit_code == 130);
  const Json sizes = Json::parse(result.out)["sizes"];
  BOOST_REQUIRE(sizes.size() >= 1U);
  BOOST_TEST(sizes[0]["runs"][0]["status"] == "finished");
}
