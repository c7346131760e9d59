// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "mechanisms/other_units.hpp"
#include "mechanisms/random_chain.hpp"
#include "model/evaluation.hpp"

/// What automatic gains promise: the constraints hold to the tolerance and the run costs hardly more than without
/// gains, with every mechanism of full rank, in any units. `sunlagrange-bench gain-scan` compares with a scan by hand
/// and does more tolerances; here gain zero, which no gain undercuts by much, stands for the best one.
using namespace sunlagrange;

namespace {

struct Run {
  double violation = 0.0;  ///< relative to 30 ||G|| (rtol max|q| + atol)
  double cost = 0.0;
  bool finished = false;
  bool singular = false;
};

Run run(const mechanisms::MechanismInUnits& m, const char* formulation, double rtol, double t_end) {
  SimulationOptions options;
  options.formulation = formulation;
  options.rtol = rtol;
  options.atol = rtol * m.tolerance;
  options.t_end = options.max_step = t_end;
  const Simulation result = simulate(m.mechanism.system, m.mechanism.start, options);
  const MechanicalSystem& system = *m.mechanism.system;
  const auto w = make_workspace(system, internal::Storage::dense);
  const int m_g = system.num_position_constraints();
  double G = 0.0;
  double q = 0.0;
  for (std::size_t k = 0; k < result.trajectory.size(); ++k) {
    const Eigen::VectorXd at = result.trajectory.q(k);
    const Eigen::VectorXd rate = result.trajectory.v(k);
    evaluate_system(system, internal::request::jacobian,
                    {result.trajectory.t(k), at.data(), rate.data(), nullptr, nullptr}, *w);
    const Eigen::Map<const Eigen::MatrixXd> jacobian(w->G.data(), system.num_constraints(), system.num_positions());
    if (m_g > 0) G = std::max(G, jacobian.topRows(m_g).cwiseAbs().rowwise().sum().maxCoeff());
    q = std::max(q, at.lpNorm<Eigen::Infinity>());
  }
  const Report& report = result.report;
  Run r;
  if (m_g > 0) r.violation = report.max_position_violation / (30.0 * G * (rtol * q + options.atol));
  r.cost = static_cast<double>(report.factorizations + 2 * report.jacobian_evaluations);
  r.finished = result.status.finished();
  r.singular = !report.rank_events.empty() || result.status.outcome == Outcome::rank_loss ||
               result.status.outcome == Outcome::infeasible;
  return r;
}

/// True: it was one with constraints of full rank that takes gains.
bool check(const std::string& name, const mechanisms::Mechanism& mechanism) {
  if (!objection("baumgarte", *mechanism.system, "").empty() || mechanism.system->num_constraints() == 0) return false;
  const MotionState start = consistent_state(mechanism.system, mechanism.start).state;
  if (analyse_redundancy(mechanism.system, start.t, start.q, start.v).redundant > 0) return false;
  GainQuestion question;
  question.t_span = mechanism.t_end - mechanism.start.t;
  const double rate = advise_gains(mechanism.system, start, question).motion_rate;
  const double t_end = mechanism.start.t + 10.0 / rate;
  for (const mechanisms::Units& units : mechanisms::three_unit_systems()) {
    const mechanisms::MechanismInUnits m = mechanisms::in_units(mechanism, units);
    for (const double rtol : {1e-4, 1e-8}) {
      const Run automatic = run(m, "baumgarte", rtol, t_end);
      const Run zero = run(m, "unstabilized", rtol, t_end);
      if (automatic.singular || zero.singular) {
        BOOST_TEST_MESSAGE(name << " left out: a singular configuration on the way");
        return false;
      }
      BOOST_TEST_CONTEXT(name << " in " << units.name << ", rtol " << rtol) {
        BOOST_TEST(automatic.finished);
        BOOST_TEST(automatic.violation <= 1.0);
        BOOST_TEST(automatic.cost <= 1.25 * zero.cost);
      }
    }
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(p27_automatic_gains_hold_the_constraints_at_no_great_cost_in_any_units) {
  int checked = 0;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    if (check(std::string(entry.name), entry.make(entry.sized() ? 4 : 0))) ++checked;
  }
  for (unsigned long seed = 1; seed <= 3; ++seed)
    BOOST_TEST(check("random chain " + std::to_string(seed), mechanisms::random_chain(seed)));
  BOOST_TEST(checked >= 9);
}

BOOST_AUTO_TEST_CASE(units_that_are_none_are_refused) {
  const auto refused = [](const std::shared_ptr<const MechanicalSystem>& system, const UnitFactors& factors,
                          const std::string& part) {
    BOOST_CHECK_EXCEPTION(rescaled(system, factors), Error,
                          [&](const Error& e) { return std::string(e.what()).find(part) != std::string::npos; });
  };
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0).system;
  const auto program = mechanisms::find_mechanism("slider_crank_program").make(0).system;
  refused(pendulum, {Eigen::Vector2d(1.0, 0.0), 1.0, 1.0}, "position \"bob[1]\" is 0");
  refused(pendulum, {Eigen::Vector2d(1.0, 1.0), -1.0, 1.0}, "constraint rows is -1");
  refused(pendulum, {Eigen::Vector3d::Ones(), 1.0, 1.0}, "3 factors of positions, but the system has 2");
  refused(program, {Eigen::VectorXd::Ones(program->num_positions()), 1.0, 1.0}, "kinematic program");
  refused(nullptr, {}, "null");
}

BOOST_AUTO_TEST_CASE(other_units_are_the_same_mechanism) {
  // Same motion, number by number, with a factor; angles keep their numbers.
  const mechanisms::Mechanism chain = mechanisms::find_mechanism("chain").make(3);
  const mechanisms::MechanismInUnits other = mechanisms::in_units(chain, {"binary", 1024.0, 8.0});
  const std::vector<bool> angles = mechanisms::angles(chain.system, chain.start);
  SimulationOptions options;
  options.rtol = options.atol = 1e-9;
  options.t_end = 0.5;
  const Simulation a = simulate(chain.system, chain.start, options);
  const Simulation b = simulate(other.mechanism.system, other.mechanism.start, options);
  BOOST_REQUIRE(a.status.finished() && b.status.finished());
  const Eigen::VectorXd qa = a.trajectory.position_at(0.5);
  const Eigen::VectorXd qb = b.trajectory.position_at(0.5);
  for (int i = 0; i < qa.size(); ++i) {
    BOOST_TEST(angles[static_cast<std::size_t>(i)] == (i % 3 == 2));
    BOOST_TEST(std::abs(qb[i] / (i % 3 == 2 ? 1.0 : 1024.0) - qa[i]) < 1e-6);
  }
  const auto energy = [](const MechanicalSystem& system, const InitialState& s) {
    const auto w = make_workspace(system, internal::Storage::dense);
    const Eigen::VectorXd v = Eigen::VectorXd::Zero(s.q.size());
    evaluate_system(system, internal::request::energy, {s.t, s.q.data(), v.data(), nullptr, nullptr}, *w);
    return w->energy;
  };
  const double factor = 8.0 * 1024.0 * 1024.0;
  BOOST_TEST(energy(*other.mechanism.system, other.mechanism.start) == factor * energy(*chain.system, chain.start));
}
