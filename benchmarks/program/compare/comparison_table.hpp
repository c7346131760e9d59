#pragma once

#include <string>
#include <vector>

#include "shared/record.hpp"
#include "shared/table.hpp"

namespace sunlagrange::bench {

/// The table of `compare`: printed line by line while the runs go on; 177 columns wide, more for long names.
class ComparisonTable {
 public:
  /// @param runs   that will come: their names decide the widths of two columns
  /// @param width  of the output
  ComparisonTable(const std::vector<SimulationOptions>& runs, std::size_t width);

  void print_header();

  /// One line; what a failed run or a rank event has to say is kept for print_remarks.
  void print_row(const RunRecord& record);

  /// Numbered as in the status column.
  void print_remarks() const;

 private:
  std::size_t width_;
  Table table_;
  std::vector<std::string> remarks_;
};

/// Largest modulus among the eigenvalues of the constraint feedback g'' + K_D g' + K_P g = 0, psi' + K_N psi = 0
/// [1/s], with the gains of the run; NaN if the formulation has none. Times the step it compares with the stability
/// limit of an explicit method.
double feedback_rate(const RunRecord& record);

}  // namespace sunlagrange::bench
