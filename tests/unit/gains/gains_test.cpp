// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/gains/gains.hpp>
#include <sunlagrange/model/make_system.hpp>

#include "formulation/parts/stabilization.hpp"

using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;

namespace {

/// The text of the Error that `f` throws; empty if it throws none.
template <class F>
std::string complaint(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

MatrixXd expanded(const GainMatrix& K) {
  MatrixXd full(K.size(), K.size());
  for (int i = 0; i < K.size(); ++i) {
    for (int j = 0; j < K.size(); ++j) full(i, j) = K(i, j);
  }
  return full;
}

/// Two rows of g and one of psi.
struct ThreeRows {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 2;
  static constexpr int num_velocity_constraints = 1;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = M(1, 1) = M(2, 2) = 1.0; }
  void applied_force(double, View<const double>, View<const double>, View<double>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[0];
    g[1] = q[1];
  }
  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[2];
  }
};

const MatrixXd A = (MatrixXd(2, 2) << 4.0, 1.0, 1.0, 3.0).finished();
const MatrixXd B = (MatrixXd(2, 2) << 5.0, -2.0, -2.0, 6.0).finished();
const MatrixXd D = (MatrixXd(2, 2) << 2.0, 0.5, 0.5, 1.0).finished();

}  // namespace

BOOST_AUTO_TEST_CASE(one_value_is_a_multiple_of_the_identity) {
  const GainMatrix K = Gain(3.0).matrix(2, "K_D", true);
  BOOST_TEST(K.is_diagonal());
  BOOST_TEST((expanded(K) - 3.0 * MatrixXd::Identity(2, 2)).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(one_value_per_constraint_is_a_diagonal) {
  const GainMatrix K = Gain(std::vector<double>{3.0, 5.0}).matrix(2, "K_D", true);
  BOOST_TEST(K.is_diagonal());
  BOOST_TEST((expanded(K) - MatrixXd(Eigen::Vector2d(3.0, 5.0).asDiagonal())).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(full_matrix_keeps_rows_and_columns) {
  const GainMatrix K = Gain(B).matrix(2, "K_P", true);
  BOOST_TEST(!K.is_diagonal());
  BOOST_TEST((expanded(K) - B).norm() == 0.0);
  BOOST_TEST(K.size() == 2);
}

BOOST_AUTO_TEST_CASE(critically_damped_is_remark_3) {
  const Gains gains = Gains::critically_damped({2.0, 5.0});
  BOOST_TEST((expanded(gains.K_D.matrix(2, "K_D", true)).diagonal() - Eigen::Vector2d(4.0, 10.0)).norm() == 0.0);
  BOOST_TEST((expanded(gains.K_P.matrix(2, "K_P", true)).diagonal() - Eigen::Vector2d(4.0, 25.0)).norm() == 0.0);
  BOOST_TEST(gains.Lambda.automatic());
  BOOST_TEST(gains.K_N.automatic());
}

BOOST_AUTO_TEST_CASE(natural_frequency_and_damping_ratio) {
  const Gains gains = Gains::natural_frequency(3.0, 0.5);
  BOOST_TEST(gains.K_D.matrix(1, "K_D", true).diagonal[0] == 3.0);
  BOOST_TEST(gains.K_P.matrix(1, "K_P", true).diagonal[0] == 9.0);
}

BOOST_AUTO_TEST_CASE(excess_energy_divides_by_the_excess_mass_erratum_e3) {
  const Gains gains = Gains::from_excess_energy(A, B, D);
  // A (g'' + K_D g' + K_P g) must be A g'' + D g' + B g: the products are not symmetric, and that is accepted.
  BOOST_TEST((A * expanded(gains.K_P.matrix(2, "K_P", true)) - B).norm() < 1e-14);
  BOOST_TEST((A * expanded(gains.K_D.matrix(2, "K_D", true)) - D).norm() < 1e-14);
  BOOST_TEST((expanded(gains.Lambda.matrix(2, "Lambda", false)) - A).norm() == 0.0);
  const MatrixXd K_P = expanded(gains.K_P.matrix(2, "K_P", true));
  BOOST_TEST(std::abs(K_P(0, 1) - K_P(1, 0)) > 0.05);
  BOOST_TEST(contains(complaint([] { Gains::from_excess_energy(-A, B, D); }), "excess mass"));
  BOOST_TEST(contains(complaint([] { Gains::from_excess_energy(A, -B, D); }), "excess stiffness"));
  BOOST_TEST(contains(complaint([] { Gains::from_excess_energy(A, B, MatrixXd::Identity(3, 3)); }), "same size"));
}

BOOST_AUTO_TEST_CASE(parse_reads_what_the_program_documents) {
  const Gains gains = Gains::parse("K_D=20,10;K_P=4,1,1,3;K_N=2;Lambda=10");
  BOOST_TEST((expanded(gains.K_D.matrix(2, "K_D", true)).diagonal() - Eigen::Vector2d(20.0, 10.0)).norm() == 0.0);
  BOOST_TEST((expanded(gains.K_P.matrix(2, "K_P", true)) - A).norm() == 0.0);
  BOOST_TEST(gains.K_N.matrix(1, "K_N", true).diagonal[0] == 2.0);
  BOOST_TEST(gains.Lambda.matrix(4, "Lambda", false).diagonal[3] == 10.0);
  BOOST_TEST(gains.K_D.text() == "20,10");
  const Gains some = Gains::parse("K_P=1e2");
  BOOST_TEST(some.K_D.automatic());
  BOOST_TEST(some.K_D.text() == "automatic");
  BOOST_TEST(some.K_P.matrix(1, "K_P", true).diagonal[0] == 100.0);
  BOOST_TEST(Gains::parse("").K_D.automatic());
}

BOOST_AUTO_TEST_CASE(long_lists_are_shortened) {
  std::vector<double> values(20, 2.5);
  BOOST_TEST(Gain(values).text() == "2.5 (each of 20)");
  values.back() = 3.0;
  BOOST_TEST(Gain(values).text() == "2.5,2.5,2.5,2.5,2.5,2.5,2.5,2.5,... (20 values)");
  values.assign(9, 2.5);
  BOOST_TEST(Gain(values).text() == "2.5,2.5,2.5,2.5,2.5,2.5,2.5,2.5,2.5");
}

BOOST_AUTO_TEST_CASE(parse_names_what_it_does_not_understand) {
  BOOST_TEST(contains(complaint([] { Gains::parse("K_X=1"); }), "K_X"));
  BOOST_TEST(contains(complaint([] { Gains::parse("K_D"); }), "K_D"));
  BOOST_TEST(contains(complaint([] { Gains::parse("K_D=1,two"); }), "\"two\""));
  BOOST_TEST(contains(complaint([] { Gains::parse("K_D=1x"); }), "\"1x\""));
  BOOST_TEST(contains(complaint([] { Gains::parse("K_P="); }), "K_P"));
  BOOST_TEST(contains(complaint([] { Gains::parse("K_D=1;K_P=2;K_D=3"); }), "K_D is given twice"));
}

BOOST_AUTO_TEST_CASE(matrix_refuses_what_is_not_positive_definite) {
  const auto refuse = [](const Gain& gain, int m, bool allow_zero) {
    return complaint([&] { gain.matrix(m, "K_P", allow_zero); });
  };
  BOOST_TEST(contains(refuse(Gain(-1.0), 2, true), "K_P"));
  BOOST_TEST(contains(refuse(Gain(std::vector<double>{1.0, -2.0}), 2, true), "entry 2 is -2"));
  BOOST_TEST(refuse(Gain(0.0), 2, true) == "");
  BOOST_TEST(contains(refuse(Gain(0.0), 2, false), "must be positive"));
  BOOST_TEST(contains(refuse(Gain(std::vector<double>{1.0, 2.0, 3.0}), 2, true), "3 values"));
  BOOST_TEST(contains(refuse(Gain(MatrixXd((MatrixXd(2, 2) << 1.0, 2.0, 2.0, 1.0).finished())), 2, true),
                      "not symmetric positive definite"));
  BOOST_TEST(contains(refuse(Gain(MatrixXd((MatrixXd(2, 2) << 2.0, 1.0, 0.0, 2.0).finished())), 2, true),
                      "not symmetric positive definite"));
  BOOST_TEST(contains(refuse(Gain(std::nan("")), 1, true), "not finite"));
}

BOOST_AUTO_TEST_CASE(stabilization_subtracts_full_matrices_block_by_block) {
  FormulationInput input;
  input.system = make_system(ThreeRows{});
  input.start = consistent_state(input.system, {0.0, Eigen::Vector3d::Zero(), {}}).state;
  input.gains.K_D = Gain(A);
  input.gains.K_P = Gain(B);
  input.gains.K_N = Gain(7.0);
  const Stabilization s = automatic_gains(input);
  Workspace w;
  w.gamma = Eigen::Vector3d(1.0, 2.0, 3.0);
  w.g_rate = Eigen::Vector3d(0.1, -0.2, 0.4);
  w.g = Eigen::Vector2d(0.5, 0.7);
  Eigen::VectorXd b;
  s.right_hand_side(w, b);
  Eigen::Vector3d expected(1.0, 2.0, 3.0 - 7.0 * 0.4);
  expected.head<2>() -= A * Eigen::Vector2d(0.1, -0.2) + B * Eigen::Vector2d(0.5, 0.7);
  BOOST_TEST((b - expected).norm() < 1e-15);
}
