#include <sunlagrange/formulation/facts.hpp>

#include "base/words.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

std::string used_text(const UsedGain& gain) {
  if (!gain.asked.automatic()) return gain.asked.text();
  if (gain.varying) return "changes along the motion";
  if (gain.used.size() == 0) return "no rows";
  const double smallest = gain.used.diagonal.minCoeff();  // automatic gains are diagonal
  const double largest = gain.used.diagonal.maxCoeff();
  return text(smallest) + (smallest < largest ? " ... " + text(largest) : "");
}

void add(Settings& lines, const char* name, const std::optional<UsedGain>& gain) {
  if (gain.has_value()) lines.push_back({name, gain->asked.text(), used_text(*gain)});
}

template <class Value>
void add(Settings& lines, const char* name, const std::optional<Value>& asked, const std::string& used) {
  lines.push_back({name, asked.has_value() ? used : "", used});
}

void add(Settings& lines, const DaeFacts& dae) {
  lines.push_back(
      {"ids", "", dae.masked() ? joined(dae.algebraic) + " masked in the error test" : "everything in the error test"});
  lines.push_back({"error weights", "", dae.error_weights});
  lines.push_back({"time scale T", "", text(dae.time_scale)});
  if (dae.typical_multiplier.has_value()) lines.push_back({"typical |lambda|", "", text(*dae.typical_multiplier)});
  const DaeSettings& s = dae.settings;
  add(lines, "nonlinear coefficient", dae.asked.nonlinear_coefficient, text(s.nonlinear_coefficient));
  add(lines, "nonlinear iterations", dae.asked.max_nonlinear_iterations, std::to_string(s.max_nonlinear_iterations));
  add(lines, "initial step", dae.asked.initial_step, text(s.initial_step));
  if (dae.asked.suppress_algebraic.has_value())
    add(lines, "suppress algebraic", dae.asked.suppress_algebraic, s.suppress_algebraic ? "yes" : "no");
}

}  // namespace

void DaeFacts::take(const IdaOverrides& overrides) {
  asked = overrides;
  settings.suppress_algebraic = asked.suppress_algebraic.value_or(settings.suppress_algebraic);
  settings.nonlinear_coefficient = asked.nonlinear_coefficient.value_or(settings.nonlinear_coefficient);
  settings.max_nonlinear_iterations = asked.max_nonlinear_iterations.value_or(settings.max_nonlinear_iterations);
  settings.initial_step = asked.initial_step.value_or(settings.initial_step);
}

Settings FormulationFacts::lines() const {
  Settings lines;
  add(lines, "K_D", K_D);
  add(lines, "K_P", K_P);
  add(lines, "K_N", K_N);
  if (advice.has_value()) {
    for (Setting& line : advice->lines()) lines.push_back(std::move(line));
  }
  add(lines, "Lambda", Lambda);
  if (dae.has_value()) add(lines, *dae);
  for (const Fact& fact : own) lines.push_back({fact.name, fact.asked ? fact.text() : "", fact.text()});
  return lines;
}

}  // namespace sunlagrange
