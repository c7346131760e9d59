#include "analysis/force_scales.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "linear_algebra/parts.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

/// @param first  of each row of G the first coordinate that it acts on; -1: none
Parts parts_of(const Workspace& w, std::vector<int>& first) {
  Parts parts(w.f.size());
  // slots of G count also where they are zero: a row acts on the direction that it has no share in right here
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

}  // namespace

std::optional<ForceScales> force_scales(const MechanicalSystem& system, const MotionState& at, const VectorXd& scales) {
  const std::unique_ptr<Workspace> w = make_workspace(system, Storage::sparse);
  const VectorXd no_acceleration = VectorXd::Zero(at.q.size()), no_lambda = VectorXd::Zero(at.lambda.size());
  const Point unloaded{at.t, at.q.data(), at.v.data(), no_acceleration.data(), no_lambda.data()};
  if (!evaluate_system(system, request::acceleration_level | request::tangent, unloaded, *w)) return std::nullopt;
  VectorXd work = scales.cwiseProduct(w->f.cwiseAbs());
  w->r_q.for_each_entry([&](int i, int k, double stiffness) {
    work[i] = std::max(work[i], std::abs(scales[i] * stiffness * scales[k]));
  });
  VectorXd reaction = VectorXd::Zero(at.q.size());
  w->G.for_each_entry([&](int row, int i, double entry) { reaction[i] += entry * at.lambda[row]; });
  work = work.cwiseMax(scales.cwiseProduct(reaction.cwiseAbs()));
  if (!work.allFinite()) return std::nullopt;

  std::vector<int> first(static_cast<std::size_t>(at.lambda.size()), -1);
  const Parts parts = parts_of(*w, first);
  VectorXd most = VectorXd::Zero(work.size());  // of the part that a coordinate stands for
  for (int i = 0; i < work.size(); ++i) most[parts.of(i)] = std::max(most[parts.of(i)], work[i]);
  const auto of_part = [&](int i) { return most[parts.of(i)] > 0.0 ? most[parts.of(i)] : 1.0; };
  ForceScales typical{VectorXd::Ones(work.size()), VectorXd::Ones(at.lambda.size())};
  for (int i = 0; i < work.size(); ++i) typical.coordinates[i] = of_part(i) / scales[i];
  for (Eigen::Index row = 0; row < typical.rows.size(); ++row) {
    const int i = first[static_cast<std::size_t>(row)];
    if (i >= 0) typical.rows[row] = of_part(i);
  }
  return typical;
}

}  // namespace sunlagrange::internal
