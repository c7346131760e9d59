// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivities/differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sunlagrange::program {
namespace {

constexpr std::size_t many_steps = 3;
constexpr double longest_step = 4e-3, ratio = 4.0;  // longest step over the size of the parameter; ratio of steps
constexpr double tighter = 1e-2, tightest = 1e-13;  // tolerance over that of the checked run; least tolerance
constexpr double nothing = std::numeric_limits<double>::infinity();

bool is_start_value(const SystemParameter& about) {
  return about.name.rfind("q(", 0) == 0 || about.name.rfind("v(", 0) == 0;
}

int coordinate_of(const SystemParameter& start_value, const MechanicalSystem& system) {
  return system.position_indices(start_value.name.substr(2, start_value.name.size() - 3)).front();
}

/// Returns the size of a quantity relative to its natural scale, at most 1; 1 if it is zero or rounding.
double share(double largest) {
  constexpr double rounding = 1e-13;
  return largest > rounding ? std::min(largest, 1.0) : 1.0;
}

}  // namespace

MotionSize motion_size(const MechanicalSystem& system, const std::vector<const MotionState*>& states) {
  double q = 0.0, v = 0.0;
  for (const MotionState* state : states) {
    q = std::max(q, state->q.cwiseQuotient(system.natural_scales()).lpNorm<Eigen::Infinity>());
    v = std::max(v, state->v.cwiseQuotient(system.natural_scales()).lpNorm<Eigen::Infinity>());
  }
  return {share(q), share(v)};
}

double size_of(const SystemParameter& about, const MechanicalSystem& system, const MotionSize& motion) {
  if (is_start_value(about))
    return system.natural_scales()[coordinate_of(about, system)] *
           (about.name[0] == 'q' ? motion.positions : motion.velocities);
  return about.value == 0.0 ? 1.0 : std::abs(about.value);
}

SimulationOptions options_for_differences(SimulationOptions options, const MotionSize& motion) {
  options.rtol = std::min(options.rtol, std::max(tighter * options.rtol, tightest));
  options.atol = std::min(options.atol, std::max(tighter * options.atol * motion.positions, tightest));
  options.max_steps *= 10;
  options.record = Record::ends_only;
  return options;
}

Difference difference_by(const SystemParameter& about, const SystemPointer& system, const InitialState& from,
                         const MotionSize& motion, const EndOf& end_of, Eigen::Index count) {
  const auto moved = [&](double change) -> Eigen::VectorXd {
    if (is_start_value(about)) {
      InitialState begin = from;
      (about.name[0] == 'q' ? begin.q : begin.v)[coordinate_of(about, *system)] += change;
      return end_of(system, begin);
    }
    try {
      return end_of(with_parameters(system, {{about.name, about.value + change}}), from);
    } catch (const Error&) {
      return Eigen::VectorXd::Constant(count, std::numeric_limits<double>::quiet_NaN());
    }
  };
  // entry [k][j] uses the steps k - j to k and has order 2 (j + 1)
  std::array<std::array<Eigen::VectorXd, many_steps>, many_steps> table;
  Difference best;
  double step = longest_step * size_of(about, *system, motion);
  for (std::size_t k = 0; k < many_steps; ++k, step /= ratio) {
    table[k][0] = (moved(step) - moved(-step)) / (2.0 * step);
    if (k == 0) best = {table[0][0], Eigen::VectorXd::Constant(table[0][0].size(), nothing)};
    double gain = 1.0;
    for (std::size_t j = 1; j <= k; ++j) {
      gain *= ratio * ratio;
      const Eigen::VectorXd change = (table[k][j - 1] - table[k - 1][j - 1]) / (gain - 1.0);
      table[k][j] = table[k][j - 1] + change;
      const Eigen::VectorXd off = change.cwiseAbs().cwiseMax((table[k][j] - table[k - 1][j - 1]).cwiseAbs());
      for (Eigen::Index i = 0; i < off.size(); ++i) {
        if (!(off[i] < best.uncertainty[i])) continue;
        best.value[i] = table[k][j][i];
        best.uncertainty[i] = off[i];
      }
    }
  }
  return best;
}

}  // namespace sunlagrange::program
