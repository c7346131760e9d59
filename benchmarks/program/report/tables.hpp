#pragma once

#include <string>

#include "shared/json.hpp"

namespace sunlagrange::program {

/// The rows behind the pictures and tables of one part of the report as CSV, one line each: the runs, points or
/// comparisons of its document with what stands above them there (mechanism, size, ...); curves as one line for each
/// of their points. Lists and objects within a row (doubts, events) are left to the document.
/// @param part  name of the part, see report.cpp
/// @throws std::runtime_error if the document is not what its part has
std::string csv_of(const std::string& part, const Json& document);

}  // namespace sunlagrange::program
