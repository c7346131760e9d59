// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Poses in which a mechanism may go on in two ways, and drives that jump: the run stays on the motion that is meant,
/// or says that it may not have.
using namespace sunlagrange;

namespace {

constexpr double speed = 6.0;  // of the crank [rad/s]

/// Crank and rocker of 1 m, coupler and ground of 2 m: they stay parallel as long as it passes its flat poses straight
/// on. Its crank is driven.
std::shared_ptr<const MechanicalSystem> parallelogram() {
  Assembly assembly;
  const auto bar = [&assembly](const std::string& name, double length) {
    const Block block = assembly.add_coordinates(name, BlockKind::planar_body);
    assembly.add("inertia of " + name, PlanarRigidBody{length, length * length * length / 12.0}, {block});
    assembly.add("weight of " + name, UniformGravity{length}, {centre_of(block)});
    return block;
  };
  const Block crank = bar("crank", 1.0), coupler = bar("coupler", 2.0), rocker = bar("rocker", 1.0);
  assembly.add("A", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {crank});
  assembly.add("B", Revolute{0.5, 0.0, -1.0, 0.0}, {crank, coupler});
  assembly.add("C", Revolute{1.0, 0.0, 0.5, 0.0}, {coupler, rocker});
  assembly.add("D", RevoluteToGround{-0.5, 0.0, 2.0, 0.0}, {rocker});
  assembly.add("motor", PrescribedRate{[](auto) { return speed; }}, {angle_of(crank)});
  return assembly.build();
}

InitialState at(double phi) {
  const double c = std::cos(phi), s = std::sin(phi);
  Eigen::VectorXd q(9), v(9);
  q << 0.5 * c, 0.5 * s, phi, c + 1.0, s, 0.0, 2.0 + 0.5 * c, 0.5 * s, phi;
  v << -0.5 * s, 0.5 * c, 1.0, -s, c, 0.0, -0.5 * s, 0.5 * c, 1.0;
  return {0.0, q, speed * v};
}

/// Rocker beside crank, and both where the motor has turned them.
double way_off(const Simulation& run, double phi) {
  const auto& path = run.trajectory;
  const std::size_t end = path.size() - 1;
  const double exact = phi + speed * path.t(end);
  return std::max(std::abs(path.q(end)[2] - exact), std::abs(path.q(end)[8] - exact));
}

/// x is driven along |t - 1|, which has a kink; y hangs on it by a spring.
struct KinkedDrive {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = -4.0 * (q[0] - q[1]);
    f[1] = 4.0 * (q[0] - q[1]);
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    using std::abs;
    g[0] = q[0] - abs(t - 1.0);
  }
};

/// a = 0 and a + spread x b = 0: the rows are parallel where x = 0, which the motion x = t - 1 passes with b = 0.
struct ParallelForAMoment {
  static constexpr int num_positions = 3, num_constraints = 2;
  double spread = 1.0;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < num_positions; ++i) M(i, i) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[0];
    g[1] = q[0] + spread * q[1] * q[2];
  }
};

Simulation pass_the_parallel_rows(const ParallelForAMoment& model, SimulationOptions options) {
  const Eigen::Vector3d q(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0);
  options.integrator = "dopri5";
  options.t_end = 2.0;
  options.max_step = 0.1;
  return simulate(make_system(model), {0.0, q, v}, options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_run_changes_its_branch_without_a_word) {
  const auto system = parallelogram();
  int right = 0;
  for (const char* formulation : {"automatic", "projected", "ggl", "baumgarte", "index1", "penalty"}) {
    for (const double tolerance : {1e-4, 1e-6}) {
      for (int k = 0; k < 5; ++k) {
        const double phi = 0.1 + 0.63 * k;
        SimulationOptions options;
        options.formulation = formulation;
        options.rtol = options.atol = tolerance;
        options.t_end = 2.0;
        const Simulation run = simulate(system, at(phi), options);
        if (!run.status.has_no_doubts()) continue;
        ++right;
        BOOST_TEST(way_off(run, phi) < 0.5,
                   formulation << ", " << tolerance << ", from " << phi << ": " << run.status.message);
      }
    }
  }
  BOOST_TEST(right >= 30);  // automatic, projected and ggl: silence is no way out
}

BOOST_AUTO_TEST_CASE(automatic_goes_on_from_a_flat_start) {
  const auto system = parallelogram();
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    SimulationOptions options;
    options.formulation = "automatic";
    options.rtol = options.atol = tolerance;
    options.t_end = 2.0;
    const Simulation run = simulate(system, at(0.0), options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    BOOST_TEST(run.report.used.formulation.used == "projected");
    BOOST_TEST(way_off(run, 0.0) < 1e3 * tolerance);
  }
}

/// With a projection the constraints hold after every step, and no error test sees what it took out.
BOOST_AUTO_TEST_CASE(projections_that_take_out_a_jump_are_doubted) {
  for (const char* integrator : {"dopri5", "verner6", "cvode_bdf", "radau"}) {
    for (const double t_end : {0.9, 2.0}) {
      SimulationOptions options;
      options.formulation = "projected";
      options.integrator = integrator;
      options.rtol = options.atol = 1e-5;
      options.t_end = t_end;
      const Eigen::Vector2d q(1.0, 1.5), v(-1.0, 0.0);
      const Simulation run = simulate(make_system(KinkedDrive{}), {0.0, q, v}, options);
      BOOST_TEST_CONTEXT(integrator << " to " << t_end << ": " << run.status.message)
      BOOST_TEST(run.status.has_no_doubts() == (t_end < 1.0));
    }
  }
}

/// The smallest singular value of rows of length 1 at an angle, over the largest, is tan(angle / 2).
BOOST_AUTO_TEST_CASE(smallest_singular_values_are_those_of_the_scaled_jacobian) {
  for (const double spread : {0.3, 0.03}) {
    const ParallelForAMoment model{spread};
    SimulationOptions options;
    options.t_end = 0.5;  // x ends at -1/2, where the angle is least
    const Eigen::Vector3d q(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0);
    const Simulation run = simulate(make_system(model), {0.0, q, v}, options);
    const double singular_value = std::tan(0.5 * std::atan(0.5 * spread));
    BOOST_TEST(run.report.smallest_singular_value == singular_value, boost::test_tools::tolerance(0.2));
  }
}

/// Events are recorded up to the end of the step at which the singular pose ends the run.
BOOST_AUTO_TEST_CASE(events_of_the_last_step_are_in_the_report) {
  SimulationOptions options;
  options.at_singularity = AtSingularity::stop;
  for (int k = 1; k < 200; ++k) {
    Event tick;
    tick.name = "tick " + std::to_string(k);
    tick.root = [k](const EventPoint& p) { return p.t() - 0.01 * k; };
    options.events.push_back(tick);
  }
  const Simulation run = pass_the_parallel_rows({1.0}, options);
  BOOST_REQUIRE_MESSAGE(run.status.outcome == Outcome::rank_loss, run.status.message);
  BOOST_REQUIRE(run.report.t_reached > 1.0);
  BOOST_TEST(static_cast<double>(run.report.events.size()) == std::floor(run.report.t_reached / 0.01));
}

namespace {

/// Four bars of points, a parallelogram but for the length of one: its branches are a gap apart where it lies flat.
Simulation nearly_parallel(double error, double phi, const std::string& formulation) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_point);
  const Block b = assembly.add_coordinates("b", BlockKind::planar_point);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{1.0}, {b});
  assembly.add("weight of a", UniformGravity{1.0}, {a});
  assembly.add("weight of b", UniformGravity{1.0}, {b});
  assembly.add("crank", DistanceToGround{}, {a});
  assembly.add("coupler", Distance{1.5}, {a, b});
  assembly.add("follower", DistanceToGround{1.5, 0.0, 1.0 + error}, {b});
  SimulationOptions options;
  options.formulation = formulation;
  options.t_end = 3.0;
  options.max_steps = 3000;  // beside a narrow gap a run may make no progress
  const double c = std::cos(phi), s = std::sin(phi);
  return simulate(assembly.build(), {0.0, Eigen::Vector4d(c, s, c + 1.5, s), Eigen::Vector4d(-3.0 * s, 3.0 * c, 0, 0)},
                  options);
}

}  // namespace

/// Runs that end within the last milliseconds before the flat pose: the crossing of the pose has no room there.
BOOST_AUTO_TEST_CASE(runs_may_end_at_the_edge_of_a_pose) {
  constexpr double phi = 1.0, rate = 3.0;
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_point);
  const Block b = assembly.add_coordinates("b", BlockKind::planar_point);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{1.0}, {b});
  assembly.add("crank", DistanceToGround{}, {a});
  assembly.add("coupler", Distance{1.5}, {a, b});
  assembly.add("follower", DistanceToGround{1.5, 0.0, 1.0}, {b});
  const auto system = assembly.build();
  const double c = std::cos(phi), s = std::sin(phi), flat = (3.14159265358979323846 - phi) / rate;
  for (const double before : {1e-2, 1e-3, 1e-4, 1e-6, 0.0}) {
    SimulationOptions options;
    options.t_end = flat - before;
    options.max_steps = 5000;
    const Simulation run =
        simulate(system, {0.0, Eigen::Vector4d(c, s, c + 1.5, s), rate * Eigen::Vector4d(-s, c, -s, c)}, options);
    BOOST_TEST(run.report.t_reached == options.t_end);
    const double angle = phi + rate * options.t_end;
    BOOST_TEST(std::abs(run.trajectory.q(run.trajectory.size() - 1)[1] - std::sin(angle)) < 1e-4);
  }
}

/// The misfit is in proportion to the error of the length, and the gap of the branches is of the size of its square
/// root. Soft rows do not change the pose, but they violate it. A path across the gap violates the lengths by their
/// misfit, and a run that turned as it must is right only if it violates them by less.
BOOST_AUTO_TEST_CASE(figures_of_critical_poses_follow_the_lengths) {
  for (const char* formulation : {"projected", "penalty"}) {
    int poses = 0, smooth = 0;
    for (const double error : {1e-10, 4e-10, 1e-4}) {
      for (const double phi : {1.0, 1.4, 1.8}) {
        const Simulation run = nearly_parallel(error, phi, formulation);
        for (const RankEvent& e : run.report.rank_events) {
          if (e.way == PassageWay::unknown) continue;
          ++poses;
          smooth += e.passage == Passage::smooth ? 1 : 0;
          BOOST_TEST_CONTEXT(formulation << ", " << phi << ", error " << error << ", t = " << e.t) {
            BOOST_TEST(std::abs(e.misfit / error - 0.75) < 1e-3);
            BOOST_TEST(e.gap > std::sqrt(e.misfit));
            BOOST_TEST(e.gap < 10.0 * std::sqrt(e.misfit));
            BOOST_TEST(e.violation_over_misfit > 0.0);
            if (e.way == PassageWay::straight) {
              BOOST_TEST((e.passage == Passage::jumped));
              BOOST_TEST(e.violation_over_misfit > 0.9);
            }
            if (e.passage == Passage::smooth) BOOST_TEST(e.violation_over_misfit < 1.0);
          }
        }
        if (!run.report.rank_events.empty())
          BOOST_TEST(report_json(run).find("\"violation_over_misfit\"") != std::string::npos);
      }
    }
    BOOST_TEST(poses >= 3);
    if (formulation == std::string("penalty")) BOOST_TEST(smooth >= 2);
  }
}

BOOST_AUTO_TEST_CASE(runs_that_stop_beside_a_critical_pose_name_it) {
  int stops = 0;
  for (const double phi : {0.6, 1.0, 2.2}) {
    for (const char* formulation : {"automatic", "ggl", "stabilized_index1"}) {
      const Simulation run = nearly_parallel(1e-10, phi, formulation);
      if (run.status.finished() || run.status.outcome == Outcome::uncertain_branch) continue;
      ++stops;
      BOOST_TEST_CONTEXT(formulation << ": " << run.status.message) {
        BOOST_TEST((run.status.outcome != Outcome::model_error));
        for (const char* said : {"stopped beside a singular pose at t = ", "\"crank\", \"coupler\", \"follower\"",
                                 "apart, because the lengths miss", "at_singularity = project"})
          BOOST_TEST(run.status.message.find(said) != std::string::npos, said);
        BOOST_REQUIRE(!run.report.rank_events.empty());
        BOOST_TEST(run.report.rank_events.back().misfit > 3e-11);
        BOOST_TEST(run.report.rank_events.back().misfit < 1e-10);
      }
    }
  }
  BOOST_TEST(stops > 0);
}
