// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mechanisms/mechanism.hpp"
#include "method.hpp"

namespace sunlagrange::peers {

/// Returns the compared values of a mechanism: the centres of the rods of closed_chain, all coordinates of the others.
std::vector<double> values_of(const std::string& mechanism, const Eigen::VectorXd& q);

/// simulate(), monitoring included. Named pairs run without a longest step (the tolerance alone decides, as in the
/// other programs); formulation "automatic" with all defaults.
/// @param t_end      [s]
/// @param cpu_limit  [s] of processor time, after which it is interrupted
Ending run_library(const std::string& name, const mechanisms::Mechanism& mechanism, const std::string& formulation,
                   const std::string& integrator, double tolerance, double t_end, double cpu_limit);

}  // namespace sunlagrange::peers
