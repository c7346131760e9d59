#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// What a model file (mechanism.json) holds: a system made of elements of the catalogue, where it starts and how it is
/// run. The schema, mechanism_schema(), says what may stand where; it is made of the descriptions of the elements.
///
///     {
///       "blocks": [{"name": "bob", "kind": "planar_point"}],
///       "elements": [
///         {"name": "mass", "type": "PointMass", "blocks": ["bob"], "parameters": {"m": 2.0}},
///         {"name": "rod", "type": "DistanceToGround", "blocks": ["bob"],
///          "parameters": {"L": {"value": 50, "unit": "cm"}}}],
///       "start": {"positions": {"bob.x": 0.5}, "held_positions": ["bob.x"]},
///       "simulation": {"t_end": 10, "formulation": "ggl"}
///     }
///
/// A block of an element is a block's name, "arm.centre" (centre_of), or a coordinate of one, "arm.phi", "q[0]". A part
/// (an end, a law) is an object with its "type", or the type alone. Parameters that are not said have their defaults;
/// units that are not said are those of the description. A law that is a C++ function does not go into a file.
struct MechanismFile {
  std::string name;     ///< free text
  std::string summary;  ///< free text
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
  SimulationOptions options;  ///< those that a file may say, see the schema; others keep their defaults
  /// What may not be meant, a sentence each: parameters with units that the file leaves at defaults other than zero,
  /// but for gravity; bodies and points whose weight is that of another mass than their inertia.
  std::vector<std::string> notes;
};

/// @param source  what messages call the text, e.g. the file's name
/// @throws Error naming source, line, element, field and what was probably meant
MechanismFile parse_mechanism(const std::string& text, const std::string& source);

/// @throws Error also if the file cannot be read
MechanismFile read_mechanism(const std::string& file);

/// Changes the options that the text names: an object as under "simulation" in a file.
/// @throws Error as parse_mechanism; then nothing is changed
void read_options(SimulationOptions& options, const std::string& text, const std::string& source);

/// The same for the options of a mechanism, which have to fit its system: gains fit the rows. Whether t_end is later
/// than the start is asked where both are used, so that either may be set first. @throws Error as parse_mechanism; then
/// nothing is changed
void read_options(MechanismFile& mechanism, const std::string& text, const std::string& source);

/// A law of time as in a model file: {"type": "Harmonic", "amplitude": 0.5, "omega": {"value": 30, "unit": "rpm"}}.
/// @throws Error as parse_mechanism
TimeLaw parse_law(const std::string& text, const std::string& source);

/// The document of a mechanism, with all its parameters and start values: read again, it moves bit for bit the same.
/// @throws Error naming the elements that are not of the catalogue or hold a C++ function, a system that is no
/// assembly, or one with rows switched off
std::string mechanism_text(const MechanismFile& mechanism);

/// JSON schema (draft 7) of model files.
std::string mechanism_schema();

}  // namespace sunlagrange
