#include "shared/output.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

#include <sunlagrange/base/status.hpp>

#include "shared/command.hpp"

namespace sunlagrange::program {
namespace {

namespace fs = std::filesystem;

/// Returns the file that a link points to.
std::string target_of(const std::string& file) {
  std::error_code none;
  return fs::is_symlink(file, none) ? fs::weakly_canonical(file, none).string() : file;
}

bool is_written_directly(const std::string& file) {
  std::error_code none;
  return file.rfind("/dev/", 0) == 0 || file.rfind("/proc/", 0) == 0 || fs::is_other(file, none);
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

OutputFile::OutputFile(std::string file, std::string option) : file_(std::move(file)), option_(std::move(option)) {
  refuse_dash(file_, option_);
  std::error_code none;
  if (fs::is_directory(file_, none)) throw Error(option_ + ": \"" + file_ + "\" is a folder; name a file");
  if (is_written_directly(file_)) {
    written_ = file_;
  } else {
    file_ = target_of(file_);
    written_ = file_ + ".partial-" + std::to_string(getpid());
  }
  stream_.open(written_);
  if (!stream_) throw Error(option_ + ": cannot write \"" + file_ + "\"; check that the folder exists and is writable");
}

OutputFile::~OutputFile() {
  if (written_.empty() || written_ == file_) return;
  stream_.close();
  std::error_code none;
  fs::remove(written_, none);
}

void OutputFile::fail() {
  throw std::runtime_error(option_ + ": cannot write \"" + file_ + "\"" +
                           (errno != 0 ? std::string(" (") + std::strerror(errno) + ")" : "") +
                           "; free some space, or choose another place");
}

void OutputFile::commit() {
  errno = 0;
  stream_.close();
  if (!stream_) fail();
  if (written_ != file_) {
    std::error_code trouble;
    const fs::file_status older = fs::status(file_, trouble);
    if (fs::exists(older)) fs::permissions(written_, older.permissions(), trouble);
    if (std::rename(written_.c_str(), file_.c_str()) != 0) fail();
  }
  written_.clear();
}

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
