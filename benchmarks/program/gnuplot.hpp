#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <sunlagrange/status.hpp>

/// Drawing with gnuplot, for the commands that make pictures.
namespace sunlagrange::bench {

/// For the shell: in single quotes.
inline std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// @throws Error if the folder can neither be found nor made
inline void make_folder(const std::string& folder) {
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) throw Error("--out: cannot create \"" + folder + "\": " + trouble.message());
}

/// Runs a script that lies in the folder. @throws std::runtime_error if gnuplot is missing or fails
inline void run_gnuplot(const std::string& folder, const std::string& script) {
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    throw std::runtime_error("gnuplot is not installed (Debian: apt install gnuplot-nox). Data and script are in " +
                             folder + "; draw them later with: cd " + folder + " && gnuplot " + script);
  }
  if (std::system(("cd " + shell_quoted(folder) + " && gnuplot " + script).c_str()) != 0)
    throw std::runtime_error("gnuplot failed; data and script are in " + folder);
}

}  // namespace sunlagrange::bench
