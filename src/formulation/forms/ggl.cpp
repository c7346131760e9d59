// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/stabilized_multiplier_form.hpp"

namespace sunlagrange::internal {
namespace {

class Ggl final : public StabilizedMultiplierForm {
 public:
  explicit Ggl(const FormulationInput& input)
      : StabilizedMultiplierForm(input, false, 2 * input.system->num_positions()) {
    dae().algebraic = {"lambda"};
    if (m_g_ > 0) dae().algebraic.push_back("mu");
  }
};

}  // namespace

/// Stabilised index-2 form of Gear, Gupta and Leimkuhler [GearGuptaLeimkuhler1985] in the mass-orthogonal version. Its
/// correction of q' does not depend on units of the coordinates. y = (q, v, lambda, mu),
///
///     M (q' - v) + G_g^T mu = 0,     M v' + G^T lambda - f = 0,     g' = 0,  psi = 0,     g = 0.
///
/// Coordinates without mass get one in the first equation. mu vanishes on the exact solution; psi rows have no mu.
/// lambda and mu are masked in the error test. When to use: the accurate and economical choice for IDA; it keeps the
/// branch at singular poses. When not: with an integrator whose masks cannot be set (use `stabilized_index1`).
FormulationEntry make_ggl() {
  FormulationEntry entry;
  entry.unknowns = "2n + m + m_g";
  entry.when = "accurate and economical through IDA";
  entry.when_not = "IDA without masks";
  entry.references = "[GearGuptaLeimkuhler1985] [BrenanCampbellPetzold1996]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_tolerance;
  entry.make = [](const FormulationInput& in) { return Ggl(in); };
  return entry;
}

}  // namespace sunlagrange::internal
