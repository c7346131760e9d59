// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by doubts_test (unconverged_iterations).
struct UnconvergedIterationsThresholds {
  double share = 1e-2;  ///< of the evaluations may end at the limit of an inner iteration
};
constexpr UnconvergedIterationsThresholds unconverged_iterations_threshold;

/// Judges how many inner iterations of the formulation did not converge.
class UnconvergedIterations final : public Check {
 public:
  void judge(const ExpectedAccuracy& expected, Doubts& doubts) const override {
    const Report& r = expected.report;
    if (r.rhs_evaluations == 0) return;
    doubts.add_if_above(DoubtKind::unconverged_iterations,
                        static_cast<double>(r.unconverged_iterations) / static_cast<double>(r.rhs_evaluations),
                        unconverged_iterations_threshold.share,
                        "inner iterations of formulation " + expected.used.formulation +
                            " ended at their limit, share of the evaluations: raise Lambda if you set it, or take "
                            "another formulation");
  }
};

}  // namespace

std::unique_ptr<Check> make_unconverged_iterations(ObservedRun& /*run*/, const CheckList& /*earlier*/) {
  return std::make_unique<UnconvergedIterations>();
}

}  // namespace sunlagrange::internal
