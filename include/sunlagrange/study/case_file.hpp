#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>

namespace sunlagrange {

/// A file with one JSON object a line: a heading that says what was asked, then what came of each case, as they come.
/// What is in it survives a kill: every line is written out at once, and one that was cut off is computed again. When
/// all is done the lines are put in the order of the cases: the file does not tell who computed what and when. What
/// `study` and the programs write; one process writes at a time.
class CaseFile {
 public:
  struct Form {
    std::string command;         ///< entry of the heading, whose file it is: "study"
    std::string key;             ///< entry of a line that says which case it is
    std::string mechanism = {};  ///< whose contents are the heading's "digest": a name or a file
    /// Throws, whatever, unless a line has all that is read of it; empty: nothing is.
    std::function<void(const std::string& line)> check = {};
    std::string file_option = "--out", resume_option = "--resume";  ///< of the caller, for messages
  };

  /// @param resume  go on with what is there; else the file must not exist
  /// @throws Error if the file exists, has another heading, cannot be read or written, or holds lines that are none
  CaseFile(Form form, std::string file, const std::string& heading, bool resume);

  /// Lines that are there, by case.
  const std::map<std::uint64_t, std::string>& lines() const { return lines_; }

  /// @param line  as Study::run() gives it @throws std::runtime_error if it could not be written
  void append(const std::string& line);

  /// All is done. @throws std::runtime_error if it could not be written; then the file is as it was
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
