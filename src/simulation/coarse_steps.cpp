#include "simulation/coarse_steps.hpp"

#include <cmath>
#include <utility>

#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

constexpr double equal = 1e-6;  // steps, relative: the last one is cut off at the end

}  // namespace

/// The acceleration of the first state may be that before the motion begins, so it is left out.
void CoarseSteps::accept(const SampledPath& path) {
  const PathSample& now = path.newest();
  seen_ = now.regular ? seen_ + 1 : 0;
  const double h = now.t - middle_.t;
  if (seen_ > 3 && std::abs(middle_.t - before_.t - h) <= equal * h) {
    d_ = now.v - before_.v;
    gained_ += 0.5 * natural_size(*path.system(), d_);
    d_ -= h / 3.0 * (before_.a + 4.0 * middle_.a + now.a);
    defect_ += 0.5 * natural_size(*path.system(), d_);
  }
  std::swap(before_, middle_);
  middle_.t = now.t;
  middle_.v = now.v;
  middle_.a = now.a;
}

}  // namespace sunlagrange::internal
