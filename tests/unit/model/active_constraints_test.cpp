// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"

/// A system with constraints switched off is the system that was built without them.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Two pinned bodies, a strut with its own mass matrix, and an element with one g row and one psi row, in an order that
/// mixes them; elements named in `without` are left out.
std::shared_ptr<const MechanicalSystem> machine(const std::vector<std::string>& without) {
  Assembly assembly;
  const auto wanted = [&](const char* name) {
    return std::find(without.begin(), without.end(), name) == without.end();
  };
  const Block a = assembly.add_coordinates("a", 3), b = assembly.add_coordinates("b", 3);
  const Block c = assembly.add_coordinates("c", 3);
  assembly.add("inertia a", PlanarRigidBody{1.3, 0.2}, {a});
  assembly.add("inertia b", PlanarRigidBody{0.7, 0.1}, {b});
  assembly.add("weight a", UniformGravity{1.3}, {centre_of(a)});
  if (wanted("ground pin")) assembly.add("ground pin", RevoluteToGround{-0.5, 0.1, 0.2, 0.0}, {a});
  assembly.add("cart", test::Everything{}, {c});
  if (wanted("pin")) assembly.add("pin", Revolute{0.5, 0.0, -0.4, 0.1}, {a, b});
  if (wanted("strut")) assembly.add("strut", Distance{1.1}, {centre_of(b), Block{c.first, 2}});
  return assembly.build();
}

VectorXd ramp(int size, double low, double high) {
  VectorXd x(size);
  for (int i = 0; i < size; ++i) x[i] = low + (high - low) * (0.5 + 0.5 * std::sin(1.7 * i + 0.3));
  return x;
}

using Blocks = std::vector<std::pair<const char*, MatrixXd>>;

Blocks blocks(const internal::Workspace& w) {
  return {{"mass", w.M.dense()},
          {"force", w.f},
          {"position", w.g},
          {"velocity", w.g_rate},
          {"bias", w.gamma},
          {"jacobian", w.G.dense()},
          {"residual_q", w.r_q.dense()},
          {"residual_v", w.r_v.dense()},
          {"velocity_q", w.V_q.dense()},
          {"acceleration_q", w.A_q.dense()},
          {"acceleration_v", w.A_v.dense()},
          {"energy, power", Eigen::Vector2d(w.energy, w.power)}};
}

constexpr unsigned all = internal::request::acceleration_level | internal::request::tangent | internal::request::energy;

Blocks evaluated(const MechanicalSystem& system, internal::Storage storage) {
  const int n = system.num_positions();
  const VectorXd q = ramp(n, 0.2, 0.9), v = ramp(n, -1.0, 0.7), a = ramp(n, -1.0, 2.0);
  const VectorXd lambda = ramp(system.num_constraints(), -2.0, 1.5);
  const auto w = make_workspace(system, storage);
  BOOST_REQUIRE(evaluate_system(system, all, {0.4, q.data(), v.data(), a.data(), lambda.data()}, *w));
  return blocks(*w);
}

void check_equal(const MechanicalSystem& x, const MechanicalSystem& y) {
  BOOST_REQUIRE(x.num_positions() == y.num_positions());
  BOOST_REQUIRE(x.num_position_constraints() == y.num_position_constraints());
  BOOST_REQUIRE(x.num_velocity_constraints() == y.num_velocity_constraints());
  BOOST_TEST(x.energy_known() == y.energy_known());
  BOOST_TEST(x.constant_mass() == y.constant_mass());
  for (int i = 0; i < x.num_constraints(); ++i) BOOST_TEST(x.constraint_name(i) == y.constraint_name(i));
  for (int i = 0; i < x.num_positions(); ++i) BOOST_TEST(x.position_name(i) == y.position_name(i));
  for (const internal::Storage storage : {internal::Storage::dense, internal::Storage::sparse}) {
    const Blocks left = evaluated(x, storage), right = evaluated(y, storage);
    for (std::size_t k = 0; k < left.size(); ++k) {
      BOOST_TEST_CONTEXT(left[k].first << (storage == internal::Storage::dense ? ", dense" : ", sparse")) {
        const MatrixXd &p = left[k].second, &r = right[k].second;
        BOOST_REQUIRE((p.rows() == r.rows() && p.cols() == r.cols()));
        if (p.size() > 0) BOOST_TEST((p - r).cwiseAbs().maxCoeff() == 0.0);  // the same arithmetic, element by element
      }
    }
  }
}

bool mentions(const Error& error, const std::vector<std::string>& parts) {
  const std::string what = error.what();
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return what.find(part) != std::string::npos; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_of_a_name) {
  const auto system = machine({});
  BOOST_REQUIRE(system->num_constraints() == 7);
  BOOST_TEST(system->constraint_rows("ground pin") == (std::vector<int>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(system->constraint_rows("pin") == (std::vector<int>{3, 4}), boost::test_tools::per_element());
  BOOST_TEST(system->constraint_rows("pin.y") == std::vector<int>{4}, boost::test_tools::per_element());
  BOOST_TEST(system->constraint_rows("cart") == (std::vector<int>{2, 6}), boost::test_tools::per_element());
  BOOST_TEST(system->constraint_rows("strut") == std::vector<int>{5}, boost::test_tools::per_element());
  for (const char* nothing : {"", "p", "pi", "pin.", "pin[2]", "strut[0]"}) {
    BOOST_TEST(system->constraint_rows(nothing).empty(), nothing);
  }
}

BOOST_AUTO_TEST_CASE(equals_the_system_built_without_the_element) {
  const auto full = machine({});
  for (const std::vector<std::string>& off : std::vector<std::vector<std::string>>{
           {"pin"}, {"strut"}, {"ground pin"}, {"strut", "ground pin"}, {"strut", "pin", "ground pin"}}) {
    check_equal(*without_constraints(full, off), *machine(off));
  }
  check_equal(*full, *machine({}));  // untouched
}

BOOST_AUTO_TEST_CASE(single_rows_and_velocity_rows_can_go) {
  const auto full = machine({});
  const auto reduced = without_constraints(full, {"pin.x", "cart[1]"});
  BOOST_TEST(reduced->num_position_constraints() == 5);
  BOOST_TEST(reduced->num_velocity_constraints() == 0);
  const std::vector<int> kept{0, 1, 2, 4, 5};
  for (const internal::Storage storage : {internal::Storage::dense, internal::Storage::sparse}) {
    const Blocks whole = evaluated(*full, storage), part = evaluated(*reduced, storage);
    for (std::size_t k : {2U, 3U, 4U, 5U, 8U}) {  // values and derivatives of rows, none of which depends on lambda
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto row = part[k].second.row(static_cast<Eigen::Index>(i));
        BOOST_TEST((row - whole[k].second.row(kept[i])).norm() == 0.0, part[k].first);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(switching_off_in_two_steps_or_by_number_is_the_same) {
  const auto full = machine({});
  check_equal(*without_constraints(without_constraints(full, {"pin"}), {"strut"}), *machine({"pin", "strut"}));
  check_equal(*without_constraint_rows(full, {5, 4, 3, 4}), *machine({"pin", "strut"}));
  check_equal(*without_constraint_rows(without_constraint_rows(full, {3, 4}), {3}), *machine({"pin", "strut"}));
  BOOST_TEST(without_constraints(full, {}) == full);
}

BOOST_AUTO_TEST_CASE(a_system_may_lose_all_its_constraints) {
  const auto free = without_constraints(make_system(test::Pendulum{}), {"constraint"});
  BOOST_TEST(free->num_constraints() == 0);
  const ConsistentState start = consistent_state(free, {0.0, Eigen::Vector2d(3.0, 4.0), Eigen::Vector2d(1.0, 0.0)});
  BOOST_TEST((start.state.a - Eigen::Vector2d(0.0, -9.81)).norm() == 0.0);
  SimulationOptions options;
  options.t_end = 1.0;
  const Simulation run = simulate(free, {0.0, Eigen::Vector2d(3.0, 4.0), Eigen::Vector2d(1.0, 0.0)}, options);
  BOOST_TEST(run.status.finished());
  BOOST_TEST((run.trajectory.position_at(1.0) - Eigen::Vector2d(4.0, 4.0 - 0.5 * 9.81)).norm() < 1e-5);
}

BOOST_AUTO_TEST_CASE(a_constant_mass_is_computed_once_and_kept) {
  const auto reduced = without_constraints(mechanisms::find_mechanism("chain").make(4).system, {"pin 2"});
  BOOST_TEST(reduced->constant_mass());
  const VectorXd q = ramp(12, 0.0, 1.0), v = ramp(12, -1.0, 1.0);
  const auto w = make_workspace(*reduced, internal::Storage::sparse);
  const internal::Point point{0.0, q.data(), v.data(), nullptr, nullptr};
  BOOST_REQUIRE(evaluate_system(*reduced, internal::request::acceleration_level, point, *w));
  const VectorXd mass = w->M.values;
  const double* place = w->M.data();
  BOOST_TEST(w->mass_ready);
  BOOST_REQUIRE(evaluate_system(*reduced, internal::request::acceleration_level, point, *w));
  BOOST_TEST((w->M.values == mass));
  BOOST_TEST(w->M.data() == place);  // solvers may keep the address
}

namespace {

/// Throws at the second position, declines at the third.
struct Moody : test::Pendulum {
  template <class T>
  bool constraint(T t, View<const T> q, View<T> g) const {
    if (q[0] > 3.0) throw std::runtime_error("too far");
    test::Pendulum::constraint(t, q, g);
    return q[0] < 2.0;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_that_throws_or_declines_leaves_the_workspace_usable) {
  Assembly assembly;
  const Block q = assembly.add_coordinates("q", 2);
  assembly.add("moody", Moody{}, {q});
  assembly.add("other", DistanceToGround{0.0, 0.0, 1.0}, {q});
  const auto reduced = without_constraints(assembly.build(), {"other"});
  const auto w = make_workspace(*reduced, internal::Storage::dense);
  const double v[2] = {0.1, 0.2};
  const auto evaluate = [&](double x) {
    const double position[2] = {x, 0.5};
    return evaluate_system(*reduced, internal::request::acceleration_level, {0.0, position, v, nullptr, nullptr}, *w);
  };
  BOOST_REQUIRE(evaluate(1.0));
  const Blocks before = blocks(*w);
  BOOST_CHECK_THROW(evaluate(4.0), std::runtime_error);
  BOOST_TEST(!evaluate(2.5));
  BOOST_REQUIRE(evaluate(1.0));
  const Blocks after = blocks(*w);
  for (std::size_t k = 0; k < 6; ++k) BOOST_TEST((after[k].second - before[k].second).norm() == 0.0, after[k].first);
}

BOOST_AUTO_TEST_CASE(a_run_with_a_pin_switched_off_is_the_run_of_two_parts) {
  const auto chain = mechanisms::find_mechanism("chain").make(4);
  const auto cut = without_constraints(chain.system, {"pin 3"});
  SimulationOptions options;
  options.t_end = 0.5;
  options.rtol = options.atol = 1e-9;
  for (const char* formulation : {"baumgarte", "ggl"}) {  // index3 does not control v: too rough for 1e-6
    options.formulation = formulation;
    const Simulation run = simulate(cut, chain.start, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    // the free part falls: its centre of mass follows the parabola
    const VectorXd q = run.trajectory.position_at(0.5);
    for (const int axis : {0, 1}) {
      const double start = chain.start.q[6 + axis] + chain.start.q[9 + axis];
      const double fall = axis == 1 ? 2.0 * 0.5 * 9.81 * 0.25 : 0.0;
      BOOST_TEST(std::abs(q[6 + axis] + q[9 + axis] - (start - fall)) < 1e-6);
    }
    // and the hanging part does what a chain of two rods does that starts there
    const Simulation two =
        simulate(mechanisms::find_mechanism("chain").make(2).system, {0.0, chain.start.q.head(6), {}}, options);
    BOOST_REQUIRE_MESSAGE(two.status.finished(), two.status.message);
    BOOST_TEST((q.head(6) - two.trajectory.position_at(0.5)).norm() < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(unknown_names_are_all_listed_with_the_known_ones) {
  const auto system = machine({"strut"});
  BOOST_CHECK_EXCEPTION(without_constraints(system, {"pin", "rope", "strut"}), Error, [](const Error& error) {
    return mentions(error, {"\"rope\"", "\"strut\"", "known", "\"pin.x\"", "\"cart[1]\"", "\"ground pin.y\""});
  });
  BOOST_CHECK_EXCEPTION(without_constraint_rows(system, {-1, 2, 17}), Error, [](const Error& error) {
    return mentions(error, {"row -1", "row 17", "[0, 6)"});
  });
  BOOST_CHECK_EXCEPTION(without_constraints(without_constraints(system, {"pin"}), {"pin"}), Error,
                        [](const Error& error) {
                          return mentions(error, {"\"pin\"", "\"ground pin.x\""});
                        });
  BOOST_CHECK_THROW(without_constraints(nullptr, {"pin"}), Error);
  BOOST_CHECK_THROW(without_constraint_rows(nullptr, {0}), Error);
}
