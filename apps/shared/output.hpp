#pragma once

#include <fstream>
#include <string>
#include <vector>

/// What the program writes: complete, or an error.
namespace sunlagrange::program {

/// A file that takes the place of an older one only when it is complete: it is written under another name in the same
/// folder and renamed at the end. Devices and pipes are written directly.
class OutputFile {
 public:
  /// @param option  that names it, for messages
  /// @throws Error if it cannot be written; an older file is untouched
  OutputFile(std::string file, std::string option);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without commit() nothing has happened.
  ~OutputFile();

  std::ostream& stream() { return stream_; }

  /// @throws std::runtime_error if not everything was written (disk full); an older file is untouched
  void commit();

 private:
  [[noreturn]] void fail();

  std::string file_, option_;
  std::string written_;  ///< under this name
  std::ofstream stream_;
};

/// @throws Error naming the option if the file is called "-", which other programs take for stdout
void refuse_dash(const std::string& file, const std::string& option);

/// A file, and the option that names it, as typed.
struct NamedFile {
  std::string option, file;  ///< file empty: not given
};

/// @throws Error if two of them would have to be the same file, as refuse_dash()
void refuse_one_file_for_two(const std::vector<NamedFile>& outputs);

/// @throws Error if the output would take the place of the input; links are followed
void refuse_input_as_output(const NamedFile& input, const NamedFile& output);

/// What is in a folder and has the name of a picture, its script or its data (png, svg, pdf, gp, dat): a picture may
/// take its place.
std::vector<NamedFile> pictures_in(const NamedFile& folder);

/// Makes the folder of --out if it is absent. @throws Error if it cannot
void make_folder(const std::string& folder);

/// `contents` as an OutputFile.
void write_file(const std::string& file, const std::string& contents, const std::string& option);

/// To be called first: a standard stream that is closed is an error when written to, not the next file that is opened;
/// so is a pipe that nobody reads any more.
void protect_standard_streams();

/// Writes out what stdout holds. @return false: not everything could be written, a message is on stderr
bool flush_stdout();

}  // namespace sunlagrange::program
