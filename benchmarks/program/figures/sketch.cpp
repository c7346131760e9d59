// SPDX-License-Identifier: BSD-3-Clause
#include "figures/sketch.hpp"

#include <sstream>

namespace sunlagrange::program {

std::string Sketch::script() const {
  std::ostringstream out;
  const auto point = [](const SketchPoint& p) { return std::to_string(p.x) + "," + std::to_string(p.y); };
  out << "set title \"" << title << "\"\nset size ratio -1\nunset grid\nunset key\nset xlabel 'x'\nset ylabel 'y'\n";
  for (const auto& [from, to] : guides)
    out << "set arrow from " << point(from) << " to " << point(to) << " nohead linetype 8 dashtype 2\n";
  for (const auto& [from, to] : rods)
    out << "set arrow from " << point(from) << " to " << point(to) << " nohead linetype 1 linewidth 3\n";
  for (const SketchPoint& p : pins)
    out << "set label at " << point(p) << " point pointtype 7 pointsize 0.8 linecolor rgb '#d55e00' front\n";
  for (const auto& [at, word] : words) out << "set label \"" << word << "\" at " << point(at) << " left front\n";
  out << "plot [" << low.x << ":" << high.x << "] [" << low.y << ":" << high.y << "] NaN\n"
      << "unset arrow; unset label; set size noratio; set grid; set key; set title ''; set xlabel ''; set ylabel ''\n";
  return out.str();
}

}  // namespace sunlagrange::program
