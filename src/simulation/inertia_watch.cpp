#include "simulation/inertia_watch.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>

#include "model/checks/examination.hpp"

namespace sunlagrange::internal {
namespace {

bool watched(const SampledPath& path) {
  return !path.system()->constant_mass() && path.system()->motion_law().has_forces && path.newest().evaluated;
}

/// Relative to the largest along the path: less is rounding of a difference that vanishes.
constexpr double rounding_of_inertia = 1e-10;

}  // namespace

std::optional<InertiaRange> range_of_inertias(const SampledPath& path) {
  if (path.samples().empty() || !path.newest().evaluated) return std::nullopt;
  const Eigen::VectorXd& scales = path.system()->natural_scales();
  double largest = 0.0, smallest = INFINITY;
  int heavy = -1, light = -1;
  path.quantities().M.for_each_entry([&](int i, int j, double entry) {
    if (i != j || !(entry > 0.0)) return;
    const double inertia = entry * scales[j] * scales[j];
    if (inertia > largest) largest = inertia, heavy = j;
    if (inertia < smallest) smallest = inertia, light = j;
  });
  if (heavy < 0 || light < 0) return std::nullopt;  // none, or beyond all numbers
  return InertiaRange{largest / smallest, path.system()->position_name(heavy), path.system()->position_name(light)};
}

void InertiaWatch::accept(const SampledPath& path) {
  if (found_ || !watched(path)) return;
  const PathSample& now = path.newest();
  const PatternMatrix& M = path.quantities().M;
  if (largest_.size() == 0) largest_ = Eigen::VectorXd::Zero(now.q.size());
  double energy = 0.0, terms = 0.0;
  int row = -1;
  M.for_each_entry([&](int i, int j, double entry) {
    const double term = 0.5 * now.v[i] * entry * now.v[j];
    energy += term;
    terms += std::abs(term);
    if (i != j) return;
    largest_[j] = std::max(largest_[j], std::abs(entry));
    if (entry < -rounding_of_inertia * largest_[j]) row = j;
  });
  largest_terms_ = std::max(largest_terms_, terms);
  if (row < 0 && !(energy < -rounding_of_inertia * largest_terms_)) return;
  const std::string name = row >= 0 ? path.system()->position_name(row) : "";
  found_ = Status{Outcome::model_error,
                  "the model is wrong at t = " + text(now.t) + ": mass_matrix is not positive semidefinite any more: " +
                      (row >= 0 ? "M(" + name + ", " + name + ") = " + text(M(row, row)) + " is negative"
                                : "the kinetic energy is " + text(energy) + " J") +
                      "; check how it depends on t and q, and that the motion stays where it holds"};
}

void InertiaWatch::finish(const SampledPath& path) {
  if (found_ || path.samples().empty() || !watched(path)) return;
  const PathSample& now = path.newest();
  Status end = examine(*path.system(), now.t, now.q, now.v, Purpose::derivatives);
  if (!end.finished()) found_ = std::move(end);
}

}  // namespace sunlagrange::internal
