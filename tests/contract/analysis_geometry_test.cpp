// SPDX-License-Identifier: BSD-3-Clause
#include "analysed_mechanisms.hpp"

/// Over all registered mechanisms: kinematics, inverse dynamics and workspaces obey the equations of the mechanism, as
/// SystemEvaluator gives them; what they cannot treat they refuse with the reason in the tables.
using namespace sunlagrange;
using namespace sunlagrange::test;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

double largest(const MatrixXd& x) {
  return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff();
}

/// The one that moves most where the mechanism has a single freedom.
int driven_by_choice(const AnalysedMechanism& one) {
  return one.freedoms() == 0 ? 0 : one.independent().front();
}

std::vector<double> steps_from(const AnalysedMechanism& one, int coordinate) {
  std::vector<double> grid;
  for (int k = 0; k < 5; ++k)
    grid.push_back(one.start.q[coordinate] + 0.02 * k * one.system()->natural_scales()[coordinate]);
  return grid;
}

/// g = 0, g' = 0 and g'' = 0 of a state, each over the sizes of its terms.
void check_constraints(SystemEvaluator& evaluate, const MotionState& state) {
  const SystemQuantities at = evaluate.at(state.t, state.q, state.v);
  const double rows = 1.0 + largest(at.G);
  BOOST_TEST(largest(at.g) < 1e-10 * rows * (1.0 + largest(state.q)));
  BOOST_TEST(largest(at.g_rate) < 1e-9 * rows * (1.0 + largest(state.v)));
  BOOST_TEST(largest(at.G * state.a - at.gamma) < 1e-8 * (rows * (1.0 + largest(state.a)) + largest(at.gamma)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(positions_velocities_accelerations_over_a_coordinate) {
  const std::vector<Refusal> cannot = {
      {is_program, "program moves by itself"},
      {holds_velocities, "holds velocities"},
      {moves_by_itself, "prescribes a motion already"},
      {[](const AnalysedMechanism& one) { return one.freedoms() != 1; }, "degrees of freedom, not one"}};
  int treated = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const int driven = driven_by_choice(one);
      const std::string name = one.system()->position_name(driven);
      const std::vector<double> grid = steps_from(one, driven);
      Kinematics found;
      const auto call = [&] {
        found = kinematics(one.system(), {one.start.t, one.start.q}, name, grid);
        return found.status;
      };
      if (refused(one, cannot, call)) continue;
      BOOST_REQUIRE_EQUAL(refusal_of(call), "");
      ++treated;
      BOOST_REQUIRE_EQUAL(found.branches.size(), 1U);
      BOOST_REQUIRE_EQUAL(found.branches.front().points.size(), grid.size());
      SystemEvaluator evaluate(one.system());
      for (std::size_t k = 0; k < grid.size(); ++k) {
        const KinematicPoint& point = found.branches.front().points[k];
        BOOST_TEST(point.q[driven] == grid[k], boost::test_tools::tolerance(1e-12));
        BOOST_TEST(std::abs(point.rate[driven] - 1.0) < 1e-12);
        BOOST_TEST(std::abs(point.curvature[driven]) < 1e-10);
        check_constraints(evaluate, point.state(one.start.t, 1.3, -0.7));
      }
    }
  }
  BOOST_TEST(treated >= 8);
}

/// The motion of the mechanism needs no drive; another one that the constraints allow needs M a + G^T lambda - f,
/// which as many drives as there are freedoms deliver.
BOOST_AUTO_TEST_CASE(drives_balance_the_equations_of_motion) {
  const std::vector<Refusal> cannot = {{is_program, "program has no forces"}};
  int treated = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const std::vector<int> driven = one.program() ? std::vector<int>{0} : one.independent();
      std::vector<std::string> names;
      for (const int i : driven) names.push_back(one.system()->position_name(i));
      MotionState motion = one.start;
      for (const double push : {0.0, 2.0}) {
        if (!one.program()) {
          for (Index i = 0; i < one.free.cols(); ++i)
            motion.a += push * std::cos(1.0 + static_cast<double>(i)) * one.free.col(i);
        }
        InverseDynamics found;
        const auto call = [&] {
          found = inverse_dynamics(one.system(), motion, names);
          return found.status;
        };
        if (refused(one, cannot, call)) break;
        BOOST_REQUIRE_EQUAL(refusal_of(call), "");
        ++treated;
        const SystemQuantities at = SystemEvaluator(one.system()).at(motion.t, motion.q, motion.v);
        const VectorXd inertia = at.M * motion.a, joints = at.G.transpose() * found.lambda;
        VectorXd rest = inertia + joints - at.f;
        double power = 0.0, pushed = 0.0;
        for (std::size_t k = 0; k < driven.size(); ++k) {
          const double force = found.drive[static_cast<Index>(k)];
          rest[driven[k]] -= force;
          power += force * motion.v[driven[k]];
          pushed = std::max(pushed, std::abs(force));
        }
        const double size = largest(inertia) + largest(joints) + largest(at.f) + pushed;
        BOOST_TEST(largest(rest) < 1e-8 * size);
        BOOST_TEST(found.missing < 1e-8);
        BOOST_TEST(std::abs(found.power - power) <= 1e-12 * (std::abs(power) + pushed));
        if (push == 0.0)
          BOOST_TEST(pushed < 1e-8 * size);
        else if (one.freedoms() > 0)
          BOOST_TEST(inverse_dynamics(one.system(), motion, {}).missing > 1e-6);
      }
    }
  }
  BOOST_TEST(treated >= 40);
}

/// Driven by as many coordinates as there are freedoms: every combination nearby is reached, on the constraints, and
/// manipulability is the smallest singular value of d place / d s.
BOOST_AUTO_TEST_CASE(places_of_a_workspace) {
  const std::vector<Refusal> cannot = {{is_program, "program moves by itself"},
                                       {holds_velocities, "holds velocities"},
                                       {moves_by_itself, "prescribes a motion already"}};
  int treated = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const MechanicalSystem& system = *one.system();
      std::vector<int> driven = one.program() ? std::vector<int>{0} : one.independent();
      if (driven.empty()) driven = {0};
      std::vector<DrivenRange> ranges;
      for (const int i : driven) {
        const double way = 0.02 * system.natural_scales()[i];
        ranges.push_back({system.position_name(i), one.start.q[i] - way, one.start.q[i] + way, 3});
      }
      const std::vector<std::string> point = {system.position_name(0), system.position_name(1)};
      MechanismWorkspace found;
      const auto call = [&] {
        found = workspace(one.system(), {one.start.t, one.start.q}, point, ranges);
        return found.status;
      };
      if (refused(one, cannot, call)) continue;
      BOOST_REQUIRE_EQUAL(refusal_of(call), "");
      ++treated;
      BOOST_TEST(found.count(Reach::unreached) == 0, found.status.message);
      SystemEvaluator evaluate(one.system());
      for (const WorkspacePoint& p : found.points) {
        if (p.reach == Reach::unreached) continue;
        MotionState state{one.start.t, p.q, VectorXd::Zero(p.q.size()), {}, {}};
        const SystemQuantities at = evaluate.at(state.t, state.q);
        BOOST_TEST(largest(at.g) < 1e-10 * (1.0 + largest(at.G)) * (1.0 + largest(p.q)));
        BOOST_TEST(largest(p.place - p.q.head(2)) == 0.0);
        const Index k = static_cast<Index>(driven.size()), m = at.G.rows();
        MatrixXd J = MatrixXd::Zero(m + k, p.q.size()), right = MatrixXd::Zero(m + k, k);
        J.topRows(m) = at.G;
        for (Index i = 0; i < k; ++i) {
          const int j = driven[static_cast<std::size_t>(i)];
          BOOST_TEST(std::abs(p.q[j] - p.s[i]) < 1e-12 * (1.0 + std::abs(p.s[i])));
          J(m + i, j) = 1.0 / system.natural_scales()[j];
          right(m + i, i) = 1.0;
        }
        const MatrixXd rates = J.completeOrthogonalDecomposition().solve(right).topRows(2);
        const double expected = Eigen::JacobiSVD<MatrixXd>(rates).singularValues().minCoeff();
        BOOST_TEST(std::abs(p.manipulability - expected) < 1e-7 * (1.0 + largest(rates)));
      }
      if (driven.size() < 2U) continue;
      ranges.pop_back();  // one freedom is left
      const std::string loose = refusal_of([&] {
        return workspace(one.system(), {one.start.t, one.start.q}, point, ranges).status;
      });
      BOOST_TEST(loose.find("degrees of freedom") != std::string::npos, loose);
    }
  }
  BOOST_TEST(treated >= 15);
}
