// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>

#include "mechanisms/random_mechanism.hpp"
#include "models.hpp"
#include "raw_sundials.hpp"

/// Several threads at once, on one system and on their own: the same numbers as alone. The thread sanitizer watches
/// this program (scripts/slow_checks.sh threads), where the first use of everything falls into the threads.
using namespace sunlagrange;
using Eigen::VectorXd;

namespace {

/// work(0) ... work(count - 1), each in its own thread, begun together. Boost's checks belong to the caller's thread.
void together(int count, const std::function<void(int)>& work) {
  std::atomic<int> waiting{count};
  std::vector<std::thread> team;
  for (int k = 0; k < count; ++k) {
    team.emplace_back([&, k] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      work(k);
    });
  }
  for (std::thread& thread : team) thread.join();
}

struct Run {
  std::string formulation, solver;
  Simulation simulation;
};

std::vector<Run> every_form() {
  std::vector<Run> runs;
  for (const FormulationInfo& form : formulations()) {
    if (form.for_programs) continue;
    for (const LinearSolverInfo& solver : linear_solvers())
      if (solver.available) runs.push_back({std::string(form.name), std::string(solver.name), {}});
  }
  return runs;
}

void simulate_all(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start, double t_end,
                  std::vector<Run>& runs) {
  for (Run& run : runs) {
    SimulationOptions options;
    options.formulation = run.formulation;
    options.linear_solver.name = run.solver;
    options.step = 0.01;
    options.t_end = t_end;
    run.simulation = simulate(system, start, options);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(threads_share_one_system) {
  const auto system = make_system(test::Everything{});
  const InitialState start{0.0, Eigen::Vector3d(0.7, 0.4, 0.5), Eigen::Vector3d(0.3, -0.2, 0.6)};
  std::vector<std::vector<Run>> runs(2);
  together(2, [&](int k) {
    std::vector<Run> mine = every_form();  // registries are read for the first time
    simulate_all(system, start, 0.3, mine);
    runs[static_cast<std::size_t>(k)] = std::move(mine);
  });
  std::vector<Run> alone = every_form();
  simulate_all(system, start, 0.3, alone);
  BOOST_TEST(alone.size() >= 12U);
  for (const std::vector<Run>& thread : runs) {
    BOOST_REQUIRE(thread.size() == alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      BOOST_TEST_CONTEXT(alone[i].formulation << " " << alone[i].solver) {
        const Trajectory &path = thread[i].simulation.trajectory, &expected = alone[i].simulation.trajectory;
        BOOST_TEST(thread[i].simulation.status.finished(), thread[i].simulation.status.message);
        BOOST_REQUIRE(path.size() == expected.size());
        BOOST_TEST((path.q(path.size() - 1) - expected.q(path.size() - 1)).norm() == 0.0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(threads_build_systems_of_their_own) {
  std::vector<VectorXd> ends(8);
  const auto work = [](std::size_t k) {
    const auto mechanism = mechanisms::random_mechanism(20 + k % 4);
    SimulationOptions options;
    options.t_end = 0.1;
    const Simulation run = simulate(mechanism.system, mechanism.start, options);
    return VectorXd(run.trajectory.q(run.trajectory.size() - 1));
  };
  together(4, [&](int k) {
    for (const std::size_t i : {static_cast<std::size_t>(k), static_cast<std::size_t>(k) + 4}) ends[i] = work(i);
  });
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const VectorXd alone = work(i);
    BOOST_REQUIRE(ends[i].size() == alone.size());
    BOOST_TEST((ends[i] - alone).norm() == 0.0);
  }
}

BOOST_AUTO_TEST_CASE(threads_attach_to_memory_of_their_own) {
  const auto system = make_system(test::Pendulum{});
  const MotionState start = consistent_state(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}).state;
  std::vector<double> ends(4);
  together(4, [&](int k) {
    for (int repeat = 0; repeat < 20; ++repeat) {  // attachments that end are remembered, in one place for all threads
      SUNContext context = nullptr;
      if (internal::create_context(&context) != 0) return;
      AttachOptions options;
      N_Vector y = N_VNew_Serial(num_unknowns(system, start, options), context);
      initial_values(system, start, options, y);
      void* memory = CVodeCreate(CV_BDF, context);
      CVodeInit(memory, cvode_rhs, 0.0, y);
      CVodeSStolerances(memory, options.rtol, options.atol);
      {
        const Attachment attachment = attach_cvode(memory, context, y, system, start, options);
        double t = 0.0;
        CVode(memory, 0.2, y, &t, CV_NORMAL);
        ends[static_cast<std::size_t>(k)] = N_VGetArrayPointer(y)[0];
      }
      CVodeFree(&memory);
      N_VDestroy(y);
      SUNContext_Free(&context);
    }
  });
  for (const double end : ends) BOOST_TEST(end == ends[0]);
  BOOST_TEST(ends[0] < 1.0);
}
