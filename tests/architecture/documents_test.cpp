// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Rules for words and lines in the whole tree (CONTRIBUTING.md, docs/glossary.md).
namespace {

namespace fs = std::filesystem;

const fs::path root = SUNLAGRANGE_SOURCE_DIR;

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  BOOST_REQUIRE_MESSAGE(in, file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool has_extension(const fs::path& file, std::initializer_list<std::string_view> extensions) {
  const std::string extension = file.extension().string();
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

/// Files of the folders of the tree that belong to the project, build outputs left out.
std::vector<fs::path> files(std::initializer_list<const char*> folders,
                            std::initializer_list<std::string_view> extensions) {
  std::vector<fs::path> found;
  for (const char* folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && has_extension(entry.path(), extensions)) found.push_back(entry.path());
    }
  }
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.is_regular_file() && has_extension(entry.path(), extensions)) found.push_back(entry.path());
  }
  return found;
}

std::string from_root(const fs::path& file) {
  return fs::relative(file, root).generic_string();
}

struct Word {
  std::string_view word, instead;
};

/// Words of a private language, and the words of the field that replace them (docs/glossary.md).
constexpr std::array words = {
    Word{"As written here", "\"Default: ...\""},
    Word{"NearbySolution", "last evaluated point"},
    Word{"Shoulder", "regular sample"},
    Word{"StallWatch", "check of the step size"},
    Word{"Stretch", "segment"},
    Word{"a kink", "unexplained velocity change"},
    Word{"a stretch", "segment"},
    Word{"asked_", "requested"},
    Word{"going_", "state of the run"},
    Word{"gone astray", "drift, error"},
    Word{"hardly_moves", "stall"},
    Word{"in_vain", "failed searches"},
    Word{"keep_remains", "retire"},
    Word{"kinks", "unexplained velocity changes"},
    Word{"lent", "row compliance"},
    Word{"owes to", "caused by"},
    Word{"short stretch", "short run"},
    Word{"story", "message, status"},
    Word{"stretches", "segments, intervals"},
    Word{"survey", "examination, scaling"},
    Word{"told", "reported, given, distinguished"},
    Word{"touching_rows", "degenerate constraints"},
    Word{"went astray", "drift, error"},
    Word{"worthwhile", "useful"},
};

/// True if `word` stands in the line with no letter before or behind it: "told" in "told_" and "was_told", not in
/// "untold".
bool has_word(std::string_view line, std::string_view word) {
  const auto letter = [&line](std::size_t at) {
    return at < line.size() && std::isalpha(static_cast<unsigned char>(line[at])) != 0;
  };
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  }
  return false;
}

/// Characters, not bytes, of UTF-8.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

// Tables, code and what the program writes between markers may be wider.
BOOST_AUTO_TEST_CASE(lines_of_documents_have_at_most_120_columns) {
  int checked = 0;
  for (const fs::path& file :
       files({"docs", "benchmarks", "bindings", "examples", "packaging", "paper", "src", "tests"}, {".md"})) {
    bool code = false, generated = false;
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      const std::size_t first = line.find_first_not_of(' ');
      const std::string_view text =
          first == std::string::npos ? std::string_view() : std::string_view(line).substr(first);
      if (text.rfind("```", 0) == 0) code = !code;
      if (text.rfind("<!-- sunlagrange", 0) == 0) generated = true;
      if (text.rfind("<!-- end of table", 0) == 0) generated = false;
      if (code || generated || (!text.empty() && text.front() == '|')) continue;
      BOOST_TEST(columns(line) <= 120U, from_root(file) << ":" << number << " has " << columns(line) << " columns");
      ++checked;
    }
    BOOST_TEST(!code, from_root(file) << ": a block of code has no end");
  }
  BOOST_TEST(checked > 2000);
}

// Logs of decisions and measurements quote earlier texts.
BOOST_AUTO_TEST_CASE(words_of_a_private_language_do_not_return) {
  BOOST_TEST(has_word("bool told_;", "told"));
  BOOST_TEST(has_word("x.was_told()", "told"));
  BOOST_TEST(!has_word("untold", "told"));
  int checked = 0;
  for (const fs::path& file :
       files({"src", "include", "apps", "benchmarks", "bindings", "docs", "examples", "packaging", "paper"},
             {".cpp", ".hpp", ".h", ".c", ".inc", ".py", ".js", ".md"})) {
    const std::string name = from_root(file);
    if (name == "CHANGELOG.md" || name.rfind("docs/decisions/log/", 0) == 0 || name == "benchmarks/results/log.md")
      continue;
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      for (const Word& each : words) {
        if (has_word(line, each.word)) {
          BOOST_ERROR(name << ":" << number << " says \"" << each.word << "\"; say " << each.instead);
        }
      }
    }
    ++checked;
  }
  BOOST_TEST(checked > 700);
}

// "Returns ...", "Default: ...", "True if ..." or a noun: a sentence that stands by itself.
BOOST_AUTO_TEST_CASE(comments_do_not_begin_with_a_relative_clause) {
  constexpr std::array relative = {"What ", "How ", "Whether ", "Which ", "Where ", "Why ", "Of "};
  const auto begins = [](std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; };
  int checked = 0, scripts = 0;
  for (const fs::path& file : files({"src", "include", "apps", "benchmarks", "bindings", "examples"},
                                    {".cpp", ".hpp", ".h", ".c", ".inc", ".js"})) {
    const bool script = file.extension() == ".js";
    const std::string_view opening = script ? "// " : "/// ";
    bool inside = false;
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      const std::size_t first = line.find_first_not_of(' ');
      const std::string_view text =
          first == std::string::npos ? std::string_view() : std::string_view(line).substr(first);
      const bool comment = begins(text, opening) && !begins(text, "// SPDX");
      if (comment && !inside) {
        ++(script ? scripts : checked);
        for (const std::string_view word : relative) {
          if (begins(text.substr(opening.size()), word))
            BOOST_ERROR(from_root(file) << ":" << number << " begins with " << word);
        }
      }
      inside = comment;
    }
  }
  BOOST_TEST(checked > 1500);
  BOOST_TEST(scripts > 30);
}
