#include "files/place.hpp"

#include <algorithm>

namespace sunlagrange::internal {
namespace {

/// Walks over a well-formed document without keeping anything of it.
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

  /// To the value of an entry of the object or list that begins here.
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
        wanted = text_.compare(begin + 1, at_ - begin - 2, std::get<std::string>(step)) == 0;
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

  void skip_string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
  }

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
  const std::size_t at = std::min(Walk(text).find(place), text.size());
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace sunlagrange::internal
