// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

/// Numbers that people type or read.
namespace sunlagrange::program {

/// Reads a number, which may be subnormal.
/// @return true if all of `typed`, but for blanks around it, is a number
bool read_number(const std::string& typed, double& value);

/// Splits "name=value"; the name may contain "=". @param form  the form that the message asks for
/// @throws Error naming the option
std::pair<std::string, std::string> named_text(const std::string& typed, const std::string& option, const char* form);

/// Returns x for a table, not for a document: 0 if x is -0 or rounding compared with the largest value of its kind.
double without_rounding(double x, double largest);

}  // namespace sunlagrange::program
