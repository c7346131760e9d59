// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// The use of a system: for derivatives alone, inertias and constraints may be missing.
enum class Purpose { motion, derivatives };

/// Checks a model at one point for errors that it has everywhere: M, G or g not finite, M not symmetric, not positive
/// semidefinite (coordinates without mass are legal), or not constant although it is declared so; for a motion also
/// coordinates without inertia and without constraints. Costs one evaluation, and a Cholesky factorisation of each
/// block of M; allocates.
/// @return finished, or model_error with all findings, one a line. A point that the model declines gives no finding
/// @throws the exceptions of the model
Status examine(const MechanicalSystem& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               Purpose purpose);

/// Returns the names of the first entries of M, f, g, (g', psi), gamma and G that are not finite, with their values;
/// empty if all are finite.
std::string entries_not_finite(const MechanicalSystem& system, const Workspace& w);

/// The same as a sentence.
std::string values_not_finite(const MechanicalSystem& system, const Workspace& w);

/// Returns the names of the elements that decline the point; empty if none does.
std::string declining_elements(const MechanicalSystem& system, double t, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v);

}  // namespace sunlagrange::internal
