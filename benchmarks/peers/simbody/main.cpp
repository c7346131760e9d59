// SPDX-License-Identifier: BSD-3-Clause
/// Simbody, programs written by hand and simulate() on the same mechanisms at the same error, in one process.
///
///     sunlagrange-beside-simbody [--rounds R] [--limit SECONDS] [--json FILE] [CASE...]
///
/// Every method tries its tolerances from loose to tight until the error of this one and the next is small enough (no
/// lucky hits). What has got there runs R times more (5), all in turn; a method stops taking part after ten seconds or
/// when it is three times slower than the best of its program. Times are medians of processor time, set-up included; a
/// run is given up after --limit seconds (100). Without CASE all are measured; --list names them.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "cases.hpp"
#include "comparison.hpp"

namespace sunlagrange::peers {
namespace {

int run(int argc, char** argv) {
  int rounds = 5;
  double limit = 100.0;
  std::string file;
  std::vector<std::string> names;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const bool more = k + 1 < argc;
    if (word == "--list") {
      for (const Case& c : cases(limit)) std::printf("%s\n", c.name.c_str());
      return 0;
    }
    if (word == "--rounds" && more)
      rounds = std::atoi(argv[++k]);
    else if (word == "--limit" && more)
      limit = std::atof(argv[++k]);
    else if (word == "--json" && more)
      file = argv[++k];
    else
      names.push_back(word);
  }
  std::vector<Comparison> all;
  for (const Case& c : cases(limit)) {
    bool asked = names.empty();
    for (const std::string& name : names) asked = asked || c.name == name;
    if (!asked) continue;
    all.push_back(compare(c, rounds));
    print(all.back());
  }
  if (all.empty()) {
    std::fprintf(stderr, "no such case: --list names them\n");
    return 2;
  }
  if (!file.empty()) std::ofstream(file) << json_text(all);
  return 0;
}

}  // namespace
}  // namespace sunlagrange::peers

int main(int argc, char** argv) {
  return sunlagrange::peers::run(argc, argv);
}
