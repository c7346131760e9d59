#pragma once

#include <string>
#include <type_traits>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {

/// Everything that is wrong with what the user gave, in one Error.
/// @param problems  complaints, each ended by a newline; none: nothing happens
/// @param heading   printed on a line of its own before them; empty: none
inline void throw_if_any(const std::string& problems, const std::string& heading = "") {
  if (problems.empty()) return;
  throw Error((heading.empty() ? "" : heading + ":\n") + problems.substr(0, problems.size() - 1));
}

/// Complaints, one a line.
class Problems {
 public:
  /// @param who  stands before each of them
  explicit Problems(std::string who = "") : who_(std::move(who)) {}

  /// @param complaint  text, or what gives it: numbers need not become text where nobody will read it
  template <class Complaint>
  void require(bool good, const Complaint& complaint) {
    if (good) return;
    if constexpr (std::is_invocable_v<const Complaint&>)
      text_ += who_ + complaint() + "\n";
    else
      text_ += who_ + complaint + "\n";
  }

  /// Keeps the complaint of what throws one.
  template <class Check>
  void require_no_error(const Check& check) {
    try {
      check();
    } catch (const Error& error) {
      require(false, error.what());
    }
  }

  /// Complaints of somebody else, each ended by a newline.
  void add(const std::string& complaints) { text_ += complaints; }

  const std::string& text() const { return text_; }
  void throw_if_any(const std::string& heading = "") const { internal::throw_if_any(text_, heading); }

 private:
  std::string who_, text_;
};

}  // namespace sunlagrange::internal
