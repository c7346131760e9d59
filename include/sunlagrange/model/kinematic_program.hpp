// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Kinematic programs [002, (1)-(9)]: first-order systems y' = v(y, t) built so that f(y, t) = 0, f in R^m, is an
/// integral manifold. With A = df/dy the velocity is
///
///     v = c [AC] + A^+ (a(f, y, t) - f_t),     a(0, y, t) = 0,                                        [002, (9)]
///
/// a tangential field, free to choose, and the part that keeps f: f' = A v + f_t = a. Here a = -K_N f, so that positive
/// gains are stable. ([002] sets a = k f and asks for k > 0, which drives f away: an erratum.) A^+ b is never formed:
///
///     [ I  A^T ] [ v  ]   [ tangential field ]
///     [ A   0  ] [ mu ] = [ a - f_t          ]
///
/// is the saddle-point system of the library with unit masses, so that rank policies have the same meaning.
/// make_program() of model/make_program.hpp turns a struct into one. A program is a MechanicalSystem with
/// first_order() true: q = y, g = f, M = I, and the applied force is the tangential field; trajectories hold y, y',
/// y''. It has no forces and no energy, and goes with the formulations integral_manifold and elimination.

/// The tangential part of the velocity of a program. Default: v = [AC] with m = n - 1, c = 1.
struct ProgramOptions {
  double speed = 1.0;  ///< c of (9), any sign; unit of y' over unit of [AC]

  /// Companion rows C of the vector product, (n - m - 1) x n, constant; or a function that fills them (they arrive as
  /// zeros). Where they depend on the rows of A, [AC] = 0 and the motion stops.
  Eigen::MatrixXd companions;
  /// Fills C, `num_companions` x n, in place of `companions`.
  std::function<void(double t, View<const double> y, MatrixView<double> C)> companion_function;
  int num_companions = 0;  ///< rows of companion_function

  /// Numbers of the rows of A in the product; empty: all. Leave out dependent rows, for [AC] = 0 with them. Together
  /// with the companions there must be n - 1 rows.
  std::vector<int> product_rows;

  /// Names of the m variables y1 of the elimination form [002, (4)]. Empty: formulation elimination chooses. Other
  /// formulations do not read it.
  std::vector<std::string> dependent;
};

/// Returns the generalised vector product of n - 1 rows [002, after (9)]: component j is the determinant of the unit
/// row e_j above `rows`. It is orthogonal to each row, its length is their volume; zero if they are dependent. For one
/// row (a, b) it is (b, -a), for two rows the cross product. By Householder reflections, O(n^3).
/// @param rows  (n - 1) x n. @throws Error if it has another shape
Eigen::VectorXd generalized_vector_product(const Eigen::MatrixXd& rows);

/// The same without allocation: `columns` is n x (n - 1), column-major, one row of the product per column; destroyed.
void generalized_vector_product(int n, double* columns, double* product);

/// The feedback a(f, y, t) of a program that has its own.
class ProgramFeedback {
 public:
  virtual ~ProgramFeedback() = default;

  /// Computes a, length m. False: the point is declined.
  virtual bool evaluate(double t, const double* y, const double* f, double* a) const = 0;

  /// Computes da/df, m x m, column-major. False: the point is declined.
  virtual bool derivative(double t, const double* y, const double* f, double* a_f) const = 0;
};

/// The members of a program beyond its rows and its tangential field.
struct KinematicProgram {
  std::shared_ptr<const ProgramFeedback> feedback;  ///< null: a = -K_N f
  std::vector<int> dependent;                       ///< y1 of the elimination form, ascending; empty: to be chosen
};

/// Returns the same system as a program. Prefer make_program().
/// @throws Error if it is null, has velocity constraints or rows switched off, or `dependent` does not fit
std::shared_ptr<const MechanicalSystem> as_program(const std::shared_ptr<const MechanicalSystem>& system,
                                                   KinematicProgram program);

}  // namespace sunlagrange
