// SPDX-License-Identifier: BSD-3-Clause
#include "stability/error_step.hpp"

namespace sunlagrange::internal {

ErrorStep::ErrorStep(const ErrorProgram& program, const ButcherTable& table, Growth growth)
    : program_(program), table_(table), growth_(growth), slope_(table.b.size()), K_(table.b.size()) {}

bool ErrorStep::error(double t, const Eigen::VectorXd& y, Eigen::VectorXd& e) {
  return program_.error(t, y, e) && e.allFinite();
}

void ErrorStep::renew_growth(double t, double s) {
  const ConstraintDynamics& law = program_.law;
  if (law.depends_on_state()) {
    R_ = table_.growth(K_, s);
    return;
  }
  if (!law.is_constant()) {
    R_ = growth_operator(table_, law, t, s, growth_);
    return;
  }
  for (const auto& [step, R] : constant_growth_) {
    if (step != s) continue;
    R_ = R;
    return;
  }
  R_ = growth_operator(table_, law, t, s, growth_);
  constant_growth_.emplace_back(s, R_);
}

bool ErrorStep::take(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& e, double s) {
  const bool with_state = program_.law.depends_on_state();
  for (std::size_t i = 0; i < slope_.size(); ++i) {
    stage_ = y;
    for (std::size_t j = 0; j < i; ++j) {
      if (table_.A[i][j] != 0.0) stage_ += s * table_.A[i][j] * slope_[j];
    }
    const double time = t + table_.c[i] * s;
    if (!program_.rhs(time, stage_, slope_[i]) || !slope_[i].allFinite()) return false;
    if (with_state) K_[i] = program_.law.K(time, stage_);
  }
  y_next_ = y;
  for (std::size_t i = 0; i < slope_.size(); ++i) y_next_ += s * table_.b[i] * slope_[i];
  if (!error(t + s, y_next_, e_next_)) return false;
  renew_growth(t, s);
  r_ = e_next_;
  r_.noalias() -= R_ * e;
  return r_.allFinite();
}

}  // namespace sunlagrange::internal
