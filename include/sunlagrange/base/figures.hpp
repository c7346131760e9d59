// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// The layout of a list, for visitors that can choose.
enum class ListShape {
  list,   ///< entry by entry
  table,  ///< all entries have the same figures: arrays where there are some, one for each figure of the entries
  keyed,  ///< each entry is known by its figure `key`: a dictionary where there is one
};

/// The statements of a description about one figure.
struct Figure {
  const char* name = "";              ///< key of the figure in JSON, Python and C; empty: an entry of a list
  const char* unit = "";              ///< "1": a pure number; empty: no unit (counts, texts), or one for each entry
  const char* meaning = "";           ///< half a line
  bool not_negative = false;          ///< true for a number that is not negative
  bool added_later = false;           ///< files of older versions may lack it
  const char* former_name = nullptr;  ///< name in files of older versions
  ListShape shape = ListShape::list;  ///< layout of a list; other figures have none
  const char* key = nullptr;          ///< name of the figure that is the key, for ListShape::keyed
};

/// Visitor of the figures of a result. A result, the report of a run or the outcome of an analysis, describes itself
/// once, in its member `describe(Figures& f)`: name, unit, meaning and value of each figure. JSON, checkpoints, Python,
/// C and the table of all figures in the documentation are visitors, so that every figure reaches all of them:
///
///     struct Report {
///       long steps = 0;
///       double energy_drift = 0.0;
///       std::vector<RankEvent> rank_events;
///
///       void describe(Figures& f) {
///         f("steps", steps, "accepted steps");
///         f.not_negative("energy_drift", energy_drift, "J", "largest error of the energy");
///         f("rank_events", rank_events, "places along the path where the constraints lost rank");
///         f.derived("text", text(), "the report for people");
///       }
///     };
///
/// Values may be numbers, counts, flags, texts, enumerations with names (enum_names.hpp), complex numbers, vectors and
/// matrices of Eigen, structs with a member `describe`, and std::vector, std::optional and std::variant of all of
/// these. Call `describe` of a member itself to make its figures figures of the whole.
///
/// A visitor may change what it visits (readers of files do), hence `describe` is not const; describe_const() visits a
/// constant result with a visitor that changes nothing.
class Figures {
 public:
  Figures() = default;
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;
  virtual ~Figures() = default;

  /// Describes one figure. @param name, unit, meaning  see Figure
  template <class Value>
  void operator()(const char* name, Value& value, const char* unit, const char* meaning) {
    visit(about(name, unit, meaning), value);
  }
  /// The same for a value without a unit.
  template <class Value>
  void operator()(const char* name, Value& value, const char* meaning) {
    visit(about(name, "", meaning), value);
  }

  /// A number or an integer that is at least zero, or not-a-number where it is not known.
  template <class Number>
  void not_negative(const char* name, Number& value, const char* unit, const char* meaning) {
    Figure figure = about(name, unit, meaning);
    figure.not_negative = true;
    visit(figure, value);
  }
  /// A count, which has no unit.
  template <class Integer>
  void count(const char* name, Integer& value, const char* meaning) {
    not_negative(name, value, "", meaning);
  }

  /// A value that follows from the others: visitors that read a result back leave it out.
  template <class Value>
  void derived(const char* name, Value value, const char* unit, const char* meaning) {
    if (wants_derived()) visit(about(name, unit, meaning), value);
  }
  template <class Value>
  void derived(const char* name, Value value, const char* meaning) {
    derived(name, std::move(value), "", meaning);
  }

  /// A list of structs with the same figures, such as the points of a curve (ListShape::table).
  template <class Value>
  void table(const char* name, std::vector<Value>& rows, const char* meaning) {
    Figure figure = about(name, "", meaning);
    figure.shape = ListShape::table;
    visit(figure, rows);
  }
  /// A list of structs that are known by their figure `key` (ListShape::keyed).
  template <class Value>
  void keyed(const char* name, std::vector<Value>& entries, const char* key, const char* meaning) {
    Figure figure = about(name, "", meaning);
    figure.shape = ListShape::keyed;
    figure.key = key;
    visit(figure, entries);
  }

  /// Figures that belong together: work() describes them.
  template <class Work>
  void group(const char* name, const char* meaning, Work&& work) {
    const Figure figure = about(name, "", meaning);
    if (!begin(figure)) return;
    work();
    end(figure);
  }

  /// Files of older versions may lack the figures that work() describes.
  template <class Work>
  void added_later(Work&& work) {
    ++added_later_;
    work();
    --added_later_;
  }
  /// The next figure has this name in files of older versions.
  Figures& formerly(const char* name) {
    former_name_ = name;
    return *this;
  }

 protected:
  /// True for visitors that change values: then lists get the size that begin_list() returns, and so on.
  virtual bool sets_values() const { return false; }
  /// True for visitors that see the values of derived().
  virtual bool wants_derived() const { return !sets_values(); }
  /// True for visitors that are to see one fresh row of a table without rows, which has the names of its figures.
  virtual bool wants_sample() const { return false; }

  virtual void number(const Figure& figure, double& value) = 0;     ///< a number in the unit of the figure
  virtual void integer(const Figure& figure, long& value) = 0;      ///< counts and other integers
  virtual void flag(const Figure& figure, bool& value) = 0;         ///< true or false
  virtual void text(const Figure& figure, std::string& value) = 0;  ///< any text, e.g. a name
  /// An enumerator: `value` is its place in the `size` names.
  virtual void word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) = 0;
  virtual void complex_number(const Figure& figure, std::complex<double>& value) = 0;  ///< e.g. an eigenvalue
  virtual void numbers(const Figure& figure, Eigen::VectorXd& values) = 0;             ///< a vector of any length
  virtual void complex_numbers(const Figure& figure, Eigen::VectorXcd& values) = 0;    ///< a vector of any length
  virtual void matrix(const Figure& figure, Eigen::MatrixXd& values) = 0;  ///< sparse ones come as full ones

  /// Called before the figures of a struct. Returns false to leave them out; then end() is not called.
  virtual bool begin(const Figure& figure) = 0;
  virtual void end(const Figure& figure) = 0;                             ///< called after the figures of a struct
  static constexpr std::size_t leave_out = static_cast<std::size_t>(-1);  ///< answer of begin_list()
  /// Called before the entries of a list, which are figures without a name. Returns the number of entries to visit,
  /// which may differ from `size` if sets_values(), or `leave_out`: none; then end_list() is not called.
  virtual std::size_t begin_list(const Figure& figure, std::size_t size) = 0;
  virtual void end_list(const Figure& figure) = 0;  ///< called after the entries of a list
  /// Called before an optional value. Returns true if there is to be one; it is visited next then.
  virtual bool optional(const Figure& figure, bool given) = 0;

 private:
  Figure about(const char* name, const char* unit, const char* meaning) {
    Figure figure{name, unit, meaning};
    figure.added_later = added_later_ > 0;
    figure.former_name = std::exchange(former_name_, nullptr);
    return figure;
  }

  void visit(const Figure& figure, double& value) { number(figure, value); }
  void visit(const Figure& figure, bool& value) { flag(figure, value); }
  void visit(const Figure& figure, std::string& value) { text(figure, value); }
  void visit(const Figure& figure, std::complex<double>& value) { complex_number(figure, value); }
  void visit(const Figure& figure, Eigen::VectorXd& values) { numbers(figure, values); }
  void visit(const Figure& figure, Eigen::VectorXcd& values) { complex_numbers(figure, values); }
  void visit(const Figure& figure, Eigen::MatrixXd& values) { matrix(figure, values); }
  void visit(const Figure& figure, Eigen::Vector3d& values) {
    Eigen::VectorXd list = values;
    numbers(figure, list);
    if (sets_values() && list.size() == 3) values = list;
  }
  void visit(const Figure& figure, Eigen::SparseMatrix<double>& values) {
    Eigen::MatrixXd dense = values;
    matrix(figure, dense);
    if (sets_values()) values = dense.sparseView();
  }
  void visit(const Figure& figure, std::vector<bool>& values) {
    const std::size_t size = begin_list(figure, values.size());
    if (size == leave_out) return;
    if (sets_values()) values.resize(size);
    for (std::size_t k = 0; k < values.size(); ++k) {
      bool value = values[k];
      flag({}, value);
      if (sets_values()) values[k] = value;
    }
    end_list(figure);
  }
  template <class Entry>
  void visit(const Figure& figure, std::vector<Entry>& entries) {
    const std::size_t size = begin_list(figure, entries.size());
    if (size == leave_out) return;
    if (sets_values()) entries.resize(size);
    for (Entry& entry : entries) visit(Figure{}, entry);
    if constexpr (std::is_default_constructible_v<Entry>) {
      if (Entry fresh{}; entries.empty() && figure.shape == ListShape::table && wants_sample()) visit(Figure{}, fresh);
    }
    end_list(figure);
  }
  template <class Value>
  void visit(const Figure& figure, std::optional<Value>& value) {
    const bool given = optional(figure, value.has_value());
    if (sets_values() && given && !value.has_value()) value.emplace();
    if (sets_values() && !given) value.reset();
    if (value.has_value()) visit(figure, *value);
  }
  template <class... Values>
  void visit(const Figure& figure, std::variant<Values...>& value) {
    std::visit([&](auto& one) { visit(figure, one); }, value);
  }
  template <class Value>
  void visit(const Figure& figure, Value& value) {
    if constexpr (std::is_integral_v<Value>) {
      auto wide = static_cast<long>(value);
      integer(figure, wide);
      if (sets_values()) value = static_cast<Value>(wide);
    } else if constexpr (std::is_enum_v<Value>) {
      static constexpr auto names = names_of(Value{});
      auto place = static_cast<std::size_t>(value);
      word(figure, names.data(), names.size(), place);
      if (sets_values()) value = static_cast<Value>(place);
    } else if (begin(figure)) {
      value.describe(*this);
      end(figure);
    }
  }

  int added_later_ = 0;
  const char* former_name_ = nullptr;
};

/// Visits a constant result with a visitor that changes no values.
template <class Result>
void describe_const(const Result& result, Figures& visitor) {
  const_cast<Result&>(result).describe(visitor);
}

}  // namespace sunlagrange
