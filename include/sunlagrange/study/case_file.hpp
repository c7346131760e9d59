// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>

namespace sunlagrange {

/// A file with one JSON object a line: a heading with the description of the study, then the results of each case in
/// the order in which they finish. Every line is written at once, so that a killed program loses no finished case; a
/// line that was cut off is computed again. At the end the lines are sorted by case, so that the file does not depend
/// on threads and machines. One process writes at a time. `study` of both programs writes such files.
class CaseFile {
 public:
  /// The names of the fields in the lines of a file.
  struct Form {
    std::string command;         ///< entry of the heading that names the command: "study"
    std::string key;             ///< entry of a line that has the number of the case
    std::string mechanism = {};  ///< name or file of the mechanism whose contents the heading's "digest" stands for
    /// Throws any exception unless a line has every field that is read of it. Empty: lines are not checked.
    std::function<void(const std::string& line)> check = {};
    std::string file_option = "--out", resume_option = "--resume";  ///< options of the program, for messages
  };

  /// @param resume  true: continues the file; false: the file must not exist
  /// @throws Error if the file exists, has another heading, cannot be read or written, or has lines that are no results
  CaseFile(Form form, std::string file, const std::string& heading, bool resume);

  /// Returns the lines of the file by case.
  const std::map<std::uint64_t, std::string>& lines() const { return lines_; }

  /// Appends a line as Study::run() returns it. @throws std::runtime_error if it could not be written
  void append(const std::string& line);

  /// Sorts the lines by case. @throws std::runtime_error if the file could not be written; then it is as before
  void sort();

 private:
  void read();
  std::uint64_t take(const std::string& line);
  void require_same(const std::string& there) const;
  void write(const std::string& line);

  Form form_;
  std::string file_;
  std::string heading_;
  std::map<std::uint64_t, std::string> lines_;
  bool sorted_ = true;
  std::ofstream stream_;
};

}  // namespace sunlagrange
