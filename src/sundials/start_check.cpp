// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/setting.hpp>

#include "consistency/manifold.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"
#include "sundials/binding.hpp"

namespace sunlagrange::internal {
namespace {

/// Violation, relative to the largest terms of a row, that is far beyond tolerances and drift.
constexpr double large_violation = 0.1;

/// Returns the largest |G_ij| times the size of coordinate j in `x`, for each row; zeros if all sizes are zero.
Eigen::VectorXd terms_of(const MechanicalSystem& system, const PatternMatrix& G, const Eigen::VectorXd& x) {
  Eigen::VectorXd terms = Eigen::VectorXd::Zero(system.num_constraints());
  const double whole = natural_size(system, x);
  if (!(whole > 0.0)) return terms;
  CoordinateSizes sizes(system);
  sizes.measure(x, whole);
  add_largest_terms(G, sizes, terms);
  return terms;
}

/// Returns the row that `values` violates most, relative to the allowed violation, or -1.
int violated_row(const Eigen::VectorXd& values, const Eigen::VectorXd& at_start, const Eigen::VectorXd& terms) {
  int worst = -1;
  double most = 1.0;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double allowed = large_violation * terms[i] + 2.0 * std::abs(at_start[i]);
    if (!(terms[i] > 0.0) || !(std::abs(values[i]) > most * allowed)) continue;
    most = std::abs(values[i]) / allowed;
    worst = static_cast<int>(i);
  }
  return worst;
}

}  // namespace

void check_start(Binding& binding, double t, const double* y, const char* init) {
  if (!binding.start) return;
  const MotionState start = std::move(*binding.start);
  binding.start.reset();
  const MechanicalSystem& system = *binding.system;
  const Eigen::Index n = system.num_positions();
  Eigen::VectorXd q(n), v(n);
  if (binding.formulation().unpack(t, y, nullptr, q.data(), v.data(), nullptr) != EvaluationResult::ok) return;
  const auto w = make_workspace(system, Storage::sparse);
  const auto evaluate = [&](double time, const Eigen::VectorXd& positions, const Eigen::VectorXd& velocities) {
    return evaluate_system(system, request::constraint | request::jacobian,
                           {time, positions.data(), velocities.data(), nullptr, nullptr}, *w);
  };
  if (!evaluate(start.t, start.q, start.v)) return;
  const Eigen::VectorXd g = w->g, rates = w->g_rate;
  const Eigen::VectorXd of_positions = terms_of(system, w->G, start.q), of_rates = terms_of(system, w->G, start.v);
  if (!evaluate(t, q, v)) return;  // the first call of the integrator will fail
  const auto refuse = [&](int row, const char* what, double value) {
    throw Error(std::string("the state that ") + init + " was given violates \"" + system.constraint_name(row) +
                "\" at t = " + text(t) + ", " + what + " = " + text(value) +
                ": call initial_values() before it, with the same start and time; if the state is meant to be off the "
                "constraints, attach with that state as the start (Start::as_given)");
  };
  if (const int row = violated_row(w->g, g, of_positions); row >= 0) refuse(row, "g", w->g[row]);
  if (!system.motion_law().has_forces) return;  // its velocities are no unknowns
  if (const int row = violated_row(w->g_rate, rates, of_rates); row >= 0)
    refuse(row, row < system.num_position_constraints() ? "g'" : "psi", w->g_rate[row]);
}

}  // namespace sunlagrange::internal
