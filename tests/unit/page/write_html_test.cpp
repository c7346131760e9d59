// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/sunlagrange.hpp>

// What elements draw, and the page that shows it. The numbers of the page: regression/program_files.

using namespace sunlagrange;

namespace {

double distance(const Drawing::Point& a, const Drawing::Point& b) {
  return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

std::vector<Drawing::Shape> of_kind(const Drawing& drawing, Drawing::Kind kind) {
  std::vector<Drawing::Shape> found;
  for (const Drawing::Shape& shape : drawing.shapes()) {
    if (shape.kind == kind) found.push_back(shape);
  }
  return found;
}

/// An element of a user's own.
struct Flag {
  static constexpr int num_positions = 2;
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = 1.0;
  }
  void draw(double t, View<const double> q, Drawing& d) const {
    d.curve({{q[0], q[1]}, {q[0] + 0.1, q[1]}, {q[0], q[1] + t}});
  }
};

struct Fickle : Flag {
  void draw(double t, View<const double> q, Drawing& d) const {
    d.mass({q[0], q[1]});
    if (t > 0.5) d.mass({q[0], q[1]});
  }
};

template <class E>
std::shared_ptr<const MechanicalSystem> with(const E& element) {
  Assembly assembly;
  const Block p = assembly.add_coordinates("p", BlockKind::planar_point);
  assembly.add("mass", PointMass{2.0}, {p});
  assembly.add("own", element, {p});
  return assembly.build();
}

std::string page(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system,
                 const std::string& title) {
  std::ostringstream out;
  write_html(run, system, out, title);
  return out.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(own_elements_are_drawn) {
  const auto system = with(Flag{});
  const Drawing drawing = draw(*system, 0.25, Eigen::Vector2d(3.0, 4.0));
  const auto curves = of_kind(drawing, Drawing::Kind::curve);
  BOOST_REQUIRE_EQUAL(curves.size(), 1u);
  BOOST_TEST(curves[0].of == "own");
  BOOST_REQUIRE_EQUAL(curves[0].points.size(), 3u);
  BOOST_TEST(curves[0].points[2].x == 3.0);
  BOOST_TEST(curves[0].points[2].y == 4.25);
  BOOST_TEST(of_kind(drawing, Drawing::Kind::mass).size() == 1u);
  BOOST_CHECK_THROW(draw(*system, 0.0, Eigen::VectorXd::Zero(3)), Error);
}

// Points fixed in a body keep their distances; a pin is a point of both of its bodies.
BOOST_AUTO_TEST_CASE(bodies_are_rigid_and_meet_in_their_joints) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_body);
  const Block b = assembly.add_coordinates("b", BlockKind::planar_body);
  assembly.add("inertia a", PlanarRigidBody{1.0, 0.1}, {a});
  assembly.add("inertia b", PlanarRigidBody{1.0, 0.1}, {b});
  assembly.add("A", RevoluteToGround{-0.5, 0.0}, {a});
  assembly.add("B", Revolute{0.5, 0.1, -0.4, 0.0}, {a, b});
  assembly.add("spring", LinearSpring{10.0, 0.3, OnBody{0.3, 0.3}, OnGround{2.0, 0.0}}, {b});
  const auto system = assembly.build();
  Eigen::VectorXd q(6);
  q << 0.4, 0.2, 0.5, 1.2, 0.3, -0.6;
  const Eigen::VectorXd closed = consistent_state(system, {0.0, q, {}}).state.q;
  const Drawing given = draw(*system, 0.0, q), drawing = draw(*system, 0.0, closed);
  const auto bodies = of_kind(drawing, Drawing::Kind::body), before = of_kind(given, Drawing::Kind::body);
  BOOST_REQUIRE_EQUAL(bodies.size(), 2u);
  BOOST_TEST(bodies[0].of == "a");
  BOOST_TEST(bodies[1].of == "b");
  for (std::size_t k = 0; k < 2; ++k) {
    BOOST_REQUIRE_EQUAL(bodies[k].points.size(), 3u);  // centre of mass and what is fastened to it
    for (std::size_t i = 1; i < 3; ++i) {
      BOOST_TEST(std::abs(distance(bodies[k].points[0], bodies[k].points[i]) -
                          distance(before[k].points[0], before[k].points[i])) < 1e-12);
    }
  }
  const auto pins = of_kind(drawing, Drawing::Kind::pin);
  BOOST_REQUIRE_EQUAL(pins.size(), 2u);
  BOOST_TEST(distance(pins[0].points[0], {}) < 1e-12);
  BOOST_TEST(distance(pins[1].points[0], bodies[1].points[1]) < 1e-7);
  BOOST_TEST(distance(of_kind(drawing, Drawing::Kind::spring).at(0).points[1], {2.0, 0.0}) == 0.0);
}

// The box of a body has the edges of the box it was made of, in any axes.
BOOST_AUTO_TEST_CASE(boxes_have_their_edges) {
  const SpatialRigidBody box = SpatialRigidBody::box(2.0, 1.0, 0.2, 0.5);
  const Eigen::Matrix3d A = rotation_matrix(euler_parameters({1.0, -1.0, 0.5}, 0.9));
  const Eigen::Matrix3d J = A * Eigen::Vector3d(box.Jxx, box.Jyy, box.Jzz).asDiagonal() * A.transpose();
  const SpatialRigidBody turned{2.0, J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  for (const SpatialRigidBody& inertia : {box, turned}) {
    Assembly assembly;
    const Block block = assembly.add_coordinates("body", BlockKind::spatial_body);
    assembly.add("inertia", inertia, {block});
    const SpatialPose pose{{1.0, 2.0, 3.0}, euler_parameters({0.2, 1.0, 0.4}, 1.3)};
    const auto boxes = of_kind(draw(*assembly.build(), 0.0, pose.coordinates()), Drawing::Kind::inertia);
    BOOST_REQUIRE_EQUAL(boxes.size(), 1u);
    const auto& p = boxes[0].points;
    std::vector<double> edges = {distance(p[0], p[1]), distance(p[0], p[2]), distance(p[0], p[4])};
    std::sort(edges.begin(), edges.end());
    BOOST_TEST(std::abs(edges[0] - 0.2) < 1e-9);
    BOOST_TEST(std::abs(edges[1] - 0.5) < 1e-9);
    BOOST_TEST(std::abs(edges[2] - 1.0) < 1e-9);
    BOOST_TEST(std::abs(0.5 * (p[0].x + p[7].x) - 1.0) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(orders_of_the_steps_are_kept) {
  const auto system = with(Flag{});
  for (const auto& [integrator, lowest, highest] : {std::tuple{"cvode_bdf", 1, 5},
                                                    {"dopri5", 5, 5},
                                                    {"rk2", 2, 2},
                                                    {"cvode_adams", 1, 12},
                                                    {"trapezoidal", 2, 2}}) {
    SimulationOptions options;
    options.integrator = integrator;
    if (lowest == 2) options.step = 0.01;
    if (std::string(integrator) == "trapezoidal") options.formulation = "index3_augmented_lagrangian";
    const Simulation run = simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
    BOOST_TEST(run.trajectory.order(0) == 0);
    for (std::size_t k = 1; k < run.trajectory.size(); ++k) {
      BOOST_TEST(run.trajectory.order(k) >= lowest);
      BOOST_TEST(run.trajectory.order(k) <= highest);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_page_is_one_file_and_names_are_harmless) {
  const auto system = with(Flag{});
  const Simulation run = simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}});
  const std::string html = page(run, system, "a </script><b>");
  const auto count = [&](const std::string& text) {
    std::size_t n = 0;
    for (std::size_t i = html.find(text); i != std::string::npos; i = html.find(text, i + 1)) ++n;
    return n;
  };
  BOOST_TEST(count("<script") == 3u);
  BOOST_TEST(count("</script>") == 3u);
  BOOST_TEST(count(" src=") == 0u);
  BOOST_TEST(count("<link") == 0u);
  BOOST_TEST(count("@import") == 0u);
  BOOST_TEST(count("<title>a &lt;/script>&lt;b> - sunlagrange</title>") == 1u);
  BOOST_TEST(count("\"outcome\":\"finished\"") == 1u);
  BOOST_TEST(count("MIT License") >= 1u);
}

BOOST_AUTO_TEST_CASE(a_page_without_a_title_names_what_moves) {
  const auto titled = [](const std::vector<std::string>& names) {
    Assembly assembly;
    Eigen::VectorXd q(2 * static_cast<Eigen::Index>(names.size()));
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Block block = assembly.add_coordinates(names[k], BlockKind::planar_point);
      assembly.add("mass of " + names[k], PointMass{1.0}, {block});
      q.segment(2 * static_cast<Eigen::Index>(k), 2) << 1.0, 0.0;
    }
    const auto system = assembly.build();
    const std::string html = page(simulate(system, {0.0, q, {}}), system, "");
    const std::size_t begin = html.find("<title>") + 7;
    return html.substr(begin, html.find(" - sunlagrange") - begin);
  };
  BOOST_TEST(titled({"bob"}) == "Motion of bob");
  BOOST_TEST(titled({"crank", "rod", "rocker"}) == "Motion of crank, rod and rocker");
  BOOST_TEST(titled({"a", "b", "c", "d", "e", "f"}) == "Motion of a, b, c, d and 2 more");
}

BOOST_AUTO_TEST_CASE(pages_that_cannot_be_are_refused) {
  const auto system = with(Flag{});
  const Simulation run = simulate(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}});
  Assembly other;
  other.add("m", SpatialPointMass{}, {other.add_coordinates("p", BlockKind::spatial_point)});
  BOOST_CHECK_THROW(page(run, other.build(), "other"), Error);
  BOOST_CHECK_THROW(page(run, nullptr, "none"), Error);
  BOOST_CHECK_THROW(page(Simulation{}, system, "empty"), Error);
  BOOST_CHECK_THROW(write_html(run, system, "/nowhere/at/all.html"), Error);
  const auto fickle = with(Fickle{});
  BOOST_CHECK_THROW(page(simulate(fickle, {0.0, Eigen::Vector2d(1.0, 0.0), {}}), fickle, "fickle"), Error);
}
