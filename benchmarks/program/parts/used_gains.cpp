// SPDX-License-Identifier: BSD-3-Clause
#include "parts/used_gains.hpp"

#include <sunlagrange/stability/first_order_form.hpp>

namespace sunlagrange::program {
namespace {

/// Automatic gains are the same for every row.
Gain resolved(const std::optional<UsedGain>& gain) {
  if (!gain || gain->used.size() == 0) return Gain();
  return gain->asked.automatic() ? Gain(gain->used(0, 0)) : gain->asked;
}

}  // namespace

std::optional<Gains> used_gains(const Problem& problem, const std::string& formulation) {
  const auto& system = problem.mechanism.system;
  ConsistencyOptions consistency;
  consistency.linear_solver = problem.options.linear_solver;
  const MotionState start = consistent_state(system, problem.mechanism.start, consistency).state;
  FormulationOptions options{problem.options, {{}, problem.options.t_end - problem.mechanism.start.t}};
  options.formulation = formulation;
  const FormulationFacts facts = FirstOrderForm(system, start, options).facts();
  if (!facts.K_D && !facts.K_P && !facts.K_N) return std::nullopt;
  Gains gains = options.gains;
  gains.K_D = resolved(facts.K_D);
  gains.K_P = resolved(facts.K_P);
  gains.K_N = resolved(facts.K_N);
  return gains;
}

}  // namespace sunlagrange::program
