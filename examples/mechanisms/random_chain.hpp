#pragma once

#include "mechanisms/mechanism.hpp"

namespace sunlagrange::mechanisms {

/// A planar chain as `chain`, of 2 to 8 uniform rods with random lengths (0.05 to 5 m) and masses (0.02 to 50 kg), both
/// evenly distributed in the logarithm, random angles, and random angular velocities up to the rate of free fall over
/// the whole length. Equal seeds give equal mechanisms on every machine.
Mechanism random_chain(unsigned long seed);

}  // namespace sunlagrange::mechanisms
