#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// One end of a step: position, velocity and acceleration at a time. Refers to its vectors.
struct StepEnd {
  double t;
  Eigen::Ref<const Eigen::VectorXd> q, v, a;
};

/// Quintic Hermite polynomial p of two states that must outlive it: p = q, p' = v, p'' = a at both ends. Error O(h^6)
/// in between, O(W^3 (W + h)^3) at W beyond. Written with s = (t - t0) / h and x0 = q1 - q0 - h v0 - h^2 a0 / 2, x1 and
/// x2 its rates. Where both ends have the same time, it is the second state.
class QuinticHermite {
 public:
  QuinticHermite(const StepEnd& from, const StepEnd& to) : from_(from), to_(to), h_(to.t - from.t) {
    if (h_ == 0.0) return;
    const Eigen::VectorXd x0 = to.q - from.q - h_ * from.v - 0.5 * h_ * h_ * from.a;
    const Eigen::VectorXd x1 = h_ * (to.v - from.v - h_ * from.a);
    const Eigen::VectorXd x2 = h_ * h_ * (to.a - from.a);
    c3_ = 10.0 * x0 - 4.0 * x1 + 0.5 * x2;
    c4_ = -15.0 * x0 + 7.0 * x1 - x2;
    c5_ = 6.0 * x0 - 3.0 * x1 + 0.5 * x2;
  }

  Eigen::VectorXd position(double t) const {
    if (h_ == 0.0) return to_.q;
    const double s = (t - from_.t) / h_;
    return from_.q + s * (h_ * from_.v + s * (0.5 * h_ * h_ * from_.a + s * (c3_ + s * (c4_ + s * c5_))));
  }

  Eigen::VectorXd velocity(double t) const {
    if (h_ == 0.0) return to_.v;
    const double s = (t - from_.t) / h_;
    return from_.v + s * h_ * from_.a + s * s * (3.0 * c3_ + s * (4.0 * c4_ + s * 5.0 * c5_)) / h_;
  }

 private:
  StepEnd from_, to_;
  double h_;
  Eigen::VectorXd c3_, c4_, c5_;
};

}  // namespace sunlagrange::internal
