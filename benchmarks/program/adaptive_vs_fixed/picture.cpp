#include <algorithm>
#include <cmath>
#include <sstream>

#include "adaptive_vs_fixed/adaptive_vs_fixed.hpp"
#include "shared/gnuplot.hpp"
#include "shared/output.hpp"
#include "shared/text.hpp"

/// Step histories over the limits of fixed steps.
namespace sunlagrange::bench {
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

void draw_limits(std::ostream& out, const Section& section) {
  const auto line = [&](double y, const char* look, const std::string& title) {
    if (std::isfinite(y)) out << ", \\\n     " << y << " with lines linewidth 2 " << look << " title '" << title << "'";
  };
  const StepLimit one = section.limit("baumgarte", "rk1"), two = section.limit("baumgarte", "rk2"),
                  three = section.limit("baumgarte", "rk3"), four = section.limit("baumgarte", "rk4");
  const bool same = std::abs(one.certified - two.certified) <= 1e-3 * two.certified;
  if (!same) line(one.certified, "dashtype 2 linecolor rgb '#a0a0a0'", "rk1 certified");
  line(two.certified, "dashtype 1 linecolor rgb '#a0a0a0'", same ? "rk1, rk2 certified" : "rk2 certified");
  line(three.certified, "dashtype 1 linecolor rgb '#606060'", "rk3 certified");
  line(four.certified, "dashtype 1 linecolor rgb '#000000'", "rk4 certified");
  line(four.observed, "dashtype 4 linecolor rgb '#000000'", "rk4 observed");
}

/// Adaptive runs that are drawn: baumgarte, and what ida does.
std::vector<const Contestant*> drawn(const Heat& heat) {
  std::vector<const Contestant*> list;
  for (const Contestant& c : heat.contestants) {
    if (c.reached && !c.fixed_step && (c.formulation == "baumgarte" || c.integrator == "ida")) list.push_back(&c);
  }
  return list;
}

void write_panel(std::ostream& out, const Comparison& comparison, std::size_t number, const std::string& folder) {
  const Section& section = comparison.sections[number];
  const Heat& heat = section.heats[section.middle_heat];
  const char* colours[] = {"#0060ad", "#dd181f", "#008a4b", "#b05ac0", "#d08000", "#00a0a0", "#a05000", "#708000"};
  out << "set title \"" << comparison.mechanism << ", gains x " << text(section.gain_factor) << " (" << section.gains
      << "): steps at " << (heat.measure == Measure::error ? "error" : "max |g|") << " " << text(heat.target)
      << "\" noenhanced\n";
  double smallest = section.yardstick("baumgarte");
  const std::vector<const Contestant*> runs = drawn(heat);
  for (const Contestant* c : runs)
    smallest = std::isfinite(smallest) ? std::min(smallest, c->median_step) : c->median_step;
  if (!std::isfinite(smallest)) throw Error("--out: no adaptive run reached the target " + text(heat.target));
  out << "set yrange [" << smallest / 20.0 << ":*]\nplot NaN notitle";  // the first steps are much shorter
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Contestant& c = *runs[i];
    const std::string file = "steps_" + std::to_string(number + 1) + "_" + c.formulation + "_" + c.integrator + ".dat";
    write_file(folder + "/" + file, history(c), "--out");
    out << ", \\\n     '" << file << "' using 1:2 with steps linewidth " << (c.integrator == "ida" ? "1" : "2")
        << " linecolor rgb '" << colours[i % 8] << "' title '" << c.formulation << " " << c.integrator << "'";
  }
  draw_limits(out, section);
  out << "\n";
}

}  // namespace

void draw(const Comparison& comparison, const std::string& folder) {
  const std::size_t panels = comparison.sections.size();
  std::ostringstream out;
  out << "# run: gnuplot adaptive_vs_fixed.gp\nset terminal pngcairo size 1200," << 500 * panels
      << " noenhanced font 'sans,11'\nset output 'adaptive_vs_fixed.png'\nset grid\nset logscale y\nset format y "
         "'%g'\nset datafile missing 'NaN'\nset xlabel 'time t [s]'\nset ylabel 'step [s]'\nset key outside right "
         "center vertical\nset multiplot layout "
      << panels << ",1\n";
  for (std::size_t i = 0; i < panels; ++i) write_panel(out, comparison, i, folder);
  out << "unset multiplot\nunset output\n";
  write_file(folder + "/adaptive_vs_fixed.gp", out.str(), "--out");
  run_gnuplot(folder, "adaptive_vs_fixed.gp");
}

}  // namespace sunlagrange::bench
