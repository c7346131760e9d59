// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "formulation/parts/acceleration_form.hpp"
#include "formulation/parts/compliance.hpp"
#include "formulation/parts/multiplier_iteration.hpp"

namespace sunlagrange::internal {
namespace {

/// Contracts by 1e-6 per iteration: two iterations reach rounding, the third finds no change.
constexpr double relative_penalty = 1e6;

/// Lambda of the Newton systems: near the limit C -> 0, with a solution at any rank.
constexpr double relative_penalty_of_newton = 1e10;

constexpr int max_iterations = 20;

/// Change of the constraint force at which the iteration stops, relative to the forces. The remaining error is far
/// below the local errors of the integrator.
double stopping_tolerance(double rtol) {
  return std::max(1e-2 * rtol, 1e-12);
}

class AugmentedLagrangian final : public AccelerationForm {
 public:
  explicit AugmentedLagrangian(const FormulationInput& input)
      : AccelerationForm(input, automatic_gains(input), compliance(input, relative_penalty)),
        newton_compliance_(automatic_compliance(input, relative_penalty_of_newton).C),
        iteration_(evaluator(), AccelerationForm::newton_compliance(), stopping_tolerance(input.rtol), max_iterations) {
    provides_.sensitivities = nullptr;
    provides_.adjoint = nullptr;
    provides_.adjoint_newton = nullptr;
    facts_.own = {{"multiplier tolerance", "{} of the forces", {stopping_tolerance(input.rtol)}}};
  }

  std::vector<Fact> statistics() const override {
    std::vector<Fact> all = iteration_.statistics();
    for (Fact& fact : AccelerationForm::statistics()) all.push_back(std::move(fact));
    return all;
  }
  FormulationCounts counts() const override {
    FormulationCounts counts = AccelerationForm::counts();
    counts.unconverged = iteration_.far_off();
    return counts;
  }

 protected:
  EvaluationResult solve_saddle(double* a, double* lambda) override {
    return iteration_.solve(evaluator().quantities(), saddle(), a, lambda);
  }
  const GainMatrix& newton_compliance() const override { return newton_compliance_; }

 private:
  GainMatrix newton_compliance_;
  MultiplierIteration iteration_;
};

}  // namespace

/// Augmented Lagrangian, index-1 form [Bayo1988; BayoLedesma1996]: the system of `penalty`, iterated with one
/// factorisation until the constraint force no longer changes (MultiplierIteration),
///
///     M v'_k + G^T lambda_k = f,     G v'_k - C lambda_k = gamma - K_D g' - K_P g - C lambda_{k-1},     lambda_0 = 0.
///
/// The limit is `baumgarte`: g'' + K_D g' + K_P g = 0, the physical lambda, no error O(1/Lambda). Every system that is
/// solved is that of the penalty, regular at any rank. Gains as in `baumgarte`; automatic Lambda_i = 1e6 times the
/// inertia of row i at the start. The iteration stops at a relative change of 1e-2 rtol (at least 1e-12) or after 20
/// iterations. The latter is no failure; the report counts it and gives the slowest contraction.
///
/// The Newton systems of implicit integrators are those of the limit, with Lambda 1e4 times the automatic one: the
/// iterated right-hand side differs from the limit by contraction^k only. If the iteration does not converge, the
/// Newton system is stiffer than the right-hand side.
///
/// When to use: redundant rows or passages through singular poses, with accurate constraints. When not: regular
/// systems, for which `baumgarte` gives the same with a third of the solves; a Lambda so small that the contraction is
/// slow.
FormulationEntry make_augmented_lagrangian() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "any rank, with accurate constraints";
  entry.when_not = "regular systems (2 to 3 solves for one)";
  entry.references = "[Bayo1988] [BayoLedesma1996] [000]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_tolerance;
  entry.make = [](const FormulationInput& in) { return AugmentedLagrangian(in); };
  return entry;
}

}  // namespace sunlagrange::internal
