// SPDX-License-Identifier: BSD-3-Clause
#include "import/left_out.hpp"

#include <algorithm>
#include <cstdlib>

namespace sunlagrange {

using namespace internal;
namespace {

struct Reason {
  const char* name;
  const char* why;
  bool decoration;  ///< the motion does not depend on it
};

constexpr Reason reasons[] = {
    {"material", "colours have no part in the motion", true},
    {"light", "lights have no part in the motion", true},
    {"sensor", "sensors are not imported", true},
    {"physics", "settings of a simulator: sunlagrange has its own", true},
    {"calibration", "controllers are not imported", true},
    {"safety_controller", "controllers are not imported", true},
    {"transmission", "actuators are not imported", true},
    {"ros2_control", "controllers are not imported", true},
    {"gazebo", "settings of a simulator", true},
    {"plugin", "code of a simulator", true},
    {"collision", "contacts are not imported", false},
    {"surface", "contacts are not imported", false},
    {"limit", "no element of a model file bounds a joint", false},
    {"friction", "no element has dry friction of a joint in space", false},
    {"plane", "the picture has boxes, cylinders and spheres", true},
    {"capsule", "the picture has boxes, cylinders and spheres", true},
    {"ellipsoid", "the picture has boxes, cylinders and spheres", true},
    {"heightmap", "the picture has boxes, cylinders and spheres", true},
    {"polyline", "the picture has boxes, cylinders and spheres", true},
    {"cast_shadows", "shadows have no part in the motion", true},
    {"transparency", "colours have no part in the motion", true},
    {"submesh", "meshes are not drawn", true},
    {"mimic", "no element couples the motions of two joints in space: the joint moves by itself", false},
};

void note(ImportNotes& notes, const std::string& what, const std::string& name, const std::string& where) {
  for (const Reason& known : reasons) {
    if (name != known.name) continue;
    return known.decoration ? notes.add(what, known.why, where) : notes.warn(what, known.why, where);
  }
  notes.warn(what, ImportNotes::unknown, where);
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// True for friction of size zero, which needs no note.
bool says_nothing(const std::string& name, const std::string& value) {
  return name == "friction" && !value.empty() && std::strtod(value.c_str(), nullptr) == 0.0;
}

class Walk {
 public:
  Walk(const Understood& understood, ImportNotes& notes, const std::string& file)
      : understood_(understood), notes_(notes), file_(file) {}

  void inside(const XmlElement& parent, const std::string& owner) {
    for (const auto& [name, value] : parent.attributes) {
      if (!contains(understood_.attributes, parent.name + "@" + name) && name.rfind("xmlns", 0) != 0 &&
          !says_nothing(name, value))
        note(notes_, "left out: " + name + " of <" + parent.name + ">", name, place_of(owner, parent.line));
    }
    std::vector<std::string> seen;
    for (const XmlElement& child : parent.children) {
      if (!contains(understood_.elements, parent.name + "/" + child.name)) {
        if (!says_nothing(child.name, child.text))
          note(notes_, "left out: <" + child.name + ">", child.name, place_of(owner, child.line));
        find_joints(child, child, owner);
        continue;
      }
      if (contains(seen, child.name) && !contains(understood_.repeated, child.name)) {
        notes_.warn("left out: repeated <" + child.name + "> of <" + parent.name + ">", "only the first one is read",
                    place_of(owner, child.line));
        continue;
      }
      seen.push_back(child.name);
      const std::string* const name = child.attribute("name");
      inside(child, name == nullptr ? owner : child.name + " \"" + *name + "\"");
    }
  }

 private:
  /// Joints of the settings of a simulator close loops there.
  void find_joints(const XmlElement& element, const XmlElement& left_out, const std::string& owner) {
    if (element.name == "joint" && element.child("parent") != nullptr && element.child("child") != nullptr) {
      const std::string* const name = element.attribute("name");
      notes_.warn(&element == &left_out ? "left out: <joint> with parent and child"
                                        : "left out: <joint> inside of <" + left_out.name + ">",
                  "the mechanism lacks this joint: joints of a model, or of a <robot>, are read",
                  place_of(name == nullptr ? owner : "joint \"" + *name + "\"", element.line));
    }
    for (const XmlElement& child : element.children) find_joints(child, left_out, owner);
  }

  /// Elements that are not of a file have no line.
  std::string place_of(const std::string& owner, int line) const {
    if (line <= 0) return owner.empty() ? "its line is not known" : owner;
    const std::string in_file = (file_.empty() ? "" : file_ + ", ") + "line " + std::to_string(line);
    return owner + (owner.empty() ? "" : ", ") + in_file;
  }

  const Understood& understood_;
  ImportNotes& notes_;
  const std::string& file_;
};

}  // namespace

void internal::note_left_out(const XmlElement& root, const Understood& understood, ImportNotes& notes,
                             const std::string& file) {
  Walk(understood, notes, file).inside(root, "");
}

}  // namespace sunlagrange
