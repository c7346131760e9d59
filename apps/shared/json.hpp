#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>

/// Documents of --json: entries in the order in which they are written.
namespace sunlagrange::program {

using Json = nlohmann::ordered_json;

/// object[name] = value, compiled once: the operators of nlohmann's library, inlined line by line, take seconds a file.
void set(Json& object, const char* name, Json value);
void set(Json& object, const char* name, double value);
void set(Json& object, const char* name, long value);
void set(Json& object, const char* name, int value);
void set(Json& object, const char* name, bool value);
void set(Json& object, const char* name, const char* value);
void set(Json& object, const char* name, const std::string& value);
void set(Json& object, const char* name, const std::vector<std::string>& value);

/// null if it is not finite.
Json number_or_null(double x);

/// A list of numbers, null those that are not finite.
Json array(const Eigen::VectorXd& x);

/// The document as it is printed, with a line break at the end.
std::string json_text(const Json& document);

}  // namespace sunlagrange::program
