// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include <sunlagrange/base/fact.hpp>
#include <sunlagrange/base/gain_matrix.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/formulation/dae_settings.hpp>
#include <sunlagrange/gains/gain_advice.hpp>

namespace sunlagrange {

class Figures;

/// A gain as the user requested it, and as the formulation uses it.
struct UsedGain {
  Gain asked;            ///< automatic: the library chose `used`
  GainMatrix used;       ///< gain of the active rows; size 0: there are no rows
  bool varying = false;  ///< computed at every point (ExcessEnergy); `used` is empty

  void describe(Figures& f);
};

/// The gains and settings that a formulation uses. Reports print them; no code reads the text back.
struct FormulationFacts {
  std::optional<UsedGain> K_D, K_P, K_N, Lambda;  ///< no value: the formulation does not read it
  std::optional<GainAdvice> advice;               ///< the expected effect of constant gains
  std::optional<DaeFacts> dae;                    ///< facts of DAE forms
  std::vector<Fact> own;                          ///< facts that only this formulation has

  /// Returns gains and settings as lines of the report: asked beside used.
  Settings lines() const;

  void describe(Figures& f);
};

}  // namespace sunlagrange
