// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "programs.hpp"

/// `sunlagrange study`: the same lines whoever computes them, in whatever order, and however often it was killed.
using namespace sunlagrange::test;

namespace {

using Json = nlohmann::ordered_json;

/// Removed at the begin and at the end.
struct File {
  std::string name;
  explicit File(std::string file) : name(std::move(file)) { std::remove(name.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::remove(name.c_str()); }
};

std::vector<Json> lines_of(const std::string& file) {
  std::vector<Json> lines;
  std::istringstream in(contents(file));
  for (std::string line; std::getline(in, line) && !in.eof();) lines.push_back(Json::parse(line));
  return lines;
}

long line_count(const std::string& file) {
  const std::string text = contents(file);
  return std::count(text.begin(), text.end(), '\n');
}

const std::string monte_carlo =
    "study pendulum --vary rod.L=normal:1:0.02 --vary \"v(bob[1])=0,0.5\" --vary formulation=ggl,projected "
    "--t-end 0.5 --samples 10 --json ";

/// mpirun is there, and the program knows MPI.
bool has_mpi() {
  static const bool there =
      std::system("command -v mpirun > /dev/null 2>&1") == 0 &&
      std::system(("ldd '" + std::string(SUNLAGRANGE_PROGRAM) + "' 2>/dev/null | grep -q libmpi").c_str()) == 0;
  return there;
}

/// @param within  a command that starts each process
Result on_ranks(int ranks, const std::string& arguments, const std::string& error_file = "/dev/null",
                const std::string& within = "") {
  // under the address sanitizer leaks are not looked for: Open MPI leaves memory of plugins that it has unloaded
  return shell("ASAN_OPTIONS=detect_leaks=0 timeout 120 mpirun --allow-run-as-root --oversubscribe -n " +
               std::to_string(ranks) + " " + within + " '" + program_of(arguments) + "' " + arguments + " 2>" +
               error_file + " < /dev/null");
}

void refused(const std::string& arguments, const std::string& part) {
  check_refused("study " + arguments, part);
}

}  // namespace

BOOST_AUTO_TEST_CASE(threads_and_ranks_change_nothing) {
  const File one("study_test_1.jsonl"), two("study_test_2.jsonl"), ranks("study_test_ranks.jsonl");
  const Result alone = call(monte_carlo + "--jobs 1 --out " + one.name);
  const Result both = call(monte_carlo + "--jobs 2 --out " + two.name);
  BOOST_TEST(alone.exit_code == 0);
  BOOST_TEST(lines_of(one.name).size() == 41U);
  BOOST_TEST(both.out == alone.out);
  BOOST_TEST((contents(two.name) == contents(one.name)));
  BOOST_TEST(call(monte_carlo).out == alone.out);  // without a file
  if (!has_mpi()) {
    BOOST_TEST_MESSAGE("no mpirun, or built without MPI: ranks are not tested");
    return;
  }
  const Result spread = on_ranks(2, monte_carlo + "--out " + ranks.name);
  BOOST_TEST(spread.exit_code == 0);
  BOOST_TEST(spread.out == alone.out);
  BOOST_TEST((contents(ranks.name) == contents(one.name)));
  BOOST_TEST(on_ranks(3, monte_carlo + "--jobs 2").out == alone.out);
  BOOST_TEST(on_ranks(2, monte_carlo, "/dev/null", "env -u OMPI_COMM_WORLD_RANK -u PMI_RANK").out == alone.out);
  const std::string small = "campaign --cases 2 --set validation --seed 3000 --json ";  // shares the machinery
  BOOST_TEST(on_ranks(2, small).out == call(small).out);
}

BOOST_AUTO_TEST_CASE(ranks_end_together_when_one_cannot_go_on) {
  if (!has_mpi()) return;
  const File there("study_test_there.jsonl"), errors("study_test_ranks.errors");
  std::ofstream(there.name) << "precious\n";
  const Result exists = on_ranks(2, monte_carlo + "--out " + there.name, errors.name);  // only the leader knows
  BOOST_TEST(exists.exit_code == 2);
  BOOST_TEST(exists.out.empty());
  BOOST_TEST(contents(errors.name).find("--resume") != std::string::npos);
  BOOST_TEST(contents(there.name) == "precious\n");
  for (int k = 0; k < 5; ++k)  // whichever process ends first
    BOOST_TEST(on_ranks(2, "study pendulum --vary rodd.L=1", errors.name).exit_code == 2);
  BOOST_TEST(contents(errors.name).find("did you mean \"rod.L\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(without_mpi_one_process_of_mpirun_works) {
  if (has_mpi()) return;
  const File errors("study_test_rank.errors");
  const std::string rank = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=";
  const std::string program = " '" + std::string(SUNLAGRANGE_PROGRAM) + "' " + monte_carlo;
  BOOST_TEST(shell(rank + "1" + program).out.empty());
  BOOST_TEST(shell(rank + "0" + program + "2>" + errors.name).out == call(monte_carlo).out);
  BOOST_TEST(contents(errors.name).find("built without MPI") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_killed_study_goes_on_and_loses_nothing) {
  const File whole("study_test_whole.jsonl"), parts("study_test_parts.jsonl"), out("study_test.out"),
      errors("study_test.out.errors");
  const std::vector<std::string> words = {"study",     "slider_crank", "--vary", "tolerance=loguniform:1e-8:1e-6",
                                          "--samples", "60",           "--json", "--jobs",
                                          "2",         "--out"};
  std::string command;
  for (const std::string& word : words) command += word + " ";
  const Result at_once = call(command + whole.name);
  for (const int signal : {SIGKILL, SIGTERM}) {
    std::remove(parts.name.c_str());
    std::vector<std::string> arguments = words;
    arguments.push_back(parts.name);
    const Result cut = call_and_signal(arguments, signal, out.name,
                                       [&](pid_t, const std::string&) { return line_count(parts.name) > 10; });
    const long kept = line_count(parts.name);
    BOOST_TEST(kept > 10);
    if (signal == SIGTERM && kept < 61) {
      BOOST_TEST(cut.exit_code == 130);
      const Json document = Json::parse(cut.out);
      BOOST_TEST(document["cases"].get<long>() == kept - 1);
      BOOST_TEST(document["asked"] == 60);
    }
    std::map<std::uint64_t, Json> before;
    for (const Json& line : lines_of(parts.name)) {
      if (line.contains("case")) before[line["case"].get<std::uint64_t>()] = line;
    }
    std::ofstream(parts.name, std::ios::app) << R"({"case":59,"val)";  // killed while it wrote
    const Result resumed = call(command + parts.name + " --resume");
    BOOST_TEST(resumed.out == at_once.out);
    BOOST_TEST((contents(parts.name) == contents(whole.name)));
    const std::vector<Json> after = lines_of(whole.name);
    for (const auto& [k, line] : before) BOOST_TEST(line == after.at(k + 1));
  }
}

/// Ctrl-C under mpirun ends mpirun, which passes SIGTERM on and kills what is left a second later: whatever the ranks
/// have come to by then, the file holds whole lines.
BOOST_AUTO_TEST_CASE(an_interrupted_study_on_ranks_goes_on_and_loses_nothing) {
  if (!has_mpi()) return;
  const File whole("study_test_ranks_whole.jsonl"), parts("study_test_ranks_parts.jsonl");
  const std::string study =
      "study pendulum --t-end 50 --rtol 1e-9 --vary rod.L=uniform:0.5:1.5 --samples 100 --json --out ";
  const Result at_once = call(study + whole.name);
  const std::string ten_lines = "[ \"$(cat " + parts.name + " 2> /dev/null | wc -l)\" -gt 10 ]";
  const Result cut = shell("ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n 2 '" +
                           std::string(SUNLAGRANGE_PROGRAM) + "' " + study + parts.name +
                           " > /dev/null 2>&1 < /dev/null & ranks=$!; " + "while kill -0 $ranks 2> /dev/null && ! " +
                           ten_lines + "; do sleep 0.02; done; kill -INT $ranks; wait $ranks");
  BOOST_TEST(cut.exit_code != 0);
  const std::string kept = contents(parts.name);
  BOOST_TEST(line_count(parts.name) > 10);
  BOOST_TEST_MESSAGE(line_count(parts.name) << " of 101 lines when it was interrupted");  // all, on a fast machine
  BOOST_TEST(kept.back() == '\n');
  for (const Json& line : lines_of(parts.name)) {
    if (line.contains("case")) BOOST_TEST((contents(whole.name).find(line.dump()) != std::string::npos), line.dump());
  }
  const Result resumed = call(study + parts.name + " --resume");
  BOOST_TEST(resumed.out == at_once.out);
  BOOST_TEST((contents(parts.name) == contents(whole.name)));
}

BOOST_AUTO_TEST_CASE(samples_can_be_added_and_other_studies_are_refused) {
  const File whole("study_test_whole.jsonl"), parts("study_test_parts.jsonl");
  const std::string study = "study pendulum --vary rod.L=uniform:0.9:1.1 --vary formulation=ggl,projected --t-end 0.2 ";
  call(study + "--samples 6 --out " + whole.name);
  call(study + "--samples 2 --out " + parts.name);
  BOOST_TEST(call(study + "--samples 6 --resume --out " + parts.name).exit_code == 0);
  BOOST_TEST((contents(parts.name) == contents(whole.name)));
  const std::string again = "pendulum --vary rod.L=uniform:0.9:1.1 --vary formulation=ggl,projected --t-end 0.2 ";
  refused(again + "--out " + whole.name, "add --resume");
  refused(again + "--resume --seed 2 --out " + whole.name, "other options, seed 1 (now 2);");
  refused(again + "--resume --rtol 1e-5 --out " + whole.name, "other options");
  refused(again + "--resume", "--out");
  const File model("study_test_model.json"), of_model("study_test_of_model.jsonl");
  const std::string text = call("export pendulum").out, of_file = model.name + " --vary rtol=1e-4,1e-5 --t-end 0.2 ";
  std::ofstream(model.name) << text;
  BOOST_TEST(call("study " + of_file + "--out " + of_model.name).exit_code == 0);
  const std::size_t at = text.find("9.81");
  BOOST_REQUIRE(at != std::string::npos);
  std::ofstream(model.name) << std::string(text).replace(at, 4, "9.82");
  refused(of_file + "--resume --out " + of_model.name, model.name);
  refused(of_file + "--resume --out " + of_model.name, "begin anew with another name for --out");
  const auto falls = [&](const char* block) {
    std::ofstream(model.name) << R"({"name": "two", "blocks": [{"name": "a", "kind": "planar_point"},)"
                              << R"({"name": "b", "kind": "planar_point"}], "elements": [)"
                              << R"({"name": "A", "type": "PointMass", "blocks": ["a"], "parameters": {"m": 1}},)"
                              << R"({"name": "B", "type": "PointMass", "blocks": ["b"], "parameters": {"m": 1}},)"
                              << R"({"name": "w", "type": "UniformGravity", "blocks": [")" << block
                              << R"("], "parameters": {"m": 1}}]})";
  };
  falls("a");
  std::remove(of_model.name.c_str());
  BOOST_TEST(call("study " + of_file + "--out " + of_model.name).exit_code == 0);
  falls("b");  // the same parameters and names
  refused(of_file + "--resume --out " + of_model.name, model.name);
  const std::string kept = contents(parts.name);
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  for (const std::string& line : {std::string(R"({"case":5})"), std::string(R"({"case":999999,"status":"finished"})"),
                                  std::string(R"({"case":"5"})"), std::string("{}"), std::string("["), std::string("7"),
                                  deep, deep.substr(0, 100000), R"({"case":5,"values":)" + deep + "}"}) {
    const File damaged("study_test_damaged.jsonl");
    std::ofstream(damaged.name) << kept << line << "\n";
    refused(again + "--samples 6 --resume --out " + damaged.name,
            damaged.name + ":14: is no line that study has written");
    BOOST_TEST((contents(damaged.name) == kept + line + "\n"));
  }
  const File other("study_test_other.txt");
  std::ofstream(other.name) << "precious";
  refused(again + "--resume --out " + other.name, "not the file of a study");
  BOOST_TEST(contents(other.name) == "precious");
  std::ofstream(other.name) << R"({"study":)" << deep << "}\n";
  refused(again + "--resume --out " + other.name, "not the file of a study");
}

BOOST_AUTO_TEST_CASE(a_study_killed_at_its_heading_begins_anew) {
  const File whole("study_test_whole.jsonl"), parts("study_test_parts.jsonl");
  const std::string study = "study pendulum --vary rod.L=0.9,1.1 --t-end 0.1 ";
  const Result at_once = call(study + "--out " + whole.name);
  const std::string heading = contents(whole.name).substr(0, contents(whole.name).find('\n'));
  for (const std::size_t length : {std::size_t{1}, heading.size() / 2, heading.size()}) {
    std::ofstream(parts.name) << heading.substr(0, length);
    const Result resumed = call(study + "--resume --out " + parts.name);
    BOOST_TEST(resumed.exit_code == 0);
    BOOST_TEST(resumed.out == at_once.out);
    BOOST_TEST((contents(parts.name) == contents(whole.name)));
  }
  BOOST_TEST(call(study + "--jobs 2 --out /dev/null").out == at_once.out);
}

BOOST_AUTO_TEST_CASE(close_values_are_told_apart) {
  const std::string study = "study pendulum --vary rod.L=linear:1:1.0000001:3 --t-end 0.1 ";
  const Json groups = Json::parse(call(study + "--json").out)["by_value"];
  BOOST_TEST_REQUIRE(groups.size() == 3U);
  for (const Json& group : groups) BOOST_TEST(group["cases"] == 1);
  const std::string text = call(study).out;
  for (const char* value : {"1.00000005", "1.0000001"}) BOOST_TEST(text.find(value) != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_table_says_what_it_leaves_out) {
  const std::string study = "study pendulum --t-end 0.01 --vary tolerance=log:1e-3:1e-5:";
  BOOST_TEST(call(study + "24").out.find("more: --json") == std::string::npos);
  BOOST_TEST(call(study + "26").out.find("and 2 more: --json") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_case_that_fails_costs_only_itself) {
  const std::string start = "study pendulum --vary \"q(bob[1])=0.5,";
  const File with("study_test_with.jsonl"), without("study_test_without.jsonl");
  const Result result = call(start + "2,-0.5\" --t-end 0.2 --json --out " + with.name);  // the rod is 1 m long
  call(start + "-0.5\" --t-end 0.2 --out " + without.name);
  BOOST_TEST(result.exit_code == 3);
  const Json document = Json::parse(result.out);
  BOOST_TEST(document["outcomes"]["finished"] == 2);
  BOOST_TEST(document["outcomes"]["infeasible"] == 1);
  BOOST_TEST_REQUIRE(document["failures"].size() == 1U);
  BOOST_TEST(document["failures"][0]["first"] == 1);
  BOOST_TEST(document["failures"][0]["values"]["q(bob[1])"] == 2);
  BOOST_TEST(!document["failures"][0]["message"].get<std::string>().empty());
  for (const Json& quantity : document["quantities"]) BOOST_TEST(quantity["cases"] == 2);
  const std::vector<Json> a = lines_of(with.name), b = lines_of(without.name);
  BOOST_TEST(a.at(1) == b.at(1));
  BOOST_TEST(a.at(3)["q_end"] == b.at(2)["q_end"]);
  // lengths that are drawn may be none
  const Json drawn =
      Json::parse(call("study pendulum --vary rod.L=normal:0.1:0.2 --samples 30 --t-end 0.1 --json").out);
  BOOST_TEST(drawn["outcomes"]["refused"].get<int>() > 0);
  BOOST_TEST(drawn["outcomes"]["finished"].get<int>() > 0);
}

BOOST_AUTO_TEST_CASE(the_summary_is_that_of_the_lines) {
  const File file("study_test_lines.jsonl");
  const Json document = Json::parse(call(monte_carlo + "--out " + file.name).out);
  std::vector<Json> lines = lines_of(file.name);
  lines.erase(lines.begin());
  const auto found = [&](const std::string& name) -> Json {
    for (const Json& quantity : document["quantities"]) {
      if (quantity["name"] == name) return quantity;
    }
    BOOST_FAIL(name + " is missing");
    return {};
  };
  const Json y = found("bob[1]");
  std::sort(lines.begin(), lines.end(), [](const Json& a, const Json& b) { return a["q_end"][1] < b["q_end"][1]; });
  BOOST_TEST(y["cases"] == 40);
  BOOST_TEST(y["least"] == lines.front()["q_end"][1]);
  BOOST_TEST(y["least_case"] == lines.front()["case"]);
  BOOST_TEST(y["largest"] == lines.back()["q_end"][1]);
  BOOST_TEST(y["largest_case"] == lines.back()["case"]);
  const auto value = [&](std::size_t k) { return lines[k]["q_end"][1].get<double>(); };
  BOOST_TEST(y["median"].get<double>() == (value(19) + value(20)) / 2, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(y["quantile_05"].get<double>() == value(1) + 0.95 * (value(2) - value(1)),
             boost::test_tools::tolerance(1e-12));  // 0.05 x 39 = 1.95
  double sum = 0.0;
  for (std::size_t k = 0; k < lines.size(); ++k) sum += value(k) / 40.0;
  BOOST_TEST(y["mean"].get<double>() == sum, boost::test_tools::tolerance(1e-12));
  // each end lies on its own circle
  for (const Json& line : lines) {
    const double x = line["q_end"][0].get<double>(), length = line["values"]["rod.L"].get<double>();
    BOOST_TEST(std::hypot(x, line["q_end"][1].get<double>()) == length, boost::test_tools::tolerance(1e-4));
  }
  long by_formulation = 0;
  for (const Json& group : document["by_value"]) {
    if (group["name"] == "formulation") by_formulation += group["cases"].get<long>();
  }
  BOOST_TEST(by_formulation == 40);
}

/// A pendulum that falls from the side pulls three times its weight at the bottom; twice its kinetic energy is what it
/// has lost of height; and the integral of a rate is the way.
BOOST_AUTO_TEST_CASE(numbers_of_the_motion_obey_the_laws) {
  const File model("study_test_model.json"), lines("study_test_lines.jsonl");
  std::ofstream(model.name) << R"({"blocks": [{"name": "bob", "kind": "planar_point"}], "elements": [
    {"name": "mass", "type": "PointMass", "blocks": ["bob"]},
    {"name": "weight", "type": "UniformGravity", "blocks": ["bob"]},
    {"name": "rod", "type": "DistanceToGround", "blocks": ["bob"]}],
    "start": {"positions": {"bob.x": 1}}, "simulation": {"t_end": 3, "rtol": 1e-9, "atol": 1e-9}})";
  const std::string asked =
      " --observe \"largest force:rod,least bob.y,final bob.x,mean bob.y,mean square bob.x',"
      "mean square bob.y',integral bob.x',largest power:rod\"";
  const std::string study = "study " + model.name + " --vary mass.m,weight.m=1,2.5 --out " + lines.name;
  BOOST_TEST_REQUIRE(call(study + asked + " --html study_test.html").exit_code == 0);
  const std::string page = contents("study_test.html");
  std::remove("study_test.html");
  for (const char* shown : {"largest force:rod [N]", "Force of rod [N]", "mass.m,weight.m [kg]", "mean bob.y [m]"})
    BOOST_TEST(page.find(shown) != std::string::npos, shown);
  const std::vector<Json> cases = lines_of(lines.name);
  BOOST_TEST_REQUIRE(cases.size() == 3U);
  constexpr double g = 9.81;
  for (std::size_t k = 1; k < cases.size(); ++k) {
    const auto number = [&](const char* words) { return cases[k]["observed"][words].get<double>(); };
    const double m = cases[k]["values"]["mass.m,weight.m"].get<double>();
    BOOST_TEST(number("largest force:rod") == 3.0 * m * g, boost::test_tools::tolerance(1e-3));  // at a step near it
    BOOST_TEST(number("least bob.y") == -1.0, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(number("mean square bob.x'") + number("mean square bob.y'") == -2.0 * g * number("mean bob.y"),
               boost::test_tools::tolerance(1e-7));
    BOOST_TEST(number("integral bob.x'") == number("final bob.x") - 1.0, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(number("final bob.x") == cases[k]["q_end"][0].get<double>());
    BOOST_TEST(std::abs(number("largest power:rod")) < 1e-5 * m * g);
  }
  BOOST_TEST(call(study + " --resume").exit_code == 2);  // a file of what else was asked for
}

/// Steps are as long as the accuracy allows: a throw is one polynomial, and a body that is driven at a constant speed
/// has no acceleration. The largest values lie between the steps: the height v^2 / (2 g) of the throw, and the force of
/// the rail k (l0 - b) where the body passes the spring at its least distance b, which is also the largest one.
BOOST_AUTO_TEST_CASE(largest_values_are_those_of_the_motion_between_the_steps) {
  const File thrown("study_test_throw.json"), driven("study_test_rail.json"), lines("study_test_lines.jsonl");
  std::ofstream(thrown.name) << R"({"gravity": [0, -9.81], "elements": [],
    "bodies": [{"name": "b", "type": "PlanarParticle", "parameters": {"m": 2}}],
    "start": {"velocities": {"b.x": 20, "b.y": 50}}, "simulation": {"t_end": 10}})";
  std::ofstream(driven.name) << R"({"gravity": [0, 0],
    "bodies": [{"name": "b", "type": "PlanarBody", "parameters": {"m": 2, "I": 0.1}}],
    "elements": [{"name": "rail", "type": "PrismaticToGround", "blocks": ["b"]},
      {"name": "motor", "type": "PrescribedCoordinate", "blocks": ["b.x"],
       "parameters": {"law": {"type": "Uniform", "rate": 1.0}}},
      {"name": "spring", "type": "LinearSpring", "blocks": ["b"],
       "parameters": {"k": 100, "l0": 3.0, "a": "OnBody", "b": {"type": "OnGround", "x": 5, "y": 0.5}}}],
    "simulation": {"t_end": 10}})";
  const auto observed = [&](const std::string& command) {
    std::remove(lines.name.c_str());
    const Result result = call("study " + command + " --out " + lines.name);
    BOOST_TEST_REQUIRE(result.exit_code == 0, result.out);
    return lines_of(lines.name)[1]["observed"];
  };
  constexpr double g = 9.81;
  const double height = observed(thrown.name + " --vary b.m=2 --observe \"largest b.y\"")["largest b.y"];
  BOOST_TEST(height == 50.0 * 50.0 / (2.0 * g), boost::test_tools::tolerance(1e-6));
  // along x the spring pulls by k x (1 - l0 / L), most at the two ends
  constexpr double k = 100.0, l0 = 3.0, b = 0.5, end = 5.0;
  const double along = k * end * (1.0 - l0 / std::hypot(end, b));
  for (const char* formulation : {"automatic", "ggl", "baumgarte", "index1"}) {
    const Json forces = observed(driven.name + " --vary formulation=" + formulation +
                                 " --observe \"largest force:rail,largest force:motor,largest power:motor\"");
    BOOST_TEST_CONTEXT(formulation << ": " << forces.dump()) {
      BOOST_TEST(forces["largest force:rail"].get<double>() == k * (l0 - b), boost::test_tools::tolerance(1e-4));
      BOOST_TEST(forces["largest force:motor"].get<double>() == along, boost::test_tools::tolerance(1e-4));
      BOOST_TEST(forces["largest power:motor"].get<double>() == along, boost::test_tools::tolerance(1e-4));
    }
  }
}

/// What an element does not have is refused with what it has; it is not a zero.
BOOST_AUTO_TEST_CASE(what_an_element_does_not_have_is_refused_with_what_it_has) {
  const std::string study = std::string("study ") + SUNLAGRANGE_SOURCE_DIR +
                            "/examples/four_bar.json --vary crank.m=0.5 --t-end 0.5 --observe ";
  const std::pair<const char*, const char*> refusals[] = {
      {"largest force:motor", "observe torque:motor"},
      {"largest power:damper", "observe dissipation:damper"},
      {"largest power:spring", "stores energy and supplies no power"}};
  const std::string arguments = study.substr(std::string("study ").size());
  for (const auto& [words, remedy] : refusals) refused(arguments + "\"" + words + "\"", remedy);
  // The crank turns at a constant rate of 6 rad/s: the power of the motor is its torque times that.
  const File lines("study_test_lines.jsonl");
  BOOST_TEST_REQUIRE(call(study +
                          "\"largest torque:motor,largest power:motor,least power:motor,largest torque:D,"
                          "largest force:D,largest dissipation:damper\" --out " +
                          lines.name)
                         .exit_code == 0);
  const Json numbers = lines_of(lines.name)[1]["observed"];
  const auto number = [&](const char* words) { return numbers[words].get<double>(); };
  BOOST_TEST(
      6.0 * number("largest torque:motor") == std::max(number("largest power:motor"), -number("least power:motor")),
      boost::test_tools::tolerance(1e-5));
  BOOST_TEST(number("largest torque:D") < 1e-6 * number("largest force:D"));  // a pin
  BOOST_TEST(number("largest dissipation:damper") > 0.0);
}

/// Angles in degrees are the same angles.
BOOST_AUTO_TEST_CASE(values_may_have_a_unit) {
  const auto ends = [](const std::string& values) {
    const Json plan = Json::parse(
        call("study n_four_bar_bodies --size 1 --t-end 0.1 --json --vary \"q(vertical 0.phi)=" + values + "\"").out);
    Json angles = Json::array();
    for (const Json& group : plan["by_value"]) angles.push_back(group["value"]);
    return angles;
  };
  const double degree = std::acos(-1.0) / 180.0;
  for (const char* values : {"70deg,80 deg,90deg", "linear:70deg:90deg:3"}) {
    const Json angles = ends(values);
    BOOST_TEST_REQUIRE(angles.size() == 3U);
    for (std::size_t k = 0; k < 3; ++k)
      BOOST_TEST(angles[k].get<double>() == (70.0 + 10.0 * static_cast<double>(k)) * degree,
                 boost::test_tools::tolerance(1e-14));
  }
  const std::string four_bar = std::string("study ") + SUNLAGRANGE_SOURCE_DIR + "/examples/four_bar.json --t-end 0.1 ";
  const Json turning = Json::parse(call(four_bar + "--json --vary motor.law.value=60rpm").out);  // a law of a rate
  BOOST_TEST(turning["by_value"][0]["value"].get<double>() == 2.0 * std::acos(-1.0),
             boost::test_tools::tolerance(1e-14));
  BOOST_TEST(call(four_bar + "--vary motor.law.value=60m").exit_code == 2);
  const File lines("study_test_lines.jsonl");
  BOOST_TEST(
      call("study pendulum --t-end 0.1 --vary rod.L=uniform:90cm:1.1 --samples 5 --out " + lines.name).exit_code != 2);
  for (const Json& line : lines_of(lines.name)) {
    if (!line.contains("values")) continue;
    const double length = line["values"]["rod.L"].get<double>();
    BOOST_TEST((length >= 0.9 && length <= 1.1));
  }
}

BOOST_AUTO_TEST_CASE(grids_are_what_they_say) {
  const File file("study_test_grid.jsonl");
  BOOST_TEST(call("study pendulum --vary t_end=linear:100ms:0.3s:3 --vary tolerance=log:1e-4:1e-6:3 --vary "
                  "gains.K_D=5,10 --out " +
                  file.name)
                 .exit_code == 0);
  const std::vector<Json> lines = lines_of(file.name);
  BOOST_TEST_REQUIRE(lines.size() == 19U);
  for (std::size_t k = 0; k < 18; ++k) {
    const Json& line = lines[k + 1];
    BOOST_TEST(line["case"] == k);
    BOOST_TEST(line["t_reached"].get<double>() == 0.1 * static_cast<double>(1 + k / 6),
               boost::test_tools::tolerance(1e-14));
    BOOST_TEST(line["values"]["tolerance"].get<double>() == std::pow(10.0, -4.0 - static_cast<double>(k / 2 % 3)),
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(line["values"]["gains.K_D"] == (k % 2 == 0 ? 5 : 10));
  }
  BOOST_TEST(lines[1]["steps"].get<int>() < lines[5]["steps"].get<int>());  // 1e-4 and 1e-6
}

/// A pendulum of another mass moves the same if its weight changes with it, and not if it does not.
BOOST_AUTO_TEST_CASE(linked_parameters_get_one_value) {
  const auto ends = [](const std::string& what) {
    const File file("study_test_linked.jsonl");
    const int code =
        call("study pendulum --t-end 0.5 --rtol 1e-8 --vary \"" + what + "=1,2\" --out " + file.name).exit_code;
    BOOST_TEST(code == (what == "mass.m" ? 4 : 0));  // a weight of another mass than its body is a doubt
    std::vector<Json> lines = lines_of(file.name);
    BOOST_TEST_REQUIRE(lines.size() == 3U);
    BOOST_TEST(lines[2]["values"][what] == 2);
    return std::abs(lines[1]["q_end"][0].get<double>() - lines[2]["q_end"][0].get<double>());
  };
  BOOST_TEST(ends("mass.m,weight.m") < 1e-6);
  BOOST_TEST(ends("mass.m") > 1e-2);
}

BOOST_AUTO_TEST_CASE(the_table_is_for_80_columns) {
  if (std::system("command -v script > /dev/null 2>&1") != 0) return;
  const Result result = call_at_terminal(
      "study slider_crank --vary formulation=baumgarte,ggl --vary "
      "tolerance=1e-4,5e-5,2e-5,1e-5 --vary max_steps=5,100000 --t-end 0.5",
      80);
  for (const char* part : {"8 of 16 cases finished", "step_limit", "baumgarte", "median", "largest", "evaluations"})
    BOOST_TEST(result.out.find(part) != std::string::npos, part << "\n" << result.out);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 96U, line);  // with colours
}

BOOST_AUTO_TEST_CASE(wrong_usage) {
  for (const auto& [arguments, part] : {std::pair{"pendulum", "--vary"},
                                        {"pendlum --vary rod.L=1", "did you mean pendulum"},
                                        {"pendulum --vary rod.L", "NAME=VALUES"},
                                        {"pendulum --vary rod.L=90deg", "choose one of: m, mm"},
                                        {"pendulum --vary rod.L=linear:1:2kg:3", "unit \"kg\" does not fit"},
                                        {"pendulum --vary rod.L=1,2 --observe larges", "no end value"},
                                        {"pendulum --vary rod.L=1,2 --observe \"largest bob\"", "did you mean bob[0]"},
                                        {"pendulum --vary rod.L=1,2 --observe \"largest force:rod\"", "lambda:ROW"},
                                        {"pendulum --vary rod.L=1,2 --observe \"mean lambda:rod\"", "least or largest"},
                                        {"pendulum --vary rodd.L=1", "did you mean \"rod.L\""},
                                        {"pendulum --vary formulatoin=ggl", "did you mean \"formulation\""},
                                        {"pendulum --vary formulation=gl", "did you mean ggl"},
                                        {"pendulum --vary rod.L=1,-1", "rod.L"},
                                        {"pendulum --vary rod.L=1,,2", "empty"},
                                        {"pendulum --vary rod.L=long", "not a number"},
                                        {"pendulum --vary rod.L=1 --vary rod.L=2", "twice"},
                                        {"pendulum --vary mass.m,weigth.m=1", "did you mean \"weight.m\""},
                                        {"pendulum --vary mass.m,weight.m=1 --vary mass.m=2", "as well"},
                                        {"pendulum --vary \"q(bob[7])=1\"", "bob"},
                                        {"pendulum --vary rod.L=linear:1:2", "linear:FROM:TO:COUNT"},
                                        {"pendulum --vary rod.L=linear:1:2:2.5", "COUNT"},
                                        {"pendulum --vary rod.L=log:0:1:3", "positive"},
                                        {"pendulum --vary rod.L=unifrom:1:2", "did you mean \"uniform\""},
                                        {"pendulum --vary rod.L=normal:1:-1", "DEVIATION"},
                                        {"pendulum --vary rod.L=1 --samples 5", "nothing is drawn"},
                                        {"pendulum --vary rod.L=uniform:1:2 --samples 2000000000", "more than"},
                                        {"pendulum --vary rod.L=1 --observe bob[2]", "--observe"},
                                        {"pendulum --vary rod.L=1 --out missing_folder/x", "missing_folder/x"}})
    refused(arguments, part);
}
