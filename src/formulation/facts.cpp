// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/formulation/facts.hpp>

#include <sunlagrange/base/figures.hpp>

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
  lines.push_back({"time scale T", "", text(dae.time_scale) + " s"});
  if (dae.typical_multiplier.has_value()) lines.push_back({"typical |lambda|", "", text(*dae.typical_multiplier)});
  const DaeSettings& s = dae.settings;
  add(lines, "nonlinear coefficient", dae.asked.nonlinear_coefficient, text(s.nonlinear_coefficient));
  add(lines, "nonlinear iterations", dae.asked.max_nonlinear_iterations, std::to_string(s.max_nonlinear_iterations));
  add(lines, "initial step", dae.asked.initial_step, text(s.initial_step) + " s");
  if (dae.asked.suppress_algebraic.has_value())
    add(lines, "suppress algebraic", dae.asked.suppress_algebraic, s.suppress_algebraic ? "yes" : "no");
}

}  // namespace

void DaeFacts::apply(const IdaOverrides& overrides) {
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

void DaeSettings::describe(Figures& f) {
  f("suppress_algebraic", suppress_algebraic, "true if the error test leaves algebraic unknowns out");
  f("nonlinear_coefficient", nonlinear_coefficient, "1", "factor of the tolerance of Newton's iteration");
  f("max_nonlinear_iterations", max_nonlinear_iterations, "iterations of Newton in a step at most");
  f("initial_step", initial_step, "s", "first step; 0: that of IDA");
}

void IdaOverrides::describe(Figures& f) {
  f("suppress_algebraic", suppress_algebraic, "true if the error test shall leave algebraic unknowns out");
  f("nonlinear_coefficient", nonlinear_coefficient, "1", "factor of the tolerance of Newton's iteration");
  f("max_nonlinear_iterations", max_nonlinear_iterations, "iterations of Newton in a step at most");
  f("initial_step", initial_step, "s", "first step");
}

void DaeFacts::describe(Figures& f) {
  f("algebraic", algebraic, "unknowns without a derivative in the equations");
  f("error_weights", error_weights, "error weights in words");
  f("time_scale", time_scale, "s", "time scale of the error weights");
  f("typical_multiplier", typical_multiplier, "unit of lambda", "typical multiplier of the error weights");
  settings.describe(f);
  f("asked", asked, "settings of IDA that the user has chosen");
}

void UsedGain::describe(Figures& f) {
  f.derived("automatic", asked.automatic(), "true if the library has chosen the gain");
  f.derived("kind", std::string(varying ? "varying" : used.kind()),
            "none, scalar, diagonal, matrix, or varying: renewed along the motion");
  used.describe_values(f);
}

void FormulationFacts::describe(Figures& f) {
  f.group("gains", "gains that were used; none: the formulation does not read the gain", [&] {
    f("K_D", K_D, "1/s", "gain of the constraint rate");
    f("K_P", K_P, "1/s^2", "gain of the constraint violation");
    f("K_N", K_N, "1/s", "gain of the velocity constraints");
    f("Lambda", Lambda, "", "penalty");
  });
  f("gain_advice", advice, "what the gains will do; none without constant gains");
  f("dae", dae, "how a DAE form is integrated; none for ODE forms");
  f.derived("masked", dae.has_value() && dae->masked() ? dae->algebraic : std::vector<std::string>(),
            "unknowns that the error test leaves out");
  f("facts", own, "facts that only this formulation has");
}

}  // namespace sunlagrange
