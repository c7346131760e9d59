// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/base/whole_file.hpp>

/// Output of the programs: it is written completely, or there is an error.
namespace sunlagrange::program {

/// A WholeFile that an option of the program names. The name "-" is refused.
class OutputFile : public WholeFile {
 public:
  /// @param option  the option that names the file, for messages
  /// @throws Error if it cannot be written; an older file is untouched
  OutputFile(const std::string& file, const std::string& option);
};

/// Refuses the name "-", by which other programs mean stdout. @throws Error naming the option
void refuse_dash(const std::string& file, const std::string& option);

/// A file and the option that names it.
struct NamedFile {
  std::string option, file;  ///< the file is empty if the option is not given
};

/// Refuses the name "-", and one file for two outputs. @throws Error
void refuse_one_file_for_two(const std::vector<NamedFile>& outputs);

/// Refuses an output that would replace the input; links are followed. @throws Error
void refuse_input_as_output(const NamedFile& input, const NamedFile& output);

/// Returns the files of a folder that a new picture may replace: pictures, their scripts and their data (png, svg, pdf,
/// gp, dat).
std::vector<NamedFile> pictures_in(const NamedFile& folder);

/// Makes the folder of --out if it is absent. @throws Error if it cannot
void make_folder(const std::string& folder);

/// Writes `contents` as an OutputFile.
void write_file(const std::string& file, const std::string& contents, const std::string& option);

/// Makes writing to a closed standard stream, or to a pipe without a reader, an error. Call it before any file is
/// opened: otherwise the next opened file would take the place of a closed stream.
void protect_standard_streams();

/// Flushes stdout. @return false, after a message on stderr, if not everything could be written
bool flush_stdout();

}  // namespace sunlagrange::program
