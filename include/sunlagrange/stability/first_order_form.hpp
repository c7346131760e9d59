#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/formulation/facts.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

/// The equations of an ODE formulation in first-order form y' = F(t, y), [000, (33), (34)], with the constraint error
/// that belongs to y: for stability analysis and for integrators of the application's own. It knows no SUNDIALS.
/// When not: to simulate; simulate() and the attach functions also choose steps, restart, project and report.
/// One instance per thread; calls do not allocate once their results have the right size, but for the first that asks
/// for errors or directions: these take memory in proportion to n (n + m), the others in proportion to n.
class FirstOrderForm {
 public:
  /// @param start    complete; automatic gains are read off it
  /// @throws Error if the formulation is unknown, no ODE form, or cannot treat the system
  FirstOrderForm(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                 const FormulationOptions& options = {});
  FirstOrderForm(FirstOrderForm&&) noexcept;
  FirstOrderForm& operator=(FirstOrderForm&&) noexcept;
  ~FirstOrderForm();

  int size() const;        ///< of y
  int error_size() const;  ///< of e: 2 m_g + m_psi; of a kinematic program m

  /// y of a state.
  Eigen::VectorXd pack(const MotionState& state) const;

  /// ydot = F(t, y). False: the model declined the point, or the equations cannot be solved there.
  bool rhs(double t, const Eigen::VectorXd& y, Eigen::VectorXd& ydot);

  /// e = (g, g', psi) at y, of a kinematic program e = f; in the units of the rows. Stabilised formulations give it the
  /// law e' = K e with K from ConstraintDynamics, exactly for the ODE, approximately for every step of an integrator.
  /// False: declined.
  bool constraint_error(double t, const Eigen::VectorXd& y, Eigen::VectorXd& e);

  /// q and v at y. False: declined.
  bool motion(double t, const Eigen::VectorXd& y, Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// Directions that leave the constraints at y, for StepMap::on_errors and error_growth: M^-1 G^T of the g rows in q,
  /// of all rows in v; size() x error_size(). Empty, so that those take their own, for kinematic programs, where y is
  /// not (q, v), where M is singular or the point is declined.
  Eigen::MatrixXd leaving_directions(double t, const Eigen::VectorXd& y);

  /// The formulation's choices, gains among them: asked and used.
  FormulationFacts facts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sunlagrange
