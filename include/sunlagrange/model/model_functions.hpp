// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// A complete model (rung 0a) whose members are functions known at run time only, for bindings to other languages,
/// plug-ins and callbacks. Shapes, units and meaning are those of model/requirements.hpp; outputs arrive filled with
/// zeros, matrices are column-major. False declines the point. Functions that are empty are replaced as in structs;
/// since doubles carry no derivatives, by central and second differences: G and forces to about 1e-9, gamma to 1e-8,
/// Newton matrices to 1e-5. When not: a struct in C++ has exact derivatives, and costs a tenth.
struct ModelFunctions {
  using In = View<const double>;      ///< input, of the length of q or lambda
  using Out = View<double>;           ///< output, filled with zeros
  using Matrix = MatrixView<double>;  ///< output, column-major, filled with zeros

  int num_positions = 0;              ///< n
  int num_constraints = 0;            ///< m_g, of `constraint`
  int num_velocity_constraints = 0;   ///< m_psi, of `velocity_constraint`
  bool constant_mass_matrix = false;  ///< true: M is evaluated once

  std::function<bool(double t, In q, Matrix M)> mass_matrix;               ///< n x n; required
  std::function<bool(double t, In q, In v, Out f)> applied_force;          ///< n; required
  std::function<bool(double t, In q, Out g)> constraint;                   ///< m_g
  std::function<bool(double t, In q, In v, Out psi)> velocity_constraint;  ///< m_psi

  std::function<bool(double t, In q, Matrix G)> constraint_jacobian;                   ///< dg/dq, m_g x n
  std::function<bool(double t, In q, In v, Out gamma)> constraint_acceleration_bias;   ///< g'' = G v' - gamma
  std::function<bool(double t, In q, In v, Matrix f_q, Matrix f_v)> force_jacobians;   ///< n x n each
  std::function<bool(double t, In q, In a, Matrix Ma_q)> inertia_jacobian;             ///< d(M a)/dq, n x n
  std::function<bool(double t, In q, In lambda, Matrix K)> constraint_force_jacobian;  ///< d(G^T lambda)/dq, n x n

  std::function<double(double t, In q, In v)> energy;  ///< [J]
  std::function<double(double t, In q, In v)> power;   ///< [W] of forces that `energy` does not hold; needs `energy`

  std::vector<std::string> position_names;    ///< n of them, or none
  std::vector<std::string> constraint_names;  ///< m_g + m_psi, or none
};

/// @throws Error listing everything that is missing or does not fit, that make_system() of a struct refuses, and
/// derivatives that differ from differences of their functions by more than 1e-4 of a row at two of three random
/// points, with row and column; points where a function declines, throws or is not finite do not count
std::shared_ptr<const MechanicalSystem> make_system(ModelFunctions functions);

}  // namespace sunlagrange
