// SPDX-License-Identifier: BSD-3-Clause
#include "figures/program_figure.hpp"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <vector>

#include "figures/sketch.hpp"
#include "mechanisms/mechanism.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/text.hpp"

/// Redraws Figure 2 of [002], the angles of the slider-crank program for several k by Euler's method with the step of
/// the paper, and adds the violation, which the paper does not show. (The paper does not state its k.) Two curves have
/// the printed sign of k, f' = +k f.
namespace sunlagrange::program {
namespace {

constexpr double program_step = 1e-3;

/// The rows of slider_crank_program with f' = +k f.
struct AsPrinted {
  double gain = 1.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    using std::sin;
    f[0] = sin(y[0]) - 2.0 * sin(y[1]);
  }
  template <class T>
  void feedback(T, View<const T>, View<const T> f, View<T> a) const {
    a[0] = gain * f[0];
  }
};

struct ProgramCurve {
  std::string file;
  std::string label;
  double k;      ///< gain k of f' = -k f; 0: elimination
  bool printed;  ///< f' = +k f
};

std::vector<ProgramCurve> program_curves() {
  return {{"k1", "k = 1", 1.0, false},
          {"k100", "k = 100", 100.0, false},
          {"k1900", "k = 1900", 1900.0, false},
          {"elimination", "elimination (4)", 0.0, false},
          {"printed1", "as printed, k = 1", 1.0, true},
          {"printed100", "as printed, k = 100", 100.0, true}};
}

std::string compute_program_curve(const ProgramCurve& curve, double t_end, const std::string& folder) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("slider_crank_program").make(0);
  const auto program = curve.printed ? make_program(AsPrinted{curve.k}) : mechanism.system;
  SimulationOptions options;
  options.formulation = curve.k > 0.0 ? "integral_manifold" : "elimination";
  if (curve.k > 0.0 && !curve.printed) options.gains.K_N = curve.k;
  options.integrator = "rk1";
  options.step = program_step;
  options.t_end = t_end;
  options.keep_going = [](double) { return !interrupted(); };
  const Simulation run = simulate(program, mechanism.start, options);
  const std::string file = folder + "/" + curve.file + ".dat";
  std::ostringstream out;
  out << "# t theta1 theta2 |f|\n" << std::setprecision(10);
  for (std::size_t k = 0; k < run.trajectory.size(); ++k) {
    const Eigen::VectorXd y = run.trajectory.q(k);
    out << run.trajectory.t(k) << " " << y[0] << " " << y[1] << " " << std::abs(std::sin(y[0]) - 2.0 * std::sin(y[1]))
        << "\n";
  }
  write_file(file, out.str(), "--out");
  return curve.label + ": " + to_string(run.status.outcome) + ", max |f| " + text(run.report.max_position_violation) +
         (run.status.finished() ? "" : " (" + run.status.message + ")");
}

void write_program_panel(std::ostream& out, int panel) {
  const int colours[] = {1, 6, 3, 7, 2, 5};
  const char* const names[] = {"θ_1 [rad]", "θ_2 [rad]", "violation |f|"};
  out << "set ylabel '" << names[panel] << "'\nset xlabel '" << (panel == 2 ? "time t [s]" : "") << "' offset 0,0.5\n"
      << (panel == 2 ? "set logscale y\nset format y '10^{%L}'\nset yrange [1e-9:10]\nset bmargin 8\nset key at "
                       "screen 0.1,0.085 left top Left reverse vertical maxrows 3\n"
                     : "unset logscale y\nset format y '%g'\nunset key\n")
      << (panel == 0   ? "set yrange [-20:2]\n"
          : panel == 1 ? "set yrange [-1.5:1.5]\n"
                       : "")
      << "plot ";
  const std::vector<ProgramCurve> all = program_curves();
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (panel < 2 && all[c].file == "printed100") continue;  // jumps over hundreds of turns
    out << (c == 0 ? "" : ", \\\n     ") << "'" << all[c].file << ".dat' using 1:" << panel + 2
        << " with lines linetype " << colours[c] << " linewidth " << (c < 3 ? 2.5 - static_cast<double>(c) : 1.0)
        << " dashtype " << (c < 3 ? 1 : static_cast<int>(c) - 1) << " title '" << all[c].label << "'";
  }
  out << "\nset title ''\n";
}

/// Figure 1: crank and rod, whose pins stay at one height, r sin theta1 = l sin theta2.
Sketch slider_crank() {
  const double theta1 = 0.9, theta2 = std::asin(0.5 * std::sin(theta1));
  const SketchPoint origin, pin{std::cos(theta1), std::sin(theta1)}, slider{pin.x + 2.0 * std::cos(theta2), 0.0};
  Sketch sketch;
  sketch.title = "Figure 1: slider-crank, r = 1, l = 2";
  sketch.low = {-0.4, -0.4};
  sketch.high = {3.2, 1.1};
  sketch.rods = {{origin, pin}, {pin, slider}};
  sketch.guides = {{{-0.3, 0.0}, {3.1, 0.0}}};
  sketch.pins = {origin, pin, slider};
  sketch.words = {{{0.22, 0.1}, "θ_1"},
                  {{slider.x - 0.75, 0.1}, "θ_2"},
                  {{0.12, 0.5}, "r"},
                  {{1.6, 0.55}, "l"},
                  {{slider.x, -0.15}, "x"}};
  return sketch;
}

}  // namespace

void draw_slider_crank_program(const Pictures& pictures, double t_end) {
  make_folder(pictures.folder);
  for (const ProgramCurve& curve : program_curves()) {
    if (!interrupted()) print_wrapped("  " + compute_program_curve(curve, t_end, pictures.folder), output_width(false));
  }
  if (interrupted()) return;
  std::ostringstream out;
  out << "# Figures 1 and 2 of the kinematic program; run: gnuplot slider_crank_program.gp\n"
      << pictures.prelude(50.0) << "set lmargin 9\nset rmargin 2\nset output '" << pictures.file("figure1") << "'\n"
      << slider_crank().script() << pictures.prelude(130.0) << "set xrange [0:" << t_end << "]\nset output '"
      << pictures.file("figure2") << "'\nset multiplot\n"
      << "set title \"Figure 2: slider-crank program, Euler's method,\\nstep 1e-3 s, f' = -k f\"\n";
  const double heights[] = {0.31, 0.29, 0.40};
  double top = 1.0;
  for (int panel = 0; panel < 3; ++panel) {
    top -= heights[panel];
    out << "set size 1," << heights[panel] << "\nset origin 0," << top << "\n";
    write_program_panel(out, panel);
  }
  out << "unset multiplot\nunset output\n";
  pictures.draw("slider_crank_program", out.str());
  for (const char* name : {"figure1", "figure2"}) std::cout << pictures.folder << "/" << pictures.file(name) << "\n";
}

}  // namespace sunlagrange::program
