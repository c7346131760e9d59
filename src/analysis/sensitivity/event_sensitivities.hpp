// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/sundials/forward_sensitivities.hpp"
#include "events/runner.hpp"

namespace sunlagrange::internal {

/// Jumps of the sensitivities at events. For an event at h(t, y) = 0, y = (q, v), that maps y- to y+ = J(t, y-):
///
///     dtau/dp = -(h_y s- + h_p) / (h_t + h_y y'-)
///     s+ = D J (dtau/dp, s- + y'- dtau/dp, 1) - y'+ dtau/dp
///
/// h and J consist of the user's functions and all that an instant does: impacts, switched rows, the consistent state
/// from which the run goes on. Both derivatives are therefore differences of fourth order along one direction for each
/// column, taken of whole instants that start from consistent states nearby, with the parameter changed.
class EventSensitivities {
 public:
  /// @param options  validated; must outlive this object
  /// @throws Error listing the problems of the events
  EventSensitivities(std::shared_ptr<const MechanicalSystem> system, const InitialState& given,
                     const SimulationOptions& options);

  EventRunner& runner() const { return *runner_; }

  struct EventResult {
    bool changed = false;  ///< the point was replaced by the state after the event, with the rows that are active then
    bool stopped = false;  ///< the run ends here; the status gives the reason
  };

  /// Handles contacts that are closed and limits that are exceeded at the start.
  /// @param point  in: t, q, v, a and the derivatives of q and v before; out: after
  EventResult begin(SensitivityColumns& columns, SensitivityPoint& point, Sensitivities& result);

  /// Handles the events after a step that ended at roots.
  EventResult handle(const std::vector<int>& found, SensitivityColumns& columns, SensitivityPoint& point,
                     Sensitivities& result);

 private:
  struct Before;
  struct Direction;
  struct Roots;
  template <class Act>
  EventResult at_instant(const Before& before, const Roots& roots, SensitivityColumns& columns, SensitivityPoint& point,
                         Sensitivities& result, Act&& act);
  std::unique_ptr<EventRunner> neighbour(const Before& before, const SensitivityColumn* column, double change) const;
  MotionState consistent(const EventRunner& runner, const Before& before, double t, const Eigen::VectorXd& q,
                         const Eigen::VectorXd& v) const;
  template <class Value>
  Eigen::VectorXd derivative(const Before& before, const SensitivityColumn& column, const Direction& along,
                             Value&& value) const;
  Roots roots(const Before& before, SensitivityColumns& columns, const SensitivityPoint& point) const;
  Eigen::VectorXd values(EventRunner& runner, const Before& before, const MotionState& at) const;
  double root_error(EventRunner& runner, const Before& before, std::size_t event) const;
  std::vector<std::size_t> acted(const Before& before, std::size_t first) const;
  void require_one_time(const Before& before, const Roots& roots, const std::vector<std::size_t>& actors,
                        SensitivityColumns& columns, const Sensitivities& result) const;

  std::shared_ptr<const MechanicalSystem> system_;
  const SimulationOptions& options_;
  double span_;
  std::unique_ptr<EventRunner> runner_;
};

}  // namespace sunlagrange::internal
