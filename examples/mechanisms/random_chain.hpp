#pragma once

#include "mechanisms/mechanism.hpp"

namespace sunlagrange::mechanisms {

/// A planar chain as `chain`, of 2 to 8 uniform rods with random lengths (0.2 to 2 m) and masses (0.1 to 10 kg), both
/// evenly distributed in the logarithm, random angles, and random angular velocities up to the rate of free fall over
/// the whole length. Equal seeds give equal mechanisms on every machine.
Mechanism random_chain(unsigned long seed);

}  // namespace sunlagrange::mechanisms
