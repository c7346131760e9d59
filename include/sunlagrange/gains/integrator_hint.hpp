#pragma once

#include <memory>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

struct ButcherTable;  // base/butcher_table.hpp

/// How integrators answer to large gains.
enum class IntegratorKind {
  unknown,            ///< treated as explicit_adaptive, the most sensitive one
  fixed_step,         ///< explicit Runge-Kutta with steps of one size: unstable beyond a limit, no extra cost below
  explicit_adaptive,  ///< explicit Runge-Kutta with step control: shorter steps long before the limit
  adams,              ///< Adams-Moulton with functional iteration
  bdf,                ///< BDF with Newton: CVODE and IDA
};

constexpr auto names_of(IntegratorKind) {
  return enum_names("unknown", "fixed step", "explicit adaptive", "Adams", "BDF");
}

/// What automatic gains need to know of the integrator. simulate() fills it in; applications with an integrator of
/// their own may.
struct IntegratorHint {
  IntegratorKind kind = IntegratorKind::unknown;
  double step = 0.0;                          ///< fixed_step: [s]
  std::shared_ptr<const ButcherTable> table;  ///< fixed_step: the method
};

}  // namespace sunlagrange
