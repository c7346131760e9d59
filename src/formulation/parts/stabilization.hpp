// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/gains/gain_advice.hpp>
#include <sunlagrange/gains/gains.hpp>
#include <sunlagrange/internal/quantities.hpp>

#include "formulation/formulation.hpp"

namespace sunlagrange::internal {

/// The feedback law of the constraint rows,
///     g'' + K_D g' + K_P g = 0,     psi' + K_N psi = 0,
/// as two m x m matrices on (g', psi) and (g, 0).
struct Stabilization {
  GainMatrix rate;         ///< blkdiag(K_D, K_N), 1/s
  GainMatrix position;     ///< K_P, 1/s^2, m_g x m_g; m x m_g if g acts on psi rows
  bool varying = false;    ///< computed at every point: any entry of a full matrix may become non-zero
  FormulationFacts facts;  ///< the gains, with what was requested

  /// Returns the number of columns of K_P.
  int m_g() const { return position.columns(); }

  /// Returns an entry of K_P, which is zero outside its rows.
  double position_gain(int i, int k) const { return i < position.size() && k < m_g() ? position(i, k) : 0.0; }

  bool is_diagonal() const { return rate.is_diagonal() && position.is_diagonal(); }

  /// Computes b = gamma - K_D g' - K_P g for g rows and gamma - K_N psi for psi rows [000, (20)].
  void right_hand_side(const Workspace& w, Eigen::VectorXd& b) const;

  /// Returns the law g'' = 0, psi' = 0.
  static Stabilization none(const MechanicalSystem& system);
};

/// Returns the advice on gains for a formulation. @param relative_penalty  that of a proposed Lambda; 0: no penalty
GainAdvice gain_advice(const FormulationInput& input, double relative_penalty = 0.0);

/// Returns the law with the gains of an advice, and the facts about them. @param requested  the gains of the user
Stabilization stabilization(const GainAdvice& advice, const Gains& requested);

/// Returns the law with the user's gains, and for automatic ones the advised K_D = 2 omega, K_P = omega^2, K_N = omega.
Stabilization automatic_gains(const FormulationInput& input, double relative_penalty = 0.0);

}  // namespace sunlagrange::internal
