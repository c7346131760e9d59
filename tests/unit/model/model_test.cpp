// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"

/// The rungs of the ladder agree with each other and with forces derived by hand; storage does not matter.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Everything an evaluation can compute, with sparse matrices expanded.
struct Values {
  std::vector<std::pair<const char*, MatrixXd>> blocks;
  double energy = 0.0, power = 0.0;
};

VectorXd ramp(int size, double low, double high) {
  VectorXd x(size);
  for (int i = 0; i < size; ++i) x[i] = low + (high - low) * (0.5 + 0.5 * std::sin(1.7 * i + 0.3));
  return x;
}

Values evaluate(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v,
                internal::Storage storage = internal::Storage::dense) {
  const auto w = make_workspace(system, storage);
  const VectorXd a = ramp(system.num_positions(), -1.0, 2.0), lambda = ramp(system.num_constraints(), -2.0, 1.5);
  const unsigned all = internal::request::acceleration_level | internal::request::tangent | internal::request::energy;
  BOOST_REQUIRE(evaluate_system(system, all, {t, q.data(), v.data(), a.data(), lambda.data()}, *w));
  return {{{"mass", w->M.dense()},
           {"force", w->f},
           {"position", w->g},
           {"velocity", w->g_rate},
           {"bias", w->gamma},
           {"jacobian", w->G.dense()},
           {"residual_q", w->r_q.dense()},
           {"residual_v", w->r_v.dense()},
           {"velocity_q", w->V_q.dense()},
           {"acceleration_q", w->A_q.dense()},
           {"acceleration_v", w->A_v.dense()}},
          w->energy,
          w->power};
}

void compare(const Values& a, const Values& b, double tolerance) {
  for (std::size_t k = 0; k < a.blocks.size(); ++k) {
    BOOST_TEST_CONTEXT(a.blocks[k].first) {
      const MatrixXd &x = a.blocks[k].second, &y = b.blocks[k].second;
      BOOST_REQUIRE((x.rows() == y.rows() && x.cols() == y.cols()));
      if (y.size() > 0) BOOST_TEST((x - y).cwiseAbs().maxCoeff() <= tolerance * (1.0 + y.cwiseAbs().maxCoeff()));
    }
  }
}

const MatrixXd& block(const Values& values, const std::string& name) {
  for (const auto& [key, value] : values.blocks) {
    if (key == name) return value;
  }
  throw std::logic_error(name);
}

// ---- double pendulum in angles from the downward vertical ----------------------------------------------------------

constexpr double m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 1.2, gravity = 9.81;

struct DoublePendulumByEnergies {
  static constexpr int num_positions = 2;
  template <class T>
  T kinetic_energy(T, View<const T> q, View<const T> v) const {
    return 0.5 * (m1 + m2) * l1 * l1 * v[0] * v[0] + 0.5 * m2 * l2 * l2 * v[1] * v[1] +
           m2 * l1 * l2 * cos(q[0] - q[1]) * v[0] * v[1];
  }
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return -(m1 + m2) * gravity * l1 * cos(q[0]) - m2 * gravity * l2 * cos(q[1]);
  }
};

struct DoublePendulumByHand {
  static constexpr int num_positions = 2;
  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = (m1 + m2) * l1 * l1;
    M(1, 1) = m2 * l2 * l2;
    M(0, 1) = M(1, 0) = m2 * l1 * l2 * cos(q[0] - q[1]);
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    const T s = m2 * l1 * l2 * sin(q[0] - q[1]);
    f[0] = -s * v[1] * v[1] - (m1 + m2) * gravity * l1 * sin(q[0]);
    f[1] = s * v[0] * v[0] - m2 * gravity * l2 * sin(q[1]);
  }
};

// ---- explicit time dependence everywhere ----------------------------------------------------------------------------

struct RheonomicByEnergies {
  static constexpr int num_positions = 2;
  template <class T>
  T kinetic_energy(T t, View<const T> q, View<const T> v) const {
    return 0.5 * (2.0 + sin(t)) * v[0] * v[0] + 0.3 * t * q[1] * v[0] * v[1] +
           0.5 * (1.5 + 0.2 * q[0] * q[0]) * v[1] * v[1] + 0.7 * t * t * q[0] * v[1] + 0.1 * pow(t, 3);
  }
  template <class T>
  T potential_energy(T t, View<const T> q) const {
    return 0.5 * (3.0 + cos(t)) * q[0] * q[0] + q[0] * q[1] * t;
  }
  template <class T>
  T dissipation(T t, View<const T>, View<const T> v) const {
    return 0.5 * (0.4 + 0.1 * t) * v[0] * v[0] + 0.05 * pow(v[1], 4);
  }
  template <class T>
  void applied_force(T t, View<const T>, View<const T> v, View<T> f) const {
    f[0] = sin(t);
    f[1] = 0.5 * v[0];
  }
};

struct RheonomicByHand {
  static constexpr int num_positions = 2;
  template <class T>
  void mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = 2.0 + sin(t);
    M(0, 1) = M(1, 0) = 0.3 * t * q[1];
    M(1, 1) = 1.5 + 0.2 * q[0] * q[0];
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = sin(t) - (cos(t) * v[0] + 0.3 * q[1] * v[1] + 0.3 * t * v[1] * v[1])  // d/dt T_v0, without M a
           + 0.2 * q[0] * v[1] * v[1] + 0.7 * t * t * v[1]                       // T_q0
           - (3.0 + cos(t)) * q[0] - q[1] * t - (0.4 + 0.1 * t) * v[0];
    f[1] =
        0.5 * v[0] -
        (0.3 * q[1] * v[0] + 0.3 * t * v[1] * v[0] + 0.4 * q[0] * v[0] * v[1] + 1.4 * t * q[0] + 0.7 * t * t * v[0]) +
        0.3 * t * v[0] * v[1] - q[0] * t - 0.2 * pow(v[1], 3);
  }
};

// ---- the same model with sizes known at run time; wide enough for several chunks -----------------------------------

template <int N>
struct Ring {
  static constexpr int num_positions = N;
  static constexpr int num_constraints = 2;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    for (int i = 0; i < N; ++i) {
      const int j = (i + 1) % N;
      M(i, i) = 2.0 + 0.3 * cos(q[i]);
      M(i, j) = M(j, i) = 0.2 * sin(q[i] * q[j]);
    }
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    for (int i = 0; i < N; ++i) f[i] = sin(q[i] - q[(i + 1) % N]) - 0.1 * v[i] * v[i] + t;
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    for (int i = 0; i < N; ++i) g[i % 2] += q[i] * q[(i + 2) % N];
    g[0] -= 0.3 * t * t;
  }
  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    for (int i = 0; i < N; ++i) psi[0] += v[i] * cos(q[i] + 0.1 * t);
  }
};

template <int N>
struct RunTimeRing {
  Ring<N> model;
  int num_positions() const { return N; }
  int num_constraints() const { return 2; }
  int num_velocity_constraints() const { return 1; }
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
  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    model.velocity_constraint(t, q, v, psi);
  }
};

// ---- two pendulums and a link, written as one model
// ------------------------------------------------------------------

struct TwoLinked {
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 3;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < 4; ++i) M(i, i) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = f[3] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
    g[1] = (q[2] * q[2] + q[3] * q[3] - 1.0) / 2.0;
    g[2] = 0.5 * (pow(q[2] - q[0], 2) + pow(q[3] - q[1], 2) - 1.0);
  }
};

// ---- models that supply derivatives ---------------------------------------------------------------------------------

/// Pendulum with a position-dependent mass and drag, every derivative by hand; each can be spoilt once the system is
/// made, which refuses a wrong one.
struct Supplied {
  std::shared_ptr<bool> spoilt = std::make_shared<bool>(false);
  double spoil_jacobian = 0.0, spoil_bias = 0.0, spoil_f_q = 0.0, spoil_f_v = 0.0, spoil_inertia = 0.0, spoil_K = 0.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = 2.0 + q[1] * q[1];
    M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = -0.3 * v[0] * v[0];
    f[1] = -9.81 * q[0];
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0 + 0.1 * t * q[0];
  }
  void constraint_jacobian(double t, View<const double> q, MatrixView<double> G) const {
    G(0, 0) = q[0] + 0.1 * t;
    G(0, 1) = q[1] + (*spoilt ? spoil_jacobian : 0.0);
  }
  void constraint_acceleration_bias(double, View<const double>, View<const double> v, View<double> gamma) const {
    gamma[0] = -(v[0] * v[0] + v[1] * v[1] + 0.2 * v[0]) + (*spoilt ? spoil_bias : 0.0);
  }
  void force_jacobians(double, View<const double>, View<const double> v, MatrixView<double> f_q,
                       MatrixView<double> f_v) const {
    f_q(1, 0) = -9.81 + (*spoilt ? spoil_f_q : 0.0);
    f_v(0, 0) = -0.6 * v[0] + (*spoilt ? spoil_f_v : 0.0);
  }
  void inertia_jacobian(double, View<const double> q, View<const double> a, MatrixView<double> Ma_q) const {
    Ma_q(0, 1) = 2.0 * q[1] * a[0] + (*spoilt ? spoil_inertia : 0.0);
  }
  void constraint_force_jacobian(double, View<const double>, View<const double> lambda, MatrixView<double> K) const {
    K(0, 0) = lambda[0];
    K(1, 1) = lambda[0] + (*spoilt ? spoil_K : 0.0);
  }
  std::vector<std::string> position_names() const { return {"x", "y"}; }
  std::vector<std::string> constraint_names() const { return {"rod"}; }
};

struct Declining : test::Pendulum {
  template <class T>
  bool applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    test::Pendulum::applied_force(t, q, v, f);
    return value_of(q[0]) > 0.0;
  }
};

struct DeclaredPattern : test::Pendulum {
  LocalSparsity sparsity() const { return {{{0, 0}, {1, 1}}, {{0, 0}, {0, 1}}, {{0, 0}, {1, 1}}}; }
};

/// At random points log(q0 - 5) is not a number: the pattern cannot be found by evaluation.
struct NarrowDomain {
  static constexpr int num_positions = 2;
  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = log(q[0] - 5.0);
    M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
};

struct Oscillator {  // rung 0b, driven and damped
  static constexpr int num_positions = 1;
  template <class T>
  T kinetic_energy(T, View<const T>, View<const T> v) const {
    return 0.5 * v[0] * v[0];
  }
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return 2.0 * q[0] * q[0];
  }
  template <class T>
  T dissipation(T, View<const T>, View<const T> v) const {
    return 0.15 * v[0] * v[0];
  }
  template <class T>
  void applied_force(T t, View<const T>, View<const T>, View<T> f) const {
    f[0] = cos(3.0 * t);
  }
};

struct OscillatorByHand {  // rung 0a with energy and power
  static constexpr int num_positions = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = cos(3.0 * t) - 4.0 * q[0] - 0.3 * v[0];
  }
  double energy(double, View<const double> q, View<const double> v) const {
    return 0.5 * v[0] * v[0] + 2.0 * q[0] * q[0];
  }
  double power(double t, View<const double>, View<const double> v) const {
    return (std::cos(3.0 * t) - 0.3 * v[0]) * v[0];
  }
};

const DerivativeEntry& entry(const DerivativeCheck& check, const std::string& quantity) {
  for (const DerivativeEntry& e : check.worst) {
    if (e.quantity == quantity) return e;
  }
  throw std::logic_error(quantity + " is not in the check");
}

const Eigen::Vector2d q2(0.55, -0.83), v2(0.4, 0.9);

}  // namespace

BOOST_AUTO_TEST_CASE(lagrange_equations_of_the_double_pendulum) {
  const Eigen::Vector2d q(0.7, -1.1), v(1.3, -0.6);
  const Values by_energies = evaluate(*make_system(DoublePendulumByEnergies{}), 0.0, q, v);
  compare(by_energies, evaluate(*make_system(DoublePendulumByHand{}), 0.0, q, v), 1e-13);
  BOOST_TEST(std::abs(by_energies.power) < 1e-13);
}

BOOST_AUTO_TEST_CASE(explicit_time_dependence_and_dissipation) {
  const Eigen::Vector2d q(0.7, -1.1), v(1.3, -0.6);
  for (const double t : {0.0, 0.8, 2.1}) {
    compare(evaluate(*make_system(RheonomicByEnergies{}), t, q, v), evaluate(*make_system(RheonomicByHand{}), t, q, v),
            1e-12);
  }
}

BOOST_AUTO_TEST_CASE(energy_changes_by_the_power) {
  // dE/dt along the unconstrained motion by differences.
  const auto system = make_system(RheonomicByEnergies{});
  const Eigen::Vector2d q(0.7, -1.1), v(1.3, -0.6);
  const double t = 0.8, s = 1e-5;
  const Values now = evaluate(*system, t, q, v);
  const Eigen::Vector2d a = block(now, "mass").llt().solve(block(now, "force"));
  const auto energy = [&](double x) { return evaluate(*system, t + x, q + x * v + 0.5 * x * x * a, v + x * a).energy; };
  BOOST_TEST(std::abs((energy(s) - energy(-s)) / (2.0 * s) - now.power) < 1e-8);
  BOOST_TEST(std::abs(now.power) > 0.1);
}

BOOST_AUTO_TEST_CASE(energy_balance_of_a_driven_damped_oscillator) {
  for (const auto& system : {make_system(Oscillator{}), make_system(OscillatorByHand{})}) {
    SimulationOptions options;
    options.t_end = 8.0;
    options.integrator = "dopri5";
    options.rtol = options.atol = 1e-10;
    const Simulation run = simulate(system, {0.0, VectorXd::Constant(1, 0.5), VectorXd::Constant(1, -0.2)}, options);
    BOOST_REQUIRE(run.status.finished());
    BOOST_TEST(run.report.energy_drift < 1e-8);
    const auto last = run.trajectory.size() - 1;
    const double q = run.trajectory.q(last)[0], v = run.trajectory.v(last)[0];
    BOOST_TEST(std::abs(0.5 * v * v + 2.0 * q * q - 0.52) > 0.1);  // the drive and the damper did work
    // closed form: particular solution A cos 3t + B sin 3t of q'' + 0.3 q' + 4 q = cos 3t, and a decaying rest
    const double D = 25.0 + 0.81, A = -5.0 / D, B = 0.9 / D, w = std::sqrt(4.0 - 0.0225), t = 8.0;
    const double c = 0.5 - A, d = (-0.2 - 3.0 * B + 0.15 * c) / w;
    const double exact = A * std::cos(3.0 * t) + B * std::sin(3.0 * t) +
                         std::exp(-0.15 * t) * (c * std::cos(w * t) + d * std::sin(w * t));
    BOOST_TEST(std::abs(q - exact) < 1e-8);
  }
}

BOOST_AUTO_TEST_CASE(plain_double_equals_templated) {
  const Eigen::Vector3d q(0.7, 0.4, 0.5), v(0.3, -0.2, 0.6);
  const Values generic = evaluate(*make_system(test::Everything{}), 0.6, q, v);
  const Values plain = evaluate(*make_system(test::EverythingDouble{}), 0.6, q, v);
  for (const char* exact : {"mass", "force", "position"}) {
    BOOST_TEST((block(generic, exact) - block(plain, exact)).norm() == 0.0);
  }
  compare(plain, generic, 1e-4);  // second differences
  for (const char* first : {"velocity", "jacobian"}) {
    BOOST_TEST((block(generic, first) - block(plain, first)).norm() < 1e-8);
  }
  for (const char* nested : {"residual_q", "residual_v"}) {  // differences of a difference Jacobian
    BOOST_TEST((block(generic, nested) - block(plain, nested)).norm() < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(run_time_sizes_equal_compile_time_sizes) {
  const VectorXd q = ramp(11, -0.8, 0.9), v = ramp(11, 1.2, -0.7);
  const auto fixed = make_system(Ring<11>{}), dynamic = make_system(RunTimeRing<11>{});
  BOOST_TEST(dynamic->num_positions() == 11);
  BOOST_TEST(dynamic->num_position_constraints() == 2);
  BOOST_TEST(dynamic->num_velocity_constraints() == 1);
  compare(evaluate(*dynamic, 0.4, q, v), evaluate(*fixed, 0.4, q, v), 1e-14);
}

BOOST_AUTO_TEST_CASE(sparse_storage_equals_dense) {
  std::vector<std::shared_ptr<const MechanicalSystem>> systems{make_system(test::Everything{}),
                                                               make_system(Ring<11>{})};
  for (const char* name : {"andrews", "chain", "n_four_bar", "two_link"}) {
    systems.push_back(mechanisms::find_mechanism(name).make(4).system);
  }
  for (const auto& system : systems) {
    const VectorXd q = ramp(system->num_positions(), -0.8, 0.9), v = ramp(system->num_positions(), 1.2, -0.7);
    const Values dense = evaluate(*system, 0.4, q, v), sparse = evaluate(*system, 0.4, q, v, internal::Storage::sparse);
    compare(sparse, dense, 1e-15);
    BOOST_TEST(sparse.energy == dense.energy);
  }
}

BOOST_AUTO_TEST_CASE(p26_pattern_does_not_depend_on_the_point) {
  // Entries that vanish at q = 0 are part of the pattern.
  const auto system = make_system(Ring<11>{});
  const auto w = make_workspace(*system, internal::Storage::sparse);
  const MatrixXd at_zero = block(evaluate(*system, 0.0, VectorXd::Zero(11), VectorXd::Zero(11)), "mass");
  const MatrixXd elsewhere = block(evaluate(*system, 0.0, ramp(11, 0.2, 0.9), VectorXd::Zero(11)), "mass");
  BOOST_TEST((at_zero.array() != 0.0).count() == 11);
  BOOST_TEST(w->patterns->mass.nonzeros() == (elsewhere.array() != 0.0).count());
}

BOOST_AUTO_TEST_CASE(assembly_equals_the_model_written_as_one) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 2);
  const Block b = assembly.add_coordinates("b", 2);
  assembly.add("first", test::Pendulum{}, {a});
  assembly.add("second", test::Pendulum{}, {b});
  assembly.add("link", test::Link{}, {a, b});
  const auto together = assembly.build(), single = make_system(TwoLinked{});
  const Eigen::Vector4d q(0.6, -0.7, -0.4, 0.8), v(0.2, 0.5, -0.9, 1.1);
  for (const internal::Storage storage : {internal::Storage::dense, internal::Storage::sparse}) {
    compare(evaluate(*together, 0.3, q, v, storage), evaluate(*single, 0.3, q, v), 1e-15);
  }
  BOOST_TEST(together->constraint_name(0) == "first");
  BOOST_TEST(together->constraint_name(2) == "link");
}

BOOST_AUTO_TEST_CASE(position_rows_come_before_velocity_rows) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 3);
  const Block b = assembly.add_coordinates("b", 2);
  assembly.add("first", test::Everything{}, {a});
  assembly.add("second", test::Pendulum{}, {b});
  const auto system = assembly.build();
  BOOST_TEST(system->num_position_constraints() == 2);
  BOOST_TEST(system->num_velocity_constraints() == 1);
  VectorXd q(5), v(5);
  q << 0.7, 0.4, 0.5, 0.6, -0.9;
  v << 0.3, -0.2, 0.6, 1.0, 0.1;
  const Values both = evaluate(*system, 0.4, q, v);
  const Values first = evaluate(*make_system(test::Everything{}), 0.4, q.head(3), v.head(3));
  const Values second = evaluate(*make_system(test::Pendulum{}), 0.4, q.tail(2), v.tail(2));
  const MatrixXd G = block(both, "jacobian");
  BOOST_TEST((G.block(0, 0, 1, 3) - block(first, "jacobian").row(0)).norm() == 0.0);
  BOOST_TEST((G.block(1, 3, 1, 2) - block(second, "jacobian")).norm() == 0.0);
  BOOST_TEST((G.block(2, 0, 1, 3) - block(first, "jacobian").row(1)).norm() == 0.0);
  BOOST_TEST(G.block(1, 0, 1, 3).norm() + G.block(0, 3, 1, 2).norm() + G.block(2, 3, 1, 2).norm() == 0.0);
  BOOST_TEST(block(both, "velocity")(2) == block(first, "velocity")(1));
  BOOST_TEST(block(both, "bias")(2) == block(first, "bias")(1));
}

BOOST_AUTO_TEST_CASE(all_derivatives_pass_the_checker) {
  const Eigen::Vector3d q(0.7, 0.4, 0.5), v(0.3, -0.2, 0.6);
  const DerivativeCheck generic = check_derivatives(make_system(test::Everything{}), 0.6, q, v, 1e-7);
  BOOST_TEST(generic.passed, generic.text());
  BOOST_TEST(generic.worst.size() == 8U);
  // In plain double the checker differences second differences: noise 1e-8 / 1e-5.
  const DerivativeCheck plain = check_derivatives(make_system(test::EverythingDouble{}), 0.6, q, v, 2e-3);
  BOOST_TEST(plain.passed, plain.text());
  for (const auto& system : {make_system(RheonomicByEnergies{}), make_system(DoublePendulumByEnergies{})}) {
    const DerivativeCheck check = check_derivatives(system, 0.6, q2, v2, 1e-7);
    BOOST_TEST(check.passed, check.text());
  }
  for (const auto& system : {make_system(Ring<11>{}), make_system(RunTimeRing<11>{})}) {
    const DerivativeCheck check = check_derivatives(system, 0.6, ramp(11, -0.8, 0.9), ramp(11, 1.2, -0.7), 1e-7);
    BOOST_TEST(check.passed, check.text());
  }
  for (const mechanisms::MechanismEntry& e : mechanisms::mechanism_registry()) {
    const auto system = e.make(3).system;
    const int n = system->num_positions();
    const DerivativeCheck check = check_derivatives(system, 0.2, ramp(n, -0.8, 0.9), ramp(n, 1.2, -0.7), 1e-6);
    BOOST_TEST(check.passed, e.name << "\n" << check.text());
  }
}

BOOST_AUTO_TEST_CASE(supplied_derivatives_pass_if_right) {
  const DerivativeCheck check = check_derivatives(make_system(Supplied{}), 0.6, q2, v2, 1e-7);
  BOOST_TEST(check.passed, check.text());
}

BOOST_AUTO_TEST_CASE(supplied_derivatives_are_used_and_wrong_ones_are_named) {
  const auto check = [](double Supplied::*member) {
    Supplied model;
    model.*member = 0.25;
    const auto system = make_system(model);
    *model.spoilt = true;
    return check_derivatives(system, 0.6, q2, v2, 1e-5);
  };
  const auto names = [](const DerivativeCheck& c, const char* quantity, const char* row, const char* column,
                        double difference) {
    BOOST_TEST_CONTEXT(quantity << "\n" << c.text()) {
      const DerivativeEntry e = entry(c, quantity);
      BOOST_TEST(!c.passed);
      BOOST_TEST(e.row == row);
      BOOST_TEST(e.column == column);
      BOOST_TEST(std::abs(e.supplied - e.difference - difference) < 1e-7);
      BOOST_TEST(e.error > 1e-3);
      BOOST_TEST(c.text().find(row) != std::string::npos);
    }
  };
  names(check(&Supplied::spoil_jacobian), "constraint_jacobian", "rod", "y", 0.25);
  BOOST_TEST(std::abs(entry(check(&Supplied::spoil_jacobian), "constraint_jacobian").difference - q2[1]) < 1e-8);
  names(check(&Supplied::spoil_bias), "acceleration bias (gamma)", "rod", "-", -0.25);
  names(check(&Supplied::spoil_f_q), "d(M a + G^T lambda - f)/dq", "y", "x", -0.25);
  names(check(&Supplied::spoil_f_v), "d(M a + G^T lambda - f)/dv", "x", "x", -0.25);
  names(check(&Supplied::spoil_inertia), "d(M a + G^T lambda - f)/dq", "x", "y", 0.25);
  names(check(&Supplied::spoil_K), "d(M a + G^T lambda - f)/dq", "y", "y", 0.25);
}

BOOST_AUTO_TEST_CASE(sources_say_what_supplied_each_derivative) {
  const auto source = [](const MechanicalSystem& system, const std::string& quantity) -> std::string {
    for (const auto& [key, value] : system.sources()) {
      if (key == quantity) return value;
    }
    return "";
  };
  BOOST_TEST(source(*make_system(Supplied{}), "constraint_jacobian") == "model (rung 1)");
  BOOST_TEST(source(*make_system(Supplied{}), "force_jacobians") == "model (rung 2)");
  BOOST_TEST(source(*make_system(test::Pendulum{}), "constraint_jacobian") == "dual numbers");
  BOOST_TEST(source(*make_system(test::EverythingDouble{}), "constraint_jacobian") == "central differences");
}

BOOST_AUTO_TEST_CASE(declared_sparsity_is_the_pattern) {
  const auto w = make_workspace(*make_system(DeclaredPattern{}), internal::Storage::sparse);
  BOOST_TEST(w->patterns->mass.nonzeros() == 2);
  BOOST_TEST(w->patterns->mass.slot(0, 1) == -1);
  BOOST_TEST(w->patterns->jacobian.nonzeros() == 2);
  BOOST_TEST(w->patterns->tangent.nonzeros() == 2);
  compare(evaluate(*make_system(DeclaredPattern{}), 0.0, q2, v2, internal::Storage::sparse),
          evaluate(*make_system(test::Pendulum{}), 0.0, q2, v2), 1e-15);
}

BOOST_AUTO_TEST_CASE(pattern_is_full_where_random_points_are_outside_the_domain) {
  const auto system = make_system(NarrowDomain{});
  const Eigen::Vector2d q(7.0, 1.0);
  compare(evaluate(*system, 0.0, q, v2, internal::Storage::sparse), evaluate(*system, 0.0, q, v2), 1e-15);
}

BOOST_AUTO_TEST_CASE(a_model_may_decline_a_point) {
  const auto system = make_system(Declining{});
  const auto w = make_workspace(*system, internal::Storage::dense);
  const Eigen::Vector2d left(-0.6, -0.8), right(0.6, -0.8);
  BOOST_TEST(evaluate_system(*system, internal::request::force, {0.0, right.data(), v2.data(), nullptr, nullptr}, *w));
  BOOST_TEST(!evaluate_system(*system, internal::request::force, {0.0, left.data(), v2.data(), nullptr, nullptr}, *w));
  BOOST_CHECK_THROW(check_derivatives(system, 0.0, left, v2), Error);
}

BOOST_AUTO_TEST_CASE(wrong_sizes_are_refused) {
  BOOST_CHECK_THROW(check_derivatives(make_system(test::Pendulum{}), 0.0, Eigen::Vector3d::Zero(), v2), Error);
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 3);
  BOOST_CHECK_THROW(assembly.add("pendulum", test::Pendulum{}, {a}), Error);  // wants two coordinates
  BOOST_CHECK_THROW(assembly.add_coordinates("a", 2), Error);                 // name taken
  BOOST_CHECK_THROW(assembly.add_coordinates("b", 0), Error);
  BOOST_CHECK_THROW(Assembly().build(), Error);
}
