// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include <sunlagrange/import/import_robot.hpp>

/// Formats of robot descriptions, as the installed library names them.
int main() {
  for (const std::string& format : sunlagrange::import_formats()) std::cout << format << "\n";
  return sunlagrange::import_formats().empty() ? 1 : 0;
}
