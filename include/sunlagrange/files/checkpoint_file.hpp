#pragma once

#include <string>

#include <sunlagrange/simulation/checkpoint.hpp>

namespace sunlagrange {

/// A Checkpoint as a JSON document; numbers have the digits that give the same double, those that are not known are
/// null:
///
///     {
///       "format": "sunlagrange checkpoint", "format_version": 1, "version": "0.2.0",   of the library
///       "state": {"t": 2.5, "typical_position": 1, "coordinates": ["bob.x", ...], "q": [...], "v": [...]},   SI units
///       "constraints": {"names": ["rod"], "active": [true]},
///       "parameters": {"names": ["rod.mass"], "values": [1.0]},
///       "inputs": {"names": ["motor"], "values": [0.5]},
///       "events": [{"name": "floor", "largest": 1.2, "held": false}],     what events remember
///       "options": {"t_end": 10, "formulation": "ggl", ...},              as in model files
///       "energy": {"start": ..., "potential": ..., "work": ..., "error": ..., "known": true, "driven": false},   [J]
///       "observed": {"taken_out": 0, ...},                                fields of Observed
///       "statistics": {"steps": 312, ...},                                fields of Report
///       "start": {...}, "rank_events": [...], "event_records": [...]      the rest of it
///     }
///
/// Every field must be there and no other may be; files older than them may lack observed, and path, way_in_tolerances and
/// energy_displacement of statistics, which are 0 then. It does not hold the mechanism, nor options that are functions
/// or that model files do not know either: an own Butcher table, excess energies, IdaOverrides, Record.
/// @throws Error naming options that it cannot hold and that make a difference: table, excess, ida
std::string checkpoint_text(const Checkpoint& checkpoint);

/// Writes it beside the file first and renames it then: a file of this name is whole, whenever the program ends.
/// A link stays one. @throws Error also if the file cannot be written, or is no regular file
void write_checkpoint(const Checkpoint& checkpoint, const std::string& file);

/// @param source  what messages call the text, e.g. the file's name
/// @throws Error naming source, line, field and what to do: text that is cut off, another kind of document, another
/// format, fields that are missing, too many, or of another kind
Checkpoint parse_checkpoint(const std::string& text, const std::string& source);

/// @throws Error also if the file cannot be read
Checkpoint read_checkpoint(const std::string& file);

}  // namespace sunlagrange
