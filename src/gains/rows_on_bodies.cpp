// SPDX-License-Identifier: BSD-3-Clause
#include "gains/rows_on_bodies.hpp"

#include <algorithm>

namespace sunlagrange::internal {
namespace {

/// Entries shorter than this, relative to the row, are rounding.
constexpr double shortest = 1e-10;

RowsOnBodies::Parts::iterator find(RowsOnBodies::Parts& row, int body) {
  return std::find_if(row.begin(), row.end(), [body](const RowsOnBodies::Part& part) { return part.body == body; });
}

void leave_out_rounding(RowsOnBodies::Parts& row) {
  double largest = 0.0;
  for (const RowsOnBodies::Part& part : row) largest = std::max(largest, part.squared_norm);
  const double least = shortest * shortest * largest;
  row.erase(std::remove_if(row.begin(), row.end(), [least](const auto& part) { return !(part.squared_norm > least); }),
            row.end());
}

}  // namespace

RowsOnBodies::RowsOnBodies(const MechanicalSystem& system)
    : body_of_(static_cast<std::size_t>(system.num_positions()), -1) {
  int bodies = 0;
  for (const NamedBlock& block : system.blocks()) {
    if (block.size > 1) std::fill_n(body_of_.begin() + block.first, block.size, bodies++);
  }
}

std::vector<RowsOnBodies::Parts> RowsOnBodies::of(const PatternMatrix& A, const Eigen::VectorXd& mass, int rows) const {
  std::vector<Parts> result(static_cast<std::size_t>(rows));
  A.for_each_entry([&](int i, int j, double entry) {
    const int body = body_of_[static_cast<std::size_t>(j)];
    if (i >= rows || body < 0 || !(mass[j] > 0.0)) return;
    Parts& row = result[static_cast<std::size_t>(i)];
    auto part = find(row, body);
    if (part == row.end()) part = row.insert(part, {body, 0.0});
    part->squared_norm += entry * entry / mass[j];
  });
  for (Parts& row : result) leave_out_rounding(row);
  return result;
}

double RowsOnBodies::squared_norm(const Parts& row, int body) {
  for (const Part& part : row) {
    if (part.body == body) return part.squared_norm;
  }
  return 0.0;
}

}  // namespace sunlagrange::internal
