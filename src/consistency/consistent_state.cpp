// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/consistency/consistent_state.hpp>

#include <cmath>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>

#include "base/problems.hpp"
#include "consistency/projection.hpp"
#include "model/checks/required_system.hpp"
#include "model/known_positions.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

void check(const MechanicalSystem& system, const InitialState& given, const ConsistencyOptions& options) {
  std::string problems;
  const int n = system.num_positions();
  const auto complain = [&](const std::string& complaint) { problems += complaint + "\n"; };
  const auto vector = [&](const std::string& field, const Eigen::VectorXd& x, bool may_be_empty) {
    if (x.size() == 0 && may_be_empty) return false;
    if (x.size() != n) {
      complain(field + " has " + std::to_string(x.size()) + " entries, the system has " + std::to_string(n) +
               " positions: give one value for each, or set them by name (StartValues)");
      return false;
    }
    if (!x.allFinite()) complain(field + " contains a value that is not finite");
    return true;
  };
  const auto weights = [&](const std::string& field, const Eigen::VectorXd& w) {
    if (!vector(field, w, true)) return;
    for (int j = 0; j < n; ++j) {
      if (!(w[j] > 0.0) && std::isfinite(w[j]))
        complain(field + "[" + std::to_string(j) + "] (\"" + system.position_name(j) + "\") = " + text(w[j]) +
                 ": must be positive");
    }
  };
  bool unknown = false;
  const auto names = [&](const std::string& field, const std::vector<std::string>& list) {
    for (const std::string& name : list) {
      if (!system.position_indices(name).empty()) continue;
      complain(field + ": no position is called \"" + name + "\"" + did_you_mean(name, position_names(system)));
      unknown = true;
    }
  };
  if (!system.motion_law().has_forces && (!given.fixed_velocities.empty() || options.velocity_weights.size() > 0))
    complain("fixed_velocities, velocity_weights: a kinematic program has velocities of its own; drop them");
  vector("initial state: q", given.q, false);
  vector("initial state: v", given.v, true);
  if (!std::isfinite(given.t)) complain("initial state: t is not finite");
  names("fixed_positions", given.fixed_positions);
  names("fixed_velocities", given.fixed_velocities);
  if (unknown) complain("known positions: " + known_positions(system));
  weights("position_weights", options.position_weights);
  weights("velocity_weights", options.velocity_weights);
  throw_if_any(problems);
}

}  // namespace

ConsistentState consistent_state(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                                 const ConsistencyOptions& options) {
  require_system(system, "consistent_state");
  check(*system, given, options);
  return StateProjection(system, given, options).run();
}

void ConsistencyReport::describe(Figures& f) {
  f("feasible", feasible, "true if a configuration and velocities were found that satisfy the constraints");
  f("velocities_feasible", velocities_feasible, "true if the velocities satisfy the constraints to tolerance");
  f("accelerations_known", accelerations_known, "false if the saddle-point system was singular");
  f.count("iterations", iterations, "iterations of Gauss-Newton");
  f.not_negative("position_violation_before", position_violation_before, "unit of g", "largest |g| of the given state");
  f.not_negative("position_violation_after", position_violation_after, "unit of g", "largest |g| of the result");
  f.not_negative("velocity_violation_before", velocity_violation_before, "unit of g / s",
                 "largest |(g', psi)| of the given state; none for kinematic programs");
  f.not_negative("velocity_violation_after", velocity_violation_after, "unit of g / s",
                 "largest |(g', psi)| of the result");
  f.not_negative("moved_positions", moved_positions, "unit of q", "largest change of a position");
  f.not_negative("moved_velocities", moved_velocities, "unit of v", "largest change of a velocity");
  f.not_negative("moved_given", moved_given, "1", "largest change of a position that was given, in natural scales");
  f("most_moved_given", most_moved_given, "coordinate of that change; empty if there was none");
  f("position_moves", position_moves, "unit of q", "change of each position");
  f("velocity_moves", velocity_moves, "unit of v", "change of each velocity");
  f("most_moved", most_moved, "coordinate with the largest change of position; empty if there was none");
  f("most_moved_velocity", most_moved_velocity, "coordinate with the largest change of velocity");
  f.count("rank", rank, "rank of the constraint Jacobian G at the result");
  f.added_later([&] {
    f("worst_position_before", worst_position_before, "row with the largest relative |g| of the given state");
    f("worst_velocity_before", worst_velocity_before, "row with the largest relative |(g', psi)| of the given state");
    f("worst_constraint", worst_constraint, "row with the largest relative residual of the result");
    status.describe(f);
  });
}

void ConsistentState::describe(Figures& f) {
  state.describe(f);
  report.describe(f);
}

}  // namespace sunlagrange
