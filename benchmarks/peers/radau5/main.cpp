// SPDX-License-Identifier: BSD-3-Clause
/// radau beside RADAU5 [HairerWanner1996, IV.8]: processor time at equal error, and what it is made of.
///
///     sunlagrange-beside-radau5 [--rounds R] [--counts] [MECHANISM...]
///
/// Every method runs in every form at rtol = atol = 10^-2, 10^-2.5, ..., 10^-10.5, all in turn, R times (11); times are
/// medians. An error counts with the largest of all tighter tolerances (no lucky zeros); between two tolerances time is
/// interpolated in the logarithms, and the cheapest form of a family counts. "RADAU5 m1": RADAU5 that knows q' = v,
/// which makes its systems smaller by n (Andrews: by 2 n).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "shared/quantile.hpp"
#include "run.hpp"

namespace sunlagrange::peers {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Point {
  double tolerance;
  Run run;
  double error;  // largest of this and all tighter tolerances
};

struct Curve {
  std::string family, form;
  std::vector<Point> points;  // from the loosest tolerance on
};

std::vector<Curve> measure(const std::vector<Case>& cases, int rounds) {
  std::vector<Curve> curves;
  std::vector<std::vector<std::vector<double>>> times;
  for (const Case& c : cases) {
    Curve curve{c.family, c.form, {}};
    for (int k = 4; k <= 21; ++k) curve.points.push_back({std::pow(10.0, -0.5 * k), {}, infinite});
    times.emplace_back(curve.points.size());
    curves.push_back(curve);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t p = 0; p < 18; ++p) {
      for (std::size_t c = 0; c < cases.size(); ++c) {
        Point& point = curves[c].points[p];
        point.run = cases[c].run(point.tolerance);
        times[c][p].push_back(point.run.seconds);
      }
    }
  }
  for (std::size_t c = 0; c < cases.size(); ++c) {
    double largest = 0.0;
    for (std::size_t p = 18; p-- > 0;) {
      Point& point = curves[c].points[p];
      point.run.seconds = program::median(times[c][p]);
      if (point.run.finished && std::isfinite(point.run.error)) {
        largest = std::max(largest, point.run.error);
        point.error = largest;
      } else if (largest > 0.0) {
        largest = infinite;  // looser tolerances do not count where a tighter one stops
      }
    }
  }
  return curves;
}

/// Seconds to this error; infinite: not reached.
double time_to(const Curve& curve, double error) {
  double best = infinite;
  for (std::size_t p = 0; p < curve.points.size(); ++p) {
    const Point& now = curve.points[p];
    if (!(now.error <= error)) continue;
    double seconds = now.run.seconds;
    const Point& before = curve.points[p > 0 ? p - 1 : 0];
    if (before.error > error && std::isfinite(before.error)) {
      const double share = std::log(error / before.error) / std::log(now.error / before.error);
      seconds = std::exp((1.0 - share) * std::log(before.run.seconds) + share * std::log(seconds));
    }
    best = std::min(best, std::min(seconds, now.run.seconds));
  }
  return best;
}

void print_counts(const std::vector<Curve>& curves) {
  std::printf("%-10s %-22s %8s %9s %9s %6s %5s %6s %5s %5s %6s\n", "method", "form", "rtol", "error", "us", "steps",
              "again", "iter", "J", "LU", "f");
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) {
      const Run& r = point.run;
      if (!r.finished) continue;
      std::printf("%-10s %-22s %8.1e %9.1e %9.1f %6ld %5ld %6ld %5ld %5ld %6ld\n", curve.family.c_str(),
                  curve.form.c_str(), point.tolerance, r.error, 1e6 * r.seconds, r.steps, r.rejected, r.iterations,
                  r.jacobians, r.factorizations, r.evaluations);
    }
  }
}

void print_envelopes(const std::string& problem, const std::vector<Curve>& curves) {
  std::printf("%-12s", problem.c_str());
  for (int digits = 2; digits <= 8; ++digits) std::printf("  %16s1e-%d", "", digits);
  std::printf("\n");
  std::map<std::string, std::vector<double>> best;
  for (const char* family : {"RADAU5", "RADAU5 m1", "attached", "simulate"}) {
    std::printf("%-12s", family);
    for (int digits = 2; digits <= 8; ++digits) {
      double seconds = infinite;
      std::string form = "-";
      for (const Curve& curve : curves) {
        if (curve.family != family) continue;
        const double t = time_to(curve, std::pow(10.0, -digits));
        if (t < seconds) {
          seconds = t;
          form = curve.form;
        }
      }
      best[family].push_back(seconds);
      std::printf("  %12s %7.1f", form.substr(0, 12).c_str(), 1e6 * seconds);
    }
    std::printf("\n");
  }
  for (const char* family : {"attached", "simulate"}) {
    for (const char* peer : {"RADAU5", "RADAU5 m1"}) {
      std::printf("%s / %s:", family, peer);
      for (std::size_t k = 0; k < 7; ++k) std::printf(" %.2f", best[family][k] / best[peer][k]);
      std::printf("\n");
    }
  }
}

int run(int argc, char** argv) {
  int rounds = 11;
  bool counts = false;
  std::vector<std::string> problems;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--counts") {
      counts = true;
    } else if (word == "--rounds" && k + 1 < argc) {
      rounds = std::max(1, std::atoi(argv[++k]));
    } else {
      problems.push_back(word);
    }
  }
  if (problems.empty()) problems = {"andrews", "car_axis", "slider_crank", "pendulum"};
  for (const std::string& problem : problems) {
    std::vector<Case> cases;
    add_expert_cases(problem, exact_end(problem), cases);
    add_library_cases(problem, cases);
    const std::vector<Curve> curves = measure(cases, rounds);
    if (counts) print_counts(curves);
    print_envelopes(problem, curves);
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace sunlagrange::peers

int main(int argc, char** argv) {
  return sunlagrange::peers::run(argc, argv);
}
