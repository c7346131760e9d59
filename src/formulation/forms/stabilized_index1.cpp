// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/stabilized_multiplier_form.hpp"

namespace sunlagrange::internal {
namespace {

class StabilizedIndex1 final : public StabilizedMultiplierForm {
 public:
  explicit StabilizedIndex1(const FormulationInput& input)
      : StabilizedMultiplierForm(input, true,
                                 2 * input.system->num_positions() + input.system->num_constraints() +
                                     input.system->num_position_constraints()) {}
};

}  // namespace

/// Stabilised index-1 form [AnantharamanHiller1991]: the equations of `ggl` with the multipliers as derivatives of
/// further states, lambda = L', mu = U': y = (q, v, L, U),
///
///     M (q' - v) + G_g^T U' = 0,     M v' + G^T L' - f = 0,     g' = 0,  psi = 0,     g = 0.
///
/// In the states the index is one: no masks, full error control, far fewer Newton failures than with `ggl`, and
/// slightly more steps. Reports compute lambda from (t, q, v); L' of the integrator has the same order of accuracy.
/// When to use: full error control without masks. When not: as the cheapest form where `ggl` runs; through singular
/// poses, where lambda and L may have a pole (n_four_bar N = 40 stops in its first one); in very long runs with large
/// mean multipliers, where L and its rounding error grow.
FormulationEntry make_stabilized_index1() {
  FormulationEntry entry;
  entry.unknowns = "2n + m + m_g";
  entry.when = "full error control without masks, few Newton failures";
  entry.when_not = "as the cheapest, through singular poses";
  entry.references = "[AnantharamanHiller1991] [GearGuptaLeimkuhler1985]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_tolerance;
  entry.make = [](const FormulationInput& in) { return StabilizedIndex1(in); };
  return entry;
}

}  // namespace sunlagrange::internal
