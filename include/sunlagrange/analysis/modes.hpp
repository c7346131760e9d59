#pragma once

#include <complex>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/linearise.hpp>
#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// One eigenvalue mu with Im mu >= 0, and the motion dq(t) = Re(shape e^(mu t)).
struct Mode {
  std::complex<double> eigenvalue;  ///< [1/s]
  double frequency = 0.0;           ///< |Im mu| / 2 pi [Hz]; 0: does not oscillate
  double damping_ratio = 0.0;       ///< -Re mu / |mu|: 1 or -1 if it does not oscillate; 0 for mu = 0
  bool zero = false;                ///< mu = 0 to rounding: a free motion, or a neighbouring equilibrium
  Eigen::VectorXcd shape;           ///< n, the largest entry (in natural scales) is 1 natural scale
  Eigen::VectorXcd velocity;        ///< n: dv of the same motion
};

/// What the linearised motion says about small disturbances.
enum class Stability {
  asymptotic,  ///< every disturbance dies out
  stable,      ///< an equilibrium at a minimum of the potential (Lagrange, Dirichlet): disturbances stay small
  undecided,   ///< nothing grows exponentially, something does not decay: the linearisation does not decide
  unstable,    ///< a disturbance grows exponentially
};

constexpr auto names_of(Stability) {
  return enum_names("asymptotic", "stable", "undecided", "unstable");
}

struct Modes {
  std::vector<Mode> modes;  ///< by |mu|, slowest first
  Stability stability = Stability::undecided;
  std::string verdict;  ///< in words, with the eigenvalue that decides; about frozen coefficients where it is that
};

/// Eigenvalues and shapes of the linearised motion, found for each part of the directions that nothing couples to the
/// others. Values below 1e-7 |A|, A of the part and balanced, count as zero: a double zero is known to the root of the
/// rounding only; real parts below 1e-13 |A| are rounding and given as 0.
/// @throws Error if the linearisation is not finished
Modes modes(const Linearisation& linearisation);

}  // namespace sunlagrange
