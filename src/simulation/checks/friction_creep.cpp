// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include <sunlagrange/model/not_smooth.hpp>

#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (friction_creep).
struct FrictionCreepThresholds {
  double holds = 3.0;     ///< rate, in v_r, below which dry friction would hold: F tanh(3) is 0.995 F
  double yielded = 1e-2;  ///< of the largest displacement: all that follows is displaced by as much
};
constexpr FrictionCreepThresholds friction_creep_threshold;

/// Rates of sliding where dry friction would hold, NaN where it slides or does not act.
class HeldRates final : public NotSmooth {
 public:
  void friction(double rate, double v_r, bool acts) override {
    rates.push_back(acts && std::abs(rate) < friction_creep_threshold.holds * v_r ? rate : NAN);
  }

  std::vector<double> rates;
};

/// Sums the ways by which smoothed dry friction yields where Coulomb's law would hold, with their signs: what slides on
/// keeps the place to which it has yielded, and what is pulled to and fro yields to and fro.
class FrictionCreep final : public Check {
 public:
  explicit FrictionCreep(ObservedRun& run) : run_(run) {}

  void observe(const AcceptedStep& step) override {
    if (no_friction_) return;
    const PathSample& now = run_.path.newest();
    HeldRates held;
    visit_not_smooth(*run_.path.system(), now.t, now.q, now.v, held);
    const Eigen::Index count = static_cast<Eigen::Index>(held.rates.size());
    no_friction_ = count == 0;  // the calls are the same at every state
    if (no_friction_) return;
    if (yielded_.size() != count) yielded_ = Eigen::VectorXd::Zero(count);
    const Eigen::VectorXd rates = Eigen::Map<const Eigen::VectorXd>(held.rates.data(), count);
    for (Eigen::Index k = 0; step.stepper != nullptr && rates_.size() == count && k < count; ++k) {
      const double mean = 0.5 * (rates_[k] + rates[k]);
      if (std::isfinite(mean)) yielded_[k] += mean * step.length;
    }
    rates_ = rates;
  }

  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    if (yielded_.size() == 0) return;
    const double bound =
        std::max(expected.rest_displacement, friction_creep_threshold.yielded * expected.report.max_displacement);
    doubts.add_if_above(DoubtKind::friction_creep, yielded_.cwiseAbs().maxCoeff(), bound,
                        "dry friction that would hold is made smooth below v_r and yields; by how much in all, in the "
                        "unit of the coordinate: lower v_r, or switch a constraint on by an event");
  }

  void describe(Figures& state) override {
    state("yielded", yielded_, "unit of q", "ways by which friction that would hold yielded, of each friction");
  }

 private:
  ObservedRun& run_;
  bool no_friction_ = false;
  Eigen::VectorXd yielded_;
  Eigen::VectorXd rates_;  // at the state before
};

}  // namespace

std::unique_ptr<Check> make_friction_creep(ObservedRun& run, const CheckList& /*earlier*/) {
  return run.path.system()->motion_law().has_forces ? std::make_unique<FrictionCreep>(run) : nullptr;
}

}  // namespace sunlagrange::internal
