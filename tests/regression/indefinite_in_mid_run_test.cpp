// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "models.hpp"

/// A mass matrix that is fine at the start and not later: index3 and index3_augmented_lagrangian went through M = 0 and
/// on with negative masses, `finished`.
using namespace sunlagrange;

namespace {

struct FallsThroughZero : test::Pendulum {
  template <class T>
  void mass_matrix(T t, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 0.5 - t;
  }
  double energy(double t, View<const double> q, View<const double> v) const {
    return 0.5 * (0.5 - t) * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1];
  }
};

/// No force acts, so that nothing is felt where det M = 0, at t = 0.5.
struct Coupled {
  double rate = 2.0;
  static constexpr int num_positions = 2;
  template <class T>
  void mass_matrix(T t, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
    M(0, 1) = M(1, 0) = rate * t;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
};

Simulation run_of(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                  const std::string& formulation, const std::string& solver, Start treatment) {
  SimulationOptions options;
  options.formulation = formulation;
  options.linear_solver.name = solver;
  options.start = treatment;
  options.step = 1e-3;
  options.max_steps = 5000;
  return simulate(system, start, options);
}

template <class Use>
void in_every_way(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start, Use&& use) {
  for (const FormulationInfo& form : formulations()) {
    if (!objection(form.name, *system, automatic_integrator(form.name)).empty()) continue;
    for (const LinearSolverInfo& solver : linear_solvers()) {
      if (!solver.available) continue;
      for (const Start treatment : {Start::consistent, Start::as_given}) {
        BOOST_TEST_CONTEXT(form.name << " " << solver.name << " " << to_string(treatment)) {
          use(run_of(system, start, std::string(form.name), std::string(solver.name), treatment));
        }
      }
    }
  }
}

/// At t = 0.5 the saddle-point matrix is singular, and many ways end there. Nobody goes on without a word.
/// @return how many went on and were told
int count_told(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
               const std::string& words) {
  int told = 0;
  in_every_way(system, start, [&](const Simulation& run) {
    BOOST_TEST(!run.status.finished());
    if (run.report.t_reached < 0.5 + 1e-6) return;
    BOOST_TEST(to_string(run.status.outcome) == std::string("model_error"));
    BOOST_TEST(run.status.message.find(words) != std::string::npos, run.status.message);
    ++told;
  });
  return told;
}

}  // namespace

BOOST_AUTO_TEST_CASE(masses_that_become_negative_end_the_run) {
  const InitialState start{0.0, Eigen::Vector2d(1.0, 0.0), {}};
  BOOST_TEST(count_told(make_system(FallsThroughZero{}), start, "not positive semidefinite any more: M(q") > 0);
}

BOOST_AUTO_TEST_CASE(negative_kinetic_energy_ends_the_run) {
  const InitialState start{0.0, Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(1.0, -1.0)};  // v^T M v = 2 - 4 t
  BOOST_TEST(count_told(make_system(Coupled{}), start, "any more: the kinetic energy is -") > 0);
}

BOOST_AUTO_TEST_CASE(what_the_motion_does_not_feel_is_found_at_the_end) {
  const InitialState start{0.0, Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(1.0, 1.0)};  // v^T M v = 2 + 4 t
  BOOST_TEST(count_told(make_system(Coupled{}), start, "not positive semidefinite: M(q1, q0) = 2 is too large") > 0);
  in_every_way(make_system(Coupled{0.5}), start, [](const Simulation& run) { BOOST_TEST(run.status.finished()); });
}
