#include "simulation/options.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/simulation/catalogue.hpp>

#include "events/runner.hpp"
#include "formulation/formulation.hpp"
#include "linear_solver/motion_law.hpp"

namespace sunlagrange::internal {
namespace {

/// Below it a relative tolerance asks for more digits than numbers have.
constexpr double smallest_rtol = 1e-15;

/// Beyond it squares overflow.
constexpr double largest_number = 1e100;

/// Looks a name up, keeping the complaint instead of throwing it.
template <class Entry>
const Entry* lookup(const Registry<Entry>& registry, const std::string& name, std::string& problems) {
  try {
    return &registry.find(name);
  } catch (const Error& error) {
    problems += std::string(error.what()) + "\n";
    return nullptr;
  }
}

/// The table must be there exactly if the integrator "table" reads it, and be a method.
void check_table(const SimulationOptions& o, std::string& problems) {
  const bool used = o.integrator == "table";
  if (used && !o.table.has_value()) problems += "integrator = table: give the Butcher table in the option table\n";
  if (!o.table.has_value()) return;
  if (!used) {
    problems +=
        "table: the integrator " + o.integrator + " does not use it; choose the integrator table, or automatic\n";
  }
  for (const std::string& problem : o.table->problems())
    problems += "table \"" + o.table->name + "\": " + problem + "\n";
}

}  // namespace

SimulationOptions validated(const MechanicalSystem& system, const InitialState& given, SimulationOptions o) {
  std::string problems;
  const auto require = [&problems](bool good, const std::string& complaint) {
    if (!good) problems += complaint + "\n";
  };
  const FormulationEntry* formulation = lookup(formulation_registry(), o.formulation, problems);
  if (o.integrator == "automatic" && formulation != nullptr) {
    o.integrator = o.table.has_value() ? "table" : std::string(automatic_integrator(o.formulation));
  }
  const IntegratorEntry* integrator =
      o.integrator == "automatic" ? nullptr : lookup(integrator_registry(), o.integrator, problems);
  if (o.linear_solver.name != "automatic") {
    const LinearSolverEntry* solver = lookup(linear_solver_registry(), o.linear_solver.name, problems);
    if (solver != nullptr) require(solver->available, solver->objection());
  }
  if (formulation != nullptr && integrator != nullptr) {
    const std::string complaint = objection(o.formulation, system, o.integrator);
    require(complaint.empty(), complaint);
    require(o.events.empty() || integrator->equations != Equations::one_step,
            "events: integrator " + o.integrator + " finds no roots; use a formulation with an integrator of SUNDIALS");
    const ButcherTable* table = o.table.has_value() ? &*o.table : integrator->fixed_step_table;
    require(o.events.empty() || table == nullptr || table->order > 1,
            "events: " + o.integrator + " has no dense output to find roots on; use rk2 or higher");
    require(!integrator->fixed_step || (o.step > 0.0 && std::isfinite(o.step)),
            "step = " + text(o.step) + ": the fixed-step integrator " + o.integrator + " needs step > 0");
  }
  require(!system.first_order() || o.at_singularity != AtSingularity::project,
          "at_singularity = project: crosses with the accelerations of a mechanical system; kinematic programs have "
          "filter and stop");
  const IdaOverrides& ida = o.ida;
  require(!ida.nonlinear_coefficient || *ida.nonlinear_coefficient > 0.0, "ida.nonlinear_coefficient: must be > 0");
  require(!ida.max_nonlinear_iterations || *ida.max_nonlinear_iterations > 0,
          "ida.max_nonlinear_iterations: must be > 0");
  require(!ida.initial_step || *ida.initial_step > 0.0, "ida.initial_step: must be > 0 [s]");
  check_table(o, problems);
  require(o.t_end > given.t && o.t_end <= largest_number, "t_end = " + text(o.t_end) +
                                                              ": must be later than the start, t = " + text(given.t) +
                                                              ", and at most " + text(largest_number));
  require(o.rtol >= smallest_rtol && o.rtol < 1.0,
          "rtol = " + text(o.rtol) + ": must be in [" + text(smallest_rtol) + ", 1)");
  require(o.atol > 0.0 && std::isfinite(o.atol), "atol = " + text(o.atol) + ": must be positive");
  require(o.max_steps > 0, "max_steps = " + std::to_string(o.max_steps) + ": must be positive");
  require(o.linear_solver.rank_threshold > 0.0 && o.linear_solver.rank_threshold < 1.0,
          "rank_threshold = " + text(o.linear_solver.rank_threshold) + ": must be in (0, 1)");
  require(o.linear_solver.regularization > 0.0 && o.linear_solver.regularization < 1.0,
          "regularization = " + text(o.linear_solver.regularization) + ": must be in (0, 1)");
  require(o.time_scale == 0.0 || (o.time_scale >= 1.0 / largest_number && o.time_scale <= largest_number),
          "time_scale = " + text(o.time_scale) + ": must be 0, read off the start, or in [" +
              text(1.0 / largest_number) + ", " + text(largest_number) + "] s");
  const int m_g = system.num_position_constraints();
  const int m_psi = system.num_velocity_constraints();
  const auto gain = [&](const Gain& g, const char* field, int m, bool allow_zero) {
    if (g.automatic()) return;
    try {
      const GainMatrix matrix = g.matrix(m, field, allow_zero);
      double largest = 0.0;
      matrix.for_each_entry([&](int, int, double entry) { largest = std::max(largest, std::abs(entry)); });
      require(largest <= largest_number,
              std::string(field) + ": the entry " + text(largest) + " must be at most " + text(largest_number));
    } catch (const Error& error) {
      problems += std::string(error.what()) + "\n";
    }
  };
  gain(o.gains.K_D, "K_D", m_g, true);
  gain(o.gains.K_P, "K_P", m_g, true);
  gain(o.gains.K_N, "K_N", m_g + m_psi - motion_law(system).second_order_rows(system), true);
  gain(o.gains.Lambda, "Lambda", m_g + m_psi, false);
  if (!problems.empty()) throw Error("invalid simulation options:\n" + problems.substr(0, problems.size() - 1));
  o.linear_solver = resolve_linear_solver(o.linear_solver, system.num_positions(), m_g + m_psi);
  return o;
}

RunFacts facts_of(const MechanicalSystem& system, const SimulationOptions& asked, const SimulationOptions& used,
                  Stepper& stepper) {
  RunFacts facts;
  static_cast<FormulationFacts&>(facts) = stepper.attachment().facts();
  facts.formulation = used.formulation;
  facts.integrator = {asked.integrator, used.integrator};
  facts.table = used.table;
  if (find_integrator(used.integrator).fixed_step) facts.step = used.step;
  facts.tolerances = used;
  facts.linear_solver = {asked.linear_solver.name, used.linear_solver.name};
  facts.linear_solver_description = stepper.attachment().linear_solver_description();
  facts.rank_policy = used.linear_solver.rank_policy;
  facts.at_singularity = used.at_singularity;
  facts.asked_gains = used.gains;
  facts.switched_off = used.inactive_constraints;
  for (const Event& event : used.events) facts.events.push_back({event.name, crossing_direction(event)});
  facts.sources = system.sources();
  return facts;
}

}  // namespace sunlagrange::internal
