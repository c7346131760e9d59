#pragma once

#include <string>
#include <vector>

#include "shared/record.hpp"

namespace sunlagrange::program {

constexpr const char* automatic_choice = "automatic";

/// What the library chooses, over the best by hand of the runs that hold the constraints.
struct AutomaticRatio {
  std::string mechanism;
  double error = 0.0;
  double ratio = Report::none;  ///< of CPU times; infinite: it did not get there
};

/// Those of one mechanism at these errors, where automatic ran and somebody got there.
void append_ratios(std::vector<AutomaticRatio>& ratios, const std::string& mechanism,
                   const std::vector<RunRecord>& records, const std::vector<double>& errors);

void print_ratios(const std::vector<AutomaticRatio>& ratios, std::size_t width);
Json ratios_json(const std::vector<AutomaticRatio>& ratios);

}  // namespace sunlagrange::program
