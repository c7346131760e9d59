// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sundials/sundials_context.h>
#include <sundials/sundials_nvector.h>

namespace sunlagrange {

/// Returns SUNDIALS' serial vector with faster operations, for y and all vectors that CVODE(S), IDA(S), ARKODE and
/// KINSOL clone from it; simulate() uses it. It can replace N_VNew_Serial(size, context): kind, content, accessors
/// (NV_DATA_S), printing, linear solvers and N_VDestroy are those of the serial vector, and both kinds may be mixed in
/// one operation.
///
/// Sums run in eight lanes, whatever the processor, so that results differ from the serial vector's in last digits, and
/// step sizes and results of a run within its tolerances. Linear combinations have no special cases: a x + b y is
/// that for every a and b. NaN and infinity give the same results. Fused operations are on; those on arrays of vectors
/// are SUNDIALS' loops over these operations. Inequality constraints (N_VConstrMask and the like) are the serial
/// vector's.
///
/// When not: where a program has to reproduce the last digits of one with N_VNew_Serial.
/// @throws Error if the context is null or the size negative, std::bad_alloc
N_Vector new_vector(long size, SUNContext context);

}  // namespace sunlagrange
