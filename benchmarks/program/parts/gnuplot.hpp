// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "shared/command.hpp"

/// Pictures by gnuplot, from data and a script in a folder.
namespace sunlagrange::program {

/// Options of every command that draws.
struct Pictures {
  std::string folder;          ///< of --out; empty: no pictures
  std::string format = "png";  ///< of --format: png (300 dots an inch), svg, pdf

  /// Returns the first lines of a script and writes the file style.gp, which they load. The style is the same for all
  /// pictures: the eight colours of Okabe and Ito, which are distinct for every kind of colour blindness, letters of 7
  /// points, the width of a column of a journal (85 mm) and the given height.
  std::string prelude(double height_mm) const;

  /// Returns the name of the picture relative to the folder, "figure1.png".
  std::string file(const std::string& name) const { return name + "." + format; }

  /// Writes `script` as NAME.gp and draws it.
  /// @throws std::runtime_error if gnuplot fails, or if it is absent; the message then has the command that draws later
  void draw(const std::string& name, const std::string& script) const;
};

/// Returns the options --out and --format.
std::vector<Option> picture_options(Pictures& pictures, unsigned rules = 0);

}  // namespace sunlagrange::program
