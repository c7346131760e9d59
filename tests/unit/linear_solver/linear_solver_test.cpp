// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>
#include <random>

#include <Eigen/Dense>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "linear_solver/linear_solver.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "mechanisms/mechanism.hpp"

/// Laws of [H G^T; B -C] for every available entry of the registry: the defining residual, what rank policies promise,
/// independence of units.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

struct Blocks {
  MatrixXd H, G;
  MatrixXd B{};  // empty: G
  MatrixXd C{};  // empty: 0
};

struct Random {
  std::mt19937 engine{11};
  double operator()() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine); }
  MatrixXd matrix(int rows, int columns) {
    return MatrixXd::NullaryExpr(rows, columns, [this] { return (*this)(); });
  }
  VectorXd vector(int size) { return matrix(size, 1); }
  MatrixXd spd(int n) {
    const MatrixXd A = matrix(n, n);
    return A * A.transpose() + 0.5 * MatrixXd::Identity(n, n);
  }
};

struct Solution {
  EvaluationResult outcome;
  VectorXd x, y;
};

/// A solver with its entry's storage: every entry of the patterns is present, which sparse solvers accept as well.
struct Case {
  Case(const LinearSolverEntry& entry, const Blocks& b, LinearSolverOptions options = {}) {
    const int n = static_cast<int>(b.H.rows()), m = static_cast<int>(b.G.rows());
    BlockPattern p;
    p.top_left = SparsePattern::dense(n, n);
    p.jacobian = SparsePattern::dense(m, n);
    p.newton = b.B.size() > 0;
    if (p.newton) p.bottom_left = p.jacobian;
    if (b.C.size() > 0) p.compliance = SparsePattern::dense(m, m);
    options.name = entry.name;
    solver = make_linear_solver(p, options);
  }
  EvaluationResult factorize(const Blocks& b) {
    return solver->factorize(
        {b.H.data(), b.G.data(), b.B.size() > 0 ? b.B.data() : nullptr, b.C.size() > 0 ? b.C.data() : nullptr});
  }
  Solution solve(const VectorXd& top, const VectorXd& bottom) {
    Solution s{EvaluationResult::ok, top, bottom};
    s.outcome = solver->solve(s.x.data(), s.y.data());
    return s;
  }
  std::unique_ptr<LinearSolver> solver;
};

Solution solve(const LinearSolverEntry& entry, const Blocks& b, const VectorXd& top, const VectorXd& bottom,
               LinearSolverOptions options = {}) {
  Case c(entry, b, options);
  const EvaluationResult outcome = c.factorize(b);
  return outcome == EvaluationResult::ok ? c.solve(top, bottom) : Solution{outcome, top, bottom};
}

/// Residual of both equations relative to the size of their terms.
double residual(const Blocks& b, const Solution& s, const VectorXd& top, const VectorXd& bottom) {
  const MatrixXd& B = b.B.size() > 0 ? b.B : b.G;
  VectorXd r(top.size() + bottom.size());
  VectorXd lower = B * s.x - bottom;
  if (b.C.size() > 0) lower -= b.C * s.y;
  r << b.H * s.x + b.G.transpose() * s.y - top, lower;
  const double scale = b.H.norm() * s.x.norm() + b.G.norm() * (s.y.norm() + s.x.norm()) + top.norm() + bottom.norm();
  return r.lpNorm<Eigen::Infinity>() / scale;
}

template <class Use>
void for_each_solver(Use&& use) {
  int ran = 0;
  for (const LinearSolverEntry& entry : linear_solver_registry()) {
    if (!entry.available) continue;
    BOOST_TEST_CONTEXT(entry.name) {
      use(entry);
    }
    ++ran;
  }
  BOOST_TEST(ran > 0);
}

LinearSolverOptions policy(RankPolicy p) {
  LinearSolverOptions options;
  options.rank_policy = p;
  return options;
}

/// Redundant blocks: the second row is twice the first. Right-hand sides fit.
struct Redundant {
  explicit Redundant(Random& random) {
    single.H = random.spd(5);
    single.G = random.matrix(2, 5);
    twice.H = single.H;
    twice.G.resize(3, 5);
    twice.G << single.G.row(0), 2.0 * single.G.row(0), single.G.row(1);
    top = random.vector(5);
    bottom = random.vector(2);
    bottom_twice.resize(3);
    bottom_twice << bottom[0], 2.0 * bottom[0], bottom[1];
  }
  Blocks single, twice;
  VectorXd top, bottom, bottom_twice;
};

}  // namespace

BOOST_AUTO_TEST_CASE(linear_solvers_are_registered) {
  BOOST_TEST(find_linear_solver("dense").available);
  BOOST_TEST(find_linear_solver("klu").sparse);
  BOOST_TEST(find_linear_solver("block").sparse);
  BOOST_CHECK_EXCEPTION(find_linear_solver("gauss"), Error, [](const Error& error) {
    const std::string what = error.what();
    return what.find("gauss") != std::string::npos && what.find("dense") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(saddle_point_systems) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    for (const auto& [n, m] : {std::pair(1, 0), {1, 1}, {2, 2}, {5, 2}, {9, 7}, {12, 12}}) {
      for (const RankPolicy p : {RankPolicy::strict, RankPolicy::minimum_norm}) {
        const Blocks b{random.spd(n), random.matrix(m, n)};
        const VectorXd top = random.vector(n), bottom = random.vector(m);
        const Solution s = solve(entry, b, top, bottom, policy(p));
        BOOST_REQUIRE(s.outcome == EvaluationResult::ok);
        BOOST_TEST(residual(b, s, top, bottom) < 1e-12, "n = " << n << ", m = " << m);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(many_matrices_one_analysis) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    Blocks b{random.spd(6), random.matrix(3, 6)};
    Case c(entry, b);
    for (int k = 0; k < 60; ++k) {
      b.H = random.spd(6);
      b.G = random.matrix(3, 6);
      if (k % 2 == 1) b.G.leftCols(3) *= 1e-6;  // frozen pivots of the matrix before are of no use here
      BOOST_REQUIRE(c.factorize(b) == EvaluationResult::ok);
      for (int rhs = 0; rhs < 2; ++rhs) {
        const VectorXd top = random.vector(6), bottom = random.vector(3);
        BOOST_TEST(residual(b, c.solve(top, bottom), top, bottom) < 1e-10, "matrix " << k);
      }
    }
    BOOST_TEST(c.solver->counts().factorizations == 60);
    BOOST_TEST(c.solver->counts().solves == 120);
    BOOST_TEST(c.solver->counts().symbolic_analyses <= 1);
    BOOST_TEST(c.solver->rank() == 3);
  });
}

BOOST_AUTO_TEST_CASE(mass_matrix_singular_but_regular_on_the_null_space) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    for (const RankPolicy p : {RankPolicy::strict, RankPolicy::minimum_norm}) {
      Blocks b{MatrixXd::Zero(5, 5), random.matrix(3, 5)};
      b.H.topLeftCorner(3, 3) = random.spd(3);  // two massless coordinates
      const VectorXd top = random.vector(5), bottom = random.vector(3);
      const Solution s = solve(entry, b, top, bottom, policy(p));
      BOOST_REQUIRE(s.outcome == EvaluationResult::ok);
      BOOST_TEST(residual(b, s, top, bottom) < 1e-12);
    }
  });
}

BOOST_AUTO_TEST_CASE(mass_matrix_singular_on_the_null_space_is_reported) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    Blocks b{MatrixXd::Zero(4, 4), MatrixXd::Zero(2, 4)};
    b.H.topLeftCorner(3, 3) = random.spd(3);
    b.G.leftCols(3) = random.matrix(2, 3);  // nothing acts on the last, massless coordinate
    for (const RankPolicy p : {RankPolicy::strict, RankPolicy::minimum_norm, RankPolicy::regularized}) {
      const Solution s = solve(entry, b, random.vector(4), random.vector(2), policy(p));
      BOOST_TEST((s.outcome == EvaluationResult::singular));
    }
  });
}

BOOST_AUTO_TEST_CASE(newton_systems) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    for (const bool compliant : {false, true}) {
      Blocks b{random.spd(6) + 0.3 * random.matrix(6, 6), random.matrix(3, 6)};
      b.B = b.G + 0.1 * random.matrix(3, 6);
      if (compliant) b.C = 0.2 * random.spd(3);
      const VectorXd top = random.vector(6), bottom = random.vector(3);
      const Solution s = solve(entry, b, top, bottom);
      BOOST_REQUIRE(s.outcome == EvaluationResult::ok);
      BOOST_TEST(residual(b, s, top, bottom) < 1e-12);
    }
  });
}

BOOST_AUTO_TEST_CASE(compliance_diagonal_and_full) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    for (const bool full : {false, true}) {
      Blocks b{random.spd(6), random.matrix(3, 6)};
      b.C = full ? MatrixXd(0.1 * random.spd(3)) : MatrixXd(Eigen::Vector3d(1e-3, 0.2, 5.0).asDiagonal());
      const VectorXd top = random.vector(6), bottom = random.vector(3);
      const Solution s = solve(entry, b, top, bottom);
      BOOST_REQUIRE(s.outcome == EvaluationResult::ok);
      BOOST_TEST(residual(b, s, top, bottom) < 1e-12);
    }
  });
}

BOOST_AUTO_TEST_CASE(compliance_makes_redundant_rows_regular) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const Redundant r(random);
    Blocks b = r.twice;
    b.C = 1e-6 * MatrixXd::Identity(3, 3);
    for (const RankPolicy p : {RankPolicy::strict, RankPolicy::minimum_norm}) {
      const Solution s = solve(entry, b, r.top, r.bottom_twice, policy(p));
      BOOST_REQUIRE(s.outcome == EvaluationResult::ok);
      BOOST_TEST(residual(b, s, r.top, r.bottom_twice) < 1e-12);
    }
  });
}

BOOST_AUTO_TEST_CASE(p22_duplicate_row_changes_no_acceleration_and_splits_by_least_norm) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    for (int k = 0; k < 5; ++k) {
      const Redundant r(random);
      const Solution one = solve(entry, r.single, r.top, r.bottom);
      Case c(entry, r.twice);
      BOOST_REQUIRE(c.factorize(r.twice) == EvaluationResult::ok);
      const Solution two = c.solve(r.top, r.bottom_twice);
      BOOST_REQUIRE(two.outcome == EvaluationResult::ok);
      BOOST_TEST((two.x - one.x).lpNorm<Eigen::Infinity>() < 1e-12 * (1.0 + one.x.norm()));
      const VectorXd force = r.single.G.transpose() * one.y;
      BOOST_TEST((r.twice.G.transpose() * two.y - force).norm() < 1e-11 * (1.0 + force.norm()));
      const double lambda = one.y[0] / 5.0;  // (lambda, 2 lambda) has the least norm of all with lambda_1 + 2 lambda_2
      const double size = 1.0 + one.y.norm();
      BOOST_TEST(std::abs(two.y[0] - lambda) < 1e-7 * size);
      BOOST_TEST(std::abs(two.y[1] - 2.0 * lambda) < 1e-7 * size);
      BOOST_TEST(std::abs(two.y[2] - one.y[1]) < 1e-7 * size);
      BOOST_TEST(c.solver->rank() == 2);
      BOOST_TEST(c.solver->counts().rank_actions == 1);
      BOOST_TEST(c.solver->weakest_mode().value < 1e-6);
    }
  });
}

BOOST_AUTO_TEST_CASE(p22_row_scaling_changes_multipliers_but_not_forces) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const Redundant r(random);
    Blocks scaled = r.twice;
    scaled.G.row(1) *= 10.0;
    VectorXd bottom = r.bottom_twice;
    bottom[1] *= 10.0;
    const Solution s = solve(entry, r.twice, r.top, r.bottom_twice), t = solve(entry, scaled, r.top, bottom);
    BOOST_TEST((s.x - t.x).norm() < 5e-12 * (1.0 + s.x.norm()));
    BOOST_TEST((r.twice.G.transpose() * s.y - scaled.G.transpose() * t.y).norm() < 1e-10 * (1.0 + s.y.norm()));
    BOOST_TEST(std::abs(s.y[0] - t.y[0]) > 1e-2 * std::abs(s.y[0]));
  });
}

BOOST_AUTO_TEST_CASE(null_space_part_of_the_multipliers_is_inert_erratum_e1) {
  // lambda = A^+ (...) + (I - A^+ A) u: any u gives the same v' and G^T lambda, and another lambda.
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const Redundant r(random);
    const Solution s = solve(entry, r.twice, r.top, r.bottom_twice);
    const MatrixXd A = r.twice.G * r.twice.H.llt().solve(r.twice.G.transpose());
    const MatrixXd projector = MatrixXd::Identity(3, 3) - A.completeOrthogonalDecomposition().pseudoInverse() * A;
    for (int k = 0; k < 4; ++k) {
      const VectorXd part = projector * (100.0 * random.vector(3));
      BOOST_TEST(part.norm() > 1.0);
      const VectorXd lambda = s.y + part;
      BOOST_TEST((r.twice.G.transpose() * part).norm() < 1e-11 * part.norm());
      const VectorXd a = r.twice.H.llt().solve(r.top - r.twice.G.transpose() * lambda);
      BOOST_TEST((a - s.x).norm() < 1e-11 * (1.0 + part.norm()));
      BOOST_TEST(std::abs(part.dot(s.y)) < 1e-6 * part.norm() * (1.0 + s.y.norm()));  // the solver's has no such part
    }
  });
}

BOOST_AUTO_TEST_CASE(strict_reports_lost_rank) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const Redundant r(random);
    Case c(entry, r.twice, policy(RankPolicy::strict));
    BOOST_TEST((c.factorize(r.twice) == EvaluationResult::rank_loss));
    BOOST_TEST((c.solve(r.top, r.bottom_twice).outcome == EvaluationResult::rank_loss));
    Blocks regular = r.twice;
    regular.G.row(1) = random.matrix(1, 5);  // recoverable: the next matrix is regular again
    BOOST_REQUIRE(c.factorize(regular) == EvaluationResult::ok);
    BOOST_TEST(residual(regular, c.solve(r.top, r.bottom_twice), r.top, r.bottom_twice) < 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(minimum_norm_recovers_after_lost_rank) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const Redundant r(random);
    Case c(entry, r.twice);
    BOOST_REQUIRE(c.factorize(r.twice) == EvaluationResult::ok);
    Blocks regular = r.twice;
    regular.G.row(1) = random.matrix(1, 5);
    BOOST_REQUIRE(c.factorize(regular) == EvaluationResult::ok);
    const Solution s = c.solve(r.top, r.bottom_twice);
    BOOST_TEST(residual(regular, s, r.top, r.bottom_twice) < 1e-11);
  });
}

BOOST_AUTO_TEST_CASE(regularized_error_is_of_the_order_of_delta) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const Redundant r(random);
    const Solution exact = solve(entry, r.single, r.top, r.bottom);
    const auto error = [&](double delta) {
      LinearSolverOptions options = policy(RankPolicy::regularized);
      options.regularization = delta;
      const Solution s = solve(entry, r.twice, r.top, r.bottom_twice, options);
      BOOST_REQUIRE(s.outcome == EvaluationResult::ok);
      return (s.x - exact.x).norm();
    };
    const double coarse = error(1e-4), fine = error(1e-6);
    BOOST_TEST(coarse < 1e-2);
    BOOST_TEST(coarse / fine > 80.0);
    BOOST_TEST(coarse / fine < 120.0);
  });
}

BOOST_AUTO_TEST_CASE(p27_units_of_length_and_mass_change_nothing) {
  // Lengths in another unit: M / s^2, f / s, G / s (g dimensionless); masses in another unit: M mu, f mu. One pair of
  // rows is redundant, another nearly so: every threshold and compliance is at work.
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    for (const RankPolicy p : {RankPolicy::minimum_norm, RankPolicy::regularized}) {
      Blocks b{random.spd(6), random.matrix(4, 6)};
      b.G.row(1) = 2.0 * b.G.row(0);
      b.G.row(3) = b.G.row(2) + 2e-3 * random.matrix(1, 6);
      const VectorXd top = random.vector(6), bottom = b.G * random.vector(6);
      const auto options = policy(p);
      Case plain(entry, b, options);
      BOOST_REQUIRE(plain.factorize(b) == EvaluationResult::ok);
      const Solution s = plain.solve(top, bottom);
      const double weakest = plain.solver->weakest_mode().value;
      for (const auto& [length, mass] : {std::pair(1e3, 1.0), {1e-3, 1.0}, {1.0, 1e-3}, {1e3, 1e6}}) {
        BOOST_TEST_CONTEXT("length x " << length << ", mass x " << mass) {
          const Blocks c{b.H * (mass / (length * length)), b.G / length};
          Case other(entry, c, options);
          BOOST_REQUIRE(other.factorize(c) == EvaluationResult::ok);
          const Solution t = other.solve(top * (mass / length), bottom);
          BOOST_TEST((t.x / length - s.x).norm() < 1e-9 * s.x.norm());
          BOOST_TEST((t.y / mass - s.y).norm() < 1e-7 * s.y.norm());
          BOOST_TEST(other.solver->rank() == plain.solver->rank());
          BOOST_TEST(std::abs(other.solver->weakest_mode().value - weakest) < 1e-9);
        }
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(weakest_mode_names_the_row_and_estimates_the_singular_value) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    // Nearly dependent: row 2 = 0.8 row 0 + 0.6 row 3; with orthonormal rows 0, 1, 3 its share is the largest.
    Blocks b{MatrixXd::Identity(6, 6), MatrixXd::Zero(4, 6)};
    b.G(0, 0) = b.G(1, 1) = b.G(3, 2) = 1.0;
    b.G.row(2) = 0.8 * b.G.row(0) + 0.6 * b.G.row(3);
    b.G(2, 5) = 0.02;
    Case c(entry, b);
    BOOST_REQUIRE(c.factorize(b) == EvaluationResult::ok);
    const MatrixXd S = b.G * b.G.transpose();
    const VectorXd d = S.diagonal().cwiseSqrt().cwiseInverse();
    const VectorXd sigma =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(MatrixXd(d.asDiagonal() * S * d.asDiagonal())).eigenvalues();
    const WeakestMode mode = c.solver->weakest_mode();
    BOOST_TEST(mode.row == 2);
    BOOST_TEST(mode.value / (sigma[0] / sigma[3]) > 1.0 / 3.0);
    BOOST_TEST(mode.value / (sigma[0] / sigma[3]) < 3.0);
    b.G(2, 5) = 1.0;
    BOOST_REQUIRE(c.factorize(b) == EvaluationResult::ok);
    BOOST_TEST(c.solver->weakest_mode().value > 0.1);
  });
}

BOOST_AUTO_TEST_CASE(weakest_mode_along_a_path_sees_a_row_that_shrinks) {
  // Row 2 keeps its direction and loses its length: against its former self it is lost, and later it is back.
  for_each_solver([](const LinearSolverEntry& entry) {
    Blocks b{MatrixXd::Identity(6, 6), MatrixXd::Zero(3, 6)};
    b.G(0, 0) = b.G(1, 1) = 1.0;
    Case c(entry, b);
    for (const double length : {1.0, 1e-1, 1e-2, 1e-5, 1e-2, 1.0}) {
      b.G(2, 2) = 0.8 * length;
      b.G(2, 1) = 0.6 * length;
      BOOST_TEST_CONTEXT("length " << length) {
        BOOST_REQUIRE(c.factorize(b) == EvaluationResult::ok);
        const WeakestMode mode = c.solver->weakest_mode();
        const double expected = length == 1.0 ? 0.25 : 0.4 * length * length;  // (1 - 0.6) / (1 + 0.6)
        BOOST_TEST(mode.value / expected > 1.0 / 3.0);
        BOOST_TEST(mode.value / expected < 3.0);
        if (length < 1.0) BOOST_TEST(mode.row == 2);
      }
    }
  });
}

/// Four rows on a light body that has three coordinates: one combination acts on the heavy body alone, and is as small
/// in G M^-1 G^T as a lost direction. The fifth row is the sum of two others, and is lost.
BOOST_AUTO_TEST_CASE(redundant_rows_are_told_from_masses_far_apart) {
  for_each_solver([](const LinearSolverEntry& entry) {
    for (const double ratio : {1e2, 1e6, 1e9, 1e11}) {
      Random random;
      Blocks b{MatrixXd::Identity(6, 6), MatrixXd::Zero(5, 6)};
      b.H.bottomRightCorner(3, 3) *= ratio;
      b.G.topLeftCorner(2, 3) = random.matrix(2, 3);
      b.G.middleRows(2, 2) = random.matrix(2, 6);
      b.G.row(4) = b.G.row(0) + b.G.row(2);
      VectorXd top = random.vector(6), bottom = random.vector(5);
      top.tail(3) *= ratio;
      bottom[4] = bottom[0] + bottom[2];
      using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
      Long whole = Long::Zero(10, 10), right(10, 1);
      whole.topLeftCorner(6, 6) = b.H.cast<long double>();
      whole.topRightCorner(6, 4) = b.G.topRows(4).transpose().cast<long double>();
      whole.bottomLeftCorner(4, 6) = b.G.topRows(4).cast<long double>();
      right << top.cast<long double>(), bottom.head(4).cast<long double>();
      const VectorXd expected = whole.partialPivLu().solve(right).cast<double>();
      const double allowed = 1e-12 + 1e-14 * ratio;  // its condition
      Case c(entry, b);
      BOOST_TEST_CONTEXT("ratio " << ratio) {
        for (int again = 0; again < 3; ++again) {  // found, followed, followed
          BOOST_REQUIRE(c.factorize(b) == EvaluationResult::ok);
          const Solution s = c.solve(top, bottom);
          BOOST_TEST(c.solver->rank() == 4);
          BOOST_TEST((s.x - expected.head(6)).norm() < allowed * expected.head(6).norm());
          const VectorXd force = b.G.topRows(4).transpose() * expected.tail(4);
          BOOST_TEST((b.G.transpose() * s.y - force).norm() < allowed * force.norm());
        }
      }
    }
  });
}

/// Off the constraints, rows that are redundant on them are dependent only nearly, and contradict each other.
BOOST_AUTO_TEST_CASE(p22_nearly_redundant_rows_that_contradict_each_other_change_accelerations_little) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    Blocks b{random.spd(12), random.matrix(6, 12)};
    const MatrixXd start = b.G, turn = random.matrix(6, 12), off = random.matrix(1, 12);
    const auto at = [&](double angle, double gap) {
      b.G = std::cos(angle) * start + std::sin(angle) * turn;
      b.G.row(5) = b.G.row(1) - b.G.row(3) + gap * off;
    };
    at(0.0, 0.0);
    Case c(entry, b);
    for (int k = 0; k < 30; ++k) {
      const double gap = 1e-6;
      at(0.02 * k, gap);
      const VectorXd top = random.vector(12);
      VectorXd bottom = random.vector(6);
      bottom[5] = bottom[1] - bottom[3] + gap;
      BOOST_REQUIRE(c.factorize(b) == EvaluationResult::ok);
      const Solution s = c.solve(top, bottom);
      const Blocks five{b.H, b.G.topRows(5)};
      const Solution exact = solve(entry, five, top, bottom.head(5));
      BOOST_TEST((s.x - exact.x).norm() < 100.0 * gap * exact.x.norm());
      BOOST_TEST((b.G.transpose() * s.y - five.G.transpose() * exact.y).norm() < 100.0 * gap * exact.y.norm());
      BOOST_TEST(c.solver->rank() == 5);
    }
  });
}

BOOST_AUTO_TEST_CASE(p22_a_newton_step_survives_nearly_redundant_rows_that_contradict_each_other) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const double gap = 1e-6;
    Blocks b{random.spd(12), random.matrix(6, 12)};
    b.G.row(5) = b.G.row(1) - b.G.row(3) + gap * random.matrix(1, 12);
    b.B = b.G + 1e-3 * random.matrix(6, 12);
    b.B.row(5) = b.B.row(1) - b.B.row(3) + gap * random.matrix(1, 12);
    const VectorXd top = random.vector(12);
    VectorXd bottom = random.vector(6);
    bottom[5] = bottom[1] - bottom[3] + gap;
    const Blocks five{b.H, b.G.topRows(5), b.B.topRows(5)};
    const Solution s = solve(entry, b, top, bottom), exact = solve(entry, five, top, bottom.head(5));
    BOOST_REQUIRE((s.outcome == EvaluationResult::ok && exact.outcome == EvaluationResult::ok));
    BOOST_TEST((s.x - exact.x).norm() < 1e-2 * exact.x.norm());
  });
}

// Rows x_0, x_1 - x_0, ... of a straight chain: the Schur complement has an eigenvalue of (pi / 2m)^2, 1.5e-11 of the
// largest, and x_k = sum of b_0 ... b_k exactly. Compliance lent to the rows would leave none of that. With the last
// row twice the chain is as long, and no longer regular.
BOOST_AUTO_TEST_CASE(a_long_chain_is_regular_in_newton_systems) {
  constexpr int m = 200000;
  const auto solver_of_rows = [](const LinearSolverEntry& entry, int rows) {
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < rows; ++i) {
      const int last = std::min(i, m - 1);
      entries.emplace_back(i, last);
      if (last > 0) entries.emplace_back(i, last - 1);
    }
    BlockPattern p;
    p.top_left = SparsePattern::diagonal(m);
    p.jacobian = p.bottom_left = SparsePattern::from_entries(rows, m, std::move(entries));
    p.newton = true;
    LinearSolverOptions options;
    options.name = entry.name;
    auto solver = make_linear_solver(p, options);
    VectorXd G(p.jacobian.nonzeros());
    p.jacobian.for_each_entry([&](int i, int j, int k) { G[k] = j == std::min(i, m - 1) ? 1.0 : -1.0; });
    const VectorXd H = VectorXd::Ones(m);
    BOOST_TEST((solver->factorize({H.data(), G.data(), G.data(), nullptr}) == EvaluationResult::ok));
    return solver;
  };
  for (const LinearSolverEntry& entry : linear_solver_registry()) {
    if (!entry.available || !entry.sparse) continue;
    BOOST_TEST_CONTEXT("solver " << entry.name) {
      const auto solver = solver_of_rows(entry, m);
      BOOST_TEST(solver->counts().rank_actions == 0);
      VectorXd x = VectorXd::Zero(m), multipliers = VectorXd::Constant(m, 1e-3);
      BOOST_TEST((solver->solve(x.data(), multipliers.data()) == EvaluationResult::ok));
      double error = 0.0;
      for (int k = 0; k < m; ++k) error = std::max(error, std::abs(x[k] - 1e-3 * (k + 1)));
      BOOST_TEST(error < 1e-3);
      BOOST_TEST(solver_of_rows(entry, m + 1)->counts().rank_actions == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(beyond_the_redundant_rows_the_weakest_mode_is_that_of_the_others) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    Blocks b{MatrixXd::Identity(12, 12), random.matrix(7, 12)};
    const MatrixXd plain = b.G;
    const auto at = [&](double gap) {
      b.G.row(4) = plain.row(0) + gap * plain.row(4);  // the pair that comes close
      b.G.row(5) = plain.row(1) - plain.row(2);
      b.G.row(6) = 2.0 * plain.row(3);
    };
    at(1.0);
    Case c(entry, b);
    for (const double gap : {1.0, 0.1, 0.01, 0.1, 1.0}) {
      at(gap);
      BOOST_REQUIRE(c.factorize(b) == EvaluationResult::ok);
      BOOST_TEST(c.solver->rank() == 5);
      const VectorXd d = b.G.rowwise().norm().cwiseInverse();
      const MatrixXd Z = d.asDiagonal() * b.G;
      const VectorXd sigma = Eigen::SelfAdjointEigenSolver<MatrixXd>(MatrixXd(Z * Z.transpose())).eigenvalues();
      const WeakestMode mode = c.solver->weakest_mode(2);
      BOOST_TEST_CONTEXT("gap " << gap) {
        BOOST_TEST(mode.value > sigma[2] / sigma[6] / 3.0);
        BOOST_TEST(mode.value < sigma[2] / sigma[6] * 3.0);
        if (gap < 0.1) BOOST_TEST((mode.row == 0 || mode.row == 4));
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite) {
  for_each_solver([](const LinearSolverEntry& entry) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Random random;
      const Blocks good{random.spd(4), random.matrix(2, 4)};
      Blocks b = good;
      Case c(entry, good);
      b.H(1, 1) = bad;
      BOOST_TEST((c.factorize(b) == EvaluationResult::not_finite));
      b = good;
      b.G(1, 2) = bad;
      BOOST_TEST((c.factorize(b) == EvaluationResult::not_finite));
      VectorXd top = random.vector(4);
      const VectorXd bottom = random.vector(2);
      BOOST_REQUIRE(c.factorize(good) == EvaluationResult::ok);  // and back
      BOOST_TEST(residual(good, c.solve(top, bottom), top, bottom) < 1e-12);
      top[2] = bad;
      BOOST_TEST((c.solve(top, bottom).outcome == EvaluationResult::not_finite));
    }
  });
}

BOOST_AUTO_TEST_CASE(the_first_matrix_may_be_not_finite) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const Blocks good{random.spd(4), random.matrix(2, 4)};
    Blocks b = good;
    b.H(0, 0) = std::numeric_limits<double>::quiet_NaN();
    Case c(entry, good);
    BOOST_TEST((c.factorize(b) == EvaluationResult::not_finite));
    const VectorXd top = random.vector(4), bottom = random.vector(2);
    BOOST_REQUIRE(c.factorize(good) == EvaluationResult::ok);
    BOOST_TEST(residual(good, c.solve(top, bottom), top, bottom) < 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(description_says_what_was_used) {
  for_each_solver([](const LinearSolverEntry& entry) {
    Random random;
    const Redundant r(random);
    Case c(entry, r.twice);
    c.factorize(r.twice);
    BOOST_TEST(c.solver->description().find(entry.name) != std::string::npos);
    BOOST_TEST(c.solver->description().find("minimum norm") != std::string::npos);
  });
}

namespace {

struct InOnePiece {
  static constexpr int num_positions = 30;
  static constexpr int num_constraints = 2;
  static void mass_matrix(double, View<const double>, MatrixView<double> M) {
    for (int i = 0; i < num_positions; ++i) {
      for (int j = 0; j < num_positions; ++j) M(i, j) = i == j ? 2.0 : 0.01;
    }
  }
  static void applied_force(double, View<const double>, View<const double>, View<double>) {}
  static void constraint(double, View<const double> q, View<double> g) {
    for (int i = 0; i < num_constraints; ++i) g[i] = q[i];
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(automatic_takes_size_and_pattern) {
  const auto of_mechanism = [](const char* name, int size) {
    return linear_solver_choice(*mechanisms::find_mechanism(name).make(size).system).name;
  };
  BOOST_TEST(of_mechanism("two_link", 0) == "dense");
  BOOST_TEST(linear_solver_choice(*make_system(InOnePiece{})).name == "dense");
  if (!find_linear_solver("block").available) return;
  for (const int size : {4, 400}) BOOST_TEST(of_mechanism("chain", size) == "block");
  Assembly cage;
  std::vector<Block> hubs;
  for (const char* name : {"one hub", "other hub"}) hubs.push_back(cage.add_coordinates(name, BlockKind::planar_body));
  for (int k = 0; k < 60; ++k) {
    const std::string name = std::to_string(k);
    const Block strut = cage.add_coordinates("strut " + name, BlockKind::planar_body);
    cage.add("inertia " + name, PlanarRigidBody{1.0, 1.0}, {strut});
    for (const int end : {0, 1}) {
      const std::string joint = "joint " + name + (end == 0 ? " of one" : " of the other");
      cage.add(joint, Revolute{0.1 * k, 0.0, 0.0, 0.0}, {hubs[static_cast<std::size_t>(end)], strut});
    }
  }
  const LinearSolverChoice choice = linear_solver_choice(*cage.build());
  BOOST_TEST(choice.name == "klu");
  BOOST_TEST(choice.reason.text().find("426") != std::string::npos, choice.reason.text());
}

BOOST_AUTO_TEST_CASE(the_report_says_which_and_why) {
  const auto chain = mechanisms::find_mechanism("chain").make(5);
  SimulationOptions options;
  options.t_end = 0.01;
  for (const char* name : {"automatic", "dense"}) {
    options.linear_solver.name = name;
    const RunFacts used = simulate(chain.system, chain.start, options).report.used;
    const auto reason = std::find_if(used.own.begin(), used.own.end(),
                                     [](const Fact& f) { return f.name == "linear solver by size and pattern"; });
    BOOST_TEST((reason != used.own.end()) == (used.linear_solver.asked == "automatic"));
    if (reason == used.own.end()) continue;
    BOOST_TEST(std::get<std::string>(reason->values.at(0)) == used.linear_solver.used);
    BOOST_TEST(std::get<long>(reason->values.at(1)) == 25);
  }
}
