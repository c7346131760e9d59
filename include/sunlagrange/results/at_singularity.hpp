#pragma once

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// What simulate() does at a singular configuration, where the constraints lose rank for an instant and branches of the
/// motion cross. Each is reported with time and constraint; see RankEvent and Passage. Permanently redundant rows do
/// not count.
enum class AtSingularity {
  /// Integrate through it; RankPolicy filters what is lost. Whether the motion went through smoothly is judged behind.
  filter,
  /// End the run with Outcome::rank_loss once it has been found (up to two steps behind it).
  stop,
  /// Leave out its neighbourhood: follow the motion's own polynomial to where the constraints are regular again,
  /// project onto them and start the integrator anew. Where the steps are longer than the neighbourhood it is `filter`.
  /// When not: motions with forces that change within the neighbourhood (10 to 1000 times shorter than the time scale).
  project,
};

constexpr auto names_of(AtSingularity) {
  return enum_names("filter", "stop", "project");
}

}  // namespace sunlagrange
