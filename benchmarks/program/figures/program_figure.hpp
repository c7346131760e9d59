#pragma once

#include <string>

namespace sunlagrange::bench {

/// Figure 2 of [002] and its violation.
void draw_slider_crank_program(const std::string& folder, double t_end);

}  // namespace sunlagrange::bench
