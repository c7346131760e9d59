// SPDX-License-Identifier: BSD-3-Clause
#include "model/point_evaluator.hpp"

#include <cmath>

namespace sunlagrange::internal {

void PointEvaluator::copy(const Workspace& from) {
  Workspace& w = *quantities_;
  ++version_;
  if (!w.mass_ready) w.M.values = from.M.values;
  w.G.values = from.G.values;
  w.f = from.f;
  w.g = from.g;
  w.g_rate = from.g_rate;
  w.gamma = from.gamma;
}

void PointEvaluator::forget_energy() {
  quantities_->energy = quantities_->power = NAN;
}

}  // namespace sunlagrange::internal
