// SPDX-License-Identifier: BSD-3-Clause
#include "parts/end_reference.hpp"

#include <vector>

#include "shared/interruption.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {

EndReference end_reference(const Problem& problem) {
  const mechanisms::Mechanism& mechanism = problem.mechanism;
  EndReference found;
  if (mechanism.reference) {
    if (const auto exact = mechanism.reference(problem.options.t_end)) {
      found.q = exact->q;
      found.source = mechanism.reference_source;
      return found;
    }
  }
  constexpr double tight = 1e-12;
  std::vector<std::string> sources;
  std::string complaint;
  for (const char* method : {"projected/verner8", "baumgarte/dopri5", "integral_manifold/dopri5"}) {
    SimulationOptions options = problem.options;
    set_formulation(options, method);
    if (!objection(options.formulation, *mechanism.system, options.integrator).empty()) continue;
    options.rtol = options.atol = tight;
    options.table.reset();
    options.record = Record::ends_only;
    const Simulation run = simulate(mechanism.system, mechanism.start, options);
    if (interrupted()) throw Error("interrupted");
    if (!run.status.finished()) {
      complaint = run.status.message;
      continue;
    }
    const Eigen::VectorXd q = run.trajectory.q(run.trajectory.size() - 1);
    sources.push_back(options.formulation + " with " + options.integrator);
    if (sources.size() == 1) {
      found.q = q;
    } else {
      found.uncertainty = (q - found.q).lpNorm<Eigen::Infinity>();
      break;
    }
  }
  if (sources.empty() && complaint.empty())
    throw Error("there is no reference, because no method for one fits the mechanism");
  if (sources.empty()) {
    found.source = "nothing, because no run for a reference finished: " + complaint;
    found.uncertainty = Report::none;
    return found;
  }
  found.source = "a run of " + sources[0] + ", tolerances " + short_number(tight);
  if (sources.size() > 1) found.source += "; one of " + sources[1] + " differs by " + two_digits(found.uncertainty);
  return found;
}

}  // namespace sunlagrange::program
