// The code in the comments of the classes that a user meets first, in the order of use: Assembly, MechanicalSystem,
// Report, Trajectory, Attachment. A test compares the comments with this file.

#include <iostream>
#include <memory>

#include <cvodes/cvodes.h>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/new_vector.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

int main() try {
  Assembly assembly;
  assembly.gravity(0.0, -9.81);
  const Block bob = assembly.body("bob", PlanarParticle{1.0});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  const std::shared_ptr<const MechanicalSystem> system = assembly.build();

  std::cout << system->num_positions() << " coordinates, the first is " << system->position_name(0) << "\n";
  SystemEvaluator evaluator(system);
  std::cout << "M =\n" << evaluator.at(0.0, Eigen::Vector2d(1.0, 0.0)).M << "\n";

  SimulationOptions run_options;
  run_options.t_end = 1.0;
  const Simulation run = simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, run_options);
  const Report& report = run.report;
  std::cout << report.steps << " steps, |g| up to " << report.max_position_violation << " m, energy drift "
            << report.energy_drift << " J\n";
  if (!run.status.finished()) std::cout << report.text(run.status);

  const Trajectory& motion = run.trajectory;
  for (std::size_t k = 0; k < motion.size(); ++k) std::cout << motion.t(k) << ": " << motion.q(k).transpose() << "\n";
  std::cout << "after half a second: " << motion.position_at(0.5).transpose() << "\n";
  motion.write_csv(std::cout, *system);

  SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
  SUNContext_Create(SUN_COMM_NULL, &context);
#else
  SUNContext_Create(nullptr, &context);
#endif
  const MotionState start = consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}).state;
  AttachOptions options;
  options.formulation = "baumgarte";
  N_Vector y = new_vector(num_unknowns(system, start, options), context);
  initial_values(system, start, options, y);
  void* cvode = CVodeCreate(CV_BDF, context);
  CVodeInit(cvode, cvode_rhs, start.t, y);
  CVodeSStolerances(cvode, 1e-6, 1e-8);
  Attachment attachment = attach_cvode(cvode, context, y, system, start, options);
  double t = 0.0;
  const int flag = CVode(cvode, 1.0, y, &t, CV_NORMAL);
  if (flag < 0) std::cerr << attachment.explain(flag, t).message << "\n";

  MotionState end;
  if (attachment.motion(t, y, end)) std::cout << "force in the rod: " << end.lambda.transpose() << "\n";
  CVodeFree(&cvode);  // before the attachment ends
  N_VDestroy(y);
  SUNContext_Free(&context);
  return flag < 0 ? 1 : 0;
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
