#include <algorithm>
#include <cmath>

#include "formulation/acceleration_form.hpp"
#include "formulation/compliance.hpp"
#include "formulation/time_scale.hpp"

namespace sunlagrange {
namespace {

/// Far above what the constraints need, far below where rounding hurts the saddle-point form.
constexpr double relative_penalty = 1e8;

/// The floor of the method: K_P g settles at C lambda. Diagonal gains only; with full ones the largest entries serve.
double expected_violation(const FormulationInput& input, const GainMatrix& C, double omega) {
  const MechanicalSystem& s = *input.system;
  const int m_g = s.num_position_constraints();
  const Stabilization law = Stabilization::from_gains(input.gains, m_g, s.num_velocity_constraints(), omega);
  double largest = 0.0;
  for (int i = 0; i < m_g; ++i) {
    const double stiffness = law.position(i, i);
    if (stiffness > 0.0) largest = std::max(largest, std::abs(C(i, i) * input.start.lambda[i]) / stiffness);
  }
  return largest;
}

}  // namespace

/// Penalty form = the papers' modified Lagrange equation [000, (30)], Lambda (there "A") symmetric positive definite:
///
///     (M + G^T Lambda G) v' = f - G^T Lambda (K_D g' + K_P g - gamma)
///
/// written as the saddle-point system with C = Lambda^-1: the same accelerations to rounding, lambda = Lambda (g'' +
/// K_D g' + K_P g) of (31) comes for free, and the conditioning is not squared. The error does not tend to zero:
/// K_P g settles at Lambda^-1 lambda, i.e. O(1/Lambda) away from singular configurations and O(Lambda^-1/2) at them.
/// When to use: redundant or momentarily singular constraints, inertia shall choose the branch. When not: for accurate
/// constraints at low cost (use `baumgarte`), or stretched infeasible poses: stiffness grows with Lambda K_P |g|.
FormulationEntry make_penalty() {
  FormulationEntry entry;
  entry.references = "[000] [Bayo1988]";
  entry.promises.positions = entry.promises.velocities = Holds::to_tolerance;
  entry.promises.altered_motion = 1.0 / relative_penalty;
  entry.make_ode = [](const FormulationInput& input) -> std::unique_ptr<OdeFormulation> {
    const MechanicalSystem& s = *input.system;
    const double omega = 1.0 / characteristic_scales(input.start, input.t_span).time;
    const Compliance compliance = Compliance::from_gains(input, relative_penalty);
    Settings settings = Stabilization::gain_settings(input.gains, s.num_velocity_constraints(), omega);
    settings.push_back(compliance.setting(input.gains.Lambda));
    settings.push_back({"expected |g| at the start", "", text(expected_violation(input, compliance.C, omega))});
    return std::make_unique<AccelerationForm>(
        input,
        Stabilization::from_gains(input.gains, s.num_position_constraints(), s.num_velocity_constraints(), omega),
        compliance.C, std::move(settings));
  };
  return entry;
}

}  // namespace sunlagrange
