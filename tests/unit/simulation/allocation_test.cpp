// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>

#include "events/runner.hpp"
#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "linear_solver/linear_solver.hpp"
#include "mechanisms/mechanism.hpp"
#include "model/motion_scales.hpp"
#include "models.hpp"

/// After the first calls no callback touches the heap: malloc, calloc, realloc, aligned allocation and operator new are
/// intercepted while right-hand sides, residuals, Newton systems, weights and root functions are evaluated along 80
/// steps and more, and while SUNDIALS itself takes 55 steps through the attachments.

namespace {

std::atomic<bool> watching{false};
std::atomic<long> allocations{0};

void note() {
  if (watching.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  note();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  note();
  return __libc_calloc(count, size);
}
void* realloc(void* place, std::size_t size) {
  note();
  return __libc_realloc(place, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** place, std::size_t alignment, std::size_t size) {
  note();
  *place = __libc_memalign(alignment, size);
  return *place == nullptr ? 12 : 0;
}
}  // operator new of libstdc++ calls malloc, so it is covered

using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::VectorXd;

namespace {

struct Case {
  std::string name;
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
};

struct RunTimeSized {  // sizes known only at run time: scratch comes from the arena
  test::Pendulum model;
  int num_positions() const { return 2; }
  int num_constraints() const { return 1; }
  template <class T>
  void mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    model.mass_matrix(t, q, M);
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    model.applied_force(t, q, v, f);
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    model.constraint(t, q, g);
  }
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    const auto mechanism = entry.make(entry.sized() ? 8 : 0);
    list.push_back({std::string(entry.name), mechanism.system, mechanism.start});
  }
  const auto chain = mechanisms::find_mechanism("chain").make(6);
  list.push_back({"chain with a pin switched off", without_constraints(chain.system, {"pin 3"}), chain.start});
  list.push_back({"redundant", make_system(test::RedundantPendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}});
  list.push_back({"run-time size", make_system(RunTimeSized{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}});
  return list;
}

/// 200 short explicit steps along the motion with a Newton solve at each: enough to visit many states.
void step_ode(OdeFormulation& f, VectorXd& y, VectorXd& ydot, VectorXd& b, double t, double h, int k) {
  BOOST_REQUIRE(f.rhs(t + k * h, y.data(), ydot.data()) == EvaluationResult::ok);
  y += h * ydot;
  NewtonSystem& newton = *f.provides().newton;
  BOOST_REQUIRE(newton.factorize_newton(t + k * h, y.data(), nullptr, h, k % 3 != 0) == EvaluationResult::ok);
  b = ydot;
  BOOST_REQUIRE(newton.solve_newton(h, b.data()) == EvaluationResult::ok);
}

void step_dae(DaeFormulation& f, VectorXd& y, VectorXd& yp, VectorXd& b, double t, double h) {
  BOOST_REQUIRE(f.residual(t, y.data(), yp.data(), b.data()) == EvaluationResult::ok);
  NewtonSystem& newton = *f.provides().newton;
  BOOST_REQUIRE(newton.factorize_newton(t, y.data(), yp.data(), 1.0 / h) == EvaluationResult::ok);
  BOOST_REQUIRE(newton.solve_newton(1.0 / h, b.data()) == EvaluationResult::ok);
  BOOST_REQUIRE(f.complete_correction(b.data()) == EvaluationResult::ok);
  BOOST_REQUIRE(f.weights(h, y.data(), b.data()) == EvaluationResult::ok);
  y.head(yp.size() / 4) += h * yp.head(yp.size() / 4);
}

}  // namespace

BOOST_AUTO_TEST_CASE(interception_works) {
  watching = true;
  VectorXd* x = new VectorXd(100);
  watching = false;
  BOOST_TEST(allocations.load() >= 2);
  delete x;
}

namespace {

FormulationInput input_for(const Case& c, std::string_view solver) {
  FormulationInput input;
  input.system = c.system;
  input.linear_solver.name = std::string(solver);
  ConsistencyOptions consistency;
  consistency.linear_solver = input.linear_solver;
  input.start = consistent_state(c.system, c.start, consistency).state;
  return input;
}

/// Calls use(case, formulation, solver) for all that go together.
template <class Use>
void for_each_combination(Use&& use) {
  int ran = 0, left_out = 0;
  for (const Case& c : cases()) {
    for (const LinearSolverEntry& solver : linear_solver_registry()) {
      if (!solver.available) continue;
      for (const FormulationEntry& entry : formulation_registry()) {
        if (!entry.objection(*c.system).empty()) {
          ++left_out;
          continue;
        }
        BOOST_TEST_CONTEXT(c.name << ", " << entry.name << ", " << solver.name) {
          use(c, entry, solver.name);
        }
        ++ran;
      }
    }
  }
  BOOST_TEST_MESSAGE(ran << " combinations, " << left_out << " that do not go together");
  BOOST_TEST(ran > 0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(formulations_do_not_allocate) {
  for_each_combination([](const Case& c, const FormulationEntry& entry, std::string_view solver) {
    const FormulationInput input = input_for(c, solver);
    const double h = 1e-6, t = input.start.t;
    const auto watched = [&](const Formulation& formulation, auto&& step) {
      allocations = 0;
      long pivots = 0;
      for (int k = 0; k < 100; ++k) {
        if (k == 20) pivots = formulation.counts().pivot_refreshes;
        if (k == 20) watching = true;
        step(k);
      }
      watching = false;
      if (formulation.counts().pivot_refreshes > pivots) return;  // KLU chose new pivots, which allocates
      BOOST_TEST(allocations.load() == 0, allocations.load() << " allocations in 80 steps");
    };
    if (entry.equations == Equations::ode) {
      const auto f = as<OdeFormulation>(entry.make(input));
      VectorXd y(f->size()), ydot(f->size()), b(f->size());
      f->pack(input.start, y.data(), nullptr);
      watched(*f, [&](int k) { step_ode(*f, y, ydot, b, t, h, k); });
    } else if (entry.equations == Equations::dae) {
      const auto f = as<DaeFormulation>(entry.make(input));
      VectorXd y(f->size()), yp(f->size()), b(f->size());
      f->pack(input.start, y.data(), yp.data());
      watched(*f, [&](int) { step_dae(*f, y, yp, b, t, h); });
    } else {
      const auto f = as<OneStepFormulation>(entry.make(input));
      VectorXd y(f->size()), yp(f->size());
      f->pack(input.start, y.data(), yp.data());
      const double step = 1e-3 * characteristic_scales(*input.system, input.start).time;
      watched(*f,
              [&](int k) { BOOST_REQUIRE(f->step(t + k * step, step, y.data(), yp.data()) == EvaluationResult::ok); });
    }
  });
}

BOOST_AUTO_TEST_CASE(steps_of_sundials_through_the_attachments_do_not_allocate) {
  // Callbacks, linear solver, projection and output of every integrator, and what SUNDIALS does between them. KLU may
  // choose new pivots on the way, which allocates and is counted.
  constexpr int warm_up = 5;
  long watched = 0, runs = 0, with_new_pivots = 0;
  for_each_combination([&](const Case& c, const FormulationEntry& entry, std::string_view solver) {
    const FormulationInput input = input_for(c, solver);
    const double T = characteristic_scales(*input.system, input.start).time;
    const int n = c.system->num_positions();
    VectorXd q(n), v(n), a(n);
    for (const IntegratorEntry& integrator : integrator_registry()) {
      if (!integrator.integrates(entry.equations)) continue;
      if (!objection(entry.name, *c.system, integrator.name).empty()) continue;
      BOOST_TEST_CONTEXT(integrator.name) {
        StepperOptions options;
        options.attach.formulation = std::string(entry.name);
        options.attach.linear_solver = input.linear_solver;
        options.attach.rtol = options.attach.atol = 1e-9;
        options.step = 1e-4 * T;
        options.t_end = input.start.t + 0.1 * T;
        options.table = &rk4();  // of the integrator "table"; the others do not look at it
        const auto stepper = integrator.make(integrator, c.system, input.start, options);
        ++runs;
        Status status;
        bool known = false;
        int steps = 0;
        long refreshes = 0;
        allocations = 0;
        for (; steps < 60 && stepper->time() < options.t_end; ++steps) {
          if (steps == warm_up) {
            refreshes = stepper->attachment().counts().pivot_refreshes;
            watching = true;
          }
          if (!stepper->step(status)) break;
          stepper->motion(stepper->time(), q.data(), v.data(), a.data(), known);
        }
        watching = false;
        BOOST_REQUIRE_MESSAGE(status.finished(), status.message);
        watched += std::max(0, steps - warm_up);
        if (stepper->attachment().counts().pivot_refreshes > refreshes) {
          ++with_new_pivots;
          continue;
        }
        BOOST_TEST(allocations.load() == 0, allocations.load() << " allocations in " << steps - warm_up << " steps");
      }
    }
  });
  BOOST_TEST(watched > 20 * runs);
  BOOST_TEST(with_new_pivots < runs / 10);
  BOOST_TEST_MESSAGE(watched << " steps watched in " << runs << " runs, " << with_new_pivots
                             << " of them chose new pivots");
}

BOOST_AUTO_TEST_CASE(state_dependent_gains_do_not_allocate) {
  FormulationInput input;
  input.system = make_system(test::Everything{});
  input.start = consistent_state(input.system, {0.0, Eigen::Vector3d(0.7, 0.4, 0.5), {}}).state;
  input.excess.mass = [](double, const VectorXd& q, Eigen::MatrixXd& m) {
    m(0, 0) = 2.0 + q[0];
    m(1, 1) = 1.0;
    m(0, 1) = m(1, 0) = 0.1 * q[1];
  };
  input.excess.stiffness = [](double, const VectorXd&, Eigen::MatrixXd& k) { k(0, 0) = 3.0; };
  input.excess.dissipation = [](double, const VectorXd&, const VectorXd&, Eigen::MatrixXd& c) {
    c(0, 0) = c(1, 1) = 4.0;
  };
  for (const LinearSolverEntry& solver : linear_solver_registry()) {
    if (!solver.available) continue;
    input.linear_solver.name = std::string(solver.name);
    const auto f = as<OdeFormulation>(find_formulation("extended_lagrangian").make(input));
    VectorXd y(6), ydot(6), b(6);
    f->pack(input.start, y.data(), nullptr);
    allocations = 0;
    for (int k = 0; k < 220; ++k) {
      if (k == 20) watching = true;
      step_ode(*f, y, ydot, b, 0.0, 1e-6, k);
    }
    watching = false;
    BOOST_TEST(allocations.load() == 0, solver.name << ": " << allocations.load() << " allocations in 200 steps");
  }
}

BOOST_AUTO_TEST_CASE(root_functions_do_not_allocate) {
  const auto chain = mechanisms::find_mechanism("chain").make(6);
  for (const LinearSolverEntry& solver : linear_solver_registry()) {
    if (!solver.available) continue;
    internal::EventOptions options;
    options.linear_solver.name = std::string(solver.name);
    options.inactive_constraints = {"pin 5"};
    options.events = {release_when("pin 3", 1e9), release_when("pin 5", 1e9), {"speed", [](const EventPoint& p) {
                                                                                 return p.v()[0] - 1e9;
                                                                               }}};
    internal::EventRunner events(chain.system, options, chain.start);
    ConsistencyOptions consistency;
    consistency.linear_solver = options.linear_solver;
    const MotionState start = consistent_state(events.system(), chain.start, consistency).state;
    BOOST_REQUIRE(events.begin(start) == internal::EventRunner::Verdict::go_on);
    const RootFunctions roots = events.roots(internal::EventRunner::Searched::all);
    VectorXd q = start.q, values(3);
    allocations = 0;
    for (int k = 0; k < 120; ++k) {
      if (k == 20) watching = true;
      q += 1e-6 * start.v;
      roots.evaluate(start.t + 1e-6 * k, q.data(), start.v.data(), values.data());
    }
    watching = false;
    BOOST_TEST(allocations.load() == 0, solver.name << ": " << allocations.load() << " allocations in 100 calls");
    BOOST_TEST(values.allFinite());
  }
}
