#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/results/report.hpp>

#include "files/json_parameters.hpp"

/// Plain structs as JSON objects, field by field, exactly.
namespace sunlagrange::internal {

/// Writes fields of a plain struct, one call for each.
struct WriteFields {
  Json& object;

  template <class Value>
  void operator()(const char* name, const Value& value) {
    object[name] = value;
  }
  void operator()(const char* name, const Eigen::VectorXd& x) {
    object[name] = std::vector<double>(x.data(), x.data() + x.size());
  }
  void operator()(const char* name, const Passage& passage) { object[name] = to_string(passage); }
  template <class Value>
  void younger(const char* name, const Value& value) {
    (*this)(name, value);
  }
};

/// Reads them: every field must be there, but those that are younger than the format; null is a number that is not
/// known. @throws Error with line and field
struct ReadFields {
  Fields& fields;

  [[noreturn]] void refuse(const char* name, const char* wanted) const {
    fields.fail(name, std::string("must be ") + wanted + "; the file was changed, or is of another program");
  }
  double number(const char* name, const Json& value) const {
    if (value.is_null()) return NAN;
    if (!value.is_number()) refuse(name, "a number or null");
    return value.get<double>();
  }
  template <class Entry, class Take>
  void list(const char* name, Entry&& good, const char* wanted, Take&& take) {
    const Json& value = fields.get(name);
    if (!value.is_array()) refuse(name, wanted);
    for (const Json& entry : value) {
      if (!good(entry)) refuse(name, wanted);
      take(entry);
    }
  }

  void operator()(const char* name, double& value) { value = number(name, fields.get(name)); }
  /// A file that was written before there was such a field leaves the value as it is.
  template <class Value>
  void younger(const char* name, Value& value) {
    if (fields.find(name) != nullptr) (*this)(name, value);
  }
  void operator()(const char* name, long& value) {
    const Json& said = fields.get(name);
    if (!said.is_number_integer()) refuse(name, "an integer");
    value = said.get<long>();
  }
  void operator()(const char* name, int& value) {
    long read = 0;
    (*this)(name, read);
    value = static_cast<int>(read);
  }
  void operator()(const char* name, bool& value) {
    const Json& said = fields.get(name);
    if (!said.is_boolean()) refuse(name, "true or false");
    value = said.get<bool>();
  }
  void operator()(const char* name, std::string& value) {
    const Json& said = fields.get(name);
    if (!said.is_string()) refuse(name, "a text");
    value = said.get<std::string>();
  }
  void operator()(const char* name, std::vector<std::string>& value) {
    list(
        name, [](const Json& x) { return x.is_string(); }, "a list of texts",
        [&value](const Json& x) { value.push_back(x.get<std::string>()); });
  }
  void operator()(const char* name, std::vector<bool>& value) {
    list(
        name, [](const Json& x) { return x.is_boolean(); }, "a list of true and false",
        [&value](const Json& x) { value.push_back(x.get<bool>()); });
  }
  void operator()(const char* name, std::vector<double>& value) {
    list(
        name, [](const Json& x) { return x.is_number() || x.is_null(); }, "a list of numbers",
        [&](const Json& x) { value.push_back(number(name, x)); });
  }
  void operator()(const char* name, Eigen::VectorXd& x) {
    std::vector<double> values;
    (*this)(name, values);
    x = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  void operator()(const char* name, Passage& passage) {
    std::string word;
    (*this)(name, word);
    for (const Passage known : {Passage::smooth, Passage::jumped, Passage::unverified}) {
      if (word != to_string(known)) continue;
      passage = known;
      return;
    }
    refuse(name, "smooth, jumped or unverified");
  }
};

/// What work(WriteFields) writes.
template <class Work>
Json written_object(Work&& work) {
  Json object = Json::object();
  work(WriteFields{object});
  return object;
}

/// What work(entry, WriteFields) writes of each.
template <class List, class Work>
Json written_list(const List& list, Work&& work) {
  Json json = Json::array();
  for (const auto& entry : list) json.push_back(written_object([&](WriteFields write) { work(entry, write); }));
  return json;
}

/// The fields of one object of a document, all of them.
template <class Work>
void read_object(Fields& top, const char* name, Work&& work) {
  Fields inside(top.document(), top.get(name), top.place(name), top.what() + ", " + name);
  work(ReadFields{inside});
  inside.finish();
}

template <class Entry, class Work>
void read_list(Fields& top, const char* name, std::vector<Entry>& list, Work&& work) {
  const Json& given = top.get(name);
  if (!given.is_array()) ReadFields{top}.refuse(name, "a list");
  for (std::size_t k = 0; k < given.size(); ++k) {
    Place place = top.place(name);
    place.emplace_back(k);
    Fields inside(top.document(), given[k], place, top.what() + ", " + name + "[" + std::to_string(k) + "]");
    work(list.emplace_back(), ReadFields{inside});
    inside.finish();
  }
}

}  // namespace sunlagrange::internal
