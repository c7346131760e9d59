#pragma once

namespace sunlagrange {

/// Error tolerances of adaptive integrators; every option struct that has some derives from this one. Coordinate i may
/// have an error of about rtol |q_i| + atol s_i in each step, its velocity one of rtol |v_i| + atol s_i / s, with its
/// natural scale s_i: 1 for lengths, angles and generic blocks, less where SI units are large (natural_scale(Domain)).
struct Tolerances {
  double rtol = 1e-6;  ///< relative
  double atol = 1e-8;  ///< absolute, of every coordinate in its natural scale, Assembly::set_natural_scale
};

}  // namespace sunlagrange
