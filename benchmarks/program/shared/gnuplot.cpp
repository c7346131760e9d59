#include "shared/gnuplot.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::bench {
namespace {

/// For the shell: in single quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

void make_folder(const std::string& folder) {
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) throw Error("--out: cannot create \"" + folder + "\": " + trouble.message());
}

void run_gnuplot(const std::string& folder, const std::string& script) {
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    throw std::runtime_error("gnuplot is not installed (Debian: apt install gnuplot-nox). Data and script are in " +
                             folder + "; draw them later with: cd " + folder + " && gnuplot " + script);
  }
  if (std::system(("cd " + quoted(folder) + " && gnuplot " + script).c_str()) != 0) {
    throw std::runtime_error("gnuplot failed; data and script are in " + folder);
  }
}

}  // namespace sunlagrange::bench
