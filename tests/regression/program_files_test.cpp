// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>

#include "described_keys.hpp"
#include "programs.hpp"

/// The output of the programs: files, streams, and the state of the files after an interruption.
using namespace sunlagrange::test;
using Json = nlohmann::json;

BOOST_AUTO_TEST_CASE(an_interrupted_run_writes_what_it_has) {
  const std::string csv = "program_files_test_interrupted.csv";
  for (const int signal : {SIGINT, SIGTERM}) {
    std::remove(csv.c_str());
    const auto under_way = [&csv](pid_t pid, const std::string&) {
      return std::ifstream(csv + ".partial-" + std::to_string(pid)).good();
    };
    const Result result = call_and_signal(
        {"run", "pendulum", "--t-end", "1e9", "--max-steps", "1000000000", "--csv", csv, "--every", "1000", "--json"},
        signal, "program_files_test_interrupted.json", under_way);
    BOOST_TEST(result.exit_code == 130);
    const Json run = record(result);
    BOOST_TEST(run["status"] == "interrupted");
    check_keys(run, record_keys());
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
  const Result result = call_and_signal(
      {"compare", "pendulum", "--t-end", "20000", "--formulations", "baumgarte", "--integrators", "rk4,dopri5",
       "--steps", "5", "--rtols", "1e-4,1e-12", "--max-steps", "1000000000", "--progress"},
      SIGINT, "program_files_test_compare.txt", [](pid_t, const std::string& written) {
        return written.find("/3] pendulum, baumgarte, dopri5") != std::string::npos;  // not the first
      });
  BOOST_TEST(result.exit_code == 130);
  BOOST_TEST(result.out.find("interrupted [") != std::string::npos, result.out);
  BOOST_TEST(result.out.find("runs finished") != std::string::npos, result.out);  // the verdict
  BOOST_TEST(result.out.find(" rk4 ") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_CASE(output_that_cannot_be_written_is_exit_code_1) {
  for (const char* command : {"run pendulum --json", "list", "compare pendulum --formulations baumgarte --rtols 1e-4",
                              "validate pendulum", "--help"}) {
    for (const char* where : {" > /dev/full", " >&-"}) BOOST_TEST(call(std::string(command) + where).exit_code == 1);
  }
  const std::string csv = "program_files_test_closed.csv";
  BOOST_TEST(call("run pendulum --csv " + csv + " >&-").exit_code == 1);
  BOOST_TEST(contents(csv).rfind("t,bob[0],", 0) == 0U);  // and nothing but the trajectory
  BOOST_TEST(contents(csv).find("status") == std::string::npos);
  std::remove(csv.c_str());
  const Result full = call("run pendulum --csv /dev/full --json");
  BOOST_TEST(full.exit_code == 1);
  BOOST_TEST(record(full)["status"] == "finished");  // the report is there all the same
}

BOOST_AUTO_TEST_CASE(a_file_is_replaced_only_by_a_complete_one) {
  namespace fs = std::filesystem;
  const fs::path folder = "program_files_test_files";
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
  for (const char* option : {"run pendulum --csv", "run pendulum --checkpoint", "modes pendulum --state-space",
                             "study pendulum --vary rod.L=1 --out", "work-precision pendulum --csv"})
    check_refused(option + std::string(" -"), "\"-\" is not a file name");
  BOOST_TEST(!fs::exists("-"));
  check_refused("run pendulum --csv " + csv + " --html " + csv, "--csv, --html");
  check_refused("modes pendulum --html " + csv + " --state-space " + csv, "--html, --state-space");
  check_refused("campaign --cases 1 --report " + csv + " --out " + csv, "--out, --report");
  BOOST_TEST(contents(csv) == "precious");
  BOOST_TEST(call("run pendulum --t-end 0.5 --csv " + csv).exit_code == 0);
  BOOST_TEST(contents(csv).rfind("t,bob[0],", 0) == 0U);
  BOOST_TEST((fs::status(csv).permissions() == (fs::perms::owner_read | fs::perms::owner_write)));
  fs::create_symlink("run.csv", folder / "link.csv");
  BOOST_TEST(call("run pendulum --t-end 0.25 --csv " + (folder / "link.csv").string()).exit_code == 0);
  BOOST_TEST(fs::is_symlink(folder / "link.csv"));
  BOOST_TEST(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);  // nothing left over
  fs::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(what_a_command_reads_is_not_overwritten) {
  namespace fs = std::filesystem;
  const fs::path folder = "program_files_test_inputs";
  fs::remove_all(folder);
  fs::create_directory(folder);
  const auto in_folder = [&folder](const char* name) { return (folder / name).string(); };
  const std::string model = in_folder("work.json"), link = in_folder("link"), saved = in_folder("saved.json"),
                    data = in_folder("data.csv"), table = in_folder("table.json"), robot = in_folder("robot.urdf");
  std::ofstream(model) << call("export pendulum").out;
  fs::create_symlink("work.json", link);
  std::ofstream(data) << "t,bob[0]\n0,1\n1,2\n2,3\n3,4\n";
  std::ofstream(robot) << "<robot name=\"r\"><link name=\"a\"/></robot>";
  write_ssp3(table);
  BOOST_REQUIRE(call("run " + model + " --t-end 0.5 --checkpoint " + saved).exit_code == 0);
  const auto untouched = [](const std::string& file, const std::string& arguments) {
    const std::string before = contents(file);
    check_refused(arguments, "is read, as ");
    BOOST_TEST(!before.empty());
    BOOST_TEST(contents(file) == before, arguments);
  };
  for (const char* command :
       {"run MODEL --csv", "run MODEL --html", "run MODEL --checkpoint", "modes MODEL --html",
        "modes MODEL --state-space", "equilibrium MODEL --html", "work-precision pendulum MODEL --csv",
        "scale MODEL --csv", "stability MODEL --integrator rk4 --csv", "adaptive-vs-fixed MODEL --csv",
        "study MODEL --vary rod.L=1 --out", "study MODEL --vary rod.L=1 --resume --out",
        "kinematics MODEL --coordinate bob[0] --from 0 --to 1 --html",
        "workspace MODEL --point bob --drive bob[0]=0:1 --html", "sensitivities MODEL --parameter rod.L --html",
        "sensitivities MODEL --functional \"final bob[0]\" --html",
        "identify MODEL --data absent.csv --parameter rod.L --html"}) {
    std::string words = command;
    words.replace(words.find("MODEL"), 5, model);
    untouched(model, words + " " + model);
    untouched(model, words + " " + in_folder("./work.json"));
    untouched(model, words + " " + link);
  }
  untouched(model, "report " + model + " --quick --out " + folder.string());
  const fs::path pictures = folder / "pictures";  // a picture would follow the link
  fs::create_directory(pictures);
  fs::create_symlink("../work.json", pictures / "stability_rk4.dat");
  for (const char* name : {"index.html", "drift.csv", "work.csv"}) {
    fs::create_symlink("../work.json", pictures / name);
    untouched(model, "report " + model + " --quick --out " + pictures.string());
    fs::remove(pictures / name);
  }
  for (const char* command : {"stability ", "adaptive-vs-fixed "})
    untouched(model, command + model + (*command == 's' ? " --integrator rk4" : "") + " --out " + pictures.string());
  for (const char* option : {" --csv ", " --html "}) {
    untouched(saved, "run " + model + " --t-end 1 --resume " + saved + option + saved);
    untouched(table, "run pendulum --integrator table --step 1e-2 --table " + table + option + table);
  }
  untouched(data, "identify pendulum --parameter rod.L --data " + data + " --html " + data);
  untouched(data, "kinematics pendulum --motion " + data + " --html " + data);
#if SUNLAGRANGE_TEST_URDF
  untouched(robot, "import " + robot + " -o " + robot);
#endif
  const std::string again = "run " + model + " --t-end 1 --resume " + saved;
  BOOST_TEST(call(again + " --checkpoint " + saved).exit_code == 0);  // goes on with its own file
  const std::string here = "cd " + folder.string() + " && '" SUNLAGRANGE_PROGRAM "' ";
  BOOST_TEST(shell(here + "run pendulum --t-end 0.1 --csv pendulum").exit_code == 0);  // the name is not that of a file
  fs::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(an_exported_model_is_one_that_run_takes) {
  for (const auto& [options, complaint] : {std::pair("--formulation gll", "gll"),
                                           {"--formulation ggl/rk4", "does not go with integrator rk4"},
                                           {"--formulation baumgarte/xyz", "xyz"},
                                           {"--atol -1", "\natol = -1"},
                                           {"--gains K_D=-3", "K_D = -3"},
                                           {"--linear-solver foo", "foo"},
                                           {"--max-steps -4", "max_steps = -4"},
                                           {"--t-end -1", "t_end = -1"}})
    check_refused("export pendulum " + std::string(options), complaint);
  const std::string file = "program_files_test_exported.json";
  for (const char* options : {"--formulation ggl", "--formulation projected/dopri5", "--atol 1e-3", "--gains K_D=3"}) {
    std::ofstream(file) << call("export pendulum " + std::string(options)).out;
    const Json direct =
        record(call("run pendulum --t-end 0.5 --json " + (std::string(options).find("dopri5") == std::string::npos
                                                              ? std::string(options)
                                                              : "--formulation projected --integrator dopri5")));
    const Json exported = record(call("run " + file + " --t-end 0.5 --json"));
    for (const char* key : {"formulation", "integrator", "rtol", "atol", "q_end", "steps"})
      BOOST_TEST(exported[key] == direct[key], options << ": " << key);
  }
  std::ofstream(file) << call("export pendulum --formulation baumgarte/rk4").out;  // the step is left to the run
  BOOST_TEST(call("run " + file + " --t-end 0.5 --step 1e-2").exit_code == 0);
  const Json of_file = Json::parse(call("export " + file + " --atol 1e-3").out);
  BOOST_TEST(of_file["simulation"]["atol"] == 1e-3);
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(rows_of_the_trajectory_are_chosen) {
  const std::string csv = "program_files_test_rows.csv";
  const auto times = [&csv](const std::string& options) {
    BOOST_TEST(call("run pendulum --t-end 1 --csv " + csv + " " + options).exit_code == 0, options);
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
  // 1 + 2 x 120 + 80 numbers a row: a file for which nobody chose the rows has at most a million numbers
  const std::string errors = "program_files_test_rows.txt";
  const auto rows_of_chain = [&](const std::string& options) {
    BOOST_TEST(
        call("run chain --size 40 --t-end 3.5 --integrator rk2 --step 1e-3 --csv " + csv + options, errors).exit_code !=
        2);
    const std::string text = contents(csv);
    std::remove(csv.c_str());
    return std::count(text.begin(), text.end(), '\n') - 1;
  };
  const long most = 1000000 / 321, of_chain = rows_of_chain("");
  BOOST_TEST(of_chain <= most);
  BOOST_TEST(of_chain > most / 2);
  BOOST_TEST(contents(errors).find("--every 1") != std::string::npos, contents(errors));
  BOOST_TEST(rows_of_chain(" --every 1") == 3501);
  std::remove(errors.c_str());
  check_refused("run pendulum --csv " + csv + " --output-step 0.1 --every 2", "choose one");
  check_refused("run pendulum --csv " + csv + " --output-step 1e-12", "rows");
  check_refused("run pendulum --csv " + csv + " --output-step 0", "--output-step");
  check_refused("run pendulum --csv " + csv + " --every 0", "--every");
  check_refused("run pendulum --csv " + csv + " --output-times 0.2,0.1", "later than the time before");
}
