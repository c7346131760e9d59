#pragma once

#include <string>
#include <utility>
#include <vector>

#include "import/description.hpp"

/// Lists the elements and attributes of an XML document that the import ignores.
namespace sunlagrange::internal {

struct XmlElement {
  std::string name;
  int line = 0;
  std::string text;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;
};

/// The elements, as "parent/child", and attributes that a reader understands.
struct Understood {
  std::vector<std::string> elements;
  std::vector<std::string> attributes;
};

/// Returns one note for each kind of element or attribute below `root` that is not understood. The inside of such an
/// element is not examined.
void note_left_out(const XmlElement& root, const Understood& understood, ImportNotes& notes);

}  // namespace sunlagrange::internal
