// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/model/active_constraints.hpp>

#include "models.hpp"

/// Blocks of coordinates have a meaning, elements say which they want, and the system remembers it.
using namespace sunlagrange;

namespace {

constexpr BlockKind all_kinds[] = {BlockKind::planar_point, BlockKind::planar_body, BlockKind::spatial_point,
                                   BlockKind::spatial_body, BlockKind::translation, BlockKind::rotation,
                                   BlockKind::electrical,   BlockKind::hydraulic,   BlockKind::thermal,
                                   BlockKind::economic};

/// The message of the Error that `f` throws; empty if it throws none.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_coordinate_of_a_block_with_a_meaning_has_a_domain) {
  Assembly assembly;
  int n = 0;
  for (const BlockKind kind : all_kinds) {
    const Block block = assembly.add_coordinates(to_string(kind), kind);
    BOOST_TEST(block.first == n);
    BOOST_TEST(block.size == size_of(kind));
    n += block.size;
  }
  assembly.add_coordinates("plain", 2);
  assembly.add("link", Distance{}, {{n, 2}, {0, 2, BlockKind::planar_point}});
  const auto system = assembly.build();
  BOOST_TEST(system->num_positions() == n + 2);
  for (const auto& s : {system, without_constraints(system, {"link"})}) {
    for (int i = 0; i < n; ++i) {
      const std::string name = s->position_name(i);
      BOOST_TEST(name.substr(0, name.find_first_of(".[")) == to_string(s->position_kind(i)));
      BOOST_REQUIRE(s->position_domain(i).has_value());
    }
    BOOST_TEST(!s->position_domain(n).has_value());
    BOOST_TEST(std::string(to_string(*s->position_domain(4))) == "rotation");     // angle of the planar body
    BOOST_TEST(std::string(to_string(*s->position_domain(3))) == "translation");  // its y
    BOOST_TEST(std::string(to_string(*s->position_domain(n - 1))) == "economic");
  }
  for (const BlockKind kind : all_kinds) {
    if (size_of(kind) == 1) BOOST_TEST(std::string(to_string(single_kind(*domain_of(kind, 0)))) == to_string(kind));
  }
}

BOOST_AUTO_TEST_CASE(wrong_kinds_are_refused_by_name) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  const Block arm = assembly.add_coordinates("arm", BlockKind::planar_body);
  const Block far = assembly.add_coordinates("far", BlockKind::spatial_point);
  const Block charge = assembly.add_coordinates("charge", BlockKind::electrical);
  const Block length = assembly.add_coordinates("length", BlockKind::translation);
  const std::string text = message_of([&] { assembly.add("rod", Distance{}, {bob, arm}); });
  for (const char* part : {"\"rod\"", "\"arm\"", "planar_point", "planar_body", "\"arm.centre\""}) {
    BOOST_TEST(contains(text, part), text);
  }
  BOOST_TEST(contains(message_of([&] { assembly.add("inertia", PlanarRigidBody{}, {far}); }), "spatial_point"));
  BOOST_TEST(contains(message_of([&] { assembly.add("mass", PointMass{}, {charge, length}); }), "\"charge\""));
  BOOST_TEST(contains(message_of([&] { assembly.add("pin", Revolute{}, {bob, arm}); }), "\"bob\""));
  BOOST_TEST(contains(message_of([&] { assembly.add("pin", Revolute{}, {arm}); }), "6 coordinates"));
  BOOST_TEST(contains(message_of([&] { assembly.add_coordinates("x", BlockKind::generic); }), "generic"));
  assembly.add("rod", Distance{}, {bob, centre_of(arm)});  // the name is still free
  BOOST_TEST(assembly.build()->num_constraints() == 1);
}

BOOST_AUTO_TEST_CASE(generic_blocks_and_elements_without_kinds_are_not_checked) {
  Assembly assembly;
  const Block body = assembly.add_coordinates("body", 3);
  const Block a = assembly.add_coordinates("a", 2);
  const Block both = assembly.add_coordinates("both", 4);
  const Block point = assembly.add_coordinates("point", BlockKind::spatial_point);
  assembly.add("inertia", PlanarRigidBody{}, {body});
  assembly.add("weight", UniformGravity{}, {centre_of(body)});
  assembly.add("rod", Distance{}, {a, centre_of(body)});
  assembly.add("other rod", Distance{}, {both});
  assembly.add("own element", test::Pendulum{}, {Block{point.first, 2, point.kind}});
  BOOST_TEST(assembly.build()->num_constraints() == 3);
}

BOOST_AUTO_TEST_CASE(parts_of_blocks) {
  const Block body{4, 3, BlockKind::planar_body};
  BOOST_TEST(centre_of(body).first == 4);
  BOOST_TEST(centre_of(body).size == 2);
  BOOST_TEST((centre_of(body).kind == BlockKind::planar_point));
  BOOST_TEST((centre_of({0, 7, BlockKind::spatial_body}).kind == BlockKind::spatial_point));
  BOOST_TEST(centre_of({0, 7}).size == 3);
  BOOST_TEST(angle_of(body).first == 6);
  BOOST_TEST((angle_of(body).kind == BlockKind::rotation));
  BOOST_TEST((coordinate_of(body, 1).kind == BlockKind::translation));
  BOOST_TEST((coordinate_of(body, 2).kind == BlockKind::rotation));
  BOOST_TEST((coordinate_of({0, 7, BlockKind::spatial_body}, 4).kind == BlockKind::generic));
  BOOST_CHECK_THROW(coordinate_of(body, 3), Error);
  BOOST_CHECK_THROW(angle_of({0, 2, BlockKind::planar_point}), Error);
  BOOST_CHECK_THROW(centre_of({0, 1, BlockKind::thermal}), Error);
}
