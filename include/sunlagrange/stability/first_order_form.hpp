// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/formulation/facts.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

/// The equations of an ODE formulation in first-order form y' = F(t, y), [000, (33), (34)], with the constraint error
/// of y. It serves stability analysis and integrators of the application, and does not use SUNDIALS.
/// When not to use it: for simulation, where simulate() and the attach functions also choose steps, restart, project
/// and report.
/// Use one instance per thread. Calls do not allocate once their results have the right size, except for the first one
/// that needs errors or directions, which takes memory in proportion to n (n + m).
class FirstOrderForm {
 public:
  /// @param start    complete; automatic gains are computed from it
  /// @throws Error if the formulation is unknown, no ODE form, or cannot treat the system
  FirstOrderForm(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                 const FormulationOptions& options = {});
  FirstOrderForm(FirstOrderForm&&) noexcept;
  FirstOrderForm& operator=(FirstOrderForm&&) noexcept;
  ~FirstOrderForm();

  int size() const;        ///< length of y
  int error_size() const;  ///< length of e: 2 m_g + m_psi; of a kinematic program m

  /// Returns y of a state.
  Eigen::VectorXd pack(const MotionState& state) const;

  /// Sets ydot = F(t, y). Returns false if the model declines the point or the equations cannot be solved there.
  bool rhs(double t, const Eigen::VectorXd& y, Eigen::VectorXd& ydot);

  /// Sets e = (g, g', psi) at y, for a kinematic program e = f, in the units of the rows. Stabilised formulations give
  /// it the law e' = K e with K from ConstraintDynamics, exactly for the ODE and approximately for every step of an
  /// integrator. Returns false if the model declines the point.
  bool constraint_error(double t, const Eigen::VectorXd& y, Eigen::VectorXd& e);

  /// Sets q and v at y. Returns false if the model declines the point.
  bool motion(double t, const Eigen::VectorXd& y, Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// Returns directions that leave the constraints at y, for StepMap::on_errors() and error_growth(): M^-1 G^T of the g
  /// rows in q and of all rows in v, size() x error_size(). The result is empty, so those functions use their default,
  /// for kinematic programs, if y is not (q, v), if M is singular and if the point is declined.
  Eigen::MatrixXd leaving_directions(double t, const Eigen::VectorXd& y);

  /// Returns the choices of the formulation, such as the gains that were asked for and used.
  FormulationFacts facts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sunlagrange
