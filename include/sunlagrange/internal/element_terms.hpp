#pragma once

#include <vector>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// What is asked of an element.
enum class ElementShare {
  equations,  ///< M, f and its rows: no momentum, energy or power
  all,
};

/// What one element of an Assembly contributes at one point (t, q, v), in its own coordinates: N of them, m rows.
/// Filled by element_terms() (src/model/evaluation.hpp) from whatever the element defines; power_balance.hpp makes
/// efforts and powers of it.
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

  bool energy_known = true;  ///< false: the next two mean nothing
  double energy = 0.0;       ///< [J]
  double power = 0.0;        ///< [W], brought in by its forces beyond `energy`; minus what is dissipated
  double dissipated = 0.0;   ///< [W], by `dissipation`, or by the force of an element that says it is `dissipative`
  bool dissipative = false;  ///< then its rows, too, take energy away for good
};

}  // namespace sunlagrange::internal
