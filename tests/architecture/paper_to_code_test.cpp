// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

/// docs/paper-to-code.md: every numbered item of the papers has a row, every link leads somewhere, every test that a
/// row names exists, every label of an erratum stands in docs/errata.md.
namespace {

namespace fs = std::filesystem;

const fs::path root = SUNLAGRANGE_SOURCE_DIR;

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  BOOST_REQUIRE_MESSAGE(in, file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Row {
  std::string paper, items, text;
};

/// Rows of the tables, with the paper whose heading stands above them; none for statements outside of numbered items.
std::vector<Row> rows() {
  std::vector<Row> found;
  std::istringstream page(contents(root / "docs/paper-to-code.md"));
  std::string paper;
  bool in_section = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("## ", 0) == 0) {
      paper = line.rfind("## [", 0) == 0 ? line.substr(4, 3) : "";
      in_section = true;
    }
    if (line.rfind("| ", 0) != 0 || !in_section) continue;
    const std::size_t end = line.find(" |", 2);
    found.push_back({paper, line.substr(2, end - 2), line});
  }
  return found;
}

/// "(3)", "(4) to (6)", "Theorem 2", "(1.4) to (1.6)" -> every single one.
std::set<std::string> single_items(const std::string& items) {
  std::set<std::string> found;
  static const std::regex item(
      R"(((?:Theorem |Definition |Example |Remark |Figure |Proposition |row )?)\(?([0-9]+)(?:\.([0-9]+))?\)?(?: to \(?(?:[0-9]+\.)?([0-9]+)\)?)?)");
  for (std::sregex_iterator it(items.begin(), items.end(), item), end; it != end; ++it) {
    const std::string kind = (*it)[1], chapter = (*it)[3].matched ? (*it)[2].str() + "." : "";
    const int first = std::stoi((*it)[3].matched ? (*it)[3] : (*it)[2]);
    const int last = (*it)[4].matched ? std::stoi((*it)[4]) : first;
    for (int k = first; k <= last; ++k) found.insert(kind + chapter + std::to_string(k));
  }
  return found;
}

std::set<std::string> series(const std::string& prefix, int last, std::set<std::string> with = {}) {
  for (int k = 1; k <= last; ++k) with.insert(prefix + std::to_string(k));
  return with;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_item_of_the_papers_has_a_row) {
  std::map<std::string, std::set<std::string>> wanted;
  wanted["000"] = series("", 34, series("Remark ", 4, series("Figure ", 5, {"Proposition 1", "Example 1"})));
  wanted["001"] = series("", 17);
  wanted["002"] = series("", 37, series("Theorem ", 5, series("Example ", 3, series("Figure ", 2))));
  wanted["003"] = series("1.", 21, series("2.", 5, series("Definition ", 3, series("row ", 6, {"Theorem 1"}))));
  std::map<std::string, std::set<std::string>> found;
  for (const Row& row : rows()) {
    if (row.paper.empty()) continue;
    for (const std::string& item : single_items(row.items)) {
      BOOST_TEST(found[row.paper].insert(item).second, "[" << row.paper << "] has two rows for " << item);
    }
  }
  for (const auto& [paper, items] : wanted) {
    for (const std::string& item : items) BOOST_TEST(found[paper].count(item) == 1U, "[" << paper << "] " << item);
    BOOST_TEST(found[paper].size() == items.size(), "[" << paper << "] has rows that the paper has not");
  }
}

BOOST_AUTO_TEST_CASE(links_lead_somewhere_and_tests_exist) {
  static const std::regex link(R"(\]\(([^)#]+)\)([^\[|]*))");
  static const std::regex name(R"(`([a-z][a-z0-9_A-Z]*)`)");
  int links = 0;
  int tests = 0;
  for (const Row& row : rows()) {
    for (std::sregex_iterator it(row.text.begin(), row.text.end(), link), end; it != end; ++it, ++links) {
      const fs::path target = root / "docs" / (*it)[1].str();
      BOOST_TEST(fs::exists(target), row.items << ": " << target);
      if (target.string().find("_test.cpp") == std::string::npos || !fs::exists(target)) continue;
      const std::string source = contents(target), names = (*it)[2];
      for (std::sregex_iterator test(names.begin(), names.end(), name); test != end; ++test, ++tests) {
        const std::string wanted = "BOOST_AUTO_TEST_CASE(" + (*test)[1].str() + ")";
        BOOST_TEST(source.find(wanted) != std::string::npos, row.items << ": " << wanted << " in " << target);
      }
    }
  }
  BOOST_TEST(links > 80);
  BOOST_TEST(tests > 50);
}

namespace {

/// Labels such as E3 in a text.
std::set<std::string> labels(const std::string& text) {
  static const std::regex label(R"(\b[EFG][0-9]{1,2}\b)");
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), label), end; it != end; ++it) found.insert((*it)[0]);
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(labels_of_errata_are_those_of_the_list) {
  std::set<std::string> listed;
  std::istringstream list(contents(root / "docs/errata.md"));
  for (std::string line; std::getline(list, line);) {
    if (line.rfind("| ", 0) != 0) continue;
    for (const std::string& label : labels(line.substr(2, line.find(" |", 2) - 2)))
      BOOST_TEST(listed.insert(label).second, label << " is there twice");
  }
  BOOST_TEST(listed == labels(contents(root / "docs/paper-to-code.md")), boost::test_tools::per_element());
  static const std::regex erratum(R"(erratum ([EFG][0-9]{1,2}))");
  int mentioned = 0;
  for (const char* folder : {"include", "src", "examples", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp") continue;
      const std::string text = contents(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), erratum), end; it != end; ++it, ++mentioned)
        BOOST_TEST(listed.count((*it)[1]) == 1U, (*it)[0] << " in " << entry.path());
    }
  }
  BOOST_TEST(mentioned > 10);
}
