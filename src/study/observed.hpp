// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

#include "results/motion_output.hpp"

/// Numbers of the motion of a case that a study is asked for, by their words: "largest force:D", "mean square bob.x".
namespace sunlagrange::internal {

class Observed {
 public:
  /// @throws Error on unknown words, with the nearest known ones
  Observed(const MechanicalSystem& system, const std::string& words);

  const std::string& words() const { return words_; }
  const std::string& unit() const { return unit_; }  ///< empty: unknown

  /// Returns the number; not-a-number if the motion does not have it.
  double of(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) const;

 private:
  enum class Kind { final, least, largest, integral, mean };

  double value(const Trajectory& path, std::size_t k, const std::shared_ptr<const MechanicalSystem>& system) const;
  double integral(const Trajectory& path) const;

  std::string words_, unit_;
  Kind kind_ = Kind::final;
  bool square_ = false;
  std::optional<MotionOutput> output_ = {};  ///< none: the force of a joint, or the power of an element
  std::string element_ = {};
  bool power_ = false;
};

}  // namespace sunlagrange::internal
