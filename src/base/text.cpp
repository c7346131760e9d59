// SPDX-License-Identifier: BSD-3-Clause
#include <sstream>

#include <sunlagrange/base/fact.hpp>
#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

std::string text(double value) {
  std::ostringstream out;
  out.precision(6);
  out << value;
  return out.str();
}

void Setting::describe(Figures& f) {
  f("name", name, "name of the setting");
  f("asked", asked, "value that was asked for, in words");
  f("used", used, "value that was used, in words");
}

void Fact::describe(Figures& f) {
  f("name", name, "name of the fact");
  f("values", values, "values of the fact, in the order in which the sentence names them");
  f("asked", asked, "true if the user has chosen it");
  f.derived("text", text(), "the fact as a sentence");
}

void Doubt::describe(Figures& f) {
  f.derived("kind", std::string(kind.name()), "kind of the doubt");
  f("value", value, "1", "figure that raised the doubt, relative");
  f("allowed", allowed, "1", "largest value of the figure that raises no doubt");
  f("text", text, "finding and the next thing to try");
}

void Status::describe(Figures& f) {
  f("status", outcome, "outcome");
  f("message", message, "explanation of the outcome; empty if there is nothing to add");
  f("doubts", doubts, "reasons why a finished run may still be wrong");
}

}  // namespace sunlagrange
