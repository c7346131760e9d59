// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange {

/// The places where the forces of a model are not smooth, as it states them. An integrator sees forces only where it
/// evaluates the model: what begins and ends within one step does not exist for it. A model therefore states
///
///  - times, in its member describe_parameters: `p.not_smooth_at(begin);` (Parameters). No step leads across them.
///  - distances and rates at a state, in its member
///
///        void not_smooth(double t, View<const double> q, View<const double> v, NotSmooth& n) const {
///          n.gap(q[0] - floor);         // a force acts behind the floor only
///          n.friction(v[1], v_r, q[0] < floor);
///        }
///
/// Number and order of the calls are the same at every state. A step within which a gap closes and opens again, or the
/// reverse, is repeated in two parts. Adaptive steps only use the times.
class NotSmooth {
 public:
  virtual ~NotSmooth() = default;

  /// States a distance at whose zero a force begins or ends; the force acts where it is negative.
  virtual void gap(double /*value*/) {}

  /// States a rate of sliding against dry friction that is made smooth; the rate v_r below which the law is smoothed,
  /// as v_r of SurfaceContact and CoordinateFriction; and whether there is friction at this state.
  virtual void friction(double /*rate*/, double /*v_r*/, bool /*acts*/) {}
};

/// Visits what the elements of a system state about a point, in the order of addition.
void visit_not_smooth(const MechanicalSystem& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      NotSmooth& visitor);

/// Returns the times at which parameters and laws of a system are not smooth, ascending, each once. simulate() ends
/// steps there; give them to your own integrator one after the other, CVodeSetStopTime.
std::vector<double> times_not_smooth(const MechanicalSystem& system);

}  // namespace sunlagrange
