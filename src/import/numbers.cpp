// SPDX-License-Identifier: BSD-3-Clause
#include "import/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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

const std::vector<Field> urdf_fields = {
    {"xyz", {3}}, {"rpy", {3}}, {"value", {1}},   {"ixx", {1}},  {"ixy", {1}},    {"ixz", {1}},    {"iyy", {1}},
    {"iyz", {1}}, {"izz", {1}}, {"damping", {1}}, {"size", {3}}, {"radius", {1}}, {"length", {1}}, {"scale", {3}}};

const std::vector<Field> sdformat_fields = {{"pose", {6, 7, 0}},
                                            {"gravity", {3}},
                                            {"xyz", {3}},
                                            {"mass", {1}},
                                            {"ixx", {1}},
                                            {"ixy", {1}},
                                            {"ixz", {1}},
                                            {"iyy", {1}},
                                            {"iyz", {1}},
                                            {"izz", {1}},
                                            {"size", {3}},
                                            {"radius", {1}},
                                            {"length", {1}},
                                            {"scale", {3}},
                                            {"damping", {1}},
                                            {"spring_reference", {1}},
                                            {"spring_stiffness", {1}}};

bool takes(const Understood& understood, const std::string& parent, const std::string& child) {
  const auto& known = understood.elements;
  return std::find(known.begin(), known.end(), parent + "/" + child) != known.end();
}

/// Names of flags. The gravity of a world is a vector.
bool is_flag(const std::string& parent, const std::string& name) {
  return name == "static" || name == "use_parent_model_frame" || (name == "gravity" && parent == "link");
}

void check_flag(const std::string& value, const std::string& place) {
  for (const char* known : {"true", "false", "1", "0"}) {
    if (value == known) return;
  }
  throw Error(place + " = \"" + value + "\": must be true or false");
}

/// Refuses a quaternion of zeros. sdformat takes it for no rotation.
void check_quaternion(const XmlElement& pose, const std::string& place) {
  const std::string* const format = pose.attribute("rotation_format");
  if (format == nullptr || *format != "quat_xyzw") return;
  std::istringstream words(pose.text);
  double largest = 0.0;
  int count = 0;
  for (double value = 0.0; words >> value; ++count) {
    if (count > 2) largest = std::max(largest, std::abs(value));
  }
  if (count == 7 && largest == 0.0)
    throw Error(place + " = \"" + pose.text +
                "\": the quaternion x y z w has length 0 and is no rotation; no rotation " + "is 0 0 0 1");
}

}  // namespace

double internal::number_of(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double value = 0.0;
  stream >> value;
  return value;
}

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

void internal::check_sdformat_numbers(const XmlElement& parent, const Understood& understood, const std::string& file) {
  for (const XmlElement& child : parent.children) {
    if (!takes(understood, parent.name, child.name)) continue;
    const std::string place = file + ":" + std::to_string(child.line) + ": <" + child.name + ">";
    if (is_flag(parent.name, child.name))
      check_flag(child.text, place);
    else if (const Field* const field = find(sdformat_fields, child.name))
      check(*field, child.text, place);
    if (child.name == "pose") check_quaternion(child, place);
    if (const std::string* const degrees = child.attribute("degrees")) check_flag(*degrees, place + " degrees");
    check_sdformat_numbers(child, understood, file);
  }
}

}  // namespace sunlagrange
