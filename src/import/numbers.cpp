#include "import/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <locale>
#include <sstream>
#include <utility>
#include <vector>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

using namespace internal;
namespace {

/// A field, and the count of numbers that it may hold.
struct Field {
  const char* name;
  std::vector<int> counts;
};

const Field* find(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return name == f.name; });
  return found == fields.end() ? nullptr : &*found;
}

bool is_number(const std::string& word) {
  std::istringstream stream(word);
  stream.imbue(std::locale::classic());
  double value = 0.0;
  return stream >> value && stream.peek() == std::istringstream::traits_type::eof() && std::isfinite(value);
}

/// @param place  of the field: "file:line: mass"
void check(const Field& field, const std::string& value, const std::string& place) {
  std::istringstream words(value);
  std::string word, wrong;
  int count = 0;
  for (; words >> word; ++count) {
    if (wrong.empty() && !is_number(word)) wrong = word;
  }
  const bool counted = std::find(field.counts.begin(), field.counts.end(), count) != field.counts.end();
  if (wrong.empty() && counted) return;
  throw Error(place + " = \"" + value + "\": " +
              (wrong.empty()
                   ? "has " + std::to_string(count) + " numbers, must have " + std::to_string(field.counts.front())
                   : "\"" + wrong +
                         "\" is no number; write it with a decimal point and without a unit: the "
                         "format has m, kg, s, rad"));
}

const std::vector<Field> urdf_fields = {{"xyz", {3}}, {"rpy", {3}}, {"value", {1}}, {"ixx", {1}}, {"ixy", {1}},
                                        {"ixz", {1}}, {"iyy", {1}}, {"iyz", {1}},   {"izz", {1}}, {"damping", {1}}};

const std::vector<Field> sdformat_fields = {{"pose", {6, 7, 0}},
                                            {"xyz", {3}},
                                            {"mass", {1}},
                                            {"ixx", {1}},
                                            {"ixy", {1}},
                                            {"ixz", {1}},
                                            {"iyy", {1}},
                                            {"iyz", {1}},
                                            {"izz", {1}},
                                            {"damping", {1}},
                                            {"spring_reference", {1}},
                                            {"spring_stiffness", {1}}};

bool takes(const Understood& understood, const std::string& parent, const std::string& child) {
  const auto& known = understood.elements;
  return std::find(known.begin(), known.end(), parent + "/" + child) != known.end();
}

/// Replaces comments by blanks; lines stay.
std::string without_comments(std::string text) {
  for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--", at)) {
    const std::size_t end = std::min(text.find("-->", at), text.size() - 3) + 3;
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
  }
  return text;
}

}  // namespace

void internal::check_urdf_numbers(const XmlElement& parent, const Understood& understood, const std::string& file) {
  for (const XmlElement& child : parent.children) {
    if (!takes(understood, parent.name, child.name)) continue;
    for (const auto& [name, value] : child.attributes) {
      if (const Field* const field = find(urdf_fields, name))
        check(*field, value, file + ":" + std::to_string(child.line) + ": <" + child.name + "> " + name);
    }
    check_urdf_numbers(child, understood, file);
  }
}

void internal::check_sdformat_numbers(const std::string& document, const Understood& understood,
                                      const std::string& file) {
  struct Open {
    std::string name;
    bool understood;
  };
  const std::string text = without_comments(document);
  std::vector<Open> open;
  std::size_t end = 0;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', end)) {
    const auto begins = [&](const char* markup) { return text.compare(at, std::strlen(markup), markup) == 0; };
    const std::string close = begins("<![CDATA[") ? "]]>" : ">";
    end = text.find(close, at);
    if (end == std::string::npos) return;  // not XML; the reader reports it
    end += close.size();
    if (begins("<!") || begins("<?")) continue;
    if (begins("</")) {
      if (!open.empty()) open.pop_back();
      continue;
    }
    const std::string name = text.substr(at + 1, text.find_first_of(" \t\r\n/>", at + 1) - at - 1);
    const bool known = open.empty() || (open.back().understood && takes(understood, open.back().name, name));
    if (text[end - 2] == '/') continue;
    open.push_back({name, known});
    const Field* const field = known ? find(sdformat_fields, name) : nullptr;
    if (field == nullptr) continue;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    check(*field, text.substr(end, text.find('<', end) - end), file + ":" + std::to_string(line) + ": <" + name + ">");
  }
}

}  // namespace sunlagrange
