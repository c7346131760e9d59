#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/analysis/sensitivities.hpp>

#include "shared/problem.hpp"

#include "shared/json.hpp"

/// `sensitivities`: along the motion (forward.cpp), or of one number by the adjoint (adjoint.cpp).
namespace sunlagrange::bench {

struct SensitivitiesArguments {
  ProblemArguments problem;
  std::vector<std::string> parameters, start_positions, start_velocities;
  bool list = false;
  std::string formulation;
  std::string method = "staggered";
  double rtol = std::numeric_limits<double>::quiet_NaN();
  int points = not_given;
  std::string html;
  bool no_error_control = false;
  bool check = false;
  std::string functional;
};

/// Name, value, unit, meaning.
Json parameter_json(const SystemParameter& parameter);

/// Prints derivatives of the motion, writes the page. @returns the exit code
int sensitivities_along(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options);

/// Prints the gradient of the functional.
int gradient_of_functional(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options);

using SystemPointer = std::shared_ptr<const MechanicalSystem>;

inline bool is_start_value(const SystemParameter& about) {
  return about.name.rfind("q(", 0) == 0 || about.name.rfind("v(", 0) == 0;
}

/// What counts as one of it: itself, of start values and zeros 1.
inline double size_of(const SystemParameter& about) {
  return is_start_value(about) || about.value == 0.0 ? 1.0 : std::abs(about.value);
}

/// Central difference of what `end_of(system, start)` says, by one parameter or start value, from the consistent start.
template <class EndOf>
auto central_difference(const SystemParameter& about, const SystemPointer& system, const InitialState& from,
                        const EndOf& end_of) {
  constexpr double relative_step = 1e-4;
  const double step = relative_step * size_of(about);
  const auto moved = [&](double change) {
    if (!is_start_value(about)) return end_of(with_parameters(system, {{about.name, about.value + change}}), from);
    InitialState begin = from;
    const int j = system->position_indices(about.name.substr(2, about.name.size() - 3)).front();
    (about.name[0] == 'q' ? begin.q : begin.v)[j] += change;
    return end_of(system, begin);
  };
  const auto up = moved(step), down = moved(-step);
  return decltype(end_of(system, from))((up - down) / (2.0 * step));
}

}  // namespace sunlagrange::bench
