#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "formulation/formulation.hpp"
#include "models.hpp"

/// A constraint of a mechanism is duplicated and scaled by two: nothing but the multipliers may notice, with every
/// linear solver and formulation.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Distance from the ground, times a factor.
struct ScaledRod {
  double scale = 1.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * scale * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

/// Double pendulum of point masses; `copies` of the upper rod beside the first, each scaled by two.
std::shared_ptr<const MechanicalSystem> double_pendulum(int copies) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 2);
  const Block b = assembly.add_coordinates("b", 2);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{0.5}, {b});
  assembly.add("weight of a", UniformGravity{1.0}, {a});
  assembly.add("weight of b", UniformGravity{0.5}, {b});
  assembly.add("upper", ScaledRod{1.0}, {a});
  assembly.add("lower", Distance{1.0}, {a, b});
  for (int k = 0; k < copies; ++k) assembly.add("upper again " + std::to_string(k), ScaledRod{2.0}, {a});
  return assembly.build();
}

const InitialState start{0.0, Eigen::Vector4d(0.6, -0.8, 1.4, -1.4), {}};

/// The formulation cannot take the system: then it says why, and what to use instead.
bool left_out(const FormulationEntry& entry) {
  const std::string reason = entry.objection(*double_pendulum(1));
  if (!reason.empty()) BOOST_TEST_MESSAGE("left out: " << entry.name << ": " << reason);
  return !reason.empty();
}

LinearSolverOptions named(const char* solver) {
  LinearSolverOptions options;
  options.name = solver;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(p22_accelerations_are_unchanged_and_multipliers_of_least_norm) {
  const InitialState moving{0.0, start.q, Eigen::Vector4d(0.8, 0.6, -0.3, 0.4)};
  const ConsistentState plain = consistent_state(double_pendulum(0), moving);
  for (const char* solver : {"dense", "klu"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) {
      ConsistencyOptions options;
      options.linear_solver = named(solver);
      const ConsistentState twice = consistent_state(double_pendulum(1), moving, options);
      BOOST_TEST(twice.report.feasible);
      BOOST_TEST(twice.report.rank == 2);
      BOOST_TEST((twice.state.a - plain.state.a).norm() < 1e-12 * (1.0 + plain.state.a.norm()));
      const double upper = plain.state.lambda[0];
      const Eigen::Vector3d expected(upper / 5.0, plain.state.lambda[1], 2.0 * upper / 5.0);
      BOOST_TEST((twice.state.lambda - expected).norm() < 1e-7 * expected.norm());
    }
  }
}

BOOST_AUTO_TEST_CASE(p22_right_hand_sides_are_unchanged) {
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.equations != Equations::ode) continue;
    if (entry.promises.altered_motion > 0.0) continue;  // a second copy doubles the stiffness
    for (const char* solver : {"dense", "klu"}) {
      if (!linear_solver(solver).available || left_out(entry)) continue;
      BOOST_TEST_CONTEXT(entry.name << ", " << solver) {
        VectorXd a[2];
        for (const int copies : {0, 1}) {
          FormulationInput input;
          input.system = double_pendulum(copies);
          input.linear_solver = named(solver);
          input.gains = Gains::natural_frequency(3.0, 1.0);
          input.start = consistent_state(input.system, start).state;
          const auto f = as<OdeFormulation>(entry.make(input));
          MotionState off = input.start;  // off the constraints: the feedback works as well
          off.q << 0.61, -0.8, 1.4, -1.41;
          off.v << 0.8, 0.7, -0.3, 0.4;
          VectorXd y(f->size()), ydot(f->size()), q(4), v(4);
          f->pack(off, y.data(), nullptr);
          a[copies].resize(4);
          BOOST_REQUIRE(f->rhs(0.0, y.data(), ydot.data()) == EvaluationResult::ok);
          BOOST_REQUIRE(f->unpack(0.0, y.data(), ydot.data(), q.data(), v.data(), a[copies].data()) ==
                        EvaluationResult::ok);
        }
        BOOST_TEST((a[1] - a[0]).norm() < 1e-12 * (1.0 + a[0].norm()));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(p15_every_formulation_starts_and_finishes_with_a_redundant_row) {
  for (const FormulationEntry& form : formulation_registry()) {
    for (const char* solver : {"dense", "klu"}) {
      if (!linear_solver(solver).available || left_out(form)) continue;
      for (const RankPolicy policy : {RankPolicy::minimum_norm, RankPolicy::regularized}) {
        BOOST_TEST_CONTEXT(form.name << ", " << solver << (policy == RankPolicy::regularized ? ", regularized" : "")) {
          SimulationOptions options;
          options.formulation = std::string(form.name);
          options.linear_solver = named(solver);
          options.linear_solver.rank_policy = policy;
          options.rtol = options.atol = 1e-8;
          options.t_end = 0.8;
          options.step = 2e-3;
          const Simulation plain = simulate(double_pendulum(0), start, options);
          const Simulation twice = simulate(double_pendulum(1), start, options);
          BOOST_REQUIRE_MESSAGE(plain.status.finished(), plain.status.message);
          BOOST_REQUIRE_MESSAGE(twice.status.finished(), twice.status.message);
          // Both are right to their own error; the forms that are loose on v or alter the motion have more of it.
          const bool accurate = form.promises.velocities_controlled && form.promises.altered_motion == 0.0 &&
                                form.equations != Equations::one_step;
          for (double t = 0.0; t <= 0.8; t += 0.1) {
            BOOST_TEST(
                (plain.trajectory.position_at(t) - twice.trajectory.position_at(t)).norm() < (accurate ? 2e-6 : 1e-4),
                "t = " << t);
          }
          const std::size_t last = twice.trajectory.size() - 1;
          const VectorXd lambda = twice.trajectory.lambda(last);
          BOOST_TEST(std::abs(lambda[2] / lambda[0] - 2.0) < 1e-6);  // least norm
          BOOST_TEST(twice.report.steps < 2 * plain.report.steps);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(regularized_policy_runs_and_strict_policy_refuses_at_the_start) {
  for (const char* solver : {"dense", "klu"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) {
      SimulationOptions options;
      options.linear_solver = named(solver);
      options.linear_solver.rank_policy = RankPolicy::regularized;
      options.t_end = 0.5;
      BOOST_TEST(simulate(double_pendulum(1), start, options).status.finished());
      options.linear_solver.rank_policy = RankPolicy::strict;
      const Simulation strict = simulate(double_pendulum(1), start, options);
      BOOST_TEST(to_string(strict.status.outcome) == std::string("rank_loss"));
      BOOST_TEST(strict.status.message.find("upper") != std::string::npos);
      BOOST_TEST(strict.trajectory.size() == 1U);  // the start is kept
    }
  }
}
