// SPDX-License-Identifier: BSD-3-Clause
#include "kinds/motion.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::test::kinds {

Eigen::VectorXd vector_of(const State& values) {
  Eigen::VectorXd q(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) q[static_cast<Eigen::Index>(i)] = as_double(values[i]);
  return q;
}

double Motion::distance(const Eigen::VectorXd& q, const Eigen::VectorXd& from) const {
  const Eigen::ArrayXd scale = scales.size() == 0 ? Eigen::ArrayXd(Eigen::ArrayXd::Ones(q.size())) : scales.array();
  return ((q - from).array().abs() / (scale + from.array().abs())).maxCoeff();
}

double Motion::amplification(double tolerance, double allowed) const {
  constexpr int instants = 4;
  const Eigen::VectorXd undisturbed = end();
  double largest = 1.0;
  State y = reduced;
  for (int k = 0; k < instants; ++k) {
    const Real t = t_end * (Real(k) / instants);
    const auto response = [&](std::size_t i, double disturbance) {
      State disturbed = y;
      disturbed[i] += disturbance * (1 + std::abs(y[i]));
      return distance(positions(follow(disturbed, t, t_end), t_end), undisturbed) / std::abs(disturbance);
    };
    for (const double size : {tolerance, allowed}) {
      double sum = 0.0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += std::max(response(i, size), response(i, -size));
      largest = std::max(largest, sum);
    }
    y = follow(y, t, t + t_end / Real(instants));
  }
  return largest;
}

std::vector<Kind> kinds_of_motion() {
  std::vector<Kind> all;
  for (auto* some : {four_bars, sliders, pulses, contacts, friction, driven_motions, networks, light_parts,
                     spatial_bodies, long_runs}) {
    for (const Kind& kind : some()) all.push_back(kind);
  }
  return all;
}

}  // namespace sunlagrange::test::kinds
