#include "shared/problem.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

namespace sunlagrange::bench {
namespace {

constexpr RankPolicy rank_policies[] = {RankPolicy::strict, RankPolicy::minimum_norm, RankPolicy::regularized};
constexpr Start starts[] = {Start::as_given, Start::consistent};
constexpr AtSingularity singularity_policies[] = {AtSingularity::filter, AtSingularity::stop, AtSingularity::project};

/// The value whose name is `asked`; the fallback if nothing was asked.
template <class Value, std::size_t Count>
Value choose(const Value (&values)[Count], const std::string& asked, Value fallback, const std::string& option) {
  if (asked.empty()) return fallback;
  std::string known;
  for (const Value value : values) {
    if (asked == to_string(value)) return value;
    known += (known.empty() ? "" : ", ") + std::string(to_string(value));
  }
  throw Error(option + " " + asked + " is not known; choose one of: " + known);
}

/// Gains of the problem statement, replaced one by one by those asked for; "automatic" forgets the statement.
Gains chosen_gains(const Gains& stated, const std::string& asked) {
  if (asked == "automatic") return {};
  const Gains given = Gains::parse(asked);
  Gains gains = stated;
  if (!given.K_D.automatic()) gains.K_D = given.K_D;
  if (!given.K_P.automatic()) gains.K_P = given.K_P;
  if (!given.K_N.automatic()) gains.K_N = given.K_N;
  if (!given.Lambda.automatic()) gains.Lambda = given.Lambda;
  return gains;
}

}  // namespace

const CLI::Validator& finite() {
  static const CLI::Validator validator(
      [](std::string& typed) {
        char* end = nullptr;
        const double value = std::strtod(typed.c_str(), &end);
        return end != typed.c_str() && *end == '\0' && std::isfinite(value) ? std::string()
                                                                            : typed + " is not a finite number";
      },
      "FINITE");
  return validator;
}

void ProblemArguments::add_to(CLI::App& command) {
  command.add_option("mechanism", mechanism, "a registered name, see `list mechanisms`")->required();
  command.add_option("--size", size, "size N of a mechanism that has one");
  command.add_option("--t-end", t_end, "end of the run [s]; default: the mechanism's own")->check(finite());
  command.add_option("--atol", atol, "absolute tolerance in units of q and v; default: rtol")->check(finite());
  command.add_option("--linear-solver", linear_solver, "a registered name or automatic")->capture_default_str();
  command.add_option("--rank-policy", rank_policy, "strict, minimum_norm or regularized; default: the mechanism's own");
  command
      .add_option("--at-singularity", at_singularity,
                  "filter (integrate through), stop, or project (leave the neighbourhood out)")
      ->capture_default_str();
  command.add_option("--start", start, "as_given or consistent; default: the mechanism's own");
  command.add_option("--gains", gains,
                     "e.g. \"K_D=20,10;K_P=100,25;Lambda=10\": one value, a diagonal, or the rows of a full matrix; "
                     "\"automatic\" forgets the mechanism's own");
  command.add_option("--table", table,
                     "for the integrator table: your explicit Runge-Kutta method, a JSON file "
                     "{\"A\":[[],[1]],\"b\":[0.5,0.5],\"c\":[0,1],\"order\":2}");
  command.add_option("--max-steps", max_steps, "most accepted steps of one run");
  command.add_flag("--continue-infeasible", continue_infeasible,
                   "go on when no configuration satisfies the constraints; the run is labelled infeasible");
  command.add_flag("--json", json, "print one JSON document instead of text");
}

Problem::Problem(const ProblemArguments& arguments) : name(arguments.mechanism) {
  const mechanisms::MechanismEntry& entry = mechanisms::find_mechanism(name);
  if (arguments.size != not_given && !entry.sized()) throw Error("--size: the mechanism " + name + " has no size");
  if (entry.sized()) size = arguments.size != not_given ? arguments.size : entry.default_size;
  mechanism = entry.make(size);
  options.t_end = std::isnan(arguments.t_end) ? mechanism.t_end : arguments.t_end;
  options.gains = chosen_gains(mechanism.gains, arguments.gains);
  options.linear_solver.name = arguments.linear_solver;
  options.linear_solver.rank_policy =
      choose(rank_policies, arguments.rank_policy, mechanism.rank_policy, "--rank-policy");
  options.at_singularity =
      choose(singularity_policies, arguments.at_singularity, AtSingularity::filter, "--at-singularity");
  options.start = choose(starts, arguments.start, mechanism.start_mode, "--start");
  if (!arguments.table.empty()) options.table = read_table(arguments.table);
  if (arguments.max_steps != not_given) options.max_steps = arguments.max_steps;
  options.stop_when_infeasible = !arguments.continue_infeasible;
}

std::string Problem::linear_solver() const {
  const std::string& asked = options.linear_solver.name;
  const MechanicalSystem& system = *mechanism.system;
  if (asked != "automatic") return std::string(sunlagrange::linear_solver(asked).name);  // throws if unknown
  return std::string(automatic_linear_solver(system.num_positions(), system.num_constraints()));
}

std::string Problem::description() const {
  const MechanicalSystem& system = *mechanism.system;
  std::ostringstream out;
  out << name;
  if (size > 0) out << ", size " << size;
  out << ": n " << system.num_positions() << ", m " << system.num_constraints() << "; t = " << text(mechanism.start.t)
      << " ... " << text(options.t_end) << " s; " << linear_solver() << ", "
      << to_string(options.linear_solver.rank_policy) << "; start " << to_string(options.start);
  const Gains& g = options.gains;
  for (const auto& [symbol, gain] :
       {std::pair("K_D", &g.K_D), {"K_P", &g.K_P}, {"K_N", &g.K_N}, {"Lambda", &g.Lambda}}) {
    if (!gain->automatic()) out << "; " << symbol << " " << gain->text();
  }
  return out.str();
}

ButcherTable read_table(const std::string& file) {
  const std::string form = "; write {\"A\":[[],[1]],\"b\":[0.5,0.5],\"c\":[0,1],\"order\":2}";
  std::ifstream in(file);
  if (!in) throw Error("--table: cannot read \"" + file + "\"");
  try {
    const auto json = nlohmann::json::parse(in);
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

std::vector<std::string> split_list(const std::string& text, const std::string& option) {
  std::vector<std::string> parts;
  std::istringstream in(text + ",");
  for (std::string part; std::getline(in, part, ',');) {
    if (part.empty()) throw Error(option + " \"" + text + "\": an entry is empty; write it as a,b,c");
    parts.push_back(part);
  }
  return parts;
}

std::vector<double> number_list(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string& part : split_list(text, option)) {
    std::istringstream in(part);
    double number = 0.0;
    if (!(in >> number) || !in.eof()) throw Error(option + ": \"" + part + "\" is not a number");
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace sunlagrange::bench
