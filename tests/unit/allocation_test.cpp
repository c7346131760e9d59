#define BOOST_TEST_MODULE allocation
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>

#include "formulation/formulation.hpp"
#include "linear_solver/linear_solver.hpp"
#include "mechanisms/mechanism.hpp"
#include "models.hpp"
#include "simulate_events.hpp"

/// After the first calls no callback touches the heap: malloc, calloc, realloc, aligned allocation and operator new are
/// intercepted while right-hand sides, residuals, Newton systems, weights one-step methods and root functions are
/// evaluated along 200 steps.

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
  for (const char* name : {"two_link", "andrews", "chain", "n_four_bar"}) {
    const auto mechanism = mechanisms::find_mechanism(name).make(name == std::string("chain") ? 12 : 8);
    list.push_back({name, mechanism.system, mechanism.start});
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
  BOOST_REQUIRE(f.factorize_newton(t + k * h, y.data(), h, k % 3 != 0) == EvaluationResult::ok);
  b = ydot;
  BOOST_REQUIRE(f.solve_newton(b.data()) == EvaluationResult::ok);
}

void step_dae(DaeFormulation& f, VectorXd& y, VectorXd& yp, VectorXd& b, double t, double h) {
  BOOST_REQUIRE(f.residual(t, y.data(), yp.data(), b.data()) == EvaluationResult::ok);
  BOOST_REQUIRE(f.factorize_newton(t, y.data(), yp.data(), 1.0 / h) == EvaluationResult::ok);
  BOOST_REQUIRE(f.solve_newton(1.0 / h, b.data()) == EvaluationResult::ok);
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

BOOST_AUTO_TEST_CASE(callbacks_do_not_allocate) {
  int ran = 0;
  for (const Case& c : cases()) {
    for (const LinearSolverEntry& solver : linear_solver_registry()) {
      if (!solver.available) continue;
      for (const FormulationEntry& entry : formulation_registry()) {
        FormulationInput input;
        input.system = c.system;
        input.linear_solver.name = std::string(solver.name);
        ConsistencyOptions consistency;
        consistency.linear_solver = input.linear_solver;
        input.start = consistent_state(c.system, c.start, consistency).state;
        const double h = 1e-6;
        allocations = 0;
        if (entry.make_ode != nullptr) {
          const auto f = entry.make_ode(input);
          VectorXd y(f->size()), ydot(f->size()), b(f->size());
          f->pack(input.start, y.data(), nullptr);
          for (int k = 0; k < 220; ++k) {
            if (k == 20) watching = true;
            step_ode(*f, y, ydot, b, input.start.t, h, k);
          }
          watching = false;
        } else if (entry.make_one_step != nullptr) {
          const auto f = entry.make_one_step(input);
          VectorXd y(f->size()), yp(f->size());
          f->pack(input.start, y.data(), yp.data());
          for (int k = 0; k < 220; ++k) {
            if (k == 20) watching = true;
            BOOST_REQUIRE(f->step(input.start.t + k * h, h, y.data(), yp.data()) == EvaluationResult::ok);
          }
          watching = false;
        } else {
          const auto f = entry.make_dae(input);
          VectorXd y(f->size()), yp(f->size()), b(f->size());
          f->pack(input.start, y.data(), yp.data());
          for (int k = 0; k < 220; ++k) {
            if (k == 20) watching = true;
            step_dae(*f, y, yp, b, input.start.t, h);
          }
          watching = false;
        }
        ++ran;
        BOOST_TEST(allocations.load() == 0, c.name << ", " << entry.name << ", " << solver.name << ": "
                                                   << allocations.load() << " allocations in 200 steps");
      }
    }
  }
  BOOST_TEST_MESSAGE(ran << " combinations");
  BOOST_TEST(ran > 0);
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
    const auto f = find_formulation("extended_lagrangian").make_ode(input);
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
    SimulationOptions options;
    options.integrator = "cvode_bdf";
    options.linear_solver.name = std::string(solver.name);
    options.inactive_constraints = {"pin 5"};
    options.events = {release_when("pin 3", 1e9), release_when("pin 5", 1e9), {"speed", [](const EventPoint& p) {
                                                                                 return p.v()[0] - 1e9;
                                                                               }}};
    EventRunner events(chain.system, options, chain.start);
    Simulation run;
    ConsistencyOptions consistency;
    consistency.linear_solver = options.linear_solver;
    const MotionState start = consistent_state(events.system(), chain.start, consistency).state;
    BOOST_REQUIRE(events.begin(start, run) == EventRunner::Verdict::go_on);
    const RootFunctions roots = events.roots();
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
