// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include <sunlagrange/version.hpp>

#include "programs.hpp"

/// The programs as scripts see them: usage, lists, tables and commands.
using namespace sunlagrange::test;
using Json = nlohmann::json;

BOOST_AUTO_TEST_CASE(elements_are_listed_with_blocks_and_header) {
  const std::string list = call("list elements").out;
  BOOST_TEST(list.find("{planar_body, planar_body}; <sunlagrange/elements/planar/revolute.hpp>") != std::string::npos);
  BOOST_TEST(list.find("{any}; <sunlagrange/elements/coordinate/prescribed.hpp>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_step_formulation_with_its_integrator) {
  const Json run = record(call("run pendulum --formulation index3_augmented_lagrangian --step 1e-2 --t-end 1 --json"));
  BOOST_TEST(run["status"] == "finished");
  BOOST_TEST(run["integrator"] == "trapezoidal");
  BOOST_TEST(run["step"] == 1e-2);
  BOOST_TEST(run["steps"] == 100);
  const Result table =
      call("compare pendulum --formulations index3_augmented_lagrangian,baumgarte --steps 1e-2 --t-end 1");
  BOOST_TEST(table.exit_code == 4);  // rk1 is far off with this step, and doubted
  BOOST_TEST(table.out.find("index3_augmented_lagrangian trapezoidal") != std::string::npos, table.out);
}

BOOST_AUTO_TEST_CASE(times_may_have_a_unit) {
  const auto path = [](const std::string& times) {
    const std::string file = "program_test_times.csv";
    BOOST_TEST(call("run pendulum --formulation ggl " + times + " --csv " + file).exit_code == 0);
    return contents(file);
  };
  const std::string in_seconds = path("--t-end 0.5 --output-step 0.1 --max-step 0.01");
  BOOST_TEST(path("--t-end 500ms --output-step 100ms --max-step 10ms") == in_seconds);
  BOOST_TEST(path("--t-end \"500 ms\" --output-step 0.1s --max-step 0.01") == in_seconds);
  check_refused("run pendulum --t-end 5kg", "\"kg\" does not fit");
  check_refused("run pendulum --max-step -1ms", "not a positive number");
}

BOOST_AUTO_TEST_CASE(kinematic_programs_run_without_naming_a_formulation) {
  for (const char* program : {"slider_crank_program", "breathing_torus_program"}) {
    const Result result = call(std::string("run ") + program + " --t-end 0.1 --json");
    BOOST_TEST(result.exit_code == 0);
    const Json run = record(result);
    BOOST_TEST(run["used_formulation"] == "integral_manifold");
    BOOST_TEST(run["error_vs_reference"].get<double>() < 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(own_butcher_table_from_a_file) {
  const std::string file = "program_test_table.json";
  const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
  write(R"({"name":"Ralston","A":[[],[0.66666666666666667]],"b":[0.25,0.75],"c":[0,0.66666666666666667],"order":2})");
  const std::string arguments = " --table " + file + " --t-end 1 ";
  const Json run = record(call("run pendulum --integrator table --step 1e-3 --json" + arguments));
  BOOST_TEST(run["status"] == "finished");
  BOOST_TEST(run["integrator"] == "table");
  const double error = run["error_vs_reference"].get<double>();
  const Json half = record(call("run pendulum --step 5e-4 --json" + arguments));  // automatic: table
  BOOST_TEST(half["integrator"] == "table");
  BOOST_TEST(std::abs(error / half["error_vs_reference"].get<double>() - 4.0) < 0.3);
  BOOST_TEST(call("run pendulum --verbose --step 1e-3" + arguments).out.find("Ralston") != std::string::npos);
  const Result all = call("compare pendulum --formulations baumgarte --steps 1e-2" + arguments);
  BOOST_TEST(all.exit_code == 4);  // rk1, as above
  BOOST_TEST(all.out.find("table") != std::string::npos, all.out);
  BOOST_TEST(all.out.find("rk4") != std::string::npos, all.out);
  BOOST_TEST(call("compare pendulum --formulations baumgarte --steps 1e-2 --t-end 1").out.find("table ") ==
             std::string::npos);

  check_refused("run pendulum --integrator rk4 --step 1e-3 --json" + arguments, "rk4 does not use it");
  check_refused("run pendulum --integrator table --json" + arguments, "--step");
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
  const std::string open(100000, '['), closed(100000, ']');
  for (const std::string& deep : {open, open + closed, "{\"A\":" + open + closed + "}"})
    refused(deep, file + ":1: more than 100 nested brackets");
  refused(R"({"A":[[],[1]],"b":[0.5,0.4],"c":[0,1],"order":2})", "sum b_i = 1");
  refused(R"({"A":[[1],[1]],"b":[0.5,0.5],"c":[0,1],"order":2})", "explicit");
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(compare_prints_gain_times_step_beside_the_stability_limit) {
  const Result result = call("compare pendulum --formulations baumgarte --integrators rk4 --steps 1e-2");
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("of 2.785") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_CASE(list_names_everything) {
  const Result result = call("list");
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
  // a line for each element; their parameters with `list elements` alone
  BOOST_TEST(result.out.find("LinearSpring") != std::string::npos);
  BOOST_TEST(result.out.find("l0 = 1 m") == std::string::npos);
  BOOST_TEST(call("list elements").out.find("l0 = 1 m") != std::string::npos);
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
  for (const std::string& command :
       {compare, std::string("list"), std::string("validate pendulum nikravesh"),
        std::string("stability pendulum --integrator rk4 --steps 0.01"), std::string("run car_axis --t-end 0.1")}) {
    for (const int columns : {60, 80, 110}) {
      const Result result = call_at_terminal(command, columns);
      BOOST_TEST(widest(result.out) <= static_cast<std::size_t>(columns), command << "\n" << result.out);
      BOOST_TEST(widest(result.out) > 50U, command << "\n" << result.out);
      const bool leaves_out = command != "list" && command.rfind("run", 0) != 0;
      if (columns == 80) BOOST_TEST(has(result, "left out: ") == leaves_out, command << "\n" << result.out);
    }
  }
  const Result narrow = call_at_terminal(compare, 80);
  BOOST_TEST(has(narrow, "error lambda"));
  BOOST_TEST(has(narrow, "\nindex3_augmented_lagrangian\n  trapezoidal"), narrow.out);  // a heading, then its rows
  BOOST_TEST(narrow.out.find(" runs finished") < narrow.out.find("integrator"), narrow.out);  // the verdict comes first
  const Result wide = call_at_terminal(compare + " --wide", 80);
  BOOST_TEST(!has(wide, "left out: "));
  BOOST_TEST(has(wide, "error lambda"));
  const Result piped = shell("COLUMNS=80 '" SUNLAGRANGE_BENCH "' " + compare);  // no terminal: all columns
  BOOST_TEST(!has(piped, "left out: "));
  BOOST_TEST(has(piped, "error lambda"));
  BOOST_TEST(has(piped, "index3_augmented_lagrangian trapezoidal"));  // every row complete, for scripts
}

BOOST_AUTO_TEST_CASE(colours_are_for_terminals_that_want_them) {
  if (std::system("command -v script > /dev/null 2>&1") != 0) return;
  const auto coloured = [](const std::string& out) { return out.find("\033[") != std::string::npos; };
  const std::string command = "compare pendulum --formulations baumgarte --rtols 1e-4";
  const Result colours = call_at_terminal(command, 80, "TERM=xterm NO_COLOR=");
  BOOST_TEST(coloured(colours.out), colours.out);
  BOOST_TEST(colours.out.find("\033[1mbaumgarte\033[0m") != std::string::npos, colours.out);
  BOOST_TEST(colours.out.find("\033[32mfinished\033[0m") != std::string::npos, colours.out);
  BOOST_TEST(!coloured(call_at_terminal(command, 80, "TERM=xterm NO_COLOR=1").out));
  BOOST_TEST(!coloured(call_at_terminal(command, 80, "TERM=dumb NO_COLOR=").out));
  BOOST_TEST(!coloured(shell("TERM=xterm '" SUNLAGRANGE_BENCH "' " + command).out));
}

BOOST_AUTO_TEST_CASE(a_report_has_its_verdict_first_and_reasons_where_values_are_missing) {
  const std::string out = call("run pendulum --formulation baumgarte --verbose").out;
  BOOST_TEST(out.rfind("sunlagrange 0.", 0) == 0U, out);
  BOOST_TEST(out.substr(0, out.find('\n')).find(": finished") != std::string::npos, out);
  for (const char* group : {"\n  equations ", "\n  integrator ", "\n  gains ", "\n  violation ", "\n  energy ",
                            "\n  derivatives ", "\n  CPU time "})
    BOOST_TEST(out.find(group) != std::string::npos, group);
  BOOST_TEST(out.find("1/s") != std::string::npos);
  BOOST_TEST(out.find("asked for, where it differs") != std::string::npos);
  const std::string of_library =
      call(std::string("run ") + SUNLAGRANGE_SOURCE_DIR + "/examples/four_bar.json --verbose").out;
  BOOST_TEST(of_library.find("members not found") == std::string::npos, of_library);
  const std::string verdict = out.substr(0, out.find('\n') + 1);
  BOOST_TEST(out.substr(out.size() - verdict.size()) == verdict, out);  // and last
  BOOST_TEST(call("run slider_crank_program --t-end 1 --verbose").out.find("none: a kinematic program has no energy") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_report_of_a_run_has_four_lines) {
  const Result own = call(std::string("run ") + SUNLAGRANGE_SOURCE_DIR + "/examples/four_bar.json");
  for (const std::string& out : {call("run pendulum --formulation baumgarte --t-end 1").out, own.out}) {
    BOOST_TEST(out.rfind("sunlagrange 0.", 0) == 0U, out);
    BOOST_TEST(std::count(out.begin(), out.end(), '\n') <= 5, out);
    BOOST_TEST(std::count(out.begin(), out.end(), '\n') >= 4, out);
    for (const char* part : {": finished", "; baumgarte, ", " steps, CPU ", "largest violation |g| ", "energy drift "})
      BOOST_TEST((out.find(part) != std::string::npos || (out == own.out && std::string(part) == "; baumgarte, ")),
                 part << out);
    BOOST_TEST(out.find("asked") == std::string::npos, out);
  }
}

BOOST_AUTO_TEST_CASE(help_says_which_tolerances_hold) {
  const std::string file = "program_test_silent.json";
  std::istringstream lines(call("run --help").out);
  std::string help;  // unwrapped
  for (std::string word; lines >> word;) help += word + " ";
  Json model = Json::parse(call("export pendulum").out);
  model["simulation"].erase("atol");
  model["simulation"].erase("rtol");
  std::ofstream(file) << model;
  const auto atol = [](const std::string& words) {
    return record(call("run " + words + " --t-end 0.1 --json"))["atol"].get<double>();
  };
  std::ostringstream silent;
  silent << atol(file);
  BOOST_TEST(help.find("its own value, otherwise " + silent.str()) != std::string::npos, help);
  BOOST_TEST(atol(file + " --rtol 1e-5") == 1e-5);
  BOOST_TEST(atol("pendulum") == record(call("run pendulum --t-end 0.1 --json"))["rtol"].get<double>());
  BOOST_TEST(help.find("give --start as_given") != std::string::npos, help);
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(help_has_examples_and_the_manual_all_options) {
  const std::string manual =
      call("--man", "/dev/null", SUNLAGRANGE_PROGRAM).out + call("--man", "/dev/null", SUNLAGRANGE_BENCH).out;
  for (const char* command : {"list", "run", "compare", "figures", "validate", "gain-scan", "stability", "certify",
                              "adaptive-vs-fixed", "campaign", "study", "modes", "equilibrium", "kinematics"}) {
    const std::string help = call(std::string(command) + " --help").out;
    BOOST_TEST(help.find("Examples:\n  " + std::string(command)) != std::string::npos, command);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t option = line.find("  --");
      if (option != 0 || line.rfind("  --progress", 0) == 0) continue;
      std::string name = line.substr(2, line.find_first_of(" ,", 2) - 2), escaped;
      for (const char c : name) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
      BOOST_TEST(manual.find("\n.B " + escaped + "\n") != std::string::npos, command << " " << name);
    }
  }
  BOOST_TEST(manual.find(".SH EXIT STATUS") != std::string::npos);
  for (const auto& [program, commands] :
       {std::pair(SUNLAGRANGE_PROGRAM,
                  ",run,report,study,modes,equilibrium,kinematics,workspace,sensitivities,identify,export,list"),
        {SUNLAGRANGE_BENCH,
         ",compare,work-precision,scale,adaptive-vs-fixed,stability,gain-scan,certify,validate,campaign,figures,"
         "report"}}) {
    std::istringstream names(commands);
    for (std::string command; std::getline(names, command, ',');) {
      std::istringstream lines(call(command + " --help", "/dev/null", program).out);
      for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 80U, command << ": " << line);
    }
  }
}

BOOST_AUTO_TEST_CASE(version_is_that_of_the_library) {
  const std::string version = std::to_string(SUNLAGRANGE_VERSION_MAJOR) + "." +
                              std::to_string(SUNLAGRANGE_VERSION_MINOR) + "." +
                              std::to_string(SUNLAGRANGE_VERSION_PATCH) + "\n";
  for (const auto& [program, name] :
       {std::pair(SUNLAGRANGE_PROGRAM, "sunlagrange "), {SUNLAGRANGE_BENCH, "sunlagrange-bench "}}) {
    const Result result = call("--version", "/dev/null", program);
    BOOST_TEST(result.exit_code == 0);
    BOOST_TEST(result.out == name + version);
  }
}

BOOST_AUTO_TEST_CASE(each_program_names_the_other_one_for_its_commands) {
  const std::string file = "program_test_other.txt", command = "export pendulum";
  const Result here = call(command, file);
  BOOST_TEST(here.exit_code == 0);
  BOOST_TEST(contents(file) == "");
  const Result there = call(command, file, SUNLAGRANGE_BENCH);  // runs there as well
  BOOST_TEST(there.exit_code == here.exit_code);
  BOOST_TEST(there.out == here.out);
  BOOST_TEST(contents(file) == "sunlagrange-bench: this is a command of sunlagrange: call `sunlagrange export`\n");
  std::remove(file.c_str());
  const std::string own = call("--help", "/dev/null", SUNLAGRANGE_PROGRAM).out;
  const std::string comparisons = call("--help", "/dev/null", SUNLAGRANGE_BENCH).out;
  const auto lists = [](const std::string& help, const std::string& name) {
    return help.find("\n  " + name + " ") != std::string::npos;
  };
  for (const char* name : {"run", "study", "modes", "equilibrium", "kinematics", "workspace", "sensitivities",
                           "identify", "export", "list"}) {
    BOOST_TEST(lists(own, name), own);
    BOOST_TEST(!lists(comparisons, name), comparisons);
  }
  for (const char* name : {"compare", "work-precision", "scale", "adaptive-vs-fixed", "stability", "gain-scan",
                           "certify", "validate", "campaign", "figures"}) {
    BOOST_TEST(lists(comparisons, name), comparisons);
    BOOST_TEST(!lists(own, name), own);
    check_refused(name, std::string("call `sunlagrange-bench ") + name + "`", SUNLAGRANGE_PROGRAM);
  }
  BOOST_TEST((lists(own, "report") && lists(comparisons, "report")));
}

BOOST_AUTO_TEST_CASE(report_writes_the_page_of_one_run_and_its_data) {
  const std::string folder = "program_test_report", run = "pendulum --t-end 0.5 --rtol 1e-5 ";
  std::filesystem::remove_all(folder);
  const Result result = call("report " + run + "--out " + folder, "/dev/null", SUNLAGRANGE_PROGRAM);
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("The page: " + folder + "/index.html\n") != std::string::npos, result.out);
  const Json written = record({0, contents(folder + "/run.json")}), expected = record(call("run " + run + "--json"));
  BOOST_TEST(written["q_end"] == expected["q_end"]);
  BOOST_TEST(written["steps"] == expected["steps"]);
  BOOST_TEST(!page_data(folder + "/index.html").empty());
  const std::string rows = contents(folder + "/run.csv");
  BOOST_TEST(std::count(rows.begin(), rows.end(), '\n') == expected["steps"].get<long>() + 2);  // heading and start
  std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(options_without_sense_are_refused) {
  BOOST_TEST(!std::ifstream("--json").good());
  BOOST_TEST(!std::ifstream("one.out").good());
  const std::string errors = "program_test_atol.txt";
  BOOST_TEST(call("run pendulum --rtol -1", errors).exit_code == 2);
  BOOST_TEST(contents(errors).find("atol") == std::string::npos, contents(errors));  // nobody typed it
  std::remove(errors.c_str());
}

BOOST_AUTO_TEST_CASE(gain_scan_compares_automatic_gains_with_a_scan_by_hand) {
  const Result run =
      call("gain-scan pendulum two_link --rtols 1e-6 --units m_kg,mm_g --random 0 --per-octave 0.5 --json");
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
    const Json scan = Json::parse(call("gain-scan pendulum --json" + short_scan + integrator).out);
    BOOST_TEST(scan["formulation"] == formulation);
    BOOST_REQUIRE(scan["cases"].size() == 1u);
    BOOST_TEST(scan["cases"][0]["automatic"]["finished"].get<bool>(), integrator);
    BOOST_TEST(scan["cases"][0]["automatic"]["violation"].get<double>() <= 1.0, integrator);
  }
  const Json none = Json::parse(call("gain-scan pendulum --json --formulation ggl" + short_scan + "ida").out);
  BOOST_TEST(none["excluded"][0]["reason"] == "formulation ggl has no gains");
  BOOST_TEST(call("gain-scan pendulum --formulation ggl").exit_code == 2);
  BOOST_TEST(call("gain-scan pendulum --integrator rk4").exit_code == 2);
  BOOST_TEST(call("gain-scan pendulum --units feet").exit_code == 2);
}

BOOST_AUTO_TEST_CASE(labels_of_the_figures_stay_apart_on_a_long_axis) {
  // Fold and end of reach lie 2.4 s apart: on the papers' axis of 20 s their labels need heights of their own, which do
  // not depend on the axis.
  const Result drawn = call("figures two_link --out program_test_figures --t-end 3.2");
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

BOOST_AUTO_TEST_CASE(figure_1_of_the_program_is_its_mechanism) {
  // Crank from the origin and rod from its end, r = 1 and l = 2; the other end of the rod is as high as the origin.
  const Result drawn = call("figures slider_crank_program --out program_test_program_figures --t-end 0.1");
  BOOST_TEST(drawn.exit_code == 0);
  for (const char* name : {"figure1.png", "figure2.png"}) {
    BOOST_TEST(drawn.out.find(name) != std::string::npos);
    const std::string file = std::string("program_test_program_figures/") + name;
    BOOST_TEST(contents(file).rfind("\x89PNG", 0) == 0U, file);
    std::remove(file.c_str());
  }
  std::istringstream script(contents("program_test_program_figures/slider_crank_program.gp"));
  std::vector<std::array<double, 4>> rods;
  bool figure1 = false;
  for (std::string line; std::getline(script, line);) {
    if (line.rfind("set output", 0) == 0) figure1 = line.find("figure1.png") != std::string::npos;
    std::array<double, 4> rod{};
    if (!figure1 || line.find("linewidth") == std::string::npos) continue;
    if (std::sscanf(line.c_str(), "set arrow from %lf,%lf to %lf,%lf", &rod[0], &rod[1], &rod[2], &rod[3]) == 4)
      rods.push_back(rod);
  }
  BOOST_REQUIRE(rods.size() == 2U);
  const auto& [crank, rod] = std::tie(rods[0], rods[1]);
  BOOST_TEST((crank[0] == 0.0 && crank[1] == 0.0));
  BOOST_TEST((rod[0] == crank[2] && rod[1] == crank[3]));
  BOOST_TEST(std::hypot(crank[2], crank[3]) == 1.0, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(std::hypot(rod[2] - rod[0], rod[3] - rod[1]) == 2.0, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(std::abs(rod[3]) < 1e-5);
}

BOOST_AUTO_TEST_CASE(a_mechanism_with_excess_energy_starts_off_its_manifold_where_gains_lead_back) {
  const Result compared = call("compare tethered_particle --rtols 1e-8 --no-baselines --json");
  BOOST_TEST(compared.exit_code == 0);
  std::map<std::string, double> violation, error;
  const Json document = Json::parse(compared.out);
  for (const Json& run : document["runs"]) {
    const std::string name = run["formulation"].get<std::string>() + "/" + run["integrator"].get<std::string>();
    BOOST_TEST(run["status"] == "finished", name);
    BOOST_TEST((run["start"] == "as_given") == (run["max_position_violation"] >= 0.25), name);
    violation[name] = run["max_position_violation"].get<double>();
    error[name] = run["error_vs_reference"].get<double>();
  }
  BOOST_TEST(violation.at("extended_lagrangian/dopri5") == 0.25, boost::test_tools::tolerance(0.1));
  BOOST_TEST(error.at("extended_lagrangian/dopri5") < 1e-6);  // (g, g') of the closed form, and the angle that follows
  BOOST_TEST(error.at("baumgarte/dopri5") > 1e-3);            // constant gains: another law
  for (const char* name : {"projected/dopri5", "ggl/ida", "index3/ida"}) {  // held to g = 0, against uniform rotation
    BOOST_TEST(violation.at(name) < 1e-6, name);
    BOOST_TEST(error.at(name) < 1e-4, name);
  }
  const auto start_of = [](const std::string& words) {
    return Json::parse(call("run tethered_particle --json " + words).out)["runs"][0]["start"].get<std::string>();
  };
  BOOST_TEST(start_of("--formulation extended_lagrangian") == "as_given");
  BOOST_TEST(start_of("--formulation extended_lagrangian --start consistent") == "consistent");
  BOOST_TEST(start_of("--formulation ggl --start as_given") == "as_given");
}
