// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace sunlagrange {

class Figures;

/// A value that a run used and that only one formulation has, with the sentence that prints it. Values that several
/// formulations have are members of FormulationFacts.
struct Fact {
  std::string name;
  std::string sentence = "{}";  ///< each {} stands for one value, in order
  std::vector<std::variant<long, double, std::string>> values;
  bool asked = false;  ///< true if the user chose it

  /// Returns the sentence with the values in place of the braces.
  std::string text() const;

  void describe(Figures& f);
};

/// Returns a value of the fact of that name. @throws Error if there is none, or it is not a number
double number(const std::vector<Fact>& facts, const std::string& name, std::size_t place = 0);

}  // namespace sunlagrange
