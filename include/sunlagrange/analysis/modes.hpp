// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/linearise.hpp>
#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

class Figures;

/// One eigenvalue mu with Im mu >= 0, and the motion dq(t) = Re(shape e^(mu t)).
struct Mode {
  std::complex<double> eigenvalue;  ///< [1/s]
  double frequency = 0.0;           ///< |Im mu| / 2 pi [Hz]; 0 if it does not oscillate
  double damping_ratio = 0.0;       ///< -Re mu / |mu|; 1 or -1 if it does not oscillate, 0 for mu = 0
  bool zero = false;                ///< mu = 0 to rounding: a free motion, or a continuum of equilibria
  Eigen::VectorXcd shape;           ///< n; its largest entry is one natural scale
  Eigen::VectorXcd velocity;        ///< n: dv of the same motion

  void describe(Figures& f);
};

/// Stability of the linearised motion.
enum class Stability {
  asymptotic,  ///< every disturbance decays
  stable,      ///< an equilibrium at a minimum of the potential (Lagrange, Dirichlet); disturbances stay small
  undecided,   ///< nothing grows exponentially, but something does not decay; the linearisation does not decide
  unstable,    ///< a disturbance grows exponentially
};

constexpr auto names_of(Stability) {
  return enum_names("asymptotic", "stable", "undecided", "unstable");
}

/// Eigenvalues and shapes of the motions near a state, and its stability.
struct Modes {
  std::vector<Mode> modes;  ///< ascending in |mu|
  Stability stability = Stability::undecided;
  std::string verdict;  ///< a sentence with the decisive eigenvalue; it mentions frozen coefficients

  void describe(Figures& f);
};

/// Returns eigenvalues and shapes of the linearised motion, computed separately for each part of the system that is
/// coupled to no other. Values below 1e-7 |A|, with the balanced A of the part, count as zero, because rounding moves a
/// double zero by its root. Real parts below 1e-13 |A| are rounding and set to 0.
/// @throws Error if the linearisation is not finished
Modes modes(const Linearisation& linearisation);

}  // namespace sunlagrange
