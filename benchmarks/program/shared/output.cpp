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

namespace sunlagrange::bench {
namespace {

namespace fs = std::filesystem;

/// Where a link leads to.
std::string target_of(const std::string& file) {
  std::error_code none;
  return fs::is_symlink(file, none) ? fs::weakly_canonical(file, none).string() : file;
}

bool is_written_directly(const std::string& file) {
  std::error_code none;
  return file.rfind("/dev/", 0) == 0 || file.rfind("/proc/", 0) == 0 || fs::is_other(file, none);
}

}  // namespace

void refuse_dash(const std::string& file, const std::string& option) {
  if (file == "-")
    throw Error(option +
                ": \"-\" is no name of a file: stdout has the text or, with --json, the document; write ./- if you "
                "mean a file of that name");
}

void refuse_one_file_for_two(const std::vector<std::pair<const char*, std::string>>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    refuse_dash(outputs[i].second, outputs[i].first);
    for (std::size_t j = 0; j < i; ++j) {
      const std::string &one = outputs[j].second, &other = outputs[i].second;
      std::error_code none;
      if (one.empty() || other.empty() || fs::is_other(other, none)) continue;  // a pipe takes both
      if (fs::weakly_canonical(fs::absolute(one, none), none) == fs::weakly_canonical(fs::absolute(other, none), none))
        throw Error(std::string(outputs[j].first) + ", " + outputs[i].first + ": \"" + other +
                    "\" cannot be both; name two files");
    }
  }
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
      if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) return;  // the lowest free number
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
}

bool flush_stdout() {
  errno = 0;
  std::cout.flush();
  if (std::cout) return true;
  std::cerr << "sunlagrange-bench: stdout: not everything could be written"
            << (errno != 0 ? std::string(" (") + std::strerror(errno) + ")" : "") << "\n";
  return false;
}

}  // namespace sunlagrange::bench
