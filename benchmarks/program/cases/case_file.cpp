#include "cases/case_file.hpp"

#include <filesystem>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include <sunlagrange/base/status.hpp>

#include "shared/output.hpp"

namespace sunlagrange::bench {

namespace fs = std::filesystem;

CaseFile::CaseFile(const Form& form, std::string file, const Json& heading, bool resume)
    : form_(form), file_(std::move(file)), heading_(heading.dump()) {
  std::error_code none;
  const bool exists = fs::is_regular_file(file_, none) && fs::file_size(file_, none) > 0;
  if (exists && !resume)
    throw Error("--out: \"" + file_ + "\" exists; add --resume to go on with it, or choose another name");
  if (exists) read();
  stream_.open(file_, std::ios::app);
  if (!stream_) throw Error("--out: cannot write \"" + file_ + "\"; check that the folder exists and is writable");
  if (!exists || fs::file_size(file_, none) == 0) write(Json::parse(heading_));
}

void CaseFile::read() {
  std::ifstream in(file_);
  if (!in) throw Error("--resume: cannot read \"" + file_ + "\"");
  const std::string other =
      "--resume: \"" + file_ + "\" is not the file of a " + form_.command + "; choose another name";
  std::uintmax_t whole = 0;
  std::string line;
  for (long number = 1; std::getline(in, line) && !in.eof(); ++number) {  // the last line may lack its end
    try {
      Json json = Json::parse(line);
      if (number > 1)
        take(std::move(json));
      else if (!json.contains(form_.command))
        throw Error(other);
      else
        require_same(json);
    } catch (const nlohmann::json::exception&) {
      throw Error(number == 1
                      ? other + ": \"" + line.substr(0, 60) + "\""
                      : "--resume: " + file_ + ":" + std::to_string(number) + ": is no line that " + form_.command +
                            " has written: \"" + line.substr(0, 60) + "\"; remove it, and its case is run again");
    }
    whole += line.size() + 1;
  }
  in.close();
  if (whole == 0 && heading_.rfind(line, 0) != 0) throw Error(other);  // not even a part of the heading
  fs::resize_file(file_, whole);
}

/// @throws nlohmann::json::exception if it is no line of a case
void CaseFile::take(Json line) {
  const auto key = line.at(form_.key).get_ref<const Json::number_unsigned_t&>();
  if (form_.check) form_.check(line);
  sorted_ = sorted_ && (lines_.empty() || lines_.rbegin()->first < key);
  lines_[key] = std::move(line);
}

void CaseFile::require_same(const Json& there) const {
  const Json wanted = Json::parse(heading_);
  if (there == wanted) return;
  if (there.contains("digest") && there.at("digest") != wanted.value("digest", Json()))
    throw Error("--resume: the elements, parameters or the start of " + form_.mechanism + " are no longer those of \"" +
                file_ + "\"; bring them back, or begin anew with another name for --out");
  std::string others;
  for (const auto& entry : wanted.items()) {
    const Json was = there.value(entry.key(), Json());
    if (was != entry.value()) others += ", " + entry.key() + " " + was.dump() + " (now " + entry.value().dump() + ")";
  }
  throw Error("--resume: \"" + file_ + "\" was written with other options" + others +
              "; repeat them, or choose another name");
}

void CaseFile::append(std::uint64_t key, const Json& line) {
  sorted_ = sorted_ && (lines_.empty() || lines_.rbegin()->first < key);
  lines_[key] = line;
  write(line);
}

void CaseFile::sort() {
  if (sorted_ || !fs::is_regular_file(file_)) return;
  OutputFile sorted(file_, "--out");
  sorted.stream() << heading_ << "\n";
  for (const auto& [key, line] : lines_) sorted.stream() << line.dump() << "\n";
  sorted.commit();
  sorted_ = true;
}

void CaseFile::write(const Json& line) {
  stream_ << line.dump() << "\n" << std::flush;
  if (!stream_)
    throw std::runtime_error("--out: cannot write \"" + file_ + "\"; free some space and go on with --resume");
}

}  // namespace sunlagrange::bench
