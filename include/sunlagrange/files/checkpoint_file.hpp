// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/simulation/checkpoint.hpp>

namespace sunlagrange {

/// Returns a Checkpoint as a JSON document. Numbers have the digits that give the same double; null is a number that is
/// not known:
///
///     {
///       "format": "sunlagrange checkpoint", "format_version": 1, "version": "0.2.0",
///       "state": {"t": 2.5, "typical_position": 1, "coordinates": ["bob.x", ...], "q": [...], "v": [...]},
///       "constraints": {"names": ["rod"], "active": [true]},
///       "elements": ["rod (bob.x, bob.y)", ...],
///       "parameters": {"names": ["rod.mass"], "values": [1.0]},
///       "inputs": {"names": ["motor"], "values": [0.5]},
///       "events": [{"name": "floor", "largest": 1.2, "held": false}],
///       "options": {"t_end": 10, "formulation": "ggl", ...},
///       "checks": {"energy_balance": {"start": [1.5], ...}, ...},
///       "statistics": {"steps": 312, ...},                                figures of Report
///       "start": {...}, "rank_events": [...], "event_records": [...]      its parts
///     }
///
/// "version" is that of the library; states are in SI units, energies in J; options are those of model files. Every
/// field must be there, and there may be no other one. Files of older versions may lack figures that were added later,
/// and have former names (Figures::added_later, Figures::formerly), and "energy" and "observed" in place of "checks".
/// The document holds neither the mechanism nor options that model files do not have: a Butcher table of the user,
/// excess energies, IdaOverrides, Record and functions.
/// @throws Error naming the options that it cannot hold and that make a difference: table, excess, ida
std::string checkpoint_text(const Checkpoint& checkpoint);

/// Writes the checkpoint as a WholeFile, so that a file of this name is complete whenever the program ends. If it is a
/// symbolic link, the file that it points to is replaced.
/// @throws Error also if the file cannot be written or is no regular file; std::runtime_error if the disk is full
void write_checkpoint(const Checkpoint& checkpoint, const std::string& file);

/// Reads a checkpoint from its text.
/// @param source  name of the text in messages, e.g. the file's name
/// @throws Error naming source, line, field and the remedy if the text is cut off or another kind of document, has
/// another format, or if fields are missing, unknown or of another kind
Checkpoint parse_checkpoint(const std::string& text, const std::string& source);

/// Reads a checkpoint from a file. @throws Error also if the file cannot be read
Checkpoint read_checkpoint(const std::string& file);

}  // namespace sunlagrange
