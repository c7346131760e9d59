#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

/// What write_html() reads off a run, as JSON for page.js and run.js; scenes and curves serve other pages, too.
namespace sunlagrange::internal {

/// At most `most` of so many recorded states, the first and the last among them.
std::vector<std::size_t> sampled_states(std::size_t count, std::size_t most);

struct Series {
  std::string name, unit;
  std::vector<double> y;
  std::vector<double> error = {};  ///< empty, or half the width of a band for each y; NaN: not known there
  bool dots = false;               ///< points without a line
};

/// [{"name", "unit", "y", and "error" where it is known}, ...], the first 60 of them.
std::string curve_list(const std::vector<Series>& curves);

/// The mechanism at one place of an axis.
struct Pose {
  double place = 0.0;
  double t = 0.0;
  Eigen::VectorXd q;
};

/// What the slider of a moving picture goes along.
struct SceneAxis {
  std::string name = "t", unit = "s";
  double seconds = 0.0;  ///< it takes so long to look at; 0: by the length of the run
  bool loop = false;     ///< begins anew at its end
};

/// Pictures of the mechanism; null if nothing draws itself. @throws Error if an element draws other shapes at another
/// pose
std::string scene_json(const std::vector<Pose>& poses, const MechanicalSystem& system, const SceneAxis& axis = {});

/// Those of a run, equidistant in time where every step is recorded, else the recorded states.
std::string scene_json(const Simulation& run, const MechanicalSystem& system);

/// {"t": [...], groups of {"name", "unit", "y"}}: coordinates, velocities, multipliers, violations, energies; of a run
/// with an estimate of its error also "errors" over times of their own.
std::string curves_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system);

/// joint_forces() along the run, about the joint where the drawing says where that is.
std::string joints_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system);

}  // namespace sunlagrange::internal
