// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/system_parameters.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <sstream>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/element_group.hpp>
#include <sunlagrange/model/assembly.hpp>

#include "base/words.hpp"
#include "model/checks/required_system.hpp"
#include "model/coordinate_unit.hpp"
#include "model/evaluation.hpp"
#include "model/parameters/law_units.hpp"
#include "model/parameters/parameter_derivative.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Values = std::vector<std::pair<std::string, double>>;

/// Visitor of the numbers of one element by their full names.
class NamedNumbers final : public Parameters {
 public:
  NamedNumbers(std::string element, const Values& values, LawUnits units = LawUnits())
      : prefix_{std::move(element) + "."}, values_(values), units_(std::move(units)) {}

  std::vector<SystemParameter> found;
  std::vector<std::size_t> inputs;  // numbers that are start values of inputs

  void input(double, std::shared_ptr<const double>&) override { inputs.push_back(found.size() - 1); }
  std::size_t choose(const std::vector<const char*>& types, std::size_t current) override {
    units_.choose(types[current]);
    return current;
  }

 protected:
  void number(const Parameter& about, double& value) override {
    const std::string name = prefix_.back() + about.name;
    for (const auto& [wanted, changed] : values_) {
      if (wanted == name) value = changed;
    }
    const std::string own = about.name;
    const std::size_t bracket = own.find('[');  // c[2]: a number of a list
    const std::size_t power = bracket == std::string::npos ? 0 : std::stoul(own.substr(bracket + 1));
    const char* const stands_for = about.words_for(value);
    found.push_back(
        {name, value, units_.of(about, power), about.meaning, about.range, stands_for != nullptr ? stands_for : ""});
  }
  void enter(const ParameterPart& about) override {
    prefix_.push_back(prefix_.back() + about.name + ".");
    units_.enter(about);
  }
  void leave() override {
    prefix_.pop_back();
    units_.leave();
  }

 private:
  std::vector<std::string> prefix_;
  const Values& values_;
  LawUnits units_;
};

std::string called(const MechanicalSystem& system, int element) {
  const std::string& name = system.element_name(element);
  return name.empty() ? "model" : name;
}

std::vector<SystemParameter> numbers_of(const MechanicalSystem& system, int element) {
  const Values none;
  const auto [group, position] = system.element(element);
  const std::vector<int> on = group->coordinates_of(position);
  LawUnits units =
      on.empty() ? LawUnits() : LawUnits(coordinate_unit(system, on[0]), coordinate_unit(system, on[0], 1));
  NamedNumbers numbers(called(system, element), none, std::move(units));
  group->describe(position, numbers);
  return std::move(numbers.found);
}

/// Returns an assembly with the coordinates of a system.
Assembly same_coordinates(const MechanicalSystem& system) {
  Assembly assembly;
  for (const NamedBlock& block : system.blocks()) {
    if (block.kind == BlockKind::generic)
      assembly.add_coordinates(block.name, block.size);
    else
      assembly.add_coordinates(block.name, block.kind);
  }
  for (int i = 0; i < system.num_positions(); ++i) assembly.set_natural_scale({i, 1}, system.natural_scales()[i]);
  return assembly;
}

void add_changed(Assembly& assembly, const MechanicalSystem& system, int element, const Values& values) {
  NamedNumbers numbers(called(system, element), values);
  const auto [group, position] = system.element(element);
  group->add_to(assembly, position, numbers);
}

void require_changeable(const MechanicalSystem& system) {
  require_forces(system, "with_parameters", "is built by make_program(); build it anew with other values");
  if (system.has_inactive_rows())
    throw Error("with_parameters: rows of this system are switched off; change the whole one, then switch them off");
}

/// Returns the element that has the parameter. @throws Error if there is none
int element_of(const MechanicalSystem& system, const std::string& name, SystemParameter& about) {
  std::vector<std::string> known;
  for (int k = 0; k < system.num_elements(); ++k) {
    for (SystemParameter& parameter : numbers_of(system, k)) {
      if (parameter.name == name) {
        about = std::move(parameter);
        return k;
      }
      known.push_back(parameter.name);
    }
  }
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(known.size(), 20); ++i) append_word(list, known[i]);
  throw Error("no parameter is called \"" + name + "\"" + did_you_mean(name, known) +
              (known.empty() ? "; no element of this system has a member describe_parameters: give the model one"
                             : "; known: " + list + (known.size() > 20 ? ", ..." : "")));
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text + ',');
  for (std::string part; std::getline(in, part, ',');) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    parts.push_back(first == std::string::npos ? "" : part.substr(first, last - first + 1));
  }
  return parts;
}

Range narrower(Range a, Range b) {
  if (a == Range::positive || b == Range::positive) return Range::positive;
  return a == Range::finite ? b : a;
}

}  // namespace

std::vector<SystemParameter> system_parameters(const MechanicalSystem& system) {
  std::vector<SystemParameter> all;
  for (int k = 0; k < system.num_elements(); ++k) {
    for (SystemParameter& parameter : numbers_of(system, k)) all.push_back(std::move(parameter));
  }
  return all;
}

std::vector<std::pair<std::string, double>> internal::constant_parameters(const MechanicalSystem& system) {
  const Values none;
  Values list;
  for (int k = 0; k < system.num_elements(); ++k) {
    NamedNumbers numbers(sunlagrange::called(system, k), none);
    const auto [group, position] = system.element(k);
    group->describe(position, numbers);
    for (std::size_t i = 0; i < numbers.found.size(); ++i) {
      if (std::find(numbers.inputs.begin(), numbers.inputs.end(), i) == numbers.inputs.end())
        list.emplace_back(numbers.found[i].name, numbers.found[i].value);
    }
  }
  return list;
}

std::vector<SystemParameter> linked_parameters(const MechanicalSystem& system, const std::string& name) {
  const std::vector<SystemParameter> all = system_parameters(system);
  const auto called_so = [&all](const std::string& wanted) {
    return std::find_if(all.begin(), all.end(), [&](const SystemParameter& p) { return p.name == wanted; });
  };
  if (const auto found = called_so(name); found != all.end()) return {*found};  // names may have commas
  std::vector<SystemParameter> linked;
  for (const std::string& part : split_at_commas(name)) {
    SystemParameter about;
    element_of(system, part, about);
    for (const SystemParameter& other : linked) {
      if (other.name == about.name) throw Error("\"" + name + "\" links \"" + about.name + "\" twice");
      if (other.unit != about.unit)
        throw Error("\"" + name + "\" links " + other.name + " in " + other.unit + " and " + about.name + " in " +
                    about.unit + "; link parameters of one unit");
    }
    linked.push_back(std::move(about));
  }
  return linked;
}

std::shared_ptr<const MechanicalSystem> with_parameters(const std::shared_ptr<const MechanicalSystem>& system,
                                                        const Values& values) {
  require_system(system, "with_parameters");
  require_changeable(*system);
  Values each;
  for (const auto& [name, value] : values) {
    for (const SystemParameter& parameter : linked_parameters(*system, name)) {
      for (const auto& [other, its_value] : each) {
        if (other == parameter.name) throw Error("with_parameters: \"" + other + "\" is given twice; give one value");
      }
      each.emplace_back(parameter.name, value);
    }
  }
  Assembly assembly = same_coordinates(*system);
  for (int k = 0; k < system->num_elements(); ++k) add_changed(assembly, *system, k, each);
  return assembly.build();
}

namespace internal {

void ParameterTerms::set_zero(const MechanicalSystem& system) {
  r.setZero(system.num_positions());
  g.setZero(system.num_position_constraints());
  g_rate.setZero(system.num_constraints());
  A.setZero(system.num_constraints());
}

ParameterDerivative::ParameterDerivative(std::shared_ptr<const MechanicalSystem> system, const std::string& name)
    : system_(std::move(system)) {
  require_changeable(*system_);
  const std::vector<SystemParameter> linked = linked_parameters(*system_, name);
  add_differences(linked.front().name);
  for (std::size_t k = 1; k < linked.size(); ++k) {
    const SystemParameter& other = linked[k];
    if (other.value != about_.value)
      throw Error("\"" + name + "\" links " + linked.front().name + " = " + text(about_.value) + " and " + other.name +
                  " = " + text(other.value) + "; one derivative by both needs one value of both: set them equal");
    linked_.emplace_back(system_, other.name);
    about_.range = narrower(about_.range, other.range);
  }
  about_.name = name;
}

void ParameterDerivative::add_differences(const std::string& name) {
  constexpr double relative_step = 2e-3;
  element_ = element_of(*system_, name, about_);
  if (!about_.stands_for.empty())
    throw Error("no derivative by " + name + ": it stands for the " + about_.stands_for + "; give a number");
  size_ = std::abs(about_.value);
  if (size_ == 0.0) {
    for (const SystemParameter& other : numbers_of(*system_, element_)) {
      if (other.unit == about_.unit) size_ = std::max(size_, std::abs(other.value));
    }
    if (size_ == 0.0) size_ = 1.0;
  }
  const double h = relative_step * size_;
  using Changed = std::shared_ptr<const MechanicalSystem>;
  std::string refusal;
  const auto element = [&](double steps) -> Changed {
    Assembly alone = same_coordinates(*system_);
    add_changed(alone, *system_, element_, {{name, about_.value + steps * h}});
    return alone.build();
  };
  const auto allowed = [&](double steps) -> Changed {  // null: refused, also by a relation to other parameters
    try {
      return element(steps);
    } catch (const Error& error) {
      refusal = error.what();
      return nullptr;
    }
  };
  const Changed up = allowed(1.0), up_twice = allowed(2.0), down = allowed(-1.0), down_twice = allowed(-2.0);
  if (up && up_twice && down && down_twice) {
    pairs_.push_back({8.0 / 12.0 / h, up, down});
    pairs_.push_back({-1.0 / 12.0 / h, up_twice, down_twice});
    if (differences_agree(h)) {
      pairs_.pop_back();
      pairs_.front().weight = 0.5 / h;
    }
    return;
  }
  const Changed here = element(0.0);
  const double weights[] = {4.0, -3.0, 4.0 / 3.0, -0.25};
  for (const double side : {1.0, -1.0}) {
    pairs_.clear();
    for (int k = 1; k <= 4; ++k) {
      if (const Changed there = allowed(side * k)) pairs_.push_back({side * weights[k - 1] / h, there, here});
    }
    if (pairs_.size() == std::size(weights)) return;
  }
  throw Error("no derivative by " + name + " = " + text(about_.value) +
              ", because values nearby are not allowed on either side: " + refusal);
}

/// True if the steps h and 2 h give the same derivative at random points, as for all quantities that are at most
/// quadratic in the parameter (masses, stiffnesses, squared lengths). One pair of values is enough then.
bool ParameterDerivative::differences_agree(double h) {
  constexpr double same = 1e-10;  // of the derivative, or of the value over the size of the parameter
  std::minstd_rand random(12345U);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  const auto numbers = [&](int count) {
    Eigen::VectorXd x(count);
    for (double& value : x) value = uniform(random);
    return x;
  };
  try {
    for (int k = 0; k < 3; ++k) {
      const int n = system_->num_positions();
      const Eigen::VectorXd q = numbers(n), v = numbers(n), a = numbers(n),
                            lambda = numbers(system_->num_constraints());
      const Point at{uniform(random), q.data(), v.data(), a.data(), lambda.data()};
      Eigen::VectorXd one, two;
      if (!place(at) || !contribution(*pairs_[0].upper, at, one) || !contribution(*pairs_[0].lower, at, lower_) ||
          !contribution(*pairs_[1].upper, at, two) || !contribution(*pairs_[1].lower, at, upper_))
        return false;
      const Eigen::VectorXd scale = one.cwiseAbs() / size_;
      one = (one - lower_) / (2.0 * h);
      two = (two - upper_) / (4.0 * h);
      if (!one.allFinite() || !two.allFinite()) return false;
      if (((one - two).array().abs() > same * (one.array().abs() + scale.array())).any()) return false;
    }
  } catch (...) {  // outside of its domain
    return false;
  }
  return true;
}

bool ParameterDerivative::place(const Point& at) {
  if (!coordinates_.empty()) return true;
  if (!element_terms(*system_, element_, at.t, at.q, at.v, terms_, ElementShare::equations)) return false;
  coordinates_ = terms_.coordinates;
  rows_ = terms_.rows;
  return true;
}

/// Returns r, g, (g', psi), A of the element, one after the other.
bool ParameterDerivative::contribution(const MechanicalSystem& element, const Point& at, Eigen::VectorXd& values) {
  if (!element_terms(element, 0, at.t, at.q, at.v, terms_, ElementShare::equations)) return false;
  const auto N = static_cast<Eigen::Index>(coordinates_.size()), m = static_cast<Eigen::Index>(rows_.size());
  values.resize(N + 3 * m);
  Eigen::VectorXd a(N), lambda(m);
  for (Eigen::Index i = 0; i < N; ++i) a[i] = at.a[coordinates_.data()[i]];
  for (Eigen::Index k = 0; k < m; ++k) lambda[k] = at.lambda[rows_.data()[k]];
  values << terms_.mass * a + terms_.jacobian.transpose() * lambda - terms_.force, terms_.g, terms_.g_rate,
      terms_.jacobian * a - terms_.gamma;
  return true;
}

bool ParameterDerivative::evaluate(const Point& at, ParameterTerms& out) {
  out.set_zero(*system_);
  if (!add(at, out)) return false;
  return std::all_of(linked_.begin(), linked_.end(), [&](ParameterDerivative& other) { return other.add(at, out); });
}

bool ParameterDerivative::add(const Point& at, ParameterTerms& out) {
  if (!place(at)) return false;
  const auto N = static_cast<Eigen::Index>(coordinates_.size()), m = static_cast<Eigen::Index>(rows_.size());
  for (const Pair& pair : pairs_) {
    if (!contribution(*pair.upper, at, upper_) || !contribution(*pair.lower, at, lower_)) return false;
    upper_ = pair.weight * (upper_ - lower_);
    if (!upper_.allFinite()) return false;
    for (Eigen::Index i = 0; i < N; ++i) out.r[coordinates_.data()[i]] += upper_[i];
    for (Eigen::Index k = 0; k < m; ++k) {
      const int row = rows_.data()[k];
      if (row < out.g.size()) out.g[row] += upper_[N + k];
      out.g_rate[row] += upper_[N + m + k];
      out.A[row] += upper_[N + 2 * m + k];
    }
  }
  return true;
}

}  // namespace internal
void SystemParameter::describe(Figures& f) {
  f("name", name, "name of the parameter");
  f("value", value, "unit", "value in that unit");
  f("unit", unit, "unit of the parameter; \"1\": a pure number; empty: that of what a law gives");
  f("meaning", meaning, "meaning of the parameter");
  f("range", range, "values that are allowed");
  f("stands_for", stands_for, "choice that the value stands for; empty: the value is a quantity");
}

}  // namespace sunlagrange
