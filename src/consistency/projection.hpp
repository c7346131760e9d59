// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/consistency/consistent_state.hpp>

#include "consistency/manifold.hpp"
#include "consistency/metric_step.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

/// Projects one state onto the constraints. The steps stand in the order in which they run.
class StateProjection {
 public:
  StateProjection(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                  const ConsistencyOptions& options);
  ConsistentState run();

 private:
  // projection.cpp
  EvaluationResult factorize();
  Violation violation(const Eigen::VectorXd& values, const Eigen::VectorXd& given, const Eigen::VectorXd& present,
                      double typical);
  Violation position_violation() {
    return violation(evaluator_.quantities().g, given_.q, result_.state.q, options_.typical_position);
  }
  Violation velocity_violation() { return violation(evaluator_.quantities().g_rate, given_.v, result_.state.v, 0.0); }
  EvaluationResult project_positions();
  EvaluationResult reach_constraints();
  EvaluationResult approach_given();
  EvaluationResult solve_for_positions();
  double squared_distance() const;
  EvaluationResult follow_program();
  EvaluationResult project_velocities();
  bool velocity_rows_contradict();
  void name_rows_in_conflict();
  EvaluationResult solve_for_velocities();
  template <class ViolationNow, class Solve>
  EvaluationResult reduce(Eigen::VectorXd& x, ViolationNow&& violation_now, Solve&& solve_step, Violation& left);
  EvaluationResult solve(std::unique_ptr<MetricStep>& step, int rows, const Metric& metric);

  // projection_messages.cpp: the report
  std::string row_name(const Violation& violation) const;
  void describe_given();
  void describe_motion();
  std::string fixed_coordinates_of_row() const;
  Status infeasibility_status() const;
  /// Returns the names of the elements that decline the result; empty if none does.
  std::string declined_by() const;
  void finish(EvaluationResult e);

  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  MotionLaw law_;
  ConsistencyOptions options_;
  InitialState given_;
  Metric position_metric_, velocity_metric_;
  int n_;
  int m_;
  int m_g_;
  std::unique_ptr<MetricStep> position_step_, velocity_step_;  // null if the saddle-point system serves
  bool metric_singular_ = false;
  std::string remark_;
  std::vector<std::string> in_conflict_;  // rows that contradict each other
  Eigen::VectorXd top_;
  Eigen::VectorXd bottom_;
  ManifoldNewton newton_;
  Eigen::VectorXd terms_;
  CoordinateSizes sizes_;
  RowsOfOwnScale own_scale_;
  ConsistentState result_;
};

}  // namespace sunlagrange::internal
