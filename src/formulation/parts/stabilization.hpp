#pragma once

#include <sunlagrange/gains/gains.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/gains/gain_advice.hpp>

#include "formulation/formulation.hpp"

namespace sunlagrange {

/// The feedback law of the constraint rows,
///     g'' + K_D g' + K_P g = 0,     psi' + K_N psi = 0,
/// as two m x m matrices on (g', psi) and (g, 0).
struct Stabilization {
  GainMatrix rate;       ///< blkdiag(K_D, K_N), 1/s
  GainMatrix position;   ///< K_P, 1/s^2, m_g x m_g; m x m_g if g acts on psi rows
  bool varying = false;  ///< renewed at every point: any entry of a full matrix may become non-zero

  /// Number of columns of K_P.
  int m_g() const { return position.columns(); }

  /// Entry of K_P, zero outside the rows it has.
  double position_gain(int i, int k) const { return i < position.size() && k < m_g() ? position(i, k) : 0.0; }

  bool is_diagonal() const { return rate.is_diagonal() && position.is_diagonal(); }

  /// b = gamma - K_D g' - K_P g for g rows, gamma - K_N psi for psi rows: [000, (20)].
  void right_hand_side(const Workspace& w, Eigen::VectorXd& b) const;

  /// Blocks from user gains; automatic ones are filled with K_D = 2 omega, K_P = omega^2, K_N = omega.
  static Stabilization from_gains(const Gains& gains, int m_g, int m_psi, double omega);
  static Stabilization none(int m_g, int m_psi);

  static Stabilization from_advice(const GainAdvice& advice);

  /// asked/used lines for K_D, K_P (and K_N if there are psi rows).
  static Settings gain_settings(const Gains& gains, int m_psi, double omega);
};

/// The advisor's answer for what the formulation is built from. relative_penalty: of a proposed Lambda, 0: no penalty.
GainAdvice gain_advice(const FormulationInput& input, double relative_penalty = 0.0);

/// gain_settings, and what the advisor says of them: margin, cost, warnings.
Settings advice_settings(const FormulationInput& input, const GainAdvice& advice);

/// One asked/used line of a gain.
Setting gain_setting(const char* name, const Gain& asked, const std::string& automatic);

}  // namespace sunlagrange
