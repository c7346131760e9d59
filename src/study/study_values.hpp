// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sunlagrange/study/study.hpp>

#include "files/json_parameters.hpp"

/// The variations of a study, read from their texts.
namespace sunlagrange::internal {

enum class Varied { parameter, position, velocity, option };
enum class Draw { none, uniform, loguniform, normal };

/// A variation that has been read.
struct StudyAxis {
  Variation said;
  Varied kind = Varied::option;
  std::string target;     ///< name without q( ) or v( )
  std::string unit = {};  ///< unit of its numbers; empty: none, or unknown
  std::vector<Json> values;
  Draw draw = Draw::none;
  double a = 0.0, b = 0.0;  ///< parameters of the distribution
};

/// Throws an Error that names the variation.
[[noreturn]] void refuse(const Variation& said, const std::string& complaint);

/// Reads the values or the distribution from the text of the axis. @throws Error
void read_values(StudyAxis& axis);

/// Returns a random value of an axis. It depends on seed, sample and name alone.
double drawn(const StudyAxis& axis, std::uint64_t seed, std::uint64_t sample);

/// Returns the hash FNV-1a of a text.
std::uint64_t digest_of(const std::string& text);

}  // namespace sunlagrange::internal
