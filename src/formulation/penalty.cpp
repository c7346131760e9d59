#include <algorithm>
#include <cmath>

#include "formulation/acceleration_form.hpp"
#include "formulation/time_scale.hpp"
#include "linear_solver/spd.hpp"

namespace sunlagrange {
namespace {

/// Lambda_i = 1e8 / (G M^-1 G^T)_ii: dimensionless, so that grams and millimetres change nothing [000; Bayo1988].
constexpr double relative_penalty = 1e8;

GainMatrix compliance_of(const FormulationInput& input, double& smallest, double& largest) {
  const MechanicalSystem& s = *input.system;
  const int m = s.num_constraints();
  if (!input.gains.Lambda.automatic()) {
    const GainMatrix Lambda = input.gains.Lambda.matrix(m, "Lambda", false);
    if (Lambda.is_diagonal()) return {Lambda.diagonal.cwiseInverse(), {}};
    return {{}, spd_solve(Lambda.full, Eigen::MatrixXd::Identity(m, m))};
  }
  const auto w = s.make_workspace(Storage::sparse);
  GainMatrix C = GainMatrix::scalar(m, 1.0 / relative_penalty);
  if (s.evaluate(request::acceleration_level,
                 {input.start.t, input.start.q.data(), input.start.v.data(), nullptr, nullptr}, *w)) {
    const Eigen::VectorXd schur = lumped_schur_diagonal(*w);
    for (int i = 0; i < m; ++i) {
      if (schur[i] > 0.0) C.diagonal[i] = schur[i] / relative_penalty;
    }
  }
  if (m > 0) {
    smallest = 1.0 / C.diagonal.maxCoeff();
    largest = 1.0 / C.diagonal.minCoeff();
  }
  return C;
}

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
  entry.make_ode = [](const FormulationInput& input) -> std::unique_ptr<OdeFormulation> {
    const MechanicalSystem& s = *input.system;
    const double omega = 1.0 / characteristic_scales(input.start, input.t_span).time;
    double smallest = 0.0;
    double largest = 0.0;
    const GainMatrix C = compliance_of(input, smallest, largest);
    Settings settings = Stabilization::gain_settings(input.gains, s.num_velocity_constraints(), omega);
    settings.push_back(gain_setting("Lambda", input.gains.Lambda, text(smallest) + " ... " + text(largest)));
    settings.push_back({"expected |g| at the start", "", text(expected_violation(input, C, omega))});
    return std::make_unique<AccelerationForm>(
        input,
        Stabilization::from_gains(input.gains, s.num_position_constraints(), s.num_velocity_constraints(), omega), C,
        std::move(settings));
  };
  return entry;
}

}  // namespace sunlagrange
