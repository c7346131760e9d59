// Two rods swing on a shoulder and an elbow; the elbow breaks when its force exceeds what it can bear. From then on the
// forearm flies freely: its horizontal momentum and its angular velocity are constant, its centre of mass falls.

#include <cmath>
#include <cstdio>

#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

int main() {
  const double m = 2.0;               // of each rod [kg]
  const double l = 1.0;               // length [m]
  const double I = m * l * l / 12.0;  // about the centre
  const double strength = 60.0;       // of the elbow [N]

  Assembly assembly;
  const Block arm = assembly.add_coordinates("arm", 3);  // centre x, y, angle from the x axis
  const Block forearm = assembly.add_coordinates("forearm", 3);
  assembly.add("arm inertia", PlanarRigidBody{m, I}, {arm});
  assembly.add("forearm inertia", PlanarRigidBody{m, I}, {forearm});
  assembly.add("arm weight", UniformGravity{m}, {centre_of(arm)});
  assembly.add("forearm weight", UniformGravity{m}, {centre_of(forearm)});
  assembly.add("shoulder", RevoluteToGround{-l / 2.0, 0.0, 0.0, 0.0}, {arm});
  assembly.add("elbow", Revolute{l / 2.0, 0.0, -l / 2.0, 0.0}, {arm, forearm});

  SimulationOptions options;
  options.t_end = 1.0;
  options.rtol = options.atol = 1e-8;
  options.events = {release_when("elbow", strength)};
  Eigen::VectorXd q(6);
  q << 0.5, 0.0, 0.0, 1.5, 0.0, 0.0;  // stretched out, horizontal, at rest
  const Simulation run = simulate(assembly.build(), {0.0, q, {}}, options);
  std::printf("%s", run.report.text(run.status).c_str());
  if (!run.status.finished() || run.report.events.size() != 1) return 1;

  const double t0 = run.report.events.front().t;
  const double t1 = run.trajectory.t(run.trajectory.size() - 1);
  const Eigen::VectorXd q0 = run.trajectory.position_at(t0);
  const Eigen::VectorXd v0 = run.trajectory.velocity_at(t0);
  const Eigen::VectorXd q1 = run.trajectory.position_at(t1);
  const Eigen::VectorXd v1 = run.trajectory.velocity_at(t1);
  const double fall = q0[4] + v0[4] * (t1 - t0) - 0.5 * 9.81 * (t1 - t0) * (t1 - t0);
  std::printf("the elbow broke at t = %.6f s\n", t0);
  std::printf("forearm, then and at the end: horizontal momentum %.9f, %.9f kg m/s\n", m * v0[3], m * v1[3]);
  std::printf("                              angular momentum    %.9f, %.9f kg m^2/s\n", I * v0[5], I * v1[5]);
  std::printf("                              height at the end %.9f m, by free fall %.9f m\n", q1[4], fall);
  const double error =
      std::fmax(std::fmax(std::fabs(v1[3] - v0[3]), std::fabs(v1[5] - v0[5])), std::fabs(q1[4] - fall));
  return error < 1e-6 ? 0 : 1;
}
