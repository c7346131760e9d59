// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "import/left_out.hpp"

/// Check of the numbers of robot files. The readers of the formats take "0.1m" for 0.1, for a default, or omit the
/// element.
namespace sunlagrange::internal {

/// Returns the number that the text begins with, in any locale; 0 if it is none.
double number_of(const std::string& text);

/// Checks the contents of `xyz`, `mass` and similar fields, in elements that are understood.
/// @throws Error of file, line, field and value if one is not the numbers that it must be
void check_urdf_numbers(const XmlElement& robot, const Understood& understood, const std::string& file);

/// The same for an SDFormat file, without the files that it includes; also true and false.
void check_sdformat_numbers(const XmlElement& sdf, const Understood& understood, const std::string& file);

}  // namespace sunlagrange::internal
