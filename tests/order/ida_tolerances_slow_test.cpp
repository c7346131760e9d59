// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "tolerance_sweep.hpp"

/// The forms for IDA at 25 tolerances, 1e-4 to 1e-10 in quarter decades: all runs finish, and the errors follow the
/// tolerance. Failures of settings that are almost good are not monotone in the tolerance, so that four tolerances miss
/// them. Slopes and mean errors are those of an independent study of the same forms, with a margin.
using namespace sunlagrange;
using namespace sunlagrange::test;

namespace {

std::vector<double> quarter_decades() {
  std::vector<double> list;
  for (int k = 0; k <= 24; ++k) list.push_back(std::pow(10.0, -4.0 - 0.25 * k));
  return list;
}

struct Fit {
  double slope = 0.0;       ///< of log error against log tolerance
  double mean_error = 0.0;  ///< geometric mean of error / tolerance
};

Fit fit(const std::vector<SweepPoint>& points) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, share = 0.0;
  const auto n = static_cast<double>(points.size());
  for (const SweepPoint& p : points) {
    const double a = std::log10(p.tolerance), b = std::log10(p.error);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
    share += b - a;
  }
  return {(n * xy - x * y) / (n * xx - x * x), std::pow(10.0, share / n)};
}

struct Expected {
  const char *mechanism, *formulation;
  double slope, mean_error;
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_of_25_tolerances_finish_and_errors_follow) {
  // The study's slope for index3 on the pendulum, 0.75, is for a loose Newton test; with the tight one its table gives
  // 0.52 at smaller errors. Where it prints no mean, that of ggl stands.
  const Expected lines[] = {{"andrews", "index3", 0.50, 560.0},
                            {"car_axis", "index3", 0.83, 620.0},
                            {"pendulum", "index3", 0.52, 7800.0},
                            {"andrews", "ggl", 0.85, 18.0},
                            {"car_axis", "ggl", 0.83, 32.0},
                            {"pendulum", "ggl", 0.82, 210.0},
                            {"andrews", "stabilized_index1", 0.85, 14.0},
                            {"car_axis", "stabilized_index1", 0.83, 32.0},
                            {"pendulum", "stabilized_index1", 0.82, 210.0},
                            {"andrews", "index2", 0.85, 15.0},
                            {"car_axis", "index2", 0.83, 32.0},
                            {"pendulum", "index2", 0.82, 210.0},
                            {"andrews", "index1", 0.85, 18.0},
                            {"car_axis", "index1", 0.83, 32.0},
                            {"pendulum", "index1", 0.82, 210.0}};
  for (const char* name : {"andrews", "car_axis", "pendulum"}) {
    const SweepProblem problem(name);
    for (const Expected& line : lines) {
      if (line.mechanism != std::string(name)) continue;
      for (const char* solver : {"dense", "klu", "block"}) {
        if (!linear_solver(solver).available) continue;
        BOOST_TEST_CONTEXT(name << ", " << line.formulation << ", " << solver) {
          std::vector<SweepPoint> points;
          for (const double tolerance : quarter_decades()) {
            points.push_back(problem.run(line.formulation, solver, tolerance));
            BOOST_TEST(points.back().finished, tolerance << ": " << points.back().message);
          }
          if (!std::all_of(points.begin(), points.end(), [](const SweepPoint& p) { return p.finished; })) continue;
          const Fit found = fit(points);
          BOOST_TEST_MESSAGE(name << ", " << line.formulation << ", " << solver << ": slope " << found.slope
                                  << ", mean error / tolerance " << found.mean_error);
          BOOST_TEST(found.slope > line.slope - 0.1);
          BOOST_TEST(found.mean_error < 2.0 * line.mean_error);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_fold_of_the_arm_at_25_tolerances) {
  // Rounding of q moves the v that g' = 0 asks for by rounding / (smallest singular value of G). Below a tolerance of
  // 2e-9 ggl and stabilized_index1 may meet that in the step that would reach the fold, and then say so; nothing is on
  // the wrong branch.
  const auto arm = mechanisms::find_mechanism("two_link").make(0);
  for (const char* formulation : {"index3", "ggl", "stabilized_index1"}) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      int stopped = 0;
      for (const double tolerance : quarter_decades()) {
        BOOST_TEST_CONTEXT(formulation << ", " << solver << ", " << tolerance) {
          SimulationOptions options = options_of(arm, formulation, "ida", tolerance);
          options.linear_solver.name = solver;
          options.t_end = 2.8;
          options.max_steps = 100000;
          const Simulation run = simulate(arm.system, arm.start, options);
          if (!run.status.finished()) {
            ++stopped;
            BOOST_TEST(tolerance < 2e-9, run.status.message);
            double longest_before = 0.0;
            for (std::size_t k = 1; k < run.trajectory.size(); ++k)
              if (run.trajectory.t(k) > 0.4)
                longest_before = std::max(longest_before, run.trajectory.t(k) - run.trajectory.t(k - 1));
            BOOST_TEST(std::abs(run.report.t_reached - 0.4933) < longest_before);
            BOOST_TEST(to_string(run.status.outcome) == std::string("integrator_failure"));
            continue;
          }
          BOOST_TEST(end_error(arm, run) < 200.0 * tolerance);  // the smooth branch
        }
      }
      BOOST_TEST_MESSAGE(formulation << ", " << solver << ": " << stopped << " of 25 stopped at the fold");
      BOOST_TEST(stopped <= (formulation == std::string("index3") ? 0 : 5));
    }
  }
}
