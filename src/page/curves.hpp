// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

/// The data of the page of a run as JSON for page.js and run.js. Pages of analyses use scenes and curves as well.
namespace sunlagrange::internal {

/// Returns at most `most` of so many recorded states, with the first and the last.
std::vector<std::size_t> sampled_states(std::size_t count, std::size_t most);

struct Series {
  std::string name, unit;
  std::vector<double> y;
  std::vector<double> error = {};  ///< empty, or half the width of a band for each y; NaN: not known
  bool dots = false;               ///< true: points without a line
};

/// Returns [{"name", "unit", "y", and "error" if it is known}, ...], the first 60 of them.
std::string curve_list(const std::vector<Series>& curves);

constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();
constexpr double few_roundings = 16.0 * std::numeric_limits<double>::epsilon();

/// A value that is largest in size along the path, and its time.
struct Peak {
  double value = 0.0, t = std::numeric_limits<double>::quiet_NaN();

  void see(double x, double time) {
    if (std::abs(x) > std::abs(value) || (std::isnan(t) && std::isfinite(x))) {
      value = x;
      t = time;
    }
  }
  std::string json() const;  ///< [value, t]
};

/// The motion between the recorded states where the polynomials of the steps can be believed: not in the last step of a
/// run that did not finish, and not where one leaves the range of the recorded values by more than half the width of
/// that range, in natural scales, as it does where the two ends of a step do not fit together.
class CredibleMotion {
 public:
  CredibleMotion(const Simulation& run, const MechanicalSystem& system);

  bool holds_at(double t) const;
  /// Returns the positions at t, or those of the nearest recorded state where the polynomial cannot be believed.
  Eigen::VectorXd position_at(double t) const;

 private:
  bool within_range(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;

  const Trajectory& path_;
  const Eigen::VectorXd& scales_;
  double last_;  ///< time up to which steps can be believed [s]
  Eigen::VectorXd least_q_, largest_q_, least_v_, largest_v_;
};

/// The mechanism at one place of an axis.
struct Pose {
  double place = 0.0;
  double t = 0.0;
  Eigen::VectorXd q;
};

/// The axis along which the slider of a moving picture goes.
struct SceneAxis {
  std::string name = "t", unit = "s";
  double seconds = 0.0;  ///< duration of the moving picture [s]; 0: it follows from the length of the run
  bool loop = false;     ///< true: the picture starts again at its end
};

/// Returns pictures of the mechanism, or null if no element draws itself. @throws Error if an element draws other
/// shapes at another pose
std::string scene_json(const std::vector<Pose>& poses, const MechanicalSystem& system, const SceneAxis& axis = {});

/// Returns the pictures of a run, equidistant in time if every step is recorded, otherwise of the recorded states.
std::string scene_json(const Simulation& run, const MechanicalSystem& system);

/// Returns {"t": [...], groups of {"name", "unit", "y"}}: coordinates, velocities, multipliers, violations and
/// energies. A run with an estimate of its error has "errors" as well, with times of their own.
std::string curves_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system);

/// Returns [name, unit, least value, its time, largest value, its time, largest rate, its time, unit of the rate] of
/// those of the first 60 coordinates that move by more than the constraints are off, over the motion; Euler parameters
/// are left out.
std::string ranges_json(const Simulation& run, const MechanicalSystem& system);

/// Returns "Motion of crank, rod and rocker": the names of the blocks, or of the coordinates where there are none.
std::string title_of(const MechanicalSystem& system, const std::string& what = "Motion");

}  // namespace sunlagrange::internal
