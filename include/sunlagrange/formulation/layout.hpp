// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace sunlagrange {

/// Lengths of the parts of the integrator's vector y = (q, v, lambda, mu), and of every vector like it (y', residuals,
/// weights). The parts follow each other in this order; their entries have the orders of the coordinates and rows of
/// the system. Applications that own their integrator need it for output, root functions and quadratures.
struct UnknownsLayout {
  int size = 0;                         ///< length of y
  int positions = 0;                    ///< q: n
  int velocities = 0;                   ///< v: n, or 0 where q alone is integrated
  int multipliers = 0;                  ///< lambda
  int second_multipliers = 0;           ///< mu, which corrects q'
  bool integrated_multipliers = false;  ///< y contains L and U with L' = lambda, U' = mu

  /// True if y consists of variables that the formulation chooses, and may change along the motion
  /// (coordinate_partitioning). Then only `size` has a meaning; Attachment::motion() gives q and v.
  bool own_variables = false;
};

}  // namespace sunlagrange
