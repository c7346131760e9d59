#pragma once

#include <string>
#include <variant>
#include <vector>

namespace sunlagrange {

class Figures;

/// A fact that only one formulation has: values, and the sentence that prints them. What several formulations share has
/// members of its own (FormulationFacts).
struct Fact {
  std::string name;
  std::string sentence = "{}";  ///< each {} stands for one value, in order
  std::vector<std::variant<long, double, std::string>> values;
  bool asked = false;  ///< the user's own choice

  std::string text() const;

  void describe(Figures& f);
};

/// A value of the fact of that name. @throws Error if there is none, or it is no number
double number(const std::vector<Fact>& facts, const std::string& name, std::size_t place = 0);

}  // namespace sunlagrange
