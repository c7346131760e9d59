#include "import/left_out.hpp"

#include <algorithm>
#include <cstdlib>

namespace sunlagrange {

using namespace internal;
namespace {

struct Reason {
  const char* name;
  const char* why;
};

constexpr Reason reasons[] = {
    {"visual", "shapes have no part in the motion"},
    {"material", "colours have no part in the motion"},
    {"collision", "contacts are not imported"},
    {"surface", "contacts are not imported"},
    {"limit", "no element of a model file bounds a joint"},
    {"friction", "no element has dry friction of a joint in space"},
    {"mimic", "no element couples the motions of two joints in space: the joint moves by itself"},
    {"safety_controller", "controllers are not imported"},
    {"calibration", "controllers are not imported"},
    {"transmission", "actuators are not imported"},
    {"ros2_control", "controllers are not imported"},
    {"gazebo", "settings of a simulator"},
    {"plugin", "code of a simulator"},
    {"physics", "settings of a simulator: sunlagrange has its own"},
    {"sensor", "sensors are not imported"},
    {"light", "lights have no part in the motion"},
};

std::string reason(const std::string& name) {
  for (const Reason& known : reasons) {
    if (name == known.name) return known.why;
  }
  return "the importer does not know it";
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// True for friction of size zero, which needs no note.
bool says_nothing(const std::string& name, const std::string& value) {
  return name == "friction" && !value.empty() && std::strtod(value.c_str(), nullptr) == 0.0;
}

std::string attribute(const XmlElement& element, const char* name) {
  for (const auto& [key, value] : element.attributes) {
    if (key == name) return value;
  }
  return "";
}

/// Readers do not know every line.
std::string place_of(const std::string& owner, int line) {
  if (line <= 0) return owner.empty() ? "its line is not known" : owner;
  return owner + (owner.empty() ? "" : ", ") + "line " + std::to_string(line);
}

void walk(const XmlElement& parent, const std::string& owner, const Understood& understood, ImportNotes& notes) {
  for (const auto& [name, value] : parent.attributes) {
    if (!contains(understood.attributes, name) && name.rfind("xmlns", 0) != 0 && !says_nothing(name, value))
      notes.add("left out: " + name + " of <" + parent.name + ">", reason(name), place_of(owner, parent.line));
  }
  for (const XmlElement& child : parent.children) {
    const std::string name = attribute(child, "name");
    if (!contains(understood.elements, parent.name + "/" + child.name)) {
      if (!says_nothing(child.name, child.text))
        notes.add("left out: <" + child.name + ">", reason(child.name), place_of(owner, child.line));
      continue;
    }
    walk(child, name.empty() ? owner : child.name + " \"" + name + "\"", understood, notes);
  }
}

}  // namespace

void internal::note_left_out(const XmlElement& root, const Understood& understood, ImportNotes& notes) {
  walk(root, "", understood, notes);
}

}  // namespace sunlagrange
