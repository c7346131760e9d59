// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/internal/typed_group.hpp>
#include <sunlagrange/model/assembly.hpp>

/// Turns structs with the members of model/requirements.hpp into elements and systems.
namespace sunlagrange {

namespace internal {
/// Adds the blocks of a model that is a system by itself: one for each position, "q0", "q1", ... where it has no name.
std::vector<Block> add_positions(Assembly& assembly, int n, const std::vector<std::string>& names);
}  // namespace internal

/// Returns a complete model (rung 0a or 0b) as a system: an Assembly with one element.
template <class E>
std::shared_ptr<const MechanicalSystem> make_system(E model) {
  internal::require_complete_model<E>();
  std::vector<std::string> names;
  if constexpr (internal::requirements::detected<internal::requirements::PositionNames, E>)
    names = model.position_names();
  Assembly assembly;
  const std::vector<Block> blocks =
      internal::add_positions(assembly, internal::Capabilities<E>::positions(model), names);
  assembly.add("", std::move(model), blocks);
  return assembly.build();
}

}  // namespace sunlagrange
