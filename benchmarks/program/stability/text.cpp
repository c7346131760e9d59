// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/gains/stability_boundary.hpp>
#include <sunlagrange/simulation/violation_bound.hpp>

#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/table.hpp"
#include "stability/map.hpp"

/// Table, JSON, CSV and picture of the command `stability`.
namespace sunlagrange::program {
namespace {

std::string introduction(const StabilityMap& map) {
  std::string out = map.problem.description() + "\n" + map.formulation;
  out += map.first_order ? ", gain k of f' = -k f (K_N = k)\n"
                         : fmt::format(", gain omega of K_D = 2 zeta omega, K_P = omega^2, zeta = {:g}\n", map.zeta);
  out += fmt::format(
      "contraction: a small violation dies out. observed: of two runs of {} steps (fewer where that would be longer "
      "than "
      "the run), the second seeded with a constraint violation of {:g} max(1, max|q|), the largest difference in the "
      "second half of the steps is below that in the first half, and never above {:g} times the first\n"
      "stable: contraction, and the run to its end gives no doubt that the constraints are violated: |g| stays below "
      "{:g} of the size of the mechanism, and |(g', psi)| below the same part of its largest velocity\n",
      map.run_steps, map.seed, largest_transient, fixed_step_violation_bound(map.formulation));
  if (!map.predict) return out;
  out += "rule: the law alone contracts: |R(step K)| < 1 in a Lyapunov norm, R the method's stability function\n";
  return out +
         "motion: as predicted, with contraction along the exact motion\n"
         "predicted: step map linearised along the run, whose truncation error has left the constraints: its "
         "contraction, "
         "and the violation that it makes of the truncation errors of the steps\n";
}

/// Returns a sentence on the agreement of prediction and observation.
std::string verdict(const StabilityMap& map) {
  double worst = 0.0;
  int compared = 0, blind = 0;
  for (const MapPoint& p : map.points) {
    if (std::isnan(p.observed)) ++blind;
    if (!std::isfinite(p.difference())) continue;
    worst = std::max(worst, std::abs(p.difference()));
    ++compared;
  }
  std::string words = fmt::format("{} steps mapped", map.points.size());
  if (compared > 0)
    words +=
        fmt::format("; the largest stable gain is predicted within {:.2f} % at {} of them", 100.0 * worst, compared);
  if (blind > 0) words += fmt::format("; at {} the method is unstable at every gain", blind);
  return words + ".\n";
}

/// Escapes a double-quoted string of gnuplot's enhanced mode, in which _ means a subscript.
std::string escaped(const std::string& name) {
  std::string result;
  for (const char c : name) result += c == '_' ? std::string("\\\\_") : std::string(1, c);
  return result;
}

/// Writes two panels: the plane of step and gain, and below it gain x step, which shows the differences.
std::string script(const StabilityMap& map, const std::vector<std::string>& integrators, const Pictures& pictures) {
  std::ostringstream out;
  const std::string symbol = map.first_order ? "k" : "ω";
  out << "# run: gnuplot stability.gp\n"
      << pictures.prelude(120.0) << "set output '" << pictures.file("stability")
      << "'\nset logscale x\nset lmargin 9\nset rmargin 2\n"
      << "set format x '%g'\nset multiplot layout 2,1 title \"Largest stable gain " << symbol << ": "
      << escaped(map.problem.name + ", " + map.formulation) << (map.first_order ? "" : ", ζ = " + text(map.zeta))
      << "\"\n"
      << "set xlabel 'step τ [s]'\n";
  for (const bool product : {false, true}) {
    const std::string scale = product ? "*$2" : "";
    out << (product ? "unset key\nunset logscale y\nset format y '%g'\nset ylabel 'gain × step  " + symbol +
                          "τ'\nset yrange [0:*]\n"
                    : "set logscale y\nset format y '10^{%L}'\nset ylabel 'gain " + symbol +
                          " [1/s]'\nset key outside bottom center horizontal maxcols 3\n")
        << "plot ";
    for (std::size_t i = 0; i < integrators.size(); ++i) {
      const std::string& name = integrators[i];
      const std::string colour = " linetype " + std::to_string(i + 1);
      const auto column = [&](int c) {
        return "'stability_" + name + ".dat' using 2:($" + std::to_string(c) + scale + ")";
      };
      out << (i == 0 ? "" : ", \\\n     ");
      if (map.predict) {
        out << column(4) << " with lines" << colour << " dashtype 3"
            << " title '" << name << (map.first_order ? ", |R| = 1" : ", rule") << "', " << column(6) << " with lines"
            << colour << " title '" << name << ", map', ";
      }
      out << column(7) << " with points" << colour << " pointtype " << 5 + 2 * i << " pointsize 0.7 title '" << name
          << ", runs'";
    }
    out << "\n";
  }
  out << "unset multiplot\nunset output\n";
  return out.str();
}

}  // namespace

void print(const StabilityMap& map, std::size_t width) {
  const Align right = Align::right;
  const std::string boundary = "gain x step", contraction = "contraction", gain = "gain [1/s]",
                    difference = "against observed";
  Table table({{"integrator", Align::left},
               {"step [s]"},
               {"steps", right, 2},
               {"rule", right, 3, 7, boundary},
               {"motion", right, 4, 7, boundary},
               {"predicted", right, 0, 0, boundary},
               {"observed", right, 0, 0, boundary},
               {"predicted", right, 2, 0, contraction},
               {"observed", right, 2, 0, contraction},
               {"predicted", right, 5, 0, gain},
               {"observed", right, 1, 0, gain},
               {"predicted", right, 1, 0, difference},
               {"rule", right, 6, 8, difference}},
              width);
  std::vector<Table::Row> rows;
  for (const MapPoint& p : map.points) {
    const auto percent = [](double x) { return std::isfinite(x) ? number(100.0 * x, "+.2f") + " %" : "-"; };
    rows.push_back({p.integrator, text(p.step), std::to_string(p.run_steps), number(p.rule, ".4f"),
                    number(p.motion, ".4f"), number(p.predicted, ".4f"), number(p.observed, ".4f"),
                    number(p.predicted_contraction, ".4f"), number(p.observed_contraction, ".4f"),
                    number(p.predicted / p.step, ".4g"), number(p.observed / p.step, ".4g"), percent(p.difference()),
                    percent(p.rule_difference())});
  }
  print_wrapped(verdict(map) + introduction(map), width);
  std::cout << table.grouped_text(rows);
  const bool missing =
      std::any_of(map.points.begin(), map.points.end(), [](const MapPoint& p) { return std::isnan(p.observed); });
  if (missing) {
    print_wrapped(
        "observed - : unstable at every gain tried, from 0.1 / step: this step does not resolve the motion, or the "
        "method leaves the constraints at every gain",
        width);
  }
}

std::string document(const StabilityMap& map) {
  Json json;
  json["schema"] = 1;
  json["mechanism"] = map.problem.name;
  json["formulation"] = map.formulation;
  json["law"] = map.first_order ? "first_order" : "second_order";
  json["zeta"] = map.first_order ? Json(nullptr) : Json(map.zeta);
  json["seed"] = map.seed;
  json["criterion"] =
      "largest seeded difference in the second half of the steps below that in the first half, and never "
      "above largest_transient times the first (contraction); and |g| of the run below violation_bound, relative to "
      "the size of the mechanism, and |(g', psi)| below violation_bound, relative to its largest velocity";
  json["largest_transient"] = largest_transient;
  json["violation_bound"] = fixed_step_violation_bound(map.formulation);
  json["points"] = Json::array();
  for (const MapPoint& p : map.points) json["points"].push_back(parsed(figures_json(p)));
  return json_text(json);
}

std::string csv(const StabilityMap& map, char separator) {
  std::ostringstream out;
  out.precision(10);
  const char* names[] = {"integrator",
                         "step",
                         "run_steps",
                         "rule_gain",
                         "motion_gain",
                         "predicted_gain",
                         "observed_gain",
                         "relative_difference",
                         "rule_relative_difference",
                         "predicted_contraction_gain",
                         "observed_contraction_gain"};
  for (const char* name : names) out << (name == names[0] ? std::string() : std::string(1, separator)) << name;
  out << "\n";
  for (const MapPoint& p : map.points) {
    out << p.integrator << separator << p.step << separator << p.run_steps;
    for (const double x :
         {p.rule / p.step, p.motion / p.step, p.predicted / p.step, p.observed / p.step, p.difference(),
          p.rule_difference(), p.predicted_contraction / p.step, p.observed_contraction / p.step}) {
      out << separator;
      if (std::isfinite(x))
        out << x;
      else if (separator == ' ')
        out << "NaN";
    }
    out << "\n";
  }
  return out.str();
}

void draw(const StabilityMap& map, const std::vector<std::string>& integrators, const Pictures& pictures) {
  for (const std::string& name : integrators) {
    StabilityMap part = {map.problem,   map.formulation, map.first_order, map.zeta,
                         map.run_steps, map.predict,     map.seed,        {}};
    for (const MapPoint& p : map.points) {
      if (p.integrator != name) continue;
      part.points.push_back(p);
      if (std::isnan(p.observed))
        part.points.back().predicted = Report::none;  // there is no observed boundary for comparison
    }
    write_file(pictures.folder + "/stability_" + name + ".dat", "# " + csv(part, ' '), "--out");
  }
  pictures.draw("stability", script(map, integrators, pictures));
}

}  // namespace sunlagrange::program
