// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "commands.hpp"
#include "figures/program_figure.hpp"
#include "figures/sketch.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/progress.hpp"
#include "shared/text.hpp"

/// `figures`: redraws Figures 2 to 5 of [000, Example 1], the angles of the two-link arm over time, and adds the
/// violation of both constraints, which the paper does not show. Marks the two special times and the part of the time
/// axis on which no configuration satisfies the constraints.
namespace sunlagrange::program {
namespace {

constexpr double fold_time = 0.493255;          // x0 / v, see two_link_arm.hpp
constexpr double end_of_reach_time = 2.850278;  // (x0 + sqrt 2) / v

struct Curve {
  std::string file;  ///< without folder and extension
  std::string label;
  std::string mechanism;
  std::string formulation;
  RankPolicy rank_policy;
  std::string gains;
  double t_reached = 0.0;  ///< end of the run
};

struct Figure {
  std::string file;
  std::string title;
  std::string gains;  ///< gains of the paper
  std::vector<Curve> curves;
};

std::vector<Figure> figures() {
  const auto penalty = [](int number, const std::string& gains, const std::string& title) {
    const std::string file = "figure" + std::to_string(number);
    return Figure{file,
                  "Figure " + std::to_string(number) + ": penalty form (modified Lagrange equation)",
                  title,
                  {{file + "_corrected", "corrected M, Q", "two_link", "penalty", RankPolicy::minimum_norm, gains, 0.0},
                   {file + "_printed", "M, Q as printed", "two_link_as_printed", "penalty", RankPolicy::minimum_norm,
                    gains, 0.0}}};
  };
  const std::string case1 = "K_D=20,10;K_P=100,25";
  return {{"figure2",
           "Figure 2: generalised Baumgarte",
           "h = 20, r = 10, p = 100, s = 25",
           {{"figure2_minimum_norm", "minimum norm", "two_link", "baumgarte", RankPolicy::minimum_norm, case1, 0.0},
            {"figure2_strict", "strict", "two_link", "baumgarte", RankPolicy::strict, case1, 0.0}}},
          penalty(3, case1 + ";Lambda=10", "h = 20, r = 10, p = 100, s = 25, alpha = 10"),
          penalty(4, "K_D=20,10;K_P=100,250;Lambda=3", "h = 20, r = 10, p = 100, s = 250, alpha = 3"),
          penalty(5, "K_D=20,10;K_P=10,2500;Lambda=50", "h = 20, r = 10, p = 10, s = 2500, alpha = 50")};
}

/// t, q1, q2, |Theta1|, |Theta2| at the accepted steps.
void write_curve(const std::string& file, const std::shared_ptr<const MechanicalSystem>& system,
                 const Trajectory& path) {
  std::ostringstream out;
  out << "# t q1 q2 |Theta1| |Theta2|\n" << std::setprecision(10);
  SystemEvaluator evaluator(system);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Eigen::VectorXd q = path.q(k);
    const SystemQuantities at = evaluator.at(path.t(k), q, path.v(k));
    if (!at.status.finished()) continue;
    out << path.t(k) << " " << q[0] << " " << q[1] << " " << std::abs(at.g[0]) << " " << std::abs(at.g[1]) << "\n";
  }
  write_file(file, out.str(), "--out");
}

/// Returns the outcome in words. The end of reach and the fold are subjects of the figures, not mistakes of the user.
std::string ending(const Simulation& run) {
  const double t = run.report.t_reached;
  const Outcome outcome = run.status.outcome;
  const std::string word = to_string(outcome);
  if (outcome == Outcome::infeasible && t >= end_of_reach_time - 1e-3) {
    return word + ", as it must be: beyond t_r = " + text(end_of_reach_time) + " s P is out of reach" +
           (t > end_of_reach_time + 1e-3 ? "; went on to t = " : "; stopped at t = ") + text(t) + " s";
  }
  if (outcome == Outcome::rank_loss && std::abs(t - fold_time) < 1e-3)
    return word + ", as the paper says: the inverse does not exist at the fold, t_s = " + text(fold_time) + " s";
  return word + " at t = " + text(t) + " s" + (run.status.finished() ? "" : " (" + run.status.message + ")");
}

/// Runs one curve and writes its data. @return one line on the outcome
std::string compute(Curve& curve, double t_end, const std::string& folder) {
  ProblemArguments arguments;
  arguments.mechanism = curve.mechanism;
  arguments.t_end = t_end;
  arguments.start = "as_given";
  arguments.gains = curve.gains;
  const Problem problem(arguments);
  SimulationOptions options = problem.options;
  options.formulation = curve.formulation;
  options.integrator = "cvode_bdf";
  options.linear_solver.rank_policy = curve.rank_policy;
  options.rtol = options.atol = 1e-8;
  options.stop_when_infeasible = curve.formulation != "penalty";
  if (curve.rank_policy == RankPolicy::strict) options.max_steps = 20000;  // it cannot pass the fold at this accuracy
  const Simulation run = simulate(problem.mechanism.system, problem.mechanism.start, options);
  write_curve(folder + "/" + curve.file + ".dat", problem.mechanism.system, run.trajectory);
  curve.t_reached = run.report.t_reached;
  return curve.file + ": " + ending(run) + "; max |Theta| " + two_digits(run.report.max_position_violation) + " m";
}

/// Marks common to both panels of a figure: infeasible part, special times.
void write_marks(std::ostream& out, double t_end, bool labels) {
  const auto line = [&](double t, double from, double height, const std::string& label) {
    if (t >= t_end) return;
    out << "set arrow from " << t << ", graph " << (labels ? from : 0.0) << " to " << t
        << ", graph 1 nohead dashtype 2 linecolor rgb 'black'\n";
    if (labels) {
      out << "set label '" << label << "' at " << t << ", graph " << height
          << (t < 0.5 * t_end ? " left offset 0.5,0" : " right offset -0.5,0") << " font ',6' front boxed\n";
    }
  };
  if (t_end > end_of_reach_time) {
    out << "set object 1 rectangle from " << end_of_reach_time << ", graph 0 to " << t_end
        << ", graph 1 fillcolor rgb '#dddddd' fillstyle solid noborder behind\n";
    if (labels) {
      out << "set label \"infeasible:\\nno configuration\\nsatisfies the\\nconstraints\" at "
          << 0.5 * (end_of_reach_time + t_end) << ", graph 0.95 center font ',6' front\n";
    }
  }
  line(fold_time, 0.0, 0.05,
       "fold, t_s = 0.493255 s");  // three lines of labels, because the times are close to each other on a long axis
  line(end_of_reach_time, 0.085, 0.125, "end of reach, t_r = 2.850278 s");
}

void write_panel(std::ostream& out, const Figure& figure, double t_end, bool violations) {
  out << "unset arrow; unset label; unset object\nset xrange [0:" << t_end << "]\n";
  if (violations) {
    out << "set title ''\nset xlabel 'time t [s]' offset 10,0.7\nset ylabel 'violation [m]'\nset logscale y\nset "
           "format "
           "y '10^{%L}'\n"
        << "set yrange [1e-10:100]\n";
  } else {
    out << "set title \"" << figure.title << "\\n"
        << figure.gains << "\"\nset xlabel '' offset 0,0\nset ylabel 'angle [rad]'\nunset logscale y\n"
        << "set format y '%g'\nset yrange [-2:6]\n";
  }
  write_marks(out, t_end, !violations);
  out << "plot ";
  const int colours[] = {1, 2, 6, 5};
  bool first = true;
  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    const Curve& curve = figure.curves[c];
    const std::string end = curve.t_reached < t_end ? " (to " + text(curve.t_reached) + " s)" : "";
    for (int row = 0; row < 2; ++row) {
      out << (first ? "" : ", \\\n     ") << "'" << curve.file << ".dat' using 1:" << (violations ? 4 : 2) + row
          << " with lines linetype " << colours[2 * static_cast<int>(c) + row] << " linewidth " << (c == 0 ? 1.0 : 1.5)
          << " dashtype " << (c == 0 ? 1 : 4) << " title \"" << (violations ? "|Θ_" : "q_") << row + 1
          << (violations ? "|, " : ", ") << curve.label << (row == 0 ? end : "") << "\"";
      first = false;
    }
  }
  out << "\n";
}

/// Figure 1: the arm at the printed start, P on its line.
Sketch arm() {
  const Eigen::VectorXd q = mechanisms::find_mechanism("two_link").make(0).start.q;
  const SketchPoint origin, elbow{std::cos(q[0]), std::sin(q[0])};
  const SketchPoint P{elbow.x + 0.5 * std::cos(q[0] + q[1]), elbow.y + 0.5 * std::sin(q[0] + q[1])};
  Sketch sketch;
  sketch.title = "Figure 1: two-link arm at the printed start,\\nP moves to the left with v";
  sketch.low = {-1.7, -0.2};
  sketch.high = {1.2, 1.3};
  sketch.rods = {{origin, elbow}, {elbow, P}};
  sketch.guides = {{{-1.6, 0.5}, {1.1, 0.5}}, {{-1.6, 0.0}, {1.1, 0.0}}};
  sketch.pins = {origin, elbow, P};
  sketch.words = {
      {{P.x + 0.05, P.y - 0.08}, "P"}, {{0.15, 0.1}, "q_1"}, {{elbow.x + 0.06, elbow.y + 0.04}, "q_2, from link 1"},
      {{-0.2, 0.3}, "l = 1 m"},        {{0.3, 0.75}, "l/2"}, {{-1.55, 0.56}, "y = l/2"}};
  return sketch;
}

std::string script(const Pictures& pictures, const std::vector<Figure>& drawn, double t_end) {
  std::ostringstream out;
  out << "# Figures 1 to 5 of the two-link example; run: gnuplot figures.gp\n"
      << pictures.prelude(60.0) << "set lmargin 9\nset rmargin 2\nset output '" << pictures.file("figure1") << "'\n"
      << arm().script() << pictures.prelude(150.0)
      << "set bmargin 9\nset key at graph 0, graph -0.2 left top Left reverse vertical maxrows 4\n";
  for (const Figure& figure : drawn) {
    out << "\nset output '" << pictures.file(figure.file) << "'\nset multiplot layout 2,1\n";
    write_panel(out, figure, t_end, false);
    write_panel(out, figure, t_end, true);
    out << "unset multiplot\n";
  }
  out << "unset output\n";
  return out.str();
}

void draw(const Pictures& pictures, double t_end) {
  make_folder(pictures.folder);
  std::vector<Figure> drawn = figures();
  std::string account;
  {
    Tally tally(2 * drawn.size());
    for (Figure& figure : drawn) {
      account += figure.title + ", " + figure.gains + "\n";
      for (Curve& curve : figure.curves) {
        tally.next(curve.file);
        if (!interrupted()) account += "  " + compute(curve, t_end, pictures.folder) + "\n";
      }
    }
  }
  print_wrapped(account, output_width(false));
  if (interrupted()) return;  // the data are written; pictures of half of them would mislead
  pictures.draw("figures", script(pictures, drawn, t_end));
  std::cout << pictures.folder << "/" << pictures.file("figure1") << "\n";
  for (const Figure& figure : drawn) std::cout << pictures.folder << "/" << pictures.file(figure.file) << "\n";
}

}  // namespace

Command figures_command() {
  struct Arguments {
    std::string what;
    Pictures pictures;
    double t_end = 0.0;
  };
  const auto a = std::make_shared<Arguments>();
  return {"figures", "redraws the figures of a paper with gnuplot",
          std::vector<Option>{
              {"what",
               &a->what,
               "two_link: Figures 1 to 5 of [000]; slider_crank_program: Figures 1 and 2 of [002]",
               rule::required,
               {"two_link", "slider_crank_program"}},
              {"--t-end", &a->t_end, "end of the time axis [s]; default: 4 for two_link (the paper's is 20), else 10",
               rule::positive | rule::finite}} +
              picture_options(a->pictures, rule::required),
          [a] {
            if (a->what == "two_link")
              draw(a->pictures, a->t_end > 0.0 ? a->t_end : 4.0);
            else
              draw_slider_crank_program(a->pictures, a->t_end > 0.0 ? a->t_end : 10.0);
            return exit_finished;
          },
          "\nExamples:\n"
          "  figures two_link --out figures\n"
          "  figures two_link --out figures --t-end 20        the paper's time axis\n"
          "  figures slider_crank_program --out figures --format pdf"};
}

}  // namespace sunlagrange::program
