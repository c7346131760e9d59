#include <algorithm>

#include "formulation/parts/acceleration_form.hpp"
#include "formulation/parts/compliance.hpp"
#include "formulation/parts/multiplier_iteration.hpp"

namespace sunlagrange::internal {
namespace {

/// Contracts by 1e-6 per iteration: two give the constraints to rounding, the third sees that nothing changes.
constexpr double relative_penalty = 1e6;

/// Lambda of the Newton systems, the limit C -> 0 that still has a solution at any rank.
constexpr double relative_penalty_of_newton = 1e10;

constexpr int max_iterations = 20;

/// Change of the constraint force at which the iteration stops, relative to the forces: what is left disappears in the
/// local errors of the integrator.
double stopping_tolerance(double rtol) {
  return std::max(1e-2 * rtol, 1e-12);
}

class AugmentedLagrangian final : public AccelerationForm {
 public:
  explicit AugmentedLagrangian(const FormulationInput& input)
      : AccelerationForm(input, automatic_gains(input), compliance(input, relative_penalty)),
        tolerance_(stopping_tolerance(input.rtol)),
        newton_compliance_(automatic_compliance(input, relative_penalty_of_newton).C),
        iteration_(saddle(), AccelerationForm::newton_compliance(), tolerance_, max_iterations) {}

  bool has_sensitivities() const override { return false; }
  FormulationFacts facts() const override {
    FormulationFacts facts = AccelerationForm::facts();
    facts.own = {{"multiplier tolerance", "{} of the forces", {tolerance_}}};
    return facts;
  }
  std::vector<Fact> statistics() const override {
    std::vector<Fact> all = iteration_.statistics();
    for (Fact& fact : AccelerationForm::statistics()) all.push_back(std::move(fact));
    return all;
  }
  long unconverged() const override { return iteration_.far_off(); }

 protected:
  EvaluationResult solve_saddle(SaddlePointSystem& saddle, double* a, double* lambda) override {
    return iteration_.solve(saddle, a, lambda);
  }
  const GainMatrix& newton_compliance() const override { return newton_compliance_; }

 private:
  double tolerance_;
  GainMatrix newton_compliance_;
  MultiplierIteration iteration_;
};

}  // namespace

/// Augmented Lagrangian, index-1 form [Bayo1988; BayoLedesma1996]: the system of `penalty`, iterated with one
/// factorisation until the constraint force stays (MultiplierIteration),
///
///     M v'_k + G^T lambda_k = f,     G v'_k - C lambda_k = gamma - K_D g' - K_P g - C lambda_{k-1},     lambda_0 = 0.
///
/// The limit is `baumgarte`: g'' + K_D g' + K_P g = 0, the physical lambda, no error O(1/Lambda); and yet every system
/// solved is that of the penalty, regular at any rank. Gains as in `baumgarte`; automatic Lambda_i = 1e6 times the
/// inertia behind row i at the start. The iteration stops at a relative change of 1e-2 rtol (not below 1e-12) or after
/// 20 iterations; the latter is no failure, but counted in the report, with the slowest contraction met.
///
/// The Newton systems of implicit integrators are those of the limit, with Lambda 1e4 times the automatic one: the
/// iterated right-hand side differs from the limit by contraction^k only. Where the iteration does not converge, Newton
/// sees a stiffer system than the right-hand side is.
///
/// When to use: redundant rows or momentarily singular poses with accurate constraints. When not: regular systems,
/// where `baumgarte` gives the same for a third of the solves; a Lambda so small that the contraction is slow.
FormulationEntry make_augmented_lagrangian() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "any rank, with accurate constraints";
  entry.when_not = "regular systems (2 to 3 solves for one)";
  entry.references = "[Bayo1988] [BayoLedesma1996] [000]";
  entry.promises.positions = entry.promises.velocities = Holds::to_tolerance;
  entry.make = [](const FormulationInput& in) { return AugmentedLagrangian(in); };
  return entry;
}

}  // namespace sunlagrange::internal
