#pragma once

#include <memory>

#include "cases/team.hpp"

namespace sunlagrange::program {

/// The ranks that mpirun has started; null: built without MPI.
std::unique_ptr<Team> mpi_team();

}  // namespace sunlagrange::program
