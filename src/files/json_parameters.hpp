// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/files/law_function.hpp>
#include <sunlagrange/model/parameters.hpp>

#include "files/place.hpp"
#include "model/parameters/law_units.hpp"

namespace sunlagrange::internal {

using Json = nlohmann::ordered_json;

/// An error whose message has its place in the document.
struct PlacedError : Error {
  using Error::Error;
};

/// A document that is being read, and the name with which its messages begin.
class Document {
 public:
  /// Parses the text. @throws Error with line and column if it is no JSON
  Document(const std::string& text, const std::string& source);

  const Json& root() const { return root_; }

  /// Throws the Error "source:line: what: complaint".
  [[noreturn]] void fail(const Place& place, const std::string& what, const std::string& complaint) const;

  /// Calls work. An Error that it throws gets this place, unless it has a place of its own.
  template <class Work>
  auto at(const Place& place, const std::string& what, Work&& work) const {
    try {
      return work();
    } catch (const PlacedError&) {
      throw;
    } catch (const Error& error) {
      fail(place, what, error.what());
    }
  }

 private:
  std::string text_, source_;
  Json root_;
};

/// An object of the document whose fields are read one by one.
class Fields {
 public:
  /// @param what  name of the object in messages, e.g. element "pin"
  Fields(const Document& document, const Json& object, Place place, std::string what);

  /// Returns the value of the field, or null if it is missing.
  const Json* find(const std::string& field);
  /// Returns the value of the field. @throws Error if it is missing
  const Json& get(const std::string& field);

  void read(const std::string& field, double& value, const std::string& unit = "");
  void read(const std::string& field, long& value);
  void read(const std::string& field, bool& value);
  void read(const std::string& field, std::string& value);
  void read(const std::string& field, std::vector<std::string>& value);

  /// Checks that every field has been read. @throws Error naming one that has not
  void finish() const;

  [[noreturn]] void fail(const std::string& field, const std::string& complaint) const;
  Place place(const std::string& field) const;
  const std::string& what() const { return what_; }
  const Document& document() const { return *document_; }
  const Json& object() const { return *object_; }

 private:
  const Document* document_;
  const Json* object_;
  Place place_;
  std::string what_;
  std::vector<std::string> known_;
};

/// Returns a number, or {"value": 30, "unit": "deg"}, in `unit`. @throws Error if the unit does not fit
double number_in(const Json& value, const std::string& unit);

/// Sets the parameters of an element from the object "parameters". Assembly::add checks the ranges.
class ReadParameters final : public Parameters {
 public:
  /// @param functions  of the application, which must outlive this; null: there are none
  /// @param units      of the laws; default: only those that their descriptions state
  explicit ReadParameters(Fields fields, const LawFunctions* functions = nullptr, LawUnits units = LawUnits())
      : units_(std::move(units)), functions_(functions) {
    levels_.push_back(std::move(fields));
  }

  /// Reads the name of a function of the application, and returns the function. @throws Error if there is none
  std::shared_ptr<const LawFunction> function_of_the_application(std::string& name);

  std::size_t choose(const std::vector<const char*>& types, std::size_t current) override;

  /// Returns numbers with units that the file leaves at a default other than zero, "k = 1 N/m", but for the
  /// acceleration of gravity.
  const std::vector<std::string>& defaults_taken() const { return defaults_taken_; }

  /// Checks after the description that every field is known. @throws Error naming one that is not
  void finish() const { levels_.front().finish(); }

 protected:
  void number(const Parameter& about, double& value) override;
  void numbers(const Parameter& about, double* values, std::size_t count) override;
  void table(const Parameter& about, std::vector<double>& values) override;
  void enter(const ParameterPart& about) override;
  void leave() override;

 private:
  std::vector<Fields> levels_;
  std::vector<std::string> names_;  // names of the parts that are open
  LawUnits units_;
  std::vector<std::string> defaults_taken_;
  const LawFunctions* functions_;
};

/// Writes the parameters of an element.
class WriteParameters final : public Parameters {
 public:
  Json take() { return std::move(levels_.front()); }
  /// Writes the name of a function of the application.
  void function_of_the_application(const std::string& name) { levels_.back()["name"] = name; }

  /// Returns the fields that are C++ functions, which a file cannot hold.
  const std::string& functions() const { return functions_; }

  std::size_t choose(const std::vector<const char*>& types, std::size_t current) override;

 protected:
  void number(const Parameter& about, double& value) override;
  void numbers(const Parameter& about, double* values, std::size_t count) override;
  void enter(const ParameterPart& about) override;
  void leave() override;
  void function(const ParameterPart& about) override;

 private:
  std::vector<Json> levels_{Json::object()};
  std::vector<std::string> names_;
  std::string functions_;
};

}  // namespace sunlagrange::internal
