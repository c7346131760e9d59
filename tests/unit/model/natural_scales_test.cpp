// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <cvodes/cvodes.h>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "base/numerics.hpp"
#include "model/natural_scales.hpp"
#include "models.hpp"
#include "raw_sundials.hpp"

/// What atol counts in: natural scales of coordinates, from the domain or from the user.
using namespace sunlagrange;

namespace {

struct Tank {
  std::shared_ptr<const MechanicalSystem> system;
  MotionState start;
};

/// A weight on a piston over a tank: V [m^3] and x [m] in a constant ratio.
Tank tank() {
  Assembly assembly;
  const Block V = assembly.add_coordinates("V", BlockKind::hydraulic);
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  assembly.add("oil", HydraulicAccumulator{1e-9}, {V});
  assembly.add("weight", SlidingMass{100.0}, {x});
  assembly.add("piston", Piston{1e-2, 0.0}, {x, V});
  Tank made;
  made.system = assembly.build();
  made.start = consistent_state(made.system, {0.0, Eigen::Vector2d(1e-4, 1e-2), Eigen::Vector2d(0.0, 0.1)}).state;
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(natural_scales_are_those_of_the_domain_unless_somebody_says_otherwise) {
  Assembly assembly;
  const Block body = assembly.add_coordinates("body", BlockKind::planar_body);
  const Block charge = assembly.add_coordinates("charge", BlockKind::electrical);
  const Block volume = assembly.add_coordinates("volume", BlockKind::hydraulic);
  const Block entropy = assembly.add_coordinates("entropy", BlockKind::thermal);
  const Block own = assembly.add_coordinates("own", 3);
  assembly.set_natural_scale(centre_of(body), 1e3);  // millimetres
  assembly.set_natural_scale(coordinate_of(own, 1), 0.5);
  assembly.set_natural_scale(volume, 1.0);  // litres
  assembly.add("inertia", PlanarRigidBody{1.0, 1.0}, {body});
  const auto twice = [&](double scale) { assembly.set_natural_scale(charge, scale); };
  for (const double wrong : std::vector<double>{0.0, -1.0, std::nan(""), HUGE_VAL}) {
    BOOST_CHECK_EXCEPTION(twice(wrong), Error,
                          [](const Error& e) { return std::string(e.what()).find("\"charge\"") != std::string::npos; });
  }
  BOOST_CHECK_THROW(assembly.set_natural_scale(Assembly().add_coordinates("other", 1), 1.0), Error);
  (void)entropy;
  const auto system = assembly.build();
  const Eigen::VectorXd expected =
      (Eigen::VectorXd(9) << 1e3, 1e3, 1.0, natural_scale(Domain::electrical), 1.0, 1.0, 1.0, 0.5, 1.0).finished();
  BOOST_TEST(system->natural_scales() == expected);
  BOOST_TEST(make_system(test::Pendulum{})->natural_scales() == Eigen::VectorXd::Ones(2));
}

BOOST_AUTO_TEST_CASE(rows_switched_off_leave_the_scales) {
  const Tank made = tank();
  BOOST_TEST(without_constraints(made.system, {"piston"})->natural_scales() == made.system->natural_scales());
}

/// One number that is none must not hide behind the finite ones: in lengths alone, and beside a volume.
BOOST_AUTO_TEST_CASE(sizes_are_not_finite_where_a_number_is_not) {
  const auto lengths = make_system(test::Everything{});
  BOOST_TEST(lengths->natural_scales_are_one());
  BOOST_TEST(!tank().system->natural_scales_are_one());
  for (const auto& system : {lengths, tank().system}) {
    Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(system->num_positions(), -7.0, 2.0);
    BOOST_TEST(std::isfinite(internal::natural_size(*system, x)));
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      Eigen::VectorXd y = x;
      y[i] = -INFINITY;
      BOOST_TEST(internal::natural_size(*system, y) == INFINITY);
      y[i] = NAN;
      BOOST_TEST(std::isnan(internal::natural_size(*system, y)));
    }
  }
  for (const int n : {0, 1, 4, 5, 11}) {
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -7.0, 2.0);
    BOOST_TEST(internal::max_abs(x) == (n > 0 ? x.cwiseAbs().maxCoeff() : 0.0));
    BOOST_TEST(internal::max_abs_or_not_finite(x) == internal::max_abs(x));
  }
}

BOOST_AUTO_TEST_CASE(an_application_takes_the_weights_of_its_tolerances) {
  const Tank made = tank();
  AttachOptions options;
  options.rtol = 1e-5;
  options.atol = 1e-7;
  const test::Context context;
  const test::SerialVector y(4, context);
  const test::SerialVector weight(4, context);
  initial_values(made.system, made.start, options, y);
  void* cvode = CVodeCreate(CV_BDF, context);
  BOOST_REQUIRE(CVodeInit(cvode, cvode_rhs, 0.0, y) == CV_SUCCESS);
  {
    const Attachment attachment = attach_cvode(cvode, context, y, made.system, made.start, options);
    BOOST_REQUIRE(CVodeWFtolerances(cvode, error_weights) == CV_SUCCESS);
    double t = 0.0;
    BOOST_REQUIRE(CVode(cvode, 1e-3, y, &t, CV_ONE_STEP) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeGetErrWeights(cvode, weight) == CV_SUCCESS);
    const Eigen::Vector4d scales(natural_scale(Domain::hydraulic), 1.0, natural_scale(Domain::hydraulic), 1.0);
    const Eigen::Vector4d before = (Eigen::Vector4d() << made.start.q, made.start.v).finished();
    for (int i = 0; i < 4; ++i)  // those of the step that was taken
      BOOST_TEST(std::abs(weight[i] * (1e-5 * std::abs(before[i]) + 1e-7 * scales[i]) - 1.0) < 1e-14);
  }
  CVodeFree(&cvode);
}

BOOST_AUTO_TEST_CASE(the_report_says_the_scales_that_are_not_one) {
  const Tank made = tank();
  SimulationOptions options;
  options.t_end = 0.01;
  const Simulation run = simulate(made.system, {0.0, made.start.q, made.start.v}, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  const std::vector<NaturalScale>& scales = run.report.used.natural_scales;
  BOOST_REQUIRE(scales.size() == 1U);
  BOOST_TEST(scales[0].scale == natural_scale(Domain::hydraulic));
  BOOST_TEST(scales[0].coordinates == std::vector<std::string>{"V"});
  BOOST_TEST(run.report.text(run.status).find("natural scale of V") != std::string::npos);
  const Simulation pendulum = simulate(make_system(test::Pendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
  BOOST_TEST(pendulum.report.used.natural_scales.empty());
  BOOST_TEST(pendulum.report.text(pendulum.status).find("natural scale") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(states_are_the_same_coordinate_by_coordinate) {
  using internal::same_to_rounding;
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(2);
  const Eigen::Vector2d turned(1e6, 0.5);  // a rotor after many turns beside a slider
  BOOST_TEST(same_to_rounding(turned, Eigen::Vector2d(1e6 * (1.0 + 5e-15), 0.5 - 5e-15), ones));
  BOOST_TEST(!same_to_rounding(turned, Eigen::Vector2d(1e6, 0.5 + 1e-9), ones));
  const Eigen::Vector2d small(1e-6, 0.0);  // a coordinate at zero is known as well as the other one
  BOOST_TEST(same_to_rounding(small, Eigen::Vector2d(1e-6, 5e-21), ones));
  BOOST_TEST(!same_to_rounding(small, Eigen::Vector2d(1e-6, 1e-19), ones));
  BOOST_TEST(same_to_rounding(turned, Eigen::Vector2d(1e6, 0.5 + 1e-9), Eigen::Vector2d(1.0, 1e6)));  // in its scale
  for (const double bad : {double(INFINITY), double(NAN)}) {
    BOOST_TEST(!same_to_rounding(Eigen::Vector2d(bad, 0.0), Eigen::Vector2d(1.0, 0.0), ones));
    BOOST_TEST(!same_to_rounding(Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(bad, 0.0), ones));
    BOOST_TEST(!same_to_rounding(Eigen::Vector2d(bad, 0.0), Eigen::Vector2d(bad, 0.0), ones));
  }
}
