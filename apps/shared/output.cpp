// SPDX-License-Identifier: BSD-3-Clause
#include "shared/output.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

#include <sunlagrange/base/status.hpp>

#include "shared/command.hpp"

namespace sunlagrange::program {
namespace {

namespace fs = std::filesystem;

std::string not_a_dash(const std::string& file, const std::string& option) {
  refuse_dash(file, option);
  return file;
}

bool are_one_file(const std::string& one, const std::string& other) {
  std::error_code none;
  if (one.empty() || other.empty() || fs::is_other(other, none)) return false;  // a pipe can take both
  return fs::weakly_canonical(fs::absolute(one, none), none) == fs::weakly_canonical(fs::absolute(other, none), none);
}

}  // namespace

void refuse_dash(const std::string& file, const std::string& option) {
  if (file == "-")
    throw Error(option +
                ": \"-\" is not a file name; stdout has the text or, with --json, the document. Write ./- for a file "
                "of that name");
}

void refuse_one_file_for_two(const std::vector<NamedFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    refuse_dash(outputs[i].file, outputs[i].option);
    for (std::size_t j = 0; j < i; ++j) {
      if (are_one_file(outputs[j].file, outputs[i].file))
        throw Error(outputs[j].option + ", " + outputs[i].option + ": \"" + outputs[i].file +
                    "\" cannot be both files; name two files");
    }
  }
}

void refuse_input_as_output(const NamedFile& input, const NamedFile& output) {
  std::error_code none;
  if (fs::is_regular_file(input.file, none) && are_one_file(input.file, output.file))
    throw Error(output.option + ": \"" + output.file + "\" is read, as " + input.option +
                " and would be overwritten; name another file");
}

std::vector<NamedFile> pictures_in(const NamedFile& folder) {
  std::vector<NamedFile> pictures;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.file, none)) {
    for (const char* kind : {".png", ".svg", ".pdf", ".gp", ".dat"})
      if (entry.path().extension() == kind) pictures.push_back({folder.option, entry.path().string()});
  }
  return pictures;
}

OutputFile::OutputFile(const std::string& file, const std::string& option)
    : WholeFile(not_a_dash(file, option), option + ": ") {}

void make_folder(const std::string& folder) {
  refuse_dash(folder, "--out");
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) throw Error("--out: cannot create \"" + folder + "\": " + trouble.message());
}

void write_file(const std::string& file, const std::string& contents, const std::string& option) {
  OutputFile out(file, option);
  out.stream() << contents;
  out.commit();
}

void protect_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF) {
      if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
        return;  // open() returns the lowest free number
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
}

bool flush_stdout() {
  errno = 0;
  std::cout.flush();
  if (std::cout) return true;
  std::cerr << program_name() << ": stdout: not everything could be written"
            << (errno != 0 ? std::string(" (") + std::strerror(errno) + ")" : "") << "\n";
  return false;
}

}  // namespace sunlagrange::program
