// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace sunlagrange {

/// Error tolerances of adaptive integrators, the base of all option structs that have some. The error of coordinate i
/// in one step may be about rtol |q_i| + atol s_i, that of its velocity rtol |v_i| + atol s_i / (1 s). s_i is the natural
/// scale of the coordinate: 1 for lengths, angles and generic blocks, less where SI units are large
/// (natural_scale(Domain)). DAE forms divide by the time scale of the motion in place of 1 s.
struct Tolerances {
  double rtol = 1e-6;  ///< relative
  double atol = 1e-8;  ///< absolute, relative to the natural scale of each coordinate (Assembly::set_natural_scale)
};

}  // namespace sunlagrange
