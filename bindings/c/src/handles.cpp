// SPDX-License-Identifier: BSD-3-Clause
#include "handles.hpp"

#include <cmath>

#include <cctype>
#include <new>

#include <sunlagrange/version.hpp>

namespace sunlagrange::c {
namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

bool in_a_name(char c) {
  return c == '_' || c == ':' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Replaces every `name` in the message that is not a part of a longer name.
void replace_name(std::string& message, const std::string& name, const std::string& by) {
  for (std::size_t at = message.find(name); at != std::string::npos; at = message.find(name, at)) {
    const std::size_t end = at + name.size();
    const bool whole = (at == 0 || !in_a_name(message[at - 1])) && (end == message.size() || !in_a_name(name.back()) ||
                                                                    message[end] == ':' || !in_a_name(message[end]));
    if (whole) message.replace(at, name.size(), by);
    at += whole ? by.size() : name.size();
  }
}

}  // namespace

std::string in_c(std::string message) {
  static constexpr struct {
    const char *cpp, *c;
  } names[] = {{"Attachment::set_user_pointer()", "sunlagrange_set_user_pointer()"},
               {"num_unknowns(...)", "size of sunlagrange_get_layout()"},
               {"num_unknowns()", "size of sunlagrange_get_layout()"},
               {"consistent_state()", "sunlagrange_consistent_start()"},
               {"; rethrow() passes it on", ""},
               {"Start::as_given", "option start = as_given"}};
  for (const auto& name : names) replace_name(message, name.cpp, name.c);
  for (const char* same :
       {"attach_cvode", "attach_ida", "attach_arkode", "cvode_rhs", "ida_residual", "arkode_rhs", "initial_values",
        "check_derivatives", "cvode_dense_jacobian", "ida_dense_jacobian", "cvode_sparse_jacobian",
        "ida_sparse_jacobian", "error_weights", "new_vector", "user_pointer"})
    replace_name(message, same, std::string("sunlagrange_") + same);
  return message;
}

void remember(const char* function, const char* text) noexcept {
  try {
    const std::string message = in_c(text), prefix = std::string(function) + ": ";
    last_error() = message.compare(0, prefix.size(), prefix) == 0 ? message : prefix + message;
  } catch (...) {
    last_error().clear();
  }
}

int code_of_exception(const char* function) noexcept {
  try {
    throw;
  } catch (const Failed& failed) {
    remember(function, failed.status.message.c_str());
    return SUNLAGRANGE_FAILED;
  } catch (const ModelFailure& error) {
    remember(function, error.what());
    return SUNLAGRANGE_MODEL_FAILED;
  } catch (const Error& error) {
    remember(function, error.what());
    return SUNLAGRANGE_INVALID;
  } catch (const std::bad_alloc&) {
    remember(function, "out of memory");
    return SUNLAGRANGE_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    remember(function, error.what());
  } catch (...) {
    remember(function, "an exception that is no std::exception");
  }
  return SUNLAGRANGE_INTERNAL;
}

void require_given(const void* pointer, const char* name, const char* remedy) {
  if (pointer == nullptr) throw Error(std::string(name) + " is null; " + remedy);
}

void require_finite(double t) {
  if (!std::isfinite(t)) throw Error("t = " + std::to_string(t) + " is not finite");
}

void require_positive(int count, const char* name) {
  if (count < 1) throw Error(std::string(name) + " = " + std::to_string(count) + ", must be at least 1");
}

int code_of(const Status& status, const char* function) {
  if (status.finished()) return SUNLAGRANGE_SUCCESS;
  remember(function, (std::string(to_string(status.outcome)) + ": " + status.message).c_str());
  return SUNLAGRANGE_FAILED;
}

void copy(const Eigen::Ref<const Eigen::VectorXd>& from, double* to) {
  if (to != nullptr) Eigen::VectorXd::Map(to, from.size()) = from;
}

void copy(double from, double* to) {
  if (to != nullptr) *to = from;
}

const sunlagrange_mechanism& checked(const sunlagrange_mechanism* mechanism) {
  require_given(mechanism, "mechanism", "make one with sunlagrange_from_file, _from_json or _from_functions");
  return *mechanism;
}

sunlagrange_mechanism& checked(sunlagrange_mechanism* mechanism) {
  checked(static_cast<const sunlagrange_mechanism*>(mechanism));
  return *mechanism;
}

double figure_by_name(const std::function<void(Figures& visitor)>& describe, const char* name) {
  require_given(name, "name", "name a figure, e.g. \"status\" is a text and \"steps\" a number (docs/figures.md)");
  NumberByName number(name);
  describe(number);
  if (!number.found())
    throw Error("name = \"" + std::string(name) +
                "\": the result has no number of this name; docs/figures.md lists them");
  return *number.found();
}

const MotionState& started(sunlagrange_mechanism& mechanism) {
  if (!mechanism.started) {
    ConsistencyOptions options;
    options.start = mechanism.file.options.start;
    options.linear_solver = mechanism.file.options.linear_solver;
    ConsistentState found = consistent_state(mechanism.file.system, mechanism.file.start, options);
    if (!found.report.status.finished()) throw Failed{found.report.status};
    mechanism.started = std::move(found.state);
  }
  return *mechanism.started;
}

}  // namespace sunlagrange::c

using namespace sunlagrange;

const char* sunlagrange_error(void) {
  return c::last_error().c_str();
}

const char* sunlagrange_version(void) {
#define SUNLAGRANGE_TEXT(x) #x
#define SUNLAGRANGE_JOINED(a, b, c) SUNLAGRANGE_TEXT(a) "." SUNLAGRANGE_TEXT(b) "." SUNLAGRANGE_TEXT(c)
  return SUNLAGRANGE_JOINED(SUNLAGRANGE_VERSION_MAJOR, SUNLAGRANGE_VERSION_MINOR, SUNLAGRANGE_VERSION_PATCH);
#undef SUNLAGRANGE_JOINED
#undef SUNLAGRANGE_TEXT
}
