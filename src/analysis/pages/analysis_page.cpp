// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pages/analysis_page.hpp"

#include "model/checks/required_system.hpp"
#include "page/page.hpp"

namespace sunlagrange::internal {

void write(const AnalysisPage& page, const PageOutput& out) {
  if (out.stream() != nullptr) return page.write(*out.stream());
  write_page_file(out.path(), [&page](std::ostream& file) { page.write(file); });
}

std::string tone_of(Stability stability) {
  return stability == Stability::unstable ? "failed" : stability == Stability::undecided ? "doubts" : "";
}

void require_same(const std::shared_ptr<const MechanicalSystem>& system, Eigen::Index positions) {
  require_system(system, "write_html");
  if (positions != system->num_positions()) {
    throw Error("write_html: the analysis has " + std::to_string(positions) + " positions, the system " +
                std::to_string(system->num_positions()) + "; give the system of the analysis");
  }
}

}  // namespace sunlagrange::internal
