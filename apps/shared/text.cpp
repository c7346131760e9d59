// SPDX-License-Identifier: BSD-3-Clause
#include "shared/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

namespace sunlagrange::program {
namespace {

/// Returns the number of bytes of the first `characters` of a text.
std::size_t bytes(const std::string& utf8, std::size_t characters) {
  std::size_t k = 0;
  for (; k < utf8.size(); ++k) {
    const bool first_byte = (static_cast<unsigned char>(utf8[k]) & 0xC0U) != 0x80U;
    if (first_byte && characters-- == 0) break;
  }
  return k;
}

/// Returns "5.1e-4" for "5.1e-04".
std::string short_exponent(const std::string& number) {
  const std::size_t e = number.find('e');
  if (e == std::string::npos || e + 3 >= number.size() || number[e + 2] != '0') return number;
  return number.substr(0, e + (number[e + 1] == '-' ? 2 : 1)) + number.substr(e + 3);
}

void wrap_line(const std::string& line, std::size_t width, std::size_t indent, std::vector<std::string>& lines) {
  const std::size_t lead = std::min(line.find_first_not_of(' '), line.size());
  const std::string continued(std::min(lead + indent, width / 2), ' ');
  std::string rest = line;
  while (length(rest) > width) {
    const std::size_t end = bytes(rest, width);
    std::size_t cut = rest.rfind(' ', end);  // the blank itself may stand just outside
    const std::size_t text = std::min(rest.find_first_not_of(' '), end);
    if (cut == std::string::npos || cut <= text) {
      const std::size_t joint = rest.find_last_of("_,", end - 1);
      cut = joint == std::string::npos || joint <= text ? end : joint + 1;
    }
    lines.push_back(rest.substr(0, rest.find_last_not_of(' ', cut - 1) + 1));
    const std::size_t next = rest.find_first_not_of(' ', cut);
    if (next == std::string::npos) return;
    rest = continued + rest.substr(next);
  }
  lines.push_back(rest);
}

}  // namespace

std::string number(double x, const char* format) {
  return std::isfinite(x) ? fmt::format(fmt::runtime("{:" + std::string(format) + "}"), x) : "-";
}

std::string two_digits(double x) {
  if (x == 0.0) return "0";
  return std::abs(x) >= 0.1 && std::abs(x) < 99.5 ? number(x, ".2g") : short_exponent(number(x, ".1e"));
}

std::string short_number(double x) {
  std::string shortest = text(x);
  for (int digits = 0; digits < 6 && std::abs(x) < 1e-3 && std::abs(x) > 0.0; ++digits) {
    shortest = number(x, ("." + std::to_string(digits) + "e").c_str());
    if (std::strtod(shortest.c_str(), nullptr) == std::strtod(text(x).c_str(), nullptr)) break;
  }
  return short_exponent(shortest);
}

bool at_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}

std::string styled(const std::string& text, Style style) {
  static const bool colours = [] {
    const char *no_color = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
    const bool dumb = terminal == nullptr || std::string(terminal) == "dumb";
    return at_terminal() && (no_color == nullptr || *no_color == '\0') && !dumb;
  }();
  const char* code = style == Style::bold ? "1" : style == Style::good ? "32" : style == Style::doubtful ? "33" : "31";
  return !colours || style == Style::plain ? text : "\033[" + std::string(code) + "m" + text + "\033[0m";
}

std::size_t output_width(bool wide) {
  if (wide || !at_terminal()) return unlimited;
  const char* columns = std::getenv("COLUMNS");
  if (columns != nullptr && std::atoi(columns) > 0) return static_cast<std::size_t>(std::atoi(columns));
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return unlimited;
}

std::size_t length(const std::string& utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    wrap_line(text.substr(begin, end - begin), width, indent, lines);
    begin = end + 1;
  }
  return lines;
}

std::string paragraph(const std::string& text, std::size_t width) {
  constexpr std::size_t readable = 120;
  std::string lines;
  for (const std::string& line : wrapped(text, width == unlimited ? width : std::min(width, readable), 2))
    lines += line + "\n";
  return lines;
}

void print_wrapped(const std::string& text, std::size_t width) {
  std::cout << paragraph(text, width);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string counts_text(const std::map<std::string, long>& counts) {
  std::vector<std::string> words;
  for (const auto& [name, count] : counts) words.push_back(name + " " + std::to_string(count));
  return words.empty() ? "none" : joined(words);
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

std::vector<std::string> split_list(const std::string& text, const std::string& option) {
  std::vector<std::string> parts;
  std::istringstream in(text + ",");
  for (std::string part; std::getline(in, part, ',');) {
    if (part.empty()) throw Error(option + " \"" + text + "\": an entry is empty; write it as a,b,c");
    parts.push_back(part);
  }
  return parts;
}

std::vector<double> number_list(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string& part : split_list(text, option)) {
    std::istringstream in(part);
    double number = 0.0;
    if (!(in >> number) || !in.eof()) throw Error(option + ": \"" + part + "\" is not a number");
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<double> positive_list(const std::string& text, const std::string& option) {
  std::vector<double> values = number_list(text, option);
  for (const double value : values) {
    if (!(value > 0.0)) throw Error(option + ": " + sunlagrange::text(value) + " is not positive");
  }
  return values;
}

}  // namespace sunlagrange::program
