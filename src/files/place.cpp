// SPDX-License-Identifier: BSD-3-Clause
#include "files/place.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <nlohmann/json.hpp>

namespace sunlagrange::internal {
namespace {

/// Returns the position behind the string that begins at `at`.
std::size_t end_of_string(const std::string& text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"';) at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

int line_at(const std::string& text, std::size_t at) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

/// Returns the value of a string with its quotes. The parser has accepted it before.
std::string read_string(const std::string& quoted) {
  return nlohmann::json::parse(quoted).get<std::string>();
}

/// Walks over a well-formed document without storing it.
class Walk {
 public:
  explicit Walk(const std::string& text) : text_(text) {}

  std::size_t find(const Place& place) {
    skip_space();
    std::size_t found = at_;
    for (const auto& step : place) {
      if (!enter(step)) break;
      found = at_;
    }
    return found;
  }

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (here() == ' ' || here() == '\n' || here() == '\r' || here() == '\t') ++at_;
  }

  /// Goes to the value of an entry of the object or list that begins here.
  bool enter(const std::variant<std::string, std::size_t>& step) {
    const bool object = here() == '{';
    if (object != std::holds_alternative<std::string>(step) || (!object && here() != '[')) return false;
    ++at_;
    for (std::size_t k = 0;; ++k) {
      skip_space();
      if (here() == '}' || here() == ']' || here() == '\0') return false;
      bool wanted = !object && k == std::get<std::size_t>(step);
      if (object) {
        const std::size_t begin = at_;
        skip_string();
        const std::string key = text_.substr(begin, at_ - begin);
        wanted = (key.find('\\') == std::string::npos ? key.substr(1, key.size() - 2) : read_string(key)) ==
                 std::get<std::string>(step);
        skip_space();
        ++at_;  // colon
        skip_space();
      }
      if (wanted) return true;
      skip_value();
      skip_space();
      if (here() == ',') ++at_;
    }
  }

  void skip_string() { at_ = end_of_string(text_, at_); }

  void skip_value() {
    int depth = 0;
    do {
      const char c = here();
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (depth < 0) return;
      ++at_;
    } while (at_ < text_.size() && (depth > 0 || (here() != ',' && here() != '}' && here() != ']')));
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

int line_of(const std::string& text, const Place& place) {
  return line_at(text, Walk(text).find(place));
}

KeyAndLine overflow(const std::string& text) {
  std::string last, key;  // string, and that before the last colon
  for (std::size_t at = 0; at < text.size();) {
    char* end = nullptr;
    if (text[at] == '"') {
      const std::size_t begin = at;
      at = end_of_string(text, at);
      last = text.substr(begin, at - begin);
    } else if (text[at] >= '0' && text[at] <= '9' && std::isinf(std::strtod(&text[at], &end))) {
      return {key.empty() ? key : read_string(key), line_at(text, at)};
    } else {
      if (text[at] == ':') key = last;
      at = end != nullptr ? static_cast<std::size_t>(end - text.data()) : at + 1;
    }
  }
  return {};
}

KeyAndLine repeated_key(const std::string& text) {
  std::vector<std::set<std::string>> open;  // the keys of every object or list around
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '{' || c == '[') open.emplace_back();
    if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
    if (c != '"') {
      ++at;
      continue;
    }
    const std::size_t begin = at, end = end_of_string(text, at);
    at = text.find_first_not_of(" \n\r\t", end);
    if (at >= text.size() || text[at] != ':' || open.empty()) continue;
    const std::string key = read_string(text.substr(begin, end - begin));
    if (!open.back().insert(key).second) return {key, line_at(text, begin)};
  }
  return {};
}

}  // namespace sunlagrange::internal
