// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>

#include <sunlagrange/base/figure_visitors.hpp>

/// JSON documents of --json, whose entries keep the order in which they are set.
namespace sunlagrange::program {

using Json = nlohmann::ordered_json;

/// Sets object[name] = value. It is compiled once: inlined operators of nlohmann's library take seconds for each file.
void set(Json& object, const char* name, Json value);
void set(Json& object, const char* name, double value);
void set(Json& object, const char* name, long value);
void set(Json& object, const char* name, int value);
void set(Json& object, const char* name, bool value);
void set(Json& object, const char* name, const char* value);
void set(Json& object, const char* name, const std::string& value);
void set(Json& object, const char* name, const std::vector<std::string>& value);

/// Returns the number, or null if it is not finite.
Json number_or_null(double x);

/// Returns a list of numbers, with null for each one that is not finite.
Json array(const Eigen::VectorXd& x);

/// Returns the columns of a matrix, a list of numbers for each.
Json columns_json(const Eigen::MatrixXd& x);

/// Returns the object that a JSON text holds: parsed(figures_json(result)) has all figures of a result.
Json parsed(const std::string& text);

/// Adds the entries of that object to another one. They replace entries of the same name.
void add_figures(Json& object, const std::string& text);

/// Returns the text of the document with a line break at the end.
std::string json_text(const Json& document);

}  // namespace sunlagrange::program
