// SPDX-License-Identifier: BSD-3-Clause
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

/// Long lists of independent cases, which `campaign` and `study` run.
namespace sunlagrange::program {

struct CaseList {
  CaseFile::Form form;
  std::vector<std::uint64_t> keys;
  unsigned threads = 1;             ///< number of threads of each process
  std::optional<std::string> file;  ///< the file of --out
  bool resume = false;
  std::string heading;  ///< first line of the file
  std::function<Json(std::uint64_t key)>
      run;  ///< thread-safe; returns a line with `form.key`, the same in every process
  std::function<bool()> go_on = [] { return true; };  ///< called before each case; false starts no further case
};

/// Runs the cases that the file does not contain yet, on all threads of all processes of the team. An interrupted case
/// is dropped.
/// @return the known results of `keys` in the leading process, nothing in the others
/// @throws Error if the file belongs to other cases
std::map<std::uint64_t, Json> run_cases(Team& team, const CaseList& list);

}  // namespace sunlagrange::program
