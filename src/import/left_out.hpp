// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "import/description.hpp"
#include "import/xml.hpp"

/// Lists the elements and attributes of an XML document that the import ignores.
namespace sunlagrange::internal {

/// The elements and attributes that a reader understands.
struct Understood {
  std::vector<std::string> elements;    ///< elements as "parent/child"
  std::vector<std::string> attributes;  ///< attributes as "element@attribute"
  std::vector<std::string> repeated;    ///< names of the elements that may stand more than once in their parent
};

/// Returns one note for each kind of element or attribute below `root` that is not understood, or is repeated where one
/// is read. The inside of such an element is examined for joints only.
/// @param file  named with the lines; empty: it is not named
void note_left_out(const XmlElement& root, const Understood& understood, ImportNotes& notes,
                   const std::string& file = "");

}  // namespace sunlagrange::internal
