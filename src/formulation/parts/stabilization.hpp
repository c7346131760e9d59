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
  bool varying = false;    ///< renewed at every point: any entry of a full matrix may become non-zero
  FormulationFacts facts;  ///< where the gains come from

  /// Number of columns of K_P.
  int m_g() const { return position.columns(); }

  /// Entry of K_P, zero outside the rows it has.
  double position_gain(int i, int k) const { return i < position.size() && k < m_g() ? position(i, k) : 0.0; }

  bool is_diagonal() const { return rate.is_diagonal() && position.is_diagonal(); }

  /// b = gamma - K_D g' - K_P g for g rows, gamma - K_N psi for psi rows: [000, (20)].
  void right_hand_side(const Workspace& w, Eigen::VectorXd& b) const;

  /// g'' = 0, psi' = 0.
  static Stabilization none(const MechanicalSystem& system);
};

/// The advisor's answer for what the formulation is built from. relative_penalty: of a proposed Lambda, 0: no penalty.
GainAdvice gain_advice(const FormulationInput& input, double relative_penalty = 0.0);

/// The user's gains, where they are automatic the advisor's K_D = 2 omega, K_P = omega^2, K_N = omega; with facts on
/// each of them and on what the advisor says of them.
Stabilization automatic_gains(const FormulationInput& input, double relative_penalty = 0.0);

}  // namespace sunlagrange::internal
