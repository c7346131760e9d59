// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>

#include "fuzz.hpp"

/// Assemblies put together at random: names, kinds, parameters, blocks that fit and blocks that do not. What can be
/// built is run for a few steps.
using namespace sunlagrange;

namespace {

std::string name(FuzzedDataProvider& bytes) {
  constexpr const char* names[] = {"a", "b", "c", "d", "e", "f", "pin", "pin[x]", "", "a.x", "\n"};
  std::string more = bytes.ConsumeBool() ? bytes.ConsumeRandomLengthString(3) : std::string();
  for (char& c : more) c = c == '\0' ? '0' : c;  // messages are C strings
  return bytes.PickValueInArray(names) + more;
}

/// One of the assembly's, a part of one, or one that nobody made.
Block block(FuzzedDataProvider& bytes, const std::vector<Block>& made) {
  const int choice = bytes.ConsumeIntegralInRange(0, 15);
  if (made.empty() || choice == 0) {
    return {bytes.ConsumeIntegralInRange(-2, 12), bytes.ConsumeIntegralInRange(-2, 8), BlockKind::generic,
            bytes.ConsumeIntegralInRange(0UL, 3UL)};
  }
  const Block& chosen = made[bytes.ConsumeIntegralInRange<std::size_t>(0, made.size() - 1)];
  if (choice == 1) return centre_of(chosen);
  if (choice == 2) return angle_of(chosen);
  if (choice == 3) return coordinate_of(chosen, bytes.ConsumeIntegralInRange(-1, 8));
  return chosen;
}

void add(Assembly& assembly, FuzzedDataProvider& bytes, const std::vector<Block>& made) {
  const auto x = [&bytes] { return fuzz::number(bytes); };
  const std::string n = name(bytes);
  const int type = bytes.ConsumeIntegralInRange(0, 17);
  std::vector<Block> on = {block(bytes, made)};
  if (type > 8) on.push_back(block(bytes, made));
  switch (type) {
    case 0:
      return assembly.add(n, PointMass{x()}, on);
    case 1:
      return assembly.add(n, PlanarRigidBody{x(), x()}, on);
    case 2:
      return assembly.add(n, UniformGravity{x(), x(), x()}, on);
    case 3:
      return assembly.add(n, DistanceToGround{x(), x(), x()}, on);
    case 4:
      return assembly.add(n, RevoluteToGround{x(), x(), x(), x()}, on);
    case 5:
      return assembly.add(n, SpatialRigidBody{}, on);
    case 6:
      return assembly.add(n, SpatialPointMass{x()}, on);
    case 7:
      return assembly.add(n, Flywheel{x()}, on);
    case 8:
      return assembly.add(n, KnifeEdge{}, on);
    case 9:
      return assembly.add(n, Distance{x()}, on);
    case 10:
      return assembly.add(n, Revolute{x(), x(), x(), x()}, on);
    case 11:
      return assembly.add(n, LinearSpring{x(), x(), AtPoint{}, AtPoint{}}, on);
    case 12:
      return assembly.add(n, TorsionSpring{x(), x()}, on);
    case 13:
      return assembly.add(n, Gear{x()}, on);
    case 14:
      return assembly.add(n, SpatialSpherical<>{}, on);
    case 15:
      return assembly.add(n, SpatialRevolute<>{}, on);
    case 16:
      return assembly.add(n, Prismatic{}, on);
    default:
      return assembly.add(n, SpatialDistance<>{}, on);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const SimulationOptions o = fuzz::options(bytes);
  Assembly assembly;
  std::vector<Block> made;
  const auto attempt = [](auto&& what) {
    try {
      what();
    } catch (const Error& error) {
      fuzz::expect(std::string(error.what()).size() > 10, std::string("an Error without a story: ") + error.what());
    }
  };
  const int blocks = bytes.ConsumeIntegralInRange(0, 4), elements = bytes.ConsumeIntegralInRange(0, 9);
  for (int k = 0; k < blocks; ++k) {
    attempt([&] {
      const int kind = bytes.ConsumeIntegralInRange(0, 10);
      made.push_back(kind == 0 ? assembly.add_coordinates(name(bytes), bytes.ConsumeIntegralInRange(-1, 7))
                               : assembly.add_coordinates(name(bytes), static_cast<BlockKind>(kind)));
    });
  }
  for (int k = 0; k < elements; ++k) attempt([&] { add(assembly, bytes, made); });
  attempt([&] {
    const auto system = assembly.build();
    InitialState start;
    start.q = fuzz::vector(bytes, system->num_positions());
    if (bytes.ConsumeBool()) start.v = fuzz::vector(bytes, system->num_positions());
    for (int j = 0; j < system->num_positions(); ++j) {
      if (bytes.ConsumeIntegralInRange(0, 15) == 0) start.fixed_positions.push_back(system->position_name(j));
    }
    fuzz::run(system, start, o);
  });
  return 0;
}
