// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <sunlagrange/formulation/dae_settings.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// The largest number of an option: squares of larger ones overflow.
constexpr double largest_number = 1e100;

/// The finite numbers that an option may have. Checks and the schema of model files read it.
struct Interval {
  double low = -largest_number, high = largest_number;
  bool low_belongs = true, high_belongs = true;
  bool or_zero = false;

  bool contains(double x) const {
    if (or_zero && x == 0.0) return true;
    return std::isfinite(x) && (low_belongs ? x >= low : x > low) && (high_belongs ? x <= high : x < high);
  }
  /// Returns the complaint "name = x: must be ...".
  std::string objection(const std::string& name, double x) const;
};

namespace intervals {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Interval any;
constexpr Interval rtol{1e-15, 1.0, true, false};  // smaller ones ask for more digits than a double has
constexpr Interval positive{0.0, infinity, false, false};
constexpr Interval not_negative{0.0, infinity, true, false};
constexpr Interval fraction{0.0, 1.0, false, false};
constexpr Interval time_scale{1.0 / largest_number, largest_number, true, true, true};
constexpr Interval count{1.0, infinity, true, false};
}  // namespace intervals

/// Return the complaints about options, one a line (field, value, relation), or nothing. Every function that accepts
/// the options uses them.
std::string objections(const FormulationChoice& options, const MechanicalSystem& system);
std::string objections(const RunHints& hints);
std::string objections(const IdaOverrides& overrides);

}  // namespace sunlagrange::internal
