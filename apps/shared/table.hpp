// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "shared/text.hpp"

namespace sunlagrange::program {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::right;
  int priority = 0;              ///< 0: always shown; otherwise the column with the largest number is left out first
  std::size_t width = 0;         ///< least width in characters
  std::string group = {};        ///< heading above neighbouring columns with the same group
  std::size_t most = unlimited;  ///< longer cells are wrapped if the output has a width
};

struct Cell {
  Cell(const char* words) : text(words) {}             // NOLINT(google-explicit-constructor): most cells are plain
  Cell(std::string words) : text(std::move(words)) {}  // NOLINT(google-explicit-constructor)
  Cell(std::string words, Style role) : text(std::move(words)), style(role) {}

  std::string text;
  Style style = Style::plain;
};

/// A table that fits a given width: if it is too wide, columns are left out by their priority and named in a line
/// above; if the remaining columns are still too wide, left-aligned ones are narrowed and their cells wrapped.
class Table {
 public:
  using Row = std::vector<Cell>;  ///< one cell for each column

  /// @param width  see output_width()
  /// @param gap    blanks between columns
  Table(std::vector<Column> columns, std::size_t width, std::size_t gap = 2);

  /// Returns heading and rows; every column is as wide as its longest cell.
  std::string text(const std::vector<Row>& rows);

  /// Returns the same, except that at a terminal the first column becomes a line above the rows that share it.
  std::string grouped_text(const std::vector<Row>& rows);

  /// For rows that are printed one by one: the widths are those of the columns and of their titles. Lines end with a
  /// line break; the heading is empty if no column has a title.
  std::string heading();
  std::string row(const Row& cells) const;

 private:
  std::size_t room(std::size_t begin, std::size_t end) const;
  std::size_t group_end(std::size_t begin) const;
  void widen(const std::vector<Row>& rows);
  void fit();
  void narrow(std::size_t least);
  bool too_wide() const;
  std::string line(const Row& cells) const;
  std::string groups() const;

  std::vector<Column> columns_;
  std::vector<bool> left_out_;
  std::size_t width_;
  std::size_t gap_;
  bool first_is_heading_ = false;
};

/// Marks the smallest number of a column.
/// @param values  value of each row; NaN excludes a row
void embolden_smallest(std::vector<Table::Row>& rows, std::size_t column, const std::vector<double>& values);

}  // namespace sunlagrange::program
