// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// The order of the rooms in src/README.md, read from the sources themselves.

namespace {

namespace fs = std::filesystem;

const fs::path root = SUNLAGRANGE_SOURCE_DIR;

struct Include {
  int line = 0;
  std::string path;  // as written
  std::string file;  // relative to the root, if it is one of ours
  std::string room;  // of that file
};

struct SourceFile {
  fs::path path;     // relative to the root
  std::string room;  // first folder below src or include/sunlagrange, empty for files at the top
  std::string text;  // comments and string literals blanked, line breaks kept
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

// First folder below src or include/sunlagrange.
std::string room_of(const std::string& file) {
  static const std::regex folder("(?:src|include/sunlagrange)/([^/]+)/.*");
  std::smatch match;
  return std::regex_match(file, match, folder) ? match[1].str() : "";
}

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex include(R"rx(^\s*#\s*include\s*[<"]([^>"]+)[>"])rx");
  std::vector<Include> list;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    Include found{number, match[1], "", ""};
    for (const char* base : {"include/", "src/"}) {
      if (fs::exists(root / (base + found.path))) found.file = base + found.path;
    }
    found.room = room_of(found.file);
    list.push_back(found);
  }
  return list;
}

SourceFile parse(const fs::path& path) {
  SourceFile file;
  file.path = fs::relative(path, root);
  file.room = room_of(file.path.generic_string());
  const std::string text = read(path);
  file.text = code_only(text);
  file.includes = includes_of(text);
  return file;
}

std::vector<SourceFile> files_below(const std::vector<std::string>& folders) {
  std::vector<SourceFile> list;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".hpp" || extension == ".cpp") list.push_back(parse(entry.path()));
    }
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return list;
}

const std::vector<SourceFile>& library_files() {
  static const std::vector<SourceFile> files = files_below({"include/sunlagrange", "src"});
  return files;
}

// They use the library as everybody else does. (benchmarks/micro does not: it times what is inside, beside programs
// written by hand with Eigen's factorisations.)
const std::vector<SourceFile>& user_files() {
  static const std::vector<SourceFile> files = files_below({"apps", "benchmarks/program", "examples"});
  return files;
}

int line_of(const std::string& text, std::size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

// From the bottom to the front door: a file includes only its own room and those before it.
const std::vector<std::string> order = {"base",          "linear_algebra", "model",       "elements",    "derivatives",
                                        "linear_solver", "gains",          "consistency", "formulation", "sundials",
                                        "integrators",   "results",        "events",      "simulation",  "page",
                                        "files",         "study"};

// Libraries of their own on top of all: they rest on all others, and are named by none.
const std::vector<std::string> on_top = {"stability", "analysis", "import"};

// Files at the top of include/sunlagrange: what they may include. Umbrellas are for users, no file of the library
// includes one.
const std::map<std::string, std::set<std::string>> at_the_top = {
    {"sunlagrange.hpp", {order.begin(), order.end()}},
    {"elements.hpp", {"elements"}},
    {"stability.hpp", {"stability"}},
    {"analysis.hpp", {"analysis"}},
    {"version.hpp", {}},
    {"notation.hpp", {}},
    {"literature.hpp", {}},
};

bool is_umbrella(const std::string& file) {
  const auto top = at_the_top.find(fs::path(file).filename().string());
  return room_of(file).empty() && top != at_the_top.end() && !top->second.empty();
}

bool has_a_place(const SourceFile& file) {
  if (file.room.empty())
    return file.path.parent_path() != "src" && at_the_top.count(file.path.filename().string()) == 1;
  return file.room == "internal" || std::count(on_top.begin(), on_top.end(), file.room) == 1 ||
         std::count(order.begin(), order.end(), file.room) == 1;
}

// The rooms a file may include from. `internal`, what the public templates need and users never name, serves all rooms;
// rooms on top rest on all in the order.
std::set<std::string> allowed(const SourceFile& file) {
  if (file.room.empty()) return at_the_top.at(file.path.filename().string());
  if (file.room == "internal") return {"internal", "base", "model", "derivatives"};
  const auto own = std::find(order.begin(), order.end(), file.room);
  std::set<std::string> may(order.begin(), own);
  may.insert({file.room, "internal"});
  return may;
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

BOOST_AUTO_TEST_CASE(every_file_has_a_room) {
  for (const SourceFile& file : library_files())
    BOOST_TEST(has_a_place(file), file.path.generic_string() << ": not in the order of this test");
}

BOOST_AUTO_TEST_CASE(includes_point_one_way) {
  for (const SourceFile& file : library_files()) {
    if (!has_a_place(file)) continue;  // reported above
    const std::set<std::string> may = allowed(file);
    for (const Include& include : file.includes) {
      if (include.file.empty()) continue;
      const bool ok =
          include.room.empty() ? file.room.empty() || !is_umbrella(include.file) : may.count(include.room) == 1;
      BOOST_TEST(ok, file.where(include.line) << ": " << (file.room.empty() ? "this file" : file.room)
                                              << " must not include " << include.path);
    }
  }
}

// The inner rooms of a room on top stand side by side on those listed here.
const std::map<std::string, std::set<std::string>> shared_inner_rooms = {{"analysis", {"shared", "sundials"}}};

BOOST_AUTO_TEST_CASE(inner_rooms_include_only_themselves_and_the_shared_ones) {
  const auto inner_room = [](const fs::path& file) { return file.parent_path().filename().string(); };
  std::size_t count = 0;
  for (const SourceFile& file : library_files()) {
    const auto shared = shared_inner_rooms.find(file.room);
    if (shared == shared_inner_rooms.end() || file.path.begin()->string() != "src") continue;
    for (const Include& include : file.includes) {
      if (include.room != file.room || include.file.rfind("src/", 0) != 0) continue;
      ++count;
      const std::string inner = inner_room(include.file);
      const bool ok = inner == inner_room(file.path) || shared->second.count(inner) == 1;
      BOOST_TEST(ok, file.where(include.line) << ": must not include " << include.path);
    }
  }
  BOOST_TEST(count > 10u);
}

// One arrow for each pair of rooms of which one includes from the other; a floor for each room that waits for another.
// Figures of docs/decisions/log/0013: --log_level=message
BOOST_AUTO_TEST_CASE(rooms_and_arrows) {
  std::map<std::string, std::set<std::string>> arrows;
  for (const SourceFile& file : library_files()) {
    if (file.room.empty() || file.room == "internal") continue;
    std::set<std::string>& from = arrows[file.room];
    for (const Include& include : file.includes) {
      if (!include.room.empty() && include.room != "internal" && include.room != file.room) from.insert(include.room);
    }
  }
  std::map<std::string, int> floor;
  std::vector<std::string> rooms = order;
  rooms.insert(rooms.end(), on_top.begin(), on_top.end());
  std::size_t count = 0;
  int floors = 0;
  for (const std::string& room : rooms) {
    for (const std::string& below : arrows[room]) floor[room] = std::max(floor[room], floor[below] + 1);
    count += arrows[room].size();
    floors = std::max(floors, floor[room] + 1);
  }
  BOOST_TEST_MESSAGE(arrows.size() << " rooms on " << floors << " floors, " << count << " arrows");
  BOOST_TEST(arrows.size() == rooms.size());
}

BOOST_AUTO_TEST_CASE(programs_and_examples_name_nothing_internal) {
  const std::regex internal("\\binternal\\s*::|\\bnamespace\\s+(sunlagrange::)?internal\\b");
  BOOST_TEST(user_files().size() > 50u);
  for (const SourceFile& file : user_files()) {
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), internal), end; it != end; ++it) {
      BOOST_ERROR(file.where(line_of(file.text, static_cast<std::size_t>(it->position())))
                  << ": " << it->str() << ": use what is public, e.g. SystemEvaluator");
    }
    for (const Include& include : file.includes) {
      BOOST_TEST((include.room != "internal" && include.file.rfind("src/", 0) != 0),
                 file.where(include.line) << ": " << include.path << " is not for users");
    }
  }
}

BOOST_AUTO_TEST_CASE(no_header_includes_itself) {
  std::map<std::string, std::vector<std::string>> includes;
  for (const SourceFile& file : library_files()) {
    for (const Include& include : file.includes) {
      if (!include.file.empty()) includes[file.path.generic_string()].push_back(include.file);
    }
  }
  std::set<std::string> done;
  std::vector<std::string> way;
  const std::function<void(const std::string&)> visit = [&](const std::string& file) {
    const auto before = std::find(way.begin(), way.end(), file);
    std::string circle;
    for (auto step = before; step != way.end(); ++step) circle += *step + " -> ";
    BOOST_TEST(circle.empty(), circle << file);
    if (!circle.empty() || !done.insert(file).second) return;
    way.push_back(file);
    for (const std::string& next : includes[file]) visit(next);
    way.pop_back();
  };
  for (const SourceFile& file : library_files()) visit(file.path.generic_string());
}

// Two of one name in one namespace link without a word, and one is destroyed as the other.
BOOST_AUTO_TEST_CASE(types_of_the_program_have_names_of_their_own) {
  const std::regex type("(^|\\n)(struct|class) (\\w+)( final)?( : [^{;]*)? \\{");
  std::map<std::string, std::string> where;
  for (const SourceFile& file : files_below({"apps", "benchmarks/program"})) {
    if (file.path.extension() != ".hpp") continue;
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), type), end; it != end; ++it) {
      const std::string here = file.path.generic_string();
      const auto [first, fresh] = where.emplace((*it)[3], here);
      BOOST_TEST(fresh, here << " and " << first->second << " both define " << first->first);
    }
  }
  BOOST_TEST(where.size() > 50U);
}

BOOST_AUTO_TEST_CASE(sundials_headers_only_in_folders_named_sundials) {
  for (const SourceFile& file : library_files()) {
    if (file.path.parent_path().filename() == "sundials") continue;
    for (const Include& include : file.includes) {
      BOOST_TEST(!is_sundials_header(include.path),
                 file.where(include.line) << ": " << include.path << " belongs in a folder named sundials");
    }
  }
}

// They take seconds each to compile wherever they are instantiated.
BOOST_AUTO_TEST_CASE(decompositions_are_instantiated_in_one_place) {
  const std::regex decomposition("Eigen/(Cholesky|Eigenvalues|SVD|QR|LU|Dense|Eigen)");
  std::vector<SourceFile> files = files_below({"apps", "benchmarks/program"});
  files.insert(files.end(), library_files().begin(), library_files().end());
  for (const SourceFile& file : files) {
    if (file.room == "linear_algebra") continue;
    for (const Include& include : file.includes) {
      BOOST_TEST(!std::regex_match(include.path, decomposition),
                 file.where(include.line)
                     << ": " << include.path << ": use linear_algebra/decompositions.hpp, spd.hpp");
    }
  }
}

// They cost seconds in every file that sees them. Model files are JSON: those that see json_parameters.hpp, none of
// which compiles an element, are one unit.
BOOST_AUTO_TEST_CASE(command_line_and_json_are_in_no_header) {
  for (const char* folder : {"include", "src", "examples", "apps", "benchmarks"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".hpp" || entry.path() == root / "src/files/json_parameters.hpp") continue;
      for (const Include& include : includes_of(read(entry.path()))) {
        BOOST_TEST((include.path.rfind("CLI/", 0) != 0 && include.path != "nlohmann/json.hpp"),
                   fs::relative(entry.path(), root).generic_string() << ":" << include.line << ": " << include.path);
      }
    }
  }
}

// G M^-1 G^T is inverted in one place, with one rank policy; stability/ and consistency/ have their own small matrices.
BOOST_AUTO_TEST_CASE(dense_factorizations_only_where_the_rank_policy_is) {
  const std::set<std::string> may = {"linear_algebra", "linear_solver", "consistency", "stability"};
  const std::regex factorization(
      R"((\.|->)(inverse|llt|ldlt|lu|selfadjointView<[^>]*>\(\)\.l?l[dt]t|partialPivLu|fullPivLu|householderQr|)"
      R"(colPivHouseholderQr|fullPivHouseholderQr|completeOrthogonalDecomposition|jacobiSvd|bdcSvd)\s*\()"
      R"(|\b(LLT|LDLT|PartialPivLU|FullPivLU|HouseholderQR|ColPivHouseholderQR|FullPivHouseholderQR|)"
      R"(CompleteOrthogonalDecomposition|JacobiSVD|BDCSVD|SparseLU|SparseQR|SimplicialLDLT|SimplicialLLT)\s*<)");
  std::vector<SourceFile> files = files_below({"apps", "benchmarks/program"});
  files.insert(files.end(), library_files().begin(), library_files().end());
  for (const SourceFile& file : files) {
    if (may.count(file.room) == 1) continue;
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
  const std::regex entry("(?:^|\\n)" + macro + "\\(" + skip + "\\s*([\\w/]+)");
  const std::string text = read(root / list);
  std::vector<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it) names.push_back((*it)[1]);
  return names;
}

// Lines MACRO(name, ...) and functions <Type> make_<name>() in the folder, each in the file that the line names: the
// name itself, or the second argument.
void check_make_registry(const fs::path& list, const std::string& macro, const std::string& type,
                         const fs::path& folder, int file_argument = 0) {
  const std::vector<std::string> names = registered(list, macro, 0);
  const std::vector<std::string> files = registered(list, macro, file_argument);
  BOOST_TEST(!names.empty(), list.generic_string() << " has no entries");
  BOOST_REQUIRE_EQUAL(names.size(), files.size());
  std::set<std::string> listed;  // file/name
  for (std::size_t i = 0; i < names.size(); ++i) {
    BOOST_TEST(std::count(names.begin(), names.end(), names[i]) == 1, list.generic_string() << " has a name twice");
    listed.insert(files[i] + "/" + names[i]);
  }
  std::set<std::string> defined;
  const std::regex definition("\\b" + type + "\\s+make_(\\w+)\\s*\\(");
  for (const auto& item : fs::recursive_directory_iterator(root / folder)) {
    if (item.path().extension() != ".cpp") continue;
    const std::string file = fs::relative(item.path(), root / folder).replace_extension().generic_string();
    const std::string text = code_only(read(item.path()));
    for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it)
      defined.insert(file + "/" + (*it)[1].str());
  }
  for (const std::string& entry : defined)
    BOOST_TEST(listed.count(entry) == 1, folder.generic_string()
                                             << "/" << entry << ": no such line in " << list.generic_string());
  for (const std::string& entry : listed)
    BOOST_TEST(defined.count(entry) == 1, list.generic_string() << " lists " << entry << ", which "
                                                                << folder.generic_string() << " does not define");
}

}  // namespace

BOOST_AUTO_TEST_CASE(formulations_are_registered) {
  check_make_registry("src/formulation/formulations.inc", "FORMULATION", "FormulationEntry", "src/formulation/forms");
}

BOOST_AUTO_TEST_CASE(linear_solvers_are_registered) {
  check_make_registry("src/linear_solver/linear_solvers.inc", "LINEAR_SOLVER", "LinearSolverEntry",
                      "src/linear_solver/factors");
}

BOOST_AUTO_TEST_CASE(integrators_are_registered) {
  check_make_registry("src/integrators/integrators.inc", "INTEGRATOR", "IntegratorEntry", "src/integrators", 1);
}

BOOST_AUTO_TEST_CASE(checks_have_one_file_and_one_line) {
  check_make_registry("src/simulation/checks/checks.inc", "CHECK", "std::unique_ptr<Check>", "src/simulation/checks");
}

// A check that does nothing but give one kind of doubts has the name of the kind. (Corrections of the velocity are one
// of two reasons for velocity_violation.)
BOOST_AUTO_TEST_CASE(checks_are_named_as_their_doubts) {
  std::map<std::string, std::set<std::string>> kinds;  // of each check
  const std::regex doubt(R"(DoubtKind::(\w+))"), other_use(R"(\b(stop|reject|finish)\()");
  for (const std::string& check : registered("src/simulation/checks/checks.inc", "CHECK", 0)) {
    const std::string text = code_only(read(root / "src/simulation/checks" / (check + ".cpp")));
    if (std::regex_search(text, other_use)) continue;
    for (std::sregex_iterator it(text.begin(), text.end(), doubt), end; it != end; ++it) kinds[check].insert((*it)[1]);
  }
  BOOST_TEST(kinds.size() >= 5U);
  for (const auto& [check, given] : kinds) {
    if (given.size() == 1 && check != "velocity_correction") BOOST_TEST(*given.begin() == check);
  }
}

BOOST_AUTO_TEST_CASE(mechanisms_are_registered) {
  check_make_registry("examples/mechanisms/mechanisms.inc", "MECHANISM", "MechanismEntry", "examples/mechanisms");
}

// The files of a domain are elements, each with a line and in the umbrella of its domain, or shared by them.
BOOST_AUTO_TEST_CASE(elements_are_registered) {
  const fs::path folder = "include/sunlagrange/elements";
  const fs::path list = folder / "elements.inc";
  const std::set<std::string> shared = {"planar/ends", "spatial/ends", "spatial/joint", "spatial/pose",
                                        "spatial/rotation"};
  const std::vector<std::string> types = registered(list, "ELEMENT", 0);
  const std::vector<std::string> files = registered(list, "ELEMENT", 1);
  BOOST_TEST(!types.empty());
  BOOST_REQUIRE_EQUAL(types.size(), files.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const fs::path file = folder / (files[i] + ".hpp");
    BOOST_TEST(
        std::regex_search(code_only(read(root / file)), std::regex("\\b(struct|class|using) " + types[i] + "\\b")),
        list.generic_string() << " lists " << types[i] << ", but " << file.generic_string() << " does not define it");
  }
  for (const SourceFile& file : library_files()) {
    const std::string name = fs::relative(file.path, folder).replace_extension().generic_string();
    if (name.rfind("..", 0) == 0 || name.find('/') == std::string::npos || shared.count(name) == 1) continue;
    BOOST_TEST(std::count(files.begin(), files.end(), name) >= 1, file.path.generic_string()
                                                                      << " has no line in " << list.generic_string());
    const fs::path umbrella = folder / (name.substr(0, name.find('/')) + ".hpp");
    const std::vector<Include> includes = includes_of(read(root / umbrella));
    BOOST_TEST(std::any_of(includes.begin(), includes.end(),
                           [&](const Include& include) { return include.file == file.path.generic_string(); }),
               umbrella.generic_string() << " does not include " << file.path.generic_string());
  }
}
