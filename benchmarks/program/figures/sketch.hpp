// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

/// Sketches of mechanisms by gnuplot: rods, marks and words in the plane, for the figures that show geometry.
namespace sunlagrange::program {

struct SketchPoint {
  double x = 0.0, y = 0.0;
};

struct Sketch {
  std::string title;
  SketchPoint low, high;  ///< corners of the visible part
  std::vector<std::pair<SketchPoint, SketchPoint>> rods;
  std::vector<std::pair<SketchPoint, SketchPoint>> guides;  ///< dashed
  std::vector<SketchPoint> pins;
  std::vector<std::pair<SketchPoint, std::string>> words;

  /// Returns the commands that draw it into the current output and reset their settings.
  std::string script() const;
};

}  // namespace sunlagrange::program
