#pragma once

#include <string>
#include <vector>

namespace sunlagrange {

class Assembly;
struct Block;

namespace internal {

/// Where Assembly::add ends: the only code that an element type costs the user's file. Its definition, and with it
/// everything that is derived from the members of E, is in typed_group.hpp, which model/make_system.hpp brings in.
///
/// A header of the library says `extern template struct internal::ElementType<Revolute>;` after the element: then the
/// library has compiled it (cmake/Registries.cmake writes the instantiation), and the user's compiler need not.
template <class E>
struct ElementType {
  /// See Assembly::add.
  static void add(Assembly& assembly, const std::string& name, E&& element, const std::vector<Block>& blocks);
};

}  // namespace internal
}  // namespace sunlagrange
