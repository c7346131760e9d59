// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "programs.hpp"

/// Predicted against observed stability boundaries, as `sunlagrange-bench stability` finds them; a part of the map, the
/// whole of it is in stability_map_slow_test.cpp.
using namespace sunlagrange::test;
using Json = nlohmann::json;

namespace {

Json map_points(const std::string& arguments) {
  const Result result = call("stability " + arguments + " --json");
  BOOST_REQUIRE(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  BOOST_REQUIRE(document.at("schema") == 1);
  return document.at("points");
}

void check_agreement(const std::string& arguments, double tolerance) {
  const Json points = map_points(arguments);
  BOOST_TEST(!points.empty());
  for (const Json& point : points) {
    BOOST_TEST_CONTEXT(arguments << ": " << point.dump()) {
      BOOST_REQUIRE(point["observed_gain"].is_number());
      BOOST_REQUIRE(point["predicted_gain"].is_number());
      const double ratio = point["predicted_gain"].get<double>() / point["observed_gain"].get<double>();
      BOOST_TEST(std::abs(ratio - 1.0) < tolerance);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_kinematic_program_of_the_paper_agrees_within_3_per_cent) {
  write_ssp3("stability_map_program_ssp3.json");
  check_agreement(
      "slider_crank_program --integrator rk1,rk2,rk3,rk4,table --table stability_map_program_ssp3.json --steps "
      "1e-3,1e-2",
      0.03);
  std::remove("stability_map_program_ssp3.json");
  // [002]: the real limits of the methods at tau = 1e-3
  const double limits[] = {2.0, 2.0, 2.512745, 2.785294};
  const Json points = map_points("slider_crank_program --integrator rk1,rk2,rk3,rk4 --steps 1e-3");
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(std::abs(points[i]["observed_gain_x_step"].get<double>() - limits[i]) < 0.01);
    BOOST_TEST(std::abs(points[i]["rule_gain_x_step"].get<double>() - limits[i]) < 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(pendulum_agrees_within_5_per_cent) {
  write_ssp3("stability_map_ssp3.json");
  check_agreement("pendulum --integrator rk1 --steps 0.0005,0.002", 0.05);  // at 0.004 no gain keeps the constraints
  check_agreement("pendulum --integrator rk2,rk3,rk4,table --table stability_map_ssp3.json --steps 0.01,0.03", 0.05);
  std::remove("stability_map_ssp3.json");
}

BOOST_AUTO_TEST_CASE(two_link_before_its_fold_agrees_within_5_per_cent) {
  check_agreement("two_link --integrator rk1,rk2,rk3,rk4 --steps 0.0025,0.01", 0.05);
}

// One row depends on the others in every pose: errors lie in the range of their Jacobian.
BOOST_AUTO_TEST_CASE(bricard_with_a_redundant_row_agrees_within_5_per_cent) {
  check_agreement("bricard --integrator rk4 --steps 0.05 --t-end 1", 0.03);
  check_agreement("bricard --integrator rk2 --steps 0.05 --t-end 1", 0.05);  // large violations: third-order terms
  // runs with larger gains diverge to 1e46, and end with a report
  check_agreement("bricard --integrator rk4 --steps 0.1", 0.03);
  // gains of 850 1/s: g' is as many times g, and errors count only if both are compared in the same unit
  check_agreement("bricard --integrator rk4 --steps 0.003125 --t-end 1", 0.03);
}

BOOST_AUTO_TEST_CASE(the_scalar_rule_overestimates_at_long_steps_and_holds_at_short_ones) {
  const Json points = map_points("pendulum --integrator rk4 --steps 0.0005,0.05");
  const auto over_contraction = [&](std::size_t i) {
    return points[i]["rule_gain_x_step"].get<double>() / points[i]["observed_contraction_gain_x_step"].get<double>() -
           1.0;
  };
  BOOST_TEST(std::abs(over_contraction(0)) < 0.03);
  BOOST_TEST(over_contraction(1) > 0.2);
  // it says nothing of the violation
  for (const Json& point : points) {
    BOOST_TEST(point["rule_relative_difference"].get<double>() > 0.15);
    BOOST_TEST(std::abs(point["relative_difference"].get<double>()) < 0.05);
  }
}

BOOST_AUTO_TEST_CASE(runs_that_settle_together_off_the_constraints_contract_only) {
  const Json points = map_points("pendulum --integrator rk1,rk4 --steps 0.008,0.03");
  BOOST_REQUIRE(points.size() == 4U);
  BOOST_TEST(points[0]["observed_gain"].is_null());
  BOOST_TEST(points[0]["predicted_gain"].is_null());
  BOOST_TEST(points[0]["observed_contraction_gain_x_step"].get<double>() > 1.9);
  for (const char* kind : {"observed", "predicted"}) {
    const double contraction = points[3][std::string(kind) + "_contraction_gain_x_step"];
    BOOST_TEST(points[3][std::string(kind) + "_gain_x_step"].get<double>() < 0.9 * contraction);
  }
}

// Longer lists of mechanisms and methods are in kept_constraints_test.cpp.
BOOST_AUTO_TEST_CASE(runs_with_listed_gains_have_no_doubt_about_their_constraints) {
  const struct {
    const char *mechanism, *integrator, *step;
  } lines[] = {{"andrews", "rk4", "0.0008"}, {"rod_variable_inertia", "rk4", "0.1"}, {"production", "rk4", "0.4"}};
  for (const auto& line : lines) {
    const std::string name = line.mechanism;
    const Json points = map_points(name + " --integrator " + line.integrator + " --steps " + line.step);
    BOOST_TEST_CONTEXT(name << ": " << points.dump()) {
      for (const char* kind : {"predicted_gain", "observed_gain"}) {
        BOOST_REQUIRE(points[0][kind].is_number());
        const double gain = points[0][kind];
        std::ostringstream gains;
        gains.precision(17);
        gains << "K_D=" << 2.0 * gain << ";K_P=" << gain * gain;
        const Result run = call("run " + name + " --formulation baumgarte --integrator " + line.integrator +
                                " --step " + line.step + " --gains \"" + gains.str() + "\"");
        BOOST_TEST(run.out.find("finished") != std::string::npos, run.out);
        BOOST_TEST(run.out.find("violate") == std::string::npos, run.out);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(observed_boundaries_do_not_depend_on_the_predictor) {
  const std::string arguments = "pendulum --integrator rk2,rk4 --steps 0.01,0.03";
  const Json with = map_points(arguments);
  const Json without = map_points(arguments + " --no-prediction");
  BOOST_REQUIRE(with.size() == without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    BOOST_TEST(with[i]["observed_gain"] == without[i]["observed_gain"]);
    BOOST_TEST(without[i]["predicted_gain"].is_null());
  }
  // nor do its sources know any of it
  const std::string observer = "/benchmarks/program/parts/stability_observer";
  for (const std::string& file :
       {observer + ".hpp", observer + ".cpp", std::string("/include/sunlagrange/gains/stability_boundary.hpp")}) {
    const std::string text = contents(SUNLAGRANGE_SOURCE_DIR + file);
    BOOST_TEST(text.size() > 100U);
    for (const char* word : {"stability/", "stability_predictor", "first_order_form", "sunlagrange.hpp"}) {
      BOOST_TEST(text.find(word) == std::string::npos, file << " includes " << word);
    }
  }
}
