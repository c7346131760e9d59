// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "adaptive_vs_fixed/adaptive_vs_fixed.hpp"

namespace sunlagrange::program {

/// The cheapest runs of one kind of integrator that reach the target and hold the constraints; null if there is none.
struct Cheapest {
  bool compared = false;                       ///< an integrator of this kind took part
  bool without_gains = false;                  ///< in the first section only: its formulations do not depend on gains
  const Contestant* by_evaluations = nullptr;  ///< fewest right-hand sides or residuals
  const Contestant* by_time = nullptr;
};

/// Findings of the comparison at the middle target, for one choice of gains.
struct Conclusion {
  double target = 0.0;
  Cheapest cvode, ida, fixed;
  std::string gains;                  ///< Section::gains
  double needed_step = Report::none;  ///< longest step of rk4 with baumgarte that reaches the target [s]; NaN: none
  StepLimit limit;                    ///< of rk4 with baumgarte
  /// "stability" if needed_step > share_of_stable x limit.observed, "nothing" if one step over the whole run reaches
  /// the target, else "accuracy"; "nothing tried" if the target was not reached
  std::string limited_by;

  /// A step that is shorter by the factor between two tried steps leaves room for longer ones that are stable.
  static constexpr double share_of_stable = 0.9;

  /// Returns at most three sentences.
  std::string text() const;
};

/// Returns a limit in words: "0.058 s", "no step tried" or "all tried (0.1 s)".
std::string step_words(double step, const StepLimit& limit);
std::string certified_words(const StepLimit& limit);  ///< the same of limit.certified, where NaN means none

/// @param section  of the comparison. Integrators that take part only in its first section, because their formulations
///                 do not depend on the gains, have the results of that section.
Conclusion conclude(const Comparison& comparison, const Section& section);

}  // namespace sunlagrange::program
