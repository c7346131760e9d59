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

void draw_limits(std::ostream& out, const Section& section) {
  const auto line = [&](double y, const char* style, const std::string& title) {
    if (std::isfinite(y)) out << ", \\\n     " << y << " with lines " << style << " title '" << title << "'";
  };
  const StepLimit one = section.limit("baumgarte", "rk1"), two = section.limit("baumgarte", "rk2"),
                  three = section.limit("baumgarte", "rk3"), four = section.limit("baumgarte", "rk4");
  const bool same = std::abs(one.certified - two.certified) <= 1e-3 * two.certified;
  if (!same) line(one.certified, "linetype 8 dashtype 2", "rk1 certified");
  line(two.certified, "linetype 8", same ? "rk1, rk2 certified" : "rk2 certified");
  line(three.certified, "linetype 6", "rk3 certified");
  line(four.certified, "linetype 7", "rk4 certified");
  line(four.observed, "linetype 7 dashtype 4", "rk4 observed");
}

/// Returns the runs in the picture: the cheapest adaptive run of baumgarte, whose limits are drawn, and of ida.
std::vector<const Contestant*> drawn(const Heat& heat) {
  const Contestant *ode = nullptr, *dae = nullptr;
  for (const Contestant& c : heat.contestants) {
    if (!c.reached || c.fixed_step) continue;
    const Contestant** best = c.integrator == "ida" ? &dae : c.formulation == "baumgarte" ? &ode : nullptr;
    if (best != nullptr && (*best == nullptr || c.cpu_seconds < (*best)->cpu_seconds)) *best = &c;
  }
  std::vector<const Contestant*> list;
  for (const Contestant* c : {ode, dae}) {
    if (c != nullptr) list.push_back(c);
  }
  return list;
}

void write_panel(std::ostream& out, const Comparison& comparison, std::size_t number, const Pictures& pictures) {
  const Section& section = comparison.sections[number];
  const Heat& heat = section.heats[section.middle_heat];
  out << "set title \"" << comparison.mechanism << ", gains x " << text(section.gain_factor) << "\\nsteps at "
      << (heat.measure == Measure::error ? "error" : "max |g|") << " " << text(heat.target) << "\" noenhanced\n";
  double smallest = section.yardstick("baumgarte");
  const std::vector<const Contestant*> runs = drawn(heat);
  for (const Contestant* c : runs)
    smallest = std::isfinite(smallest) ? std::min(smallest, c->median_step) : c->median_step;
  if (!std::isfinite(smallest)) throw Error("--out: no adaptive run reached the target " + text(heat.target));
  out << "set yrange [" << smallest / 20.0 << ":*]\nplot NaN notitle";  // the first steps are much shorter
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Contestant& c = *runs[i];
    const std::string file = "steps_" + std::to_string(number + 1) + "_" + c.formulation + "_" + c.integrator + ".dat";
    write_file(pictures.folder + "/" + file, history(c), "--out");
    out << ", \\\n     '" << file << "' using 1:2 with steps linetype " << i + 1 << " title '" << c.formulation << " "
        << c.integrator << "'";
  }
  draw_limits(out, section);
  out << "\n";
}

}  // namespace

void draw(const Comparison& comparison, const Pictures& pictures) {
  const std::size_t panels = comparison.sections.size();
  std::ostringstream out;
  out << "# run: gnuplot adaptive_vs_fixed.gp\n"
      << pictures.prelude(80.0 * static_cast<double>(panels)) << "set output '" << pictures.file("adaptive_vs_fixed")
      << "'\nset termoption noenhanced\nset logscale y\nset format y '%g'\nset xlabel 'time t [s]'\nset ylabel 'step "
         "[s]'\nset key outside bottom center horizontal maxcols 2\nset multiplot layout "
      << panels << ",1\n";
  for (std::size_t i = 0; i < panels; ++i) write_panel(out, comparison, i, pictures);
  out << "unset multiplot\nunset output\n";
  pictures.draw("adaptive_vs_fixed", out.str());
}

}  // namespace sunlagrange::program
