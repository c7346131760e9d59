// SPDX-License-Identifier: BSD-3-Clause
#include "shared/problem.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/nesting.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/model/units.hpp>

#include "shared/interruption.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {

MechanismFile (*model_file_reader)(const std::string& file) = nullptr;

namespace {

/// Largest size; a larger one is a mistake in typing or in a script.
constexpr int most_size = 1000000;

constexpr RankPolicy rank_policies[] = {RankPolicy::strict, RankPolicy::minimum_norm, RankPolicy::regularized};
constexpr Start starts[] = {Start::as_given, Start::consistent};
constexpr AtSingularity singularity_policies[] = {AtSingularity::automatic, AtSingularity::filter, AtSingularity::stop,
                                                  AtSingularity::project};

/// Returns the value whose name is `requested`; the fallback if `requested` is empty.
template <class Value, std::size_t Count>
Value choose(const Value (&values)[Count], const std::string& requested, Value fallback, const std::string& option) {
  if (requested.empty()) return fallback;
  std::vector<std::string> known;
  for (const Value value : values) {
    if (requested == to_string(value)) return value;
    known.emplace_back(to_string(value));
  }
  throw Error(option + " " + requested + " is not known" + did_you_mean(requested, known) +
              "; choose one of: " + joined(known));
}

/// Returns the stated gains, each replaced by the requested one if there is one; "automatic" ignores the stated gains.
Gains chosen_gains(const Gains& stated, const std::string& requested) {
  if (requested == "automatic") return {};
  const Gains given = Gains::parse(requested);
  Gains gains = stated;
  if (!given.K_D.automatic()) gains.K_D = given.K_D;
  if (!given.K_P.automatic()) gains.K_P = given.K_P;
  if (!given.K_N.automatic()) gains.K_N = given.K_N;
  if (!given.Lambda.automatic()) gains.Lambda = given.Lambda;
  return gains;
}

/// Returns true if the gains of the formulation lead a start off the constraints back to them.
bool leads_back(const FormulationInfo& formulation) {
  return formulation.equations == Equations::ode && formulation.accuracy.positions == ConstraintAccuracy::to_tolerance;
}

bool is_model_file(const std::string& name) {
  return std::filesystem::path(name).extension() == ".json" || name.find('/') != std::string::npos;
}

MechanismFile model_file(const std::string& name) {
  if (model_file_reader == nullptr) throw Error("this program reads no model files; build and use sunlagrange");
  return model_file_reader(name);
}

}  // namespace

std::vector<Option> problem_options(ProblemArguments& a) {
  return {{"mechanism", &a.mechanism, "a registered name, see `list mechanisms`, or a model file NAME.json",
           rule::required | rule::reads},
          {"--size", &a.size, "size N of a mechanism with a size"},
          {"--t-end", &a.t_end, "end of the run [s]; default: the mechanism's own", rule::finite | rule::seconds},
          {"--atol", &a.atol,
           "absolute tolerance in units of q and v; default: rtol; for a model file without --rtol: its own value, "
           "otherwise " +
               text(Tolerances{}.atol),
           rule::finite},
          {"--linear-solver", &a.linear_solver, "a registered name or automatic", rule::show_default},
          {"--rank-policy", &a.rank_policy, "strict, minimum_norm or regularized; default: the mechanism's own"},
          {"--at-singularity", &a.at_singularity,
           "filter (integrate through), stop, project (leave the neighbourhood out) or automatic; default: automatic"},
          {"--start", &a.start, "as_given or consistent; default: the mechanism's own"},
          {"--gains", &a.gains,
           "e.g. \"K_D=20,10;K_P=100,25;Lambda=10\": one value, a diagonal, or the rows of a full matrix; "
           "\"automatic\" ignores the gains of the mechanism"},
          {"--table", &a.table,
           "for the integrator table: your explicit Runge-Kutta method, a JSON file "
           "{\"A\":[[],[1]],\"b\":[0.5,0.5],\"c\":[0,1],\"order\":2}",
           rule::reads},
          {"--max-step", &a.max_step,
           "longest step of adaptive integrators [s], for forces that act for a short time; default: where such may "
           "pass unseen, a hundredth of the run, or a fiftieth for methods with stages",
           rule::positive | rule::seconds},
          {"--max-steps", &a.max_steps, "most accepted steps of one run"},
          {"--continue-infeasible", &a.continue_infeasible,
           "continue a run where no configuration satisfies the constraints; its outcome is infeasible; to start at "
           "such a place, give --start as_given as well"},
          {"--json", &a.json, "print one JSON document instead of text"}};
}

Problem::Problem(const ProblemArguments& arguments) : name(arguments.mechanism), from_file(is_model_file(name)) {
  static const mechanisms::MechanismEntry unsized{};
  std::error_code none;
  if (!from_file && std::filesystem::is_regular_file(name, none))
    throw Error("\"" + name +
                "\" is a file, but not a model file; model files are called NAME.json. Or name a registered mechanism");
  const mechanisms::MechanismEntry& entry = from_file ? unsized : mechanisms::find_mechanism(name);
  if (arguments.size != not_given && !entry.sized()) throw Error("--size: the mechanism " + name + " has no size");
  if (entry.sized()) size = arguments.size != not_given ? arguments.size : entry.default_size;
  if (size > most_size)
    throw Error("--size " + std::to_string(size) + ": at most " + std::to_string(most_size) +
                ", which needs gigabytes");
  if (from_file) {
    const MechanismFile file = model_file(name);
    options = file.options;
    notes = file.notes;
    mechanism.system = file.system;
    mechanism.start = file.start;
    mechanism.t_end = options.t_end;
    mechanism.gains = options.gains;
    mechanism.start_mode = options.start;
    mechanism.rank_policy = options.linear_solver.rank_policy;
  } else {
    mechanism = entry.make(size);
  }
  options.t_end = std::isnan(arguments.t_end) ? mechanism.t_end : arguments.t_end;
  options.gains = chosen_gains(mechanism.gains, arguments.gains);
  gains_typed = !arguments.gains.empty();
  if (arguments.linear_solver != "automatic") options.linear_solver.name = arguments.linear_solver;
  options.linear_solver.rank_policy =
      choose(rank_policies, arguments.rank_policy, mechanism.rank_policy, "--rank-policy");
  options.at_singularity =
      choose(singularity_policies, arguments.at_singularity, options.at_singularity, "--at-singularity");
  start_typed = !arguments.start.empty();
  options.start = choose(starts, arguments.start, mechanism.start_mode, "--start");
  if (!arguments.table.empty()) options.table = read_table(arguments.table);
  if (!std::isnan(arguments.max_step)) options.max_step = arguments.max_step;
  if (arguments.max_steps != not_given) options.max_steps = arguments.max_steps;
  if (arguments.continue_infeasible) options.stop_when_infeasible = false;
  options.keep_going = [](double) { return !interrupted(); };
}

std::string Problem::default_formulation() const {
  return options.formulation != "automatic" ? options.formulation
                                            : std::string(sunlagrange::default_formulation(*mechanism.system));
}

SimulationOptions Problem::options_with(const std::string& formulation) const {
  SimulationOptions result = options;
  result.formulation = formulation;
  if (formulation == "extended_lagrangian" && !gains_typed && mechanism.excess.given()) {
    result.gains = {};
    result.excess = mechanism.excess;
  }
  // automatic: gains of the mechanism are given, and lead to a formulation that uses them
  if (off_the_constraints() && (formulation == "automatic" || leads_back(sunlagrange::formulation(formulation))))
    result.start = Start::as_given;
  return result;
}

const std::function<std::optional<mechanisms::ReferenceState>(double t)>& Problem::reference(Start start) const {
  return start == Start::as_given && mechanism.excess_reference ? mechanism.excess_reference : mechanism.reference;
}

std::string Problem::linear_solver() const {
  const std::string& requested = options.linear_solver.name;
  if (requested != "automatic") return std::string(sunlagrange::linear_solver(requested).name);  // throws if unknown
  return std::string(automatic_linear_solver(*mechanism.system));
}

std::string Problem::title() const {
  if (from_file) return std::filesystem::path(name).stem().string();
  return name + (size > 0 ? ", size " + std::to_string(size) : "");
}

std::string Problem::extent() const {
  const auto counted = [](int count, const char* one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
  };
  const MechanicalSystem& system = *mechanism.system;
  return counted(system.num_positions(), "coordinate") + ", " + counted(system.num_constraints(), "constraint");
}

std::string Problem::description() const {
  std::string line = name + (size > 0 ? ", size " + std::to_string(size) : "");
  line += fmt::format(": {}; t = {:g} ... {:g} s; linear solver {}, rank policy {}; start {}", extent(),
                      mechanism.start.t, options.t_end, linear_solver(), to_string(options.linear_solver.rank_policy),
                      to_string(options.start));
  if (off_the_constraints()) line += ", or as_given for formulations whose gains lead back to the constraints";
  const Gains& g = options.gains;
  for (const auto& [symbol, gain] :
       {std::pair("K_D", &g.K_D), {"K_P", &g.K_P}, {"K_N", &g.K_N}, {"Lambda", &g.Lambda}}) {
    if (!gain->automatic()) line += fmt::format("; {} {}", symbol, gain->text());
  }
  for (const std::string& note : notes) line += "\nnote: " + note;
  return line;
}

void set_tolerances(SimulationOptions& options, double rtol, double atol) {
  if (!std::isnan(rtol)) options.rtol = rtol;
  if (!std::isnan(atol))
    options.atol = atol;
  else if (options.rtol > 0.0)  // simulate() refuses a bad rtol with one message
    options.atol = options.rtol;
}

void set_formulation(SimulationOptions& options, const std::string& text) {
  const std::size_t slash = text.find('/');
  options.formulation = text.substr(0, slash);
  options.integrator = slash == std::string::npos ? "automatic" : text.substr(slash + 1);
}

ButcherTable read_table(const std::string& file) {
  const std::string form = "; write {\"A\":[[],[1]],\"b\":[0.5,0.5],\"c\":[0,1],\"order\":2}";
  std::error_code none;
  if (std::filesystem::is_directory(file, none)) throw Error("--table: \"" + file + "\" is a folder; name a file");
  std::ifstream in(file);
  if (!in) throw Error("--table: cannot read \"" + file + "\"");
  try {
    const std::string contents{std::istreambuf_iterator<char>(in), {}};
    require_shallow(contents, "--table: " + file);
    const auto json = nlohmann::json::parse(contents);
    if (!json.is_object()) throw Error("--table: \"" + file + "\" is no Butcher table" + form);
    for (const auto& [key, value] : json.items()) {
      if (key != "A" && key != "b" && key != "c" && key != "order" && key != "name") {
        throw Error("--table: \"" + file + "\" has the unknown entry \"" + key + "\"" + form);
      }
    }
    ButcherTable table;
    table.name = json.value("name", std::filesystem::path(file).stem().string());
    json.at("A").get_to(table.A);
    json.at("b").get_to(table.b);
    json.at("c").get_to(table.c);
    if (!json.at("order").is_number_integer())
      throw Error("--table: \"" + file + "\": order must be an integer" + form);
    json.at("order").get_to(table.order);
    return table;
  } catch (const nlohmann::json::exception& error) {
    throw Error("--table: \"" + file + "\" is no Butcher table (" + error.what() + ")" + form);
  }
}

CoordinateUnits units_of_coordinate(const MechanicalSystem& system, int i) {
  const auto domain = system.position_domain(i);
  if (!domain || (system.position_kind(i) == BlockKind::spatial_body && *domain == Domain::rotation)) return {};
  const DomainUnits units = units_of(*domain);
  return {units.displacement, units.flow, units.effort};
}

CoordinateUnits units_of_coordinate(const MechanicalSystem& system, const std::string& name) {
  for (int i = 0; i < system.num_positions(); ++i) {
    if (system.position_name(i) == name) return units_of_coordinate(system, i);
  }
  return {"rad", "rad/s", "N m"};
}

}  // namespace sunlagrange::program
