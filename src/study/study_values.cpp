// SPDX-License-Identifier: BSD-3-Clause
#include "study/study_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <sunlagrange/base/registry.hpp>

namespace sunlagrange::internal {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text + at);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

bool is_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

/// Returns a number in the unit of the axis, true, false, or a text.
Json value_of(const StudyAxis& axis, const std::string& text) {
  double number = 0.0;
  if (is_number(text, number)) {
    const bool whole = text.find_first_not_of("+-0123456789") == std::string::npos && std::abs(number) < 1e15;
    return whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
  }
  if (text == "true" || text == "false") return text == "true";
  if (axis.kind == Varied::option && axis.unit.empty()) return text;
  try {
    return number_with_unit(text, axis.unit);
  } catch (const Error& error) {
    refuse(axis.said, error.what());
  }
}

/// Returns the numbers FROM, TO in the unit of the axis (and COUNT) after the word.
std::vector<double> numbers_behind(const StudyAxis& axis, const std::vector<std::string>& parts, const char* form) {
  std::vector<double> numbers;
  const std::size_t wanted = split(form, ':').size();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    try {
      numbers.push_back(number_with_unit(parts[i], i < 3 ? axis.unit : ""));
    } catch (const Error& error) {
      refuse(axis.said, error.what() + std::string("; write ") + form);
    }
  }
  if (parts.size() != wanted) refuse(axis.said, std::string("write ") + form);
  return numbers;
}

void read_spread(StudyAxis& axis, const std::vector<std::string>& parts) {
  const bool log = parts.front() == "log";
  const std::vector<double> x = numbers_behind(axis, parts, log ? "log:FROM:TO:COUNT" : "linear:FROM:TO:COUNT");
  if (!(x[2] >= 2.0 && x[2] <= 1e6 && x[2] == std::floor(x[2])))
    refuse(axis.said, "COUNT must be a whole number from 2 to a million");
  if (log && !(x[0] > 0.0 && x[1] > 0.0)) refuse(axis.said, "both ends must be positive");
  const int count = static_cast<int>(x[2]);
  for (int i = 0; i < count; ++i) {
    const double s = static_cast<double>(i) / (count - 1);
    const double inside = log ? x[0] * std::pow(x[1] / x[0], s) : x[0] + s * (x[1] - x[0]);
    axis.values.emplace_back(i == 0 ? x[0] : i == count - 1 ? x[1] : inside);
  }
}

void read_draw(StudyAxis& axis, const std::vector<std::string>& parts, Draw draw) {
  const bool normal = draw == Draw::normal;
  const std::string form = normal ? "normal:MEAN:DEVIATION" : parts.front() + ":FROM:TO";
  const std::vector<double> x = numbers_behind(axis, parts, form.c_str());
  if (normal && !(x[1] >= 0.0)) refuse(axis.said, "DEVIATION must not be negative");
  if (!normal && !(x[0] <= x[1])) refuse(axis.said, "FROM must not be greater than TO");
  if (draw == Draw::loguniform && !(x[0] > 0.0)) refuse(axis.said, "FROM must be positive");
  axis.draw = draw;
  axis.a = x[0];
  axis.b = x[1];
}

/// The generator splitmix64 [Steele, Lea and Flood 2014], which is the same on every machine.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Returns a number in [0, 1).
double unit_number(std::uint64_t seed, std::uint64_t sample, const std::string& name, std::uint64_t which) {
  const std::uint64_t bits = mixed(mixed(mixed(seed) ^ digest_of(name)) + 2 * sample + which);
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

}  // namespace

void refuse(const Variation& said, const std::string& complaint) {
  throw Error("vary " + said.name + "=" + said.values + ": " + complaint);
}

void read_values(StudyAxis& axis) {
  const std::vector<std::string> parts = split(axis.said.values, ':');
  const std::vector<std::string> known = {"linear", "log", "uniform", "loguniform", "normal"};
  const auto found = std::find(known.begin(), known.end(), parts.front());
  if (found == known.end()) {
    if (parts.size() > 1)
      refuse(axis.said, "\"" + parts.front() + "\" is not known" + did_you_mean(parts.front(), known) +
                            "; choose of linear, log, uniform, loguniform, normal, or write values a,b,c");
    for (const std::string& value : split(axis.said.values, ',')) {
      if (value.empty()) refuse(axis.said, "an entry is empty; write values a,b,c");
      axis.values.push_back(value_of(axis, value));
    }
    return;
  }
  switch (found - known.begin()) {
    case 0:
    case 1:
      return read_spread(axis, parts);
    case 2:
      return read_draw(axis, parts, Draw::uniform);
    case 3:
      return read_draw(axis, parts, Draw::loguniform);
    default:
      return read_draw(axis, parts, Draw::normal);
  }
}

std::uint64_t digest_of(const std::string& text) {
  std::uint64_t x = 0xcbf29ce484222325U;
  for (const char c : text) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return x;
}

double drawn(const StudyAxis& axis, std::uint64_t seed, std::uint64_t sample) {
  const double u = unit_number(seed, sample, axis.said.name, 0);
  if (axis.draw == Draw::uniform) return axis.a + u * (axis.b - axis.a);
  if (axis.draw == Draw::loguniform) return axis.a * std::pow(axis.b / axis.a, u);
  const double pi = std::acos(-1.0), angle = 2.0 * pi * unit_number(seed, sample, axis.said.name, 1);
  return axis.a + axis.b * std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(angle);  // Box and Muller 1958
}

}  // namespace sunlagrange::internal
