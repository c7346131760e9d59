// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/study/case_file.hpp>

#include <filesystem>
#include <stdexcept>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/base/whole_file.hpp>

#include "files/json_parameters.hpp"

namespace sunlagrange {

using namespace internal;
namespace fs = std::filesystem;

CaseFile::CaseFile(Form form, std::string file, const std::string& heading, bool resume)
    : form_(std::move(form)), file_(std::move(file)), heading_(Json::parse(heading).dump()) {
  const std::string& option = form_.file_option;
  std::error_code none;
  if (fs::is_directory(file_, none)) throw Error(option + ": \"" + file_ + "\" is a folder; name a file");
  const bool exists = fs::is_regular_file(file_, none) && fs::file_size(file_, none) > 0;
  if (exists && !resume)
    throw Error(option + ": \"" + file_ + "\" exists; add " + form_.resume_option +
                " to go on with it, or choose another name");
  if (exists) read();
  stream_.open(file_, std::ios::app);
  if (!stream_) throw Error(option + ": cannot write \"" + file_ + "\"; check that the folder exists and is writable");
  if (!exists || fs::file_size(file_, none) == 0) write(heading_);
}

void CaseFile::read() {
  const std::string& resume = form_.resume_option;
  std::ifstream in(file_);
  if (!in) throw Error(resume + ": cannot read \"" + file_ + "\"");
  const std::string other =
      resume + ": \"" + file_ + "\" is not the file of a " + form_.command + "; choose another name";
  std::uintmax_t whole = 0;
  std::string line;
  for (long number = 1; std::getline(in, line) && !in.eof(); ++number) {  // the last line may lack its end
    std::string begin = line.substr(0, 60);
    if (number == 1) {
      bool known = false;
      try {
        known = Document(line, file_).root().contains(form_.command);
      } catch (const Error&) {
        throw Error(other + ": \"" + begin + "\"");
      }
      if (!known) throw Error(other);
      require_same(line);
      heading_ = line;
    } else {
      try {
        take(line);
      } catch (const std::exception&) {
        throw Error(resume + ": " + file_ + ":" + std::to_string(number) + ": is no line that " + form_.command +
                    " has written: \"" + begin + "\"; remove it, and its case is run again");
      }
    }
    whole += line.size() + 1;
  }
  in.close();
  if (whole == 0 && heading_.rfind(line, 0) != 0) throw Error(other);  // no part of the heading
  fs::resize_file(file_, whole);
}

/// Returns the number of the case. Throws if the line has none.
std::uint64_t CaseFile::take(const std::string& line) {
  const Document document(line, file_);
  const auto key = document.root().at(form_.key).get_ref<const Json::number_unsigned_t&>();
  if (form_.check) form_.check(line);
  sorted_ = sorted_ && (lines_.empty() || lines_.rbegin()->first < key);
  lines_[key] = line;
  return key;
}

void CaseFile::require_same(const std::string& line) const {
  Json there = Json::parse(line), wanted = Json::parse(heading_);
  if (wanted.contains("digest")) {  // identifies the mechanism; its name changes with that of the model file
    there.erase("name");
    wanted.erase("name");
  }
  if (there == wanted) return;
  const std::string &file = form_.file_option, &resume = form_.resume_option;
  if (there.contains("digest") && there.at("digest") != wanted.value("digest", Json()))
    throw Error(resume + ": the elements, parameters or the start of " + form_.mechanism +
                " are no longer those of \"" + file_ + "\"; bring them back, or begin anew with another name for " +
                file);
  std::string others;
  for (const auto& entry : wanted.items()) {
    const Json was = there.value(entry.key(), Json());
    if (was != entry.value()) others += ", " + entry.key() + " " + was.dump() + " (now " + entry.value().dump() + ")";
  }
  throw Error(resume + ": \"" + file_ + "\" was written with other options" + others +
              "; repeat them, or choose another name");
}

void CaseFile::append(const std::string& line) {
  take(line);
  write(line);
}

void CaseFile::sort() {
  std::error_code trouble;
  if (sorted_ || !fs::is_regular_file(file_, trouble)) return;
  WholeFile sorted(file_, form_.file_option + ": ");
  sorted.stream() << heading_ << "\n";
  for (const auto& [key, line] : lines_) sorted.stream() << line << "\n";
  sorted.commit();
  sorted_ = true;
}

void CaseFile::write(const std::string& line) {
  stream_ << line << "\n" << std::flush;
  if (!stream_)
    throw std::runtime_error(form_.file_option + ": cannot write \"" + file_ + "\"; free some space and go on with " +
                             form_.resume_option);
}

}  // namespace sunlagrange
