// SPDX-License-Identifier: BSD-3-Clause
#include "cases/run_cases.hpp"

#include <nlohmann/json.hpp>

#include "shared/interruption.hpp"
#include "shared/progress.hpp"

namespace sunlagrange::program {

std::map<std::uint64_t, Json> run_cases(Team& team, const CaseList& list) {
  std::optional<CaseFile> file;
  std::map<std::uint64_t, Json> known;
  std::vector<std::uint64_t> open;
  if (team.leads()) {
    if (list.file.has_value()) file.emplace(list.form, *list.file, list.heading, list.resume);
    for (const std::uint64_t key : list.keys) {
      const bool there = file.has_value() && file->lines().count(key) > 0;
      if (there)
        known[key] = Json::parse(file->lines().at(key));
      else
        open.push_back(key);
    }
  }
  team.share(open);
  Tally tally(open.size());
  team.run(
      open.size(), list.threads,
      [&](std::size_t k) {
        std::string line;
        const bool whole = completed([&] { line = list.run(open[k]).dump(); });
        return whole ? line : std::string();
      },
      [&](const std::string& line) {
        const Json json = Json::parse(line);
        const auto key = json.at(list.form.key).get<std::uint64_t>();
        if (file.has_value()) file->append(line);
        known[key] = json;
        tally.next(std::string("case ") + std::to_string(key) + " done");
      },
      list.go_on);
  if (file.has_value() && known.size() == list.keys.size()) file->sort();
  return known;
}

}  // namespace sunlagrange::program
