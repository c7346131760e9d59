// SPDX-License-Identifier: BSD-3-Clause
#include "shared/table.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::program {
namespace {

constexpr std::size_t readable_width = 12;  // of a column with wrapped cells
constexpr std::size_t narrowest = 6;        // last resort

std::size_t padding(std::size_t width, const std::string& text) {
  return width - std::min(width, length(text));
}

std::string without_end_blanks(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

Table::Table(std::vector<Column> columns, std::size_t width, std::size_t gap)
    : columns_(std::move(columns)), left_out_(columns_.size(), false), width_(width), gap_(gap) {
  for (Column& c : columns_) c.width = std::max(c.width, length(c.title));
}

void Table::widen(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      Column& c = columns_[k];
      const std::size_t most = width_ == unlimited ? unlimited : c.most;
      c.width = std::max(c.width, std::min(length(row[k].text), most));
    }
  }
}

std::string Table::text(const std::vector<Row>& rows) {
  widen(rows);
  std::string result = heading();
  for (const Row& cells : rows) result += row(cells);
  return result;
}

std::string Table::grouped_text(const std::vector<Row>& rows) {
  if (!at_terminal()) return text(rows);
  first_is_heading_ = left_out_.front() = true;
  widen(rows);
  std::string result = heading();
  const std::string* group = nullptr;
  for (const Row& cells : rows) {
    if (group == nullptr || *group != cells.front().text) result += styled(cells.front().text, Style::bold) + "\n";
    group = &cells.front().text;
    result += row(cells);
  }
  return result;
}

/// Returns the width of the shown columns among begin ... end - 1, including the gap behind each.
std::size_t Table::room(std::size_t begin, std::size_t end) const {
  std::size_t sum = 0;
  for (std::size_t k = begin; k < end; ++k) sum += left_out_[k] ? 0 : columns_[k].width + gap_;
  return sum;
}

/// Returns the first column behind the group that begins with `begin`.
std::size_t Table::group_end(std::size_t begin) const {
  std::size_t end = begin;
  while (end < columns_.size() && columns_[end].group == columns_[begin].group) ++end;
  return end;
}

bool Table::too_wide() const {
  std::size_t total = first_is_heading_ ? 2 : 0;
  for (std::size_t begin = 0, end = 0; begin < columns_.size(); begin = end) {
    end = group_end(begin);
    const std::size_t width = room(begin, end);
    total += width > 0 ? std::max(width, length(columns_[begin].group) + gap_) : 0;
  }
  return total > gap_ && total - gap_ > width_;
}

/// Narrows left-aligned columns, the widest first, until the table fits.
void Table::narrow(std::size_t least) {
  while (too_wide()) {
    Column* widest = nullptr;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      Column& c = columns_[k];
      if (left_out_[k] || c.align == Align::right || c.width <= std::max(least, length(c.title))) continue;
      if (widest == nullptr || c.width > widest->width) widest = &c;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

/// Leaves out and narrows columns until the table fits.
void Table::fit() {
  while (too_wide()) {
    std::size_t last = columns_.size();
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const bool may_go = !left_out_[k] && columns_[k].priority > 0;
      if (may_go && (last == columns_.size() || columns_[k].priority >= columns_[last].priority)) last = k;
    }
    if (last == columns_.size()) break;
    left_out_[last] = true;
  }
  narrow(readable_width);
  narrow(narrowest);
  for (std::size_t begin = 0, end = 0; begin < columns_.size(); begin = end) {  // a group is as wide as its heading
    end = group_end(begin);
    const std::size_t width = room(begin, end);
    const std::size_t wanted = length(columns_[begin].group) + gap_;
    std::size_t first = begin;
    while (first < end && left_out_[first]) ++first;
    if (first < end && width < wanted) columns_[first].width += wanted - width;
  }
}

std::string Table::heading() {
  fit();
  std::vector<std::string> missing;
  Row titles;
  bool titled = false;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Column& c = columns_[k];
    titles.emplace_back(c.title);
    titled = titled || !c.title.empty();
    if (left_out_[k] && !(k == 0 && first_is_heading_))
      missing.push_back((c.group.empty() ? "" : c.group + " ") + c.title);
  }
  std::string result;
  if (!missing.empty()) {
    for (const std::string& part : wrapped("left out: " + joined(missing) + " (--wide shows them)", width_, 2))
      result += part + "\n";
  }
  return result + groups() + (titled ? row(titles) : "");
}

/// Returns the line of group headings above the titles; empty if there are no groups.
std::string Table::groups() const {
  std::string result(first_is_heading_ ? 2 : 0, ' ');
  for (std::size_t begin = 0, end = 0; begin < columns_.size(); begin = end) {
    end = group_end(begin);
    const std::string& group = columns_[begin].group;
    const std::size_t width = room(begin, end);
    if (width == 0) continue;
    const std::size_t blanks = width - gap_ - length(group);
    const std::string rule =
        group.empty() || blanks < 2 ? std::string(blanks, ' ') : std::string(blanks - 1, '-') + " ";
    result += rule + group + std::string(gap_, ' ');
  }
  result = without_end_blanks(result);
  return result.empty() ? "" : result + "\n";
}

std::string Table::row(const Row& cells) const {
  std::vector<std::vector<std::string>> parts;
  std::size_t height = 1;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const bool wraps = width_ != unlimited && columns_[k].align == Align::left && !left_out_[k];
    parts.push_back(wraps ? wrapped(cells[k].text, columns_[k].width) : std::vector<std::string>{cells[k].text});
    if (!left_out_[k]) height = std::max(height, parts.back().size());
  }
  std::string result;
  for (std::size_t i = 0; i < height; ++i) {
    Row line_cells;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      line_cells.emplace_back(i < parts[k].size() ? parts[k][i] : "", cells[k].style);
    result += line(line_cells);
  }
  return result;
}

std::string Table::line(const Row& cells) const {
  std::string result(first_is_heading_ ? 2 : 0, ' ');
  std::size_t blanks = 0;  // pending before the next word, so that no line ends with blanks
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (left_out_[k]) continue;
    const std::size_t space = padding(columns_[k].width, cells[k].text);
    const bool left = columns_[k].align == Align::left;
    if (!left) blanks += space;
    if (!cells[k].text.empty()) {
      result += std::string(blanks, ' ') + styled(cells[k].text, cells[k].style);
      blanks = 0;
    }
    blanks += gap_ + (left ? space : 0);
  }
  return result + "\n";
}

void embolden_smallest(std::vector<Table::Row>& rows, std::size_t column, const std::vector<double>& values) {
  std::size_t best = rows.size();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (std::isnan(values[k])) continue;
    if (best == rows.size() || values[k] < values[best]) best = k;
  }
  if (best < rows.size()) rows[best][column].style = Style::bold;
}

}  // namespace sunlagrange::program
