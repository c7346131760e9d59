// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <random>

#include <Eigen/Dense>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"

/// The analysis says what the matrices say: rank, relations, null vectors are checked against G evaluated here.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd jacobian(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  const auto w = make_workspace(system, internal::Storage::dense);
  BOOST_REQUIRE(
      evaluate_system(system, internal::request::acceleration_level, {t, q.data(), v.data(), nullptr, nullptr}, *w));
  return w->G.dense();
}

/// Linear constraints A q = 0 with a full mass matrix.
struct Linear {
  MatrixXd A;
  double heavy = 1.0;
  int num_positions() const { return static_cast<int>(A.cols()); }
  int num_constraints() const { return static_cast<int>(A.rows()); }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < num_positions(); ++i) {
      for (int j = 0; j < num_positions(); ++j) M(i, j) = heavy * (i == j ? 2.0 + i : 0.3 / (1 + std::abs(i - j)));
    }
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = 1.0;
    f[num_positions() - 1] = -2.0;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    for (int i = 0; i < num_constraints(); ++i) {
      g[i] = T(0.0);
      for (int j = 0; j < num_positions(); ++j) g[i] += A(i, j) * q[j];
    }
  }
};

/// What holds for every report.
void check_laws(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v,
                const RedundancyReport& r, double exactness = 1e-12) {
  const MatrixXd G = jacobian(system, t, q, v);
  const auto m = static_cast<int>(G.rows());
  BOOST_REQUIRE(r.status.finished());
  BOOST_TEST(r.rows == m);
  BOOST_TEST(r.redundant == m - r.rank);
  BOOST_TEST(static_cast<int>(r.dependent.size()) == r.redundant);
  BOOST_TEST(r.singular_values.size() == m);
  std::vector<int> removed;
  for (const DependentConstraint& d : r.dependent) {
    removed.push_back(d.row);
    BOOST_TEST(d.constraint == system.constraint_name(d.row));
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(G.cols());
    double size = G.row(d.row).norm();
    for (const RelationTerm& term : d.relation) {
      sum += term.coefficient * G.row(term.row);
      size = std::max(size, std::abs(term.coefficient) * G.row(term.row).norm());
      BOOST_TEST(term.constraint == system.constraint_name(term.row));
    }
    BOOST_TEST((G.row(d.row) - sum).norm() <= exactness * std::max(size, 1e-12), d.constraint);
  }
  // the remaining rows are independent
  MatrixXd kept(r.rank, G.cols());
  for (int i = 0, k = 0; i < m; ++i) {
    if (std::find(removed.begin(), removed.end(), i) == removed.end()) kept.row(k++) = G.row(i).normalized();
  }
  if (r.rank > 0) BOOST_TEST(Eigen::JacobiSVD<MatrixXd>(kept).singularValues()[r.rank - 1] > 1e-3);
  // lambda_i is unique iff no null vector of G^T has an entry there
  const Eigen::JacobiSVD<MatrixXd> svd(G.rowwise().normalized(), Eigen::ComputeFullU);
  const MatrixXd null = svd.matrixU().rightCols(m - r.rank);
  std::vector<bool> in_group(static_cast<std::size_t>(m), false);
  for (const auto& group : r.groups) {
    for (const int row : group) in_group[static_cast<std::size_t>(row)] = true;
  }
  for (int i = 0; i < m; ++i) {
    BOOST_TEST(r.unique_multipliers[static_cast<std::size_t>(i)] == (null.row(i).norm() < 1e-6),
               system.constraint_name(i));
    BOOST_TEST(in_group[static_cast<std::size_t>(i)] == !r.unique_multipliers[static_cast<std::size_t>(i)]);
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A rod from the ground to a beam, both ends `offset` along.
struct Rod {
  double offset = 0.0;  // on the beam and on the ground
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const T x = q[0] + offset * cos(q[2]) - offset, y = q[1] + offset * sin(q[2]);
    g[0] = 0.5 * (x * x + y * y - 1.0);
  }
};

/// A beam on parallel rods of equal length: every rod after the second repeats.
std::shared_ptr<const MechanicalSystem> carried_beam(int rods) {
  Assembly assembly;
  const Block beam = assembly.add_coordinates("beam", 3);
  assembly.add("inertia", PlanarRigidBody{1.0, 0.3}, {beam});
  for (int k = 0; k < rods; ++k) assembly.add("rod " + std::to_string(k), Rod{0.7 * k}, {beam});
  return assembly.build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(p22_random_dependent_rows) {
  std::mt19937 random(7U);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const int rank : {1, 3, 5}) {  // rows of rank 0 are refused, regression/wrong_models
    for (const int m : {1, 4, 8}) {
      if (m < rank) continue;
      const int n = 6;
      const MatrixXd A = MatrixXd::NullaryExpr(m, rank, [&](Eigen::Index, Eigen::Index) { return uniform(random); }) *
                         MatrixXd::NullaryExpr(rank, n, [&](Eigen::Index, Eigen::Index) { return uniform(random); });
      const auto system = make_system(Linear{A});
      const VectorXd q = VectorXd::Zero(n), v = VectorXd::Zero(n);
      BOOST_TEST_CONTEXT("m = " << m << ", rank " << rank) {
        const RedundancyReport r = analyse_redundancy(system, 0.0, q, v);
        BOOST_TEST(r.rank == rank);
        BOOST_TEST(r.permanent == m - rank);
        BOOST_TEST(r.degrees_of_freedom == n - rank);
        BOOST_TEST(r.lost.empty());
        for (const DependentConstraint& d : r.dependent) BOOST_TEST(d.permanent);
        check_laws(*system, 0.0, q, v, r);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_repeated_row_is_named_with_its_factor) {
  MatrixXd A(4, 4);
  A << 1.0, 2.0, 0.0, 0.0,   //
      0.0, 1.0, -1.0, 0.0,   //
      -2.5, -5.0, 0.0, 0.0,  // the first, times -2.5
      0.0, 0.0, 1.0, 1.0;
  const RedundancyReport r = analyse_redundancy(make_system(Linear{A}), 0.0, Eigen::Vector4d::Zero());
  BOOST_REQUIRE(r.dependent.size() == 1U);
  BOOST_TEST(r.dependent[0].row == 2);  // the one that was added last
  BOOST_REQUIRE(r.dependent[0].relation.size() == 1U);
  BOOST_TEST(r.dependent[0].relation[0].row == 0);
  BOOST_TEST(std::abs(r.dependent[0].relation[0].coefficient + 2.5) < 1e-13);
  BOOST_TEST(r.dependent[0].remainder < 1e-14);
  const std::vector<bool> unique{false, true, false, true};
  BOOST_TEST(r.unique_multipliers == unique, boost::test_tools::per_element());
  BOOST_REQUIRE(r.groups.size() == 1U);
  BOOST_TEST(r.groups[0] == (std::vector<int>{0, 2}), boost::test_tools::per_element());
  const std::string text = r.text();
  BOOST_TEST(contains(text, "4 constraint rows, rank 3, 1 redundant"), text);
  BOOST_TEST(contains(text, "\"constraint[2]\" = -2.5 x \"constraint[0]\""), text);
  BOOST_TEST(contains(text, "multipliers of {\"constraint[0]\", \"constraint[2]\"} are not unique"), text);
  BOOST_TEST(contains(text, "all other multipliers (2) are unique"), text);
}

BOOST_AUTO_TEST_CASE(p22_flags_agree_with_the_multipliers_of_differently_scaled_rows) {
  // Minimum-norm multipliers depend on the scaling of rows exactly where they are not unique; forces never do.
  MatrixXd A(5, 5);
  A << 1.0, 2.0, 0.0, 0.0, 0.5,  //
      0.0, 1.0, -1.0, 0.0, 0.0,  //
      1.0, 1.0, 1.0, 0.0, 0.5,   // first minus second
      0.0, 0.0, 1.0, 1.0, 0.0,   //
      0.0, 0.0, 0.0, 1.0, -2.0;
  const VectorXd row_scale = (VectorXd(5) << 1.0, 1.0, 7.0, 1.0, 1.0).finished();
  const InitialState at_rest{0.0, VectorXd::Zero(5), {}};
  const VectorXd lambda = consistent_state(make_system(Linear{A}), at_rest).state.lambda;
  const VectorXd scaled =
      consistent_state(make_system(Linear{row_scale.asDiagonal() * A}), at_rest).state.lambda.cwiseProduct(row_scale);
  const RedundancyReport r = analyse_redundancy(make_system(Linear{A}), 0.0, VectorXd::Zero(5));
  for (int i = 0; i < 5; ++i) {
    const bool same = std::abs(lambda[i] - scaled[i]) < 1e-9;
    BOOST_TEST(r.unique_multipliers[static_cast<std::size_t>(i)] == same, "row " << i);
  }
  BOOST_TEST((A.transpose() * (lambda - scaled)).norm() < 1e-12);
}

BOOST_AUTO_TEST_CASE(p27_units_of_rows_and_masses_do_not_matter) {
  MatrixXd A(3, 4);
  A << 1.0, 2.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 2.0, 5.0, -1.0, 0.0;
  const RedundancyReport r = analyse_redundancy(make_system(Linear{A}), 0.0, VectorXd::Zero(4));
  const VectorXd units = Eigen::Vector3d(1e6, 1.0, 1e-6);
  const RedundancyReport s =
      analyse_redundancy(make_system(Linear{units.asDiagonal() * A, 1e5}), 0.0, VectorXd::Zero(4));
  BOOST_TEST(s.rank == r.rank);
  BOOST_TEST(s.rank == 2);
  BOOST_TEST((s.singular_values - r.singular_values).norm() < 1e-12);
  BOOST_TEST(s.dependent[0].row == r.dependent[0].row);
  for (std::size_t k = 0; k < r.dependent[0].relation.size(); ++k) {
    const RelationTerm &a = r.dependent[0].relation[k], &b = s.dependent[0].relation[k];
    BOOST_TEST(b.row == a.row);
    const double factor = units[r.dependent[0].row] / units[a.row];
    BOOST_TEST(std::abs(b.coefficient - factor * a.coefficient) < 1e-12 * std::abs(factor));
  }
}

BOOST_AUTO_TEST_CASE(regular_mechanisms_have_nothing_to_report) {
  for (const char* name : {"andrews", "chain", "n_four_bar", "pendulum"}) {
    const auto mechanism = mechanisms::find_mechanism(name).make(6);
    const RedundancyReport r = analyse_redundancy(mechanism.system, 0.0, mechanism.start.q, mechanism.start.v);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(r.redundant == 0);
      BOOST_TEST(r.permanence_known());
      BOOST_TEST(r.dependent.empty());
      BOOST_TEST(r.smallest_singular_value > 1e-3 * r.largest_singular_value);
      BOOST_TEST(std::count(r.unique_multipliers.begin(), r.unique_multipliers.end(), false) == 0);
      BOOST_TEST(contains(r.text(), "all multipliers are unique"));
      // the squared singular values are those of D G M^-1 G^T D
      BOOST_TEST(r.rank == consistent_state(mechanism.system, mechanism.start).report.rank);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_long_regular_chain_is_not_called_redundant) {
  const auto mechanism = mechanisms::find_mechanism("chain").make(60);
  BOOST_TEST(analyse_redundancy(mechanism.system, 0.0, mechanism.start.q).redundant == 0);
}

BOOST_AUTO_TEST_CASE(permanent_redundancy_of_a_mechanism) {
  // A beam on four parallel rods: three unknowns, one motion; two rods are superfluous wherever it moves.
  const auto system = carried_beam(4);
  for (const double angle : {0.9, 1.2, 1.9}) {
    const Eigen::Vector3d q(std::cos(angle), std::sin(angle), 0.0), v(-std::sin(angle), std::cos(angle), 0.0);
    for (const bool moving : {false, true}) {
      const VectorXd velocity = moving ? VectorXd(v) : VectorXd(VectorXd::Zero(3));
      const RedundancyReport r = analyse_redundancy(system, 0.0, q, velocity);
      BOOST_TEST(r.rank == 2);
      BOOST_TEST(r.permanent == 2);
      BOOST_TEST(r.nearby >= 2);
      BOOST_TEST(r.degrees_of_freedom == 1);
      check_laws(*system, 0.0, q, velocity, r);
      BOOST_TEST(contains(r.text(), "permanently redundant"));
      BOOST_TEST(!contains(r.text(), "singular configuration"));
      // what remains after removing them moves the same
      std::vector<int> rows;
      for (const DependentConstraint& d : r.dependent) rows.push_back(d.row);
      const auto reduced = without_constraint_rows(system, rows);
      BOOST_TEST(analyse_redundancy(reduced, 0.0, q, velocity).redundant == 0);
      const MotionState full = consistent_state(system, {0.0, q, velocity}).state;
      const MotionState part = consistent_state(reduced, {0.0, q, velocity}).state;
      BOOST_TEST((full.a - part.a).norm() < 1e-11);
    }
  }
}

BOOST_AUTO_TEST_CASE(singular_configuration_of_a_four_bar) {
  // All bars on the ground line: the loop can leave it in two ways. Nothing is superfluous.
  const auto mechanism = mechanisms::find_mechanism("n_four_bar").make(2);
  VectorXd q(6);
  q << 1.0, 0.0, 2.0, 0.0, 3.0, 0.0;
  const RedundancyReport r = analyse_redundancy(mechanism.system, 0.0, q);
  BOOST_TEST(r.rank == 3);
  BOOST_TEST(r.redundant == 2);
  BOOST_TEST(r.permanent == 0);
  BOOST_TEST(r.degrees_of_freedom == 3);
  BOOST_TEST(r.nearby > 0);
  for (const DependentConstraint& d : r.dependent) BOOST_TEST(!d.permanent);
  check_laws(*mechanism.system, 0.0, q, VectorXd::Zero(6), r);
  BOOST_REQUIRE(r.lost.size() == 2U);
  for (const LostDirection& lost : r.lost) {
    BOOST_TEST(lost.singular_value < 1e-12);
    BOOST_TEST(!lost.shares.empty());
    for (std::size_t k = 1; k < lost.shares.size(); ++k) BOOST_TEST(lost.shares[k].share <= lost.shares[k - 1].share);
  }
  BOOST_TEST(contains(r.text(), "singular configuration only, do not remove"));
  BOOST_TEST(contains(r.text(), "for an instant"));
}

namespace {

struct Circles {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 2;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = M(1, 1) = 1.0; }
  void applied_force(double, View<const double>, View<const double>, View<double>) const {}
  void constraint(double, View<const double> q, View<double> g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1]);
    g[1] = 0.5 * (q[0] * q[0] - q[1] * q[1]);
  }
  void constraint_jacobian(double, View<const double> q, MatrixView<double> G) const {
    G(0, 0) = G(1, 0) = q[0];
    G(0, 1) = q[1];
    G(1, 1) = -q[1];
  }
};

}  // namespace

/// A row that is kept has no part in it: found by fuzzing, under the sanitizers.
BOOST_AUTO_TEST_CASE(rows_that_all_vanish_are_singular_and_no_sum_of_others) {
  const RedundancyReport r = analyse_redundancy(make_system(Circles{}), 0.0, Eigen::Vector2d::Zero());
  BOOST_TEST(r.rank == 0);
  BOOST_REQUIRE(r.dependent.size() == 2U);
  for (const auto& row : r.dependent) BOOST_TEST(row.relation.empty());
}

BOOST_AUTO_TEST_CASE(the_fold_of_the_two_link_arm_is_singular_not_redundant) {
  // No degree of freedom at all: only time moves the arm.
  const auto mechanism = mechanisms::find_mechanism("two_link").make(0);
  const double t = 0.295953 / 0.6;
  const Eigen::Vector2d q(0.5 * M_PI, M_PI);
  const Eigen::Vector2d v = (mechanism.reference(t + 1e-6)->q - mechanism.reference(t - 1e-6)->q) / 2e-6;
  const RedundancyReport r = analyse_redundancy(mechanism.system, t, q, v);
  BOOST_TEST(r.rank == 1);
  BOOST_TEST(r.permanent == 0);
  BOOST_REQUIRE(r.lost.size() == 1U);
  BOOST_TEST(r.lost[0].shares.front().constraint == "height of P");  // G = [0 0; -1/2 1/2]
  BOOST_TEST(r.lost[0].shares.front().share > 0.99);
  BOOST_TEST(r.unique_multipliers[1]);
  BOOST_TEST(!r.unique_multipliers[0]);
}

BOOST_AUTO_TEST_CASE(permanent_and_singular_at_once) {
  // The four rods of the beam when they lie on the line: the two superfluous rods stay superfluous, one more row is
  // lost for an instant.
  const auto system = carried_beam(4);
  const Eigen::Vector3d q(1.0, 0.0, 0.0);
  const RedundancyReport r = analyse_redundancy(system, 0.0, q);
  BOOST_TEST(r.rank == 1);
  BOOST_TEST(r.redundant == 3);
  BOOST_TEST(r.permanent == 2);
  BOOST_TEST(r.lost.size() == 1U);
  BOOST_TEST(std::count_if(r.dependent.begin(), r.dependent.end(), [](const auto& d) { return d.permanent; }) == 2);
  check_laws(*system, 0.0, q, Eigen::Vector3d::Zero(), r);
  // removing the permanent ones is right in a regular pose too
  std::vector<int> rows;
  for (const DependentConstraint& d : r.dependent) {
    if (d.permanent) rows.push_back(d.row);
  }
  const Eigen::Vector3d regular(std::cos(1.0), std::sin(1.0), 0.0);
  BOOST_TEST(analyse_redundancy(without_constraint_rows(system, rows), 0.0, regular).redundant == 0);
}

BOOST_AUTO_TEST_CASE(a_superfluous_row_is_told_from_the_one_that_a_folded_loop_loses) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 2), b = assembly.add_coordinates("b", 2);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{2.0}, {b});
  assembly.add("crank", DistanceToGround{0.0, 0.0, 1.0}, {a});
  assembly.add("crank again", DistanceToGround{0.0, 0.0, 1.0}, {a});
  assembly.add("rocker", DistanceToGround{2.0, 0.0, 1.0}, {b});
  assembly.add("coupler", Distance{2.0}, {a, b});
  const auto system = assembly.build();
  const Eigen::Vector4d q(1.0, 0.0, 3.0, 0.0);
  const RedundancyReport r = analyse_redundancy(system, 0.0, q);
  check_laws(*system, 0.0, q, Eigen::Vector4d::Zero(), r);
  BOOST_REQUIRE(r.dependent.size() == 2U);
  BOOST_TEST(r.permanent == 1);
  BOOST_TEST(r.dependent[0].constraint == "crank again");
  BOOST_TEST(r.dependent[0].permanent);
  BOOST_TEST(!r.dependent[1].permanent);
  BOOST_REQUIRE(r.lost.size() == 1U);  // free of the superfluous pair: orthogonal to crank - crank again
  double crank = 0.0, again = 0.0, coupler = 0.0;
  for (const ConstraintShare& s : r.lost[0].shares) {
    if (s.constraint == "crank") crank = s.share;
    if (s.constraint == "crank again") again = s.share;
    if (s.constraint == "coupler") coupler = s.share;
  }
  BOOST_TEST(coupler > 0.1);
  BOOST_TEST(crank > 0.01);
  BOOST_TEST(std::abs(crank - again) < 1e-9);
}

BOOST_AUTO_TEST_CASE(a_structure_that_cannot_move_is_redundant_for_good) {
  Assembly assembly;
  const Block p = assembly.add_coordinates("p", 2);
  assembly.add("mass", PointMass{1.0}, {p});
  assembly.add("left", DistanceToGround{-0.6, 0.0, 1.0}, {p});
  assembly.add("right", DistanceToGround{0.6, 0.0, 1.0}, {p});
  assembly.add("middle", DistanceToGround{0.0, 0.0, 0.8}, {p});
  const auto system = assembly.build();
  const RedundancyReport r = analyse_redundancy(system, 0.0, Eigen::Vector2d(0.0, 0.8));
  BOOST_TEST(r.immobile);
  BOOST_TEST(r.permanence_known());
  BOOST_TEST(r.permanent == 1);
  BOOST_TEST(r.degrees_of_freedom == 0);
  check_laws(*system, 0.0, Eigen::Vector2d(0.0, 0.8), Eigen::Vector2d::Zero(), r);
  RedundancyOptions blind;
  blind.motions = 0;
  const RedundancyReport unknown = analyse_redundancy(system, 0.0, Eigen::Vector2d(0.0, 0.8), {}, blind);
  BOOST_TEST(!unknown.permanence_known());
  BOOST_TEST(contains(unknown.text(), "it is not known"));
}

namespace {

struct Skates : test::Pendulum {  // the same blade, as velocity constraint and as rod
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = 3.0 * (q[0] * v[0] + q[1] * v[1]);
  }
};

struct Massless : test::Pendulum {  // a third coordinate without mass, tied to the others twice
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 3;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
    g[1] = q[2] - q[0];
    g[2] = 10.0 * g[1] + g[0];
  }
};

struct Free : Massless {  // the massless coordinate is not held at all
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
    g[1] = q[1] - 0.5 * q[0];
    g[2] = 10.0 * g[1] + g[0];
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(nonholonomic_rows_take_part) {
  const auto system = make_system(Skates{});
  const Eigen::Vector2d q(0.6, -0.8), v(0.8, 0.6);
  const RedundancyReport r = analyse_redundancy(system, 0.0, q, v);
  BOOST_TEST(r.permanent == 1);
  BOOST_REQUIRE(r.dependent.size() == 1U);
  BOOST_TEST(r.dependent[0].row == 1);
  BOOST_TEST(std::abs(r.dependent[0].relation.at(0).coefficient - 3.0) < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_singular_mass_matrix_is_no_obstacle) {
  const auto system = make_system(Massless{});
  const Eigen::Vector3d q(0.6, -0.8, 0.6);
  const RedundancyReport r = analyse_redundancy(system, 0.0, q);
  BOOST_TEST(r.rank == 2);
  BOOST_TEST(r.permanent == 1);
  check_laws(*system, 0.0, q, Eigen::Vector3d::Zero(), r);

  BOOST_TEST(analyse_redundancy(make_system(Free{}), 0.0, q).rank == 2);
}

BOOST_AUTO_TEST_CASE(no_constraints) {
  const auto free = without_constraints(make_system(test::Pendulum{}), {"constraint"});
  const RedundancyReport r = analyse_redundancy(free, 0.0, Eigen::Vector2d(0.6, -0.8));
  BOOST_TEST(r.rank == 0);
  BOOST_TEST(r.degrees_of_freedom == 2);
  BOOST_TEST(contains(r.text(), "0 constraint rows"));
}

BOOST_AUTO_TEST_CASE(wrong_input_is_listed_completely) {
  RedundancyOptions options;
  options.rank_threshold = 0.0;
  options.move = -1.0;
  options.motions = -2;
  BOOST_CHECK_EXCEPTION(analyse_redundancy(make_system(test::Pendulum{}), NAN, Eigen::Vector3d::Zero(),
                                           Eigen::Vector2d(0.0, INFINITY), options),
                        Error, [](const Error& error) {
                          for (const char* part : {"q has 3 entries", "v contains", "t is not finite",
                                                   "rank_threshold = 0", "move = -1", "motions = -2"}) {
                            if (!contains(error.what(), part)) return false;
                          }
                          return true;
                        });
  BOOST_CHECK_THROW(analyse_redundancy(nullptr, 0.0, Eigen::Vector2d::Zero()), Error);
}

BOOST_AUTO_TEST_CASE(a_declined_point_is_a_status) {
  struct Half : test::Pendulum {
    bool constraint(double, View<const double> q, View<double> g) const {
      g[0] = q[0];
      return q[0] > 0.0;
    }
  };
  const RedundancyReport r = analyse_redundancy(make_system(Half{}), 0.0, Eigen::Vector2d(-1.0, 0.0));
  BOOST_TEST(to_string(r.status.outcome) == std::string("model_error"));
}
