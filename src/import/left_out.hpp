#pragma once

#include <string>
#include <utility>
#include <vector>

#include "import/description.hpp"

/// Lists what stands in an XML document and is not understood.
namespace sunlagrange::internal {

struct XmlElement {
  std::string name;
  int line = 0;
  std::string text;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;
};

/// What a reader takes: elements as "parent/child", attributes by name.
struct Understood {
  std::vector<std::string> elements;
  std::vector<std::string> attributes;
};

/// One note for each kind of element or attribute below `root` that is not understood; what stands inside of such an
/// element is not looked at.
void note_left_out(const XmlElement& root, const Understood& understood, ImportNotes& notes);

}  // namespace sunlagrange::internal
