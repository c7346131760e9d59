#pragma once

#include <string>

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// What a system is to be good for: a part of one may lack inertias and constraints.
enum class Purpose { motion, derivatives };

/// What makes a model wrong wherever it is evaluated, seen at one point: M, G or g not finite, M not symmetric, not
/// positive semidefinite (coordinates without mass are legal), or said to be constant and not so; for a motion also
/// coordinates without inertia and without constraints. One evaluation, and a Cholesky factorisation of each block of
/// M; allocates.
/// @return finished, or model_error with all that was found, one a line. A point that the model declines says nothing
/// @throws whatever the model throws
Status examine(const MechanicalSystem& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               Purpose purpose);

/// The first entries of M, f, g, (g', psi), gamma and G that are not finite, by name; empty if all are.
std::string values_not_finite(const MechanicalSystem& system, const Workspace& w);

/// Names of the elements that decline the point; empty if none does by itself.
std::string declining_elements(const MechanicalSystem& system, double t, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v);

}  // namespace sunlagrange::internal
