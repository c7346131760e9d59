#include "formulation/time_scale.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange {

Scales characteristic_scales(const MotionState& start, double t_span) {
  const auto norm = [](const Eigen::VectorXd& x) { return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>(); };
  Scales s;
  if (norm(start.q) > 0.0) s.position = norm(start.q);
  if (start.typical_position > 0.0) s.position = start.typical_position;
  s.time = t_span > 0.0 ? t_span : 1.0;
  if (norm(start.v) > 0.0) s.time = std::min(s.time, s.position / norm(start.v));
  if (norm(start.a) > 0.0) s.time = std::min(s.time, std::sqrt(s.position / norm(start.a)));
  return s;
}

Eigen::VectorXd lumped_schur_diagonal(const Workspace& w) {
  const SparsePattern& mass = w.patterns->mass;
  const SparsePattern& G = w.patterns->jacobian;
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(G.rows);
  double largest = 0.0;
  Eigen::VectorXd lumped(mass.columns);
  for (int j = 0; j < mass.columns; ++j) {
    lumped[j] = w.mass[static_cast<std::size_t>(mass.slot(j, j))];
    largest = std::max(largest, lumped[j]);
  }
  for (int j = 0; j < G.columns; ++j) {
    const double mass_j = lumped[j] > 0.0 ? lumped[j] : largest;  // massless coordinates borrow a mass
    if (!(mass_j > 0.0)) continue;
    for (int k = G.column_start[static_cast<std::size_t>(j)]; k < G.column_start[static_cast<std::size_t>(j) + 1];
         ++k) {
      const double entry = w.jacobian[static_cast<std::size_t>(k)];
      diagonal[G.row_index[static_cast<std::size_t>(k)]] += entry * entry / mass_j;
    }
  }
  return diagonal;
}

}  // namespace sunlagrange
