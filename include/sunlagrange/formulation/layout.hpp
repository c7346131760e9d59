#pragma once

namespace sunlagrange {

/// Where the parts of the integrator's vector y = (q, v, lambda, mu) stand, and of every vector like it (y', residuals,
/// weights): one after the other, in the orders of the system's coordinates and rows. For output, root functions and
/// quadratures of applications that own their integrator.
struct UnknownsLayout {
  int size = 0;                         ///< length of y
  int positions = 0;                    ///< q: n
  int velocities = 0;                   ///< v: n, or 0 where q alone is integrated
  int multipliers = 0;                  ///< lambda
  int second_multipliers = 0;           ///< mu, which keeps the positions on the constraints
  bool integrated_multipliers = false;  ///< y holds L and U with lambda = L', mu = U': they are in y'

  /// y is in variables of the formulation's own choice, which may change along the motion (coordinate_partitioning):
  /// only `size` counts, take q and v from Attachment::motion().
  bool own_variables = false;
};

}  // namespace sunlagrange
