// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <string>

#include <sunlagrange/sunlagrange.hpp>

/// Members that contradict the functions of a model are refused when the system is made; right ones pass.
using namespace sunlagrange;

namespace {

/// What a member states wrongly.
enum class Wrong {
  nothing,
  sign,
  factor,
  entry,
  bias,
  rate,
  force_by_q,
  force_by_v,
  inertia,
  constraint_force,
};

/// A rod of length 1 on a spring, with an inertia that depends on the position, and every derivative by hand.
template <Wrong wrong>
struct ByHand {
  double size = 1.0;  ///< of one entry of G, for errors of a given size

  static constexpr int num_positions = 2, num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = 2.0 + q[1] * q[1];
    M(1, 1) = T(3.0);
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = -5.0 * q[0] * q[0] * q[0];
    f[1] = -9.81 - 0.1 * v[1] * v[1];
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0) - 0.1 * t * t;
  }
  void constraint_jacobian(double, View<const double> q, MatrixView<double> G) const {
    const double sign = wrong == Wrong::sign ? -1.0 : wrong == Wrong::factor ? 2.0 : 1.0;
    G(0, 0) = sign * q[0];
    G(0, 1) = wrong == Wrong::entry ? 0.0 : sign * size * q[1];
  }
  void constraint_acceleration_bias(double, View<const double>, View<const double> v, View<double> gamma) const {
    gamma[0] = (wrong == Wrong::bias ? 0.9 : 1.0) * (0.2 - v[0] * v[0] - v[1] * v[1]);
  }
  void force_jacobians(double, View<const double> q, View<const double> v, MatrixView<double> f_q,
                       MatrixView<double> f_v) const {
    f_q(0, 0) = (wrong == Wrong::force_by_q ? 15.0 : -15.0) * q[0] * q[0];
    f_v(1, 1) = (wrong == Wrong::force_by_v ? -0.1 : -0.2) * v[1];
  }
  void inertia_jacobian(double, View<const double> q, View<const double> a, MatrixView<double> Ma_q) const {
    Ma_q(0, wrong == Wrong::inertia ? 0 : 1) = 2.0 * q[1] * a[0];
  }
  void constraint_force_jacobian(double, View<const double>, View<const double> lambda, MatrixView<double> K) const {
    K(0, 0) = K(1, 1) = lambda[0];
    if (wrong == Wrong::constraint_force) K(0, 1) = lambda[0];
  }
};

/// The same rows by constraint_rows.
template <Wrong wrong>
struct RowsByHand : ByHand<Wrong::nothing> {
  void constraint_rows(double t, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    constraint(t, q, g);
    const double time = wrong == Wrong::rate ? 0.0 : 0.2 * t;
    rate[0] = q[0] * v[0] + q[1] * v[1] - time;
    gamma[0] = (wrong == Wrong::bias ? -1.0 : 1.0) * (0.2 - v[0] * v[0] - v[1] * v[1]);
    G(0, 0) = q[0];
    G(0, 1) = wrong == Wrong::entry ? q[0] : q[1];
  }
};

/// A cart and a bob with a pattern; `left_out` is the entry that it lacks.
enum class LeftOut { nothing, mass, row, stiffness, damping, rolling };
template <LeftOut left_out>
struct Pattern {
  static constexpr int num_positions = 3, num_constraints = 1, num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = T(2.0);
    M(1, 1) = T(1.0);
    M(2, 2) = T(0.5);
    M(0, 1) = M(1, 0) = cos(q[1]);
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = sin(q[1]) * v[1] * v[1] - 3.0 * q[0];
    f[1] = -9.81 * sin(q[1]);
    f[2] = -0.1 * v[0];
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[2] - sin(q[1]);
  }
  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = v[0] - q[2] * v[1];
  }
  LocalSparsity sparsity() const {
    LocalSparsity s;
    s.mass = {{0, 0}, {1, 1}, {2, 2}, {0, 1}};
    if (left_out != LeftOut::mass) s.mass.emplace_back(1, 0);
    s.jacobian = {{0, 2}, {1, 0}, {1, 1}};
    if (left_out != LeftOut::row) s.jacobian.emplace_back(0, 1);
    if (left_out != LeftOut::rolling) s.jacobian.emplace_back(1, 2);
    s.tangent = {{0, 0}, {0, 1}, {1, 1}, {1, 2}};
    if (left_out == LeftOut::stiffness) s.tangent.pop_back();
    if (left_out != LeftOut::damping) s.tangent.emplace_back(2, 0);
    return s;
  }
};

/// A mass that is said to be constant beside a pattern.
struct SaidConstant {
  static constexpr int num_positions = 1;
  static constexpr bool constant_mass_matrix = true;
  template <class T>
  void mass_matrix(T t, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0 + 0.5 * t;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  LocalSparsity sparsity() const { return {{{0, 0}}, {}, {}}; }
};

/// Defined far from the points between 0.1 and 1 only; the Jacobian has the wrong sign.
struct FarAway : ByHand<Wrong::sign> {
  template <class T>
  bool constraint(T t, View<const T> q, View<T> g) const {
    ByHand<Wrong::sign>::constraint(t, q, g);
    return value_of(q[0]) > 2.0;
  }
};

/// Right only where the first coordinate is positive.
struct WrongSide : ByHand<Wrong::nothing> {
  void constraint_jacobian(double, View<const double> q, MatrixView<double> G) const {
    G(0, 0) = std::abs(q[0]);
    G(0, 1) = q[1];
  }
};

/// Forces with kinks and a steep step: differences across them say nothing.
struct Kinks {
  static constexpr int num_positions = 2;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = M(1, 1) = 1.0; }
  void applied_force(double, View<const double> q, View<const double> v, View<double> f) const {
    f[0] = -1e6 * std::max(q[0] - 0.5, 0.0) - std::tanh(1e4 * (v[0] - 0.4));
    f[1] = -1e9 * (std::abs(q[1]) - 0.3);
  }
  void force_jacobians(double, View<const double> q, View<const double> v, MatrixView<double> f_q,
                       MatrixView<double> f_v) const {
    f_q(0, 0) = q[0] > 0.5 ? -1e6 : 0.0;
    const double c = std::cosh(std::min(1e4 * std::abs(v[0] - 0.4), 300.0));
    f_v(0, 0) = -1e4 / (c * c);
    f_q(1, 1) = q[1] > 0.0 ? -1e9 : 1e9;
  }
};

template <class Model>
std::string refusal(const Model& model) {
  try {
    make_system(model);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class Model>
void is_refused(const Model& model, const std::vector<std::string>& words) {
  const std::string said = refusal(model);
  for (const std::string& word : words)
    BOOST_TEST(said.find(word) != std::string::npos, "not \"" << word << "\" in: " << said);
}

}  // namespace

BOOST_AUTO_TEST_CASE(derivatives_by_hand_that_are_right_pass) {
  BOOST_TEST(refusal(ByHand<Wrong::nothing>{}) == "");
  BOOST_TEST(refusal(RowsByHand<Wrong::nothing>{}) == "");
  BOOST_TEST(refusal(Pattern<LeftOut::nothing>{}) == "");
  BOOST_TEST(refusal(Kinks{}) == "");
}

BOOST_AUTO_TEST_CASE(wrong_derivatives_are_named_with_both_values) {
  is_refused(ByHand<Wrong::sign>{}, {"model: constraint_jacobian: row \"constraint\", column \"q", "by differences"});
  is_refused(ByHand<Wrong::factor>{}, {"constraint_jacobian: row \"constraint\""});
  is_refused(ByHand<Wrong::entry>{}, {"constraint_jacobian: row \"constraint\", column \"q1\" is 0"});
  is_refused(ByHand<Wrong::bias>{}, {"constraint_acceleration_bias: row \"constraint\" is"});
  is_refused(ByHand<Wrong::force_by_q>{}, {"force_jacobians: f_q: row \"q0\", column \"q0\""});
  is_refused(ByHand<Wrong::force_by_v>{}, {"force_jacobians: f_v: row \"q1\", column \"q1\""});
  is_refused(ByHand<Wrong::inertia>{}, {"inertia_jacobian: row \"q0\""});
  is_refused(ByHand<Wrong::constraint_force>{}, {"constraint_force_jacobian: row \"q0\", column \"q1\""});
  is_refused(RowsByHand<Wrong::entry>{}, {"constraint_rows: G: row \"constraint\", column \"q1\""});
  is_refused(RowsByHand<Wrong::rate>{}, {"constraint_rows: rate: row \"constraint\" is"});
  is_refused(RowsByHand<Wrong::bias>{}, {"constraint_rows: gamma: row \"constraint\" is"});
}

// A row that is wrong by 1e-5 moves the motion by as much; one that is wrong by rounding does not matter.
BOOST_AUTO_TEST_CASE(small_errors_of_rows_are_seen) {
  ByHand<Wrong::nothing> model;
  model.size = 1.0 + 1e-5;
  is_refused(model, {"constraint_jacobian", "\"q1\""});
  model.size = 1.0 + 1e-9;
  BOOST_TEST(refusal(model) == "");
}

BOOST_AUTO_TEST_CASE(entries_that_a_pattern_leaves_out_are_named) {
  is_refused(Pattern<LeftOut::mass>{}, {"sparsity().mass leaves out (1, 0)", "\"q1\"", "\"q0\""});
  is_refused(Pattern<LeftOut::row>{}, {"sparsity().jacobian leaves out (0, 1)", "\"constraint[0]\"", "\"q1\""});
  is_refused(Pattern<LeftOut::rolling>{}, {"sparsity().jacobian leaves out (1, 2)", "\"q2\""});
  is_refused(Pattern<LeftOut::stiffness>{}, {"sparsity().tangent leaves out (1, 2)"});
  is_refused(Pattern<LeftOut::damping>{}, {"sparsity().tangent leaves out (2, 0)"});
  is_refused(SaidConstant{}, {"constant_mass_matrix = true, but M(0, 0)"});
}

BOOST_AUTO_TEST_CASE(points_of_other_sizes_and_signs_are_tried) {
  is_refused(FarAway{}, {"constraint_jacobian"});
  is_refused(WrongSide{}, {"constraint_jacobian", "\"q0\""});
}

// Elements of an assembly are examined one by one: the element is named.
BOOST_AUTO_TEST_CASE(a_wrong_element_among_many_is_named) {
  Assembly assembly;
  for (const char* name : {"first", "second", "third"}) {
    ByHand<Wrong::nothing> rod;
    if (name == std::string("second")) rod.size = 1.1;
    assembly.add(std::string(name) + " rod", rod, {assembly.add_coordinates(name, 2)});
  }
  try {
    assembly.build();
    BOOST_ERROR("nothing is refused");
  } catch (const Error& error) {
    const std::string said = error.what();
    BOOST_TEST(said.find("row \"second rod\", column \"second[1]\"") != std::string::npos, said);
  }
}
