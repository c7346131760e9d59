// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

/// Writes an HTML file with data and the script that shows them.
namespace sunlagrange::internal {

/// @param data    a JSON document, for the element `data`
/// @param script  the script after page.js and scene.js
/// @param curves  false: the page draws no curves, and uPlot is left out
void write_page(std::ostream& out, const std::string& title, const std::string& data, std::string_view script,
                bool curves = true);

/// Writes to a file what `write` writes to the stream. @throws Error if the file cannot be written; exceptions of
/// `write` pass through
void write_page_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace sunlagrange::internal
