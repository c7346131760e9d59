// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

/// Measures violations of the constraints in the unit of the coordinates: the largest |violation| over the largest
/// |G_ij|.
class ViolationMeasure {
 public:
  struct Violation {
    double largest = 0.0;  ///< |violation| of a row
    double entry = 0.0;    ///< largest |G_ij|
    double displacement() const { return entry > 0.0 ? largest / entry : largest; }
  };

  explicit ViolationMeasure(const MechanicalSystem& system)
      : scales_are_one_(system.natural_scales_are_one()), sizes_(system), own_scale_(system) {}

  /// Rows of a scale of their own count as if their largest term were that of the others.
  /// @param w           evaluated at the point, with G
  /// @param x           what the violations are those of: q, or v
  /// @param size        natural_size(x)
  /// @param violations  g, or (g', psi)
  Violation operator()(const Workspace& w, const Eigen::VectorXd& x, double size, const Eigen::VectorXd& violations) {
    if (scales_are_one_) return {max_abs_or_not_finite(violations), max_abs(w.G.values)};
    return in_natural_scales(w, x, size, violations);
  }

 private:
  Violation in_natural_scales(const Workspace& w, const Eigen::VectorXd& x, double size,
                              const Eigen::VectorXd& violations) {
    const Eigen::Index m = w.gamma.size();
    sizes_.measure(x, size > 0.0 ? size : 1.0);
    own_scale_.update(w.G, m);
    entries_.setZero(m);
    w.G.for_each_entry(
        [&](int i, int j, double G) { entries_[i] = std::max(entries_[i], std::abs(G) * sizes_.relative(j)); });
    double entry = 0.0;
    bool any_own = false;
    for (Eigen::Index i = 0; i < m; ++i) {
      any_own = any_own || own_scale_(i);
      if (!own_scale_(i)) entry = std::max(entry, entries_[i]);
    }
    if (any_own && !(entry > 0.0)) entry = 1.0;
    scaled_ = violations;
    for (Eigen::Index i = 0; i < scaled_.size(); ++i) {
      if (own_scale_(i)) scaled_[i] *= entry / entries_[i];
    }
    return {max_abs_or_not_finite(scaled_), entry};
  }

  bool scales_are_one_;
  CoordinateSizes sizes_;
  RowsOfOwnScale own_scale_;
  Eigen::VectorXd entries_, scaled_;  // scratch
};

}  // namespace sunlagrange::internal
