#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

/// Random mechanisms: bodies, joints, loops, springs, dampers and drives in the plane and in space, under gravity. The
/// positions of the start are consistent by construction (each joint is placed at its bodies), the velocities are not.
/// A seed gives the same mechanism with every compiler and standard library.
namespace sunlagrange::mechanisms {

/// Draws the decades of the masses to each side of 1 kg from the seed: 0, 1 or 2, in the plane sometimes 3.
constexpr double drawn_decades = -1.0;

/// Properties of a random mechanism.
struct RandomFeatures {
  bool spatial = false;    ///< up to four boxes in a tree of joints, rods to the ground; else up to six planar bodies
  bool loops = true;       ///< else open chains and trees
  bool redundant = false;  ///< some constraint rows are given twice, or three rows where two suffice
  bool damped = false;     ///< dampers; in space springs as well, which in the plane are always drawn
  bool driven = false;     ///< one coordinate follows a function of time, if the mechanism can move it
  double decades = drawn_decades;  ///< masses lie between 10^-decades and 10^decades kg

  /// Returns "spatial, redundant, ..."; it does not contain the masses.
  std::string text() const;
};

/// Draws the properties: every combination occurs, with masses over 0, 3 and 6 decades.
RandomFeatures random_features(std::uint64_t seed);

struct RandomMechanism {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
  std::string kind;         ///< for messages: bodies, loops, spread of the masses
  double mass_ratio = 1.0;  ///< mass of the heaviest over that of the lightest body
  RandomFeatures features;  ///< of the built mechanism: not driven if no coordinate can be driven
};

RandomMechanism random_mechanism(std::uint64_t seed, const RandomFeatures& features = {});

}  // namespace sunlagrange::mechanisms
