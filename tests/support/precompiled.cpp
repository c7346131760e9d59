// SPDX-License-Identifier: BSD-3-Clause
// Carries the precompiled header that the tests reuse, and compiles what it declares.
#include "precompiled.hpp"

#pragma GCC diagnostic ignored "-Wignored-attributes"
namespace Eigen {
#define COMPILED_ONCE(...) template __VA_ARGS__;
#include "compiled_once.inc"
#undef COMPILED_ONCE
}  // namespace Eigen
