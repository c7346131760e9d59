// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

/// The programs as scripts see them: exit codes, the JSON document, files. SUNLAGRANGE_PROGRAM and SUNLAGRANGE_BENCH
/// are the paths of sunlagrange and sunlagrange-bench.
namespace sunlagrange::test {

struct Result {
  int exit_code = -1;
  std::string out;  ///< stdout only
};

inline std::string contents(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What a page shows.
inline nlohmann::json page_data(const std::string& file) {
  const std::string html = contents(file), mark = "id=\"data\">";
  const std::size_t begin = html.find(mark);
  BOOST_REQUIRE_MESSAGE(begin != std::string::npos, file);
  const std::size_t end = html.find("</script>", begin);
  return nlohmann::json::parse(html.substr(begin + mark.size(), end - begin - mark.size()));
}

inline Result shell(const std::string& command) {
  Result result;
  FILE* pipe = popen(command.c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) result.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

/// Returns the words of a text.
inline std::set<std::string> names(const std::string& text) {
  std::istringstream words(text);
  std::set<std::string> found;
  for (std::string word; words >> word;) found.insert(word);
  return found;
}

/// Returns the path of the program that a command belongs to; `report` is the one of sunlagrange-bench.
inline const char* program_of(const std::string& command) {
  static const std::set<std::string> comparisons = names(
      "compare work-precision stability adaptive-vs-fixed certify gain-scan validate campaign figures report "
      "scale");
  return comparisons.count(command.substr(0, command.find(' '))) != 0 ? SUNLAGRANGE_BENCH : SUNLAGRANGE_PROGRAM;
}

/// Calls a program; by default the one that the first of the arguments, a command, belongs to.
inline Result call(const std::string& arguments, const std::string& error_file = "/dev/null",
                   const char* program = nullptr) {
  if (program == nullptr) program = program_of(arguments);
  return shell(std::string("'") + program + "' " + arguments + " 2>" + error_file);
}

/// Starts the program and sends it a signal as soon as `under_way` finds, by its process id and what it wrote to stdout
/// and stderr, that it is where the test wants it.
inline Result call_and_signal(const std::vector<std::string>& words, int signal, const std::string& out_file,
                              const std::function<bool(pid_t, const std::string& written)>& under_way) {
  const char* const program = program_of(words.front());
  std::vector<char*> arguments = {const_cast<char*>(program)};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::remove(out_file.c_str());
  const pid_t child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    const int out = open(out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int errors = open((out_file + ".errors").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    std::signal(signal, SIG_DFL);
    if (dup2(out, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0) execv(program, arguments.data());
    _exit(127);
  }
  Result result;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (under_way(child, contents(out_file) + contents(out_file + ".errors"))) {
      kill(child, signal);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = contents(out_file);
  std::remove(out_file.c_str());
  std::remove((out_file + ".errors").c_str());
  return result;
}

/// As at a terminal with so many columns, without colours unless `environment` says otherwise; needs script(1).
inline Result call_at_terminal(const std::string& arguments, int columns,
                               const std::string& environment = "NO_COLOR=1") {
  return shell(environment + " COLUMNS=" + std::to_string(columns) + " script -qec \"'" + program_of(arguments) + "' " +
               arguments + " 2> /dev/null\" /dev/null < /dev/null | tr -d '\\r'");
}

/// Checks wrong usage: exit code 2, nothing on stdout, a message on stderr that contains `part`.
inline void check_refused(const std::string& arguments, const std::string& part, const char* program = nullptr) {
  BOOST_TEST_CONTEXT(arguments) {
    const std::string file = "refused_" + std::to_string(getpid()) + ".txt";  // tests run at the same time
    const Result result = call(arguments, file, program);
    BOOST_TEST(result.exit_code == 2);
    BOOST_TEST(result.out == "");
    const std::string errors = contents(file);
    BOOST_TEST(errors.find(part) != std::string::npos, "\"" << part << "\" is not in: " << errors);
    std::remove(file.c_str());
  }
}

inline std::set<std::string> keys_of(const nlohmann::json& object) {
  std::set<std::string> found;
  for (const auto& item : object.items()) found.insert(item.key());
  return found;
}

/// Checks that an object has these keys and no others.
inline void check_keys(const nlohmann::json& object, const std::set<std::string>& keys) {
  BOOST_TEST(keys_of(object) == keys, boost::test_tools::per_element());
}
inline void check_keys(const nlohmann::json& object, const std::string& keys) {
  check_keys(object, names(keys));
}

/// The only record of a run with --json.
inline nlohmann::json record(const Result& result) {
  const nlohmann::json document = nlohmann::json::parse(result.out);  // throws if stdout is not exactly one document
  BOOST_REQUIRE(document.at("schema") == 1);
  BOOST_REQUIRE(document.size() == 2U);
  BOOST_REQUIRE(document.at("runs").size() == 1U);
  return document.at("runs").at(0);
}

/// A three-stage method of order 3 that is none of rk1 ... rk4, for --table.
inline void write_ssp3(const std::string& file) {
  std::ofstream(file) << R"({"name":"SSP3","A":[[],[1],[0.25,0.25]],"b":[0.16666666666666667,0.16666666666666667,)"
                      << R"(0.66666666666666667],"c":[0,1,0.5],"order":3})";
}

}  // namespace sunlagrange::test
