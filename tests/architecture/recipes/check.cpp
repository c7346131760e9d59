// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by tests/architecture/recipes/run.sh.
struct RecipeCheckThresholds {
  double longest = 0.9;  ///< of the run: a single step cannot show the motion
};
constexpr RecipeCheckThresholds recipe_check_threshold;

/// Checks that a run is not a single step.
class RecipeCheck final : public Check {
 public:
  explicit RecipeCheck(ObservedRun& run) : run_(run) {}

  void observe(const AcceptedStep& step) override { longest_ = std::max(longest_, step.length); }

  void judge(const ExpectedAccuracy& /*expected*/, Doubts& doubts) const override {
    doubts.add_if_above(DoubtKind("recipe_check"), longest_ / run_.span(), recipe_check_threshold.longest,
                        "one step makes up the run, as a share of it: shorten the step, or give max_step");
  }

  void describe(Figures& state) override { state("longest", longest_, "s", "longest step"); }

 private:
  ObservedRun& run_;
  double longest_ = 0.0;  // step [s]
};

}  // namespace

std::unique_ptr<Check> make_recipe_check(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<RecipeCheck>(run);
}

}  // namespace sunlagrange::internal
