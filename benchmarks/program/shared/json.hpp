#pragma once

#include <string>

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>

/// Documents of --json: entries in the order in which they are written.
namespace sunlagrange::bench {

using Json = nlohmann::ordered_json;

/// null if it is not finite.
Json number_or_null(double x);

/// A list of numbers, null those that are not finite.
Json array(const Eigen::VectorXd& x);

/// The document as it is printed, with a line break at the end.
std::string json_text(const Json& document);

}  // namespace sunlagrange::bench
