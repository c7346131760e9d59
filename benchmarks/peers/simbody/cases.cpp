// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <cmath>

#include "hand_written_runs.hpp"
#include "library_runs.hpp"
#include "simbody_models.hpp"

namespace sunlagrange::peers {
namespace {

/// 10^first, 10^(first - step), ..., 10^last
std::vector<double> powers(double first, double last, double step = 0.5) {
  std::vector<double> tolerances;
  for (double k = first; k > last - 0.01; k -= step) tolerances.push_back(std::pow(10.0, k));
  return tolerances;
}

constexpr double stuck = 3.0;  // [s] of processor time for a run of the library, whose runs need 0.1

struct Problem {
  std::string name;
  std::string mechanism;
  int size;
  double t_end;
  double error;
  Goals goals;
};

void add_simbody(Case& c, const Problem& p, double limit) {
  const bool slow = p.mechanism == "n_four_bar" && p.t_end * p.size > 50.0;  // minutes
  for (const std::string integrator : {"runge_kutta_merson", "runge_kutta_feldberg", "cpodes_bdf"}) {
    c.methods.push_back({"Simbody", integrator, slow ? powers(-5, -8, 1.0) : powers(-2, -10), [=](double accuracy) {
                           return run_simbody({p.mechanism, p.size, integrator, accuracy, p.t_end, limit});
                         }});
  }
}

void add_by_hand(Case& c, const Problem& p) {
  for (const std::string equations : {"klu", "blocks"}) {
    for (const std::string integrator : {"dopri5", "cvode_adams", "cvode_bdf"}) {
      c.methods.push_back({"by hand, " + equations, integrator, powers(-3, -10), [=](double tolerance) {
                             return run_by_hand(equations, p.size, integrator, tolerance, p.t_end);
                           }});
    }
  }
}

void add_library(Case& c, const Problem& p, const std::shared_ptr<const mechanisms::Mechanism>& mechanism) {
  const auto add = [&](const std::string& program, const std::string& formulation, const std::string& integrator) {
    c.methods.push_back({program, formulation + ", " + integrator, powers(-3, -10), [=](double tolerance) {
                           return run_library(p.mechanism, *mechanism, formulation, integrator, tolerance, p.t_end,
                                              stuck);
                         }});
  };
  for (const std::string formulation : {"baumgarte", "projected", "penalty"}) {
    for (const std::string integrator : {"dopri5", "verner6", "verner8", "fehlberg8", "cvode_adams", "cvode_bdf"}) {
      if (formulation != "projected" || integrator != "cvode_adams") add("sunlagrange", formulation, integrator);
    }
  }
  add("sunlagrange", "coordinate_partitioning", "dopri5");
  add("sunlagrange", "ggl", "ida");
  add("sunlagrange", "ggl", "radau");
  add("sunlagrange, automatic", "automatic", "automatic");
}

Case make_case(const Problem& p, double limit) {
  const auto mechanism =
      std::make_shared<const mechanisms::Mechanism>(mechanisms::find_mechanism(p.mechanism).make(p.size));
  Case c{p.name, p.error, p.goals, {}, mechanism->reference_source, {}};
  if (mechanism->reference) {
    c.reference = [=] { return values_of(p.mechanism, mechanism->reference(p.t_end)->q); };
  } else {
    c.reference = [=] {
      return run_library(p.mechanism, *mechanism, "projected", "verner8", 1e-12, p.t_end, 100.0).values;
    };
    c.reference_source = "projected, verner8 at 1e-12";
  }
  add_simbody(c, p, limit);
  if (p.mechanism == "n_four_bar") add_by_hand(c, p);
  add_library(c, p, mechanism);
  return c;
}

}  // namespace

std::vector<Case> cases(double limit) {
  const Problem problems[] = {
      {"n_four_bar_40_short_1e-5", "n_four_bar", 40, 0.6, 1e-5, {3.0, 0.0, 0.0}},
      {"n_four_bar_40_short_3e-7", "n_four_bar", 40, 0.6, 3e-7, {4.0, 0.0, 0.0}},
      {"n_four_bar_160_short", "n_four_bar", 160, 0.6, 1e-5, {15.0, 0.0, 0.0}},
      {"n_four_bar_40_long", "n_four_bar", 40, 10.0, 1e-4, {150.0, 1000.0, 1.0}},
      {"closed_chain_4", "closed_chain", 4, 10.0, 1e-4, {0.0, 50.0, 0.0}},
      {"closed_chain_5", "closed_chain", 5, 10.0, 1e-4, {0.0, 50.0, 0.0}},
      {"closed_chain_10", "closed_chain", 10, 10.0, 1e-4, {0.0, 50.0, 0.0}},
      {"closed_chain_50", "closed_chain", 50, 10.0, 1e-4, {0.0, 50.0, 0.0}},
      {"andrews_2e-5", "andrews", 0, 0.03, 2e-5, {}},
      {"andrews_3e-6", "andrews", 0, 0.03, 3e-6, {}},
      {"pendulum_9e-6", "pendulum", 0, 10.0, 9e-6, {4.0, 0.0, 0.0}},
      {"pendulum_1e-6", "pendulum", 0, 10.0, 1e-6, {4.0, 0.0, 0.0}},
      {"pendulum_2e-7", "pendulum", 0, 10.0, 2e-7, {4.0, 0.0, 0.0}},
  };
  std::vector<Case> all;
  for (const Problem& p : problems) all.push_back(make_case(p, limit));
  return all;
}

}  // namespace sunlagrange::peers
