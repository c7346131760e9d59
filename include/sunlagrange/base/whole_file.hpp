// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

namespace sunlagrange {

/// A file that is complete whenever it has its name. It is written into a new file of the same folder, FILE.partial-PID
/// (with -1, -2, ... behind it where such a file exists), which takes the name at commit(). The new file is created
/// exclusively: neither a file of that name nor one behind a link of that name is written to. If the file itself is a
/// link, the file that it points to is replaced. Devices, pipes and files in /proc are written directly.
///
///     WholeFile file("motion.csv");
///     file.stream() << "t,x\n";
///     file.commit();
class WholeFile {
 public:
  /// @param who  begins each message, e.g. "--csv: "
  /// @throws Error if the file is a folder or cannot be written; an older file is untouched
  explicit WholeFile(std::string file, std::string who = "");
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  /// Removes the unfinished file if commit() was not called.
  ~WholeFile();

  /// The stream into the new file; its errors show at commit().
  std::ostream& stream() { return stream_; }

  /// Replaces the file. @throws std::runtime_error, which is no Error, if not everything was written, e.g. because the
  /// disk is full; an older file is untouched
  void commit();

 private:
  /// Writes into a file descriptor.
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(int descriptor);
    ~Buffer() override;
    /// @return false if not everything was written
    bool close();

   protected:
    int_type overflow(int_type c) override;
    int sync() override;

   private:
    int descriptor_;
    std::vector<char> memory_;
  };

  std::string file_, who_;
  std::string written_;  ///< name under which it is written until commit(); empty: nothing is to be removed
  std::unique_ptr<Buffer> buffer_;
  std::ostream stream_;
};

}  // namespace sunlagrange
