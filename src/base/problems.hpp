// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <type_traits>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {

/// Throws one Error with all problems of the user's input, or does nothing if there are none.
/// @param problems  one line each, with its newline
/// @param heading   a line before them; empty: none
inline void throw_if_any(const std::string& problems, const std::string& heading = "") {
  if (problems.empty()) return;
  throw Error((heading.empty() ? "" : heading + ":\n") + problems.substr(0, problems.size() - 1));
}

/// Collects problems of the user's input, one line each.
class Problems {
 public:
  /// @param who  begins each line
  explicit Problems(std::string who = "") : who_(std::move(who)) {}

  /// @param complaint  a text, or a function that returns it and is called only if `good` is false
  template <class Complaint>
  void require(bool good, const Complaint& complaint) {
    if (good) return;
    if constexpr (std::is_invocable_v<const Complaint&>)
      text_ += who_ + complaint() + "\n";
    else
      text_ += who_ + complaint + "\n";
  }

  /// Runs a check and keeps the text of the Error that it throws.
  template <class Check>
  void require_no_error(const Check& check) {
    try {
      check();
    } catch (const Error& error) {
      require(false, error.what());
    }
  }

  /// Adds lines that another function collected.
  void add(const std::string& complaints) { text_ += complaints; }

  const std::string& text() const { return text_; }
  void throw_if_any(const std::string& heading = "") const { internal::throw_if_any(text_, heading); }

 private:
  std::string who_, text_;
};

}  // namespace sunlagrange::internal
