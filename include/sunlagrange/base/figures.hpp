#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// What the description of a result states about one figure.
struct Figure {
  const char* name = "";     ///< key of the figure in JSON, Python and C; empty: an entry of a list
  const char* unit = "";     ///< "1": a pure number; empty: no unit (counts, texts), or one for each entry
  const char* meaning = "";  ///< half a line
  bool not_negative = false;
  bool added_later = false;  ///< files of older versions do not hold it
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
/// matrices of Eigen, structs with a member `describe`, and std::vector and std::optional of all of these. Call
/// `describe` of a member itself to make its figures figures of the whole.
///
/// A visitor may change what it visits (readers of files do), hence `describe` is not const; describe_const() visits a
/// constant result with a visitor that changes nothing.
class Figures {
 public:
  Figures() = default;
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;
  virtual ~Figures() = default;

  template <class Value>
  void operator()(const char* name, Value& value, const char* unit, const char* meaning) {
    visit(about(name, unit, meaning), value);
  }
  /// The same for a value without a unit.
  template <class Value>
  void operator()(const char* name, Value& value, const char* meaning) {
    visit(about(name, "", meaning), value);
  }

  /// A number that is at least zero, or not-a-number where it is not known.
  void not_negative(const char* name, double& value, const char* unit, const char* meaning) {
    Figure figure = about(name, unit, meaning);
    figure.not_negative = true;
    visit(figure, value);
  }

  /// A value that follows from the others: visitors that read a result back leave it out.
  template <class Value>
  void derived(const char* name, Value value, const char* unit, const char* meaning) {
    if (!sets_values()) visit(about(name, unit, meaning), value);
  }
  template <class Value>
  void derived(const char* name, Value value, const char* meaning) {
    derived(name, std::move(value), "", meaning);
  }

  /// A list of structs whose entries have the same shape, such as the points of a curve. Visitors that have arrays may
  /// give one array for each figure of the entries; to the others it is a list.
  template <class Value>
  void table(const char* name, std::vector<Value>& rows, const char* meaning) {
    const Figure figure = about(name, "", meaning);
    const std::size_t size = begin_table(figure, rows.size());
    if (sets_values()) rows.resize(size);
    for (Value& row : rows) {
      begin_row();
      row.describe(*this);
      end_row();
    }
    end_table(figure);
  }

  /// Marks the next figure as one that files of older versions do not hold.
  Figures& added_later() {
    added_later_ = true;
    return *this;
  }

  /// True for visitors that change values: the readers of files.
  virtual bool sets_values() const { return false; }

 protected:
  virtual void number(const Figure& figure, double& value) = 0;
  virtual void count(const Figure& figure, long& value) = 0;
  virtual void flag(const Figure& figure, bool& value) = 0;
  virtual void text(const Figure& figure, std::string& value) = 0;
  /// An enumerator: `value` is its place in the `size` names.
  virtual void word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) = 0;
  virtual void complex_number(const Figure& figure, std::complex<double>& value) = 0;
  virtual void numbers(const Figure& figure, Eigen::VectorXd& values) = 0;
  virtual void complex_numbers(const Figure& figure, Eigen::VectorXcd& values) = 0;
  virtual void matrix(const Figure& figure, Eigen::MatrixXd& values) = 0;

  /// Around the figures of a struct.
  virtual void begin(const Figure& figure) = 0;
  virtual void end(const Figure& figure) = 0;
  /// Around the entries of a list, which have figures without a name. Returns the number of entries to visit; it may
  /// differ from `size` if sets_values().
  virtual std::size_t begin_list(const Figure& figure, std::size_t size) = 0;
  virtual void end_list(const Figure& figure) = 0;
  /// Around the rows of a table(), whose figures are visited row by row, each after begin_row().
  virtual std::size_t begin_table(const Figure& figure, std::size_t size) = 0;
  virtual void begin_row() = 0;
  virtual void end_row() = 0;
  virtual void end_table(const Figure& figure) = 0;
  /// An optional value. Returns true if there is to be one; the value is visited next then.
  virtual bool optional(const Figure& figure, bool given) = 0;

 private:
  template <class Value>
  static constexpr bool is_integer = std::is_integral_v<Value> && !std::is_same_v<Value, bool>;

  Figure about(const char* name, const char* unit, const char* meaning) {
    return {name, unit, meaning, false, std::exchange(added_later_, false)};
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
  void visit(const Figure& figure, std::vector<double>& values) {
    Eigen::VectorXd list = Eigen::VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
    numbers(figure, list);
    if (sets_values()) values.assign(list.data(), list.data() + list.size());
  }
  void visit(const Figure& figure, std::vector<bool>& values) {
    const std::size_t size = begin_list(figure, values.size());
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
    if (sets_values()) entries.resize(size);
    for (Entry& entry : entries) visit(Figure{}, entry);
    end_list(figure);
  }
  template <class Value>
  void visit(const Figure& figure, std::optional<Value>& value) {
    const bool given = optional(figure, value.has_value());
    if (sets_values()) given ? void(value.emplace()) : value.reset();
    if (value.has_value()) visit(figure, *value);
  }
  template <class Value>
  void visit(const Figure& figure, Value& value) {
    if constexpr (is_integer<Value>) {
      auto wide = static_cast<long>(value);
      count(figure, wide);
      if (sets_values()) value = static_cast<Value>(wide);
    } else if constexpr (std::is_enum_v<Value>) {
      static constexpr auto names = names_of(Value{});
      auto place = static_cast<std::size_t>(value);
      word(figure, names.data(), names.size(), place);
      if (sets_values()) value = static_cast<Value>(place);
    } else {
      begin(figure);
      value.describe(*this);
      end(figure);
    }
  }

  bool added_later_ = false;
};

/// Visits a constant result with a visitor that changes no values.
template <class Result>
void describe_const(const Result& result, Figures& visitor) {
  const_cast<Result&>(result).describe(visitor);
}

}  // namespace sunlagrange
