// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"

/// Impacts obey their defining equations; energies and momenta are compared with closed forms.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

struct Evaluated {
  MatrixXd M, G;
  VectorXd rates;
};

Evaluated at(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  const auto w = make_workspace(system, internal::Storage::dense);
  BOOST_REQUIRE(
      evaluate_system(system, internal::request::acceleration_level, {t, q.data(), v.data(), nullptr, nullptr}, *w));
  return {w->M.dense(), w->G.dense(), w->g_rate};
}

/// Gap of a point to a wall through the origin that moves with speed w along its normal (angle from the x axis).
struct Wall {
  double normal = 0.5 * M_PI;
  double w = 0.0;
  double scale = 1.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = scale * (std::cos(normal) * q[0] + std::sin(normal) * q[1] - w * t);
  }
};

std::shared_ptr<const MechanicalSystem> ball(const std::vector<std::pair<std::string, Wall>>& walls) {
  Assembly assembly;
  const Block point = assembly.add_coordinates("ball", 2);
  assembly.add("mass", PointMass{2.0}, {point});
  for (const auto& [name, wall] : walls) assembly.add(name, wall, {point});
  return assembly.build();
}

/// Gap between two balls on a line.
struct Between {
  double radius = 0.5;
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const T dx = q[2] - q[0], dy = q[3] - q[1];
    g[0] = sqrt(dx * dx + dy * dy) - 2.0 * radius;
  }
};

/// Chain of rods whose tip meets a floor, and whose last joint can lock.
struct TipGap {
  double floor = -2.0;
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] + 0.5 * sin(q[2]) - floor;
  }
};
struct Lock {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - q[0] - 0.3;
  }
};

struct Chain {
  std::shared_ptr<const MechanicalSystem> system;
  VectorXd q, v;  // on the joints
};

Chain chain(int rods) {
  Assembly assembly;
  Chain c;
  c.q.resize(3 * rods);
  double x = 0.0, y = 0.0;
  Block previous{};
  for (int k = 0; k < rods; ++k) {
    const std::string name = std::to_string(k + 1);
    const Block body = assembly.add_coordinates("rod " + name, 3);
    assembly.add("inertia " + name, PlanarRigidBody{1.0 + 0.3 * k, 1.0 / 12.0}, {body});
    if (k == 0)
      assembly.add("pin 1", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {body});
    else
      assembly.add("pin " + name, Revolute{0.5, 0.0, -0.5, 0.0}, {previous, body});
    const double angle = -0.9 + 0.3 * k;
    c.q.segment<3>(3 * k) << x + 0.5 * std::cos(angle), y + 0.5 * std::sin(angle), angle;
    x += std::cos(angle);
    y += std::sin(angle);
    if (k == rods - 1) {
      assembly.add("floor", TipGap{y}, {body});
      if (k > 0) assembly.add("lock", Lock{}, {{previous.first + 2, 1}, {body.first + 2, 1}});
    }
    previous = body;
  }
  c.system = assembly.build();
  VectorXd v = VectorXd::LinSpaced(3 * rods, -1.0, 0.4);
  for (int k = 0; k < rods; ++k) v[3 * k + 1] -= 1.0;
  const auto free = without_constraints(
      c.system, rods > 1 ? std::vector<std::string>{"floor", "lock"} : std::vector<std::string>{"floor"});
  c.v = consistent_state(free, {0.0, c.q, v}).state.v;
  const int floor = c.system->constraint_rows("floor").front();
  if (at(*c.system, 0.0, c.q, c.v).rates[floor] > 0.0) c.v = -c.v;  // towards the floor
  return c;
}

/// The equations that define a jump, with matrices evaluated here and the independent solution by a dense inverse.
void check_defining_equations(const MechanicalSystem& system, const InitialState& before, const VectorXd& wanted,
                              const VelocityJump& jump) {
  BOOST_TEST(jump.status.finished(), jump.status.message);
  const Evaluated b = at(system, before.t, before.q, before.v), a = at(system, before.t, before.q, jump.v);
  const double speed = before.v.norm() + jump.v.norm();
  BOOST_TEST((a.M * (jump.v - before.v) + a.G.transpose() * jump.impulses).norm() < 1e-13 * a.M.norm() * speed);
  BOOST_TEST((a.rates - wanted).norm() < 1e-13 * a.G.norm() * speed);
  BOOST_TEST(jump.violation == (a.rates - wanted).lpNorm<Eigen::Infinity>());
  const double T_before = 0.5 * before.v.dot(b.M * before.v), T_after = 0.5 * jump.v.dot(a.M * jump.v);
  BOOST_TEST(std::abs(jump.kinetic_energy_before - T_before) < 1e-14 * T_before);
  BOOST_TEST(std::abs(jump.kinetic_energy_after - T_after) < 1e-14 * T_before);
  // change of kinetic energy = work of the impulses
  const double work = -0.5 * (a.G.transpose() * jump.impulses).dot(before.v + jump.v);
  BOOST_TEST(std::abs(T_after - T_before - work) < 1e-13 * (T_before + T_after));
  BOOST_TEST(std::abs(jump.loss + work) < 1e-13 * (T_before + T_after));
  BOOST_TEST(std::abs(jump.law_work + jump.support_work - work) < 1e-13 * (T_before + T_after));
}

std::vector<std::string> solvers() {
  std::vector<std::string> list{"dense"};
  for (const char* name : {"klu", "block"}) {
    if (linear_solver(name).available) list.emplace_back(name);
  }
  return list;
}

}  // namespace

BOOST_AUTO_TEST_CASE(normal_part_of_the_energy_falls_by_the_square_of_the_coefficient) {
  const auto system = ball({{"floor", Wall{0.5 * M_PI + 0.2}}});
  const Vector2d normal(std::cos(0.5 * M_PI + 0.2), std::sin(0.5 * M_PI + 0.2)), v(3.0, -2.0);
  const double v_n = normal.dot(v);
  for (const double e : {0.0, 0.4, 1.0}) {
    const VelocityJump jump = velocity_jump(system, {0.0, Vector2d::Zero(), v}, {"floor"}, e);
    check_defining_equations(*system, {0.0, Vector2d::Zero(), v}, VectorXd::Constant(1, -e * v_n), jump);
    BOOST_TEST(std::abs(jump.loss - (1.0 - e * e) * 0.5 * 2.0 * v_n * v_n) < 1e-14);
    BOOST_TEST((jump.v - (v - (1.0 + e) * v_n * normal)).norm() < 1e-14);  // reflected; tangential part untouched
    BOOST_TEST(jump.impulses[0] < 0.0);
    BOOST_TEST(jump.support_work < 1e-15);
    BOOST_TEST(!jump.energy_grew);
    BOOST_TEST(jump.opening.empty());
    BOOST_TEST(jump.pulling.empty());
    BOOST_TEST(jump.status.message == "");
    BOOST_TEST(jump.rank == 1);
  }
}

BOOST_AUTO_TEST_CASE(joints_transmit_the_impact) {
  for (const int rods : {1, 2, 5, 20}) {
    const Chain c = chain(rods);
    const auto flight = rods > 1 ? without_constraints(c.system, {"lock"}) : c.system;
    const InitialState before{0.3, c.q, c.v};
    const Evaluated b = at(*flight, before.t, c.q, c.v);
    const Eigen::Index floor = flight->num_constraints() - 1;
    BOOST_REQUIRE(b.rates[floor] < -0.01);
    for (const std::string& solver : solvers()) {
      for (const double e : {0.0, 0.6, 1.0}) {
        BOOST_TEST_CONTEXT(rods << " rods, " << solver << ", e = " << e) {
          VelocityJumpOptions options;
          options.linear_solver.name = solver;
          const VelocityJump jump = velocity_jump(flight, before, {"floor"}, e, options);
          VectorXd wanted = VectorXd::Zero(b.rates.size());
          wanted[floor] = -e * b.rates[floor];
          check_defining_equations(*flight, before, wanted, jump);
          const MatrixXd S = b.G * b.M.llt().solve(b.G.transpose());
          const VectorXd P = S.llt().solve(b.rates - wanted);
          BOOST_TEST((jump.impulses - P).norm() < 1e-10 * P.norm());
          // effective mass of the tip: 1 / (S^-1)_ff, seen through the joints
          const double tip_mass = S.inverse()(floor, floor);
          const double lost = (1.0 - e * e) * 0.5 * tip_mass * b.rates[floor] * b.rates[floor];
          BOOST_TEST(std::abs(jump.loss - lost) < 1e-10 * jump.kinetic_energy_before);
          BOOST_TEST(!jump.energy_grew);
          BOOST_TEST(jump.status.message == "");
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(two_bodies_keep_their_momentum) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 2), b = assembly.add_coordinates("b", 2);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{3.0}, {b});
  assembly.add("contact", Between{0.5}, {a, b});
  const auto system = assembly.build();
  VectorXd q(4), v(4);
  q << 0.0, 0.0, 0.8, 0.6;
  v << 2.0, 1.0, -0.5, 0.3;
  const double e = 0.7;
  const VelocityJump jump = velocity_jump(system, {0.0, q, v}, {"contact"}, e);
  const double rate = at(*system, 0.0, q, v).rates[0];
  check_defining_equations(*system, {0.0, q, v}, VectorXd::Constant(1, -e * rate), jump);
  BOOST_TEST((jump.v.head(2) + 3.0 * jump.v.tail(2) - v.head(2) - 3.0 * v.tail(2)).norm() < 1e-14);
  const auto spin = [&](const VectorXd& u) { return 3.0 * (q[2] * u[3] - q[3] * u[2]); };  // a is at the origin
  BOOST_TEST(std::abs(spin(jump.v) - spin(v)) < 1e-14);
  BOOST_TEST(std::abs(jump.loss - 0.5 * (3.0 / 4.0) * (1.0 - e * e) * rate * rate) < 1e-14);  // reduced mass
}

BOOST_AUTO_TEST_CASE(a_joint_that_locks_keeps_the_angular_momentum_about_the_support) {
  const Chain c = chain(2);
  const auto locked = without_constraints(c.system, {"floor"});
  const InitialState before{0.0, c.q, c.v};
  const VelocityJump jump = velocity_jump(locked, before, {}, 0.0);
  check_defining_equations(*locked, before, VectorXd::Zero(5), jump);
  const auto spin = [&](const VectorXd& u) {
    double sum = 0.0;
    for (int k = 0; k < 2; ++k) {
      const double m = 1.0 + 0.3 * k;
      sum += m * (c.q[3 * k] * u[3 * k + 1] - c.q[3 * k + 1] * u[3 * k]) + u[3 * k + 2] / 12.0;
    }
    return sum;
  };
  BOOST_TEST(std::abs(spin(jump.v) - spin(c.v)) < 1e-13);
  BOOST_TEST(std::abs(jump.v[5] - jump.v[2]) < 1e-14);
  BOOST_TEST(jump.loss > 0.0);
}

BOOST_AUTO_TEST_CASE(without_impacts_it_is_the_projection_of_velocities) {
  const auto mechanism = mechanisms::find_mechanism("andrews").make(0);
  const VectorXd q = consistent_state(mechanism.system, mechanism.start).state.q;
  const InitialState given{0.0, q, VectorXd::LinSpaced(7, -3.0, 5.0)};
  const VelocityJump jump = velocity_jump(mechanism.system, given, {}, 0.0);
  check_defining_equations(*mechanism.system, given, VectorXd::Zero(6), jump);
  BOOST_TEST((jump.v - consistent_state(mechanism.system, given).state.v).norm() < 1e-12);
  BOOST_TEST(jump.kinetic_energy_after < jump.kinetic_energy_before);
}

BOOST_AUTO_TEST_CASE(velocity_constraints_nonlinear_in_v) {
  const auto system = make_system(test::Everything{});
  const InitialState before{0.2, Eigen::Vector3d(0.7, 0.4, 0.5), Eigen::Vector3d(1.3, -0.8, 1.6)};
  for (const std::string& solver : solvers()) {
    VelocityJumpOptions options;
    options.linear_solver.name = solver;
    const VelocityJump jump = velocity_jump(system, before, {}, 0.0, options);
    check_defining_equations(*system, before, Vector2d::Zero(), jump);  // G at v+
    BOOST_TEST(jump.iterations > 2);
    options.max_iterations = 1;
    const VelocityJump early = velocity_jump(system, before, {}, 0.0, options);
    BOOST_TEST(!early.status.finished());
    BOOST_TEST(early.violation > 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(a_moving_wall_does_work) {
  const double w = 1.5;
  const auto system = ball({{"wall", Wall{0.0, w}}});
  for (const double e : {0.0, 0.5, 1.0}) {
    const InitialState before{1.0, Vector2d(w, 0.0), Vector2d(0.2, 0.7)};
    const VelocityJump jump = velocity_jump(system, before, {"wall"}, e);
    check_defining_equations(*system, before, VectorXd::Constant(1, -e * (0.2 - w)), jump);
    BOOST_TEST((jump.v - Vector2d(w + e * (w - 0.2), 0.7)).norm() < 1e-14);
    // seen from the wall, the normal energy falls by e^2; the rest is the force of the wall times its way
    BOOST_TEST(std::abs(jump.law_work + (1.0 - e * e) * (w - 0.2) * (w - 0.2)) < 1e-14);
    BOOST_TEST(std::abs(jump.support_work - 2.0 * (1.0 + e) * (w - 0.2) * w) < 1e-14);
    BOOST_TEST(jump.loss < 0.0);
    BOOST_TEST(!jump.energy_grew);
  }
}

BOOST_AUTO_TEST_CASE(p27_units_of_the_gap_do_not_matter) {
  const InitialState before{0.0, Vector2d::Zero(), Vector2d(1.0, -2.0)};
  const VelocityJump metres = velocity_jump(ball({{"floor", Wall{1.2}}}), before, {"floor"}, 0.5);
  const VelocityJump micrometres = velocity_jump(ball({{"floor", Wall{1.2, 0.0, 1e6}}}), before, {"floor"}, 0.5);
  BOOST_TEST((metres.v - micrometres.v).norm() < 1e-14);
  BOOST_TEST(std::abs(metres.impulses[0] - 1e6 * micrometres.impulses[0]) < 1e-13);
}

BOOST_AUTO_TEST_CASE(energy_that_grows_is_reported) {
  // A ball in a corner whose walls nearly agree: the plastic wall takes out what the elastic one needs.
  const auto system = ball({{"left", Wall{0.5 * M_PI + 0.2}}, {"right", Wall{0.5 * M_PI - 0.2}}});
  const InitialState before{0.0, Vector2d::Zero(), Vector2d(0.0, -1.0)};
  const VelocityJump equal = velocity_jump(system, before, {"left", "right"}, 1.0);
  BOOST_TEST(!equal.energy_grew);
  BOOST_TEST(std::abs(equal.loss) < 1e-14);
  const VelocityJump mixed = velocity_jump(system, before, {"left", "right"}, {1.0, 0.0});
  BOOST_TEST(mixed.energy_grew);
  BOOST_TEST(mixed.kinetic_energy_after > 1.1 * mixed.kinetic_energy_before);
  BOOST_TEST(mixed.loss < 0.0);
  BOOST_TEST(mixed.status.finished());
  BOOST_TEST(mixed.status.message.find("Newton's restitution is wrong") != std::string::npos);
  BOOST_TEST(!velocity_jump(system, before, {"left", "right"}, {0.3, 0.3}).energy_grew);
}

BOOST_AUTO_TEST_CASE(a_kept_row_with_a_violated_rate_can_feed_an_elastic_impact) {
  const auto system = ball({{"rail", Wall{0.5 * M_PI + 0.2}}, {"stop", Wall{0.5 * M_PI - 0.2}}});
  const VelocityJump jump = velocity_jump(system, {0.0, Vector2d::Zero(), Vector2d(0.0, -1.0)}, {"stop"}, 1.0);
  BOOST_TEST(jump.energy_grew);
  const Vector2d along(std::cos(0.2), std::sin(0.2));  // consistent with the rail: nothing grows
  const VelocityJump good = velocity_jump(system, {0.0, Vector2d::Zero(), -along}, {"stop"}, 1.0);
  BOOST_TEST(!good.energy_grew);
  BOOST_TEST((good.v - along).norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE(pulling_and_opening_contacts_are_named) {
  const auto system = ball({{"left", Wall{0.5 * M_PI + 0.5}}, {"right", Wall{0.5 * M_PI - 0.5}}});
  const Vector2d along_right(std::cos(0.5), -std::sin(0.5));  // slides on the right wall, meets the left one
  const VelocityJump stuck = velocity_jump(system, {0.0, Vector2d::Zero(), -along_right}, {"left", "right"}, 0.0);
  BOOST_TEST(stuck.opening.empty() == false);
  BOOST_TEST(stuck.opening.front() == "left");
  const VelocityJump jump = velocity_jump(system, {0.0, Vector2d::Zero(), along_right}, {"left", "right"}, 0.0);
  BOOST_TEST(jump.v.norm() < 1e-14);
  BOOST_TEST(jump.opening.empty());
  BOOST_REQUIRE(jump.pulling.size() == 1U);
  BOOST_TEST(jump.pulling.front() == "right");
  BOOST_TEST(jump.status.message.find("\"right\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(redundant_rows_agree_and_contradicting_rows_are_infeasible) {
  for (const std::string& solver : solvers()) {
    BOOST_TEST_CONTEXT(solver) {
      VelocityJumpOptions options;
      options.linear_solver.name = solver;
      const auto twice = ball({{"floor", Wall{}}, {"floor again", Wall{0.5 * M_PI, 0.0, 2.0}}});
      const InitialState before{0.0, Vector2d::Zero(), Vector2d(1.0, -2.0)};
      const VelocityJump jump = velocity_jump(twice, before, {"floor", "floor again"}, 0.5, options);
      BOOST_TEST(jump.status.finished(), jump.status.message);
      BOOST_TEST(jump.rank == 1);
      BOOST_TEST((jump.v - Vector2d(1.0, 1.0)).norm() < 1e-12);
      BOOST_TEST(std::abs(jump.impulses[0] + 2.0 * jump.impulses[1] + 6.0) < 1e-11);  // G^T P is unique
      const VelocityJump contradiction = velocity_jump(twice, before, {"floor"}, 0.5, options);
      BOOST_TEST(to_string(contradiction.status.outcome) == std::string("infeasible"));
      BOOST_TEST(contradiction.status.message.find(contradiction.worst_constraint) != std::string::npos);
      BOOST_TEST(contradiction.violation > 0.1);
      options.linear_solver.rank_policy = RankPolicy::strict;
      const VelocityJump strict = velocity_jump(twice, before, {"floor", "floor again"}, 0.5, options);
      BOOST_TEST(to_string(strict.status.outcome) == std::string("rank_loss"));
      options.linear_solver.rank_policy = RankPolicy::regularized;
      const VelocityJump soft = velocity_jump(twice, before, {"floor", "floor again"}, 0.5, options);
      BOOST_TEST(soft.status.finished(), soft.status.message);
      BOOST_TEST((soft.v - Vector2d(1.0, 1.0)).norm() < 1e-12);  // the second solve removes the error of delta
    }
  }
}

BOOST_AUTO_TEST_CASE(wrong_input_is_listed_completely) {
  const auto system = make_system(test::Everything{});
  const InitialState wrong{0.0, Vector2d::Zero(), Eigen::Vector3d(0.0, NAN, 0.0)};
  BOOST_CHECK_EXCEPTION(
      velocity_jump(system, wrong, {"constraint[1]", "spring"}, {1.5, -0.1, 0.3}), Error, [](const Error& error) {
        const std::string what = error.what();
        for (const char* part :
             {"q has 2 entries", "v contains", "restitution has 3", "restitution = 1.5", "restitution = -0.1",
              "\"constraint[1]\" is a velocity constraint", "\"spring\"", "known constraints", "\"constraint[0]\""}) {
          if (what.find(part) == std::string::npos) return false;
        }
        return true;
      });
  const InitialState good{0.0, Eigen::Vector3d(0.7, 0.4, 0.5), {}};
  BOOST_CHECK_THROW(velocity_jump(system, good, {}, 1.01), Error);
  BOOST_CHECK_THROW(velocity_jump(system, good, {}, NAN), Error);
  BOOST_CHECK_THROW(velocity_jump(nullptr, good, {}, 0.0), Error);
}

BOOST_AUTO_TEST_CASE(a_model_that_declines_is_a_status) {
  struct Half : test::Pendulum {
    bool constraint(double, View<const double> q, View<double> g) const {
      g[0] = q[0];
      return q[0] > 0.0;
    }
  };
  const VelocityJump jump = velocity_jump(make_system(Half{}), {0.0, Vector2d(-1.0, 0.0), {}}, {}, 0.0);
  BOOST_TEST(to_string(jump.status.outcome) == std::string("model_error"));
}
