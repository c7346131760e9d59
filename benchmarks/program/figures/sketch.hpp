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
  SketchPoint low, high;  ///< what is shown
  std::vector<std::pair<SketchPoint, SketchPoint>> rods;
  std::vector<std::pair<SketchPoint, SketchPoint>> guides;  ///< dashed
  std::vector<SketchPoint> pins;
  std::vector<std::pair<SketchPoint, std::string>> words;

  /// Commands that draw it into the output that is set, and leave nothing set behind.
  std::string script() const;
};

}  // namespace sunlagrange::program
