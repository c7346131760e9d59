// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// The quantities that element_terms() computes.
enum class ElementShare {
  equations,  ///< M, f and its rows: no momentum, energy or power
  all,
};

/// The contributions of one element of an Assembly at one point (t, q, v), in its own N coordinates, with m rows.
/// element_terms() (src/model/evaluation.hpp) computes them; power_balance.hpp computes efforts and powers from them.
struct ElementTerms {
  std::vector<int> coordinates;  ///< numbers in q, length N
  std::vector<int> rows;         ///< numbers in lambda, length m; -1: switched off

  Eigen::MatrixXd mass;      ///< N x N: its share of M
  Eigen::VectorXd force;     ///< N: its share of f
  Eigen::VectorXd momentum;  ///< N: dT/dv of its kinetic energy
  Eigen::MatrixXd jacobian;  ///< m x N: its rows of G
  Eigen::VectorXd g;         ///< m: its rows of g, zeros in those of psi
  Eigen::VectorXd g_rate;    ///< m: its rows of (g', psi)
  Eigen::VectorXd gamma;     ///< m: its rows of gamma

  bool energy_known = true;  ///< false: the next two members are not valid
  double energy = 0.0;       ///< [J]
  double power = 0.0;        ///< [W] of its forces that `energy` does not contain, less the dissipated power
  double dissipated = 0.0;   ///< [W], by `dissipation`, or by the force of an element that is `dissipative`
  bool dissipative = false;  ///< true if its rows dissipate energy, too
};

}  // namespace sunlagrange::internal
