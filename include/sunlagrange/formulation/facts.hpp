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

/// A gain as asked and as used.
struct UsedGain {
  Gain asked;            ///< automatic: the library has chosen
  GainMatrix used;       ///< of the rows that are active; size 0: there are none
  bool varying = false;  ///< renewed along the motion (ExcessEnergy): `used` is empty

  void describe(Figures& f);
};

/// What a formulation made of its input. Text is printed from it, never read back.
struct FormulationFacts {
  std::optional<UsedGain> K_D, K_P, K_N, Lambda;  ///< none: the formulation does not read it
  std::optional<GainAdvice> advice;               ///< what the gains will do; none: there are no constant ones
  std::optional<DaeFacts> dae;                    ///< DAE forms
  std::vector<Fact> own;

  Settings lines() const;

  void describe(Figures& f);
};

}  // namespace sunlagrange
