#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "shared/json.hpp"

namespace sunlagrange::bench {

/// A file with one JSON object a line: a heading that says what was asked, then what came of each case, as they come.
/// What is in it survives a kill: every line is written out at once, and one that was cut off is computed again. When
/// all is done the lines are put in the order of the cases: the file does not tell who computed what and when.
class CaseFile {
 public:
  struct Form {
    const char* command;         ///< that writes such files, for messages
    const char* key;             ///< entry of a line that says which case it is
    std::string mechanism = {};  ///< whose contents are the heading's "digest": a name or a file
    /// Throws nlohmann::json::exception unless a line has all that is read of it; empty: nothing is.
    std::function<void(const Json& line)> check = {};
  };

  /// @param resume  go on with what is there; else the file must not exist
  /// @throws Error if the file exists, has another heading, cannot be read or written
  CaseFile(const Form& form, std::string file, const Json& heading, bool resume);

  /// Lines that are there, by case.
  const std::map<std::uint64_t, Json>& lines() const { return lines_; }

  /// @throws std::runtime_error if it could not be written
  void append(std::uint64_t key, const Json& line);

  /// All is done. @throws std::runtime_error if it could not be written; then the file is as it was
  void sort();

 private:
  void read();
  void take(Json line);
  void require_same(const Json& there) const;
  void write(const Json& line);

  Form form_;
  std::string file_;
  std::string heading_;
  std::map<std::uint64_t, Json> lines_;
  bool sorted_ = true;
  std::ofstream stream_;
};

}  // namespace sunlagrange::bench
