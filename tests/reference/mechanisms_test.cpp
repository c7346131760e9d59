// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <set>

#include <Eigen/Dense>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"

/// Laws that every registered mechanism obeys: its reference satisfies its own equations, its start can be made
/// consistent, its derivatives are right. Runs: mechanism_runs_test and the files named after mechanisms.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using mechanisms::find_mechanism;
using mechanisms::Mechanism;
using mechanisms::mechanism_registry;
using mechanisms::ReferenceState;

namespace {

constexpr int size = 3;  // of the mechanisms that have one

/// Everything at one state, as plain matrices.
struct TermsAtPoint {
  MatrixXd M, G;
  VectorXd f, g, rate, gamma;

  TermsAtPoint(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
    const auto w = make_workspace(system, internal::Storage::dense);
    BOOST_REQUIRE(
        evaluate_system(system, internal::request::acceleration_level, {t, q.data(), v.data(), nullptr, nullptr}, *w));
    M = w->M.dense();
    G = w->G.dense();
    f = w->f;
    g = w->g;
    rate = w->g_rate;
    gamma = w->gamma;
  }

  /// Multipliers of [M G^T; G 0] (a, lambda) = (f, gamma), by a solver that the library does not use.
  VectorXd multipliers() const {
    const Eigen::Index n = M.rows(), m = G.rows();
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    K << M, G.transpose(), G, MatrixXd::Zero(m, m);
    VectorXd b(n + m);
    b << f, gamma;
    return K.fullPivLu().solve(b).tail(m);
  }
};

double largest(const VectorXd& x) {
  return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>();
}

/// Twelfths of the run, and as many times between them, at which the reference is known; without the start.
std::vector<double> known_times(const Mechanism& mechanism) {
  std::vector<double> times;
  for (int k = 1; k <= 12; ++k) {
    for (const double twelfths : {k - 0.37, k + 0.0}) {
      const double t = mechanism.start.t + (mechanism.t_end - mechanism.start.t) * twelfths / 12.0;
      if (mechanism.reference && mechanism.reference(t)) times.push_back(t);
    }
  }
  return times;
}

}  // namespace

BOOST_AUTO_TEST_CASE(references_satisfy_the_constraints_and_the_saddle_point_system) {
  std::set<std::string> with_multipliers;
  for (const auto& entry : mechanism_registry()) {
    const Mechanism mechanism = entry.make(size);
    for (const double t : known_times(mechanism)) {
      BOOST_TEST_CONTEXT(entry.name << " at t = " << t) {
        const ReferenceState exact = *mechanism.reference(t);
        BOOST_REQUIRE(exact.q.size() == mechanism.system->num_positions());
        BOOST_REQUIRE(exact.v.size() == exact.q.size());
        const TermsAtPoint e(*mechanism.system, t, exact.q, exact.v);
        const double row = e.G.cwiseAbs().rowwise().sum().maxCoeff();
        BOOST_TEST(largest(e.g) < 1e-11 * row * largest(exact.q));
        BOOST_TEST(largest(e.rate) < 1e-11 * row * (1.0 + largest(exact.v)));
        if (exact.lambda.size() == 0) continue;
        BOOST_REQUIRE(exact.lambda.size() == mechanism.system->num_constraints());
        // ten digits of lambda are given where it is tabulated
        BOOST_TEST(largest(e.multipliers() - exact.lambda) < 1e-9 * (largest(exact.lambda) + largest(e.f) / row));
        with_multipliers.insert(std::string(entry.name));
      }
    }
  }
  for (const char* name : {"pendulum", "two_link", "two_link_as_printed", "andrews", "n_four_bar", "car_axis",
                           "slider_crank", "cv_pendulum", "knife_edge", "arevalo", "nikravesh", "chaplygin_sleigh",
                           "loudspeaker", "rod_variable_inertia", "program_control", "cognition", "production"}) {
    BOOST_TEST(with_multipliers.count(name) == 1U, name);
  }
}

BOOST_AUTO_TEST_CASE(closed_forms_satisfy_the_equations_of_motion) {
  // q' and v' by the five-point central difference of the closed form; its error is below 1e-7 of v'.
  const double s = 3e-4;
  std::set<std::string> closed_forms;
  for (const auto& entry : mechanism_registry()) {
    const Mechanism mechanism = entry.make(size);
    for (const double t : known_times(mechanism)) {
      if (!mechanism.reference(t - 2.0 * s) || !mechanism.reference(t + 2.0 * s)) continue;
      BOOST_TEST_CONTEXT(entry.name << " at t = " << t) {
        const auto difference = [&](VectorXd ReferenceState::*part) -> VectorXd {
          const auto at = [&](double offset) -> VectorXd { return (*mechanism.reference(t + offset)).*part; };
          return (8.0 * (at(s) - at(-s)) - (at(2.0 * s) - at(-2.0 * s))) / (12.0 * s);
        };
        const ReferenceState exact = *mechanism.reference(t);
        const VectorXd a = difference(&ReferenceState::v);
        const TermsAtPoint e(*mechanism.system, t, exact.q, exact.v);
        BOOST_TEST(largest(difference(&ReferenceState::q) - exact.v) < 1e-7 * (1.0 + largest(exact.v)));
        if (mechanism.system->first_order()) {  // v + A^T mu = w
          const VectorXd rest = e.f - exact.v;
          const VectorXd mu = e.G.transpose().colPivHouseholderQr().solve(rest);
          BOOST_TEST(largest(rest - e.G.transpose() * mu) < 1e-12 * largest(exact.v));
          closed_forms.insert(std::string(entry.name));
          continue;
        }
        const VectorXd reaction = e.G.transpose() * (exact.lambda.size() > 0 ? exact.lambda : e.multipliers());
        const double force = largest(e.M * a) + largest(e.f) + largest(reaction);
        BOOST_TEST(largest(e.M * a + reaction - e.f) < 1e-7 * force);
        closed_forms.insert(std::string(entry.name));
      }
    }
  }
  for (const char* name :
       {"pendulum", "two_link", "two_link_as_printed", "n_four_bar", "cv_pendulum", "knife_edge", "arevalo",
        "chaplygin_sleigh", "n_four_bar_bodies", "folding_slider_crank", "loudspeaker", "rod_variable_inertia",
        "program_control", "cognition", "production", "slider_crank_program", "breathing_torus_program"}) {
    BOOST_TEST(closed_forms.count(name) == 1U, name);
  }
}

BOOST_AUTO_TEST_CASE(starts_are_consistent_and_lie_on_the_reference) {
  for (const auto& entry : mechanism_registry()) {
    BOOST_TEST_CONTEXT(entry.name) {
      const Mechanism mechanism = entry.make(size);
      const ConsistentState start = consistent_state(mechanism.system, mechanism.start);
      const VectorXd &q = start.state.q, &v = start.state.v;
      BOOST_REQUIRE(start.report.feasible);
      BOOST_REQUIRE(start.report.accelerations_known);
      const double row =
          TermsAtPoint(*mechanism.system, mechanism.start.t, q, v).G.cwiseAbs().rowwise().sum().maxCoeff();
      BOOST_TEST(start.report.position_violation_after < 1e-14 * (1.0 + row * largest(q)));
      const bool program = mechanism.system->first_order();  // its velocities are its own
      BOOST_TEST((program || start.report.velocity_violation_after < 1e-14 * (1.0 + row * largest(v))));
      // all starts but those printed with four or five digits are exact
      const bool printed = entry.name.substr(0, 8) == "two_link" || entry.name == "nikravesh_rounded";
      const double digits = printed ? 1e-4 : 1e-14;
      if (!mechanism.excess_reference) {  // which starts off the constraints on purpose
        BOOST_TEST(start.report.moved_positions < digits * (1.0 + largest(q)));
        BOOST_TEST(start.report.moved_velocities < digits * (1.0 + largest(v)));
      }
      if (!mechanism.reference || !mechanism.reference(mechanism.start.t)) continue;
      const ReferenceState exact = *mechanism.reference(mechanism.start.t);
      BOOST_TEST(largest(q - exact.q) < 1e-11 * (1.0 + largest(q)));
      BOOST_TEST(largest(v - exact.v) < 1e-11 * (1.0 + largest(v)));
      if (program || exact.lambda.size() == 0) continue;
      BOOST_TEST(largest(start.state.lambda - exact.lambda) < 1e-9 * (1.0 + largest(exact.lambda)));
    }
  }
}

BOOST_AUTO_TEST_CASE(published_accelerations_and_multipliers_of_the_start) {
  const auto at_start = [](const char* name) {
    const Mechanism mechanism = find_mechanism(name).make(0);
    return consistent_state(mechanism.system, mechanism.start).state;
  };
  const MotionState andrews = at_start("andrews");
  VectorXd a = VectorXd::Zero(7), lambda = VectorXd::Zero(6);
  a.head(2) << 14222.4439199541138705911625887, -10666.8329399655854029433719415;
  lambda.head(2) << 98.5668703962410896057654982170, -6.12268834425566265503114393122;
  BOOST_TEST(largest(andrews.a - a) < 1e-11 * largest(a));
  BOOST_TEST(largest(andrews.lambda - lambda) < 1e-11 * largest(lambda));
  BOOST_TEST(largest(at_start("car_axis").lambda) < 1e-15);
}

BOOST_AUTO_TEST_CASE(energies_of_the_starts) {
  const auto spring = [](double stretch) { return 0.5 * stretch * stretch; };
  const double pi = std::acos(-1.0);
  const struct {
    const char* name;
    double joule;
  } lines[] = {{"car_axis", 0.5 * 5e-4 * 2.0 * 0.25 + 5e-4 * 1.0 * (0.5 + 0.5)},
               {"slider_crank", spring(1.0 - std::sqrt(3.0) / 4.0)},
               {"cv_pendulum", 0.0},
               {"knife_edge", 0.5 * 0.13 * pi * pi / 9.0},
               {"arevalo", 2.0},
               {"extended_particle", 0.714005}};
  for (const auto& line : lines) {
    const Mechanism mechanism = find_mechanism(line.name).make(0);
    const MotionState start = consistent_state(mechanism.system, mechanism.start).state;
    const auto w = make_workspace(*mechanism.system, internal::Storage::dense);
    BOOST_REQUIRE(mechanism.system->energy_known());
    BOOST_REQUIRE(evaluate_system(*mechanism.system, internal::request::energy,
                                  {start.t, start.q.data(), start.v.data(), nullptr, nullptr}, *w));
    BOOST_TEST(std::abs(w->energy - line.joule) < (line.joule == 0.714005 ? 5e-7 : 1e-14), line.name);
  }
}

BOOST_AUTO_TEST_CASE(derivatives_pass_the_checker_near_the_start) {
  for (const auto& entry : mechanism_registry()) {
    const Mechanism mechanism = entry.make(size);
    VectorXd q = mechanism.start.q;
    VectorXd v = VectorXd::Zero(q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      q[i] += 0.05 * std::sin(2.4 * static_cast<double>(i + 1));
      v[i] = 0.8 * std::cos(1.3 * static_cast<double>(i + 1));
    }
    const DerivativeCheck check = check_derivatives(mechanism.system, mechanism.start.t + 0.37, q, v, 1e-6);
    BOOST_TEST(check.passed, entry.name << "\n" << check.text());
  }
}

BOOST_AUTO_TEST_CASE(extended_particle_has_every_kind_of_block) {
  const Mechanism plate = find_mechanism("extended_particle").make(0);
  const VectorXd at_rest = VectorXd::Zero(3);
  for (int k = 0; k < 16; ++k) {  // rank 2 for every direction of the plate
    const TermsAtPoint e(*plate.system, 0.3, Eigen::Vector3d(0.1, -0.2, 0.4 * k), at_rest);
    BOOST_TEST(e.G.jacobiSvd().singularValues()[1] > 0.1);
  }
  const MatrixXd M0 = TermsAtPoint(*plate.system, 0.0, Eigen::Vector3d(0.0, 0.0, 0.0), at_rest).M;
  const MatrixXd M1 = TermsAtPoint(*plate.system, 0.0, Eigen::Vector3d(0.0, 0.0, 1.0), at_rest).M;
  BOOST_TEST((M1 - M0).norm() > 0.1);
  BOOST_TEST(std::abs(TermsAtPoint(*plate.system, 0.0, at_rest, at_rest).rate[0]) > 0.1);  // the rail moves
}
