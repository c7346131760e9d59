#include "simulation/monitor.hpp"

namespace sunlagrange::internal {

RunMonitor::RunMonitor(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
                       const SimulationOptions& options, Simulation& run)
    : run_(run),
      path_(system, options),
      feasibility_(path_, options, run.report.t_start, run.report.t_end),
      energy_(*system, options),
      passages_(path_, energy_, options, run.report.t_start, run.report.t_end),
      recorder_(path_, run.trajectory, options, rows) {}

void RunMonitor::restart(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
                         double work) {
  path_.restart(system);
  feasibility_.restart();
  energy_.restart(*system, work);
  passages_.restart();
  recorder_.restart(rows);
}

void RunMonitor::resume(const EnergyAccount& account) {
  energy_.resume(account);
  feasibility_.resume(run_.report);
  passages_.restart();
}

void RunMonitor::accept(double t, const double* q, const double* v, const double* a, const NearbySolution& nearby,
                        int order, bool inside_a_step) {
  path_.accept(t, q, v, a, nearby);
  feasibility_.accept(run_.report, inside_a_step);
  inertia_.accept(path_);
  energy_.accept(path_, run_.report);
  passages_.accept(run_.report);
  recorder_.accept(order);
  feasibility_.look_between(run_.report);
  run_.report.t_reached = t;
}

/// A new integrator that goes on from samples which are there has nothing to add to them.
void RunMonitor::set_start_acceleration(const double* a) {
  if (path_.samples().size() != 1) return;
  path_.set_start_acceleration(a);
  recorder_.set_start_acceleration(a);
}

void RunMonitor::set_start_velocity(const double* v) {
  if (path_.samples().size() != 1) return;
  path_.set_start_velocity(v);
  recorder_.set_start_velocity(v);
}

std::string RunMonitor::weakest_constraint() const {
  return path_.samples().empty() ? "" : path_.weakest_constraint(path_.newest().weakest_row);
}

/// A sample after that was seen by nobody else.
void RunMonitor::keep_end() {
  const auto& samples = path_.samples();
  for (auto s = samples.rbegin(); s != samples.rend(); ++s) {
    if (s->t <= run_.report.t_reached) return recorder_.finish(*s);
  }
}

}  // namespace sunlagrange::internal
