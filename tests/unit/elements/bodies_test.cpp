// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/model/system_parameters.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Bodies are their inertia and their weight in one: a model of bodies moves bit for bit as the same model of elements.
/// Shapes are compared with sums over their volume.
using namespace sunlagrange;

namespace {

using Eigen::VectorXd;

void check_same_motion(const Simulation& a, const Simulation& b) {
  BOOST_TEST(a.status.finished(), a.status.message);
  BOOST_REQUIRE(a.trajectory.size() == b.trajectory.size());
  for (std::size_t k = 0; k < a.trajectory.size(); ++k) {
    BOOST_REQUIRE(a.trajectory.t(k) == b.trajectory.t(k));
    BOOST_REQUIRE((a.trajectory.q(k).array() == b.trajectory.q(k).array()).all());
    BOOST_REQUIRE((a.trajectory.v(k).array() == b.trajectory.v(k).array()).all());
  }
}

Simulation run(const std::shared_ptr<const MechanicalSystem>& system, const StartValues& start,
               const std::string& formulation) {
  SimulationOptions options;
  options.t_end = 1.0;
  options.formulation = formulation;
  return simulate(system, start, options);
}

std::string complaint(const std::function<void()>& wrong) {
  try {
    wrong();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is refused";
}

bool says(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (text.find(word) != std::string::npos) continue;
    BOOST_TEST_MESSAGE("not \"" << word << "\" in: " << text);
    return false;
  }
  return true;
}

constexpr double gx = 0.3, gy = -9.81, gz = 0.7;

/// A crank with a wheel and a particle on a rope: of bodies, or of the elements that they consist of.
std::shared_ptr<const MechanicalSystem> planar_model(bool bodies) {
  Assembly assembly;
  Block crank, bob, wheel;
  const PlanarSolid solid{3.0, shape::Cylinder{0.2, 0.1}};
  if (bodies) {
    crank = assembly.body("crank", PlanarBody{2.0, 0.1});
    assembly.gravity(gx, gy);
    bob = assembly.body("bob", PlanarParticle{0.5});
    wheel = assembly.body("wheel", solid);
  } else {
    crank = assembly.add_coordinates("crank", BlockKind::planar_body);
    bob = assembly.add_coordinates("bob", BlockKind::planar_point);
    wheel = assembly.add_coordinates("wheel", BlockKind::planar_body);
    assembly.add("inertia of crank", PlanarRigidBody{2.0, 0.1}, {crank});
    assembly.add("weight of crank", UniformGravity{2.0, gx, gy}, {centre_of(crank)});
    assembly.add("inertia of bob", PointMass{0.5}, {bob});
    assembly.add("weight of bob", UniformGravity{0.5, gx, gy}, {bob});
    assembly.add("inertia of wheel", PlanarRigidBody{3.0, 3.0 * solid.shape.inertia()[2]}, {wheel});
    assembly.add("weight of wheel", UniformGravity{3.0, gx, gy}, {centre_of(wheel)});
  }
  assembly.add("pin", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {crank});
  assembly.add("rope", DistanceBetween{0.8, OnBody{0.5, 0.0}, AtPoint{}}, {crank, bob});
  assembly.add("hub", Revolute{0.0, 0.3, 0.1, 0.0}, {crank, wheel});
  return assembly.build();
}

std::shared_ptr<const MechanicalSystem> spatial_model(bool bodies) {
  Assembly assembly;
  Block arm, ball, bob;
  const SpatialSolid solid{3.0, shape::Box{0.2, 0.1, 0.3}};
  const SpatialBody shaped = solid.body();
  if (bodies) {
    assembly.gravity(gx, gy, gz);
    arm = assembly.body("arm", SpatialBody{2.0, 0.1, 0.2, 0.25, 0.01, -0.02, 0.005});
    ball = assembly.body("ball", solid);
    bob = assembly.body("bob", SpatialParticle{0.5});
  } else {
    arm = assembly.add_coordinates("arm", BlockKind::spatial_body);
    ball = assembly.add_coordinates("ball", BlockKind::spatial_body);
    bob = assembly.add_coordinates("bob", BlockKind::spatial_point);
    assembly.add("arm inertia", SpatialRigidBody{2.0, 0.1, 0.2, 0.25, 0.01, -0.02, 0.005}, {arm});
    assembly.add("arm weight", SpatialGravity{2.0, gx, gy, gz}, {centre_of(arm)});
    assembly.add("ball inertia", SpatialRigidBody{3.0, shaped.Jxx, shaped.Jyy, shaped.Jzz}, {ball});
    assembly.add("ball weight", SpatialGravity{3.0, gx, gy, gz}, {centre_of(ball)});
    assembly.add("bob inertia", SpatialPointMass{0.5}, {bob});
    assembly.add("bob weight", SpatialGravity{0.5, gx, gy, gz}, {bob});
  }
  assembly.add("socket", SpatialSpherical{BodyEnd({-0.5, 0.0, 0.1}), GroundEnd({0.0, 0.0, 0.0})}, {arm});
  assembly.add("joint", SpatialSpherical{BodyEnd({0.5, 0.0, 0.0}), BodyEnd({-0.2, 0.0, 0.0})}, {arm, ball});
  assembly.add("rope", SpatialDistance(BodyEnd({0.1, 0.0, 0.0}), PointEnd{}, 0.6), {ball, bob});
  return assembly.build();
}

/// Volume and moments about the axes of a shape by the midpoint rule over a box around it.
struct Sums {
  double volume = 0.0;
  std::array<double, 3> inertia{};
};

Sums sums_of(const std::array<double, 3>& half, const std::function<bool(double, double, double)>& inside) {
  constexpr int n = 120;
  Sums s;
  double square[3] = {};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const int index[3] = {i, j, k};
        double x[3];
        for (std::size_t l = 0; l < 3; ++l) x[l] = half[l] * ((2.0 * index[l] + 1.0) / n - 1.0);
        if (!inside(x[0], x[1], x[2])) continue;
        s.volume += 1.0;
        for (std::size_t l = 0; l < 3; ++l) square[l] += x[l] * x[l];
      }
    }
  }
  for (std::size_t l = 0; l < 3; ++l) s.inertia[l] = (square[(l + 1) % 3] + square[(l + 2) % 3]) / s.volume;
  s.volume *= 8.0 * half[0] * half[1] * half[2] / (1.0 * n * n * n);
  return s;
}

void check_shape(const char* name, const Solid& solid, const Sums& sums) {
  BOOST_TEST_CONTEXT(name) {
    constexpr double resolution = 2e-3;  // of 120 cells along each edge
    BOOST_TEST(std::abs(solid.volume() / sums.volume - 1.0) < resolution);
    for (std::size_t l = 0; l < 3; ++l) BOOST_TEST(std::abs(solid.inertia()[l] / sums.inertia[l] - 1.0) < resolution);
    const PlanarSolid flat = PlanarSolid::of_density(2.5, solid);
    const SpatialSolid full = SpatialSolid::of_density(2.5, solid);
    BOOST_TEST(flat.m == 2.5 * solid.volume());
    BOOST_TEST(flat.body().I == flat.m * solid.inertia()[2]);
    BOOST_TEST(full.body().Jzz == flat.body().I);
    BOOST_TEST(full.body().Jxx == full.m * solid.inertia()[0]);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(bodies_move_as_their_inertia_and_weight) {
  for (const char* formulation : {"baumgarte", "ggl", "projected"}) {
    Simulation planar[2], spatial[2];
    for (const bool bodies : {true, false}) {
      StartValues start(planar_model(bodies));
      start.fix("crank.phi", 0.4);
      start["bob.x"] = 1.0;
      start["wheel.y"] = 0.2;
      planar[bodies] = run(planar_model(bodies), start, formulation);
      StartValues spatial_start(spatial_model(bodies));
      spatial_start["arm.x"] = 0.5;
      spatial_start["arm.e0"] = 1.0;
      spatial_start["ball.x"] = 1.2;
      spatial_start["ball.e0"] = 0.9;
      spatial_start["ball.e1"] = std::sqrt(1.0 - 0.81);
      spatial_start["bob.x"] = 1.8;
      spatial[bodies] = run(spatial_model(bodies), spatial_start, formulation);
    }
    BOOST_TEST_CONTEXT(formulation) {
      check_same_motion(planar[1], planar[0]);
      check_same_motion(spatial[1], spatial[0]);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_body_has_one_mass_under_its_own_name) {
  const auto system = planar_model(true);
  std::vector<std::string> masses;
  for (const SystemParameter& p : system_parameters(*system)) {
    if (p.unit == "kg") masses.push_back(p.name);
  }
  BOOST_TEST(masses == (std::vector<std::string>{"crank.m", "bob.m", "wheel.m"}), boost::test_tools::per_element());

  const auto heavier = with_parameters(system, {{"wheel.m", 6.0}});
  SystemEvaluator evaluator(heavier);
  const VectorXd q = VectorXd::LinSpaced(heavier->num_positions(), 0.1, 0.8);
  const auto& at = evaluator.at(0.0, q);
  const std::vector<int> wheel = heavier->position_indices("wheel");
  BOOST_TEST(at.M(wheel[0], wheel[0]) == 6.0);
  BOOST_TEST(std::abs(at.M(wheel[2], wheel[2]) - 6.0 * 0.02) < 1e-15);
  BOOST_TEST(std::abs(at.f[wheel[1]] - 6.0 * gy) < 1e-14);
}

BOOST_AUTO_TEST_CASE(shapes_have_the_volume_and_the_moments_of_their_points) {
  check_shape("box", shape::Box{0.6, 0.3, 0.2}, sums_of({0.3, 0.15, 0.1}, [](double, double, double) { return true; }));
  check_shape("rod", shape::Rod{0.6, 0.2},
              sums_of({0.3, 0.2, 0.2}, [](double, double y, double z) { return y * y + z * z <= 0.04; }));
  check_shape("cylinder", shape::Cylinder{0.3, 0.5},
              sums_of({0.3, 0.3, 0.25}, [](double x, double y, double) { return x * x + y * y <= 0.09; }));
  check_shape("sphere", shape::Sphere{0.3},
              sums_of({0.3, 0.3, 0.3}, [](double x, double y, double z) { return x * x + y * y + z * z <= 0.09; }));
}

BOOST_AUTO_TEST_CASE(what_gravity_cannot_act_on_is_refused) {
  const auto built = [](const std::function<void(Assembly&)>& fill) {
    return complaint([&fill] {
      Assembly assembly;
      fill(assembly);
      assembly.build();
    });
  };
  BOOST_TEST(says(built([](Assembly& a) {
                    a.gravity(0.0, -9.81);
                    a.add("mass", PointMass{}, {a.add_coordinates("bob", BlockKind::planar_point)});
                  }),
                  {"gravity acts on bodies", "body()", "UniformGravity"}));
  BOOST_TEST(says(built([](Assembly& a) {
                    a.body("crank", PlanarBody{});
                    a.gravity(0.0, 0.0, -9.81);
                  }),
                  {"\"crank\"", "x-y plane", "-9.81"}));
  BOOST_TEST(says(built([](Assembly& a) {
                    a.body("crank", PlanarBody{1.0, 1.0, 0.0, -1.6});
                    a.gravity(0.0, -9.81);
                  }),
                  {"\"crank\"", "field of its own"}));
  BOOST_TEST(says(built([](Assembly& a) {
                    a.body("crank", PlanarRigidBody{});
                    a.gravity(0.0, -9.81);
                  }),
                  {"\"crank\"", "no weight", "PlanarBody"}));
  BOOST_TEST(says(built([](Assembly& a) {
                    a.gravity(0.0, -9.81);
                    a.gravity(0.0, -9.81);
                  }),
                  {"set before"}));
  BOOST_TEST(says(built([](Assembly& a) { a.gravity(0.0, std::numeric_limits<double>::quiet_NaN()); }), {"finite"}));
}

BOOST_AUTO_TEST_CASE(wrong_bodies_are_refused) {
  const auto refused = [](auto body) { return complaint([&body] { Assembly().body("crank", body); }); };
  BOOST_TEST(says(refused(PlanarBody{-2.0, 0.1}), {"\"crank\"", "m = -2", "not negative"}));
  BOOST_TEST(says(refused(PlanarSolid{1.0, shape::Rod{-1.0, 0.1}}), {"\"crank\"", "shape.length = -1", "positive"}));
  BOOST_TEST(says(refused(SpatialBody{1.0, 1.0, 1.0, 2.5}), {"\"crank\"", "Jzz = 2.5", "Jxx + Jyy = 2"}));
  BOOST_TEST(says(refused(SpatialSolid::of_density(-7850.0, shape::Sphere{0.1})), {"\"crank\"", "m = -"}));
}

BOOST_AUTO_TEST_CASE(an_element_may_have_the_name_of_the_block_that_it_acts_on_alone) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_body);
  const Block b = assembly.add_coordinates("b", BlockKind::planar_body);
  assembly.add("a", PlanarBody{}, {a});
  const auto taken = [](const std::string& text) { return says(text, {"taken"}); };
  BOOST_TEST(taken(complaint([&] { assembly.add("a", PlanarBody{}, {a}); })));
  BOOST_TEST(taken(complaint([&] { assembly.add("a", PlanarBody{}, {b}); })));
  BOOST_TEST(taken(complaint([&] { assembly.add("b", UniformGravity{}, {centre_of(b)}); })));
  BOOST_TEST(taken(complaint([&] { assembly.add("b", Revolute{}, {a, b}); })));
  BOOST_TEST(taken(complaint([&] { assembly.add_coordinates("a", 1); })));
}
