// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iostream>
#include <memory>

#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/stability/certificate.hpp>

#include "commands.hpp"
#include "parts/used_gains.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

/// `certify`: conditions 1 to 4 of [002, Theorems 2 to 5] along a fixed-step run of a registered mechanism or a model
/// file.
namespace sunlagrange::program {
namespace {

struct CertifyArguments {
  ProblemArguments problem;
  std::string formulation;
  std::string integrator = "rk4";
  double step = std::numeric_limits<double>::quiet_NaN();
  double eps = CertificateOptions{}.eps;
  double q = 1.0;
  std::string norm;
  std::string remainder = "measured";
  double remainder_constant = std::numeric_limits<double>::quiet_NaN();
  int remainder_power = CertificateOptions{}.remainder_power;
  double step_limit = std::numeric_limits<double>::quiet_NaN();
};

CertificateOptions certificate_options(const CertifyArguments& a) {
  CertificateOptions options;
  options.eps = a.eps;
  options.q = a.q;
  for (const NormKind kind : {NormKind::euclidean, NormKind::maximum, NormKind::lyapunov}) {
    if (a.norm == to_string(kind)) options.norm = kind;
  }
  if (a.remainder == "sampled") options.remainder = RemainderKind::sampled;
  const bool given = a.remainder == "given";
  if (given != !std::isnan(a.remainder_constant))
    throw Error("--remainder given and --remainder-constant C belong together: the remainder is C step^power");
  if (given) {
    options.remainder = RemainderKind::given;
    options.remainder_constant = a.remainder_constant;
    options.remainder_power = a.remainder_power;
    options.step_limit = std::isnan(a.step_limit) ? a.step : a.step_limit;
  }
  return options;
}

std::string document(const CertifyArguments& a, const std::string& formulation, const Certificate& found) {
  Json json;
  json["schema"] = 1;
  json["mechanism"] = a.problem.mechanism;
  json["formulation"] = formulation;
  json["integrator"] = a.integrator;
  json["step"] = found.tau;
  json["eps"] = found.eps;
  json["how"] = found.how;
  json["certified"] = found.certified;
  json["stayed_below"] = found.stayed_below();
  json["steps"] = found.steps;
  json["t_reached"] = found.t_reached;
  json["largest_error"] = number_or_null(found.largest_error);
  json["largest_contraction"] = number_or_null(found.largest_contraction);
  json["largest_remainder"] = number_or_null(found.largest_remainder);
  json["smallest_slack"] = number_or_null(found.smallest_slack);
  json["failures"] = parsed(figures_json(found))["failures"];
  return json_text(json);
}

int certify_mechanism(const CertifyArguments& a) {
  const Problem problem(a.problem);
  const std::shared_ptr<const MechanicalSystem>& system = problem.mechanism.system;
  if (system->num_constraints() == 0) throw Error(problem.name + " has no constraints to certify");
  if (std::isnan(a.step)) throw Error("--step: certificates need a fixed step; give one");
  constexpr double most_steps = 2e9;  // most steps of a certificate
  if ((problem.options.t_end - problem.mechanism.start.t) / a.step > most_steps)
    throw Error("--step " + text(a.step) + ": that makes more than " + text(most_steps) + " steps; give a larger step");
  const bool own_table = a.integrator == "table";
  if (own_table != problem.options.table.has_value())
    throw Error("--integrator table and --table FILE belong together");
  const IntegratorInfo info = integrator(a.integrator);  // throws if unknown
  if (!own_table && info.fixed_step_table == nullptr)
    throw Error("--integrator: " + a.integrator + " has no fixed Runge-Kutta step; choose rk1 ... rk4, or table");
  const std::string formulation = a.formulation.empty() ? problem.default_formulation() : a.formulation;
  const std::string reason = objection(formulation, *system, a.integrator);
  if (!reason.empty()) throw Error(reason);
  SimulationOptions options = problem.options_with(formulation);
  options.start = problem.options.start;  // a start inside the bounds is required
  if (!options.excess.given()) {
    if (const std::optional<Gains> gains = used_gains(problem, formulation)) options.gains = *gains;
  }
  ConsistencyOptions consistency;
  consistency.start = options.start;
  consistency.linear_solver = options.linear_solver;
  const ConsistentState start = consistent_state(system, problem.mechanism.start, consistency);
  if (!start.report.status.finished()) throw Error("the start: " + start.report.status.message);
  const ButcherTable& table = own_table ? *problem.options.table : *info.fixed_step_table;
  const Certificate found =
      certify_run(system, start.state, {options, {}}, table, a.step, options.t_end, certificate_options(a));
  std::cout << (a.problem.json ? document(a, formulation, found) : found.text());
  if (found.certified) return exit_finished;
  return found.stayed_below() ? exit_doubts : exit_numerical_failure;
}

}  // namespace

Command certify_command() {
  const auto a = std::make_shared<CertifyArguments>();
  const std::vector<Option> options = {
      {"--integrator", &a->integrator, "rk1, rk2, rk3, rk4, or table (with --table)", rule::show_default},
      {"--step", &a->step, "step [s]", rule::positive | rule::finite},
      {"--formulation", &a->formulation,
       "an ODE form with a law: baumgarte, extended_lagrangian, integral_manifold; default: as the mechanism needs"},
      {"--eps", &a->eps, "bound on the constraint error, in the norm used", rule::show_default | rule::positive},
      {"--q", &a->q, "bound on the contraction of a step; 1: that of the step itself", rule::show_default},
      {"--norm",
       &a->norm,
       "default: lyapunov for second-order laws, else euclidean",
       0,
       {"euclidean", "maximum", "lyapunov"}},
      {"--remainder",
       &a->remainder,
       "measured: valid for this run; sampled: valid for the ball around it; given: your own bound",
       rule::show_default,
       {"measured", "sampled", "given"}},
      {"--remainder-constant", &a->remainder_constant, "C of the bound C step^power on the remainder of a step",
       rule::positive | rule::finite},
      {"--remainder-power", &a->remainder_power, "power of that bound", rule::show_default | rule::positive},
      {"--step-limit", &a->step_limit, "step up to which that bound holds [s]; default: the step",
       rule::positive | rule::finite}};
  return {"certify", "checks the conditions of the Runge-Kutta theorems at each step of a run",
          problem_options(a->problem) + options, [a] { return certify_mechanism(*a); },
          "\nExamples:\n"
          "  certify pendulum --integrator rk4 --step 1e-3\n"
          "  certify slider_crank_program --integrator rk1 --step 1e-3\n"
          "  certify slider_crank_program --integrator rk1 --step 1e-3 --remainder given --remainder-constant 8.5"};
}

}  // namespace sunlagrange::program
