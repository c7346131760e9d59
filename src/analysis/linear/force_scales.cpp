// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/linear/force_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "linear_algebra/parts.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

/// @param first  set, for each row of G, to the first coordinate it acts on, or -1
Parts parts_of(const Workspace& w, std::vector<int>& first) {
  Parts parts(w.f.size());
  // Entries of G that are zero here count too: the row acts on their direction elsewhere.
  w.G.for_each_entry([&](int row, int i, double) {
    int& other = first[static_cast<std::size_t>(row)];
    if (other < 0) other = i;
    parts.unite(i, other);
  });
  const auto coupled = [&](int i, int k, double entry) {
    if (entry != 0.0) parts.unite(i, k);
  };
  w.M.for_each_entry(coupled);
  w.r_q.for_each_entry(coupled);
  return parts;
}

/// Joins the coordinates of each body.
Parts with_bodies(Parts parts, const MechanicalSystem& system) {
  for (const NamedBlock& block : system.blocks()) {
    if (block.kind == BlockKind::generic) continue;
    for (int i = block.first + 1; i < block.first + block.size; ++i) parts.unite(i, block.first);
  }
  return parts;
}

/// Returns, for each coordinate, the largest value in its part.
VectorXd largest_of(const Parts& parts, const VectorXd& values) {
  VectorXd most = VectorXd::Zero(values.size());
  for (int i = 0; i < values.size(); ++i) most[parts.of(i)] = std::max(most[parts.of(i)], values[i]);
  return VectorXd::NullaryExpr(values.size(), [&](Eigen::Index i) { return most[parts.of(static_cast<int>(i))]; });
}

}  // namespace

std::optional<ForceScales> force_scales(const MechanicalSystem& system, const MotionState& at, const VectorXd& scales) {
  const std::unique_ptr<Workspace> w = make_workspace(system, Storage::sparse);
  const VectorXd no_acceleration = VectorXd::Zero(at.q.size()), no_lambda = VectorXd::Zero(at.lambda.size());
  const Point unloaded{at.t, at.q.data(), at.v.data(), no_acceleration.data(), no_lambda.data()};
  if (!evaluate_system(system, request::acceleration_level | request::tangent, unloaded, *w)) return std::nullopt;
  VectorXd reaction = VectorXd::Zero(at.q.size());
  w->G.for_each_entry([&](int row, int i, double entry) { reaction[i] += entry * at.lambda[row]; });
  const VectorXd load = scales.cwiseProduct(w->f.cwiseAbs().cwiseMax(reaction.cwiseAbs()));
  VectorXd work = load;
  w->r_q.for_each_entry([&](int i, int k, double stiffness) {
    work[i] = std::max(work[i], std::abs(scales[i] * stiffness * scales[k]));
  });
  if (!work.allFinite()) return std::nullopt;

  std::vector<int> first(static_cast<std::size_t>(at.lambda.size()), -1);
  const Parts parts = parts_of(*w, first);
  const Parts bodies = with_bodies(parts, system), single = with_bodies(Parts(work.size()), system);
  const VectorXd most = largest_of(parts, work), on_bodies = largest_of(bodies, work), loads = largest_of(single, load);
  const double largest_load = load.size() > 0 ? load.maxCoeff() : 0.0;
  const auto of_part = [&](int i) { return most[i] > 0.0 ? most[i] : 1.0; };
  ForceScales typical{VectorXd::Ones(work.size()), VectorXd::Ones(at.lambda.size()), loads.cwiseQuotient(scales),
                      VectorXd::Zero(work.size())};
  typical.rounding = std::numeric_limits<double>::epsilon() * on_bodies.cwiseMax(largest_load).cwiseQuotient(scales);
  for (int i = 0; i < work.size(); ++i) typical.coordinates[i] = of_part(i) / scales[i];
  for (Eigen::Index row = 0; row < typical.rows.size(); ++row) {
    const int i = first[static_cast<std::size_t>(row)];
    if (i >= 0) typical.rows[row] = of_part(i);
  }
  return typical;
}

}  // namespace sunlagrange::internal
