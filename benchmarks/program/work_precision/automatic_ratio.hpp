// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "shared/record.hpp"

namespace sunlagrange::program {

constexpr const char* automatic_choice = "automatic";

/// Cost of the automatic choice of the library over that of the best choice by hand among runs that hold the
/// constraints.
struct AutomaticRatio {
  std::string mechanism;
  double error = 0.0, ratio = Report::none;

  void describe(Figures& f) {
    f("mechanism", mechanism, "name");
    f("error", error, "error of q");
    f("ratio", ratio, "1", "ratio of CPU times; infinite if the automatic choice did not reach the error");
  }
};

/// Returns the ratios of one mechanism at the errors that some run reached, if `automatic` ran.
void append_ratios(std::vector<AutomaticRatio>& ratios, const std::string& mechanism,
                   const std::vector<RunRecord>& records, const std::vector<double>& errors);

void print_ratios(const std::vector<AutomaticRatio>& ratios, std::size_t width);
Json ratios_json(const std::vector<AutomaticRatio>& ratios);

}  // namespace sunlagrange::program
