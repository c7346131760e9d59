// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "kinds/motion.hpp"

/// Ordinary differential equations in long double, by extrapolation of the modified midpoint rule.
namespace sunlagrange::test::kinds {

using Rates = std::function<State(Real t, const State& y)>;

/// Returns y at `to`. No step crosses a time of `kinks`, ascending, where the rates or their derivatives jump.
State integrated(const Rates& rates, State y, Real from, Real to, const std::vector<Real>& kinks = {});

}  // namespace sunlagrange::test::kinds
