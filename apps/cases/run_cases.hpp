#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/study/case_file.hpp>

#include "cases/team.hpp"
#include "shared/json.hpp"

/// Long lists of cases that do not know of each other, as `campaign` and `study` run them.
namespace sunlagrange::program {

struct CaseList {
  CaseFile::Form form;
  std::vector<std::uint64_t> keys;
  unsigned threads = 1;             ///< of each process
  std::optional<std::string> file;  ///< of --out
  bool resume = false;
  std::string heading;                         ///< of the file
  std::function<Json(std::uint64_t key)> run;  ///< thread-safe; a line with `form.key`, the same whoever computes it
  std::function<bool()> go_on = [] { return true; };  ///< before each case: false, and no other begins
};

/// Runs those that the file does not hold yet, on all threads of all processes of the team. A run that Ctrl-C cuts
/// short is dropped.
/// @return what is known of `keys` in the end, at the leader; the others get nothing
/// @throws Error if the file does not fit
std::map<std::uint64_t, Json> run_cases(Team& team, const CaseList& list);

}  // namespace sunlagrange::program
