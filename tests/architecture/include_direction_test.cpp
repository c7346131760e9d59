#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// The layer map of src/README.md, read from the sources themselves.

namespace {

namespace fs = std::filesystem;

const fs::path root = SUNLAGRANGE_SOURCE_DIR;

struct Include {
  int line = 0;
  std::string path;  // as written, without the leading "sunlagrange/"
};

struct SourceFile {
  fs::path path;       // relative to the root
  std::string folder;  // first folder below src or include/sunlagrange, empty for files at the top
  std::string text;    // comments and string literals blanked, line breaks kept
  std::vector<Include> includes;

  std::string where(int line) const { return path.generic_string() + ":" + std::to_string(line); }
};

// Comments, strings and characters are replaced by blanks, so that they cannot look like code. (Raw strings are not
// known here; the library has none.)
std::string code_only(const std::string& text) {
  std::string code = text;
  const auto blank = [&code](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, code.size()); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  };
  const auto after = [&text](std::size_t position, std::size_t length) {
    return position == std::string::npos ? text.size() : position + length;
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = after(text.find('\n', i), 0);
      blank(i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      end = after(text.find("*/", i + 2), 2);
      blank(i, end);
    } else if (text[i] == '"' ||
               (text[i] == '\'' && (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0))) {
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      blank(i, ++end);
    }
    i = end;
  }
  return code;
}

std::string read(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

SourceFile parse(const fs::path& path, const fs::path& base) {
  SourceFile file;
  file.path = fs::relative(path, root);
  const fs::path below = fs::relative(path, base);
  if (std::distance(below.begin(), below.end()) > 1) file.folder = below.begin()->string();
  const std::string text = read(path);
  file.text = code_only(text);

  static const std::regex include(R"rx(^\s*#\s*include\s*[<"](?:sunlagrange/)?([^>"]+)[>"])rx");
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, include)) file.includes.push_back({number, match[1]});
  }
  return file;
}

const std::vector<SourceFile>& library_files() {
  static const std::vector<SourceFile> files = [] {
    std::vector<SourceFile> list;
    for (const fs::path& base : {root / "include" / "sunlagrange", root / "src"}) {
      for (const auto& entry : fs::recursive_directory_iterator(base)) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".hpp" || extension == ".cpp") list.push_back(parse(entry.path(), base));
      }
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return list;
  }();
  return files;
}

int line_of(const std::string& text, std::size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

// What each folder may include besides itself and the base (files at the top of include/sunlagrange and src, such as
// options, status, gains, trajectory, which may be included by anyone). From the model to the front door.
const std::map<std::string, std::set<std::string>> allowed = {
    {"model", {}},
    {"derivatives", {"model"}},
    {"linear_solver", {"model", "derivatives"}},
    {"consistency", {"model", "derivatives", "linear_solver"}},
    {"stability", {"model", "derivatives", "linear_solver"}},
    {"formulation", {"model", "derivatives", "linear_solver", "stability"}},  // automatic gains: decision 11
    {"sundials", {"model", "derivatives", "linear_solver", "formulation", "stability"}},  // converts Butcher tables
    {"simulate", {"model", "derivatives", "linear_solver", "consistency", "stability", "formulation", "sundials"}},
};

// Files at the top: the front door (simulate, its report, the catalogue, the umbrella header) sees everything, base
// headers hold data that the model layer can name, and the sources behind them may use everything below the
// integrators.
std::set<std::string> allowed_at_the_top(const fs::path& path) {
  const std::string stem = path.stem().string();
  if (stem.rfind("simulat", 0) == 0 || stem == "report" || stem == "catalogue" || stem == "sunlagrange") {
    std::set<std::string> all = allowed.at("simulate");
    all.insert("simulate");
    return all;
  }
  if (path.extension() == ".hpp") return {"model"};
  return {"model", "derivatives", "linear_solver", "consistency", "stability", "formulation"};
}

bool is_front_door(const std::string& include) {
  return include == "simulate.hpp" || include == "sunlagrange.hpp";
}

bool is_sundials_header(const std::string& include) {
  static const std::regex pattern(
      "(cvodes?|idas?|arkode|kinsol|nvector|sun(matrix|linsol|nonlinsol|memory|"
      "adaptcontroller|domeigest|adjointcheckpointscheme))/.*|sundials/sundials_.*");
  return std::regex_match(include, pattern);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_sources_are_found) {
  BOOST_TEST(library_files().size() > 5u);
}

BOOST_AUTO_TEST_CASE(comments_and_literals_are_not_code) {
  BOOST_TEST(code_only("a // b.c()\nd(\"e\\\"\") /* f\n */ g") == "a         \nd(     )     \n    g");
  BOOST_TEST(code_only("1'000 + '\"' + x.llt()") == "1'000 +     + x.llt()");
}

BOOST_AUTO_TEST_CASE(every_folder_has_a_place_in_the_order) {
  for (const SourceFile& file : library_files()) {
    BOOST_TEST((file.folder.empty() || allowed.count(file.folder) == 1),
               file.path.generic_string() << ": folder " << file.folder << " is not in the layer map of this test");
  }
}

BOOST_AUTO_TEST_CASE(includes_point_one_way) {
  for (const SourceFile& file : library_files()) {
    if (!file.folder.empty() && allowed.count(file.folder) == 0) continue;  // reported above
    const std::set<std::string> may = file.folder.empty() ? allowed_at_the_top(file.path) : allowed.at(file.folder);
    for (const Include& include : file.includes) {
      if (is_sundials_header(include.path)) continue;  // has its own rule
      const std::string target = fs::path(include.path).begin()->string();
      const bool into_layer = include.path != target && allowed.count(target) == 1;
      const bool ok = into_layer ? target == file.folder || may.count(target) == 1
                                 : !is_front_door(include.path) || may.count("sundials") == 1;
      BOOST_TEST(ok, file.where(include.line) << ": " << (file.folder.empty() ? "this base file" : file.folder)
                                              << " must not include " << include.path);
    }
  }
}

BOOST_AUTO_TEST_CASE(sundials_headers_only_in_folders_named_sundials) {
  for (const SourceFile& file : library_files()) {
    if (file.folder == "sundials") continue;
    for (const Include& include : file.includes) {
      BOOST_TEST(!is_sundials_header(include.path),
                 file.where(include.line) << ": " << include.path << " belongs in a folder named sundials");
    }
  }
}

// G M^-1 G^T is inverted in one place, with one rank policy; stability/ and consistency/ have their own small matrices.
BOOST_AUTO_TEST_CASE(dense_factorizations_only_where_the_rank_policy_is) {
  const std::set<std::string> may = {"linear_solver", "consistency", "stability"};
  const std::regex factorization(
      R"((\.|->)(inverse|llt|ldlt|lu|selfadjointView<[^>]*>\(\)\.l?l[dt]t|partialPivLu|fullPivLu|householderQr|)"
      R"(colPivHouseholderQr|fullPivHouseholderQr|completeOrthogonalDecomposition|jacobiSvd|bdcSvd)\s*\()"
      R"(|\b(LLT|LDLT|PartialPivLU|FullPivLU|HouseholderQR|ColPivHouseholderQR|FullPivHouseholderQR|)"
      R"(CompleteOrthogonalDecomposition|JacobiSVD|BDCSVD|SparseLU|SparseQR|SimplicialLDLT|SimplicialLLT)\s*<)");
  for (const SourceFile& file : library_files()) {
    if (may.count(file.folder) == 1) continue;
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), factorization), end; it != end; ++it) {
      BOOST_ERROR(file.where(line_of(file.text, static_cast<std::size_t>(it->position())))
                  << ": " << it->str() << "...: use linear_solver/ instead");
    }
  }
}

// ---- registries: one line for each file, one file for each line
// ------------------------------------------------------

namespace {

// Entries of a registry: argument `which` of each MACRO(...) line.
std::vector<std::string> registered(const fs::path& list, const std::string& macro, int which) {
  const std::string skip = which == 1 ? R"(\s*\w+(?:<>)?\s*,)" : "";
  const std::regex entry("(?:^|\\n)" + macro + "\\(" + skip + "\\s*(\\w+)");
  const std::string text = read(root / list);
  std::vector<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it) names.push_back((*it)[1]);
  return names;
}

// A file that defines make_<its own name> is an entry; other files in the folder are shared.
void check_make_registry(const fs::path& list, const std::string& macro,
                         const std::set<std::string>& absent_twins = {}) {
  const std::vector<std::string> names = registered(list, macro, 0);
  BOOST_TEST(!names.empty(), list.generic_string() << " has no entries");
  BOOST_TEST(std::set<std::string>(names.begin(), names.end()).size() == names.size(), list.generic_string()
                                                                                           << " has a name twice");
  std::set<std::string> entries;
  for (const auto& item : fs::directory_iterator(root / list.parent_path())) {
    const std::string stem = item.path().stem().string();
    if (item.path().extension() != ".cpp" || absent_twins.count(stem) == 1) continue;
    if (!std::regex_search(code_only(read(item.path())), std::regex("\\bmake_" + stem + "\\s*\\("))) continue;
    entries.insert(stem);
    BOOST_TEST(std::count(names.begin(), names.end(), stem) == 1,
               fs::relative(item.path(), root).generic_string()
                   << " defines make_" << stem << " but has no line in " << list.generic_string());
  }
  for (const std::string& name : names) {
    BOOST_TEST(entries.count(name) == 1, list.generic_string() << " lists " << name << ", but no file " << name
                                                               << ".cpp beside it defines make_" << name);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(formulations_are_registered) {
  check_make_registry("src/formulation/formulations.inc", "FORMULATION");
}

BOOST_AUTO_TEST_CASE(linear_solvers_are_registered) {
  check_make_registry("src/linear_solver/linear_solvers.inc", "LINEAR_SOLVER", {"no_klu"});
}

BOOST_AUTO_TEST_CASE(mechanisms_are_registered) {
  check_make_registry("examples/mechanisms/mechanisms.inc", "MECHANISM");
}

BOOST_AUTO_TEST_CASE(elements_are_registered) {
  const fs::path list = "include/sunlagrange/model/elements.inc";
  const fs::path folder = "include/sunlagrange/model/elements";
  const std::vector<std::string> types = registered(list, "ELEMENT", 0);
  const std::vector<std::string> files = registered(list, "ELEMENT", 1);
  BOOST_REQUIRE_EQUAL(types.size(), files.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const fs::path file = folder / (files[i] + ".hpp");
    BOOST_TEST(
        std::regex_search(code_only(read(root / file)), std::regex("\\b(struct|class|using) " + types[i] + "\\b")),
        list.generic_string() << " lists " << types[i] << ", but " << file.generic_string() << " does not define it");
  }
  for (const auto& item : fs::directory_iterator(root / folder)) {
    const std::string stem = item.path().stem().string();
    BOOST_TEST(std::count(files.begin(), files.end(), stem) >= 1, fs::relative(item.path(), root).generic_string()
                                                                      << " has no line in " << list.generic_string());
  }
}
