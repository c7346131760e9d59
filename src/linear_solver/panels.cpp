#include "linear_solver/panels.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

namespace sunlagrange::internal {

namespace {

/// Multiplications that a panel of its own costs besides those it does.
constexpr long overhead = 24;

/// Multiplications of a panel.
long work(long pivots, long border) {
  long sum = 0;
  for (long below = border; below < border + pivots; ++below) sum += below * (below + 1) / 2;
  return sum;
}

struct Front {
  int first, pivots;
  std::vector<int> border;  // places below, ascending
};

std::vector<int> merged(const std::vector<int>& a, const std::vector<int>& b, int from) {
  std::vector<int> result;
  std::set_union(std::lower_bound(a.begin(), a.end(), from), a.end(), std::lower_bound(b.begin(), b.end(), from),
                 b.end(), std::back_inserter(result));
  return result;
}

/// Structure of L for given panels; one of `pivots` pivots each.
std::vector<Front> structure(const EliminationOrder& order, const std::vector<int>& pivots) {
  std::vector<Front> fronts;
  std::vector<int> front_of;
  int first = 0;
  for (const int p : pivots) {
    front_of.insert(front_of.end(), static_cast<std::size_t>(p), static_cast<int>(fronts.size()));
    fronts.push_back({first, p, {}});
    first += p;
  }
  std::vector<std::vector<int>> reached_by(fronts.size());
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    auto& border = reached_by[f];  // so far: from the panels before
    const int end = fronts[f].first + fronts[f].pivots;
    for (int k = fronts[f].first; k < end; ++k) {
      const auto& reached = order.reached[static_cast<std::size_t>(k)];
      border.insert(border.end(), reached.begin(), reached.end());
    }
    std::sort(border.begin(), border.end());
    border.erase(std::unique(border.begin(), border.end()), border.end());
    border.erase(border.begin(), std::lower_bound(border.begin(), border.end(), end));
    if (!border.empty()) {
      auto& next = reached_by[static_cast<std::size_t>(front_of.data()[border.front()])];
      next.insert(next.end(), border.begin(), border.end());
    }
    fronts[f].border = std::move(border);
  }
  return fronts;
}

/// Neighbours in the order are joined where that costs less than a panel of its own.
std::vector<int> join(const std::vector<Front>& columns) {
  std::vector<int> pivots;
  Front open{0, 0, {}};
  for (const Front& column : columns) {
    const int end = column.first + column.pivots;
    std::vector<int> border = merged(open.border, column.border, end);
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

/// Panels of one height depend on each other nowhere: side by side, they hide each other's latencies. Reorders, and
/// returns the pivots of each.
std::vector<int> interleave(EliminationOrder& order, const std::vector<Front>& fronts) {
  std::vector<int> front_of, by_height, height(fronts.size(), 0), from, pivots;
  for (const Front& f : fronts) {
    front_of.insert(front_of.end(), static_cast<std::size_t>(f.pivots), static_cast<int>(by_height.size()));
    by_height.push_back(static_cast<int>(by_height.size()));
  }
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    if (fronts[f].border.empty()) continue;
    int& above = height.data()[front_of.data()[fronts[f].border.front()]];
    above = std::max(above, height[f] + 1);
  }
  std::stable_sort(by_height.begin(), by_height.end(),
                   [&](int a, int b) { return height.data()[a] < height.data()[b]; });
  for (const int f : by_height) {
    const Front& front = fronts[static_cast<std::size_t>(f)];
    pivots.push_back(front.pivots);
    for (int k = 0; k < front.pivots; ++k) from.push_back(front.first + k);
  }
  order.rearrange(from);
  return pivots;
}

}  // namespace

Panels::Panels(const BlockPattern& pattern) : order(pattern), complete(order.complete) {
  if (!complete) return;
  const std::vector<int> single(order.unknown.size(), 1);
  const std::vector<int> joined = join(structure(order, single));
  const std::vector<Front> fronts = structure(order, interleave(order, structure(order, joined)));
  long total = 0, targets = 0;
  for (const Front& f : fronts) {
    const auto border = static_cast<int>(f.border.size());
    panel.push_back(
        {f.first, f.pivots, border, static_cast<int>(total), static_cast<int>(row.size()), static_cast<int>(targets)});
    panel_of_.insert(panel_of_.end(), static_cast<std::size_t>(f.pivots), static_cast<int>(panel.size()) - 1);
    row.insert(row.end(), f.border.begin(), f.border.end());
    total += static_cast<long>(f.pivots) * (f.pivots + 1) / 2 + static_cast<long>(f.pivots) * border;
    targets += static_cast<long>(border) * (border + 1) / 2;
    if (std::max(2 * total, targets) > std::numeric_limits<int>::max()) {
      *this = {};
      return;
    }
  }
  entries = static_cast<int>(total);
  target.reserve(static_cast<std::size_t>(targets));
  for (const Panel& p : panel) {
    const int* border = row.data() + p.row;
    for (int i = 0; i < p.border; ++i) {
      for (int j = 0; j <= i; ++j) target.push_back(slot(border[i], border[j]));
    }
  }
}

int Panels::slot(int place, int other) const {
  const int column = std::min(place, other), at = std::max(place, other);
  const Panel& p = panel.data()[panel_of_.data()[column]];
  const int j = column - p.first, i = at - p.first;
  if (i < p.pivots) return p.values + i * (i + 1) / 2 + j;
  const int* border = row.data() + p.row;
  const int k = static_cast<int>(std::lower_bound(border, border + p.border, at) - border);
  return p.values + p.pivots * (p.pivots + 1) / 2 + k * p.pivots + j;
}

}  // namespace sunlagrange::internal
