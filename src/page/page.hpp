#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

/// One file around data and the script that shows them.
namespace sunlagrange::internal {

/// @param data    a JSON document, for the element `data`
/// @param script  what comes after page.js and scene.js
/// @param curves  false: it draws none, so what draws them stays away
void write_page(std::ostream& out, const std::string& title, const std::string& data, std::string_view script,
                bool curves = true);

/// What `write` writes, as a file. @throws Error if it cannot be written; what `write` throws
void write_page_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace sunlagrange::internal
