// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <iostream>
#include <streambuf>
#include <vector>

#include "commands.hpp"
#include "fuzz.hpp"
#include "shared/interruption.hpp"
#include "sunlagrange/commands.hpp"

/// Command lines, a word a line. The program is interrupted from the start: what is legal is taken apart, built, and
/// ends before its first step.
using namespace sunlagrange;

namespace {

struct Silence : std::streambuf {
  int overflow(int c) override { return c; }
};

/// Words that would write files, wait for devices, or fill the memory as asked for.
bool leaves_the_program(const std::string& word) {
  for (const char* part : {"csv", "dev", "proc"})
    if (word.find(part) != std::string::npos) return true;
  return word.find_first_not_of("0123456789") == std::string::npos && word.size() > 3;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  static Silence silence;
  program::catch_interruptions();
  std::raise(SIGTERM);
  fuzz::expect(program::interrupted(), "not interrupted");
  std::cout.rdbuf(&silence);
  std::cerr.rdbuf(&silence);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words = {"sunlagrange"};
  std::string word;
  for (std::size_t k = 0; k <= size; ++k) {
    if (k < size && data[k] != '\n' && data[k] != 0) {
      word += static_cast<char>(data[k]);
      continue;
    }
    if (leaves_the_program(word) || leaves_the_program(word.substr(word.find('=') + 1))) return 0;
    words.push_back(word);
    word.clear();
  }
  std::vector<const char*> argv;
  for (const std::string& w : words) argv.push_back(w.c_str());
  try {
    const program::Program fuzzed{
        "fuzzed",
        "",
        {{"",
          {program::list_command(), program::run_command(), program::compare_command(), program::validate_command()}}}};
    const int code = program::run_command_line(fuzzed, static_cast<int>(argv.size()), argv.data());
    fuzz::expect(code >= 0 && code <= 4, "exit code " + std::to_string(code));
  } catch (const Error& error) {
    fuzz::expect(std::string(error.what()).size() > 5, std::string("an Error without an explanation: ") + error.what());
  }
  return 0;
}
