#define BOOST_TEST_MODULE pendulum_slow
#include <boost/test/unit_test.hpp>

#include "runs.hpp"

/// IFToMM problem A01 over 100 periods in the index-3 form.
using namespace sunlagrange;

BOOST_AUTO_TEST_CASE(a01_over_100_periods_by_index3) {
  auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  pendulum.t_end = 236.784194757623745;
  double errors[3];
  const double tolerances[] = {1e-6, 1e-8, 1e-10};
  for (int k = 0; k < 3; ++k) {
    SimulationOptions options = test::options_of(pendulum, "index3", "ida", tolerances[k]);
    options.record = Record::ends_only;
    const Simulation run = simulate(pendulum.system, pendulum.start, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    errors[k] = (run.trajectory.q(run.trajectory.size() - 1) - Eigen::Vector2d(1.0, 0.0)).norm();
    BOOST_TEST_MESSAGE("rtol " << tolerances[k] << ": error " << errors[k]);
    BOOST_TEST(run.report.max_position_violation < 100.0 * tolerances[k]);
  }
  BOOST_TEST(errors[2] < 0.1 * errors[1]);
}
