// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (rank_policy).
struct RankPolicyThresholds {
  double tapered = 0.1;  ///< of the factorisations: a direction is neither lost nor kept, the motion may leave along it
  double acted = 0.5;    ///< of the factorisations: directions are lost most of the time
};
constexpr RankPolicyThresholds rank_policy_threshold;

/// Judges how often the rank policy has dropped or tapered directions of the constraints.
class RankPolicyCheck final : public Check {
 public:
  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    if (r.factorizations == 0) return;
    const auto factorizations = static_cast<double>(r.factorizations);
    const double tapered = static_cast<double>(r.tapered_factorizations) / factorizations;
    if (expected.moves && tapered > rank_policy_threshold.tapered && !(expected.promised.altered_motion > 0.0)) {
      doubts.add_if_above(DoubtKind::rank_policy, tapered, rank_policy_threshold.tapered,
                          "one direction of the constraints is neither lost nor kept in many factorisations, and the "
                          "motion may leave them along it: lower rank_threshold to keep it, raise it to drop it");
    } else if (r.start.rank == expected.system.num_constraints()) {
      doubts.add_if_above(DoubtKind::rank_policy, static_cast<double>(r.rank_actions) / factorizations,
                          rank_policy_threshold.acted,
                          "directions of the constraints counted as lost in most factorisations of a mechanism that "
                          "starts with none: lower rank_threshold, or scale masses and constraints");
    }
  }
};

}  // namespace

std::unique_ptr<Check> make_rank_policy(ObservedRun& /*run*/, const CheckList& /*earlier*/) {
  return std::make_unique<RankPolicyCheck>();
}

}  // namespace sunlagrange::internal
