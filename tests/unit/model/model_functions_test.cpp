// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <sunlagrange/model/model_functions.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Models made of functions: each lacks what it lacks, and what is taken in its place is what a struct would get.
using namespace sunlagrange;

namespace {

/// A bead on a rod that turns and swings, led along a circle: everything varies. Unknowns: angle, distance.
struct Bead {
  int num_positions() const { return 2; }
  int num_constraints() const { return 1; }
  void mass_matrix(double, View<const double> q, MatrixView<double> M) const {
    M(0, 0) = 1.0 + q[1] * q[1];
    M(1, 1) = 1.0;
  }
  void applied_force(double, View<const double> q, View<const double> v, View<double> f) const {
    f[0] = -2.0 * q[1] * v[0] * v[1] - 9.81 * q[1] * std::cos(q[0]);
    f[1] = q[1] * v[0] * v[0] - 9.81 * std::sin(q[0]) - 0.1 * v[1];
  }
  void constraint(double, View<const double> q, View<double> g) const {  // a circle about (0.5, 0)
    g[0] = q[1] * q[1] - q[1] * std::cos(q[0]) - 0.75;
  }
};

ModelFunctions functions() {
  using In = ModelFunctions::In;
  using Out = ModelFunctions::Out;
  using Matrix = ModelFunctions::Matrix;
  ModelFunctions f;
  f.num_positions = 2;
  f.num_constraints = 1;
  f.mass_matrix = [](double t, In q, Matrix M) { return Bead().mass_matrix(t, q, M), true; };
  f.applied_force = [](double t, In q, In v, Out force) { return Bead().applied_force(t, q, v, force), true; };
  f.constraint = [](double t, In q, Out g) { return Bead().constraint(t, q, g), true; };
  f.position_names = {"angle", "distance"};
  f.constraint_names = {"circle"};
  return f;
}

/// Bit k of `given`: the k-th optional function is there.
ModelFunctions with(unsigned given) {
  using In = ModelFunctions::In;
  using Out = ModelFunctions::Out;
  using Matrix = ModelFunctions::Matrix;
  ModelFunctions f = functions();
  if ((given & 1U) != 0) {
    f.constraint_jacobian = [](double, In q, Matrix G) {
      G(0, 0) = q[1] * std::sin(q[0]);
      G(0, 1) = 2.0 * q[1] - std::cos(q[0]);
      return true;
    };
  }
  if ((given & 2U) != 0) {
    f.constraint_acceleration_bias = [](double, In q, In v, Out gamma) {
      gamma[0] = -(q[1] * std::cos(q[0]) * v[0] * v[0] + 2.0 * std::sin(q[0]) * v[0] * v[1] + 2.0 * v[1] * v[1]);
      return true;
    };
  }
  if ((given & 4U) != 0) {
    f.force_jacobians = [](double, In q, In v, Matrix f_q, Matrix f_v) {
      f_q(0, 0) = 9.81 * q[1] * std::sin(q[0]);
      f_q(0, 1) = -2.0 * v[0] * v[1] - 9.81 * std::cos(q[0]);
      f_q(1, 0) = -9.81 * std::cos(q[0]);
      f_q(1, 1) = v[0] * v[0];
      f_v(0, 0) = -2.0 * q[1] * v[1];
      f_v(0, 1) = -2.0 * q[1] * v[0];
      f_v(1, 0) = 2.0 * q[1] * v[0];
      f_v(1, 1) = -0.1;
      return true;
    };
  }
  if ((given & 8U) != 0) {
    f.inertia_jacobian = [](double, In q, In a, Matrix Ma_q) {
      Ma_q(0, 1) = 2.0 * q[1] * a[0];
      return true;
    };
  }
  if ((given & 16U) != 0) {
    f.constraint_force_jacobian = [](double, In q, In lambda, Matrix K) {
      K(0, 0) = q[1] * std::cos(q[0]) * lambda[0];
      K(0, 1) = K(1, 0) = std::sin(q[0]) * lambda[0];
      K(1, 1) = 2.0 * lambda[0];
      return true;
    };
  }
  return f;
}

constexpr const char* optional[] = {"constraint_jacobian", "constraint_acceleration_bias", "force_jacobians",
                                    "inertia_jacobian", "constraint_force_jacobian"};

InitialState start() {
  InitialState state;
  state.q = Eigen::Vector2d(0.3, 1.5);
  return state;
}

void check_same(const Simulation& a, const Simulation& b) {
  BOOST_REQUIRE(a.trajectory.size() == b.trajectory.size());
  for (std::size_t k = 0; k < a.trajectory.size(); ++k) {
    BOOST_REQUIRE(a.trajectory.t(k) == b.trajectory.t(k));
    BOOST_REQUIRE((a.trajectory.q(k).array() == b.trajectory.q(k).array()).all());
  }
}

std::string refusal(const ModelFunctions& f) {
  try {
    make_system(f);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_function_is_used_or_made_up_for) {
  for (unsigned given = 0; given < 32; ++given) {
    BOOST_TEST_CONTEXT("functions " << given) {
      const auto system = make_system(with(given));
      // the rates of rows are differences with steps of 5e-3: errors of 1e-5
      const DerivativeCheck check =
          check_derivatives(system, 0.2, Eigen::Vector2d(0.4, 1.3), Eigen::Vector2d(0.7, -0.5), 1e-4);
      BOOST_TEST(check.passed, check.text());
      for (unsigned k = 0; k < 5; ++k) {
        const bool own = (given >> k & 1U) != 0;
        for (const auto& [quantity, source] : system->sources()) {
          if (quantity == optional[k]) BOOST_TEST(contains(source, "model") == own, quantity << ": " << source);
        }
        const ElementMembers members = system->members().front();
        const auto& list = own ? members.present : members.absent;
        BOOST_TEST((std::find(list.begin(), list.end(), optional[k]) != list.end()), optional[k]);
      }
    }
  }
}

/// Each derivative in turn is wrong: the message names it, and where. Right ones are believed in any units.
BOOST_AUTO_TEST_CASE(derivatives_that_are_none_are_refused) {
  using In = ModelFunctions::In;
  using Out = ModelFunctions::Out;
  using Matrix = ModelFunctions::Matrix;
  const auto refused = [](const ModelFunctions& f, const std::string& part) {
    BOOST_TEST(contains(refusal(f), part), "\"" << part << "\" is not in: " << refusal(f));
  };
  const ModelFunctions right = with(31);
  BOOST_TEST(refusal(right) == "");

  ModelFunctions f = right;
  f.constraint_jacobian = [](double, In q, Matrix G) {
    G(0, 1) = q[1] * std::sin(q[0]);
    G(0, 0) = 2.0 * q[1] - std::cos(q[0]);
    return true;
  };
  refused(f, "constraint_jacobian: row \"circle\", column \"");
  f = right;
  f.constraint_jacobian = [right](double t, In q, Matrix G) {
    right.constraint_jacobian(t, q, G);
    G(0, 1) *= 1.001;
    return true;
  };
  refused(f, "constraint_jacobian: row \"circle\", column \"distance\"");
  f = right;
  f.constraint_acceleration_bias = [right](double t, In q, In v, Out gamma) {
    right.constraint_acceleration_bias(t, q, v, gamma);
    gamma[0] = -gamma[0];
    return true;
  };
  refused(f, "constraint_acceleration_bias: row \"circle\" is ");
  for (const bool by_q : {true, false}) {
    f = right;
    f.force_jacobians = [right, by_q](double t, In q, In v, Matrix f_q, Matrix f_v) {
      right.force_jacobians(t, q, v, f_q, f_v);
      (by_q ? f_q : f_v)(1, 0) += 1.0;
      return true;
    };
    refused(f, std::string("force_jacobians: f_") + (by_q ? "q" : "v") + ": row \"distance\", column \"angle\"");
  }
  f = right;
  f.inertia_jacobian = [](double, In, In, Matrix) { return true; };
  refused(f, "inertia_jacobian: row \"angle\", column \"distance\" is 0");
  f = right;
  f.constraint_force_jacobian = [right](double t, In q, In lambda, Matrix K) {
    right.constraint_force_jacobian(t, q, lambda, K);
    K(0, 0) = -K(0, 0);
    return true;
  };
  refused(f, "constraint_force_jacobian: row \"angle\", column \"angle\"");

  for (const double unit : {1e-6, 1.0, 1e6}) {  // the row, and its force, in other units
    f = right;
    f.constraint = [right, unit](double t, In q, Out g) { return right.constraint(t, q, g), g[0] *= unit, true; };
    f.constraint_jacobian = [right, unit](double t, In q, Matrix G) {
      right.constraint_jacobian(t, q, G);
      G(0, 0) *= unit;
      G(0, 1) *= unit;
      return true;
    };
    f.constraint_acceleration_bias = [right, unit](double t, In q, In v, Out gamma) {
      return right.constraint_acceleration_bias(t, q, v, gamma), gamma[0] *= unit, true;
    };
    f.constraint_force_jacobian = nullptr;
    BOOST_TEST(refusal(f) == "", unit);
  }
  // kinks, a gradient that is zero there, a domain that has no random point in it
  f = functions();
  f.applied_force = [](double, In q, In v, Out force) {
    force[0] = -std::abs(v[0] - 0.5) - std::max(q[0] - 0.4, 0.0);
    return true;
  };
  f.force_jacobians = [](double, In q, In v, Matrix f_q, Matrix f_v) {
    f_q(0, 0) = q[0] > 0.4 ? -1.0 : 0.0;
    f_v(0, 0) = v[0] > 0.5 ? -1.0 : 1.0;
    return true;
  };
  BOOST_TEST(refusal(f) == "");
  f = right;
  f.constraint = [right](double t, In q, Out g) { return q[0] > 2.0 && right.constraint(t, q, g); };
  BOOST_TEST(refusal(f) == "");
}

BOOST_AUTO_TEST_CASE(without_optional_functions_it_is_the_struct_in_doubles) {
  for (const char* formulation : {"baumgarte", "projected", "ggl", "index3"}) {
    SimulationOptions options;
    options.formulation = formulation;
    check_same(simulate(make_system(functions()), start(), options), simulate(make_system(Bead{}), start(), options));
  }
}

BOOST_AUTO_TEST_CASE(derivatives_change_the_cost_and_not_the_motion) {
  SimulationOptions options;
  options.formulation = "ggl";
  options.rtol = options.atol = 1e-8;
  const Simulation plain = simulate(make_system(with(0)), start(), options);
  const Simulation exact = simulate(make_system(with(31)), start(), options);
  BOOST_TEST(plain.status.finished(), plain.status.message);
  BOOST_TEST(exact.status.finished(), exact.status.message);
  BOOST_TEST((plain.trajectory.position_at(1.0) - exact.trajectory.position_at(1.0)).norm() < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_constant_mass_matrix_is_asked_for_once_a_run) {
  int asked = 0;
  ModelFunctions f = functions();
  f.mass_matrix = [&asked](double, ModelFunctions::In, ModelFunctions::Matrix M) {
    ++asked;
    M(0, 0) = M(1, 1) = 1.0;
    return true;
  };
  f.constant_mass_matrix = true;
  const auto system = make_system(f);
  BOOST_TEST(system->constant_mass());
  const Simulation run = simulate(system, start(), {});
  BOOST_TEST(run.report.rhs_evaluations > 100);
  BOOST_TEST(asked < 100);
}

BOOST_AUTO_TEST_CASE(energy_is_known_where_it_is_given) {
  BOOST_TEST(!make_system(functions())->energy_known());
  ModelFunctions f = functions();
  f.energy = [](double, ModelFunctions::In q, ModelFunctions::In v) {
    return 0.5 * ((1.0 + q[1] * q[1]) * v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1] * std::sin(q[0]);
  };
  f.power = [](double, ModelFunctions::In, ModelFunctions::In v) { return -0.1 * v[1] * v[1]; };
  const auto system = make_system(f);
  BOOST_TEST(system->energy_known());
  SimulationOptions options;
  options.rtol = options.atol = 1e-9;
  const Simulation run = simulate(system, start(), options);
  BOOST_TEST(run.report.energy_drift < 1e-6 * run.report.energy_scale);
}

BOOST_AUTO_TEST_CASE(nobody_is_asked_far_outside_of_the_run) {
  ModelFunctions f = functions();
  double first = 0.0, last = 0.0;
  f.mass_matrix = [&, mass = f.mass_matrix](double t, ModelFunctions::In q, ModelFunctions::Matrix M) {
    first = std::min(first, t);
    last = std::max(last, t);
    return mass(t, q, M);
  };
  InitialState from_rest = start();
  from_rest.v.setZero();
  SimulationOptions options;
  options.t_end = 2.0;
  const Simulation run = simulate(make_system(f), from_rest, options);
  BOOST_TEST(run.status.finished(), run.status.message);
  BOOST_TEST(first > -1e-3);
  BOOST_TEST(last < 2.0 + 1e-3);
}

BOOST_AUTO_TEST_CASE(velocity_constraints_alone) {
  ModelFunctions f;
  f.num_positions = 2;
  f.num_velocity_constraints = 1;
  f.constant_mass_matrix = true;
  f.mass_matrix = [](double, ModelFunctions::In, ModelFunctions::Matrix M) { return M(0, 0) = M(1, 1) = 1.0, true; };
  f.applied_force = [](double, ModelFunctions::In, ModelFunctions::In, ModelFunctions::Out force) {
    return force[0] = 1.0, true;
  };
  f.velocity_constraint = [](double, ModelFunctions::In, ModelFunctions::In v, ModelFunctions::Out psi) {
    return psi[0] = v[0] - v[1], true;
  };
  InitialState at_rest;
  at_rest.q = Eigen::Vector2d(0.0, 0.0);
  const Simulation run = simulate(make_system(f), at_rest, {});
  BOOST_TEST(run.status.finished(), run.status.message);
  BOOST_TEST(std::abs(run.trajectory.position_at(1.0)[1] - 0.25) < 1e-6);  // two masses, one force: a = 1/2
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_does_not_fit_is_said_at_once) {
  const std::string all = refusal(ModelFunctions{});
  BOOST_TEST(contains(all, "mass_matrix is missing"), all);
  BOOST_TEST(contains(all, "applied_force is missing"), all);
  ModelFunctions f = functions();
  f.num_positions = 0;
  BOOST_TEST(contains(refusal(f), "num_positions = 0"), refusal(f));
  f = functions();
  f.num_constraints = 0;
  BOOST_TEST(contains(refusal(f), "constraint is given, but num_constraints = 0"), refusal(f));
  f = functions();
  f.constraint = nullptr;
  BOOST_TEST(contains(refusal(f), "constraint is missing"), refusal(f));
  f = functions();
  f.num_velocity_constraints = 2;
  BOOST_TEST(contains(refusal(f), "velocity_constraint is missing"), refusal(f));
  f = functions();
  f.position_names = {"angle"};
  BOOST_TEST(contains(refusal(f), "position_names has 1 names, must have 2"), refusal(f));
  f = functions();
  f.power = [](double, ModelFunctions::In, ModelFunctions::In) { return 0.0; };
  BOOST_TEST(contains(refusal(f), "energy is missing"), refusal(f));
}

/// A pendulum that hangs, pushed sideways by -sin t, with all derivatives given; `swing` moves its pivot sideways.
ModelFunctions pushed_pendulum(double swing) {
  using In = ModelFunctions::In;
  using Out = ModelFunctions::Out;
  using Matrix = ModelFunctions::Matrix;
  ModelFunctions f;
  f.num_positions = 2;
  f.num_constraints = 1;
  f.constant_mass_matrix = true;
  f.mass_matrix = [](double, In, Matrix M) { return M(0, 0) = M(1, 1) = 1.0, true; };
  f.applied_force = [](double t, In, In, Out force) { return force[0] = -std::sin(t), force[1] = -9.81, true; };
  f.constraint = [swing](double t, In q, Out g) {
    const double x = q[0] - swing * std::sin(3.0 * t);
    return g[0] = 0.5 * (x * x + q[1] * q[1] - 1.0), true;
  };
  f.constraint_jacobian = [swing](double t, In q, Matrix G) {
    return G(0, 0) = q[0] - swing * std::sin(3.0 * t), G(0, 1) = q[1], true;
  };
  if (swing == 0.0) {
    f.constraint_acceleration_bias = [](double, In, In v, Out gamma) {
      return gamma[0] = -(v[0] * v[0] + v[1] * v[1]), true;
    };
  }
  f.force_jacobians = [](double, In, In, Matrix, Matrix) { return true; };
  f.inertia_jacobian = [](double, In, In, Matrix) { return true; };
  f.constraint_force_jacobian = [](double, In, In lambda, Matrix K) { return K(0, 0) = K(1, 1) = lambda[0], true; };
  return f;
}

// Where G is given, g' = G v + dg/dt, to rounding where g does not depend on t.
BOOST_AUTO_TEST_CASE(rates_of_rows_follow_from_a_given_jacobian) {
  const Eigen::Vector2d q(0.6, -0.7), v(1.3, -2.1);
  const double t = 0.4;
  for (const double swing : {0.0, 0.2}) {
    const double x = q[0] - swing * std::sin(3.0 * t);
    const double rate = x * (v[0] - 3.0 * swing * std::cos(3.0 * t)) + q[1] * v[1];
    const double found = SystemEvaluator(make_system(pushed_pendulum(swing))).at(t, q, v).g_rate[0];
    BOOST_TEST(std::abs(found - rate) <= (swing == 0.0 ? 1e-15 : 1e-9), found - rate);
  }
}

// Forms that integrate g' = 0 reach tolerances near rounding, which differences of g would not allow.
BOOST_AUTO_TEST_CASE(forms_with_rows_of_velocities_reach_tolerances_near_rounding) {
  const auto system = make_system(pushed_pendulum(0.0));
  const auto end_of = [&](const std::string& formulation, const std::string& integrator, double tolerance) {
    SimulationOptions options;
    options.formulation = formulation;
    options.integrator = integrator;
    options.rtol = options.atol = tolerance;
    options.t_end = 5.0;
    const Simulation run = simulate(system, {0.0, Eigen::Vector2d(0.0, -1.0), {}}, options);
    BOOST_TEST(run.status.finished(), formulation << ": " << run.status.message);
    return Eigen::VectorXd(run.trajectory.q(run.trajectory.size() - 1));
  };
  const Eigen::VectorXd right = end_of("projected", "verner8", 1e-12);
  for (const char* formulation : {"index2", "ggl", "stabilized_index1"})
    BOOST_TEST((end_of(formulation, "ida", 1e-10) - right).norm() < 1e-6, formulation);
}
