#include "simulation/monitor.hpp"

#include "integrators/stepper.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

constexpr int order_of_simpson = 4;

/// Steps that nobody controls, of a method that Simpson's rule can judge, of equations that have accelerations.
bool may_have_coarse_steps(const MechanicalSystem& system, const SimulationOptions& options) {
  return find_integrator(options.integrator).fixed_step && system.motion_law().has_forces &&
         one_step_order(options) <= order_of_simpson;
}

}  // namespace

RunMonitor::RunMonitor(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
                       const SimulationOptions& options, Simulation& run)
    : run_(run),
      path_(system, options.linear_solver, options.at_singularity == AtSingularity::filter),
      feasibility_(path_, options, run.report.t_start, run.report.t_end),
      energy_(*system, options),
      passages_(path_, energy_, options, run.report.t_start, run.report.t_end),
      recorder_(path_, run.trajectory, options, rows) {
  if (may_have_coarse_steps(*system, options)) coarse_steps_.emplace();
}

void RunMonitor::restart(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
                         double work) {
  path_.restart(system);
  feasibility_.restart();
  if (coarse_steps_) coarse_steps_->restart();
  energy_.restart(*system, work);
  passages_.restart();
  recorder_.restart(rows);
}

void RunMonitor::resume(const Checkpoint& from) {
  energy_.resume(from.energy);
  observed_ = from.observed;
  feasibility_.resume(run_.report);
  if (coarse_steps_) coarse_steps_->resume();
  passages_.restart();
}

void RunMonitor::accept(double t, const double* q, const double* v, const double* a, const LastEvaluation* nearby,
                        int order, bool inside_a_step) {
  path_.accept(t, q, v, a, nearby);
  feasibility_.accept(run_.report, inside_a_step);
  inertia_.accept(path_);
  if (coarse_steps_) coarse_steps_->accept(path_);
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

Observed RunMonitor::observed() const {
  Observed all = observed_;
  if (coarse_steps_) {
    all.steps_astray += coarse_steps_->defect();
    all.velocity_gained += coarse_steps_->gained();
  }
  return all;
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
