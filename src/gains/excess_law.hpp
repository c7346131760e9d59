#pragma once

#include <optional>
#include <string>
#include <utility>

#include <sunlagrange/base/gain_matrix.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/gains/excess_energy.hpp>

#include "gains/motion_scales.hpp"
#include "linear_algebra/spd.hpp"

namespace sunlagrange::internal {

/// Calls a function of the user's; a matrix that changed its size is misuse.
template <class Call>
void fill_excess_matrix(const char* field, Eigen::MatrixXd& matrix, Call&& call) {
  const Eigen::Index rows = matrix.rows();
  const Eigen::Index columns = matrix.cols();
  call(matrix);
  if (matrix.rows() == rows && matrix.cols() == columns) return;
  throw Error(std::string("excess energy: ") + field + " made the matrix " + std::to_string(matrix.rows()) + " x " +
              std::to_string(matrix.cols()) + "; this system needs " + std::to_string(rows) + " x " +
              std::to_string(columns) + ": fill the entries of the matrix given");
}

/// m, k, c of the user at one point, and the law of the constraint error that follows from them,
///
///     v_y' = -K_P y - K_D v_y,     K_P = m^-1 k,  K_D = m^-1 (m' + c),
///
/// parts that were left out being those of the constant gains. No allocation after construction.
class ExcessLaw {
 public:
  enum class Verdict { good, mass, stiffness, dissipation };  // the first that lost its definiteness

  /// @param n        number of positions
  /// @param scales   of the motion, for the differences that give m' and the tangential force
  /// @param K_D      blkdiag(K_D, K_N), m x m, of what is left out
  /// @param K_P      m_g x m_g, of what is left out
  ExcessLaw(ExcessEnergy energy, int n, const Scales& scales, const GainMatrix& K_D, const GainMatrix& K_P);

  /// K_D: m x m, K_P: m x m_g.
  Verdict renew(double t, const double* q, const double* v, Eigen::MatrixXd& K_D, Eigen::MatrixXd& K_P);

 private:
  void add_mass_rate(double t, Eigen::MatrixXd& target);

  ExcessEnergy energy_;
  Scales scales_;
  int m_g_, m_;
  SpdFactor factor_, block_, whole_;
  Eigen::VectorXd q_, v_, shifted_;
  Eigen::MatrixXd mass_, rate_, other_, stiffness_;
  Eigen::MatrixXd constant_rate_, constant_position_;  // blkdiag(K_D, K_N); K_P above zeros
};

}  // namespace sunlagrange::internal
