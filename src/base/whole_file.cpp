// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/whole_file.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange {
namespace {

namespace fs = std::filesystem;

/// Returns the target of a chain of symbolic links, which need not exist.
std::string behind_links(fs::path file) {
  constexpr int most_links = 40;
  std::error_code none;
  for (int k = 0; k < most_links && fs::is_symlink(file, none); ++k) {
    const fs::path next = fs::read_symlink(file, none);
    file = next.is_absolute() ? next : file.parent_path() / next;
  }
  return file.string();
}

bool is_written_directly(const std::string& file) {
  std::error_code none;
  return file.rfind("/dev/", 0) == 0 || file.rfind("/proc/", 0) == 0 || fs::is_other(file, none);
}

/// Opens a device or a pipe; a pipe without a reader is an error, not a wait without end that no signal interrupts.
/// @return its descriptor, or -1 with errno
int open_now(const std::string& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor < 0) return descriptor;
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0 && fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0) return descriptor;
  const int reason = errno;
  close(descriptor);
  errno = reason;
  return -1;
}

/// Creates a file that did not exist beside `file`. @return its descriptor, or -1 with errno
int create_beside(const std::string& file, std::string& name) {
  constexpr int most_tries = 1000;
  const std::string first = file + ".partial-" + std::to_string(getpid());
  for (int k = 0; k < most_tries; ++k) {
    name = k == 0 ? first : first + "-" + std::to_string(k);
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // without O_EXCL a link
    if (descriptor >= 0 || errno != EEXIST) return descriptor;                                 // would be followed
  }
  return -1;
}

}  // namespace

WholeFile::Buffer::Buffer(int descriptor) : descriptor_(descriptor), memory_(1U << 16) {
  setp(memory_.data(), memory_.data() + memory_.size());
}

WholeFile::Buffer::~Buffer() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int WholeFile::Buffer::sync() {
  const char* from = pbase();
  while (from < pptr()) {
    const ssize_t count = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return -1;
    from += count;
  }
  setp(memory_.data(), memory_.data() + memory_.size());
  return 0;
}

WholeFile::Buffer::int_type WholeFile::Buffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                         : sputc(traits_type::to_char_type(c));
}

bool WholeFile::Buffer::close() {
  const bool written = sync() == 0;
  return ::close(std::exchange(descriptor_, -1)) == 0 && written;
}

WholeFile::WholeFile(std::string file, std::string who)
    : file_(std::move(file)), who_(std::move(who)), stream_(nullptr) {
  std::error_code none;
  if (fs::is_directory(file_, none)) throw Error(who_ + "\"" + file_ + "\" is a folder; name a file");
  int descriptor = -1;
  if (is_written_directly(file_)) {
    descriptor = open_now(file_);
    if (descriptor < 0 && errno == ENXIO && fs::is_fifo(file_, none))
      throw Error(who_ + "cannot write \"" + file_ + "\": nothing reads from it; start the reader of the pipe first");
  } else {
    file_ = behind_links(file_);
    if (fs::is_symlink(file_, none))
      throw Error(who_ + "\"" + file_ + "\" is a link that leads to itself, no regular file; name another");
    std::string name;
    descriptor = create_beside(file_, name);
    if (descriptor >= 0) written_ = name;
  }
  if (descriptor < 0)
    throw Error(who_ + "cannot write \"" + file_ + "\" (" + std::strerror(errno) +
                "); check that the folder exists and is writable");
  buffer_ = std::make_unique<Buffer>(descriptor);
  stream_.rdbuf(buffer_.get());
}

WholeFile::~WholeFile() {
  if (!written_.empty()) std::remove(written_.c_str());
}

void WholeFile::commit() {
  errno = 0;
  bool complete = buffer_->close() && stream_.good();
  if (complete && !written_.empty()) {
    std::error_code trouble;
    const fs::file_status older = fs::status(file_, trouble);
    if (fs::exists(older)) fs::permissions(written_, older.permissions(), trouble);
    complete = std::rename(written_.c_str(), file_.c_str()) == 0;
  }
  if (!complete)
    throw std::runtime_error(who_ + "cannot write \"" + file_ + "\"" +
                             (errno != 0 ? std::string(" (") + std::strerror(errno) + ")" : "") +
                             "; free some space, or choose another place");
  written_.clear();
}

}  // namespace sunlagrange
