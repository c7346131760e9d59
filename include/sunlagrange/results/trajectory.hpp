// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/growing_array.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/results/error_estimate.hpp>

namespace sunlagrange {
namespace internal {
class Run;
class TrajectoryRecorder;
}  // namespace internal

/// Recorded states (t, q, v, a, lambda) of a run in order of time: every accepted step, or the states that
/// SimulationOptions::record selects, with interpolation between them.
///
/// @code
/// const Trajectory& motion = run.trajectory;
/// for (std::size_t k = 0; k < motion.size(); ++k) std::cout << motion.t(k) << ": " << motion.q(k).transpose() << "\n";
/// std::cout << "after half a second: " << motion.position_at(0.5).transpose() << "\n";
/// motion.write_csv(std::cout, *system);
/// @endcode
///
/// a = v' is the acceleration of the formulation that was integrated, feedback terms included; the interpolation needs
/// it. lambda is the physical multiplier of M a + G^T lambda = f, G a = gamma, computed from (t, q, v) without feedback
/// terms; it is not-a-number if that system was singular. It has the rows of the full system, with 0 for rows that are
/// switched off. For a kinematic program q = y, v = y', a = y'', and lambda = mu completes the velocity,
/// v = w - A^T mu.
///
/// With Record::every_step both sides of an event that changes something are stored, with the same t: the state before
/// the event, then the state after it.
class Trajectory {
 public:
  Trajectory() = default;
  /// Without states, for n positions and m constraint rows.
  Trajectory(int n, int m) : n_(n), m_(m) {}

  /// Makes a trajectory of complete states in order of time, e.g. the accepted steps of an integrator of your own.
  /// @throws Error if sizes differ or a time is earlier than the one before
  explicit Trajectory(const std::vector<MotionState>& states);

  /// Number of states.
  std::size_t size() const { return t_.size(); }
  /// True if size() is 0.
  bool empty() const { return t_.empty(); }
  /// n, the length of q, v and a.
  int num_positions() const { return n_; }
  /// m, the length of lambda: all rows (g, psi), switched off or not.
  int num_constraints() const { return m_; }

  /// Time of state k < size() [s], not decreasing with k.
  double t(std::size_t k) const { return t_[k]; }
  /// Positions of state k, length n. The maps are valid as long as the trajectory does not change.
  Eigen::Map<const Eigen::VectorXd> q(std::size_t k) const { return row(k, 0, n_); }
  /// Velocities q' of state k, length n.
  Eigen::Map<const Eigen::VectorXd> v(std::size_t k) const { return row(k, n_, n_); }
  /// Accelerations v' of state k, length n, feedback terms included.
  Eigen::Map<const Eigen::VectorXd> a(std::size_t k) const { return row(k, 2 * n_, n_); }
  /// Multipliers of state k, length m, without feedback terms; the constraint force is -G^T lambda.
  Eigen::Map<const Eigen::VectorXd> lambda(std::size_t k) const { return row(k, 3 * n_, m_); }

  /// Returns a copy of state k.
  MotionState state(std::size_t k) const { return {t(k), q(k), v(k), a(k), lambda(k)}; }

  /// Returns the order of the integrator in the step that ended at state k. 0: not known (the start, states after
  /// events or between steps, trajectories of your own).
  int order(std::size_t k) const { return order_[k]; }

  /// Returns q at any time of the run, by quintic Hermite interpolation of (q, v, a) at the neighbouring steps: error
  /// O(h^6). At the time of an event it is the side after the event.
  /// @throws Error if t is outside [t(0), t(size() - 1)]
  Eigen::VectorXd position_at(double t) const;

  /// Returns v at any time, the derivative of the same polynomial: error O(h^5).
  Eigen::VectorXd velocity_at(double t) const;

  /// Writes the columns t, positions, velocities (name'), multipliers (lambda:name), with a line of their names.
  /// @param estimate  Report::error_estimate of the run. If it is given, each column has a column "error NAME" besides,
  ///                  with nan at states that were not compared
  /// @throws Error if the system has other numbers of positions or constraints
  void write_csv(std::ostream& out, const MechanicalSystem& system,
                 const std::optional<ErrorEstimate>& estimate = std::nullopt) const;
  /// The same into a file, which is replaced. @throws Error also if the file cannot be written
  void write_csv(const std::string& file, const MechanicalSystem& system,
                 const std::optional<ErrorEstimate>& estimate = std::nullopt) const;

 private:
  friend class internal::Run;
  friend class internal::TrajectoryRecorder;

  /// Appends a state. Throws std::bad_alloc without a change.
  void append(double t, const double* q, const double* v, const double* a, const double* lambda, int order = 0);
  /// Removes the states later than t and returns them. Throws std::bad_alloc without a change.
  Trajectory cut_after(double t);
  /// Restores the first `size` states followed by a piece that was cut off there. Needs no memory.
  void put_back(std::size_t size, const Trajectory& piece) noexcept;
  void set_velocity(std::size_t k, const double* v);
  void set_acceleration(std::size_t k, const double* a);

  Eigen::Map<const Eigen::VectorXd> row(std::size_t k, int offset, int length) const {
    const auto width = static_cast<std::size_t>(3 * n_ + m_);
    return {data_.data() + k * width + static_cast<std::size_t>(offset), length};
  }
  std::size_t step_at(double t) const;

  int n_ = 0;
  int m_ = 0;
  std::vector<double> t_;
  std::vector<signed char> order_;
  internal::GrowingArray data_;  // q, v, a, lambda of one state after the other
};

}  // namespace sunlagrange
