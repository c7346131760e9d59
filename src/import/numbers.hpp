#pragma once

#include <string>

#include "import/left_out.hpp"

/// Numbers of robot files. Readers of the formats take "0.1m" for 0.1, for a default, or leave the element out.
namespace sunlagrange::internal {

/// What `xyz`, `mass` and their like hold, in elements that are understood.
/// @throws Error of file, line, field and value if one is not the numbers that it must be
void check_urdf_numbers(const XmlElement& robot, const Understood& understood, const std::string& file);

/// The same of the text of an SDFormat file; what it includes is not looked at.
void check_sdformat_numbers(const std::string& document, const Understood& understood, const std::string& file);

}  // namespace sunlagrange::internal
