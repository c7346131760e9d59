// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

/// Numbers and lines of text in the output of the commands. Numbers of six digits are written by text() of the library.
namespace sunlagrange::program {

/// Returns a number in a format of fmt, e.g. ".3g"; "-" if it is not finite.
std::string number(double x, const char* format);

/// Returns a number with two digits: "5.1e-4", "0.31", "12"; "0" for zero.
std::string two_digits(double x);

/// Returns the short form of a tolerance or a step: "1e-6", "2.5e-3", "0.02".
std::string short_number(double x);

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// Role of a word in the output. Words have colours only if at_terminal().
enum class Style { plain, bold, good, doubtful, bad };

/// Returns true if stdout is a terminal: tables are then laid out for people, otherwise for scripts.
bool at_terminal();

/// Returns the text in the colour of its style; unchanged if stdout is no terminal, NO_COLOR is set or the terminal is
/// dumb.
std::string styled(const std::string& text, Style style);

/// Returns the columns of stdout, from COLUMNS or from the terminal; unlimited if stdout is no terminal, or if `wide`.
std::size_t output_width(bool wide);

/// Returns the number of characters, not of bytes.
std::size_t length(const std::string& utf8);

/// Returns the lines of a text, broken at blanks so that no line is longer than `width`. A word that is too long is
/// broken behind _ or a comma, else anywhere. Line breaks of the text stay. A continued line is indented by `indent`
/// more than its first line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

/// Returns a paragraph: the lines of a text, at most 120 characters long where the width is limited. A continued line
/// is indented by two.
std::string paragraph(const std::string& text, std::size_t width);

/// Prints an explanation above or below a table as a paragraph.
void print_wrapped(const std::string& text, std::size_t width);

/// Returns "a, b, c".
std::string joined(const std::vector<std::string>& words);

/// Returns "name 3, other 1"; "none" if there are none.
std::string counts_text(const std::map<std::string, long>& counts);

/// Returns "name [unit]"; the name alone without a unit.
std::string with_unit(const std::string& name, const std::string& unit);

/// Returns the parts of "a,b,c". @throws Error naming `option` if a part is empty
std::vector<std::string> split_list(const std::string& text, const std::string& option);

/// Returns the parts as numbers. @throws Error if a part is not a number
std::vector<double> number_list(const std::string& text, const std::string& option);

/// Returns the parts as numbers. @throws Error if a part is not a number greater than zero
std::vector<double> positive_list(const std::string& text, const std::string& option);

}  // namespace sunlagrange::program
