// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// Contents of a model file (mechanism.json): a system made of elements of the catalogue, its start and its options.
/// The schema, mechanism_schema(), follows from the descriptions of the elements.
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
/// The blocks of an element are names of blocks, "arm.centre" (centre_of), or coordinates, "arm.phi", "q[0]". A part
/// (an end, a law) is an object with its "type", or the type alone. A parameter that is left out has its default, a
/// number without a unit the unit of the description. A file cannot hold a law that is a C++ function.
struct MechanismFile {
  std::string name;                                ///< free text
  std::string summary;                             ///< free text
  std::shared_ptr<const MechanicalSystem> system;  ///< never null after reading
  InitialState start;                              ///< start with the held coordinates of the file
  SimulationOptions options;                       ///< the options of the schema; others keep their defaults
  /// Sentences about probable mistakes: parameters with units, other than gravity, that the file leaves at defaults
  /// other than zero; bodies and points whose weight belongs to another mass than their inertia.
  std::vector<std::string> notes;
};

/// Reads a model file from its text.
/// @param source  name of the text in messages, e.g. the file's name
/// @throws Error naming source, line, element, field and the probable correction
MechanismFile parse_mechanism(const std::string& text, const std::string& source);

/// Reads a model file. @throws Error also if the file cannot be read
MechanismFile read_mechanism(const std::string& file);

/// Changes the options that the text names. It is an object as "simulation" in a model file.
/// @throws Error as parse_mechanism; then nothing is changed
void read_options(SimulationOptions& options, const std::string& text, const std::string& source);

/// Changes the options of a mechanism in the same way; gains have to fit the rows of its system. A run checks that
/// t_end is later than the start, so that either may be set first. @throws Error as parse_mechanism; then nothing is
/// changed
void read_options(MechanismFile& mechanism, const std::string& text, const std::string& source);

/// Returns a value in another unit, as model files convert it: in_unit(30.0, "deg", "rad").
/// @throws Error if the units do not fit
double in_unit(double value, const std::string& given, const std::string& wanted);

/// Returns a number that somebody typed, with or without a unit: number_with_unit("30deg", "rad"), "0.5", "30 deg".
/// @throws Error if it is no finite number, or if the unit does not fit
double number_with_unit(const std::string& typed, const std::string& wanted);

/// Returns a law of time as in a model file: {"type": "Harmonic", "amplitude": 0.5, "omega": {"value": 30, "unit":
/// "rpm"}}.
/// @throws Error as parse_mechanism
TimeLaw parse_law(const std::string& text, const std::string& source);

/// Returns the model file of a mechanism, with all parameters and start values: the mechanism that is read from it
/// moves bit for bit the same. @throws Error naming elements that are not in the catalogue or hold a C++ function; if
/// the system is no assembly or has rows switched off
std::string mechanism_text(const MechanismFile& mechanism);

/// Returns the JSON schema (draft 7) of model files.
std::string mechanism_schema();

}  // namespace sunlagrange
