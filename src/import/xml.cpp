// SPDX-License-Identifier: BSD-3-Clause
#include "import/xml.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <ios>
#include <sstream>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

using namespace internal;
namespace {

/// Nesting of elements that is read. The readers of the formats call themselves for each level.
constexpr int deepest = 200;

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Returns the bytes of the character of UTF-8 that begins at `at`; 0 if none does.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t k) {
    return at + k < text.size() ? static_cast<unsigned int>(static_cast<unsigned char>(text[at + k])) : 0U;
  };
  const unsigned int first = byte(0), second = byte(1);
  if (first < 0x80U) return 1;
  if (first < 0xC2U || first > 0xF4U) return 0;
  // no longer forms than needed, no halves of surrogate pairs, nothing above U+10FFFF
  if ((first == 0xE0U && second < 0xA0U) || (first == 0xEDU && second > 0x9FU) || (first == 0xF0U && second < 0x90U) ||
      (first == 0xF4U && second > 0x8FU))
    return 0;
  const std::size_t length = first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  XmlElement document() {
    check_characters();
    if (begins("\xEF\xBB\xBF")) at_ += 3;  // byte order mark
    skip_misc();
    if (at_ == text_.size()) fail("it has no element");
    if (text_[at_] != '<') fail("text stands outside of all elements");
    XmlElement root = element(1);
    skip_misc();
    if (at_ < text_.size()) fail("something stands behind </" + root.name + ">");
    return root;
  }

 private:
  void check_characters() {
    for (std::size_t length = 0; at_ < text_.size(); at_ += length) {
      length = utf8_length(text_, at_);
      if (length > 0) continue;
      std::ostringstream byte;
      byte << std::hex << std::uppercase << static_cast<int>(static_cast<unsigned char>(text_[at_]));
      fail("byte 0x" + byte.str() + " is no UTF-8, the only encoding that is read; convert the file, e.g. iconv -f " +
           "ISO-8859-1 -t UTF-8, and adapt its declaration of the encoding");
    }
    at_ = 0;
    counted_ = 0;
    lines_ = 1;
  }

  [[noreturn]] void fail(const std::string& what, int line) const {
    throw Error(file_ + ":" + std::to_string(line) + ": no XML: " + what);
  }
  [[noreturn]] void fail(const std::string& what) { fail(what, line()); }

  /// Returns the line of the place reached.
  int line() {
    lines_ += static_cast<int>(std::count(text_.begin() + counted_, text_.begin() + offset(), '\n'));
    counted_ = offset();
    return lines_;
  }
  std::ptrdiff_t offset() const { return static_cast<std::ptrdiff_t>(at_); }

  bool begins(const char* markup) const { return text_.compare(at_, std::strlen(markup), markup) == 0; }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  /// Goes behind `end`.
  std::string until(const char* end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string::npos) fail(std::string(what) + " has no end");
    const std::string inside = text_.substr(at_, found - at_);
    at_ = found + std::strlen(end);
    return inside;
  }

  /// Skips one comment, declaration or instruction. @return false if there is none
  bool skip_markup() {
    if (begins("<!--"))
      until("-->", "a comment");
    else if (begins("<?"))
      until("?>", "an instruction");
    else if (begins("<!DOCTYPE"))
      skip_document_type();
    else
      return false;
    return true;
  }

  void skip_document_type() {
    int open = 0;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '<') ++open;
      if (text_[at_] == '>' && --open == 0) {
        ++at_;
        return;
      }
    }
    fail("the document type has no end");
  }

  void skip_misc() {
    do skip_blanks();
    while (skip_markup());
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && std::strchr("<>/=\"'", text_[at_]) == nullptr) ++at_;
    if (at_ == begin) fail("a name is missing");
    return text_.substr(begin, at_ - begin);
  }

  static std::string resolved(const std::string& raw) {
    static const std::pair<const char*, char> known[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    std::string out;
    for (std::size_t k = 0; k < raw.size();) {
      std::size_t length = 0;
      for (const auto& [entity, character] : known) {
        if (raw.compare(k, std::strlen(entity), entity) != 0) continue;
        length = std::strlen(entity);
        out += character;
      }
      if (length == 0 && raw.compare(k, 2, "&#") == 0) {
        const bool hexadecimal = k + 2 < raw.size() && raw[k + 2] == 'x';
        const char* const digits = raw.c_str() + k + (hexadecimal ? 3 : 2);
        char* end = nullptr;
        const unsigned long code = std::strtoul(digits, &end, hexadecimal ? 16 : 10);
        if (end != digits && *end == ';' && code > 0 && code < 128) {  // others stay as they are written
          length = static_cast<std::size_t>(end - raw.c_str()) + 1 - k;
          out += static_cast<char>(code);
        }
      }
      if (length == 0) out += raw[k];
      k += length == 0 ? 1 : length;
    }
    return out;
  }

  void attribute(XmlElement& element) {
    const std::string key = name();
    if (element.attribute(key) != nullptr) fail("<" + element.name + "> has two attributes " + key);
    skip_blanks();
    if (!begins("=")) fail("attribute " + key + " of <" + element.name + "> has no value");
    ++at_;
    skip_blanks();
    if (!begins("\"") && !begins("'")) fail("the value of " + key + " of <" + element.name + "> is not quoted");
    const char quote[] = {text_[at_++], '\0'};
    element.attributes.emplace_back(key, resolved(until(quote, "the value of an attribute")));
  }

  /// Reads from `<` to the end of the element.
  XmlElement element(int depth) {
    if (depth > deepest) fail("elements are nested more than " + std::to_string(deepest) + " deep");
    XmlElement now;
    now.line = line();
    ++at_;
    now.name = name();
    for (skip_blanks(); !begins(">") && !begins("/>"); skip_blanks()) {
      if (at_ >= text_.size()) fail("<" + now.name + "> has no end", now.line);
      attribute(now);
    }
    if (begins("/>")) {
      at_ += 2;
      return now;
    }
    ++at_;
    content(now, depth);
    const auto first = std::find_if_not(now.text.begin(), now.text.end(), is_blank);
    const auto last = std::find_if_not(now.text.rbegin(), now.text.rend(), is_blank).base();
    now.text = first < last ? std::string(first, last) : "";
    return now;
  }

  void content(XmlElement& now, int depth) {
    while (true) {
      const std::size_t next = text_.find('<', at_);
      if (next == std::string::npos) fail("<" + now.name + "> is not closed", now.line);
      now.text += resolved(text_.substr(at_, next - at_));
      at_ = next;
      if (begins("<![CDATA[")) {
        at_ += std::strlen("<![CDATA[");
        now.text += until("]]>", "CDATA");
      } else if (begins("</")) {
        at_ += 2;
        const std::string closed = name();
        if (closed != now.name) fail("</" + closed + "> closes <" + now.name + "> of line " + std::to_string(now.line));
        skip_blanks();
        if (!begins(">")) fail("</" + closed + " has no end");
        ++at_;
        return;
      } else if (!skip_markup()) {
        now.children.push_back(element(depth + 1));
      }
    }
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::ptrdiff_t counted_ = 0;  ///< place up to which lines are counted
  int lines_ = 1;
};

}  // namespace

const std::string* XmlElement::attribute(const std::string& key) const {
  for (const auto& [known, value] : attributes) {
    if (known == key) return &value;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(const std::string& wanted) const {
  for (const XmlElement& child : children) {
    if (child.name == wanted) return &child;
  }
  return nullptr;
}

XmlElement internal::read_xml(const std::string& text, const std::string& file) {
  return Parser(text, file).document();
}

}  // namespace sunlagrange
