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

/// Accepted steps (t, q, v, a, lambda), or what else Record asks for, and dense output between them.
///
/// a is v' of the formulation that was integrated (feedback terms included), which dense output needs.
/// Of a kinematic program q = y, v = y', a = y'', and lambda = mu is what completes the velocity, v = w - A^T mu.
/// lambda is the physical multiplier, recomputed from (t, q, v) by the saddle-point system without feedback terms; NaN
/// where that system was singular. It has the rows of the full system, 0 in those that are switched off.
///
/// With Record::every_step both sides of an event that changes something are stored, with the same t: before and after.
class Trajectory {
 public:
  Trajectory() = default;
  Trajectory(int n, int m) : n_(n), m_(m) {}

  /// Of complete states in order of time, e.g. the accepted steps of an integrator of your own.
  /// @throws Error if sizes differ or a time is earlier than the one before
  explicit Trajectory(const std::vector<MotionState>& states);

  std::size_t size() const { return t_.size(); }
  bool empty() const { return t_.empty(); }
  int num_positions() const { return n_; }
  int num_constraints() const { return m_; }

  double t(std::size_t k) const { return t_[k]; }
  Eigen::Map<const Eigen::VectorXd> q(std::size_t k) const { return row(k, 0, n_); }
  Eigen::Map<const Eigen::VectorXd> v(std::size_t k) const { return row(k, n_, n_); }
  Eigen::Map<const Eigen::VectorXd> a(std::size_t k) const { return row(k, 2 * n_, n_); }
  Eigen::Map<const Eigen::VectorXd> lambda(std::size_t k) const { return row(k, 3 * n_, m_); }

  /// Order of the integrator in the step that ended at state k; 0: not known (the start, states after events or between
  /// steps, trajectories of your own).
  int order(std::size_t k) const { return order_[k]; }

  /// q at any time of the run: quintic Hermite interpolation of (q, v, a) at the neighbouring steps, error O(h^6). At
  /// the time of an event: the side after it.
  /// @throws Error if t is outside [t(0), t(size() - 1)]
  Eigen::VectorXd position_at(double t) const;

  /// v at any time: derivative of the same polynomial, error O(h^5).
  Eigen::VectorXd velocity_at(double t) const;

  /// Columns t, positions, velocities (name'), multipliers (lambda:name); header line with the system's names.
  /// @param estimate  Report::error_estimate of the run: where there is one, a column "error NAME" for each of these
  ///                  besides, nan at states that were not compared
  /// @throws Error if the system has other numbers of positions or constraints
  void write_csv(std::ostream& out, const MechanicalSystem& system,
                 const std::optional<ErrorEstimate>& estimate = std::nullopt) const;
  /// @throws Error also if the file cannot be written
  void write_csv(const std::string& file, const MechanicalSystem& system,
                 const std::optional<ErrorEstimate>& estimate = std::nullopt) const;

 private:
  friend class internal::Run;
  friend class internal::TrajectoryRecorder;

  /// Throws std::bad_alloc without a change.
  void append(double t, const double* q, const double* v, const double* a, const double* lambda, int order = 0);
  /// Takes off what lies later than t, and hands it out. Throws std::bad_alloc without a change.
  Trajectory cut_after(double t);
  /// The first `size` states, then those of a piece that was cut off there. Needs no memory.
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
