// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <memory>
#include <optional>

#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/analysis/state_space.hpp>
#include <sunlagrange/analysis/static_equilibrium.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "commands.hpp"
#include "shared/interruption.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

/// `modes`: eigenvalues and mode shapes of a registered mechanism or a model file.
namespace sunlagrange::program {
namespace {

struct ModesArguments {
  ProblemArguments problem;
  std::string at = "start", html, state_space;
  std::vector<std::string> inputs, outputs;
  bool wide = false;
};

Json shape_json(const Mode& mode, const MechanicalSystem& system) {
  Json shape;
  for (int i = 0; i < system.num_positions(); ++i) {
    shape[system.position_name(i)] = {number_or_null(mode.shape[i].real()), number_or_null(mode.shape[i].imag())};
  }
  return shape;
}

std::string document(const Problem& problem, const Linearisation& at, const Modes& found) {
  const MechanicalSystem& system = *problem.mechanism.system;
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  add_figures(json, figures_json(at));
  add_figures(json, figures_json(at.state));
  add_figures(json, figures_json(found));
  for (std::size_t k = 0; k < found.modes.size(); ++k) {
    Json& mode = json["modes"][k];
    set(mode, "real", found.modes[k].eigenvalue.real());
    set(mode, "imaginary", found.modes[k].eigenvalue.imag());
    mode["shape"] = shape_json(found.modes[k], system);
  }
  return json_text(json);
}

/// Returns the three coordinates that move most, relative to the largest.
std::string movers(const Mode& mode, const MechanicalSystem& system) {
  Eigen::VectorXd left = mode.shape.cwiseAbs().cwiseQuotient(system.natural_scales());
  std::string words;
  for (int k = 0; k < 3; ++k) {
    Eigen::Index most = 0;
    const double share = left.maxCoeff(&most);
    if (share < 0.01) break;
    words += (words.empty() ? "" : ", ") + system.position_name(static_cast<int>(most)) + " " + number(share, ".2g");
    left[most] = 0.0;
  }
  return words;
}

void print(const Problem& problem, const Linearisation& at, const Modes& found, std::size_t width) {
  if (at.status.finished()) print_wrapped(found.verdict, width);
  print_wrapped(problem.description(), width);
  if (!at.status.message.empty()) print_wrapped(at.status.message, width);
  if (!at.status.finished()) return;
  Table table(
      {{"real [1/s]"}, {"imaginary [1/s]"}, {"frequency [Hz]"}, {"damping ratio"}, {"moves most", Align::left, 1}},
      width);
  std::vector<Table::Row> rows;
  for (const Mode& mode : found.modes) {
    const std::complex<double> mu = mode.zero ? 0.0 : mode.eigenvalue;
    rows.push_back({number(mu.real(), ".6g"), number(mu.imag(), ".6g"), number(mode.frequency, ".6g"),
                    number(mode.damping_ratio, ".4g"), movers(mode, *problem.mechanism.system)});
  }
  std::cout << table.text(rows);
  print_wrapped(std::string(to_string(at.at)) + ", " + std::to_string(at.velocities.cols()) +
                    " degrees of freedom, rank " + std::to_string(at.rank) + ", redundant rows " +
                    std::to_string(at.redundant),
                width);
}

ConsistencyOptions consistency_of(const Problem& problem) {
  ConsistencyOptions consistency;
  consistency.start = problem.options.start;
  consistency.linear_solver = problem.options.linear_solver;
  return consistency;
}

Linearisation linearised_at_start(const Problem& problem) {
  return linearise(problem.mechanism.system, problem.mechanism.start, consistency_of(problem));
}

/// Writes the state-space matrices x' = A x + B du, dz = C x + D du about the same state.
StateSpace small_motions(const ModesArguments& arguments, const Problem& problem, const Linearisation& at) {
  InitialState state;
  state.t = at.state.t;
  state.q = at.state.q;
  state.v = at.state.v;
  ConsistencyOptions options = consistency_of(problem);
  options.start = Start::as_given;  // the state lies on the constraints
  return state_space(problem.mechanism.system, state, arguments.inputs, arguments.outputs, options);
}

std::string state_space_document(const Problem& problem, const StateSpace& found) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  add_figures(json, figures_json(found));
  add_figures(json, figures_json(found.about.state));
  set(json, "at", to_string(found.about.at));
  return json_text(json);
}

/// Reports a failed search: its status and its last state.
Linearisation linearised_at_equilibrium(const Problem& problem) {
  EquilibriumOptions options;
  options.linear_solver = problem.options.linear_solver;
  options.keep_going = problem.options.keep_going;
  const Equilibrium found = static_equilibrium(problem.mechanism.system, problem.mechanism.start, options);
  if (found.status.finished()) return found.linearisation;
  Linearisation none;
  none.state = found.state;
  none.status = found.status;
  return none;
}

int modes_of_mechanism(const ModesArguments& arguments) {
  const Problem problem(arguments.problem);
  std::optional<OutputFile> html, file;
  if (arguments.state_space.empty() && !(arguments.inputs.empty() && arguments.outputs.empty()))
    throw Error("--input, --output: they belong to --state-space FILE; name a file");
  if (!arguments.html.empty()) html.emplace(arguments.html, "--html");
  if (!arguments.state_space.empty()) file.emplace(arguments.state_space, "--state-space");
  const Linearisation at =
      arguments.at == "equilibrium" ? linearised_at_equilibrium(problem) : linearised_at_start(problem);
  if (at.status.finished()) finish_uninterrupted();
  Modes found;
  StateSpace small;
  if (at.status.finished()) found = modes(at);
  if (at.status.finished() && file) {
    small = small_motions(arguments, problem, at);
    if (!small.status.finished()) throw Error("--state-space: " + small.status.message);
  }
  if (arguments.problem.json)
    std::cout << document(problem, at, found);
  else
    print(problem, at, found, output_width(arguments.wide));
  if (html && at.status.finished()) {
    write_html(at, found, problem.mechanism.system, html->stream(), problem.title() + ", modes");
    html->commit();
  }
  if (!at.status.finished()) return exit_numerical_failure;
  if (file) {
    file->stream() << state_space_document(problem, small);
    file->commit();
  }
  return at.at == LinearisedAt::instant || at.lost > 0 ? exit_doubts : exit_finished;
}

}  // namespace

Command modes_command() {
  const auto a = std::make_shared<ModesArguments>();
  const std::vector<Option> options = {
      {"--at",
       &a->at,
       "linearise at the start, or at the equilibrium that the search finds from it",
       rule::show_default,
       {"start", "equilibrium"}},
      {"--html", &a->html, "write a page to this file: animated mode shapes", rule::writes},
      {"--state-space", &a->state_space,
       "write x' = A x + B du, dz = C x + D du about that state to this file, as JSON", rule::writes},
      {"--input", &a->inputs,
       "for --state-space: name of an element whose law is an input; may be repeated; default: all"},
      {"--output", &a->outputs,
       "for --state-space: a coordinate arm.phi, its rate arm.phi', its acceleration arm.phi'', a multiplier "
       "lambda:pin.x; may be repeated; default: all coordinates"},
      wide_option(a->wide)};
  return {"modes", "computes eigenvalues and mode shapes about the start or an equilibrium",
          problem_options(a->problem) + options, [a] { return modes_of_mechanism(*a); },
          "\nExamples:\n"
          "  modes chain --size 5 --at equilibrium --html modes.html\n"
          "  modes loudspeaker --json\n"
          "  modes pendulum --at equilibrium --state-space pendulum.json --output bob[0] --output \"bob[0]'\""};
}

}  // namespace sunlagrange::program
