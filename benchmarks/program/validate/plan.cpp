// SPDX-License-Identifier: BSD-3-Clause
#include "validate/plan.hpp"

#include <algorithm>

namespace sunlagrange::program {
namespace {

const std::vector<std::string> ode_and_dae = {"baumgarte/dopri5", "projected/dopri5", "ggl/ida"};
const std::vector<std::string> precise = {"baumgarte/dopri5", "projected/dopri5"};

std::vector<Validation> table() {
  std::vector<Validation> plan;
  const auto add = [&plan](Validation line) -> Validation& { return plan.emplace_back(std::move(line)); };

  add({"pendulum", ode_and_dae, 1e-11, 1e-6, 1e-5, 1e-4, not_compared, 1e-6,
       "exact; what BDF leaves of 1e-11 after 10 s"});
  add({"two_link", precise, 1e-10, 1e-6, 1e-6, 1e-4, not_compared, 1e-6, "exact before the fold at t = 0.4933 s"})
      .t_end = 0.45;
  add({"andrews", ode_and_dae, 1e-12, 5e-9, 1e-4, 3e-4, not_compared, 1e-6,
       "the published column differs from a converged run by 3e-10 (q), 5e-8 (v), 1.3e-6 (lambda), relative"});
  add({"n_four_bar", precise, 1e-10, 1e-7, 1e-6, 1e-4, not_compared, 1e-6, "exact before the singular position"}).size =
      40;
  for (const int size : {2, 40}) {
    Validation& line = add({"n_four_bar",
                            {"projected/dopri5", "baumgarte/dopri5"},
                            1e-9,
                            1e-3,
                            7e-3,
                            not_compared,
                            not_compared,
                            1e-4,
                            "through 20 singular poses; the library of benchmark problems asks for 1e-3, of the "
                            "velocities relative to their largest value"});
    if (size == 40) line.formulations = {"projected/dopri5"};
    line.size = size;
    line.t_end = 20.0;
    line.at_singularity = AtSingularity::project;
    line.linear_solver = "klu";
  }
  add({"car_axis",
       {"baumgarte/dopri5", "ggl/ida"},
       1e-11,
       1e-7,
       5e-6,
       1e-8,
       not_compared,
       1e-6,
       "published in quadruple precision"});
  add({"slider_crank", ode_and_dae, 1e-11, 1e-7, 1e-7, 1e-7, not_compared, 1e-6, "converged to 1e-11"});
  add({"cv_pendulum", ode_and_dae, 1e-11, 1e-5, 1e-4, 1e-4, not_compared, 1e-6,
       "exact after 15 periods; SUNDIALS prints 1.8e-6 (y), 7.8e-5 (y') for its best run"});
  add({"knife_edge", ode_and_dae, 1e-11, 1e-8, 1e-8, 1e-7, not_compared, 1e-6, "exact"});
  add({"arevalo", ode_and_dae, 1e-11, 1e-6, 1e-5, 1e-4, not_compared, 1e-6, "exact"});
  add({"nikravesh", ode_and_dae, 1e-11, 1e-8, 1e-7, 1e-6, not_compared, 1e-6, "reference with 11 digits"});
  add({"nikravesh_rounded",
       {"baumgarte/dopri5"},
       1e-10,
       not_compared,
       not_compared,
       not_compared,
       not_compared,
       1e-6,
       "no reference: energy, and the study of gains below"});
  add({"chaplygin_sleigh", ode_and_dae, 1e-11, 1e-7, 1e-7, 1e-7, not_compared, 1e-6, "exact"});
  add({"n_four_bar_bodies", precise, 1e-10, 1e-7, 1e-6, not_compared, not_compared, 1e-6,
       "exact before the singular position"});
  add({"folding_slider_crank",
       {"baumgarte/dopri5", "projected/dopri5", "coordinate_partitioning/dopri5"},
       1e-10,
       1e-5,
       1e-5,
       not_compared,
       not_compared,
       1e-5,
       "exact, through the singular pose"});
  add({"bricard",
       {"baumgarte/dopri5", "projected/dopri5"},
       1e-9,
       not_compared,
       not_compared,
       not_compared,
       1e-5,
       1e-5,
       "history of P3, eight digits"});
  add({"flyball_governor",
       {"baumgarte/cvode_bdf", "index1/ida"},
       1e-9,
       not_compared,
       not_compared,
       not_compared,
       1e-5,
       1e-5,
       "history of s, twelve digits"});
  return plan;
}

bool has_reference(const mechanisms::Mechanism& mechanism) {
  return mechanism.reference || !mechanism.observables.empty();
}

}  // namespace

std::vector<Validation> validation_plan() {
  const std::vector<Validation> known = table();
  std::vector<Validation> plan;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    bool found = false;
    for (const Validation& line : known) {
      if (line.mechanism != entry.name) continue;
      plan.push_back(line);
      found = true;
    }
    if (found) continue;
    const mechanisms::Mechanism mechanism = entry.make(entry.default_size);
    Validation line;
    line.mechanism = entry.name;
    line.formulations = mechanism.system->first_order()
                            ? std::vector<std::string>{"integral_manifold/dopri5", "integral_manifold/cvode_bdf"}
                            : precise;
    if (has_reference(mechanism)) {
      const double size =
          std::max(1.0, mechanism.start.q.size() == 0 ? 0.0 : mechanism.start.q.lpNorm<Eigen::Infinity>());
      line.q = line.v = line.observed = 1e-6 * size;
      line.why = "default: 1e-6 of the size of the start";
    } else {
      line.why = "no reference: energy only";
    }
    plan.push_back(line);
  }
  return plan;
}

}  // namespace sunlagrange::program
