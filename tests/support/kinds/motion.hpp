// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/draw.hpp"

/// Random mechanisms of named kinds, each with its motion by other means than the library: closed forms, or ordinary
/// differential equations of as many unknowns as the mechanism has freedoms, in long double.
namespace sunlagrange::test::kinds {

using Real = long double;
using State = std::vector<Real>;
using mechanisms::Draw;

constexpr double gravity = 9.81;  // [m/s^2]
constexpr Real pi = 3.141592653589793238462643383279502884L;

/// A number of this size, of either sign.
inline double either_sign(Draw& draw, double low, double high) {
  const double size = draw.between(low, high);
  return draw.chance(0.5) ? size : -size;
}

inline double as_double(Real x) {
  return static_cast<double>(x);
}

/// Returns a vector of the library.
Eigen::VectorXd vector_of(const State& values);

/// A mechanism as the library gets it, with its motion from own formulas.
struct Motion {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
  double t_end = 1.0;
  std::vector<Event> events = {};
  std::string text = {};  ///< parameters, for messages

  State reduced = {};  ///< own unknowns at the start; empty if the motion is prescribed
  /// Returns the own unknowns at `to` from those at `from`. Default: they do not change.
  std::function<State(State, Real from, Real to)> follow = [](State y, Real, Real) { return y; };
  /// Returns all coordinates of the library.
  std::function<Eigen::VectorXd(const State&, Real t)> positions;

  Eigen::VectorXd scales = {};  ///< natural scales of the coordinates of the library; empty: 1

  /// Branches of the motion lie radians apart: only the branch is judged, not the accuracy.
  bool branches = false;
  long max_steps = 100000;

  Eigen::VectorXd end() const { return positions(follow(reduced, 0.0L, t_end), t_end); }

  /// max |q - from| / (scale + |from|).
  double distance(const Eigen::VectorXd& q, const Eigen::VectorXd& from) const;

  /// Returns the bound, over all signs and the largest of four times of disturbance, of the change of the end by
  /// disturbances of the own unknowns, relative to their size; at least 1. They are as large as the tolerance, and as
  /// large as the allowed error: where the motion turns back at its end, a delay counts to second order only.
  double amplification(double tolerance, double allowed) const;
};

struct Kind {
  const char* name;
  Motion (*draw)(Draw&);
  const char* open = nullptr;  ///< the reason why runs may be wrong without a doubt; null: none may
  bool slow = false;           ///< a case takes seconds
};

/// All kinds.
std::vector<Kind> kinds_of_motion();

// By file.
std::vector<Kind> four_bars();
std::vector<Kind> sliders();
std::vector<Kind> pulses();
std::vector<Kind> contacts();
std::vector<Kind> friction();
std::vector<Kind> driven_motions();
std::vector<Kind> networks();
std::vector<Kind> light_parts();
std::vector<Kind> spatial_bodies();
std::vector<Kind> long_runs();

}  // namespace sunlagrange::test::kinds
