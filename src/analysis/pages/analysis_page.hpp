// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "page/analysis_page.hpp"

/// Functions of the pages of analyses beside page/analysis_page.hpp.
namespace sunlagrange::internal {

void write(const AnalysisPage& page, const PageOutput& out);

/// Returns the CSS class of a verdict about stability.
std::string tone_of(Stability stability);

/// @throws Error on a null system, or one with another number of positions
void require_same(const std::shared_ptr<const MechanicalSystem>& system, Eigen::Index positions);

}  // namespace sunlagrange::internal
