// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include <sunlagrange/version.hpp>

namespace {

std::string contents(const std::string& file) {
  std::ifstream in(std::string(SUNLAGRANGE_SOURCE_DIR) + "/" + file);
  BOOST_REQUIRE_MESSAGE(in, file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Between the first `opening` from `position` on and the next `closing`; `position` moves behind it.
std::string between(const std::string& text, const std::string& opening, const std::string& closing,
                    std::size_t& position) {
  const std::size_t begin = text.find(opening, position);
  BOOST_REQUIRE(begin != std::string::npos);
  const std::size_t first = begin + opening.size(), end = text.find(closing, first);
  BOOST_REQUIRE(end != std::string::npos);
  position = end + closing.size();
  return text.substr(first, end - first);
}

}  // namespace

BOOST_AUTO_TEST_CASE(first_code_block_is_the_pendulum_example) {
  std::size_t position = 0;
  BOOST_TEST(between(contents("README.md"), "```cpp\n", "```", position) == contents("examples/pendulum.cpp"));
}

namespace {

namespace fs = std::filesystem;

/// The lines without the indentation of the first one.
std::string unindented(const std::string& text) {
  std::istringstream lines(text);
  std::string result, line;
  std::size_t indent = std::string::npos;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find_first_not_of(' ');
    if (indent == std::string::npos) indent = first == std::string::npos ? 0 : first;
    result += (first == std::string::npos ? "" : line.substr(std::min(indent, first))) + "\n";
  }
  return result;
}

bool some_example_contains(const std::string& block) {
  const std::size_t lines = static_cast<std::size_t>(std::count(block.begin(), block.end(), '\n'));
  for (const auto& entry : fs::directory_iterator(fs::path(SUNLAGRANGE_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() != ".cpp") continue;
    std::istringstream in(contents("examples/" + entry.path().filename().string()));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    for (std::size_t k = 0; k + lines <= all.size(); ++k) {
      std::string part;
      for (std::size_t l = k; l < k + lines; ++l) part += all[l] + "\n";
      if (unindented(part) == block) return true;
    }
  }
  return false;
}

/// README, INSTALL and everything in docs, from the root of the tree.
std::vector<std::string> documents() {
  const fs::path root = SUNLAGRANGE_SOURCE_DIR;
  std::vector<std::string> files = {"README.md", "INSTALL.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") files.push_back(fs::relative(entry.path(), root).string());
  return files;
}

}  // namespace

// Examples are compiled and run as tests, so what stands in a document is, too.
BOOST_AUTO_TEST_CASE(code_in_documents_is_that_of_examples) {
  int blocks = 0;
  for (const std::string& file : documents()) {
    if (file.rfind("docs/elements/", 0) == 0) continue;  // unit/elements/element_pages_test.cpp compiles them
    const std::string text = contents(file), opening = "```cpp\n";
    for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at), ++blocks)
      BOOST_TEST(some_example_contains(between(text, opening, "```", at)), file << ", block of code " << blocks);
  }
  BOOST_TEST(blocks >= 4);
  BOOST_TEST(contents("docs/assembly.md").find(contents("examples/four_bar.cpp")) != std::string::npos);
  BOOST_TEST(contents("docs/c.md").find("```c\n" + contents("examples/attach_model.c") + "```") != std::string::npos);
  BOOST_TEST(contents("docs/model-files.md").find(contents("examples/four_bar.json")) != std::string::npos);
}

// The comment of a class that a user meets first holds an example, between @code and @endcode, of lines of an example.
BOOST_AUTO_TEST_CASE(code_in_comments_of_headers_is_that_of_examples) {
  const fs::path root = fs::path(SUNLAGRANGE_SOURCE_DIR) / "include/sunlagrange";
  std::set<std::string> with_code;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".hpp") continue;
    const std::string file = fs::relative(entry.path(), root).generic_string();
    const std::string text = contents("include/sunlagrange/" + file), opening = "/// @code\n";
    for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
      std::istringstream comment(between(text, opening, "/// @endcode", at));
      std::string code, line;
      while (std::getline(comment, line)) {
        const std::size_t slashes = line.find("///");
        if (slashes != std::string::npos) code += (line.size() > slashes + 4 ? line.substr(slashes + 4) : "") + "\n";
      }
      BOOST_TEST(some_example_contains(code), file << ": no example contains\n" << code);
      with_code.insert(file);
    }
  }
  for (const char* file : {"gains/gains.hpp", "model/assembly.hpp", "model/mechanical_system.hpp", "results/report.hpp",
                           "results/trajectory.hpp", "sundials/attachment.hpp", "simulation/simulate.hpp",
                           "simulation/stepper.hpp", "results/simulation.hpp", "events/events.hpp"})
    BOOST_TEST(with_code.count(file) == 1, file << " has no example");
}

BOOST_AUTO_TEST_CASE(the_citation_is_of_this_version) {
  const std::string version = std::to_string(SUNLAGRANGE_VERSION_MAJOR) + "." +
                              std::to_string(SUNLAGRANGE_VERSION_MINOR) + "." +
                              std::to_string(SUNLAGRANGE_VERSION_PATCH);
  BOOST_TEST(contents("CITATION.cff").find("\nversion: " + version + "\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(files_that_documents_name_exist) {
  const fs::path root = SUNLAGRANGE_SOURCE_DIR;
  int named = 0;
  for (const std::string& file : documents()) {
    if (file.rfind("docs/decisions/log", 0) == 0) continue;  // describes earlier trees
    const std::string text = contents(file);
    for (const std::string folder : {"`src/", "`include/", "`examples/", "`docs/", "`scripts/"}) {
      for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at + 1)) {
        const std::string name = text.substr(at + 1, text.find_first_of("` \n", at + 1) - at - 1);
        if (name.find('<') != std::string::npos) continue;  // stands for many
        bool there = fs::exists(root / name);
        for (const auto& decision : fs::directory_iterator(root / "docs/decisions"))  // by their number
          there = there || (name.size() == 19 && fs::relative(decision.path(), root).string().rfind(name, 0) == 0);
        BOOST_TEST(there, file << " names " << name);
        ++named;
      }
    }
  }
  BOOST_TEST(named > 40);
}

BOOST_AUTO_TEST_CASE(tests_that_decisions_name_exist) {
  const fs::path root = SUNLAGRANGE_SOURCE_DIR;
  std::set<std::string> tests;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) tests.insert(entry.path().stem().string());
  int named = 0;
  for (const auto& entry : fs::directory_iterator(root / "docs/decisions")) {
    if (!entry.is_regular_file()) continue;
    const std::string file = fs::relative(entry.path(), root).string(), text = contents(file), end = "_test`";
    for (std::size_t at = text.find(end); at != std::string::npos; at = text.find(end, at + 1), ++named) {
      const std::size_t first = text.rfind('`', at) + 1;
      const std::string name = text.substr(first, at + end.size() - 1 - first);
      BOOST_TEST(tests.count(name) == 1U, file << " names " << name);
    }
  }
  BOOST_TEST(named > 50);
}

// Headings of docs/troubleshooting.md, and what its table of doubts quotes, are messages as the library writes them.
BOOST_AUTO_TEST_CASE(messages_of_troubleshooting_are_those_of_the_library) {
  std::string sources;
  const fs::path root = SUNLAGRANGE_SOURCE_DIR;
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) sources += contents(fs::relative(entry.path(), root).string());
  }
  for (std::size_t at = sources.find('"'); at != std::string::npos; at = sources.find('"', at + 1)) {
    const std::size_t next = sources.find_first_not_of(" \n", at + 1);  // one literal may go on in the next
    if (next != std::string::npos && next > at + 1 && sources[next] == '"') sources.erase(at, next - at + 1);
  }
  std::istringstream lines(contents("docs/troubleshooting.md"));
  int messages = 0, doubts = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool heading = line.rfind("### `", 0) == 0, row = line.rfind("| `", 0) == 0;
    if (!heading && !row) continue;
    const std::size_t first = line.find('`', row ? line.find("` | `") + 1 : 0) + 1;
    const std::string message = line.substr(first, line.find('`', first) - first);
    BOOST_TEST(sources.find(message) != std::string::npos, message);
    ++(row ? doubts : messages);
  }
  BOOST_TEST(messages > 15);
  BOOST_TEST(doubts > 20);
}

// Figure and bound of each kind of doubt stand in docs/doubts.md, message and remedy in docs/troubleshooting.md.
BOOST_AUTO_TEST_CASE(every_kind_of_doubt_is_documented) {
  const std::string header = contents("include/sunlagrange/base/doubt.hpp"), declared = "static const DoubtKind ";
  int kinds = 0;
  for (std::size_t at = header.find(declared); at != std::string::npos; at = header.find(declared, at), ++kinds) {
    const std::string kind = between(header, declared, ";", at);
    for (const char* file : {"docs/doubts.md", "docs/troubleshooting.md"})
      BOOST_TEST(contents(file).find("\n| `" + kind + "` ") != std::string::npos, file << ": " << kind);
  }
  BOOST_TEST(kinds > 15);
}

// A formatter that fills comments would run the rows together.
BOOST_AUTO_TEST_CASE(tables_in_headers_are_whole) {
  const fs::path root = SUNLAGRANGE_SOURCE_DIR;
  int rows = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "include")) {
    if (!entry.is_regular_file()) continue;
    const std::string file = fs::relative(entry.path(), root).string();
    std::istringstream lines(contents(file));
    std::ptrdiff_t bars = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line.find_first_not_of(' ');
      const bool row = first != std::string::npos && line.compare(first, 5, "/// |") == 0;
      const auto here = row ? std::count(line.begin(), line.end(), '|') : 0;
      if (row && bars > 1) BOOST_TEST(here == bars, file << ": " << line);
      if (row && here > 1) ++rows;
      bars = here;
    }
  }
  BOOST_TEST(rows > 15);  // notation.hpp has a table of eighteen
  const std::string literature = contents("include/sunlagrange/literature.hpp");
  std::istringstream lines(literature);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("///", 0) == 0 && line.size() > 3)
      BOOST_TEST((line.rfind("/// [", 0) == 0 || line.rfind("///        ", 0) == 0 || line.find("Keyed") == 4 ||
                  line == "/// @file"),
                 line);
  }
}

// The gallery names every program, in links that lead somewhere. (Its table of mechanisms: architecture/tables.)
BOOST_AUTO_TEST_CASE(gallery_is_complete) {
  const std::string gallery = contents("examples/README.md");
  const fs::path examples = fs::path(SUNLAGRANGE_SOURCE_DIR) / "examples";
  for (const auto& entry : fs::directory_iterator(examples)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string file = entry.path().filename().string();
    BOOST_TEST((gallery.find("(" + file + ")") != std::string::npos), file);
  }
  std::size_t links = 0;
  for (std::size_t at = gallery.find("]("); at != std::string::npos; at = gallery.find("](", at + 1), ++links) {
    const std::string target = gallery.substr(at + 2, gallery.find(')', at) - at - 2);
    BOOST_TEST(fs::exists(examples / target), target);
  }
  BOOST_TEST(links > 20u);
}
