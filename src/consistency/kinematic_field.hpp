// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/model/kinematic_program.hpp>

#include "linear_algebra/vector_map.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// Velocity and acceleration of a kinematic program at (t, y), from one first-order saddle-point system [002, (7)-(9)]:
///
///     [ I  A^T ] [ v  ]   [ w       ]        [ I  A^T ] [ v'  ]   [ w' - (A^T)' mu ]
///     [ A   0  ] [ mu ] = [ a - f_t ],       [ A   0  ] [ mu' ] = [ gamma + a'      ]
///
/// with ' along the motion, f'' = A v' - gamma. One instance per thread.
class KinematicField {
 public:
  /// @param K  a = -K f unless the program has a feedback of its own; size 0: a = 0
  KinematicField(std::shared_ptr<const MechanicalSystem> program, const LinearSolverOptions& options,
                 GainMatrix K = {});

  /// Computes v and mu at the point; y is copied. No allocation.
  EvaluationResult velocity(double t, const double* y);

  /// Computes y'' at the point of the last velocity(), length n. f'' is exact; the explicit time dependence of A and w,
  /// and the feedback of a program, are differentiated by central differences.
  EvaluationResult acceleration(double* a);

  /// Computes the blocks of the linearised field in quantities(), at the point of the last velocity():
  /// r_q = d(A^T mu - w)/dy, V_q = d(A v + f_t)/dy. Call it directly after velocity().
  EvaluationResult linearize();

  /// Computes da/df of the feedback of the program at the point. Returns false if the program declines it.
  bool feedback_derivative(double* a_f) const;

  const Eigen::VectorXd& v() const { return v_; }
  const Eigen::VectorXd& mu() const { return mu_; }

  /// Returns a - f_t of the last velocity(), the value that A v must have.
  const Eigen::VectorXd& required_rate() const { return required_rate_; }
  const Workspace& quantities() const { return evaluator_.quantities(); }
  SaddlePointSystem& saddle() { return saddle_; }
  const SaddlePointSystem& saddle() const { return saddle_; }

 private:
  bool feedback(Eigen::VectorXd& a) const;
  bool add_rate_of_feedback();
  bool add_explicit_time(VectorMap top);
  double time_step() const;

  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  GainMatrix K_;
  const ProgramFeedback* feedback_;
  int n_;
  int m_;
  double t_ = 0.0;
  Eigen::VectorXd y_, v_, mu_, f_, zero_, required_rate_;
  Eigen::VectorXd rate_, shifted_, rows_, other_rows_;  // scratch: f' and shifted points
};

}  // namespace sunlagrange::internal
