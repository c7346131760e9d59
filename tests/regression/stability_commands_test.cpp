// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "programs.hpp"

/// `stability` and `adaptive-vs-fixed` as scripts see them.
using namespace sunlagrange::test;
using Json = nlohmann::json;

namespace {

int lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

const std::string small = "adaptive-vs-fixed pendulum --t-end 1 --errors 1e-4,1e-6 --violations 1e-7 --repeat 1 ";

}  // namespace

BOOST_AUTO_TEST_CASE(stability_document_and_files) {
  const std::string csv = "stability_commands.csv";
  const Result result = call("stability two_link --integrator rk1,rk4 --steps 0.01,0.02 --json --csv " + csv);
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  check_keys(document, "schema mechanism formulation law zeta seed criterion largest_transient violation_bound points");
  BOOST_TEST(document["formulation"] == "baumgarte");
  BOOST_TEST(document["law"] == "second_order");
  BOOST_REQUIRE(document["points"].size() == 4U);
  const std::set<std::string> point_keys = names(
      "integrator step run_steps rule_gain_x_step motion_gain_x_step predicted_gain_x_step observed_gain_x_step "
      "predicted_contraction_gain_x_step observed_contraction_gain_x_step predicted_gain observed_gain "
      "relative_difference rule_relative_difference");
  for (const Json& point : document["points"]) {
    check_keys(point, point_keys);
  }
  BOOST_TEST(document["points"][0]["run_steps"] == 40);  // 0.4 s
  BOOST_TEST(document["points"][1]["run_steps"] == 20);
  BOOST_TEST(lines(contents(csv)) == 5);
  std::remove(csv.c_str());
}

BOOST_AUTO_TEST_CASE(stability_prints_a_table) {
  const Result result = call("stability pendulum --integrator rk3 --steps 0.01 --zeta 0.7");
  BOOST_TEST(result.exit_code == 0);
  for (const char* part : {"zeta = 0.7", "200 steps", "predicted", "observed", "rule", "rk3"}) {
    BOOST_TEST(result.out.find(part) != std::string::npos, part);
  }
}

BOOST_AUTO_TEST_CASE(certify_says_what_holds_and_what_does_not) {
  // [002, Example 2]: k = 100 with Euler and 1e-3 keeps 1e-4; k = 2100 is beyond tau k = 2.
  const Result good = call("certify slider_crank_program --integrator rk1 --step 1e-3 --json");
  BOOST_TEST(good.exit_code == 0);
  const Json certified = Json::parse(good.out);
  BOOST_TEST(certified["certified"] == true);
  BOOST_TEST(certified["largest_error"].get<double>() < 2e-5);
  BOOST_TEST(certified["largest_contraction"].get<double>() == 0.9, boost::test_tools::tolerance(1e-9));
  const Result bad = call("certify slider_crank_program --integrator rk1 --step 1e-3 --gains K_N=2100 --json");
  BOOST_TEST(bad.exit_code == 3);
  BOOST_TEST(Json::parse(bad.out)["failures"][0]["condition"] == "contraction");
  // the remainder of [002, Example 2]: tau^2 F / 2 with F = 17; C = 20 F exceeds (1 - 0.9) 1e-4
  const std::string given = "certify slider_crank_program --integrator rk1 --step 1e-3 --remainder given --json ";
  BOOST_TEST(Json::parse(call(given + "--remainder-constant 8.5").out)["certified"] == true);
  const Json much = Json::parse(call(given + "--remainder-constant 340").out);
  BOOST_TEST(much["certified"] == false);
  BOOST_TEST(much["failures"][0]["condition"] == "remainder");
  check_refused("certify slider_crank_program --step 1e-3 --remainder given", "--remainder-constant");
  const Result excess =
      call("certify tethered_particle --formulation extended_lagrangian --step 0.01 --eps 1 --start as_given");
  BOOST_TEST(excess.exit_code == 0);
  BOOST_TEST(excess.out.find("certified: |e| stayed below") != std::string::npos, excess.out);
}

// On a motion of 0.4 s adaptive runs take a few steps, and so may fixed ones.
BOOST_AUTO_TEST_CASE(fixed_steps_may_be_as_few_as_adaptive_ones) {
  const Json document = Json::parse(
      call("adaptive-vs-fixed two_link --formulations baumgarte,projected --integrators cvode_adams,rk1,rk4 "
           "--gain-factors 1 --repeat 1 --json")
          .out);
  const Json& conclusion = document["sections"][0]["conclusion"];
  BOOST_TEST(conclusion["needed_step"].get<double>() >= 0.1);
  BOOST_TEST(conclusion["fixed"]["by_evaluations"]["rhs_evaluations"].get<long>() <= 9);
}

BOOST_AUTO_TEST_CASE(adaptive_vs_fixed_document) {
  const std::string csv = "adaptive_vs_fixed.csv";
  const Result result = call(small + "--formulations baumgarte,projected,ggl --json --csv " + csv);
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  BOOST_TEST(document["schema"] == 1);
  BOOST_REQUIRE(document["sections"].size() == 2U);
  BOOST_TEST(document["sections"][0]["gain_factor"] == 1.0);
  BOOST_TEST(document["sections"][1]["gain_factor"] == 30.0);
  BOOST_TEST(document["sections"][0]["gains"] != document["sections"][1]["gains"]);
  BOOST_TEST(document["grid"].get<std::string>().find("the run over 2^(k/8)") != std::string::npos);
  int rows = 0;
  for (const Json& section : document["sections"]) {
    BOOST_TEST(section["limits"].size() == 4U);  // of baumgarte: the others have no gains
    BOOST_TEST(section["heats"].size() == 3U);
    BOOST_TEST(section["conclusions"].size() >= 3U);
    const Json& conclusion = section["conclusion"];
    check_keys(conclusion,
               "text target gains cvode ida fixed needed_step certified_step law_step observed_step limited_by");
    const std::string sentences = conclusion["text"];
    for (const char* part : {"CVODE", "IDA", "evaluations", "time", "certified", "|R(h K)| < 1"}) {
      BOOST_TEST(sentences.find(part) != std::string::npos, part);
    }
    for (const char* kind : {"cvode", "ida", "fixed"}) {
      const Json &few = conclusion[kind]["by_evaluations"], &quick = conclusion[kind]["by_time"];
      BOOST_TEST(few["rhs_evaluations"] <= quick["rhs_evaluations"]);
      BOOST_TEST(quick["cpu_seconds"] <= few["cpu_seconds"]);
      BOOST_TEST(few["linear_solutions"].get<long>() > 0);
    }
    BOOST_TEST(std::count(sentences.begin(), sentences.end(), '\n') == 0);
    std::size_t ends = 0;
    for (std::size_t at = 0; (at = sentences.find(". ", at)) != std::string::npos; ++at) ++ends;
    BOOST_TEST(ends <= 2U, sentences);  // three sentences
    BOOST_TEST(conclusion["limited_by"] == "accuracy");
    BOOST_TEST(conclusion["needed_step"] < 0.9 * conclusion["observed_step"].get<double>());
    BOOST_TEST(sentences.find("less than 0.9 times the longest step") != std::string::npos, sentences);
    const std::string gains = conclusion["gains"];
    BOOST_TEST(gains == section["gains"]);
    BOOST_TEST((gains.find("K_D = ") == 0 && gains.find(", K_P = ") != std::string::npos), gains);
    BOOST_TEST(sentences.find(gains) != std::string::npos, sentences);
    for (const Json& heat : section["heats"]) {
      for (const Json& run : heat["contestants"]) {
        ++rows;
        BOOST_TEST_CONTEXT(heat["measure"] << " " << heat["target"] << " " << run.dump()) {
          if (!run["reached"].get<bool>()) {
            BOOST_TEST(run["steps"].is_null());
            continue;
          }
          // every run that is shown has reached what it is compared at, by its own account
          const double target = heat["target"].get<double>();
          const char* what = heat["measure"] == "error" ? "error" : "max_position_violation";
          BOOST_TEST(run[what].get<double>() <= target);
          BOOST_TEST(run["error"].get<double>() <= document["largest_error_at_equal_violation"].get<double>());
          BOOST_TEST(run["rtol"].is_null() != run["step"].is_null());
          BOOST_TEST(run["smallest_step"].get<double>() <= run["median_step"].get<double>());
          BOOST_TEST(run["median_step"].get<double>() <= run["largest_step"].get<double>());
          BOOST_TEST(run["steps"].get<long>() > 0);
          BOOST_TEST(run["rhs_evaluations"].get<long>() > 0);
          BOOST_TEST(run["cpu_seconds"].get<double>() > 0.0);
          if (run["formulation"] == "baumgarte" && run["step"].is_number()) {
            // one for each right-hand side, and at most one for the multipliers of each step
            const long more = run["linear_solutions"].get<long>() - run["rhs_evaluations"].get<long>();
            BOOST_TEST((more >= 0 && more <= run["steps"].get<long>() + 1));
          }
        }
      }
    }
  }
  BOOST_TEST(lines(contents(csv)) == rows + 1);
  std::remove(csv.c_str());
}

BOOST_AUTO_TEST_CASE(steps_of_the_law_scale_with_the_gains_and_certified_ones_lie_below) {
  // critical damping, one pole -omega: the law contracts up to (real stability limit) / omega
  const Json document = Json::parse(
      call(small + "--gains \"K_D=20;K_P=100\" --gain-factors 1,2 --formulations baumgarte --integrators rk4 --json")
          .out);
  const double limits[] = {2.0, 2.0, 2.512745, 2.785294};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto limit = [&](std::size_t section) { return document["sections"][section]["limits"][i]; };
    const auto step = [&](std::size_t section) { return limit(section)["law_step"].get<double>(); };
    BOOST_TEST(std::abs(step(0) * 10.0 / limits[i] - 1.0) < 1e-3);
    BOOST_TEST(std::abs(step(1) * 20.0 / limits[i] - 1.0) < 1e-3);
    for (const std::size_t section : {0U, 1U}) {
      if (limit(section)["certified_step"].is_null()) continue;  // rk1: none of those tried
      BOOST_TEST(limit(section)["certified_step"].get<double>() <= 1.001 * step(section));
      BOOST_TEST(limit(section)["certified_step"].get<double>() > 0.0);
    }
    BOOST_TEST((i == 0 || !limit(0)["certified_step"].is_null()));
  }
}

BOOST_AUTO_TEST_CASE(adaptive_vs_fixed_explains_itself) {
  const Result result = call(small + "--formulations baumgarte,ggl");
  BOOST_TEST(result.exit_code == 0);
  for (const char* part : {"Equal accuracy", "Equal violation", "certified", "observed", "dopri5", "rk4", "ggl",
                           "gains x 30", "the median steps with baumgarte", "the cheapest adaptive run"}) {
    BOOST_TEST(result.out.find(part) != std::string::npos, part);
  }
}

BOOST_AUTO_TEST_CASE(pictures_are_drawn_where_gnuplot_is) {
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) return;
  const std::string folder = "stability_commands_pictures";
  std::system(("rm -rf " + folder).c_str());
  BOOST_TEST(call("stability pendulum --integrator rk4 --steps 0.01,0.02 --out " + folder).exit_code == 0);
  BOOST_TEST(call(small + "--formulations baumgarte --out " + folder).exit_code == 0);
  for (const char* file : {"stability.png", "adaptive_vs_fixed.png"}) {
    BOOST_TEST(contents(folder + "/" + file).size() > 5000U, file);
  }
  // For journals: vectors, one column of 85 mm = 240.9 points wide.
  BOOST_TEST(
      call("stability pendulum --integrator rk4 --steps 0.02 --no-prediction --format pdf --out " + folder).exit_code ==
      0);
  BOOST_TEST(contents(folder + "/stability.pdf").rfind("%PDF", 0) == 0U);
  BOOST_TEST(
      call(small + "--formulations baumgarte,index3,ggl --integrators dopri5,ida,rk4 --format svg --out " + folder)
          .exit_code == 0);
  const std::string drawn = contents(folder + "/adaptive_vs_fixed.svg");
  BOOST_TEST(drawn.find("width=\"321\"") != std::string::npos);  // 85 mm at 96 dots an inch
  // Of the adaptive runs the cheapest ordinary one and the cheapest with ida, no tangle of all.
  const std::string script = contents(folder + "/adaptive_vs_fixed.gp");
  std::size_t panels = 0, runs = 0;
  for (std::size_t at = script.find("set title"); at != std::string::npos; at = script.find("set title", at + 1))
    ++panels;
  for (std::size_t at = script.find("with steps"); at != std::string::npos; at = script.find("with steps", at + 1))
    ++runs;
  BOOST_TEST(panels > 0U);
  BOOST_TEST(runs <= 2U * panels);
  check_refused("stability pendulum --integrator rk4 --format gif --out " + folder, "gif");
  std::system(("rm -rf " + folder).c_str());
}
