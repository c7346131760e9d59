// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "model/evaluation.hpp"

namespace sunlagrange::internal {

/// Evaluates the quantities of a system at one point after another, into memory of its own. One instance per thread.
///
///     const Workspace* at = evaluator.at(t, q, v);                // M, f, g, (g', psi), gamma, G
///     const EvaluationResult result = saddle.factorize(at);       // a linear solver factorises what was evaluated
class PointEvaluator {
 public:
  PointEvaluator(std::shared_ptr<const MechanicalSystem> system, Storage storage)
      : system_(std::move(system)), quantities_(make_workspace(*system_, storage)) {}

  /// Evaluates `what` (namespace request) at a new point. Returns null if the model declines it. The quantities are
  /// valid until the next point. No allocation after the first call.
  const Workspace* at(double t, const double* q, const double* v, unsigned what = request::acceleration_level) {
    ++version_;
    return add(what, {t, q, v, nullptr, nullptr});
  }

  /// Adds quantities at the present point, such as tangents (request::tangent).
  const Workspace* add(unsigned what, const Point& point) {
    return evaluate_system(*system_, what, point, *quantities_) ? quantities_.get() : nullptr;
  }

  /// Copies the quantities of a right-hand side that were evaluated elsewhere at the same point.
  void copy(const Workspace& from);

  /// Marks the energy and the power as not known.
  void forget_energy();

  /// The quantities of the present point, as far as they were asked for.
  const Workspace& quantities() const { return *quantities_; }

  /// Returns the number of points so far. A reader of an older version knows that its quantities are gone.
  long version() const { return version_; }

  const MechanicalSystem& system() const { return *system_; }
  const std::shared_ptr<const MechanicalSystem>& shared_system() const { return system_; }

 private:
  std::shared_ptr<const MechanicalSystem> system_;
  std::unique_ptr<Workspace> quantities_;
  long version_ = 0;
};

}  // namespace sunlagrange::internal
