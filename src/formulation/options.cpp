// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/options.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>

#include "base/problems.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {
namespace {

void require(Problems& all, const Interval& interval, const char* name, double x) {
  all.require(interval.contains(x), [&] { return interval.objection(name, x); });
}

}  // namespace

std::string Interval::objection(const std::string& name, double x) const {
  std::string relation =
      std::string("in ") + (low_belongs ? "[" : "(") + text(low) + ", " + text(high) + (high_belongs ? "]" : ")");
  if (high == intervals::infinity)
    relation = low > 0.0 ? "at least " + text(low) : low_belongs ? ">= 0 and finite" : "positive";
  return name + " = " + text(x) + ": must be " + (or_zero ? "0 or " : "") + relation;
}

std::string objections(const FormulationChoice& o, const MechanicalSystem& system) {
  Problems all;
  if (o.linear_solver.name != "automatic") {
    all.require_no_error([&] {
      const LinearSolverEntry& solver = linear_solver_registry().find(o.linear_solver.name);
      all.require(solver.available, [&] { return solver.objection(); });
    });
  }
  require(all, intervals::rtol, "rtol", o.rtol);
  require(all, intervals::positive, "atol", o.atol);
  all.require(*to_string(o.linear_solver.rank_policy) != '\0', [&] {
    return "rank_policy = " + std::to_string(static_cast<int>(o.linear_solver.rank_policy)) +
           ": is no RankPolicy; use strict, minimum_norm or regularized";
  });
  require(all, intervals::fraction, "rank_threshold", o.linear_solver.rank_threshold);
  require(all, intervals::fraction, "regularization", o.linear_solver.regularization);
  require(all, intervals::time_scale, "time_scale", o.time_scale);
  const int m_g = system.num_position_constraints();
  const int m_psi = system.num_velocity_constraints();
  const auto gain = [&all](const Gain& g, const char* field, int m, bool allow_zero) {
    if (g.automatic()) return;
    all.require_no_error([&] {
      double largest = 0.0;
      g.matrix(m, field, allow_zero).for_each_entry([&](int, int, double entry) {
        largest = std::max(largest, std::abs(entry));
      });
      all.require(largest <= largest_number, [&] {
        return std::string(field) + ": the entry " + text(largest) + " must be at most " + text(largest_number);
      });
    });
  };
  gain(o.gains.K_D, "K_D", m_g, true);
  gain(o.gains.K_P, "K_P", m_g, true);
  gain(o.gains.K_N, "K_N", m_g + m_psi - system.motion_law().second_order_rows, true);
  gain(o.gains.Lambda, "Lambda", m_g + m_psi, false);
  return all.text();
}

std::string objections(const RunHints& hints) {
  Problems all;
  all.require(intervals::not_negative.contains(hints.integrator.step),
              [&] { return "integrator.step = " + text(hints.integrator.step) + ": must be >= 0 [s], 0: not known"; });
  all.require(intervals::not_negative.contains(hints.t_span),
              [&] { return "t_span = " + text(hints.t_span) + ": must be >= 0 [s]"; });
  return all.text();
}

std::string objections(const IdaOverrides& ida) {
  Problems all;
  all.require(!ida.nonlinear_coefficient || intervals::positive.contains(*ida.nonlinear_coefficient),
              "ida.nonlinear_coefficient: must be > 0 and finite");
  all.require(!ida.max_nonlinear_iterations || *ida.max_nonlinear_iterations > 0,
              "ida.max_nonlinear_iterations: must be > 0");
  all.require(!ida.initial_step || intervals::positive.contains(*ida.initial_step),
              "ida.initial_step: must be > 0 [s] and finite");
  return all.text();
}

}  // namespace sunlagrange::internal
