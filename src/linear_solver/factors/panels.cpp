// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/factors/panels.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>

namespace sunlagrange::internal {

namespace {

/// Overhead of one more panel, in multiplications.
constexpr long overhead = 24;

/// Returns the multiplications of a panel.
long work(long pivots, long border) {
  long sum = 0;
  for (long below = border; below < border + pivots; ++below) sum += below * (below + 1) / 2;
  return sum;
}

struct Front {
  int first, pivots;
  SignedVector<int> border;  // places below, ascending
};

SignedVector<int> merged(const SignedVector<int>& a, const SignedVector<int>& b, int from) {
  SignedVector<int> result;
  std::set_union(std::lower_bound(a.begin(), a.end(), from), a.end(), std::lower_bound(b.begin(), b.end(), from),
                 b.end(), std::back_inserter(result));
  return result;
}

/// Returns the structure of L for panels with these numbers of pivots.
SignedVector<Front> structure(const EliminationOrder& order, const SignedVector<int>& pivots) {
  SignedVector<Front> fronts;
  SignedVector<int> front_of;
  int first = 0;
  for (const int p : pivots) {
    front_of.insert(front_of.end(), static_cast<std::size_t>(p), static_cast<int>(fronts.size()));
    fronts.push_back({first, p, {}});
    first += p;
  }
  SignedVector<SignedVector<int>> reached_by(fronts.size());
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    auto& border = reached_by[f];  // from earlier panels, so far
    const int end = fronts[f].first + fronts[f].pivots;
    for (int k = fronts[f].first; k < end; ++k) {
      const auto& reached = order.reached[k];
      border.insert(border.end(), reached.begin(), reached.end());
    }
    std::sort(border.begin(), border.end());
    border.erase(std::unique(border.begin(), border.end()), border.end());
    border.erase(border.begin(), std::lower_bound(border.begin(), border.end(), end));
    if (!border.empty()) {
      auto& next = reached_by[front_of[border.front()]];
      next.insert(next.end(), border.begin(), border.end());
    }
    fronts[f].border = std::move(border);
  }
  return fronts;
}

/// Joins neighbours in the order if one panel costs less than two. Returns the pivots of each panel.
SignedVector<int> join(const SignedVector<Front>& columns) {
  SignedVector<int> pivots;
  Front open{0, 0, {}};
  for (const Front& column : columns) {
    const int end = column.first + column.pivots;
    SignedVector<int> border = merged(open.border, column.border, end);
    const long apart = work(open.pivots, static_cast<long>(open.border.size())) +
                       work(column.pivots, static_cast<long>(column.border.size())) + overhead;
    if (open.pivots > 0 && work(open.pivots + column.pivots, static_cast<long>(border.size())) <= apart) {
      open.pivots += column.pivots;
      open.border = std::move(border);
      continue;
    }
    if (open.pivots > 0) pivots.push_back(open.pivots);
    open = column;
  }
  if (open.pivots > 0) pivots.push_back(open.pivots);
  return pivots;
}

/// Returns for each panel the length of the longest chain of dependent panels below it.
SignedVector<int> heights(const SignedVector<Front>& fronts) {
  SignedVector<int> front_of, height(fronts.size(), 0);
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    front_of.insert(front_of.end(), static_cast<std::size_t>(fronts[f].pivots), static_cast<int>(f));
  }
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    if (fronts[f].border.empty()) continue;
    int& above = height[front_of[fronts[f].border.front()]];
    above = std::max(above, height[f] + 1);
  }
  return height;
}

/// Reorders panels by height and shape and returns the pivots of each. Panels of one height do not depend on each
/// other: side by side they hide each other's latencies, and those of one shape share instructions.
SignedVector<int> interleave(EliminationOrder& order, const SignedVector<Front>& fronts) {
  const SignedVector<int> height = heights(fronts);
  SignedVector<int> sorted(fronts.size()), from, pivots;
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto key = [&](int f) {
    const Front& front = fronts[f];
    return std::make_tuple(height[f], front.pivots, front.border.size());
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return key(a) < key(b); });
  for (const int f : sorted) {
    const Front& front = fronts[f];
    pivots.push_back(front.pivots);
    for (int k = 0; k < front.pivots; ++k) from.push_back(front.first + k);
  }
  order.rearrange(from);
  return pivots;
}

/// Joins neighbours of one height and shape to two lanes. Reorders places and borders, and returns for each panel the
/// number of lanes: 1, or 2 for it and the next.
SignedVector<int> pair_up(EliminationOrder& order, SignedVector<Front>& fronts) {
  const SignedVector<int> height = heights(fronts);
  SignedVector<int> lanes(fronts.size(), 1), from(order.unknown.size()), to(order.unknown.size());
  std::iota(from.begin(), from.end(), 0);
  for (std::size_t f = 0; f + 1 < fronts.size() && Panels::in_lanes; ++f) {
    Front &a = fronts[f], &b = fronts[f + 1];
    if (height[f] != height[f + 1] || a.pivots != b.pivots || a.border.size() != b.border.size()) continue;
    if (a.pivots > Panels::most_pivots_in_lanes) continue;
    for (int i = 0; i < a.pivots; ++i) {
      from[a.first + 2 * i] = a.first + i;
      from[a.first + 2 * i + 1] = b.first + i;
    }
    b.first = a.first + 1;
    lanes[f++] = 2;
  }
  order.rearrange(from);
  for (std::size_t k = 0; k < from.size(); ++k) to[from[k]] = static_cast<int>(k);
  for (Front& front : fronts) {
    for (int& place : front.border) place = to[place];
    std::sort(front.border.begin(), front.border.end());
  }
  return lanes;
}

}  // namespace

Panels::Panels(const BlockPattern& pattern) : order(pattern), complete(order.complete) {
  if (!complete) return;
  const SignedVector<int> single(order.unknown.size(), 1);
  const SignedVector<int> joined = join(structure(order, single));
  SignedVector<Front> fronts = structure(order, interleave(order, structure(order, joined)));
  const SignedVector<int> lanes = pair_up(order, fronts);
  order.reached = {};
  long total = 0, targets = 0;
  for (std::size_t f = 0; f < fronts.size(); f += static_cast<std::size_t>(lanes[f])) {
    const Front& front = fronts[f];
    const int many = lanes[f], border = static_cast<int>(front.border.size());
    panel.push_back(
        {front.first, front.pivots, border, many, static_cast<int>(total), static_cast<int>(row.size()), 0, false});
    panel_of_.insert(panel_of_.end(), static_cast<std::size_t>(many * front.pivots),
                     static_cast<int>(panel.size()) - 1);
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(many); ++lane) {
      row.insert(row.end(), fronts[f + lane].border.begin(), fronts[f + lane].border.end());
    }
    total +=
        many * (static_cast<long>(front.pivots) * (front.pivots + 1) / 2 + static_cast<long>(front.pivots) * border);
    targets += many * (static_cast<long>(border) * (border + 1) / 2);
    if (std::max(2 * total, targets) > std::numeric_limits<int>::max()) {
      *this = {};
      return;
    }
  }
  entries = static_cast<int>(total);
  find_targets();
}

void Panels::find_targets() {
  SignedVector<int> own[2];
  const auto all_behind = [](const int* first, const int* second, int count) {
    return std::equal(first, first + count, second, [](int a, int b) { return a + 1 == b; });
  };
  for (Panel& p : panel) {
    p.target = static_cast<int>(target.size());
    for (int lane = 0; lane < p.lanes; ++lane) {
      const int* border = row.data() + p.row + lane * p.border;
      own[lane].clear();
      for (int i = 0; i < p.border; ++i) {
        for (int j = 0; j <= i; ++j) own[lane].push_back(slot(border[i], border[j]));
      }
    }
    p.abreast = p.lanes == 2 && all_behind(row.data() + p.row, row.data() + p.row + p.border, p.border) &&
                all_behind(own[0].data(), own[1].data(), static_cast<int>(own[0].size()));
    target.insert(target.end(), own[0].begin(), own[0].end());
    if (p.lanes == 2 && !p.abreast) target.insert(target.end(), own[1].begin(), own[1].end());
  }
}

int Panels::slot(int place, int other) const {
  const int column = std::min(place, other), at = std::max(place, other);
  const Panel& p = panel[panel_of_[column]];
  const int j = (column - p.first) / p.lanes, lane = (column - p.first) % p.lanes;
  int entry = 0;
  if (at < p.first + p.lanes * p.pivots) {
    const int i = (at - p.first) / p.lanes;
    entry = i * (i + 1) / 2 + j;
  } else {
    const int* border = row.data() + p.row + lane * p.border;
    const int i = static_cast<int>(std::lower_bound(border, border + p.border, at) - border);
    entry = p.pivots * (p.pivots + 1) / 2 + i * p.pivots + j;
  }
  return p.values + p.lanes * entry + lane;
}

}  // namespace sunlagrange::internal
