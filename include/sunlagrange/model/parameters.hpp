#pragma once

#include <string>

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
  /// > 0 and finite. @param otherwise  what to do instead, ends the complaint
  void positive(const char* name, double value, const char* otherwise = nullptr);
  /// >= 0 and finite
  void not_negative(const char* name, double value, const char* otherwise = nullptr);
  /// Any other relation.
  void require(bool good, const std::string& complaint);

  /// All complaints, one a line; empty if there are none.
  const std::string& complaints() const { return complaints_; }

 private:
  std::string complaints_;
};

}  // namespace sunlagrange
