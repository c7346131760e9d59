#pragma once

#include <sunlagrange/sunlagrange.hpp>

namespace sunlagrange::mechanisms {

/// The rods of mechanisms `chain` and `closed_chain`: N uniform rods of 1 m and 1 kg (I = 1/12 kg m^2) under gravity,
/// each a planar body with inertia, weight and a pin at its near end; the first hangs on the ground at (0, 0). They lie
/// on a curve that first falls and then rises: angle of rod k = -0.9 + 2.4 (k - 1/2) / N rad.
struct HangingRods {
  Block last;
  double end_x = 0.0;  ///< far end of the last rod [m]
  double end_y = 0.0;
  Eigen::VectorXd q;  ///< positions of the start, length 3 N

  HangingRods(Assembly& assembly, int size);
};

}  // namespace sunlagrange::mechanisms
