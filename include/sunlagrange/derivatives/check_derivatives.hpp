// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange {

/// The worst entry of one derivative, compared with a central difference.
struct DerivativeEntry {
  std::string quantity;     ///< e.g. "constraint_jacobian"
  std::string row;          ///< name of the constraint or position
  std::string column;       ///< name of the position
  double supplied = 0.0;    ///< entry that the library would use
  double difference = 0.0;  ///< the same entry by a central difference
  double error = 0.0;       ///< (|supplied - difference| - rounding) / largest entry of that quantity
};

/// Supplied derivatives beside differences, and what supplied each quantity.
struct DerivativeCheck {
  bool passed = true;                   ///< no error above the tolerance, and no error of the model
  double tolerance = 0.0;               ///< tolerance of the errors, as given
  std::vector<DerivativeEntry> worst;   ///< one line per quantity
  Status model;                         ///< errors of M and others at this point, as consistent_state finds them
  std::vector<ElementMembers> members;  ///< found and not found, for each element type

  /// Returns one line, "passed: ..." or "failed: ..." with the worst row and column of the first quantity that is
  /// wrong.
  std::string verdict() const;
  /// Returns the verdict, a table of the worst entries, and the members that were not found.
  std::string text() const;
};

/// Checks every derivative the library would use at (t, q, v): G, g' and psi, gamma, and all blocks of the Newton
/// matrices (dr/dq, dr/dv with r = M a + G^T lambda - f, and the rates of the constraint rows). Use it on your own
/// model before the first run, at a point in general position: at symmetric points wrong entries can agree by accident.
/// Steps of the differences go from a tenth of the largest coordinate down to 1e-7 of it; each entry takes the step at
/// which two differences agree best, so that units do not matter.
/// @param seed       a and lambda are random numbers from this seed
/// @param tolerance  on DerivativeEntry::error; differences themselves are good to about 1e-8
/// @throws Error if the model declines the point
DerivativeCheck check_derivatives(const std::shared_ptr<const MechanicalSystem>& system, double t,
                                  const Eigen::VectorXd& q, const Eigen::VectorXd& v, double tolerance = 1e-5,
                                  unsigned seed = 1);

}  // namespace sunlagrange
