// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

#include <Eigen/Dense>

#include "linear_solver/factors/panels.hpp"
#include "linear_solver/linear_solver.hpp"

/// `block` on graphs of bodies and joints: the defining equations, by LU of the whole matrix with pivoting; what the
/// order promises; when KLU has to help.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Bodies of some coordinates each, joints of some rows each between two bodies (-1: the ground).
struct Graph {
  struct Joint {
    int rows, body, other;
  };
  const char* name;
  std::vector<int> body;
  std::vector<Joint> joint;
  bool masses_couple = false;  // neighbours, as in natural coordinates
};

Graph chain(int bodies) {
  Graph g{"chain", std::vector<int>(static_cast<std::size_t>(bodies), 3), {}};
  for (int k = 0; k < bodies; ++k) g.joint.push_back({2, k, k - 1});
  return g;
}

Graph star(int leaves) {
  Graph g{"star", {7}, {{1, 0, 0}}};
  for (int k = 1; k <= leaves; ++k) {
    g.body.push_back(7);
    g.joint.push_back({1, k, k});  // its norm
    g.joint.push_back({5, k, 0});
  }
  return g;
}

Graph ring(int bodies) {
  Graph g = chain(bodies);
  g.name = "ring";
  g.body.assign(g.body.size(), 6);
  g.joint.push_back({2, bodies - 1, -1});
  return g;
}

Graph ladder(int cells) {
  Graph g{"ladder", {}, {}, true};
  for (int k = 0; k <= cells; ++k) {
    g.body.push_back(2);
    g.joint.push_back({1, k, -1});
    if (k > 0) g.joint.push_back({1, k, k - 1});
  }
  return g;
}

Graph grid(int side) {
  Graph g{"grid", std::vector<int>(static_cast<std::size_t>(side * side), 3), {{1, 0, -1}}};
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      if (i > 0) g.joint.push_back({1, side * i + j, side * (i - 1) + j});
      if (j > 0) g.joint.push_back({1, side * i + j, side * i + j - 1});
    }
  }
  return g;
}

/// Two hubs, and struts that connect them.
Graph cage(int struts) {
  Graph g{"cage", {6, 6}, {}};
  for (int k = 0; k < struts; ++k) {
    g.body.push_back(6);
    for (const int hub : {0, 1}) g.joint.push_back({3, 2 + k, hub});
  }
  return g;
}

std::vector<Graph> graphs() {
  Graph single{"single body", {5}, {{2, 0, -1}}};
  Graph free{"free bodies", {3, 2}, {}};
  return {single, free, chain(1), chain(2), chain(30), star(12), ring(9), ladder(20), grid(5), cage(3)};
}

/// Random values on the patterns of a graph.
struct System {
  System(const Graph& g, bool newton, bool compliant) {
    std::vector<int> first{0};
    for (const int size : g.body) first.push_back(first.back() + size);
    n = first.back();
    for (const auto& j : g.joint) m += j.rows;
    H = MatrixXd::Zero(n, n);
    G = B = MatrixXd::Zero(m, n);
    C = MatrixXd::Zero(m, m);
    std::vector<std::pair<int, int>> h, b, c;
    const auto add_block = [](auto& list, int row, int rows, int column, int columns) {
      for (int i = row; i < row + rows; ++i) {
        for (int j = column; j < column + columns; ++j) list.emplace_back(i, j);
      }
    };
    const auto at = [](const auto& list, int k) { return list[static_cast<std::size_t>(k)]; };
    for (int k = 0; k < static_cast<int>(g.body.size()); ++k) {
      const int f = at(first, k), size = at(g.body, k);
      const MatrixXd a = random(size, size);
      H.block(f, f, size, size) = a * a.transpose() + 2.0 * MatrixXd::Identity(size, size);
      if (newton) H.block(f, f, size, size) += 0.1 * random(size, size);
      add_block(h, f, size, f, size);
      if (!g.masses_couple || k == 0) continue;
      const int size_before = at(g.body, k - 1), before = at(first, k - 1);
      H.block(f, before, size, size_before) = 0.2 * random(size, size_before);
      H.block(before, f, size_before, size) = H.block(f, before, size, size_before).transpose();
      add_block(h, f, size, before, size_before);
      add_block(h, before, size_before, f, size);
    }
    int row = 0;
    for (const auto& j : g.joint) {
      for (const int k : {j.body, j.other}) {
        if (k < 0) continue;
        const int f = at(first, k), size = at(g.body, k);
        G.block(row, f, j.rows, size) = random(j.rows, size);
        B.block(row, f, j.rows, size) = G.block(row, f, j.rows, size) + 0.1 * random(j.rows, size);
        add_block(b, row, j.rows, f, size);
      }
      if (compliant) {
        const MatrixXd a = random(j.rows, j.rows);
        C.block(row, row, j.rows, j.rows) = 0.1 * a * a.transpose();
        add_block(c, row, j.rows, row, j.rows);
      }
      row += j.rows;
    }
    if (!newton) B = G;
    pattern.top_left = SparsePattern::from_entries(n, n, h);
    pattern.jacobian = SparsePattern::from_entries(m, n, b);
    pattern.newton = newton;
    if (newton) pattern.bottom_left = pattern.jacobian;
    if (compliant) pattern.compliance = SparsePattern::from_entries(m, m, c);
  }

  BlockValues values() {
    const auto gather = [](const SparsePattern& p, const MatrixXd& a, std::vector<double>& to) {
      to.clear();
      p.for_each_entry([&](int i, int j, int) { to.push_back(a(i, j)); });
    };
    gather(pattern.top_left, H, h_);
    gather(pattern.jacobian, G, g_);
    gather(pattern.bottom_left, B, b_);
    gather(pattern.compliance, C, c_);
    return {h_.data(), g_.data(), b_.empty() ? nullptr : b_.data(), c_.empty() ? nullptr : c_.data()};
  }

  MatrixXd whole() const {
    MatrixXd a(n + m, n + m);
    a << H, G.transpose(), B, -C;
    return a;
  }

  MatrixXd random(int rows, int columns) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(engine); });
  }

  std::mt19937 engine{5};
  int n = 0, m = 0;
  MatrixXd H, G, B, C;
  BlockPattern pattern;

 private:
  std::vector<double> h_, g_, b_, c_;
};

std::unique_ptr<LinearSolver> make_block(const BlockPattern& pattern) {
  LinearSolverOptions options;
  options.name = "block";
  return make_linear_solver(pattern, options);
}

/// Largest difference of the solution of random right-hand sides, relative to what rounding allows.
double error(LinearSolver& solver, System& s) {
  const VectorXd rhs = s.random(s.n + s.m, 1);
  const MatrixXd whole = s.whole();
  const VectorXd expected = whole.fullPivLu().solve(rhs);
  VectorXd a = rhs.head(s.n), lambda = rhs.tail(s.m);
  BOOST_REQUIRE((solver.solve(a.data(), lambda.data()) == EvaluationResult::ok));
  VectorXd x(s.n + s.m);
  x << a, lambda;
  return (x - expected).norm() / (expected.norm() * whole.norm() * whole.inverse().norm());
}

bool asked_klu(const LinearSolver& solver) {
  return solver.description().find("klu") != std::string::npos || solver.counts().pivot_refreshes > 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(agrees_with_elimination_with_pivoting) {
  if (!find_linear_solver("block").available) return;
  for (const Graph& g : graphs()) {
    for (const bool newton : {false, true}) {
      for (const bool compliant : {false, true}) {
        BOOST_TEST_CONTEXT(g.name << (newton ? ", newton" : "") << (compliant ? ", compliance" : "")) {
          System s(g, newton, compliant);
          const auto solver = make_block(s.pattern);
          for (int k = 0; k < 3; ++k) {
            BOOST_REQUIRE((solver->factorize(s.values()) == EvaluationResult::ok));
            BOOST_TEST(error(*solver, s) < 1e-14);
            s.G *= 1.1;
            s.B *= 1.2;
            if (!newton) s.B = s.G;
          }
          BOOST_TEST(!asked_klu(*solver), solver->description());
          BOOST_TEST(solver->counts().symbolic_analyses == 1);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_top_left_block_that_stays_and_changes_again) {
  if (!find_linear_solver("block").available) return;
  System s(chain(6), false, false);
  const auto solver = make_block(s.pattern);
  for (const bool same : {false, true, true, false, true}) {
    if (!same) s.H *= 2.0;
    s.B = s.G = 1.3 * s.G;
    BlockValues values = s.values();
    values.same_top_left = same;
    BOOST_REQUIRE((solver->factorize(values) == EvaluationResult::ok));
    BOOST_TEST(error(*solver, s) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(factors_of_chains_trees_and_rings_are_linear_in_size) {
  const auto entries = [](const Graph& g) { return Panels(System(g, false, false).pattern).entries; };
  for (const auto& make : {chain, star, ring, ladder}) {
    const int small = entries(make(20)), large = entries(make(80));
    BOOST_TEST(large < 4.3 * small, make(1).name << ": " << small << ", " << large);
  }
}

/// A hub with many leaves: eliminated before their joints, it would couple them all. The last leaf is as good as the
/// hub.
BOOST_AUTO_TEST_CASE(a_leaf_body_is_followed_by_its_joint) {
  const System s(star(40), false, false);
  const std::vector<int> place = Panels(s.pattern).order.place;
  const int hub = *std::min_element(place.begin(), place.begin() + 7);
  BOOST_TEST(std::count_if(place.begin() + s.n + 1, place.end(), [hub](int row) { return row > hub; }) <= 6);
}

/// Two bars to a point without mass coupling may be in line although the whole is regular: they wait for their far
/// ends.
BOOST_AUTO_TEST_CASE(a_straight_rope_needs_no_pivoting) {
  if (!find_linear_solver("block").available) return;
  Graph rope{"rope", std::vector<int>(30, 2), {}};
  for (int k = 0; k < 30; ++k) rope.joint.push_back({1, k, k - 1});
  for (const double angle : {0.0, 0.3, 1.5707963267948966}) {
    System s(rope, false, false);
    s.H.setIdentity();
    s.G.setZero();
    for (int k = 0; k < 30; ++k) {
      const Eigen::RowVector2d d(std::cos(angle), std::sin(angle));
      s.G.block(k, 2 * k, 1, 2) = d;
      if (k > 0) s.G.block(k, 2 * k - 2, 1, 2) = -d;
    }
    s.B = s.G;
    const auto solver = make_block(s.pattern);
    BOOST_REQUIRE((solver->factorize(s.values()) == EvaluationResult::ok));
    BOOST_TEST(error(*solver, s) < 1e-14);
    BOOST_TEST(!asked_klu(*solver), solver->description());
  }
}

BOOST_AUTO_TEST_CASE(klu_chooses_pivots_where_the_first_has_no_mass_and_only_as_long) {
  if (!find_linear_solver("block").available) return;
  System s(chain(6), false, false);
  const MatrixXd H = s.H;
  const auto solver = make_block(s.pattern);
  BOOST_REQUIRE((solver->factorize(s.values()) == EvaluationResult::ok));
  BOOST_TEST(!asked_klu(*solver));
  const int first = Panels(s.pattern).order.unknown.front();
  BOOST_REQUIRE(first < s.n);
  s.H.row(first).setZero();
  s.H.col(first).setZero();
  BOOST_REQUIRE((solver->factorize(s.values()) == EvaluationResult::ok));
  BOOST_TEST(error(*solver, s) < 1e-13);
  BOOST_TEST(asked_klu(*solver));
  s.H = H;
  for (int k = 0; k < 40; ++k) BOOST_REQUIRE((solver->factorize(s.values()) == EvaluationResult::ok));
  BOOST_TEST(error(*solver, s) < 1e-14);
  BOOST_TEST(solver->description().find("klu") == std::string::npos, solver->description());
}

/// Where the joints of every strut wait for both hubs, they all couple: the work grows with the cube of their number.
BOOST_AUTO_TEST_CASE(klu_takes_patterns_whose_factors_would_fill_up) {
  if (!find_linear_solver("block").available) return;
  System s(cage(60), false, false);
  BOOST_TEST(!Panels(s.pattern).complete);
  const auto solver = make_block(s.pattern);
  for (int k = 0; k < 3; ++k) {
    BOOST_REQUIRE((solver->factorize(s.values()) == EvaluationResult::ok));
    BOOST_TEST(error(*solver, s) < 1e-14);
  }
  BOOST_TEST(solver->description().find("klu") != std::string::npos, solver->description());
  BOOST_TEST(solver->counts().pivot_refreshes == 0);
}

/// Nothing but one clique is left: the rest of the order needs no graph.
BOOST_AUTO_TEST_CASE(a_full_pattern_is_one_panel) {
  System s(Graph{"full", {30}, {{12, 0, -1}}}, false, false);
  const Panels panels(s.pattern);
  BOOST_TEST(panels.panel.size() == 1U);
  BOOST_TEST(panels.entries == 42 * 43 / 2);
  BOOST_TEST(*std::max_element(panels.order.place.begin(), panels.order.place.begin() + 30) == 29);
}
