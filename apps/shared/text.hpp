#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// Numbers and lines as the commands print them; six digits: text() of the library.
namespace sunlagrange::program {

/// A number in a format of fmt, e.g. ".3g"; "-" if it is not finite.
std::string number(double x, const char* format);

/// Two digits: "5.1e-4", "0.31", "12"; "0" for zero.
std::string two_digits(double x);

/// Tolerances and steps: "1e-6", "2.5e-3", "0.02".
std::string short_number(double x);

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// What a word of the output is. Colours only where at_terminal().
enum class Style { plain, bold, good, doubtful, bad };

/// Stdout is a terminal; then tables are laid out for people, else for scripts.
bool at_terminal();

/// With its colour; as it is where stdout is no terminal, NO_COLOR is set or the terminal is dumb.
std::string styled(const std::string& text, Style style);

/// Columns that stdout has: COLUMNS, else what the terminal says; unlimited if stdout is no terminal, or if `wide`.
std::size_t output_width(bool wide);

/// Characters, not bytes.
std::size_t length(const std::string& utf8);

/// The lines of a text, broken at blanks so that none is longer than `width`; a word that is too long is broken behind
/// _ or a comma, else anywhere. Line breaks of the text stay. Lines that continue one are indented by `indent` more
/// than it.
std::vector<std::string> wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

/// Explanations under or above a table: wrapped, and not wider than can be read.
void print_wrapped(const std::string& text, std::size_t width);

/// a, b, c.
std::string joined(const std::vector<std::string>& words);

/// "a,b,c" as its parts; @throws Error naming `option` if a part is empty.
std::vector<std::string> split_list(const std::string& text, const std::string& option);

/// The same as numbers. @throws Error if a part is not a number
std::vector<double> number_list(const std::string& text, const std::string& option);

/// The same, all greater than zero.
std::vector<double> positive_list(const std::string& text, const std::string& option);

}  // namespace sunlagrange::program
