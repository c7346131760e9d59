// SPDX-License-Identifier: BSD-3-Clause
#include "cases/team.hpp"

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>

#include <sunlagrange/base/status.hpp>

#include "cases/mpi_team.hpp"
#include "shared/command.hpp"
#include "shared/interruption.hpp"
#include "shared/parallel.hpp"

namespace sunlagrange::program {
namespace {

/// Returns the number of this process among those that mpirun, or srun with PMIx or PMI-2, has started; -1 if neither
/// has started it.
int rank_in_environment() {
  for (const auto& [rank, also] : {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                   {"PMI_RANK", "PMI_SIZE"},
                                   {"PMIX_RANK", "PMIX_NAMESPACE"}}) {
    if (std::getenv(rank) != nullptr && std::getenv(also) != nullptr) return std::atoi(std::getenv(rank));
  }
  return -1;
}

}  // namespace

void Team::run(std::size_t count, unsigned threads, const Job& job, const Receive& receive_result,
               const std::function<bool()>& go_on) {
  std::atomic<std::size_t> next{0};
  std::mutex guard;
  on_threads(threads, [&] {
    try {
      for (std::size_t k = next++; k < count && !interrupted() && go_on(); k = next++) {
        const std::string result = job(k);
        const std::lock_guard<std::mutex> lock(guard);
        if (!result.empty()) receive_result(result);
      }
    } catch (...) {
      next = count;
      throw;
    }
  });
}

int as_team(const std::function<int(Team& team)>& work) {
  const int rank = rank_in_environment();
  std::unique_ptr<Team> team;
  if (rank >= 0) team = mpi_team();
  if (team == nullptr && rank > 0) return exit_finished;
  if (team == nullptr && rank == 0)
    std::cerr << program_name() << ": built without MPI: only this process of mpirun works, on its threads\n";
  if (team == nullptr) team = std::make_unique<Team>();
  const auto failed = [&team](const std::exception& error, int code) {
    team->leave(error.what());
    if (team->leads()) throw;
    return code;  // mpirun returns the exit code of any process
  };
  try {
    return work(*team);
  } catch (const Error& error) {
    return failed(error, exit_wrong_usage);
  } catch (const std::exception& error) {
    return failed(error, exit_trouble);
  }
}

}  // namespace sunlagrange::program
