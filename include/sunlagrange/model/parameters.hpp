#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

namespace sunlagrange {

/// Collects what is wrong with the parameters of an element. Assembly::add and make_system hand one to the member
/// `check_parameters(Parameters& p) const` of the element, if it has one, and throw an Error that lists all complaints:
///
///     void check_parameters(Parameters& p) const {
///       p.not_negative("m", m);
///       p.positive("L", L, "let the two parts share one point instead");
///     }
class Parameters {
 public:
  void finite(const char* name, double value);
  void finite(std::initializer_list<std::pair<const char*, double>> fields);
  /// > 0 and finite. @param otherwise  what to do instead, ends the complaint
  void positive(const char* name, double value, const char* otherwise = nullptr);
  /// >= 0 and finite
  void not_negative(const char* name, double value, const char* otherwise = nullptr);
  /// What `check_parameters` of a field complains of (an end, a law, a curve): "end.sx = nan: ...". A field without it,
  /// such as a lambda, is not checked.
  template <class Part>
  void part(const char* name, const Part& field) {
    if constexpr (Checks<Part>::value) {
      const std::string outside = prefix_;
      prefix_ += std::string(name) + ".";
      field.check_parameters(*this);
      prefix_ = outside;
    }
  }
  /// Any other relation.
  void require(bool good, const std::string& complaint);

  /// All complaints, one a line; empty if there are none.
  const std::string& complaints() const { return complaints_; }

 private:
  template <class Part, class = void>
  struct Checks : std::false_type {};
  template <class Part>
  struct Checks<Part, std::void_t<decltype(std::declval<const Part&>().check_parameters(std::declval<Parameters&>()))>>
      : std::true_type {};

  std::string complaints_, prefix_;
};

}  // namespace sunlagrange
