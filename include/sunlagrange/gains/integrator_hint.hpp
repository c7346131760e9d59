// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

struct ButcherTable;  // base/butcher_table.hpp

/// Kinds of integrators, by their behaviour with large gains.
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

/// Properties of the integrator that automatic gains depend on. simulate() fills it in; an application with its own
/// integrator can do so.
struct IntegratorHint {
  IntegratorKind kind = IntegratorKind::unknown;  ///< decides how large gains may be
  double step = 0.0;                              ///< fixed_step: [s]
  std::shared_ptr<const ButcherTable> table;      ///< fixed_step: the method
};

}  // namespace sunlagrange
