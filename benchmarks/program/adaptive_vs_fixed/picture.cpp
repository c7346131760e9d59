// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <sstream>

#include "adaptive_vs_fixed/adaptive_vs_fixed.hpp"
#include "shared/output.hpp"
#include "shared/text.hpp"

/// Picture of step sizes and limits of fixed steps.
namespace sunlagrange::program {
namespace {

std::string history(const Contestant& c) {
  std::ostringstream out;
  out.precision(10);
  out << "# t step\n";
  const Trajectory& path = c.record.simulation.trajectory;
  for (std::size_t k = 1; k < path.size(); ++k) out << path.t(k - 1) << " " << path.t(k) - path.t(k - 1) << "\n";
  if (!path.empty()) out << path.t(path.size() - 1) << " NaN\n";
  return out.str();
}

/// A line of the picture with its name in the right margin, at the height of `step`.
struct NamedStep {
  std::string name;
  double step;       // [s]; NaN: not drawn
  int colour;        // number of a linetype
  std::string plot;  // what gnuplot plots
};

/// Returns the cheapest run of one kind that reached the target; null if there is none.
template <class Belongs>
const Contestant* quickest(const Heat& heat, const Belongs& belongs) {
  const Contestant* found = nullptr;
  for (const Contestant& c : heat.contestants) {
    if (c.reached && belongs(c) && (found == nullptr || c.cpu_seconds < found->cpu_seconds)) found = &c;
  }
  return found;
}

/// Returns the adaptive runs of the picture: the cheapest run of CVODE with baumgarte, whose limits are drawn, or else
/// with any formulation, and the cheapest one of IDA, which may have taken part in the first section only.
std::vector<const Contestant*> adaptive_runs(const Comparison& comparison, const Section& section) {
  const Heat& heat = section.heats[section.middle_heat];
  const auto cvode = [](const Contestant& c) { return c.integrator.rfind("cvode", 0) == 0; };
  const auto ida = [](const Contestant& c) { return c.integrator == "ida"; };
  std::vector<const Contestant*> runs;
  const Contestant* run = quickest(heat, [&](const Contestant& c) { return cvode(c) && c.formulation == "baumgarte"; });
  if (run == nullptr) run = quickest(heat, cvode);
  if (run == nullptr) run = quickest(heat, [](const Contestant& c) { return !c.fixed_step; });
  if (run != nullptr) runs.push_back(run);
  run = quickest(heat, ida);
  if (run == nullptr && section.middle_heat < comparison.sections.front().heats.size())
    run = quickest(comparison.sections.front().heats[section.middle_heat], ida);
  if (run != nullptr && (runs.empty() || run != runs.front())) runs.push_back(run);
  return runs;
}

/// Returns the fixed steps of the picture, those of rk4 with baumgarte.
std::vector<NamedStep> fixed_steps(const Section& section) {
  const Heat& heat = section.heats[section.middle_heat];
  const StepLimit limit = section.limit("baumgarte", "rk4");
  const Contestant* needed =
      quickest(heat, [](const Contestant& c) { return c.formulation == "baumgarte" && c.integrator == "rk4"; });
  const std::string accuracy = (heat.measure == Measure::error ? "error " : "|g| ") + text(heat.target);
  std::vector<NamedStep> steps = {{"|R(hK)| < 1 allows", limit.law, 8, ""},
                                  {"observed to hold", limit.observed, 7, ""},
                                  {"certified", limit.certified, 3, ""},
                                  {accuracy + " needs", needed != nullptr ? needed->record.options.step : NAN, 5, ""}};
  for (NamedStep& s : steps) {
    s.plot = text(s.step) + " with lines";
    s.name += " " + number(s.step, ".2g") + " s";
  }
  return steps;
}

/// Moves the heights of the names apart, on a logarithmic axis of which a name takes `share`.
std::vector<double> heights_of_names(std::vector<double> heights, double least, double largest, double share) {
  const double apart = std::pow(largest / least, share);
  for (std::size_t i = 1; i < heights.size(); ++i) heights[i] = std::max(heights[i], heights[i - 1] * apart);
  double above = largest;
  for (std::size_t i = heights.size(); i-- > 0; above = heights[i] / apart) heights[i] = std::min(heights[i], above);
  return heights;
}

void write_panel(std::ostream& out, const Comparison& comparison, std::size_t number, const Pictures& pictures) {
  const Section& section = comparison.sections[number];
  const Heat& heat = section.heats[section.middle_heat];
  std::vector<NamedStep> lines = fixed_steps(section);
  int colour = 0;
  for (const Contestant* c : adaptive_runs(comparison, section)) {
    const std::string file =
        "steps_" + std::to_string(number + 1) + "_" + c->formulation + "_" + c->integrator + ".dat";
    write_file(pictures.folder + "/" + file, history(*c), "--out");
    lines.push_back(
        {c->integrator + ", " + c->formulation, c->median_step, ++colour, "'" + file + "' using 1:2 with steps"});
  }
  lines.erase(std::remove_if(lines.begin(), lines.end(), [](const NamedStep& l) { return !(l.step > 0.0); }),
              lines.end());
  if (colour == 0) throw Error("--out: no adaptive run reached the target " + text(heat.target));
  std::sort(lines.begin(), lines.end(), [](const NamedStep& a, const NamedStep& b) { return a.step < b.step; });
  const double least = lines.front().step / 4.0, largest = lines.back().step * 2.0;
  std::vector<double> steps;
  for (const NamedStep& line : lines) steps.push_back(line.step);
  const std::vector<double> heights = heights_of_names(steps, least, largest, 0.075);
  out << "set title \"" << comparison.mechanism << ", gains x " << text(section.gain_factor)
      << ":\\nfixed steps of rk4 with baumgarte,\\nand steps that adaptive runs take at "
      << (heat.measure == Measure::error ? "error " : "max |g| ") << text(heat.target) << "\" noenhanced\nunset label\n"
      << "set yrange [" << least << ":" << largest << "]\n";  // the first steps are much shorter
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out << "set label \"" << lines[i].name << "\" at graph 1.02, first " << heights[i] << " textcolor linetype "
        << lines[i].colour << "\n";
  }
  out << "plot ";
  for (std::size_t i = 0; i < lines.size(); ++i)
    out << (i > 0 ? ", \\\n     " : "") << lines[i].plot << " linetype " << lines[i].colour << " notitle";
  out << "\n";
}

}  // namespace

void draw(const Comparison& comparison, const Pictures& pictures) {
  const std::size_t panels = comparison.sections.size();
  std::ostringstream out;
  out << "# run: gnuplot adaptive_vs_fixed.gp\n"
      << pictures.prelude(60.0 * static_cast<double>(panels)) << "set output '" << pictures.file("adaptive_vs_fixed")
      << "'\nset termoption noenhanced\nset logscale y\nset format y '%g'\nset xlabel 'time t [s]'\nset ylabel 'step "
         "[s]'\nunset key\nset rmargin 25\nset multiplot layout "
      << panels << ",1\n";
  for (std::size_t i = 0; i < panels; ++i) write_panel(out, comparison, i, pictures);
  out << "unset multiplot\nunset output\n";
  pictures.draw("adaptive_vs_fixed", out.str());
}

}  // namespace sunlagrange::program
