// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/functional.hpp>

#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "results/motion_output.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

bool take_word(std::string& words, const std::string& word) {
  if (words.compare(0, word.size() + 1, word + " ") != 0) return false;
  words.erase(0, word.size() + 1);
  return true;
}

Eigen::VectorXd& part_of(const MotionOutput& output, StateDerivative& derivative) {
  switch (output.part) {
    case MotionOutput::Part::position:
      return derivative.q;
    case MotionOutput::Part::rate:
      return derivative.v;
    case MotionOutput::Part::acceleration:
      return derivative.a;
    default:
      return derivative.lambda;
  }
}

/// Returns the function factor x or factor x^2 of an entry x of the state.
Functional::Function of_output(const MotionOutput& output, bool square, double factor) {
  return [=](const MotionState& at, StateDerivative* derivative) {
    const double x = output.row(at)[0];
    if (derivative != nullptr) part_of(output, *derivative)[output.index] = square ? 2.0 * factor * x : factor;
    return square ? factor * x * x : factor * x;
  };
}

}  // namespace

Functional named_functional(const MechanicalSystem& system, const std::string& words, double duration) {
  std::string name = words;
  const bool final = take_word(name, "final"), integral = !final && take_word(name, "integral");
  const bool mean = !final && !integral && take_word(name, "mean");
  if (!final && !integral && !mean)
    throw Error("functional \"" + words + "\": begin with final, integral or mean, e.g. \"final " +
                (system.num_positions() > 0 ? system.position_name(0) : "x") + "\"");
  if (mean && !(duration > 0.0 && std::isfinite(duration)))
    throw Error("functional \"" + words + "\": duration = " + text(duration) + " s must be positive, and finite");
  const bool square = take_word(name, "square");
  const MotionOutput output = motion_output(system, name);
  Functional result;
  (final ? result.terminal : result.running) = of_output(output, square, mean ? 1.0 / duration : 1.0);
  result.reads_forces =
      output.part == MotionOutput::Part::acceleration || output.part == MotionOutput::Part::multiplier;
  return result;
}

}  // namespace sunlagrange
