// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <complex>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>

#include "mechanisms/mechanism.hpp"
#include "models.hpp"

/// linearise and modes against closed forms, and against what a nonlinear run shows.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Pendulum;

namespace {

constexpr double gravity = 9.81;
const double pi = std::acos(-1.0);

/// Distance of a point from the origin, times a factor.
struct RodToGround {
  double length = 1.0, scale = 1.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * scale * (q[0] * q[0] + q[1] * q[1] - length * length);
  }
};

/// N unit masses on massless rods of equal length, hanging; `copies` of the first rod beside it.
std::shared_ptr<const MechanicalSystem> hanging_chain(int links, double length, int copies = 0) {
  Assembly assembly;
  Block above;
  for (int i = 0; i < links; ++i) {
    const std::string number = std::to_string(i);
    const Block point = assembly.add_coordinates("p" + number, BlockKind::planar_point);
    assembly.add("mass " + number, PointMass{1.0}, {point});
    assembly.add("weight " + number, UniformGravity{1.0}, {point});
    if (i == 0) {
      assembly.add("rod 0", RodToGround{length}, {point});
      for (int k = 0; k < copies; ++k) assembly.add("again " + std::to_string(k), RodToGround{length, 3.0}, {point});
    } else {
      assembly.add("rod " + number, Distance{length}, {above, point});
    }
    above = point;
  }
  return assembly.build();
}

InitialState hanging(int links, double length) {
  InitialState state;
  state.q = VectorXd::Zero(2 * links);
  for (int i = 0; i < links; ++i) state.q[2 * i + 1] = -(i + 1) * length;
  return state;
}

/// Laguerre's polynomial L_n(x): the chain of n equal masses at distances l has omega^2 = x g / l at its zeros
/// (Daniel Bernoulli).
double laguerre(int n, double x) {
  double before = 1.0, value = 1.0 - x;
  for (int k = 1; k < n; ++k) {
    const double next = ((2 * k + 1 - x) * value - k * before) / (k + 1);
    before = value;
    value = next;
  }
  return value;
}
double laguerre_slope(int n, double x) {
  return (laguerre(n, x + 1e-6) - laguerre(n, x - 1e-6)) / 2e-6;
}

std::vector<double> eigenvalues_sorted(const Modes& found) {
  std::vector<double> squares;
  for (const Mode& mode : found.modes) squares.push_back((mode.eigenvalue * mode.eigenvalue).real());
  std::sort(squares.begin(), squares.end());
  return squares;
}

/// Pendulum on a massless rod in spherical angles; l = m = 1.
struct SphericalPendulum {
  static constexpr int num_positions = 2;
  template <class T>
  T kinetic_energy(T, View<const T> q, View<const T> v) const {
    return 0.5 * (v[0] * v[0] + sin(q[0]) * sin(q[0]) * v[1] * v[1]);
  }
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return -gravity * cos(q[0]);
  }
};

/// A point in the plane, every kind of linear force.
struct LinearForces {
  double stiffness = 4.0, damping = 0.3, gyroscopic = 0.7, circulatory = 0.0;
  static constexpr int num_positions = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 2.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = -stiffness * q[0] - damping * v[0] - gyroscopic * v[1] - circulatory * q[1];
    f[1] = -stiffness * q[1] - damping * v[1] + gyroscopic * v[0] + circulatory * q[0];
  }
};

/// Body on a blade at (x, y), its centre `ahead` of the blade.
struct Sleigh {
  double mass = 2.0, inertia = 0.5, ahead = 0.4;
  static constexpr int num_positions = 3;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  T kinetic_energy(T, View<const T> q, View<const T> v) const {
    const T x = v[0] - ahead * v[2] * sin(q[2]), y = v[1] + ahead * v[2] * cos(q[2]);
    return 0.5 * mass * (x * x + y * y) + 0.5 * inertia * v[2] * v[2];
  }
  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = -v[0] * sin(q[2]) + v[1] * cos(q[2]);
  }
  template <class T>
  T potential_energy(T, View<const T>) const {
    return T(0.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(pendulum_below_and_above) {
  const auto system = make_system(Pendulum{});
  const Linearisation below = linearise(system, {0.0, Eigen::Vector2d(0.0, -1.0), {}});
  BOOST_REQUIRE(below.status.finished());
  BOOST_TEST(to_string(below.at) == std::string("equilibrium"));
  BOOST_TEST(below.imbalance < 1e-12);
  const Modes found = modes(below);
  BOOST_REQUIRE(found.modes.size() == 1U);
  const Mode& mode = found.modes[0];
  BOOST_TEST(mode.frequency == std::sqrt(gravity) / (2.0 * pi), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(std::abs(mode.damping_ratio) < 1e-10);
  BOOST_TEST(std::abs(mode.shape[0] - 1.0) < 1e-12);
  BOOST_TEST(std::abs(mode.shape[1]) < 1e-12);
  BOOST_TEST(to_string(found.stability) == std::string("stable"));
  const Modes above = modes(linearise(system, {0.0, Eigen::Vector2d(0.0, 1.0), {}}));
  BOOST_REQUIRE(above.modes.size() == 2U);
  BOOST_TEST(std::abs(std::abs(above.modes[0].eigenvalue.real()) - std::sqrt(gravity)) < 1e-11);
  BOOST_TEST(to_string(above.stability) == std::string("unstable"));
  BOOST_TEST(above.verdict.find("3.13209") != std::string::npos, above.verdict);
}

namespace {

/// A uniform rod of length 1, hinged at its upper end.
std::shared_ptr<const MechanicalSystem> hinged_rod() {
  Assembly assembly;
  const Block rod = assembly.add_coordinates("rod", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{1.0, 1.0 / 12.0}, {rod});
  assembly.add("weight", UniformGravity{1.0}, {centre_of(rod)});
  assembly.add("hinge", RevoluteToGround{-0.5}, {rod});
  return assembly.build();
}

}  // namespace

// However near to a zero of an entry of G, where balanced scales have any size, and however little is out of balance:
// eigenvalues are those of the rest to what is left over.
BOOST_AUTO_TEST_CASE(imbalance_beside_an_equilibrium) {
  const auto pendulum = make_system(Pendulum{}), rod = hinged_rod(), chain = hanging_chain(2, 1.0);
  for (const double size : {1e-3, 1e-4, 1e-5, 2e-6, 5e-7, 1.1e-7, 1e-7, 5e-8, 1e-9, 1e-11, 1e-12, 1e-13}) {
    for (const double x : {size, -size}) {
      BOOST_TEST_CONTEXT("x = " << x) {
        const double y = -std::sqrt(1.0 - x * x);
        const auto near = [&](const auto& system, const VectorXd& q, const std::vector<double>& squares) {
          const Linearisation beside = linearise(system, {0.0, q, {}});
          BOOST_REQUIRE_MESSAGE(beside.status.finished(), beside.status.message);
          BOOST_TEST(beside.imbalance < 4.0 * size + 1e-15);
          BOOST_TEST((beside.at == LinearisedAt::equilibrium) == (beside.imbalance <= 1e-6));
          const std::vector<double> found = eigenvalues_sorted(modes(beside));
          BOOST_REQUIRE(found.size() == squares.size());
          for (std::size_t k = 0; k < squares.size(); ++k)
            BOOST_TEST(std::abs(found[k] / squares[k] - 1.0) < 4.0 * size + 1e-11, found[k]);
          return beside.imbalance;
        };
        const double alone = near(pendulum, Eigen::Vector2d(x, y), {-gravity});
        BOOST_TEST(alone > 0.5 * size - 1e-15);
        near(rod, Eigen::Vector3d(0.5 * x, 0.5 * y, -0.5 * pi + std::asin(x)), {-1.5 * gravity});
        near(chain, Eigen::Vector4d(x, y, 2.0 * x, 2.0 * y),
             {-(2.0 + std::sqrt(2.0)) * gravity, -(2.0 - std::sqrt(2.0)) * gravity});
      }
    }
  }
}

// A heavy carriage on a stiff buffer, and on it a needle that falls: -1e-8 N m beside 1e5 N/m is no rounding, for no
// sum of the carriage has a share in it.
BOOST_AUTO_TEST_CASE(a_needle_beside_a_heavy_carriage) {
  for (const double fibre : {-1e-8, 1e-8}) {
    Assembly assembly;
    const Block carriage = assembly.add_coordinates("carriage", BlockKind::planar_body);
    const Block needle = assembly.add_coordinates("needle", BlockKind::planar_body);
    assembly.add("carriage inertia", PlanarRigidBody{1e5, 1e5}, {carriage});
    assembly.add("carriage weight", BodyGravity{1e5, 0.0, 0.0}, {carriage});
    assembly.add("rail", PrismaticToGround{}, {carriage});
    assembly.add("buffer", AxialSpringToGround{1e5}, {coordinate_of(carriage, 0)});
    assembly.add("needle inertia", PlanarRigidBody{1e-4, 1e-9}, {needle});
    assembly.add("needle weight", BodyGravity{1e-4, 0.0, 0.0}, {needle});
    assembly.add("pin", Revolute{}, {carriage, needle});
    assembly.add("fibre", TorsionSpringToGround{fibre}, {coordinate_of(needle, 2)});
    const Modes found = modes(linearise(assembly.build(), {0.0, VectorXd::Zero(6), {}}));
    BOOST_REQUIRE(found.modes.size() == (fibre < 0.0 ? 3U : 2U));
    BOOST_TEST(to_string(found.stability) == std::string(fibre < 0.0 ? "unstable" : "stable"), found.verdict);
    const double expected = fibre < 0.0 ? 10.0 : -1.0;  // squares of the eigenvalues: -fibre / 1e-9, -1e5 / 1e5
    BOOST_TEST(eigenvalues_sorted(found).back() == expected, boost::test_tools::tolerance(1e-6));
  }
}

// Where lambda works on the curvature of the constraint alone: no force has a gradient there.
BOOST_AUTO_TEST_CASE(chains_of_point_masses) {
  for (const int links : {1, 2, 3, 7, 12}) {
    for (const int copies : {0, 2}) {
      BOOST_TEST_CONTEXT(links << " links, " << copies << " rows again") {
        const double length = 0.7;
        const Linearisation at = linearise(hanging_chain(links, length, copies), hanging(links, length));
        BOOST_REQUIRE_MESSAGE(at.status.finished(), at.status.message);
        BOOST_TEST(at.redundant == copies);
        BOOST_TEST(at.lost == 0);
        const Modes found = modes(at);
        BOOST_REQUIRE(found.modes.size() == static_cast<std::size_t>(links));
        BOOST_TEST(to_string(found.stability) == std::string("stable"));
        for (const Mode& mode : found.modes) {
          const double x = std::norm(mode.eigenvalue) * length / gravity;
          BOOST_TEST(std::abs(laguerre(links, x) / (x * laguerre_slope(links, x))) < 1e-9, x);
        }
      }
    }
  }
  // of two: (2 +- sqrt 2) g / l
  const std::vector<double> squares = eigenvalues_sorted(modes(linearise(hanging_chain(2, 1.0), hanging(2, 1.0))));
  BOOST_TEST(squares[0] == -(2.0 + std::sqrt(2.0)) * gravity, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(squares[1] == -(2.0 - std::sqrt(2.0)) * gravity, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(ring_of_masses_and_springs) {
  constexpr int number = 6;
  const double stiffness = 50.0, mass = 2.0;
  Assembly assembly;
  std::vector<Block> masses;
  for (int i = 0; i < number; ++i) {
    masses.push_back(assembly.add_coordinates("x" + std::to_string(i), BlockKind::translation));
    assembly.add("mass " + std::to_string(i), SlidingMass{mass}, {masses.back()});
  }
  for (int i = 0; i < number; ++i) {
    assembly.add("spring " + std::to_string(i), AxialSpring{stiffness},
                 {masses[static_cast<std::size_t>(i)], masses[static_cast<std::size_t>((i + 1) % number)]});
  }
  const Linearisation at = linearise(assembly.build(), {0.0, VectorXd::Zero(number), {}});
  const Modes found = modes(at);
  std::vector<double> expected;
  for (int k = 0; k < number; ++k) expected.push_back(2.0 * std::sqrt(stiffness / mass) * std::sin(pi * k / number));
  std::sort(expected.begin(), expected.end());
  std::vector<double> rates;
  int zeros = 0;
  for (const Mode& mode : found.modes) {
    if (mode.zero)
      ++zeros;
    else
      rates.push_back(mode.eigenvalue.imag());
  }
  BOOST_TEST(zeros >= 1);  // turning as a whole: a double zero
  BOOST_REQUIRE(rates.size() == number - 1U);
  for (std::size_t k = 0; k < rates.size(); ++k)
    BOOST_TEST(rates[k] == expected[k + 1], boost::test_tools::tolerance(1e-9));
  BOOST_TEST(to_string(found.stability) == std::string("undecided"));
}

// Small disturbances of the conical pendulum: omega^2 = Omega^2 (1 + 3 cos^2 theta), cos theta = g / (l Omega^2).
BOOST_AUTO_TEST_CASE(conical_pendulum) {
  const double theta = 0.8, speed = std::sqrt(gravity / std::cos(theta));
  const auto system = make_system(SphericalPendulum{});
  const Linearisation at = linearise(system, {0.0, Eigen::Vector2d(theta, 0.3), Eigen::Vector2d(0.0, speed)});
  BOOST_TEST(to_string(at.at) == std::string("steady_motion"), at.status.message);
  BOOST_TEST(at.gyroscopic.norm() > 1.0);
  BOOST_TEST(at.damping.norm() < 1e-12);
  const Modes found = modes(at);
  const Mode& fastest = found.modes.back();
  BOOST_TEST(std::norm(fastest.eigenvalue) == speed * speed * (1.0 + 3.0 * std::pow(std::cos(theta), 2)),
             boost::test_tools::tolerance(1e-10));
  BOOST_TEST(to_string(found.stability) == std::string("undecided"));
  // off the cone the same velocity is no steady motion
  const Linearisation off = linearise(system, {0.0, Eigen::Vector2d(theta + 0.1, 0.3), Eigen::Vector2d(0.0, speed)});
  BOOST_TEST(to_string(off.at) == std::string("instant"));
  BOOST_TEST(!off.status.message.empty());
}

BOOST_AUTO_TEST_CASE(parts_of_the_forces_are_told_apart) {
  const LinearForces model{4.0, 0.3, 0.7, 0.2};
  const Linearisation at = linearise(make_system(model), {0.0, Eigen::Vector2d::Zero(), {}});
  const auto in_coordinates = [&](const MatrixXd& part) {
    const MatrixXd back = at.velocities.inverse();
    return MatrixXd(back.transpose() * part * back);
  };
  Eigen::Matrix2d skew;
  skew << 0.0, 1.0, -1.0, 0.0;
  const Eigen::Matrix2d one = Eigen::Matrix2d::Identity();
  BOOST_TEST((in_coordinates(at.M) - 2.0 * one).norm() < 1e-12);
  BOOST_TEST((in_coordinates(at.damping) - model.damping * one).norm() < 1e-12);
  BOOST_TEST((in_coordinates(at.gyroscopic) - model.gyroscopic * skew).norm() < 1e-12);
  BOOST_TEST((in_coordinates(at.stiffness) - model.stiffness * one).norm() < 1e-12);
  BOOST_TEST((in_coordinates(at.circulatory) - model.circulatory * skew).norm() < 1e-12);
  // z = x + i y: 2 z'' + (damping - i gyroscopic) z' + (stiffness - i circulatory) z = 0 for one sense of turning
  const std::complex<double> d(model.damping, -model.gyroscopic), k(model.stiffness, -model.circulatory);
  const std::complex<double> root = std::sqrt(d * d - 8.0 * k);
  for (const std::complex<double> mu : {(-d + root) / 4.0, (-d - root) / 4.0}) {
    double nearest = 1.0;
    for (const Mode& mode : modes(at).modes)
      nearest = std::min({nearest, std::abs(mode.eigenvalue - mu), std::abs(std::conj(mode.eigenvalue) - mu)});
    BOOST_TEST(nearest < 1e-12);
  }
}

// A force that turns with the displacement feeds a circling motion: the potential has a minimum, the point is unstable.
BOOST_AUTO_TEST_CASE(flutter) {
  const auto judged = [](const LinearForces& model) {
    return std::string(to_string(modes(linearise(make_system(model), {0.0, Eigen::Vector2d::Zero(), {}})).stability));
  };
  BOOST_TEST(judged({4.0, 0.0, 0.0, 0.1}) == "unstable");
  BOOST_TEST(judged({4.0, 1.0, 0.0, 0.1}) == "asymptotic");
  BOOST_TEST(judged({4.0, 0.0, 0.5, 0.0}) == "stable");
  BOOST_TEST(judged({-0.01, 0.0, 4.0, 0.0}) == "undecided");  // gyroscopic stabilisation of a maximum
  BOOST_TEST(judged({-0.01, 0.1, 4.0, 0.0}) == "unstable");   // which damping destroys (Kelvin, Tait, Chetaev)
}

// Straight motion with the centre ahead of the blade: turning dies out with m a U / (J + m a^2); behind it, it grows.
BOOST_AUTO_TEST_CASE(sleigh_on_a_blade) {
  const Sleigh model;
  const double rate = model.mass * model.ahead / (model.inertia + model.mass * model.ahead * model.ahead);
  for (const double speed : {3.0, -3.0}) {
    const Linearisation at =
        linearise(make_system(model),
                  {0.0, Eigen::Vector3d(0.4, -0.2, 0.6), speed * Eigen::Vector3d(std::cos(0.6), std::sin(0.6), 0.0)});
    BOOST_REQUIRE_MESSAGE(at.status.finished(), at.status.message);
    BOOST_TEST(to_string(at.at) == std::string("steady_motion"));
    BOOST_TEST(at.positions.cols() == 3);
    BOOST_TEST(at.velocities.cols() == 2);
    const Modes found = modes(at);
    BOOST_TEST(std::abs(found.modes.back().eigenvalue + rate * speed) < 1e-9);
    BOOST_TEST(to_string(found.stability) == std::string(speed > 0.0 ? "undecided" : "unstable"));
  }
}

BOOST_AUTO_TEST_CASE(a_disturbed_run_shows_the_eigenvalues) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_point);
  const Block b = assembly.add_coordinates("b", BlockKind::planar_point);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{0.5}, {b});
  assembly.add("weight of a", UniformGravity{1.0}, {a});
  assembly.add("weight of b", UniformGravity{0.5}, {b});
  assembly.add("upper", RodToGround{1.0}, {a});
  assembly.add("lower", Distance{1.0}, {a, b});
  assembly.add("damper", LinearDamper{0.4, AtPoint{}, OnGround{1.0, -1.0}}, {a});
  const auto system = assembly.build();
  const InitialState rest = hanging(2, 1.0);
  const Modes found = modes(linearise(system, rest));
  BOOST_TEST(to_string(found.stability) == std::string("asymptotic"));
  for (const Mode& mode : found.modes) {
    const double size = 1e-5;
    SimulationOptions options;
    options.formulation = "projected";
    options.t_end = 2.0;
    options.rtol = 1e-11;
    options.atol = 1e-14;
    const Simulation run =
        simulate(system, {0.0, rest.q + size * mode.shape.real(), size * mode.velocity.real()}, options);
    BOOST_REQUIRE(run.status.finished());
    for (const double t : {0.5, 1.0, 2.0}) {
      const VectorXd expected = (mode.shape * std::exp(mode.eigenvalue * t)).real();
      BOOST_TEST(((run.trajectory.position_at(t) - rest.q) / size - expected).norm() < 1e-4);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_linearised) {
  BOOST_CHECK_THROW(linearise(nullptr, {}), Error);
  BOOST_CHECK_THROW(linearise(mechanisms::find_mechanism("slider_crank_program").make(0).system, {}), Error);
  const auto system = make_system(Pendulum{});
  const Linearisation falling = linearise(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}});
  BOOST_TEST(to_string(falling.at) == std::string("instant"));
  BOOST_TEST(falling.status.message.find("no equilibrium") != std::string::npos, falling.status.message);
  BOOST_TEST(modes(falling).verdict.find("prove nothing") != std::string::npos);
  const Linearisation swinging = linearise(system, {0.0, Eigen::Vector2d(0.0, -1.0), Eigen::Vector2d(2.0, 0.0)});
  BOOST_TEST(to_string(swinging.at) == std::string("instant"));
  BOOST_TEST(modes(swinging).verdict.find("no potential about a motion") != std::string::npos);
  // upright, crank and rod of equal length lie on each other: one direction is lost
  const auto folding = mechanisms::find_mechanism("folding_slider_crank").make(0);
  VectorXd upright(9);
  upright << 0.0, 0.5, 0.5 * pi, 0.0, 0.5, -0.5 * pi, 0.0, 0.0, 0.0;
  const Linearisation singular = linearise(folding.system, {0.0, upright, {}});
  BOOST_TEST(singular.lost == 1);
  BOOST_TEST(singular.status.message.find("singular pose") != std::string::npos, singular.status.message);
  Linearisation none;
  none.status = {Outcome::infeasible, "because"};
  BOOST_CHECK_THROW(modes(none), Error);
}
