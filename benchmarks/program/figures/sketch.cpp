#include "figures/sketch.hpp"

#include <sstream>

namespace sunlagrange::bench {

std::string Sketch::script() const {
  std::ostringstream out;
  const auto point = [](const SketchPoint& p) { return std::to_string(p.x) + "," + std::to_string(p.y); };
  out << "set title \"" << title << "\"\nset size ratio -1\nunset grid\nunset key\nset xlabel 'x'\nset ylabel 'y'\n";
  for (const auto& [from, to] : guides)
    out << "set arrow from " << point(from) << " to " << point(to) << " nohead dashtype 2 linecolor rgb '#808080'\n";
  for (const auto& [from, to] : rods)
    out << "set arrow from " << point(from) << " to " << point(to) << " nohead linewidth 6 linecolor rgb '#0060ad'\n";
  for (const SketchPoint& p : pins)
    out << "set label at " << point(p) << " point pointtype 7 pointsize 2 linecolor rgb '#dd181f' front\n";
  for (const auto& [at, word] : words) out << "set label \"" << word << "\" at " << point(at) << " left front\n";
  out << "plot [" << low.x << ":" << high.x << "] [" << low.y << ":" << high.y << "] NaN\n"
      << "unset arrow; unset label; set size noratio; set grid; set key; set title ''; set xlabel ''; set ylabel ''\n";
  return out.str();
}

}  // namespace sunlagrange::bench
