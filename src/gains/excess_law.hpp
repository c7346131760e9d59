// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <sunlagrange/base/gain_matrix.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/gains/excess_energy.hpp>

#include "linear_algebra/spd.hpp"
#include "model/motion_scales.hpp"

namespace sunlagrange::internal {

/// Calls a function of the user. @throws Error if it has changed the size of the matrix
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

/// The law of the constraint error that follows from m, k, c of the user at one point,
///
///     v_y' = -K_P y - K_D v_y,     K_P = m^-1 k,  K_D = m^-1 (m' + c),
///
/// where constant gains replace missing functions. No allocation after construction.
class ExcessLaw {
 public:
  enum class Verdict { good, mass, stiffness, dissipation };  // the first matrix that is not definite

  /// Returns a phrase such as "mass is not ..." for a verdict that is not good.
  static const char* lost(Verdict verdict);

  /// Returns A of (g, g', psi)' = A (g, g', psi): [0 I 0; -K_P -K_D].
  static Eigen::MatrixXd error_matrix(const Eigen::MatrixXd& K_D, const Eigen::MatrixXd& K_P);

  /// @param scales   scales of the motion, for the differences that give m' and the tangential force
  /// @param K_D      blkdiag(K_D, K_N), m x m, for a missing function
  /// @param K_P      m_g x m_g, for a missing function
  ExcessLaw(ExcessEnergy energy, const MechanicalSystem& system, const Scales& scales, const GainMatrix& K_D,
            const GainMatrix& K_P);

  /// Computes K_D (m x m) and K_P (m x m_g) at a point.
  /// @param a  v' there, for the part of m' that mass_of_motion has along it; null: without this part
  Verdict renew(double t, const double* q, const double* v, Eigen::MatrixXd& K_D, Eigen::MatrixXd& K_P,
                const double* a = nullptr);

  /// Computes m2 of ExcessEnergy at the point of the last renew(), with y = g and v_y = (g', psi). It is zero if the
  /// excess energy is rounding compared with the virtual work of f.
  void tangential_force(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& v_y, const Eigen::VectorXd& f,
                        Eigen::VectorXd& m2);

  bool depends_on_acceleration() const { return energy_.mass_of_motion != nullptr; }

  /// Computes E = m^-1 (dm/dv_i v_y)_i, m x n, at the point of the last renew(): the law is
  /// v_y' = -K_P y - K_D v_y - E v'.
  void acceleration_matrix(double t, const Eigen::VectorXd& v_y, Eigen::MatrixXd& E);

 private:
  bool has_mass() const { return energy_.mass || energy_.mass_of_motion; }
  void mass(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::MatrixXd& m);
  void add_mass_rate(double t, const double* a, Eigen::MatrixXd& target);
  double lagrangian(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& y, const Eigen::VectorXd& v_y,
                    double sign = -1.0);
  double dissipation(double t, const Eigen::VectorXd& v, const Eigen::VectorXd& v_y);

  ExcessEnergy energy_;
  Scales scales_;
  Eigen::VectorXd natural_scales_;
  int m_g_, m_;
  SpdFactor factor_, block_, whole_;
  Eigen::VectorXd q_, v_, shifted_, shifted_velocity_;
  Eigen::MatrixXd mass_, rate_, other_, stiffness_;
  Eigen::MatrixXd constant_rate_, constant_position_;  // blkdiag(K_D, K_N); K_P above zeros
};

}  // namespace sunlagrange::internal
