#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

/// Mechanisms nobody chose: bodies, joints, loops, springs, dampers and drives drawn at random, in the plane and in
/// space, under gravity. Positions of the start are consistent by construction (each joint is put where the bodies
/// are), velocities are not. A seed means the same mechanism with every compiler and standard library.
namespace sunlagrange::mechanisms {

/// Masses spread over so many decades to each side of 1 kg as the mechanism's own seed says: 0, 1, 2, in the plane
/// sometimes 3.
constexpr double drawn_decades = -1.0;

/// What a random mechanism is made of.
struct RandomFeatures {
  bool spatial = false;    ///< up to four boxes in a tree of joints, rods to the ground; else up to six planar bodies
  bool loops = true;       ///< else open chains and trees
  bool redundant = false;  ///< some rows are given twice, or three where two would do
  bool damped = false;     ///< dampers; in space springs as well, which in the plane are always drawn
  bool driven = false;     ///< one coordinate follows a function of time, where the mechanism can move it
  double decades = drawn_decades;  ///< masses lie between 10^-decades and 10^decades kg

  /// "spatial, redundant, ..."; masses are not in it.
  std::string text() const;
};

/// Drawn themselves: every combination comes up, masses over 0, 3 and 6 decades in all.
RandomFeatures random_features(std::uint64_t seed);

struct RandomMechanism {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
  std::string kind;         ///< for messages: bodies, loops, spread of the masses
  double mass_ratio = 1.0;  ///< of the heaviest and the lightest body
  RandomFeatures features;  ///< as built: not driven if no coordinate could be
};

RandomMechanism random_mechanism(std::uint64_t seed, const RandomFeatures& features = {});

}  // namespace sunlagrange::mechanisms
