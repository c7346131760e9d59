#pragma once

#include <optional>
#include <string>

#include <sunlagrange/base/status.hpp>

#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Diagonal of M in natural scales, without what has no inertia.
struct InertiaRange {
  double ratio = 1.0;             ///< of the largest and the smallest
  std::string largest, smallest;  ///< coordinates
};

/// At the newest sample. Nothing: M was not evaluated there, or is zero.
std::optional<InertiaRange> range_of_inertias(const SampledPath& path);

/// Watches M along the path, where it varies: it was examined at the start only.
class InertiaWatch {
 public:
  /// After every state that the path has accepted, before it looks between its samples. Negative entries of the
  /// diagonal and negative kinetic energy of the motion itself: what costs next to nothing.
  void accept(const SampledPath& path);

  /// At the end of the run: the whole examination of the start once more.
  void finish(const SampledPath& path);

  /// model_error, with what was found first.
  const std::optional<Status>& found() const { return found_; }

 private:
  Eigen::VectorXd largest_;     // |M_jj| along the path
  double largest_terms_ = 0.0;  // sum of |v_i M_ij v_j| / 2
  std::optional<Status> found_;
};

}  // namespace sunlagrange::internal
