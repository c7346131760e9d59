// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

/// Programs written by hand for one mechanism and one formulation, with which the library is compared.
/// Gains are critically damped, K_D = 2 w, K_P = w^2 (two_link: those of the printed example).
namespace sunlagrange::hand_written {

constexpr double w = 10.0;       ///< 1/s
constexpr double penalty = 1e7;  ///< J s^2 per (unit of g)^2

class Program {
 public:
  virtual ~Program() = default;

  /// y = (q, v), ydot = (v, v').
  virtual void right_hand_side(double t, const double* y, double* ydot) = 0;
};

std::unique_ptr<Program> two_link();                     ///< closed form: as many constraints as coordinates
std::unique_ptr<Program> andrews();                      ///< blocks of M inverted by hand, G M^-1 G^T by L D L^T
std::unique_ptr<Program> n_four_bar(int loops);          ///< KLU, matrix [M G^T; G 0]
std::unique_ptr<Program> n_four_bar_blocks(int loops);   ///< the same, elimination written out along the chain
std::unique_ptr<Program> n_four_bar_penalty(int loops);  ///< Eigen::SimplicialLLT, matrix M + penalty G^T G
std::unique_ptr<Program> chain(int rods);                ///< KLU, matrix [M G^T; G 0]

}  // namespace sunlagrange::hand_written
