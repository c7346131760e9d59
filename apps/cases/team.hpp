// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The workers of one list of cases: the threads of this process, or of all processes that mpirun has started.
namespace sunlagrange::program {

/// All members call share() and then run(). Only the leader reads files, writes files and prints.
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  virtual bool leads() const { return true; }
  virtual int processes() const { return 1; }

  /// Sends the list of the leader to all members.
  virtual void share(std::vector<std::uint64_t>&) {}

  using Job = std::function<std::string(std::size_t k)>;  ///< returns an empty text if it was interrupted
  using Receive = std::function<void(const std::string& result)>;

  /// Gives each number 0 ... count - 1 once to one of `threads` threads of every process, and calls receive_result in
  /// the leader for each result, one at a time, in the order in which they arrive. Gives out no further number once
  /// go_on returns false or the program is interrupted. An exception of a job or of receive_result, in any process,
  /// ends the work of all and is thrown in the leader.
  virtual void run(std::size_t count, unsigned threads, const Job& job, const Receive& receive_result,
                   const std::function<bool()>& go_on);

  /// Tells the others that this member has failed, instead of the remaining calls of share() and run().
  virtual void leave(const std::string& /*why*/) {}
};

/// Does the work with all processes of mpirun, or with this process alone. An exception of one member ends the others
/// and is thrown in the leader.
/// @return the exit code
int as_team(const std::function<int(Team& team)>& work);

}  // namespace sunlagrange::program
