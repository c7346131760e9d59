// SPDX-License-Identifier: BSD-3-Clause
#include "stability/true_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <sunlagrange/base/bisection.hpp>
#include <sunlagrange/base/status.hpp>

#include "base/numerics.hpp"

namespace sunlagrange::internal {
namespace {

struct Sample {
  double x;
  double f;
};

std::vector<double> abscissas(double low, double high, int samples) {
  std::vector<double> x;
  if (low > 0.0) x.push_back(low);
  for (int j = 1; j <= samples; ++j) {
    const double part = static_cast<double>(j) / samples;
    x.push_back(low + (high - low) * part);
    x.push_back(low + (high - low) * std::pow(1e-9, 1.0 - part));
  }
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
  return x;
}

/// Golden section between a and c towards a smaller value; it ends as soon as the value is negative.
Sample descend(const std::function<double(double)>& f, double a, double c) {
  const auto s = golden_section(
      a, c, f, [](const auto& section) { return section.cuts < 60 && section.left >= 0.0 && section.right >= 0.0; });
  return s.left < s.right ? Sample{s.x_left, s.left} : Sample{s.x_right, s.right};
}

double edge(const std::function<double(double)>& f, double in, double out) {
  return bisect([&f](double x) { return f(x) < 0.0; }, {in, out}, 0x1p-100 * std::abs(out - in)).in;
}

}  // namespace

std::vector<std::pair<double, double>> negative_intervals(const std::function<double(double)>& f, double low,
                                                          double high, int samples) {
  std::vector<std::pair<double, double>> list;
  if (samples < 2) throw Error("conditions: samples = " + std::to_string(samples) + ": at least 2 are needed");
  if (!(high > low)) return list;
  std::vector<Sample> points;
  for (const double x : abscissas(low, high, samples)) points.push_back({x, f(x)});
  const std::size_t size = points.size();
  for (std::size_t j = 1; j + 1 < size; ++j) {  // extrema between the samples
    const Sample before = points[j - 1], here = points[j], after = points[j + 1];
    if (here.f >= 0.0 && here.f <= before.f && here.f <= after.f)
      points.push_back(descend(f, before.x, after.x));
    else if (here.f < 0.0 && here.f >= before.f && here.f >= after.f) {
      const Sample top = descend([&f](double x) { return -f(x); }, before.x, after.x);
      points.push_back({top.x, -top.f});
    }
  }
  std::sort(points.begin(), points.end(), [](const Sample& a, const Sample& b) { return a.x < b.x; });
  for (std::size_t j = 0; j < points.size(); ++j) {
    if (!(points[j].f < 0.0)) continue;
    const double from = j > 0 ? edge(f, points[j].x, points[j - 1].x) : (low == 0.0 ? 0.0 : points[j].x);
    while (j + 1 < points.size() && points[j + 1].f < 0.0) ++j;
    const double to = j + 1 < points.size() ? edge(f, points[j].x, points[j + 1].x) : points[j].x;
    list.emplace_back(from, to);
  }
  return list;
}

}  // namespace sunlagrange::internal
