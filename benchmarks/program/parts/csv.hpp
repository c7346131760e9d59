// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "shared/json.hpp"

namespace sunlagrange::program {

/// Returns the data of the pictures and tables of one part of the report as CSV, one line for each run, point or
/// comparison of its document, including the values above them in the document (mechanism, size, ...), and one line for
/// each point of a curve. Lists and objects within a row (doubts, events) are in the document only.
/// @param part  name of the part, see report.cpp
/// @throws std::runtime_error if the document does not have the form of its part
std::string csv_of(const std::string& part, const Json& document);

}  // namespace sunlagrange::program
