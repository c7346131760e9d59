// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/files/mechanism_file.hpp>
#include <sunlagrange/results/reactions.hpp>
#include <sunlagrange/simulation/simulate.hpp>
#include <sunlagrange/sundials/attachment.hpp>

#include "sunlagrange/sunlagrange_c.h"

/// The objects of the handles of sunlagrange_c.h, and the translation of exceptions to codes.

struct sunlagrange_mechanism {
  sunlagrange::MechanismFile file;
  bool of_functions = false;
  std::optional<sunlagrange::MotionState> started;          ///< consistent start; empty: not computed since a change
  std::optional<sunlagrange::ReactionEvaluator> reactions;  ///< evaluator of reactions; empty: not made since a change
  std::string json, parameter, derivatives;
  std::function<void(sunlagrange::Figures& visitor)> last_result;  ///< describes it; empty: nothing was analysed yet
  std::string result_json;
};

struct sunlagrange_run {
  std::shared_ptr<const sunlagrange::MechanicalSystem> system;
  sunlagrange::Simulation simulation;
  std::string text, json;
};

struct sunlagrange_attachment {
  sunlagrange::Attachment attachment;
  std::string explanation = {}, settings = {};
};

namespace sunlagrange::c {

/// A function of the model has returned a negative value.
struct ModelFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the message with the names that functions have in C.
std::string in_c(std::string message);

/// Sets the text of sunlagrange_error(), with the names of C.
void remember(const char* function, const char* text) noexcept;

/// Keeps a result for sunlagrange_result_json() and sunlagrange_result_figure(). Returns it; it lives until the next
/// one.
template <class Result>
const Result* keep(sunlagrange_mechanism& mechanism, Result found) {
  const auto kept = std::make_shared<const Result>(std::move(found));
  mechanism.last_result = [kept](Figures& visitor) { describe_const(*kept, visitor); };
  return kept.get();
}

/// Returns one number of the result that describe(visitor) visits. @throws Error if there is none of that name
double figure_by_name(const std::function<void(Figures& visitor)>& describe, const char* name);

/// Returns the code of the exception that is being handled.
int code_of_exception(const char* function) noexcept;

/// Calls work() and returns its result. An exception becomes a code and the text of sunlagrange_error().
template <class Work>
int guarded(const char* function, Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    return code_of_exception(function);
  }
}

/// Calls work() and returns its text, or NULL if it throws.
template <class Work>
const char* guarded_text(const char* function, Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    code_of_exception(function);
    return nullptr;
  }
}

/// Throws the Error "`name` is null; ..." if the pointer is null.
void require_given(const void* pointer, const char* name, const char* remedy);

/// Throws the Error "t = nan is not finite" if it is not.
void require_finite(double t);

/// Throws the Error "`name` = `count`, must be at least 1" if it is less.
void require_positive(int count, const char* name);

/// Returns SUNLAGRANGE_SUCCESS, or SUNLAGRANGE_FAILED with the message of the status as the error.
int code_of(const Status& status, const char* function);

/// Copy into an array of the caller, unless it is null.
void copy(const Eigen::Ref<const Eigen::VectorXd>& from, double* to);
void copy(double from, double* to);

const sunlagrange_mechanism& checked(const sunlagrange_mechanism* mechanism);
sunlagrange_mechanism& checked(sunlagrange_mechanism* mechanism);

/// Returns the consistent start of the mechanism, which is computed once. @throws Failed if there is none
struct Failed {
  Status status;
};
const MotionState& started(sunlagrange_mechanism& mechanism);

}  // namespace sunlagrange::c
