// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace sunlagrange {

class Assembly;
struct Block;

namespace internal {

/// The function behind Assembly::add. Its definition, and with it everything that is derived from the members of E, is
/// in typed_group.hpp, which model/make_system.hpp includes.
///
/// A header of the library has `extern template struct internal::ElementType<Revolute>;` after an element that the
/// library compiles (cmake/Registries.cmake writes the instantiation), so that the user's compiler does not compile it
/// again.
template <class E>
struct ElementType {
  /// See Assembly::add.
  static void add(Assembly& assembly, const std::string& name, E&& element, const std::vector<Block>& blocks);
};

}  // namespace internal
}  // namespace sunlagrange
