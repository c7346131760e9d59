// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "formulation/formulation.hpp"
#include "runs.hpp"

/// One mechanism at many tolerances.
namespace sunlagrange::test {

using namespace internal;

struct SweepPoint {
  double tolerance = 0.0;
  bool finished = false;
  double error = 0.0;  ///< largest over 50 equally spaced times, relative to the largest |q| of the exact motion
  long steps = 0;
  std::string message;
};

/// A mechanism with a good solution from its consistent start to its own end.
class SweepProblem {
 public:
  explicit SweepProblem(const std::string& name) : mechanism_(mechanisms::find_mechanism(name).make(0)) {
    const MotionState start = consistent_state(mechanism_.system, mechanism_.start).state;
    start_ = {start.t, start.q, start.v};
    SimulationOptions options = options_of(mechanism_, "baumgarte", "dopri5", 1e-12);
    const Simulation good = simulate(mechanism_.system, start_, options);
    BOOST_REQUIRE_MESSAGE(good.status.finished(), good.status.message);
    const Eigen::VectorXd known = mechanism_.reference(mechanism_.t_end)->q;
    BOOST_TEST(end_error(mechanism_, good) < 1e-9 * (1.0 + known.lpNorm<Eigen::Infinity>()), name);
    for (int k = 1; k <= 50; ++k) {
      const double t = k < 50 ? start.t + (mechanism_.t_end - start.t) * k / 50.0 : mechanism_.t_end;
      times_.push_back(t);
      exact_.push_back(good.trajectory.position_at(t));
      scale_ = std::max(scale_, exact_.back().lpNorm<Eigen::Infinity>());
    }
  }

  SweepPoint run(const std::string& formulation, const std::string& solver, double tolerance) const {
    SimulationOptions options = options_of(mechanism_, formulation, "automatic", tolerance);
    options.linear_solver.name = solver;
    options.max_steps = 100000;
    options.max_step = options.t_end;  // the tolerance alone decides on the steps
    const Simulation run = simulate(mechanism_.system, start_, options);
    SweepPoint point;
    point.tolerance = tolerance;
    point.finished = run.status.finished();
    point.message = run.status.message;
    point.steps = run.report.steps;
    for (std::size_t k = 0; point.finished && k < times_.size(); ++k) {
      const Eigen::VectorXd error = run.trajectory.position_at(times_[k]) - exact_[k];
      point.error = std::max(point.error, error.lpNorm<Eigen::Infinity>() / scale_);
    }
    return point;
  }

 private:
  mechanisms::Mechanism mechanism_;
  InitialState start_;
  std::vector<double> times_;
  std::vector<Eigen::VectorXd> exact_;
  double scale_ = 0.0;
};

}  // namespace sunlagrange::test
