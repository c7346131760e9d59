#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sunlagrange/study/study.hpp>

#include "files/json_parameters.hpp"

/// What the variations of a study say.
namespace sunlagrange::internal {

enum class Varied { parameter, position, velocity, option };
enum class Draw { none, uniform, loguniform, normal };

/// A variation that has been understood.
struct StudyAxis {
  Variation said;
  Varied kind = Varied::option;
  std::string target;  ///< name without q( )
  std::vector<Json> values;
  Draw draw = Draw::none;
  double a = 0.0, b = 0.0;  ///< of what is drawn
};

/// @throws Error naming the variation
[[noreturn]] void refuse(const Variation& said, const std::string& complaint);

/// Fills in values or draw from what was said. @throws Error
void read_values(StudyAxis& axis);

/// One value of an axis that is drawn: of seed, sample and name alone.
double drawn(const StudyAxis& axis, std::uint64_t seed, std::uint64_t sample);

/// A number that tells texts apart: FNV-1a.
std::uint64_t digest_of(const std::string& text);

}  // namespace sunlagrange::internal
