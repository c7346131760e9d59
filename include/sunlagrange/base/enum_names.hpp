// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace sunlagrange {

/// Names of the enumerators of an enumeration, whose values are 0, 1, 2, ... in the order of declaration. A function
/// `names_of` beside the enumeration states them once; to_string(), enum_named(), readers of files and messages that
/// list the choices follow from it:
///
///     enum class Passage { smooth, jumped, unverified };
///     constexpr auto names_of(Passage) { return enum_names("smooth", "jumped", "unverified"); }
template <class... Names>
constexpr std::array<const char*, sizeof...(Names)> enum_names(Names... names) {
  return {names...};
}

/// True for enumerations with a function `names_of`.
template <class Enum, class = void>
struct HasNames : std::false_type {};
template <class Enum>
struct HasNames<Enum, std::enable_if_t<std::is_enum_v<Enum> && (names_of(Enum{}).size() > 0)>> : std::true_type {};

/// Returns the name of the enumerator: to_string(Passage::jumped) is "jumped".
template <class Enum, class = std::enable_if_t<HasNames<Enum>::value>>
constexpr const char* to_string(Enum value) {
  constexpr auto names = names_of(Enum{});
  const auto k = static_cast<std::size_t>(value);
  return k < names.size() ? names[k] : "";
}

/// Returns the enumerator of that name, or nothing if there is none: enum_named<Passage>("jumped").
template <class Enum>
constexpr std::optional<Enum> enum_named(std::string_view name) {
  constexpr auto names = names_of(Enum{});
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (name == names[k]) return static_cast<Enum>(k);
  }
  return std::nullopt;
}

}  // namespace sunlagrange
