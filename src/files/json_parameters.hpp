#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/parameters.hpp>

#include "files/place.hpp"

namespace sunlagrange::internal {

using Json = nlohmann::ordered_json;

/// An error that says where in a document it is.
struct PlacedError : Error {
  using Error::Error;
};

/// A document that is being read, and what its messages begin with.
class Document {
 public:
  /// @throws Error with line and column if the text is no JSON
  Document(const std::string& text, const std::string& source);

  const Json& root() const { return root_; }

  /// @throws Error "source:line: what: complaint"
  [[noreturn]] void fail(const Place& place, const std::string& what, const std::string& complaint) const;

  /// Calls work; an Error that it throws is one of this place, unless it says its own.
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
  /// @param what  it describes, for messages, e.g. element "pin"
  Fields(const Document& document, const Json& object, Place place, std::string what);

  /// Null if it is not said.
  const Json* find(const std::string& field);
  /// @throws Error if it is not said
  const Json& get(const std::string& field);

  void read(const std::string& field, double& value, const std::string& unit = "");
  void read(const std::string& field, long& value);
  void read(const std::string& field, bool& value);
  void read(const std::string& field, std::string& value);
  void read(const std::string& field, std::vector<std::string>& value);

  /// @throws Error if there is a field that nobody asked for
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

/// A number, or {"value": 30, "unit": "deg"}, in `unit`. @throws Error
double number_in(const Json& value, const std::string& unit);

/// Sets what an element describes from "parameters"; ranges are checked where the element is added.
class ReadParameters final : public Parameters {
 public:
  explicit ReadParameters(Fields fields) { levels_.push_back(std::move(fields)); }

  std::size_t choose(const std::vector<const char*>& types, std::size_t current) override;

  /// Numbers with units that were not said and whose defaults are not zero, "k = 1 N/m"; the acceleration of gravity,
  /// whose default is nature's, is none of them.
  const std::vector<std::string>& defaults_taken() const { return defaults_taken_; }

  /// After the description. @throws Error if there is a field that it does not know
  void finish() const { levels_.front().finish(); }

 protected:
  void number(const Parameter& about, double& value) override;
  void numbers(const Parameter& about, double* values, std::size_t count) override;
  void table(const Parameter& about, std::vector<double>& values) override;
  void enter(const char* name, const char* type, const char* meaning) override;
  void leave() override;

 private:
  std::vector<Fields> levels_;
  std::vector<std::string> names_;  // of the parts that are open
  std::vector<std::string> defaults_taken_;
};

/// Writes them.
class WriteParameters final : public Parameters {
 public:
  Json take() { return std::move(levels_.front()); }
  /// The fields that are C++ functions, which no file holds.
  const std::string& functions() const { return functions_; }

  std::size_t choose(const std::vector<const char*>& types, std::size_t current) override;

 protected:
  void number(const Parameter& about, double& value) override;
  void numbers(const Parameter& about, double* values, std::size_t count) override;
  void enter(const char* name, const char* type, const char* meaning) override;
  void leave() override;
  void function(const char* name, const char* meaning) override;

 private:
  std::vector<Json> levels_{Json::object()};
  std::vector<std::string> names_;
  std::string functions_;
};

}  // namespace sunlagrange::internal
