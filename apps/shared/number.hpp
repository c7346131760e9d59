#pragma once

#include <string>
#include <utility>

/// Numbers as people and files write them, and as people read them.
namespace sunlagrange::program {

/// @return whether all of `typed`, but for blanks around it, is a number; also one too small to be normal
bool read_number(const std::string& typed, double& value);

/// "name=value"; the name may hold "=". @param form  what the message asks for
/// @throws Error naming the option
std::pair<std::string, double> named_value(const std::string& typed, const std::string& option,
                                           const char* form = "NAME=NUMBER");

/// For tables that people read, not for documents: 0 where x is -0, or rounding beside the largest of its kind.
double without_rounding(double x, double largest);

}  // namespace sunlagrange::program
