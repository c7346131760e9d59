// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>

#include <sunlagrange/analysis/described_results.hpp>

#include "described_keys.hpp"
#include "programs.hpp"

/// Analyses as scripts see them.
using namespace sunlagrange;
using namespace sunlagrange::test;
using Json = nlohmann::json;

BOOST_AUTO_TEST_CASE(modes_document) {
  const Result result = call("modes pendulum --json");
  BOOST_TEST(result.exit_code == 4);  // it starts beside its equilibrium
  const Json document = Json::parse(result.out);
  check_keys(document, keys_with_figures<Linearisation, MotionState, Modes>("schema mechanism"));
  BOOST_TEST(document["at"] == "instant");
  BOOST_TEST(document["degrees_of_freedom"] == 1);
  const Result settled = call("modes pendulum --at equilibrium --json");
  BOOST_TEST(settled.exit_code == 0);
  const Json there = Json::parse(settled.out);
  BOOST_TEST(there["at"] == "equilibrium");
  BOOST_TEST(there["stability"] == "stable");
  BOOST_TEST(call("modes two_link --at equilibrium").exit_code == 3);
  const Result text = call("modes loudspeaker");
  BOOST_TEST(text.out.find("damping ratio") != std::string::npos, text.out);
  const std::string undamped = call("modes chain --size 5 --at equilibrium").out;  // real parts are rounding: 0
  BOOST_TEST(undamped.find("stable: a minimum") == 0U, undamped);                  // the verdict first
  BOOST_TEST(undamped.find("e-1") == std::string::npos, undamped);
  BOOST_TEST(call_at_terminal("modes chain --size 5", 80).out.find("left out: moves") != std::string::npos);
  BOOST_TEST(call_at_terminal("modes chain --size 5 --wide", 80).out.find("left out") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(equilibrium_document) {
  const Result result = call("equilibrium pendulum --starts 10 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  check_keys(document, "schema mechanism t status message coordinates constraints equilibria");
  BOOST_REQUIRE(document["equilibria"].size() == 2U);
  for (const Json& found : document["equilibria"])
    check_keys(found, keys_with_figures<Equilibrium>("imbalance q lambda eigenvalues"));
  BOOST_TEST(document["equilibria"][0]["stability"] == "stable");
  BOOST_TEST(document["equilibria"][1]["stability"] == "unstable");
  BOOST_TEST(std::abs(document["equilibria"][0]["q"][0].get<double>()) < 1e-8);
  const Result text = call("equilibrium pendulum");
  BOOST_TEST(text.exit_code == 0);
  BOOST_TEST(text.out.find("reaction") != std::string::npos, text.out);
  BOOST_TEST(text.out.find("1 equilibrium found") == 0U, text.out);
  BOOST_TEST(text.out.find("e-") == std::string::npos, text.out);  // below the tolerance of the search: 0
  const std::string shown = "analysis_commands_hanging.html";
  const Json hanging = Json::parse(call("equilibrium chain --size 3 --json --html " + shown).out);
  const Json tables = page_data(shown)["parts"][0]["tables"];
  std::remove(shown.c_str());
  BOOST_REQUIRE(tables.size() == 3U);
  BOOST_REQUIRE((tables[0]["rows"].size() == 9U && tables[2]["rows"].size() == 6U));
  const double weight = 3.0 * 9.81;  // pin 1 carries all of it; rods of 1 kg
  const auto same = [&](const Json& row, std::size_t column, const Json& value) {
    BOOST_TEST(std::abs(row[column].get<double>() - value.get<double>()) < 1e-6 * weight);
  };
  for (std::size_t i = 0; i < 9; ++i) same(tables[0]["rows"][i], 3, hanging["equilibria"][0]["reaction"][i]);
  for (std::size_t i = 0; i < 6; ++i) {
    BOOST_TEST(tables[2]["rows"][i][0] == hanging["constraints"][i]);
    same(tables[2]["rows"][i], 1, hanging["equilibria"][0]["lambda"][i]);
  }
  same(tables[1]["rows"][0], 3, weight);
  for (const Json& row : tables[1]["rows"]) BOOST_TEST(row[7] == 0.0);  // vertical forces through vertical rods
  const Result driven = call("equilibrium two_link --json");
  BOOST_TEST(driven.exit_code == 3);
  BOOST_TEST(Json::parse(driven.out)["message"].get<std::string>().find("prescribes a motion") != std::string::npos);
  const std::string page = "analysis_commands_rest.html", errors = "analysis_commands_rest.txt";
  BOOST_TEST(call("equilibrium two_link --html " + page, errors).exit_code == 3);
  BOOST_TEST(contents(errors).find("no page is written") != std::string::npos);
  BOOST_TEST(!std::ifstream(page).good());
  std::remove(errors.c_str());
}

BOOST_AUTO_TEST_CASE(kinematics_document) {
  const std::string crank = "kinematics slider_crank --coordinate q --from 1.5 --to 7.5 --points 7 ";
  const std::string bar = "kinematics n_four_bar_bodies --coordinate \"vertical 0.phi\" --points 3 --json ";
  const Json in_degrees = Json::parse(call(bar + "--from 80deg --to 60deg --speed 30deg/s").out);
  const double degree = std::acos(-1.0) / 180.0;
  BOOST_TEST(in_degrees["branches"][0]["points"][2]["s"].get<double>() == 60.0 * degree,
             boost::test_tools::tolerance(1e-14));
  BOOST_TEST(in_degrees["speed"].get<double>() == 30.0 * degree, boost::test_tools::tolerance(1e-14));
  check_refused(bar + "--from 80m --to 60deg", "choose one of: rad, deg");
  const Result result = call(crank + "--speed 2 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  check_keys(document, keys_with_figures<Kinematics>("schema mechanism speed acceleration"));
  BOOST_REQUIRE(document["branches"].size() == 1U);
  const Json& points = document["branches"][0]["points"];
  BOOST_REQUIRE(points.size() == 7U);
  for (const Json& point : points) {
    const double s = point["s"].get<double>(), y = 0.5 * std::sin(s);
    BOOST_TEST(std::abs(point["q"][1].get<double>() - 0.5 * std::cos(s) - std::sqrt(1.0 - y * y)) < 1e-10);
    BOOST_TEST(point["v"][0].get<double>() == 2.0, boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(document["branches"][0]["dead_point"].is_null());
  const std::string table = call(crank).out;
  BOOST_TEST(table.find("every value of q was reached") == 0U, table);
  const std::string units =
      call("kinematics n_four_bar_bodies --coordinate \"vertical 0.phi\" --from 1.4 --to 1 --points 3").out;
  BOOST_TEST(units.find("vertical 0.phi [rad]  drive [N m]  vertical 0.x [m]") != std::string::npos, units);
  const Result dead =
      call("kinematics slider_crank --coordinate x --from 1 --to 1.8 --points 8 --dead-points 1 --json");
  BOOST_TEST(dead.exit_code == 3);
  const Json branches = Json::parse(dead.out)["branches"];
  BOOST_REQUIRE(branches.size() == 2U);
  BOOST_TEST(branches[0]["dead_point"]["s"].get<double>() == 1.5, boost::test_tools::tolerance(1e-10));
  // a value at a dead point has no drive, and takes nothing from the others
  const std::string bottom = "kinematics pendulum --coordinate bob[1] --from 0 --to -1 --points 3 --speed 1 ",
                    rows = "analysis_commands_dead.html";
  const Result met = call(bottom + "--json --html " + rows);
  BOOST_TEST(met.exit_code == 0);
  const Json ends = Json::parse(met.out)["branches"][0];
  BOOST_REQUIRE(ends["points"].size() == 3U);
  for (std::size_t k = 0; k < 3U; ++k) {
    BOOST_TEST(ends["points"][k]["drive"].is_null() == (k == 2U));
    BOOST_TEST(ends["points"][k]["rate"][0].is_null() == (k == 2U));
  }
  BOOST_TEST(ends["dead_point"]["s"].get<double>() == -1.0, boost::test_tools::tolerance(1e-10));
  BOOST_TEST(page_data(rows)["parts"][0]["charts"][0]["x"].size() == 3U);
  std::remove(rows.c_str());
  BOOST_TEST(call(bottom).out.find("dead point at bob[1] = -1") != std::string::npos);
  const std::string fold = "kinematics folding_slider_crank --coordinate crank.phi --from 1 --to 2 --points 4 ";
  const Result crossed = call(fold + "--json");
  BOOST_TEST(crossed.exit_code == 3);
  const Json crossing = Json::parse(crossed.out);
  BOOST_TEST(crossing["status"] == "uncertain_branch");
  BOOST_REQUIRE(crossing["branches"][0]["crossings"].size() == 1U);
  BOOST_TEST(crossing["branches"][0]["crossings"][0]["s"].get<double>() == std::acos(0.0),
             boost::test_tools::tolerance(1e-8));
  BOOST_TEST(crossing["branches"][0]["points"].size() == 4U);
  BOOST_TEST(call(fold).out.find("branches cross at crank.phi = 1.5708") == 0U);
  // at the crossing itself one drive is not enough: it has none, as at a dead point
  const std::string folds = "analysis_commands_folds.html",
                    over =
                        "kinematics folding_slider_crank --coordinate crank.phi --from 1 --to 2.141592653589793 "
                        "--points 3 --acceleration 1 --json --html ";
  const Json across = Json::parse(call(over + folds).out)["branches"][0]["points"];
  const Json curve = page_data(folds)["parts"][0]["charts"].back()["series"][0]["y"];
  std::remove(folds.c_str());
  BOOST_REQUIRE(across.size() == 3U);
  for (std::size_t k = 0; k < 3U; ++k) {
    BOOST_TEST(across[k]["drive"].is_null() == (k == 1U));
    BOOST_TEST(curve[k].is_null() == (k == 1U));
    BOOST_TEST(!across[k]["rate"][0].is_null());
  }
  // A page has more values than the table, which shows the same rows with and without it.
  const std::string turn = "kinematics slider_crank --coordinate q --from -1 --to 1 ",
                    page = "analysis_commands_turn.html";
  const std::string coarse = call(turn).out, fine = call(turn + "--html " + page).out;
  BOOST_TEST(coarse.substr(0, coarse.find("drive:")) == fine.substr(0, fine.find("drive:")));
  BOOST_TEST(std::count(fine.begin(), fine.end(), '\n') > 13);
  BOOST_TEST(fine.find("e-") == std::string::npos, fine);  // q, p and the drive are 0 in the middle
  BOOST_TEST(page_data(page)["parts"][0]["charts"][0]["x"].size() > 100U);
  BOOST_TEST(call(turn + "--points 5 --html " + page).exit_code == 0);
  BOOST_TEST(page_data(page)["parts"][0]["charts"][0]["x"].size() == 5U);
  std::remove(page.c_str());
  const std::string crank_once = "kinematics slider_crank --coordinate q --from 0 --to 3 --points 3 ";
  for (const char* much : {"--speed 1e+160", "--speed -1e+101", "--acceleration 1e+308"})
    check_refused(crank_once + much, much);
  const Result fast = call(crank_once + "--speed 1e100 --acceleration -1e200 --json");
  BOOST_TEST(fast.exit_code == 0);
  const Json at_once = Json::parse(fast.out)["branches"];
  for (const Json& point : at_once[0]["points"]) BOOST_TEST(point["drive"].is_number());
}

/// A crank that turns steadily needs at each time the drive of the kinematic analysis at that angle and speed.
BOOST_AUTO_TEST_CASE(motions_are_given_by_laws_and_tables) {
  const std::string page = "analysis_commands_motion.html", table = "analysis_commands_motion.csv";
  const std::string law = "kinematics slider_crank --law 'q={\"type\": \"Uniform\", \"rate\": 2}' --t-end 3 ";
  const auto points = [](const std::string& arguments) {
    const Result result = call(arguments + "--json");
    BOOST_TEST(result.exit_code == 0);
    const Json document = Json::parse(result.out);
    return document.contains("branches") ? document["branches"][0]["points"] : document["points"];
  };
  const Json over_angle = points("kinematics slider_crank --coordinate q --from 0 --to 6 --points 7 --speed 2 ");
  const Json by_law = points(law + "--points 7 --html " + page + " ");
  BOOST_REQUIRE((over_angle.size() == 7U && by_law.size() == 7U));
  const Json charts = page_data(page)["parts"][0]["charts"];
  BOOST_TEST(charts[0]["title"] == "Drives");
  BOOST_TEST(charts[2]["title"] == "Given motion");
  for (std::size_t k = 0; k < 7U; ++k) {
    const double drive = over_angle[k]["drive"].get<double>(), t = 0.5 * static_cast<double>(k);
    BOOST_TEST(std::abs(by_law[k]["drive"][0].get<double>() - drive) < 1e-8);
    BOOST_TEST(by_law[k]["t"].get<double>() == t);
    BOOST_TEST(std::abs(charts[0]["series"][0]["y"][k].get<double>() - drive) < 1e-6);
    BOOST_TEST(charts[2]["series"][0]["y"][k].get<double>() == 2.0 * t);
    BOOST_TEST(charts[3]["series"][0]["y"][k].get<double>() == 2.0);
    BOOST_TEST(std::abs(charts[4]["series"][0]["y"][k].get<double>()) < 1e-12);
  }
  std::ofstream(table) << "t,q\n0,0\n1,2\n2,4\n2.5,5\n3,6\n";
  const Json by_table = points("kinematics slider_crank --motion " + table + " --html " + page + " ");
  BOOST_REQUIRE(by_table.size() == 5U);
  BOOST_TEST(std::abs(by_table[2]["drive"][0].get<double>() - by_law[4]["drive"][0].get<double>()) < 1e-8);
  BOOST_TEST(page_data(page)["parts"][0]["charts"][0]["x"].size() == 5U);
  const std::string text = call(law + "--html " + page).out;
  BOOST_TEST(page_data(page)["parts"][0]["charts"][0]["x"].size() > 100U);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') < 20, text);
  for (const std::string& file : {page, table}) std::remove(file.c_str());
  const std::string crank = "kinematics slider_crank ";
  check_refused(crank + "--law 'q={\"type\": \"Unifrom\"}'", "did you mean Uniform?");
  check_refused(crank + "--law 'q={\"type\": \"Uniform\", \"rat\": 2}'", "did you mean rate?");
  check_refused(crank + "--law 'q={\"type\": \"Uniform\"'", "--law q");
  check_refused(crank + "--law 'q=\"SmoothStep\"' --law 'q=\"Uniform\"'", "given twice");
  check_refused(crank + "--law q", "COORDINATE=LAW");
  check_refused(crank + "--law 'q=\"Uniform\"' --speed 2", "--speed");
  check_refused(crank + "--law 'q=\"Uniform\"' --t-end 0", "--t-end");
  check_refused(crank + "--motion missing.csv --points 5", "--points");
}

/// The first Ctrl-C ends searches, and what they found is written.
BOOST_AUTO_TEST_CASE(interrupted_searches_write_what_they_have) {
  const std::string page = "analysis_commands_interrupted.html";
  const std::vector<std::vector<std::string>> searches = {
      {"kinematics", "andrews", "--coordinate", "beta", "--from", "0", "--to", "1", "--points", "1000000"},
      {"workspace", "chain", "--size", "2", "--point", "rod 2", "--drive", "rod 1.phi=-3:3:1000", "--drive",
       "rod 2.phi=-3:3:1000"},
      {"equilibrium", "nikravesh", "--starts", "1000000"}};
  for (std::vector<std::string> words : searches) {
    BOOST_TEST_CONTEXT(words[0]) {
      for (const std::string& word : {std::string("--json"), std::string("--html"), page}) words.push_back(word);
      int polls = 0;
      const auto under_way = [&](pid_t pid, const std::string&) {
        return std::ifstream(page + ".partial-" + std::to_string(pid)).good() &&
               ++polls == 200;  // enough found under sanitizers, too
      };
      const Result result = call_and_signal(words, SIGINT, "analysis_commands_interrupted.json", under_way);
      std::remove(page.c_str());
      BOOST_TEST(result.exit_code == 130);
      const Json document = Json::parse(result.out);
      BOOST_TEST(document["status"] == "interrupted");
      if (words[0] == "kinematics") {
        const Json& branch = document["branches"][0];
        BOOST_TEST(branch["points"].size() > 10U);
        BOOST_TEST(branch["points"].size() + branch["unreached"].size() == 1000000U);
        for (std::size_t k = 0; k < 10U; ++k) BOOST_TEST(!branch["points"][k]["drive"].is_null());
      }
      if (words[0] == "equilibrium") BOOST_TEST(document["equilibria"].size() > 0U);
      if (words[0] != "workspace") continue;
      long reached = 0;
      for (const Json& point : document["points"]) reached += point["reach"] == "unreached" ? 0 : 1;
      BOOST_TEST((reached > 10 && reached < 1000000), reached);
    }
  }
}

/// Where a search ended that found nothing is written, too.
BOOST_AUTO_TEST_CASE(the_end_of_a_vain_search_is_written) {
  const Result result = call("equilibrium arevalo --json");
  BOOST_TEST(result.exit_code == 3);
  const Json document = Json::parse(result.out);
  BOOST_TEST(document["equilibria"].empty());
  BOOST_TEST(document["reached"]["q"].size() == document["coordinates"].size());
  BOOST_TEST(document["reached"]["lambda"].size() == document["constraints"].size());
}

BOOST_AUTO_TEST_CASE(functional_document) {
  const std::string ask =
      "sensitivities pendulum --parameter rod.L --parameter weight.gy --start-velocity bob[1] --rtol 1e-8 ";
  const Result result = call(ask + "--functional \"mean square bob[0]\" --check --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  check_keys(document, keys_with_figures<Gradient>(
                           "schema mechanism formulation functional rtol atol differences differences_uncertainty"));
  BOOST_REQUIRE(document["gradient"].size() == 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const double found = document["gradient"][i], differences = document["differences"][i];
    BOOST_TEST(std::abs(found - differences) < 1e-4 * (1.0 + std::abs(found)));
    BOOST_TEST(document["differences_uncertainty"][i].get<double>() < 1e-5 * (1.0 + std::abs(found)));
  }
  BOOST_TEST(call(ask + "--functional \"final bob[0]\"").out.find("rod.L") != std::string::npos);
  check_refused(ask + "--functional bob[0]", "begin with final");
  check_refused(ask + "--formulation ggl --functional \"final bob[0]\"", "ODE forms");
}

// Two rods of 1 m: |e^(i a) + e^(i b)| = 2 |cos((a - b) / 2)|.
BOOST_AUTO_TEST_CASE(workspace_document) {
  const std::string arm =
      "workspace chain --size 2 --point \"rod 2\" --drive \"rod 1.phi=-1:1:5\" --drive \"rod 2.phi=-1:1:9\" ";
  const Result result = call(arm + "--offset 0.5,0 --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  check_keys(document, keys_with_figures<MechanismWorkspace>("schema mechanism"));
  BOOST_REQUIRE(document["points"].size() == 45U);
  for (const Json& point : document["points"]) {
    const double a = point["s"][0], b = point["s"][1], x = point["place"][0], y = point["place"][1];
    BOOST_TEST(std::abs(std::hypot(x, y) - 2.0 * std::abs(std::cos(0.5 * (a - b)))) < 1e-9);
    BOOST_TEST((point["reach"] == "singular") == (a == b));  // straight
  }
  const std::string text = call(arm).out;
  BOOST_TEST(text.find("45 of 45 combinations were reached") == 0U, text);
  BOOST_TEST(text.find("rod 2.x") != std::string::npos, text);
  const Result beyond = call("workspace slider_crank --point q --point p --drive x=0.6:1.8:13");
  BOOST_TEST(beyond.out.find("no combination reaches 3 of 13 values of x") != std::string::npos, beyond.out);
  const Result loose = call("workspace chain --size 2 --point \"rod 2\" --drive \"rod 1.phi=0:1\"");
  BOOST_TEST(loose.exit_code == 3);
  BOOST_TEST(loose.out.find("2 degrees of freedom, not one") != std::string::npos, loose.out);
  BOOST_TEST(call(arm + "--offset 50cm,0 --json").out == result.out);
  check_refused(arm + "--offset 50kg,0", "kg");
  check_refused(arm + "--limit rod", "NAME=LOWER:UPPER");
  check_refused(arm + "--offset 1", "--offset");
}

// The oscillator's matrices by hand: x' = A x + B du, with the poles that the modes tell.
BOOST_AUTO_TEST_CASE(state_space_file) {
  const std::string model = "analysis_commands_cart.json", file = "analysis_commands_matrices.json";
  std::ofstream(model) << R"({"blocks": [{"name": "x", "kind": "translation"}], "elements": [
    {"name": "mass", "type": "SlidingMass", "blocks": ["x"], "parameters": {"inertia": 2.0}},
    {"name": "push", "type": "AxialForce", "blocks": ["x"], "parameters": {"law": {"type": "Input"}}}]})";
  const Result result = call("modes " + model + " --json --state-space " + file + " --output x --output \"x''\"");
  BOOST_TEST(result.exit_code == 0, result.out);
  const Json found = Json::parse(contents(file));
  check_keys(found, keys_with_figures<StateSpace, MotionState>("schema mechanism at"));
  BOOST_TEST((found["inputs"] == Json{"push"}));
  BOOST_TEST((found["outputs"] == Json{"x", "x''"}));
  BOOST_REQUIRE((found["A"].size() == 2U && found["A"][0].size() == 2U && found["B"].size() == 2U));
  double markov = 0.0;  // C A B = 1 / m of the position, D of the acceleration
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j)
      markov += found["C"][0][i].get<double>() * found["A"][i][j].get<double>() * found["B"][j][0].get<double>();
  }
  BOOST_TEST(markov == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(found["D"][0][0] == 0.0);
  BOOST_TEST(found["D"][1][0].get<double>() == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(call("modes pendulum --at equilibrium --state-space " + file).exit_code == 0);  // without inputs: A and C
  const Json rest = Json::parse(contents(file));
  const Json modes = Json::parse(call("modes pendulum --at equilibrium --json").out)["modes"];
  const double square = std::pow(modes[0]["imaginary"].get<double>(), 2);
  const auto A = [&rest](std::size_t i, std::size_t j) { return rest["A"][i][j].get<double>(); };
  BOOST_TEST(A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0) == square, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(rest["inputs"].empty());
  BOOST_TEST(rest["outputs"].size() == 2U);
  const std::string asked = "modes " + model + " --state-space " + file;
  check_refused(asked + " --input pusher", "push");
  check_refused(asked + " --output y", "output");
  check_refused("modes " + model + " --input push", "--state-space");
}

BOOST_AUTO_TEST_CASE(sensitivities_document) {
  const Result list = call("sensitivities pendulum --list --json");
  BOOST_TEST(list.exit_code == 0);
  const Result nameless = call("sensitivities slider_crank --list");
  BOOST_TEST(nameless.exit_code == 0);
  BOOST_TEST(nameless.out.find("--start-position") != std::string::npos, nameless.out);
  BOOST_TEST(call("sensitivities slider_crank --list --json").out.find("\"parameters\": []") != std::string::npos);
  BOOST_TEST(Json::parse(list.out)["parameters"][4]["name"] == "rod.L");
  const Result result =
      call("sensitivities pendulum --parameter rod.L --start-velocity bob[1] --rtol 1e-8 --points 3 --check --json");
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  check_keys(document, keys_with_figures<Sensitivities>(
                           "schema mechanism formulation method error_control rtol atol differences"));
  BOOST_REQUIRE(document["points"].size() == 3U);
  const Json& end = document["points"][2];
  for (std::size_t column = 0; column < 2; ++column) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double found = end["dq"][column][i], differences = document["differences"]["dq"][column][i];
      BOOST_TEST(std::abs(found - differences) < 1e-4 * (1.0 + std::abs(found)));
      BOOST_TEST(document["differences"]["uncertainty"][column][i].get<double>() < 1e-5 * (1.0 + std::abs(found)));
    }
  }
  BOOST_TEST(call("sensitivities pendulum --parameter rod.L").out.find("rod.L") != std::string::npos);
  // A drive prescribes the motion: DAE forms find derivatives by the stiffness as large as the tolerances allow.
  const std::string driven = std::string("sensitivities ") + SUNLAGRANGE_SOURCE_DIR +
                             "/examples/four_bar.json --parameter spring.k --parameter motor.law.value --formulation ";
  for (const char* form : {"baumgarte", "projected", "penalty", "ggl", "stabilized_index1"}) {
    const std::string said = call(driven + form).out;
    BOOST_TEST(said.find("does not depend on spring.k:") != std::string::npos, form << ": " << said);
  }
  for (const char* form : {"index1", "index2", "index3"}) {
    check_refused(std::string("sensitivities pendulum --parameter rod.L --formulation ") + form,
                  std::string(form) + " has no equations for them");
  }
}

/// The tolerances hold for each coordinate: a cart that goes far hides no derivative of a rotor that turns little,
/// phi = phi0 cos(w t), w^2 = k / J, dphi/dk = -phi0 sin(w t) t / (2 sqrt(k J)). The cart does not depend on k.
BOOST_AUTO_TEST_CASE(a_coordinate_far_away_hides_no_derivative) {
  const std::string model = "analysis_commands_far_cart.json";
  std::ofstream(model) << R"({"name": "far cart", "blocks": [{"name": "cart", "kind": "translation"},
    {"name": "rotor", "kind": "rotation"}], "elements": [
    {"name": "mass", "type": "SlidingMass", "blocks": ["cart"], "parameters": {"inertia": 2.0}},
    {"name": "J", "type": "Flywheel", "blocks": ["rotor"], "parameters": {"inertia": 1.0}},
    {"name": "k", "type": "TorsionSpringToGround", "blocks": ["rotor"], "parameters": {"k": 4.0}}],
    "start": {"positions": {"rotor": 0.01}, "velocities": {"cart": 1000.0}, "held_positions": ["rotor"]},
    "simulation": {"t_end": 10.0, "rtol": 1e-6, "atol": 1e-8}})";
  const std::string said = call("sensitivities " + model + " --parameter k.k").out;
  const std::size_t row = said.rfind("\nk.k");
  BOOST_REQUIRE(row != std::string::npos);
  std::istringstream in(said.substr(row));
  std::string name;
  double cart = NAN, rotor = NAN;
  in >> name >> cart >> rotor;
  BOOST_TEST(cart == 0.0);
  BOOST_TEST(rotor == -0.01 * std::sin(20.0) * 10.0 / 4.0, boost::test_tools::tolerance(1e-3));
}

/// A mass that is changed with its weight moves nothing: there is no relative distance from nothing.
BOOST_AUTO_TEST_CASE(derivatives_that_are_nothing_are_not_compared) {
  const Result same = call("sensitivities pendulum --parameter mass.m,weight.m --parameter rod.L --rtol 1e-7 --check");
  BOOST_TEST(same.exit_code == 0);
  BOOST_TEST(same.out.find("mass.m,weight.m: both below the tolerances") != std::string::npos, same.out);
  BOOST_TEST(same.out.find("rod.L: relative distance") != std::string::npos, same.out);
}

/// Dry friction takes 2 F / k of each half swing, of which there are six: dx/dF = (1 - 13 cos(20 - 6 pi)) / k.
BOOST_AUTO_TEST_CASE(differences_know_how_good_they_are) {
  const std::string model = "analysis_commands_rub.json";
  std::ofstream(model) << R"({"name": "rub", "blocks": [{"name": "x", "kind": "translation"}], "elements": [
    {"name": "mass", "type": "SlidingMass", "blocks": ["x"], "parameters": {"inertia": 1.0}},
    {"name": "spring", "type": "AxialSpringToGround", "blocks": ["x"], "parameters": {"k": 100.0}},
    {"name": "rub", "type": "AxialFrictionToGround", "blocks": ["x"], "parameters": {"F": 1.0, "v_r": 0.0001}}],
    "start": {"positions": {"x": 0.3}}, "simulation": {"t_end": 2.0}})";
  const Result result = call("sensitivities " + model + " --parameter rub.F --rtol 1e-7 --check --json");
  std::remove(model.c_str());
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  const Json& differences = document["differences"];
  const double found = document["points"].back()["dq"][0][0], compared = differences["dq"][0][0];
  const double exact = (1.0 - 13.0 * std::cos(20.0 - 6.0 * std::acos(-1.0))) / 100.0;
  BOOST_TEST(std::abs(found - exact) < 2e-3 * std::abs(exact), found);
  BOOST_TEST(std::abs(compared - exact) <
             2e-3 * std::abs(exact) + 3.0 * differences["uncertainty"][0][0].get<double>());
  BOOST_TEST(differences["uncertainty"][0][0].get<double>() < 0.1 * std::abs(exact));
  BOOST_TEST(differences["run_seconds"].get<double>() > 0.0);
  BOOST_TEST(differences["sensitivity_seconds"].get<double>() > 0.0);
}

/// Of a pendulum of 0.1 mm, steps are shares of that; a damping of nothing has no less beside it.
BOOST_AUTO_TEST_CASE(differences_are_as_small_as_the_mechanism) {
  const std::string model = "analysis_commands_small.json";
  std::ofstream(model) << R"({"name": "small", "blocks": [{"name": "p", "kind": "planar_point"}], "elements": [
    {"name": "mass", "type": "PointMass", "blocks": ["p"], "parameters": {"m": 1e-6}},
    {"name": "weight", "type": "UniformGravity", "blocks": ["p"], "parameters": {"m": 1e-6}},
    {"name": "air", "type": "LinearDamper", "blocks": ["p"], "parameters":
      {"c": 0, "a": "AtPoint", "b": {"type": "OnGround", "x": 0, "y": -0.0001}}},
    {"name": "rod", "type": "DistanceToGround", "blocks": ["p"], "parameters": {"L": 0.0001}}],
    "start": {"positions": {"p.x": 6e-05, "p.y": -8e-05}}, "simulation": {"t_end": 0.02, "atol": 1e-13, "rtol": 1e-8}})";
  const Result result = call("sensitivities " + model + " --start-position p.x --parameter air.c --check --json");
  std::remove(model.c_str());
  BOOST_TEST(result.exit_code == 0);
  const Json document = Json::parse(result.out);
  const Json& differences = document["differences"];
  for (std::size_t k = 0; k < 2U; ++k) {
    const double found = document["points"].back()["dq"][1][k];
    BOOST_TEST(std::abs(found - differences["dq"][1][k].get<double>()) < 1e-4 * std::abs(found), found);
    BOOST_TEST(differences["dq"][0][k].is_null());
    BOOST_TEST(document["points"].back()["dq"][0][k].is_number());
  }
}

/// From 1 mm with 1 m/s the motion goes 0.3 m: steps are shares of the motion, not of where it begins.
BOOST_AUTO_TEST_CASE(differences_are_as_large_as_the_motion) {
  for (const char* x : {"0.001", "1e-17", "0.0"}) {
    const std::string model = "analysis_commands_thrown.json";
    std::ofstream(model) << R"({"name": "thrown", "blocks": [{"name": "x", "kind": "translation"}], "elements": [
      {"name": "mass", "type": "SlidingMass", "blocks": ["x"], "parameters": {"inertia": 1.0}},
      {"name": "spring", "type": "AxialSpringToGround", "blocks": ["x"], "parameters": {"k": 9.0}}],
      "start": {"positions": {"x": )"
                         << x << R"(}, "velocities": {"x": 1.0}}, "simulation": {"t_end": 3.0}})";
    for (const char* end : {"", " --functional \"final x\""}) {
      const Result result = call("sensitivities " + model + end +
                                 " --start-position x --start-velocity x --rtol 1e-5 --atol 1e-5 --check --json");
      BOOST_TEST_CONTEXT(x << end << result.out) {
        BOOST_REQUIRE(result.exit_code == 0);
        const Json document = Json::parse(result.out);
        const Json differences =
            *end == 0 ? Json::array({document["differences"]["dq"][0][0], document["differences"]["dq"][1][0]})
                      : document["differences"];
        BOOST_TEST(std::abs(differences[0].get<double>() - std::cos(9.0)) < 1e-4);
        BOOST_TEST(std::abs(differences[1].get<double>() - std::sin(9.0) / 3.0) < 1e-4);
      }
    }
    std::remove(model.c_str());
  }
}

BOOST_AUTO_TEST_CASE(error_estimate_of_a_run) {
  const Result result = call("run pendulum --error-estimate --json");
  BOOST_TEST(result.exit_code == 0);
  const Json run = Json::parse(result.out)["runs"][0];
  check_keys(run["error_estimate"], described_keys<ErrorEstimate>());
  check_keys(record(call("run pendulum --json")), record_keys());  // no error_estimate: it was not asked for
  Json file = Json::parse(call("export pendulum").out);            // or the model file asks for it
  file["simulation"]["estimate_error"] = true;
  std::ofstream("analysis_commands_estimate.json") << file;
  const Json from_file = Json::parse(call("run analysis_commands_estimate.json --json").out)["runs"][0];
  BOOST_TEST(from_file.count("error_estimate") == 1U);
  const Json observed = Json::parse(call("run bricard --t-end 1 --error-estimate --json").out)["runs"][0];
  const Json& functions = observed["error_estimate"]["functions"];  // what the mechanism's source observes
  BOOST_TEST(functions.size() == observed["observed"].size());
}

/// Without a file the run keeps, and the estimate compares, no more than its end.
BOOST_AUTO_TEST_CASE(error_estimate_says_over_which_states_it_is) {
  const std::string csv = "analysis_commands_over.csv", run = "run pendulum --verbose --t-end 4 --error-estimate";
  const std::string end = call(run).out, along = call(run + " --output-step 0.1 --csv " + csv).out;
  BOOST_TEST(end.find(" at the end, t = 4 s; from") != std::string::npos, end);
  BOOST_TEST(end.find(" states until") == std::string::npos, end);
  BOOST_TEST(along.find(" at most, over 41 states until t = 4 s; from") != std::string::npos, along);
  BOOST_TEST(along.find(" at the end, t = 4 s; from") == std::string::npos, along);
  std::remove(csv.c_str());
}

/// The columns of the file, the curves of the page and the figures of the document are one estimate.
BOOST_AUTO_TEST_CASE(error_estimate_in_files) {
  const std::string csv = "analysis_commands_error.csv", html = "analysis_commands_error.html";
  const Result result = call(
      "run pendulum --formulation baumgarte --rtol 1e-5 --t-end 3 --max-step 0.028 --output-step 0.01 --error-estimate "
      "--json --csv " +
      csv + " --html " + html);
  BOOST_TEST(result.exit_code == 4);  // the longest step decided: the estimate is not certain
  const Json estimate = Json::parse(result.out)["runs"][0]["error_estimate"];
  std::ifstream in(csv);
  std::string line;
  std::getline(in, line);
  BOOST_TEST(line.find(",error bob[0],error bob[1],error bob[0]',error bob[1]',error lambda:") != std::string::npos);
  double largest_q = 0.0, largest_v = 0.0, largest_lambda = 0.0;
  std::size_t rows = 0;
  for (; std::getline(in, line); ++rows) {
    std::vector<double> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(std::stod(cell));
    BOOST_REQUIRE_EQUAL(cells.size(), 11U);
    largest_q = std::max({largest_q, cells[6], cells[7]});
    largest_v = std::max({largest_v, cells[8], cells[9]});
    largest_lambda = std::max(largest_lambda, cells[10]);
  }
  BOOST_TEST(rows == 301U);
  BOOST_TEST(largest_q > 0.0);
  BOOST_TEST(largest_q == estimate["largest_q"].get<double>());
  BOOST_TEST(largest_v == estimate["largest_v"].get<double>());
  BOOST_TEST(largest_lambda == estimate["largest_lambda"].get<double>());
  const Json curves = page_data(html)["curves"];
  const Json& errors = curves["errors"];
  BOOST_REQUIRE_EQUAL(errors["curves"].size(), 4U);  // q, v, lambda, the tolerance
  double drawn = 0.0, band = 0.0;
  for (const Json& y : errors["curves"][0]["y"]) drawn = std::max(drawn, y.get<double>());
  for (const Json& curve : curves["coordinates"]) {
    for (const Json& half : curve["error"]) band = std::max(band, half.is_null() ? 0.0 : half.get<double>());
  }
  BOOST_TEST(drawn == largest_q, boost::test_tools::tolerance(1e-6));  // seven digits
  BOOST_TEST(band == drawn);
  for (const Json& y : errors["curves"][3]["y"]) BOOST_TEST((y >= 1e-5 && y <= 2.01e-5));  // |q| <= 1
  BOOST_TEST(call("run pendulum --t-end 3 --html " + html).exit_code == 0);
  BOOST_TEST(page_data(html)["curves"]["errors"].is_null());
  BOOST_TEST(page_data(html)["curves"]["coordinates"][0].count("error") == 0U);
}

/// A run written by the program, measured back: what it was made with is found, and what cannot be is named.
BOOST_AUTO_TEST_CASE(identify_document) {
  const std::string file = "analysis_commands_measured.csv";
  BOOST_REQUIRE(call("run pendulum --rtol 1e-10 --t-end 2 --output-step 0.1 --csv " + file).exit_code == 0);
  const std::string data = "identify pendulum --data " + file + " --output bob[0] --output bob[1] ";
  const Result result = call(data + "--deviation 1e-3 --parameter weight.gy --guess weight.gy=-9 --json");
  const Json document = Json::parse(result.out);
  BOOST_TEST(result.exit_code == 4);  // no noise: less than was stated
  check_keys(document, keys_with_figures<Identification>("schema mechanism formulation"));
  BOOST_TEST(document["untested"] == "");
  BOOST_TEST(document["deviations_known"] == true);
  BOOST_TEST(std::abs(document["parameters"][0]["value"].get<double>() + 9.81) < 1e-5);
  BOOST_TEST(document["parameters"][0]["guess"] == -9.0);
  check_refused(data + "--parameter weight.gy --deviation 1e-3 --deviation bob[1]=2deg", "deg");
  BOOST_TEST(document["fits"].size() == 2U);
  const Result without = call(data + "--parameter weight.gy");  // no deviation: nothing to hold the residuals against
  BOOST_TEST(without.exit_code == 0);
  BOOST_TEST(without.out.find("no deviations are given") != std::string::npos, without.out);
  BOOST_TEST(without.out.find("deviations;") == std::string::npos, without.out);
  const Json untested = Json::parse(call(data + "--parameter weight.gy --json").out);
  BOOST_TEST(untested["deviations_known"] == false);
  BOOST_TEST(untested["untested"].get<std::string>().find("was not tested") != std::string::npos);
  const Result unknown = call(data + "--parameter mass.m --parameter weight.m");
  BOOST_TEST(unknown.exit_code == 3);
  BOOST_TEST(unknown.out.find("cannot be distinguished") != std::string::npos, unknown.out);
  check_refused(data + "--deviation bob[0]=1e-3 --parameter weight.gy", "none is given for bob[1]");
  {
    std::ofstream one("analysis_commands_one.csv");
    one << "\"t\", \"bob[0]\"\n1e-310,\n0.5,\"0.4\"\n";  // quotes as of RFC 4180
  }
  const Result certain = call("identify pendulum --data analysis_commands_one.csv --parameter weight.gy --json");
  BOOST_TEST(certain.exit_code != 0);
  BOOST_TEST(Json::parse(certain.out)["parameters"][0]["deviation"].is_null());
  check_refused("identify pendulum --data " + file + " --output bob --parameter weight.gy", "no such column");
  check_refused(data + "--parameter weight.gy --guess weight.gy", "NAME=NUMBER");
  check_refused(data + "--parameter weight.gy --deviation -1", "leave --deviation out");
  check_refused(data + "--parameter weight.gy --deviation 1 --deviation bob[0]=0", "--deviation bob[0]=0");
}
