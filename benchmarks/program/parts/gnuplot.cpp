// SPDX-License-Identifier: BSD-3-Clause
#include "parts/gnuplot.hpp"

#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

#include "shared/output.hpp"

namespace sunlagrange::program {
namespace {

/// Returns the text in single quotes for the shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string Pictures::prelude(double height_mm) const {
  write_file(folder + "/style.gp",
             "# One style for all pictures; colours of Okabe and Ito.\n"
             "set linetype 1 linecolor rgb '#0072b2'\nset linetype 2 linecolor rgb '#d55e00'\n"
             "set linetype 3 linecolor rgb '#009e73'\nset linetype 4 linecolor rgb '#cc79a7'\n"
             "set linetype 5 linecolor rgb '#e69f00'\nset linetype 6 linecolor rgb '#56b4e9'\n"
             "set linetype 7 linecolor rgb '#000000'\nset linetype 8 linecolor rgb '#7f7f7f'\nset linetype cycle 8\n"
             "set encoding utf8\nset xlabel offset 0,0.5\nset title font ',7'\nset border linewidth 0.7\nset tics "
             "scale 0.6\nset grid linewidth 0.4 linecolor rgb '#d0d0d0'\n"
             "set style textbox opaque noborder\nset datafile missing 'NaN'\nset key samplen 2 spacing 1.0\n",
             "--out");
  constexpr double width_mm = 85.0, inch = 25.4;
  std::string terminal;
  if (format == "pdf") {
    terminal = fmt::format("pdfcairo size {:.2f}cm,{:.2f}cm enhanced font 'sans,7'", width_mm / 10.0, height_mm / 10.0);
  } else if (format == "svg") {
    constexpr double dots = 96.0;  // dots per inch of CSS
    terminal = fmt::format("svg size {:.0f},{:.0f} enhanced font 'sans,{:.1f}' background rgb 'white'",
                           width_mm / inch * dots, height_mm / inch * dots, 7.0 * dots / 72.0);
  } else {
    constexpr double dots = 300.0;
    terminal = fmt::format("pngcairo size {:.0f},{:.0f} enhanced font 'sans,7' fontscale {:.3f} linewidth 3",
                           width_mm / inch * dots, height_mm / inch * dots, dots / 96.0);
  }
  return "load 'style.gp'\nset terminal " + terminal + "\n";
}

void Pictures::draw(const std::string& name, const std::string& script) const {
  write_file(folder + "/" + name + ".gp", script, "--out");
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    throw std::runtime_error("gnuplot is not installed (Debian: apt install gnuplot-nox). Data and script are in " +
                             folder + "; draw them later with: cd " + folder + " && gnuplot " + name + ".gp");
  }
  if (std::system(("cd " + quoted(folder) + " && gnuplot " + name + ".gp").c_str()) != 0) {
    throw std::runtime_error("gnuplot failed; data and script are in " + folder);
  }
}

std::vector<Option> picture_options(Pictures& pictures, unsigned rules) {
  return {{"--out", &pictures.folder, "folder for data, scripts and pictures, 85 mm wide; made if absent",
           rules | rule::draws},
          {"--format",
           &pictures.format,
           "format of the pictures: png, svg, pdf",
           rule::show_default,
           {"png", "svg", "pdf"}}};
}

}  // namespace sunlagrange::program
