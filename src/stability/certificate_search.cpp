// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <sunlagrange/base/bisection.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/stability/certificate.hpp>

namespace sunlagrange {

using namespace internal;

GainScan scan_gains(const std::function<ErrorProgram(double gain)>& family, const ButcherTable& table, double tau,
                    double t_end, std::vector<double> gains, const CertificateOptions& options, double resolution) {
  if (!family) throw Error("gain scan: the family of programs is empty");
  if (gains.size() < 2) throw Error("gain scan: " + std::to_string(gains.size()) + " gains given, two or more needed");
  if (!(resolution > 0.0)) throw Error("gain scan: resolution = " + text(resolution) + " must be positive");
  std::sort(gains.begin(), gains.end());
  const auto at = [&](double gain) {
    const Certificate found = certify(family(gain), table, tau, t_end, options);
    GainScanPoint point{gain, found.certified, found.stayed_below(), found.largest_error, ""};
    if (const CertificateFailure* failure = found.failure()) point.words = failure->words;
    return point;
  };
  GainScan scan;
  for (const double gain : gains) scan.points.push_back(at(gain));
  for (std::size_t j = 1; j < scan.points.size();) {  // halve until neighbours agree or the edge is located
    const GainScanPoint& low = scan.points[j - 1];
    const GainScanPoint& high = scan.points[j];
    const bool differ = low.certified != high.certified || low.stayed_below != high.stayed_below;
    if (!differ || high.gain - low.gain <= resolution * std::abs(high.gain)) {
      ++j;
      continue;
    }
    scan.points.insert(scan.points.begin() + static_cast<std::ptrdiff_t>(j), at(0.5 * (low.gain + high.gain)));
  }
  const auto collect = [&scan](bool GainScanPoint::*yes, std::vector<Interval>& list) {
    bool open = false;
    for (const GainScanPoint& point : scan.points) {
      if (point.*yes && open) list.back().high = point.gain;
      if (point.*yes && !open) list.push_back({point.gain, point.gain});
      open = point.*yes;
    }
  };
  collect(&GainScanPoint::certified, scan.certified);
  collect(&GainScanPoint::stayed_below, scan.observed);
  return scan;
}

StepSearch largest_certified_step(const ErrorProgram& program, const ButcherTable& table, double t_end,
                                  const CertificateOptions& options, double largest, double smallest,
                                  double resolution) {
  if (!(resolution > 0.0)) throw Error("step search: resolution = " + text(resolution) + " must be positive");
  if (largest == 0.0) {
    const ConstraintDynamics law = program.law.depends_on_state()
                                       ? ConstraintDynamics::from_matrix(program.law.K(program.t0, program.y0))
                                       : program.law;
    ConditionOptions stable;
    stable.t = program.t0;
    const std::vector<Interval> steps = admissible_steps(table, law, stable);
    if (steps.empty()) throw Error("step search: no step of " + table.name + " is stable for this law; give `largest`");
    largest = 2.0 * steps.back().high;
  }
  if (smallest == 0.0) smallest = 1e-4 * largest;
  if (!(smallest > 0.0 && largest > smallest && std::isfinite(largest))) {
    throw Error("step search: from largest = " + text(largest) + " down to smallest = " + text(smallest) +
                ": need 0 < smallest < largest");
  }
  largest = std::min(largest, t_end - program.t0);
  StepSearch result;
  const auto search = [&](const auto& holds) {
    double low = largest;
    Certificate at = certify(program, table, low, t_end, options);
    if (holds(at)) return std::make_pair(low, at);
    double high = low;
    while (!holds(at)) {
      high = low;
      low *= 0.9;
      if (low < smallest) return std::make_pair(0.0, at);
      at = certify(program, table, low, t_end, options);
    }
    const auto step_holds = [&](double step) {
      Certificate there = certify(program, table, step, t_end, options);
      const bool yes = holds(there);
      if (yes) at = std::move(there);
      return yes;
    };
    low = bisect(step_holds, {low, high}, resolution * low).in;
    return std::make_pair(low, at);
  };
  std::tie(result.certified, result.certificate) = search([](const Certificate& c) { return c.certified; });
  result.observed = search([](const Certificate& c) { return c.stayed_below(); }).first;
  return result;
}

}  // namespace sunlagrange
