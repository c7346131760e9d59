#pragma once

#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "campaign/case.hpp"
#include "shared/json.hpp"

/// Cases as lines of a file.
namespace sunlagrange::bench {

Json as_json(const CampaignPlan& plan);
Json as_json(const CampaignRun& run);
Json as_json(const CampaignCase& result);

/// A file with one JSON object a line: the plan, then the cases in their order. What is in it survives a kill: every
/// line is written out at once, and one that was cut off is computed again.
class CampaignFile {
 public:
  /// @param resume  go on with what is there; else the file must not exist
  /// @throws Error if the file exists, was written for another plan, cannot be read or written
  CampaignFile(const std::string& file, const CampaignPlan& plan, bool resume);

  /// Cases that were there, by the seed of their mechanism.
  const std::map<std::uint64_t, CampaignCase>& known() const { return known_; }

  /// @throws std::runtime_error if it could not be written
  void append(const CampaignCase& result);

 private:
  void read(const CampaignPlan& plan);
  void write(const Json& line);

  std::string file_;
  std::map<std::uint64_t, CampaignCase> known_;
  std::ofstream stream_;
};

}  // namespace sunlagrange::bench
