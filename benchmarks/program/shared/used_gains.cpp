#include "shared/used_gains.hpp"

#include <utility>

#include <sunlagrange/stability/first_order_form.hpp>

namespace sunlagrange::bench {

std::optional<Gains> used_gains(const Gains& asked, const Settings& settings) {
  Gains used = asked;
  bool any = false;
  for (const Setting& setting : settings) {
    for (const auto& [name, gain] : {std::pair("K_D", &used.K_D), {"K_P", &used.K_P}, {"K_N", &used.K_N}}) {
      if (setting.name != name) continue;
      any = true;
      if (gain->automatic()) *gain = std::stod(setting.used);
    }
  }
  return any ? std::optional(used) : std::nullopt;
}

std::optional<Gains> used_gains(const Problem& problem, const std::string& formulation) {
  FormulationOptions options;
  options.formulation = formulation;
  options.gains = problem.options.gains;
  options.linear_solver = problem.options.linear_solver;
  options.t_span = problem.options.t_end - problem.mechanism.start.t;
  const auto& system = problem.mechanism.system;
  ConsistencyOptions consistency;
  consistency.linear_solver = problem.options.linear_solver;
  const MotionState start = consistent_state(system, problem.mechanism.start, consistency).state;
  return used_gains(options.gains, FirstOrderForm(system, start, options).settings());
}

}  // namespace sunlagrange::bench
