// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/base/figures.hpp>

/// The visitors of described results (figures.hpp) that belong to the library: JSON, one number by its name, a list of
/// all figures. Dictionaries of Python and checkpoints have visitors of their own.
namespace sunlagrange {

/// Writes a result as JSON: a key for each figure, in the order of the description. Numbers have the digits that give
/// the same double; null stands for what is not given and for numbers that are not finite. Complex numbers are pairs,
/// matrices lists of rows.
class JsonFigures final : public Figures {
 public:
  /// @param absent  name of an optional figure that has no key where it is not given, instead of null
  explicit JsonFigures(std::string absent = "") : absent_(std::move(absent)) {}

  /// The object, complete once the result has been visited.
  std::string str() const { return "{" + text_ + "}"; }

 protected:
  void number(const Figure& figure, double& value) override;
  void integer(const Figure& figure, long& value) override;
  void flag(const Figure& figure, bool& value) override;
  void text(const Figure& figure, std::string& value) override;
  void word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) override;
  void complex_number(const Figure& figure, std::complex<double>& value) override;
  void numbers(const Figure& figure, Eigen::VectorXd& values) override;
  void complex_numbers(const Figure& figure, Eigen::VectorXcd& values) override;
  void matrix(const Figure& figure, Eigen::MatrixXd& values) override;
  bool begin(const Figure& figure) override;
  void end(const Figure& figure) override;
  std::size_t begin_list(const Figure& figure, std::size_t size) override;
  void end_list(const Figure& figure) override;
  bool optional(const Figure& figure, bool given) override;

 private:
  void add(const Figure& figure, const std::string& json);

  std::string text_, absent_;
  bool first_ = true;  // inside the innermost bracket
};

/// Returns the figures of a result as one JSON object.
template <class Result>
std::string figures_json(const Result& result) {
  JsonFigures json;
  describe_const(result, json);
  return json.str();
}

/// Finds one number of a result by its name. A dot leads into a part, brackets into a list, a vector or a matrix:
/// "energy_drift", "start.rank", "rank_events[0].t", "q_end[2]", "A[0][1]".
class NumberByName final : public Figures {
 public:
  /// @param name  as above; found() is empty until a result has been visited
  explicit NumberByName(std::string name) : wanted_(std::move(name)) {}

  /// Counts as such, flags as 0 and 1; nothing if the result has no such number.
  const std::optional<double>& found() const { return found_; }

 protected:
  void number(const Figure& figure, double& value) override { check(figure, value); }
  void integer(const Figure& figure, long& value) override { check(figure, static_cast<double>(value)); }
  void flag(const Figure& figure, bool& value) override { check(figure, value ? 1.0 : 0.0); }
  void text(const Figure& figure, std::string&) override { skip(figure); }
  void word(const Figure& figure, const char* const*, std::size_t, std::size_t&) override { skip(figure); }
  void complex_number(const Figure& figure, std::complex<double>& value) override;
  void numbers(const Figure& figure, Eigen::VectorXd& values) override;
  void complex_numbers(const Figure& figure, Eigen::VectorXcd& values) override;
  void matrix(const Figure& figure, Eigen::MatrixXd& values) override;
  bool begin(const Figure& figure) override;
  void end(const Figure& figure) override;
  std::size_t begin_list(const Figure& figure, std::size_t size) override;
  void end_list(const Figure& figure) override;
  bool optional(const Figure&, bool given) override { return given; }

 private:
  std::string path_to(const Figure& figure);
  void check(const Figure& figure, double value);
  void skip(const Figure& figure) { path_to(figure); }
  void compare(const std::string& name, double value);

  std::string wanted_;
  std::optional<double> found_;
  std::vector<std::string> path_{""};  // names of what is open
  std::vector<std::size_t> next_{0};   // of each, the next entry if it is a list
};

/// Returns one number of a result, see NumberByName.
template <class Result>
std::optional<double> number_by_name(const Result& result, const std::string& name) {
  NumberByName number(name);
  describe_const(result, number);
  return number.found();
}

/// One figure of a type of results.
struct FigureInfo {
  std::string name;     ///< name with the parts and lists around it: "start.rank", "rank_events[].t"
  std::string kind;     ///< "number", "integer", "true or false", "text", "complex", "numbers", "matrix", "list"
  std::string unit;     ///< "1": a pure number; empty: none, or one for each entry
  std::string meaning;  ///< half a line; of words with the choices
};

/// Lists the figures of a type of results, those of its parts and of the entries of its lists among them. It visits a
/// fresh result, whose lists it gives one entry and whose optional values it fills.
class FigureList final : public Figures {
 public:
  /// Figures in the order of the description.
  const std::vector<FigureInfo>& figures() const { return figures_; }

 protected:
  bool sets_values() const override { return true; }
  bool wants_derived() const override { return true; }
  void number(const Figure& figure, double&) override { add(figure, "number"); }
  void integer(const Figure& figure, long&) override { add(figure, "integer"); }
  void flag(const Figure& figure, bool&) override { add(figure, "true or false"); }
  void text(const Figure& figure, std::string&) override { add(figure, "text"); }
  void word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) override;
  void complex_number(const Figure& figure, std::complex<double>&) override { add(figure, "complex"); }
  void numbers(const Figure& figure, Eigen::VectorXd&) override { add(figure, "numbers"); }
  void complex_numbers(const Figure& figure, Eigen::VectorXcd&) override { add(figure, "complex numbers"); }
  void matrix(const Figure& figure, Eigen::MatrixXd&) override { add(figure, "matrix"); }
  bool begin(const Figure& figure) override;
  void end(const Figure& figure) override;
  std::size_t begin_list(const Figure& figure, std::size_t size) override;
  void end_list(const Figure& figure) override;
  bool optional(const Figure&, bool) override { return true; }

 private:
  void add(const Figure& figure, const std::string& kind, const std::string& choices = "");

  std::vector<FigureInfo> figures_;
  std::vector<std::string> path_{""};
};

/// Returns all figures of a type of results: figures_of<Report>().
template <class Result>
std::vector<FigureInfo> figures_of() {
  Result fresh;
  FigureList list;
  fresh.describe(list);
  return list.figures();
}

}  // namespace sunlagrange
