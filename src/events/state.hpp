// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/parameters.hpp>

#include "linear_solver/saddle_point_system.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

/// The state that events act on: the full system, its active rows, and one point (t, q, v). Quantities of the point are
/// evaluated when they are first read.
class EventState {
 public:
  /// All rows are active.
  EventState(std::shared_ptr<const MechanicalSystem> full, const LinearSolverOptions& resolved);

  const MechanicalSystem& full() const { return *full_; }
  const MotionLaw& law() const { return law_; }
  const std::shared_ptr<const MechanicalSystem>& active() const { return active_; }
  const std::vector<int>& active_rows() const { return rows_; }
  bool is_active(int row) const { return on_[static_cast<std::size_t>(row)]; }
  void set_active(const std::vector<int>& rows, bool on);

  /// Returns the active system with one more row.
  std::shared_ptr<const MechanicalSystem> active_and(int row) const;

  /// Returns the rows of the constraint in the full system. @throws Error if there are none
  const std::vector<int>& rows_of(const std::string& constraint);
  /// Returns its only row. @throws Error if there are none, or several
  int row_of(const std::string& constraint);

  /// Sets the inputs that actions may set; null: there are none.
  void set_inputs(const InputBinder* inputs) { inputs_ = inputs; }
  /// Returns the value of an input. @throws Error if there is none of this name
  double& input(const std::string& name);
  /// Forgets what was evaluated at the point, after an input was set.
  void forget() { rows_known_ = motion_known_ = false; }

  void move_to(double t, const double* q, const double* v);
  void set_velocity(const Eigen::VectorXd& v);
  double t() const { return t_; }
  const Eigen::VectorXd& q() const { return q_; }
  const Eigen::VectorXd& v() const { return v_; }
  double size() const { return natural_size(*full_, q_); }  ///< natural_size of q

  // Values of a row of the full system at the point. @throws Error if the model declines the point
  double gap(int row);
  double rate(int row);
  double gradient_sum(int row);  ///< sum_j |G_ij| s_j, natural scales s
  double multiplier(int row);    ///< NaN where the saddle-point system is singular
  /// Rows whose multiplier was read where the motion does not determine it.
  const std::set<int>& undetermined_rows_read() const { return undetermined_; }
  /// Adds a row to these, of a run that is resumed.
  void add_undetermined_row(int row) { undetermined_.insert(row); }
  double typical_multiplier(int row);  ///< (max |f s| + max |M v' s|) / max_j |G_ij s_j|

  /// g'' of a row under the active constraints.
  double acceleration(int row);
  /// Rounding error of that: 1e-9 of its terms.
  double acceleration_noise(int row);
  /// 1e-12 sum_j |G_ij| s_j natural_size(v)
  double rate_noise(int row);

  double kinetic_energy();  ///< v^T M v / 2 [J]
  double energy();          ///< energy of the model [J]; NaN if not known
  double largest_active_rate();

 private:
  Workspace& all();
  void evaluate_rows();
  void evaluate_motion();
  bool determined(int row);
  void find_determined_rows();
  template <class Combine>
  double over_gradient(int row, Combine&& combine);

  std::shared_ptr<const MechanicalSystem> full_, active_;
  MotionLaw law_;
  std::vector<bool> on_;
  std::vector<int> rows_;
  LinearSolverOptions options_;
  std::unordered_map<std::string, std::vector<int>> names_;

  const InputBinder* inputs_ = nullptr;
  double t_ = 0.0;
  Eigen::VectorXd q_, v_;
  std::unique_ptr<Workspace> all_;             // of the full system
  std::unique_ptr<PointEvaluator> evaluator_;  // of the active one
  std::unique_ptr<SaddlePointSystem> saddle_;  // of the active one
  Eigen::VectorXd a_, lambda_, inertia_;
  double force_scale_ = 0.0;
  bool rows_known_ = false;
  bool motion_known_ = false;
  std::vector<bool> determined_;   // for each active row: the motion determines its multiplier
  bool determined_known_ = false;  // found at one point for all with the same active rows
  std::set<int> undetermined_;
};

}  // namespace sunlagrange::internal
