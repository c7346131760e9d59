#pragma once

#include "mechanisms/mechanism.hpp"

namespace sunlagrange::mechanisms {

/// Exact motion at time t of a point of 1 kg on a massless rod of 1 m, released at rest from (1, 0) under `gravity`
/// [m/s^2] along -y: q = (x, y), v, and lambda = -3 gravity y of the constraint (x^2 + y^2 - 1) / 2 = 0.
/// With psi the angle from the downward vertical: sin(psi/2) = k sn(K - w t | k^2), psi' = -2 k w cn(K - w t | k^2),
/// k = sin(pi/4), w = sqrt(gravity / 1 m), period 4 K / w.
ReferenceState pendulum_motion(long double gravity, double t);

}  // namespace sunlagrange::mechanisms
