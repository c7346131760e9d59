// SPDX-License-Identifier: BSD-3-Clause
#include "page/page.hpp"

#include <ostream>

#include <sunlagrange/base/whole_file.hpp>

namespace sunlagrange::internal {
namespace embedded {  // cmake/EmbedFiles.cmake
std::string_view uPlot_iife_min_js();
std::string_view uPlot_min_css();
std::string_view LICENSE();
std::string_view page_css();
std::string_view page_js();
std::string_view scene_js();
}  // namespace embedded
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

void write_page(std::ostream& out, const std::string& title, const std::string& data, std::string_view script,
                bool curves) {
  out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" << escaped(title)
      << " - sunlagrange</title>\n<style>\n";
  if (curves) out << embedded::uPlot_min_css() << "\n";
  out << embedded::page_css()
      << "</style>\n</head>\n<body>\n<noscript>This page draws itself with JavaScript.</noscript>\n"
      << "<main id=\"page\"></main>\n<script type=\"application/json\" id=\"data\">" << data << "</script>\n";
  if (curves)
    out << "<script>\n/*\n" << embedded::LICENSE() << "*/\n" << embedded::uPlot_iife_min_js() << "\n</script>\n";
  out << "<script>\n" << embedded::page_js() << embedded::scene_js() << script << "</script>\n</body>\n</html>\n";
}

void write_page_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  WholeFile file(path, "write_html: ");
  write(file.stream());
  file.commit();
}

}  // namespace sunlagrange::internal
