// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

#include "results/between_steps.hpp"
#include "results/motion_output.hpp"

/// Numbers of the motion of a case that a study is asked for, by their words: "largest force:D", "mean square bob.x".
namespace sunlagrange::internal {

class Observed {
 public:
  /// @param t_end  end of the runs: an element that supplies no power at any time until then is refused as power:NAME
  /// @throws Error on unknown words, with the nearest known ones, and on what an element does not have: the force of a
  /// joint that exerts torques only, or the power of a spring or a damper
  Observed(const std::shared_ptr<const MechanicalSystem>& system, double t_end, const std::string& words);

  const std::string& words() const { return words_; }
  const std::string& unit() const { return unit_; }  ///< empty: unknown

  /// Returns the number; not-a-number if the motion does not have it.
  double of(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) const;

 private:
  enum class Kind { final, least, largest, integral, mean };
  enum class Quantity { output, force, torque, power, dissipation };

  [[noreturn]] void refuse(const std::string& why) const;
  void read_element(const std::shared_ptr<const MechanicalSystem>& system, double t_end, const std::string& name);
  bool is_interpolated() const;
  double value(const MotionState& state, const std::shared_ptr<const MechanicalSystem>& system) const;
  double interpolated(const Trajectory& path, double t) const;
  double integral(const Trajectory& path) const;
  std::vector<Sample> samples(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) const;

  std::string words_, unit_;
  Kind kind_ = Kind::final;
  bool square_ = false;
  Quantity quantity_ = Quantity::output;
  std::optional<MotionOutput> output_ = {};  ///< output of Quantity::output
  std::string element_ = {};                 ///< element of the other quantities
};

}  // namespace sunlagrange::internal
