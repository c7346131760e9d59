// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/start_values.hpp>

#include <utility>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/status.hpp>

#include "model/checks/required_system.hpp"
#include "model/known_positions.hpp"

namespace sunlagrange {

StartValues::StartValues(std::shared_ptr<const MechanicalSystem> system, double t) : system_(std::move(system)) {
  require_system(system_, "StartValues");
  const int n = system_->num_positions();
  state_.t = t;
  state_.q = state_.v = Eigen::VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) state_.q[i] = internal::position_left_open(*system_, i);
}

double& StartValues::operator[](const std::string& coordinate) {
  return state_.q[index(coordinate)];
}

double& StartValues::velocity(const std::string& coordinate) {
  return state_.v[index(coordinate)];
}

StartValues& StartValues::fix(const std::string& coordinate, double position) {
  (*this)[coordinate] = position;
  state_.fixed_positions.push_back(coordinate);
  return *this;
}

StartValues& StartValues::fix_velocity(const std::string& coordinate, double velocity) {
  this->velocity(coordinate) = velocity;
  state_.fixed_velocities.push_back(coordinate);
  return *this;
}

int StartValues::index(const std::string& coordinate) const {
  const std::vector<int> found = system_->position_indices(coordinate);
  if (found.size() == 1) return found.front();
  throw Error("StartValues: \"" + coordinate + "\" " +
              (found.empty() ? "is no coordinate" + did_you_mean(coordinate, internal::position_names(*system_))
                             : "has " + std::to_string(found.size()) + " coordinates, say which") +
              "; known: " + internal::known_positions(*system_));
}

}  // namespace sunlagrange
