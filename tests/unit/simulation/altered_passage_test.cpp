// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"
#include "simulation/altered_passage.hpp"

/// Whether the solution of altered equations is reached on both sides of a singular pose.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::Vector2d;

namespace {

/// The two-link arm with the gains of the paper's first case, from before its fold at 0.493 s to behind it.
struct Fold {
  mechanisms::Mechanism arm = mechanisms::find_mechanism("two_link").make(0);
  FormulationOptions options;
  PathSample before, after;

  explicit Fold(double Lambda) {
    SimulationOptions run;
    run.formulation = "penalty";
    run.integrator = "dopri5";
    run.rtol = run.atol = 1e-10;
    run.start = Start::as_given;
    run.t_end = 0.8;
    run.gains.K_D = Gain(std::vector<double>{20.0, 10.0});
    run.gains.K_P = Gain(std::vector<double>{100.0, 25.0});
    run.gains.Lambda = Gain(Lambda);
    run.record = Record::at_times;
    run.record_times = {0.2, 0.8};
    const Simulation found = simulate(arm.system, arm.start, run);
    BOOST_REQUIRE(found.report.t_reached == 0.8);
    static_cast<FormulationChoice&>(options) = run;
    const auto sample = [&](double t) {
      PathSample s;
      s.t = t;
      s.q = found.trajectory.position_at(t);
      s.v = found.trajectory.velocity_at(t);
      s.a = Eigen::VectorXd::Zero(2);
      s.lambda = Eigen::VectorXd::Zero(2);
      return s;
    };
    before = sample(0.2);
    after = sample(0.8);
  }

  bool converges() const { return passage_converges(arm.system, options, Eigen::VectorXd::Ones(2), before, after); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_solution_of_the_altered_equations_converges) {
  for (const double Lambda : {10.0, 100.0, 1e4}) BOOST_TEST(Fold(Lambda).converges(), Lambda);
}

BOOST_AUTO_TEST_CASE(another_motion_does_not) {
  Fold other(10.0);
  other.after.v *= 1.05;
  BOOST_TEST(!other.converges());
  Fold reflected(10.0);
  reflected.after.v[1] = -reflected.after.v[1];
  BOOST_TEST(!reflected.converges());
}

BOOST_AUTO_TEST_CASE(a_start_that_decides_nothing_does_not) {
  Fold vague(10.0);
  vague.options.rtol = 0.05;  // ten times as much moves the arm by half of its angles
  BOOST_TEST(!vague.converges());
}

BOOST_AUTO_TEST_CASE(other_formulations_are_not_judged) {
  Fold projected(10.0);
  projected.options.formulation = "projected";
  BOOST_TEST(!projected.converges());
  projected.options.formulation = "ggl";
  BOOST_TEST(!projected.converges());
}
