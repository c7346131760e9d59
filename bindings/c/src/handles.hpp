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

/// What stands behind the handles of sunlagrange_c.h, and how an exception becomes a code.

struct sunlagrange_mechanism {
  sunlagrange::MechanismFile file;
  bool of_functions = false;
  std::optional<sunlagrange::MotionState> started;          ///< consistent start; none: not asked for since a change
  std::optional<sunlagrange::ReactionEvaluator> reactions;  ///< the same
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

/// A message with the names that functions have in C.
std::string in_c(std::string message);

/// What sunlagrange_error() is to say, in C's names.
void remember(const char* function, const char* text) noexcept;

/// Keeps a result for sunlagrange_result_json() and sunlagrange_result_figure().
template <class Result>
const Result& keep(sunlagrange_mechanism& mechanism, Result found) {
  const auto kept = std::make_shared<const Result>(std::move(found));
  mechanism.last_result = [kept](Figures& visitor) { describe_const(*kept, visitor); };
  return *kept;
}

/// One number of what describe(visitor) visits. @throws Error if there is none of that name
double figure_by_name(const std::function<void(Figures& visitor)>& describe, const char* name);

/// The code of the exception that is being handled.
int code_of_exception(const char* function) noexcept;

/// work() and what it returns; every exception becomes a code and the text of sunlagrange_error().
template <class Work>
int guarded(const char* function, Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    return code_of_exception(function);
  }
}

/// The same for functions that return a text: NULL where work() throws.
template <class Work>
const char* guarded_text(const char* function, Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    code_of_exception(function);
    return nullptr;
  }
}

/// @throws Error "`name` is null; ..."
void require_given(const void* pointer, const char* name, const char* remedy);

/// @throws Error "t = nan is not finite"
void require_finite(double t);

/// @throws Error "`name` = `count`, must be at least 1"
void require_positive(int count, const char* name);

/// SUNLAGRANGE_SUCCESS, or SUNLAGRANGE_FAILED with the message of the status remembered.
int code_of(const Status& status, const char* function);

/// Copies into an array of the caller, unless it is null.
void copy(const Eigen::Ref<const Eigen::VectorXd>& from, double* to);
void copy(double from, double* to);

const sunlagrange_mechanism& checked(const sunlagrange_mechanism* mechanism);
sunlagrange_mechanism& checked(sunlagrange_mechanism* mechanism);

/// The consistent start of the mechanism, found once. @throws Failed if there is none
struct Failed {
  Status status;
};
const MotionState& started(sunlagrange_mechanism& mechanism);

}  // namespace sunlagrange::c
