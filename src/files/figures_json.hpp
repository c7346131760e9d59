// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/base/figures.hpp>

#include "files/json_parameters.hpp"

/// Described structs (base/figures.hpp) as JSON objects of files, both ways and exactly.
namespace sunlagrange::internal {

/// Writes the figures into one JSON object; those that follow from others are left out.
class WriteFigures final : public Figures {
 public:
  Json take() { return std::move(levels_.front()); }

 protected:
  bool wants_derived() const override { return false; }
  void number(const Figure& figure, double& value) override { put(figure, value); }
  void integer(const Figure& figure, long& value) override { put(figure, value); }
  void flag(const Figure& figure, bool& value) override { put(figure, value); }
  void text(const Figure& figure, std::string& value) override { put(figure, value); }
  void word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) override;
  void complex_number(const Figure& figure, std::complex<double>& value) override;
  void numbers(const Figure& figure, Eigen::VectorXd& values) override;
  void complex_numbers(const Figure& figure, Eigen::VectorXcd& values) override;
  void matrix(const Figure& figure, Eigen::MatrixXd& values) override;
  bool begin(const Figure& figure) override;
  void end(const Figure& figure) override;
  std::size_t begin_list(const Figure& figure, std::size_t size) override;
  void end_list(const Figure& figure) override { end(figure); }
  bool optional(const Figure& figure, bool given) override;

 private:
  void put(const Figure& figure, Json value);

  std::vector<Json> levels_{Json::object()};
};

/// Reads the figures from one object of a document. Null is a number that is not known; figures that were added later
/// may be missing, then they keep their values. @throws Error with line and field
class ReadFigures final : public Figures {
 public:
  explicit ReadFigures(Fields fields) { levels_.push_back({std::move(fields), nullptr, {}, ""}); }

  /// Checks after the description that every field is known. @throws Error naming one that is not
  void finish() const { levels_.front().object->finish(); }

 protected:
  bool sets_values() const override { return true; }
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
  /// An open object, or an open list at a place of the document.
  struct Level {
    std::optional<Fields> object;
    const Json* list = nullptr;
    Place place;
    std::string what;
    std::size_t next = 0;  // number of the next entry of the list
  };

  const Json* find(const Figure& figure, bool advance = true);
  std::pair<Place, std::string> place_of(const Figure& figure) const;
  [[noreturn]] void refuse(const Figure& figure, const std::string& wanted) const;
  double number_of(const Figure& figure, const Json& value) const;
  std::vector<double> list_of(const Figure& figure, const Json& value) const;

  std::vector<Level> levels_;
};

inline std::vector<double> entries_of(const Eigen::VectorXd& values) {
  return {values.data(), values.data() + values.size()};
}

/// Returns the described struct as a JSON object.
template <class Struct>
Json written(const Struct& described) {
  WriteFigures write;
  describe_const(described, write);
  return write.take();
}
template <class Struct>
Json written(const std::vector<Struct>& list) {
  Json json = Json::array();
  for (const Struct& described : list) json.push_back(written(described));
  return json;
}

/// Reads the struct from the field `name`: describe(ReadFigures&) visits it. All fields of the object must be known.
template <class Describe>
void read_object(Fields& top, const char* name, Describe&& describe) {
  ReadFigures read(Fields(top.document(), top.get(name), top.place(name), top.what() + ", " + name));
  describe(read);
  read.finish();
}

}  // namespace sunlagrange::internal
