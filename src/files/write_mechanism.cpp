// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/files/mechanism_file.hpp>
#include <sunlagrange/internal/element_group.hpp>

#include "base/words.hpp"
#include "files/codecs.hpp"
#include "files/json_parameters.hpp"
#include "files/options_json.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

Json block_json(const MechanicalSystem& system, const NamedBlock& block) {
  Json json = {{"name", block.name}, {"kind", to_string(block.kind)}};
  if (block.kind == BlockKind::generic) json["size"] = block.size;
  const Eigen::VectorXd scales = system.natural_scales().segment(block.first, block.size);
  bool usual = true;
  for (int i = 0; i < block.size; ++i) {
    const std::optional<Domain> domain = domain_of(block.kind, i);
    usual = usual && scales[i] == (domain.has_value() ? natural_scale(*domain) : 1.0);
  }
  if (usual) return json;
  if ((scales.array() == scales[0]).all())
    json["natural_scale"] = scales[0];
  else
    json["natural_scale"] = std::vector<double>(scales.begin(), scales.end());
  return json;
}

/// Returns coordinates as blocks of an element: a whole block, the point of a body, or single coordinates.
void append_blocks(std::vector<std::string>& texts, const MechanicalSystem& system, const int* coordinates, int size) {
  const int first = coordinates[0];
  bool adjacent = true;
  for (int i = 1; i < size; ++i) adjacent = adjacent && coordinates[i] == first + i;
  for (const NamedBlock& block : system.blocks()) {
    if (!adjacent || first != block.first) continue;
    if (size == block.size) return texts.push_back(block.name);
    if (size > 1 && size < block.size && size == centre_of({block.first, block.size, block.kind}).size)
      return texts.push_back(block.name + ".centre");
  }
  for (int i = 0; i < size; ++i) texts.push_back(system.position_name(coordinates[i]));
}

/// Returns the coordinates of an element divided into the blocks that its type takes.
std::vector<std::string> block_texts(const MechanicalSystem& system, const std::vector<int>& coordinates,
                                     const std::vector<BlockKind>& kinds) {
  std::vector<std::string> texts;
  std::size_t next = 0;
  for (std::size_t k = 0; next < coordinates.size(); ++k) {
    const int size = k < kinds.size() ? size_of(kinds[k]) : 1;
    append_blocks(texts, system, coordinates.data() + next, size);
    next += static_cast<std::size_t>(size);
  }
  return texts;
}

Json elements_json(const MechanicalSystem& system) {
  Json list = Json::array();
  std::string refused;
  for (int k = 0; k < system.num_elements(); ++k) {
    const auto [group, position] = system.element(k);
    const auto found = codecs().written.find(group->type());
    if (found == codecs().written.end()) {
      append_word(refused, "\"" + system.element_name(k) + "\"");
      continue;
    }
    const WrittenType& type = found->second;
    WriteParameters write;
    type.describe(group->object(position), write);
    list.push_back({{"name", system.element_name(k)},
                    {"type", type.name},
                    {"blocks", block_texts(system, group->coordinates_of(position), type.blocks)},
                    {"parameters", write.take()}});
  }
  if (!refused.empty()) {
    throw Error("no file can hold the elements " + refused +
                ": they are not of the catalogue, or hold a C++ function; take elements of `sunlagrange list "
                "elements`, and laws that have a name");
  }
  return list;
}

Json start_json(const MechanicalSystem& system, const InitialState& start) {
  Json positions = Json::object(), velocities = Json::object();
  const bool moving = start.v.size() > 0 && !start.v.isZero(0.0);
  for (int i = 0; i < system.num_positions(); ++i) {
    positions[system.position_name(i)] = start.q[i];
    if (moving) velocities[system.position_name(i)] = start.v[i];
  }
  Json json = {{"t", start.t}, {"positions", positions}};
  if (moving) json["velocities"] = velocities;
  if (!start.fixed_positions.empty()) json["held_positions"] = start.fixed_positions;
  if (!start.fixed_velocities.empty()) json["held_velocities"] = start.fixed_velocities;
  return json;
}

}  // namespace

std::string mechanism_text(const MechanismFile& mechanism) {
  require_system(mechanism.system, "mechanism_text");
  const MechanicalSystem& system = *mechanism.system;
  if (system.has_inactive_rows())
    throw Error("mechanism_text: rows of the system are switched off; write the system that has all of them");
  require_forces(system, "mechanism_text", "is no assembly of elements");
  if (mechanism.start.q.size() != system.num_positions())
    throw Error("mechanism_text: start.q has length " + std::to_string(mechanism.start.q.size()) + ", must be " +
                std::to_string(system.num_positions()));
  Json json = Json::object();
  if (!mechanism.name.empty()) json["name"] = mechanism.name;
  if (!mechanism.summary.empty()) json["summary"] = mechanism.summary;
  json["blocks"] = Json::array();
  for (const NamedBlock& block : system.blocks()) json["blocks"].push_back(block_json(system, block));
  json["elements"] = elements_json(system);
  json["start"] = start_json(system, mechanism.start);
  Json run = options_json(mechanism.options);
  if (!(mechanism.options.t_end > mechanism.start.t)) {  // no file may state that
    if (mechanism.options.t_end != SimulationOptions().t_end)
      throw Error("mechanism_text: t_end = " + text(mechanism.options.t_end) +
                  " must be later than the start, t = " + text(mechanism.start.t));
    run.erase("t_end");  // it was not given
  }
  json["simulation"] = std::move(run);
  return json.dump(1) + "\n";
}

}  // namespace sunlagrange
