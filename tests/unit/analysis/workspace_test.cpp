// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"

/// workspace() against closed forms.
using namespace sunlagrange;
using Eigen::Vector2d;
using Eigen::VectorXd;
using Kind = WorkspaceBoundary::Kind;

namespace {

const double pi = std::acos(-1.0);

/// Two links, the second angle relative to the first: q = (shoulder, elbow, x, y of the hand).
struct PlanarArm {
  double a = 1.0, b = 0.6;
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < 4; ++i) M(i, i) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[2] - a * cos(q[0]) - b * cos(q[0] + q[1]);
    g[1] = q[3] - a * sin(q[0]) - b * sin(q[0] + q[1]);
  }
  std::vector<std::string> position_names() const { return {"shoulder", "elbow", "x", "y"}; }
};

/// Two cranks of 0.4 at (0, 0) and (1, 0), joined by two rods of 0.6 at P: q = (left, right, x, y).
struct FiveBar {
  static constexpr double crank = 0.4, rod = 0.6;
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < 4; ++i) M(i, i) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    for (int i = 0; i < 2; ++i) {
      const T x = q[2] - crank * cos(q[i]) - T(i), y = q[3] - crank * sin(q[i]);
      g[i] = (x * x + y * y - rod * rod) / 2.0;
    }
  }
  std::vector<std::string> position_names() const { return {"left", "right", "x", "y"}; }
};

Vector2d tip(double angle, int side) {
  return {FiveBar::crank * std::cos(angle) + side, FiveBar::crank * std::sin(angle)};
}

VectorXd arm_at(double shoulder, double elbow) {
  const PlanarArm arm;
  return Eigen::Vector4d(shoulder, elbow, arm.a * std::cos(shoulder) + arm.b * std::cos(shoulder + elbow),
                         arm.a * std::sin(shoulder) + arm.b * std::sin(shoulder + elbow));
}

InitialState arm_start(double shoulder, double elbow) {
  return {0.0, arm_at(shoulder, elbow), {}};
}

long boundaries(const MechanismWorkspace& found, Kind kind) {
  return std::count_if(found.boundary.begin(), found.boundary.end(),
                       [kind](const WorkspaceBoundary& b) { return b.kind == kind; });
}

/// Of the quadrilaterals between the places of neighbouring combinations.
double area(const MechanismWorkspace& found) {
  double sum = 0.0;
  const std::size_t width = found.grid[1].size();
  for (std::size_t i = 0; i + 1 < found.grid[0].size(); ++i) {
    for (std::size_t j = 0; j + 1 < width; ++j) {
      const auto place = [&](std::size_t di, std::size_t dj) -> Vector2d {
        return found.points[(i + di) * width + j + dj].place;
      };
      const Vector2d d = place(1, 1) - place(0, 0), e = place(0, 1) - place(1, 0);
      sum += 0.5 * std::abs(d.x() * e.y() - d.y() * e.x());
    }
  }
  return sum;
}

}  // namespace

// r^2 = a^2 + b^2 + 2 a b cos(elbow); det J = a b sin(elbow), |J|^2 = r^2 + b^2.
BOOST_AUTO_TEST_CASE(the_arm_reaches_its_annulus) {
  const PlanarArm arm;
  const auto system = make_system(arm);
  for (const int cells : {20, 40}) {
    const MechanismWorkspace found = workspace(system, arm_start(0.3, 0.9), {"x", "y"},
                                               {{"shoulder", -pi, pi, 2 * cells + 1}, {"elbow", 0.0, pi, cells + 1}});
    BOOST_TEST(found.status.finished(), found.status.message);
    BOOST_TEST(found.status.message.empty(), found.status.message);
    BOOST_REQUIRE_EQUAL(found.points.size(), static_cast<std::size_t>((2 * cells + 1) * (cells + 1)));
    BOOST_TEST(found.count(Reach::singular) == 2 * (2 * cells + 1));  // stretched and folded
    BOOST_TEST(boundaries(found, Kind::dead_point) == 0);
    for (const WorkspacePoint& p : found.points) {
      BOOST_TEST((p.place - arm_at(p.s[0], p.s[1]).tail<2>()).norm() < 1e-10);
      const double det = arm.a * arm.b * std::abs(std::sin(p.s[1])), square = p.place.squaredNorm() + arm.b * arm.b;
      const double largest = std::sqrt(0.5 * (square + std::sqrt(std::max(0.0, square * square - 4.0 * det * det))));
      BOOST_TEST(std::abs(p.manipulability - det / largest) < 1e-8);
      BOOST_TEST((p.reach == Reach::singular) == (std::sin(p.s[1]) < 1e-9));
    }
    const double h = pi / cells, annulus = pi * ((arm.a + arm.b) * (arm.a + arm.b) - (arm.a - arm.b) * (arm.a - arm.b));
    BOOST_TEST(std::abs(area(found) - annulus) < 0.3 * h * h * annulus);
    BOOST_TEST(area(found) < annulus);  // chords
  }
}

// Where the elbow is straight or folded, between two values of the grid.
BOOST_AUTO_TEST_CASE(the_determinant_changes_its_sign_on_the_boundary) {
  const PlanarArm arm;
  const MechanismWorkspace found = workspace(make_system(arm), arm_start(0.0, 0.5), {"x", "y"},
                                             {{"shoulder", -1.0, 1.0, 11}, {"elbow", -0.73, 3.77, 31}});
  BOOST_TEST(boundaries(found, Kind::singular) == 2 * 11);
  for (const WorkspaceBoundary& b : found.boundary) {
    if (b.kind != Kind::singular) continue;
    const bool straight = std::abs(b.s[1]) < 0.2;
    BOOST_TEST(std::abs(b.s[1] - (straight ? 0.0 : pi)) < 1e-6);
    BOOST_TEST(std::abs(b.place.norm() - (straight ? arm.a + arm.b : arm.a - arm.b)) < 1e-10);
  }
  BOOST_TEST(boundaries(found, Kind::end_of_range) == 2 * 11 + 2 * 31);
}

// A pendulum driven by its height y moves with speed 1 / |x|: near the bottom without bound, which says nothing about
// the other places.
BOOST_AUTO_TEST_CASE(a_node_beside_a_dead_point_leaves_the_others_regular) {
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  for (const double gap : {1e-2, 1e-4, 1e-7, 1e-8}) {
    const MechanismWorkspace found =
        workspace(pendulum.system, pendulum.start, {"bob"}, {{"bob[1]", gap - 1.0, 0.0, 5}});
    BOOST_TEST_CONTEXT(gap << ": " << found.status.message) {
      BOOST_TEST(found.count(Reach::reached) == 5);
      BOOST_TEST(boundaries(found, Kind::singular) == 0);
      for (const WorkspacePoint& p : found.points)
        BOOST_TEST(p.manipulability * std::sqrt((1.0 - p.s[0]) * (1.0 + p.s[0])) == 1.0,
                   boost::test_tools::tolerance(1e-5));
    }
  }
  // at it the drive moves nothing
  const MechanismWorkspace bottom = workspace(pendulum.system, pendulum.start, {"bob"}, {{"bob[1]", -1.0, 0.0, 5}});
  BOOST_TEST(bottom.count(Reach::reached) == 4, bottom.status.message);
  BOOST_TEST((bottom.points[0].reach == Reach::singular));
  BOOST_TEST(std::isnan(bottom.points[0].manipulability));
}

BOOST_AUTO_TEST_CASE(the_five_bar_ends_where_its_rods_are_straight) {
  const auto system = make_system(FiveBar{});
  const InitialState start{0.0, Eigen::Vector4d(1.0, 2.0, 0.5, 0.86), {}, {}, {}};
  const MechanismWorkspace found =
      workspace(system, start, {"x", "y"}, {{"left", 0.3, 3.1, 36}, {"right", 0.05, 2.8, 36}});
  BOOST_TEST(found.status.finished(), found.status.message);
  BOOST_TEST(found.count(Reach::unreached) > 50);
  for (const WorkspacePoint& p : found.points) {
    const Vector2d left = tip(p.s[0], 0), right = tip(p.s[1], 1), apart = right - left;
    const double half = 0.5 * apart.norm();
    BOOST_TEST((p.reach == Reach::unreached) == (half > FiveBar::rod), p.s.transpose());
    if (p.reach == Reach::unreached) continue;
    const double height = std::sqrt(FiveBar::rod * FiveBar::rod - half * half);  // P stays above, as at the start
    const Vector2d above = 0.5 * (left + right) + height * Vector2d(-apart.y(), apart.x()) / apart.norm();
    BOOST_TEST((p.place - above).norm() < 1e-7, p.s.transpose());
  }
  BOOST_TEST(boundaries(found, Kind::dead_point) > 20);
  for (const WorkspaceBoundary& b : found.boundary) {
    if (b.kind != Kind::dead_point) continue;
    BOOST_TEST(std::abs((tip(b.s[0], 0) - tip(b.s[1], 1)).norm() - 2.0 * FiveBar::rod) < 1e-6);
  }
  BOOST_TEST(found.status.message.find("combinations were not reached") != std::string::npos, found.status.message);
}

// A slider that cannot come beyond crank and rod in line.
BOOST_AUTO_TEST_CASE(a_range_that_is_not_reached_is_told) {
  const auto mechanism = mechanisms::find_mechanism("slider_crank").make(0);
  const MechanismWorkspace found = workspace(mechanism.system, mechanism.start, {"q", "p"}, {{"x", 0.6, 1.8, 13}});
  BOOST_TEST(found.status.finished());
  BOOST_REQUIRE_EQUAL(found.missing.size(), 1U);
  BOOST_REQUIRE_EQUAL(found.missing[0].size(), 3U);
  for (const double x : found.missing[0]) BOOST_TEST(x > 1.5);
  BOOST_TEST(found.status.message.find("no combination reaches 3 of 13 values of x, 1.6 ... 1.8") != std::string::npos,
             found.status.message);
  BOOST_REQUIRE_EQUAL(boundaries(found, Kind::dead_point), 1);
  for (const WorkspaceBoundary& b : found.boundary) {
    if (b.kind == Kind::dead_point) BOOST_TEST(std::abs(b.s[0] - 1.5) < 1e-8);
  }
}

// One driven coordinate: the configurations are those of kinematics(), the place goes along a coupler curve.
// Behind a crossing of branches the way of assembling is anyone's choice: it is no part of the workspace.
BOOST_AUTO_TEST_CASE(crossings_are_not_passed) {
  const auto bars = mechanisms::find_mechanism("folding_slider_crank").make(0);
  const MechanismWorkspace found =
      workspace(bars.system, bars.start, {"slider.x", "slider.y"}, {{"crank.phi", 0.2, 2.7, 6}});
  BOOST_TEST(found.crossings == 1, found.status.message);
  for (const WorkspacePoint& p : found.points) BOOST_TEST((p.reach == Reach::unreached) == (p.s[0] > 0.5 * pi), p.s[0]);
}

BOOST_AUTO_TEST_CASE(coupler_curve_of_a_four_bar) {
  const auto mechanism = mechanisms::find_mechanism("n_four_bar_bodies").make(1);
  const std::string crank = "vertical 0.phi";
  const double from = 1.4, to = 0.4;
  WorkspaceOptions options;
  options.offset = {0.2, 0.3, 0.0};
  const MechanismWorkspace found =
      workspace(mechanism.system, mechanism.start, {"horizontal 0"}, {{crank, from, to, 21}}, options);
  BOOST_TEST(found.status.finished(), found.status.message);
  const Kinematics same = kinematics(mechanism.system, mechanism.start, crank, found.grid[0]);
  BOOST_REQUIRE(same.status.finished());
  const VectorXd first = found.points.front().place;
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    const WorkspacePoint& p = found.points[k];
    BOOST_TEST((p.q - same.branches[0].points[k].q).norm() < 1e-9);
    // a parallelogram with bars of 1 m: every point of the coupler goes along a circle of the bar's length
    BOOST_TEST(std::abs((p.place - first).norm() - 2.0 * std::abs(std::sin(0.5 * (p.s[0] - from)))) < 1e-9);
    BOOST_TEST(std::abs(p.manipulability - 1.0) < 1e-9);
  }
}

// Bricard's mechanism: the derivative is that of the places.
BOOST_AUTO_TEST_CASE(points_of_spatial_bodies) {
  const auto mechanism = mechanisms::find_mechanism("bricard").make(0);
  std::string body;
  for (const NamedBlock& block : mechanism.system->blocks()) {
    if (block.kind == BlockKind::spatial_body) body = block.name;
  }
  const std::vector<int> coordinates = mechanism.system->position_indices(body);
  const MotionState start = consistent_state(mechanism.system, mechanism.start).state;
  const double middle = start.q[coordinates[1]], step = 1e-5;
  VectorXd beside = start.q;  // y is at a dead point in the symmetric pose
  beside[coordinates[1]] += 0.01;
  WorkspaceOptions options;
  options.offset = {0.3, -0.2, 0.5};
  const MechanismWorkspace found = workspace(
      mechanism.system, {0.0, beside, {}}, {body},
      {{mechanism.system->position_name(coordinates[1]), middle + 0.01, middle + 0.01 + 2.0 * step, 3}}, options);
  BOOST_REQUIRE_EQUAL(found.count(Reach::reached), 3);
  BOOST_TEST(found.point.size() == 3U);
  const double rate = (found.points[2].place - found.points[0].place).norm() / (2.0 * step);
  const double scale = mechanism.system->natural_scales()[coordinates[1]];
  BOOST_TEST(rate * scale == found.points[1].manipulability, boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(limits_are_not_passed) {
  const auto system = make_system(PlanarArm{});
  WorkspaceOptions options;
  options.limits = {{"x", 0.5, INFINITY}};
  const MechanismWorkspace found =
      workspace(system, arm_start(0.0, 0.4), {"x", "y"}, {{"shoulder", -pi, pi, 41}, {"elbow", 0.2, 2.8, 21}}, options);
  long inside = 0;
  for (const WorkspacePoint& p : found.points) {
    if (p.reach == Reach::unreached) continue;
    BOOST_TEST((p.reach == Reach::outside_limits) == (p.place[0] < 0.5));
    inside += p.reach == Reach::reached ? 1 : 0;
  }
  BOOST_TEST(inside > 100);
  BOOST_TEST(found.count(Reach::unreached) > 100);  // behind the limit
  BOOST_TEST(boundaries(found, Kind::limit) > 10);
  BOOST_TEST(found.status.message.find("outside the limits") != std::string::npos, found.status.message);
}

BOOST_AUTO_TEST_CASE(a_start_outside_the_limits_is_told) {
  WorkspaceOptions options;
  options.limits = {{"x", 1.0, INFINITY}};
  const MechanismWorkspace found = workspace(make_system(PlanarArm{}), arm_start(pi / 2, 0.4), {"x", "y"},
                                             {{"shoulder", -pi, pi, 41}, {"elbow", 0.2, 2.8, 21}}, options);
  BOOST_TEST((found.status.outcome == Outcome::infeasible));
  BOOST_TEST(found.boundary.empty());
  for (const char* part : {"shoulder = 1.5", "outside the limits: x = -", "not in 1 ...", "start within them"})
    BOOST_TEST(found.status.message.find(part) != std::string::npos, found.status.message);
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const auto system = make_system(PlanarArm{});
  const InitialState start = arm_start(0.0, 0.4);
  const auto complaint = [&](const std::vector<std::string>& point, const std::vector<DrivenRange>& driven,
                             const WorkspaceOptions& options = {}) -> std::string {
    try {
      return "none: " + workspace(system, start, point, driven, options).status.message;
    } catch (const Error& error) {
      return error.what();
    }
  };
  const DrivenRange shoulder{"shoulder", 0.0, 1.0, 3}, elbow{"elbow", 0.0, 1.0, 3};
  const auto check = [&](const std::string& words, const std::string& part) {
    BOOST_TEST(words.find(part) != std::string::npos, words);
  };
  check(complaint({"x"}, {shoulder, elbow}), "has 1 coordinates");
  check(complaint({"x", "z"}, {shoulder, elbow}), "\"z\" names no coordinate");
  check(complaint({"x", "y"}, {shoulder, {"wrist", 0.0, 1.0, 3}}), "\"wrist\"");
  check(complaint({"x", "y"}, {}), "no coordinate is driven");
  check(complaint({"x", "y"}, {shoulder, shoulder}), "driven twice");
  check(complaint({"x", "y"}, {shoulder, {"elbow", 0.0, 1.0, 1}}), "at least 2 values");
  check(complaint({"x", "y"}, {{"shoulder", 0.0, 1.0, 2000}, {"elbow", 0.0, 1.0, 2000}}), "4e+06 combinations");
  check(complaint({"x", "y"}, {shoulder}), "2 degrees of freedom, not one: drive the others, too");
  WorkspaceOptions options;
  options.offset = {0.1, 0.0, 0.0};
  check(complaint({"x", "y"}, {shoulder, elbow}, options), "block of a body");
  options = {};
  options.limits = {{"x", 1.0, 0.0}};
  check(complaint({"x", "y"}, {shoulder, elbow}, options), "below the upper");
  BOOST_CHECK_THROW(workspace(nullptr, start, {"x", "y"}, {shoulder, elbow}), Error);
}
