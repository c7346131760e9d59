// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

/// The XML of a robot description as it stands in the file. The readers of the formats give neither lines nor what they
/// do not know.
namespace sunlagrange::internal {

struct XmlElement {
  std::string name;
  int line = 0;
  std::string text;  ///< without that of the children; blanks at both ends are dropped
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  /// Returns the value of an attribute; null if there is none.
  const std::string* attribute(const std::string& key) const;
  /// Returns the first child of this name; null if there is none.
  const XmlElement* child(const std::string& wanted) const;
};

/// Returns the root element of a document. Comments, declarations and processing instructions are skipped; entities are
/// replaced, but for those that a document type declares.
/// @throws Error "file:line: no XML: ..." if it is malformed, is no UTF-8, or is nested deeper than 200 elements
XmlElement read_xml(const std::string& text, const std::string& file);

}  // namespace sunlagrange::internal
