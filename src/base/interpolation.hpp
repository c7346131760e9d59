// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Position, velocity and acceleration at one end of a step. Refers to vectors that must outlive it.
struct StepEnd {
  double t;
  Eigen::Ref<const Eigen::VectorXd> q, v, a;
};

/// Returns the acceleration at the end of a step of length h of the cubic polynomial through q and v of both ends. For
/// the acceleration at the beginning exchange the ends and pass -h.
inline Eigen::VectorXd cubic_acceleration(const Eigen::VectorXd& q_begin, const Eigen::VectorXd& v_begin,
                                          const Eigen::VectorXd& q, const Eigen::VectorXd& v, double h) {
  return (2.0 * v_begin + 4.0 * v - 6.0 / h * (q - q_begin)) / h;
}

/// Quintic Hermite polynomial p between two states that must outlive it: p = q, p' = v, p'' = a at both ends. The error
/// is O(h^6) in between, O(W^3 (W + h)^3) at a distance W outside. If both ends have the same time, p is the second
/// state.
class QuinticHermite {
 public:
  QuinticHermite(const StepEnd& from, const StepEnd& to) : from_(from), to_(to), h_(to.t - from.t) {}

  /// @param part  0 at the first state, 1 at the second
  double time(double part) const { return from_.t + part * h_; }

  void position(double t, Eigen::VectorXd& q) const {
    if (h_ == 0.0) {
      q = to_.q;
      return;
    }
    const double s = (t - from_.t) / h_, s2 = s * s, s3 = s2 * s;
    q = from_.q + s3 * (10.0 + s * (-15.0 + 6.0 * s)) * (to_.q - from_.q) +
        h_ * ((s + s3 * (-6.0 + s * (8.0 - 3.0 * s))) * from_.v + s3 * (-4.0 + s * (7.0 - 3.0 * s)) * to_.v) +
        0.5 * h_ * h_ * (s2 * (1.0 + s * (-3.0 + s * (3.0 - s))) * from_.a + s3 * (1.0 + s * (-2.0 + s)) * to_.a);
  }

  void velocity(double t, Eigen::VectorXd& v) const {
    if (h_ == 0.0) {
      v = to_.v;
      return;
    }
    const double s = (t - from_.t) / h_, s2 = s * s;
    v = 30.0 * s2 * (1.0 + s * (-2.0 + s)) / h_ * (to_.q - from_.q) +
        (1.0 + s2 * (-18.0 + s * (32.0 - 15.0 * s))) * from_.v + s2 * (-12.0 + s * (28.0 - 15.0 * s)) * to_.v +
        0.5 * h_ *
            (s * (2.0 + s * (-9.0 + s * (12.0 - 5.0 * s))) * from_.a + s2 * (3.0 + s * (-8.0 + 5.0 * s)) * to_.a);
  }

  Eigen::VectorXd position(double t) const {
    Eigen::VectorXd q;
    position(t, q);
    return q;
  }

  Eigen::VectorXd velocity(double t) const {
    Eigen::VectorXd v;
    velocity(t, v);
    return v;
  }

 private:
  StepEnd from_, to_;
  double h_;
};

}  // namespace sunlagrange::internal
