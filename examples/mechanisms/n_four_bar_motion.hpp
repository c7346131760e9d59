#pragma once

namespace sunlagrange::mechanisms {

/// The exact motion of an N-four-bar mechanism on its regular branch, see n_four_bar.cpp: all vertical bars are
/// parallel.
struct VerticalBars {
  double k = 0.0;      ///< phi'' = -k cos phi [1/s^2]
  double theta = 0.0;  ///< phi + pi/2 [rad], from the downward vertical
  double rate = 0.0;   ///< phi' [rad/s]
};

/// Closed form in Jacobi's elliptic functions, from phi = pi/2, phi' = -1 rad/s at t = 0.
VerticalBars vertical_bars(int loops, double t);

}  // namespace sunlagrange::mechanisms
