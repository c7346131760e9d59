// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/laws.hpp>

#include <algorithm>
#include <cmath>

namespace sunlagrange {

SplineTable::SplineTable(std::vector<double> times, std::vector<double> values)
    : times_(std::move(times)), values_(std::move(values)) {
  find_bends();
}

bool SplineTable::usable() const {
  if (times_.size() < 2 || times_.size() != values_.size()) return false;
  for (std::size_t k = 0; k < times_.size(); ++k) {
    if (!std::isfinite(times_[k]) || !std::isfinite(values_[k]) || (k > 0 && !(times_[k] > times_[k - 1])))
      return false;
  }
  return true;
}

void SplineTable::describe_parameters(Parameters& p) {
  const std::vector<double> times = times_, values = values_;
  p.finite("times", times_, "s", "ascending, two or more");
  p.finite("values", values_, "", "value at each of the times");
  if (times != times_ || values != values_) find_bends();
  p.require(usable(), "times, values: two or more of each, the times ascending");
  if (usable()) state_corners(p);
}

/// States the times where the third derivative jumps, if it matters: the polynomial before the time misses the next
/// value of the table by a part of the range of values. A sine with 25 points a period has no such time.
void SplineTable::state_corners(Parameters& p) const {
  constexpr double matters = 1e-3;
  const auto [lowest, highest] = std::minmax_element(values_.begin(), values_.end());
  const std::size_t last = times_.size() - 1;
  const auto h = [this](std::size_t k) { return times_[k + 1] - times_[k]; };
  const auto third = [this, h](std::size_t k) { return (bends_[k + 1] - bends_[k]) / h(k); };
  for (std::size_t k = 0; k <= last; ++k) {
    const double jump = (k < last ? third(k) : 0.0) - (k > 0 ? third(k - 1) : 0.0);
    const double ahead = h(k < last ? k : last - 1);
    if (std::abs(jump) * ahead * ahead * ahead / 6.0 > matters * (*highest - *lowest)) p.not_smooth_at(times_[k]);
  }
}

void SplineTable::find_bends() {
  bends_.assign(times_.size(), 0.0);
  if (!usable()) return;
  const std::size_t last = times_.size() - 1;
  // h_k-1 b_k-1 + 2 (h_k-1 + h_k) b_k + h_k b_k+1 = 6 (slope_k - slope_k-1), b_0 = b_last = 0; forward, then back
  std::vector<double> diagonal(times_.size(), 1.0);
  const auto h = [this](std::size_t k) { return times_[k + 1] - times_[k]; };
  const auto slope = [this, h](std::size_t k) { return (values_[k + 1] - values_[k]) / h(k); };
  for (std::size_t k = 1; k < last; ++k) {
    const double factor = k > 1 ? h(k - 1) / diagonal[k - 1] : 0.0;
    diagonal[k] = 2.0 * (h(k - 1) + h(k)) - factor * h(k - 1);
    bends_[k] = 6.0 * (slope(k) - slope(k - 1)) - factor * bends_[k - 1];
  }
  for (std::size_t k = last; k-- > 1;) bends_[k] = (bends_[k] - h(k) * bends_[k + 1]) / diagonal[k];
}

double SplineTable::end_slope(std::size_t k) const {
  const double h = times_[k + 1] - times_[k];
  const double chord = (values_[k + 1] - values_[k]) / h;
  return k == 0 && times_.size() > 2 ? chord - h * bends_[1] / 6.0 : chord + h * bends_[k] / 6.0;
}

}  // namespace sunlagrange
