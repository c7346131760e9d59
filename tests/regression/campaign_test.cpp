// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <filesystem>

#include "programs.hpp"

/// `sunlagrange-bench campaign`: a short one, and that nothing is lost or overlooked by a long one.
using sunlagrange::test::call;
using sunlagrange::test::check_refused;
using sunlagrange::test::contents;
using sunlagrange::test::Result;

namespace {

using Json = nlohmann::ordered_json;  // of files as of documents

std::vector<Json> lines_of(const std::string& file) {
  std::vector<Json> lines;
  std::istringstream in(contents(file));
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

void write_lines(const std::string& file, const std::vector<Json>& lines) {
  std::ofstream out(file);
  for (const Json& line : lines) out << line.dump() << "\n";
}

/// Removed at the end.
struct File {
  std::string name;
  explicit File(std::string file) : name(std::move(file)) { std::remove(name.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::remove(name.c_str()); }
};

const std::string small = "campaign --rtol 1e-4,1e-6 --set validation --seed 3000 --json ";

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_is_wrong_without_doubt) {
  for (const char* arguments : {"--cases 12 --seed 1000", "--cases 2 --seed 2000 --formulations all"}) {
    const Result result = call("campaign --set validation --json " + std::string(arguments));
    BOOST_TEST_CONTEXT(result.out) {
      BOOST_TEST(result.exit_code == 0);
      const Json document = Json::parse(result.out);
      BOOST_TEST(document["holds"] == true);
      BOOST_TEST(document["wrong_without_doubt"].empty());
      BOOST_TEST(document["failed_without_cause"].empty());
      BOOST_TEST(document["set_aside"].empty());
      BOOST_TEST(document["rows"].size() >= 1U);
      for (const Json& row : document["rows"]) BOOST_TEST(row["runs"] == document["cases"]);
    }
  }
}

// CVODE chose the order of `projected` by other estimates than the step, stayed at 3 and took twice as many steps as
// baumgarte, all of which erred in the same direction.
BOOST_AUTO_TEST_CASE(projected_steps_of_bdf_err_no_more_than_those_of_baumgarte) {
  const Result result = call("campaign --only 44,10006 --formulations projected,baumgarte --rtol 1e-8 --json");
  const Json document = Json::parse(result.out);
  BOOST_TEST(result.exit_code == 0, result.out);
  BOOST_TEST(document["wrong_without_doubt"].empty(), result.out);
}

BOOST_AUTO_TEST_CASE(a_campaign_that_was_cut_off_ends_as_one_that_was_not) {
  const File whole("campaign_test_whole.jsonl"), parts("campaign_test_parts.jsonl");
  const Result at_once = call(small + "--cases 4 --out " + whole.name);
  call(small + "--cases 2 --out " + parts.name);
  std::ofstream(parts.name, std::ios::app) << R"({"seed":6005,"features":"pla)";  // killed while it wrote
  const Result resumed = call(small + "--cases 4 --jobs 2 --resume --out " + parts.name);
  BOOST_TEST(resumed.out == at_once.out);
  BOOST_TEST(contents(parts.name) == contents(whole.name));
  BOOST_TEST(lines_of(whole.name).size() == 5U);  // the plan, and the cases

  // one case by itself is the same
  const File one("campaign_test_one.jsonl");
  const Json third = lines_of(whole.name).at(3);
  call(small + "--only " + third["seed"].dump() + " --out " + one.name);
  BOOST_TEST(lines_of(one.name).at(1) == third);
  const File twice("campaign_test_twice.jsonl");
  call(small + "--only " + third["seed"].dump() + "," + third["seed"].dump() + " --out " + twice.name);
  BOOST_TEST(contents(twice.name) == contents(one.name));

  check_refused(small + "--cases 4 --out " + whole.name, "--resume");
  check_refused(small + "--cases 4 --max-steps 7 --resume --out " + whole.name, "other options");
  const File other("campaign_test_other.txt");
  std::ofstream(other.name) << "precious";
  check_refused(small + "--resume --out " + other.name, "not the file of a campaign");
  BOOST_TEST(contents(other.name) == "precious");
}

// Verdicts come from what is recorded; records that are made worse show that every kind of fault is found.
BOOST_AUTO_TEST_CASE(faults_are_found) {
  const File file("campaign_test_faults.jsonl"), report("campaign_test_report.md");
  const std::string again = small + "--cases 4 --resume --out " + file.name;
  call(small + "--cases 4 --out " + file.name);
  std::vector<Json> lines = lines_of(file.name);
  const auto run = [&lines](std::size_t k) -> Json& { return lines.at(k)["runs"][1]; };  // of case k at 1e-6
  for (std::size_t k = 1; k <= 4; ++k) {
    BOOST_REQUIRE(lines[k]["set_aside"] == false);
    BOOST_REQUIRE(run(k)["outcome"] == "finished");
    BOOST_REQUIRE(run(k)["doubts"].empty());
  }
  run(1)["error"] = 1.1e-4 * run(1)["amplification"].get<double>();
  run(2)["error"] = 0.9e-4 * run(2)["amplification"].get<double>();  // right
  run(2)["doubts"] = {"energy_balance"};
  run(3)["outcome"] = "integrator_failure";
  run(3)["error"] = nullptr;
  run(3)["message"] = "";
  lines[2]["runs"][0]["outcome"] = "uncertain_branch";  // and right: as false as a doubt
  lines[2]["runs"][0]["message"] = "passed a singular configuration";
  run(4)["error"] = 1.0;
  run(4)["doubts"] = {"position_violation"};
  write_lines(file.name, lines);

  const Result result = call(again + " --report " + report.name);
  BOOST_TEST(result.exit_code == 3);
  const Json document = Json::parse(result.out);
  BOOST_TEST(document["holds"] == false);
  const auto only = [&document](const char* list) -> Json {
    BOOST_TEST_REQUIRE(document[list].size() == 1U, list);
    return document[list][0]["seed"];
  };
  BOOST_TEST(only("wrong_without_doubt") == lines[1]["seed"]);
  BOOST_TEST_REQUIRE(document["false_doubts"].size() == 2U);
  for (const Json& doubt : document["false_doubts"]) BOOST_TEST(doubt["seed"] == lines[2]["seed"]);
  BOOST_TEST(document["false_doubts"][0]["outcome"] == "uncertain_branch");
  BOOST_TEST(only("failed_without_cause") == lines[3]["seed"]);
  const Json row = document["rows"][1];
  BOOST_TEST(row["wrong_and_doubted"] == 1);
  BOOST_TEST(document["doubts_of_wrong"]["position_violation"] == 1);
  BOOST_TEST(document["outcomes"]["integrator_failure"] == 1);
  const std::string text = contents(report.name);
  for (const char* part : {"--cases 4 --seed 3000 --set validation", "Wrong, finished and without doubt", "Set aside"})
    BOOST_TEST(text.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(wrong_usage) {
  for (const auto& [arguments, part] : {std::pair{"--formulations nonesuch", "nonesuch"},
                                        {"--formulations baumgarte/nonesuch", "nonesuch"},
                                        {"--rtol 1e-12", "1e-9"},
                                        {"--rtol 1e-6,x", "x"},
                                        {"--cases 0", "--cases"},
                                        {"--set both", "--set"},
                                        {"--only 1.5", "--only"},
                                        {"--max-steps 0", "--max-steps"},
                                        {"--resume", "--out"},
                                        {"--out missing_folder/x", "missing_folder/x"},
                                        {"--report missing_folder/x", "missing_folder/x"}})
    check_refused("campaign " + std::string(arguments), part);
}
