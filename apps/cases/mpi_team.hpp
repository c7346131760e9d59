// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "cases/team.hpp"

namespace sunlagrange::program {

/// Returns the processes that mpirun has started; null if the program is built without MPI.
std::unique_ptr<Team> mpi_team();

}  // namespace sunlagrange::program
