#pragma once

#include <string>
#include <vector>

#include "shared/command.hpp"

/// Pictures: a command writes data and a script into a folder, gnuplot draws.
namespace sunlagrange::program {

/// Where pictures go, and how: options of every command that draws.
struct Pictures {
  std::string folder;          ///< of --out; empty: none are asked for
  std::string format = "png";  ///< of --format: png (300 dots an inch), svg, pdf

  /// First lines of a script, and the file style.gp that they load, the one style of all pictures: the eight colours of
  /// Okabe and Ito, which are told apart with every kind of colour blindness; a page as wide as a column of a journal,
  /// 85 mm, and as high as asked, letters of 7 points.
  std::string prelude(double height_mm) const;

  /// "figure1.png", in the folder's terms.
  std::string file(const std::string& name) const { return name + "." + format; }

  /// Writes `script` as NAME.gp and draws it.
  /// @throws std::runtime_error if gnuplot is absent (with the command that draws later) or fails
  void draw(const std::string& name, const std::string& script) const;
};

/// --out and --format.
std::vector<Option> picture_options(Pictures& pictures, unsigned rules = 0);

}  // namespace sunlagrange::program
