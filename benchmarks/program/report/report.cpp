// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>

#include <fmt/core.h>
#include <sundials/sundials_version.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "parts/csv.hpp"
#include "report/analyses.hpp"
#include "report/history.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/record.hpp"
#include "shared/text.hpp"
#include "sunlagrange/commands.hpp"

/// `report`: calls the other commands in turn, writes their documents as files, and shows them on one page.
namespace sunlagrange::program {
namespace embedded {  // cmake/EmbedFiles.cmake
std::string_view uPlot_iife_min_js();
std::string_view uPlot_min_css();
std::string_view LICENSE();
std::string_view page_css();
std::string_view page_js();
std::string_view report_js();
}  // namespace embedded

std::vector<Command> (*analysis_commands)() = nullptr;

namespace {

struct ReportArguments {
  std::string mechanism;  ///< empty: the mechanisms of the standard comparison
  std::string out = "report";
  std::string ranking;  ///< file of `compare`; empty: measured anew
  bool quick = false;
};

/// A command whose document the page shows.
struct Part {
  std::string file;       ///< name without .json
  std::string arguments;  ///< as typed
};

std::vector<Part> parts(const std::string& mechanism, bool quick) {
  const std::string rtols = quick ? "1e-4,1e-6,1e-8" : "1e-4,1e-6,1e-8,1e-10";
  if (!mechanism.empty()) return {{"work", "work-precision \"" + mechanism + "\" --baselines --rtols " + rtols}};
  std::vector<Part> list = {{"ranking", "compare"}, {"validate", "validate"}};
  std::vector<std::string> mechanisms = {"pendulum", "two_link", "andrews", "slider_crank"};
  if (!quick) mechanisms.insert(mechanisms.end(), {"car_axis", "knife_edge"});
  for (const std::string& name : mechanisms)
    list.push_back({"work_" + name, "work-precision " + name + " --baselines --rtols " + rtols});
  list.push_back({"stability", std::string("stability pendulum --integrator rk1,rk2,rk3,rk4") +
                                   (quick ? " --steps 0.00625,0.0125,0.025,0.05 --run-steps 100" : "")});
  list.push_back(
      {"adaptive_vs_fixed",
       std::string("adaptive-vs-fixed pendulum --gain-factors 1") +
           (quick ? " --formulations baumgarte,projected,index1,ggl --errors 1e-3,1e-5 --violations 1e-5 --repeat 1"
                  : "")});
  list.push_back({"scaling", std::string("scale chain --t-end 0.5 --formulations baumgarte,projected,index1,ggl "
                                         "--integrators cvode_bdf,dopri5,ida --sizes ") +
                                 (quick ? "5,10,20,40" : "5,10,20,40,80,160,320")});
  return list;
}

/// An analysis of one mechanism, whose page lies beside that of the report.
struct ReportedAnalysis {
  const char* question;
  const char* name;  ///< name of the file without .html
  const char* arguments;
};

constexpr ReportedAnalysis analysis_pages[] = {
    {"Eigenvalues and shapes of a hanging chain", "modes", "modes chain --size 5 --at equilibrium"},
    {"Where five bars in a row rest, and how stable", "equilibrium", "equilibrium n_four_bar_bodies --starts 5"},
    {"Slider and drive over the angle of the crank", "kinematics",
     "kinematics slider_crank --coordinate q --from 0 --to 6.28 --points 61 --speed 2"},
    {"Where the end of two rods can go", "workspace",
     "workspace chain --size 2 --point \"rod 2\" --offset 0.5,0 --drive \"rod 1.phi=-1.6:1.6:33\" "
     "--drive \"rod 2.phi=-3.1:3.1:63\""},
    {"How a pendulum changes with its length and weight", "sensitivities",
     "sensitivities pendulum --parameter rod.L --parameter weight.gy --rtol 1e-8"},
    {"What each parameter does to where a pendulum ends", "gradient",
     "sensitivities pendulum --parameter rod.L --parameter weight.gy --functional \"final bob[0]\" --rtol 1e-8"},
    {"A run with the estimate of its error", "error_estimate", "run pendulum --rtol 1e-5 --error-estimate"}};

/// Runs the command and returns its output. @throws std::runtime_error if its usage is wrong or its output fails
std::string printed(const Part& part) {
  std::vector<Command> commands = {compare_command(),   validate_command(),          work_precision_command(),
                                   stability_command(), adaptive_vs_fixed_command(), scale_command(),
                                   run_command()};
  if (analysis_commands != nullptr) {
    for (Command& command : analysis_commands()) commands.push_back(std::move(command));
  }
  const Program program{"sunlagrange-bench", "", {{"", std::move(commands)}}};
  std::vector<std::string> words = {program.name};
  std::istringstream in(part.arguments + " --json");
  for (std::string word; in >> std::quoted(word);) words.push_back(word);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  std::ostringstream out;
  std::streambuf* const stdout_buffer = std::cout.rdbuf(out.rdbuf());
  int code = exit_trouble;
  try {
    code = run_command_line(program, static_cast<int>(argv.size()), argv.data());
  } catch (...) {
    std::cout.rdbuf(stdout_buffer);
    throw;
  }
  std::cout.rdbuf(stdout_buffer);
  if (code == exit_trouble || code == exit_wrong_usage) throw std::runtime_error("report: failed: " + part.arguments);
  return out.str();
}

/// Returns the document of a part. That of the ranking is a file of `compare`, which --ranking names or which the
/// command writes into the folder of the report.
Json document_of(const Part& part, const ReportArguments& arguments) {
  if (part.file != "ranking") return Json::parse(printed(part));
  std::string file = arguments.ranking;
  if (file.empty()) {
    printed({part.file, part.arguments + " --out \"" + arguments.out + "\""});
    file = arguments.out + "/ranking.json";
  }
  std::ifstream in(file);
  if (!in) throw Error("--ranking: cannot read \"" + file + "\"");
  try {
    Json document = Json::parse(in);
    if (document.contains("formulations")) return document;
  } catch (const nlohmann::json::exception&) {
  }
  throw Error("--ranking: \"" + file + "\" is no ranking.json of the command compare");
}

std::string first_match(const std::string& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "";
}

Json machine() {
  char sundials[32] = "";
  SUNDIALSGetVersion(sundials, sizeof sundials);
  const std::time_t now = std::time(nullptr);
  char date[32] = "";
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
  Json json;
  set(json, "program", "sunlagrange " + version());
  set(json, "SUNDIALS", sundials);
  set(json, "compiler", __VERSION__);
#ifdef NDEBUG
  set(json, "build", "optimised");
#else
  set(json, "build", "with checks: times mean little");
#endif
  set(json, "processor", first_match("/proc/cpuinfo", "model name"));
  set(json, "cores", static_cast<int>(std::thread::hardware_concurrency()));
  set(json, "date", date);
  return json;
}

/// Violation over time in every formulation that fits the mechanism.
Json drift(const ProblemArguments& arguments) {
  const Problem problem(arguments);
  Json json, runs = Json::array();
  for (const FormulationInfo& form : formulations()) {
    HistoryRequest request;
    request.formulation = form.name;
    request.log_from = 0.1;
    if (form.equations == Equations::one_step) request.step = 0.01;
    const std::string method = form.equations == Equations::ode   ? "cvode_bdf"
                               : form.equations == Equations::dae ? "ida"
                                                                  : "trapezoidal";
    if (!objection(request.formulation, *problem.mechanism.system, method).empty()) continue;
    request.integrator = method;
    completed([&] { runs.push_back(history(problem, request)); });
  }
  set(json, "mechanism", problem.name);
  set(json, "t_end", std::isnan(arguments.t_end) ? problem.mechanism.t_end : arguments.t_end);
  set(json, "runs", std::move(runs));
  return json;
}

/// The two-link arm through its fold, in the usual formulations.
Json fold() {
  ProblemArguments arguments;
  arguments.mechanism = "two_link";
  arguments.t_end = 0.6;
  const Problem problem(arguments);
  Json json, runs = Json::array();
  for (const char* form :
       {"baumgarte", "penalty", "augmented_lagrangian", "projected", "coordinate_partitioning", "ggl", "index1"}) {
    HistoryRequest request;
    request.formulation = form;
    request.rtol = 1e-8;
    completed([&] { runs.push_back(history(problem, request)); });
  }
  set(json, "mechanism", "two_link");
  set(json, "fold", 0.493255);
  set(json, "runs", std::move(runs));
  return json;
}

/// Step sizes of adaptive runs of CVODE, IDA and an explicit pair, which the page compares with the limits of
/// adaptive_vs_fixed.
Json step_histories() {
  ProblemArguments arguments;
  arguments.mechanism = "pendulum";
  const Problem problem(arguments);
  Json json, runs = Json::array();
  for (const auto& [form, method] :
       {std::pair{"baumgarte", "cvode_adams"}, {"baumgarte", "dopri5"}, {"index1", "ida"}}) {
    HistoryRequest request;
    request.formulation = form;
    request.integrator = method;
    request.steps = true;
    completed([&] { runs.push_back(history(problem, request)); });
  }
  set(json, "mechanism", "pendulum");
  set(json, "runs", std::move(runs));
  return json;
}

/// Returns the text in a form that is safe inside <script>.
std::string harmless(std::string json) {
  for (std::size_t i = json.find('<'); i != std::string::npos; i = json.find('<', i)) json.replace(i, 1, "\\u003c");
  return json;
}

std::string page(const Json& data) {
  std::ostringstream out;
  out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sunlagrange report</title>\n"
      << "<style>\n"
      << embedded::uPlot_min_css() << "\n"
      << embedded::page_css()
      << "</style>\n</head>\n<body>\n<noscript>This page draws itself with JavaScript.</noscript>\n"
      << "<main id=\"page\"></main>\n<script type=\"application/json\" id=\"data\">" << harmless(json_text(data))
      << "</script>\n<script>\n/*\n"
      << embedded::LICENSE() << "*/\n"
      << embedded::uPlot_iife_min_js() << "\n</script>\n<script>\n"
      << embedded::page_js() << embedded::report_js() << "</script>\n</body>\n</html>\n";
  return out.str();
}

/// Prints a sentence on the comparison with the reference values. @return true if all of them hold
bool print_validation(const Json& parts) {
  for (const Json& part : parts) {
    if (part["name"] != "validate") continue;
    const Json& values = part["document"]["comparisons"];
    const auto held = std::count_if(values.begin(), values.end(), [](const Json& v) { return v["holds"] == true; });
    std::cout << held << " of " << values.size() << " published or exact values hold ("
              << part["command"].get<std::string>() << ")\n";
    return part["document"]["all_hold"] == true;
  }
  return true;
}

int report(const ReportArguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const std::string& only = arguments.mechanism;
  ProblemArguments drifting;
  drifting.mechanism = only.empty() ? "pendulum" : only;
  if (only.empty()) drifting.t_end = arguments.quick ? 100.0 : 1000.0;
  if (!only.empty()) Problem{drifting};  // refuses wrong names before anything is written
  if (!only.empty() && !arguments.ranking.empty())
    throw Error("--ranking: the report of one mechanism makes its own ranking");
  const auto path = [&](const std::string& name) { return arguments.out + "/" + name; };
  std::vector<std::string> files = {"index.html", "drift.json", "drift.csv"};
  for (const Part& part : parts(only, arguments.quick))
    files.insert(files.end(), {part.file + ".json", part.file + ".csv"});
  for (const std::string& file : files) refuse_input_as_output({"mechanism", only}, {"--out", path(file)});
  make_folder(arguments.out);
  Json data, list = Json::array();
  set(data, "schema", 1);
  set(data, "quick", arguments.quick);
  set(data, "mechanism", arguments.mechanism);
  set(data, "machine", machine());
  const auto begin = Clock::now();
  const auto add = [&](const std::string& name, const std::string& command, const std::function<Json()>& make) {
    const auto started = Clock::now();
    std::cerr << "report: " << command << std::endl;
    Json document;
    if (!completed([&] { document = make(); })) return;
    const std::string file = name + ".json";
    write_file(path(file), json_text(document), "--out");
    const std::string csv = name + ".csv";
    write_file(path(csv), csv_of(name, document), "--out");
    Json entry;
    set(entry, "name", name);
    set(entry, "command", command);
    set(entry, "file", file);
    set(entry, "csv", csv);
    const bool measured_before = name == "ranking" && !arguments.ranking.empty();
    set(entry, "seconds",
        measured_before ? Json(nullptr) : Json(std::chrono::duration<double>(Clock::now() - started).count()));
    set(entry, "document", std::move(document));
    list.push_back(std::move(entry));
  };
  for (const Part& part : parts(only, arguments.quick))
    add(part.file, "sunlagrange-bench " + part.arguments, [&] { return document_of(part, arguments); });
  add("drift", "max |g| over time, " + drifting.mechanism + ", rtol = atol = 1e-6", [&] { return drift(drifting); });
  if (only.empty()) {
    add("fold", "the arm through its fold, two_link, rtol = atol = 1e-8", [] { return fold(); });
    add("steps", "step sizes of three adaptive runs, pendulum, rtol = atol = 1e-6", [] { return step_histories(); });
  }
  Json analyses = Json::array();
  for (const ReportedAnalysis& analysis : analysis_pages) {
    if (analysis_commands == nullptr || !only.empty()) break;
    const std::string file = std::string(analysis.name) + ".html", command = analysis.arguments;
    std::cerr << "report: sunlagrange " << command << std::endl;
    if (!completed([&] { printed({analysis.name, command + " --html \"" + path(file) + "\""}); })) continue;
    Json entry;
    set(entry, "question", analysis.question);
    set(entry, "command", "sunlagrange " + command + " --html " + file);
    set(entry, "page", file);
    analyses.push_back(std::move(entry));
  }
  set(data, "analyses", std::move(analyses));
  set(data, "seconds", std::chrono::duration<double>(Clock::now() - begin).count());
  set(data, "complete", !interrupted());
  const bool holds = print_validation(list);
  set(data, "parts", std::move(list));
  write_file(path("index.html"), page(data), "--out");
  std::cout << "The report: " << path("index.html") << "\n";
  return holds ? exit_finished : exit_numerical_failure;
}

}  // namespace

Command report_command() {
  const auto a = std::make_shared<ReportArguments>();
  return {
      "report",
      "writes a page of many comparisons and its data",
      {{"mechanism", &a->mechanism,
        "compare on this mechanism only, a registered name or a model file: all formulations, and drift", rule::reads},
       {"--out", &a->out, "folder for index.html and the data, JSON and CSV for each table; made if absent",
        rule::show_default},
       {"--ranking", &a->ranking, "take the ranking from this file of `compare`, ranking.json, instead of measuring it",
        rule::reads},
       {"--quick", &a->quick, "fewer tolerances, sizes and mechanisms: two minutes instead of ten"}},
      [a] { return report(*a); }};
}

}  // namespace sunlagrange::program
