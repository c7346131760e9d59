// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <boost/test/unit_test.hpp>

#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/consistency/redundancy.hpp>
#include <sunlagrange/derivatives/check_derivatives.hpp>
#include <sunlagrange/model/make_system.hpp>

#include "block_motions.hpp"
#include "model/evaluation.hpp"

/// Laws that every element obeys, whatever it is. Only what needs the type (ElementCase) is a template.
namespace sunlagrange::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct UnitInertia {
  static constexpr int num_positions = 1;
  static constexpr bool constant_mass_matrix = true;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
};

/// What an element knows besides its own blocks.
enum class Frame {
  internal,     ///< nothing: it acts between its blocks only
  indifferent,  ///< something outside acts on it, but from no particular place or direction
  ground,       ///< a place or direction of the ground: rigid motions change it
  one_side,     ///< the same, but only on one side of a place: at others it does nothing
};

/// One element with one set of parameters, seen through systems built of it.
struct ElementCase {
  std::string name;
  std::vector<BlockKind> kinds;  ///< of its blocks
  Frame frame = Frame::internal;
  std::shared_ptr<const MechanicalSystem> alone;             ///< nothing else in it
  std::shared_ptr<const MechanicalSystem> without_own_rows;  ///< its constraint_rows left out; null if it has none
  std::shared_ptr<const MechanicalSystem>
      single;  ///< with inertia on every coordinate and Euler parameters of length one
  std::shared_ptr<const MechanicalSystem> doubled;  ///< the same with the element twice
};

/// Holds Euler parameters at length one, as every body does: without it the zero quaternion satisfies the rows of
/// joints.
struct UnitLength {
  static constexpr int num_positions = 7;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * (q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6] - 1.0);
  }
};

/// The element without its own rows.
template <class E>
struct WithoutOwnRows {
  E element;
  static constexpr int num_positions = E::num_positions;
  static constexpr int num_constraints = E::num_constraints;
  template <class T>
  auto constraint(T t, View<const T> q, View<T> g) const {
    return element.constraint(t, q, g);
  }
};

template <class E>
std::vector<BlockKind> kinds_of() {
  if constexpr (internal::requirements::declares_blocks<E>) {
    return {E::blocks.begin(), E::blocks.end()};
  } else {
    return std::vector<BlockKind>(static_cast<std::size_t>(E::num_positions), BlockKind::generic);
  }
}

inline std::vector<Block> add_blocks(Assembly& assembly, const std::vector<BlockKind>& kinds) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string name = "block " + std::to_string(i);
    blocks.push_back(kinds[i] == BlockKind::generic ? assembly.add_coordinates(name, 1)
                                                    : assembly.add_coordinates(name, kinds[i]));
  }
  return blocks;
}

inline void add_unit_inertia(Assembly& assembly, const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    for (int i = 0; i < block.size; ++i) {
      assembly.add("inertia " + std::to_string(block.first + i), UnitInertia{}, {{block.first + i, 1}});
    }
    if (block.kind == BlockKind::spatial_body) {
      assembly.add("length " + std::to_string(block.first), UnitLength{}, {{block.first, block.size}});
    }
  }
}

template <class E>
ElementCase make_case(const std::string& name, const E& element, Frame frame) {
  ElementCase c;
  c.name = name;
  c.kinds = kinds_of<E>();
  c.frame = frame;
  const auto build = [&](int copies, bool inertia, const auto& e) {
    Assembly assembly;
    const std::vector<Block> blocks = add_blocks(assembly, c.kinds);
    for (int k = 0; k < copies; ++k) assembly.add("element " + std::to_string(k), e, blocks);
    if (inertia) add_unit_inertia(assembly, blocks);
    return assembly.build();
  };
  c.alone = build(1, false, element);
  c.single = build(1, true, element);
  c.doubled = build(2, true, element);
  if constexpr (internal::Capabilities<E>::has_rows) c.without_own_rows = build(1, false, WithoutOwnRows<E>{element});
  return c;
}

/// Everything an evaluation computes, as Eigen objects; `accepted` false: the element declines the point.
struct Evaluated {
  bool accepted = false;
  MatrixXd M, G;
  VectorXd f, g, velocity, bias;
  double energy = 0.0, power = 0.0;

  bool finite() const {
    return M.allFinite() && G.allFinite() && f.allFinite() && g.allFinite() && velocity.allFinite() &&
           bias.allFinite() && std::isfinite(energy) && std::isfinite(power);
  }
};

inline Evaluated evaluate(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  const auto w = make_workspace(system, internal::Storage::dense);
  Evaluated e;
  e.accepted = evaluate_system(system, internal::request::acceleration_level | internal::request::energy,
                               {t, q.data(), v.data(), nullptr, nullptr}, *w);
  if (!e.accepted) return e;
  e.M = w->M.dense();
  e.G = w->G.dense();
  e.f = w->f;
  e.g = w->g;
  e.velocity = w->g_rate;
  e.bias = w->gamma;
  e.energy = w->energy;
  e.power = w->power;
  return e;
}

inline bool close(const MatrixXd& a, const MatrixXd& b, double tolerance) {
  return a.size() == 0 || (a - b).cwiseAbs().maxCoeff() <= tolerance * (1.0 + b.cwiseAbs().maxCoeff());
}

/// Does g or psi depend on time (at this q)?
inline bool rheonomic(const ElementCase& c, const VectorXd& q) {
  const VectorXd rest = VectorXd::Zero(q.size());
  const Evaluated a = evaluate(*c.alone, 0.3, q, rest), b = evaluate(*c.alone, 1.1, q, rest);
  return !close(a.g, b.g, 1e-12) || !close(a.velocity, b.velocity, 1e-12) || a.velocity.norm() > 1e-12;
}

// ---- the laws ------------------------------------------------------------------------------------------------------

/// Accepted points have finite values and right derivatives; others are declined. Returns whether it was accepted.
inline bool check_point(const ElementCase& c, double t, const VectorXd& q, const VectorXd& v) {
  const Evaluated e = evaluate(*c.alone, t, q, v);
  if (!e.accepted) return false;
  BOOST_TEST(e.finite());
  const DerivativeCheck check = check_derivatives(c.alone, t, q, v, 1e-6);
  BOOST_TEST(check.passed, check.text());
  BOOST_TEST(close(e.M, e.M.transpose(), 1e-14));
  if (c.without_own_rows != nullptr) {
    const Evaluated derived = evaluate(*c.without_own_rows, t, q, v);
    BOOST_TEST(close(e.g, derived.g, 1e-13));
    BOOST_TEST(close(e.velocity, derived.velocity, 1e-13));
    BOOST_TEST(close(e.bias, derived.bias, 1e-13));
    BOOST_TEST(close(e.G, derived.G, 1e-13));
  }
  return true;
}

/// Reactions do no work in motions that keep the constraints; the directions of those motions come from differences of
/// g (psi), not from G. A constraint that knows no time has no rate at rest.
inline void check_reactions(const ElementCase& c, double t, const VectorXd& q, const VectorXd& v, unsigned seed) {
  const int m = c.alone->num_constraints(), n = c.alone->num_positions();
  if (m == 0) return;
  const int m_g = c.alone->num_position_constraints();
  const Evaluated e = evaluate(*c.alone, t, q, v);
  const Evaluated at_rest = evaluate(*c.alone, t, q, VectorXd::Zero(n));
  if (!rheonomic(c, q)) BOOST_TEST(at_rest.velocity.norm() < 1e-14);
  BOOST_TEST(close(e.G * v + at_rest.velocity, e.velocity, 1e-12));  // affine in v
  MatrixXd rows(m, n);
  for (int j = 0; j < n; ++j) {
    const double h = 1e-5;
    const VectorXd step = h * VectorXd::Unit(n, j);
    const Evaluated plus = evaluate(*c.alone, t, q + step, v), minus = evaluate(*c.alone, t, q - step, v);
    const Evaluated faster = evaluate(*c.alone, t, q, v + step), slower = evaluate(*c.alone, t, q, v - step);
    rows.col(j).head(m_g) = (plus.g - minus.g) / (2.0 * h);
    rows.col(j).tail(m - m_g) = (faster.velocity - slower.velocity).tail(m - m_g) / (2.0 * h);
  }
  const VectorXd free = v - rows.completeOrthogonalDecomposition().solve(rows * v);
  std::mt19937 random(seed);
  const VectorXd lambda = uniform_vector(m, random);
  BOOST_TEST(std::abs(lambda.dot(e.G * free)) < 1e-8 * (1.0 + e.G.norm() * free.norm()));
}

/// dE/dt = power + v.(M a - f) for every a: what flows in is stored or given off. It makes potential forces minus the
/// gradient of the energy, and inertia what its energy says.
inline void check_power(const ElementCase& c, double t, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
  BOOST_TEST(c.alone->energy_known());
  const auto energy = [&](double s) {
    return evaluate(*c.alone, t + s, q + s * v + 0.5 * s * s * a, v + s * a).energy;
  };
  const double h = 1e-5;
  const double rate = (energy(h) - energy(-h)) / (2.0 * h);
  const Evaluated e = evaluate(*c.alone, t, q, v);
  const double expected = e.power + v.dot(e.M * a - e.f);
  BOOST_TEST(std::abs(rate - expected) < 1e-7 * (1.0 + std::abs(expected) + std::abs(e.energy)),
             "dE/dt = " << rate << ", power + v.(M a - f) = " << expected);
}

/// Elements whose forces at rest are minus the gradient of their energy have no source: then they give nothing away.
inline void check_dissipation(const ElementCase& c, double t, const VectorXd& q, const VectorXd& v) {
  const VectorXd rest = VectorXd::Zero(q.size());
  const double h = 1e-5;
  const Evaluated at_rest = evaluate(*c.alone, t, q, rest);
  VectorXd gradient(q.size());
  for (Eigen::Index j = 0; j < q.size(); ++j) {
    const VectorXd step = h * VectorXd::Unit(q.size(), j);
    gradient[j] =
        (evaluate(*c.alone, t, q + step, rest).energy - evaluate(*c.alone, t, q - step, rest).energy) / (2.0 * h);
  }
  if (!close(at_rest.f, -gradient, 1e-7)) return;
  const Evaluated e = evaluate(*c.alone, t, q, v);
  BOOST_TEST(e.power <= 1e-12 * (1.0 + std::abs(e.power)));
}

/// An element with inertia and without power obeys Lagrange's equations of T = v.M v / 2 and V = E - T: this also sees
/// gyroscopic forces, which do no work.
inline void check_inertia(const ElementCase& c, double t, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
  const Evaluated e = evaluate(*c.alone, t, q, v);
  if (e.M.isZero() || e.power != 0.0) return;
  const double h = 1e-5;
  const auto momentum = [&](double s) -> VectorXd {
    const VectorXd w = v + s * a;
    return evaluate(*c.alone, t + s, q + s * v + 0.5 * s * s * a, w).M * w;
  };
  const auto lagrangian = [&](const VectorXd& x) {
    const Evaluated at = evaluate(*c.alone, t, x, v);
    const double kinetic = 0.5 * v.dot(at.M * v);
    return kinetic - (at.energy - kinetic);
  };
  VectorXd residual = (momentum(h) - momentum(-h)) / (2.0 * h);
  for (Eigen::Index j = 0; j < q.size(); ++j) {
    const VectorXd step = h * VectorXd::Unit(q.size(), j);
    residual[j] -= (lagrangian(q + step) - lagrangian(q - step)) / (2.0 * h);
  }
  BOOST_TEST(close(e.M * a - e.f, residual, 1e-7));
}

/// Moving everything rigidly changes no energy, no |g|, and turns forces along. Returns whether that holds.
inline bool invariant(const ElementCase& c, double t, const VectorXd& q, const VectorXd& v, const RigidMotion& motion) {
  const Evaluated a = evaluate(*c.alone, t, q, v);
  const Evaluated b = evaluate(*c.alone, t, motion.moved(c.kinds, q), motion.turned(c.kinds, v));
  const MatrixXd J = motion.matrix(c.kinds);
  const double tolerance = 1e-11;
  const int m_g = c.alone->num_position_constraints(), m_psi = c.alone->num_constraints() - m_g;
  const auto norms = [&](const VectorXd& x) { return Eigen::Vector2d(x.head(m_g).norm(), x.tail(m_psi).norm()); };
  const auto scalar = [](double x) { return MatrixXd::Constant(1, 1, x); };
  return close(scalar(b.energy), scalar(a.energy), tolerance) && close(scalar(b.power), scalar(a.power), tolerance) &&
         close(scalar(b.g.norm()), scalar(a.g.norm()), tolerance) &&
         close(norms(b.velocity), norms(a.velocity), tolerance) && close(norms(b.bias), norms(a.bias), tolerance) &&
         close(b.f, J * a.f, tolerance) && close(b.M, J * a.M * J.transpose(), tolerance) &&
         close(b.G.transpose() * b.G, J * a.G.transpose() * a.G * J.transpose(), tolerance);
}

/// What acts between its own blocks only exerts no resultant force and no moment.
inline void check_no_resultant(const ElementCase& c, const Evaluated& e, const VectorXd& q) {
  const MatrixXd rigid = rigid_velocities(c.kinds, q);
  if (e.M.isZero()) BOOST_TEST((rigid.transpose() * e.f).norm() < 1e-11 * (1.0 + e.f.norm()));
}

/// Where the constraints hold: the second copy of every row is recognised as a permanent repetition, and nothing else
/// changes. Reactions of internal constraints have no resultant either.
inline void check_on_constraints(const ElementCase& c, double t, const VectorXd& q, const VectorXd& v) {
  const int m = c.alone->num_constraints();
  if (m == 0) return;
  const ConsistentState start = consistent_state(c.single, {t, q, v});
  BOOST_REQUIRE_MESSAGE(start.report.feasible, "no consistent state near the random point");
  const RedundancyReport once = analyse_redundancy(c.single, t, start.state.q, start.state.v);
  const RedundancyReport twice = analyse_redundancy(c.doubled, t, start.state.q, start.state.v);
  BOOST_TEST(twice.rank == once.rank);
  BOOST_TEST(twice.redundant == once.redundant + m, twice.text());
  BOOST_TEST(twice.permanent == once.permanent + m, twice.text());
  for (const DependentConstraint& d : twice.dependent)
    BOOST_TEST(d.remainder < 1e-9, d.constraint << " leaves " << d.remainder);
  for (int i = 0; i < c.doubled->num_constraints(); ++i) {
    const std::string& row = c.doubled->constraint_name(i);
    if (row.rfind("element", 0) == 0) BOOST_TEST(!twice.unique_multipliers[static_cast<std::size_t>(i)], row);
  }
  if (c.frame != Frame::internal || !rigid_motions_make_sense(c.kinds)) return;
  const MatrixXd G = evaluate(*c.alone, t, start.state.q, start.state.v).G.topRows(c.alone->num_position_constraints());
  BOOST_TEST((G * rigid_velocities(c.kinds, start.state.q)).norm() < 1e-8 * (1.0 + G.norm()));
}

/// All of them at random configurations and at parallel, coincident, aligned and zero ones.
inline void check_laws(const ElementCase& c) {
  BOOST_TEST_CONTEXT(c.name) {
    std::mt19937 random(7);
    int accepted = 0;
    bool changed = false;
    for (const Configuration& x : special_configurations(c.kinds, random)) {
      BOOST_TEST_CONTEXT(x.name) {
        check_point(c, 0.4, x.q, x.v);
      }
    }
    for (int sample = 0; sample < 5; ++sample) {
      BOOST_TEST_CONTEXT("random configuration " << sample) {
        const double t = 0.3 * sample;
        const Configuration x = random_configuration(c.kinds, random);
        const VectorXd a = uniform_vector(static_cast<int>(x.q.size()), random);
        if (!check_point(c, t, x.q, x.v)) continue;
        ++accepted;
        check_reactions(c, t, x.q, x.v, 3);
        check_power(c, t, x.q, x.v, a);
        check_dissipation(c, t, x.q, x.v);
        check_inertia(c, t, x.q, x.v, a);
        if (sample == 0) check_on_constraints(c, t, x.q, x.v);
        if (!rigid_motions_make_sense(c.kinds)) continue;
        const bool same = invariant(c, t, x.q, x.v, RigidMotion(random));
        changed = changed || !same;
        if (c.frame == Frame::one_side) continue;
        if (c.frame == Frame::ground) {
          BOOST_TEST(!same, "said to refer to the ground, but rigid motions do not change it");
        } else {
          BOOST_TEST(same, "rigid motions change it; does it refer to the ground (frame_of)?");
        }
        if (c.frame == Frame::internal) check_no_resultant(c, evaluate(*c.alone, t, x.q, x.v), x.q);
      }
    }
    BOOST_TEST(accepted >= 4, "declines points in general position");
    if (c.frame == Frame::one_side)
      BOOST_TEST(changed, "said to refer to the ground, but rigid motions never change it");
  }
}

}  // namespace sunlagrange::test
