#include <algorithm>
#include <cmath>
#include <cstdio>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

/// Estimates the error of a run in its coordinates and in a function of them, the force in the upper rod of a double
/// pendulum, and compares the estimate with a run at 1e-11.
int main() try {
  Assembly assembly;
  const auto point = [&assembly](const std::string& name) {
    const Block block = assembly.add_coordinates(name, BlockKind::planar_point);
    assembly.add("mass of " + name, PointMass{1.0}, {block});
    assembly.add("weight of " + name, UniformGravity{1.0}, {block});
    return block;
  };
  const Block upper = point("upper"), lower = point("lower");
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {upper});
  assembly.add("second rod", Distance{1.0}, {upper, lower});
  const auto system = assembly.build();
  const InitialState start{0.0, Eigen::Vector4d(1.0, 0.0, 1.0, -1.0)};

  const auto force = [&system](const MotionState& at) {  // the rod pulls by -G^T lambda
    const Eigen::MatrixXd G = SystemEvaluator(system).at(at.t, at.q).G;
    return at.lambda[0] * G.row(0).norm();
  };
  const auto run_at = [&](double tolerance, bool estimate) {
    SimulationOptions options;
    options.t_end = 3.0;
    options.rtol = options.atol = tolerance;
    options.estimate_error = estimate;
    if (estimate) options.estimated_functions = {{"force in the rod", force}};
    return simulate(system, start, options);
  };
  const Simulation exact = run_at(1e-11, false);
  const Eigen::VectorXd end = exact.trajectory.q(exact.trajectory.size() - 1);
  bool good = exact.status.finished();
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const Simulation run = run_at(tolerance, true);
    if (!run.status.finished() || !run.report.error_estimate) return 1;
    const ErrorEstimate& e = *run.report.error_estimate;
    const double estimated = e.q.lpNorm<Eigen::Infinity>();
    const double error = (run.trajectory.q(run.trajectory.size() - 1) - end).lpNorm<Eigen::Infinity>();
    std::printf("rtol %.0e: position at 3 s to %.1e m (indeed %.1e m), force in the rod %.6f +- %.1e N%s%s\n",
                tolerance, estimated, error, e.functions[0].value, e.functions[0].error,
                e.certain ? "" : "; uncertain: ", e.doubt.c_str());
    good = good && error < 3.0 * estimated && estimated < 3.0 * error;
  }
  return good ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
